//! Memory that many threads take from and that never moves: fixed addresses, allocated in chunks
//! as they are first needed, freed all at once.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Slots in a chunk: at 16 to 64 bytes a slot, one to four megabytes.
const CHUNK_BITS: u32 = 16;
pub(super) const CHUNK: u32 = 1 << CHUNK_BITS;

/// Slots of `T`, handed out in runs and addressed by number. Slot 0 is never handed out, so that 0
/// can mean "none".
#[derive(Debug)]
pub(super) struct Arena<T> {
    chunks: Box<[OnceLock<Box<[T]>>]>,
    next: AtomicU32,
}

impl<T: Default> Arena<T> {
    /// An arena of at least `capacity` slots; their memory is not taken yet.
    pub(super) fn new(capacity: usize) -> Arena<T> {
        let chunks = (capacity + 1)
            .div_ceil(CHUNK as usize)
            .min(u32::MAX as usize >> CHUNK_BITS);
        let chunks = (0..chunks).map(|_| OnceLock::new()).collect();
        Arena {
            chunks,
            next: AtomicU32::new(1),
        }
    }

    /// Takes `len` slots that lie side by side; `None` when the arena is full.
    pub(super) fn take(&self, len: u32) -> Option<u32> {
        debug_assert!(len <= CHUNK);
        if len == 0 {
            return Some(0);
        }
        let mut next = self.next.load(Ordering::Relaxed);
        loop {
            let left_in_chunk = CHUNK - next % CHUNK;
            let start = if len <= left_in_chunk {
                next
            } else {
                next + left_in_chunk
            };
            let chunk = self
                .chunks
                .get(((start + len - 1) >> CHUNK_BITS) as usize)?;
            // Only the numbers matter here; whoever publishes a slot's content orders it.
            let swap = self.next.compare_exchange_weak(
                next,
                start + len,
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
            match swap {
                Ok(_) => {
                    chunk.get_or_init(|| (0..CHUNK).map(|_| T::default()).collect());
                    return Some(start);
                }
                Err(now) => next = now,
            }
        }
    }

    /// The slot of this number, which was taken before.
    pub(super) fn get(&self, slot: u32) -> &T {
        &self.chunk(slot)[(slot % CHUNK) as usize]
    }

    /// A run of slots as it was taken.
    pub(super) fn run(&self, start: u32, len: u32) -> &[T] {
        if len == 0 {
            return &[];
        }
        &self.chunk(start)[(start % CHUNK) as usize..][..len as usize]
    }

    fn chunk(&self, slot: u32) -> &[T] {
        self.chunks[(slot >> CHUNK_BITS) as usize]
            .get()
            .expect("the slot was taken")
    }

    /// The part of its slots that is used up, in 0 to 1.
    pub(super) fn fullness(&self) -> f64 {
        self.used() as f64 / (self.chunks.len() * CHUNK as usize).max(1) as f64
    }

    /// Slots used up, counting those lost at the ends of chunks.
    pub(super) fn used(&self) -> usize {
        self.next.load(Ordering::Relaxed) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_whole_distinct_and_end_with_the_capacity() {
        let arena: Arena<AtomicU32> = Arena::new(3 * CHUNK as usize);
        let mut taken = Vec::new();
        while let Some(start) = arena.take(1000) {
            assert_ne!(start, 0);
            assert_eq!(
                start >> CHUNK_BITS,
                (start + 999) >> CHUNK_BITS,
                "in one chunk"
            );
            taken.push(start);
        }
        assert!(taken.is_sorted_by(|a, b| a + 1000 <= *b));
        assert!(taken.len() >= 3 * 65, "{} runs", taken.len());
        arena.run(taken[7], 1000)[3].store(9, Ordering::Relaxed);
        assert_eq!(arena.get(taken[7] + 3).load(Ordering::Relaxed), 9);
    }

    #[test]
    fn threads_never_share_a_slot() {
        let arena: Arena<AtomicU32> = Arena::new(200_000);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for len in (1..60).cycle().take(1000) {
                        let Some(start) = arena.take(len) else { return };
                        for slot in arena.run(start, len) {
                            assert_eq!(slot.fetch_add(1, Ordering::Relaxed), 0);
                        }
                    }
                });
            }
        });
    }
}
