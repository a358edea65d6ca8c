//! Components of a network thinker.

use crate::search::SearcherOptions;
use tengen_nn::eval::{BackendKind, LoadOptions, ModelSource};

/// Configuration of a network thinker.
#[derive(Debug, Clone)]
pub struct NetworkSetup {
    /// The backend; `None` for the fastest available one.
    pub backend: Option<BackendKind>,
    /// The network; `None` for the game's built-in one.
    pub model: Option<ModelSource>,
    /// How to load it.
    pub load: LoadOptions,
    /// Memory of the evaluation cache, in MiB; 0 for none.
    pub cache_mib: u32,
    /// Settings of the search; its seed also seeds the playouts.
    pub searcher: SearcherOptions,
}
