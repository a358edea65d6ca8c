//! The ONNX Runtime environment of this process.

use ort::environment::Environment;
use parking_lot::Mutex;

use super::answer::unavailable;
use crate::eval::{EvalError, FETCH_SCRIPT, LibraryPlaces};

/// The environment of this process. ONNX Runtime allows only one in a process's lifetime, so it
/// cannot be a value that callers own; it is kept after the first success.
static ENVIRONMENT: Mutex<Option<Environment>> = Mutex::new(None);

/// Loads the library, unless a previous call has: then `places` is ignored.
///
/// # Errors
/// [`EvalError::Unavailable`] when there is no usable library. A later call may try again.
pub(super) fn environment(places: &LibraryPlaces) -> Result<Environment, EvalError> {
    let mut current = ENVIRONMENT.lock();
    if let Some(environment) = current.as_ref() {
        return Ok(environment.clone());
    }
    let path = places.find()?;
    let builder = ort::init_from(&path).map_err(|error| {
        unavailable(&format!(
            "{error}; get a fitting library with {FETCH_SCRIPT}"
        ))
    })?;
    let environment = builder
        .with_name("tengen")
        .with_telemetry(false)
        .build()
        .map_err(|error| unavailable(&error))?;
    log::info!("ONNX Runtime loaded from {}", path.display());
    Ok(current.insert(environment).clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_no_library_is_refused() {
        // `Cargo.toml` is a file, so the search accepts it and the loader refuses it. Where the
        // real library is installed, another test may have loaded it already.
        let wrong = LibraryPlaces {
            option: Some(concat!(env!("CARGO_MANIFEST_DIR"), "/Cargo.toml").into()),
            ..LibraryPlaces::default()
        };
        if let Err(error) = environment(&wrong) {
            let text = error.to_string();
            assert!(text.contains("Cargo.toml"), "{text}");
            assert!(!text.contains('\n'), "{text}");
        }
    }
}
