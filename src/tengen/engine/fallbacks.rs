//! Candidate networks and backends in the order in which they are tried: the requested one, the
//! built-in network, the requested one on the CPU.

use std::collections::VecDeque;
use std::fmt;

use super::NetworkSetup;
use super::built_in::{built_in, built_in_boards, none_built_in};
use crate::encode::{self, Encode, Mismatch};
use crate::search::SearchError;
use tengen_nn::eval::{
    BackendKind, Candidate, Device, EvalError, EvaluatorFactory, LoadOptions, ModelSource,
};

/// A network on a backend.
#[derive(Debug, Clone)]
pub(super) struct Attempt {
    kind: BackendKind,
    /// `None` for the built-in network.
    model: Option<ModelSource>,
    load: LoadOptions,
    /// Whether the settings request it; the others are fallbacks.
    pub(super) asked: bool,
}

/// All candidates, in order.
pub(super) fn fallbacks(setup: &NetworkSetup) -> VecDeque<Attempt> {
    let on_processor = LoadOptions {
        device: Device::Cpu,
        ..setup.load.clone()
    };
    let asked = |kind: &BackendKind| setup.backend.is_none_or(|backend| backend == *kind);
    let attempt = |model: &Option<ModelSource>, load: &LoadOptions, asked| {
        let (model, load) = (model.clone(), load.clone());
        move |kind| Attempt {
            kind,
            model: model.clone(),
            load: load.clone(),
            asked,
        }
    };
    let kinds = BackendKind::ALL.into_iter();
    let wanted = kinds.clone().filter(asked);
    let all = wanted
        .map(attempt(&setup.model, &setup.load, true))
        .chain(kinds.clone().map(attempt(&None, &on_processor, false)))
        .chain(kinds.map(attempt(&setup.model, &on_processor, false)));
    let mut fallbacks = VecDeque::<Attempt>::new();
    for attempt in all {
        if !fallbacks.iter().any(|other| other.is_same(&attempt)) {
            fallbacks.push_back(attempt);
        }
    }
    fallbacks
}

impl Attempt {
    /// Whether it is the same network in the same place, for engines with the same settings.
    pub(super) fn is_same(&self, other: &Attempt) -> bool {
        let key = |attempt: &Attempt| {
            let own = attempt.model.is_none();
            (attempt.kind, attempt.load.device, attempt.load.profile, own)
        };
        key(self) == key(other)
    }

    /// Whether it is the built-in network.
    pub(super) fn is_built_in(&self) -> bool {
        self.model.is_none()
    }

    /// Whether the backend is available, judged by files.
    pub(super) fn is_available(&self) -> bool {
        Candidate::judge(self.kind, &self.load).verdict.is_ok()
    }

    /// Whether no network was requested and the game has no built-in one.
    pub(super) fn is_missing<G: Encode>(&self) -> bool {
        self.model.is_none() && built_in_boards(G::NAME).is_none()
    }

    fn built_in<G: Encode>(&self, position: &G) -> Option<ModelSource> {
        built_in(G::NAME, position.size(), self.kind, self.load.device)
    }

    /// Loads the network, if it fits the position.
    pub(super) fn open<G: Encode>(&self, position: &G) -> Result<EvaluatorFactory, SearchError> {
        let source = self.model.clone();
        let source = source.or_else(|| self.built_in(position));
        let source = source.ok_or_else(|| missing(position))?;
        encode::find(&source.info()?, position)?;
        let load = LoadOptions {
            board: Some(position.size()),
            ..self.load.clone()
        };
        Ok(EvaluatorFactory::open(self.kind, &source, &load)?)
    }
}

/// Why there is no built-in network for this position.
fn missing<G: Encode>(position: &G) -> SearchError {
    let reason = none_built_in(G::NAME, position.size());
    match built_in_boards(G::NAME) {
        Some(_) => Mismatch::NotBuiltIn(reason).into(),
        None => EvalError::Load {
            path: "embedded".to_owned(),
            reason: format!("{reason}: give one with --model"),
        }
        .into(),
    }
}

impl fmt::Display for Attempt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.model {
            None => f.write_str("the built-in network")?,
            Some(model) => write!(f, "network {}", model.name())?,
        }
        write!(f, " by {} on {}", self.kind, self.load.device)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::testing::network_setup;
    use tengen_nn::eval::CudaDevices;

    #[track_caller]
    fn check(backend: Option<BackendKind>, model: Option<&str>, device: Device, expected: &[&str]) {
        let setup = NetworkSetup {
            backend,
            model: model.map(|path| ModelSource::File(path.into())),
            load: LoadOptions {
                device,
                ..LoadOptions::default()
            },
            ..network_setup()
        };
        let fallbacks = fallbacks(&setup);
        let names: Vec<String> = fallbacks.iter().map(Attempt::to_string).collect();
        assert_eq!(names, expected);
        let wanted = backend.map_or(BackendKind::ALL.len(), |_| 1);
        assert_eq!(fallbacks.iter().filter(|a| a.asked).count(), wanted);
    }

    #[test]
    fn what_was_asked_for_comes_first_and_nothing_twice() {
        let own = [
            "the built-in network by native on cpu",
            "the built-in network by ort on cpu",
            "the built-in network by tract on cpu",
        ];
        check(None, None, Device::Cpu, &own);
        let swapped = [own[2], own[0], own[1]];
        check(Some(BackendKind::Tract), None, Device::Cpu, &swapped);
        let expected = [
            "network n by ort on cuda:1",
            own[0],
            own[1],
            own[2],
            "network n by native on cpu",
            "network n by ort on cpu",
            "network n by tract on cpu",
        ];
        let device = Device::Cuda(CudaDevices::only(1));
        check(Some(BackendKind::Ort), Some("n"), device, &expected);
    }
}
