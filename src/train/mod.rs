//! Training of networks: self-play games to shards, shards to weights, weights to ONNX files.
//! Nothing here plays for a user, and no engine build contains it (cargo feature `train`).
//!
//! Data flow: [`generate`] has a [`generator`] play games, by rollouts ([`selfplay`]) or by a
//! network ([`network_game`] on the small trees of [`mcts`], many games per batch by
//! [`eval_batch`]), and writes them as durable [`shard`]s; [`dataset`] holds their rows and holds
//! out whole games for validation; [`loader`] encodes batches in the background; [`fit`] fits a
//! network of an [`architecture`] and writes checkpoints; [`export`] writes the network that the
//! engine loads.
//!
//! # Why Burn on its `flex` backend
//! There is one training code, which must run on a bare machine with `cargo` alone. Of the suitable
//! libraries, Burn was the fastest (5 blocks x 32 channels, batch 256, two cores of a Zen 5: 1,000
//! samples/s; Burn 0.21 211, candle 0.11 290), and it chooses its device at run time, so that
//! libtorch and GPUs are supported by the same code ([`device`]) and not by a second trainer. Four
//! parts are our own: convolution and batch norm on the CPU ([`net`]), the parallel micro-batches
//! (`gradient_workers`), the optimiser on plain numbers ([`optimizer`]: this makes a resumed run
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
//! GPUs are supported by the feature `libtorch` (`device`), which has not been run on one: burn-tch
//! 0.22 is made for torch 2.9, works with 2.11 (docs/gpu.md#fitting), and Burn plans to drop it.
//! Alternatives:
//! - `vulkan` (wgpu, SPIR-V kernels, tensor cores for f16) builds offline, and needs a Vulkan
//!   loader where it runs; 69 MB stripped, so behind a cargo feature of its own. With no adapter it
//!   may hang: ask for one before the first tensor.
//! - `cuda` of 0.22 needs `tracel-llvm-bundler`, which downloads LLVM at build time. Burn 0.21 does
//!   not, but its tensors have another type.
//!
//! Either is one more name in [`device`] and one more backend in the list of [`net`]'s extension,
//! whose default bodies serve any. The optimiser is on the host: a step of a small network moves
//! 400 kB of gradients and as many weights, which is little compared with a batch of 4,096 rows.
//! Norm statistics are transferred the same way.

pub mod ablate;
pub mod architecture;
pub mod augment;
pub mod batch;
pub mod checkpoint;
pub mod correction;
pub mod corrector;
pub mod critic;
pub mod cycle;
pub mod dataset;
pub mod device;
pub mod durable;
pub mod ending;
mod error;
pub mod eval_batch;
pub mod export;
pub mod finish;
pub mod fit;
pub mod folder_lock;
pub mod fsck;
pub mod generate;
pub mod generator;
mod gradient_workers;
pub mod held_out;
pub mod import;
pub mod komi;
pub mod loader;
mod losses;
pub mod matches;
pub mod mcts;
mod merge;
pub mod net;
pub mod network_game;
pub mod objective;
pub mod optimizer;
pub mod point_set;
pub mod prover;
pub mod quantize;
pub mod report;
pub mod row;
pub mod runtime;
mod sample;
pub mod schedule;
#[cfg(test)]
pub(crate) mod scratch;
mod seed;
pub mod selfplay;
pub mod shard;
mod step;
pub mod trainable;
pub mod training_game;

pub use error::TrainError;
pub use fit::FitParams;
