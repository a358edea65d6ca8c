//! Flags of programs that play: threads, and what computes networks.

use std::path::PathBuf;

use tengen::eval::{BackendKind, Device as EvalDevice, LibraryPlaces};
use tengen::train::play::runtime::Runtime;

/// Devices and threads of play.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    /// Threads of self-play and matches [default: number of CPUs]
    #[arg(long)]
    threads: Option<usize>,
    /// Inference backend: native, ort or tract [default: the first that can run the network]
    #[arg(long)]
    backend: Option<BackendKind>,
    /// Device of self-play: cpu, cuda or cuda:N
    #[arg(long, default_value_t = EvalDevice::Cpu)]
    device: EvalDevice,
    /// Path of the ONNX Runtime library [default: where the script fetch-onnxruntime puts it]
    #[arg(long)]
    ort_library: Option<PathBuf>,
}

impl PlayArgs {
    pub(crate) fn runtime(&self) -> Runtime {
        Runtime {
            backend: self.backend,
            device: self.device,
            library: LibraryPlaces::usual(self.ort_library.clone()),
        }
    }

    pub(crate) fn threads(&self) -> anyhow::Result<usize> {
        match self.threads {
            Some(0) => anyhow::bail!("--threads 0: at least one thread must play"),
            Some(threads) => Ok(threads),
            None => Ok(std::thread::available_parallelism()?.get()),
        }
    }

    /// GPUs that it uses, unless the user knows better.
    pub(crate) fn gpus(&self) -> f64 {
        f64::from(u8::from(self.device != EvalDevice::Cpu))
    }
}
