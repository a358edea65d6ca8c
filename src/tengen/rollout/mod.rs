//! Play without a network: random playouts and a RAVE tree search.
//!
//! The fallback engine, the generator of warm-up training data and the anchor of all ratings. It
//! depends on games only, not on time, threads or networks.

mod finisher;
mod playout;
mod rave;
mod search;
mod settle;
mod tally;
mod tree;

pub use finisher::{Finisher, wins_at_once};
pub use playout::{Played, Playout, PlayoutPolicy, Prior, StaticEval, below};
pub use rave::{MAX_PLAYOUTS, Rave, RaveMove, RaveParams, RaveReport};
pub use search::PlayoutSearch;
pub use settle::expect;
pub use tally::Tally;
