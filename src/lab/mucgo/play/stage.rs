//! The stages of a game of Go: when the middle game begins and ends (equations 6 to 8).

use rand::{Rng, RngExt as _};

use tengen::game::Game;

/// The smallest board with stages; smaller ones are searched from the first ply to the last.
const LEAST_SIDE: u8 = 19;

tengen::choices! {
    /// The plies of the middle game.
    StageWindow {
        /// Fitted to games of the TYGEM server (docs/papers.md#mucgo).
        Fitted = "fitted",
        /// The paper's: N(49, 6) and N(162, 19).
        Paper = "paper",
        /// Every ply.
        All = "all",
    }
}

/// A ply with normal distribution: mean and standard deviation.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Normal(f64, f64);

impl Normal {
    /// Equations 6 and 7: `T = [mean - deviation, mean + deviation]`, in whole plies.
    fn interval(self) -> [u32; 2] {
        let Normal(mean, deviation) = self;
        [mean - deviation, mean + deviation].map(|ply| ply.round() as u32)
    }
}

impl StageWindow {
    /// Distributions of the ply that begins the middle game and of the one that ends it.
    fn distributions(self) -> Option<[Normal; 2]> {
        match self {
            // 3,709 games of November 2005: `tengen-lab mucgo stages`, proxies taken and closed.
            StageWindow::Fitted => Some([Normal(49.5, 17.9), Normal(162.9, 15.0)]),
            StageWindow::Paper => Some([Normal(49.0, 6.0), Normal(162.0, 19.0)]),
            StageWindow::All => None,
        }
    }

    /// Equation 8: `T = [t1, t2]`, for one game, both drawn at random from their intervals; `None`
    /// if every ply is searched.
    pub(super) fn draw<R: Rng>(self, rng: &mut R) -> Option<MiddleGame> {
        let [begin, end] = self.distributions()?.map(Normal::interval);
        Some(MiddleGame {
            first: rng.random_range(begin[0]..=begin[1]),
            last: rng.random_range(end[0]..=end[1]),
        })
    }
}

/// The plies of one game's middle stage, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MiddleGame {
    first: u32,
    last: u32,
}

impl MiddleGame {
    /// Whether the next move of this position belongs to it.
    pub(super) fn includes<G: Game>(self, position: &G) -> bool {
        let size = position.size();
        let next = position.ply() + 1;
        size.width.min(size.height) < LEAST_SIDE || (self.first..=self.last).contains(&next)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::go::{LargeGo, SmallGo};

    #[test]
    fn equations_6_and_7_with_the_numbers_of_the_paper() {
        let [begin, end] = StageWindow::Paper.distributions().expect("two");
        assert_eq!(begin.interval(), [43, 55]);
        assert_eq!(end.interval(), [143, 181]);
    }

    #[test]
    fn every_ply_of_both_intervals_is_drawn() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let drawn: Vec<MiddleGame> = (0..2000)
            .map(|_| StageWindow::Paper.draw(&mut rng).expect("a window"))
            .collect();
        let first = |ply| drawn.iter().any(|window| window.first == ply);
        let last = |ply| drawn.iter().any(|window| window.last == ply);
        assert!((43..=55).all(first) && !first(42) && !first(56));
        assert!((143..=181).all(last) && !last(142) && !last(182));
        assert_eq!(StageWindow::All.draw(&mut rng), None);
    }

    #[test]
    fn stages_are_for_large_boards() {
        let window = MiddleGame { first: 2, last: 3 };
        let mut large = LargeGo::new(BoardSize::square(19)).unwrap();
        let mut included = Vec::new();
        for point in 0..4 {
            included.push(window.includes(&large));
            large.play(tengen::game::Move(point * 40));
        }
        assert_eq!(included, [false, true, true, false]);
        assert!(window.includes(&SmallGo::new(BoardSize::square(9)).unwrap()));
    }
}
