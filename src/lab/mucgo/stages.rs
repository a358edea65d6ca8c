//! The plies that proxies find in games, and normal distributions fitted to them.

use super::normal::NormalFit;
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
    #[must_use]
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
            plies.extend(proxy.find(&traits));
        }
        self.games += 1;
    }

    /// Games so far.
    #[must_use]
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
}
