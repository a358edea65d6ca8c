//! Tests that both backends give the same numbers for the same file.

use std::path::{Path, PathBuf};

use super::testnet::{SMALL, Shape};
use super::{BackendKind, EvaluatorFactory, LibraryPlaces, LoadOptions, ModelSource, suite};
use crate::game::BoardSize;
use crate::onnx::Header;

fn check(source: &ModelSource) {
    let options = LoadOptions {
        ort_library: LibraryPlaces::usual(None),
        ..LoadOptions::default()
    };
    let open = |kind| EvaluatorFactory::open(kind, source, &options).unwrap();
    let mut tract = open(BackendKind::Tract).make().unwrap();
    let mut ort = open(BackendKind::Ort).make().unwrap();
    suite::agree(&mut tract, &mut ort, suite::TOLERANCE);
}

#[test]
fn on_random_networks() {
    if !suite::ort_is_installed() {
        return;
    }
    let usual = Shape {
        blocks: 5,
        channels: 32,
        planes: 12,
        size: BoardSize::square(9),
        outcomes: 3,
        encoding: SMALL.encoding,
    };
    for (seed, shape) in [SMALL, usual].into_iter().enumerate() {
        let onnx = shape.onnx(seed as u64).leak();
        check(&ModelSource::Embedded(onnx));
    }
}

#[test]
fn on_every_released_network() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let models: Vec<PathBuf> = files
        .map(|file| file.path())
        .filter(|path| path.extension().is_some_and(|end| end == "onnx"))
        .collect();
    if suite::ort_is_installed() {
        // int8 networks are for ONNX Runtime; other backends round otherwise.
        for model in models.into_iter().filter(|model| !is_int8(model)) {
            check(&ModelSource::File(model));
        }
    }
}

fn is_int8(model: &Path) -> bool {
    let header = Header::read(&std::fs::read(model).unwrap()).unwrap();
    header.metadata("tengen.precision") == Some("int8")
}
