//! Blocks of transformers: written at random, and computed in plain loops.

use super::net::{File, Map, MatMul, Size};

/// Which attention a block has.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kind {
    heads: usize,
    kv_heads: usize,
    query_dim: usize,
    value_dim: usize,
    positions: Positions,
}

#[derive(Debug, Clone, Copy)]
enum Positions {
    None,
    Learned,
    Fixed,
}

impl Kind {
    /// By the letter of a block.
    pub(super) fn named(letter: char) -> Option<Kind> {
        let kind =
            |[heads, kv_heads]: [usize; 2], [query_dim, value_dim]: [usize; 2], positions| Kind {
                heads,
                kv_heads,
                query_dim,
                value_dim,
                positions,
            };
        match letter {
            'a' => Some(kind([3, 3], [32, 32], Positions::Learned)),
            'q' => Some(kind([6, 2], [16, 32], Positions::Fixed)),
            'u' => Some(kind([4, 2], [6, 5], Positions::Learned)),
            'p' => Some(kind([2, 1], [7, 20], Positions::None)),
            'x' => Some(kind([1, 1], [10, 3], Positions::Fixed)),
            _ => None,
        }
    }
}

pub(super) struct Attention {
    kind: Kind,
    norm: RmsNorm,
    products: [MatMul; 4],
    frequencies: Vec<f32>,
    theta: f64,
}

pub(super) struct FeedForward {
    norm: RmsNorm,
    products: [MatMul; 3],
}

struct RmsNorm {
    epsilon: f64,
    scale: Vec<f32>,
}

/// The normalisation behind the last block.
pub(super) struct LastNorm {
    pub(super) of_all_points: bool,
    epsilon: f64,
    scale: Vec<f32>,
    bias: Vec<f32>,
}

impl File {
    fn rms_norm(&mut self, channels: usize) -> RmsNorm {
        self.name("norm");
        self.text(&format!("{channels} 0.01"));
        RmsNorm {
            epsilon: 0.01,
            scale: self.numbers(channels, 1.0, 0.4),
        }
    }

    pub(super) fn last_norm(&mut self, channels: usize, of_all_points: bool) -> LastNorm {
        self.name("norm");
        self.text(&format!("{channels} 0.02 {} 0", u8::from(of_all_points)));
        LastNorm {
            of_all_points,
            epsilon: 0.02,
            scale: self.numbers(channels, 1.0, 0.4),
            bias: self.numbers(channels, 0.0, 0.3),
        }
    }

    pub(super) fn attention(&mut self, kind: Kind, channels: usize) -> Attention {
        let Kind {
            heads,
            kv_heads,
            query_dim,
            value_dim,
            positions,
        } = kind;
        let [rotates, is_learned] = match positions {
            Positions::None => [0, 0],
            Positions::Learned => [1, 1],
            Positions::Fixed => [1, 0],
        };
        self.text(&format!(
            "{heads} {kv_heads} {query_dim} {value_dim} {rotates} {is_learned}"
        ));
        let norm = self.rms_norm(channels);
        let products = [
            self.matmul(channels, heads * query_dim),
            self.matmul(channels, kv_heads * query_dim),
            self.matmul(channels, kv_heads * value_dim),
            self.matmul(heads * value_dim, channels),
        ];
        let mut frequencies = Vec::new();
        match positions {
            Positions::None => {}
            Positions::Learned => {
                self.text(&format!("rope {kv_heads} {} 2", query_dim / 2));
                frequencies = self.numbers(kv_heads * query_dim, 0.0, 2.0);
            }
            Positions::Fixed => self.text("rope 50.0"),
        }
        Attention {
            kind,
            norm,
            products,
            frequencies,
            theta: 50.0,
        }
    }

    pub(super) fn feed_forward(&mut self, channels: usize) -> FeedForward {
        let hidden = 2 * channels + 5;
        self.text(&format!("{channels} {hidden} 1"));
        let norm = self.rms_norm(channels);
        let products = [
            self.matmul(channels, hidden),
            self.matmul(channels, hidden),
            self.matmul(hidden, channels),
        ];
        FeedForward { norm, products }
    }
}

/// The channels of each point, and back.
fn turned(x: &Map) -> Map {
    let point = |point: usize| x.iter().map(|channel| channel[point]).collect();
    (0..x[0].len()).map(point).collect()
}

impl RmsNorm {
    fn of(&self, point: &[f64]) -> Vec<f64> {
        let mean = point.iter().map(|x| x * x).sum::<f64>() / point.len() as f64;
        let root = (mean + self.epsilon).sqrt();
        let scaled = point.iter().zip(&self.scale);
        scaled
            .map(|(x, &scale)| x / root * f64::from(scale))
            .collect()
    }
}

impl LastNorm {
    pub(super) fn of(&self, x: &Map) -> Map {
        let points = turned(x);
        let mean = |points: &[Vec<f64>]| {
            let all: Vec<f64> = points.iter().flatten().map(|x| x * x).collect();
            all.iter().sum::<f64>() / all.len() as f64
        };
        let norm = |point: &Vec<f64>| {
            let mean = match self.of_all_points {
                true => mean(&points),
                false => mean(std::slice::from_ref(point)),
            };
            let channels = point.iter().zip(&self.scale).zip(&self.bias);
            let root = (mean + self.epsilon).sqrt();
            channels
                .map(|((x, &scale), &bias)| x / root * f64::from(scale) + f64::from(bias))
                .collect()
        };
        turned(&points.iter().map(norm).collect())
    }
}

impl Attention {
    /// The angle of a pair of channels of a head of keys.
    fn angle(&self, kv_head: usize, pair: usize, point: usize, width: usize) -> f64 {
        let (x, y) = ((point % width) as f64, (point / width) as f64);
        let pairs = self.kind.query_dim / 2;
        match self.kind.positions {
            Positions::None => 0.0,
            Positions::Learned => {
                let at = 2 * (kv_head * pairs + pair);
                let [by_x, by_y] = [0, 1].map(|i| f64::from(self.frequencies[at + i]));
                x * by_x + y * by_y
            }
            Positions::Fixed => {
                let half = pairs / 2;
                let (along, pair) = if pair < half {
                    (y, pair)
                } else {
                    (x, pair - half)
                };
                along * self.theta.powf(-2.0 * pair as f64 / pairs as f64)
            }
        }
    }

    /// Queries or keys of a head, turned at each point.
    fn head(&self, x: &Map, head: usize, kv_head: usize, width: usize) -> Map {
        let dim = self.kind.query_dim;
        let rows = x.iter().enumerate().map(|(point, channels)| {
            let mut row = channels[head * dim..(head + 1) * dim].to_vec();
            for pair in 0..dim / 2 {
                let (sin, cos) = self.angle(kv_head, pair, point, width).sin_cos();
                let (a, b) = (row[2 * pair], row[2 * pair + 1]);
                row[2 * pair] = a * cos - b * sin;
                row[2 * pair + 1] = a * sin + b * cos;
            }
            row
        });
        rows.collect()
    }

    pub(super) fn added(&self, x: &Map, (width, _): Size) -> Map {
        let points: Map = turned(x).iter().map(|point| self.norm.of(point)).collect();
        let project = |matmul: &MatMul| -> Map {
            points
                .iter()
                .map(|point| matmul.apply(point, &[]))
                .collect()
        };
        let [query, key, value] = [0, 1, 2].map(|i| project(&self.products[i]));
        let Kind {
            heads,
            kv_heads,
            query_dim,
            value_dim,
            ..
        } = self.kind;
        let mut mixed = vec![Vec::new(); points.len()];
        for head in 0..heads {
            let kv_head = head * kv_heads / heads;
            let queries = self.head(&query, head, kv_head, width);
            let keys = self.head(&key, kv_head, kv_head, width);
            for (query, mixed) in queries.iter().zip(&mut mixed) {
                let product = |key: &Vec<f64>| -> f64 {
                    query.iter().zip(key).map(|(q, k)| q * k).sum::<f64>()
                        / (query_dim as f64).sqrt()
                };
                let shares: Vec<f64> = keys.iter().map(|key| product(key).exp()).collect();
                let all: f64 = shares.iter().sum();
                mixed.extend((0..value_dim).map(|d| {
                    let parts = shares.iter().zip(&value);
                    let parts = parts.map(|(share, value)| share * value[kv_head * value_dim + d]);
                    parts.sum::<f64>() / all
                }));
            }
        }
        let out: Map = mixed
            .iter()
            .map(|row| self.products[3].apply(row, &[]))
            .collect();
        turned(&out)
    }
}

impl FeedForward {
    pub(super) fn added(&self, x: &Map) -> Map {
        let point = |point: &Vec<f64>| {
            let h = self.norm.of(point);
            let first = self.products[0].apply(&h, &[]);
            let gate = self.products[1].apply(&h, &[]);
            let hidden: Vec<f64> = first
                .iter()
                .zip(gate)
                .map(|(x, gate)| x / (1.0 + (-x).exp()) * gate)
                .collect();
            self.products[2].apply(&hidden, &[])
        };
        turned(&turned(x).iter().map(point).collect())
    }
}
