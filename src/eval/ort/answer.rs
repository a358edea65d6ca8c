//! What ONNX Runtime answers: numbers, or an error in our words.

use crate::eval::EvalError;

pub(super) const BACKEND: &str = "ort";

pub(super) fn unavailable(reason: &impl std::fmt::Display) -> EvalError {
    // The loader's and ONNX Runtime's messages may run over several lines; ours never do.
    let reason = reason.to_string();
    let words: Vec<&str> = reason.split_whitespace().collect();
    EvalError::Unavailable {
        backend: BACKEND,
        reason: words.join(" "),
    }
}

pub(super) fn failed(error: &ort::Error) -> EvalError {
    EvalError::Run {
        backend: BACKEND,
        reason: error.to_string(),
    }
}

/// The numbers of an output, which must be so many.
pub(super) fn logits<'a>(
    answer: &'a ort::session::SessionOutputs<'_>,
    name: &str,
    len: usize,
) -> ort::Result<&'a [f32]> {
    let tensor = answer.get(name);
    let tensor = tensor.ok_or_else(|| ort::Error::new(format!("no output {name}")))?;
    let (shape, numbers) = tensor.try_extract_tensor::<f32>()?;
    if numbers.len() == len {
        return Ok(numbers);
    }
    let message = format!("output {name} has shape {shape:?}, {len} numbers are expected");
    Err(ort::Error::new(message))
}
