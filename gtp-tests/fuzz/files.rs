//! Arbitrary bytes as one of the other files and messages, by the first byte: KataGo's networks, queries
//! of its analysis engine, results and records of matches, openings, requests to the board. They are
//! read or rejected; each query is answered.
#![cfg_attr(fuzzing, no_main)]

use std::io::Cursor;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tengen::clock::{Clock, SystemClock};
use tengen::engine::{Backend, EngineOptions};
use tengen::game::BoardSize;
use tengen::games::{GAMES, with_game};
use tengen::gtp::{KatagoOptions, KatagoResources, Perspective, format_moves, serve_queries};
use tengen::record::search_value;
use tengen::referee::{MatchRecord, opening, results};
use tengen::registry;
use tengen::web::Request;
use tengen_nn::eval::{Batch, Evaluator, ModelSource, NativeModel, Outputs};

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| read(data));

pub(crate) fn read(data: &[u8]) {
    let Some((kind, bytes)) = data.split_first() else {
        return;
    };
    match kind {
        b'k' => from_file(bytes, katago_network),
        b'q' => queries(bytes),
        b'm' => match_results(bytes),
        b'o' => openings(bytes),
        b'w' => web_request(bytes),
        _ => {}
    }
}

/// Reads a file of this process with these bytes, in memory where the system has such a folder.
fn from_file(bytes: &[u8], read: impl FnOnce(&Path)) {
    let memory = PathBuf::from("/dev/shm");
    let folder = if memory.is_dir() {
        memory
    } else {
        std::env::temp_dir()
    };
    let path = folder.join(format!("tengen-fuzz-{}", std::process::id()));
    std::fs::write(&path, bytes).expect("there is room");
    read(&path);
    std::fs::remove_file(&path).expect("it is ours");
}

fn katago_network(file: &Path) {
    let source = ModelSource::File(file.to_owned());
    let _ = source.info();
    let Ok(onnx) = source.onnx(Some(BoardSize::square(3)), None) else {
        return;
    };
    // What is no network of KataGo's is left to the target `networks`.
    let Ok(model) = NativeModel::load("fuzzed", &onnx, None) else {
        return;
    };
    let mut batch = Batch::new(model.info().row_len());
    batch.push(1).fill(1.0);
    let mut out = Outputs::new();
    let answer = model.evaluator().evaluate(&batch, &mut out);
    answer.expect("what was loaded can be computed");
    assert_eq!(out.len(), 1);
}

/// All lines of a client, with few visits: each is answered, besides warnings. Longer searches show no more.
fn queries(bytes: &[u8]) {
    if bytes.windows(7).any(|word| word == b"maxTime") {
        return;
    }
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let resources = KatagoResources {
        make: Box::new(move |size: BoardSize, rules: &str| {
            let mut options = EngineOptions {
                backend: Backend::Rollout,
                seed: Some(1),
                rules: rules.to_owned(),
                ..EngineOptions::of("go").expect("a game of ours")
            };
            options.visits = Some(1);
            options.search.memory_mib = 16;
            registry::create(&options, size, &time)
        }),
        imitate: None,
        forget: Box::new(|| {}),
    };
    let options = KatagoOptions {
        network: None,
        imitator: None,
        positions: 1,
        perspective: Perspective::Mover,
        visits: 1,
        time: Some(std::time::Duration::from_millis(2)),
        settings: Default::default(),
        finish: true,
    };
    let mut output = Vec::new();
    let input = Cursor::new(bytes.to_vec());
    serve_queries(resources, options, input, &mut output).expect("a Vec takes everything");
    let output = String::from_utf8(output).expect("UTF-8");
    let mut answers = 0;
    for line in output.lines() {
        let answer: serde_json::Value = serde_json::from_str(line).expect("JSON");
        answers += usize::from(answer.get("warning").is_none());
    }
    let sent = bytes.split(|&byte| byte == b'\n').filter(|line| {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        !line.trim_ascii().is_empty()
    });
    assert!(answers >= sent.count(), "{output}");
}

fn match_results(bytes: &[u8]) {
    from_file(bytes, |file| drop(results::read(file)));
    let text = String::from_utf8_lossy(bytes);
    let _ = search_value(&text);
    if let Ok(record) = toml::from_str::<MatchRecord>(&text) {
        let written = toml::to_string(&record).expect("a record is a table");
        assert_eq!(toml::from_str(&written).as_ref(), Ok(&record), "{written}");
        let _ = (record.games(), record.share(), record.tally());
    }
}

fn openings(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    for game in GAMES {
        let read = with_game!(game.name, game.usual_board, |start| {
            let book = opening::read_book(&start, &text);
            for moves in book.iter().flat_map(|book| &book.openings) {
                let line = format_moves(moves, game.usual_board);
                let again = opening::read_book(&start, &line).expect("we read what we write");
                assert_eq!(&again.openings[0], moves);
            }
        });
        read.expect("a game of ours");
    }
}

fn web_request(bytes: &[u8]) {
    if let Ok(Some((_, head))) = Request::parse_head(bytes) {
        assert!(head <= bytes.len());
        // A head that is whole stays what it is, whatever follows.
        let (_, again) = Request::parse_head(&bytes[..head])
            .expect("it was read")
            .expect("it is whole");
        assert_eq!(again, head);
    }
}
