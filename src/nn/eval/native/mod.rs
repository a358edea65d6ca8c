//! Our own inference: the kernels that these networks need and no others.
//!
//! An ONNX file, f32 or in the int8 form that `tengen-train quantize` writes, becomes operators of
//! networks for boards (`graph`), then a short list of passes over memory (`plan`):
//! each convolution with the bias, sum and ReLU behind it, several of the same input as one.
//! `run` executes the list with the loops of `kernels`, which fits use, too
//! (`train/network/net/kernel`). A map is stored in blocks of 16 channels, point by point
//! (`grid`); tokens, which read no neighbours, as one row of points. One position at a time: its
//! numbers stay in the first two cache levels, and batches are no faster per position. Weights are packed
//! once and shared by all threads.
//!
//! In int8, convolutions multiply bytes, or words made of them (`kernels::winograd`); block sums,
//! pooling and heads stay in f32, which is more exact than the file requires and no slower. Matrices of
//! tokens and attention multiply words where these are faster, whatever the file. Graphs with unsupported
//! operations are refused by name; `tract` reads them.

mod graph;
pub mod grid;
pub mod kernels;
mod plan;
mod run;

use std::sync::Arc;

pub use kernels::Level;

use super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};
use crate::BoardSize;
use crate::onnx::Model;
use graph::Graph;
use plan::Plan;
use run::Memory;

const BACKEND: &str = "native";

/// A compiled network; every worker creates its own [`NativeEvaluator`] from it.
#[derive(Debug, Clone)]
pub struct NativeModel {
    info: ModelInfo,
    plan: Arc<Plan>,
    level: Level,
}

impl NativeModel {
    /// Reads the bytes of an ONNX file for a board, by default its own; `path` is only used in
    /// errors.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the metadata are refused ([`ModelInfo::read_for`]),
    /// [`EvalError::Unavailable`] when the graph has an unsupported operation.
    pub fn load(
        path: &str,
        onnx: &[u8],
        board: Option<BoardSize>,
    ) -> Result<NativeModel, EvalError> {
        // Where integers are not faster, f32 is more exact.
        let level = Level::best();
        NativeModel::load_for(path, onnx, board, level, level.has_fast_integers())
    }

    /// For this kind of processor, with integers or all in f32.
    pub(super) fn load_for(
        path: &str,
        onnx: &[u8],
        board: Option<BoardSize>,
        level: Level,
        keeps_integers: bool,
    ) -> Result<NativeModel, EvalError> {
        let info = ModelInfo::read_for(path, onnx, board)?;
        let plan = plan(&info, onnx, level, keeps_integers).map_err(|reason| {
            let reason = format!("it does not know the network {path}: {reason}");
            EvalError::unavailable(BACKEND, reason)
        })?;
        Ok(NativeModel {
            info,
            plan: Arc::new(plan),
            level,
        })
    }

    /// Metadata of the network.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// Whether this processor is faster with integers.
    pub fn prefers_integers() -> bool {
        Level::best().has_fast_integers()
    }

    /// An evaluator for one worker.
    pub fn evaluator(&self) -> NativeEvaluator {
        NativeEvaluator {
            memory: Memory::new(&self.plan),
            model: self.clone(),
        }
    }
}

/// Whether this backend can judge how much a network computes, as it knows its operators.
#[cfg(all(feature = "tract", feature = "ort"))]
pub(super) fn knows(info: &ModelInfo, onnx: &[u8]) -> bool {
    graph(info, onnx, true).is_ok()
}

fn graph(info: &ModelInfo, onnx: &[u8], keeps_integers: bool) -> Result<Graph, String> {
    let model = Model::read(onnx).map_err(|error| error.to_string())?;
    let sides = [info.size.height, info.size.width].map(usize::from);
    Graph::read(&model, info.planes, sides, info.outputs(), keeps_integers)
}

fn plan(info: &ModelInfo, onnx: &[u8], level: Level, keeps_integers: bool) -> Result<Plan, String> {
    let mut graph = graph(info, onnx, keeps_integers)?;
    let size = [info.size.width, info.size.height].map(usize::from);
    graph.begin_bytes_with(level.least_byte());
    let plan = Plan::new(&graph, size, level, keeps_integers)?;
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
