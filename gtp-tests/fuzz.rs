//! The fuzz targets with their seeds: inputs to begin with, and those that once broke something.

mod files;
mod networks;
mod protocols;
mod sgf;
mod training;

use std::path::Path;

#[track_caller]
#[allow(clippy::print_stdout, reason = "says which input made a test fail")]
fn each_is_read(folder: &str, read: impl Fn(&[u8])) {
    let folder = Path::new(crate::REPOSITORY).join(folder);
    let mut count = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        println!("{}", path.display());
        read(&std::fs::read(path).unwrap());
        count += 1;
    }
    assert!(count > 0, "no seeds in {}", folder.display());
}

#[test]
fn seeds_of_files_are_read() {
    each_is_read("gtp-tests/fuzz/seeds/files", files::read);
}

#[test]
fn seeds_of_protocols_are_answered() {
    each_is_read("gtp-tests/fuzz/seeds/protocols", protocols::read);
}

#[test]
fn seeds_of_training_are_read() {
    each_is_read("gtp-tests/fuzz/seeds/training", training::read);
}

#[test]
fn games_are_read() {
    each_is_read("gtp-tests/games", sgf::read);
    each_is_read("gtp-tests/fuzz/seeds/sgf", sgf::read);
}

#[test]
fn a_network_and_its_parts_are_read() {
    let onnx =
        std::fs::read(Path::new(crate::REPOSITORY).join("models/nogo-9x9-int8.onnx")).unwrap();
    for count in [0, 100, onnx.len() / 2, onnx.len()] {
        networks::read(&onnx[..count]);
    }
}
