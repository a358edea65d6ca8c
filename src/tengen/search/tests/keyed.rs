//! Go with other keys: positions reached in different ways share no node, which makes the graph a
//! tree; or share one only where their histories cannot matter soon.

use crate::encode::{Encode, Encoding};
use crate::game::{
    BoardSize, Bounds, Color, Game, GameInfo, IllegalSetup, Move, Outcome, PliesLeft, Recent,
    Superko, UnsupportedSize,
};
use crate::games::go::{GoRules, SmallGo};

/// Key of the whole path.
pub(super) const BY_PATH: u8 = 1;
/// Key of the path since the last stone that is not in atari.
pub(super) const SINCE_QUIET: u8 = 2;

/// A position with a key of its own.
#[derive(Debug, Clone)]
pub(super) struct Keyed<const BY: u8> {
    pub(super) position: SmallGo,
    key: u128,
}

impl<const BY: u8> Keyed<BY> {
    pub(super) fn new(position: SmallGo) -> Self {
        Keyed {
            key: position.key(),
            position,
        }
    }
}

impl<const BY: u8> Game for Keyed<BY> {
    const NAME: &'static str = SmallGo::NAME;
    const INFO: GameInfo = SmallGo::INFO;
    type Moves = <SmallGo as Game>::Moves;
    type Rules = GoRules;

    fn with_rules(size: BoardSize, rules: GoRules) -> Result<Self, UnsupportedSize> {
        SmallGo::with_rules(size, rules).map(Keyed::new)
    }

    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup> {
        self.position.set_up(stones, to_move).map(Keyed::new)
    }

    fn rules(&self) -> GoRules {
        self.position.rules()
    }

    fn size(&self) -> BoardSize {
        self.position.size()
    }

    fn to_move(&self) -> Color {
        self.position.to_move()
    }

    fn set_to_move(&mut self, color: Color) {
        self.position.set_to_move(color);
        self.key = self.position.key();
    }

    fn ply(&self) -> u32 {
        self.position.ply()
    }

    fn stone(&self, point: Move) -> Option<Color> {
        self.position.stone(point)
    }

    fn recent(&self) -> Recent {
        self.position.recent()
    }

    fn legal_moves(&self) -> Self::Moves {
        self.position.legal_moves()
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv)
    }

    fn play(&mut self, mv: Move) {
        self.position.play(mv);
        let state = self.position.key();
        let pass = mv == self.size().pass();
        let quiet =
            !pass && self.position.stone(mv).is_some() && self.position.last_liberty(mv).is_none();
        self.key = match BY {
            SINCE_QUIET if quiet => state,
            _ => (self.key ^ self.key >> 59)
                .wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
                .wrapping_add(state),
        };
    }

    fn outcome(&self) -> Option<Outcome> {
        self.position.outcome()
    }

    fn key(&self) -> u128 {
        self.key
    }

    fn superko(&self) -> Option<&dyn Superko> {
        self.position.superko()
    }

    fn certain(&self) -> Bounds {
        self.position.certain()
    }

    fn plies_left(&self) -> PliesLeft {
        self.position.plies_left()
    }
}

fn go() -> &'static Encoding<SmallGo> {
    let encoding = SmallGo::encodings()[0];
    assert_eq!(encoding.planes(), 42);
    encoding
}

impl<const BY: u8> Keyed<BY> {
    /// Encoding of the wrapped position.
    const INSIDE: Encoding<Self> = Encoding {
        cache_key: |position| go().cache_key(&position.position),
        ..Encoding::new("inside", 42, |position, row| {
            go().encode(&position.position, row)
        })
    };
}

impl<const BY: u8> Encode for Keyed<BY> {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        const { &[&Self::INSIDE] }
    }
}
