//! Our kernels and Burn's composed operations agree, forward and backward.

use burn::backend::tensor::FloatTensor;
use burn::backend::{Flex, TensorMetadata};
use burn::tensor::Shape;

use super::flex::{tensor, with_numbers};
use super::{BoardGradients, Boards, composed};
use crate::network::net::kernel::{Sizes, points};
use crate::network::net::testing;

type Numbers = FloatTensor<Flex>;

fn numbers(shape: &[usize], seed: usize) -> Numbers {
    let values = testing::numbers(shape.iter().product(), seed);
    tensor(values, Shape::from(shape.to_vec()))
}

#[track_caller]
fn assert_near(ours: &Numbers, composed: &Numbers) {
    assert_eq!(ours.shape(), composed.shape());
    with_numbers([ours.clone(), composed.clone()], |[ours, composed]| {
        for (a, b) in ours.iter().zip(composed) {
            assert!((a - b).abs() < 2e-4 * b.abs().max(1.0), "{a} {b}");
        }
    });
}

/// Boards of one size, and of two.
fn boards() -> [Sizes; 2] {
    [vec![[3, 5, 5]], vec![[2, 4, 6], [3, 7, 5]]]
}

fn count(sizes: &Sizes) -> usize {
    sizes.iter().map(|&size| points(size)).sum()
}

#[test]
fn convolutions() {
    for sizes in boards() {
        for factors in [[6, 4, 3, 3], [5, 4, 1, 1], [4, 1, 3, 3], [4, 1, 5, 5]] {
            let x = numbers(&[count(&sizes), 4], 1);
            let gradient = numbers(&[count(&sizes), factors[0]], 2);
            let depthwise = factors[1] == 1;
            let factors = numbers(&factors, 3);
            for (backward, input) in [(false, &x), (true, &gradient)] {
                let [ours, other] = [Flex::board_conv, composed::conv::<Flex>].map(|of| {
                    let (x, f, s) = (input.clone(), factors.clone(), sizes.clone());
                    of(x, f, s, depthwise, backward)
                });
                assert_near(&ours, &other);
            }
            let both = [
                Flex::board_conv_weight_gradient,
                composed::conv_weight_gradient::<Flex>,
            ];
            let [ours, other] = both.map(|of| {
                let (x, f, s) = (x.clone(), factors.clone(), sizes.clone());
                of(x, f, gradient.clone(), s, depthwise)
            });
            assert_near(&ours, &other);
        }
    }
}

#[test]
fn sums_by_board() {
    for sizes in boards() {
        let x = numbers(&[count(&sizes), 4], 4);
        let boards = sizes.iter().map(|size| size[0]).sum();
        let bias = numbers(&[boards, 4], 5);
        let added = Flex::add_by_board(x.clone(), bias.clone(), sizes.clone());
        assert_near(
            &added,
            &composed::add_by_board::<Flex>(x.clone(), bias, sizes.clone()),
        );
        let sums = Flex::sums_by_board(x.clone(), sizes.clone());
        assert_near(&sums, &composed::sums_by_board::<Flex>(x, sizes));
    }
}
