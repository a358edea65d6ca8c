//! FNV-1a hash of 64 bits (Fowler, Noll and Vo; draft-eastlake-fnv). It is the same in every build,
//! so it may appear in file names, reports and the search signature. Every step is a bijection, so
//! any change of a single byte changes the hash.

/// Hash of the empty input (offset basis).
const OFFSET: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV prime.
const PRIME: u64 = 0x0000_0100_0000_01b3;

/// Hash of a byte string.
pub fn hash(bytes: &[u8]) -> u64 {
    let words = bytes.iter().map(|&byte| byte.into());
    words.fold(OFFSET, next)
}

/// The same hash over 64-bit words instead of bytes, computed incrementally.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WordHash(u64);

impl Default for WordHash {
    fn default() -> WordHash {
        WordHash(OFFSET)
    }
}

impl WordHash {
    /// Adds 64 bits in one step of the hash.
    pub fn add(&mut self, word: u64) {
        self.0 = next(self.0, word);
    }

    /// Hash of all words so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

fn next(hash: u64, word: u64) -> u64 {
    (hash ^ word).wrapping_mul(PRIME)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_authors_vectors_come_out() {
        assert_eq!(hash(b""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash(b"foobar"), 0x8594_4171_f739_67e8);
    }

    #[test]
    fn small_words_count_as_bytes_and_large_ones_whole() {
        let of = |words: &[u64]| {
            let mut hash = WordHash::default();
            words.iter().for_each(|&word| hash.add(word));
            hash.value()
        };
        assert_eq!(of(&b"foobar".map(u64::from)), hash(b"foobar"));
        assert_ne!(of(&[1 << 40]), of(&[0]));
    }
}
