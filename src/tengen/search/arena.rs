//! Arena memory shared by many threads: fixed addresses, allocated in chunks on first use, freed
//! all at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

use super::memory::defaults;
use crate::system::is_offered;

/// Maximum bytes of a chunk: the system's large pages.
const MAX_BYTES: usize = 1 << 21;

/// Minimum bytes of a chunk: room for the moves of a large board.
const MIN_BYTES: usize = if cfg!(any(loom, miri)) {
    1 << 10
} else {
    1 << 12
};

/// Chunks of an arena that is not small: the last ones leave little unused.
const CHUNKS: usize = 64;

/// Remaining bytes that several arenas share: memory that one does not need is available to the
/// others.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    left: AtomicUsize,
    all: usize,
}

impl MemoryBudget {
    /// A budget of this many bytes.
    pub(super) fn new(bytes: usize) -> MemoryBudget {
        MemoryBudget {
            left: AtomicUsize::new(bytes),
            all: bytes,
        }
    }

    /// Bytes used.
    pub(super) fn used(&self) -> usize {
        self.all - self.left.load(Ordering::Relaxed)
    }

    fn take(&self, bytes: usize) -> bool {
        let less = |left: usize| left.checked_sub(bytes);
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok()
    }

    fn give_back(&self, bytes: usize) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }
}

/// Slots of `T`, allocated in runs and addressed by number. Slot 0 is never allocated, so that 0
/// can mean "none".
#[derive(Debug)]
pub(super) struct Arena<T> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    /// Logarithm of the number of slots in a chunk; no run is longer.
    chunk_bits: u32,
    next: AtomicU32,
}

impl<T: Default> Arena<T> {
    /// An arena of at least `capacity` slots; their memory is not allocated yet.
    pub(super) fn new(capacity: usize) -> Arena<T> {
        let bytes = capacity * size_of::<T>() / CHUNKS;
        let slots = bytes.clamp(MIN_BYTES, MAX_BYTES) / size_of::<T>();
        // Room for a run of a few moves, where loom's atomics are large.
        let chunk_bits = slots.ilog2().max(3);
        let chunks = (capacity + 1)
            .div_ceil(1 << chunk_bits)
            .min(u32::MAX as usize >> chunk_bits);
        let chunks = (0..chunks).map(|_| OnceLock::new()).collect();
        Arena {
            chunks,
            chunk_bits,
            next: AtomicU32::new(1),
        }
    }

    /// Slots in a chunk.
    pub(super) fn chunk_len(&self) -> u32 {
        1 << self.chunk_bits
    }

    /// Allocates `len` adjacent slots; `None` when the arena is full or there is no memory for
    /// another chunk.
    pub(super) fn take(&self, len: u32, budget: &MemoryBudget) -> Option<u32> {
        debug_assert!(len <= self.chunk_len());
        if len == 0 {
            return Some(0);
        }
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let left_in_chunk = self.chunk_len() - self.place(next) as u32;
            let start = if len <= left_in_chunk {
                next
            } else {
                next + left_in_chunk
            };
            if !self.grow(start >> self.chunk_bits, budget) {
                return None;
            }
            // Only the numbers matter here; publishing a slot's content provides the ordering.
            let swap = self.next.compare_exchange_weak(
                next,
                start + len,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match swap {
                Ok(_) => return Some(start),
                Err(now) => next = now,
            }
        }
    }

    /// Allocates memory for a chunk; false when there is none.
    fn grow(&self, chunk: u32, budget: &MemoryBudget) -> bool {
        let Some(place) = self.chunks.get(chunk as usize) else {
            return false;
        };
        if place.get().is_some() {
            return true;
        }
        let bytes = self.chunk_len() as usize * size_of::<T>();
        if !budget.take(bytes) {
            return false;
        }
        // Every search has one chunk.
        if chunk > 0 && !is_offered(bytes) {
            budget.give_back(bytes);
            return false;
        }
        let mut first = false;
        place.get_or_init(|| {
            first = true;
            defaults(self.chunk_len() as usize)
        });
        if !first {
            budget.give_back(bytes);
        }
        true
    }

    /// Returns all slots. Their memory is kept.
    pub(super) fn clear(&mut self) {
        let used = self.used();
        let chunks = self.chunks.iter_mut().filter_map(OnceLock::get_mut);
        let slots = chunks.flat_map(|chunk| chunk.iter_mut());
        slots.take(used).for_each(|slot| *slot = T::default());
        self.next = AtomicU32::new(1);
    }

    /// The slot of this number, which must be allocated.
    pub(super) fn get(&self, slot: u32) -> &T {
        &self.chunk(slot)[self.place(slot)]
    }

    /// A run of slots as it was allocated.
    pub(super) fn run(&self, start: u32, len: u32) -> &[T] {
        if len == 0 {
            return &[];
        }
        &self.chunk(start)[self.place(start)..][..len as usize]
    }

    /// Index of a slot within its chunk.
    fn place(&self, slot: u32) -> usize {
        (slot % self.chunk_len()) as usize
    }

    fn chunk(&self, slot: u32) -> &[T] {
        self.chunks[(slot >> self.chunk_bits) as usize]
            .get()
            .expect("the slot was taken")
    }

    /// Slots used, counting slot 0 and those lost at the ends of chunks.
    pub(super) fn used(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    #[test]
    fn runs_are_whole_distinct_and_end_with_the_capacity() {
        let arena: Arena<AtomicU32> = Arena::new(200_000);
        let chunk_len = arena.chunk_len();
        assert!((1000..100_000).contains(&chunk_len), "{chunk_len}");
        let budget = MemoryBudget::new(usize::MAX);
        let mut taken = Vec::new();
        while let Some(start) = arena.take(1000, &budget) {
            assert_ne!(start, 0);
            let chunk = |slot| slot / chunk_len;
            assert_eq!(chunk(start), chunk(start + 999), "in one chunk");
            taken.push(start);
        }
        assert!(taken.is_sorted_by(|a, b| a + 1000 <= *b));
        let least = 200_000 / chunk_len * (chunk_len / 1000);
        assert!(taken.len() >= least as usize - 1, "{} runs", taken.len());
        arena.run(taken[7], 1000)[3].store(9, Ordering::Relaxed);
        assert_eq!(arena.get(taken[7] + 3).load(Ordering::Relaxed), 9);
    }

    #[test]
    fn chunks_grow_with_the_arena() {
        let lens = [100, 1 << 18, 1 << 26].map(|slots| Arena::<AtomicU32>::new(slots).chunk_len());
        assert!(lens.is_sorted_by(|a, b| a < b), "{lens:?}");
        assert_eq!(lens[2] as usize * size_of::<AtomicU32>(), MAX_BYTES);
    }

    #[test]
    fn arenas_share_their_room() {
        let [one, other]: [Arena<AtomicU32>; 2] = [Arena::new(100_000), Arena::new(100_000)];
        let chunk = one.chunk_len() as usize * size_of::<AtomicU32>();
        let budget = MemoryBudget::new(5 * chunk + 1);
        assert!(one.take(10, &budget).is_some());
        let mut chunks = 0;
        while other.take(other.chunk_len(), &budget).is_some() {
            chunks += 1;
        }
        // One chunk belongs to the other arena.
        assert_eq!(chunks, 4);
        assert!(one.take(10, &budget).is_some() && one.take(one.chunk_len(), &budget).is_none());
        assert_eq!(budget.used(), 5 * chunk);
    }

    #[test]
    fn threads_never_share_a_slot() {
        let arena: Arena<AtomicU32> = Arena::new(200_000);
        let budget = MemoryBudget::new(usize::MAX);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for len in (1..60).cycle().take(1000) {
                        let Some(start) = arena.take(len, &budget) else {
                            return;
                        };
                        for slot in arena.run(start, len) {
                            assert_eq!(slot.fetch_add(1, Ordering::Relaxed), 0);
                        }
                    }
                });
            }
        });
    }
}
