//! Which backends can be had here, the fastest first, and what speaks for or against each. Looks at
//! files only: nothing is loaded.

use std::fmt;

use super::{BackendKind, EvalError, EvaluatorFactory, LoadOptions, ModelSource, load};

/// A backend that may run a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The backend.
    pub kind: BackendKind,
    /// What speaks for it, or why it cannot be had.
    pub verdict: Result<String, EvalError>,
}

impl Candidate {
    /// Judges a backend for what `options` ask for.
    #[must_use]
    pub fn judge(kind: BackendKind, options: &LoadOptions) -> Candidate {
        let verdict = load::available(kind, options);
        Candidate { kind, verdict }
    }

    /// All backends, the fastest first: the first that can be had is the automatic choice.
    #[must_use]
    pub fn all(options: &LoadOptions) -> Vec<Candidate> {
        let judged = BackendKind::ALL.map(|kind| Candidate::judge(kind, options));
        judged.into()
    }

    /// The automatic choice.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] with each backend's reason when none can be had.
    pub fn best(options: &LoadOptions) -> Result<BackendKind, EvalError> {
        let all = Candidate::all(options);
        let best = all.iter().find(|candidate| candidate.verdict.is_ok());
        best.map_or_else(|| Err(none(options, &all)), |best| Ok(best.kind))
    }
}

/// Loads a network with the fastest backend that can be had, and says which are passed over.
///
/// # Errors
/// [`EvalError::Load`] when the file cannot be used, [`EvalError::Unavailable`] when no backend can
/// be had.
pub fn open_best(
    source: &ModelSource,
    options: &LoadOptions,
) -> Result<EvaluatorFactory, EvalError> {
    let mut passed_over = Vec::new();
    for kind in BackendKind::ALL {
        match EvaluatorFactory::open(kind, source, options) {
            Err(error @ EvalError::Unavailable { .. }) => {
                let verdict = Err(error);
                passed_over.push(Candidate { kind, verdict });
            }
            opened => {
                for slower in &passed_over {
                    log::warn!("{kind} runs the network, {slower}");
                }
                return opened;
            }
        }
    }
    Err(none(options, &passed_over))
}

fn none(options: &LoadOptions, candidates: &[Candidate]) -> EvalError {
    let reasons: Vec<String> = candidates.iter().map(Candidate::to_string).collect();
    EvalError::Unavailable {
        backend: "auto",
        reason: format!(
            "nothing here computes on {}: {}",
            options.device,
            reasons.join("; ")
        ),
    }
}

impl fmt::Display for Candidate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.verdict {
            Ok(word) => write!(f, "{}: {word}", self.kind),
            Err(EvalError::Unavailable { reason, .. }) => write!(f, "not {}: {reason}", self.kind),
            Err(error) => write!(f, "not {}: {error}", self.kind),
        }
    }
}

#[cfg(test)]
#[cfg(all(feature = "tract", feature = "ort"))]
mod tests {
    use super::super::{Device, LibraryPlaces};
    use super::*;

    /// Without ONNX Runtime.
    fn bare(device: Device) -> LoadOptions {
        LoadOptions {
            device,
            ort_library: LibraryPlaces {
                folders: vec!["/nowhere".into()],
                ..LibraryPlaces::default()
            },
        }
    }

    #[test]
    fn the_fastest_that_can_be_had_is_chosen() {
        assert_eq!(Candidate::best(&bare(Device::Cpu)), Ok(BackendKind::Tract));
        let installed = LoadOptions {
            device: Device::Cpu,
            ort_library: LibraryPlaces::usual(None),
        };
        if super::super::suite::ort_is_installed() {
            assert_eq!(Candidate::best(&installed), Ok(BackendKind::Ort));
        }
    }

    #[test]
    fn each_says_why() {
        let words = Candidate::all(&bare(Device::Cpu));
        let words: Vec<String> = words.iter().map(Candidate::to_string).collect();
        assert!(
            words[0].starts_with("not ort: no ONNX Runtime library at /nowhere"),
            "{words:?}"
        );
        assert_eq!(words[1], "tract: part of this program");
        let error = Candidate::best(&bare(Device::Cuda(0)))
            .unwrap_err()
            .to_string();
        for part in ["cuda:0", "not ort: ", "not tract: "] {
            assert!(error.contains(part), "{error}");
        }
    }
}
