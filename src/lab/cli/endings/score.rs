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

/// Column titles of [`row`]s.
pub(super) const HEAD: &str = "by       plies  positions   won  thrown away             sign right   Brier  proven  from judge  not defended";

/// Statistics of answers as a row of a table, if there are any: of `by`, network or search.
///
/// - `won`: positions that the side to move wins.
/// - `thrown away`: lost wins, and their share of the known outcomes with its 95% interval (Wilson).
/// - `sign right`: share of the values with the right sign, where the result is known; 0 is half right.
/// - `Brier`: there, mean of (p - r)^2, where p is (1 + value) / 2 and r 1 for a win, 0 for a loss: 0.25 without any
///   knowledge (Brier 1950).
/// - `from judge`: mean absolute difference from the values of another program's search, in [0, 2].
/// - `not defended`: how often a move that loses was chosen, of positions of unknown result in which some moves lose.
pub(super) fn row(by: &str, answers: &[Answer]) -> Option<String> {
    let plies = || answers.iter().map(|answer| answer.ply);
    let (first, last) = plies().min().zip(plies().max())?;
    let count = |holds: fn(&Answer) -> bool| {
        let some = answers.iter().filter(|answer| holds(answer));
        some.count()
    };
    let thrown_away = count(|answer| answer.kept == Some(false));
    let share = match count(|answer| answer.kept.is_some()) as f64 {
        0.0 => String::new(),
        known => {
            let share = thrown_away as f64 / known;
            let interval = wilson(share, known);
            let [share, low, high] =
                [share, interval.low, interval.high].map(|share| 100.0 * share);
            format!("{share:.1}% [{low:.1}, {high:.1}]")
        }
    };
    let known_mean = |number: fn(f32, bool) -> f64| {
        let known = answers
            .iter()
            .filter_map(|answer| Some((answer.value, answer.wins?)));
        let numbers: Vec<f64> = known.map(|(value, wins)| number(value, wins)).collect();
        mean(&numbers)
    };
    let sign_right = known_mean(|value, wins| match value {
        0.0 => 0.5,
        value => f64::from(u8::from((value > 0.0) == wins)),
    });
    let brier = known_mean(|value, wins| {
        let expected = (1.0 + f64::from(value)) / 2.0;
        (expected - f64::from(u8::from(wins))).powi(2)
    });
    let differences = answers.iter().filter_map(|answer| {
        let judged = answer.judged?;
        Some(f64::from((answer.value - judged).abs()))
    });
    let from_judge = mean(&differences.collect::<Vec<_>>());
    let defence = match count(|answer| answer.defended.is_some()) {
        0 => String::new(),
        all => format!(
            "{} of {all}",
            count(|answer| answer.defended == Some(false))
        ),
    };
    let or_nothing = |text: Option<String>| text.unwrap_or_default();
    let row = format!(
        "{by:<8} {first}-{last} {:>10} {:>5} {thrown_away:>4} {share:<20} {:>10} {:>7} {:>6.1}% {:>11}  {defence}",
        answers.len(),
        count(|answer| answer.wins == Some(true)),
        or_nothing(sign_right.map(|share| format!("{:.1}%", 100.0 * share))),
        or_nothing(brier.map(|brier| format!("{brier:.3}"))),
        100.0 * count(|answer| answer.proven) as f64 / answers.len() as f64,
        or_nothing(from_judge.map(|mean| format!("{mean:.3}"))),
    );
    Some(row.trim_end().to_owned())
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
        // Of four positions three are won. One of two known wins is lost; the sign is right, wrong, half right and right.
        // Brier: 0, 0.75^2, 0.5^2 and 0. From the judge's 0.5: 0.5, 1, 0.5 and 1.5.
        assert_eq!(
            words(&answers),
            [
                "search", "50-50", "4", "3", "1", "50.0%", "[9.5,", "90.5]", "62.5%", "0.203",
                "25.0%", "0.875"
            ]
        );
        assert_eq!(row("search", &[]), None);
        // Without known outcomes there is no share.
        assert_eq!(
            words(&answers[3..]),
            [
                "search", "50-50", "1", "0", "0", "100.0%", "0.000", "0.0%", "1.500"
            ]
        );
    }

    fn words(answers: &[Answer]) -> Vec<String> {
        let row = row("search", answers).expect("there are answers");
        row.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn open_positions_count_by_their_defences_only() {
        let open = |defended| Answer {
            wins: None,
            defended,
            ..answer(true, None, 0.9)
        };
        let answers = [open(Some(true)), open(Some(false)), open(None)];
        // Neither sign nor Brier's score is known.
        assert_eq!(
            words(&answers),
            [
                "search", "50-50", "3", "0", "0", "0.0%", "0.400", "1", "of", "2"
            ]
        );
    }
}
