//! Atomics of the tree: the standard library's, or loom's, which tries every interleaving of
//! threads (`scripts/sanitize.sh`).

#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
