//! How a finished game was counted, as results keep it.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::game::Color;

/// How a finished game was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Count {
    /// The result that counts: `B+3.5`, `0` for a draw.
    pub result: String,
    /// What Black's and White's engine answered to `final_score`, where they did.
    pub said: [Option<String>; 2],
    /// How the result was come by.
    pub how: CountBasis,
    /// The stones that were taken off as dead.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub dead: Vec<String>,
    /// What was played on a copy because the engines did not agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub playing_on: Option<PlayingOn>,
    /// What Black's and White's engine did wrong when they were asked for dead stones and the result, or
    /// played on; it was asked nothing more.
    #[serde(default, skip_serializing_if = "no_faults")]
    pub faults: [Option<String>; 2],
}

fn no_faults(faults: &[Option<String>; 2]) -> bool {
    faults.iter().all(Option::is_none)
}

/// What was played on a copy about stones that one engine calls dead and the other one does not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayingOn {
    /// The stones.
    pub about: Vec<String>,
    /// The moves, as `black A2`.
    pub moves: Vec<String>,
    /// Who ended it before both passed, and how.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended_by: Option<String>,
}

/// What the result of a counted game rests on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CountBasis {
    /// The rules count all that stands.
    AsItStands,
    /// Both engines named the same dead stones.
    Agreed,
    /// One engine named dead stones, the other one cannot.
    OneSays,
    /// They named different ones, and it is certain which are dead.
    Certain,
    /// They named different ones and played on, on a copy.
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
    /// Whether an engine failed when it was asked about the game.
    #[must_use]
    pub fn has_faults(&self) -> bool {
        !no_faults(&self.faults)
    }

    /// Whether an engine's own word is another one than the result that counts.
    #[must_use]
    pub fn contradicts(&self, color: Color) -> bool {
        let said = self.said[color.index()].as_deref();
        said.is_some_and(|said| said != self.result && by_points(said) != by_points(&self.result))
    }
}

/// Who has won by how many points, however the number is written: GNU Go says `W+4.0` where others say
/// `W+4`. Of other results the text.
fn by_points(result: &str) -> Result<(&str, f64), &str> {
    let parts = result.split_once('+');
    parts
        .and_then(|(winner, points)| Some((winner, points.parse().ok()?)))
        .ok_or(result)
}
