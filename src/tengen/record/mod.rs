//! Games as records: setup, moves, result; and their files.
//!
//! A record knows no rules: the legality of its moves is checked by the code that plays them.

pub mod ccgc;
mod charset;
pub mod file;
pub mod sgf;

pub use charset::Charset;
pub(crate) use charset::decode as decode_text;

use std::collections::BTreeMap;

use crate::clock::{date_time, unix_time};
use crate::game::{BoardSize, Color, Game, HalfPoints, IllegalSetup, Move, Outcome, Rules};

/// A player's action at its turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Vertex {
    /// A stone on a point of the board.
    Point(Move),
    /// A pass, in games that have one.
    Pass,
}

impl Vertex {
    /// The meaning of a policy index on a board: a point or, past the points, the pass.
    pub fn of(mv: Move, size: BoardSize) -> Vertex {
        if mv < size.pass() {
            Vertex::Point(mv)
        } else {
            Vertex::Pass
        }
    }

    /// The policy index; see [`BoardSize::pass`].
    pub fn index(self, size: BoardSize) -> Move {
        match self {
            Vertex::Point(point) => point,
            Vertex::Pass => size.pass(),
        }
    }
}

/// One stone of one colour, or a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Play {
    /// Colour of the side that plays.
    pub color: Color,
    /// Where the stone is placed, or a pass.
    pub vertex: Vertex,
}

/// A play with its comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordedPlay {
    /// The play.
    pub play: Play,
    /// Comment; empty for none.
    pub comment: String,
}

/// One game, finished or not.
#[derive(Debug, Clone, PartialEq)]
pub struct GameRecord {
    /// The game, as [`crate::game::Game::NAME`].
    pub game: String,
    /// Whether its file names the game (by SGF's `GM`, or as NoGo's rules do); one that does not is taken for Go.
    pub names_game: bool,
    /// Size of the board.
    pub size: BoardSize,
    /// The rules in SGF's notation (`Japanese`), in games with several; empty if unknown.
    pub rules: String,
    /// Komi in half points; `None` if the record has none.
    pub komi: Option<HalfPoints>,
    /// Number of handicap stones that Black has or is to place (SGF's `HA`), 2 or more; 0 for none.
    pub handicap: u16,
    /// Name of the black player; empty when unknown.
    pub black: String,
    /// Name of the white player; empty when unknown.
    pub white: String,
    /// The result in SGF's notation (`B+R`, `W+3.5`, `0`); empty if unknown.
    pub result: String,
    /// Date in SGF's notation (`2026-08-23`); empty if unknown.
    pub date: String,
    /// Where it is played (SGF's `PC`); empty if unknown.
    pub place: String,
    /// The tournament or the like (SGF's `EV`); empty if unknown.
    pub event: String,
    /// Main time of each side in seconds (SGF's `TM`); empty if unknown.
    pub main_time: String,
    /// Overtime or increment in words (SGF's `OT`); empty for none.
    pub overtime: String,
    /// Comment on the whole game; empty for none.
    pub comment: String,
    /// Stones on the board before the first move, by point, ascending.
    pub setup: Vec<(Move, Color)>,
    /// The side to move before the first move, if given.
    pub to_move: Option<Color>,
    /// The plays, in order; one colour may play several times in a row.
    pub plays: Vec<RecordedPlay>,
    /// Setups between the plays, in order.
    pub later: Vec<LaterSetup>,
    /// Messages about content that was skipped or reinterpreted.
    pub notes: Vec<String>,
}

impl GameRecord {
    /// A game with only its name and its board.
    pub fn new(game: &str, size: BoardSize) -> GameRecord {
        GameRecord {
            game: game.to_owned(),
            names_game: true,
            size,
            rules: String::new(),
            komi: None,
            handicap: 0,
            black: String::new(),
            white: String::new(),
            result: String::new(),
            date: String::new(),
            place: String::new(),
            event: String::new(),
            main_time: String::new(),
            overtime: String::new(),
            comment: String::new(),
            setup: Vec::new(),
            to_move: None,
            plays: Vec::new(),
            later: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// A game with the rules and the komi of a position.
    pub fn of<G: Game>(position: &G) -> GameRecord {
        let rules = position.rules();
        GameRecord {
            rules: rules.record_name().unwrap_or_default(),
            komi: rules.komi(),
            ..GameRecord::new(G::NAME, position.size())
        }
    }

    /// The named rules, with their usual komi; or the `present` ones, with a message if the name is unknown.
    pub fn rules_or<R: Rules>(&self, present: R) -> (R, Option<String>) {
        // Some files have "New Zealand".
        let name = self.rules.replace(' ', "-");
        match name.parse::<R>() {
            Ok(rules) => (rules, None),
            // In games with a single set of rules the name is ignored.
            Err(_) if name.is_empty() || present.record_name().is_none() => (present, None),
            Err(_) => {
                let name = &self.rules;
                let note = format!("RU[{name}] is unknown: the current rules are kept");
                (present, Some(note))
            }
        }
    }

    /// The side to move at the start: as given, else the side of the first play, else Black.
    pub fn first_to_move(&self) -> Color {
        let first = self.plays.first().map(|first| first.play.color);
        self.to_move.or(first).unwrap_or(Color::Black)
    }

    /// Keeps the first plays only, with the same side to move at the start. A truncated game has no
    /// result.
    pub fn truncate(&mut self, plays: usize) {
        self.to_move = Some(self.first_to_move());
        if plays < self.plays.len() {
            self.result.clear();
        }
        self.plays.truncate(plays);
        self.later.retain(|setup| setup.after <= plays);
    }

    /// Adds a play without comment.
    pub fn push(&mut self, play: Play) {
        self.plays.push(RecordedPlay {
            play,
            comment: String::new(),
        });
    }
}

/// A change of the position during the game other than a move: stones are added or removed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LaterSetup {
    /// Number of plays before it.
    pub after: usize,
    /// The changed points, with their new content.
    pub changes: BTreeMap<Move, Option<Color>>,
    /// The side to move afterwards, if given.
    pub to_move: Option<Color>,
}

impl LaterSetup {
    /// Applies the change to a position; the result has no history, so earlier captures do not
    /// count.
    ///
    /// # Errors
    /// [`IllegalSetup`] when the stones cannot stand together.
    pub fn on<G: Game>(&self, position: &G) -> Result<G, IllegalSetup> {
        let to_move = self.to_move.unwrap_or(position.to_move());
        let stones = self.stones(position.size(), |point| position.stone(point));
        position.set_up(&stones, to_move)
    }

    /// All stones after the change of a position, by point; `before` is what stands on a point there.
    pub fn stones(
        &self,
        size: BoardSize,
        before: impl Fn(Move) -> Option<Color>,
    ) -> Vec<(Move, Color)> {
        let stone = |point| {
            let changed = self.changes.get(&point).copied();
            Some((point, changed.unwrap_or_else(|| before(point))?))
        };
        size.points().filter_map(stone).collect()
    }
}

/// The date in SGF's notation (`2026-08-23`), by UTC.
pub fn today() -> String {
    let now = date_time(unix_time(), 0);
    now.split(' ').next().unwrap_or_default().replace('.', "-")
}

/// An outcome in the notation of GTP's `final_score` and SGF's `RE`: `B+6.5`, `W+R` without points,
/// and `0` for a draw.
pub fn result_text(outcome: Outcome) -> String {
    let winner = outcome.winner.map(Color::letter);
    match (winner, outcome.margin) {
        (None, _) => "0".to_owned(),
        (Some(winner), Some(margin)) => format!("{winner}+{margin}"),
        (Some(winner), None) => format!("{winner}+R"),
    }
}

/// Evaluation that stands for a chance of 1 / (1 + 1/e) in programs of Gomocup: Rapfi's `scaling_factor`.
const EVALUATION_SCALE: f32 = 200.0;

/// The value for the side that played the move, in [-1, 1]: `value 0.25`, as Tengen's programs write it, or `Eval -72`,
/// as programs of Gomocup do, where `Eval M9` is a win in 9 plies.
pub fn search_value(comment: &str) -> Option<f32> {
    let mut words = comment.split_whitespace();
    let value = loop {
        match words.next()? {
            "value" => break words.next()?.parse().ok()?,
            "Eval" => break of_evaluation(words.next()?)?,
            _ => {}
        }
    };
    (-1.0..=1.0).contains(&value).then_some(value)
}

/// The value in [-1, 1] of an evaluation: 2 / (1 + exp(-evaluation / 200)) - 1.
pub fn value_of_evaluation(evaluation: f32) -> f32 {
    (evaluation / (2.0 * EVALUATION_SCALE)).tanh()
}

/// The value of `-72`, `M9` or `-M9`.
fn of_evaluation(word: &str) -> Option<f32> {
    match word.trim_start_matches(['+', '-']).strip_prefix('M') {
        Some(plies) => {
            let _plies: u32 = plies.parse().ok()?;
            Some(if word.starts_with('-') { -1.0 } else { 1.0 })
        }
        None => word.parse().ok().map(value_of_evaluation),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_of_both_kinds_have_a_value() {
        let tengen = "1.001 s, visits 6400 playouts 6400 value -0.1075 seconds 1.0 stop visits";
        assert_eq!(search_value(tengen), Some(-0.1075));
        let rapfi = |eval: &str| {
            search_value(&format!(
                "0.4 s, Speed 372K | Depth 15-27 | Eval {eval} | Node 150K"
            ))
        };
        assert_eq!(
            (rapfi("M28"), rapfi("-M3"), rapfi("0")),
            (Some(1.0), Some(-1.0), Some(0.0))
        );
        // A chance of 73% and one of 27%.
        assert!((rapfi("200").unwrap() - 0.462).abs() < 1e-3);
        assert_eq!(rapfi("-200"), rapfi("200").map(|value| -value));
        for other in [
            "",
            "0.413 s",
            "good value",
            "value 3.5",
            "Eval x",
            "Eval Mx",
        ] {
            assert_eq!(search_value(other), None, "{other}");
        }
    }
}
