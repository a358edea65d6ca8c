//! ONNX Runtime's results: numbers, or an error as a readable message.

use crate::eval::EvalError;

pub(super) const BACKEND: &str = "ort";

/// Maximum length of a message that is shown.
const LONGEST: usize = 600;
/// Bytes before a cause after which it is likely to be overlooked.
const FAR: usize = 300;

pub(super) fn unavailable(reason: &impl std::fmt::Display) -> EvalError {
    EvalError::Unavailable {
        backend: BACKEND,
        reason: words(reason),
    }
}

pub(super) fn failed(error: &ort::Error) -> EvalError {
    EvalError::Run {
        backend: BACKEND,
        reason: words(error),
    }
}

/// Messages of the loader and ONNX Runtime may run over several lines, and those of GPU libraries
/// may contain a whole graph; ours are one readable line.
pub(super) fn words(reason: &impl std::fmt::Display) -> String {
    let reason = reason.to_string();
    let words: Vec<&str> = reason.split_whitespace().collect();
    let text = cause_in_sight(words.join(" "));
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{} ...", &text[..end]),
        None => text,
    }
}

/// The cause comes after ONNX Runtime's C++ signatures, far down the message: "CUDNN_FE failure 8:
/// HEURISTIC_QUERY_FAILED" at the thousandth character (microsoft/onnxruntime#26274).
fn cause_in_sight(text: String) -> String {
    let Some(at) = text.find(" failure ").filter(|&at| at > FAR) else {
        return text;
    };
    let begin = text[..at].rfind(' ').map_or(at, |space| space + 1);
    let head: String = text.chars().take(FAR / 2).collect();
    format!("{head} ... {}", &text[begin..])
}

/// The numbers of an output, with a check of their count.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_one_line_of_some_length() {
        assert_eq!(words(&"no\n  kernel\tfor it"), "no kernel for it");
        let long = words(&"é".repeat(5_000));
        assert_eq!(long.chars().count(), LONGEST + 4);
        assert!(long.ends_with("é ..."));
    }

    #[test]
    fn the_cause_is_told_wherever_it_stands() {
        let signature = "std::conditional_t<THRW, void, Status> onnxruntime::CudaCall(ERRTYPE, é)";
        let far = format!(
            "Non-zero status. {} CUDNN_FE failure 8: NO",
            signature.repeat(14)
        );
        let text = words(&far);
        assert!(text.starts_with("Non-zero status. std"), "{text}");
        assert!(text.ends_with("... CUDNN_FE failure 8: NO"), "{text}");
        let near = "CUDA failure 2: out of memory";
        assert_eq!(words(&near), near);
    }
}
