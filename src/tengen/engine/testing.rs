//! For tests: a game without captures on a line of points, and thinkers with scripted behaviour.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use super::{MakeThinker, NetworkSetup, Player, ThinkError, Thinker, ThinkingLimits};
use crate::clock::{FakeClock, StopReason, SystemClock};
use crate::game::{
    BoardSize, Color, Game, HalfPoints, IllegalSetup, Move, Outcome, PliesLeft, Recent, Rules,
    UnknownRules, UnsupportedSize,
};
use crate::search::{
    MoveReport, Observer, SearchParams, SearchReport, SearchRequest, SearcherOptions, StopFlag,
};
use tengen_nn::eval::LoadOptions;

/// Stones go on any empty point; the side that finds the board full has lost, by as much as the
/// komi.
#[derive(Debug, Clone)]
pub(crate) struct FillGame {
    size: BoardSize,
    komi: Komi,
    stones: [Option<Color>; 25],
    to_move: Color,
    recent: Recent,
}

/// A komi that is part of the rules.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Komi(Option<HalfPoints>);

impl Rules for Komi {
    fn with_komi(self, komi: HalfPoints) -> Option<Komi> {
        Some(Komi(Some(komi)))
    }

    fn komi(&self) -> Option<HalfPoints> {
        self.0
    }
}

impl fmt::Display for Komi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(komi) => write!(f, "komi {komi}"),
            None => f.write_str("usual"),
        }
    }
}

impl FromStr for Komi {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Komi, UnknownRules> {
        let halves = |komi: f64| Komi(Some(HalfPoints((2.0 * komi) as i32)));
        match text.strip_prefix("komi ").map(str::parse) {
            Some(Ok(komi)) => Ok(halves(komi)),
            _ if text == "usual" => Ok(Komi(None)),
            _ => Err(UnknownRules::new(text, "usual, komi POINTS")),
        }
    }
}

impl FillGame {
    /// Empty points as a plain list.
    fn empty(&self) -> Vec<Move> {
        let points = (0..self.size.area()).filter(|&point| self.stones[point].is_none());
        points.map(|point| Move(point as u16)).collect()
    }
}

impl Game for FillGame {
    const NAME: &'static str = "line";
    type Moves = std::vec::IntoIter<Move>;

    type Rules = Komi;

    fn with_rules(size: BoardSize, komi: Komi) -> Result<FillGame, UnsupportedSize> {
        if size.area() > 25 {
            return Err(UnsupportedSize {
                game: "line",
                size,
                limits: "up to 25 points",
            });
        }
        Ok(FillGame {
            size,
            komi,
            stones: [None; 25],
            to_move: Color::Black,
            recent: Recent::default(),
        })
    }

    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<FillGame, IllegalSetup> {
        let mut line = FillGame {
            stones: [None; 25],
            recent: Recent::default(),
            to_move,
            ..self.clone()
        };
        for &(point, color) in stones {
            if !line.is_legal(point) {
                return Err(IllegalSetup { color, point });
            }
            line.stones[point.index()] = Some(color);
        }
        Ok(line)
    }

    fn rules(&self) -> Komi {
        self.komi
    }

    fn size(&self) -> BoardSize {
        self.size
    }

    fn to_move(&self) -> Color {
        self.to_move
    }

    fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    fn ply(&self) -> u32 {
        (self.size.area() - self.empty().len()) as u32
    }

    fn stone(&self, point: Move) -> Option<Color> {
        self.stones[point.index()]
    }

    fn recent(&self) -> Recent {
        self.recent
    }

    fn legal_moves(&self) -> Self::Moves {
        self.empty().into_iter()
    }

    fn is_legal(&self, mv: Move) -> bool {
        mv.index() < self.size.area() && self.stones[mv.index()].is_none()
    }

    fn play(&mut self, mv: Move) {
        debug_assert!(self.is_legal(mv), "{mv:?} is illegal");
        self.stones[mv.index()] = Some(self.to_move);
        self.to_move = self.to_move.opponent();
        self.recent.push(mv);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.empty().is_empty().then(|| Outcome {
            winner: Some(self.to_move.opponent()),
            margin: self.komi.0,
        })
    }

    fn key(&self) -> u128 {
        let colors = self
            .stones
            .iter()
            .map(|stone| stone.map_or(0, |color| color.index() + 1));
        colors.fold(self.to_move.index() as u128, |key, digit| {
            key * 3 + digit as u128
        })
    }

    fn plies_left(&self) -> PliesLeft {
        let left = self.empty().len() as u32;
        PliesLeft {
            expected: f64::from(left),
            bound: Some(left),
        }
    }
}

/// A report of moves given as (point, visits, prior), in the order of preference.
pub(crate) fn report(moves: &[(u16, u64, f32)]) -> SearchReport {
    let moves = moves.iter().map(|&(point, visits, prior)| MoveReport {
        visits,
        pv_visits: vec![visits],
        ..MoveReport::unsearched(Move(point), prior)
    });
    SearchReport::unsearched(moves.collect(), StopReason::Visits)
}

/// The built-in network of the game with one deterministic thread.
pub(crate) fn network_setup() -> NetworkSetup {
    NetworkSetup {
        backend: None,
        model: None,
        load: LoadOptions::default(),
        cache_mib: 1,
        searcher: SearcherOptions {
            threads: 1,
            seed: 1,
            params: SearchParams::default(),
        },
    }
}

/// Behaviour of a [`FakeThinker`].
#[derive(Debug, Clone)]
pub(crate) enum Behaviour {
    /// Prefers the highest legal point.
    Highest,
    /// Answers as [`Behaviour::Highest`], but only when told to stop; raises its own flag when it
    /// begins.
    WhenStopped(StopFlag),
    /// The same without a visit.
    UnvisitedWhenStopped(StopFlag),
    /// Reports a move that is off the board.
    Illegal,
    Fails,
    Panics,
    /// Never answers while the program lives.
    Hangs,
    /// Reports what [`Behaviour::Highest`] would answer, and hangs.
    SpeaksAndHangs,
}

/// A thinker of one behaviour.
pub(crate) struct FakeThinker(Behaviour);

impl Thinker<FillGame> for FakeThinker {
    fn search(
        &mut self,
        request: &SearchRequest<FillGame>,
        observer: &mut Observer<'_>,
    ) -> Result<SearchReport, ThinkError> {
        let SearchRequest {
            start,
            stop,
            analysis,
            ..
        } = request;
        let highest = start.position().empty().last().map_or(0, |mv| mv.0);
        match &self.0 {
            Behaviour::Highest => Ok(report(&[(highest, 1, 1.0)])),
            Behaviour::WhenStopped(begun) | Behaviour::UnvisitedWhenStopped(begun) => {
                begun.raise();
                while !stop.is_raised() {
                    std::thread::yield_now();
                }
                let visits = u64::from(matches!(self.0, Behaviour::WhenStopped(_)));
                Ok(report(&[(highest, visits, 1.0)]))
            }
            Behaviour::Illegal => Ok(report(&[(99, 1, 1.0)])),
            Behaviour::Fails => Err(ThinkError::Gone("as ordered".to_owned())),
            Behaviour::Panics => panic!("as ordered"),
            Behaviour::Hangs => hang(),
            Behaviour::SpeaksAndHangs => {
                if analysis.interval.is_some() {
                    observer(&report(&[(highest, 1, 1.0)]));
                }
                hang()
            }
        }
    }
}

fn hang() -> ! {
    loop {
        std::thread::park();
    }
}

/// Makes thinkers of one behaviour.
pub(crate) fn make(behaviour: Behaviour) -> MakeThinker<FillGame> {
    Arc::new(move || Box::new(FakeThinker(behaviour.clone())))
}

/// A player on a board of five by one points under the system's clock.
pub(crate) fn player(behaviour: Behaviour) -> Player<FillGame> {
    let position = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
    Player::new(
        position,
        make(behaviour),
        ThinkingLimits::default(),
        Arc::new(SystemClock::new()),
    )
}

/// The same under a clock moved by hand.
pub(crate) fn timed_player(behaviour: Behaviour, clock: &FakeClock) -> Player<FillGame> {
    let position = FillGame::new(BoardSize::new(5, 1)).expect("a legal size");
    Player::new(
        position,
        make(behaviour),
        ThinkingLimits::default(),
        Arc::new(clock.clone()),
    )
}
