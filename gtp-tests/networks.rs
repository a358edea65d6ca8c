//! Networks for tests of the engine.

use tengen::encode::{Encode as _, made_up};
use tengen::game::{BoardSize, Game as _};
use tengen::games::nogo::SmallNoGo;
use tengen_nn::eval::{ModelInfo, PLANES, POLICY, VALUE};
use tengen_nn::onnx::{GraphBuilder, Header, Value};

/// The metadata of a NoGo network for a square board.
pub(crate) fn info(side: u8) -> ModelInfo {
    let empty = SmallNoGo::new(BoardSize::square(side)).expect("a usual board");
    let encodings = SmallNoGo::encodings();
    let &encoding = encodings.last().expect("NoGo has an encoding");
    ModelInfo {
        network: "test".to_owned(),
        ..made_up(&empty, encoding)
    }
}

/// Weights for which a [`network`] answers every input that is not all zero with infinity.
pub(crate) const WILD: f32 = 3e38;

/// A network of one layer.
pub(crate) fn network(info: &ModelInfo, weight: f32) -> Vec<u8> {
    network_behind(info, weight, |_, planes| planes)
}

/// The same after a node that keeps the shape of the planes.
pub(crate) fn network_behind(
    info: &ModelInfo,
    weight: f32,
    make: impl FnOnce(&mut GraphBuilder, Value) -> Value,
) -> Vec<u8> {
    let (planes, mut graph) = (info.planes, GraphBuilder::new("test"));
    let input = graph.input(PLANES, info.planes_shape());
    let input = make(&mut graph, input);
    let kernel = graph.weights("kernel", &[1, planes, 1, 1], &vec![0.1; planes]);
    let policy = graph.conv(input, kernel, None);
    let policy = graph.flatten(policy);
    graph.output(POLICY, policy, info.policy_shape());
    let pooled = graph.reduce_mean(input, &[2, 3]);
    let weights = graph.weights("weights", &[planes, 1], &vec![weight; planes]);
    let none = graph.weights("none", &[1], &[0.0]);
    let sum = graph.gemm(pooled, weights, none);
    let last = graph.weights("last", &[1, 2], &[weight, -weight]);
    let nothing = graph.weights("nothing", &[2], &[0.0; 2]);
    let value = graph.gemm(sum, last, nothing);
    graph.output(VALUE, value, info.value_shape());
    graph.finish(&info.to_metadata()).expect("a sound graph")
}

/// A file without its checksum, which would reveal a change.
pub(crate) fn unsealed(onnx: &[u8]) -> &[u8] {
    let seal = Header::read(onnx).expect("a network").checksum;
    let covers = seal.expect("it has a checksum").covers;
    &onnx[..covers]
}

/// A file with the first occurrence of some bytes replaced by others of the same length.
pub(crate) fn patched(onnx: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut onnx = unsealed(onnx).to_vec();
    let at = onnx.windows(from.len()).position(|bytes| bytes == from);
    let at = at.expect("they are in the file");
    onnx[at..][..to.len()].copy_from_slice(to);
    onnx
}

/// A field of a message: its number, and its bytes, fewer than 128.
pub(crate) fn field(number: u8, bytes: &[u8]) -> Vec<u8> {
    let len = u8::try_from(bytes.len()).ok().filter(|len| *len < 128);
    let head = [number << 3 | 2, len.expect("a short field")];
    [&head, bytes].concat()
}

/// A file with an additional field in its graph: repeated messages are merged.
pub(crate) fn with_field(onnx: &[u8], number: u8, message: &[u8]) -> Vec<u8> {
    [unsealed(onnx), &field(7, &field(number, message))].concat()
}
