//! Devices for fitting networks.

use burn::tensor::Device;

use crate::TrainError;
use tengen_nn::eval;

/// Rows per thread on the CPU; see [`crate::fit::gradient_workers`].
const MICRO_BATCH: usize = 64;

/// Opens a device, the CPU or one NVIDIA GPU by libtorch (the cargo feature `libtorch`). It records gradients.
///
/// # Errors
/// [`TrainError::Setting`] if the build or the machine lacks it.
pub fn open(device: eval::Device) -> Result<Device, TrainError> {
    let opened = match device {
        eval::Device::Cpu => Device::flex(),
        eval::Device::Cuda(cards) => open_cuda(device, cards)?,
    };
    Ok(opened.autodiff())
}

#[cfg(feature = "libtorch")]
#[allow(
    deprecated,
    reason = "Burn's CUDA backend needs a CUDA toolkit where it runs, libtorch only itself"
)]
fn open_cuda(device: eval::Device, cards: eval::CudaDevices) -> Result<Device, TrainError> {
    // A libtorch without CUDA counts no devices.
    let count = usize::try_from(tch::Cuda::device_count()).unwrap_or_default();
    match cards.numbers().collect::<Vec<u8>>()[..] {
        [number] if usize::from(number) < count => Ok(Device::libtorch_cuda(usize::from(number))),
        _ => Err(TrainError::Setting(format!(
            "device {device}: a fit runs on one of the NVIDIA GPUs, numbered from 0, of which libtorch finds {count}; a \
             libtorch for processors alone finds none"
        ))),
    }
}

#[cfg(not(feature = "libtorch"))]
fn open_cuda(device: eval::Device, _: eval::CudaDevices) -> Result<Device, TrainError> {
    Err(TrainError::Setting(format!(
        "device {device}: this program was built without libtorch; build it with \
         -p tengen-train --features libtorch, or fit on the device cpu"
    )))
}

/// Rows of a batch computed together: libtorch needs all of them at once.
pub(crate) fn micro_batch(device: eval::Device) -> usize {
    match device {
        eval::Device::Cpu => MICRO_BATCH,
        eval::Device::Cuda(_) => usize::MAX,
    }
}

/// Threads that encode batches. Where processors compute the network, one is enough; a GPU computes
/// samples faster than one thread encodes them, and a teacher answers more slowly than the network learns.
pub(crate) fn loader_threads(device: eval::Device, has_teacher: bool) -> usize {
    match device {
        eval::Device::Cpu if !has_teacher => 1,
        _ => rayon::current_num_threads(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_that_is_not_there_is_named() {
        assert!(open(eval::Device::Cpu).is_ok());
        let message = open("cuda:63".parse().unwrap()).unwrap_err().to_string();
        assert!(message.contains("cuda:63"), "{message}");
        assert!(message.contains("libtorch"), "{message}");
    }
}
