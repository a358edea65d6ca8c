//! The steps that rows of tokens alone have.

use std::mem::take;

use super::super::graph::Extent;
use super::super::kernels::{
    AttentionRoom, AttentionTask, Centered, Float, HeadMap, HeadNumbers, Lanes, Paired, Pairing,
    Scaled, Word,
};
use super::super::plan::{MapPart, Plan, Step, Target};
use super::{Layout, Memory, Run};

impl Run<'_> {
    /// Runs a step of rows of tokens.
    pub(super) fn tokens(&mut self, step: &Step) {
        let (plan, level, row) = (self.plan, self.level, self.plan.row.len);
        match step {
            Step::Move { input, target } => {
                self.write_numbers(target, |memory, out| moved(plan, memory, *input, out));
            }
            Step::RmsNorm {
                input,
                epsilon,
                extent,
                target,
            } => {
                self.find_factors(*input, *epsilon);
                if *extent == Extent::Board {
                    unify(&mut self.memory.factors, *epsilon);
                }
                self.write_numbers(target, |memory, out| {
                    level.enter(Scaled {
                        input: memory.numbers(row, *input),
                        factors: &memory.factors,
                        out,
                    });
                });
            }
            Step::Multiply {
                first,
                second,
                target,
            } => self.write_numbers(target, |memory, out| {
                level.enter(Paired {
                    pairing: Pairing::Product,
                    first: memory.numbers(row, *first),
                    second: memory.numbers(row, *second),
                    out,
                });
            }),
            Step::Center { input, target } => self.write_numbers(target, |memory, out| {
                level.enter(Centered {
                    input: memory.numbers(row, *input),
                    channels: input.channels,
                    points: row,
                    out,
                });
            }),
            Step::Table {
                pairing,
                input,
                table,
                target,
            } => self.write_numbers(target, |memory, out| {
                level.enter(Paired {
                    pairing: *pairing,
                    first: memory.numbers(row, *input),
                    second: table,
                    out,
                });
            }),
            Step::Attend {
                in_words: false, ..
            } => self.attend::<Float>(step, |memory| &mut memory.float_heads),
            Step::Attend { .. } => self.attend::<Word>(step, |memory| &mut memory.word_heads),
            _ => {}
        }
    }

    fn attend<A: HeadNumbers + Default>(
        &mut self,
        step: &Step,
        workspace: fn(&mut Memory) -> &mut AttentionRoom<A>,
    ) {
        let Step::Attend {
            query,
            key,
            value,
            heads,
            target,
            ..
        } = step
        else {
            return;
        };
        let (level, points) = (self.level, self.plan.row.len);
        let mut room = take(workspace(self.memory));
        self.write_numbers(target, |memory, out| {
            let map = |part: MapPart, dim| HeadMap {
                lines: memory.numbers(points, part),
                dim,
            };
            level.enter(AttentionTask::<A> {
                points,
                heads: heads.heads,
                kv_heads: heads.kv_heads,
                scale: heads.scale,
                query: map(*query, heads.query_dim),
                key: map(*key, heads.query_dim),
                value: map(*value, heads.value_dim),
                room: &mut room,
                out,
            });
        });
        *workspace(self.memory) = room;
    }

    /// Writes a map in f32 while the rest of the memory is read.
    fn write_numbers(&mut self, target: &Target, write: impl FnOnce(&Memory, &mut [Lanes<f32>])) {
        self.write_maps(target, |memory, output| {
            if let Some(out) = &mut output.numbers {
                write(memory, out);
            }
        });
    }
}

/// A map's points as a row, or a row's as a map.
fn moved(plan: &Plan, memory: &Memory, input: MapPart, out: &mut [Lanes<f32>]) {
    let to_row = input.layout == Layout::Board;
    let [from, to] = if to_row {
        [&plan.board, &plan.row]
    } else {
        [&plan.row, &plan.board]
    };
    let blocks = memory.numbers(from.len, input).chunks_exact(from.len);
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
