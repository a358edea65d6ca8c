//! Strength of a critic: matches against random play, as either colour.

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::taught::Taught;
use crate::critic::{Judge, Network};
use tengen::game::{Color, Proof, ply_cap};
use tengen_train::play::numbered_seed;

/// Measurement of a critic's strength by matches against random play, as either colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Measure {
    /// Interval in training games; the first measurement is before any. Range: at least 1.
    pub every: u32,
    /// Pairs of games with swapped colours. Range: at least 1.
    pub pairs: u32,
    /// Uniformly random opening plies of a pair. Range: any.
    pub random_plies: u32,
}

/// Result of a match.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Training games of the critic before.
    pub games: u32,
    /// The critic's points, a draw being half of one.
    pub points: f64,
    /// Games of the match.
    pub of: u32,
}

/// Plays a match of pairs of games with the same random opening and swapped colours.
pub fn measure<G: Taught>(
    start: &G,
    network: &Network,
    measure: &Measure,
    games: u32,
    seed: u64,
) -> Measured {
    let mut points = 0.0;
    for game in 0..2 * measure.pairs {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(numbered_seed(seed, (game / 2).into()));
        let mut position = start.clone();
        for _ in 0..measure.random_plies {
            if let Some(mv) = position.random_move(&mut rng) {
                position.play(mv);
            }
        }
        let color = Color::BOTH[(game % 2) as usize];
        points += result(position, network, color, &mut rng);
    }
    Measured {
        games,
        points,
        of: 2 * measure.pairs,
    }
}

/// The critic's points in one game as `color`.
fn result<G: Taught>(mut position: G, network: &Network, color: Color, rng: &mut impl Rng) -> f64 {
    let mut judge = Judge::default();
    let mut plies = 0;
    let outcome = loop {
        let outcome = position.outcome();
        if outcome.is_some() || plies == ply_cap(position.size()) {
            break outcome;
        }
        let mv = match position.to_move() == color {
            true => {
                let moves = judge.moves(network, &position).into_iter();
                moves.max_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
            }
            false => position.random_move(rng),
        };
        let Some(mv) = mv else { break None };
        position.play(mv);
        plies += 1;
    };
    match outcome.map(|outcome| outcome.proof_for(color)) {
        Some(Proof::Win) => 1.0,
        Some(Proof::Loss) => 0.0,
        Some(Proof::Draw) | None => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::{BoardSize, Game};
    use tengen::games::nogo::SmallNoGo;

    #[test]
    fn who_knows_nothing_is_even_with_chance() {
        let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let network = Network::new(25, 5, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        let plan = Measure {
            every: 1,
            pairs: 50,
            random_plies: 2,
        };
        let random = measure(&start, &network, &plan, 0, 3);
        assert!((20.0..=80.0).contains(&random.points), "{random:?}");
        assert_eq!(measure(&start, &network, &plan, 0, 3), random);
    }
}
