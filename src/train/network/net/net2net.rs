//! Grows a network: a larger one with the outputs of a smaller one, as the start of further
//! training (Net2Net; Chen et al. 2016).
//!
//! The small network's channels come first in every layer. New channels start at random with zero
//! outgoing weights, and a new block adds 0 to its input; the gradients of both are nonzero.

use super::{Conv, Layers, Pooling, Weights};

/// Walks through the large network with the weights of the small one.
pub struct Net2Net<'a> {
    small: &'a Weights,
    /// The large network's weights: initially those drawn by [`super::InitWeights`].
    large: Weights,
    area: usize,
    /// Number of transferred tensors of the small network.
    taken: usize,
    possible: bool,
}

/// Channels of the large network, and those of the small one among them.
#[derive(Debug, Clone, PartialEq)]
pub struct Grown {
    len: usize,
    /// Index of each channel of the small network; empty after a layer that it does not have.
    old: Vec<usize>,
    /// The norm directly before these channels, if any.
    norm: Option<String>,
}

impl Grown {
    /// Numbers that both networks have.
    pub fn same(len: usize) -> Grown {
        Grown::of(len, 0..len)
    }

    /// Numbers of which the small network has some.
    fn of(len: usize, old: impl IntoIterator<Item = usize>) -> Grown {
        Grown {
            len,
            old: old.into_iter().collect(),
            norm: None,
        }
    }

    fn whole(&self) -> bool {
        self.old.len() == self.len
    }

    /// Groups of numbers, where index i becomes the range from i * each on.
    fn spread(&self, each: usize) -> Grown {
        let group = |&at: &usize| at * each..(at + 1) * each;
        Grown::of(self.len * each, self.old.iter().flat_map(group))
    }

    /// Concatenation.
    fn then(&self, other: &Grown) -> Grown {
        let moved = other.old.iter().map(|at| self.len + at);
        let old = self.old.iter().copied().chain(moved);
        Grown::of(self.len + other.len, old)
    }
}

impl<'a> Net2Net<'a> {
    /// A walk on a board of `area` points; `large` are the initial weights of the large network.
    pub fn new(small: &'a Weights, large: Weights, area: usize) -> Net2Net<'a> {
        Net2Net {
            small,
            large,
            area,
            taken: 0,
            possible: true,
        }
    }

    /// The large network's weights, after the walk to these outputs; `None` if it lacks parts of
    /// the small one.
    pub fn finish(self, answers: &[Grown]) -> Option<Weights> {
        let all = self.taken == self.small.tensors().len() && answers.iter().all(Grown::whole);
        (self.possible && all).then_some(self.large)
    }

    /// Transfers the weights of a convolution, `[outputs, inputs, taps]`, or without `taps` of a fully connected layer,
    /// `[inputs, outputs]`.
    fn weights(&mut self, name: &str, x: &Grown, outputs: usize, taps: Option<usize>) -> Grown {
        let weight = format!("{name}.weight");
        let grown = |old: usize| Grown::of(outputs, 0..old);
        let Some(small) = self.small.find(&weight) else {
            return grown(0);
        };
        let (kept, each) = (x.old.len(), taps.unwrap_or(1));
        let old = small.values.len().checked_div(kept * each).unwrap_or(0);
        if old * kept * each != small.values.len() || !(1..=outputs).contains(&old) {
            self.possible = false;
            return grown(0);
        }
        self.taken += 1;
        // Where those of an output and an input are, and how many there are.
        let place = |[inputs, outputs]: [usize; 2], output: usize, input: usize| {
            let first = match taps {
                Some(taps) => (output * inputs + input) * taps,
                None => input * outputs + output,
            };
            first..first + each
        };
        let position = self.large.position(&weight);
        let large = &mut self.large.tensors_mut()[position].values;
        for output in 0..old {
            for input in 0..x.len {
                large[place([x.len, outputs], output, input)].fill(0.0);
            }
            for (input, &at) in x.old.iter().enumerate() {
                let values = &small.values[place([kept, old], output, input)];
                large[place([x.len, outputs], output, at)].copy_from_slice(values);
            }
        }
        grown(old)
    }

    /// Transfers `each` values of each channel, to where that channel now is.
    fn per_channel(&mut self, name: &str, part: &str, x: &Grown, each: usize) {
        let name = format!("{name}.{part}");
        let Some(small) = self.small.find(&name) else {
            return;
        };
        self.taken += 1;
        self.possible &= small.values.len() == x.old.len() * each;
        let position = self.large.position(&name);
        let large = &mut self.large.tensors_mut()[position].values;
        for (&at, values) in x.old.iter().zip(small.values.chunks_exact(each)) {
            large[at * each..(at + 1) * each].copy_from_slice(values);
        }
    }

    /// Sets the output of a norm to zero.
    fn silence(&mut self, norm: &str) {
        let position = self.large.position(&format!("{norm}.gamma"));
        self.large.tensors_mut()[position].values.fill(0.0);
    }
}

impl Layers for Net2Net<'_> {
    type Map = Grown;
    type Vector = Grown;

    fn conv_norm(&mut self, name: &str, x: &Grown, Conv { channels, kernel }: Conv) -> Grown {
        let grown = self.weights(name, x, channels, Some(kernel * kernel));
        self.norm(name, &grown)
    }

    fn depthwise_norm_relu(&mut self, name: &str, x: &Grown) -> Grown {
        // A kernel of each channel is like nine numbers of its own.
        self.per_channel(name, "weight", x, 9);
        let x = self.norm(name, x);
        self.relu(&x)
    }

    fn norm(&mut self, name: &str, x: &Grown) -> Grown {
        for part in ["gamma", "beta", "mean", "variance"] {
            self.per_channel(name, part, x, 1);
        }
        Grown {
            norm: Some(name.to_owned()),
            ..x.clone()
        }
    }

    fn conv(&mut self, name: &str, x: &Grown, Conv { channels, kernel }: Conv) -> Grown {
        let grown = self.weights(name, x, channels, Some(kernel * kernel));
        self.per_channel(name, "bias", &grown, 1);
        grown
    }

    fn linear(&mut self, name: &str, x: &Grown, len: usize) -> Grown {
        let grown = self.weights(name, x, len, None);
        self.per_channel(name, "bias", &grown, 1);
        grown
    }

    fn relu(&mut self, x: &Grown) -> Grown {
        Grown::of(x.len, x.old.iter().copied())
    }

    fn relu_vector(&mut self, x: &Grown) -> Grown {
        self.relu(x)
    }

    /// Adding a part that the small network lacks must not change the sum.
    fn add(&mut self, a: &Grown, b: &Grown) -> Grown {
        if a.old != b.old {
            match &b.norm {
                Some(norm) if b.old.is_empty() => self.silence(norm),
                _ => self.possible = false,
            }
        }
        self.relu(a)
    }

    fn add_per_channel(&mut self, x: &Grown, bias: &Grown) -> Grown {
        self.possible &= x.old == bias.old;
        self.relu(x)
    }

    fn pool(&mut self, x: &Grown, pooling: Pooling) -> Grown {
        let more = 1..pooling.parts();
        more.fold(self.relu(x), |pooled, _| pooled.then(x))
    }

    fn flatten(&mut self, x: &Grown) -> Grown {
        x.spread(self.area)
    }

    fn concat(&mut self, a: &Grown, b: &Grown) -> Grown {
        a.then(b)
    }
}
