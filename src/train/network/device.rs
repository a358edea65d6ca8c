//! Devices for fitting networks, and the processor's peak performance.

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use burn::tensor::Device;

use crate::TrainError;
use tengen::clock::Clock;
use tengen_nn::eval::native::Level;
use tengen_nn::eval::native::kernels::Peak;

/// Rows per thread on the CPU; see [`crate::fit::gradient_workers`].
const MICRO_BATCH: usize = 64;

/// A device that fits networks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FitDevice {
    /// The CPU, with nothing to install.
    #[default]
    Cpu,
    /// The CPU, by libtorch: the cargo feature `libtorch`.
    Libtorch,
    /// The NVIDIA GPU of this number, by libtorch.
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
            FitDevice::Libtorch | FitDevice::Cuda(_) => self.open_libtorch()?,
        };
        Ok(device.autodiff())
    }

    #[cfg(feature = "libtorch")]
    #[allow(
        deprecated,
        reason = "Burn's CUDA backend needs a CUDA toolkit where it runs, libtorch only itself"
    )]
    fn open_libtorch(self) -> Result<Device, TrainError> {
        let FitDevice::Cuda(number) = self else {
            return Ok(Device::libtorch());
        };
        // A libtorch without CUDA counts no devices.
        let count = usize::try_from(tch::Cuda::device_count()).unwrap_or_default();
        if number < count {
            return Ok(Device::libtorch_cuda(number));
        }
        Err(TrainError::Setting(format!(
            "device {self}: libtorch finds {count} NVIDIA GPUs, numbered from 0; a libtorch for \
             processors alone finds none"
        )))
    }

    #[cfg(not(feature = "libtorch"))]
    fn open_libtorch(self) -> Result<Device, TrainError> {
        Err(TrainError::Setting(format!(
            "device {self}: this program was built without libtorch; build it with \
             -p tengen-train --features libtorch, or fit on the device cpu"
        )))
    }

    /// Rows of a batch computed together: libtorch needs all of them at once.
    pub(crate) fn micro_batch(self) -> usize {
        match self {
            FitDevice::Cpu => MICRO_BATCH,
            FitDevice::Libtorch | FitDevice::Cuda(_) => usize::MAX,
        }
    }

    /// Threads that encode batches. Where processors compute the network, one is enough; a GPU computes
    /// samples faster than one thread encodes them, and a teacher answers more slowly than the network learns.
    pub(crate) fn loader_threads(self, has_teacher: bool) -> usize {
        match self {
            FitDevice::Cpu | FitDevice::Libtorch if !has_teacher => 1,
            _ => rayon::current_num_threads(),
        }
    }
}

impl fmt::Display for FitDevice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FitDevice::Cpu => f.write_str("cpu"),
            FitDevice::Libtorch => f.write_str("libtorch"),
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
            "libtorch" => Some(FitDevice::Libtorch),
            "cuda" => Some(FitDevice::Cuda(0)),
            _ => text.strip_prefix("cuda:").and_then(number),
        }
        .ok_or_else(|| {
            TrainError::Setting(format!(
                "{text:?} is not a device (expected one of: cpu, libtorch, cuda, cuda:N)"
            ))
        })
    }
}

/// Multiply-adds of each chain between clock reads; some tens of microseconds.
const BURST: usize = 5_000;

/// Floating-point operations per second that all threads together reach in registers, a
/// multiply-add counting two, measured for `span`. It is measured and not looked up, because it
/// depends on the machine's load. Convolutions of 3x3 may show more: products are counted as those
/// of the plain method, and Winograd's needs fewer.
pub fn peak_flops(clock: &dyn Clock, span: Duration) -> f64 {
    let start = clock.now();
    let products: usize = rayon::broadcast(|_| {
        let mut products = 0;
        while clock.now().saturating_sub(start) < span {
            products += burst();
        }
        products
    })
    .into_iter()
    .sum();
    let seconds = clock.now().saturating_sub(start).as_secs_f64();
    (2 * products) as f64 / seconds.max(1e-9)
}

/// Returns the number of its products.
fn burst() -> usize {
    Level::best().enter(Peak { rounds: BURST })
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    #[test]
    fn names_are_read_as_they_are_written() {
        for device in [FitDevice::Cpu, FitDevice::Libtorch, FitDevice::Cuda(3)] {
            assert_eq!(device.to_string().parse::<FitDevice>().unwrap(), device);
        }
        assert_eq!("cuda".parse::<FitDevice>().unwrap(), FitDevice::Cuda(0));
        for wrong in ["gpu", "cuda:", "cuda:x", "cuda:-1", ""] {
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

    /// A clock that advances by a millisecond at every reading.
    struct Ticking(AtomicU64);

    impl Clock for Ticking {
        fn now(&self) -> Duration {
            Duration::from_millis(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn bursts_of_all_threads_are_counted_over_the_time_they_took() {
        let peak = peak_flops(&Ticking(AtomicU64::new(7)), Duration::from_millis(5));
        // Readings 1 to 4 after the first one count one burst each, of any thread; each thread
        // reads once more to see that the time is up, and the last reading gives the duration.
        let bursts = 4 * burst() * 2;
        let seconds = (5 + rayon::current_num_threads()) as f64 / 1000.0;
        let expected = bursts as f64 / seconds;
        assert!((peak / expected - 1.0).abs() < 1e-9, "{peak} {expected}");
    }
}
