//! Several board sizes and rules in one run.

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::play::komi::KomiSpread;
use tengen::game::BoardSize;

/// A board with its share of the games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct BoardShare {
    /// Board size: a side, as "9", or width and height, as "13x9". Range: a board of the game.
    #[serde(serialize_with = "write", deserialize_with = "read")]
    pub size: BoardSize,
    /// Rules on this board; without it those of the plan. Range: as `rules` of the engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Share of each generation's games, relative to the other boards. Range: above 0.
    #[serde(default = "one")]
    pub share: f64,
    /// Komi distribution on this board; without it that of `[self-play]`. Range: a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub komi: Option<KomiSpread>,
}

/// Error message for boards that are not [`are_sound`].
pub(super) const WRONG: &str = "each [[board]] needs a size or rules of its own, a share above 0, and a komi as that \
                                of [self-play]";

/// Whether all boards are distinct and all numbers are in range.
pub(super) fn are_sound(boards: &[BoardShare]) -> bool {
    let is_sound = |(index, board): (usize, &BoardShare)| {
        let same = |other: &BoardShare| (other.size, &other.rules) == (board.size, &board.rules);
        let is_new = !boards[..index].iter().any(same);
        let has_share = board.share > 0.0 && board.share.is_finite();
        is_new && has_share && board.komi.is_none_or(|komi| komi.is_sound())
    };
    boards.iter().enumerate().all(is_sound)
}

impl BoardShare {
    /// All games on one board.
    #[must_use]
    pub fn all(size: BoardSize) -> BoardShare {
        BoardShare {
            size,
            rules: None,
            share: 1.0,
            komi: None,
        }
    }

    /// Folder name that distinguishes it from the other boards of a plan.
    #[must_use]
    pub fn name(&self) -> String {
        match &self.rules {
            None => self.size.to_string(),
            Some(rules) => format!("{}-{rules}", self.size),
        }
    }

    /// For each board the number of its first game, counted from 0, and its number of games.
    #[must_use]
    pub fn parts(boards: &[BoardShare], games: u64) -> Vec<(u64, u64)> {
        let total: f64 = boards.iter().map(|board| board.share).sum();
        let (mut shares, mut first) = (0.0, 0);
        let part = |board: &BoardShare| {
            shares += board.share;
            let end = (games as f64 * shares / total).round() as u64;
            let part = (first, end - first);
            first = end;
            part
        };
        boards.iter().map(part).collect()
    }
}

fn one() -> f64 {
    1.0
}

fn write<S: Serializer>(size: &BoardSize, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(size)
}

fn read<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BoardSize, D::Error> {
    let text = String::deserialize(deserializer)?;
    text.parse().map_err(de::Error::custom)
}
