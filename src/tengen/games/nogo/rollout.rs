//! NoGo's random rollouts: every point is visited once, and spare moves are played last.

use rand::Rng;

use super::NoGo;
use crate::game::{Bits, Color, Game, Move, Outcome};
use crate::rollout::{Played, Rollout, RolloutPolicy, Tally, below};

impl<const WORDS: usize> Rollout for NoGo<WORDS> {
    /// The policy plays points that only one side can play last: waiting costs that side nothing,
    /// so they are its spare moves. Worth 636 Elo over [`RolloutPolicy::Uniform`] at 1,000 rollouts
    /// (docs/methods.md#rollouts).
    fn finish<R: Rng>(
        &mut self,
        policy: RolloutPolicy,
        rng: &mut R,
        played: &mut Played,
        _tally: &mut Tally,
    ) -> Outcome {
        match policy {
            RolloutPolicy::Uniform => play_uniform(self, rng),
            RolloutPolicy::Own => {
                play_shared(self, rng);
                play_private(self, rng);
            }
        }
        // Stones are permanent, so the board contains all moves.
        for color in Color::BOTH {
            let stones = self.stones(color);
            stones.iter().for_each(|point| played.add(color, point));
        }
        Outcome::win(self.to_move().opponent())
    }

    /// By the moves that only one side has left: NoGo is a race for the last move.
    fn appeal(&self, moves: &[Move]) -> Vec<f32> {
        let appeal = |&mv: &Move| {
            let next = self.after(mv);
            let [own, theirs] = [self.to_move(), next.to_move()].map(|color| next.legal(color));
            (own & !theirs).count() as f32 - (theirs & !own).count() as f32
        };
        moves.iter().map(appeal).collect()
    }
}

/// Points in random order, each returned once.
///
/// Because legality is monotone, a point that was refused once is refused forever. Walking down one
/// random order and playing the first legal point is therefore the same as choosing uniformly among
/// the legal points at each move, and it visits each point once.
struct RandomOrder<const WORDS: usize> {
    points: [[Move; 64]; WORDS],
    next: usize,
    len: usize,
}

impl<const WORDS: usize> RandomOrder<WORDS> {
    fn new(points: Bits<WORDS>) -> Self {
        let mut order = RandomOrder {
            points: [[Move(0); 64]; WORDS],
            next: 0,
            len: 0,
        };
        let flat = order.points.as_flattened_mut();
        for point in points.iter() {
            flat[order.len] = point;
            order.len += 1;
        }
        order
    }

    /// The next point: one step of a Fisher-Yates shuffle.
    fn next<R: Rng>(&mut self, rng: &mut R) -> Option<Move> {
        if self.next == self.len {
            return None;
        }
        let flat = self.points.as_flattened_mut();
        flat.swap(self.next, self.next + below(rng, self.len - self.next));
        self.next += 1;
        Some(flat[self.next - 1])
    }
}

fn play_uniform<const WORDS: usize, R: Rng>(position: &mut NoGo<WORDS>, rng: &mut R) {
    let mut orders = Color::BOTH.map(|color| RandomOrder::new(position.legal(color)));
    while let Some(point) = orders[position.to_move().index()].next(rng) {
        if position.is_legal(point) {
            position.play(point);
        }
    }
}

/// Plays points that both sides can play, until there are none.
fn play_shared<const WORDS: usize, R: Rng>(position: &mut NoGo<WORDS>, rng: &mut R) {
    let shared =
        |position: &NoGo<WORDS>| position.legal(Color::Black) & position.legal(Color::White);
    let mut order = RandomOrder::new(shared(position));
    while let Some(point) = order.next(rng) {
        if shared(position).contains(point) {
            position.play(point);
        }
    }
}

/// Plays the points that only the side to move can play, until one side has none.
fn play_private<const WORDS: usize, R: Rng>(position: &mut NoGo<WORDS>, rng: &mut R) {
    loop {
        let own = position.legal(position.to_move());
        // `below` needs no choice when nothing is left: the rank is then out of range.
        let Some(point) = own.nth(below(rng, own.count())) else {
            return;
        };
        position.play(point);
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::game::BoardSize;
    use crate::games::nogo::SmallNoGo;
    use crate::games::nogo::tests::from_stones;

    #[test]
    fn rollouts_end_where_neither_side_can_move() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        for policy in [RolloutPolicy::Uniform, RolloutPolicy::Own] {
            for side in [1, 2, 3, 5, 9] {
                for _ in 0..100 {
                    let mut position = SmallNoGo::new(BoardSize::square(side)).unwrap();
                    let mut played = Played::default();
                    played.clear(&position);
                    let outcome =
                        position.finish(policy, &mut rng, &mut played, &mut Tally::default());
                    assert_eq!(
                        position.outcome(),
                        Some(outcome),
                        "{policy:?} on {side}x{side}"
                    );
                }
            }
        }
    }

    /// Random games last 74.4 plies on average and are fair (docs/methods.md#nogo).
    #[test]
    fn uniform_rollouts_have_the_known_length_and_are_fair() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
        let (mut plies, mut black, games) = (0, 0, 4000);
        for _ in 0..games {
            let mut position = SmallNoGo::new(BoardSize::square(9)).unwrap();
            let mut played = Played::default();
            played.clear(&position);
            let outcome = position.finish(
                RolloutPolicy::Uniform,
                &mut rng,
                &mut played,
                &mut Tally::default(),
            );
            plies += position.ply();
            black += u32::from(outcome == Outcome::win(Color::Black));
        }
        let mean = f64::from(plies) / f64::from(games);
        assert!((mean - 74.4).abs() < 0.3, "mean length {mean}");
        // Four standard errors of a fair coin.
        let share = f64::from(black) / f64::from(games);
        assert!(
            (share - 0.5).abs() < 4.0 * 0.5 / f64::from(games).sqrt(),
            "Black wins {share}"
        );
    }

    /// Chi-squared with 3 degrees of freedom, 0.1% level.
    #[test]
    fn a_random_order_starts_anywhere_alike() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let start = SmallNoGo::new(BoardSize::square(2)).unwrap();
        let (mut counts, trials) = ([0_u32; 4], 8000);
        for _ in 0..trials {
            let mut order = RandomOrder::new(start.legal(Color::Black));
            counts[order.next(&mut rng).unwrap().index()] += 1;
        }
        let expected = f64::from(trials) / 4.0;
        let chi2: f64 = counts
            .iter()
            .map(|&c| (f64::from(c) - expected).powi(2) / expected)
            .sum();
        assert!(chi2 < 16.27, "{counts:?}");
    }

    #[test]
    fn private_points_wait_until_no_shared_point_is_left() {
        // White's corner eye: only White may ever play A1 while Black has shared points elsewhere.
        let empty = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let white = [Move(1), Move(5)].into_iter().collect();
        let start = from_stones(&empty, [Bits::EMPTY, white], Color::White, None).unwrap();
        assert!(!start.legal(Color::Black).contains(Move(0)));
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
        for _ in 0..100 {
            let mut position = start.clone();
            play_shared(&mut position, &mut rng);
            assert!(position.stone(Move(0)).is_none());
            let shared = position.legal(Color::Black) & position.legal(Color::White);
            assert!(shared.is_empty());
        }
    }

    /// Static preferences beat the first legal point, and a random one.
    #[test]
    fn the_static_policy_beats_chance() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let games = 100;
        let won = |game: u32, rng: &mut Xoshiro256PlusPlus| {
            let mut position = SmallNoGo::new(BoardSize::square(9)).unwrap();
            let ours = Color::BOTH[(game % 2) as usize];
            while position.outcome().is_none() {
                let moves: Vec<Move> = position.legal_moves().collect();
                let at = match position.to_move() == ours && position.ply() > 3 {
                    true => {
                        let appeal = position.appeal(&moves);
                        (0..moves.len()).max_by(|&a, &b| appeal[a].total_cmp(&appeal[b]))
                    }
                    false => Some(below(rng, moves.len())),
                };
                position.play(moves[at.unwrap()]);
            }
            position.outcome() == Some(Outcome::win(ours))
        };
        let wins = (0..games).filter(|&game| won(game, &mut rng)).count();
        assert!(wins >= 95, "{wins} of {games}");
    }
}
