//! Objects that are damaged, lost or forged.

use serde_json::{Value, json};

use super::*;
use crate::shards::dataset::Dataset;
use crate::shards::row::Row;
use crate::shards::shard::ShardInfo;

/// Forgets that generation 1 is finished, and its games.
fn reopen(folder: &Path) {
    let run_folder = RunFolder::new(folder);
    let _ = fs::remove_file(run_folder.summary(1));
    let _ = fs::remove_dir_all(run_folder.games(1));
}

#[test]
fn a_check_finds_damaged_objects() {
    let scratch = Scratch::new("cluster-check");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let games = Dataset::load(&[place("store/g0001/games")], 1000, 0.0).unwrap();
    assert_eq!(games.games, 6, "they can be used without the learner");
    let problems = || fsck::check(scratch.path()).unwrap().problems;
    assert_eq!(problems(), []);
    for (name, advice) in [
        ("store/g0001/tickets.json", "delete it"),
        ("store/g0001/games/0001.parquet", "delete it"),
        ("store/g0000/matches/rave-5.0000.json", "delete it"),
        ("copy/generation-0001.json", "restore it"),
    ] {
        let path = place(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[30] ^= 1;
        fs::write(&path, &bytes).unwrap();
        let found = problems();
        let is_told = |found: &fsck::Problem| {
            found.what.contains("it is damaged: ") && found.what.contains(advice)
        };
        assert!(found.len() == 1 && is_told(&found[0]), "{name}: {found:?}");
        bytes[30] ^= 1;
        fs::write(&path, &bytes).unwrap();
    }
}

/// What the learner's messages say about damaged objects helps.
#[test]
fn what_a_store_has_lost_is_made_again() {
    let scratch = Scratch::new("cluster-lost");
    let place = |name: &str| scratch.path().join(name);
    let short = learn_briefly(&scratch);
    let store = folder_store(&place("store"));
    let wanted = products(&store);
    let manifest = fs::read(place("store/run.json")).unwrap();
    for name in ["g0001/tickets.json", "g0001/games/0001.parquet"] {
        let path = place("store").join(name);
        let mut bytes = fs::read(&path).unwrap();
        bytes[60] ^= 1;
        fs::write(&path, &bytes).unwrap();
        reopen(&place("copy"));
        let message = learn(&store, &place("copy"), (&short, true))
            .unwrap_err()
            .to_string();
        assert!(
            message.contains(&format!("{name}: it is damaged: "))
                && message.contains("delete it and start the learner again"),
            "{message}"
        );
        fs::remove_file(&path).unwrap();
        learn(&store, &place("copy"), (&short, true)).unwrap();
        assert_eq!(products(&store), wanted, "{name}");
    }
    for name in ["g0001/done.json", "g0000/done.json", "run.json"] {
        fs::remove_file(place("store").join(name)).unwrap();
    }
    // As another process, which has not seen them.
    let store = folder_store(&place("store"));
    learn(&store, &place("copy"), (&short, true)).unwrap();
    assert_eq!(fs::read(place("store/run.json")).unwrap(), manifest);
    assert!(place("store/g0001/done.json").exists());
}

/// As a generation is that was fitted again on a GPU.
#[test]
fn an_offer_of_another_network_says_what_differs_and_what_helps() {
    let scratch = Scratch::new("cluster-refitted");
    let place = |name: &str| scratch.path().join(name);
    let short = learn_briefly(&scratch);
    let path = place("store/g0001/tickets.json");
    let mut offer: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    *offer.pointer_mut("/network/hash").unwrap() = json!("before");
    offer.as_object_mut().unwrap().remove("checksum");
    fs::write(&path, serde_json::to_vec(&offer).unwrap()).unwrap();
    reopen(&place("copy"));
    let learned = || {
        learn(
            &folder_store(&place("store")),
            &place("copy"),
            (&short, true),
        )
    };
    let message = learned().unwrap_err().to_string();
    let differs = message.contains("hash of network: \"") && message.contains("not \"before\"");
    assert!(
        differs && message.contains("after that delete "),
        "{message}"
    );
    fs::remove_dir_all(place("store/g0001")).unwrap();
    assert_eq!(learned().unwrap().len(), 2);
}

/// Its checksum would be that of the offer, and each worker would end at it.
#[test]
fn a_damaged_network_is_not_offered() {
    let scratch = Scratch::new("cluster-damaged-network");
    let place = |name: &str| scratch.path().join(name);
    let short = learn_briefly(&scratch);
    reopen(&place("copy"));
    let path = RunFolder::new(&place("copy")).network(0);
    let bytes = fs::read(&path).unwrap();
    fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
    let store = folder_store(&place("store"));
    let learned = learn(&store, &place("copy"), (&short, true));
    let message = learned.unwrap_err().to_string();
    let name = path.display().to_string();
    assert!(message.contains(&name), "{message}");
}

/// A writer of the store cannot have a worker write elsewhere.
#[test]
fn a_network_does_not_lead_out_of_the_workers_folder() {
    let scratch = Scratch::new("cluster-outside");
    let place = |name: &str| scratch.path().join(name);
    learn_briefly(&scratch);
    let path = place("store/g0001/tickets.json");
    let mut offer: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    *offer.pointer_mut("/network/hash").unwrap() = json!("../../outside");
    // Anyone can compute it, and older programs wrote none.
    offer.as_object_mut().unwrap().remove("checksum");
    fs::write(&path, serde_json::to_vec(&offer).unwrap()).unwrap();
    let store = folder_store(&place("store"));
    let mut worker = worker(&store, &options(OFTEN));
    let ticket = ticket(&mut worker, &store, "g0001/games/0001");
    let refused = worker.play(&ticket, &mut |_| Ok(())).unwrap_err();
    assert!(matches!(refused, TrainError::Refused(_)), "{refused}");
    assert!(refused.to_string().contains("leads out"), "{refused}");
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
        reopen(&place("copy"));
        let refused = learn(&store, &place("copy"), (PLAN, true));
        let refused = refused.unwrap_err().to_string();
        let is_told = refused.contains(about)
            && refused.contains("g0001/games/0001.parquet")
            && refused.contains("delete it");
        assert!(is_told, "{number}: {refused}");
    }
    fs::write(&path, bytes).unwrap();
    reopen(&place("copy"));
    assert_eq!(
        learn(&store, &place("copy"), (PLAN, true)).unwrap().len(),
        3
    );
}

/// A bit of a result that has changed is noticed by a check.
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
}
