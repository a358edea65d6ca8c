//! The transposition table: proven positions, shared by all threads without a lock.
//!
//! An entry is two words, the position's whole 128-bit key and 16 bits of data:
//!
//! ```text
//! word 0: key's upper half, xor word 1
//! word 1: key's lower half without its lowest 16 bits | move 8 | cost 7 | wins 1
//! ```
//!
//! The bits that word 1 leaves out choose the bucket, so nothing of the key is lost, and two
//! positions are never confused. XOR as by Hyatt: an entry whose halves were written by different
//! threads matches no position.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::game::Move;

/// Entries that share a cache line, among which one is replaced.
const BUCKET: usize = 4;
/// Lowest bits of a key that are given by its bucket's index.
const INDEX_BITS: u32 = 16;
const INDEX_MASK: u64 = (1 << INDEX_BITS) - 1;
/// Marks a missing move.
const NO_MOVE: u8 = u8::MAX;

/// One bucket, a cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; BUCKET]);

/// Buckets allocated at once: 16 KiB, so that a short solve does not clear a hundred megabytes
/// first.
const CHUNK: usize = 256;

/// Proven positions. Memory is allocated as needed.
#[derive(Debug)]
pub(super) struct ProofTable {
    /// A power of two of them.
    chunks: Box<[OnceLock<Box<[Bucket]>>]>,
}

/// Entry of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    /// Whether the side to move wins.
    pub(super) wins: bool,
    /// A winning move, if one was searched.
    pub(super) best: Option<Move>,
}

impl ProofTable {
    /// A table of about `bytes`: a power of two of at least 4 MiB.
    #[must_use]
    pub(super) fn new(bytes: usize) -> ProofTable {
        // At least as many buckets as the index needs to contain the bits that entries leave out.
        let buckets = (bytes / size_of::<Bucket>()).max(1 << INDEX_BITS);
        let chunks = 1 << (buckets / CHUNK).ilog2();
        ProofTable {
            chunks: (0..chunks).map(|_| OnceLock::new()).collect(),
        }
    }

    /// Clears the table; entries of concurrent searches may survive.
    pub(super) fn clear(&self) {
        let chunks = self.chunks.iter().filter_map(OnceLock::get);
        let buckets = chunks.flat_map(|chunk| chunk.iter());
        for word in buckets.flat_map(|bucket| &bucket.0).flatten() {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// The chunk of a key, and the index of its bucket there.
    fn place(&self, key: u128) -> (&OnceLock<Box<[Bucket]>>, usize) {
        let bucket = key as usize & (self.chunks.len() * CHUNK - 1);
        (&self.chunks[bucket / CHUNK], bucket % CHUNK)
    }

    /// The entry of the position with this key.
    pub(super) fn get(&self, key: u128) -> Option<Known> {
        let (high, low) = ((key >> 64) as u64, key as u64 & !INDEX_MASK);
        let (chunk, bucket) = self.place(key);
        for entry in &chunk.get()?[bucket].0 {
            let [first, second] = [0, 1].map(|word: usize| entry[word].load(Ordering::Relaxed));
            if first ^ second == high && second & !INDEX_MASK == low && second & INDEX_MASK != 0 {
                let mv = (second >> 8) as u8;
                return Some(Known {
                    wins: second & 1 != 0,
                    best: (mv != NO_MOVE).then_some(Move(u16::from(mv))),
                });
            }
        }
        None
    }

    /// Stores a result that took `nodes` nodes, replacing the cheapest one in the same bucket.
    pub(super) fn put(&self, key: u128, wins: bool, best: Option<Move>, nodes: u64) {
        let (high, low) = ((key >> 64) as u64, key as u64 & !INDEX_MASK);
        let cost = u64::from(nodes.max(1).ilog2() + 1);
        let mv = best.map_or(NO_MOVE, |mv| mv.0 as u8);
        let second = low | u64::from(mv) << 8 | cost << 1 | u64::from(wins);
        let (chunk, bucket) = self.place(key);
        let make = || (0..CHUNK).map(|_| Bucket::default()).collect();
        let entries = &chunk.get_or_init(make)[bucket].0;
        let known_cost = |entry: &[AtomicU64; 2]| entry[1].load(Ordering::Relaxed) >> 1 & 0x7f;
        let same = entries.iter().find(|entry| {
            let [first, second] = [0, 1].map(|word: usize| entry[word].load(Ordering::Relaxed));
            first ^ second == high && second & !INDEX_MASK == low
        });
        let Some(entry) = same.or_else(|| entries.iter().min_by_key(|e| known_cost(e))) else {
            return;
        };
        entry[0].store(high ^ second, Ordering::Relaxed);
        entry[1].store(second, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_put_is_got_and_nothing_else() {
        let table = ProofTable::new(0);
        let keys =
            (0..1000_u128).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
        for key in keys.clone() {
            let best = key.is_multiple_of(3).then_some(Move(80));
            table.put(key, best.is_some(), best, 5);
        }
        for key in keys {
            let wins = key.is_multiple_of(3);
            let best = wins.then_some(Move(80));
            assert_eq!(table.get(key), Some(Known { wins, best }));
            for bit in [16, 63, 64, 127] {
                assert_eq!(table.get(key ^ 1 << bit), None);
            }
        }
    }

    #[test]
    fn the_cheapest_entry_gives_way() {
        let table = ProofTable::new(0);
        let key = |i: u128| i << 100 | 7;
        for i in 0..8 {
            table.put(key(i), false, None, 1 << (i % 8 + 1));
        }
        let kept: Vec<bool> = (0..8).map(|i| table.get(key(i)).is_some()).collect();
        assert_eq!(kept, [false, false, false, false, true, true, true, true]);
        table.put(key(6), true, None, 1);
        assert_eq!(table.get(key(6)).map(|known| known.wins), Some(true));
        assert!(table.get(key(7)).is_some());
    }
}
