//! Scores an engine's answers against a much longer search.

use serde::Serialize;
use tengen::search::SearchReport;

use super::book::Verdict;
use tengen::game::Move;

/// Minimum loss of a mistake: a twentieth of the games.
const MISTAKE: f64 = 0.1;

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    /// The position's ply.
    pub(super) ply: usize,
    /// Whether the move is the reference search's.
    same: bool,
    /// The reference's value of its own move minus that of this one; `None` if it hardly searched
    /// it.
    loss: Option<f64>,
    /// The answer's value minus the reference's.
    error: f64,
}

impl Answer {
    pub(super) fn new(
        ply: usize,
        mv: Option<Move>,
        report: &SearchReport,
        verdict: &Verdict,
    ) -> Answer {
        let best = verdict.moves[0];
        let judged = verdict.moves.iter().find(|judged| Some(judged.mv) == mv);
        Answer {
            ply,
            same: mv == Some(best.mv),
            loss: judged.map(|judged| f64::from(best.value - judged.value)),
            error: f64::from(report.value - best.value),
        }
    }
}

/// Statistics of many answers.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct Score {
    /// Source of the answers: network or search.
    pub(super) by: &'static str,
    /// The first and the last ply of these positions.
    pub(super) plies: [usize; 2],
    pub(super) positions: usize,
    /// Share of moves equal to the reference's.
    pub(super) same: f64,
    /// Mean loss of moves, in [0, 2], and its standard error, over moves that the reference
    /// searched.
    pub(super) loss: Option<[f64; 2]>,
    /// Moves that lose at least 0.1, and moves that the reference hardly searched.
    pub(super) mistakes: usize,
    pub(super) unjudged: usize,
    /// Root mean square of the value error.
    pub(super) value_error: f64,
}

impl Score {
    /// Statistics of at least one answer.
    pub(super) fn of(by: &'static str, answers: &[Answer]) -> Option<Score> {
        let plies = || answers.iter().map(|answer| answer.ply);
        let (first, last) = plies().min().zip(plies().max())?;
        let count = answers.len() as f64;
        let losses: Vec<f64> = answers.iter().filter_map(|answer| answer.loss).collect();
        let squares: f64 = answers.iter().map(|answer| answer.error.powi(2)).sum();
        Some(Score {
            by,
            plies: [first, last],
            positions: answers.len(),
            same: answers.iter().filter(|answer| answer.same).count() as f64 / count,
            loss: mean(&losses),
            mistakes: losses.iter().filter(|&&loss| loss >= MISTAKE).count(),
            unjudged: answers.len() - losses.len(),
            value_error: (squares / count).sqrt(),
        })
    }

    /// Column titles of [`Score::row`].
    pub(super) const HEAD: &'static str = "by       plies  positions  same move  loses            0.1 or more  unjudged  value off by";

    /// As a row of a table.
    pub(super) fn row(&self) -> String {
        let [first, last] = self.plies;
        let loss = self
            .loss
            .map(|[mean, error]| format!("{mean:.4} ± {error:.4}"));
        format!(
            "{:<8} {:<6} {:>9} {:>9.1}%  {:<16} {:>11} {:>9} {:>13.3}",
            self.by,
            format!("{first}-{last}"),
            self.positions,
            100.0 * self.same,
            loss.unwrap_or_default(),
            self.mistakes,
            self.unjudged,
            self.value_error
        )
    }
}

/// Mean of at least one number and its standard error, which is 0 for a single number.
fn mean(numbers: &[f64]) -> Option<[f64; 2]> {
    let count = numbers.len() as f64;
    if numbers.is_empty() {
        return None;
    }
    let mean = numbers.iter().sum::<f64>() / count;
    let squares: f64 = numbers.iter().map(|number| (number - mean).powi(2)).sum();
    Some([mean, (squares / (count - 1.0).max(1.0) / count).sqrt()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::clock::StopReason;

    use super::super::book::JudgedMove;

    #[test]
    fn answers_are_counted_as_by_hand() {
        let judged = |mv, value| JudgedMove {
            mv: Move(mv),
            value,
            visits: 1_000,
        };
        let verdict = Verdict {
            visits: 3_000,
            moves: vec![judged(1, 0.5), judged(2, 0.25), judged(3, 0.4375)],
        };
        let answer = |ply, mv, value| {
            let report = SearchReport {
                value,
                ..SearchReport::unsearched(Vec::new(), StopReason::Visits)
            };
            Answer::new(ply, mv, &report, &verdict)
        };
        let answers = [
            answer(4, Some(Move(1)), 0.5),
            answer(5, Some(Move(2)), 0.75),
            answer(9, Some(Move(3)), 0.25),
            answer(6, Some(Move(7)), 0.5),
            answer(6, None, 0.5),
        ];
        let score = Score::of("search", &answers).expect("there are answers");
        assert_eq!((score.plies, score.positions), ([4, 9], 5));
        assert_eq!(score.same, 0.2);
        // 0, 0.25 and 0.0625.
        let [loss, error] = score.loss.expect("three are known");
        assert!((loss - 0.3125 / 3.0).abs() < 1e-9);
        assert!((error - 0.07512).abs() < 1e-4, "{error}");
        assert_eq!((score.mistakes, score.unjudged), (1, 2));
        assert!((score.value_error - (0.125_f64 / 5.0).sqrt()).abs() < 1e-9);
        assert_eq!(Score::of("search", &[]), None);
        let unknown = Score::of("search", &answers[3..]).expect("two answers");
        assert_eq!((unknown.loss, unknown.unjudged), (None, 2));
    }
}
