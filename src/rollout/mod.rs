//! Play without a network: random playouts and a RAVE tree over them.
//!
//! The fallback engine, the generator of warm-up training data and the anchor of every rating. It
//! knows games only; time, threads' lifetimes and networks are other rooms' business.

mod go;
mod gomoku;
mod nogo;
mod playout;
mod rave;
mod settle;
mod tally;
mod tree;

pub use go::WeightFit;
pub use playout::{Glance, Played, Playout, PlayoutPolicy, Prior};
pub use rave::{MOST_PLAYOUTS, Rave, RaveMove, RaveParams, RaveReport};
pub use settle::expect;
pub use tally::Tally;
