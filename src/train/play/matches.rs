//! Matches without processes: networks and playouts in colour-swapped pairs of games, many games
//! per batch. Ten times cheaper than GTP engines, and with the small search of [`crate::play::mcts`]: for
//! comparing networks with each other, not for the engine's strength under a clock.

mod game;

pub use game::{MatchParams, MatchPlayer};

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use game::MatchGame;

use crate::TrainError;
use crate::play::eval_batch::{EvalBatch, TaskControl, run_tasks};
use crate::play::threads::on_threads;
use tengen::encode::Encode;
use tengen::rollout::Rollout;
use tengen::stats::GameResult;

/// One pair of games: the first player's results, as Black first.
pub type PairResult = [GameResult; 2];

/// Plays a match; returns the pairs in the order of their openings. `observe` is called after each
/// finished pair, in the same order, and may abort the match.
///
/// # Errors
/// [`TrainError`] when a network does not fit or fails, or `observe` does.
pub fn play_match<G: Encode + Rollout>(
    start: &G,
    players: [&MatchPlayer; 2],
    plan: &MatchParams,
    mut observe: impl FnMut(&[PairResult]) -> Result<ControlFlow<()>, TrainError>,
) -> Result<Vec<PairResult>, TrainError> {
    let next = AtomicU64::new(2 * u64::from(plan.first));
    let control = TaskControl::default();
    let mut waiting: BTreeMap<u64, GameResult> = BTreeMap::new();
    let mut pairs: Vec<PairResult> = Vec::new();
    on_threads(
        "match",
        plan.threads,
        &control,
        |done| play_games(start, players, plan, &next, &control, done),
        |game| {
            waiting.extend(game);
            while let Some(pair) = next_pair(&mut waiting, plan.first as usize + pairs.len()) {
                pairs.push(pair);
                if observe(&pairs)?.is_break() {
                    return Ok(ControlFlow::Break(()));
                }
            }
            Ok(ControlFlow::Continue(()))
        },
    )?;
    Ok(pairs)
}

/// Removes the games of a pair when both are finished.
fn next_pair(waiting: &mut BTreeMap<u64, GameResult>, pair: usize) -> Option<PairResult> {
    let first = 2 * pair as u64;
    let both = [*waiting.get(&first)?, *waiting.get(&(first + 1))?];
    waiting.retain(|&game, _| game > first + 1);
    Some(both)
}

/// Plays games; `done` gets the number of each and the first player's result.
fn play_games<G: Encode + Rollout>(
    start: &G,
    players: [&MatchPlayer; 2],
    plan: &MatchParams,
    next: &AtomicU64,
    control: &TaskControl,
    done: &mut dyn FnMut((u64, GameResult)) -> ControlFlow<()>,
) -> Result<(), TrainError> {
    let networks = players.iter().filter_map(|player| match player {
        MatchPlayer::Network { network, .. } => Some(EvalBatch::new(network, start)),
        MatchPlayer::Rollouts(_) | MatchPlayer::PlainUct(_) => None,
    });
    let mut batches = networks.collect::<Result<Vec<_>, TrainError>>()?;
    let next_task = || {
        // Relaxed: the counter orders nothing else.
        let game = next.fetch_add(1, Ordering::Relaxed);
        let end = 2 * (u64::from(plan.first) + u64::from(plan.pairs));
        (game < end).then(|| MatchGame::new(start, players, plan, game))
    };
    let finished = |game: MatchGame<G>| done((game.number, game.result()));
    run_tasks(&mut batches, plan.concurrent, next_task, finished, control)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::eval_batch::tests::info;
    use tengen::game::{BoardSize, Game};
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::eval::EvaluatorFactory;

    fn plan(pairs: u32) -> MatchParams {
        MatchParams {
            first: 0,
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

    fn network(visits: u32) -> MatchPlayer {
        MatchPlayer::Network {
            network: Box::new(EvaluatorFactory::uniform(info(BoardSize::square(5)))),
            visits,
        }
    }

    fn play(players: [&MatchPlayer; 2], plan: &MatchParams) -> Vec<PairResult> {
        play_match(&start(), players, plan, |_| Ok(ControlFlow::Continue(()))).unwrap()
    }

    fn wins(pairs: &[PairResult]) -> usize {
        let games = pairs.iter().flatten();
        games.filter(|&&result| result == GameResult::Win).count()
    }

    #[test]
    fn more_thought_wins_and_the_table_may_be_turned() {
        let (weak, strong) = (MatchPlayer::Rollouts(5), MatchPlayer::Rollouts(300));
        let pairs = play([&strong, &weak], &plan(10));
        assert_eq!(pairs.len(), 10);
        assert!(wins(&pairs) >= 15, "{pairs:?}");
        assert!(wins(&play([&weak, &strong], &plan(10))) <= 5);
        assert!(wins(&play([&network(200), &MatchPlayer::Rollouts(2)], &plan(10))) >= 13);
    }

    #[test]
    fn threads_and_company_do_not_change_results() {
        let (a, b) = (network(16), MatchPlayer::Rollouts(20));
        let alone = MatchParams {
            threads: 1,
            concurrent: 1,
            ..plan(6)
        };
        assert_eq!(play([&a, &b], &alone), play([&a, &b], &plan(6)));
    }

    #[test]
    fn a_match_is_the_sum_of_its_parts() {
        let (a, b) = (network(16), MatchPlayer::Rollouts(20));
        let part = |first, pairs| {
            let plan = MatchParams {
                first,
                ..plan(pairs)
            };
            play([&a, &b], &plan)
        };
        let parts = [part(0, 2), part(2, 3), part(5, 1)].concat();
        assert_eq!(parts, play([&a, &b], &plan(6)));
    }

    #[test]
    fn a_player_scores_half_against_itself_in_every_pair() {
        // Without noise and with the same network, the two games of a pair are identical.
        for pair in play([&network(8), &network(8)], &plan(8)) {
            assert_eq!(pair[0], pair[1].reversed());
        }
    }

    #[test]
    fn a_decided_match_stops() {
        let (a, b) = (network(8), MatchPlayer::Rollouts(8));
        let mut seen = Vec::new();
        let pairs = play_match(&start(), [&a, &b], &plan(200), |pairs| {
            seen.push(pairs.len());
            Ok(match pairs.len() {
                5 => ControlFlow::Break(()),
                _ => ControlFlow::Continue(()),
            })
        });
        assert_eq!(pairs.unwrap().len(), 5);
        assert_eq!(seen, [1, 2, 3, 4, 5]);
    }
}
