//! Matches without processes: networks and playouts in colour-swapped pairs of games, many games a
//! batch. Ten times cheaper than GTP engines, and with the small search of [`super::mcts`]: for
//! comparing networks with each other, not for what the engine achieves under a clock.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::TrainError;
use super::mcts::{MctsParams, Search};
use super::pool::{Desk, Task, work};
use crate::encode::Encode;
use crate::eval::EvaluatorFactory;
use crate::game::{Color, Game, Outcome};
use crate::referee::stats::Score;
use crate::rollout::{Playout, Rave, RaveParams};

/// A player.
#[derive(Debug, Clone)]
pub enum Player {
    /// A network with so many playouts a move and no noise.
    Network {
        /// The network.
        network: Box<EvaluatorFactory>,
        /// Playouts a move.
        visits: u32,
    },
    /// RAVE with so many random playouts a move.
    Rollouts(u64),
}

/// A match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Match {
    /// Openings; each is played twice, with colours swapped.
    pub pairs: u32,
    /// Uniformly random plies that open a game.
    pub opening_plies: u16,
    /// Fixes the openings and the playouts.
    pub seed: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Games that a thread plays at the same time.
    pub concurrent: usize,
}

/// One pair of games: the first player's results, as Black first.
pub type PairResult = [Score; 2];

/// Plays a match; answers the pairs in the order of their openings. `observe` is called after each
/// finished pair, in that order too, and may break the match off.
///
/// # Errors
/// [`TrainError`] when a network does not fit or fails.
pub fn contest<G: Encode + Playout>(
    start: &G,
    players: [&Player; 2],
    plan: &Match,
    mut observe: impl FnMut(&[PairResult]) -> ControlFlow<()>,
) -> Result<Vec<PairResult>, TrainError> {
    let next = AtomicU64::new(0);
    let stop = AtomicBool::new(false);
    let (sender, receiver) = sync_channel(64);
    let mut pairs: Vec<PairResult> = Vec::new();
    thread::scope(|scope| {
        for index in 0..plan.threads.max(1) {
            let (sender, next, stop) = (sender.clone(), &next, &stop);
            let worker = move || {
                if let Err(error) = play_games(start, players, plan, (next, stop), &sender) {
                    // Nobody listens any more when the match was broken off.
                    let _ = sender.send(Err(error));
                }
            };
            thread::Builder::new()
                .name(format!("contest-{index}"))
                .spawn_scoped(scope, worker)
                .map_err(|error| TrainError::Setting(format!("cannot start a thread: {error}")))?;
        }
        drop(sender);
        let mut waiting: BTreeMap<u64, Score> = BTreeMap::new();
        'results: for result in &receiver {
            let (game, score) = result.inspect_err(|_| stop.store(true, Ordering::Relaxed))?;
            waiting.insert(game, score);
            while let Some(pair) = next_pair(&mut waiting, pairs.len()) {
                pairs.push(pair);
                if observe(&pairs).is_break() {
                    stop.store(true, Ordering::Relaxed);
                    break 'results;
                }
            }
        }
        // Workers that still send find nobody and end.
        drop(receiver);
        Ok::<(), TrainError>(())
    })?;
    Ok(pairs)
}

/// Takes out the games of a pair when both are there.
fn next_pair(waiting: &mut BTreeMap<u64, Score>, pair: usize) -> Option<PairResult> {
    let first = 2 * pair as u64;
    let both = [*waiting.get(&first)?, *waiting.get(&(first + 1))?];
    waiting.retain(|&game, _| game > first + 1);
    Some(both)
}

/// A game's number and the first player's result, or why there are no more.
type Sent = Result<(u64, Score), TrainError>;

fn play_games<G: Encode + Playout>(
    start: &G,
    players: [&Player; 2],
    plan: &Match,
    (next, stop): (&AtomicU64, &AtomicBool),
    sender: &SyncSender<Sent>,
) -> Result<(), TrainError> {
    let mut desks = Vec::new();
    let mut places = [0; 2];
    for (place, player) in places.iter_mut().zip(players) {
        *place = desks.len();
        if let Player::Network { network, .. } = player {
            desks.push(Desk::new(network, start)?);
        }
    }
    let supply = || {
        // Relaxed: the counter and the flag stand for nothing but themselves.
        let game = next.fetch_add(1, Ordering::Relaxed);
        let go_on = game < 2 * u64::from(plan.pairs) && !stop.load(Ordering::Relaxed);
        go_on.then(|| Duel::new(start, players, places, plan, game))
    };
    let finished = |duel: Duel<G>| {
        if stop.load(Ordering::Relaxed) || sender.send(Ok((duel.game, duel.score()))).is_err() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    };
    let evaluations = AtomicU64::new(0);
    work(&mut desks, plan.concurrent, supply, finished, &evaluations)?;
    Ok(())
}

/// What a player needs for one game.
enum Seat<G> {
    Network {
        search: Search<G>,
        visits: u32,
        desk: usize,
        /// Whether the search is about the position on the board.
        begun: bool,
    },
    Rollouts {
        rave: Rave,
        playouts: u64,
    },
}

/// A game between two players.
struct Duel<G> {
    game: u64,
    salt: u64,
    position: G,
    seats: [Seat<G>; 2],
}

impl<G: Encode + Playout> Duel<G> {
    fn new(
        start: &G,
        players: [&Player; 2],
        desks: [usize; 2],
        plan: &Match,
        game: u64,
    ) -> Duel<G> {
        let seed = |number: u64| plan.seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        // Both games of a pair have the same opening and different players' seeds.
        let mut opening = Xoshiro256PlusPlus::seed_from_u64(seed(game / 2));
        let position = open(start, plan.opening_plies, &mut opening);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(!seed(game));
        let mut seat = |player: usize| match players[player] {
            Player::Network { visits, .. } => Seat::Network {
                search: Search::new(MctsParams::player(), start, rng.next_u64()),
                visits: *visits,
                desk: desks[player],
                begun: false,
            },
            Player::Rollouts(playouts) => Seat::Rollouts {
                rave: Rave::new(RaveParams::default(), rng.next_u64()),
                playouts: *playouts,
            },
        };
        let seats = [seat(0), seat(1)];
        Duel {
            game,
            salt: rng.next_u64(),
            position,
            seats,
        }
    }

    /// The first player's colour.
    fn first(&self) -> Color {
        Color::BOTH[(self.game % 2) as usize]
    }

    /// The first player's result.
    fn score(&self) -> Score {
        match self.position.outcome() {
            Some(Outcome::Win(winner)) if winner == self.first() => Score::Win,
            Some(Outcome::Win(_)) => Score::Loss,
            _ => Score::Draw,
        }
    }

    /// Whose turn it is: 0 for the first player.
    fn turn(&self) -> usize {
        usize::from(self.position.to_move() != self.first())
    }
}

impl<G: Encode + Playout> Task<G> for Duel<G> {
    fn wanted(&mut self) -> Option<(usize, &G)> {
        while self.position.outcome().is_none() {
            let turn = self.turn();
            let mv = match &mut self.seats[turn] {
                Seat::Rollouts { rave, playouts } => {
                    let report = rave.search(&self.position, |made| made < *playouts);
                    report.moves.first().map(|best| best.mv)
                }
                Seat::Network {
                    search,
                    visits,
                    begun,
                    ..
                } => {
                    if !std::mem::replace(begun, true) {
                        search.begin(&self.position, *visits, false);
                    }
                    if search.wanted().is_some() {
                        break;
                    }
                    *begun = false;
                    search.found().map(|found| found.best)
                }
            };
            // A position that goes on has a legal move, and so both kinds of search find one.
            self.position.play(mv?);
        }
        let turn = self.turn();
        match &mut self.seats[turn] {
            Seat::Network { search, desk, .. } if self.position.outcome().is_none() => {
                search.wanted().map(|position| (*desk, position))
            }
            _ => None,
        }
    }

    fn answer(&mut self, policy: &[f32], value: f32) {
        let turn = self.turn();
        if let Seat::Network { search, .. } = &mut self.seats[turn] {
            search.answer(policy, value);
        }
    }

    fn salt(&self) -> u64 {
        self.salt
    }
}

/// Plays so many random plies, fewer where one more would end the game.
fn open<G: Game>(start: &G, plies: u16, rng: &mut impl Rng) -> G {
    let mut position = start.clone();
    for _ in 0..plies {
        let mut next = position.clone();
        let place = rng.random_range(0..position.legal_count().max(1));
        let Some(mv) = position.legal_moves().nth(place) else {
            break;
        };
        next.play(mv);
        if next.outcome().is_some() {
            break;
        }
        position = next;
    }
    position
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::game::nogo::SmallNoGo;
    use crate::train::pool::tests::info;

    fn plan(pairs: u32) -> Match {
        Match {
            pairs,
            opening_plies: 2,
            seed: 3,
            threads: 2,
            concurrent: 4,
        }
    }

    fn start() -> SmallNoGo {
        SmallNoGo::new(BoardSize::square(5)).unwrap()
    }

    fn network(visits: u32) -> Player {
        Player::Network {
            network: Box::new(EvaluatorFactory::uniform(info(BoardSize::square(5)))),
            visits,
        }
    }

    fn play(players: [&Player; 2], plan: &Match) -> Vec<PairResult> {
        contest(&start(), players, plan, |_| ControlFlow::Continue(())).unwrap()
    }

    fn wins(pairs: &[PairResult]) -> usize {
        let games = pairs.iter().flatten();
        games.filter(|&&score| score == Score::Win).count()
    }

    #[test]
    fn more_thought_wins_and_the_table_may_be_turned() {
        let (weak, strong) = (Player::Rollouts(5), Player::Rollouts(300));
        let pairs = play([&strong, &weak], &plan(10));
        assert_eq!(pairs.len(), 10);
        assert!(wins(&pairs) >= 15, "{pairs:?}");
        assert!(wins(&play([&weak, &strong], &plan(10))) <= 5);
        assert!(wins(&play([&network(200), &Player::Rollouts(2)], &plan(10))) >= 13);
    }

    #[test]
    fn threads_and_company_do_not_change_results() {
        let (a, b) = (network(16), Player::Rollouts(20));
        let alone = Match {
            threads: 1,
            concurrent: 1,
            ..plan(6)
        };
        assert_eq!(play([&a, &b], &alone), play([&a, &b], &plan(6)));
    }

    #[test]
    fn a_player_scores_half_against_itself_in_every_pair() {
        // Without noise and with the same network, the two games of a pair are the same game.
        for pair in play([&network(8), &network(8)], &plan(8)) {
            assert_eq!(pair[0], pair[1].reversed());
        }
    }

    #[test]
    fn a_decided_match_stops() {
        let (a, b) = (network(8), Player::Rollouts(8));
        let mut seen = Vec::new();
        let pairs = contest(&start(), [&a, &b], &plan(200), |pairs| {
            seen.push(pairs.len());
            if pairs.len() == 5 {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        assert_eq!(pairs.unwrap().len(), 5);
        assert_eq!(seen, [1, 2, 3, 4, 5]);
    }
}
