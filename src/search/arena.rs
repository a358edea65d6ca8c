//! Memory that many threads take from and that never moves: fixed addresses, allocated in chunks
//! as they are first needed, freed all at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};

/// Bytes of a chunk, at most.
const CHUNK_BYTES: usize = if cfg!(any(loom, miri)) {
    1 << 10
} else {
    1 << 18
};

/// Bytes that several arenas may still take, together: what one of them does not need is there for
/// the others.
#[derive(Debug)]
pub(super) struct MemoryBudget {
    left: AtomicUsize,
    all: usize,
}

impl MemoryBudget {
    /// A budget of so many bytes.
    pub(super) fn new(bytes: usize) -> MemoryBudget {
        MemoryBudget {
            left: AtomicUsize::new(bytes),
            all: bytes,
        }
    }

    /// Bytes taken.
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

/// Slots of `T`, handed out in runs and addressed by number. Slot 0 is never handed out, so that 0
/// can mean "none".
#[derive(Debug)]
pub(super) struct Arena<T> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    next: AtomicU32,
}

impl<T: Default> Arena<T> {
    const CHUNK_BITS: u32 = {
        let bits = (CHUNK_BYTES / size_of::<T>()).ilog2();
        // Room for a run of a few moves, where loom's atomics are large and chunks small.
        if bits < 3 { 3 } else { bits }
    };
    /// Slots in a chunk; no run is longer.
    pub(super) const CHUNK: u32 = 1 << Self::CHUNK_BITS;

    /// An arena of at least `capacity` slots; their memory is not taken yet.
    pub(super) fn new(capacity: usize) -> Arena<T> {
        let chunks = (capacity + 1)
            .div_ceil(Self::CHUNK as usize)
            .min(u32::MAX as usize >> Self::CHUNK_BITS);
        let chunks = (0..chunks).map(|_| OnceLock::new()).collect();
        Arena {
            chunks,
            next: AtomicU32::new(1),
        }
    }

    /// Takes `len` slots that lie side by side; `None` when the arena is full or there is no memory
    /// for another chunk.
    pub(super) fn take(&self, len: u32, budget: &MemoryBudget) -> Option<u32> {
        debug_assert!(len <= Self::CHUNK);
        if len == 0 {
            return Some(0);
        }
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let left_in_chunk = Self::CHUNK - next % Self::CHUNK;
            let start = if len <= left_in_chunk {
                next
            } else {
                next + left_in_chunk
            };
            if !self.grow(start >> Self::CHUNK_BITS, budget) {
                return None;
            }
            // Only the numbers matter here; whoever publishes a slot's content orders it.
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

    /// Has memory for a chunk; false when there is none.
    fn grow(&self, chunk: u32, budget: &MemoryBudget) -> bool {
        let Some(place) = self.chunks.get(chunk as usize) else {
            return false;
        };
        if place.get().is_some() {
            return true;
        }
        let bytes = Self::CHUNK as usize * size_of::<T>();
        if !budget.take(bytes) {
            return false;
        }
        let mut first = false;
        place.get_or_init(|| {
            first = true;
            (0..Self::CHUNK).map(|_| T::default()).collect()
        });
        if !first {
            budget.give_back(bytes);
        }
        true
    }

    /// The slot of this number, which was taken before.
    pub(super) fn get(&self, slot: u32) -> &T {
        &self.chunk(slot)[(slot % Self::CHUNK) as usize]
    }

    /// A run of slots as it was taken.
    pub(super) fn run(&self, start: u32, len: u32) -> &[T] {
        if len == 0 {
            return &[];
        }
        &self.chunk(start)[(start % Self::CHUNK) as usize..][..len as usize]
    }

    fn chunk(&self, slot: u32) -> &[T] {
        self.chunks[(slot >> Self::CHUNK_BITS) as usize]
            .get()
            .expect("the slot was taken")
    }

    /// Slots used up, counting slot 0 and those lost at the ends of chunks.
    pub(super) fn used(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;

    const CHUNK: usize = Arena::<AtomicU32>::CHUNK as usize;

    #[test]
    fn runs_are_whole_distinct_and_end_with_the_capacity() {
        let arena: Arena<AtomicU32> = Arena::new(3 * CHUNK);
        let budget = MemoryBudget::new(100 * CHUNK);
        let mut taken = Vec::new();
        while let Some(start) = arena.take(1000, &budget) {
            assert_ne!(start, 0);
            let chunk = |slot| slot / CHUNK as u32;
            assert_eq!(chunk(start), chunk(start + 999), "in one chunk");
            taken.push(start);
        }
        assert!(taken.is_sorted_by(|a, b| a + 1000 <= *b));
        assert!(taken.len() >= 3 * 65, "{} runs", taken.len());
        arena.run(taken[7], 1000)[3].store(9, Ordering::Relaxed);
        assert_eq!(arena.get(taken[7] + 3).load(Ordering::Relaxed), 9);
    }

    #[test]
    fn arenas_share_their_room() {
        let budget = MemoryBudget::new(5 * CHUNK * size_of::<AtomicU32>() + 1);
        let [one, other]: [Arena<AtomicU32>; 2] = [Arena::new(9 * CHUNK), Arena::new(9 * CHUNK)];
        assert!(one.take(10, &budget).is_some());
        let mut chunks = 0;
        while other.take(CHUNK as u32, &budget).is_some() {
            chunks += 1;
        }
        // One chunk is the other arena's.
        assert_eq!(chunks, 4);
        assert!(one.take(10, &budget).is_some() && one.take(CHUNK as u32, &budget).is_none());
        assert_eq!(budget.used(), 5 * CHUNK * size_of::<AtomicU32>());
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
