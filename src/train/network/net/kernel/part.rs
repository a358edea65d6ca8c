//! The boards of one size among those of several.

use super::shape::{Layer, Shape};

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
    sizes: &[[usize; 3]],
    mut x: &'a [f32],
    mut y: &'a mut [f32],
) -> Vec<Part<'a>> {
    let part = |&size: &[usize; 3]| {
        let shape = Shape::new(layer, size);
        let points = size[0] * shape.area();
        Part {
            shape,
            x: x.split_off(..points * layer.inputs).unwrap_or_default(),
            y: y.split_off_mut(..points * layer.outputs)
                .unwrap_or_default(),
        }
    };
    sizes.iter().map(part).collect()
}
