//! The report of a match between two engines, as text and as JSON.

use std::collections::BTreeMap;
use std::fmt;

use serde::Serialize;

use super::complaints::Complaints;
use super::game_end::{CountBasis, Reason};
use super::results::GameEntry;
use super::score_board::{ScoreBoard, repeats_text};
use crate::game::{BoardSize, Color};
use crate::program::counted;
use crate::stats::{Interval, MatchScore};

/// Share of failed games above which a match is unreliable. Source:
/// docs/methods.md#match-statistics.
const TOLERATED_FAILURES: f64 = 0.001;

/// Statistics of a match.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct MatchReport {
    /// The two engines; all figures are from the first one's view.
    pub engines: [String; 2],
    /// Score by games and by pairs of games, repetitions left out.
    pub counts: MatchScore,
    /// Number of games that repeat others move for move.
    pub repeated: u32,
    /// Mean score per game, in 0..=1.
    pub score: f64,
    /// 95% interval of the score.
    pub score_interval: Interval,
    /// Rating difference; `null` in JSON when infinite.
    pub elo: f64,
    /// 95% interval of the rating difference.
    pub elo_interval: Interval,
    /// Black's mean score, with either engine as Black.
    pub black_score: f64,
    /// Share of pairs that were split.
    pub split_share: f64,
    /// Number of games by reason of their end.
    pub reasons: BTreeMap<Reason, u32>,
    /// Scored games with a differing result of an engine, by engine.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub contradictions: BTreeMap<String, u32>,
    /// Number of scored games by basis of the score.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub counts_by: BTreeMap<CountBasis, u32>,
    /// Games lost by misbehaviour.
    pub failures: Failures,
    /// Complaints on engines' error streams.
    pub complaints: Complaints,
}

/// Games that one engine lost by one kind of misbehaviour.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// The engine.
    pub engine: String,
    /// Reason of the losses.
    pub reason: Reason,
    /// Number of games.
    pub games: u32,
}

/// All games lost by misbehaviour; as JSON the list alone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(transparent)]
pub struct Failures {
    /// By engine and reason.
    pub list: Vec<Failure>,
    /// Total number of games.
    #[serde(skip)]
    pub of_games: u32,
}

impl Failures {
    /// The failures of a score board.
    pub fn of(board: &ScoreBoard) -> Failures {
        let failures = board.failures.iter();
        let failures = failures.map(|((engine, reason), games)| Failure {
            engine: engine.clone(),
            reason: *reason,
            games: *games,
        });
        Failures {
            list: failures.collect(),
            of_games: board.games(),
        }
    }
}

impl MatchReport {
    /// The report of all `games` between these two.
    pub fn new(engines: [&str; 2], size: BoardSize, games: &[GameEntry]) -> MatchReport {
        let board = ScoreBoard::of(size, games);
        let (mut reasons, mut counts_by) = (BTreeMap::new(), BTreeMap::new());
        let mut contradictions = BTreeMap::new();
        for game in games {
            if let Some(count) = &game.count {
                *counts_by.entry(count.how).or_default() += 1;
                for (color, name) in [(Color::Black, &game.black), (Color::White, &game.white)] {
                    if count.contradicts(color) {
                        *contradictions.entry(name.clone()).or_default() += 1;
                    }
                }
            }
            *reasons.entry(game.reason).or_default() += 1;
        }
        let counts = board.meeting(engines[0], engines[1]);
        MatchReport {
            engines: engines.map(str::to_owned),
            counts,
            repeated: board.repeated(),
            score: counts.score(),
            score_interval: counts.interval(),
            elo: counts.elo(),
            elo_interval: counts.interval().to_elo(),
            black_score: board.black_score(),
            split_share: counts.pairs.split_share(),
            reasons,
            contradictions,
            counts_by,
            failures: Failures::of(&board),
            complaints: Complaints::of(games),
        }
    }
}

impl fmt::Display for MatchReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [first, second] = &self.engines;
        let counts = &self.counts;
        let (wins, draws, losses) = (counts.wins, counts.draws, counts.losses);
        let games = counted(counts.games(), "game");
        writeln!(f, "{first} against {second}: {games}")?;
        writeln!(f, "  won {wins}, drawn {draws}, lost {losses}")?;
        if let Some(told) = repeats_text(self.repeated) {
            writeln!(f, "  {told}")?;
        }
        writeln!(f, "  {}", counts.summary())?;
        writeln!(
            f,
            "  pairs with 0, 0.5, 1, 1.5, 2 points: {:?}; split {:.0}%",
            counts.pairs.by_half_points,
            100.0 * self.split_share
        )?;
        writeln!(f, "  Black scored {:.1}%", 100.0 * self.black_score)?;
        writeln!(f, "  ended by: {}", tally(&self.reasons))?;
        if !self.counts_by.is_empty() {
            writeln!(f, "  counted: {}", tally(&self.counts_by))?;
        }
        for (engine, games) in &self.contradictions {
            let games = counted(*games, "game");
            writeln!(f, "  {engine} reports a different result for {games}")?;
        }
        write!(f, "{}{}", self.failures, self.complaints)
    }
}

/// Numbers of games, each after what it is of.
fn tally<K: fmt::Display>(games: &BTreeMap<K, u32>) -> String {
    let words = games.iter().map(|(of, games)| format!("{of} {games}"));
    words.collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Failures {
    /// One line each, and a warning if there are too many; empty without failures.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for failed in &self.list {
            let (engine, reason) = (&failed.engine, failed.reason);
            let games = counted(failed.games, "game");
            writeln!(f, "  {engine} lost {games} by: {reason}")?;
        }
        let failed: u32 = self.list.iter().map(|failure| failure.games).sum();
        if f64::from(failed) > TOLERATED_FAILURES * f64::from(self.of_games) {
            writeln!(
                f,
                "  WARNING: {failed} of {} games were not decided on the board, so the score is \
                 unreliable; fix that first (an engine that hangs or is late may have had no processor)",
                self.of_games
            )?;
        }
        Ok(())
    }
}
