//! Integers and half precision: what is rounded, to which steps, and what the integers of constants stand for.

use super::super::Steps;
use super::arguments::{HALF, NodeReader, bytes, floats, integers, only};
use super::{GraphReader, Known, Made, Operand};
use crate::onnx::{FLOAT, Numbers};

impl<'a> GraphReader<'a> {
    pub(super) fn quantised(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        let steps = self.steps(node)?;
        if self.opset >= 19 {
            // For eight bits of a fraction.
            node.int("saturate", 1)?;
        }
        if self.opset >= 23 {
            only("precision", node.int("precision", 0)?, 0)?;
        }
        if x.element != FLOAT {
            return Err("it reads numbers in half precision".to_owned());
        }
        if !self.may_round {
            return Err(
                "rounding may not be left out of a file that is not of tengen-train quantize"
                    .to_owned(),
            );
        }
        Ok(Known::Bytes(x, steps))
    }

    pub(super) fn dequantised(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let name = node.input(0).ok_or("it lacks an input")?;
        if let Some(Known::Bytes(x, made)) = self.known.get(name) {
            let (x, made) = (*x, *made);
            return match self.steps(node)? {
                read if read == made => Ok(Known::Rounded(x, made)),
                _ => Err("its steps are not those of its input".to_owned()),
            };
        }
        self.scaled(node)
    }

    /// A constant in integers.
    fn scaled(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let tensor = self.tensor(node, 0)?;
        if integers(tensor)?.is_empty() {
            return Err("it has no numbers".to_owned());
        }
        let scale = self.tensor(node, 1)?;
        let scales = self.scales(node)?;
        if let Some(zero_name) = node.input(2) {
            let zero = self.tensor(node, 2)?;
            if zero.dims != scale.dims || !same_type(&zero.numbers, &tensor.numbers) {
                return Err(format!(
                    "its zero {zero_name} does not go with its scale or constant"
                ));
            }
            if integers(zero)?.iter().any(|&zero| zero != 0) {
                return Err(format!("its zero {zero_name} is not 0"));
            }
        }
        self.check_form(node)?;
        let channels = tensor.dims.first().copied().unwrap_or(1);
        if let &[scale] = &*scales {
            node.int("axis", 1)?;
            return Ok(Known::Scaled(tensor, vec![scale; channels]));
        }
        let rank = tensor.dims.len() as i64;
        let axis = node.axis("axis", 1, rank)?;
        if axis != 0 {
            return Err(format!(
                "its attribute axis is {axis} (without one it is 1): here scales are those of axis 0"
            ));
        }
        if scale.dims != [channels] {
            return Err(format!(
                "its scales have the shape {:?}, its constant {:?}",
                scale.dims, tensor.dims
            ));
        }
        Ok(Known::Scaled(tensor, scales))
    }

    pub(super) fn cast(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let x = self.operand(node, 0)?;
        let to = node.int("to", 0)?;
        let element = [FLOAT, HALF]
            .into_iter()
            .find(|&kind| i64::from(kind) == to);
        let element = element.ok_or_else(|| format!("its attribute to is {to}"))?;
        if self.opset >= 19 {
            // For eight bits of a fraction.
            node.int("saturate", 1)?;
        }
        if self.opset >= 24 {
            node.word("round_mode", "up")?;
        }
        // Other programs may keep another precision; here it is f32.
        Ok(Known::Value(Operand { element, ..x }))
    }

    /// Scale and zero of activations; without a zero it is that of a byte, 0.
    fn steps(&self, node: &mut NodeReader<'a>) -> Result<Steps, String> {
        self.check_form(node)?;
        // There is one scale for all axes.
        node.int("axis", 1)?;
        let scales = self.scales(node)?;
        let zeros = match node.input(2) {
            None => &[0],
            Some(_) => bytes(self.tensor(node, 2)?)?,
        };
        match (&*scales, zeros) {
            (&[scale], &[zero]) if scale.is_normal() && scale > 0.0 => Ok(Steps {
                scale,
                zero: zero.into(),
            }),
            _ => Err("its scale or zero is not one usable number".to_owned()),
        }
    }

    fn scales(&self, node: &NodeReader<'a>) -> Result<Vec<f32>, String> {
        let scale = self.tensor(node, 1)?;
        match scale.numbers {
            Numbers::F32(_) if scale.dims.len() <= 1 => Ok(floats(scale)?.into_owned()),
            Numbers::F32(_) => Err(format!("its scale has the shape {:?}", scale.dims)),
            _ => Err(format!("its scale {} is not float32", scale.name)),
        }
    }

    /// What later operator sets can say of integers: here they are plain bytes, with one scale or one for
    /// each index of an axis.
    fn check_form(&self, node: &mut NodeReader<'a>) -> Result<(), String> {
        if self.opset >= 21 {
            only("block_size", node.int("block_size", 0)?, 0)?;
        }
        if self.opset >= 23 || self.opset >= 21 && node.op == "QuantizeLinear" {
            only("output_dtype", node.int("output_dtype", 0)?, 0)?;
        }
        Ok(())
    }
}

fn same_type(a: &Numbers, b: &Numbers) -> bool {
    std::mem::discriminant(a) == std::mem::discriminant(b)
}
