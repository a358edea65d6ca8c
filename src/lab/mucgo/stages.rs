//! The plies at which the middle game begins and ends, and normal distributions fitted to them, with Pearson's test of
//! the fit (equations 1 to 5 of Li et al. 2019, docs/papers.md#stages).
//!
//! A 5 dan player marked 500 games by hand for the paper; those games and marks cannot be had. A [`Proxy`] is a rule that
//! a program can apply.

use statrs::distribution::{ChiSquared, ContinuousCDF as _, Normal};

use tengen::game::{Color, Game as _, Move};
use tengen::games::go::LargeGo;

/// Cells of the test, as in the paper: 8 leave 5 degrees of freedom.
pub const CELLS: usize = 8;

/// A rule that finds a ply: the first one after which few points are far from all stones.
#[derive(Debug, Clone, Copy)]
pub struct Proxy {
    /// What it finds.
    pub stage: &'static str,
    /// Its name.
    pub name: &'static str,
    /// The rule and its reason, for people.
    pub help: &'static str,
    /// Plies in the paper's test.
    pub in_paper: usize,
    /// A point is far if it is more steps than this from every stone.
    far: usize,
    /// Far points up to this number are few.
    few: usize,
}

/// A quarter of 19x19: with it the mean is the paper's, 49.
pub const BEGINS: Proxy = Proxy {
    stage: "begins",
    name: "taken",
    help: "a quarter of the board is farther than three steps from every stone: the large areas are taken",
    in_paper: 450,
    far: 3,
    few: 90,
};

/// A fifth of 19x19: with it the mean is the paper's, 162.
pub const ENDS: Proxy = Proxy {
    stage: "ends",
    name: "closed",
    help: "a fifth of the board is not beside a stone: borders are closed, and points are left",
    in_paper: 335,
    far: 1,
    few: 72,
};

impl Proxy {
    /// The ply, from 1, before the first pass; `None` if the game does not get there.
    pub fn find(self, start: &LargeGo, moves: &[Move]) -> Option<u32> {
        let mut position = start.clone();
        let mut moves = moves.iter().take_while(|&&mv| mv != start.pass());
        let found = moves.position(|&mv| {
            position.play(mv);
            far_points(&position, self.far) <= self.few
        })?;
        Some(found as u32 + 1)
    }
}

/// Points that are more steps than this from every stone.
fn far_points(position: &LargeGo, steps: usize) -> usize {
    let stones = position.stones(Color::Black) | position.stones(Color::White);
    let near = (0..steps).fold(stones, |near, _| near | position.next_to(near));
    position.size().area() - near.count()
}

/// A fitted normal distribution and how well it fits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NormalFit {
    /// Size of the sample.
    pub number: usize,
    /// The mean.
    pub mean: f64,
    /// The standard deviation.
    pub deviation: f64,
    /// Pearson's statistic, the sum over cells of `(seen - expected)^2 / expected`.
    pub chi_squared: f64,
    /// Degrees of freedom: cells less 3, for their sum and two fitted parameters.
    pub freedom: usize,
    /// Probability of so large a statistic if the distribution is normal.
    pub p: f64,
}

impl NormalFit {
    /// The maximum likelihood fit to whole numbers (the maximum of equation 2: the mean, and the
    /// root mean square deviation), tested in about `cells` cells of equal probability. Their ends
    /// lie halfway between whole numbers; cells in which fewer than five numbers are expected are
    /// joined with the next. `None` if fewer than four cells remain.
    pub fn of(sample: &[u32], cells: usize) -> Option<NormalFit> {
        let number = sample.len() as f64;
        let mean = sample.iter().copied().map(f64::from).sum::<f64>() / number;
        let squares = sample
            .iter()
            .map(|&value| (f64::from(value) - mean).powi(2));
        let deviation = (squares.sum::<f64>() / number).sqrt();
        let normal = Normal::new(mean, deviation).ok()?;
        let mut chi_squared = 0.0;
        let (mut cells_used, mut begin) = (0, f64::NEG_INFINITY);
        for end in ends(&normal, cells, number) {
            let seen = sample.iter().filter(|&&value| {
                let value = f64::from(value);
                begin < value && value < end
            });
            let expected = number * (normal.cdf(end) - normal.cdf(begin));
            chi_squared += (seen.count() as f64 - expected).powi(2) / expected;
            cells_used += 1;
            begin = end;
        }
        let freedom = usize::checked_sub(cells_used, 3).filter(|&freedom| freedom > 0)?;
        let test = ChiSquared::new(freedom as f64).ok()?;
        Some(NormalFit {
            number: sample.len(),
            mean,
            deviation,
            chi_squared,
            freedom,
            p: test.sf(chi_squared),
        })
    }
}

/// The least number expected in a cell.
const LEAST: f64 = 5.0;

/// Upper ends of the cells; the last is infinite.
fn ends(normal: &Normal, cells: usize, number: f64) -> Vec<f64> {
    let mut ends = Vec::new();
    let mut below = 0.0;
    for cell in 1..cells {
        let end = normal.inverse_cdf(cell as f64 / cells as f64).round() + 0.5;
        let up_to = normal.cdf(end);
        if number * (up_to - below) >= LEAST && number * (1.0 - up_to) >= LEAST {
            ends.push(end);
            below = up_to;
        }
    }
    ends.push(f64::INFINITY);
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::BoardSize;

    #[test]
    fn far_points_by_hand() {
        let size = BoardSize::square(19);
        let mut position = LargeGo::new(size).unwrap();
        let mut far = |x, y| {
            position.play(size.point(x, y));
            [1, 3].map(|steps| far_points(&position, steps))
        };
        // a2 reaches 4 points in one step and 13 in three; a1 adds one of them, d4 another 5.
        assert_eq!(far(0, 1), [361 - 4, 361 - 13]);
        far(0, 0);
        assert_eq!(far(3, 3)[0], 361 - 4 - 1 - 5);
    }

    #[test]
    fn the_ply_is_found_before_any_pass() {
        let size = BoardSize::square(19);
        let start = LargeGo::new(size).unwrap();
        let grid = |first: u8| {
            let rows = (first..19).step_by(2);
            rows.flat_map(move |y| (first..19).step_by(2).map(move |x| size.point(x, y)))
        };
        // After 81 moves 100 points are not beside a stone; each of the others is one of them.
        let moves: Vec<Move> = grid(1).chain(grid(0)).collect();
        assert_eq!(ENDS.find(&start, &moves[..81 + 27]), None);
        let passed = [&moves[..50], &[size.pass()], &moves[50..]].concat();
        assert_eq!(ENDS.find(&start, &passed), None);
        assert_eq!(ENDS.find(&start, &moves), Some(81 + 28));
    }

    #[test]
    fn mean_deviation_and_statistic_by_hand() {
        // 40 times 9, 10 and 11 and 20 times 8 and 12: mean 10, variance (2 * 40 + 8 * 20) / 160.
        let mut sample = Vec::new();
        for (value, times) in [(8, 20), (9, 40), (10, 40), (11, 40), (12, 20)] {
            sample.extend(std::iter::repeat_n(value, times));
        }
        let fit = NormalFit::of(&sample, 4).expect("four cells");
        assert_eq!((fit.number, fit.mean), (160, 10.0));
        assert!((fit.deviation - 1.5_f64.sqrt()).abs() < 1e-12);
        // The quartiles are 9.17, 10 and 10.83: cells end at 9.5, 10.5 and 11.5. In standard
        // deviations these are -0.4082, 0.4082 and 1.2247, with probabilities 0.34154, 0.31692,
        // 0.23119 and 0.11035 of the cells.
        let expected = [0.341_54, 0.316_92, 0.231_19, 0.110_35].map(|share| share * 160.0);
        let seen = [60.0_f64, 40.0, 40.0, 20.0];
        let terms = seen.iter().zip(expected);
        let by_hand: f64 = terms.map(|(seen, all)| (seen - all).powi(2) / all).sum();
        assert!(
            (fit.chi_squared - by_hand).abs() < 0.01,
            "{} {by_hand}",
            fit.chi_squared
        );
        assert_eq!(fit.freedom, 1);
    }

    #[test]
    fn the_test_of_the_paper() {
        // 5 degrees of freedom: the 95% quantile is 11.071 (printed tables: 11.070).
        let test = ChiSquared::new(5.0).unwrap();
        assert!((test.inverse_cdf(0.95) - 11.0705).abs() < 1e-3);
        assert!(test.sf(1.444) > 0.9);
    }

    #[test]
    fn a_normal_sample_passes_and_a_skewed_one_does_not() {
        let normal = Normal::new(49.0, 6.0).unwrap();
        let quantile = |at: u32| (f64::from(at) + 0.5) / 450.0;
        let sample: Vec<u32> = (0..450)
            .map(|at| normal.inverse_cdf(quantile(at)).round() as u32)
            .collect();
        let fit = NormalFit::of(&sample, 8).expect("eight cells");
        assert!((fit.mean - 49.0).abs() < 0.1 && (fit.deviation - 6.0).abs() < 0.1);
        assert!(fit.p > 0.9 && fit.freedom == 5, "{fit:?}");
        // Exponential, with mean 30.
        let skewed: Vec<u32> = (0..450)
            .map(|at| (-30.0 * quantile(at).ln()) as u32)
            .collect();
        assert!(NormalFit::of(&skewed, 8).expect("cells").p < 1e-6);
    }

    #[test]
    fn too_little_is_no_fit() {
        assert_eq!(NormalFit::of(&[], 8), None);
        assert_eq!(NormalFit::of(&[5; 100], 8), None);
        assert_eq!(NormalFit::of(&[1, 2, 3, 4, 5], 8), None);
    }
}
