//! Available backends, the fastest first, with the reasons for or against each. Only files are
//! checked: nothing is loaded.

use std::fmt;

use super::{BackendKind, EvalError, EvaluatorFactory, LoadOptions, ModelSource};

/// A backend that may be able to run a network.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Candidate {
    /// The backend that this is about.
    pub kind: BackendKind,
    /// Description if it is available, or the reason why it is not.
    pub verdict: Result<String, EvalError>,
}

impl Candidate {
    /// All backends, the fastest first: the first available one is the automatic choice.
    pub fn all(options: &LoadOptions) -> Vec<Candidate> {
        let judged = BackendKind::ALL.map(|kind| Candidate {
            kind,
            verdict: kind.available(options),
        });
        judged.into()
    }
}

/// A network on the fastest backend that can run it here.
#[derive(Debug)]
pub struct Opened {
    /// The backend that this is about.
    pub kind: BackendKind,
    /// The loaded network.
    pub factory: EvaluatorFactory,
    /// Faster backends, and the reasons why they cannot run it.
    pub passed_over: Vec<Candidate>,
}

/// Loads a network with the fastest available backend that can run it. One that fails at the trial is passed over.
///
/// # Errors
/// [`EvalError::Load`] when the file cannot be used, [`EvalError::Unavailable`] when no backend is
/// available.
pub fn open_best(source: &ModelSource, options: &LoadOptions) -> Result<Opened, EvalError> {
    let mut passed_over = Vec::new();
    let fitting = BackendKind::ALL.into_iter();
    for kind in fitting.filter(|kind| kind.computes_on(options.device)) {
        match EvaluatorFactory::open(kind, source, options) {
            Err(error @ (EvalError::Unavailable { .. } | EvalError::Run { .. })) => {
                let verdict = Err(error);
                passed_over.push(Candidate { kind, verdict });
            }
            opened => {
                let factory = opened?;
                return Ok(Opened {
                    kind,
                    factory,
                    passed_over,
                });
            }
        }
    }
    let reasons: Vec<String> = passed_over.iter().map(Candidate::to_string).collect();
    let (device, reasons) = (options.device, reasons.join("; "));
    let reason = format!("no backend computes on {device}: {reasons}");
    Err(EvalError::unavailable("auto", reason))
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
    use super::super::testnet::SMALL;
    use super::super::{
        CudaDevices, Device, FETCH_FOR_GPUS, LibraryPlaces, PLANES, POLICY, VALUE, suite,
    };
    use super::*;
    use crate::onnx::{Attribute, GraphBuilder};

    /// Without ONNX Runtime.
    fn bare(device: Device) -> LoadOptions {
        LoadOptions {
            device,
            ort_library: LibraryPlaces {
                folders: vec!["/nowhere".into()],
                ..LibraryPlaces::default()
            },
            board: None,
            profile: None,
        }
    }

    /// A network that only other backends can read.
    #[test]
    fn a_network_that_native_does_not_know_is_passed_on() {
        let info = SMALL.info();
        let mut graph = GraphBuilder::new("foreign");
        let planes = graph.input(PLANES, info.planes_shape());
        let x = graph.sigmoid(planes);
        let weights = graph.weights("weights", &[1, info.planes, 1, 1], &[0.5; 3]);
        let policy = graph.conv(x, weights, None);
        let policy = graph.flatten(policy);
        graph.output(POLICY, policy, info.policy_shape());
        let weights = graph.weights(
            "value.weights",
            &[info.outcomes, info.planes, 1, 1],
            &[0.5; 6],
        );
        let x = graph.conv(x, weights, None);
        let x = graph.reduce_mean(x, &[2, 3]);
        graph.output(VALUE, x, info.value_shape());
        let onnx = graph.finish(&info.to_metadata()).unwrap();
        let source = ModelSource::Embedded(onnx.leak());
        let options = bare(Device::Cpu);
        let error = EvaluatorFactory::open(BackendKind::Native, &source, &options).unwrap_err();
        assert!(error.to_string().contains("Sigmoid"), "{error}");
        let opened = open_best(&source, &options).unwrap();
        assert_eq!(opened.kind, BackendKind::Tract);
        assert_eq!(opened.passed_over[0].kind, BackendKind::Native);
        suite::check(&mut opened.factory.make().unwrap());
    }

    /// ONNX Runtime accepts it and refuses to run it.
    #[test]
    fn a_network_that_a_backend_cannot_run_is_passed_on() {
        if !suite::ort_is_installed() {
            return;
        }
        let info = SMALL.info();
        let mut graph = GraphBuilder::new("dilated");
        let planes = graph.input(PLANES, info.planes_shape());
        let mut conv = |name: &str, to: usize| {
            let weights = vec![0.1; to * info.planes * 9];
            let weights = graph.weights(name, &[to, info.planes, 3, 3], &weights);
            let padded = Attribute::String("SAME_UPPER".to_owned());
            let attributes = vec![
                ("auto_pad", padded),
                ("dilations", Attribute::Ints(vec![2, 2])),
            ];
            graph.node("Conv", &[planes, weights], attributes)
        };
        let (policy, value) = (conv("a", 1), conv("b", info.outcomes));
        let policy = graph.flatten(policy);
        graph.output(POLICY, policy, info.policy_shape());
        let value = graph.reduce_mean(value, &[2, 3]);
        graph.output(VALUE, value, info.value_shape());
        let onnx = graph.finish(&info.to_metadata()).unwrap();
        let source = ModelSource::Embedded(onnx.leak());
        let options = LoadOptions {
            ort_library: LibraryPlaces::usual(None),
            ..LoadOptions::default()
        };
        let opened = open_best(&source, &options).unwrap();
        assert_eq!(opened.kind, BackendKind::Tract);
        let why = opened.passed_over[1].to_string();
        assert!(why.starts_with("not ort: evaluation failed"), "{why}");
    }

    #[test]
    fn each_says_why() {
        let words = Candidate::all(&bare(Device::Cpu));
        let words: Vec<String> = words.iter().map(Candidate::to_string).collect();
        assert!(
            words[1].starts_with("not ort: no ONNX Runtime library at /nowhere"),
            "{words:?}"
        );
        assert!(words[0].starts_with("native: part of this program, "));
        assert_eq!(words[2], "tract: part of this program");
        let card = bare(Device::Cuda(CudaDevices::only(0)));
        let error = BackendKind::Ort.available(&card).unwrap_err().to_string();
        for part in ["cuda:0 needs ONNX Runtime for GPUs", FETCH_FOR_GPUS] {
            assert!(error.contains(part), "{error}");
        }
        assert_eq!(bare(Device::Cpu).check(None), Ok(()));
        let mut named = bare(Device::Cpu);
        named.ort_library.option = Some("/nowhere.so".into());
        assert!(named.check(None).is_err());
    }
}
