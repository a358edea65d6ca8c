//! Flags of programs that play: threads, and what computes networks.

use std::path::PathBuf;

use clap::value_parser;
use tengen::eval::{BackendKind, Device as EvalDevice, LibraryPlaces};
use tengen::train::play::runtime::Runtime;

/// Number of threads.
#[derive(Debug, clap::Args)]
pub(crate) struct Threads {
    /// Threads that play [default: number of CPUs]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    pub(crate) fn number(&self) -> anyhow::Result<usize> {
        match self.threads {
            Some(threads) => Ok(threads.into()),
            None => Ok(std::thread::available_parallelism()?.get()),
        }
    }
}

/// What computes networks in games.
#[derive(Debug, clap::Args)]
pub(crate) struct Inference {
    /// Inference backend: native, ort or tract [default: the first that can run the network]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// Device of networks in games: cpu, cuda or cuda:N
    #[arg(long, value_name = "NAME", default_value_t = EvalDevice::Cpu)]
    device: EvalDevice,
    /// Path of the ONNX Runtime library [default: where the script fetch-onnxruntime puts it]
    #[arg(long, value_name = "FILE")]
    ort_library: Option<PathBuf>,
}

impl Inference {
    pub(crate) fn runtime(&self) -> Runtime {
        Runtime {
            backend: self.backend,
            device: self.device,
            library: LibraryPlaces::usual(self.ort_library.clone()),
        }
    }
}

/// Devices and threads of play.
#[derive(Debug, clap::Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    threads: Threads,
    #[command(flatten)]
    inference: Inference,
}

impl PlayArgs {
    pub(crate) fn runtime(&self) -> Runtime {
        self.inference.runtime()
    }

    pub(crate) fn threads(&self) -> anyhow::Result<usize> {
        self.threads.number()
    }

    /// GPUs that it uses, unless the user knows better.
    pub(crate) fn gpus(&self) -> f64 {
        f64::from(u8::from(self.inference.device != EvalDevice::Cpu))
    }
}
