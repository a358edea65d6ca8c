//! Attention: the nodes that split tokens into heads, compare them and put them together again, read as
//! one operation; and rotary positions.

use std::sync::Arc;

use super::super::{Heads, Op, Shape, TokenOp};
use super::arguments::{NodeReader, element, floats};
use super::parts::{BATCH, CHANNELS, HEADS, Mixed, POINTS, Part, Scores, Split, UNMOVED};
use super::tokens::table;
use super::{GraphReader, Known, Made, Operand, check_elements};
use crate::eval::native::kernels::Pairing;
use crate::onnx::Tensor;

impl<'a> GraphReader<'a> {
    /// Queries times keys, or shares times values.
    pub(super) fn attention_product(&mut self, node: &NodeReader<'a>) -> Made<'a> {
        let by_points = [BATCH, HEADS, POINTS, CHANNELS];
        let by_channels = [BATCH, HEADS, CHANNELS, POINTS];
        match (self.part(node, 0), self.part(node, 1)) {
            (Some(Part::Split(query)), Some(Part::Split(key)))
                if query.axes == by_points
                    && key.axes == by_channels
                    && query.dim == key.dim
                    && query.repeat == 1
                    && query.heads == key.heads * key.repeat =>
            {
                check_elements(&node.inputs[1], key.x.element, query.x.element)?;
                Ok(Known::Part(Part::Scores(Scores {
                    query: query.x,
                    key: key.x,
                    heads: Heads {
                        heads: query.heads,
                        kv_heads: key.heads,
                        query_dim: query.dim,
                        value_dim: 0,
                        scale: query.scale * key.scale,
                    },
                })))
            }
            (Some(Part::Shares(scores)), Some(Part::Split(value)))
                if value.axes == by_points
                    && value.scale == 1.0
                    && value.heads * value.repeat == scores.heads.heads
                    && value.heads == scores.heads.kv_heads =>
            {
                check_elements(&node.inputs[1], value.x.element, scores.query.element)?;
                let mut scores = scores.clone();
                scores.heads.value_dim = value.dim;
                Ok(Known::Part(Part::Mixed(Mixed {
                    scores,
                    value: value.x,
                    axes: by_points,
                })))
            }
            _ => Err("it multiplies what are not the heads of attention".to_owned()),
        }
    }

    /// Softmax over the keys.
    pub(super) fn softmax(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let axis = node.axis("axis", -1, 4)?;
        match self.part(node, 0) {
            Some(Part::Scores(scores)) if axis == 3 => {
                Ok(Known::Part(Part::Shares(scores.clone())))
            }
            _ => Err(
                "the native backend knows this operator as a part of attention alone".to_owned(),
            ),
        }
    }

    /// Mixed values, in order, as tokens.
    pub(super) fn attend(&mut self, mixed: &Mixed) -> Made<'a> {
        if mixed.axes != UNMOVED {
            return Err("it joins axes of heads that are not in order".to_owned());
        }
        let Scores { query, key, heads } = mixed.scores;
        let inputs = [query, key, mixed.value];
        let attend = Op::Tokens(TokenOp::Attend(heads));
        self.made(attend, &inputs, Shape::Tokens(mixed.channels()))
    }

    /// Neighbours of channels, or heads that others share.
    pub(super) fn gather(&mut self, node: &mut NodeReader<'a>) -> Made<'a> {
        let chosen = self.integers(node, 1)?;
        let known = match self.part(node, 0) {
            Some(Part::Split(split)) if node.axis("axis", 0, 4)? == 2 => {
                let repeat = chosen.len() / split.heads.max(1);
                let shared = (0..split.heads * repeat).map(|head| (head / repeat.max(1)) as i64);
                let fits = split.axes == UNMOVED && split.repeat == 1 && repeat > 0;
                (fits && shared.eq(chosen)).then(|| {
                    Part::Split(Split {
                        repeat,
                        ..split.clone()
                    })
                })
            }
            Some(_) => None,
            None => {
                let x = self.operand(node, 0)?;
                let axis = node.axis("axis", 0, x.shape.rank())?;
                match x.shape {
                    Shape::Tokens(channels) if axis == 2 && channels % 2 == 0 => {
                        let neighbours = (0..channels).map(|channel| (channel ^ 1) as i64);
                        neighbours.eq(chosen).then_some(Part::Neighbours(x))
                    }
                    _ => None,
                }
            }
        };
        let known = known.map(Known::Part);
        known.ok_or_else(|| {
            "the native backend knows this operator for neighbours of channels and for shared heads \
             alone"
                .to_owned()
        })
    }

    /// The constant that an input is, if it has a number for each channel of each point of tokens.
    pub(super) fn spread(
        &self,
        node: &NodeReader<'a>,
        index: usize,
        x: Operand,
    ) -> Result<Option<&'a Tensor>, String> {
        let Shape::Tokens(channels) = x.shape else {
            return Ok(None);
        };
        let known = node.input(index).and_then(|name| self.known.get(name));
        let Some(&Known::Constant(tensor)) = known else {
            return Ok(None);
        };
        let (dims, table) = (&tensor.dims[..], [self.area, channels]);
        if dims != table && dims != [1, table[0], table[1]] {
            return Ok(None);
        }
        check_elements(&tensor.name, element(tensor), x.element)?;
        Ok(Some(tensor))
    }

    /// Channels times cosines plus their neighbours times sines: pairs, turned.
    pub(super) fn turn(
        &mut self,
        node: &NodeReader<'a>,
        other: usize,
        x: Operand,
        cosines: &'a Tensor,
    ) -> Made<'a> {
        let sines = match self.part(node, other) {
            Some(&Part::SpreadNeighbours(of, sines)) if of.value == x.value => sines,
            _ => return Err("it adds parts of rotary positions of different values".to_owned()),
        };
        let key = (&*cosines.name, &*sines.name);
        let table = match self.turns.get(&key) {
            Some(table) => Arc::clone(table),
            None => table(&turns(&floats(cosines)?, &floats(sines)?)?, x.shape),
        };
        self.turns.insert(key, Arc::clone(&table));
        let turn = TokenOp::Pair(Pairing::Turn, Some(table));
        self.made(Op::Tokens(turn), &[x], x.shape)
    }

    /// Whether an input is a constant of the file.
    pub(super) fn is_constant(&self, node: &NodeReader<'a>, index: usize) -> bool {
        let known = node.input(index).and_then(|name| self.known.get(name));
        matches!(known, Some(Known::Constant(_) | Known::Scaled(..)))
    }
}

/// Cosine and sine of each pair.
fn turns(cosines: &[f32], sines: &[f32]) -> Result<Vec<f32>, String> {
    let (cosines, _) = cosines.as_chunks::<2>();
    let (sines, _) = sines.as_chunks::<2>();
    let mut table = Vec::with_capacity(2 * cosines.len());
    for (&[cos, same], &[minus, sin]) in cosines.iter().zip(sines) {
        if cos != same || minus != -sin {
            return Err("it turns no pairs of channels".to_owned());
        }
        table.extend([cos, sin]);
    }
    Ok(table)
}
