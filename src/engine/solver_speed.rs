//! How fast solvers are, in round numbers: what their work is worth in time and playouts.

/// Nodes that cost about as much as a playout with a network: 500,000 a second and thread against
/// 5,000 (`tengen bench --throughput`).
pub(super) const NODES_PER_PLAYOUT: u64 = 100;
/// Nodes a second and thread (`tengen solve`), for what is within reach.
pub(super) const NODES_PER_SECOND: f64 = 500_000.0;
