//! Constants in integers, and rounding.

use super::changes::*;
use super::{Case, Refused, Same, case};
use crate::onnx::testing::{ModelProto, TensorProto};

/// An integer kernel, with another modification.
fn dequantised(change: impl Fn(&mut ModelProto)) -> impl Fn(&mut ModelProto) {
    both(dequantise_kernel, change)
}

/// An integer kernel with this zero point.
fn with_zero(zero: i32) -> impl Fn(&mut ModelProto) {
    dequantised(move |model| {
        graph(model).initializer.push(TensorProto {
            name: "zero".to_owned(),
            dims: vec![8],
            data_type: 3,
            int32_data: vec![zero; 8],
            ..TensorProto::default()
        });
        let inputs = &mut node(model, "DequantizeLinear").input;
        inputs.push("zero".to_owned());
    })
}

pub(super) fn integers() -> Vec<Case> {
    vec![
        case("integers: scales of axis 0", dequantise_kernel, Same),
        case(
            "integers: axis 0 from behind",
            dequantised(int("DequantizeLinear", "axis", -4)),
            Same,
        ),
        case(
            "integers: no axis",
            dequantised(without("DequantizeLinear", "axis")),
            Refused("DequantizeLinear dequantised: its attribute axis is 1 (without one it is 1)"),
        ),
        case(
            "integers: axis 1",
            dequantised(int("DequantizeLinear", "axis", 1)),
            Refused("axis is 1"),
        ),
        case(
            "integers: an axis beyond",
            dequantised(int("DequantizeLinear", "axis", 4)),
            Refused("axis is 4, of 4"),
        ),
        case("integers: one scale, no axis", one_scale, Same),
        case("integers: zeros", with_zero(0), Same),
        case(
            "integers: a zero that is none",
            with_zero(3),
            Refused("its zero zero is not 0"),
        ),
    ]
}

pub(super) fn forms() -> Vec<Case> {
    vec![
        case(
            "integers: blocks",
            dequantised(both(opset(21), int("DequantizeLinear", "block_size", 2))),
            Refused("its attribute block_size is 2, not 0"),
        ),
        case(
            "integers: blocks before their time",
            dequantised(int("DequantizeLinear", "block_size", 0)),
            Refused("block_size (0) is not known"),
        ),
        case(
            "integers: a scale in half precision",
            dequantised(|model: &mut ModelProto| {
                let scale = tensor(model, "scale");
                scale.data_type = 10;
                scale.float_data.clear();
                scale.int32_data = vec![0x2400; 8];
            }),
            Refused("its scale scale is not float32"),
        ),
        case(
            "integers: rounded by others",
            |model: &mut ModelProto| {
                one_scale(model);
                behind("Relu", |name| {
                    new_node("QuantizeLinear", &[&name, "scale"], "bytes")
                })(model);
                behind("QuantizeLinear", |name| {
                    new_node("DequantizeLinear", &[&name, "scale"], "numbers")
                })(model);
            },
            Refused("rounding may not be left out"),
        ),
    ]
}
