//! The settings of a match.

/// Settings of a match between players of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MatchParams {
    /// Number of the first opening: parts of a match are played by themselves.
    pub first: u32,
    /// Openings; each is played twice, with colours swapped.
    pub pairs: u32,
    /// Uniformly random plies that open a game.
    pub opening_plies: u16,
    /// Fixes the openings and the playouts.
    pub seed: u64,
    /// Threads, at least 1.
    pub threads: usize,
    /// Concurrent games per thread.
    pub concurrent: usize,
}
