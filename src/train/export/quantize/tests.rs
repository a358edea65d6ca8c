use super::*;
use crate::durable::files_below;
use crate::export::to_onnx;
use crate::network::architecture::{Architecture, Outputs};
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tengen::game::BoardSize;
use tengen_nn::eval::testnet::SMALL;
use tengen_nn::eval::{BackendKind, Batch, ModelInfo, PLANES, POLICY, VALUE};
use tengen_nn::files::scratch::Scratch;
use tengen_nn::onnx::{GraphBuilder, Header, PRECISION, to_f16};

const SIZE: BoardSize = BoardSize::new(6, 5);
const PLANES_IN: usize = 5;

fn info(network: String) -> ModelInfo {
    ModelInfo {
        size: SIZE,
        planes: PLANES_IN,
        policy_len: SIZE.area(),
        network,
        ..SMALL.info()
    }
}

/// An untrained network, and rows of zeros and ones.
fn network(name: &str) -> (Vec<u8>, Examples) {
    let architecture: Architecture = name.parse().unwrap();
    let (weights, _) = architecture.declare(PLANES_IN, SIZE, 7);
    let info = info(architecture.to_string());
    let onnx = to_onnx(architecture, &weights, &info, Outputs::Play).unwrap();
    (onnx, examples(SIZE, 0.3))
}

/// Rows of zeros with this share of ones.
fn examples(size: BoardSize, ones: f64) -> Examples {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut batch = Batch::new(PLANES_IN * size.area());
    for row in 0..40 {
        let numbers = batch.push(row).iter_mut();
        numbers.for_each(|number| *number = f32::from(u8::from(rng.random_bool(ones))));
    }
    let legal = vec![vec![true; size.area()]; batch.len()];
    Examples { size, batch, legal }
}

/// Eight bits are nearly as accurate, in the intended backend.
#[cfg(feature = "ort")]
#[track_caller]
fn check_int8(name: &str) {
    use tengen_nn::eval::{Difference, LibraryPlaces, OrtModel};
    let library = LibraryPlaces::usual(None);
    if library.find().is_err() {
        return;
    }
    let (onnx, examples) = network(name);
    let int8 = to_int8("test", &onnx, std::slice::from_ref(&examples)).unwrap();
    assert!(int8.len() < onnx.len(), "{} {}", int8.len(), onnx.len());
    let open = |onnx: &[u8]| {
        let model = OrtModel::load(name, onnx.to_vec().into(), None, &library).unwrap();
        model.evaluator().unwrap()
    };
    let Examples { batch, legal, .. } = examples;
    let (mut first, mut second) = (open(&onnx), open(&int8));
    let found = Difference::between([&mut first, &mut second], &batch, &legal).unwrap();
    assert!(is_accepted(&found), "{name}: {found:?}");
    assert!(found.policy_kl > 0.0, "it was rounded: {found:?}");
    let same = Difference::between([&mut open(&onnx), &mut first], &batch, &legal).unwrap();
    assert_eq!(
        (same.policy_kl, same.value, same.same_best),
        (0.0, 0.0, 1.0)
    );
}

#[cfg(feature = "ort")]
#[test]
fn eight_bits_answer_nearly_the_same() {
    check_int8("az-3b16c");
    check_int8("nogozero+-2b32c");
    check_int8("tengen-2b32c");
}

#[test]
fn the_file_says_what_it_is_and_is_not_quantised_twice() {
    let (onnx, examples) = network("az-1b8c");
    let examples = [examples];
    let int8 = to_int8("test", &onnx, &examples).unwrap();
    let (before, after) = (
        ModelInfo::read("f32", &onnx).unwrap(),
        ModelInfo::read("int8", &int8).unwrap(),
    );
    assert_eq!(before, after);
    let precision = Header::read(&int8).unwrap();
    assert_eq!(precision.metadata(PRECISION), Some("int8"));
    let message = to_int8("test", &int8, &examples).unwrap_err().to_string();
    assert!(message.contains("already quantised"), "{message}");
    let half = to_f16(&onnx).unwrap();
    let message = convertible("test", &half).unwrap_err().to_string();
    assert!(message.contains("is not in f32"), "{message}");
}

#[test]
fn a_trial_leaves_the_files_beside_it_alone() {
    let scratch = Scratch::new("quantize-trial");
    let place = |name: &str| scratch.path().join(name);
    let (onnx, examples) = network("az-1b8c");
    durable::write(&place("net.onnx"), &onnx).unwrap();
    durable::write(&place("small.trial.onnx"), b"another").unwrap();
    let runtime = Runtime {
        backend: Some(BackendKind::Tract),
        ..Runtime::usual(None)
    };
    let [network, out] = ["net.onnx", "small.onnx"].map(place);
    let compared = compare(&runtime, &network, &onnx, &out, &[examples]);
    assert_eq!(compared.unwrap().len(), 1);
    let wanted = ["net.onnx", "small.trial.onnx"].map(place);
    assert_eq!(files_below(scratch.path()).unwrap(), wanted);
}

/// The ranges of a network for several boards are those of all of them, in any order.
#[test]
fn ranges_cover_what_any_board_shows() {
    let other = BoardSize::new(4, 7);
    let architecture: Architecture = "tengen+area-1b8c".parse().unwrap();
    let (weights, _) = architecture.declare(PLANES_IN, SIZE, 7);
    let info = ModelInfo {
        boards: vec![SIZE, other],
        ..info(architecture.to_string())
    };
    let onnx = to_onnx(architecture, &weights, &info, Outputs::Play).unwrap();
    let (sparse, full) = (|| examples(SIZE, 0.1), || examples(other, 0.9));
    let int8 = |boards: &[Examples]| to_int8("test", &onnx, boards).unwrap();
    let both = int8(&[sparse(), full()]);
    assert_eq!(both, int8(&[full(), sparse()]));
    assert_ne!(both, int8(&[sparse()]), "the second board shows more");
}

#[test]
fn an_unknown_operator_is_named() {
    let (mut graph, info) = (GraphBuilder::new("strange"), info("strange".to_owned()));
    let x = graph.input(PLANES, info.planes_shape());
    let kernel = graph.weights("kernel", &[1, PLANES_IN, 1, 1], &[0.5; PLANES_IN]);
    let x = graph.conv(x, kernel, None);
    let y = graph.node("Strange", &[x], vec![]);
    let sum = graph.add(x, y);
    let policy = graph.flatten(sum);
    graph.output(POLICY, policy, info.policy_shape());
    let weight = graph.weights("weight", &[SIZE.area(), 2], &vec![0.5; 2 * SIZE.area()]);
    let value = graph.matmul(policy, weight);
    graph.output(VALUE, value, info.value_shape());
    let onnx = graph.finish(&info.to_metadata()).unwrap();
    let message = to_int8("test", &onnx, &[examples(SIZE, 0.0)])
        .unwrap_err()
        .to_string();
    assert!(message.contains("Strange"), "{message}");
}

/// Most of its work is in matrices, and its sums are what it normalises.
#[test]
fn a_transformer_is_refused() {
    let mut graph = GraphBuilder::new("transformer");
    let x = graph.input(PLANES, info(String::new()).planes_shape());
    let shares = graph.node("Softmax", &[x], vec![]);
    graph.output(POLICY, shares, info(String::new()).planes_shape());
    let onnx = graph.finish(&[]).unwrap();
    let refused = to_int8("test", &onnx, &[]).unwrap_err();
    assert!(refused.to_string().contains("a transformer"), "{refused}");
}

/// KataGo's networks begin each block with a normalisation, which is a convolution of one channel each.
#[test]
fn a_convolution_of_one_channel_each_stays_in_f32() {
    let (mut graph, info) = (GraphBuilder::new("net"), info("net".to_owned()));
    let x = graph.input(PLANES, info.planes_shape());
    let conv = |graph: &mut GraphBuilder, x, name: &str, [outputs, inputs]: [usize; 2]| {
        let weights = vec![0.5; outputs * inputs];
        let kernel = graph.weights(name, &[outputs, inputs, 1, 1], &weights);
        match inputs {
            1 => graph.grouped_conv(x, kernel, None, outputs),
            _ => graph.conv(x, kernel, None),
        }
    };
    let x = conv(&mut graph, x, "stem", [2, PLANES_IN]);
    let x = conv(&mut graph, x, "norm", [2, 1]);
    let x = graph.relu(x);
    let x = conv(&mut graph, x, "trunk", [2, 2]);
    let x = conv(&mut graph, x, "logits", [1, 2]);
    let policy = graph.flatten(x);
    graph.output(POLICY, policy, info.policy_shape());
    let weight = graph.weights("weight", &[SIZE.area(), 2], &vec![0.5; 2 * SIZE.area()]);
    let value = graph.matmul(policy, weight);
    graph.output(VALUE, value, info.value_shape());
    let onnx = graph.finish(&info.to_metadata()).unwrap();
    let bytes = to_int8("test", &onnx, &[examples(SIZE, 0.3)]).unwrap();
    let int8 = Model::read_whole(&bytes).unwrap();
    let kernels = int8.tensors.iter().filter(|tensor| tensor.dims.len() == 4);
    let bytes_of: Vec<(&[usize], bool)> = kernels
        .map(|tensor| (&tensor.dims[..2], matches!(tensor.numbers, Numbers::I8(_))))
        .collect();
    for (dims, bytes) in [
        ([2, PLANES_IN], false),
        ([2, 1], false),
        ([2, 2], true),
        ([1, 2], false),
    ] {
        assert!(
            bytes_of.contains(&(&dims[..], bytes)),
            "{dims:?} of {bytes_of:?}"
        );
    }
}
