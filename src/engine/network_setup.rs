//! What a thinker with a network is made of.

use crate::eval::{BackendKind, LoadOptions, ModelSource};
use crate::search::SearcherOptions;

/// How to put a network thinker together.
#[derive(Debug, Clone)]
pub struct NetworkSetup {
    /// What runs the network; `None` for the fastest that can be had.
    pub backend: Option<BackendKind>,
    /// The network; `None` for the one built in for the game.
    pub model: Option<ModelSource>,
    /// How to load it.
    pub load: LoadOptions,
    /// Memory for evaluations that outlive the tree, in MiB; 0 for none.
    pub cache_mib: u32,
    /// Settings of the search; its seed also seeds the playouts.
    pub searcher: SearcherOptions,
}
