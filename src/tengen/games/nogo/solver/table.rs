//! The transposition table: proven positions, shared by all threads without a lock.
//!
//! A position's key leaves its number out: a larger number never hurts. So an entry has the least
//! number with which the side to move is known to win, and the largest with which it is known to
//! lose. It is two words, 88 bits of the key and 40 of data:
//!
//! ```text
//! word 0: key's upper half, xor word 1
//! word 1: 24 more bits of the key | cost 8 | loses up to 16 | wins from 16
//! ```
//!
//! XOR as by Hyatt: an entry whose halves were written by different threads matches no position.
//!
//! The table doubles when it is three quarters full, until it has the memory it may use: a short
//! solve touches little, and pages come in order. One thread moves the entries; what others store
//! meanwhile may be lost.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};

/// Entries that share a cache line, among which one is replaced.
const BUCKET: usize = 4;
/// Buckets of a new table: 1 MiB.
const FIRST: usize = 1 << 14;

/// Bits of word 1 that belong to the key.
const KEY_MASK: u64 = !0 << 40;
/// Numbers, in 1/64, are cut off here: larger ones occur on no board.
const LARGEST: i32 = i16::MAX as i32 - 1;

/// One bucket, a cache line.
#[derive(Debug, Default)]
#[repr(align(64))]
struct Bucket([[AtomicU64; 2]; BUCKET]);

/// Proven positions. Memory is allocated as needed.
#[derive(Debug)]
pub(super) struct ProofTable {
    /// The first buckets, then as many again, then twice as many, and so on.
    pieces: Box<[OnceLock<Box<[Bucket]>>]>,
    /// Buckets in use, a power of two.
    buckets: AtomicUsize,
    /// Places taken.
    taken: AtomicU64,
    growing: AtomicBool,
}

/// What is known about a position, by its number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    /// The side to move wins with this number or a larger one.
    wins_from: i16,
    /// It loses with this number or a smaller one.
    loses_to: i16,
    /// Logarithm of the nodes that it took, at least 1.
    cost: u8,
}

impl Entry {
    const UNKNOWN: Entry = Entry {
        wins_from: i16::MAX,
        loses_to: i16::MIN,
        cost: 0,
    };

    fn from_bits(bits: u64) -> Entry {
        Entry {
            wins_from: bits as u16 as i16,
            loses_to: (bits >> 16) as u16 as i16,
            cost: (bits >> 32) as u8,
        }
    }

    fn to_bits(self) -> u64 {
        let [wins, loses] = [self.wins_from, self.loses_to].map(|number| u64::from(number as u16));
        u64::from(self.cost) << 32 | loses << 16 | wins
    }
}

/// The words of an entry: without a cost it is empty.
fn load(entry: &[AtomicU64; 2]) -> [u64; 2] {
    [0, 1].map(|word: usize| entry[word].load(Ordering::Relaxed))
}

fn store(entry: &[AtomicU64; 2], words: [u64; 2]) {
    for (place, word) in entry.iter().zip(words) {
        place.store(word, Ordering::Relaxed);
    }
}

impl ProofTable {
    /// A table of at most about `bytes`: a power of two of at least 1 MiB.
    pub(super) fn new(bytes: usize) -> ProofTable {
        let doublings = (bytes / size_of::<Bucket>() / FIRST).max(1).ilog2();
        ProofTable {
            pieces: (0..=doublings).map(|_| OnceLock::new()).collect(),
            buckets: AtomicUsize::new(FIRST),
            taken: AtomicU64::new(0),
            growing: AtomicBool::new(false),
        }
    }

    /// Clears the table; entries of concurrent searches may survive.
    pub(super) fn clear(&self) {
        self.buckets.store(FIRST, Ordering::Relaxed);
        self.taken.store(0, Ordering::Relaxed);
        let pieces = self.pieces.iter().filter_map(OnceLock::get);
        for entry in pieces
            .flat_map(|piece| piece.iter())
            .flat_map(|bucket| &bucket.0)
        {
            store(entry, [0; 2]);
        }
    }

    /// The bucket of this index, allocated if it is not.
    fn bucket(&self, index: usize) -> &Bucket {
        let piece = (index / FIRST * 2).max(1).ilog2();
        let (start, count) = match piece {
            0 => (0, FIRST),
            _ => (FIRST << (piece - 1), FIRST << (piece - 1)),
        };
        let make = || (0..count).map(|_| Bucket::default()).collect();
        &self.pieces[piece as usize].get_or_init(make)[index - start]
    }

    fn bucket_of(&self, high: u64) -> &Bucket {
        self.bucket(high as usize & (self.buckets.load(Ordering::Relaxed) - 1))
    }

    /// Whether the side to move wins the position of this key with this number, if known.
    pub(super) fn get(&self, key: u128, number: i32) -> Option<bool> {
        let (high, low) = ((key >> 64) as u64, key as u64 & KEY_MASK);
        let number = number.clamp(-LARGEST, LARGEST) as i16;
        for entry in &self.bucket_of(high).0 {
            let [first, second] = load(entry);
            if first ^ second == high && second & KEY_MASK == low {
                let entry = Entry::from_bits(second);
                let wins = number >= entry.wins_from;
                return (entry.cost > 0 && (wins || number <= entry.loses_to)).then_some(wins);
            }
        }
        None
    }

    /// Stores a result that took `nodes` nodes, replacing the cheapest entry in the same bucket.
    pub(super) fn put(&self, key: u128, number: i32, wins: bool, nodes: u64) {
        let (high, low) = ((key >> 64) as u64, key as u64 & KEY_MASK);
        let number = number.clamp(-LARGEST, LARGEST) as i16;
        let bucket = &self.bucket_of(high).0;
        let is_same =
            |&[first, second]: &[u64; 2]| first ^ second == high && second & KEY_MASK == low;
        let entries = [0, 1, 2, 3].map(|i: usize| load(&bucket[i]));
        let cost = |i: &usize| Entry::from_bits(entries[*i][1]).cost;
        let same = entries
            .iter()
            .position(|words| is_same(words) && words[1] & !KEY_MASK != 0);
        let place = same.or_else(|| (0..BUCKET).min_by_key(cost)).unwrap_or(0);
        let mut entry = match same {
            Some(place) => Entry::from_bits(entries[place][1]),
            None => Entry::UNKNOWN,
        };
        match wins {
            true => entry.wins_from = entry.wins_from.min(number),
            false => entry.loses_to = entry.loses_to.max(number),
        }
        entry.cost = entry.cost.max(nodes.max(1).ilog2() as u8 + 1);
        let second = low | entry.to_bits();
        let is_new = same.is_none() && cost(&place) == 0;
        store(&bucket[place], [high ^ second, second]);
        if is_new {
            self.grow_if_full();
        }
    }

    /// Counts a place, and doubles the table if there are few left.
    fn grow_if_full(&self) {
        let taken = self.taken.fetch_add(1, Ordering::Relaxed) + 1;
        let buckets = self.buckets.load(Ordering::Relaxed);
        let largest = FIRST << (self.pieces.len() - 1);
        let is_full = taken as usize > buckets * BUCKET / 4 * 3;
        if !is_full || buckets == largest || self.growing.swap(true, Ordering::Acquire) {
            return;
        }
        for index in 0..buckets {
            let (from, to) = (self.bucket(index), self.bucket(index + buckets));
            for (old, new) in from.0.iter().zip(&to.0) {
                let words = load(old);
                if (words[0] ^ words[1]) as usize & buckets != 0 {
                    store(new, words);
                    store(old, [0; 2]);
                }
            }
        }
        self.buckets.store(2 * buckets, Ordering::Relaxed);
        self.growing.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(count: u128) -> impl Iterator<Item = u128> {
        (1..=count).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835))
    }

    #[test]
    fn what_was_put_is_got_and_nothing_else() {
        let table = ProofTable::new(0);
        for (i, key) in (0..).zip(keys(1000)) {
            table.put(key, i - 500, i % 3 == 0, 5);
        }
        for (i, key) in (0..).zip(keys(1000)) {
            let wins = i % 3 == 0;
            let (better, worse) = (table.get(key, i - 499), table.get(key, i - 501));
            assert_eq!(table.get(key, i - 500), Some(wins));
            assert_eq!(
                (better, worse),
                if wins {
                    (Some(true), None)
                } else {
                    (None, Some(false))
                }
            );
            for bit in [40, 63, 64, 127] {
                assert_eq!(table.get(key ^ 1 << bit, i - 500), None);
            }
        }
    }

    #[test]
    fn results_with_different_numbers_join() {
        let table = ProofTable::new(0);
        for (number, wins) in [
            (64, true),
            (-64, false),
            (96, true),
            (-96, false),
            (32, true),
        ] {
            table.put(77 << 64, number, wins, 1);
        }
        let known = [-100, -64, -63, 31, 32, 1 << 20].map(|number| table.get(77 << 64, number));
        assert_eq!(
            known,
            [Some(false), Some(false), None, None, Some(true), Some(true)]
        );
    }

    #[test]
    fn the_cheapest_entry_gives_way() {
        let table = ProofTable::new(0);
        let key = |i: u128| (i << 20 | 7) << 64;
        for i in 0..8 {
            table.put(key(i), 0, false, 1 << (i % 8 + 1));
        }
        let kept: Vec<bool> = (0..8).map(|i| table.get(key(i), 0).is_some()).collect();
        assert_eq!(kept, [false, false, false, false, true, true, true, true]);
    }

    #[test]
    fn it_grows_and_forgets_nothing() {
        let table = ProofTable::new(8 << 20);
        let count = FIRST as u128 * 8;
        for key in keys(count) {
            table.put(key, 0, true, 9);
        }
        assert_eq!(table.buckets.load(Ordering::Relaxed), 4 * FIRST);
        let kept = keys(count)
            .filter(|&key| table.get(key, 0) == Some(true))
            .count();
        assert!(kept as u128 > count * 99 / 100, "{kept} of {count}");
        table.clear();
        assert!(keys(count).all(|key| table.get(key, 0).is_none()));
    }
}
