//! Scores an engine's answers on positions with known results.

use tengen::stats::wilson;

/// One answer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Answer {
    /// The position's ply.
    pub(super) ply: usize,
    /// Whether the side to move wins; `None` if that is unknown.
    pub(super) wins: Option<bool>,
    /// Whether the chosen move wins, too, where the side to move wins; `None` elsewhere, or if that is unknown.
    pub(super) kept: Option<bool>,
    /// Whether the chosen move holds, in a position of unknown result with moves that lose.
    pub(super) defended: Option<bool>,
    /// Expected result in [-1, 1] for the side to move.
    pub(super) value: f32,
    /// Value of another program's search for the side to move, in [-1, 1], if known.
    pub(super) judged: Option<f32>,
    /// Whether the value was proven.
    pub(super) proven: bool,
}

/// Statistics of many answers.
#[derive(Debug, Clone)]
pub(super) struct Score {
    /// Source of the answers: network or search.
    pub(super) by: &'static str,
    /// The first and the last ply of these positions.
    pub(super) plies: [usize; 2],
    pub(super) positions: usize,
    /// Those that the side to move wins.
    pub(super) won: usize,
    /// Lost wins.
    pub(super) thrown_away: usize,
    /// Share of lost wins among known outcomes, and its 95% interval (Wilson).
    pub(super) thrown_away_share: Option<[f64; 3]>,
    /// Positions of unknown result in which some moves lose, and how often such a move was chosen.
    pub(super) threatened: usize,
    pub(super) not_defended: usize,
    /// Share of the values with the right sign, where the result is known; 0 is half right.
    pub(super) sign_right: Option<f64>,
    /// There, mean of (p - r)^2, where p is (1 + value) / 2 and r 1 for a win, 0 for a loss: 0.25
    /// without any knowledge (Brier 1950).
    pub(super) brier: Option<f64>,
    /// Mean absolute difference from the values of another program's search, in [0, 2].
    pub(super) from_judge: Option<f64>,
    /// Share of proven answers.
    pub(super) proven: f64,
}

impl Score {
    /// Statistics of at least one answer.
    pub(super) fn of(by: &'static str, answers: &[Answer]) -> Option<Score> {
        let plies = || answers.iter().map(|answer| answer.ply);
        let (first, last) = plies().min().zip(plies().max())?;
        let count = |holds: fn(&Answer) -> bool| {
            let some = answers.iter().filter(|answer| holds(answer));
            some.count()
        };
        let thrown_away = count(|answer| answer.kept == Some(false));
        let known = count(|answer| answer.kept.is_some()) as f64;
        let share = thrown_away as f64 / known;
        let interval = || wilson(share, known);
        let known_mean = |number: fn(f32, bool) -> f64| {
            let known = answers
                .iter()
                .filter_map(|answer| Some((answer.value, answer.wins?)));
            let numbers: Vec<f64> = known.map(|(value, wins)| number(value, wins)).collect();
            mean(&numbers)
        };
        let differences = answers.iter().filter_map(|answer| {
            let judged = answer.judged?;
            Some(f64::from((answer.value - judged).abs()))
        });
        let differences: Vec<f64> = differences.collect();
        Some(Score {
            by,
            plies: [first, last],
            positions: answers.len(),
            won: count(|answer| answer.wins == Some(true)),
            thrown_away,
            thrown_away_share: (known > 0.0).then(|| [share, interval().low, interval().high]),
            threatened: count(|answer| answer.defended.is_some()),
            not_defended: count(|answer| answer.defended == Some(false)),
            sign_right: known_mean(|value, wins| match value {
                0.0 => 0.5,
                value => f64::from(u8::from((value > 0.0) == wins)),
            }),
            brier: known_mean(|value, wins| {
                let expected = (1.0 + f64::from(value)) / 2.0;
                (expected - f64::from(u8::from(wins))).powi(2)
            }),
            from_judge: mean(&differences),
            proven: count(|answer| answer.proven) as f64 / answers.len() as f64,
        })
    }

    /// Column titles of [`Score::row`].
    pub(super) const HEAD: &'static str = "by       plies  positions   won  thrown away             sign right   Brier  proven  from judge  not defended";

    /// As a row of a table.
    pub(super) fn row(&self) -> String {
        let [first, last] = self.plies;
        let share = self.thrown_away_share.map(|share| {
            let [share, low, high] = share.map(|share| 100.0 * share);
            format!("{share:.1}% [{low:.1}, {high:.1}]")
        });
        let sign = self
            .sign_right
            .map(|share| format!("{:.1}%", 100.0 * share));
        let brier = self.brier.map(|brier| format!("{brier:.3}"));
        let defence = match self.threatened {
            0 => String::new(),
            all => format!("{} of {all}", self.not_defended),
        };
        let row = format!(
            "{:<8} {first}-{last} {:>10} {:>5} {:>4} {:<20} {:>10} {:>7} {:>6.1}% {:>11}  {defence}",
            self.by,
            self.positions,
            self.won,
            self.thrown_away,
            share.unwrap_or_default(),
            sign.unwrap_or_default(),
            brier.unwrap_or_default(),
            100.0 * self.proven,
            self.from_judge
                .map(|mean| format!("{mean:.3}"))
                .unwrap_or_default(),
        );
        row.trim_end().to_owned()
    }
}

/// The mean of some numbers, if there are any.
fn mean(numbers: &[f64]) -> Option<f64> {
    (!numbers.is_empty()).then(|| numbers.iter().sum::<f64>() / numbers.len() as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(wins: bool, kept: Option<bool>, value: f32) -> Answer {
        Answer {
            ply: 50,
            wins: Some(wins),
            kept,
            defended: None,
            value,
            judged: Some(0.5),
            proven: value == 1.0,
        }
    }

    #[test]
    fn answers_are_counted_as_by_hand() {
        let answers = [
            answer(true, Some(true), 1.0),
            answer(true, Some(false), -0.5),
            answer(true, None, 0.0),
            answer(false, None, -1.0),
        ];
        let score = Score::of("search", &answers).expect("there are answers");
        assert_eq!((score.positions, score.won), (4, 3));
        assert_eq!(score.thrown_away, 1);
        let [share, low, high] = score.thrown_away_share.expect("two are known");
        assert!(share == 0.5 && low > 0.05 && high < 0.95);
        // Right, wrong, half, right.
        assert_eq!(score.sign_right, Some(0.625));
        // 0, 0.75^2, 0.5^2, 0.
        assert_eq!(score.brier, Some((0.5625 + 0.25) / 4.0));
        assert_eq!(score.proven, 0.25);
        // 0.5, 1, 0.5, 1.5 from the judge's 0.5.
        assert_eq!(score.from_judge, Some(0.875));
        assert!(Score::of("search", &[]).is_none());
        let lost = Score::of("search", &answers[3..]).expect("one answer");
        assert_eq!(lost.thrown_away_share, None);
    }

    #[test]
    fn open_positions_count_by_their_defences_only() {
        let open = |defended| Answer {
            wins: None,
            defended,
            ..answer(true, None, 0.9)
        };
        let answers = [open(Some(true)), open(Some(false)), open(None)];
        let score = Score::of("search", &answers).expect("there are answers");
        assert_eq!((score.positions, score.won), (3, 0));
        assert_eq!((score.threatened, score.not_defended), (2, 1));
        assert_eq!((score.sign_right, score.brier), (None, None));
        assert!(score.row().ends_with("1 of 2"), "{}", score.row());
    }
}
