//! Making networks: self-play games into shards, shards into weights, weights into ONNX files.
//! Nothing here plays for a user, and no engine build contains it (cargo feature `train`).
//!
//! The way of a network:
//! [`generate`] has a [`crew`] play games, by rollouts ([`selfplay`]) or by a network
//! ([`network_game`] on the small trees of [`mcts`], many games a batch by [`pool`]), and writes
//! them as durable [`shard`]s; [`dataset`]
//! holds their rows and sets whole games aside for testing; [`loader`] turns rows into encoded
//! batches in the background; [`fit`] fits a network of a [`recipe`] and writes checkpoints;
//! [`export`] writes the network that the engine loads.
//!
//! # Why Burn on its `flex` backend
//! One training code is wanted, and it must run on a bare machine from `cargo` alone. Of the
//! candidates that do (5 blocks x 32 channels, batch 256, two cores of a Zen 5, nn-stack.md
//! section 1), Burn 0.22.1 with `flex`, `simd`, `rayon` and `x86-v4` fits about 1,000 samples/s,
//! Burn 0.21 211 and candle 0.11 290. Only libtorch (`tch`) is faster, 4,600 samples/s, and it
//! needs a library of 500 MB that cargo does not bring; as Burn chooses its device at run time, a
//! faster device is a flag of this same code and not a second trainer. Three parts are our own:
//! the convolution on the CPU ([`net`]; 1,000 samples per CPU second against 570 with Burn's), the
//! optimiser on plain numbers ([`optimizer`]: what makes a resumed run equal to the bit), and the
//! ONNX writer, since Burn's export leaves batch norms unfolded and names tensors by number.
//!
//! # Speed
//! `az-5b32c` on `nogo-1` fits 1,067 samples per CPU second of a Zen 4 (EPYC 9004), which is 51
//! GFLOP/s, 53% of what OpenBLAS's `sgemm` reaches there on one core (97 GFLOP/s in the same units).
//! A profile: half of the time is in the convolutions, a tenth in Burn's copies to contiguous
//! memory, the rest in batch norms, elementwise passes and the memory they allocate. Most of that
//! rest one thread does alone; so each thread takes whole shares of 64 rows (`shares`):
//! `tengen-5b32c` on two cores fits 1,435 samples/s in place of 750, with a tenth of the time in
//! the system.
//!
//! # A GPU (a plan; nothing of it is built)
//! The device is chosen at run time, and only [`net`]'s convolution is special: its extension lists
//! `Flex` and `Autodiff` and has default bodies for any other backend, so a GPU is a Burn feature, a
//! `--device` name and one more backend in that list. Which feature:
//! - `vulkan` (wgpu, SPIR-V kernels, tensor cores for f16) is the one to try. It builds offline, and
//!   needs a Vulkan loader where it runs; 69 MB stripped, so behind a cargo feature of its own. With
//!   no adapter it may hang: ask for one before the first tensor.
//! - `cuda` of 0.22 needs `tracel-llvm-bundler`, which downloads LLVM while it is built. Burn 0.21
//!   does not, but its tensors have another type.
//! - `tch` is at 0.22, which is torch 2.9; machines with torch 2.11 need tch 0.24, which Burn has
//!   not. A trainer of our own on `tch` would be a second training code.
//!
//! The optimiser is on the host: a step of a small network moves 400 kB of gradients and as many
//! weights, which is little beside a batch of 4,096 rows. Norm statistics come back the same way.

pub mod ablate;
pub mod augment;
pub mod batch;
pub mod checkpoint;
pub mod contest;
pub mod crew;
pub mod cycle;
pub mod dataset;
pub mod device;
pub mod durable;
pub mod ending;
mod error;
pub mod export;
pub mod fit;
pub mod fsck;
pub mod generate;
pub mod loader;
mod losses;
pub mod mcts;
mod merge;
pub mod net;
pub mod network_game;
pub mod objective;
pub mod open;
pub mod optimizer;
pub mod pool;
pub mod prover;
pub mod quantize;
pub mod rebuild;
pub mod recipe;
pub mod report;
pub mod row;
mod sample;
pub mod schedule;
pub mod score;
#[cfg(test)]
mod scratch;
pub mod selfplay;
pub mod shard;
mod shares;
mod step;

pub use error::TrainError;
pub use fit::FitParams;
