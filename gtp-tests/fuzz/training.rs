//! Arbitrary bytes as files of training, by the first byte: shards, plans, games to import as records,
//! texts and archives. They are read or rejected, and a plan survives writing and reading.
#![cfg_attr(fuzzing, no_main)]

use std::path::{Path, PathBuf};

use tengen::games::{GAMES, with_game};
use tengen_train::cycle::CyclePlan;
use tengen_train::shards::import::each_game;
use tengen_train::shards::shard;

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| read(data));

pub(crate) fn read(data: &[u8]) {
    let Some((kind, bytes)) = data.split_first() else {
        return;
    };
    match kind {
        b's' => read_shard(bytes),
        b'p' => read_plan(bytes),
        b'z' => import(bytes, "zip"),
        b'i' => import(bytes, "index"),
        b't' => import(bytes, "txt"),
        b'g' => import(bytes, "sgf"),
        _ => {}
    }
}

/// The reader of shards catches panics of its library; the fuzzer's own hook would end the program before.
#[cfg(fuzzing)]
static HOOK: std::sync::Once = std::sync::Once::new();

fn read_shard(bytes: &[u8]) {
    #[cfg(fuzzing)]
    HOOK.call_once(|| std::panic::set_hook(Box::new(|panic| eprintln!("{panic}"))));
    let Ok(shard) = shard::decode(Path::new("fuzzed"), bytes.to_vec()) else {
        return;
    };
    let info = &shard.info;
    let replayed = with_game!(&info.game, info.size, rules: &info.rules, |empty| {
        for row in &shard.rows {
            let _ = row.position(&empty);
        }
    });
    replayed.expect("it was read");
    let again = shard::encode(info, &shard.rows).expect("it was read");
    let again = shard::decode(Path::new("again"), again).expect("we read what we write");
    assert_eq!(again, shard);
}

fn read_plan(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    if let Ok(plan) = CyclePlan::parse(&text) {
        let written = plan.to_toml().expect("a plan is a table");
        let again = CyclePlan::parse(&written).expect("we read what we write");
        assert_eq!(again, plan, "{written}");
    }
}

fn import(bytes: &[u8], extension: &str) {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    };
    let path = folder.join(format!("tengen-fuzz-{}.{extension}", std::process::id()));
    std::fs::write(&path, bytes).expect("there is room");
    for game in GAMES {
        let read = with_game!(game.name, game.usual_board, |start| {
            drop(each_game(&start, std::slice::from_ref(&path), |_| true));
        });
        read.expect("a game of ours");
    }
    std::fs::remove_file(&path).expect("it is ours");
}
