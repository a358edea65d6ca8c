//! Maps, tokens and heads as each other: other shapes and orders of axes of the same numbers; and shapes that a file
//! computes from shapes, where the number of positions is open: -1 stands for it.

use super::super::{Op, Shape, TokenOp};
use super::arguments::{NodeReader, only};
use super::parts::{BATCH, HEADS, Part, Split};
use super::{GraphReader, Known, Made, Operand};

/// Lengths of the longest shape that is joined: none here has more than four axes.
const MOST_LENGTHS: usize = 8;

impl<'a> GraphReader<'a> {
    /// Other shapes of maps and tokens.
    pub(super) fn reshape_points(&mut self, x: Operand, dims: &[i64]) -> Made<'a> {
        let area = self.area as i64;
        let fits = |found: i64, wanted: usize| found == wanted as i64;
        match (x.shape, dims) {
            (Shape::Map(channels) | Shape::Tokens(channels @ 1), &[0 | -1, found])
                if found == -1 && dims[0] == 0 || fits(found, channels * self.area) =>
            {
                self.flattened(x)
            }
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
                    && heads.checked_mul(dim) == Some(channels as i64) =>
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
    pub(super) fn reshape_part(&mut self, part: Part<'a>, dims: &[i64]) -> Made<'a> {
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
                self.made(Op::Tokens(TokenOp::Move), &[x], Shape::Map(channels))
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
    pub(super) fn transpose(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let axes = node.ints("perm")?.ok_or("it lacks the attribute perm")?;
        let known = match (self.part(node, 0), axes) {
            (Some(&Part::Planes(x)), [0, 2, 1]) => match x.shape {
                Shape::Map(channels) => {
                    return self.made(Op::Tokens(TokenOp::Move), &[x], Shape::Tokens(channels));
                }
                _ => return Ok(Known::Value(x)),
            },
            (Some(Part::Split(split)), axes) => split.transposed(axes).map(Part::Split),
            (Some(Part::Joined(split)), [0, 2, 1]) => {
                split.transposed(&[0, 1, 3, 2]).map(Part::Joined)
            }
            (Some(Part::Mixed(mixed)), axes) => mixed.transposed(axes).map(Part::Mixed),
            (None, [0, 2, 1]) => {
                let x = self.operand(node, 0)?;
                matches!(x.shape, Shape::Tokens(_)).then_some(Part::Planes(x))
            }
            _ => None,
        };
        let known = known.map(Known::Part);
        known.ok_or_else(|| format!("its attribute perm is {axes:?}"))
    }

    /// Tokens of one channel, or one number a channel, as a vector.
    pub(super) fn squeeze(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        match (x.shape, &self.integers(node, 1)?[..]) {
            (Shape::Tokens(1), [-1 | 2]) => self.flattened(x),
            (Shape::Pooled(channels), [2, 3] | [-2, -1]) => Ok(x.shaped(Shape::Vector(channels))),
            (shape, axes) => Err(format!("it removes the axes {axes:?} of a {shape}")),
        }
    }

    /// A vector as one number a channel.
    pub(super) fn unsqueeze(&self, node: &NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        match (x.shape, &self.integers(node, 1)?[..]) {
            (Shape::Vector(len), [2, 3] | [-2, -1]) => Ok(x.shaped(Shape::Pooled(len))),
            (shape, axes) => Err(format!("it adds the axes {axes:?} to a {shape}")),
        }
    }

    /// A map, or tokens of one channel, as one row of its planes.
    pub(super) fn flattened(&mut self, x: Operand) -> Made<'a> {
        let map = match x.shape {
            Shape::Tokens(1) => self.as_map(x)?,
            _ => x,
        };
        match map.shape {
            Shape::Map(channels) => {
                self.made(Op::Flatten, &[map], Shape::Vector(channels * self.area))
            }
            shape => Err(format!("it reads a {shape}")),
        }
    }

    /// Tokens as a map.
    pub(super) fn as_map(&mut self, x: Operand) -> Result<Operand, String> {
        let shape = match x.shape {
            Shape::Tokens(channels) => Shape::Map(channels),
            other => other,
        };
        self.push(Op::Tokens(TokenOp::Move), &[x], shape)
    }

    /// The shape of a value or of heads.
    pub(super) fn shape(&self, node: &mut NodeReader<'a>) -> Made<'a> {
        only("start", node.int("start", 0)?, 0)?;
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
    pub(super) fn slice(&self, node: &NodeReader<'a>) -> Made<'a> {
        let Some(Known::Dims(dims)) = node.input(0).and_then(|name| self.known.get(name)) else {
            return Err("the native backend knows this operator for shapes alone".to_owned());
        };
        let one = |index| match self.integers(node, index)?[..] {
            [number] => Ok(number),
            _ => Err("it has several starts or ends".to_owned()),
        };
        if node.input(3).is_some() {
            only("axis", one(3)?, 0)?;
        }
        if node.input(4).is_some() {
            only("step", one(4)?, 1)?;
        }
        let len = dims.len() as i64;
        let place =
            |at: i64| if at < 0 { at.saturating_add(len) } else { at }.clamp(0, len) as usize;
        let (start, end) = (place(one(1)?), place(one(2)?));
        Ok(Known::Dims(dims[start..end.max(start)].to_vec()))
    }

    /// Whether all inputs are integers, and one of them a shape.
    pub(super) fn are_dims(&self, node: &NodeReader<'a>) -> bool {
        let known = |name: &String| matches!(self.known.get(&**name), Some(Known::Dims(_)));
        let all = (0..node.inputs.len()).all(|index| self.integers(node, index).is_ok());
        all && node.inputs.iter().any(known)
    }

    /// Shapes one after the other.
    pub(super) fn joined_dims(&self, node: &mut NodeReader<'a>) -> Made<'a> {
        only("axis", node.axis("axis", 0, 1)?, 0)?;
        let mut dims = Vec::new();
        for index in 0..node.inputs.len() {
            dims.extend(self.integers(node, index)?);
            if dims.len() > MOST_LENGTHS {
                return Err(format!("it joins more than {MOST_LENGTHS} lengths"));
            }
        }
        Ok(Known::Dims(dims))
    }
}
