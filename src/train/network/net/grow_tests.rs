//! Grown networks answer as before, and use their new parts once trained.

use burn::tensor::{Device, Tensor, TensorData};

use super::testing::lively_weights;
use super::{Forward, Maps, Mode, Weights, numbers};
use crate::network::architecture::{Architecture, GameShape, Outputs};
use tengen::game::BoardSize;

const PLANES: usize = 3;

fn shape(passes: bool) -> GameShape {
    GameShape {
        size: BoardSize::new(5, 4),
        outcomes: 3,
        passes,
        scored: passes,
    }
}

/// All outputs for a board with nonzero planes everywhere.
fn answers(network: Architecture, weights: &Weights, shape: GameShape) -> Vec<f32> {
    let count = shape.size.area() * PLANES;
    let planes = (0..count).map(|at| (at * 7 % 11) as f32 / 5.0 - 1.0);
    let dims = [1, shape.size.height.into(), shape.size.width.into(), PLANES];
    let device = Device::flex();
    let planes = TensorData::new(planes.collect::<Vec<f32>>(), dims);
    let planes = Maps::of(vec![Tensor::<4>::from_data(planes, &device)]);
    let mut forward = Forward::new(weights, &device, Mode::Infer);
    let heads = network.describe(&mut forward, &planes, shape, Outputs::All);
    let heads = heads.by_size().remove(0);
    let mut all = numbers(heads.policy);
    all.extend(numbers(heads.value));
    all.extend(
        heads
            .aux
            .into_iter()
            .flat_map(|(_, answer)| numbers(answer)),
    );
    all
}

fn network(name: &str) -> Architecture {
    name.parse().unwrap()
}

#[test]
fn a_grown_network_answers_as_before() {
    for (small, large) in [
        ("tengen-5b8c", "tengen-8b12c"),
        ("tengen-2b32c", "tengen-3b48c"),
        ("tengen+area-2b8c", "tengen+area-4b8c"),
        ("tengen-1b8c", "tengen-1b20c"),
        ("az-2b8c", "az-5b9c"),
        ("nogozero+-2b8c", "nogozero+-4b12c"),
        ("gobang-1b8c", "gobang-2b16c"),
        ("mobile-2b8c", "mobile-3b12c"),
        ("mobile+dense-2b8c", "mobile+dense-2b8c64"),
        ("tengen-2b8c", "tengen-2b8c"),
    ] {
        let (small, large) = (network(small), network(large));
        for shape in [shape(false), shape(true)] {
            let before = lively_weights(small, PLANES, shape);
            let grown = large.grown_from(small, &before, PLANES, shape, 9).unwrap();
            let (initial, _) = large.declare(PLANES, shape, 9);
            assert!(grown.same_shape(&initial), "{small} to {large}");
            if small == large {
                assert_eq!(grown, before);
            }
            let [before, after] = [(small, &before), (large, &grown)]
                .map(|(network, weights)| answers(network, weights, shape));
            assert_eq!(before.len(), after.len());
            for (before, after) in before.iter().zip(&after) {
                let difference = (before - after).abs();
                assert!(
                    difference < 1e-4 * (1.0 + before.abs()),
                    "{small} to {large}: {before} {after}"
                );
            }
        }
    }
}

/// New parts have distinct random weights, so that they can be trained.
#[test]
fn what_is_new_is_random() {
    let shape = shape(false);
    let (small, large) = (network("tengen-2b8c"), network("tengen-4b12c"));
    let before = lively_weights(small, PLANES, shape);
    let grown = large.grown_from(small, &before, PLANES, shape, 9);
    let grown = grown.unwrap();
    let stem = grown.get("stem.weight");
    let each = stem.values.len() / 12;
    assert!(stem.values[8 * each..].iter().all(|&value| value != 0.0));
    let values = |name: &str| grown.get(name).values.iter();
    assert!(values("block3.local.weight").all(|&value| value != 0.0));
    assert!(values("block3.b.gamma").all(|&value| value == 0.0));
    assert!(values("block1.b.gamma").all(|&value| value != 0.0));
}

#[test]
fn what_is_not_larger_is_refused() {
    let shape = shape(false);
    for (small, large) in [
        ("tengen-2b12c", "tengen-4b8c"),
        ("tengen-4b8c", "tengen-2b8c"),
        ("tengen-4b8c", "tengen-3b16c"),
        ("gobang+plain-1b8c", "gobang+plain-2b8c"),
        ("gobang+dense-1b8c", "gobang+dense-2b8c"),
        ("gobang-1b8c", "gobang+plain-1b8c"),
    ] {
        let (small, large) = (network(small), network(large));
        let before = lively_weights(small, PLANES, shape);
        let grown = large.grown_from(small, &before, PLANES, shape, 9);
        assert!(grown.is_none(), "{small} to {large}");
    }
    // A layer as large as the board fits no other board.
    let dense = network("gobang-1b8c");
    let before = lively_weights(dense, PLANES, shape);
    let larger = GameShape {
        size: BoardSize::square(6),
        ..shape
    };
    let grown = dense.grown_from(dense, &before, PLANES, larger, 9);
    assert!(grown.is_none());
}
