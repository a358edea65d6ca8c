//! Options and resources of a session.

use std::time::Duration;

use crate::engine::Engine;
use crate::game::BoardSize;
use crate::games::UnknownGame;
use crate::gtp::numbers::Perspective;
use tengen_nn::eval::HumanProfile;

/// Creates an engine for a board and rules; the game's usual ones if the text is empty.
pub type MakeAnalyst =
    Box<dyn Fn(BoardSize, &str) -> Result<Box<dyn Engine>, UnknownGame> + Send + Sync>;

/// Creates an engine for a board whose network imitates these people.
pub type MakeImitator =
    Box<dyn Fn(BoardSize, HumanProfile) -> Result<Box<dyn Engine>, UnknownGame> + Send + Sync>;

/// External resources of a session.
pub struct KatagoResources {
    /// Creates an engine for the board and rules of queries.
    pub make: MakeAnalyst,
    /// The same of a second network, one that imitates people, if there is one.
    pub imitate: Option<MakeImitator>,
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
    /// Name of the network that imitates people.
    pub imitator: Option<String>,
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
