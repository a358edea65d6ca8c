use super::*;
use crate::play::eval_batch::tests::info;
use crate::play::eval_batch::{EvalBatch, TaskControl, run_tasks};
use crate::play::settings::PROVE_FROM;
use tengen::game::{BoardSize, Color, Game};
use tengen::games::nogo::SmallNoGo;
use tengen_nn::eval::EvaluatorFactory;
use tengen_nn::files::scratch::Scratch;

/// Settings, and how a network plays with them.
type Play = (SelfPlay, MctsParams);

fn play(root: RootRule, settings: SelfPlay) -> Play {
    let play = MctsParams {
        root,
        ..MctsParams::player(12)
    };
    (settings, play)
}

fn gumbel() -> Play {
    play(RootRule::Gumbel, SelfPlay::default())
}

fn puct() -> Play {
    play(RootRule::Puct, SelfPlay::default())
}

/// Games that the solver ends some moves before they would.
fn proving() -> Play {
    let (settings, play) = gumbel();
    let settings = SelfPlay {
        prove_nodes: 100_000,
        prove_from: 10,
        ..settings
    };
    (settings, play)
}

/// Games 0 to 9 on 5x5, `slots` at a time, in order.
fn games((settings, play): &Play, slots: usize) -> Vec<PlayedGame> {
    let adjudicator = RefCell::new(EndingAdjudicator::new(settings));
    let size = BoardSize::square(5);
    let start = SmallNoGo::new(size).unwrap();
    let factory = EvaluatorFactory::hash(info(size));
    let mut batch = EvalBatch::new(&factory, &start).unwrap();
    let mut numbers = 0..10;
    let mut played = Vec::new();
    let queue = || {
        let number = numbers.next()?;
        let game = NetworkGame::new(&start, number, number, settings, play, &adjudicator);
        Some(game)
    };
    let finished = |game: NetworkGame<'_, SmallNoGo>| {
        played.push(game.finish().unwrap());
        std::ops::ControlFlow::Continue(())
    };
    run_tasks(
        std::slice::from_mut(&mut batch),
        slots,
        queue,
        finished,
        &TaskControl::default(),
    )
    .unwrap();
    played.sort_by_key(|game| game.rows[0].game);
    played
}

#[test]
fn a_game_depends_on_its_seed_and_not_on_its_company() {
    for play in [gumbel(), puct()] {
        let alone = games(&play, 1);
        assert_eq!(games(&play, 7), alone);
        assert_ne!(alone[0].rows[0].moves, alone[1].rows[0].moves);
    }
}

#[test]
fn rows_are_the_game() {
    for play in [gumbel(), puct()] {
        for game in games(&play, 10) {
            let opening = game.rows[0].moves.len() - game.rows.len();
            assert!(opening <= 6);
            for (place, row) in game.rows.iter().enumerate() {
                assert_eq!(usize::from(row.ply), opening + place);
                assert!(row.ending.is_some() && !row.policy.is_empty());
                assert_eq!(row.outcome(), game.outcome);
            }
            assert!(game.rows.iter().all(|row| row.policy_weight == 1.0));
        }
    }
}

#[test]
fn noise_among_the_moves_plays_other_games() {
    let mut noisy = puct();
    noisy.0.move_noise = 0.5;
    let (plain, noisy) = (games(&puct(), 10), games(&noisy, 10));
    let same = plain.iter().zip(&noisy);
    let same = same.filter(|(plain, noisy)| plain.rows[0].moves == noisy.rows[0].moves);
    assert!(same.count() < 5);
}

/// A network that likes every stone: the shortest opening is the most even one.
#[test]
fn a_game_begins_with_the_most_even_of_its_openings() {
    let (mut settings, play) = puct();
    settings.opening_choices = 8;
    let start = SmallNoGo::new(BoardSize::square(5)).unwrap();
    let adjudicator = RefCell::new(EndingAdjudicator::new(&settings));
    for seed in 0..20 {
        let mut game = NetworkGame::new(&start, 0, seed, &settings, &play, &adjudicator);
        let mut plies = Vec::new();
        for number in 0..8 {
            let (_, position) = game.wanted().unwrap();
            let ply = position.ply();
            plies.push(ply);
            let sign = if number % 2 == 0 { -1.0 } else { 1.0 };
            game.answer(&[0.0; 25], sign * (ply as f32 + 1.0) / 10.0);
        }
        let (_, root) = game.wanted().unwrap();
        assert_eq!(Some(root.ply()), plies.iter().copied().min(), "{plies:?}");
    }
}

/// Whether the side to move wins, by brute force.
fn wins(position: &SmallNoGo) -> bool {
    position.legal_moves().any(|mv| {
        let mut next = position.clone();
        next.play(mv);
        !wins(&next)
    })
}

#[test]
fn a_proof_ends_the_search_and_the_rest_keeps_the_result() {
    let mut black = 0;
    for game in games(&proving(), 10) {
        let last = game.rows.last().unwrap();
        assert!(last.exact && last.policy_weight == 0.0);
        assert_eq!(last.outcome(), game.outcome);
        assert!(last.ending.is_some(), "the game was played to its end");
        assert!(game.rows[0].moves.len() >= usize::from(last.ply));
        black += usize::from(game.outcome == Outcome::win(Color::Black));
    }
    assert!((1..10).contains(&black), "{black}");
}

#[test]
fn the_move_of_a_proof_is_learned_if_set() {
    let mut learning = proving();
    learning.0.learn_proofs = true;
    let mut learned = 0;
    let pairs = games(&proving(), 10).into_iter().zip(games(&learning, 10));
    for (plain, game) in pairs {
        assert_eq!(plain.rows[0].moves, game.rows[0].moves);
        let (row, start) = (game.rows.last().unwrap(), BoardSize::square(5));
        let position = row.position(&SmallNoGo::new(start).unwrap()).unwrap();
        let moves: Vec<Move> = row.policy.iter().map(|share| share.mv).collect();
        assert_eq!(moves.len(), usize::from(wins(&position)));
        for &mv in &moves {
            let mut next = position.clone();
            next.play(mv);
            assert!(!wins(&next));
        }
        assert_eq!(row.policy_weight, if row.result > 0 { 1.0 } else { 0.0 });
        learned += moves.len();
    }
    assert!((1..10).contains(&learned), "{learned}");
}

#[test]
fn a_crew_of_networks_fills_shards_with_the_same_games() {
    use crate::play::generate::{GamesPlan, generate, tests::plan};
    use crate::play::generator::NetworkGenerator;
    use crate::shards::shard;
    let size = BoardSize::square(5);
    let start = SmallNoGo::new(size).unwrap();
    let scratch = Scratch::new("network-generator");
    let (settings, play) = gumbel();
    let plan = GamesPlan {
        seed: 0,
        settings: SelfPlay {
            sgf_every: 5,
            games_per_shard: 3,
            concurrent: 4,
            ..settings
        },
        ..plan(10)
    };
    let network = EvaluatorFactory::hash(info(size));
    let generator = NetworkGenerator { network, play };
    let done = generate(&start, &plan, scratch.path(), &generator, |_| Ok(())).unwrap();
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

fn adjudicator(prove_nodes: u64, prove_from: u32) -> EndingAdjudicator<SmallNoGo> {
    EndingAdjudicator::new(&SelfPlay {
        prove_nodes,
        prove_from,
        ..SelfPlay::default()
    })
}

/// A position of a game of first moves with at most this many remaining moves.
fn late(most: u32) -> SmallNoGo {
    let mut position = SmallNoGo::new(BoardSize::square(5)).unwrap();
    while !position.plies_left().at_most(most) {
        let mv = position.legal_moves().next().unwrap();
        position.play(mv);
    }
    position
}

#[test]
fn a_proof_names_a_move_that_keeps_the_win() {
    let mut prover = adjudicator(100_000, PROVE_FROM);
    let mut winners = 0;
    for most in 3..12 {
        let mut position = late(most);
        let proven = prover.prove(&position).unwrap();
        let wins = proven.outcome == Outcome::win(position.to_move());
        assert_eq!(proven.keeps.is_some(), wins);
        let Some(mv) = proven.keeps else { continue };
        position.play(mv);
        let after = position.outcome().or_else(|| {
            let proven = prover.prove(&position)?;
            Some(proven.outcome)
        });
        assert_eq!(after, Some(proven.outcome));
        winners += 1;
    }
    assert!(winners > 0);
}

#[test]
fn what_is_found_depends_on_the_position_only() {
    let mut prover = adjudicator(40, PROVE_FROM);
    let positions: Vec<_> = (3..16).map(late).collect();
    let found: Vec<_> = positions.iter().map(|p| prover.prove(p)).collect();
    let again: Vec<_> = positions.iter().rev().map(|p| prover.prove(p)).collect();
    assert!(found.iter().eq(again.iter().rev()));
    assert!(found.contains(&None) && found.iter().any(Option::is_some));
    assert_eq!(adjudicator(0, PROVE_FROM).prove(&positions[0]), None);
    let late_only = adjudicator(100_000, 3).prove(&positions[6]);
    assert_eq!(late_only, None, "more than three moves can be left");
}
