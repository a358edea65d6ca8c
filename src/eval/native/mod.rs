//! Our own inference: the kernels that these networks need and no others.
//!
//! An ONNX file, f32 or in the int8 form that `tengen-train quantize` writes, becomes a short list
//! of passes over memory ([`mod@plan`]): each convolution with the bias, sum and ReLU behind it, several
//! of the same input as one. One position at a time: its numbers stay in the first two caches,
//! and a batch gives nothing more a position than a single one. Weights are packed once and shared
//! by all threads.
//!
//! In int8, convolutions multiply bytes; sums of blocks, pooling and heads stay in f32, which is
//! more exact than the file asks for and no slower. Graphs with operations that are not here are
//! refused by name; `tract` reads them.

mod graph;
mod grid;
mod kernels;
mod plan;
mod run;

use std::sync::Arc;

pub(crate) use kernels::Level;

use super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};
use crate::game::BoardSize;
use crate::onnx::Model;
use graph::Graph;
use kernels::Peak;
use plan::Plan;
use run::Memory;

const BACKEND: &str = "native";

/// A network ready to be computed; every worker makes its own [`NativeEvaluator`] from it.
#[derive(Debug, Clone)]
pub struct NativeModel {
    info: ModelInfo,
    plan: Arc<Plan>,
    level: Level,
}

impl NativeModel {
    /// Reads the bytes of an ONNX file for a board, its own where none is named; `path` only names it
    /// in errors.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the metadata are refused ([`ModelInfo::read_for`]),
    /// [`EvalError::Unavailable`] when the graph holds something that is not known here.
    pub fn load(
        path: &str,
        onnx: &[u8],
        board: Option<BoardSize>,
    ) -> Result<NativeModel, EvalError> {
        // Where bytes are not multiplied four at a time, f32 is faster than they, and more exact.
        let level = Level::best();
        NativeModel::load_for(path, onnx, board, (level, level.has_fast_integers()))
    }

    /// For this kind of processor, with convolutions of bytes or without.
    fn load_for(
        path: &str,
        onnx: &[u8],
        board: Option<BoardSize>,
        (level, keeps_bytes): (Level, bool),
    ) -> Result<NativeModel, EvalError> {
        let info = ModelInfo::read_for(path, onnx, board)?;
        let plan =
            plan(&info, onnx, (level, keeps_bytes)).map_err(|reason| EvalError::Unavailable {
                backend: BACKEND,
                reason: format!("it does not know the network {path}: {reason}"),
            })?;
        Ok(NativeModel {
            info,
            plan: Arc::new(plan),
            level,
        })
    }

    /// What the network is.
    #[must_use]
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// What a position costs.
    #[must_use]
    pub fn work(&self) -> Work {
        Work {
            products: self.plan.products,
            integers: !self.plan.integers.is_empty(),
        }
    }

    /// What of the processor is used, in words.
    #[must_use]
    pub fn processor() -> String {
        Level::best().to_string()
    }

    /// Whether this processor computes faster in integers.
    #[must_use]
    pub fn prefers_integers() -> bool {
        Level::best().has_fast_integers()
    }

    /// An evaluator for one worker.
    #[must_use]
    pub fn evaluator(&self) -> NativeEvaluator {
        NativeEvaluator {
            memory: Memory::new(&self.plan),
            model: self.clone(),
        }
    }
}

/// What a network computes for a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Work {
    /// Multiplications, each with an addition.
    pub products: u64,
    /// Whether most of them are of bytes.
    pub integers: bool,
}

impl Work {
    /// Keeps this thread at multiplying and adding such numbers in registers, 100,000 rounds for a
    /// millisecond or so, and says how many products that made: no network can do better.
    #[must_use]
    pub fn at_best(self, rounds: usize) -> u64 {
        let integers = self.integers;
        Level::best().enter(Peak { rounds, integers }) as u64
    }
}

fn plan(
    info: &ModelInfo,
    onnx: &[u8],
    (level, keeps_bytes): (Level, bool),
) -> Result<Plan, String> {
    let model = Model::read(onnx).map_err(|error| error.to_string())?;
    let (planes, area) = (info.planes, info.size.area());
    let mut graph = Graph::read(&model, (planes, area), info.outputs(), keeps_bytes)?;
    graph.begin_bytes_with(level.least_byte());
    let size = [info.size.width.into(), info.size.height.into()];
    let plan = Plan::new(&graph, size, level)?;
    let lens = info.output_lens();
    for ((name, part), len) in info.outputs().iter().zip(&plan.outputs).zip(lens) {
        if part.len != len {
            return Err(format!("{name} has {} numbers, not {len}", part.len));
        }
    }
    Ok(plan)
}

/// Runs a [`NativeModel`] for one worker.
#[derive(Debug)]
pub struct NativeEvaluator {
    model: NativeModel,
    memory: Memory,
}

impl Evaluator for NativeEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.model.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        let NativeModel { info, plan, level } = &self.model;
        info.check_batch(BACKEND, batch)?;
        out.reset_for(batch.len(), info.output_lens());
        for index in 0..batch.len() {
            run::run(plan, *level, &mut self.memory, batch.row(index));
            for (number, &part) in plan.outputs.iter().enumerate() {
                self.memory.copy_vector(part, out.output_mut(number, index));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
