//! Studies: each arm is run once with each seed, and means and differences are estimated from the runs.

use std::collections::HashSet;

use statrs::distribution::{ContinuousCDF as _, StudentsT};

/// Checks the seeds of a study and the names of its arms.
///
/// # Errors
/// Says what is wrong with them.
pub(crate) fn check_study<'a>(
    seeds: &[u64],
    arms: impl IntoIterator<Item = &'a str>,
) -> Result<(), String> {
    let mut seen = HashSet::new();
    if seeds.is_empty() || !seeds.iter().all(|seed| seen.insert(seed)) {
        return Err("seeds must be there and differ: equal ones say nothing new".to_owned());
    }
    let good = |c: char| c.is_ascii_alphanumeric() || "+-_.".contains(c);
    let mut names = HashSet::new();
    for name in arms {
        if name.is_empty() || !name.chars().all(good) || !names.insert(name) {
            return Err(format!(
                "[[arm]] {name:?}: names are of letters, digits, +, -, . and _, and differ"
            ));
        }
    }
    Ok(())
}

/// Name of an arm's run with a seed.
pub(crate) fn run_name(arm: &str, seed: u64) -> String {
    format!("{arm}-s{seed}")
}

/// A table as Markdown, from its column titles, with ` | ` between them, and its rows.
pub(crate) fn markdown(head: &str, rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows = rows.into_iter();
    let rows: String = rows
        .map(|row| format!("| {} |\n", row.join(" | ")))
        .collect();
    let rule = "---|".repeat(head.split(" | ").count());
    format!("| {head} |\n|{rule}\n{rows}")
}

/// A mean with its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// Mean over the seeds.
    pub mean: f64,
    /// Half of the interval; `None` with one value.
    pub half: Option<f64>,
    /// Two-sided p-value against a true mean of 0; `None` with one value.
    pub p: Option<f64>,
}

impl Estimate {
    /// The mean over seeds. Student's t on the seeds' values covers the variance between seeds and
    /// between games, as each value contains both.
    pub fn over_seeds(values: &[f64]) -> Option<Estimate> {
        let count = values.len() as f64;
        let degrees = values.len().checked_sub(1)?;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let known = StudentsT::new(0.0, 1.0, degrees as f64)
            .ok()
            .map(|student| {
                let error = (squares / degrees as f64 / count).sqrt();
                (
                    student.inverse_cdf(0.975) * error,
                    two_sided(student, mean / error),
                )
            });
        let (half, p) = known.unzip();
        Some(Estimate { mean, half, p })
    }

    /// `+123 ± 45`, or `+123 (one seed)`.
    pub fn text(&self) -> String {
        match self.half {
            Some(half) => format!("{:+.0} ± {half:.0}", self.mean),
            None => format!("{:+.0} (one seed)", self.mean),
        }
    }
}

/// Which of several comparisons are significant when the probability of any false claim shall be at
/// most `level` (Holm 1979): the smallest p is multiplied by the number of comparisons, the next by
/// one less, until one is too large. Unknown p-values are not significant.
pub(crate) fn holm(p: &[Option<f64>], level: f64) -> Vec<bool> {
    let mut known: Vec<(usize, f64)> = p
        .iter()
        .enumerate()
        .filter_map(|(place, p)| Some((place, (*p)?)))
        .collect();
    known.sort_by(|a, b| a.1.total_cmp(&b.1));
    let mut significant = vec![false; p.len()];
    for (done, (place, p)) in known.iter().enumerate() {
        if p * (known.len() - done) as f64 > level {
            break;
        }
        significant[*place] = true;
    }
    significant
}

/// Two-sided p-value of Student's t; 1 when `t` is undefined, as all values are 0.
fn two_sided(student: StudentsT, t: f64) -> f64 {
    if t.is_nan() {
        1.0
    } else {
        2.0 * student.sf(t.abs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_seeds_by_hand() {
        // Mean 20, standard deviation 10, standard error 5.7735, t 4.303.
        let estimate = Estimate::over_seeds(&[10.0, 20.0, 30.0]).unwrap();
        assert_eq!(estimate.mean, 20.0);
        assert!((estimate.half.unwrap() - 24.843).abs() < 0.01);
        assert_eq!(estimate.text(), "+20 ± 25");
        // With two degrees of freedom p is 1 - t / sqrt(2 + t^2), t = 20 / 5.7735.
        assert!((estimate.p.unwrap() - 0.0742).abs() < 1e-4);
        let one = Estimate::over_seeds(&[5.0]).unwrap();
        assert_eq!((one.half, one.p), (None, None));
        assert_eq!(Estimate::over_seeds(&[]), None);
    }

    /// Two-sided 95% quantiles of Student's t for 1 to 10 degrees of freedom, from a printed table.
    const T_95: [f64; 10] = [
        12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
    ];

    #[test]
    fn a_quantile_has_its_probability() {
        for (place, t) in T_95.iter().enumerate() {
            let student = StudentsT::new(0.0, 1.0, (place + 1) as f64).unwrap();
            let p = two_sided(student, *t);
            assert!((p - 0.05).abs() < 1e-4, "{} degrees: {p}", place + 1);
            assert!((student.inverse_cdf(0.975) - t).abs() < 1e-3);
        }
    }

    #[test]
    fn seeds_that_agree_are_sure() {
        let estimate = |values: &[f64]| Estimate::over_seeds(values).unwrap();
        let certain = estimate(&[7.0, 7.0, 7.0]);
        assert_eq!((certain.half, certain.p), (Some(0.0), Some(0.0)));
        assert_eq!(estimate(&[0.0, 0.0]).p, Some(1.0));
    }

    #[test]
    fn holm_counts_comparisons() {
        let p = [Some(0.01), None, Some(0.04), Some(0.012), Some(0.03)];
        assert_eq!(holm(&p, 0.05), [true, false, false, true, false]);
        assert_eq!(holm(&[Some(0.04)], 0.05), [true]);
        assert_eq!(holm(&[Some(0.02), Some(0.04)], 0.05), [true, true]);
    }
}
