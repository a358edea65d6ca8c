//! A node's constant arguments and its inputs. Each argument is read once, with the value that ONNX
//! gives it where it is not there; one that is not read is refused, never ignored.

use std::ops::RangeInclusive;

use crate::onnx::{Attribute, ModelNode};

/// The attributes of a node that have not been read yet.
pub(super) struct Arguments<'a>(Vec<&'a (String, Attribute)>);

impl<'a> Arguments<'a> {
    pub(super) fn new(node: &'a ModelNode) -> Arguments<'a> {
        Arguments(node.attributes.iter().collect())
    }

    fn take(&mut self, name: &str) -> Option<&'a Attribute> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(&self.0.swap_remove(at).1)
    }

    /// An integer, or what is usual.
    pub(super) fn int(&mut self, name: &str, usual: i64) -> Result<i64, String> {
        match self.take(name) {
            None => Ok(usual),
            Some(Attribute::Int(value)) => Ok(*value),
            Some(other) => Err(wrong(name, other, "one integer")),
        }
    }

    /// Several integers; `None` where they are not there.
    pub(super) fn ints(&mut self, name: &str) -> Result<Option<&'a [i64]>, String> {
        match self.take(name) {
            None => Ok(None),
            Some(Attribute::Ints(values)) => Ok(Some(values)),
            Some(other) => Err(wrong(name, other, "a list of integers")),
        }
    }

    /// A number, or what is usual.
    pub(super) fn float(&mut self, name: &str, usual: f32) -> Result<f32, String> {
        match self.take(name) {
            None => Ok(usual),
            Some(Attribute::Float(value)) => Ok(*value),
            Some(other) => Err(wrong(name, other, "one number")),
        }
    }

    /// A word, or what is usual.
    pub(super) fn word(&mut self, name: &str, usual: &'a str) -> Result<&'a str, String> {
        match self.take(name) {
            None => Ok(usual),
            Some(Attribute::String(value)) => Ok(value),
            Some(other) => Err(wrong(name, other, "a word")),
        }
    }

    /// An axis, counted from the front; a negative one is counted from behind.
    pub(super) fn axis(&mut self, name: &str, usual: i64, rank: i64) -> Result<i64, String> {
        let axis = self.int(name, usual)?;
        match axis {
            _ if (0..rank).contains(&axis) => Ok(axis),
            _ if (-rank..0).contains(&axis) => Ok(axis + rank),
            _ => Err(format!("its attribute {name} is {axis}, of {rank} axes")),
        }
    }

    /// Refuses what has not been read.
    pub(super) fn finish(self) -> Result<(), String> {
        match self.0.first() {
            None => Ok(()),
            Some((name, value)) => {
                let value = text(value);
                Err(format!(
                    "its attribute {name} ({value}) is not known for this operator set"
                ))
            }
        }
    }
}

fn wrong(name: &str, found: &Attribute, wanted: &str) -> String {
    format!("its attribute {name} is {}, not {wanted}", text(found))
}

fn text(value: &Attribute) -> String {
    match value {
        Attribute::Int(value) => value.to_string(),
        Attribute::Ints(values) => format!("{values:?}"),
        Attribute::Float(value) => format!("{value:?}"),
        Attribute::String(value) => format!("{value:?}"),
    }
}

/// Refuses an attribute of a value that this backend has no code for.
pub(super) fn only<T: PartialEq + std::fmt::Debug>(
    name: &str,
    found: T,
    known: T,
) -> Result<(), String> {
    match found == known {
        true => Ok(()),
        false => Err(format!("its attribute {name} is {found:?}, not {known:?}")),
    }
}

/// The name of an input; `None` for an optional one that is left out.
pub(super) fn input(node: &ModelNode, index: usize) -> Option<&str> {
    let name = node.inputs.get(index)?;
    (!name.is_empty()).then_some(name)
}

/// Refuses a node that reads more or less than its operator does.
pub(super) fn check_count(node: &ModelNode, count: RangeInclusive<usize>) -> Result<(), String> {
    let found = node.inputs.len();
    match count.contains(&found) {
        true => Ok(()),
        false => Err(format!("it has {found} inputs")),
    }
}
