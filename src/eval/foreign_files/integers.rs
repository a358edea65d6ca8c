//! Constants in integers, and rounding.

use super::changes::*;
use super::{Case, Change, Refused, Same, case};
use crate::onnx::testing::{ModelProto, TensorProto};

pub(super) fn integers() -> Vec<Case> {
    let op = "DequantizeLinear";
    let dequantised = move |change: Change| {
        move |model: &mut ModelProto| {
            dequantise_kernel(model);
            change(model);
        }
    };
    let zero = |zero: i64| {
        move |model: &mut ModelProto| {
            dequantise_kernel(model);
            let zeros = TensorProto {
                name: "zero".to_owned(),
                dims: vec![8],
                data_type: 3,
                int32_data: vec![zero as i32; 8],
                ..TensorProto::default()
            };
            graph(model).initializer.push(zeros);
            node(model, "DequantizeLinear")
                .input
                .push("zero".to_owned());
        }
    };
    vec![
        case("integers: scales of axis 0", dequantise_kernel, Same),
        case(
            "integers: axis 0 from behind",
            dequantised(Box::new(int(op, "axis", -4))),
            Same,
        ),
        case(
            "integers: no axis",
            dequantised(Box::new(without(op, "axis"))),
            Refused("DequantizeLinear dequantised: its attribute axis is 1 (without one it is 1)"),
        ),
        case(
            "integers: axis 1",
            dequantised(Box::new(int(op, "axis", 1))),
            Refused("axis is 1"),
        ),
        case(
            "integers: an axis beyond",
            dequantised(Box::new(int(op, "axis", 4))),
            Refused("axis is 4, of 4"),
        ),
        case("integers: one scale, no axis", one_scale, Same),
        case("integers: zeros", zero(0), Same),
        case(
            "integers: a zero that is none",
            zero(3),
            Refused("its zero zero is not 0"),
        ),
        case(
            "integers: blocks",
            dequantised(Box::new(both(opset(21), int(op, "block_size", 2)))),
            Refused("its attribute block_size is 2, not 0"),
        ),
        case(
            "integers: blocks before their time",
            dequantised(Box::new(int(op, "block_size", 0))),
            Refused("block_size (0) is not known"),
        ),
        case(
            "integers: a scale in half precision",
            dequantised(Box::new(|model: &mut ModelProto| {
                let scale = tensor(model, "scale");
                scale.data_type = 10;
                scale.float_data.clear();
                scale.int32_data = vec![0x2400; 8];
            })),
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
