//! Whole runs: on a folder, on a store that fails, with workers that die.

mod damage;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use std::{fs, thread};

use super::manifest::{Manifest, refuse_store, wait_for_plan};
use super::objects::{self, Snapshot};
use super::tickets::Ticket;
use super::worker::{Worker, WorkerOptions};
use super::{LearnerOptions, run_learner};
use crate::cycle::{CyclePlan, Generation, Resources, RunFolder, fsck, run, to_json};
use crate::play::runtime::Runtime;
use crate::shards::shard;
use crate::store::faulty::FaultyBackend;
use crate::store::{RetryLimits, Store, open};
use crate::{TrainError, durable};
use tengen::clock::{Clock, SystemClock};
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

fn options(look_every: Duration) -> WorkerOptions {
    WorkerOptions {
        name: "test".to_owned(),
        threads: 1,
        look_every,
    }
}

const OFTEN: Duration = Duration::from_millis(50);

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
        store: store.clone(),
        worker: options(OFTEN),
        plays,
    };
    let plan = CyclePlan::parse(plan).unwrap();
    run_learner(&start(), &plan, folder, &resources, &options, &mut |_| ())
}

fn worker(store: &Store, options: &WorkerOptions) -> Worker<SmallNoGo> {
    Worker::new(&start(), &runtime(), store, options).unwrap()
}

/// A learner with this many workers.
fn run_with_workers(store: &Store, folder: &Path, plan: &str, workers: usize) -> Vec<Generation> {
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                let mut worker = worker(store, &options(OFTEN));
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
        let is_result = name.starts_with("g0") && parts.iter().any(|part| name.contains(part));
        // And not those of a run in the same folder.
        let is_network = name.starts_with("networks/") && !name.contains('-');
        (is_result && !name.contains("/claims/")) || is_network
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
    let finished = |store: &Store| store.get("g0003/finished.json").unwrap();
    assert!(finished(&store).is_some(), "the plan is complete");
    let wanted = products(&store);
    for path in [alone.path(), alone_copy.path()] {
        let findings = fsck::check(path).unwrap();
        assert_eq!(findings.problems, []);
        assert_eq!(findings.games, 19);
    }

    let report = fs::read_to_string(RunFolder::new(alone_copy.path()).report()).unwrap();
    assert!(report.contains("1 of 1 report"), "{report}");

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
        assert!(finished(&store).is_some());
        let again = learn(&store, &place("copy"), (PLAN, true)).unwrap();
        assert_eq!((again.len(), again[2].games_so_far), (3, 19));
    }

    // In the run's own folder.
    let both = Scratch::new("cluster-both");
    let store = folder_store(both.path());
    run_with_workers(&store, both.path(), PLAN, 1);
    same(&products(&store), &wanted);
    let findings = fsck::check(both.path()).unwrap();
    assert_eq!((findings.problems, findings.games), (vec![], 19));
}

/// A run of one generation in the store `store`, in the folder `copy`; returns its plan.
fn learn_briefly(scratch: &Scratch) -> String {
    let plan = PLAN.replace("generations = 2", "generations = 1");
    let [store, copy] = ["store", "copy"].map(|name| scratch.path().join(name));
    learn(&folder_store(&store), &copy, (&plan, true)).unwrap();
    plan
}

/// The ticket of this name.
fn ticket(worker: &mut Worker<SmallNoGo>, store: &Store, name: &str) -> Ticket {
    let generation = name[1..5].parse().unwrap();
    let snapshot = Snapshot::read(store, generation).unwrap();
    let tickets = worker.tickets(&snapshot).unwrap().into_iter();
    let mut named = tickets.filter(|ticket| ticket.full_name() == name);
    named.next().unwrap()
}

#[test]
fn a_store_holds_one_run() {
    let scratch = Scratch::new("cluster-one");
    let place = |name: &str| scratch.path().join(name);
    let short = learn_briefly(&scratch);
    learn(
        &folder_store(&place("other")),
        &place("other-copy"),
        (&short, true),
    )
    .unwrap();
    // Of the same plan.
    let refused = learn(
        &folder_store(&place("store")),
        &place("other-copy"),
        (PLAN, true),
    );
    let refused = refused.unwrap_err();
    assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
    assert!(refused.to_string().contains("another run"), "{refused}");
    // Of a folder that is not there nothing is made.
    let refused = learn(&folder_store(&place("store")), &place("new"), (PLAN, true));
    assert!(matches!(refused, Err(TrainError::Refused(_))));
    assert!(!place("new").exists());
}

#[test]
fn some_games_of_tickets_are_kept_as_sgf() {
    let scratch = Scratch::new("cluster-sgf");
    let place = |name: &str| scratch.path().join(name);
    let plan = PLAN.replace("concurrent = 3", "concurrent = 3\nsgf-every = 5");
    let plan = plan.replace("generations = 2", "generations = 1");
    learn(&folder_store(&place("store")), &place("a"), (&plan, true)).unwrap();
    let (runtime, clock) = (runtime(), SystemClock::new());
    let resources = Resources::small(&runtime, &clock);
    let parsed = CyclePlan::parse(&plan).unwrap();
    run(&start(), &parsed, &place("b"), &resources, &mut |_| ()).unwrap();
    let games = |folder: &str| -> Vec<String> {
        let folder = RunFolder::new(&place(folder)).games(0).join("sgf");
        let files = durable::list(&folder, "", "sgf").unwrap();
        // All but the game's comment, which says who played.
        let text = |path: &PathBuf| -> String {
            let text = fs::read_to_string(path).unwrap();
            let parts = text.split("C[").enumerate();
            let parts = parts.filter(|(place, _)| *place != 1);
            parts.map(|(_, part)| part).collect()
        };
        files.iter().map(text).collect()
    };
    assert_eq!((games("a").len(), &games("a")), (2, &games("b")));
}

#[test]
fn a_worker_that_cannot_write_ends_at_once() {
    let scratch = Scratch::new("cluster-unwritable");
    let store = folder_store(scratch.path());
    fs::write(scratch.path().join("workers"), b"no folder").unwrap();
    let refused = Worker::new(&start(), &runtime(), &store, &options(OFTEN));
    let message = refused.err().map(|error| error.to_string());
    assert!(message.is_some_and(|message| message.contains("workers/test-")));
}

#[test]
fn another_machine_goes_on_with_the_folder() {
    let scratch = Scratch::new("cluster-goes-on");
    let (whole, parts) = (scratch.path().join("whole"), scratch.path().join("parts"));
    let plan = format!("{PLAN}ahead = 1\n");
    let copy = |name: &str| scratch.path().join(name);
    let short = plan.replace("generations = 2", "generations = 1");
    learn(&folder_store(&whole), &copy("a"), (&short, true)).unwrap();
    let wanted = learn(&folder_store(&whole), &copy("a"), (&plan, true)).unwrap();
    let store = folder_store(&parts);
    assert_eq!(learn(&store, &copy("b"), (&short, true)).unwrap().len(), 2);
    fs::rename(copy("b"), copy("c")).unwrap();
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
    let other = plan.replace("visits = 4", "visits = 5");
    let refused = learn(&store, &copy("c"), (&other, true)).unwrap_err();
    assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
    assert!(refused.to_string().contains("another plan"), "{refused}");
}

#[test]
fn other_machines_join_a_run_between_its_generations() {
    let scratch = Scratch::new("cluster-join");
    let folder = scratch.path().join("run");
    let games = RunFolder::new(&folder).games(0);
    let short = PLAN.replace("generations = 2", "generations = 1");
    fs::create_dir_all(&games).unwrap();
    fs::write(folder.join("plan.toml"), &short).unwrap();
    let store = folder_store(&folder);
    let refused = learn(&store, &folder, (PLAN, true)).unwrap_err();
    assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
    assert!(refused.to_string().contains("`loop --out`"), "{refused}");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "it is untouched");

    let (runtime, clock) = (runtime(), SystemClock::new());
    let resources = Resources::small(&runtime, &clock);
    let plan = CyclePlan::parse(&short).unwrap();
    run(&start(), &plan, &folder, &resources, &mut |_| ()).unwrap();
    refuse_store(&folder).unwrap();
    let done = run_with_workers(&store, &folder, PLAN, 1);
    assert_eq!((done.len(), done[2].games_so_far), (3, 19));
    assert!(folder.join("g0000/done.json").exists() && folder.join("g0002/games").exists());
    assert_eq!(wait_for_plan(&store).unwrap().stage[0].generations, 2);
    assert_eq!(fsck::check(&folder).unwrap().problems, []);
    let refused = refuse_store(&folder).unwrap_err();
    assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
    assert!(refused.to_string().contains("loop --run"), "{refused}");
}

#[test]
fn a_plan_that_cannot_be_executed_begins_nothing() {
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
    for (setting, much, key) in [
        ("games = 7", "games = 4000000", "games-per-ticket"),
        ("pairs = 3", "pairs = 4000000", "pairs-per-ticket"),
    ] {
        let plan = PLAN.replace(setting, much);
        let store = folder_store(&place("store"));
        let learned = learn(&store, &place("copy"), (&plan, true));
        let message = learned.unwrap_err().to_string();
        assert!(message.contains(key), "{message}");
    }
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
}

#[test]
fn a_run_of_another_program_is_refused_with_the_reason() {
    let backend = FaultyBackend::new(1);
    let store = backend.store();
    let plan = CyclePlan::parse(PLAN).unwrap();
    let manifest = Manifest::new(&plan).unwrap();
    store
        .create("run.json", &to_json(&manifest).unwrap())
        .unwrap();
    assert_eq!(Manifest::read(&store).unwrap().as_ref(), Some(&manifest));
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
    store.try_put("run.json", b"{");
    let message = Manifest::read(&store).unwrap_err().to_string();
    assert!(message.contains("run.json: it is damaged: ") && message.contains("delete it"));
}

/// Claims all tickets of generation 0 for machines that never report, and has one worker finish the run.
fn run_after_deaths(store: &Store, copy: &Path, plan: &str) {
    thread::scope(|scope| {
        let learner = scope.spawn(|| learn(store, copy, (plan, false)));
        while store.get("g0000/tickets.json").unwrap().is_none() {
            thread::sleep(Duration::from_millis(5));
        }
        for ticket in 0..4 {
            let name = objects::of(0, &objects::claim(&format!("games/{ticket:04}")));
            store.create(&name, b"dead").unwrap();
        }
        worker(store, &options(OFTEN)).run(|_| ()).unwrap();
        assert_eq!(learner.join().unwrap().unwrap().len(), 3);
    });
}

/// Workers that start before the new tickets are there would end.
#[test]
fn a_run_that_is_prolonged_is_no_longer_finished() {
    let scratch = Scratch::new("cluster-prolonged");
    let store = folder_store(&scratch.path().join("store"));
    let copy = scratch.path().join("copy");
    let short = PLAN.split("[rating]").next().unwrap();
    let is_finished = |number| Snapshot::read(&store, number).unwrap().ends_plan();
    learn(&store, &copy, (short, true)).unwrap();
    assert!(is_finished(3));
    let longer = short.replace("generations = 2", "generations = 3");
    learn(&store, &copy, (&longer, true)).unwrap();
    assert!(!is_finished(3) && is_finished(4));
}

/// The learner ends two generations while a worker lists the tickets of the next one.
#[test]
fn a_claimed_ticket_is_not_played_once_its_generation_is_done() {
    let scratch = Scratch::new("cluster-done-meanwhile");
    let place = |name: &str| scratch.path().join(name);
    let plan = PLAN.split("[rating]").next().unwrap();
    learn(&folder_store(&place("store")), &place("copy"), (plan, true)).unwrap();
    // The worker sees that generation 1 is done, and not yet that 0 is.
    for generation in ["store/g0000", "store/g0002"] {
        for name in ["done.json", "games/0000.parquet"] {
            fs::remove_file(place(generation).join(name)).unwrap();
        }
    }
    let store = folder_store(&place("store"));
    let mut played = Vec::new();
    let told = |name: &str| {
        played.push(name.to_owned());
        store.try_put("g0002/done.json", b"{}\n");
    };
    worker(&store, &options(OFTEN)).run(told).unwrap();
    assert_eq!(played, ["g0002/games/0000"]);
}

/// Its folder was deleted, and a run with another plan begun there.
#[test]
fn a_worker_of_a_run_that_has_gone_plays_nothing_else_for_the_next_one() {
    let scratch = Scratch::new("cluster-begun-again");
    let place = |name: &str| scratch.path().join(name);
    let short = learn_briefly(&scratch);
    let store = folder_store(&place("store"));
    let mut worker = worker(&store, &options(OFTEN));
    worker.run(|_| ()).unwrap();
    let ticket = ticket(&mut worker, &store, "g0001/games/0001");
    fs::rename(place("store"), place("gone")).unwrap();
    let other = short.replace("visits = 4\ngames", "visits = 5\ngames");
    let next = folder_store(&place("store"));
    learn(&next, &place("other"), (&other, true)).unwrap();
    let result = place("store").join(ticket.result());
    let wanted = fs::read(&result).unwrap();
    fs::remove_file(&result).unwrap();
    // By what is offered now.
    worker.play(&ticket, &mut |_| Ok(())).unwrap();
    assert_eq!(fs::read(&result).unwrap(), wanted);
    let message = worker.run(|_| ()).unwrap_err().to_string();
    assert!(message.contains("another run has begun"), "{message}");
    // Once it is offered no more.
    fs::remove_file(&result).unwrap();
    fs::remove_file(place("store/g0001/tickets.json")).unwrap();
    worker.play(&ticket, &mut |_| Ok(())).unwrap();
    assert!(!result.exists());
}

#[test]
fn a_worker_goes_back_to_a_generation_that_is_made_again() {
    let scratch = Scratch::new("cluster-back");
    learn_briefly(&scratch);
    let path = scratch.path().join("store");
    let store = folder_store(&path);
    let mut worker = worker(&store, &options(OFTEN));
    worker.run(|_| ()).unwrap();
    for name in ["done.json", "games/0000.parquet"] {
        fs::remove_file(path.join("g0001").join(name)).unwrap();
    }
    worker.look_back().unwrap();
    let mut played = Vec::new();
    let told = |name: &str| {
        played.push(name.to_owned());
        store.try_put("g0001/done.json", b"{}\n");
    };
    worker.run(told).unwrap();
    assert_eq!(played, ["g0001/games/0000"]);
}

/// The first tickets are there before the first fit.
#[test]
fn a_run_of_given_weights_offers_the_next_games_at_once() {
    let scratch = Scratch::new("cluster-given");
    let place = |name: &str| scratch.path().join(name);
    let short = PLAN.split("[rating]").next().unwrap();
    learn(
        &folder_store(&place("first")),
        &place("given"),
        (short, true),
    )
    .unwrap();
    let weights = RunFolder::new(&place("given")).fit(2);
    let warm_up = format!("warm-up = {{ games = 7, playouts = 10, weights = {weights:?} }}");
    let plan = short.replace("warm-up = { games = 7, playouts = 10 }", &warm_up);
    let plan = format!("{plan}[machines]\nahead = 1\n");
    let done = learn(
        &folder_store(&place("second")),
        &place("copy"),
        (&plan, true),
    );
    assert_eq!(done.unwrap().len(), 3);
}

/// A worker that died with a claim is replaced, and a result that is there stays.
#[test]
fn a_dead_workers_ticket_is_played_and_the_first_result_stays() {
    let scratch = Scratch::new("cluster-dead");
    let place = |name: &str| scratch.path().join(name);
    let short =
        PLAN.split("[rating]").next().unwrap().to_owned() + "[machines]\ngames-per-ticket = 2\n";
    // The next generation is open, too, while this one's dead are waited for.
    let ahead = format!("{short}ahead = 1\n");
    run_after_deaths(&folder_store(&place("ahead")), &place("ahead-copy"), &ahead);
    let store = folder_store(&place("store"));
    run_after_deaths(&store, &place("copy"), &short);

    // The same ticket again, and with another result in its place.
    let mut worker = worker(&store, &options(Duration::from_secs(60)));
    let ticket = ticket(&mut worker, &store, "g0000/games/0001");
    worker.play(&ticket, &mut |_| Ok(())).unwrap();
    let (name, path) = (ticket.result(), Path::new("shard"));
    let mut shard = shard::decode(path, store.get(&name).unwrap().unwrap()).unwrap();
    shard.rows.pop();
    let other = shard::encode(&shard.info, &shard.rows).unwrap();
    store.try_put(&name, &other);
    worker.play(&ticket, &mut |_| Ok(())).unwrap();
    assert_eq!(store.get(&name).unwrap(), Some(other));
    // Who ends the work is told so.
    let ended = worker.play(&ticket, &mut |_| Err(TrainError::Interrupted));
    assert!(matches!(ended, Err(TrainError::Interrupted)), "{ended:?}");
}
