//! A second implementation of boards of several sizes, as a check: a board that is too large, with
//! a mask that zeroes points off the real one (docs/methods.md#networks).

use burn::tensor::{Device, Tensor, TensorData};

use super::Maps;
use super::testing::lively_weights;
use super::{AREA_UNIT, Conv, Forward, Layers, Mode, Pooling, numbers};
use crate::network::architecture::{Architecture, GameShape, Outputs};
use tengen::game::BoardSize;

/// Computes on padded boards.
struct Masked<'a> {
    forward: Forward<'a>,
    /// `[1, height, width, 1]`: 1 on the board, 0 off it.
    mask: Tensor<4>,
    size: BoardSize,
}

impl Masked<'_> {
    fn masked(&self, x: Maps) -> Maps {
        Maps::of(
            x.parts()
                .into_iter()
                .map(|x| x * self.mask.clone())
                .collect(),
        )
    }
}

impl Layers for Masked<'_> {
    type Map = Maps;
    type Vector = Vec<Tensor<2>>;

    fn conv_norm(&mut self, name: &str, x: &Self::Map, conv: Conv) -> Self::Map {
        let y = self.forward.conv_norm(name, x, conv);
        self.masked(y)
    }

    fn depthwise_norm_relu(&mut self, name: &str, x: &Self::Map, kernel: usize) -> Self::Map {
        let y = self.forward.depthwise_norm_relu(name, x, kernel);
        self.masked(y)
    }

    fn norm(&mut self, name: &str, x: &Self::Map) -> Self::Map {
        let y = self.forward.norm(name, x);
        self.masked(y)
    }

    fn conv(&mut self, name: &str, x: &Self::Map, conv: Conv) -> Self::Map {
        let y = self.forward.conv(name, x, conv);
        self.masked(y)
    }

    fn linear(&mut self, name: &str, x: &Self::Vector, len: usize) -> Self::Vector {
        self.forward.linear(name, x, len)
    }

    fn relu(&mut self, x: &Self::Map) -> Self::Map {
        self.forward.relu(x)
    }

    fn relu_vector(&mut self, x: &Self::Vector) -> Self::Vector {
        self.forward.relu_vector(x)
    }

    fn add(&mut self, a: &Self::Map, b: &Self::Map) -> Self::Map {
        self.forward.add(a, b)
    }

    fn add_per_channel(&mut self, x: &Self::Map, bias: &Self::Vector) -> Self::Map {
        let y = self.forward.add_per_channel(x, bias);
        self.masked(y)
    }

    fn pool(&mut self, x: &Self::Map, pooling: Pooling) -> Self::Vector {
        let x = x.parts().remove(0);
        let [batch, height, width, channels] = x.dims();
        let points = |x: Tensor<4>| x.reshape([batch, height * width, channels]);
        let flat = |x: Tensor<3>| x.reshape([batch, channels]);
        let sum = flat(points(x.clone()).sum_dim(1));
        let off = (self.mask.clone() - 1.0) * 1e9;
        let max = flat(points(x + off).max_dim(1));
        let mean = sum.clone() / self.size.area() as f32;
        if pooling == Pooling::Mean {
            return vec![mean];
        }
        let sum = (pooling == Pooling::MeanMaxSum).then(|| sum / AREA_UNIT);
        let parts = [mean, max].into_iter().chain(sum);
        vec![Tensor::cat(parts.collect(), 1)]
    }

    /// Restricted to the points on the board.
    fn flatten(&mut self, x: &Self::Map) -> Self::Vector {
        let (height, width) = (self.size.height.into(), self.size.width.into());
        let on = |x: Tensor<4>| x.narrow(1, 0, height).narrow(2, 0, width);
        let x = x.parts().into_iter().map(on).collect();
        self.forward.flatten(&Maps::of(x))
    }

    fn concat(&mut self, a: &Self::Vector, b: &Self::Vector) -> Self::Vector {
        self.forward.concat(a, b)
    }
}

/// Planes of `[1, rows, columns, planes]` with some numbers on the board and 0 off it.
fn planes(size: BoardSize, [rows, columns]: [usize; 2], count: usize) -> Tensor<4> {
    let mut numbers = vec![0.0; rows * columns * count];
    for row in 0..usize::from(size.height) {
        for column in 0..usize::from(size.width) {
            for plane in 0..count {
                let number = (row * 7 + column * 3 + plane * 5) % 4;
                numbers[(row * columns + column) * count + plane] = number as f32 / 2.0;
            }
        }
    }
    let data = TensorData::new(numbers, [1, rows, columns, count]);
    Tensor::from_data(data, &Device::flex())
}

#[test]
fn boards_of_their_own_size_are_masked_ones() {
    for name in [
        "tengen+area-2b8c",
        "tengen-2b8c",
        "az+garb-2b8c",
        "mobile-2b8c",
        "golois-2b8c",
    ] {
        let architecture: Architecture = name.parse().unwrap();
        let shape = |size| GameShape {
            size,
            outcomes: 3,
            passes: true,
            scored: true,
        };
        let weights = lively_weights(architecture, 6, shape(BoardSize::square(7)));
        let device = Device::flex();
        let forward = || Forward::new(&weights, &device, Mode::Infer);
        // Boards of two sizes in one batch, each of its own size.
        let sizes = [BoardSize::new(4, 3), BoardSize::square(7)];
        let own = |size: BoardSize| planes(size, [size.height.into(), size.width.into()], 6);
        let together = Maps::of(sizes.map(own).to_vec());
        let all = architecture.describe(&mut forward(), &together, shape(sizes[0]), Outputs::All);
        for (size, own) in sizes.into_iter().zip(all.by_size()) {
            let (rows, columns) = (usize::from(size.height), usize::from(size.width));
            let on = (0..63).map(|at| f32::from(u8::from(at / 9 < rows && at % 9 < columns)));
            let mask = TensorData::new(on.collect::<Vec<f32>>(), [1, 7, 9, 1]);
            let mut masked = Masked {
                forward: forward(),
                mask: Tensor::from_data(mask, &device),
                size,
            };
            let padded = Maps::of(vec![planes(size, [7, 9], 6)]);
            let wanted = architecture.describe(&mut masked, &padded, shape(size), Outputs::All);
            let wanted = wanted.by_size().remove(0);
            let mut pairs = vec![(own.policy, wanted.policy), (own.value, wanted.value)];
            pairs.extend(own.aux.into_iter().zip(wanted.aux).map(|(a, b)| (a.1, b.1)));
            assert_eq!(pairs[0].0.dims(), [1, size.area() + 1]);
            for (own, wanted) in pairs {
                let (own, wanted) = (numbers(own), numbers(wanted));
                assert_eq!(own.len(), wanted.len());
                for (own, wanted) in own.iter().zip(&wanted) {
                    assert!((own - wanted).abs() < 1e-4, "{name} {size}: {own} {wanted}");
                }
            }
        }
    }
}
