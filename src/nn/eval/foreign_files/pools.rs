//! Pools over height and width, and the operators that join and flatten them.

use super::changes::*;
use super::{Case, Refused, Same, case};
use crate::onnx::testing::{ModelProto, NodeProto};

/// A vector, behind a pool that keeps its dimensions.
fn flattened(name: String) -> NodeProto {
    new_node("Flatten", &[&name], "flattened")
}

pub(super) fn pools() -> Vec<Case> {
    vec![
        case(
            "pool: axes from behind",
            ints("ReduceMean", "axes", &[-2, -1]),
            Same,
        ),
        case(
            "pool: axes the other way round",
            ints("ReduceMax", "axes", &[3, 2]),
            Same,
        ),
        case(
            "pool: axes of both kinds",
            ints("ReduceMax", "axes", &[-1, 2]),
            Same,
        ),
        case(
            "pool: other axes",
            ints("ReduceMax", "axes", &[1, 2]),
            Refused("axes are [1, 2]"),
        ),
        case(
            "pool: the same axis twice",
            ints("ReduceMax", "axes", &[3, -1]),
            Refused("axes"),
        ),
        case(
            "pool: no axes",
            without("ReduceMean", "axes"),
            Refused("without axes it takes all together"),
        ),
        case(
            "pool: empty axes",
            ints("ReduceMean", "axes", &[]),
            Refused("axes are []"),
        ),
    ]
}

pub(super) fn kept() -> Vec<Case> {
    let kept = |op| both(int(op, "keepdims", 1), behind(op, flattened));
    vec![
        case("pool: keepdims and flattened", kept("ReduceMean"), Same),
        case(
            "pool: keepdims is usual",
            both(
                without("ReduceSum", "keepdims"),
                behind("ReduceSum", flattened),
            ),
            Same,
        ),
        case(
            "pool: keepdims in a join",
            int("ReduceMean", "keepdims", 1),
            Refused("it joins a [batch, 8, 1, 1] and a [batch, 8]"),
        ),
        case(
            "pool: keepdims 0 that is not written",
            |model: &mut ModelProto| {
                let mut attributes = node(model, "ReduceMean").attribute.iter_mut();
                attributes.find(|a| a.name == "keepdims").unwrap().i = None;
            },
            Same,
        ),
    ]
}

pub(super) fn axes_by_set() -> Vec<Case> {
    let at_18 = |op| {
        both(
            opset(18),
            both(axes_as_input("ReduceMax"), axes_as_input(op)),
        )
    };
    vec![
        case("pool: axes as input at 18", at_18("ReduceMean"), Same),
        case(
            "pool: axes as attribute at 18",
            opset(18),
            Refused("in operator set 18 axes are an input"),
        ),
        case(
            "pool: axes as input at 17",
            axes_as_input("ReduceMean"),
            Refused("in operator set 17 axes are an attribute"),
        ),
        case(
            "pool: noop at 17",
            int("ReduceMean", "noop_with_empty_axes", 0),
            Refused("noop"),
        ),
        case(
            "pool: noop with axes",
            int("ReduceSum", "noop_with_empty_axes", 1),
            Same,
        ),
        case(
            "pool: a sum without axes",
            |model: &mut ModelProto| node(model, "ReduceSum").input.truncate(1),
            Refused("without axes it takes all together"),
        ),
        case(
            "pool: a sum's axes as attribute",
            ints("ReduceSum", "axes", &[2, 3]),
            Refused("in operator set 17 axes are an input"),
        ),
        case(
            "pool: global and flattened",
            |model: &mut ModelProto| {
                let pool = node(model, "ReduceMean");
                pool.op_type = "GlobalAveragePool".to_owned();
                pool.attribute.clear();
                behind("GlobalAveragePool", flattened)(model);
            },
            Same,
        ),
        case(
            "pool: of another kind",
            |model: &mut ModelProto| node(model, "ReduceMax").op_type = "ReduceMin".to_owned(),
            Refused("ReduceMin ReduceMax_"),
        ),
    ]
}

/// All pools keep their dimensions, and are joined along an axis, then flattened.
fn joined(axis: i64) -> impl Fn(&mut ModelProto) {
    move |model| {
        for op in ["ReduceMean", "ReduceMax", "ReduceSum"] {
            int(op, "keepdims", 1)(model);
        }
        int("Concat", "axis", axis)(model);
        behind("Concat", flattened)(model);
    }
}

pub(super) fn joins() -> Vec<Case> {
    vec![
        case("concat: the last axis", int("Concat", "axis", -1), Same),
        case(
            "concat: no axis",
            without("Concat", "axis"),
            Refused("it lacks the attribute axis"),
        ),
        case(
            "concat: the batch",
            int("Concat", "axis", 0),
            Refused("its attribute axis is 0"),
        ),
        case("concat: of pools that keep dimensions", joined(1), Same),
        case("concat: of pools, from behind", joined(-3), Same),
        case(
            "concat: of pools, the last axis",
            joined(-1),
            Refused("its attribute axis is 3"),
        ),
        case(
            "concat: of pools, rows",
            joined(2),
            Refused("its attribute axis is 2"),
        ),
        case("flatten: from behind", int("Flatten", "axis", -3), Same),
        case("flatten: no axis", without("Flatten", "axis"), Same),
        case(
            "flatten: the batch",
            int("Flatten", "axis", 0),
            Refused("axis is 0, not 1"),
        ),
        case(
            "flatten: two axes",
            int("Flatten", "axis", 2),
            Refused("axis is 2, not 1"),
        ),
        case(
            "flatten: the last axis",
            int("Flatten", "axis", -1),
            Refused("axis is 3, not 1"),
        ),
    ]
}
