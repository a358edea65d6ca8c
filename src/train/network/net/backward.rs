//! Gradients of the operations of [`super::extension`].

use burn::backend::autodiff::NodeId;
use burn::backend::autodiff::checkpoint::base::Checkpointer;
use burn::backend::autodiff::checkpoint::strategy::CheckpointStrategy;
use burn::backend::autodiff::grads::Gradients;
use burn::backend::autodiff::ops::{Backward, Ops, OpsKind};
use burn::backend::tensor::FloatTensor;
use burn::backend::{Autodiff, AutodiffBackend};

use super::extension::{BoardGradients, Boards};
use super::kernel::Sizes;

/// Convolution: saved input and weights.
#[derive(Debug)]
struct Conv {
    sizes: Sizes,
    depthwise: bool,
}

impl<B: BoardGradients> Backward<B, 2> for Conv {
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
            let (gradient, factors, sizes) =
                (gradient.clone(), factors.clone(), self.sizes.clone());
            let to_x = B::board_conv(gradient, factors, sizes, self.depthwise, true);
            grads.register::<B>(node.id, to_x);
        }
        if let Some(node) = node_factors {
            let Conv { sizes, depthwise } = self;
            let to_factors = B::board_conv_weight_gradient(x, factors, gradient, sizes, depthwise);
            grads.register::<B>(node.id, to_factors);
        }
    }
}

/// Addition of a number for each board and channel.
#[derive(Debug)]
struct AddByBoard {
    sizes: Sizes,
}

impl<B: BoardGradients> Backward<B, 2> for AddByBoard {
    type State = ();

    fn backward(self, ops: Ops<(), 2>, grads: &mut Gradients, _checkpointer: &mut Checkpointer) {
        let [node_x, node_bias] = ops.parents;
        let gradient = grads.consume::<B>(&ops.node);
        if let Some(node) = node_bias {
            let to_bias = B::sums_by_board(gradient.clone(), self.sizes);
            grads.register::<B>(node.id, to_bias);
        }
        if let Some(node) = node_x {
            grads.register::<B>(node.id, gradient);
        }
    }
}

/// Batch norm, and the ReLU behind it if there is one: saved input, gamma, beta and moments.
#[derive(Debug)]
struct Norm {
    relu: bool,
}

impl<B: BoardGradients> Backward<B, 3> for Norm {
    type State = ([NodeId; 3], [FloatTensor<B>; 2]);

    fn backward(
        self,
        ops: Ops<Self::State, 3>,
        grads: &mut Gradients,
        checkpointer: &mut Checkpointer,
    ) {
        let gradient = grads.consume::<B>(&ops.node);
        let (saved, [mean, variance]) = ops.state;
        let [x, gamma, beta] =
            saved.map(|node| checkpointer.retrieve_node_output::<FloatTensor<B>>(node));
        let factors = [gamma, beta, mean, variance];
        let gradients = B::board_norm_gradients(x, factors, gradient, self.relu);
        for (node, found) in ops.parents.into_iter().zip(gradients) {
            if let Some(node) = node {
                grads.register::<B>(node.id, found);
            }
        }
    }
}

impl<B: BoardGradients, C: CheckpointStrategy> Boards for Autodiff<B, C> {
    fn board_conv(
        x: FloatTensor<Self>,
        factors: FloatTensor<Self>,
        sizes: Sizes,
        depthwise: bool,
        backward: bool,
    ) -> FloatTensor<Self> {
        let (inner_x, inner_factors) = (x.primitive().clone(), factors.primitive().clone());
        let y = B::board_conv(inner_x, inner_factors, sizes.clone(), depthwise, backward);
        let conv = Conv { sizes, depthwise };
        let prepared = conv.prepare::<C>([x.node(), factors.node()]);
        match prepared.compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                let state = (prep.checkpoint(&x), prep.checkpoint(&factors));
                prep.finish(state, y)
            }
            OpsKind::UnTracked(prep) => prep.finish(y),
        }
    }

    fn add_by_board(
        x: FloatTensor<Self>,
        bias: FloatTensor<Self>,
        sizes: Sizes,
    ) -> FloatTensor<Self> {
        let prepared = AddByBoard {
            sizes: sizes.clone(),
        }
        .prepare::<C>([x.node(), bias.node()]);
        let sum = B::add_by_board(x.into_primitive(), bias.into_primitive(), sizes);
        match prepared.compute_bound().stateful() {
            OpsKind::Tracked(prep) => prep.finish((), sum),
            OpsKind::UnTracked(prep) => prep.finish(sum),
        }
    }

    fn board_norm(
        x: FloatTensor<Self>,
        gamma: FloatTensor<Self>,
        beta: FloatTensor<Self>,
        relu: bool,
    ) -> (FloatTensor<Self>, FloatTensor<Self>, FloatTensor<Self>) {
        let [inner, inner_gamma, inner_beta] =
            [&x, &gamma, &beta].map(|tensor| tensor.primitive().clone());
        let (y, mean, variance) = B::board_norm(inner, inner_gamma, inner_beta, relu);
        let prepared = Norm { relu }.prepare::<C>([x.node(), gamma.node(), beta.node()]);
        let y = match prepared.compute_bound().stateful() {
            OpsKind::Tracked(mut prep) => {
                let saved = [&x, &gamma, &beta].map(|tensor| prep.checkpoint(tensor));
                prep.finish((saved, [mean.clone(), variance.clone()]), y)
            }
            OpsKind::UnTracked(prep) => prep.finish(y),
        };
        (y, Self::from_inner(mean), Self::from_inner(variance))
    }
}
