//! Scores an engine's answers on positions with known results.

use serde::Serialize;
use tengen::stats::{Z_95, wilson};

/// Outcome of a winnable position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WinOutcome {
    /// The chosen move wins.
    Won,
    /// The chosen move loses.
    LostWin,
    /// Unknown.
    Unknown,
}

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    /// The position's ply.
    pub(super) ply: usize,
    /// Whether the side to move wins.
    pub(super) wins: bool,
    /// Outcome of the chosen move; `None` in a lost position.
    pub(super) kept: Option<WinOutcome>,
    /// Expected result in [-1, 1] for the side to move.
    pub(super) value: f32,
    /// Whether the value was proven.
    pub(super) proven: bool,
}

/// Statistics of many answers.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Score {
    /// Source of the answers: network or search.
    pub(super) by: &'static str,
    /// The first and the last ply of these positions.
    pub(super) plies: [usize; 2],
    pub(super) positions: usize,
    /// Those that the side to move wins.
    pub(super) won: usize,
    /// Lost wins, and wins with unknown outcome.
    pub(super) thrown_away: usize,
    pub(super) thrown_away_unknown: usize,
    /// Share of lost wins among known outcomes, and its 95% interval (Wilson).
    pub(super) thrown_away_share: Option<[f64; 3]>,
    /// Share of the values with the right sign; 0 is half right.
    pub(super) sign_right: f64,
    /// Mean of (p - r)^2, where p is (1 + value) / 2 and r 1 for a win, 0 for a loss: 0.25 without
    /// any knowledge (Brier 1950).
    pub(super) brier: f64,
    /// Share of proven answers.
    pub(super) proven: f64,
}

impl Score {
    /// Statistics of at least one answer.
    pub(super) fn of(by: &'static str, answers: &[Answer]) -> Option<Score> {
        let plies = || answers.iter().map(|answer| answer.ply);
        let (first, last) = plies().min().zip(plies().max())?;
        let kept = |what: WinOutcome| {
            let of_kind = answers.iter().filter(|answer| answer.kept == Some(what));
            of_kind.count()
        };
        let (held, thrown_away) = (kept(WinOutcome::Won), kept(WinOutcome::LostWin));
        let known = (held + thrown_away) as f64;
        let share = thrown_away as f64 / known;
        let interval = || wilson(share, known, Z_95);
        let mean = |number: fn(&Answer) -> f64| {
            answers.iter().map(number).sum::<f64>() / answers.len() as f64
        };
        Some(Score {
            by,
            plies: [first, last],
            positions: answers.len(),
            won: answers.iter().filter(|answer| answer.wins).count(),
            thrown_away,
            thrown_away_unknown: kept(WinOutcome::Unknown),
            thrown_away_share: (known > 0.0).then(|| [share, interval().low, interval().high]),
            sign_right: mean(|answer| match answer.value {
                0.0 => 0.5,
                value => f64::from(u8::from((value > 0.0) == answer.wins)),
            }),
            brier: mean(|answer| {
                let expected = (1.0 + f64::from(answer.value)) / 2.0;
                (expected - f64::from(u8::from(answer.wins))).powi(2)
            }),
            proven: mean(|answer| f64::from(u8::from(answer.proven))),
        })
    }

    /// Column titles of [`Score::row`].
    pub(super) const HEAD: &'static str =
        "by       plies  positions   won  thrown away             sign right   Brier  proven";

    /// As a row of a table.
    pub(super) fn row(&self) -> String {
        let [first, last] = self.plies;
        let share = self.thrown_away_share.map(|share| {
            let [share, low, high] = share.map(|share| 100.0 * share);
            format!("{share:.1}% [{low:.1}, {high:.1}]")
        });
        format!(
            "{:<8} {first}-{last} {:>10} {:>5} {:>4} {:<20} {:>9.1}% {:>7.3} {:>6.1}%",
            self.by,
            self.positions,
            self.won,
            self.thrown_away,
            share.unwrap_or_default(),
            100.0 * self.sign_right,
            self.brier,
            100.0 * self.proven
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(wins: bool, kept: Option<WinOutcome>, value: f32) -> Answer {
        Answer {
            ply: 50,
            wins,
            kept,
            value,
            proven: value == 1.0,
        }
    }

    #[test]
    fn answers_are_counted_as_by_hand() {
        let answers = [
            answer(true, Some(WinOutcome::Won), 1.0),
            answer(true, Some(WinOutcome::LostWin), -0.5),
            answer(true, Some(WinOutcome::Unknown), 0.0),
            answer(false, None, -1.0),
        ];
        let score = Score::of("search", &answers).expect("there are answers");
        assert_eq!((score.positions, score.won), (4, 3));
        assert_eq!((score.thrown_away, score.thrown_away_unknown), (1, 1));
        let [share, low, high] = score.thrown_away_share.expect("two are known");
        assert!(share == 0.5 && low > 0.05 && high < 0.95);
        // Right, wrong, half, right.
        assert_eq!(score.sign_right, 0.625);
        // 0, 0.75^2, 0.5^2, 0.
        assert_eq!(score.brier, (0.5625 + 0.25) / 4.0);
        assert_eq!(score.proven, 0.25);
        assert!(Score::of("search", &[]).is_none());
        let lost = Score::of("search", &answers[3..]).expect("one answer");
        assert_eq!(lost.thrown_away_share, None);
    }
}
