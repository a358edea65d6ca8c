//! What a match leaves for people: its games as SGF, and its record as a TOML table, of which
//! `tengen-match` writes one into the folder of every match, and `docs/results/` collects them.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use super::game_end::{Count, PlayedMove};
use super::match_run::{FinishedGame, MatchPlan};
use super::report::MatchReport;
use super::results::MatchTerms;
use super::score_board::repeats_text;
use crate::record::{GameRecord, Play, RecordedPlay, Vertex};
use crate::stats::{Interval, MatchScore, PairCounts};

/// A match between two engines, from the first one's view.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct MatchRecord {
    /// Unique name: the key of the record.
    pub id: String,
    /// Last day of the match, `2026-11-25`.
    pub date: String,
    /// Commit of the checkout that the program is in.
    pub commit: Option<String>,
    /// Processor and number of cores, or a name from `machines.toml`.
    pub machine: String,
    /// The game: `nogo`, `go`, `gomoku`.
    pub game: String,
    /// Columns and rows, `9x9`.
    pub board: String,
    /// The rule set, where the game has several.
    pub rules: Option<String>,
    /// The first engine's name.
    pub first: String,
    /// The second engine's name.
    pub second: String,
    /// The first engine's command line.
    pub first_command: Option<String>,
    /// The second engine's command line.
    pub second_command: Option<String>,
    /// Limit of a move or a game: `1 s a move on one core`, `400 visits a move`.
    pub limit: String,
    /// Source of the openings, and the seed.
    pub openings: Option<String>,
    /// Games that the first engine won.
    pub wins: u32,
    /// Number of drawn games.
    pub draws: u32,
    /// Games that the second engine won.
    pub losses: u32,
    /// Colour-swapped pairs with 0, 0.5, 1, 1.5, 2 points for the first engine.
    pub pairs: Option<[u32; 5]>,
    /// Both ends of the 95% interval of the score, in percent.
    pub interval: Option<[f64; 2]>,
    /// Rating difference; absent where it is infinite or not recorded.
    pub elo: Option<f64>,
    /// Both ends of its 95% interval; absent where one is infinite or not recorded.
    pub elo_interval: Option<[f64; 2]>,
    /// The command that played the match.
    pub command: Option<String>,
    /// At most two sentences.
    pub note: Option<String>,
    /// The network that Tengen played with, a file of `models/`.
    pub network: Option<String>,
    /// Whether the match belongs to the page of current strength.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub current: bool,
    /// Whether it belongs to the front page, too.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub front_page: bool,
}

impl MatchRecord {
    /// The record of a finished match between two engines, without name, day, commit, machine and
    /// command.
    pub fn new(terms: &MatchTerms, report: &MatchReport) -> MatchRecord {
        let command = |name: &String| {
            let engine = terms.engines.iter().find(|engine| engine.name == *name);
            engine.map(|engine| engine.command.clone())
        };
        let [first, second] = &report.engines;
        MatchRecord {
            game: terms.game.clone(),
            board: format!("{}x{}", terms.width, terms.height),
            rules: terms.rules.clone(),
            first_command: command(first),
            second_command: command(second),
            first: first.clone(),
            second: second.clone(),
            limit: limit(terms),
            openings: Some(format!("{}, seed {}", terms.openings, terms.seed)),
            wins: report.counts.wins,
            draws: report.counts.draws,
            losses: report.counts.losses,
            pairs: Some(report.counts.pairs.by_half_points),
            interval: rounded(report.score_interval, 100.0, 10.0),
            elo: finite(report.elo, 1.0, 1.0),
            elo_interval: rounded(report.elo_interval, 1.0, 1.0),
            note: repeats_text(report.repeated),
            ..MatchRecord::default()
        }
    }

    /// Number of games.
    pub fn games(&self) -> u32 {
        self.counts().games()
    }

    /// The first engine's score in percent; one half without a game.
    pub fn score(&self) -> f64 {
        100.0 * self.counts().score()
    }

    fn counts(&self) -> MatchScore {
        let by_half_points = self.pairs.unwrap_or_default();
        MatchScore {
            wins: self.wins,
            draws: self.draws,
            losses: self.losses,
            pairs: PairCounts { by_half_points },
        }
    }

    /// Games won, drawn where there are draws, and lost: `95-5`, `23-2-35`.
    pub fn tally(&self) -> String {
        match self.draws {
            0 => format!("{}-{}", self.wins, self.losses),
            draws => format!("{}-{draws}-{}", self.wins, self.losses),
        }
    }

    /// Score with its interval: `95.0% [88.8, 97.8]`.
    pub fn share(&self) -> String {
        let mut text = format!("{:.1}%", self.score());
        if let Some([low, high]) = self.interval {
            // Writing into a string cannot fail.
            let _ = write!(text, " [{low:.1}, {high:.1}]");
        }
        text
    }
}

/// The limit of an engine without a clock is part of its command line.
fn limit(terms: &MatchTerms) -> String {
    match terms.time.as_str() {
        "none" => "the engines' own limits".to_owned(),
        clock => format!("clock {clock}"),
    }
}

fn finite(value: f64, factor: f64, steps: f64) -> Option<f64> {
    value
        .is_finite()
        .then(|| (value * factor * steps).round() / steps)
}

fn rounded(interval: Interval, factor: f64, steps: f64) -> Option<[f64; 2]> {
    Some([
        finite(interval.low, factor, steps)?,
        finite(interval.high, factor, steps)?,
    ])
}

/// A game of this match as a record of this day, with times and visits in its comments, for SGF.
pub fn score_sheet(finished: &FinishedGame, plan: &MatchPlan<'_>, day: String) -> GameRecord {
    let FinishedGame { fixture, end, .. } = finished;
    let size = plan.rules.size();
    let mut record = plan.beginning(fixture);
    record.result = end.sgf_result();
    record.date = day;
    [record.main_time, record.overtime] = plan.terms.time.for_records();
    record.comment = format!(
        "Game {}, pair {}, time {}; ended by {}",
        fixture.number, fixture.pair, plan.terms.time, end.reason,
    );
    if let Some(detail) = &end.detail {
        record.comment += &format!(": {detail}");
    }
    if let Some(count) = &end.count {
        record.comment.push_str(&counting(count));
    }
    let plays = end.moves.iter().map(|played| RecordedPlay {
        play: Play {
            color: played.color,
            vertex: Vertex::of(played.mv, size),
        },
        comment: comment(played),
    });
    record.plays.extend(plays);
    record
}

/// The removed stones and the moves on a copy, one line each.
fn counting(count: &Count) -> String {
    let mut text = String::new();
    if !count.dead.is_empty() {
        text += &format!("\ndead: {}", count.dead.join(" "));
    }
    if let Some(played) = &count.playing_on {
        let (about, moves) = (played.about.join(" "), played.moves.join(", "));
        text += &format!("\nplayed on, on a copy, about {about}: {moves}");
        if let Some(what) = &played.ended_by {
            text += &format!("; {what}");
        }
    }
    text
}

/// `0.512 s, left 12.3 s, visits 800 value 0.1`.
fn comment(played: &PlayedMove) -> String {
    let mut words = vec![format!("{:.3} s", played.took.as_secs_f64())];
    let left = played.left.map(|left| left.as_secs_f64());
    words.extend(left.map(|left| format!("left {left:.1} s")));
    words.extend(played.report.clone());
    words.join(", ")
}
