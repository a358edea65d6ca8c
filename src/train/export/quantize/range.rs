//! Choice of the range that eight bits cover.

/// Bins of a histogram: enough to find the best range to a thousandth.
const BINS: usize = 2048;

/// Candidate ranges on each side.
const CANDIDATES: usize = 64;

/// Smallest and greatest number seen.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Spread {
    low: f32,
    high: f32,
}

impl Spread {
    /// Widens the spread; 0 is always inside.
    pub(super) fn add(&mut self, numbers: &[f32]) {
        for &number in numbers {
            self.low = self.low.min(number);
            self.high = self.high.max(number);
        }
    }
}

/// Quantisation to 256 steps: `scale * (byte - zero)`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Range {
    /// Difference of neighbouring steps; more than 0.
    pub scale: f32,
    /// The byte that stands for 0; 0 when no number is negative.
    pub zero: u8,
}

impl Range {
    /// The steps that cover `low` (at most 0) to `high` (at least 0), with 0 exactly on a step.
    fn covering(low: f32, high: f32) -> Range {
        let scale = ((high - low) / 255.0).max(f32::MIN_POSITIVE);
        let zero = (-low / scale).round().clamp(0.0, 255.0) as u8;
        Range { scale, zero }
    }

    /// A number after quantisation.
    fn round(self, number: f32) -> f32 {
        let zero = f32::from(self.zero);
        let byte = ((number / self.scale).round() + zero).clamp(0.0, 255.0);
        (byte - zero) * self.scale
    }
}

/// Histogram of numbers.
#[derive(Debug, Clone)]
pub(super) struct Histogram {
    spread: Spread,
    counts: Vec<u64>,
}

impl Histogram {
    pub(super) fn new(spread: Spread) -> Histogram {
        Histogram {
            spread,
            counts: vec![0; BINS],
        }
    }

    fn width(&self) -> f32 {
        (self.spread.high - self.spread.low) / BINS as f32
    }

    /// Counts numbers, all inside the spread.
    pub(super) fn add(&mut self, numbers: &[f32]) {
        let per_bin = 1.0 / self.width().max(f32::MIN_POSITIVE);
        for number in numbers {
            let bin = ((number - self.spread.low) * per_bin) as usize;
            self.counts[bin.min(BINS - 1)] += 1;
        }
    }

    /// The range with the least mean squared error of rounding and clipping. Clipping a few large
    /// numbers reduces the rounding of all others.
    pub(super) fn best_range(&self) -> Range {
        let Spread { low, high } = self.spread;
        let share = |step: usize| 1.0 - step as f32 / CANDIDATES as f32;
        let ranges = (0..CANDIDATES).map(|step| {
            let range = Range::covering(low * share(step), high * share(step));
            (range, self.error(range))
        });
        let best = ranges.min_by(|a, b| a.1.total_cmp(&b.1));
        best.map_or(Range::covering(low, high), |(range, _)| range)
    }

    /// Sum of the squared errors of all numbers.
    fn error(&self, range: Range) -> f64 {
        let bins = self
            .counts
            .iter()
            .enumerate()
            .filter(|(_, count)| **count > 0);
        bins.map(|(bin, &count)| {
            // Zeros are exact, and in a ReLU's output they are most of the first bin.
            let middle = self.spread.low + (bin as f32 + 0.5) * self.width();
            let error = f64::from(middle - range.round(middle));
            count as f64 * error * error
        })
        .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(numbers: &[f32]) -> Histogram {
        let mut spread = Spread::default();
        spread.add(numbers);
        let mut histogram = Histogram::new(spread);
        histogram.add(numbers);
        histogram
    }

    #[test]
    fn even_numbers_are_covered_whole() {
        let numbers: Vec<f32> = (0..=1000).map(|at| at as f32 / 100.0).collect();
        let range = histogram(&numbers).best_range();
        assert_eq!(range.zero, 0);
        assert!((range.scale * 255.0 - 10.0).abs() < 0.3, "{range:?}");
        for number in numbers {
            assert!((range.round(number) - number).abs() <= range.scale);
        }
    }

    #[test]
    fn one_far_number_is_cut_off() {
        let count = 2_000_000;
        let mut numbers: Vec<f32> = (0..count).map(|at| at as f32 / count as f32).collect();
        numbers.push(20.0);
        let range = histogram(&numbers).best_range();
        // Least of (20 - c)^2 + 2,000,000 (c / 255)^2 / 12.
        assert!((range.scale * 255.0 - 5.6).abs() < 1.0, "{range:?}");
    }

    #[test]
    fn zero_stays_zero_on_both_sides() {
        let numbers: Vec<f32> = (-300..=100).map(|at| at as f32 / 100.0).collect();
        let range = histogram(&numbers).best_range();
        assert!((180..=200).contains(&range.zero), "{range:?}");
        assert_eq!(range.round(0.0), 0.0);
        assert!((range.round(-2.0) + 2.0).abs() <= range.scale);
        let nothing = histogram(&[0.0; 5]).best_range();
        assert!(nothing.scale > 0.0 && nothing.round(0.0) == 0.0);
    }
}
