//! Data of a review, as `--json` prints it and a page contains it.
//!
//! Winrates are Black's shares of won games, in [0, 1]; losses are shares of games that the mover
//! gave up. Moves are GTP vertices.

use crate::game::Color;
use crate::gtp::format_vertex;
use crate::record::{GameRecord, Vertex};
use serde::{Deserialize, Serialize};

/// Black's share of won games converted to that of a side; its own inverse.
pub(super) fn share(side: Color, black: f32) -> f32 {
    match side {
        Color::Black => black,
        Color::White => 1.0 - black,
    }
}

/// Black's winrate from a value for this side, to four digits.
pub(in crate::cli) fn winrate(side: Color, value: f32) -> f32 {
    let black = f32::midpoint(1.0, side.signed(value));
    (black * 1e4).round() / 1e4
}

/// Points to a tenth.
pub(in crate::cli) fn tenth(points: f32) -> f32 {
    (points * 10.0).round() / 10.0
}

/// A move or a stone, with its colour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Stone {
    pub(super) color: Color,
    pub(super) at: String,
    /// A comment of the file on a move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) comment: String,
}

/// The game according to its file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::cli) struct Game {
    /// Its name on command lines.
    pub(super) game: String,
    /// The rules by which it is judged: those of the file, or the usual ones. In NoGo those that the file names.
    pub(super) rules: String,
    /// Points for White, in games with points.
    pub(super) komi: Option<f32>,
    pub(super) file: String,
    pub(super) black: String,
    pub(super) white: String,
    /// In SGF notation; empty if unknown.
    pub(super) result: String,
    pub(super) date: String,
    pub(super) width: u8,
    pub(super) height: u8,
    pub(super) setup: Vec<Stone>,
    pub(super) moves: Vec<Stone>,
    /// What the file says of the position before the first move.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) comment: String,
}

impl Game {
    pub(in crate::cli) fn new(file: String, record: &GameRecord) -> Game {
        let stone = |color: Color, vertex, comment: &str| Stone {
            color,
            at: format_vertex(vertex, record.size),
            comment: comment.to_owned(),
        };
        let setup = record.setup.iter();
        let setup = setup.map(|&(point, color)| stone(color, Vertex::Point(point), ""));
        let moves = record.plays.iter();
        let moves = moves.map(|made| stone(made.play.color, made.play.vertex, &made.comment));
        Game {
            game: record.game.clone(),
            rules: record.rules.clone(),
            komi: komi(record),
            file,
            black: record.black.clone(),
            white: record.white.clone(),
            result: record.result.clone(),
            date: record.date.clone(),
            width: record.size.width,
            height: record.size.height,
            setup: setup.collect(),
            moves: moves.collect(),
            comment: record.comment.clone(),
        }
    }

    /// The same with the rules of this record, in games with several.
    pub(super) fn judged_by(self, record: &GameRecord) -> Game {
        if record.rules.is_empty() {
            return self;
        }
        Game {
            rules: record.rules.clone(),
            komi: komi(record),
            ..self
        }
    }

    /// A player's name, or the colour if the file has none.
    pub(super) fn player(&self, side: Color) -> &str {
        let own = match side {
            Color::Black => &self.black,
            Color::White => &self.white,
        };
        if own.is_empty() { side.capital() } else { own }
    }
}

/// The komi of a game with points.
fn komi(record: &GameRecord) -> Option<f32> {
    let info = crate::games::info(&record.game)?;
    let komi = record.komi.filter(|_| info.scored)?;
    Some(komi.0 as f32 / 2.0)
}

/// Basis of the judgement; equal settings on equal games give equal reviews except for randomness.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Settings {
    /// The program's version.
    pub(super) version: String,
    /// Limits of a search, as text.
    pub(super) search: String,
    /// Source of the network.
    pub(super) network: String,
    /// Search settings that differ from the defaults.
    pub(super) changed: Vec<String>,
    /// Solver nodes per position.
    pub(super) nodes: u64,
    /// Minimum losses of an inaccuracy, a mistake and a blunder.
    pub(super) thresholds: [f32; 3],
}

/// A move that was searched or played.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Candidate {
    #[serde(rename = "move")]
    pub(super) at: String,
    pub(super) visits: u64,
    /// By proof or by the search; without both that of the position after it, if it was played.
    pub(super) winrate: f32,
    /// Black's expected lead after it, in games with points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lead: Option<f32>,
    /// Policy of the network, in [0, 1].
    pub(super) prior: f32,
    /// Whether it is proven to win or to lose for the side to move.
    pub(super) wins: Option<bool>,
    /// The line that starts with it.
    pub(super) pv: Vec<String>,
}

/// Severity of a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Class {
    Inaccuracy,
    Mistake,
    Blunder,
    /// A proven win became a proven loss.
    ThrownAway,
}

impl Class {
    pub(super) fn name(self) -> &'static str {
        match self {
            Class::Inaccuracy => "inaccuracy",
            Class::Mistake => "mistake",
            Class::Blunder => "blunder",
            Class::ThrownAway => "thrown away",
        }
    }
}

/// Judgement of the move played in a position.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Judged {
    /// Share of games given up; negative if the search had underestimated it. `None` without a
    /// search.
    pub(super) loss: Option<f32>,
    /// Points given up, in games with points; negative like `loss`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) points: Option<f32>,
    pub(super) class: Option<Class>,
    /// Whether it counts in the summary: there was a choice, and something to lose.
    pub(super) counts: bool,
    /// Rank by the network's policy and among the search's moves, from 1; `None` if unknown.
    pub(super) policy_rank: Option<usize>,
    pub(super) choice: Option<usize>,
    /// The better line, if it was wrong.
    pub(super) better: Vec<String>,
}

/// A position of the game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::cli) struct Position {
    /// Number of moves before it.
    pub(super) moves: usize,
    pub(super) to_move: Color,
    /// By proof, by the search, or by the rules if the game is over.
    pub(super) winrate: Option<f32>,
    /// Black's expected lead, in games with points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) lead: Option<f32>,
    /// The winner with best play, if proven.
    pub(super) winner: Option<Color>,
    pub(super) visits: u64,
    /// Moves proven to win first, even if the search preferred another one, and those proven to lose last; else the move
    /// to play first, then by visits.
    pub(super) candidates: Vec<Candidate>,
    /// The move played; `None` at the end of the game.
    pub(super) played: Option<Judged>,
}

/// A player's statistics.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Tally {
    /// Number of moves that count.
    pub(super) moves: usize,
    /// Mean of their losses.
    pub(super) average_loss: f32,
    /// Mean of their accuracies, in [0, 1].
    pub(super) accuracy: f32,
    /// Moves that were the search's first choice.
    pub(super) first_choices: usize,
    pub(super) inaccuracies: usize,
    pub(super) mistakes: usize,
    pub(super) blunders: usize,
    /// Proven wins that were lost.
    pub(super) thrown_away: usize,
}

impl Tally {
    /// Column titles and texts.
    pub(super) fn columns(&self) -> [(&'static str, String); 8] {
        let first_choices = self.first_choices as f32 / self.moves as f32;
        [
            ("moves", self.moves.to_string()),
            ("accuracy", self.percent(self.accuracy, 1)),
            ("average loss", self.loss()),
            ("first choice", self.percent(first_choices, 0)),
            ("inaccuracies", self.inaccuracies.to_string()),
            ("mistakes", self.mistakes.to_string()),
            ("blunders", self.blunders.to_string()),
            ("thrown away", self.thrown_away.to_string()),
        ]
    }

    /// The average loss as text.
    pub(super) fn loss(&self) -> String {
        self.percent(self.average_loss, 1)
    }

    /// What is not known without moves.
    fn percent(&self, share: f32, digits: usize) -> String {
        match self.moves {
            0 => "-".to_owned(),
            _ => format!("{:.digits$}%", 100.0 * share),
        }
    }
}

/// A game with its review.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(in crate::cli) struct Review {
    pub(super) game: Game,
    pub(super) settings: Settings,
    /// Whether a network judged; otherwise random playouts did.
    pub(super) by_network: bool,
    /// Positions of the game, from the first one analysed: after Ctrl-C not from the start.
    pub(in crate::cli) positions: Vec<Position>,
    /// Number of moves before the first position from which all are proven, and the winner.
    pub(super) proven: Option<(usize, Color)>,
    /// Black first.
    pub(super) players: [Tally; 2],
}

impl Review {
    /// Whether every position was analysed.
    pub(super) fn is_whole(&self) -> bool {
        self.positions.len() == self.game.moves.len() + 1
    }

    /// Moves that are at least inaccuracies: the position before each, and its judgement.
    pub(super) fn mistakes(&self) -> impl Iterator<Item = (&Position, &Stone, &Judged, Class)> {
        self.positions.iter().filter_map(|position| {
            let judged = position.played.as_ref()?;
            let played = self.game.moves.get(position.moves)?;
            Some((position, played, judged, judged.class?))
        })
    }
}
