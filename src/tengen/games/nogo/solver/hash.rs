//! Hashes of the solver's own keys: 128 bits, of which the table of proven positions compares 88.
//! That two positions share them is ignored (as with [`crate::game::Game::key`]).

use std::hash::Hasher;

use crate::game::Bits;

/// An odd number without pattern.
const K: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;

/// Mixes all bits into all bits.
pub(super) fn scramble(x: u128) -> u128 {
    let mut hash = (x ^ (x >> 61)).wrapping_mul(K);
    hash ^= hash >> 67;
    hash = hash.wrapping_mul(K);
    hash ^ (hash >> 59)
}

/// Mixes a set of points with a number.
pub(super) fn mix<const W: usize>(points: Bits<W>, salt: u64) -> u128 {
    let mut hash = u128::from(salt).wrapping_mul(0xd134_2543_de82_ef95_c2b2_ae3d_27d4_eb4f);
    for words in points.words().chunks(2) {
        let words = words.iter().rev();
        let words = words.fold(0, |all, &word| all << 64 | u128::from(word));
        hash = (hash ^ words).wrapping_mul(K);
        hash ^= hash >> 67;
    }
    hash = hash.wrapping_mul(K);
    hash ^ (hash >> 59)
}

/// Builds [`Mixer`]s.
pub(super) type Mixed = std::hash::BuildHasherDefault<Mixer>;

/// A fast hash of short internal keys.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Mixer(u64);

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.0 ^ (self.0 >> 32)
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(23) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_u128(&mut self, number: u128) {
        self.write_u64(number as u64);
    }
}

/// Values by key; a new one replaces the one in its place.
#[derive(Debug)]
pub(super) struct Cache<T>(Box<[(u128, Option<T>)]>);

impl<T: Copy> Cache<T> {
    /// A cache of `entries`, a power of two.
    pub(super) fn new(entries: usize) -> Self {
        Cache(vec![(0, None); entries].into_boxed_slice())
    }

    pub(super) fn get(&self, key: u128) -> Option<T> {
        let (known, value) = self.0[self.place(key)];
        value.filter(|_| known == key)
    }

    pub(super) fn put(&mut self, key: u128, value: T) {
        self.0[self.place(key)] = (key, Some(value));
    }

    fn place(&self, key: u128) -> usize {
        key as usize & (self.0.len() - 1)
    }
}
