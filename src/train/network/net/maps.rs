//! Boards of one or several sizes in one tensor.

use burn::tensor::Tensor;

/// How many boards of which height and width follow each other: `[boards, height, width]`.
pub(super) type Sizes = Vec<[usize; 3]>;

/// The points of all boards, size after size, with their channels. What concerns each point alone is computed for
/// all of them at once; only convolutions and pools see where a board ends.
#[derive(Debug, Clone)]
pub struct Maps {
    /// `[points, channels]`.
    pub(super) points: Tensor<2>,
    /// Whose points they are.
    pub(super) sizes: Sizes,
}

impl Maps {
    /// Boards `[boards, height, width, channels]` of each size.
    #[must_use]
    pub fn of(maps: Vec<Tensor<4>>) -> Maps {
        let sizes = maps.iter().map(|map| {
            let [boards, height, width, _] = map.dims();
            [boards, height, width]
        });
        let sizes = sizes.collect();
        let flat = |map: Tensor<4>| {
            let [boards, height, width, channels] = map.dims();
            map.reshape([points([boards, height, width]), channels])
        };
        let mut flat: Vec<Tensor<2>> = maps.into_iter().map(flat).collect();
        let points = match flat.len() {
            1 => flat.remove(0),
            _ => Tensor::cat(flat, 0),
        };
        Maps { points, sizes }
    }

    /// The boards of each size, `[boards, height, width, channels]`.
    pub(super) fn parts(&self) -> Vec<Tensor<4>> {
        let channels = self.points.dims()[1];
        let mut start = 0;
        let part = |&[boards, height, width]: &[usize; 3]| {
            let count = points([boards, height, width]);
            let points = match self.sizes.len() {
                1 => self.points.clone(),
                _ => self.points.clone().narrow(0, start, count),
            };
            start += count;
            points.reshape([boards, height, width, channels])
        };
        self.sizes.iter().map(part).collect()
    }

    /// Other numbers for the same points.
    pub(super) fn with(&self, points: Tensor<2>) -> Maps {
        Maps {
            points,
            sizes: self.sizes.clone(),
        }
    }
}

/// Points of these boards.
pub(super) fn points([boards, height, width]: [usize; 3]) -> usize {
    boards * height * width
}
