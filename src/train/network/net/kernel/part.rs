//! The boards of one size among those of several.

use super::shape::{Layer, Shape};
use crate::network::net::maps::points;

/// What a convolution reads and writes of them.
pub(super) struct Part<'a> {
    pub(super) shape: Shape,
    /// `[points, inputs]`.
    pub(super) x: &'a [f32],
    /// `[points, outputs]`.
    pub(super) y: &'a mut [f32],
}

/// The parts of each size.
pub(super) fn parts<'a>(
    layer: Layer,
    sizes: &'a [[usize; 3]],
    x: &'a [f32],
    mut y: &'a mut [f32],
) -> Vec<Part<'a>> {
    let part = |(&size, x): (&[usize; 3], &'a [f32])| Part {
        shape: Shape::new(layer, size),
        x,
        y: y.split_off_mut(..points(size) * layer.outputs)
            .unwrap_or_default(),
    };
    let inputs = by_size(sizes, layer.inputs, x);
    sizes.iter().zip(inputs).map(part).collect()
}

/// The numbers of each size, `[points, channels]`.
pub(super) fn by_size<'a>(
    sizes: &'a [[usize; 3]],
    channels: usize,
    mut numbers: &'a [f32],
) -> impl Iterator<Item = &'a [f32]> {
    sizes.iter().map(move |&size| {
        numbers
            .split_off(..points(size) * channels)
            .unwrap_or_default()
    })
}
