//! Training of networks: self-play games to shards, shards to weights, weights to ONNX files.
//! Nothing here plays for a user, and no engine build contains it.
//!
//! Along the data: [`play`] plays games and writes them as [`shards`]; [`fit`] reads these and fits a
//! [`network`], with checkpoints; [`export`] writes the file that the engine loads; [`cycle`] repeats
//! all of it, generation after generation; [`cluster`] does that on several machines, which meet in a
//! [`store`].
//!
//! # Why Burn on its `flex` backend
//! There is one training code, which must run on a bare machine with `cargo` alone. Of the suitable
//! libraries, Burn was the fastest (5 blocks x 32 channels, batch 256, two cores of a Zen 5: 1,000
//! samples/s; Burn 0.21 211, candle 0.11 290), and it chooses its device at run time, so that
//! GPUs are supported by libtorch and the same code ([`network::device`]) and not by a second trainer. Four
//! parts are our own: convolution and batch norm on the CPU ([`network::net`]), the parallel micro-batches
//! (`fit::gradient_workers`), the optimiser on plain numbers ([`fit::optimizer`]: this makes a resumed run
//! equal to the bit), and the ONNX writer, since Burn's export leaves batch norms unfolded and
//! names tensors by number.
//!
//! # Speed
//! Two cores of a Zen 4 (EPYC 9004) do 232 GFLOP/s in registers. `tengen-5b32c` fits 2,410 to 2,855
//! samples/s there (106 to 126 GFLOP/s), `tengen-10b64c` 350 (121); libtorch 2.9 in the same run
//! 1,190 and 265. Each thread takes whole shares of 64 rows (750 to 1,435 samples/s), boards are
//! channels last and norms our own (1,730 to 2,855 in one run). Two thirds of the time are now in
//! the multiply-adds of convolutions.
//!
//! # A GPU
//! GPUs are supported by the feature `libtorch` (`device`; figures in docs/training.md#pytorch): burn-tch
//! 0.22 is made for torch 2.9, works with 2.11, and Burn plans to drop it.
//! Alternatives:
//! - `vulkan` (wgpu, SPIR-V kernels, tensor cores for f16) builds offline, and needs a Vulkan
//!   loader where it runs; 69 MB stripped, so behind a cargo feature of its own. With no adapter it
//!   may hang: ask for one before the first tensor.
//! - `cuda` of 0.22 needs `tracel-llvm-bundler`, which downloads LLVM at build time. Burn 0.21 does
//!   not, but its tensors have another type.
//!
//! Either is one more case in [`network::device`] and one more backend in the list of [`network::net`]'s extension,
//! whose default bodies serve any; batch norms are each backend's own. The optimiser is on the host: a step of a small network moves
//! 400 kB of gradients and as many weights, which is little compared with a batch of 4,096 rows.
//! Norm statistics are transferred the same way.

pub mod cli;
pub mod command;
pub mod cycle;
pub mod durable;
mod error;
pub mod export;
pub mod fit;
#[cfg(test)]
mod go_game;
pub mod network;
pub mod play;
pub mod shards;
pub mod store;
#[cfg(test)]
mod third_game;
pub mod trainable;

pub use cycle::cluster;
pub use error::{StoreError, TrainError};
