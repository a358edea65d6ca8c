#![doc = include_str!("ARCHITECTURE.md")]

pub mod chart;
pub mod clock;
pub mod encode;
pub mod engine;
pub mod eval;
pub mod files;
pub mod fnv;
pub mod game;
pub mod games;
#[cfg(test)]
mod go_game;
pub mod gtp;
pub mod onnx;
pub mod papers;
pub mod processor;
pub mod program;
pub mod record;
pub mod referee;
pub mod registry;
pub mod rollout;
pub mod search;
pub mod settings;
pub mod solver;
pub mod stats;
mod system;
#[cfg(test)]
mod third_game;
#[cfg(feature = "train")]
pub mod train;
pub mod watch;
pub mod web;
