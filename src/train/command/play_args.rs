//! Flags of programs that play: threads, and what computes networks.

use std::path::{Path, PathBuf};

use clap::value_parser;
use tengen::clock::SystemClock;
use tengen::system;
use tengen_nn::eval::{BackendKind, Device as EvalDevice, LibraryPlaces, ModelSource};

use crate::cycle::Resources;
use crate::network::device;
use crate::play::runtime::Runtime;

/// Number of threads.
#[derive(Debug, clap::Args)]
pub struct Threads {
    /// Threads that play [default: number of CPUs]
    #[arg(long, value_name = "N", value_parser = value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
}

impl Threads {
    /// The number asked for, or one for each processor.
    pub fn number(&self) -> usize {
        self.threads.map_or_else(system::processors, Into::into)
    }
}

/// What computes networks.
#[derive(Debug, clap::Args)]
pub struct Inference {
    /// Inference backend: native, ort or tract [default: the first that can run the network]
    #[arg(long, value_name = "NAME")]
    backend: Option<BackendKind>,
    /// Device of networks: cpu, cuda or cuda:N
    #[arg(long, value_name = "NAME", default_value_t = EvalDevice::Cpu)]
    device: EvalDevice,
    /// Path of the ONNX Runtime library [default: where the script fetch-onnxruntime puts it]
    #[arg(long, value_name = "FILE")]
    ort_library: Option<PathBuf>,
}

impl Inference {
    /// Backend, device and library of networks in games, which are there: the first network may come hours later.
    ///
    /// # Errors
    /// As [`Runtime::check`].
    pub fn runtime(&self) -> anyhow::Result<Runtime> {
        let runtime = Runtime {
            backend: self.backend,
            device: self.device,
            library: LibraryPlaces::usual(self.ort_library.clone()),
        };
        runtime.check()?;
        Ok(runtime)
    }
}

/// Refuses a network of KataGo's, for a command that needs one of Tengen's.
///
/// # Errors
/// Names the file, and what such networks are for.
pub fn refuse_katago(path: &Path) -> anyhow::Result<()> {
    anyhow::ensure!(
        !ModelSource::File(path.to_path_buf()).is_katago(),
        "{}: networks of KataGo's only play (tengen gtp --model) and teach (fit --teacher); this needs an ONNX file",
        path.display()
    );
    Ok(())
}

/// Devices and threads of play.
#[derive(Debug, clap::Args)]
pub struct PlayArgs {
    #[command(flatten)]
    /// Threads that play.
    pub threads: Threads,
    #[command(flatten)]
    /// What computes networks.
    pub inference: Inference,
}

/// Devices and threads for networks.
#[derive(Debug, clap::Args)]
pub struct MachineArgs {
    #[command(flatten)]
    /// What plays.
    pub play: PlayArgs,
    /// Device of fitting: cpu, or in a build with the feature libtorch: cuda or cuda:N
    #[arg(long, default_value_t)]
    fit_device: EvalDevice,
}

impl MachineArgs {
    /// What a run on this machine alone works with.
    ///
    /// # Errors
    /// As [`device::open`].
    pub fn resources<'a>(
        &self,
        runtime: &'a Runtime,
        clock: &'a SystemClock,
    ) -> anyhow::Result<Resources<'a>> {
        device::open(self.fit_device)?;
        Ok(Resources {
            runtime,
            threads: self.play.threads.number(),
            fit_device: self.fit_device,
            clock,
        })
    }
}
