//! Properties of a game for critic training: its weak opponent, its utility, and results.

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use tengen::game::{Bits, Color, Game, Move, Outcome, Proof, Scored as _, ply_cap};
use tengen::games::go::{Agreed, Go};
use tengen::games::nogo::NoGo;

use super::opponent;

/// Weights of the utility (7): of the shares of area and prisoners in Go, as in the paper; in NoGo of the shares of open
/// points and of points that only one side may play.
const WEIGHTS: [f64; 2] = [0.8, 0.2];

/// A side's amount and the opponent's.
pub type Shares = [usize; 2];

/// A game that a critic can learn.
pub trait Taught: Game {
    /// A random legal move that is not obviously bad.
    fn random_move(&self, rng: &mut impl Rng) -> Option<Move> {
        let count = self.legal_count();
        self.legal_moves().nth(rng.random_range(0..count.max(1)))
    }

    /// A move by rules of thumb.
    fn rule_move(&self, rng: &mut impl Rng) -> Option<Move> {
        self.random_move(rng)
    }

    /// A move by rules of thumb in this share of turns, else a random one; `None` only in a
    /// finished game.
    fn opponent_move(&self, rules: f64, rng: &mut impl Rng) -> Option<Move> {
        match rng.random::<f64>() < rules {
            true => self.rule_move(rng),
            false => self.random_move(rng),
        }
    }

    /// Area and prisoners of `color` and of the opponent, or their substitutes.
    fn shares(&self, color: Color) -> [Shares; 2];

    /// Result of a finished game for `color`, in 0..=1 (8).
    fn worth(&self, color: Color) -> f64 {
        let proof = self.outcome().map(|outcome| outcome.proof_for(color));
        f64::from(proof.map_or(0.5, |proof| 0.5 + 0.5 * proof.value()))
    }

    /// Final points of `color` and of the opponent: 1 and 0 if none are counted.
    fn points(&self, color: Color) -> Shares {
        let proof = self.outcome().map(|outcome| outcome.proof_for(color));
        match proof {
            Some(Proof::Win) => [1, 0],
            Some(Proof::Loss) => [0, 1],
            Some(Proof::Draw) | None => [0, 0],
        }
    }
}

/// Area counts with all stones alive, stones included, as in the paper.
impl<const CELLS: usize, const WORDS: usize> Taught for Go<CELLS, WORDS> {
    /// Passes when only own eyes are left.
    fn random_move(&self, rng: &mut impl Rng) -> Option<Move> {
        if self.passes() >= 2 {
            return None;
        }
        let points = self.legal_points().iter();
        let fit: Bits<WORDS> = points.filter(|&point| !self.fills_eye(point)).collect();
        let rank = rng.random_range(0..fit.count().max(1));
        Some(fit.nth(rank).unwrap_or(self.pass()))
    }

    fn rule_move(&self, rng: &mut impl Rng) -> Option<Move> {
        opponent::rule_move(self, rng).or_else(|| self.random_move(rng))
    }

    fn shares(&self, color: Color) -> [Shares; 2] {
        // A side's prisoners are the opponent's captured stones.
        let prisoners = [color.opponent(), color].map(|side| self.prisoners(side) as usize);
        [self.points(color), prisoners]
    }

    fn worth(&self, color: Color) -> f64 {
        share(self.points(color)).unwrap_or(0.5)
    }

    fn points(&self, color: Color) -> Shares {
        let owned = self.owned(&Agreed::ALL_ALIVE);
        [color, color.opponent()].map(|side| owned[side.index()].count())
    }
}

/// Open points are a side's area, and those that only it may play its prisoners. There are no rules of thumb.
impl<const WORDS: usize> Taught for NoGo<WORDS> {
    fn shares(&self, color: Color) -> [Shares; 2] {
        let open = [color, color.opponent()].map(|side| self.legal(side));
        let own = [open[0] & !open[1], open[1] & !open[0]];
        [open, own].map(|points| points.map(|points| points.count()))
    }
}

/// Strength of an opponent: its score in this many games against random play, half of them as
/// either colour; a draw is half a point.
pub fn score_against_chance<G: Taught>(start: &G, rules: f64, games: u32) -> f64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(0);
    let points = (0..games).map(|game| {
        let mut position = start.clone();
        let ours = Color::BOTH[(game % 2) as usize];
        for _ in 0..ply_cap(start.size()) {
            let mv = match position.to_move() == ours {
                true => position.opponent_move(rules, &mut rng),
                false => position.random_move(&mut rng),
            };
            let Some(mv) = mv else { break };
            position.play(mv);
        }
        let outcome = position.outcome().unwrap_or(Outcome::DRAW);
        f64::midpoint(1.0, outcome.value_for(ours).into())
    });
    points.sum::<f64>() / f64::from(games)
}

/// The utility of a position for `color` (7).
pub fn utility<G: Taught>(position: &G, color: Color) -> f64 {
    let shares = position.shares(color).into_iter().zip(WEIGHTS);
    shares
        .filter_map(|(shares, weight)| Some(weight * share(shares)?))
        .sum()
}

/// The first of two as a share of their sum; `None` if both are 0.
fn share([own, other]: Shares) -> Option<f64> {
    let both = own + other;
    (both > 0).then(|| own as f64 / both as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::go::SmallGo;
    use tengen::games::nogo::SmallNoGo;

    /// Black captures a stone in the corner of 3x3 and so owns the point; White has nothing left.
    fn corner() -> SmallGo {
        let mut position = SmallGo::new(BoardSize::square(3)).unwrap();
        // B1, A1; A2 captures A1.
        for mv in [1, 0, 3] {
            position.play(Move(mv));
        }
        position
    }

    #[test]
    fn area_and_prisoners_make_the_utility() {
        let position = corner();
        assert_eq!(position.shares(Color::Black), [[9, 0], [1, 0]]);
        assert_eq!(position.shares(Color::White), [[0, 9], [0, 1]]);
        assert_eq!(utility(&position, Color::Black), 1.0);
        assert_eq!(utility(&position, Color::White), 0.0);
        let empty = SmallGo::new(BoardSize::square(3)).unwrap();
        assert_eq!(utility(&empty, Color::White), 0.0);
        assert_eq!(position.worth(Color::Black), 1.0);
    }

    #[test]
    fn in_nogo_open_points_are_area() {
        // White's eye at A1 on 2x2 plus a column: Black may not play there.
        let mut position = SmallNoGo::new(BoardSize::new(3, 2)).unwrap();
        for (mv, color) in [(1, Color::White), (3, Color::White)] {
            position.set_to_move(color);
            position.play(Move(mv));
        }
        let [open, own] = position.shares(Color::White);
        assert!(open[0] > open[1] && own[0] > 0 && own[1] == 0);
    }

    #[test]
    fn a_win_in_nogo_is_worth_one() {
        let mut position = SmallNoGo::new(BoardSize::new(2, 1)).unwrap();
        position.play(Move(0));
        assert_eq!(position.points(Color::Black), [1, 0]);
        assert_eq!(position.worth(Color::White), 0.0);
    }
}
