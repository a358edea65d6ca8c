//! The end of a game: its moves, the result and its reason, and how it was scored.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::gtp_client::Fault;
use crate::game::{Color, Move, Outcome};

/// Why a game ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// By the rules of the game.
    Rules,
    /// The loser resigned.
    Resignation,
    /// The loser exceeded its time.
    Time,
    /// The loser played an illegal move.
    IllegalMove,
    /// The loser's answer was not GTP or not a vertex.
    Malformed,
    /// The loser answered with an error.
    Refused,
    /// The loser's process ended or closed its output.
    Crash,
    /// The loser did not answer in time, perhaps said something else.
    Hang,
    /// No result within the maximum number of moves.
    MaxMoves,
}

impl Reason {
    /// Whether the game was lost by misbehaviour; more than one in a thousand spoils a match
    /// (docs/methods.md#match-statistics).
    pub fn is_failure(self) -> bool {
        !matches!(self, Reason::Rules | Reason::Resignation | Reason::MaxMoves)
    }

    /// Whether it is a failure other than exceeding the time.
    pub fn is_misbehaviour(self) -> bool {
        self.is_failure() && self != Reason::Time
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Rules => "rules",
            Reason::Resignation => "resignation",
            Reason::Time => "time",
            Reason::IllegalMove => "illegal move",
            Reason::Malformed => "malformed answer",
            Reason::Refused => "refused command",
            Reason::Crash => "crash",
            Reason::Hang => "hang",
            Reason::MaxMoves => "too many moves",
        })
    }
}

impl From<&Fault> for Reason {
    fn from(fault: &Fault) -> Reason {
        match fault {
            Fault::Crashed(_) => Reason::Crash,
            Fault::Hung { .. } => Reason::Hang,
            Fault::Malformed { .. } => Reason::Malformed,
            Fault::Refused { .. } => Reason::Refused,
        }
    }
}

/// A move of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedMove {
    /// The side that moved.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// Thinking time of the move, as measured.
    pub took: Duration,
    /// Time left on its clock afterwards (main time or period), with a clock.
    pub left: Option<Duration>,
    /// The player's report on its search, if any.
    pub report: Option<String>,
}

impl PlayedMove {
    /// Visits in the player's report.
    pub fn visits(&self) -> Option<u64> {
        reported(self.report.as_deref()?, "visits")
    }

    /// Value in -1..=1 in the player's report, from its own view.
    pub fn value(&self) -> Option<f64> {
        reported(self.report.as_deref()?, "value")
    }
}

/// The work in a report: its playouts, or its visits if reuse is not reported.
pub(super) fn work(report: &str) -> Option<u64> {
    reported(report, "playouts").or_else(|| reported(report, "visits"))
}

/// The number after a name.
fn reported<T: FromStr>(report: &str, name: &str) -> Option<T> {
    let mut words = report.split_whitespace();
    words.find(|&word| word == name)?;
    words.next()?.parse().ok()
}

/// A finished game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameEnd {
    /// The result.
    pub outcome: Outcome,
    /// How the game ended.
    pub reason: Reason,
    /// Details of a failure: the fault, the illegal vertex.
    pub detail: Option<String>,
    /// How it was scored, if that decided.
    pub count: Option<Count>,
    /// Errors of Black's and White's engine when asked for dead stones and the result, or when
    /// playing on; it was asked no further questions.
    pub faults: [Option<String>; 2],
    /// The moves after the opening.
    pub moves: Vec<PlayedMove>,
    /// Time left on Black's and White's clock (main time or period), with a clock.
    pub left: Option<[Duration; 2]>,
    /// Whether Black's and White's player can continue; otherwise it must be restarted.
    pub usable: [bool; 2],
}

impl GameEnd {
    /// The end of a game that was not scored, without a clock and before any move.
    pub(super) fn new(outcome: Outcome, reason: Reason, detail: Option<String>) -> GameEnd {
        GameEnd {
            outcome,
            reason,
            detail,
            count: None,
            faults: [None, None],
            moves: Vec::new(),
            left: None,
            usable: [true; 2],
        }
    }

    /// The result in the notation of SGF's `RE`: nothing after `B+` for a win by the rules that has no points, `R` for a
    /// resignation, `T` for time, `F` for every other failure.
    pub fn sgf_result(&self) -> String {
        if let Some(count) = &self.count {
            return count.result.clone();
        }
        let Some(winner) = self.outcome.winner.map(Color::letter) else {
            return "0".to_owned();
        };
        let way = match self.reason {
            Reason::Rules => "",
            Reason::Resignation => "R",
            Reason::Time => "T",
            _ => "F",
        };
        format!("{winner}+{way}")
    }
}

/// Scoring of a finished game.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The official result: `B+3.5`, `0` for a draw.
    pub result: String,
    /// Answers of Black's and White's engine to `final_score`, if any.
    pub said: [Option<String>; 2],
    /// Basis of the result.
    pub how: CountBasis,
    /// Stones removed as dead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead: Vec<String>,
    /// Moves played on a copy because the engines disagreed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playing_on: Option<PlayingOn>,
}

/// Moves played on a copy about stones that only one engine considers dead.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayingOn {
    /// The disputed stones, as vertices.
    pub about: Vec<String>,
    /// The moves, as `black A2`.
    pub moves: Vec<String>,
    /// Side that ended it before both passed, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
}

/// Basis of the result of a scored game.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountBasis {
    /// The rules count all stones on the board.
    AsItStands,
    /// Both engines named the same dead stones.
    Agreed,
    /// One engine named dead stones, the other cannot: its own, those that are certain, or those of an engine that has
    /// failed.
    OneSays,
    /// They disagreed, and the dead stones are certain.
    Certain,
    /// They disagreed and played on, on a copy.
    PlayedOn,
}

impl fmt::Display for CountBasis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            CountBasis::AsItStands => "as it stood",
            CountBasis::Agreed => "without the stones that both engines call dead",
            CountBasis::OneSays => "without the stones that one engine calls dead",
            CountBasis::Certain => "without disputed stones that are dead for certain",
            CountBasis::PlayedOn => "after playing on, on a copy, about dead stones",
        })
    }
}

impl Count {
    /// Whether an engine's own result differs from the official one.
    pub fn contradicts(&self, color: Color) -> bool {
        let said = self.said[color.index()].as_deref();
        said.is_some_and(|said| said != self.result && by_points(said) != by_points(&self.result))
    }
}

/// Winner and points, independent of the number's format: GNU Go writes `W+4.0`, others `W+4`.
/// Other results as text.
fn by_points(result: &str) -> Result<(&str, f64), &str> {
    let parts = result.split_once('+');
    parts
        .and_then(|(winner, points)| Some((winner, points.parse().ok()?)))
        .ok_or(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_resignation_is_recorded_as_one() {
        for (reason, expected) in [
            (Reason::Rules, "B+"),
            (Reason::Resignation, "B+R"),
            (Reason::Time, "B+T"),
            (Reason::Crash, "B+F"),
        ] {
            let end = GameEnd::new(Outcome::win(Color::Black), reason, None);
            assert_eq!(end.sgf_result(), expected);
        }
    }
}
