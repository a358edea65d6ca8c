//! Play without a network: random rollouts and a RAVE tree search.
//!
//! The fallback engine, the generator of warm-up training data and the anchor of all ratings. It
//! depends on games only, not on time, threads or networks.

mod rave;
mod rollouts;
mod search;
mod tree;

pub use rave::{MAX_ROLLOUTS, Rave, RaveParams, expect};
pub(crate) use rollouts::any;
pub use rollouts::{Played, Prior, Rollout, RolloutPolicy, Tally, below};
pub use search::{Finisher, RolloutSearch, RootStats, report, wins_at_once};
