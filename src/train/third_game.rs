//! A small third game learns from its own games: Tic-tac-toe with draws, which exists for tests only.

use crate::cycle::fsck;
use crate::cycle::{CyclePlan, Resources, RunFolder, run};
use crate::play::runtime::Runtime;
use crate::shards::dataset::Dataset;
use crate::shards::shard;
use tengen::clock::FakeClock;
use tengen::game::{BoardSize, Game as _};
use tengen::games::tictactoe::TicTacToe;
use tengen_nn::eval::BackendKind;
use tengen_nn::files::scratch::Scratch;

const PLAN: &str = r#"
    game = "tictactoe"
    size = 3
    warm-up = { games = 40, playouts = 60 }
    stage = [{ network = "az-1b8c", visits = 8, games = 20, generations = 2 }]
    fit = { batch = 16, reuse = 1.0, catch-up = 1.0 }
    window = { held-out = 0.2 }
    rating = { pairs = 2, visits = 8, anchors = [5, 50] }
    self-play = { prove-nodes = 50 }
"#;

/// Self-play by rollouts and by networks, shards, fits, exports, matches.
#[test]
fn it_is_learned_from_its_own_games() {
    let scratch = Scratch::new("third-game");
    let runtime = Runtime {
        backend: Some(BackendKind::Tract),
        ..Runtime::usual(None)
    };
    let clock = FakeClock::new();
    let resources = Resources::small(&runtime, &clock);
    let plan = CyclePlan::parse(PLAN).unwrap();
    let start = TicTacToe::new(BoardSize::square(3)).unwrap();
    let done = run(&start, &plan, scratch.path(), &resources, &mut |_| ()).unwrap();
    assert!(done.len() >= 2);

    let findings = fsck::check(scratch.path()).unwrap();
    assert_eq!(findings.problems, []);
    assert!(
        findings.games >= 80 && findings.networks >= 2,
        "{findings:?}"
    );
    let run_folder = RunFolder::new(scratch.path());
    let folders: Vec<_> = done
        .iter()
        .map(|made| run_folder.games(made.number))
        .collect();
    let rows = shard::read(&shard::list(&folders[0]).unwrap()[0]).unwrap();
    assert_eq!((&*rows.info.game, &*rows.info.rules), ("tictactoe", "3"));
    let rows = Dataset::load(&folders, usize::MAX, 0.0).unwrap().fit;
    for result in -1..=1 {
        assert!(rows.iter().any(|row| row.result == result), "{result}");
    }
    let info = runtime
        .open(&run_folder.network(0), start.size())
        .unwrap()
        .info()
        .clone();
    assert_eq!((info.outcomes, &*info.encoding), (3, "tictactoe-1"));
}
