//! What Mucgo's search learns from recorded games (docs/papers.md#mucgo): the plies at which the middle game
//! begins and ends, by several proxies for the judgement of a player, and whether they are normally
//! distributed. The weights of domain scores are fitted by [`tengen::games::go::WeightFit`].

mod normal;
pub mod play;
mod proxies;
mod stages;

pub use normal::NormalFit;
pub use proxies::{BEGINS, ENDS, MoveTraits, Proxy};
pub use stages::StageSamples;
