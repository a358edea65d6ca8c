//! What the engine is to do for the board, and the results of its searches for the page: all winrates and leads are Black's, moves are vertices, points
//! are listed row by row from the top.

use crate::game::{BoardSize, Color, Move, Outcome, Proof};
use crate::gtp::{format_move, move_names, points_from_top};
use crate::search::{MoveReport, SearchReport};
use crate::watch::Eval;
use serde::{Deserialize, Serialize};

use super::super::review::{tenth, winrate};

/// Maximum number of moves shown, besides those proven to win.
const CANDIDATES: usize = 24;
/// Maximum length of a line.
const LINE: usize = 24;

/// Task of the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in super::super) enum Task {
    /// Choose a move and play it.
    Move,
    /// Search the position until stopped.
    Analyse,
    /// Think on the human player's time.
    Ponder,
    /// Determine dead stones.
    Count,
    /// Search every position of the line.
    Review,
    /// Search the position after a move that was tried.
    Judge,
    /// Evaluate each position of the line by the network alone.
    Skim,
}

impl Task {
    /// Its name on the page.
    pub(in super::super) fn name(self) -> &'static str {
        match self {
            Task::Move => "move",
            Task::Analyse => "analyse",
            Task::Ponder => "ponder",
            Task::Count => "count",
            Task::Review => "review",
            Task::Judge => "judge",
            Task::Skim => "skim",
        }
    }
}

/// A task in one position of one game; a different one ends its search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TaskRequest {
    pub(super) task: Task,
    pub(super) node: usize,
    /// Identifies the game and its settings.
    pub(super) serial: u64,
}

/// The searched position.
#[derive(Debug, Clone, Copy)]
pub(in super::super) struct SearchedPosition {
    /// Its number on the page.
    pub(in super::super) node: usize,
    pub(in super::super) task: Task,
    pub(in super::super) mover: Color,
    pub(in super::super) size: BoardSize,
}

/// A candidate, on the page and in files.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Candidate {
    pub(super) at: String,
    visits: u64,
    pub(super) winrate: f32,
    lead: Option<f32>,
    prior: f32,
    /// `B`, `W` or `0` if the result is proven.
    pub(super) proven: Option<String>,
    pub(super) pv: Vec<String>,
}

/// Data of a search for the page.
#[derive(Debug, Serialize)]
pub(super) struct Analysis {
    pub(super) node: usize,
    pub(super) task: &'static str,
    pub(super) to_move: &'static str,
    #[serde(flatten)]
    pub(super) eval: Eval,
    /// Visits per second of this search; 0 before it has taken time.
    pub(super) speed: f64,
    pub(super) candidates: Vec<Candidate>,
    /// The network's policy by point, in thousandths, then that of the pass.
    pub(super) policy: Vec<u16>,
    /// Ownership of each point, in hundredths: 100 is certainly Black's.
    pub(super) owners: Option<Vec<i8>>,
    pub(super) done: bool,
}

/// The winner as `B`, `W` or `0`.
pub(super) fn winner(outcome: Outcome) -> String {
    outcome.winner.map_or("0", Color::letter).to_owned()
}

/// A proven result for a side; `None` if it is not proven.
pub(super) fn proven(proof: Option<Proof>, side: Color) -> Option<String> {
    proof.map(|proof| winner(proof.outcome(side)))
}

impl SearchedPosition {
    fn line(self, moves: &[Move]) -> Vec<String> {
        move_names(&moves[..moves.len().min(LINE)], self.size)
    }

    /// The search's evaluation of the position.
    pub(in super::super) fn eval(self, report: &SearchReport) -> Eval {
        // The best move's value is used; the mean over all moves lags behind it.
        let value = report.best().filter(|best| best.visits > 0);
        let value = value.map_or(report.value, |best| best.value);
        let value = report.proof.map_or(value, Proof::value);
        Eval {
            winrate: winrate(self.mover, value),
            lead: report.black_ahead().map(tenth),
            visits: report.visits,
            proven: proven(report.proof, self.mover),
        }
    }

    /// The expected continuation.
    pub(super) fn best_line(self, report: &SearchReport) -> Vec<String> {
        report.best().map_or(Vec::new(), |best| self.line(&best.pv))
    }

    fn candidate(self, found: &MoveReport) -> Candidate {
        let value = found.proof.map_or(found.value, Proof::value);
        let expected = found.expected.as_ref();
        Candidate {
            at: format_move(found.mv, self.size),
            visits: found.visits,
            winrate: winrate(self.mover, value),
            lead: expected.map(|expected| tenth(expected.black_ahead)),
            prior: (found.prior * 1e4).round() / 1e4,
            proven: proven(found.proof, self.mover),
            pv: self.line(&found.pv),
        }
    }

    /// The data for the page as JSON.
    pub(in super::super) fn text(self, report: &SearchReport, done: bool) -> String {
        let told = report.moves.iter().enumerate().filter(|(place, found)| {
            let seen = found.visits > 0 && *place < CANDIDATES;
            *place == 0 || seen || found.proof == Some(Proof::Win)
        });
        let prior = |mv: Move| {
            let found = report.moves.iter().find(|found| found.mv == mv);
            found.map_or(0, |found| (found.prior * 1e3).round() as u16)
        };
        let expected = report.expected.as_ref();
        let owners = expected.filter(|expected| expected.owner.len() == self.size.area());
        let owners = owners.map(|expected| {
            let owner = |point: Move| (expected.owner[point.index()] * 100.0).round() as i8;
            points_from_top(self.size).map(owner).collect()
        });
        let seconds = report.elapsed.as_secs_f64();
        let analysis = Analysis {
            node: self.node,
            task: self.task.name(),
            to_move: self.mover.letter(),
            eval: self.eval(report),
            speed: match seconds > 0.0 {
                true => (report.playouts as f64 / seconds).round(),
                false => 0.0,
            },
            candidates: told.map(|(_, found)| self.candidate(found)).collect(),
            policy: points_from_top(self.size)
                .chain([self.size.pass()])
                .map(prior)
                .collect(),
            owners,
            done,
        };
        serde_json::to_string(&analysis).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::StopReason;

    #[test]
    fn numbers_are_blacks_and_points_go_from_the_top() {
        let size = BoardSize::new(3, 2);
        let best = MoveReport {
            visits: 3,
            value: 0.5,
            ..MoveReport::unsearched(size.point(2, 1), 0.25)
        };
        let lost = MoveReport {
            proof: Some(Proof::Loss),
            ..MoveReport::unsearched(size.point(0, 0), 0.5)
        };
        let report = SearchReport {
            visits: 4,
            ..SearchReport::unsearched(vec![best, lost], StopReason::Visits)
        };
        let searched = SearchedPosition {
            node: 7,
            task: Task::Analyse,
            mover: Color::White,
            size,
        };
        let text = searched.text(&report, true);
        let told: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!((&told["node"], &told["winrate"]), (&7.into(), &0.25.into()));
        assert_eq!(told["candidates"][0]["at"], "C2");
        assert_eq!(told["candidates"].as_array().map(Vec::len), Some(1));
        let policy = serde_json::json!([0, 0, 250, 500, 0, 0, 0]);
        assert_eq!(told["policy"], policy);
        let proven = SearchReport {
            proof: Some(Proof::Loss),
            ..report
        };
        let eval = searched.eval(&proven);
        assert_eq!((eval.winrate, eval.proven.as_deref()), (1.0, Some("B")));
    }
}
