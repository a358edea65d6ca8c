//! Komi distribution in self-play, so that a network learns the value of komi.

use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};
use rand_distr::{Distribution as _, Normal};
use serde::{Deserialize, Serialize};

use tengen::game::{Game, HalfPoints, Rules};

use crate::shards::training_game::with_komi;

/// Komi distribution of self-play: mostly near the mean, so that games are close, and occasionally
/// far away, as in KataGo (docs/methods.md#self-play).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KomiSpread {
    /// Mean in points; a fair komi. Range: -100 to 100.
    pub mean: f64,
    /// Standard deviation of most komi values, in points. Range: 0 to 100.
    pub near: f64,
    /// Share of games whose komi is drawn from the wider distribution. Range: 0 to 1.
    pub far_share: f64,
    /// Standard deviation of the wider distribution, in points. Range: 0 to 100.
    pub far: f64,
}

impl fmt::Display for KomiSpread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let KomiSpread {
            mean,
            near,
            far_share,
            far,
        } = self;
        write!(f, "{mean},{near},{far_share},{far}")
    }
}

impl FromStr for KomiSpread {
    type Err = String;

    /// Parses the displayed form: four numbers separated by commas.
    fn from_str(text: &str) -> Result<KomiSpread, String> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.parse().ok()).collect();
        let spread = match numbers.as_deref() {
            Some(&[mean, near, far_share, far]) => Some(KomiSpread {
                mean,
                near,
                far_share,
                far,
            }),
            _ => None,
        };
        spread.filter(KomiSpread::is_sound).ok_or_else(|| {
            "four numbers with commas between them: the mean, the deviation of most komis, the share \
             of the others from 0 to 1, their deviation; points of at most 100, as in 6.5,1.5,0.1,6"
                .to_owned()
        })
    }
}

impl KomiSpread {
    /// Whether all numbers are in range.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        let deviation = |points: f64| (0.0..=100.0).contains(&points);
        self.mean.abs() <= 100.0
            && deviation(self.near)
            && deviation(self.far)
            && (0.0..=1.0).contains(&self.far_share)
    }

    /// A random komi in half points; whole points allow draws.
    pub fn draw(&self, rng: &mut impl Rng) -> HalfPoints {
        let far = rng.random::<f64>() < self.far_share;
        let deviation = if far { self.far } else { self.near };
        let points =
            Normal::new(self.mean, deviation).map_or(self.mean, |normal| normal.sample(rng));
        HalfPoints((2.0 * points).round() as i32)
    }
}

/// The initial board with a random komi of `spread`, if the game has komi.
pub fn start<G: Game>(start: &G, spread: Option<&KomiSpread>, rng: &mut impl Rng) -> G {
    match spread {
        Some(spread) if start.rules().komi().is_some() => with_komi(start, Some(spread.draw(rng))),
        _ => start.clone(),
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::go::SmallGo;

    #[test]
    fn most_komis_are_near_and_some_are_whole() {
        let spread = KomiSpread {
            mean: 7.0,
            near: 1.0,
            far_share: 0.1,
            far: 10.0,
        };
        assert_eq!(spread.to_string().parse(), Ok(spread));
        for wrong in ["7", "7,1,2,1", "7,-1,0.1,6", "a,1,0.1,6", "7,1,0.1,6,5"] {
            assert!(wrong.parse::<KomiSpread>().is_err(), "{wrong}");
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let empty = SmallGo::new(BoardSize::square(9)).unwrap();
        let mut draw = || start(&empty, Some(&spread), &mut rng).komi().0;
        let komis: Vec<i32> = (0..1000).map(|_| draw()).collect();
        let share = |is: fn(i32) -> bool| komis.iter().filter(|&&komi| is(komi)).count();
        assert!((900..980).contains(&share(|komi| (komi - 14).abs() <= 5)));
        assert!(share(|komi| (komi - 14).abs() > 12) > 20);
        assert!((400..600).contains(&share(|komi| komi % 2 == 0)));
        let same = start(&empty, None, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        assert_eq!(same.komi(), empty.komi());
    }
}
