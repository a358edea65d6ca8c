//! How a finished game was scored, as stored in results.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::Color;

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
    /// Errors of Black's and White's engine when asked for dead stones and the result, or when
    /// playing on; it was asked no further questions.
    #[serde(default, skip_serializing_if = "no_faults")]
    pub faults: [Option<String>; 2],
}

fn no_faults(faults: &[Option<String>; 2]) -> bool {
    faults.iter().all(Option::is_none)
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
    /// Whether an engine failed when asked about the game.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        !no_faults(&self.faults)
    }

    /// Whether an engine's own result differs from the official one.
    #[must_use]
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
