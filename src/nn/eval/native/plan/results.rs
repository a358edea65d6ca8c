//! Locations of results during planning, and the number of remaining reads.

use super::super::graph::{Steps, ValueId};
use super::super::grid::Layout;
use super::super::kernels::{LANES, Lanes};
use super::{MapPart, MemoryLayout, Rounded, Target, VectorPart};

/// Maximum memory of an evaluator in bytes: larger networks are not for this backend.
const MAX_MEMORY: usize = 256 << 20;

/// Location of a value.
#[derive(Debug, Clone, Copy)]
enum Location {
    Map {
        buffer: usize,
        first_block: usize,
        channels: usize,
    },
    Vector(VectorPart),
}

/// Maps that were made together.
#[derive(Debug)]
struct Buffer {
    layout: Layout,
    numbers: Option<usize>,
    bytes: Option<usize>,
    /// Remaining reads.
    left: usize,
}

/// A map to be made, in the formats that its readers need.
pub(super) struct NewMap {
    pub(super) value: ValueId,
    pub(super) channels: usize,
    pub(super) layout: Layout,
    /// The quantisation steps for readers of bytes.
    pub(super) steps: Option<Steps>,
    pub(super) reads_numbers: bool,
    pub(super) readers: usize,
}

/// The locations of all values.
#[derive(Debug)]
pub(super) struct Results {
    locations: Vec<Option<Location>>,
    buffers: Vec<Buffer>,
    pub(super) layout: MemoryLayout,
    free_numbers: Vec<usize>,
    free_bytes: Vec<usize>,
    /// Points of a map, with its border.
    map_len: usize,
}

impl Results {
    /// No locations yet, for this many values on maps of this many points.
    pub(super) fn new(values: usize, map_len: usize) -> Results {
        Results {
            locations: vec![None; values],
            buffers: Vec::new(),
            layout: MemoryLayout::default(),
            free_numbers: Vec::new(),
            free_bytes: Vec::new(),
            map_len,
        }
    }

    /// Whether a value is a map that has been made.
    pub(super) fn is_map(&self, value: ValueId) -> bool {
        matches!(self.locations[value], Some(Location::Map { .. }))
    }

    /// Memory for maps that are made together.
    pub(super) fn new_maps(&mut self, maps: &[NewMap]) -> Result<Target, String> {
        let mut borders = Vec::new();
        let (mut inverse, mut zero) = (Vec::new(), Vec::new());
        let buffer = self.buffers.len();
        let layout = maps.first().map_or(Layout::Board, |map| map.layout);
        for map in maps {
            self.locations[map.value] = Some(Location::Map {
                buffer,
                first_block: borders.len(),
                channels: map.channels,
            });
            let unrounded = Steps {
                scale: f32::INFINITY,
                zero: 0,
            };
            let steps = map.steps.unwrap_or(unrounded);
            for _ in 0..map.channels.div_ceil(LANES) {
                borders.push(steps.zero_byte());
                inverse.push(Lanes([1.0 / steps.scale; LANES]));
                zero.push(Lanes([steps.zero.into(); LANES]));
            }
        }
        let reads_numbers = maps.iter().any(|map| map.reads_numbers);
        let is_rounded = maps.iter().any(|map| map.steps.is_some());
        let wanted = (borders.len(), layout);
        let numbers =
            reads_numbers.then(|| take(&mut self.layout.numbers, &mut self.free_numbers, wanted));
        let bytes = is_rounded.then(|| take(&mut self.layout.bytes, &mut self.free_bytes, borders));
        self.buffers.push(Buffer {
            layout,
            numbers,
            bytes,
            left: maps.iter().map(|map| map.readers).sum(),
        });
        self.check_memory()?;
        Ok(Target {
            numbers,
            rounded: bytes.map(|slot| Rounded {
                slot,
                inverse,
                zero,
            }),
        })
    }

    fn check_memory(&self) -> Result<(), String> {
        let lines: usize = self.layout.numbers.iter().map(|(blocks, _)| blocks).sum();
        let bytes: usize = self.layout.bytes.iter().map(Vec::len).sum();
        let vectors: usize = self.layout.vectors.iter().sum();
        let maps = self.map_len.saturating_mul(lines * 64 + bytes * 16);
        let needed = maps.saturating_add(vectors.saturating_mul(64));
        if needed > MAX_MEMORY {
            return Err(format!("it needs {} MiB a thread", needed >> 20));
        }
        Ok(())
    }

    pub(super) fn new_vector(&mut self, value: ValueId, len: usize) -> Result<usize, String> {
        let slot = self.layout.vectors.len();
        self.layout.vectors.push(len.div_ceil(LANES));
        self.locations[value] = Some(Location::Vector(VectorPart { slot, len }));
        self.check_memory()?;
        Ok(slot)
    }

    pub(super) fn vector(&self, value: ValueId) -> Result<VectorPart, String> {
        match self.locations[value] {
            Some(Location::Vector(part)) => Ok(part),
            _ => Err("a map is read as a vector".to_owned()),
        }
    }

    /// A map in f32.
    pub(super) fn numbers(&self, value: ValueId) -> Result<MapPart, String> {
        self.map(value, |buffer| buffer.numbers)
    }

    /// A map in bytes.
    pub(super) fn bytes(&self, value: ValueId) -> Result<MapPart, String> {
        self.map(value, |buffer| buffer.bytes)
    }

    fn map(&self, value: ValueId, slot: fn(&Buffer) -> Option<usize>) -> Result<MapPart, String> {
        if let Some(Location::Map {
            buffer,
            first_block,
            channels,
        }) = self.locations[value]
            && let Some(slot) = slot(&self.buffers[buffer])
        {
            return Ok(MapPart {
                slot,
                first_block,
                channels,
                layout: self.buffers[buffer].layout,
            });
        }
        Err("a map is read that is not there".to_owned())
    }

    /// Lets a value be another one, for `readers` more readers.
    pub(super) fn alias(&mut self, value: ValueId, of: ValueId, readers: usize) {
        self.locations[value] = self.locations[of];
        if let Some(Location::Map { buffer, .. }) = self.locations[of] {
            self.buffers[buffer].left += readers;
        }
    }

    /// Records a read of a map.
    pub(super) fn release(&mut self, value: ValueId) {
        if let Some(Location::Map { buffer, .. }) = self.locations[value] {
            let buffer = &mut self.buffers[buffer];
            buffer.left -= 1;
            if buffer.left == 0 {
                self.free_numbers.extend(buffer.numbers);
                self.free_bytes.extend(buffer.bytes);
            }
        }
    }
}

/// A slot of this kind: a free one or, if there is none, a new one. Lanes behind the last channel of what is written
/// there are 0, since some readers sum them, or multiply them by 0.
fn take<T: PartialEq>(slots: &mut Vec<T>, free: &mut Vec<usize>, wanted: T) -> usize {
    if let Some(at) = free.iter().position(|&slot| slots[slot] == wanted) {
        return free.swap_remove(at);
    }
    slots.push(wanted);
    slots.len() - 1
}
