//! A small run of Gomoku with AlphaGobangZero's recipe.

use super::*;
use crate::fit::checkpoint::Checkpoint;
use crate::play::network_game::EndingAdjudicator;
use crate::play::settings::SelfPlay;
use crate::shards::shard;
use tengen::games::gomoku::Gomoku;

const PLAN: &str = r#"
game = "gomoku"
size = 7
warm-up = { games = 8, playouts = 20 }

[[stage]]
network = "gobang-1b8c"
visits = 6
games = 12
generations = 2

[self-play]
root = "puct"
search = { cpuct = 5.0, root_noise = 0.2 }
move-noise = 0.2
opening-plies = 2
prove-nodes = 300
prove-from = 400
learn-proofs = true

[window]
held-out = 0.2

[fit]
batch = 16
reuse = 1.0
kl-target = 0.02

[rating]
pairs = 2
visits = 4
anchors = [5, 50]
"#;

/// Runs a plan on a 7x7 board and the boards that it names.
fn play(folder: &Path, plan: &str) -> Vec<Generation> {
    attempt(folder, plan).unwrap()
}

fn attempt(folder: &Path, plan: &str) -> Result<Vec<Generation>, TrainError> {
    let runtime = Runtime {
        backend: Some(BackendKind::Tract),
        ..Runtime::usual(None)
    };
    let clock = FakeClock::new();
    let resources = Resources::small(&runtime, &clock);
    let start = Gomoku::new(BoardSize::square(7)).unwrap();
    let plan = CyclePlan::parse(plan).unwrap();
    run(&start, &plan, folder, &resources, &mut |_| ())
}

#[test]
fn proven_wins_are_learned_by_dense_heads() {
    let scratch = Scratch::new("cycle-gomoku");
    let start = Gomoku::new(BoardSize::square(7)).unwrap();
    let done = play(scratch.path(), PLAN);
    assert_eq!(done.len(), 3);
    assert!(
        done.iter()
            .all(|generation| generation.network == "gobang-1b8c")
    );

    let run_folder = RunFolder::new(scratch.path());
    let onnx = fs::read(run_folder.network(2)).unwrap();
    let info = ModelInfo::read("the last network", &onnx).unwrap();
    assert_eq!((&*info.encoding, info.outcomes), ("gobang-1", 3));

    let shards = shard::list(&run_folder.games(2)).unwrap();
    let rows = shards
        .iter()
        .flat_map(|path| shard::read(path).unwrap().rows);
    let proven: Vec<_> = rows.filter(|row| row.exact).collect();
    let won: Vec<_> = proven.iter().filter(|row| row.result == 1).collect();
    assert!(won.len() > 3, "{} of {}", won.len(), proven.len());
    for row in won {
        assert_eq!((row.policy.len(), row.policy_weight), (1, 1.0));
        let mut position = row.position(&start).unwrap();
        assert!(position.is_legal(row.policy[0].mv));
        position.play(row.policy[0].mv);
        let mut adjudicator = EndingAdjudicator::new(&SelfPlay {
            prove_nodes: 100_000,
            prove_from: 400,
            ..SelfPlay::default()
        });
        let proven = || adjudicator.prove(&position).map(|proven| proven.outcome);
        let outcome = position.outcome().or_else(proven);
        assert_eq!(outcome, Some(row.outcome()), "the move wins");
    }
    assert!(proven.iter().any(|row| row.ply < 40), "long before the end");
}

#[test]
fn a_run_may_begin_with_the_weights_of_one_on_another_board() {
    let (small, large) = (Scratch::new("cycle-small"), Scratch::new("cycle-large"));
    let plan = PLAN.replace("gobang-1b8c", "az-1b8c");
    play(small.path(), &plan);
    let weights = RunFolder::new(small.path()).fit(2);
    let stem = |folder: &Path| {
        let checkpoint = Checkpoint::newest(folder).unwrap().unwrap();
        checkpoint.weights.get("stem.weight").values.clone()
    };
    let given = stem(&weights);
    let boards = "[[board]]\nsize = \"7\"\n\n[[board]]\nsize = \"6x8\"\n\n[self-play]";
    let plan = plan
        .replace("size = 7\n", "seed = 2\n")
        .replace(
            "playouts = 20",
            &format!("playouts = 6, weights = {weights:?}"),
        )
        .replace("generations = 2", "generations = 1")
        .replace("[self-play]", boards);
    // Weights that do not fit the network are refused before the games.
    let other = plan.replace("az-1b8c", "az+garb-1b8c");
    // So are a folder without a checkpoint, and one that is not there.
    let without = |folder: &Path| plan.replace(&format!("{weights:?}"), &format!("{folder:?}"));
    let (empty, gone) = (without(small.path()), without(&small.path().join("gone")));
    for (plan, part) in [
        (&other, "cannot start from it"),
        (&empty, "no checkpoint"),
        (&gone, "gone"),
    ] {
        let refused = attempt(large.path(), plan).unwrap_err().to_string();
        assert!(refused.contains("weights of [warm-up]"), "{refused}");
        assert!(refused.contains(part), "{refused}");
    }
    assert_eq!(fs::read_dir(large.path()).unwrap().count(), 0);
    let run_folder = RunFolder::new(large.path());

    let done = play(large.path(), &plan);
    assert_eq!((done.len(), &*done[0].players), (2, "warm-up"));
    for path in [run_folder.warm_up(), run_folder.network(1)] {
        let info = ModelInfo::read("a network", &fs::read(path).unwrap()).unwrap();
        assert_eq!(info.boards.len(), 2);
    }
    // A few steps from there, and far from weights of any other seed.
    let (kept, begun) = (stem(&run_folder.given_weights()), stem(&run_folder.fit(0)));
    let far = |other: &[f32]| {
        let pairs = given.iter().zip(other);
        pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
    };
    assert_eq!(far(&kept), 0.0);
    assert!((1e-6..0.1).contains(&far(&begun)), "{}", far(&begun));
    // The run has its own copy.
    fs::remove_dir_all(&weights).unwrap();
    assert_eq!(play(large.path(), &plan).len(), 2);
}

#[test]
fn one_network_learns_several_rules() {
    let scratch = Scratch::new("cycle-rules");
    let boards =
        "[[board]]\nsize = \"7\"\n\n[[board]]\nsize = \"7\"\nrules = \"renju\"\n\n[self-play]";
    let plan = PLAN
        .replace("size = 7\n", "")
        .replace("gobang-1b8c", "az-1b8c")
        .replace("generations = 2", "generations = 1")
        .replace("[self-play]", boards);
    let done = play(scratch.path(), &plan);
    assert_eq!((done.len(), done[1].games), (2, 12));
    let run_folder = RunFolder::new(scratch.path());
    let onnx = fs::read(run_folder.network(1)).unwrap();
    let info = ModelInfo::read("the last network", &onnx).unwrap();
    assert!(info.boards.is_empty(), "{:?}", info.boards);

    // Positions are read under their own rules.
    let start = Gomoku::new(BoardSize::square(7)).unwrap();
    for (folder, rules) in [("7x7", "freestyle"), ("7x7-renju", "renju")] {
        let shards = shard::list(&run_folder.games(1).join(folder)).unwrap();
        for path in shards {
            let shard = shard::read(&path).unwrap();
            assert_eq!(shard.info.rules, rules);
            let games = shard.rows.chunk_by(|a, b| a.game == b.game);
            assert_eq!(games.count(), 6);
            for row in &shard.rows {
                let position = row.position(&start).unwrap();
                assert_eq!(position.rules().to_string(), rules);
            }
        }
    }
}
