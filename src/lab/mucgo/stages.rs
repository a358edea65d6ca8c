//! The plies that proxies find in games, and normal distributions fitted to them, with Pearson's test of the fit
//! (equations 1 to 5 of Li et al. 2019, docs/papers.md#stages).

use statrs::distribution::{ChiSquared, ContinuousCDF as _, Normal};

use super::proxies::{Proxy, traits};
use tengen::game::Move;
use tengen::games::go::LargeGo;

/// Cells of the test, as in the paper: 8 leave 5 degrees of freedom.
const CELLS: usize = 8;

/// The plies that each proxy finds, in the order of the games.
pub struct StageSamples {
    samples: Vec<(&'static Proxy, Vec<u32>)>,
    games: u64,
}

impl StageSamples {
    /// No games yet.
    pub fn of(proxies: &'static [Proxy]) -> StageSamples {
        StageSamples {
            samples: proxies.iter().map(|proxy| (proxy, Vec::new())).collect(),
            games: 0,
        }
    }

    /// Adds a game.
    pub fn add(&mut self, start: &LargeGo, moves: &[Move]) {
        let traits = traits(start, moves);
        for (proxy, plies) in &mut self.samples {
            plies.extend((proxy.find)(&traits));
        }
        self.games += 1;
    }

    /// Games so far.
    pub fn games(&self) -> u64 {
        self.games
    }

    /// The fit of each proxy to the first `most` plies that it finds; none without variance.
    pub fn fits(&self, most: usize) -> impl Iterator<Item = (&'static Proxy, Option<NormalFit>)> {
        self.samples.iter().map(move |(proxy, plies)| {
            let plies = plies.get(..most).unwrap_or(plies);
            (*proxy, NormalFit::of(plies, CELLS))
        })
    }
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
    use super::super::BEGINS;
    use super::*;
    use tengen::game::{BoardSize, Game as _};

    #[test]
    fn plies_of_games_are_collected() {
        let size = BoardSize::square(19);
        let start = LargeGo::new(size).unwrap();
        let mut samples = StageSamples::of(BEGINS);
        for first in 0..60_u16 {
            // A corner stone is captured after a number of moves that differs.
            let mut moves = vec![Move(1), Move(0)];
            moves.extend((0..first % 20).map(|at| Move(100 + at)));
            if moves.len() % 2 == 1 {
                moves.push(Move(200));
            }
            moves.push(Move(19));
            samples.add(&start, &moves);
        }
        assert_eq!(samples.games(), 60);
        let fits: Vec<_> = samples.fits(50).collect();
        let (proxy, fit) = fits[2];
        let fit = fit.expect("fifty captures");
        assert_eq!((proxy.name, fit.number), ("capture", 50));
        // Plies 3, 5, 5, 7, 7, ... 21, 21, 23: the mean over the first 50 of three rounds.
        let plies = (0..50_u32).map(|first| 3 + (first % 20).div_ceil(2) * 2);
        assert!((fit.mean - f64::from(plies.sum::<u32>()) / 50.0).abs() < 1e-12);
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
