//! Tests that all backends give the same numbers for the same file.

use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::encode::{self, Encode};
use crate::game::BoardSize;
use crate::games::with_game;
use tengen_nn::eval::testnet::{SMALL, Shape};
use tengen_nn::eval::{
    BackendKind, Batch, Difference, Evaluator, EvaluatorFactory, LibraryPlaces, LoadOptions,
    ModelInfo, ModelSource, suite, testnet,
};
use tengen_nn::onnx::{Header, PRECISION};

fn open(kind: BackendKind, source: &ModelSource) -> Box<dyn Evaluator> {
    open_for(kind, source, None)
}

fn open_for(
    kind: BackendKind,
    source: &ModelSource,
    board: Option<BoardSize>,
) -> Box<dyn Evaluator> {
    let options = LoadOptions {
        ort_library: LibraryPlaces::usual(None),
        board,
        ..LoadOptions::default()
    };
    let factory = EvaluatorFactory::open(kind, source, &options).unwrap();
    factory.make().unwrap()
}

fn check(source: &ModelSource) {
    check_on(source, None);
}

fn check_on(source: &ModelSource, board: Option<BoardSize>) {
    let open = |kind| open_for(kind, source, board);
    let mut tract = open(BackendKind::Tract);
    let mut native = open(BackendKind::Native);
    suite::agree(&mut tract, &mut native, suite::TOLERANCE);
    if suite::ort_is_installed() {
        let mut ort = open(BackendKind::Ort);
        suite::agree(&mut tract, &mut ort, suite::TOLERANCE);
    }
}

#[test]
fn on_random_networks() {
    let usual = Shape {
        blocks: 5,
        channels: 32,
        planes: 12,
        size: BoardSize::square(9),
        outcomes: 3,
        ..SMALL
    };
    for (seed, shape) in [SMALL, usual].into_iter().enumerate() {
        let onnx = shape.onnx(seed as u64).leak();
        check(&ModelSource::Embedded(onnx));
    }
}

/// One file, opened for each board: all backends give the same answers, and so do files for a
/// single board.
#[test]
fn a_network_for_several_boards_is_that_of_each() {
    let shape = Shape {
        blocks: 2,
        channels: 32,
        planes: 6,
        size: BoardSize::square(9),
        any_board: true,
        passes: true,
        ..SMALL
    };
    let source = ModelSource::Embedded(shape.onnx(7).leak());
    for (width, height) in [(9, 9), (13, 13), (19, 19), (13, 6), (3, 19)] {
        let size = BoardSize::new(width, height);
        check_on(&source, Some(size));
        let mut several = open_for(BackendKind::Native, &source, Some(size));
        suite::check(&mut several);
        assert_eq!(several.info().policy_len, size.area() + 1);
        let alone = Shape {
            size,
            any_board: false,
            ..shape
        };
        let alone = ModelSource::Embedded(alone.onnx(7).leak());
        let mut alone = open(BackendKind::Tract, &alone);
        let batch = testnet::random_batch(several.info().row_len(), 4, 11);
        let [several, alone] = [&mut several, &mut alone].map(|one| suite::run(one, &batch));
        for row in 0..batch.len() {
            suite::assert_same_row(&several, row, &alone, row, suite::TOLERANCE);
        }
    }
    let options = LoadOptions {
        board: Some(BoardSize::square(2)),
        ..LoadOptions::default()
    };
    let refused = EvaluatorFactory::open(BackendKind::Native, &source, &options).unwrap_err();
    assert!(
        refused.to_string().contains("boards between, not for 2x2"),
        "{refused}"
    );
}

/// The networks in `models/`: f32 files, and int8 files with their f32 original.
fn released() -> (Vec<PathBuf>, Vec<(PathBuf, PathBuf)>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models");
    let folders = [folder.join("ablation"), folder];
    let files = folders
        .iter()
        .flat_map(|folder| std::fs::read_dir(folder).unwrap());
    let paths = files.map(|file| file.unwrap().path());
    let models = paths.filter(|path| path.extension().is_some_and(|end| end == "onnx"));
    let (int8, exact): (Vec<PathBuf>, Vec<PathBuf>) = models.partition(|model| is_int8(model));
    let pairs = int8.into_iter().map(|int8| {
        let name = int8.display().to_string();
        let exact = name
            .replace("-int8.onnx", ".onnx")
            .replace(".int8.onnx", ".onnx");
        (int8, exact.into())
    });
    (exact, pairs.collect())
}

fn is_int8(model: &Path) -> bool {
    let header = Header::read(&std::fs::read(model).unwrap()).unwrap();
    header.metadata(PRECISION) == Some("int8")
}

#[test]
fn on_every_released_network() {
    let (exact, _) = released();
    assert!(exact.len() > 2);
    for model in exact {
        check(&ModelSource::File(model));
    }
}

/// Positions of random games, from all phases.
fn positions(evaluator: &dyn Evaluator, count: u32) -> Batch {
    let info = evaluator.info();
    with_game!(&info.game, info.size, |empty| random_positions(
        info, &empty, count
    ))
    .unwrap()
}

fn random_positions<G: Encode>(info: &ModelInfo, empty: &G, count: u32) -> Batch {
    let mut batch = Batch::new(info.row_len());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for i in 0..count {
        let mut position = empty.clone();
        for _ in 0..i * 60 / count {
            let moves: Vec<_> = position.legal_moves().collect();
            if moves.len() > 2 {
                position.play(moves[rng.random_range(0..moves.len())]);
            }
        }
        let encoding = encode::find(info, &position).unwrap();
        encoding.encode(&position, batch.push(i.into()));
    }
    batch
}

/// Int8 answers are close to f32, and in our kernels no further off than in ONNX Runtime, which
/// rounds more.
#[test]
#[expect(clippy::print_stdout, reason = "figures for those who ask for them")]
fn integers_are_as_exact_as_those_of_onnx_runtime() {
    let (_, int8) = released();
    assert!(int8.len() > 2);
    let mut totals = [(0.0, 0.0); 2];
    for (integers, exact) in &int8 {
        let (integers, exact) = (
            ModelSource::File(integers.clone()),
            ModelSource::File(exact.clone()),
        );
        let mut reference = open(BackendKind::Native, &exact);
        let batch = positions(reference.as_ref(), 64);
        let legal = vec![vec![true; reference.info().policy_len]; batch.len()];
        for (kind, total) in [BackendKind::Native, BackendKind::Ort]
            .into_iter()
            .zip(&mut totals)
        {
            if kind == BackendKind::Ort && !suite::ort_is_installed() {
                continue;
            }
            let mut open = open(kind, &integers);
            let found = Difference::between([&mut reference, &mut open], &batch, &legal).unwrap();
            let (policy, value) = (found.policy_kl, found.value);
            println!(
                "{} {kind}: KL {policy:.5}, value {value:.5}",
                integers.name()
            );
            *total = (total.0 + policy, total.1 + value);
        }
    }
    let [native, ort] = totals.map(|(policy, value)| {
        let count = int8.len() as f64;
        (policy / count, value / count)
    });
    println!("means: native {native:?}, ort {ort:?}");
    assert!(native.0 < 0.01 && native.1 < 0.02, "{native:?}");
    if suite::ort_is_installed() {
        assert!(
            native.0 <= 1.1 * ort.0 && native.1 <= 1.1 * ort.1,
            "{native:?}, {ort:?}"
        );
    }
}
