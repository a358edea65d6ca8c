//! The tables of a plan but for those of games and fits, which are with what they set.

use std::path::PathBuf;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use crate::network::architecture::Architecture;
use crate::play::settings::KomiSpread;
use tengen::game::BoardSize;
use tengen::settings::{FILE, InPlan, Maybe, Text, ValueReader, above};

/// Generations that games may run ahead of the fit.
const MAX_AHEAD: u32 = 8;

tengen::settings! {
    /// Games before the first network, by random playouts or a given network.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    WarmUp, "[warm-up]" {
        games: u64 = 600, 1..,
            "Number of games";
        playouts: u64 = 200, 1..=u64::from(u32::MAX),
            "Playouts per move: random ones, or the network's";
        network: Option<PathBuf> = None, FILE,
            "Network that plays them, an ONNX file, relative to the working directory. The run keeps a copy";
        #[serde(skip_serializing_if = "Option::is_none")]
        weights: Option<PathBuf> = None, Maybe(ValueReader("FOLDER", "a folder", |text| Some(text.into()))),
            "Folder with a checkpoint of the first stage's network, or a smaller one of its family, perhaps of \
             another run and for other boards. It plays the games unless `network` does, and the first fit starts \
             from its weights. The run keeps a copy";
    }
}

impl WarmUp {
    /// Whether random playouts play the games.
    pub fn is_by_playouts(&self) -> bool {
        self.network.is_none() && self.weights.is_none()
    }
}

tengen::settings! {
    /// Generations with the same network architecture and number of playouts.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Stage, "[[stage]]" {
        network: Architecture = Architecture::default(), Text("NAME", "a name such as tengen-5b32c"),
            "Network architecture; a network that differs from the previous stage's is first trained on the existing \
             games; boards of several sizes need one for any board, such as a tengen or a tengen+area";
        visits: u32 = 64, 1..,
            "Playouts for a move of self-play";
        games: u64 = 600, 1..,
            "Games per generation";
        generations: u32 = 10, 1..,
            "Number of generations";
        rate_factor: f32 = 1.0, above(0.0),
            "Factor of the learning rate";
    }
}

tengen::settings! {
    /// Window of rows for fitting: the newest `max(least, share * all)`, at most `most`. Source of the
    /// defaults: docs/methods.md#self-play.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Window, "[window]" {
        least: usize = 50_000, 1..,
            "Minimum number of rows, if there are that many; at most `most`";
        share: f64 = 0.3, 0.0..=1.0,
            "Share of all rows";
        most: usize = 600_000, 1..,
            "Maximum number of rows";
        held_out: f64 = 0.05, 0.0..1.0,
            "Share of games held out for validation";
    }
}

impl Window {
    /// Number of rows to fit, of `all`.
    pub fn rows(&self, all: u64) -> usize {
        ((self.share * all as f64) as usize)
            .max(self.least)
            .min(self.most)
    }
}

tengen::settings! {
    /// Rating of networks: matches against the predecessor, and against random playouts of a number
    /// that grows with strength.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Rating, "[rating]" {
        every: u32 = 1, 1..,
            "Interval in generations";
        pairs: u32 = 30, 1..,
            "Pairs of games against each opponent";
        visits: u32 = 100, 1..,
            "Playouts per move of a network";
        anchors: Vec<u64> = vec![100, 400, 1600, 6400] => "[100, 400, 1600, 6400]",
            InPlan("a list of ascending whole numbers from 1"),
            "Playouts per move of the anchors; the first is at 0 Elo";
        opening_plies: u16 = 4, ..,
            "Random opening plies";
    }
}

tengen::settings! {
    /// Division of a run's work among several machines (docs/training.md#many-machines). What is played depends
    /// on `ahead` alone, on one machine, too.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    MachineSettings, "[machines]" {
        ahead: u32 = 0, 0..=MAX_AHEAD,
            "Generations that games run ahead of the fit: a generation's games are played with the network of this \
             many generations before the last one, so that machines play during a fit";
        games_per_ticket: u64 = 50, 1..,
            "Games of one ticket, the unit that a machine plays and that is lost when it fails";
        pairs_per_ticket: u32 = 10, 1..,
            "Pairs of games of one ticket of rating matches";
    }
}

tengen::settings! {
    /// Sequential test (SPRT) of a new network against the current one.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Gate, "[gate]" {
        elo0: f64 = 0.0, ..,
            "Elo difference of the hypothesis to reject; below `elo1`";
        elo1: f64 = 35.0, ..,
            "Elo difference of the hypothesis to accept";
        pairs: u32 = 200, 1..,
            "Maximum pairs of games; then a score above one half suffices";
        visits: u32 = 100, 1..,
            "Playouts per move";
    }
}

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
    pub fn all(size: BoardSize) -> BoardShare {
        BoardShare {
            size,
            rules: None,
            share: 1.0,
            komi: None,
        }
    }

    /// Folder name that distinguishes it from the other boards of a plan.
    pub fn name(&self) -> String {
        match &self.rules {
            None => self.size.to_string(),
            Some(rules) => format!("{}-{rules}", self.size),
        }
    }

    /// For each board the number of its first game, counted from 0, and its number of games.
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
