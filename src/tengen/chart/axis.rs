//! An axis: positions of values, ticks and labels.

/// How the values of an axis are spaced and written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences have equal lengths.
    #[default]
    Linear,
    /// Linear, for shares in 0..=1 written as percentages.
    Percent,
    /// Equal ratios have equal lengths; zero and negative values have no position.
    Logarithmic,
}

/// Maximum number of decades on a logarithmic axis for which the ticks at 2 and 5 are drawn too.
const DETAILED_DECADES: f64 = 2.0;

/// Rounding tolerance for a number of steps: 0.6 is 29.999999999999996 times 0.02.
const ROUNDING: f64 = 1e-9;

/// A range of numbers with round ticks.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    scale: Scale,
    /// The lowest and the highest tick, or their logarithms.
    ends: (f64, f64),
    ticks: Vec<f64>,
    /// Distance between ticks; 0 on a logarithmic axis.
    step: f64,
}

impl Axis {
    /// The axis of this scale that shows all values that have a position on it, its ends on ticks.
    pub(super) fn of(scale: Scale, values: impl Iterator<Item = f64>) -> Axis {
        let placed = values.filter(|&value| scale.has(value));
        let (low, high) = placed.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let (ticks, step) = match scale {
            Scale::Linear | Scale::Percent => linear_ticks(low, high),
            Scale::Logarithmic => (logarithmic_ticks(low, high), 0.0),
        };
        let end = |tick: Option<&f64>| scale.position(tick.copied().unwrap_or(1.0));
        Axis {
            scale,
            ends: (end(ticks.first()), end(ticks.last())),
            ticks,
            step,
        }
    }

    /// Position of a value, 0 at the low end and 1 at the high end.
    pub(super) fn share(&self, value: f64) -> f64 {
        let (low, high) = self.ends;
        (self.scale.position(value) - low) / (high - low)
    }

    /// The round values of the grid, including the ends.
    pub(super) fn ticks(&self) -> impl Iterator<Item = f64> {
        self.ticks.iter().copied()
    }

    /// A short label of a tick.
    pub(super) fn tick_label(&self, tick: f64) -> String {
        let largest = match self.scale {
            Scale::Logarithmic => tick,
            Scale::Linear | Scale::Percent => self.ends.0.abs().max(self.ends.1.abs()),
        };
        let (unit, letter) = match largest {
            large if large >= 1e6 => (1e6, "M"),
            large if large >= 1e4 => (1e3, "k"),
            _ => (1.0, ""),
        };
        match self.scale {
            Scale::Percent => format!("{:.*}%", digits(100.0 * self.step), 100.0 * tick),
            _ if tick == 0.0 => "0".to_owned(),
            Scale::Linear => format!("{:.*}{letter}", digits(self.step / unit), tick / unit),
            Scale::Logarithmic => format!("{}{letter}", tick / unit),
        }
    }

    /// A value with one digit more than the ticks.
    pub(super) fn label(&self, value: f64) -> String {
        match self.scale {
            Scale::Percent => format!("{:.*}%", digits(100.0 * self.step) + 1, 100.0 * value),
            Scale::Linear => format!("{value:.*}", digits(self.step / 10.0)),
            Scale::Logarithmic if value >= 10.0 => format!("{value:.0}"),
            Scale::Logarithmic => format!("{value:.2}"),
        }
    }
}

impl Scale {
    /// Whether a value has a position on this scale.
    pub(super) fn has(self, value: f64) -> bool {
        value.is_finite() && (self != Scale::Logarithmic || value > 0.0)
    }

    fn position(self, value: f64) -> f64 {
        match self {
            Scale::Linear | Scale::Percent => value,
            Scale::Logarithmic => value.log10(),
        }
    }
}

/// Decimal digits needed to distinguish multiples of `step`.
fn digits(step: f64) -> usize {
    // 0.25 has two, 0.2 has one; rounding keeps 0.1 + 0.2 from having seventeen.
    let exact = |digits: &usize| {
        let scaled = step * 10_f64.powi(*digits as i32);
        (scaled - scaled.round()).abs() < 1e-6 * scaled.max(1.0)
    };
    (0..6).find(exact).unwrap_or(6)
}

/// Four to seven round values around these, and their distance.
fn linear_ticks(low: f64, high: f64) -> (Vec<f64>, f64) {
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let span = if high > low {
        high - low
    } else {
        high.abs().max(1.0)
    };
    let rough = span / 4.0;
    let power = 10_f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .map(|factor| factor * power)
        .into_iter()
        .find(|step| *step >= rough * (1.0 - ROUNDING))
        .unwrap_or(10.0 * power);
    let first = (low / step + ROUNDING).floor();
    let last = (high / step - ROUNDING).ceil().max(first + 1.0);
    let count = (last - first) as usize;
    let ticks = (0..=count).map(|tick| (first + tick as f64) * step);
    (ticks.collect(), step)
}

/// Powers of ten around these values, and 2 and 5 times them where there are few.
fn logarithmic_ticks(low: f64, high: f64) -> Vec<f64> {
    let (low, high) = if low <= high { (low, high) } else { (1.0, 1.0) };
    let first = low.log10().floor();
    let last = high.log10().ceil().max(first + 1.0);
    let factors: &[f64] = if last - first <= DETAILED_DECADES {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0]
    };
    let powers = (first as i32..last as i32).flat_map(|power| {
        let power = 10_f64.powi(power);
        factors.iter().map(move |factor| factor * power)
    });
    let mut ticks: Vec<f64> = powers.chain([10_f64.powi(last as i32)]).collect();
    // No empty ends.
    let needed_above = ticks.iter().position(|&tick| tick >= high);
    ticks.truncate(needed_above.map_or(ticks.len(), |place| (place + 1).max(2)));
    let needed_below = ticks.iter().rposition(|&tick| tick <= low).unwrap_or(0);
    ticks.drain(..needed_below.min(ticks.len() - 2));
    ticks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ticks(scale: Scale, values: &[f64], expected: &[f64]) -> Axis {
        let axis = Axis::of(scale, values.iter().copied());
        let found: Vec<f64> = axis.ticks().collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9 * expected.abs().max(1.0));
        }
        axis
    }

    #[track_caller]
    fn labels(axis: &Axis, expected: &[&str]) {
        let labels: Vec<String> = axis.ticks().map(|tick| axis.tick_label(tick)).collect();
        assert_eq!(labels, expected);
    }

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        let linear = Scale::Linear;
        ticks(linear, &[0.0, 100.0], &[0.0, 25.0, 50.0, 75.0, 100.0]);
        ticks(linear, &[-30.0, 410.0], &[-200.0, 0.0, 200.0, 400.0, 600.0]);
        ticks(linear, &[0.47, 0.52], &[0.46, 0.48, 0.5, 0.52]);
        ticks(linear, &[0.0], &[0.0, 0.25]);
        ticks(linear, &[], &[0.0, 0.25]);
        ticks(linear, &[f64::NAN, 1.0, f64::INFINITY], &[1.0, 1.25]);
    }

    #[test]
    fn ratios_have_equal_lengths_on_a_logarithmic_axis() {
        let scale = Scale::Logarithmic;
        let axis = ticks(
            scale,
            &[40.0, 900_000.0, 0.0],
            &[1e1, 1e2, 1e3, 1e4, 1e5, 1e6],
        );
        assert!((axis.share(1e3) - 0.4).abs() < 1e-9);
        labels(&axis, &["10", "100", "1000", "10k", "100k", "1M"]);
        ticks(scale, &[30.0, 400.0], &[20.0, 50.0, 100.0, 200.0, 500.0]);
        ticks(scale, &[7.0], &[5.0, 10.0]);
        ticks(scale, &[100.0], &[100.0, 200.0]);
        ticks(scale, &[], &[1.0, 2.0]);
    }

    #[test]
    fn labels_are_short() {
        let linear = |values: &[f64]| Axis::of(Scale::Linear, values.iter().copied());
        labels(&linear(&[0.0, 26_000.0]), &["0", "10k", "20k", "30k"]);
        labels(
            &linear(&[0.0, 9000.0]),
            &["0", "2.5k", "5.0k", "7.5k", "10.0k"],
        );
        labels(
            &linear(&[0.6, 0.68]),
            &["0.60", "0.62", "0.64", "0.66", "0.68"],
        );
        labels(
            &linear(&[2e6, 3e6]),
            &["2.00M", "2.25M", "2.50M", "2.75M", "3.00M"],
        );
        let share = Axis::of(Scale::Percent, [0.41, 0.5, 0.59].into_iter());
        labels(&share, &["40%", "45%", "50%", "55%", "60%"]);
        assert_eq!(share.label(0.467), "46.7%");
        assert_eq!(linear(&[0.6, 0.68]).label(0.6391), "0.639");
    }
}
