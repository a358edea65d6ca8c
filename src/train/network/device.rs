//! Devices for fitting networks.

use std::fmt;
use std::str::FromStr;

use burn::tensor::Device;

use crate::TrainError;

/// Rows per thread on the CPU; see [`crate::fit::gradient_workers`].
const MICRO_BATCH: usize = 64;

/// A device that fits networks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FitDevice {
    /// The CPU, with nothing to install.
    #[default]
    Cpu,
    /// The NVIDIA GPU of this number, by libtorch: the cargo feature `libtorch`.
    Cuda(usize),
}

impl FitDevice {
    /// The device, recording gradients.
    ///
    /// # Errors
    /// [`TrainError::Setting`] if the build or the machine lacks it.
    pub fn open(self) -> Result<Device, TrainError> {
        let device = match self {
            FitDevice::Cpu => Device::flex(),
            FitDevice::Cuda(number) => open_cuda(number)?,
        };
        Ok(device.autodiff())
    }

    /// Rows of a batch computed together: libtorch needs all of them at once.
    pub(crate) fn micro_batch(self) -> usize {
        match self {
            FitDevice::Cpu => MICRO_BATCH,
            FitDevice::Cuda(_) => usize::MAX,
        }
    }

    /// Threads that encode batches. Where processors compute the network, one is enough; a GPU computes
    /// samples faster than one thread encodes them, and a teacher answers more slowly than the network learns.
    pub(crate) fn loader_threads(self, has_teacher: bool) -> usize {
        match self {
            FitDevice::Cpu if !has_teacher => 1,
            _ => rayon::current_num_threads(),
        }
    }
}

impl fmt::Display for FitDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitDevice::Cpu => f.write_str("cpu"),
            FitDevice::Cuda(number) => write!(f, "cuda:{number}"),
        }
    }
}

impl FromStr for FitDevice {
    type Err = TrainError;

    fn from_str(text: &str) -> Result<FitDevice, TrainError> {
        let number = |text: &str| text.parse().ok().map(FitDevice::Cuda);
        match text {
            "cpu" => Some(FitDevice::Cpu),
            "cuda" => Some(FitDevice::Cuda(0)),
            _ => text.strip_prefix("cuda:").and_then(number),
        }
        .ok_or_else(|| {
            TrainError::Setting(format!(
                "{text:?} is not a device (expected one of: cpu, cuda, cuda:N)"
            ))
        })
    }
}

#[cfg(feature = "libtorch")]
#[allow(
    deprecated,
    reason = "Burn's CUDA backend needs a CUDA toolkit where it runs, libtorch only itself"
)]
fn open_cuda(number: usize) -> Result<Device, TrainError> {
    // A libtorch without CUDA counts no devices.
    let count = usize::try_from(tch::Cuda::device_count()).unwrap_or_default();
    if number < count {
        return Ok(Device::libtorch_cuda(number));
    }
    Err(TrainError::Setting(format!(
        "device cuda:{number}: libtorch finds {count} NVIDIA GPUs, numbered from 0; a libtorch for \
         processors alone finds none"
    )))
}

#[cfg(not(feature = "libtorch"))]
fn open_cuda(number: usize) -> Result<Device, TrainError> {
    Err(TrainError::Setting(format!(
        "device cuda:{number}: this program was built without libtorch; build it with \
         -p tengen-train --features libtorch, or fit on the device cpu"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for device in [FitDevice::Cpu, FitDevice::Cuda(3)] {
            assert_eq!(device.to_string().parse::<FitDevice>().unwrap(), device);
        }
        assert_eq!("cuda".parse::<FitDevice>().unwrap(), FitDevice::Cuda(0));
        for wrong in ["gpu", "libtorch", "cuda:", "cuda:x", "cuda:-1", ""] {
            let message = wrong.parse::<FitDevice>().unwrap_err().to_string();
            assert!(message.contains("cuda:N"), "{message}");
        }
    }

    #[test]
    fn a_device_that_is_not_there_is_named() {
        assert!(FitDevice::Cpu.open().is_ok());
        let message = FitDevice::Cuda(99).open().unwrap_err().to_string();
        assert!(message.contains("cuda:99"), "{message}");
        assert!(message.contains("libtorch"), "{message}");
    }
}
