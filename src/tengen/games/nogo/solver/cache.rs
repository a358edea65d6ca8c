//! A cache of fixed size.

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
