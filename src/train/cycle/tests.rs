//! A complete small run, and its recovery after parts are removed.

mod gomoku;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::*;
use crate::TrainError;
use crate::durable::lock_folder;
use crate::play::runtime::Runtime;
use crate::shards::shard;
use tengen::clock::FakeClock;
use tengen::game::{BoardSize, Game};
use tengen::games::nogo::SmallNoGo;
use tengen::stats::GameResult;
use tengen_nn::eval::{BackendKind, ModelInfo};
use tengen_nn::files::scratch::Scratch;

const PLAN: &str = r#"
size = 4
warm-up = { games = 6, playouts = 10 }

[[stage]]
network = "az-1b8c"
visits = 4
games = 4
generations = 2

[[stage]]
network = "az-1b10c"
visits = 6
games = 4
generations = 1

[self-play]
concurrent = 3
prove-nodes = 100

[window]
held-out = 0.2

[fit]
batch = 16
reuse = 1.0
catch-up = 1.0

[rating]
pairs = 3
visits = 4
anchors = [5, 50]

[gate]
pairs = 4
visits = 4
"#;

/// The plan up to its first stage.
fn first_stage() -> &'static str {
    let mut parts = PLAN.split("[[stage]]\nnetwork = \"az-1b10c\"");
    parts.next().unwrap()
}

/// Runs the plan; returns the reported steps.
fn go(folder: &Path, plan: &str) -> (Vec<Generation>, Vec<RunEvent>) {
    let (done, told) = attempt(folder, plan);
    (done.unwrap(), told)
}

/// The same for a run that may fail.
fn attempt(folder: &Path, plan: &str) -> (Result<Vec<Generation>, TrainError>, Vec<RunEvent>) {
    let runtime = Runtime {
        backend: Some(BackendKind::Tract),
        ..Runtime::usual(None)
    };
    let clock = FakeClock::new();
    let resources = Resources::small(&runtime, &clock);
    let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
    let mut told = Vec::new();
    let plan = CyclePlan::parse(plan).unwrap();
    let done = run(&start, &plan, folder, &resources, &mut |event| {
        told.push(event.clone())
    });
    (done, told)
}

/// All files of a run that must not depend on interruptions, by name.
fn products(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.strip_prefix(folder).unwrap().display().to_string();
            let name = name.replace(std::path::MAIN_SEPARATOR, "/");
            if path.is_dir() {
                folders.push(path);
            } else if name.starts_with("generation-") && !name.contains('/') {
                found.insert(name, without_rates(&path));
            } else if !["hours.json", "report.html"].contains(&name.as_str()) {
                found.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A generation without machine-dependent values.
fn without_rates(path: &Path) -> Vec<u8> {
    let mut generation: Generation = load(path).unwrap().unwrap();
    generation.games_per_second = 0.0;
    generation.evaluations_per_second = 0.0;
    generation.samples_per_second = 0.0;
    serde_json::to_vec(&generation).unwrap()
}

#[track_caller]
fn same(found: &BTreeMap<String, Vec<u8>>, wanted: &BTreeMap<String, Vec<u8>>) {
    let names = wanted.keys().chain(found.keys());
    let differ: Vec<&String> = names.filter(|k| found.get(*k) != wanted.get(*k)).collect();
    assert!(differ.is_empty(), "{differ:?}");
}

fn steps(told: &[RunEvent]) -> Vec<(u32, StepName)> {
    let mut steps: Vec<(u32, StepName)> = told
        .iter()
        .filter_map(|event| match event {
            RunEvent::Step {
                generation, step, ..
            } => Some((*generation, *step)),
            RunEvent::Finished(..) => None,
        })
        .collect();
    steps.dedup();
    steps
}

#[test]
fn a_run_does_what_its_plan_says_and_survives_losing_any_product() {
    let (whole, broken) = (Scratch::new("cycle-whole"), Scratch::new("cycle-broken"));
    let (done, told) = go(whole.path(), PLAN);
    let players: Vec<&str> = done.iter().map(|g| g.players.as_str()).collect();
    assert_eq!(players[0], "rollouts");
    assert!(players[1].starts_with("network-0000"), "{players:?}");
    assert_eq!(players[3], "start-0003");
    let networks: Vec<&str> = done.iter().map(|g| g.network.as_str()).collect();
    assert_eq!(networks, ["az-1b8c", "az-1b8c", "az-1b8c", "az-1b10c"]);
    assert_eq!(done[3].games_so_far, 18);
    assert!(done[2].steps > done[1].steps && done[1].steps > done[0].steps);
    // The larger network starts from the smaller one: its steps are added.
    assert!(2 * done[3].steps > 3 * done[2].steps);
    assert!(steps(&told).contains(&(3, StepName::CatchUp)));
    assert!(steps(&told).contains(&(3, StepName::Gate)));
    let info = |number: u32| {
        let path = RunFolder::new(whole.path()).network(number);
        ModelInfo::read("network", &fs::read(path).unwrap()).unwrap()
    };
    assert_eq!((info(3).games, info(3).network.as_str()), (18, "az-1b10c"));
    assert_eq!(info(2).steps, done[2].steps);

    let wanted = products(whole.path());
    let report = fs::read_to_string(RunFolder::new(whole.path()).report()).unwrap();
    assert!(report.contains("4 generations, 18 games") && report.matches("<svg").count() >= 7);
    let ended = |plays_next| {
        let last = Generation {
            plays_next,
            ..done[3].clone()
        };
        super::run::last_network(&RunFolder::new(whole.path()), &last)
    };
    assert!(!ended(3).contains("the gate refused it"));
    assert!(ended(2).contains("the gate refused it") && ended(2).ends_with("network-0002.onnx"));
    // The first network meets no other one.
    let verdicts: Vec<String> = done.iter().filter_map(Generation::verdict).collect();
    assert_eq!(verdicts.len(), 3);
    assert!(verdicts.iter().all(|verdict| report.contains(verdict)));

    // The run is stopped after each of its results in turn: all later ones are removed.
    go(broken.path(), PLAN);
    same(&products(broken.path()), &wanted);
    let lost = |name: &str| {
        let part = |part: &str| name.contains(part);
        // The log of losses belongs to its checkpoints and is not written without one.
        (part("generation-0003") && !part("losses")) || part("-0003.onnx")
    };
    let mut last: Vec<&String> = wanted.keys().filter(|name| lost(name)).collect();
    last.sort_by_key(|name| std::cmp::Reverse((name.contains(".json"), name.len())));
    for count in [1, 3, last.len()] {
        for name in &last[..count] {
            let _ = fs::remove_file(broken.path().join(name));
        }
        let _ = fs::remove_file(broken.path().join("generation-0003.json"));
        fs::write(broken.path().join(".unfinished-generation-0003.json"), b"{").unwrap();
        go(broken.path(), PLAN);
        same(&products(broken.path()), &wanted);
    }
}

#[test]
fn a_run_may_be_prolonged_and_not_changed() {
    let scratch = Scratch::new("cycle-longer");
    let short = first_stage();
    assert_eq!(go(scratch.path(), short).0.len(), 3);
    let longer = short.replace("generations = 2", "generations = 3");
    let (done, told) = go(scratch.path(), &longer);
    assert_eq!(done.len(), 4);
    assert!(steps(&told).iter().all(|step| step.0 == 3));
    let run_folder = RunFolder::new(scratch.path());
    let other = CyclePlan::parse(&short.replace("visits = 4", "visits = 5")).unwrap();
    let message = run_folder.prepare(&other).unwrap_err().to_string();
    assert!(message.contains("another plan"), "{message}");
}

#[test]
fn a_run_goes_on_without_its_old_games() {
    let scratch = Scratch::new("cycle-forgot");
    let short = first_stage();
    go(scratch.path(), short);
    let run_folder = RunFolder::new(scratch.path());
    (0..3).for_each(|number| fs::remove_dir_all(run_folder.games(number)).unwrap());
    let longer = short.replace("generations = 2", "generations = 3");
    let (done, _) = go(scratch.path(), &longer);
    assert_eq!((done.len(), done[3].games_so_far), (4, 18));
    // With a third of the window it makes a third of the steps, and does not use its games three
    // times as often.
    let steps = |number: usize| done[number].steps - done[number - 1].steps;
    let share = done[3].rows as f64 / done[3].rows_so_far as f64;
    let usual = steps(2) as f64 * done[3].rows as f64 / done[2].rows as f64;
    let expected = usual * share;
    assert!(
        (steps(3) as f64 - expected).abs() <= 2.0,
        "{} and not about {expected} steps",
        steps(3)
    );
}

/// Opponents of the third generation in a run whose last network was kept, as by
/// `scripts/release-network.sh`, and not the one rated last; `before` are that one's matches.
fn met_without_old_networks(
    name: &str,
    anchors: &str,
    before: Option<&MatchRecord>,
) -> Vec<String> {
    let scratch = Scratch::new(name);
    let rating = format!("[rating]\npairs = 1\nvisits = 2\nanchors = {anchors}\nevery = 3\n");
    let short = first_stage().to_owned() + &rating;
    go(scratch.path(), &short);
    let run_folder = RunFolder::new(scratch.path());
    assert!(run_folder.matches(0).exists() && !run_folder.matches(2).exists());
    (0..2).for_each(|number| fs::remove_file(run_folder.network(number)).unwrap());
    if let Some(record) = before {
        save(&run_folder.matches(0).join("rave.json"), record).unwrap();
    }
    let longer = short.replace("generations = 2", "generations = 3");
    go(scratch.path(), &longer);
    let met = ratings::match_records(&run_folder.matches(3)).unwrap();
    met.into_iter().map(|record| record.second).collect()
}

#[test]
fn a_run_is_rated_without_its_old_networks() {
    let met = met_without_old_networks("cycle-kept", "[5]", None);
    assert_eq!(met, ["rave-5"]);
}

#[test]
fn a_run_meets_its_last_anchor_again_without_its_old_networks() {
    let even = MatchRecord {
        first: "network-0000".to_owned(),
        second: "rave-50".to_owned(),
        pairs: vec![[GameResult::Win, GameResult::Loss]],
    };
    let met = met_without_old_networks("cycle-kept-anchor", "[5, 50]", Some(&even));
    assert_eq!(met, ["rave-50"]);
}

#[test]
fn a_run_does_not_begin_anew_without_its_last_checkpoint() {
    let scratch = Scratch::new("cycle-checkpoint");
    let short = first_stage();
    go(scratch.path(), short);
    let longer = short.replace("generations = 2", "generations = 3");
    let run_folder = RunFolder::new(scratch.path());
    let refused = || {
        let message = attempt(scratch.path(), &longer).0.unwrap_err().to_string();
        message.replace(std::path::MAIN_SEPARATOR, "/")
    };
    // Neither this one nor the one before it.
    let kept = scratch.path().join("kept");
    fs::rename(run_folder.fit(1), &kept).unwrap();
    fs::remove_dir_all(run_folder.fit(2)).unwrap();
    let message = refused();
    assert!(
        message.contains("generation-0002/fit") && message.contains("no checkpoint"),
        "{message}"
    );
    assert!(message.contains("start a new run"), "{message}");
    fs::rename(&kept, run_folder.fit(1)).unwrap();
    // What the message says helps.
    let message = refused();
    for part in [
        "generation-0002.json, generation-0002/fit, generation-0002/matches",
        "networks/network-0002.*",
    ] {
        assert!(message.contains(part), "{message}");
    }
    fs::remove_file(run_folder.summary(2)).unwrap();
    fs::remove_file(run_folder.network(2)).unwrap();
    go(scratch.path(), &longer);
    let whole = Scratch::new("cycle-checkpoint-whole");
    go(whole.path(), &longer);
    same(&products(scratch.path()), &products(whole.path()));
}

#[test]
fn a_larger_network_needs_the_checkpoint_of_the_one_before() {
    let scratch = Scratch::new("cycle-larger");
    let short = first_stage();
    go(scratch.path(), short);
    fs::remove_dir_all(RunFolder::new(scratch.path()).fit(2)).unwrap();
    let stage = short.split_once("[[stage]]").unwrap().1;
    let larger = format!("{short}[[stage]]{}", stage.replace("1b8c", "1b10c"));
    let message = attempt(scratch.path(), &larger).0.unwrap_err().to_string();
    assert!(message.contains("no checkpoint"), "{message}");
}

#[test]
fn a_lost_summary_ends_the_run_before_anything_is_written() {
    let scratch = Scratch::new("cycle-summary");
    let short = first_stage();
    go(scratch.path(), short);
    let longer = short.replace("generations = 2", "generations = 3");
    let run_folder = RunFolder::new(scratch.path());
    let refused = || {
        let (done, told) = attempt(scratch.path(), &longer);
        assert!(told.is_empty(), "{told:?}");
        done.unwrap_err().to_string()
    };
    let path = run_folder.summary(1);
    let text = fs::read(&path).unwrap();
    fs::remove_file(&path).unwrap();
    let before = products(scratch.path());
    let message = refused();
    assert!(
        message.contains("generation-0001.json is missing, and generation 2 is finished"),
        "{message}"
    );
    same(&products(scratch.path()), &before);

    fs::write(&path, &text[..9]).unwrap();
    let message = refused();
    assert!(
        message.contains("restore it from a copy") && !message.contains("delete it"),
        "{message}"
    );
    // That of the last generation can be made again.
    fs::write(&path, &text).unwrap();
    fs::write(run_folder.summary(2), b"{").unwrap();
    let message = refused();
    assert!(message.contains("delete it and run"), "{message}");
    fs::remove_file(run_folder.summary(2)).unwrap();
    assert_eq!(go(scratch.path(), &longer).0.len(), 4);
}

#[test]
fn a_run_goes_on_without_a_damaged_shard() {
    let scratch = Scratch::new("cycle-shard");
    let short = first_stage();
    go(scratch.path(), short);
    let longer = short.replace("generations = 2", "generations = 3");
    let run_folder = RunFolder::new(scratch.path());
    let damage = |number: u32| {
        let path = shard::list(&run_folder.games(number)).unwrap().remove(0);
        fs::write(&path, b"damaged").unwrap();
        let message = attempt(scratch.path(), &longer).0.unwrap_err().to_string();
        fs::remove_file(&path).unwrap();
        message
    };
    // Games of the generation in progress are played again.
    fs::remove_file(run_folder.summary(2)).unwrap();
    let message = damage(2);
    assert!(message.contains("delete it and run"), "{message}");
    let message = damage(1);
    assert!(
        message.contains("delete it and generation-0002/fit: the run goes on without its games"),
        "{message}"
    );
    fs::remove_dir_all(run_folder.fit(2)).unwrap();
    assert_eq!(go(scratch.path(), &longer).0.len(), 4);
}

#[test]
fn a_setting_of_an_earlier_version_is_named_with_its_file() {
    let scratch = Scratch::new("cycle-earlier-plan");
    let plan = "[[stage]]\nplateau = { elo = 15.0 }\n";
    fs::write(scratch.path().join("plan.toml"), plan).unwrap();
    let message = attempt(scratch.path(), PLAN).0.unwrap_err().to_string();
    for part in ["plan.toml", "an earlier version", "`plateau`"] {
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn a_run_has_one_process() {
    let scratch = Scratch::new("cycle-busy");
    let _other = lock_folder(scratch.path()).unwrap();
    let (done, told) = attempt(scratch.path(), PLAN);
    let message = done.unwrap_err().to_string();
    assert!(message.contains("another process"), "{message}");
    assert!(told.is_empty());
}

#[test]
fn another_runs_network_may_begin_and_int8_may_play() {
    let (first, second) = (Scratch::new("cycle-first"), Scratch::new("cycle-second"));
    let short = PLAN.split("[gate]").next().unwrap();
    go(first.path(), short);
    let network = RunFolder::new(first.path()).network(3);
    let warm_up = format!(
        "warm-up = {{ games = 6, playouts = 10, network = {:?} }}",
        network.display().to_string()
    );
    let plan = short
        .replace("warm-up = { games = 6, playouts = 10 }", &warm_up)
        .replace("concurrent = 3", "concurrent = 3\nint8 = true");
    // What cannot begin is refused before anything is written, so that the plan can be corrected.
    let refused = |plan: &str, parts: [&str; 2]| {
        let message = attempt(second.path(), plan).0.unwrap_err().to_string();
        assert!(parts.iter().all(|part| message.contains(part)), "{message}");
        assert_eq!(fs::read_dir(second.path()).unwrap().count(), 0);
    };
    let missing = plan.replace("network-0003", "nothere");
    refused(&missing, ["network of [warm-up]", "nothere.onnx"]);
    let larger = plan.replace("size = 4", "size = 5");
    refused(&larger, ["network-0003.onnx", "plays on 4x4, not on 5x5"]);

    let (done, _) = go(second.path(), &plan);
    let players: Vec<&str> = done.iter().map(|g| g.players.as_str()).collect();
    assert_eq!(players[0], "warm-up");
    assert_eq!((players[3], done[0].visits), ("start-0003.int8", 10));
    let run_folder = RunFolder::new(second.path());
    // A network that loses too much in int8 plays in f32.
    assert!((0..4).any(|number| int8(&run_folder.network(number)).exists()));
    // The run has its own copy.
    fs::remove_file(&network).unwrap();
    assert_eq!(go(second.path(), &plan).0.len(), 4);

    // One in integers plays as it is, also where the first fit begins with weights.
    let third = Scratch::new("cycle-third");
    let mut networks = (0..4).map(|number| int8(&run_folder.network(number)));
    let network = networks.find(|path| path.exists()).unwrap();
    let weights = run_folder.fit(2);
    let warm_up = format!("playouts = 10, network = {network:?}, weights = {weights:?}");
    let plan = first_stage().replace("playouts = 10", &warm_up) + "[self-play]\nint8 = true\n";
    let (done, _) = go(third.path(), &plan);
    assert_eq!((done.len(), &*done[0].players), (3, "warm-up"));
}
