//! Approximate speed of solvers, to convert their work to time and playouts.

/// Nodes that cost about as much as a playout with a network: 500,000 against 5,000 per second and
/// thread (`tengen bench --throughput`).
pub(super) const NODES_PER_PLAYOUT: u64 = 100;
/// Nodes per second and thread (`tengen solve`), for positions within reach.
pub(super) const NODES_PER_SECOND: f64 = 500_000.0;
