//! The atomics of the tree: the standard library's, or loom's, which tries every order in which
//! threads may see them (`scripts/sanitize.sh`).

#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
