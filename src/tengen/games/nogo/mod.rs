//! NoGo: capturing, suicide and having no legal move lose; there is no pass.
//!
//! A move is legal when the point is empty, the new block keeps a liberty and no enemy block loses
//! its last one. Two facts (docs/methods.md#nogo) shape it. Legality is *monotone*: a point that is
//! illegal for a colour never becomes legal again, so the legal sets of both colours are kept and
//! only ever shrink. Legal positions are *hereditary*: any subset of the stones is legal, so any
//! order of the stones leads to the position, and a position is its stones and the side to move.

mod encoding;
mod rollout;
mod solver;

pub use solver::Solver;

use crate::game::{
    Bits, BitsIter, BoardSize, Color, Frame, Game, GameInfo, Illegal, IllegalSetup, Move, OneSet,
    Outcome, PliesLeft, Recent, UnsupportedSize, zobrist,
};

/// NoGo on boards of up to 128 points: 9x9, and all rectangles up to 11x11.
pub type SmallNoGo = NoGo<2>;

/// NoGo on boards of up to 192 points: 12x12, 13x13 and rectangles between.
pub type LargeNoGo = NoGo<3>;

/// Longest side: as many columns as have names (A to Z, AA to AZ).
const MAX_SIDE: u8 = 50;

/// A NoGo position on a board of at most `64 * WORDS` points.
#[derive(Debug, Clone)]
pub struct NoGo<const WORDS: usize> {
    frame: Frame<WORDS>,
    stones: [Bits<WORDS>; 2],
    /// Union-find parent of each stone; a root is its own parent. Meaningless on empty points.
    parent: [[u16; 64]; WORDS],
    /// Liberties of the block whose root is this point. Meaningless elsewhere.
    liberties: [[Bits<WORDS>; 64]; WORDS],
    /// Legal points of each colour, updated with every stone.
    legal: [Bits<WORDS>; 2],
    key: u128,
    to_move: Color,
    recent: Recent,
    ply: u16,
}

impl<const WORDS: usize> NoGo<WORDS> {
    /// The empty board, without a check of its size.
    fn cleared(size: BoardSize) -> Self {
        let frame = Frame::new(size);
        // A stone on a board of one point would have no liberty.
        let open = if size.area() == 1 {
            Bits::EMPTY
        } else {
            frame.board()
        };
        NoGo {
            frame,
            stones: [Bits::EMPTY; 2],
            parent: [[0; 64]; WORDS],
            liberties: [[Bits::EMPTY; 64]; WORDS],
            legal: [open; 2],
            key: 0,
            to_move: Color::Black,
            recent: Recent::default(),
            ply: 0,
        }
    }

    /// The board's shape.
    pub fn frame(&self) -> &Frame<WORDS> {
        &self.frame
    }

    /// The stones of one colour.
    pub fn stones(&self, color: Color) -> Bits<WORDS> {
        self.stones[color.index()]
    }

    /// The points where one colour could play if it were to move.
    pub fn legal(&self, color: Color) -> Bits<WORDS> {
        self.legal[color.index()]
    }

    /// The empty points.
    pub fn empty(&self) -> Bits<WORDS> {
        self.frame.board() & !(self.stones[0] | self.stones[1])
    }
}

/// Blocks and their liberties, and what a stone changes.
///
/// A block (chain) is a maximal connected set of stones of one colour; its liberties are the empty
/// points next to it. Blocks are kept as a union-find forest over points, and each root carries its
/// block's liberties.
impl<const WORDS: usize> NoGo<WORDS> {
    /// The root of the block that the stone on `point` belongs to.
    fn root(&self, point: Move) -> Move {
        let mut at = point.0;
        loop {
            let up = self.parent[usize::from(at / 64)][usize::from(at % 64)];
            if up == at {
                return Move(at);
            }
            at = up;
        }
    }

    fn set_parent(&mut self, point: Move, parent: Move) {
        self.parent[point.index() / 64][point.index() % 64] = parent.0;
    }

    fn liberties_of_root(&mut self, root: Move) -> &mut Bits<WORDS> {
        &mut self.liberties[root.index() / 64][root.index() % 64]
    }

    /// Liberties of the block that the stone on `point` belongs to.
    pub fn liberties(&self, point: Move) -> Bits<WORDS> {
        let root = self.root(point);
        self.liberties[root.index() / 64][root.index() % 64]
    }

    /// The blocks of one colour, each given by its liberties.
    pub fn blocks(&self, color: Color) -> impl Iterator<Item = Bits<WORDS>> {
        self.stones(color).iter().filter_map(|stone| {
            let (word, bit) = (stone.index() / 64, stone.index() % 64);
            (self.parent[word][bit] == stone.0).then(|| self.liberties[word][bit])
        })
    }

    /// Puts a stone of either colour on a point that is legal for it; the turn does not change.
    ///
    /// Only three kinds of points can become illegal: the new stone's point; the last liberty of a block,
    /// where the opponent would capture; and points without an empty neighbour, where a stone lives
    /// only by joining a block that has another liberty. Of the last kind only neighbours of the
    /// new stone and last liberties can have changed.
    fn place(&mut self, color: Color, point: Move) {
        let (own, enemy) = (color.index(), color.opponent().index());
        debug_assert!(self.legal[own].contains(point), "{color} plays {point:?}");
        let here = Bits::point(point);
        let around = self.frame.neighbors(here);
        self.stones[own] |= here;
        self.key ^= zobrist::stone(color, point);
        self.ply += 1;
        let empty_neighbors = around & self.empty();

        let mut root = point;
        let mut liberties = empty_neighbors;
        self.set_parent(point, point);
        for friend in (around & self.stones[own]).iter() {
            let other = self.root(friend);
            if other != root {
                liberties |= *self.liberties_of_root(other);
                // The older block stays the root, so that the forest stays shallow.
                self.set_parent(root, other);
                root = other;
            }
        }
        liberties.remove_all(here);
        *self.liberties_of_root(root) = liberties;

        let mut enemy_last = Bits::EMPTY;
        for stone in (around & self.stones[enemy]).iter() {
            let root = self.root(stone);
            let left = self.liberties_of_root(root);
            left.remove_all(here);
            enemy_last |= left.if_single();
        }
        let own_last = liberties.if_single();
        self.legal[own].remove_all(here | enemy_last);
        self.legal[enemy].remove_all(here | own_last);

        let enclosed = !self.frame.neighbors(self.empty());
        for point in ((empty_neighbors | own_last | enemy_last) & enclosed).iter() {
            for side in Color::BOTH {
                if self.legal[side.index()].contains(point) && !self.joins_safely(side, point) {
                    self.legal[side.index()].remove_all(Bits::point(point));
                }
            }
        }
    }

    /// Whether a stone of `color` on the enclosed point would join a block with another liberty.
    fn joins_safely(&self, color: Color, point: Move) -> bool {
        let around = self.frame.neighbors(Bits::point(point));
        let mut friends = (around & self.stones(color)).iter();
        friends.any(|friend| !self.liberties(friend).is_single())
    }
}

impl<const WORDS: usize> Game for NoGo<WORDS> {
    const NAME: &'static str = "nogo";

    const INFO: GameInfo = GameInfo {
        title: "NoGo",
        sgf: (1, Some("NoGo")),
        usual_board: BoardSize::square(9),
        offered_sides: &[5, 7, 9, 11, 13],
        bench_boards: &[
            BoardSize::square(7),
            BoardSize::square(9),
            BoardSize::square(13),
        ],
        // Two thirds of the points: ply 54 of 9x9 (docs/methods.md#nogo).
        usually_proven_from: |size| Some(size.area() as u32 * 2 / 3),
        // By SPSA with the network of 84,600 games, 800 visits (docs/results/nogo.toml).
        settings: &[
            ("cpuct", "0.83"),
            ("cpuct-growth", "0.43"),
            ("fpu-reduction", "0.24"),
            ("root-policy-temperature", "1.1"),
        ],
        ..GameInfo::named(Self::NAME)
    };

    type Moves = BitsIter<WORDS>;

    type Rules = OneSet;

    fn with_rules(size: BoardSize, _: OneSet) -> Result<Self, UnsupportedSize> {
        let sides = 1..=MAX_SIDE;
        let fits = sides.contains(&size.width) && sides.contains(&size.height);
        if !fits || size.area() > 64 * WORDS {
            return Err(UnsupportedSize {
                game: Self::NAME,
                size,
                limits: "rectangles of at most 192 points and 50 columns or rows",
            });
        }
        Ok(NoGo::cleared(size))
    }

    /// Each stone counts as a ply: the stones show how far the game is.
    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup> {
        let mut position = NoGo::cleared(self.size());
        // Any order will do: a part of a legal position is legal.
        for &(point, color) in stones {
            if !position.legal(color).contains(point) {
                return Err(IllegalSetup { color, point });
            }
            position.place(color, point);
        }
        position.to_move = to_move;
        Ok(position)
    }

    fn rules(&self) -> OneSet {
        OneSet
    }

    fn size(&self) -> BoardSize {
        self.frame.size()
    }

    fn to_move(&self) -> Color {
        self.to_move
    }

    fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    fn ply(&self) -> u32 {
        u32::from(self.ply)
    }

    fn stone(&self, point: Move) -> Option<Color> {
        let mut colors = Color::BOTH.into_iter();
        colors.find(|&color| self.stones(color).contains(point))
    }

    fn recent(&self) -> Recent {
        self.recent
    }

    fn legal_moves(&self) -> BitsIter<WORDS> {
        self.legal[self.to_move.index()].iter()
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.legal[self.to_move.index()].contains(mv)
    }

    fn why_rules_forbid(&self, mv: Move) -> Illegal {
        let (here, theirs) = (Bits::point(mv), self.stones(self.to_move.opponent()));
        let mut touched = (self.frame.neighbors(here) & theirs).iter();
        match touched.any(|stone| self.liberties(stone) == here) {
            true => Illegal::Capture,
            false => Illegal::Suicide,
        }
    }

    fn play(&mut self, mv: Move) {
        self.place(self.to_move, mv);
        self.recent.push(mv);
        self.to_move = self.to_move.opponent();
    }

    fn outcome(&self) -> Option<Outcome> {
        let stuck = self.legal[self.to_move.index()].is_empty();
        stuck.then(|| Outcome::win(self.to_move.opponent()))
    }

    fn key(&self) -> u128 {
        self.key ^ zobrist::to_move(self.to_move)
    }

    /// Bounded by `min(2a, 2b + 1, |La ∪ Lb|)` for a legal moves of the mover and b of the opponent
    /// (docs/methods.md#nogo): each side can only use up its own legal points, and a point is
    /// filled once. The expected value is a linear fit to bounds and lengths measured at plies 0 to
    /// 65 of games between RAVE engines (docs/methods.md#nogo); its error there is at most 1.3
    /// moves.
    fn plies_left(&self) -> PliesLeft {
        let own = self.legal[self.to_move.index()];
        let theirs = self.legal[self.to_move.opponent().index()];
        let bound = (2 * own.count())
            .min(2 * theirs.count() + 1)
            .min((own | theirs).count());
        let exact = bound as f64;
        PliesLeft {
            expected: (0.905 * exact - 2.6).max(0.6 * exact),
            bound: Some(bound as u32),
        }
    }
}

#[cfg(test)]
mod tests;
