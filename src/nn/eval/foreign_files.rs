//! Tests of files written by other programs: what ONNX expresses in another way gives the same
//! result with every backend, and what a backend does not support it refuses by name.
//!
//! Each case is a small random network with a modification. Where ONNX Runtime is installed it is
//! compared, too.

mod changes;
mod integers;
mod layers;
mod pools;
mod shapes;
mod structure;

use super::testnet::{SMALL, random_batch};
use super::{
    BackendKind, EvaluatorFactory, LibraryPlaces, LoadOptions, ModelSource, Outputs, suite,
};
use crate::onnx::testing::{ModelProto, altered};

/// Expected result of a modified file.
enum Expected {
    /// `native` answers as it does for the original file.
    Same,
    /// So does `native`; other backends, which round where the file says so, answer nearly the
    /// same.
    Near,
    /// `native` refuses it with this message. Other backends that answer agree with each other.
    Refused(&'static str),
    /// All backends refuse it with this message.
    Unsound(&'static str),
}

use Expected::{Near, Refused, Same, Unsound};

type Change = Box<dyn Fn(&mut ModelProto)>;

/// A modification of a file.
struct Case {
    name: &'static str,
    change: Change,
    expected: Expected,
}

fn case(
    name: &'static str,
    change: impl Fn(&mut ModelProto) + 'static,
    expected: Expected,
) -> Case {
    let change = Box::new(change);
    Case {
        name,
        change,
        expected,
    }
}

/// A backend's answers to random rows, or the reason why it refuses the file.
fn answers(kind: BackendKind, onnx: &[u8]) -> Result<Outputs, String> {
    let source = ModelSource::Embedded(onnx.to_vec().leak());
    let options = LoadOptions {
        ort_library: LibraryPlaces::usual(None),
        ..LoadOptions::default()
    };
    let factory = EvaluatorFactory::open(kind, &source, &options);
    let factory = factory.map_err(|error| error.to_string())?;
    let batch = random_batch(factory.info().row_len(), 4, 5);
    let mut out = Outputs::new();
    let evaluator = factory.make();
    let evaluated = evaluator.and_then(|mut one| one.evaluate(&batch, &mut out));
    evaluated.map_err(|error| error.to_string())?;
    Ok(out)
}

fn assert_same(a: &Outputs, b: &Outputs) {
    assert_near(a, b, suite::TOLERANCE);
}

fn assert_near(a: &Outputs, b: &Outputs, tolerance: f32) {
    for row in 0..4 {
        suite::assert_same_row(a, row, b, row, tolerance);
    }
}

#[expect(
    clippy::print_stdout,
    reason = "what each backend says, for those who ask for it"
)]
fn check(onnx: &[u8], cases: Vec<Case>) {
    let plain = answers(BackendKind::Tract, onnx).unwrap();
    let mut others = vec![BackendKind::Tract];
    if suite::ort_is_installed() {
        others.push(BackendKind::Ort);
    }
    for case in cases {
        let changed = altered(onnx, case.change);
        // Set to a folder to compare the file with other tools by hand.
        if let Ok(folder) = std::env::var("TENGEN_WRITE_TEST_NETWORK") {
            let name = case
                .name
                .replace(|letter: char| !letter.is_alphanumeric(), "-");
            std::fs::write(format!("{folder}/{name}.onnx"), &changed).unwrap();
        }
        let native = answers(BackendKind::Native, &changed);
        let others = others.iter().map(|kind| answers(*kind, &changed));
        let others: Vec<_> = others.collect();
        println!("{}", case.name);
        for found in others.iter().chain([&native]) {
            println!(
                "    {}",
                found.as_ref().err().map_or("computed", |error| error)
            );
        }
        match case.expected {
            expected @ (Same | Near) => {
                assert_same(&plain, &native.unwrap());
                let tolerance = match expected {
                    Near => 1e-2,
                    _ => suite::TOLERANCE,
                };
                let near = |other| assert_near(&plain, other, tolerance);
                others.iter().flatten().for_each(near);
                // A file that ONNX Runtime refuses has no defined meaning.
                if let Some(Err(refused)) = others.get(1) {
                    panic!("{}: {refused}", case.name);
                }
            }
            Refused(words) => {
                let refused = native.unwrap_err();
                assert!(refused.contains(words), "{}: {refused}", case.name);
                if let [Ok(tract), Ok(ort)] = &others[..] {
                    assert_same(tract, ort);
                }
            }
            Unsound(words) => {
                for refused in others.into_iter().chain([native]) {
                    let refused = refused.unwrap_err();
                    assert!(refused.contains(words), "{}: {refused}", case.name);
                }
            }
        }
    }
}

#[test]
fn operators_are_computed_as_onnx_says_or_refused() {
    for cases in [
        layers::convolutions(),
        layers::windows(),
        layers::layers(),
        pools::pools(),
        pools::kept(),
        pools::axes_by_set(),
        pools::joins(),
        shapes::reshapes(),
        shapes::casts(),
        shapes::sets(),
    ] {
        check(&SMALL.onnx(1), cases);
    }
    check(
        &altered(&SMALL.onnx(1), layers::zero_bias),
        layers::no_bias(),
    );
}

#[test]
fn integers_are_computed_as_onnx_says_or_refused() {
    let plain = altered(&SMALL.onnx(1), changes::round_kernel);
    check(&plain, integers::integers());
    check(&plain, integers::forms());
}

#[test]
fn numbers_a_column_are_not_taken_for_numbers_a_channel() {
    let wide = super::testnet::Shape {
        size: crate::BoardSize::new(8, 4),
        ..SMALL
    };
    check(&wide.onnx(1), shapes::columns());
}

#[test]
fn unsound_files_are_refused_by_every_backend() {
    check(&SMALL.onnx(1), structure::cases());
}
