//! What runs networks and where, by the names of command lines.

use std::fmt;
use std::str::FromStr;

/// What runs networks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    /// Our own kernels, always there, for the networks of `tengen-train`.
    Native,
    /// Pure Rust, always there, for any network.
    Tract,
    /// ONNX Runtime, when its shared library is installed.
    Ort,
}

impl BackendKind {
    /// Every backend, also those that this program was built without; the fastest first
    /// (`tengen bench --throughput`), which is the order of the automatic choice.
    pub const ALL: [BackendKind; 3] = [BackendKind::Native, BackendKind::Ort, BackendKind::Tract];

    /// The name used on command lines.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            BackendKind::Native => "native",
            BackendKind::Tract => "tract",
            BackendKind::Ort => "ort",
        }
    }

    /// Whether it computes on devices of this kind at all.
    #[must_use]
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
            format!("no backend is called '{name}': there are native, ort and tract")
        })
    }
}

/// Where a network is computed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Device {
    /// The processor.
    #[default]
    Cpu,
    /// The NVIDIA GPU of this number, from 0.
    Cuda(u16),
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Device::Cpu => f.write_str("cpu"),
            Device::Cuda(id) => write!(f, "cuda:{id}"),
        }
    }
}

impl FromStr for Device {
    type Err = String;

    /// Reads `cpu`, `cuda` or `cuda:N`.
    fn from_str(name: &str) -> Result<Device, String> {
        let id = match name {
            "cpu" => return Ok(Device::Cpu),
            "cuda" => Some(0),
            _ => name.strip_prefix("cuda:").and_then(|id| id.parse().ok()),
        };
        let unknown = || format!("'{name}' is no device: there are cpu, cuda and cuda:N");
        id.map(Device::Cuda).ok_or_else(unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        for device in [Device::Cpu, Device::Cuda(0), Device::Cuda(3)] {
            assert_eq!(device.to_string().parse(), Ok(device));
        }
        assert_eq!("cuda".parse(), Ok(Device::Cuda(0)));
        for wrong in ["", "gpu", "cuda:", "cuda:-1", "cuda:99999"] {
            assert!(wrong.parse::<Device>().is_err(), "{wrong}");
        }
    }
}
