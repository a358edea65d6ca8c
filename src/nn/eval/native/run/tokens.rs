//! The steps that rows of tokens alone have.

use super::super::graph::Extent;
use super::super::kernels::{
    AttentionRoom, AttentionTask, Centered, Float, HeadMap, HeadNumbers, Lanes, Paired, Pairing,
    Scaled, Word,
};
use super::super::plan::{MapPart, Plan, Step, Target};
use super::{Layout, Level, Memory, OutputMaps, find_factors};

impl Memory {
    /// Runs a step of rows of tokens.
    pub(super) fn run_tokens(&mut self, plan: &Plan, level: Level, step: &Step) {
        let memory = self;
        let row = &plan.row;
        match step {
            Step::Move { input, target } => with_output(memory, target, |memory, out| {
                moved(plan, memory, *input, out);
            }),
            Step::RmsNorm {
                input,
                epsilon,
                extent,
                target,
            } => {
                find_factors(plan, level, memory, *input, *epsilon);
                if *extent == Extent::Board {
                    unify(&mut memory.factors, *epsilon);
                }
                with_output(memory, target, |memory, out| {
                    level.enter(Scaled {
                        input: memory.part(row, *input),
                        factors: &memory.factors,
                        out,
                    });
                });
            }
            Step::Multiply {
                first,
                second,
                target,
            } => with_output(memory, target, |memory, out| {
                level.enter(Paired {
                    pairing: Pairing::Product,
                    first: memory.part(row, *first),
                    second: memory.part(row, *second),
                    out,
                });
            }),
            Step::Center { input, target } => with_output(memory, target, |memory, out| {
                level.enter(Centered {
                    input: memory.part(row, *input),
                    channels: input.channels,
                    points: row.len,
                    out,
                });
            }),
            Step::Table {
                pairing,
                input,
                table,
                target,
            } => with_output(memory, target, |memory, out| {
                level.enter(Paired {
                    pairing: *pairing,
                    first: memory.part(row, *input),
                    second: table,
                    out,
                });
            }),
            Step::Attend {
                in_words: false, ..
            } => attend::<Float>(plan, level, memory, step),
            Step::Attend { .. } => attend::<Word>(plan, level, memory, step),
            _ => {}
        }
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
    let blocks = memory.part(from, input).chunks_exact(from.len);
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

/// Numbers of heads, and where their workspace is.
trait HeadMemory: HeadNumbers + Default {
    fn room(memory: &mut Memory) -> &mut AttentionRoom<Self>;
}

impl HeadMemory for Float {
    fn room(memory: &mut Memory) -> &mut AttentionRoom<Float> {
        &mut memory.float_heads
    }
}

impl HeadMemory for Word {
    fn room(memory: &mut Memory) -> &mut AttentionRoom<Word> {
        &mut memory.word_heads
    }
}

fn attend<A: HeadMemory>(plan: &Plan, level: Level, memory: &mut Memory, step: &Step) {
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
    let mut room = std::mem::take(A::room(memory));
    with_output(memory, target, |memory, out| {
        let map = |part: MapPart, dim| HeadMap {
            lines: memory.part(&plan.row, part),
            dim,
        };
        level.enter(AttentionTask::<A> {
            points: plan.row.len,
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
    *A::room(memory) = room;
}

/// Runs code that writes a map while it reads the rest of the memory.
fn with_output(
    memory: &mut Memory,
    target: &Target,
    write: impl FnOnce(&Memory, &mut [Lanes<f32>]),
) {
    let mut output = OutputMaps::take(memory, target);
    if let Some(out) = &mut output.numbers {
        write(memory, out);
    }
    output.put_back(memory, target);
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
