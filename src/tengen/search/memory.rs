//! Memory of the tree, in the largest pages that the system offers; and its atomics: the standard library's, or
//! loom's, which tries every interleaving of threads (`scripts/sanitize.sh`).
//!
//! A new tree is accessed all over its table. With pages of 4 KiB nearly every new node costs two
//! page faults: one for the lookup, one for the write, which also interrupts the processors of the
//! other threads. With pages of 2 MiB two threads do 1.4 times as many visits in a tree's first
//! second (docs/results/measures.toml).

#[cfg(loom)]
pub(super) use loom::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
#[cfg(not(loom))]
pub(super) use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

/// `len` zeros, in memory that is committed on first access.
///
/// A tree of a gigabyte has a node table of 32 MiB; writing zeros to it took a sixth of the time of
/// `tengen bench`, which creates fifteen trees in less than a second.
#[cfg(not(loom))]
#[expect(
    unsafe_code,
    reason = "zeroed memory is taken untouched; the measure is above"
)]
pub(super) fn zeros(len: usize) -> Box<[AtomicU32]> {
    let mut zeros = Box::<[AtomicU32]>::new_zeroed_slice(len);
    ask_for_large_pages(&mut zeros);
    // SAFETY: an `AtomicU32` has the same bytes as a `u32`, for which all zeros are valid.
    unsafe { zeros.assume_init() }
}

/// `len` zeros.
#[cfg(loom)]
pub(super) fn zeros(len: usize) -> Box<[AtomicU32]> {
    defaults(len)
}

/// `len` default values.
pub(super) fn defaults<T: Default>(len: usize) -> Box<[T]> {
    let mut values = Vec::with_capacity(len);
    ask_for_large_pages(values.spare_capacity_mut());
    values.resize_with(len, T::default);
    values.into_boxed_slice()
}

/// Requests the largest pages for this memory, where it has not been accessed yet. Without support
/// by the system nothing changes.
#[cfg(all(target_os = "linux", not(miri)))]
#[expect(unsafe_code, reason = "1.4 times as many visits, see above")]
fn ask_for_large_pages<T>(memory: &mut [std::mem::MaybeUninit<T>]) {
    use rustix::mm::{Advice, madvise};
    use std::ffi::c_void;

    /// The system's page size or a multiple: the advised range starts and ends with a page.
    const PAGE: usize = 1 << 16;
    let start = memory.as_mut_ptr() as usize;
    let end = (start + size_of_val(memory)) / PAGE * PAGE;
    let start = start.next_multiple_of(PAGE);
    if start < end {
        // SAFETY: the pages lie inside this memory, and the advice does not change its content.
        let answer = unsafe { madvise(start as *mut c_void, end - start, Advice::LinuxHugepage) };
        if let Err(error) = answer {
            log::debug!("no large pages: {error}");
        }
    }
}

#[cfg(not(all(target_os = "linux", not(miri))))]
fn ask_for_large_pages<T>(_: &mut [std::mem::MaybeUninit<T>]) {}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_is_whole_and_default() {
        for len in [0, 1, 1000, 1 << 15, (1 << 20) + 3] {
            let (zeros, sevens) = (zeros(len), defaults::<Seven>(len));
            assert_eq!((zeros.len(), sevens.len()), (len, len));
            assert!(zeros.iter().all(|zero| zero.load(Ordering::Relaxed) == 0));
            assert!(sevens.iter().all(|seven| seven.0 == 7));
        }
    }

    struct Seven(u64);

    impl Default for Seven {
        fn default() -> Seven {
            Seven(7)
        }
    }
}
