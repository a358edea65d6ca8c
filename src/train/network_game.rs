//! One game of self-play by a network, as a task that asks for one evaluation after another.

use std::cell::RefCell;

use rand::{Rng, RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ending::finish;
use super::mcts::{MctsParams, RootRule, Search};
use super::pool::Task;
use super::rebuild::Rebuild;
use super::row::{Row, Target};
use super::selfplay::{PlayedGame, SelfPlayParams, choose, open};
use crate::game::{Move, Outcome};

/// How a network plays against itself.
#[derive(Debug, Clone, PartialEq)]
pub struct NetworkPlay {
    /// The search.
    pub mcts: MctsParams,
    /// Playouts of a full search.
    pub visits: u32,
    /// Share of the positions that get a full search; the others' policies are not learnt
    /// (playout cap randomisation, Wu 2019, section 3.1). 1 searches all in full.
    pub full_share: f32,
    /// Playouts of the other searches.
    pub fast_visits: u32,
    /// How games are made diverse. Under a Gumbel root the moves before the last of
    /// `temperature_plies` are the halving's winners, drawn by the improved policy.
    pub selfplay: SelfPlayParams,
}

/// A proof of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Proven {
    /// The result with best play.
    pub outcome: Outcome,
    /// A move that keeps it; `None` where all do.
    pub keeps: Option<Move>,
}

/// Whoever can prove endings. What it finds must depend on the position only: the games of a
/// thread share one.
pub trait Prover<G> {
    /// The result of a position that has a legal move, if it is found within the prover's effort.
    fn prove(&mut self, position: &G) -> Option<Proven>;
}

/// A game in progress.
pub struct NetworkGame<'a, G, P> {
    number: u64,
    salt: u64,
    params: &'a NetworkPlay,
    prover: &'a RefCell<P>,
    start: G,
    position: G,
    moves: Vec<Move>,
    rows: Vec<Row>,
    search: Search<G>,
    rng: Xoshiro256PlusPlus,
    full: bool,
    /// Set when the game is over or its winner proven.
    outcome: Option<Outcome>,
}

impl<'a, G: Rebuild, P: Prover<G>> NetworkGame<'a, G, P> {
    /// Game `number`, which depends on `seed`, the settings, the network and the prover only.
    #[must_use]
    pub fn new(
        start: &G,
        number: u64,
        seed: u64,
        params: &'a NetworkPlay,
        prover: &'a RefCell<P>,
    ) -> Self {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let moves = open(start, params.selfplay.opening_plies, &mut rng);
        let mut position = start.clone();
        moves.iter().for_each(|&mv| position.play(mv));
        let mut game = NetworkGame {
            number,
            salt: rng.next_u64(),
            params,
            prover,
            start: start.clone(),
            search: Search::new(params.mcts.clone(), start, rng.next_u64()),
            position,
            moves,
            rows: Vec::new(),
            rng,
            full: true,
            outcome: None,
        };
        game.begin_move();
        game
    }

    /// The finished game; `None` before its end.
    #[must_use]
    pub fn finish(mut self) -> Option<PlayedGame> {
        let outcome = self.outcome?;
        finish(&mut self.rows, &self.start, &self.moves, outcome);
        Some(PlayedGame {
            game: self.number,
            rows: self.rows,
            moves: self.moves,
            outcome,
        })
    }

    /// Looks whether the game is over, or its result known; else begins a search.
    fn begin_move(&mut self) {
        if let Some(outcome) = self.position.outcome() {
            self.outcome = Some(outcome);
            return;
        }
        // Let go of the prover before playing on.
        let proven = self.prover.borrow_mut().prove(&self.position);
        if let Some(proven) = proven {
            self.play_out(proven);
            return;
        }
        let share = self.params.full_share;
        self.full = share >= 1.0 || self.rng.random::<f32>() < share;
        let visits = if self.full {
            self.params.visits
        } else {
            self.params.fast_visits
        };
        self.search.begin(&self.position, visits, self.full);
    }

    /// Records the proven position and plays on to the end, for the targets that the end gives:
    /// the winner keeps the result, the loser plays any move.
    fn play_out(&mut self, proven: Proven) {
        let target = Target {
            policy: Vec::new(),
            policy_weight: 0.0,
            exact: Some(proven.outcome),
            ..Target::new(
                Vec::new(),
                proven.outcome.value_for(self.position.to_move()),
            )
        };
        let row = Row::record(self.number, &self.position, &target);
        self.rows.push(row);
        let mut known = Some(proven);
        while self.position.outcome().is_none() {
            let prove = || self.prover.borrow_mut().prove(&self.position);
            let keeps = known.take().or_else(prove).and_then(|known| known.keeps);
            let any = self.rng.random_range(0..self.position.legal_count());
            let any = self.position.legal_moves().nth(any);
            let Some(mv) = keeps.or(any) else {
                break;
            };
            self.position.play(mv);
            self.moves.push(mv);
        }
        self.outcome = Some(proven.outcome);
    }

    /// Records what the search found and plays.
    fn end_move(&mut self) {
        let Some(found) = self.search.found() else {
            return;
        };
        let target = Target {
            policy_weight: f32::from(u8::from(self.full)),
            surprise: found.surprise,
            ..Target::new(found.policy, found.value)
        };
        let row = Row::record(self.number, &self.position, &target);
        self.rows.push(row);
        let plies = f32::from(self.params.selfplay.temperature_plies.max(1));
        let temperature = 1.0 - self.position.ply() as f32 / plies;
        let mv = match self.params.mcts.root {
            RootRule::Gumbel(_) if temperature > 0.0 => found.sampled,
            RootRule::Gumbel(_) => found.best,
            RootRule::Puct { .. } => choose(&found.visits, temperature, &mut self.rng),
        };
        self.moves.push(mv);
        self.position.play(mv);
        self.begin_move();
    }
}

impl<G: Rebuild, P: Prover<G>> Task<G> for NetworkGame<'_, G, P> {
    fn wanted(&mut self) -> Option<(usize, &G)> {
        while self.outcome.is_none() && self.search.wanted().is_none() {
            self.end_move();
        }
        if self.outcome.is_some() {
            return None;
        }
        self.search.wanted().map(|position| (0, position))
    }

    fn answer(&mut self, policy: &[f32], value: f32) {
        self.search.answer(policy, value);
    }

    fn salt(&self) -> u64 {
        self.salt
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicU64;

    use super::*;
    use crate::eval::EvaluatorFactory;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Color, Game};
    use crate::train::mcts::GumbelParams;
    use crate::train::pool::tests::info;
    use crate::train::pool::{Desk, work};
    use crate::train::prover::EndingProver;
    use crate::train::scratch::Scratch;

    fn no_prover() -> EndingProver<SmallNoGo> {
        EndingProver::new(0)
    }

    fn settings(root: RootRule) -> NetworkPlay {
        NetworkPlay {
            mcts: MctsParams {
                root,
                ..MctsParams::player()
            },
            visits: 12,
            full_share: 1.0,
            fast_visits: 3,
            selfplay: SelfPlayParams::default(),
        }
    }

    fn gumbel() -> NetworkPlay {
        settings(RootRule::Gumbel(GumbelParams::default()))
    }

    fn puct() -> NetworkPlay {
        NetworkPlay {
            full_share: 0.4,
            ..settings(RootRule::Puct {
                forced_playouts: 2.0,
            })
        }
    }

    /// Games 0 to 9 on 5x5, so many at a time, in their order.
    fn games<P: Prover<SmallNoGo>>(play: &NetworkPlay, slots: usize, prover: P) -> Vec<PlayedGame> {
        let prover = RefCell::new(prover);
        let size = BoardSize::square(5);
        let start = SmallNoGo::new(size).unwrap();
        let factory = EvaluatorFactory::hash(info(size));
        let mut desk = Desk::new(&factory, &start).unwrap();
        let mut numbers = 0..10;
        let mut played = Vec::new();
        let supply = || {
            numbers
                .next()
                .map(|number| NetworkGame::new(&start, number, number, play, &prover))
        };
        let finished = |game: NetworkGame<'_, SmallNoGo, P>| {
            played.push(game.finish().unwrap());
            std::ops::ControlFlow::Continue(())
        };
        let count = AtomicU64::new(0);
        work(
            std::slice::from_mut(&mut desk),
            slots,
            supply,
            finished,
            &count,
        )
        .unwrap();
        played.sort_by_key(|game| game.game);
        played
    }

    #[test]
    fn a_game_depends_on_its_seed_and_not_on_its_company() {
        for play in [gumbel(), puct()] {
            let alone = games(&play, 1, no_prover());
            assert_eq!(games(&play, 7, no_prover()), alone);
            assert_ne!(alone[0].moves, alone[1].moves);
        }
    }

    #[test]
    fn rows_are_the_game() {
        for (play, full_only) in [(gumbel(), true), (puct(), false)] {
            for game in games(&play, 10, no_prover()) {
                let opening = game.moves.len() - game.rows.len();
                assert!(opening <= 6);
                for (place, row) in game.rows.iter().enumerate() {
                    assert_eq!(usize::from(row.ply), opening + place);
                    assert!(row.ending.is_some() && !row.policy.is_empty());
                    assert_eq!(row.outcome(), game.outcome);
                }
                let cheap = game.rows.iter().any(|row| row.policy_weight == 0.0);
                assert_ne!(cheap, full_only);
            }
        }
    }

    /// Knows every result from ply 12 on, by trying all moves.
    struct Brute;

    fn wins(position: &SmallNoGo) -> Option<Move> {
        position.legal_moves().find(|&mv| {
            let mut next = position.clone();
            next.play(mv);
            wins(&next).is_none()
        })
    }

    impl Prover<SmallNoGo> for Brute {
        fn prove(&mut self, position: &SmallNoGo) -> Option<Proven> {
            if position.ply() < 12 {
                return None;
            }
            let (me, best) = (position.to_move(), wins(position));
            Some(Proven {
                outcome: Outcome::Win(if best.is_some() { me } else { me.opponent() }),
                keeps: best,
            })
        }
    }

    #[test]
    fn a_proof_ends_the_search_and_the_rest_keeps_the_result() {
        let mut black = 0;
        for game in games(&gumbel(), 10, Brute) {
            let last = game.rows.last().unwrap();
            assert!(last.exact && last.ply <= 12 && last.policy_weight == 0.0);
            assert_eq!(last.outcome(), game.outcome);
            assert!(last.ending.is_some(), "the game was played to its end");
            assert!(game.moves.len() >= usize::from(last.ply));
            black += usize::from(game.outcome == Outcome::Win(Color::Black));
        }
        assert!((1..10).contains(&black), "{black}");
    }

    #[test]
    fn a_crew_of_networks_fills_shards_with_the_same_games() {
        use crate::train::crew::NetworkCrew;
        use crate::train::generate::{generate, tests::plan};
        use crate::train::shard;
        let size = BoardSize::square(5);
        let start = SmallNoGo::new(size).unwrap();
        let scratch = Scratch::new("network-crew");
        let mut plan = plan(10);
        (plan.sgf_every, plan.seed) = (5, 0);
        let factory = EvaluatorFactory::hash(info(size));
        let play = gumbel();
        let crew = NetworkCrew {
            network: &factory,
            play: &play,
            concurrent: 4,
            prover: no_prover,
        };
        let done = generate(&start, &plan, scratch.path(), &crew, |_| ()).unwrap();
        assert!(done.games == 10 && done.evaluations > 1000, "{done:?}");
        let rows = shard::read(&shard::list(scratch.path()).unwrap()[0])
            .unwrap()
            .rows;
        assert!(rows.iter().all(|row| row.ending.is_some()));
        assert_eq!(
            std::fs::read_dir(scratch.path().join("sgf"))
                .unwrap()
                .count(),
            2
        );
    }
}
