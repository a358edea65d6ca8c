//! Convolutions, fully connected layers and factors, attribute by attribute.

use super::changes::*;
use super::{Case, Refused, Same, case};
use crate::onnx::testing::ModelProto;

/// Zeros for the first convolution's bias.
pub(super) fn zero_bias(model: &mut ModelProto) {
    constant(model, "Conv", 2).raw_data = Some(vec![0; 8 * 4]);
}

/// A file whose first bias is all zero.
pub(super) fn no_bias() -> Vec<Case> {
    vec![
        case(
            "conv: an empty bias",
            |model: &mut ModelProto| node(model, "Conv").input[2].clear(),
            Same,
        ),
        case(
            "conv: no bias",
            |model: &mut ModelProto| node(model, "Conv").input.truncate(2),
            Same,
        ),
    ]
}

pub(super) fn convolutions() -> Vec<Case> {
    vec![
        case(
            "conv: auto_pad NOTSET",
            word("Conv", "auto_pad", "NOTSET"),
            Same,
        ),
        case(
            "conv: auto_pad SAME_UPPER",
            both(
                word("Conv", "auto_pad", "SAME_UPPER"),
                without("Conv", "pads"),
            ),
            Refused("Conv Conv_0: its attribute auto_pad is \"SAME_UPPER\""),
        ),
        case(
            "conv: no kernel_shape",
            without("Conv", "kernel_shape"),
            Same,
        ),
        case(
            "conv: another kernel_shape",
            ints("Conv", "kernel_shape", &[1, 1]),
            Refused("its attribute kernel_shape is [1, 1], not [3, 3]"),
        ),
    ]
}

pub(super) fn windows() -> Vec<Case> {
    let dilated = both(
        ints("Conv", "dilations", &[2, 2]),
        ints("Conv", "pads", &[2; 4]),
    );
    vec![
        case(
            "conv: no pads",
            without("Conv", "pads"),
            Refused("its attribute pads is [0, 0, 0, 0], not [1, 1, 1, 1]"),
        ),
        case(
            "conv: pads on two sides",
            ints("Conv", "pads", &[2, 2, 0, 0]),
            Refused("pads"),
        ),
        case(
            "conv: usual strides and dilations",
            both(
                ints("Conv", "strides", &[1, 1]),
                ints("Conv", "dilations", &[1, 1]),
            ),
            Same,
        ),
        case(
            "conv: strides",
            ints("Conv", "strides", &[1, 2]),
            Refused("strides is [1, 2]"),
        ),
        case("conv: dilations", dilated, Refused("dilations is [2, 2]")),
        case("conv: no group", without("Conv", "group"), Same),
        case(
            "conv: group 0",
            int("Conv", "group", 0),
            Refused("0 groups"),
        ),
        case(
            "conv: group is a float",
            float("Conv", "group", 1.0),
            Refused("its attribute group is 1.0, not one integer"),
        ),
        case(
            "conv: unknown attribute",
            word("Conv", "activation", "Tanh"),
            Refused("its attribute activation (\"Tanh\") is not known"),
        ),
        case(
            "conv: four inputs",
            |model: &mut ModelProto| node(model, "Conv").input.push("weight_2".to_owned()),
            Refused("it has 4 inputs"),
        ),
        case(
            "conv: bias of two dimensions",
            shape("Conv", 2, &[8, 1]),
            Refused("its bias has the shape [8, 1], not [8]"),
        ),
    ]
}

pub(super) fn layers() -> Vec<Case> {
    let turned = |model: &mut ModelProto| {
        int("Gemm", "transB", 1)(model);
        let weights = constant(model, "Gemm", 1);
        let [rows, columns] = [weights.dims[0] as usize, weights.dims[1] as usize];
        let raw = weights.raw_data.take().unwrap();
        let (numbers, _) = raw.as_chunks::<4>();
        let turned = |i: usize| numbers[i % rows * columns + i / rows];
        weights.raw_data = Some((0..rows * columns).flat_map(turned).collect());
        weights.dims.reverse();
    };
    vec![
        case(
            "gemm: usual values",
            both(float("Gemm", "alpha", 1.0), int("Gemm", "transA", 0)),
            Same,
        ),
        case(
            "gemm: alpha",
            float("Gemm", "alpha", 0.5),
            Refused("its attribute alpha is 0.5"),
        ),
        case(
            "gemm: beta",
            float("Gemm", "beta", 0.0),
            Refused("its attribute beta is 0.0"),
        ),
        case(
            "gemm: alpha is an integer",
            int("Gemm", "alpha", 1),
            Refused("alpha is 1, not one"),
        ),
        case(
            "gemm: transA",
            int("Gemm", "transA", 1),
            Refused("transA is 1"),
        ),
        case("gemm: transB", turned, Same),
        case("gemm: a row as bias", shape("Gemm", 2, &[1, 8]), Same),
        case(
            "gemm: a column as bias",
            shape("Gemm", 2, &[8, 1]),
            Refused("the shape [8, 1]"),
        ),
        case(
            "gemm: broadcast of old",
            int("Gemm", "broadcast", 1),
            Refused("broadcast (1)"),
        ),
        case("mul: one number", shape("Mul", 1, &[]), Same),
        case(
            "mul: a number of three dimensions",
            shape("Mul", 1, &[1, 1, 1]),
            Refused("it multiplies a [batch, 8] by numbers of the shape [1, 1, 1]"),
        ),
    ]
}
