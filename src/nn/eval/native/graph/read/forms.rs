//! Maps, tokens and heads as each other: other shapes and orders of axes of the same numbers.

use super::super::{Op, Shape};
use super::arguments::Arguments;
use super::parts::{BATCH, HEADS, Part, Split};
use super::{GraphReader, Known, Operand};
use crate::onnx::ModelNode;

impl<'a> GraphReader<'a> {
    /// Other shapes of maps and tokens.
    pub(super) fn reshape_points(&mut self, x: Operand, dims: &[i64]) -> Result<Known<'a>, String> {
        let area = self.area as i64;
        let fits = |found: i64, wanted: usize| found == wanted as i64;
        match (x.shape, dims) {
            (Shape::Map(channels), &[0 | -1, found, points])
                if (found == 0 || fits(found, channels))
                    && (points == -1 && dims[0] == 0 || points == area) =>
            {
                Ok(Known::Part(Part::Planes(x)))
            }
            (Shape::Tokens(channels), &[0 | -1, points, heads, dim])
                if (points == 0 || points == area)
                    && heads > 0
                    && dim > 0
                    && fits(heads * dim, channels) =>
            {
                Ok(Known::Part(Part::Split(Split::new(
                    x,
                    [heads as usize, dim as usize],
                ))))
            }
            _ => Err(format!("it makes a shape {dims:?} of a {}", x.shape)),
        }
    }

    /// Other shapes of parts: planes as a map, mixed values as tokens.
    pub(super) fn reshape_part(
        &mut self,
        part: Part<'a>,
        dims: &[i64],
    ) -> Result<Known<'a>, String> {
        let area = self.area as i64;
        match (part, dims) {
            // Of tokens, whose axes were exchanged.
            (Part::Planes(x), &[0 | -1, found, height, width])
                if matches!(x.shape, Shape::Tokens(channels) if found == channels as i64 || found == 0)
                    && [height, width] == self.sides.map(|side| side as i64) =>
            {
                let Shape::Tokens(channels) = x.shape else {
                    unreachable!("its shape was looked at");
                };
                Ok(self.push(Op::Move, vec![x.value], Shape::Map(channels), x.element))
            }
            (Part::Split(split), &[-1, points, channels])
                if split.axes[..2] == [BATCH, HEADS]
                    && split.dims(self.area)[2..] == [points, channels] =>
            {
                Ok(Known::Part(Part::Joined(split)))
            }
            (Part::Joined(split), dims) if split.dims(self.area) == dims => {
                Ok(Known::Part(Part::Split(split)))
            }
            (Part::Mixed(mixed), &[0 | -1, points, channels])
                if (points == 0 || points == area)
                    && (channels == -1 && dims[0] == 0 || channels == mixed.channels() as i64) =>
            {
                self.attend(&mixed)
            }
            (part, _) => Err(format!("it makes a shape {dims:?} of {part}")),
        }
    }

    /// Exchanged axes: of a map's planes, which become tokens, of tokens, or of heads.
    pub(super) fn transpose(
        &mut self,
        node: &'a ModelNode,
        arguments: &mut Arguments<'a>,
    ) -> Result<Known<'a>, String> {
        let axes = arguments
            .ints("perm")?
            .ok_or("it lacks the attribute perm")?;
        let known = match (self.part(node, 0), axes) {
            (Some(&Part::Planes(x)), [0, 2, 1]) => match x.shape {
                Shape::Map(channels) => {
                    return Ok(self.push(
                        Op::Move,
                        vec![x.value],
                        Shape::Tokens(channels),
                        x.element,
                    ));
                }
                _ => return Ok(Known::Value(x)),
            },
            (Some(Part::Split(split)), axes) => split.transposed(axes).map(Part::Split),
            (Some(Part::Joined(split)), [0, 2, 1]) => {
                split.transposed(&[0, 1, 3, 2]).map(Part::Joined)
            }
            (Some(Part::Mixed(mixed)), axes) => mixed.transposed(axes).map(Part::Mixed),
            (None, [0, 2, 1]) => match self.operand(node, 0)? {
                x @ Operand {
                    shape: Shape::Tokens(_),
                    ..
                } => Some(Part::Planes(x)),
                _ => None,
            },
            _ => None,
        };
        let known = known.map(Known::Part);
        known.ok_or_else(|| format!("its attribute perm is {axes:?}"))
    }

    /// Tokens of one channel as a vector.
    pub(super) fn squeeze(&mut self, node: &'a ModelNode) -> Result<Known<'a>, String> {
        let x = self.operand(node, 0)?;
        match (x.shape, &self.integers(node, 1)?[..]) {
            (Shape::Tokens(1), [-1 | 2]) => {
                let map = self.as_map(x);
                let vector = Shape::Vector(self.area);
                Ok(self.push(Op::Flatten, vec![map.value], vector, x.element))
            }
            (shape, axes) => Err(format!("it removes the axes {axes:?} of a {shape}")),
        }
    }

    /// Tokens as a map.
    pub(super) fn as_map(&mut self, x: Operand) -> Operand {
        let shape = match x.shape {
            Shape::Tokens(channels) => Shape::Map(channels),
            other => other,
        };
        match self.push(Op::Move, vec![x.value], shape, x.element) {
            Known::Value(map) => map,
            _ => x,
        }
    }
}
