//! Strength of a critic: matches against random play and against RAVE, as either colour.

use std::fmt;

use rand::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::{Deserialize, Serialize};

use super::taught::Taught;
use crate::critic::{Judge, Network};
use tengen::game::{Color, Move, Proof, ply_cap};
use tengen::rollout::{Rave, RaveParams, Rollout};
use tengen_train::play::numbered_seed;

/// Measurement of a critic's strength by matches, as either colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Measure {
    /// Interval in training games; the first measurement is before any. Range: at least 1.
    pub every: u32,
    /// Pairs of games against each anchor, with swapped colours. Range: at least 1.
    pub pairs: u32,
    /// Uniformly random opening plies of a pair. Range: any.
    pub random_plies: u32,
    /// Opponents. Range: a list of `random` and `rave-N` for RAVE with N playouts per move.
    pub against: Vec<Anchor>,
}

/// An opponent of fixed strength, to measure critics against.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum Anchor {
    /// Plays any legal move with equal probability.
    Random,
    /// RAVE with this many playouts per move.
    Rave(u32),
}

impl TryFrom<String> for Anchor {
    type Error = String;

    fn try_from(text: String) -> Result<Anchor, String> {
        let playouts = text
            .strip_prefix("rave-")
            .and_then(|rest| rest.parse().ok());
        match (&*text, playouts) {
            ("random", _) => Ok(Anchor::Random),
            (_, Some(playouts)) if playouts > 0 => Ok(Anchor::Rave(playouts)),
            _ => Err(format!("{text:?} is neither random nor such as rave-400")),
        }
    }
}

impl From<Anchor> for String {
    fn from(anchor: Anchor) -> String {
        anchor.to_string()
    }
}

impl fmt::Display for Anchor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Anchor::Random => f.write_str("random"),
            Anchor::Rave(playouts) => write!(f, "rave-{playouts}"),
        }
    }
}

/// Result of a match.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Measured {
    /// Training games of the critic before.
    pub games: u32,
    /// Opponent.
    pub against: Anchor,
    /// The critic's points, a draw being half of one.
    pub points: f64,
    /// Games of the match.
    pub of: u32,
}

/// Plays a match of pairs of games with the same random opening and swapped colours.
pub fn measure<G: Taught + Rollout>(
    start: &G,
    network: &Network,
    measure: &Measure,
    against: Anchor,
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
        points += result(position, network, color, against, &mut rng);
    }
    Measured {
        games,
        against,
        points,
        of: 2 * measure.pairs,
    }
}

/// The critic's points in one game as `color`.
fn result<G: Taught + Rollout>(
    mut position: G,
    network: &Network,
    color: Color,
    against: Anchor,
    rng: &mut impl Rng,
) -> f64 {
    let mut judge = Judge::default();
    let mut rave = Rave::new(RaveParams::default(), rng.next_u64());
    let mut plies = 0;
    let outcome = loop {
        let outcome = position.outcome();
        if outcome.is_some() || plies == ply_cap(position.size()) {
            break outcome;
        }
        let mv: Option<Move> = match against {
            _ if position.to_move() == color => {
                let moves = judge.moves(network, &position).into_iter();
                moves.max_by(|a, b| a.1.total_cmp(&b.1)).map(|best| best.0)
            }
            Anchor::Random => position.random_move(rng),
            Anchor::Rave(playouts) => {
                let report = rave.search(&position, |made| made < playouts.into());
                report.moves.first().map(|best| best.mv)
            }
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
    fn anchors_are_read_and_shown() {
        for name in ["random", "rave-400"] {
            assert_eq!(Anchor::try_from(name.to_owned()).unwrap().to_string(), name);
        }
        for name in ["rave", "rave-0", "rave--1", "400"] {
            assert!(Anchor::try_from(name.to_owned()).is_err());
        }
    }

    #[test]
    fn who_knows_nothing_loses_to_rave_and_is_even_with_chance() {
        let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let network = Network::new(25, 5, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        let plan = Measure {
            every: 1,
            pairs: 50,
            random_plies: 2,
            against: Vec::new(),
        };
        let score = |against| measure(&start, &network, &plan, against, 0, 3);
        let random = score(Anchor::Random);
        assert!((20.0..=80.0).contains(&random.points), "{random:?}");
        assert!(score(Anchor::Rave(100)).points < 25.0);
        assert_eq!(score(Anchor::Random), random);
    }
}
