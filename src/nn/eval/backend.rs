//! Inference backends and devices, with their names on command lines, and how they fail.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// An inference backend.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    /// Our own kernels: always available, for the networks of `tengen-train` and of KataGo.
    Native,
    /// Pure Rust, for any network: available with the cargo feature `tract`.
    Tract,
    /// ONNX Runtime, for any network: available with the cargo feature `ort` when its shared library is installed.
    Ort,
}

impl BackendKind {
    /// All backends, also those that this build lacks; fastest first (`tengen bench --throughput`),
    /// which is the order of the automatic choice.
    pub const ALL: [BackendKind; 3] = [BackendKind::Native, BackendKind::Ort, BackendKind::Tract];

    /// The name used on command lines.
    pub const fn name(self) -> &'static str {
        match self {
            BackendKind::Native => "native",
            BackendKind::Tract => "tract",
            BackendKind::Ort => "ort",
        }
    }

    /// The automatic choice for a device, if it knows the network.
    pub fn usual(device: Device) -> BackendKind {
        match device {
            Device::Cpu => BackendKind::Native,
            Device::Cuda(_) => BackendKind::Ort,
        }
    }

    /// Whether it can compute on devices of this kind.
    pub fn computes_on(self, device: Device) -> bool {
        self == BackendKind::Ort || device == Device::Cpu
    }
}

impl fmt::Display for BackendKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for BackendKind {
    type Err = String;

    fn from_str(name: &str) -> Result<BackendKind, String> {
        let found = BackendKind::ALL
            .into_iter()
            .find(|kind| kind.name() == name);
        found.ok_or_else(|| {
            format!("unknown backend '{name}' (expected one of: native, ort, tract)")
        })
    }
}

/// A device that computes a network.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Device {
    /// The CPU.
    #[default]
    Cpu,
    /// NVIDIA GPUs, which share the work.
    Cuda(CudaDevices),
}

/// NVIDIA GPUs of one machine by number, at least one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CudaDevices(u64);

impl CudaDevices {
    /// The GPU with this number.
    ///
    /// # Panics
    /// If the number is 64 or more.
    pub const fn only(number: u8) -> CudaDevices {
        assert!(number < 64, "GPUs have numbers below 64");
        CudaDevices(1 << number)
    }

    /// The CUDA device numbers, ascending.
    pub fn numbers(self) -> impl Iterator<Item = u8> {
        (0..64).filter(move |number| self.0 >> number & 1 == 1)
    }

    /// Parses comma-separated device names: `cuda`, `cuda:1` or `cuda:0,cuda:1`.
    fn read(names: &str) -> Option<CudaDevices> {
        let mut devices = 0;
        for name in names.split(',') {
            let number = match name.trim() {
                "cuda" => 0,
                name => name.strip_prefix("cuda:")?.parse().ok()?,
            };
            devices |= 1_u64.checked_shl(number)?;
        }
        Some(CudaDevices(devices))
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(devices) => {
                let names: Vec<String> = devices.numbers().map(|id| format!("cuda:{id}")).collect();
                f.write_str(&names.join(","))
            }
        }
    }
}

impl FromStr for Device {
    type Err = String;

    /// Parses `cpu`, `cuda`, `cuda:N`, or a comma-separated list of the last.
    fn from_str(name: &str) -> Result<Device, String> {
        let device = match name {
            "cpu" => Some(Device::Cpu),
            _ => CudaDevices::read(name).map(Device::Cuda),
        };
        device.ok_or_else(|| {
            format!(
                "unknown device '{name}' (expected one of: cpu, cuda, cuda:N, or cuda:0,cuda:1 \
             for two GPUs)"
            )
        })
    }
}

/// Why an evaluation, or loading a model, failed.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EvalError {
    /// The model file cannot be read or is invalid.
    #[error("cannot load network {path}: {reason}")]
    Load {
        /// File name, or `embedded`.
        path: String,
        /// What is wrong and how to fix it.
        reason: String,
    },
    /// The backend is not available on this machine.
    #[error("backend {backend} is not available: {reason}")]
    Unavailable {
        /// The backend's name.
        backend: &'static str,
        /// What is missing and how to get it.
        reason: String,
    },
    /// The backend failed during evaluation, or another part of the evaluation pipeline is gone.
    #[error("evaluation failed on {backend}: {reason}")]
    Run {
        /// The backend's name.
        backend: &'static str,
        /// The backend's message.
        reason: String,
    },
}

impl EvalError {
    /// The network of this name cannot be used.
    pub(super) fn load(path: &str, reason: impl fmt::Display) -> EvalError {
        let (path, reason) = (path.to_owned(), reason.to_string());
        EvalError::Load { path, reason }
    }

    /// This machine or this build lacks something.
    pub(super) fn unavailable(backend: &'static str, reason: impl fmt::Display) -> EvalError {
        let reason = reason.to_string();
        EvalError::Unavailable { backend, reason }
    }

    /// An evaluation failed.
    pub(super) fn run(backend: &'static str, reason: impl fmt::Display) -> EvalError {
        let reason = reason.to_string();
        EvalError::Run { backend, reason }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "below 64")]
    fn there_are_64_gpus() {
        CudaDevices::only(64);
    }

    #[test]
    fn names_are_read() {
        for kind in BackendKind::ALL {
            assert_eq!(kind.name().parse(), Ok(kind));
        }
        assert!(
            "rten"
                .parse::<BackendKind>()
                .unwrap_err()
                .contains("'rten'")
        );
        let cuda = |number| Device::Cuda(CudaDevices::only(number));
        let two = Device::Cuda(CudaDevices(0b1010));
        for device in [Device::Cpu, cuda(0), cuda(3), two] {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        assert_eq!("cuda".parse(), Ok(cuda(0)));
        assert_eq!("cuda:3, cuda:1".parse(), Ok(two));
        assert_eq!(two.to_string(), "cuda:1,cuda:3");
        for wrong in [
            "", "gpu", "cuda:", "cuda:-1", "cuda:64", "cpu,cuda", "cuda,",
        ] {
            assert!(wrong.parse::<Device>().is_err(), "{wrong}");
        }
    }
}
