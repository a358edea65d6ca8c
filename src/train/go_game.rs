//! Go in a training run: self-play with superko and its own komi, shards, fits, exports, matches.

use crate::cycle::fsck;
use crate::cycle::{CyclePlan, Resources, RunFolder, int8, run};
use crate::play::runtime::Runtime;
use crate::shards::dataset::Dataset;
use crate::shards::shard;
use std::sync::Arc;
use tengen::clock::{Clock, FakeClock};
use tengen::encode;
use tengen::engine::{Decision, Engine, EngineOptions, MoveRequest};
use tengen::game::{BoardSize, Color, Game, Move, Rules};
use tengen::games::go::SmallGo;
use tengen::registry;
use tengen::search::StopFlag;
use tengen_nn::files::scratch::Scratch;

/// An engine that plays to the end, unless `settings` override that.
fn engine(settings: &[(&str, &str)]) -> Box<dyn Engine> {
    let mut options = EngineOptions::of("go").unwrap();
    let usual = [("visits", "60"), ("seed", "1"), ("resign-below", "off")];
    for (name, value) in usual.iter().chain(settings) {
        options.set(name, value).unwrap();
    }
    let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
    registry::create(&options, options.board(), &time).unwrap()
}

const PLAN: &str = r#"
    game = "go"
    size = 5
    warm-up = { games = 12, playouts = 20 }
    stage = [{ network = "tengen-1b8c", visits = 6, games = 8, generations = 2 }]
    fit = { batch = 16, reuse = 0.5 }
    window = { held-out = 0.3 }
    rating = { pairs = 1, visits = 4, anchors = [5] }

    [self-play]
    int8 = true
    komi = { mean = 7.0, near = 3.0, far-share = 0.5, far = 20.0 }
"#;

#[test]
fn it_is_learned_from_its_own_games() {
    let scratch = Scratch::new("go-game");
    let runtime = Runtime::usual(None);
    let clock = FakeClock::new();
    let resources = Resources::small(&runtime, &clock);
    let plan = CyclePlan::parse(PLAN).unwrap();
    let start = SmallGo::new(BoardSize::square(5)).unwrap();
    let done = run(&start, &plan, scratch.path(), &resources, &mut |_| ()).unwrap();
    assert_eq!(done.len(), 3);
    let findings = fsck::check(scratch.path()).unwrap();
    assert_eq!(findings.problems, []);
    let losses = done.last().unwrap().held_out.unwrap().aux;
    assert!(losses.ownership > 0.0 && losses.lead > 0.0 && losses.reply > 0.0);
    assert_eq!((losses.fate, losses.margin), (0.0, 0.0));

    let run_folder = RunFolder::new(scratch.path());
    let folders = [0, 1, 2].map(|number| run_folder.games(number));
    let rows = Dataset::load(&folders, usize::MAX, 0.0).unwrap().fit;
    let mut komis: Vec<_> = rows.iter().map(|row| row.komi.unwrap().0).collect();
    komis.sort_unstable();
    komis.dedup();
    assert!(komis.len() > 5, "{komis:?}");
    for row in &rows {
        let position = row.position(&start).unwrap();
        assert_eq!(position.rules().komi(), row.komi);
        let ending = row.ending.unwrap();
        assert_eq!(ending.lead.unwrap().0.signum(), i32::from(row.result));
        assert!(row.policy.iter().all(|share| position.is_legal(share.mv)));
    }
    let passes = |row: &&crate::shards::row::Row| row.policy.iter().any(|s| s.mv == Move(25));
    assert!(rows.iter().any(|row| passes(&row)));
    let network = run_folder.network(2);
    let info = runtime.open(&network, start.size()).unwrap().info().clone();
    assert_eq!((info.policy_len, info.outcomes), (26, 3));
    let shards = shard::list(&run_folder.games(1)).unwrap();
    let shard = shard::read(&shards[0]).unwrap();
    let copy = shard::write(scratch.path(), &shard.info, &shard.rows).unwrap();
    assert_eq!(shard::read(&copy).unwrap(), shard, "komi included");
}

const TWO_BOARDS: &str = r#"
    game = "go"
    warm-up = { games = 9, playouts = 10 }
    stage = [{ network = "tengen+area-1b8c", visits = 4, games = 6, generations = 1 }]
    fit = { batch = 16, reuse = 0.5 }
    window = { held-out = 0.3 }
    rating = { pairs = 1, visits = 4, anchors = [5] }

    [[board]]
    size = "5"
    share = 2
    komi = { mean = 20.0, near = 0.0, far-share = 0.0, far = 0.0 }

    [[board]]
    size = "7x6"

    [self-play]
    int8 = true
"#;

/// One network learns from games on boards of two sizes, and plays on both and on sizes
/// between, with any backend.
#[test]
fn boards_of_two_sizes_are_learned_by_one_network() {
    let scratch = Scratch::new("go-two-boards");
    let runtime = Runtime::usual(None);
    let clock = FakeClock::new();
    let resources = Resources::small(&runtime, &clock);
    let plan = CyclePlan::parse(TWO_BOARDS).unwrap();
    let start = SmallGo::new(plan.largest()).unwrap();
    let done = run(&start, &plan, scratch.path(), &resources, &mut |_| ()).unwrap();
    let games: Vec<u64> = done.iter().map(|generation| generation.games).collect();
    assert_eq!(games, [9, 6]);
    assert_eq!(fsck::check(scratch.path()).unwrap().problems, []);

    let run_folder = RunFolder::new(scratch.path());
    let folder = |board: &str| run_folder.games(1).join(board);
    let folders = [folder("5x5"), folder("7x6")];
    let dataset = Dataset::load(&folders, usize::MAX, 0.0).unwrap();
    let (small, large) = (BoardSize::square(5), BoardSize::new(7, 6));
    assert_eq!(dataset.boards, [small, large]);
    assert_eq!(dataset.games, 6);
    for row in &dataset.fit {
        let own = row.komi.unwrap().0 == 40;
        assert_eq!(own, row.size == small, "komi for each board");
    }

    let path = run_folder.network(1);
    let mut checked = 0;
    for (size, fits) in [
        (small, true),
        (large, true),
        (BoardSize::new(6, 7), true),
        (BoardSize::square(8), false),
    ] {
        let opened = runtime.open(&path, size);
        assert_eq!(opened.is_ok(), fits, "{size}");
        let Ok(opened) = opened else { continue };
        let info = opened.info();
        assert_eq!((info.size, info.policy_len), (size, size.area() + 1));
        assert_eq!(info.boards, [small, large]);
        assert!(encode::find(info, &SmallGo::new(size).unwrap()).is_ok());
        for name in ["network", "int8"] {
            let path = match name {
                "network" => path.clone(),
                _ => int8(&path),
            };
            let file = path.display().to_string();
            let settings = [("size", &*size.to_string()), ("model", &*file)];
            let decision = engine(&settings).genmove(
                &MoveRequest::new(Color::Black, &StopFlag::new()),
                &mut |_| {},
            );
            assert!(matches!(decision, Decision::Play(_)), "{decision:?}");
            checked += 1;
        }
    }
    assert_eq!(checked, 6);
}
