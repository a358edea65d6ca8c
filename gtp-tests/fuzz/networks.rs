//! Arbitrary bytes as a network, opened for its own board or for another: it is rejected, or it
//! answers with numbers.
#![cfg_attr(fuzzing, no_main)]

use tengen::game::BoardSize;
use tengen_nn::eval::{Batch, Evaluator, NativeModel, Outputs};

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| read(data));

pub(crate) fn read(data: &[u8]) {
    for board in [None, Some(BoardSize::new(5, 7))] {
        if let Ok(model) = NativeModel::load("fuzzed", data, board) {
            answers(&model);
        }
    }
}

fn answers(model: &NativeModel) {
    let mut batch = Batch::new(model.info().row_len());
    batch.push(1).fill(1.0);
    let mut out = Outputs::new();
    model
        .evaluator()
        .evaluate(&batch, &mut out)
        .expect("what was loaded can be computed");
    assert_eq!(out.len(), 1);
}
