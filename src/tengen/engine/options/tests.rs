use std::time::Duration;

use super::*;
use crate::book::BookSource;
use crate::clock::TimeParams;
use crate::engine::{Resign, SolverOptions};
use crate::game::BoardSize;
use crate::search::SearchParams;
use tengen_nn::eval::{CudaDevices, Device, HumanProfile};

#[test]
fn every_option_is_set_by_its_name() {
    let mut options = EngineOptions::default();
    for (name, value) in [
        ("game", "nogo"),
        ("size", "9x7"),
        ("rules", "usual"),
        ("resign-below", "-0.9"),
        ("backend", "rollout"),
        ("model", "net.onnx"),
        ("human-profile", "rank_5k"),
        ("book", "lines.book"),
        ("book-variety", "0.1"),
        ("device", "cuda:1"),
        ("ort-library", "ort.so"),
        ("visits", "100"),
        ("time_per_move", "0.5"),
        ("lag", "0"),
        ("playouts-per-second", "500"),
        ("threads", "3"),
        ("seed", "42"),
        ("cache-mib", "8"),
        ("ponder", "on"),
        ("solver-from", "30"),
        ("solver-mib", "16"),
        ("probe-nodes", "0"),
        ("probe-from", "10"),
        ("root-noise", "0.25"),
        ("time-extend", "1.5"),
    ] {
        options.set(name, value).expect(name);
    }
    let expected = EngineOptions {
        game: "nogo".to_owned(),
        size: Some(BoardSize::new(9, 7)),
        rules: "usual".to_owned(),
        level: 12.0,
        resign_below: Resign::below(-0.9),
        backend: Backend::Rollout,
        model: Some("net.onnx".into()),
        human_profile: Some(HumanProfile::Amateurs {
            rank: 14,
            early: false,
        }),
        book: Some(BookSource::File("lines.book".into())),
        book_variety: 0.1,
        device: Device::Cuda(CudaDevices::only(1)),
        ort_library: Some("ort.so".into()),
        visits: Some(100),
        time_per_move: Some(Duration::from_millis(500)),
        lag: Some(Duration::ZERO),
        playouts_per_second: Some(500.0),
        threads: Some(3),
        seed: Some(42),
        cache_mib: 8,
        ponder: true,
        solver: SolverOptions {
            solver_from: 30,
            solver_mib: 16,
            probe_nodes: 0,
            probe_from: 10,
        },
        time: TimeParams {
            time_extend: 1.5,
            ..TimeParams::default()
        },
        search: SearchParams {
            root_noise: 0.25,
            ..EngineOptions::of("nogo").expect("a game").search
        },
    };
    assert_eq!(options, expected);
}

#[test]
fn a_game_begins_with_its_own_constants() {
    let cpuct = |game| EngineOptions::of(game).expect(game).search.cpuct;
    let house = SearchParams::default().cpuct;
    assert_eq!(
        [cpuct("nogo"), cpuct("go"), cpuct("gomoku")],
        [0.83, house, 0.97]
    );
}

#[track_caller]
fn check_refused(name: &str, value: &str, part: &str) {
    let mut options = EngineOptions::default();
    let error = options.set(name, value).expect_err(name).to_string();
    assert!(error.contains(part), "{error}");
    assert_eq!(options, EngineOptions::default());
}

#[test]
fn what_is_wrong_is_named() {
    check_refused("visit", "100", "visits");
    check_refused("time-for-move", "1", "time-per-move");
    check_refused("rot_noise", "0", "root-noise");
    check_refused("visits", "0", "from 1");
    check_refused("size", "9x", "9x7");
    check_refused("time-per-move", "-1", "seconds");
    check_refused("game", "chess", "nogo");
    check_refused("backend", "cuda", "rollout");
    check_refused("device", "gpu", "cuda:N");
    check_refused("threads", "2000", "1024");
    check_refused("solver-threads", "1", "unknown setting");
    check_refused("cache-mib", "-1", "1000000");
    check_refused("root_noise", "2", "root-noise");
    check_refused("time_extent", "2", "time-extend");
}
