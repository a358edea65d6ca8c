//! Options and resources of a session.

use std::time::Duration;

use crate::engine::Engine;
use crate::game::BoardSize;
use crate::games::UnknownGame;
use crate::gtp::numbers::Perspective;

/// Creates an engine for a board and rules; the game's usual ones if the text is empty.
pub type MakeAnalyst =
    Box<dyn Fn(BoardSize, &str) -> Result<Box<dyn Engine>, UnknownGame> + Send + Sync>;

/// External resources of a session.
pub struct KatagoResources {
    /// Creates an engine for the board and rules of queries.
    pub make: MakeAnalyst,
    /// Makes engines created from now on ignore earlier search results.
    pub forget: Box<dyn Fn()>,
}

/// Options of query processing.
#[derive(Debug, Clone, PartialEq)]
pub struct KatagoOptions {
    /// Name reported to `query_version`.
    pub name: String,
    /// Names of its networks.
    pub networks: Vec<String>,
    /// Number of positions analysed concurrently, at least 1.
    pub positions: usize,
    /// Default perspective of reported values.
    pub perspective: Perspective,
    /// Default visits per search.
    pub visits: u64,
    /// Default time limit per search.
    pub time: Option<Duration>,
    /// Whether remaining queries are answered after the end of input.
    pub finish: bool,
}
