//! Small random networks for tests, written with the engine's own ONNX writer.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::BoardSize;
use crate::onnx::{GraphBuilder, Value};

use super::{Batch, ModelInfo, PLANES, POLICY, VALUE};

/// Shape of a random residual network.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub blocks: usize,
    pub channels: usize,
    pub planes: usize,
    pub size: BoardSize,
    /// Whether it is for all boards from 3x3 to 19x19; `size` is the first.
    pub any_board: bool,
    pub outcomes: usize,
    pub game: &'static str,
    /// Whether its policy has a pass after the points.
    pub passes: bool,
    /// Id of the network's encoding.
    pub encoding: &'static str,
}

/// A net small enough for quick tests, on a board that is not square.
pub const SMALL: Shape = Shape {
    blocks: 2,
    channels: 8,
    planes: 3,
    size: BoardSize::new(5, 4),
    any_board: false,
    outcomes: 2,
    game: "nogo",
    passes: false,
    encoding: "test-v1",
};

impl Shape {
    pub fn info(&self) -> ModelInfo {
        ModelInfo {
            game: self.game.to_owned(),
            size: self.size,
            boards: match self.any_board {
                true => vec![self.size, BoardSize::square(3), BoardSize::square(19)],
                false => Vec::new(),
            },
            encoding: self.encoding.to_owned(),
            planes: self.planes,
            policy_len: self.size.area() + usize::from(self.passes),
            outcomes: self.outcomes,
            network: format!("random-{}b{}c", self.blocks, self.channels),
            games: 0,
            steps: 0,
            creator: "tengen test".to_owned(),
            points: 0,
        }
    }

    /// The bytes of a residual network with global pooling and random weights.
    pub fn onnx(&self, seed: u64) -> Vec<u8> {
        let mut net = Net {
            graph: GraphBuilder::new("random"),
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            layers: 0,
        };
        let info = self.info();
        let channels = self.channels;
        let planes = net.graph.input(PLANES, info.planes_shape());
        let stem = net.conv(planes, self.planes, channels, 3);
        let mut x = net.graph.relu(stem);
        for _ in 0..self.blocks {
            let inner = net.conv(x, channels, channels, 3);
            let inner = net.graph.relu(inner);
            let inner = net.conv(inner, channels, channels, 3);
            let sum = net.graph.add(x, inner);
            x = net.graph.relu(sum);
        }
        let mean = net.graph.reduce_mean(x, &[2, 3]);
        let max = net.graph.reduce_max(x, &[2, 3]);
        let sum = net.graph.reduce_sum(x, &[2, 3]);
        let sum = net.graph.scale(sum, 0.01);
        let pooled = net.graph.concat(&[mean, max, sum], 1);

        let bias = net.dense(pooled, 3 * channels, channels);
        let bias = net.graph.reshape(bias, &[-1, channels as i64, 1, 1]);
        let policy = net.graph.add(x, bias);
        let policy = net.conv(policy, channels, 1, 1);
        let mut policy = net.graph.flatten(policy);
        if self.passes {
            let pass = net.dense(pooled, 3 * channels, 1);
            policy = net.graph.concat(&[policy, pass], 1);
        }
        net.graph.output(POLICY, policy, info.policy_shape());

        let hidden = net.dense(pooled, 3 * channels, 16);
        let hidden = net.graph.relu(hidden);
        let value = net.dense(hidden, 16, self.outcomes);
        net.graph.output(VALUE, value, info.value_shape());
        net.graph.finish(&info.to_metadata()).unwrap()
    }
}

struct Net {
    graph: GraphBuilder,
    rng: Xoshiro256PlusPlus,
    layers: usize,
}

impl Net {
    /// Uniform weights of variance 2 / fan-in (He et al. 2015), which keep activations in range.
    fn weights(&mut self, dims: &[usize], fan_in: usize) -> Value {
        let bound = (6.0 / fan_in as f32).sqrt();
        let len = dims.iter().product();
        let data: Vec<f32> = (0..len)
            .map(|_| self.rng.random_range(-bound..bound))
            .collect();
        self.layers += 1;
        let name = format!("weight_{}", self.layers);
        self.graph.weights(&name, dims, &data)
    }

    fn conv(&mut self, x: Value, from: usize, to: usize, side: usize) -> Value {
        let fan_in = from * side * side;
        let kernel = self.weights(&[to, from, side, side], fan_in);
        let bias = self.weights(&[to], 100);
        self.graph.conv(x, kernel, Some(bias))
    }

    fn dense(&mut self, x: Value, from: usize, to: usize) -> Value {
        let weight = self.weights(&[from, to], from);
        let bias = self.weights(&[to], 100);
        self.graph.gemm(x, weight, bias)
    }
}

/// `len` rows of random zeros and ones with distinct keys.
pub fn random_batch(row_len: usize, len: usize, seed: u64) -> Batch {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut batch = Batch::new(row_len);
    for _ in 0..len {
        let row = batch.push(u128::from(rng.random::<u64>()));
        row.fill_with(|| f32::from(rng.random_bool(0.3)));
    }
    batch
}

#[test]
fn the_random_network_is_loadable() {
    let onnx = SMALL.onnx(1);
    // Set to a folder to check the written file with Python's onnx.checker by hand.
    if let Ok(folder) = std::env::var("TENGEN_WRITE_TEST_NETWORK") {
        std::fs::write(format!("{folder}/random.onnx"), &onnx).unwrap();
    }
    assert_eq!(ModelInfo::read("random", &onnx).unwrap(), SMALL.info());
}
