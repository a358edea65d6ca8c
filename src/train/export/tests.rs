use super::*;
use crate::fit::batch;
use crate::network::net::{AuxHead, Forward, Mode, Role, all_numbers};
use burn::tensor::Device;
use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tengen::game::BoardSize;
use tengen_nn::eval::testnet::SMALL;
use tengen_nn::eval::{Batch, Evaluator, NativeModel, Outputs as Answers, TractModel};
use tengen_nn::onnx::Header;

const ROWS: usize = 7;
const PLANES_IN: usize = 12;
const SIZE: BoardSize = BoardSize::new(6, 5);

/// Random weights with non-trivial norms: any scale and shift, and positive variances.
fn weights(architecture: Architecture, shape: GameShape) -> Weights {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let (mut weights, _) = architecture.declare(PLANES_IN, shape, 3);
    for weight in weights.tensors_mut() {
        if weight.role != Role::Weight {
            let numbers = weight.values.iter_mut();
            numbers.for_each(|number| *number = 0.5 + rng.random::<f32>());
        }
    }
    weights
}

fn info(architecture: Architecture, shape: GameShape) -> ModelInfo {
    ModelInfo {
        game: if shape.scored { "go" } else { "nogo" }.to_owned(),
        size: SIZE,
        planes: PLANES_IN,
        policy_len: SIZE.area() + usize::from(shape.passes),
        outcomes: shape.outcomes,
        network: architecture.to_string(),
        games: 1,
        steps: 2,
        ..SMALL.info()
    }
}

fn input(row_len: usize) -> Batch {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    let mut batch = Batch::new(row_len);
    for row in 0..ROWS {
        let numbers = batch.push(row as u128).iter_mut();
        numbers.for_each(|number| *number = f32::from(rng.random_range(0..3u8) / 2));
    }
    batch
}

/// Policy, value and score heads (the lead, then the owners) as computed by Burn, from running
/// statistics.
fn fitted(
    architecture: Architecture,
    weights: &Weights,
    shape: GameShape,
    input: &Batch,
) -> [Vec<f32>; 3] {
    let rows = batch::Batch {
        size: shape.size,
        len: ROWS,
        planes: input.planes().to_vec(),
        mask: vec![],
        policy: vec![],
        value: vec![],
        aux_targets: vec![],
    };
    let device = Device::flex();
    let mut forward = Forward::new(weights, &device, Mode::Infer);
    let planes = batch::planes(&[rows], &device);
    let heads = architecture.describe(&mut forward, &planes, shape, Outputs::All);
    let aux = |head| {
        let found = heads.aux.iter().find(|(found, _)| *found == head);
        found.map_or(Vec::new(), |(_, logits)| all_numbers(logits.clone()))
    };
    let (lead, owners) = (aux(AuxHead::Lead), aux(AuxHead::Ownership));
    let rows = lead.chunks(1).zip(owners.chunks(shape.size.area()));
    let points = rows.flat_map(|(lead, owners)| lead.iter().chain(owners));
    let points = points.copied().collect();
    [all_numbers(heads.policy), all_numbers(heads.value), points]
}

#[track_caller]
fn same(architecture: Architecture, fitted: &[Vec<f32>; 3], answers: &Answers) {
    let [policy, value, points] = fitted;
    let [policy_len, outcomes] = [policy, value].map(|logits| logits.len() / ROWS);
    let points_len = answers.points(0).len();
    for row in 0..ROWS {
        let exported = answers.policy(row).iter().chain(answers.value_logits(row));
        let exported = exported.chain(answers.points(row));
        let fitted = policy[row * policy_len..][..policy_len]
            .iter()
            .chain(&value[row * outcomes..][..outcomes])
            .chain(&points[row * points_len..][..points_len]);
        for (fitted, exported) in fitted.zip(exported) {
            let scale = fitted.abs().max(1.0);
            assert!(
                (fitted - exported).abs() < 1e-4 * scale,
                "{architecture}: {fitted} {exported}"
            );
        }
    }
    let spread = policy
        .iter()
        .copied()
        .fold(0.0, |most: f32, x| most.max(x.abs()));
    assert!(spread > 0.1, "the network says something: {spread}");
}

/// Burn and the engine's backends agree on the folded file, for every family.
#[track_caller]
fn check(name: &str, shape: GameShape) {
    let architecture: Architecture = name.parse().unwrap();
    let (weights, mut info) = (weights(architecture, shape), info(architecture, shape));
    let input = input(info.row_len());
    let fitted = fitted(architecture, &weights, shape, &input);
    for outputs in [Outputs::Play, Outputs::All] {
        let onnx = to_onnx(architecture, &weights, &info, outputs).unwrap();
        let header = Header::read(&onnx).unwrap();
        let aux_heads = architecture.aux_heads(shape).iter();
        let there = aux_heads
            .filter(|head| header.output(head.name()).is_some())
            .count();
        let wanted = match outputs {
            Outputs::Play => 0,
            Outputs::All => architecture.aux_heads(shape).len(),
        };
        assert_eq!(there, wanted, "{architecture}");
        let has = |head| outputs == Outputs::All && architecture.aux_heads(shape).contains(&head);
        if has(AuxHead::Lead) {
            info.points = 1 + usize::from(has(AuxHead::Ownership)) * SIZE.area();
        }
        if outputs == Outputs::Play {
            let short: usize = weights.tensors().iter().map(|w| w.values.len()).sum();
            assert!(
                onnx.len() < 4 * short + 20_000,
                "{architecture}: no weight is there twice"
            );
        }

        let mut answers = Answers::new();
        let model = TractModel::load("test", &onnx, None).unwrap();
        let mut evaluator = model.evaluator().unwrap();
        assert_eq!(*evaluator.info(), info);
        evaluator.evaluate(&input, &mut answers).unwrap();
        same(architecture, &fitted, &answers);
        let model = NativeModel::load("test", &onnx, None).unwrap();
        model.evaluator().evaluate(&input, &mut answers).unwrap();
        same(architecture, &fitted, &answers);
        #[cfg(feature = "ort")]
        ort(architecture, &onnx, &fitted, &input);
    }
}

#[cfg(feature = "ort")]
fn ort(architecture: Architecture, onnx: &[u8], fitted: &[Vec<f32>; 3], input: &Batch) {
    use tengen_nn::eval::{LibraryPlaces, OrtModel};
    let library = LibraryPlaces::usual(None);
    // Without ONNX Runtime, only tract is checked.
    if library.find().is_ok() {
        let model = OrtModel::load("test", onnx.to_vec().into(), None, &library).unwrap();
        let mut answers = Answers::new();
        model
            .evaluator()
            .unwrap()
            .evaluate(input, &mut answers)
            .unwrap();
        same(architecture, fitted, &answers);
    }
}

#[test]
fn az_and_its_additions_are_exported_as_fitted() {
    check("az-2b16c", SIZE.into());
    check("az+garb-2b16c", SIZE.into());
    check("az+mtl-1b16c", SIZE.into());
    check("az+asf-1b8c", SIZE.into());
    check("nogozero+-2b32c", SIZE.into());
}

#[test]
fn tengen_is_exported_as_fitted() {
    check("tengen-2b32c", SIZE.into());
    check("tengen-1b8c", SIZE.into());
}

/// With a pass after the points, three results, and the heads of games that count points.
#[test]
fn networks_that_pass_are_exported_as_fitted() {
    let go = GameShape {
        size: SIZE,
        outcomes: 3,
        passes: true,
        scored: true,
    };
    for name in [
        "tengen-2b32c",
        "tengen+area-2b32c",
        "az-1b8c",
        "nogozero+-2b32c",
        "mobile-2b16c20",
        "mobile+dense-1b8c",
        "a0-2b16c",
        "a0+dense-1b8c",
        "golois-2b16c",
        "golois+dense-1b8c",
    ] {
        check(name, go);
    }
}

/// The parameters of Cazenave's networks, counted in the exported files: as the paper counts them, with four numbers
/// a channel of each norm, where the file has one or two, and with the biases before norms that change nothing; and
/// without what only ours have.
#[test]
fn cazenaves_networks_have_the_papers_numbers_of_parameters() {
    const AREA: usize = 361;
    let shape = GameShape {
        size: BoardSize::square(19),
        outcomes: 2,
        passes: true,
        scored: true,
    };
    for (name, blocks, channels, paper) in [
        ("mobile-33b64c200", 33, 64, 970_477),
        ("golois-13b64c", 13, 64, 968_485),
        ("mobile-40b128c", 40, 128, 5_621_477),
        ("mobile+dense-25b64c200", 25, 64, 997_506),
        ("a0+dense-10b63c", 10, 63, 986_748),
        ("a0+dense-20b256c", 20, 256, 23_925_242),
    ] {
        let architecture: Architecture = name.parse().unwrap();
        let (weights, _) = architecture.declare(21, shape, 1);
        let info = ModelInfo {
            size: shape.size,
            planes: 21,
            policy_len: AREA + 1,
            ..info(architecture, shape)
        };
        let onnx = to_onnx(architecture, &weights, &info, Outputs::Play).unwrap();
        let model = tengen_nn::onnx::Model::read(&onnx).unwrap();
        let floats = |tensor: &tengen_nn::onnx::Tensor| match &tensor.numbers {
            tengen_nn::onnx::Numbers::F32(numbers) => numbers.len(),
            _ => 0,
        };
        let exported: usize = model.tensors.iter().map(floats).sum();

        let gammas = weights
            .tensors()
            .iter()
            .filter(|w| w.name.ends_with("gamma"));
        let normed: usize = gammas.map(|gamma| gamma.values.len()).sum();
        let (is_dense, is_golois) = (name.contains("+dense"), name.starts_with("golois"));
        let alone = if is_golois { blocks * channels } else { 0 };
        let biased = channels
            + if name.starts_with("a0") {
                2 * blocks * channels
            } else {
                0
            };
        let biased = biased + if is_dense { 2 } else { 0 };
        // A pass, a bias of the policy, a second result.
        let pass = if is_dense { 2 * AREA + 1 } else { channels + 1 };
        let ours = pass + usize::from(!is_dense) + 51;
        assert_eq!(
            exported + 3 * normed - alone + biased - ours,
            paper,
            "{name}"
        );
    }
}
