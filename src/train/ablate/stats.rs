//! Differences between arms over seeds.

/// Two-sided 95% quantiles of Student's t for 1 to 10 degrees of freedom.
const T_95: [f64; 10] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228,
];

/// A mean with its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Estimate {
    pub(super) mean: f64,
    /// Half of the interval; unknown from one value.
    pub(super) half: Option<f64>,
}

impl Estimate {
    /// The mean over seeds. Student's t on the seeds' values counts both what seeds and what games
    /// vary, as each value has both in it.
    pub(super) fn over_seeds(values: &[f64]) -> Option<Estimate> {
        let count = values.len() as f64;
        let degrees = values.len().checked_sub(1)?;
        let mean = values.iter().sum::<f64>() / count;
        let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
        let half = degrees.checked_sub(1).map(|place| {
            // Beyond ten degrees the quantile is within a tenth of the normal one's.
            let t = T_95.get(place).copied().unwrap_or(2.2);
            t * (squares / degrees as f64 / count).sqrt()
        });
        Some(Estimate { mean, half })
    }

    /// `+123 ± 45`, or `+123 (one seed)`.
    pub(super) fn text(&self) -> String {
        match self.half {
            Some(half) => format!("{:+.0} ± {half:.0}", self.mean),
            None => format!("{:+.0} (one seed)", self.mean),
        }
    }

    /// Whether the sign is known at 95%: 1 above 0, -1 below, 0 for not known.
    pub(super) fn sign(&self) -> i32 {
        match self.half {
            Some(half) if self.mean - half > 0.0 => 1,
            Some(half) if self.mean + half < 0.0 => -1,
            _ => 0,
        }
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
        assert_eq!((estimate.text().as_str(), estimate.sign()), ("+20 ± 25", 0));
        assert_eq!(
            Estimate::over_seeds(&[99.0, 100.0, 101.0]).unwrap().sign(),
            1
        );
        assert_eq!(
            Estimate::over_seeds(&[-99.0, -100.0, -101.0])
                .unwrap()
                .sign(),
            -1
        );
        assert_eq!(Estimate::over_seeds(&[5.0]).unwrap().half, None);
        assert_eq!(Estimate::over_seeds(&[]), None);
    }
}
