//! Validation of komi values.

use std::str::FromStr;

use thiserror::Error;

use super::HalfPoints;

/// A value that is not a komi.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum BadKomi {
    /// Not a finite number.
    #[error("a komi must be a number of points, such as 6.5")]
    NotANumber,
    /// Not a multiple of one half, or too large. No set of rules has quarters of a point: the 3 3/4
    /// of Chinese records are stones, each worth two points.
    #[error("a komi must be a multiple of one half from -{most} to {most}, not {}", brief(*.0), most = HalfPoints::MAX_KOMI)]
    NotHalfPoints(f64),
}

/// A number for a message; a huge one in scientific notation.
fn brief(number: f64) -> String {
    match number.abs() < 1e9 {
        true => number.to_string(),
        false => format!("{number:e}"),
    }
}

impl HalfPoints {
    /// Largest komi, in points, of either side: no board has more points.
    pub const MAX_KOMI: f64 = 400.0;

    /// Exact komi of this many points.
    ///
    /// # Errors
    /// [`BadKomi`] for values that would have to be rounded, for more than 400 points, and for
    /// values that are not finite.
    pub fn komi(points: f64) -> Result<HalfPoints, BadKomi> {
        if !points.is_finite() {
            return Err(BadKomi::NotANumber);
        }
        let halves = 2.0 * points;
        if halves.fract() != 0.0 || points.abs() > HalfPoints::MAX_KOMI {
            return Err(BadKomi::NotHalfPoints(points));
        }
        Ok(HalfPoints(halves as i32))
    }

    /// The number of points.
    pub fn points(self) -> f64 {
        f64::from(self.0) / 2.0
    }
}

impl FromStr for HalfPoints {
    type Err = BadKomi;

    /// Parses a komi in points (`6.5`), as [`HalfPoints::komi`].
    fn from_str(text: &str) -> Result<HalfPoints, BadKomi> {
        let points = text.trim().parse().map_err(|_| BadKomi::NotANumber)?;
        HalfPoints::komi(points)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_points_are_taken_exactly_and_nothing_else_is() {
        for (text, halves) in [
            ("6.5", 13),
            ("0", 0),
            ("-0", 0),
            ("-5.5", -11),
            (" 7 ", 14),
            ("400", 800),
            ("-400", -800),
            ("1e1", 20),
        ] {
            assert_eq!(text.parse(), Ok(HalfPoints(halves)), "{text}");
        }
        for (text, number) in [
            ("4.75", "4.75"),
            ("5.1", "5.1"),
            ("24.75", "24.75"),
            ("-0.25", "-0.25"),
            ("6.499999999999", "6.499999999999"),
            ("400.5", "400.5"),
            ("1000", "1000"),
            ("-1e30", "-1e30"),
            ("1.7976931348623157e308", "1.7976931348623157e308"),
        ] {
            let error = text.parse::<HalfPoints>().unwrap_err().to_string();
            let expected =
                format!("a komi must be a multiple of one half from -400 to 400, not {number}");
            assert_eq!(error, expected);
        }
        for text in [
            "",
            "nan",
            "inf",
            "-inf",
            "1e999",
            "six",
            "6,5",
            "6.5 points",
        ] {
            assert_eq!(
                text.parse::<HalfPoints>(),
                Err(BadKomi::NotANumber),
                "{text}"
            );
        }
    }

    #[test]
    fn what_is_shown_is_read_again() {
        for halves in [-800, -13, -1, 0, 1, 14, 15, 800] {
            let komi = HalfPoints(halves);
            assert_eq!(komi.to_string().parse(), Ok(komi));
            assert_eq!(HalfPoints::komi(komi.points()), Ok(komi));
        }
    }
}
