//! The atomics of the tree: the standard library's, or loom's, which tries every order in which
//! threads may see them (`scripts/sanitize.sh`).

#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// So many zeros, in memory that costs nothing until it is written to.
///
/// The table of nodes has 32 MiB in a tree of a gigabyte; writing zeros to it took a sixth of the time
/// of `tengen bench`, which makes fifteen trees in less than a second.
#[cfg(not(loom))]
#[expect(
    unsafe_code,
    reason = "zeroed memory is taken untouched; the measure is above"
)]
pub(super) fn zeros(len: usize) -> Box<[AtomicU32]> {
    // SAFETY: an `AtomicU32` has the same bytes as a `u32`, for which all zeros are a value.
    unsafe { Box::<[AtomicU32]>::new_zeroed_slice(len).assume_init() }
}

/// So many zeros.
#[cfg(loom)]
pub(super) fn zeros(len: usize) -> Box<[AtomicU32]> {
    (0..len).map(|_| AtomicU32::new(0)).collect()
}
