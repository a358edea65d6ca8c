//! Memory of results: a slot is reused once its value has been read for the last time.

use crate::eval::native::grid::Layout;
use crate::eval::native::kernels::LANES;

/// Memory that an evaluator needs.
#[derive(Debug, Default)]
pub(in super::super) struct MemoryLayout {
    /// Number of blocks of each slot of f32 maps, and how their points lie.
    pub(in super::super) numbers: Vec<(usize, Layout)>,
    /// For each slot of byte maps, the border value of each block.
    pub(in super::super) bytes: Vec<Vec<u8>>,
    /// Lines of each vector.
    pub(in super::super) vectors: Vec<usize>,
    free_numbers: Vec<usize>,
    free_bytes: Vec<usize>,
}

impl MemoryLayout {
    /// A slot for `blocks` blocks in f32.
    pub(super) fn take_numbers(&mut self, blocks: usize, layout: Layout) -> usize {
        let fits = |&slot: &usize| self.numbers[slot] == (blocks, layout);
        if let Some(at) = self.free_numbers.iter().position(fits) {
            return self.free_numbers.swap_remove(at);
        }
        self.numbers.push((blocks, layout));
        self.numbers.len() - 1
    }

    /// A slot for blocks in bytes with these borders.
    pub(super) fn take_bytes(&mut self, borders: Vec<u8>) -> usize {
        let fits = |&slot: &usize| self.bytes[slot] == borders;
        if let Some(at) = self.free_bytes.iter().position(fits) {
            return self.free_bytes.swap_remove(at);
        }
        self.bytes.push(borders);
        self.bytes.len() - 1
    }

    /// A vector of `len` numbers.
    pub(super) fn take_vector(&mut self, len: usize) -> usize {
        self.vectors.push(len.div_ceil(LANES));
        self.vectors.len() - 1
    }

    pub(super) fn free_numbers(&mut self, slot: usize) {
        self.free_numbers.push(slot);
    }

    pub(super) fn free_bytes(&mut self, slot: usize) {
        self.free_bytes.push(slot);
    }
}
