//! The convolution of [`super::kernel`] as a Burn operation with gradients.
//!
//! Only the `flex` CPU backend computes it by that kernel; any other backend would use its own
//! convolution, through the default bodies.

use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::ops::ConvOptions;
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, Backend, Dispatch, Flex, TensorMetadata, backend_extension};
use burn::tensor::{Tensor, TensorData};

use super::kernel::{self, Shape};

/// Stride-1 convolution that keeps the board's size, its factors `[out, in, kernel, kernel]`.
#[backend_extension(Flex, Autodiff)]
pub(super) trait BoardConvolution: Backend {
    /// `[batch, in, height, width]` to `[batch, out, height, width]`.
    fn board_conv(x: FloatTensor<Self>, factors: FloatTensor<Self>) -> FloatTensor<Self> {
        let options = options(&factors.shape().dims::<4>());
        Self::conv2d(x, factors, None, options)
    }

    /// Gradient of the input.
    fn board_conv_input_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let options = options(&factors.shape().dims::<4>());
        Self::conv2d_x_backward(x, factors, gradient, options)
    }

    /// Gradient of the factors.
    fn board_conv_factor_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let options = options(&factors.shape().dims::<4>());
        Self::conv2d_weight_backward(x, factors, gradient, options)
    }
}

fn options(factors: &[usize; 4]) -> ConvOptions<2> {
    let rim = factors[2] / 2;
    ConvOptions::new([1, 1], [rim, rim], [1, 1], 1)
}

/// The convolution of tensors on any device.
pub(super) fn board_conv(x: Tensor<4>, factors: Tensor<4>) -> Tensor<4> {
    let y = <Dispatch as BoardConvolution>::board_conv(x.into_dispatch(), factors.into_dispatch());
    Tensor::from_dispatch(y)
}

fn shape(x: &FloatTensor<Flex>, factors: &FloatTensor<Flex>) -> Shape {
    let [_, inputs, height, width] = x.shape().dims();
    let [outputs, _, kernel, _] = factors.shape().dims();
    Shape {
        inputs,
        outputs,
        kernel,
        height,
        width,
    }
}

/// Calls `with` with the numbers of a tensor, copied only where they are not in order.
fn with_numbers<R>(tensor: FloatTensor<Flex>, with: impl FnOnce(&[f32]) -> R) -> R {
    match tensor.as_slice::<f32>() {
        Some(numbers) => with(numbers),
        // Every tensor here is f32, so that only the order can be at fault.
        None => with(tensor.to_contiguous().as_slice::<f32>().unwrap_or_default()),
    }
}

fn tensor(numbers: Vec<f32>, dims: [usize; 4]) -> FloatTensor<Flex> {
    FloatTensor::<Flex>::from_data(TensorData::new(numbers, dims))
}

impl BoardConvolution for Flex {
    fn board_conv(x: FloatTensor<Self>, factors: FloatTensor<Self>) -> FloatTensor<Self> {
        let shape = shape(&x, &factors);
        let [batch, ..] = x.shape().dims::<4>();
        let y = with_numbers(x, |x| {
            with_numbers(factors, |f| kernel::forward(shape, x, f))
        });
        tensor(y, [batch, shape.outputs, shape.height, shape.width])
    }

    fn board_conv_input_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (shape, dims) = (shape(&x, &factors), x.shape().dims::<4>());
        let of = |f: &[f32], g: &[f32]| kernel::input_gradient(shape, f, g);
        let numbers = with_numbers(factors, |f| with_numbers(gradient, |g| of(f, g)));
        tensor(numbers, dims)
    }

    fn board_conv_factor_gradient(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        gradient: FloatTensor<Self>,
    ) -> FloatTensor<Self> {
        let (shape, dims) = (shape(&x, &factors), factors.shape().dims::<4>());
        let of = |x: &[f32], g: &[f32]| kernel::factor_gradient(shape, x, g);
        let numbers = with_numbers(x, |x| with_numbers(gradient, |g| of(x, g)));
        tensor(numbers, dims)
    }
}

/// The backward pass.
#[derive(Debug)]
struct BoardConv;

impl<B: Backend + BoardConvolution> Backward<B, 2> for BoardConv {
    /// Where the input and the factors are kept.
    type State = (NodeId, NodeId);

    fn backward(
        self,
        ops: Ops<Self::State, 2>,
        grads: &mut Gradients,
        checkpointer: &mut Checkpointer,
    ) {
        let [node_x, node_factors] = ops.parents;
        let gradient = grads.consume::<B>(&ops.node);
        let (x, factors) = ops.state;
        let x = checkpointer.retrieve_node_output::<FloatTensor<B>>(x);
        let factors = checkpointer.retrieve_node_output::<FloatTensor<B>>(factors);
        if let Some(node) = node_x {
            let to_x = B::board_conv_input_gradient(x.clone(), factors.clone(), gradient.clone());
            grads.register::<B>(node.id, to_x);
        }
        if let Some(node) = node_factors {
            let to_factors = B::board_conv_factor_gradient(x, factors, gradient);
            grads.register::<B>(node.id, to_factors);
        }
    }
}

impl<B: Backend + BoardConvolution, C: CheckpointStrategy> BoardConvolution for Autodiff<B, C> {
    fn board_conv(x: FloatTensor<Self>, factors: FloatTensor<Self>) -> FloatTensor<Self> {
        let prepared = BoardConv.prepare::<C>([x.node(), factors.node()]);
        match prepared.compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                let state = (prep.checkpoint(&x), prep.checkpoint(&factors));
                prep.finish(
                    state,
                    B::board_conv(x.into_primitive(), factors.into_primitive()),
                )
            }
            OpsKind::UnTracked(prep) => {
                prep.finish(B::board_conv(x.into_primitive(), factors.into_primitive()))
            }
        }
    }
}
