//! Networks compiled into the program.

use crate::eval::{BackendKind, Device, ModelSource, NativeModel};

/// A game's network: f32 as it was fitted, and the same in integers.
struct Network {
    game: &'static str,
    exact: &'static [u8],
    int8: &'static [u8],
}

const NETWORKS: &[Network] = &[
    Network {
        game: "nogo",
        exact: include_bytes!("../../models/nogo-9x9.onnx"),
        int8: include_bytes!("../../models/nogo-9x9-int8.onnx"),
    },
    Network {
        game: "go",
        exact: include_bytes!("../../models/go-9x9.onnx"),
        int8: include_bytes!("../../models/go-9x9-int8.onnx"),
    },
];

/// The network built in for a game, in the form that is fastest: int8 on a processor with
/// instructions for it, but for `tract`, which has none (`models/README.md`, int8).
#[must_use]
pub fn built_in(game: &str, backend: BackendKind, device: Device) -> Option<ModelSource> {
    let found = NETWORKS.iter().find(|network| network.game == game)?;
    let integers = match backend {
        BackendKind::Native => NativeModel::prefers_integers(),
        BackendKind::Ort => multiplies_bytes_fast(),
        BackendKind::Tract => false,
    };
    let integers = integers && device == Device::Cpu;
    Some(ModelSource::Embedded(if integers {
        found.int8
    } else {
        found.exact
    }))
}

/// Whether the processor multiplies and adds four bytes at once (VNNI). Without, int8 gains little.
#[cfg(target_arch = "x86_64")]
fn multiplies_bytes_fast() -> bool {
    is_x86_feature_detected!("avx512vnni") || is_x86_feature_detected!("avxvnni")
}

#[cfg(not(target_arch = "x86_64"))]
fn multiplies_bytes_fast() -> bool {
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::eval::ModelInfo;
    use crate::onnx::Header;

    fn bytes(source: Option<ModelSource>) -> &'static [u8] {
        match source {
            Some(ModelSource::Embedded(onnx)) => onnx,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn both_forms_are_the_same_network() {
        for network in NETWORKS {
            let [exact, int8] = [network.exact, network.int8].map(|onnx| {
                let precision = Header::read(onnx).unwrap();
                let precision = precision.metadata("tengen.precision").map(str::to_owned);
                (ModelInfo::read("built-in", onnx).unwrap(), precision)
            });
            assert_eq!(exact.0.game, network.game);
            assert_eq!(int8.1.as_deref(), Some("int8"));
            assert_ne!(exact.1, int8.1);
            let origin = |info: &ModelInfo| (info.network.clone(), info.games, info.steps);
            assert_eq!(origin(&exact.0), origin(&int8.0));
        }
    }

    #[test]
    fn integers_are_for_processors_and_backends_that_are_fast_at_them() {
        let exact = NETWORKS[0].exact;
        assert_eq!(
            bytes(built_in("nogo", BackendKind::Tract, Device::Cpu)),
            exact
        );
        let gpu = built_in("nogo", BackendKind::Ort, Device::Cuda(0));
        assert_eq!(bytes(gpu), exact);
        let native = bytes(built_in("nogo", BackendKind::Native, Device::Cpu));
        assert_eq!(native != exact, NativeModel::prefers_integers());
        let cpu = bytes(built_in("nogo", BackendKind::Ort, Device::Cpu));
        assert_eq!(cpu != exact, multiplies_bytes_fast());
        assert!(built_in("shogi", BackendKind::Tract, Device::Cpu).is_none());
    }
}
