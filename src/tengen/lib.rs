#![doc = include_str!("../../docs/library.md")]

#[cfg(test)]
#[cfg(all(feature = "tract", feature = "ort"))]
mod agreement;
pub mod book;
pub mod chart;
pub mod cli;
pub mod clock;
pub mod command;
pub mod encode;
pub mod engine;
pub mod fnv;
pub mod game;
pub mod games;
#[cfg(test)]
mod go_game;
pub mod gtp;
pub mod processor;
pub mod program;
pub mod record;
pub mod referee;
pub mod registry;
pub mod report;
pub mod rollout;
pub mod search;
pub mod settings;
pub mod solver;
pub mod stats;
pub mod system;
#[cfg(test)]
mod third_game;
pub mod watch;
pub mod web;
