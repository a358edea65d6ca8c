//! Any bytes as a network: it is refused, or it answers with numbers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tengen::eval::{Batch, Evaluator, NativeModel, Outputs};

fuzz_target!(|data: &[u8]| {
    let Ok(model) = NativeModel::load("fuzzed", data) else {
        return;
    };
    let mut batch = Batch::new(model.info().row_len());
    batch.push(1).fill(1.0);
    let mut out = Outputs::new();
    model
        .evaluator()
        .evaluate(&batch, &mut out)
        .expect("what was loaded can be computed");
    assert_eq!(out.len(), 1);
});
