//! Whole runs: on a folder, on a store that fails, with several learners.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use serde_json::{Value, json};

use super::super::manifest::{Manifest, current_plan, refuse_store, require_run, wait_for_plan};
use super::super::worker::{Worker, WorkerOptions};
use super::super::{LearnerOptions, copy_run, open_tickets, run_learner, working_copy};
use crate::cycle::cluster::objects;
use crate::cycle::{CyclePlan, Generation, Machines, Resources, RunFolder, fsck, load};
use crate::play::runtime::Runtime;
use crate::shards::dataset::Dataset;
use crate::shards::row::Row;
use crate::shards::shard::{self, ShardInfo};
use crate::store::faulty::FaultyBackend;
use crate::store::{PlainName, RetryLimits, Store, open};
use crate::{TrainError, durable};
use tengen::clock::{Clock, SystemClock};
use tengen::fnv;
use tengen::game::{BoardSize, Game};
use tengen::games::nogo::SmallNoGo;
use tengen_nn::eval::BackendKind;
use tengen_nn::files::scratch::Scratch;

const PLAN: &str = r#"
size = 4
warm-up = { games = 7, playouts = 10 }

[[stage]]
network = "az-1b8c"
visits = 4
games = 6
generations = 2

[self-play]
concurrent = 3

[window]
held-out = 0.2

[fit]
batch = 16
reuse = 1.0

[rating]
pairs = 3
visits = 4
anchors = [5, 50]

[machines]
games-per-ticket = 2
pairs-per-ticket = 2
"#;

fn options(lease: Duration) -> WorkerOptions {
    WorkerOptions {
        name: "test".to_owned(),
        threads: 1,
        gpus: 0.0,
        lease,
    }
}

fn runtime() -> Runtime {
    Runtime {
        backend: Some(BackendKind::Tract),
        ..Runtime::usual(None)
    }
}

fn folder_store(path: &Path) -> Store {
    let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
    open(path.to_str().unwrap(), clock, RetryLimits::default()).unwrap()
}

fn plain(name: &str) -> PlainName {
    name.to_owned().try_into().unwrap()
}

fn start() -> SmallNoGo {
    SmallNoGo::new(BoardSize::square(4)).unwrap()
}

/// A learner, which plays if told so.
fn learn(
    store: &Store,
    folder: &Path,
    (plan, plays): (&str, bool),
) -> Result<Vec<Generation>, TrainError> {
    let (runtime, clock) = (runtime(), SystemClock::new());
    let resources = Resources::small(&runtime, &clock);
    let options = LearnerOptions {
        folder: Some(folder.to_path_buf()),
        worker: options(Duration::from_secs(5)),
        plays,
        look_every: Duration::from_millis(50),
    };
    let plan = CyclePlan::parse(plan).unwrap();
    run_learner(&start(), &plan, store, &resources, &options, &mut |_| ())
}

fn worker(store: &Store, options: &WorkerOptions) -> Worker<SmallNoGo> {
    Worker::new(&start(), &runtime(), store, options).unwrap()
}

/// A learner with this many workers.
fn run_with_workers(store: &Store, folder: &Path, plan: &str, workers: usize) -> Vec<Generation> {
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let options = options(Duration::from_secs(5));
                let mut worker = worker(store, &options);
                worker.run(|_| ()).unwrap();
            });
        }
        learn(store, folder, (plan, workers == 0)).unwrap()
    })
}

/// Objects that must be the same in every run: results, offers, and networks.
fn products(store: &Store) -> BTreeMap<String, Vec<u8>> {
    let is_product = |name: &&String| {
        let parts = ["/games/", "/matches/", "tickets.json", "matches.json"];
        let is_result = parts.iter().any(|part| name.contains(part));
        (is_result && !name.contains("/claims/")) || name.starts_with("networks/")
    };
    let names = store.list("").unwrap();
    let products = names.iter().filter(is_product);
    products
        .map(|name| (name.clone(), store.get(name).unwrap().unwrap()))
        .collect()
}

#[track_caller]
fn same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>) {
    let names = wanted.keys().chain(found.keys());
    let differ: Vec<&String> = names.filter(|k| found.get(*k) != wanted.get(*k)).collect();
    assert!(differ.is_empty(), "{differ:?}");
    assert!(wanted.len() > 15, "{}", wanted.len());
}

#[test]
fn a_run_has_the_same_results_on_every_store_with_any_number_of_workers() {
    let (alone, alone_copy) = (
        Scratch::new("cluster-alone"),
        Scratch::new("cluster-alone-copy"),
    );
    let store = folder_store(alone.path());
    let done = run_with_workers(&store, alone_copy.path(), PLAN, 0);
    assert_eq!((done.len(), done[2].games_so_far), (3, 19));
    assert_eq!(open_tickets(&store).unwrap(), None, "the plan is complete");
    let wanted = products(&store);
    for path in [alone.path(), alone_copy.path()] {
        let findings = fsck::check(path).unwrap();
        assert_eq!(findings.problems, []);
        assert_eq!(findings.games, 19);
    }

    let machines: Machines = load(&RunFolder::new(alone_copy.path()).machines())
        .unwrap()
        .unwrap();
    assert_eq!(machines.machines.len(), 1, "{machines:?}");
    assert_eq!((machines.done, machines.reclaimed), (machines.tickets, 0));

    for seed in 0..3 {
        let copy = Scratch::new(&format!("cluster-faulty-{seed}"));
        let backend = FaultyBackend::new(seed);
        let store = backend.store();
        backend.fail_randomly(0.1);
        run_with_workers(&store, copy.path(), PLAN, 2);
        backend.fail_randomly(0.0);
        same(&products(&store), &wanted);
        assert_eq!(backend.replaced(), Vec::<String>::new());
    }

    // Another request is in the way of each one.
    for workers in [0, 2] {
        let scratch = Scratch::new(&format!("cluster-conflicts-{workers}"));
        let place = |name: &str| scratch.path().join(name);
        let backend = FaultyBackend::new(1);
        let store = backend.store();
        backend.conflict_once();
        run_with_workers(&store, &place("copy"), PLAN, workers);
        same(&products(&store), &wanted);
        assert_eq!(backend.replaced(), Vec::<String>::new());
        assert_eq!(open_tickets(&store).unwrap(), None);
        // All is in the store: another machine goes on from it, and it is sound.
        let again = learn(&store, &place("other"), (PLAN, true)).unwrap();
        assert_eq!((again.len(), again[2].games_so_far), (3, 19));
        copy_run(&store, &place("files")).unwrap();
        let findings = fsck::check(&place("files")).unwrap();
        assert_eq!((findings.problems, findings.games), (Vec::new(), 19));
    }
}

/// What a store has lost or has damaged, before a learner looks for it.
#[test]
fn a_check_finds_what_a_store_lacks() {
    let scratch = Scratch::new("cluster-lost");
    let place = |name: &str| scratch.path().join(name);
    let run = place("run");
    learn(&folder_store(&run), &place("copy"), (PLAN, true)).unwrap();
    let problems = || fsck::check(&run).unwrap().problems;
    assert_eq!(problems(), []);
    let checkpoint = |folder: &str| durable::list(&run.join(folder), "", "checkpoint").unwrap();
    let last = checkpoint("g0002").remove(0);
    // The plan is complete after the generation 2.
    for (name, advice) in [
        ("run.json", "restore it"),
        ("epoch/000001", "restore it"),
        ("g0001/tickets.json", "restore it"),
        ("g0001/done.json", "restore it"),
        ("g0002/done.json", "restore it"),
        ("g0001/games/0001.parquet", "`echo g0001/games/0001 |"),
        (
            "g0000/matches/rave-5.0000.json",
            "`echo g0000/matches/rave-5.0000 |",
        ),
        (
            last.strip_prefix(&run).unwrap().to_str().unwrap(),
            "restore it",
        ),
    ] {
        let (path, away) = (run.join(name), place("away"));
        fs::rename(&path, &away).unwrap();
        let found = problems();
        let is_told = |found: &fsck::Problem| {
            found.path == path && found.what.contains("missing") && found.what.contains(advice)
        };
        assert!(found.len() == 1 && is_told(&found[0]), "{name}: {found:?}");
        fs::rename(&away, &path).unwrap();
        if name == "run.json" || path == last {
            continue;
        }
        let mut bytes = fs::read(&path).unwrap();
        bytes[30] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let found = problems();
        assert!(
            found.len() == 1
                && found[0].what.contains("it is damaged: ")
                && found[0].what.contains(advice),
            "{name}: {found:?}"
        );
        bytes[30] ^= 1;
        fs::write(&path, &bytes).unwrap();
    }
    // All of a generation, and what no learner needs any more.
    durable::remove(&checkpoint("g0000")).unwrap();
    assert_eq!(problems(), []);
    fs::remove_dir_all(run.join("g0001")).unwrap();
    assert_eq!(problems().len(), 2, "its commit and its tickets");
    durable::remove(&durable::list(&run.join("networks"), "", "onnx").unwrap()).unwrap();
    let found = problems();
    assert!(
        found.len() > 2
            && found
                .iter()
                .any(|found| found.path.starts_with(run.join("networks")))
    );
}

/// Games are fetched by a learner on another machine.
#[test]
fn a_run_does_not_go_on_without_games_that_it_had() {
    let scratch = Scratch::new("cluster-games");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let store = folder_store(&place("store"));
    let refused = |copy: &str| {
        let refused = learn(&store, &place(copy), (PLAN, true)).unwrap_err();
        refused.to_string()
    };
    let games = Dataset::load(&[place("store/g0001/games")], 1000, 0.0).unwrap();
    assert_eq!(games.games, 6, "they can be used without the learner");
    let (tickets, shard) = (
        place("store/g0001/tickets.json"),
        place("store/g0001/games/0001.parquet"),
    );
    let bytes = fs::read(&tickets).unwrap();
    fs::remove_file(&tickets).unwrap();
    let message = refused("a");
    assert!(
        message.contains("g0001/tickets.json: it is missing; restore it"),
        "{message}"
    );
    fs::write(&tickets, &bytes[..bytes.len() / 2]).unwrap();
    let message = refused("b");
    assert!(
        message.contains("g0001/tickets.json: it is damaged: ") && message.contains("restore it"),
        "{message}"
    );
    fs::write(&tickets, bytes).unwrap();
    let bytes = fs::read(&shard).unwrap();
    fs::remove_file(&shard).unwrap();
    let message = refused("c");
    assert!(
        message.contains("it is missing; `echo g0001/games/0001 |"),
        "{message}"
    );
    // As the message says.
    let options = options(Duration::from_secs(5));
    worker(&store, &options)
        .play_named("g0001/games/0001")
        .unwrap();
    assert!(fs::read(&shard).unwrap() == bytes);
    assert_eq!(learn(&store, &place("d"), (PLAN, true)).unwrap().len(), 3);
}

/// A writer of the store cannot write elsewhere as the learner, nor what is none of its files.
#[test]
fn a_learner_writes_only_files_of_the_run_and_only_into_its_folder() {
    let scratch = Scratch::new("cluster-outside");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let store = folder_store(&place("store"));
    let payload = b"* * * * * root true";
    let hash = format!("{:016x}", fnv::hash(payload));
    // Where the store has the object that such a name names.
    let outside = place(&format!("outside.{hash}.checkpoint"));
    let inside = format!("{}/g0001{}", place("store").display(), outside.display());
    fs::create_dir_all(Path::new(&inside).parent().unwrap()).unwrap();
    let own = format!("step-000000001.{hash}.checkpoint");
    for path in [Path::new(&inside), &place("store/g0001").join(&own)] {
        fs::write(path, payload).unwrap();
    }
    let outside = json!(outside);
    let network = json!({ "../../outside": hash });
    for (number, (name, pointer, value, about)) in [
        (
            "g0001/done.json",
            "/checkpoint",
            outside.clone(),
            "not the name of one file",
        ),
        (
            "g0001/done.json",
            "/checkpoint",
            json!(".."),
            "not the name of one file",
        ),
        (
            "g0001/done.json",
            "/checkpoint",
            json!(own),
            "its header is truncated",
        ),
        (
            "g0001/done.json",
            "/networks",
            network,
            "not the name of one file",
        ),
        (
            "g0001/done.json",
            "/matches/0/second",
            outside,
            "not the name of one file",
        ),
        (
            "g0001/done.json",
            "/generation/number",
            json!(0),
            "of the generation 0",
        ),
        (
            "run.json",
            "/id",
            json!("/../../outside"),
            "not the name of one file",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        let path = place("store").join(name);
        let bytes = fs::read(&path).unwrap();
        let mut value_of: Value = serde_json::from_slice(&bytes).unwrap();
        *value_of.pointer_mut(pointer).unwrap() = value;
        // Anyone can compute it, and older programs wrote none.
        value_of.as_object_mut().unwrap().remove("checksum");
        fs::write(&path, serde_json::to_vec(&value_of).unwrap()).unwrap();
        let copy = place(&format!("copy-{number}"));
        let refused = learn(&store, &copy, (PLAN, true)).unwrap_err().to_string();
        assert!(refused.contains(about), "{name} {pointer}: {refused}");
        fs::write(&path, bytes).unwrap();
        let written = durable::files_below(&copy).unwrap();
        let is_payload = |path: &PathBuf| fs::read(path).is_ok_and(|bytes| bytes == payload);
        assert!(!written.iter().any(is_payload), "{written:?}");
    }
    let beside = fs::read_dir(scratch.path()).unwrap().flatten();
    let beside = beside.map(|entry| entry.file_name().into_string().unwrap());
    let is_known = |name: &String| name.starts_with("copy") || name == "store";
    assert!(beside.into_iter().all(|name| is_known(&name)));
}

/// A worker offers what it likes; the learner takes what the ticket asks for.
#[test]
fn a_result_that_is_not_of_its_ticket_is_refused() {
    let scratch = Scratch::new("cluster-forged");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let store = folder_store(&place("store"));
    let path = place("store/g0001/games/0001.parquet");
    let bytes = fs::read(&path).unwrap();
    let shard = shard::read(&path).unwrap();
    let first = shard.rows[0].game;
    let of = |source: &str| ShardInfo {
        source: shard.info.source.replace("seed=", source),
        ..shard.info.clone()
    };
    let renumbered = shard.rows.iter().cloned().map(|row| Row {
        game: row.game + 1,
        ..row
    });
    let one = shard.rows.iter().filter(|row| row.game == first).cloned();
    for (number, (info, rows, about)) in [
        (
            of("evil seed="),
            shard.rows.clone(),
            "its games are of nogo 4x4",
        ),
        (
            of("seed=1"),
            shard.rows.clone(),
            "its games are of nogo 4x4",
        ),
        (of("seed="), renumbered.collect(), "not just the 2 games"),
        (of("seed="), one.collect::<Vec<_>>(), "not just the 2 games"),
        (
            of("seed="),
            vec![shard.rows[0].clone(); 500],
            "not just the 2 games",
        ),
        (
            of("seed="),
            shard
                .rows
                .iter()
                .flat_map(|row| [row.clone(), row.clone()])
                .collect(),
            "a position of a game twice",
        ),
    ]
    .into_iter()
    .enumerate()
    {
        fs::write(&path, shard::encode(&info, &rows).unwrap()).unwrap();
        let copy = place(&format!("copy-{number}"));
        let refused = learn(&store, &copy, (PLAN, true)).unwrap_err().to_string();
        let is_told = refused.contains(about)
            && refused.contains("g0001/games/0001.parquet")
            && refused.contains("delete it, and `echo g0001/games/0001 |");
        assert!(is_told, "{number}: {refused}");
    }
    fs::write(&path, bytes).unwrap();
    assert_eq!(
        learn(&store, &place("copy-last"), (PLAN, true))
            .unwrap()
            .len(),
        3
    );
}

#[test]
fn an_older_copy_of_the_store_is_noticed() {
    let scratch = Scratch::new("cluster-older");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let store = folder_store(&place("store"));
    copy_run(&store, &place("older")).unwrap();
    assert_eq!(
        learn(&store, &place("copy"), (PLAN, true)).unwrap().len(),
        3
    );
    fs::rename(place("store"), place("newer")).unwrap();
    fs::rename(place("older"), place("store")).unwrap();
    let before = store.list("").unwrap();
    let longer = PLAN.replace("generations = 2", "generations = 3");
    let refused = learn(&store, &place("copy"), (&longer, true)).unwrap_err();
    assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
    assert!(refused.to_string().contains("older copy"), "{refused}");
    assert_eq!(store.list("").unwrap(), before);
    assert_eq!(
        learn(&store, &place("other"), (PLAN, true)).unwrap().len(),
        3
    );
    // A folder holds one run: the other has the same names.
    let [one, other] = ["one", "other-store"].map(|name| folder_store(&place(name)));
    for store in [&one, &other] {
        let plan = CyclePlan::parse(PLAN).unwrap();
        Manifest::new(&plan).unwrap().begin(store).unwrap();
    }
    copy_run(&one, &place("kept")).unwrap();
    copy_run(&one, &place("kept")).unwrap();
    let message = copy_run(&other, &place("kept")).unwrap_err().to_string();
    assert!(message.contains("another run"), "{message}");
}

/// Of a generation in the middle: it is made again, and those after it are taken as they are.
#[test]
fn a_lost_commit_is_made_again() {
    let scratch = Scratch::new("cluster-commit");
    let place = |name: &str| scratch.path().join(name);
    let store = folder_store(&place("store"));
    learn(&store, &place("copy"), (PLAN, true)).unwrap();
    fs::remove_file(place("store/g0001/done.json")).unwrap();
    let longer = PLAN.replace("generations = 2", "generations = 4");
    let done = learn(&store, &place("other"), (&longer, true)).unwrap();
    assert_eq!(done.len(), 5);
    let problems = fsck::check(&place("store")).unwrap().problems;
    assert_eq!(problems, []);
}

#[test]
fn a_run_that_has_lost_its_beginning_does_not_begin_again() {
    let scratch = Scratch::new("cluster-beginning");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let store = folder_store(&place("store"));
    fs::remove_file(place("store/run.json")).unwrap();
    let other = PLAN.replace("visits = 4", "visits = 5");
    for plan in [PLAN, &other] {
        // As another process, which has not seen it.
        let store = folder_store(&place("store"));
        let refused = learn(&store, &place("copy"), (plan, true)).unwrap_err();
        assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
        assert!(
            refused.to_string().contains("lost its run.json"),
            "{refused}"
        );
    }
    assert!(!place("store/run.json").exists());
    // A machine that has worked on a run in this folder, which is not mounted.
    working_copy::refuse_known(&store).unwrap();
    let known = working_copy::usual(&store, &plain("1"));
    fs::create_dir_all(&known).unwrap();
    let refused = working_copy::refuse_known(&store).unwrap_err();
    fs::remove_dir(&known).unwrap();
    assert!(
        refused.to_string().contains("is its folder mounted?"),
        "{refused}"
    );
}

#[test]
fn a_worker_that_cannot_write_ends_at_once() {
    let scratch = Scratch::new("cluster-unwritable");
    let store = folder_store(scratch.path());
    store.create("run.json", b"{}").unwrap();
    fs::write(scratch.path().join("workers"), b"no folder").unwrap();
    let options = options(Duration::from_secs(5));
    let refused = Worker::new(&start(), &runtime(), &store, &options);
    let message = refused.err().map(|error| error.to_string());
    assert!(message.is_some_and(|message| message.contains("workers/test-")));
}

#[test]
fn another_machine_goes_on_from_the_store() {
    let scratch = Scratch::new("cluster-goes-on");
    let (whole, parts) = (scratch.path().join("whole"), scratch.path().join("parts"));
    let plan = format!("{PLAN}ahead = 1\n");
    let copy = |name: &str| scratch.path().join(name);
    let short = plan.replace("generations = 2", "generations = 1");
    learn(&folder_store(&whole), &copy("a"), (&short, true)).unwrap();
    let wanted = learn(&folder_store(&whole), &copy("a"), (&plan, true)).unwrap();
    let store = folder_store(&parts);
    assert_eq!(learn(&store, &copy("b"), (&short, true)).unwrap().len(), 2);
    // Nothing of the first learner's folder is there.
    let done = learn(&store, &copy("c"), (&plan, true)).unwrap();
    assert_eq!(done.len(), 3);
    same(&products(&store), &products(&folder_store(&whole)));
    let players = |done: &[Generation]| -> Vec<String> {
        done.iter()
            .map(|generation| generation.players.clone())
            .collect()
    };
    assert_eq!(players(&done), players(&wanted));
    assert_eq!(
        players(&done)[..2],
        ["rollouts", "rollouts"],
        "a generation ahead"
    );
    assert!(players(&done)[2].starts_with("network-0000"));
    // The folder of another run, and a plan of another run.
    let message = learn(&store, &copy("a"), (&plan, true))
        .unwrap_err()
        .to_string();
    assert!(message.contains("another run"), "{message}");
    let other = plan.replace("visits = 4", "visits = 5");
    // Also on the machine that began it.
    for name in ["c", "d"] {
        let refused = learn(&store, &copy(name), (&other, true)).unwrap_err();
        assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
        assert!(refused.to_string().contains("another plan"), "{refused}");
    }
    // What a working copy has lost comes from the store.
    let summary = |number: u32| RunFolder::new(&copy("c")).summary(number);
    fs::remove_file(summary(1)).unwrap();
    fs::write(summary(2), b"{").unwrap();
    let again = learn(&store, &copy("c"), (&plan, true)).unwrap();
    assert_eq!(again.len(), 3);
    assert!((1..3).all(|number| load::<Generation>(&summary(number)).unwrap().is_some()));
}

#[test]
fn runs_of_one_machine_and_of_several_are_told_apart() {
    let scratch = Scratch::new("cluster-apart");
    let (single, several) = (
        scratch.path().join("single"),
        scratch.path().join("several"),
    );
    fs::create_dir(&single).unwrap();
    fs::write(single.join("plan.toml"), PLAN).unwrap();
    let copy = scratch.path().join("copy");
    let refused = [
        wait_for_plan(&folder_store(&single)).map(drop),
        current_plan(&folder_store(&single)).map(drop),
        learn(&folder_store(&single), &copy, (PLAN, true)).map(drop),
    ];
    for refused in refused {
        let refused = refused.unwrap_err();
        assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
        assert!(refused.to_string().contains("`loop --out`"), "{refused}");
    }
    assert_eq!(fs::read_dir(&single).unwrap().count(), 1, "it is untouched");

    assert!(refuse_store(&several).is_ok() && refuse_store(&single).is_ok());
    let plan = CyclePlan::parse(PLAN).unwrap();
    Manifest::new(&plan)
        .unwrap()
        .begin(&folder_store(&several))
        .unwrap();
    let refused = refuse_store(&several).unwrap_err();
    assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
    let message = refused.to_string();
    assert!(
        message.contains("loop --run") && message.contains("report.html"),
        "{message}"
    );
}

/// A run of one generation in the store `store`, with the working copy `copy`; returns its plan.
fn learn_briefly(scratch: &Scratch) -> String {
    let plan = PLAN.replace("generations = 2", "generations = 1");
    let [store, copy] = ["store", "copy"].map(|name| scratch.path().join(name));
    learn(&folder_store(&store), &copy, (&plan, true)).unwrap();
    plan
}

#[test]
fn a_run_that_begins_again_needs_another_working_copy() {
    let scratch = Scratch::new("cluster-again");
    let place = |name: &str| scratch.path().join(name);
    let short = learn_briefly(&scratch);
    fs::rename(place("store"), place("deleted")).unwrap();
    let store = folder_store(&place("store"));
    let refused = learn(&store, &place("copy"), (&short, true)).unwrap_err();
    assert!(refused.to_string().contains("another run"), "{refused}");
    assert!(!place("store").exists(), "nothing is written before");
    // Nor is the store of another run a working copy.
    let refused = learn(&store, &place("deleted"), (&short, true)).unwrap_err();
    assert!(refused.to_string().contains("it is the store"), "{refused}");
    let [first, second] = ["1", "2"].map(|id| working_copy::usual(&store, &plain(id)));
    assert_ne!(first, second);
    assert_ne!(
        first,
        working_copy::usual(&folder_store(&place("deleted")), &plain("1"))
    );

    // What is no run is not copied as one.
    fs::create_dir(place("single")).unwrap();
    fs::write(place("single").join("plan.toml"), PLAN).unwrap();
    for (name, why) in [("single", "`loop --out`"), ("nothing", "contains no run")] {
        let refused = require_run(&folder_store(&place(name))).unwrap_err();
        assert!(refused.to_string().contains(why), "{refused}");
    }
    require_run(&folder_store(&place("deleted"))).unwrap();
}

/// A bit of a result that has changed in the store is noticed by the learner, and by a check.
#[test]
fn a_damaged_result_is_noticed() {
    let scratch = Scratch::new("cluster-damaged");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let matches = place("store").join("g0001/matches");
    let pairs = durable::list(&matches, "", "json").unwrap().remove(0);
    for (path, at) in [
        (place("store").join("g0001/games/0001.parquet"), 60),
        (pairs, 30),
    ] {
        let name = path.display();
        let mut bytes = fs::read(&path).unwrap();
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let problems = fsck::check(&path).unwrap().problems;
        assert_eq!(problems.len(), 1, "{name}");
        bytes[at] ^= 1;
        fs::write(&path, &bytes).unwrap();
        assert_eq!(fsck::check(&path).unwrap().problems, [], "{name}");
    }
    let path = place("store").join("g0000/games/0001.parquet");
    let mut bytes = fs::read(&path).unwrap();
    bytes[60] ^= 1;
    fs::write(&path, &bytes).unwrap();
    // Another machine, which needs the games.
    let refused = learn(
        &folder_store(&place("store")),
        &place("other"),
        (PLAN, true),
    );
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("0001.parquet: it is damaged: its checksum")
            && message.contains("delete it, and `echo g0000/games/0001 |"),
        "{message}"
    );
}

#[test]
fn a_plan_whose_files_are_missing_begins_nothing() {
    let scratch = Scratch::new("cluster-files");
    let place = |name: &str| scratch.path().join(name);
    let plan = PLAN.replace("playouts = 10", "playouts = 10, network = \"nothere.onnx\"");
    let learned = learn(
        &folder_store(&place("store")),
        &place("copy"),
        (&plan, true),
    );
    let message = learned.unwrap_err().to_string();
    assert!(
        message.contains("network of [warm-up]") && message.contains("nothere.onnx"),
        "{message}"
    );
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_run_of_another_program_is_refused_with_the_reason() {
    let backend = FaultyBackend::new(1);
    let store = backend.store();
    let plan = CyclePlan::parse(PLAN).unwrap();
    let begin = || Manifest::new(&plan).unwrap().begin(&store).unwrap();
    let manifest = begin();
    assert_eq!(begin(), manifest);
    for (change, reason) in [
        ("protocol", "protocol 9"),
        ("shard_format", "shard format 9"),
    ] {
        let mut other = serde_json::to_value(&manifest).unwrap();
        other[change] = 9.into();
        store.try_put("run.json", other.to_string().as_bytes());
        let refused = Manifest::read(&store).unwrap_err();
        assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
        assert!(refused.to_string().contains(reason), "{refused}");
    }
    let mut other = serde_json::to_value(&manifest).unwrap();
    other["program"] = "tengen-train 9.9".into();
    store.try_put("run.json", other.to_string().as_bytes());
    let message = Manifest::read(&store).unwrap_err().to_string();
    assert!(message.contains("program tengen-train 9.9"), "{message}");
}

/// Claims all tickets of generation 0 for machines that never report, and has one worker finish the run.
fn run_after_deaths(store: &Store, copy: &Path, plan: &str) {
    thread::scope(|scope| {
        let learner = scope.spawn(|| learn(store, copy, (plan, false)));
        while store.get("g0000/tickets.json").unwrap().is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        for ticket in 0..4 {
            let name = objects::of(0, &objects::claim(&format!("games/{ticket:04}"), 1));
            store.create(&name, b"dead").unwrap();
        }
        let options = options(Duration::from_secs(1));
        let mut worker = worker(store, &options);
        worker.run(|_| ()).unwrap();
        assert_eq!(learner.join().unwrap().unwrap().len(), 3);
    });
    let claims = store.list("g0000/claims/").unwrap();
    let again = claims.iter().filter(|name| name.ends_with(".a002"));
    assert_eq!(again.count(), 4);
}

/// A worker that died with a claim is replaced, and one whose result differs says so.
#[test]
fn a_dead_workers_ticket_is_played_and_a_wrong_result_is_seen() {
    let scratch = Scratch::new("cluster-dead");
    let place = |name: &str| scratch.path().join(name);
    let short =
        PLAN.split("[rating]").next().unwrap().to_owned() + "[machines]\ngames-per-ticket = 2\n";
    // The next generation is open, too, while this one's dead are waited for.
    let ahead = format!("{short}ahead = 1\n");
    run_after_deaths(&folder_store(&place("ahead")), &place("ahead-copy"), &ahead);
    let store = folder_store(&place("store"));
    run_after_deaths(&store, &place("copy"), &short);

    // The same ticket again: equal bytes. With another result in its place: refused.
    let mut worker = worker(&store, &options(Duration::from_secs(5)));
    worker.play_named("g0000/games/0001").unwrap();
    let message = worker
        .play_named("g0000/games/0009")
        .unwrap_err()
        .to_string();
    assert!(message.contains("no ticket"), "{message}");
    let (_, ticket) = worker.ticket("g0000/games/0001").unwrap();
    worker.play(&ticket, None, &mut |_| Ok(())).unwrap();
    let (name, path) = (ticket.result(), Path::new("shard"));
    let mut shard = shard::decode(path, store.get(&name).unwrap().unwrap()).unwrap();
    shard.rows.pop();
    let wrong = shard::encode(&shard.info, &shard.rows).unwrap();
    store.try_put(&name, &wrong);
    let refused = worker.play(&ticket, None, &mut |_| Ok(())).unwrap_err();
    assert!(
        refused.to_string().contains("with another result"),
        "{refused}"
    );
    // Of another backend it may differ: the first one stays.
    shard.info.source += " backend=another";
    let other = shard::encode(&shard.info, &shard.rows).unwrap();
    store.try_put(&name, &other);
    worker.play(&ticket, None, &mut |_| Ok(())).unwrap();
    assert_eq!(store.get(&name).unwrap(), Some(other));
}
