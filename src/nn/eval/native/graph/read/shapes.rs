//! Operators whose meaning hangs on the shapes of what they read: sums, pools, joins, other shapes.

use super::super::{Op, Shape};
use super::arguments::{NodeReader, integers, only};
use super::{GraphReader, Known, Made, check_elements};
use crate::eval::native::kernels::PoolKind;
use crate::onnx::Numbers;

impl<'a> GraphReader<'a> {
    /// A pool over height and width.
    pub(super) fn pool(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let mut x = self.operand(node, 0)?;
        let rank = x.shape.rank();
        if matches!(x.shape, Shape::Tokens(_)) && node.op == "ReduceMean" {
            x = self.as_map(x)?;
        }
        let Shape::Map(channels) = x.shape else {
            return Err(format!("it reads a {}", x.shape));
        };
        let (kind, axes_are_input) = match &*node.op {
            "ReduceSum" => (PoolKind::Sum, true),
            "ReduceMax" => (PoolKind::Max, self.opset >= 18),
            "ReduceMean" => (PoolKind::Mean, self.opset >= 18),
            _ => {
                let op = Op::Pool(PoolKind::Mean);
                return self.made(op, &[x], Shape::Pooled(channels));
            }
        };
        let axes = self.axes(node, axes_are_input, rank)?;
        let points: &[i64] = if rank == 3 { &[1] } else { &[2, 3] };
        if axes != points {
            return Err(format!("its axes are {axes:?}, not those of the points"));
        }
        let shape = match node.int("keepdims", 1)? {
            0 => Shape::Vector(channels),
            1 if rank == 4 => Shape::Pooled(channels),
            other => return Err(format!("its attribute keepdims is {other}")),
        };
        self.made(Op::Pool(kind), &[x], shape)
    }

    /// The axes of a reduction, which in later operator sets are an input; counted from the front, in order.
    pub(super) fn axes(
        &self,
        node: &mut NodeReader<'a>,
        are_input: bool,
        rank: i64,
    ) -> Result<Vec<i64>, String> {
        let opset = self.opset;
        let mut axes = match (node.ints("axes")?, node.input(1)) {
            (Some(axes), None) if !are_input => axes.to_vec(),
            (None, Some(_)) if are_input => {
                // Only what no axes mean.
                node.int("noop_with_empty_axes", 0)?;
                self.integers(node, 1)?
            }
            (None, None) => return Err("without axes it takes all together".to_owned()),
            (Some(axes), _) if are_input => {
                return Err(format!(
                    "it has the attribute axes ({axes:?}), and in operator set {opset} axes are an input"
                ));
            }
            _ => {
                return Err(format!(
                    "it has its axes as an input, and in operator set {opset} axes are an attribute"
                ));
            }
        };
        let from_behind = axes.iter_mut().filter(|axis| **axis < 0);
        from_behind.for_each(|axis| *axis += rank);
        axes.sort_unstable();
        Ok(axes)
    }

    /// Two maps, or a map and a number a channel.
    pub(super) fn add(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        let (x, y) = (self.operand(node, 0)?, self.operand(node, 1)?);
        check_elements(&node.inputs[1], y.element, x.element)?;
        let (inputs, shape) = match (x.shape, y.shape) {
            (Shape::Map(a), Shape::Map(b) | Shape::Pooled(b)) if a == b => ([x, y], Shape::Map(a)),
            (Shape::Pooled(a), Shape::Map(b)) if a == b => ([y, x], Shape::Map(a)),
            (Shape::Tokens(a), Shape::Tokens(b)) if a == b => ([x, y], Shape::Tokens(a)),
            (a, b) => return Err(format!("it adds a {a} and a {b}")),
        };
        self.made(Op::Add, &inputs, shape)
    }

    /// Numbers times one number.
    pub(super) fn scale(
        &mut self,
        node: &NodeReader<'a>,
        index: usize,
        constant: usize,
    ) -> Made<'a> {
        let x = self.operand(node, index)?;
        let shape = x.shape;
        let (dims, numbers) = self.numbers(node, constant, x)?;
        match *numbers {
            [factor] if shape.layout().is_none() && dims.len() as i64 <= shape.rank() => {
                self.made(Op::Scale(factor), &[x], shape)
            }
            _ => Err(format!(
                "it multiplies a {shape} by numbers of the shape {dims:?}"
            )),
        }
    }

    /// Numbers one after the other.
    pub(super) fn concat(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        if self.are_dims(node) {
            return self.joined_dims(node);
        }
        let first = self.operand(node, 0)?;
        let rank = first.shape.rank();
        if node.attribute("axis").is_none() {
            return Err("it lacks the attribute axis".to_owned());
        }
        only("axis", node.axis("axis", 1, rank)?, 1)?;
        let make = match first.shape {
            Shape::Pooled(_) => Shape::Pooled,
            _ => Shape::Vector,
        };
        let (mut operands, mut total) = (Vec::new(), 0);
        for (index, name) in node.inputs.iter().enumerate() {
            let operand = self.operand(node, index)?;
            check_elements(name, operand.element, first.element)?;
            let (Shape::Vector(len) | Shape::Pooled(len)) = operand.shape else {
                return Err(format!("it joins a {}", operand.shape));
            };
            if operand.shape.rank() != rank {
                return Err(format!(
                    "it joins a {} and a {}",
                    first.shape, operand.shape
                ));
            }
            operands.push(operand);
            total += len;
        }
        self.made(Op::Concat, &operands, make(total))
    }

    /// All but the batch as one row.
    pub(super) fn flatten(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        let shape = x.shape;
        only("axis", node.axis("axis", 1, shape.rank())?, 1)?;
        match shape {
            Shape::Vector(_) => Ok(Known::Value(x)),
            Shape::Pooled(channels) => Ok(x.shaped(Shape::Vector(channels))),
            Shape::Map(_) | Shape::Tokens(_) => self.flattened(x),
        }
    }

    /// A vector that becomes one number a channel, or the other way round; maps and tokens that become
    /// each other.
    pub(super) fn reshape(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let dims = self.integers(node, 1)?;
        // Without zeros it makes no difference.
        if self.opset >= 14 && node.int("allowzero", 0)? != 0 && dims.contains(&0) {
            return Err(format!(
                "its attribute allowzero is 1, and it makes a shape {dims:?}"
            ));
        }
        if let Some(part) = self.part(node, 0).cloned() {
            return self.reshape_part(part, &dims);
        }
        let x = self.operand(node, 0)?;
        let (Shape::Vector(len) | Shape::Pooled(len)) = x.shape else {
            return self.reshape_points(x, &dims);
        };
        let (channels, shape): (i64, fn(usize) -> Shape) = match dims[..] {
            [0 | -1, channels] => (channels, Shape::Vector),
            [0 | -1, channels, 1, 1] => (channels, Shape::Pooled),
            _ => return Err(format!("it makes a shape {dims:?}")),
        };
        let takes_what_is_left = channels == -1 && dims[0] == 0;
        if channels == 0 || channels == len as i64 || takes_what_is_left {
            return Ok(x.shaped(shape(len)));
        }
        Err(format!("it makes a shape {dims:?} of {len} numbers"))
    }

    /// Integers that an input gives, as a list.
    pub(super) fn integers(&self, node: &NodeReader<'a>, index: usize) -> Result<Vec<i64>, String> {
        if let Some(Known::Dims(dims)) = node.input(index).and_then(|name| self.known.get(name)) {
            return Ok(dims.clone());
        }
        let tensor = self.tensor(node, index)?;
        match (&tensor.numbers, tensor.dims.len()) {
            (Numbers::I64(_), 1) => integers(tensor),
            _ => Err(format!("its input {} is no list of integers", tensor.name)),
        }
    }
}
