//! The built-in backend: `tract`, pure Rust, nothing to install.
//!
//! Positions are evaluated one by one through a plan fixed at batch 1, which is fastest: tract's
//! lazy im2col works at batch 1 only, so a batch costs 25-55 % more per position and a symbolic
//! batch dimension 1.25-2.4 times as much (docs/methods.md#inference-and-training-libraries).

use std::cell::Cell;
use std::collections::HashMap;
use std::panic::{self, AssertUnwindSafe};
use std::sync::{Arc, Once};
use std::thread;

use tract_onnx::prelude::{
    DatumExt, Framework, InferenceModelExt, IntoRunnable, OutletId, Tensor, TractError,
    TractResult, TypedFact, TypedModel, TypedSimplePlan, TypedSimpleState, tvec,
};
use tract_onnx::tract_core::ops::konst::Const;

use super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};
use crate::onnx::KnownValues;
use crate::{BoardSize, onnx};

const BACKEND: &str = "tract";

/// What it computes as ONNX says, of operators where it does not always: by comparison with ONNX Runtime and onnx's own
/// evaluator.
const RIGHT: &[KnownValues] = &[
    ("Celu", "alpha", &["", "1"]),
    ("ConvTranspose", "output_shape", &[""]),
    ("GRU", "direction", RIGHT_DIRECTIONS),
    ("GlobalLpPool", "p", &[]),
    ("LSTM", "direction", RIGHT_DIRECTIONS),
    ("Mod", "fmod", &["1"]),
    ("RNN", "direction", RIGHT_DIRECTIONS),
    ("Swish", "alpha", &["", "1"]),
];
const RIGHT_DIRECTIONS: &[&str] = &["", "forward", "bidirectional"];

/// A network loaded and optimised once; every worker creates its own [`TractEvaluator`] from it.
#[derive(Debug, Clone)]
pub struct TractModel {
    plan: Arc<TypedSimplePlan>,
    info: ModelInfo,
}

impl TractModel {
    /// Loads the bytes of an ONNX file for a board, by default its own; `path` is only used in
    /// errors.
    ///
    /// # Errors
    /// [`EvalError::Load`] when the metadata are refused ([`ModelInfo::read_for`]) or tract cannot
    /// run the graph.
    pub fn load(
        path: &str,
        onnx: &[u8],
        board: Option<BoardSize>,
    ) -> Result<TractModel, EvalError> {
        let info = ModelInfo::read_for(path, onnx, board)?;
        // It checks an operator's name only.
        onnx::validate_operators(onnx)
            .and_then(|()| onnx::validate_attributes(onnx, RIGHT))
            .map_err(|error| refused(path, format!("tract does not know the network: {error}")))?;
        let plan = loaded(|| {
            let model = optimised(&info, onnx, info.outputs())?;
            for (output, len) in (0..info.outputs().len()).zip(info.output_lens()) {
                check_output(&model, output, [1, len])?;
            }
            model.into_runnable()
        });
        let plan = plan.map_err(|reason| refused(path, reason))?;
        Ok(TractModel { plan, info })
    }

    /// Metadata of the network.
    pub fn info(&self) -> &ModelInfo {
        &self.info
    }

    /// An evaluator for one worker.
    ///
    /// # Errors
    /// [`EvalError::Run`] when tract cannot set up its state.
    pub fn evaluator(&self) -> Result<TractEvaluator, EvalError> {
        Ok(TractEvaluator {
            tensors: InnerTensors::new(&self.plan, &self.info)?,
            info: self.info.clone(),
        })
    }
}

/// Result of `load`, or why tract cannot load the file. It panics on some damaged graphs, for instance when an
/// output names no node, and on a few sound ones.
fn loaded<T>(load: impl FnOnce() -> TractResult<T>) -> Result<T, String> {
    caught(load)
        .map_err(|_| "tract cannot compute it, and panicked".to_owned())?
        .map_err(|error| format!("tract refuses it: {error:#}"))
}

thread_local! {
    /// Whether a panic of this thread is expected.
    static IS_QUIET: Cell<bool> = const { Cell::new(false) };
}

/// Result of `call`, or its panic, which is only logged: the file may still be one for ONNX Runtime.
fn caught<T>(call: impl FnOnce() -> T) -> thread::Result<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = panic::take_hook();
        panic::set_hook(Box::new(move |panic| match IS_QUIET.get() {
            true => log::info!("{panic}"),
            false => usual(panic),
        }));
    });
    IS_QUIET.set(true);
    let result = panic::catch_unwind(AssertUnwindSafe(call));
    IS_QUIET.set(false);
    result
}

/// A network that is not for tract may be one for ONNX Runtime.
fn refused(path: &str, reason: String) -> EvalError {
    EvalError::load(path, reason + "; ONNX Runtime may know more: --backend ort")
}

/// Numbers that the tensors of a network have for one position at a time in any case: the largest known networks for
/// 19x19 have a tenth.
const MOST_NUMBERS: usize = 1 << 26;

/// The network at batch 1, with these `outputs`.
fn optimised(
    info: &ModelInfo,
    onnx: &[u8],
    outputs: &[impl AsRef<str>],
) -> TractResult<TypedModel> {
    let model = analysed(info, onnx, outputs)?;
    check_sizes(&model, onnx.len())?;
    model.into_optimized()
}

/// Refuses, for another backend, a network whose tensors would fill the memory. One that tract does not know it cannot
/// judge.
///
/// # Errors
/// [`EvalError::Load`] says which tensors.
#[cfg(feature = "ort")]
pub(super) fn judge(path: &str, onnx: &[u8], info: &ModelInfo) -> Result<(), EvalError> {
    let analyse = || analysed(info, onnx, info.outputs());
    match loaded(analyse) {
        Ok(model) => {
            let checked = check_sizes(&model, onnx.len());
            checked.map_err(|error| EvalError::load(path, format!("{error:#}")))
        }
        Err(_) => Ok(()),
    }
}

/// The network with the shapes of all its tensors.
fn analysed(
    info: &ModelInfo,
    mut onnx: &[u8],
    outputs: &[impl AsRef<str>],
) -> TractResult<TypedModel> {
    tract_onnx::onnx()
        // Intermediate shapes written by other tools have a symbolic batch, which contradicts 1.
        .with_ignore_value_info(true)
        .model_for_read(&mut onnx)?
        .with_input_fact(0, f32::fact(info.input_dims(1)).into())?
        .with_outputs_by_name(outputs)?
        .into_typed()
}

/// Refuses a network whose tensors have more numbers at a time than the size of its file justifies: a few nodes can
/// double them again and again.
fn check_sizes(model: &TypedModel, bytes: usize) -> TractResult<()> {
    // Weights in bytes may be computed as numbers.
    let most = MOST_NUMBERS + 2 * bytes;
    let mut unread: HashMap<OutletId, usize> = HashMap::new();
    let mut live = 0_usize;
    for id in model.eval_order()? {
        let node = model.node(id);
        // Those of the file are as large as it is.
        if !node.op_is::<Const>() {
            for (slot, output) in node.outputs.iter().enumerate() {
                unread.insert(OutletId::new(id, slot), output.successors.len());
                live = live.saturating_add(numbers(&output.fact)?);
            }
        }
        if live > most {
            return Err(TractError::msg(format!(
                "at {node} its tensors have more than {most} numbers for a position"
            )));
        }
        for input in &node.inputs {
            let left = unread.get_mut(input);
            if let Some(left) = left {
                *left -= 1;
                if *left == 0 {
                    live -= numbers(model.outlet_fact(*input)?)?;
                }
            }
        }
    }
    Ok(())
}

fn numbers(fact: &TypedFact) -> TractResult<usize> {
    let dims = fact.shape.as_concrete();
    let dims =
        dims.ok_or_else(|| TractError::msg("the size of a tensor depends on its numbers"))?;
    Ok(dims
        .iter()
        .fold(1, |product: usize, &dim| product.saturating_mul(dim)))
}

/// The stated shapes of the outputs may differ from those computed from the nodes.
fn check_output(model: &TypedModel, output: usize, expected: [usize; 2]) -> TractResult<()> {
    let found = model.output_fact(output)?;
    let expected = f32::fact(expected);
    if found.datum_type == expected.datum_type && found.shape == expected.shape {
        return Ok(());
    }
    Err(TractError::msg(format!(
        "output {output} is {found:?}, not {expected:?}"
    )))
}

fn run_error(error: &impl std::fmt::Display) -> EvalError {
    EvalError::run(BACKEND, format!("{error:#}"))
}

/// Runs a [`TractModel`] for one worker.
#[derive(Debug)]
pub struct TractEvaluator {
    info: ModelInfo,
    tensors: InnerTensors,
}

impl Evaluator for TractEvaluator {
    fn info(&self) -> &ModelInfo {
        &self.info
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.info.check_batch(BACKEND, batch)?;
        out.reset_for(batch.len(), self.info.output_lens());
        for index in 0..batch.len() {
            let copy = |output: usize, numbers: &[f32]| {
                out.output_mut(output, index).copy_from_slice(numbers);
            };
            self.tensors.run(batch.row(index), copy)?;
        }
        Ok(())
    }
}

/// Runs a network and returns the requested tensors.
#[derive(Debug)]
pub struct InnerTensors {
    shape: [usize; 4],
    state: TypedSimpleState,
}

impl InnerTensors {
    /// Loads the bytes of an ONNX file for a board, by default its own, to observe the f32 tensors
    /// `names`; `path` is only used in errors.
    ///
    /// # Errors
    /// As [`self::TractModel::load`]; [`EvalError::Load`] also when there is no such tensor.
    pub fn load(
        path: &str,
        onnx: &[u8],
        names: &[String],
        board: Option<BoardSize>,
    ) -> Result<InnerTensors, EvalError> {
        let info = ModelInfo::read_for(path, onnx, board)?;
        let plan = loaded(|| optimised(&info, onnx, names)?.into_runnable());
        let plan = plan.map_err(|reason| EvalError::load(path, reason))?;
        InnerTensors::new(&plan, &info)
    }

    /// The outputs of a plan for the network of `info`.
    fn new(plan: &Arc<TypedSimplePlan>, info: &ModelInfo) -> Result<InnerTensors, EvalError> {
        Ok(InnerTensors {
            shape: info.input_dims(1),
            state: plan.spawn().map_err(|error| run_error(&error))?,
        })
    }

    /// Evaluates rows of planes; for each row, `observe` gets the index of each name and the
    /// tensor's numbers, `[channel, row, column]`.
    ///
    /// # Errors
    /// [`EvalError::Run`] when tract fails.
    pub fn run(
        &mut self,
        planes: &[f32],
        mut observe: impl FnMut(usize, &[f32]),
    ) -> Result<(), EvalError> {
        let failed = |error| run_error(&error);
        for row in planes.chunks_exact(self.shape.iter().product()) {
            // Recurrent operators would go on from the row before.
            if self.state.op_states.iter().any(Option::is_some) {
                self.state = self.state.plan().spawn().map_err(failed)?;
            }
            let input = Tensor::from_shape(&self.shape, row).map_err(failed)?;
            let found = self.state.run(tvec![input.into()]).map_err(failed)?;
            for (at, tensor) in found.iter().enumerate() {
                let tensor = tensor.try_as_plain_ram().map_err(failed)?;
                observe(at, tensor.as_slice::<f32>().map_err(failed)?);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testnet::SMALL;
    use super::super::{PLANES, POLICY, VALUE, suite};
    use super::TractModel;
    use super::*;
    use crate::eval::testnet::random_batch;
    use crate::eval::{Evaluator, Outputs};
    use crate::onnx::{Attribute, GraphBuilder, Model};

    fn small() -> TractEvaluator {
        let model = TractModel::load("small", &SMALL.onnx(1), None).unwrap();
        model.evaluator().unwrap()
    }

    #[test]
    fn passes_the_suite() {
        suite::check(&mut small());
    }

    /// Its operators keep what they have seen for the next call.
    #[test]
    fn a_recurrent_network_forgets_the_row_before() {
        let info = SMALL.info();
        let mut graph = GraphBuilder::new("recurrent");
        let planes = graph.input(PLANES, info.planes_shape());
        let area = info.size.area();
        // Planes one after the other: [planes, batch, points].
        let steps = graph.reshape(planes, &[-1, info.planes as i64, area as i64]);
        let order = vec![("perm", Attribute::Ints(vec![1, 0, 2]))];
        let steps = graph.node("Transpose", &[steps], order);
        let weights = graph.weights("input", &[1, 4, area], &vec![0.1; 4 * area]);
        let recurrent = graph.weights("recurrent", &[1, 4, 4], &[0.2; 16]);
        let hidden = vec![("hidden_size", Attribute::Int(4))];
        let x = graph.node("RNN", &[steps, weights, recurrent], hidden);
        // [planes, 1, batch, 4]
        let order = vec![("perm", Attribute::Ints(vec![2, 0, 1, 3]))];
        let x = graph.node("Transpose", &[x], order);
        let x = graph.flatten(x);
        let numbers = 4 * info.planes;
        for (name, len, shape) in [
            (POLICY, info.policy_len, info.policy_shape()),
            (VALUE, info.outcomes, info.value_shape()),
        ] {
            let weights = vec![0.3; numbers * len];
            let weights = graph.weights(&format!("{name}.weights"), &[numbers, len], &weights);
            let bias = graph.weights(&format!("{name}.bias"), &[len], &vec![0.0; len]);
            let output = graph.gemm(x, weights, bias);
            graph.output(name, output, shape);
        }
        let onnx = graph.finish(&info.to_metadata()).unwrap();
        let model = TractModel::load("recurrent", &onnx, None).unwrap();
        suite::check(&mut model.evaluator().unwrap());
    }

    #[test]
    fn workers_share_one_plan() {
        let model = TractModel::load("small", &SMALL.onnx(1), None).unwrap();
        let (first, second) = (model.evaluator().unwrap(), model.evaluator().unwrap());
        suite::agree(&mut { first }, &mut { second }, 0.0);
        assert_eq!(
            Arc::strong_count(&model.plan),
            1,
            "both evaluators are gone"
        );
    }

    /// A model whose outputs have `policy_planes` x area and `value_planes` numbers, in
    /// contradiction to its metadata and stated shapes: only tract's own analysis of the nodes can
    /// tell.
    fn model_of_other_shapes(policy_planes: usize, value_planes: usize) -> Vec<u8> {
        let info = SMALL.info();
        let mut graph = GraphBuilder::new("wrong");
        let planes = graph.input(PLANES, info.planes_shape());
        let mut conv = |name: &str, to: usize| {
            let kernel = vec![0.1; to * info.planes];
            let kernel = graph.weights(name, &[to, info.planes, 1, 1], &kernel);
            graph.conv(planes, kernel, None)
        };
        let (policy, value) = (conv("a", policy_planes), conv("b", value_planes));
        let policy = graph.flatten(policy);
        let value = graph.reduce_mean(value, &[2, 3]);
        graph.output(POLICY, policy, info.policy_shape());
        graph.output(VALUE, value, info.value_shape());
        graph.finish(&info.to_metadata()).unwrap()
    }

    #[test]
    fn a_graph_with_other_shapes_than_it_states_is_refused() {
        assert!(TractModel::load("right.onnx", &model_of_other_shapes(1, 2), None).is_ok());
        for (policy_planes, value_planes) in [(2, 2), (1, 3)] {
            let onnx = model_of_other_shapes(policy_planes, value_planes);
            let error = TractModel::load("wrong.onnx", &onnx, None).unwrap_err();
            assert!(error.to_string().contains("tract refuses it"), "{error}");
        }
    }

    #[test]
    fn what_it_computes_otherwise_is_refused() {
        let info = SMALL.info();
        let load = |alpha: f32| {
            let mut graph = GraphBuilder::new("celu");
            let planes = graph.input(PLANES, info.planes_shape());
            let alpha = vec![("alpha", Attribute::Float(alpha))];
            let x = graph.node("Celu", &[planes], alpha);
            let mut conv = |name: &str, to: usize| {
                let kernel = vec![0.1; to * info.planes];
                let kernel = graph.weights(name, &[to, info.planes, 1, 1], &kernel);
                graph.conv(x, kernel, None)
            };
            let (policy, value) = (conv("a", 1), conv("b", info.outcomes));
            let policy = graph.flatten(policy);
            graph.output(POLICY, policy, info.policy_shape());
            let value = graph.reduce_mean(value, &[2, 3]);
            graph.output(VALUE, value, info.value_shape());
            let onnx = graph.finish(&info.to_metadata()).unwrap();
            TractModel::load("celu.onnx", &onnx, None)
        };
        assert!(load(1.0).is_ok());
        let refused = load(0.5).unwrap_err().to_string();
        let is_told =
            refused.contains("Celu_0 with alpha 0.5") && refused.contains("--backend ort");
        assert!(is_told, "{refused}");
    }

    #[test]
    fn damaged_files_are_refused_not_fatal() {
        let onnx = SMALL.onnx(1);
        let len = onnx.len();
        // Nodes come first in the file: this renames the result of the value's node, so that the
        // graph's output names no node.
        let mut renamed = onnx.clone();
        let at = onnx.windows(5).position(|w| w == b"value").unwrap();
        renamed[at] = b'V';
        for damaged in [&onnx[..len / 2], &onnx[len / 2..], &[], &renamed] {
            let error = TractModel::load("broken.onnx", damaged, None).unwrap_err();
            assert!(error.to_string().contains("broken.onnx"), "{error}");
        }
    }

    #[test]
    fn tensors_inside_are_those_that_the_answers_come_from() {
        let onnx = SMALL.onnx(1);
        let nodes = Model::read(&onnx).unwrap().nodes;
        // The policy is its last convolution, flattened.
        let conv = nodes.iter().rfind(|node| node.op == "Conv").unwrap();
        let relu = nodes.iter().find(|node| node.op == "Relu").unwrap();
        let names = [conv.output.clone(), relu.output.clone()];
        let mut tensors = InnerTensors::load("small", &onnx, &names, None).unwrap();
        let model = TractModel::load("small", &onnx, None).unwrap();
        let batch = random_batch(model.info().row_len(), 3, 9);
        let mut answers = Outputs::new();
        let mut evaluator = model.evaluator().unwrap();
        evaluator.evaluate(&batch, &mut answers).unwrap();
        let (mut policies, mut seen) = (Vec::new(), 0);
        let observe = |at: usize, numbers: &[f32]| match at {
            0 => policies.extend_from_slice(numbers),
            _ => {
                assert!(numbers.iter().all(|number| *number >= 0.0));
                assert!(numbers.iter().any(|number| *number > 0.0));
                seen += 1;
            }
        };
        tensors.run(batch.planes(), observe).unwrap();
        let rows = (0..batch.len()).flat_map(|row| answers.policy(row));
        for (found, expected) in policies.iter().zip(rows.clone()) {
            assert!((found - expected).abs() < 1e-5, "{found} {expected}");
        }
        assert_eq!((policies.len(), seen), (rows.count(), batch.len()));
    }

    /// A chain of nodes that double a tensor, 20 of them, took 4 GB.
    #[test]
    fn tensors_that_would_fill_the_memory_are_refused_before_they_are_made() {
        let doubled = |times: usize| {
            let info = SMALL.info();
            let mut graph = GraphBuilder::new("doubled");
            let planes = graph.input(PLANES, info.planes_shape());
            let mut wide = planes;
            for _ in 0..times {
                wide = graph.concat(&[wide, wide], 1);
            }
            let mean = graph.node(
                "ReduceMean",
                &[wide],
                vec![("axes", Attribute::Ints(vec![1]))],
            );
            let kernel = graph.weights("policy.kernel", &[1, 1, 1, 1], &[1.0]);
            let policy = graph.conv(mean, kernel, None);
            let policy = graph.flatten(policy);
            let kernel = graph.weights("value.kernel", &[2, 1, 1, 1], &[1.0; 2]);
            let value = graph.conv(mean, kernel, None);
            let value = graph.reduce_mean(value, &[2, 3]);
            graph.output(POLICY, policy, info.policy_shape());
            graph.output(VALUE, value, info.value_shape());
            let onnx = graph.finish(&info.to_metadata()).unwrap();
            TractModel::load("doubled.onnx", &onnx, None)
        };
        let small = doubled(3);
        assert!(small.is_ok(), "{:?}", small.err());
        let message = doubled(40).unwrap_err().to_string();
        let is_told =
            message.contains("doubled.onnx") && message.contains("numbers for a position");
        assert!(is_told, "{message}");
    }

    #[test]
    fn a_tensor_that_is_not_there_is_named() {
        let names = ["Relu_99".to_owned()];
        let error = InnerTensors::load("small", &SMALL.onnx(1), &names, None).unwrap_err();
        assert!(error.to_string().contains("Relu_99"), "{error}");
    }
}
