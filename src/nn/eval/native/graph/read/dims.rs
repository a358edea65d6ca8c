//! Shapes that a file computes from shapes, where the number of positions is open: -1 stands for it.

use super::super::Shape;
use super::arguments::{Arguments, input, only};
use super::parts::Part;
use super::{GraphReader, Known};
use crate::onnx::ModelNode;

impl<'a> GraphReader<'a> {
    /// The shape of a value or of heads.
    pub(super) fn shape(
        &self,
        node: &'a ModelNode,
        arguments: &mut Arguments<'a>,
    ) -> Result<Known<'a>, String> {
        only("start", arguments.int("start", 0)?, 0)?;
        if let Some(Part::Split(split)) = self.part(node, 0) {
            return Ok(Known::Dims(split.dims(self.area).to_vec()));
        }
        let [height, width] = self.sides.map(|side| side as i64);
        Ok(Known::Dims(match self.operand(node, 0)?.shape {
            Shape::Map(channels) => vec![-1, channels as i64, height, width],
            Shape::Pooled(channels) => vec![-1, channels as i64, 1, 1],
            Shape::Tokens(channels) => vec![-1, self.area as i64, channels as i64],
            Shape::Vector(len) => vec![-1, len as i64],
        }))
    }

    /// A part of a shape.
    pub(super) fn slice(&self, node: &'a ModelNode) -> Result<Known<'a>, String> {
        let Some(Known::Dims(dims)) = input(node, 0).and_then(|name| self.known.get(name)) else {
            return Err("the native backend knows this operator for shapes alone".to_owned());
        };
        let one = |index| match self.integers(node, index)?[..] {
            [number] => Ok(number),
            _ => Err("it has several starts or ends".to_owned()),
        };
        if input(node, 3).is_some() {
            only("axis", one(3)?, 0)?;
        }
        if input(node, 4).is_some() {
            only("step", one(4)?, 1)?;
        }
        let len = dims.len() as i64;
        let place =
            |at: i64| if at < 0 { at.saturating_add(len) } else { at }.clamp(0, len) as usize;
        let (start, end) = (place(one(1)?), place(one(2)?));
        Ok(Known::Dims(dims[start..end.max(start)].to_vec()))
    }

    /// Whether all inputs are integers, and one of them a shape.
    pub(super) fn are_dims(&self, node: &ModelNode) -> bool {
        let known = |name: &String| matches!(self.known.get(&**name), Some(Known::Dims(_)));
        let all = (0..node.inputs.len()).all(|index| self.integers(node, index).is_ok());
        all && node.inputs.iter().any(known)
    }

    /// Shapes one after the other.
    pub(super) fn joined_dims(
        &self,
        node: &'a ModelNode,
        arguments: &mut Arguments<'a>,
    ) -> Result<Known<'a>, String> {
        only("axis", arguments.axis("axis", 0, 1)?, 0)?;
        let parts = (0..node.inputs.len()).map(|index| self.integers(node, index));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        Ok(Known::Dims(parts.concat()))
    }
}
