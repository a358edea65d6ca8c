//! The steps that rows of tokens alone have.

use super::super::graph::{Extent, Heads, TokenOp};
use super::super::kernels::{
    AttentionRoom, AttentionTask, Centered, HeadMap, HeadNumbers, LANES, Lanes, Paired, Scaled,
};
use super::super::plan::{MapPart, Plan, Target};
use super::{Layout, Rooms, Run, Values};

impl Run<'_> {
    /// Runs a step of rows of tokens.
    pub(super) fn tokens(
        &mut self,
        op: &TokenOp,
        inputs: &[MapPart],
        target: &Target,
        rooms: &mut Rooms,
    ) {
        match *op {
            TokenOp::RmsNorm { epsilon, extent } => {
                self.find_factors(inputs[0], epsilon);
                if extent == Extent::Board {
                    unify(&mut self.values.factors, epsilon);
                }
            }
            TokenOp::Attend(heads) if self.plan.has_words => {
                return self.attend(heads, inputs, target, &mut rooms.word_heads);
            }
            TokenOp::Attend(heads) => {
                return self.attend(heads, inputs, target, &mut rooms.float_heads);
            }
            _ => {}
        }
        let (plan, level, points) = (self.plan, self.level, self.plan.row.len);
        self.write_numbers(target, |values, out| {
            let input = values.numbers(points, inputs[0]);
            match op {
                TokenOp::Move => moved(plan, values, inputs[0], out),
                TokenOp::RmsNorm { .. } => level.enter(Scaled {
                    input,
                    factors: &values.factors,
                    out,
                }),
                TokenOp::Center => level.enter(Centered {
                    input,
                    channels: inputs[0].channels,
                    points,
                    out,
                }),
                TokenOp::Pair(pairing, table) => level.enter(Paired {
                    pairing: *pairing,
                    first: input,
                    second: match table {
                        Some(table) => table,
                        None => values.numbers(points, inputs[1]),
                    },
                    out,
                }),
                TokenOp::Attend(_) => {}
            }
        });
    }

    fn attend<A: HeadNumbers>(
        &mut self,
        heads: Heads,
        inputs: &[MapPart],
        target: &Target,
        room: &mut AttentionRoom<A>,
    ) {
        let (level, points) = (self.level, self.plan.row.len);
        self.write_numbers(target, |values, out| {
            // Heads leave the lanes behind the last channel as they are.
            out[heads.heads * heads.value_dim / LANES * points..].fill(Lanes::default());
            let map = |index: usize, dim| HeadMap {
                lines: values.numbers(points, inputs[index]),
                dim,
            };
            level.enter(AttentionTask::<A> {
                points,
                heads: heads.heads,
                kv_heads: heads.kv_heads,
                scale: heads.scale,
                query: map(0, heads.query_dim),
                key: map(1, heads.query_dim),
                value: map(2, heads.value_dim),
                room,
                out,
            });
        });
    }

    /// Writes a map in f32 while the rest of the memory is read.
    fn write_numbers(&mut self, target: &Target, write: impl FnOnce(&Values, &mut [Lanes<f32>])) {
        self.write_maps(target, |values, output| {
            if let Some(out) = &mut output.numbers {
                write(values, out);
            }
        });
    }
}

/// A map's points as a row, or a row's as a map.
fn moved(plan: &Plan, values: &Values, input: MapPart, out: &mut [Lanes<f32>]) {
    let to_row = input.layout == Layout::Board;
    let [from, to] = if to_row {
        [&plan.board, &plan.row]
    } else {
        [&plan.row, &plan.board]
    };
    let blocks = values.numbers(from.len, input).chunks_exact(from.len);
    for (block, out) in blocks.zip(out.chunks_exact_mut(to.len)) {
        let width = plan.board.width;
        for y in 0..plan.board.height {
            let places = [plan.board.at(y, 0), y * width];
            let [start, end] = if to_row {
                places
            } else {
                [places[1], places[0]]
            };
            out[end..end + width].copy_from_slice(&block[start..start + width]);
        }
    }
}

/// From the factors of points, each on its own, to the one for the mean square of all.
fn unify(factors: &mut [f32], epsilon: f32) {
    let squares = factors
        .iter()
        .map(|&factor| f64::from(factor).powi(-2) - f64::from(epsilon));
    let mean = squares.sum::<f64>() / factors.len() as f64;
    let factor = (mean + f64::from(epsilon)).sqrt().recip();
    factors.fill(factor as f32);
}
