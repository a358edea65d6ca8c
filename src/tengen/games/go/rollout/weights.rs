//! Relative weights of moves in a rollout: learned weights of the pattern around a point and of a
//! move's features.

use std::sync::LazyLock;

use crate::game::Color;
use crate::games::go::board;

/// Feature of a move. Its weight is a factor. Those of its place follow as numbers from [`WHERE`] on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Captures one stone.
    TakesOne,
    /// Captures a chain of several stones.
    TakesMany,
    /// Saves one own stone at its last liberty.
    SavesOne,
    /// Saves an own chain of several stones at its last liberty.
    SavesMany,
    /// Self-atari of a single stone.
    LosesOne,
    /// Self-atari of a chain of several stones.
    LosesMany,
    /// Orthogonally adjacent to the last move.
    Beside,
    /// Diagonally adjacent to the last move.
    Across,
    /// Captures the last move's stone.
    TakesLast,
    /// Extends a chain that the last move put in atari.
    Runs,
    /// Captures stones next to a chain that the last move put in atari.
    TakesToSave,
    /// Puts the last move's chain in atari.
    ChasesLast,
    /// One of the last two liberties of a chain next to the last move.
    Strengthens,
    /// Vital point of an eye space next to the last move.
    Vital,
}

/// Number of the first feature of place.
pub(super) const WHERE: usize = 14;

// Features of a move's place: line, distances to the last moves, liberties. Rollouts do without them.

/// Lines from the edge that are told apart; the last one has all further in.
pub(super) const LINES: usize = 5;

/// Upper ends of the classes of distance to a move; those of 2 and 3 are features of rollouts.
pub(super) const DISTANCES: [u8; 7] = [4, 5, 6, 8, 12, 20, u8::MAX];

/// The classes of distance to the own last move.
pub(super) const OWN_DISTANCES: [u8; 8] = [2, 3, 4, 5, 6, 8, 12, u8::MAX];

/// Liberties that are told apart; the last number has all larger ones.
pub(super) const LIBERTIES: usize = 4;

/// Number of the first feature of each group after the lines.
pub(super) const OPEN_LINES: usize = WHERE + LINES;
pub(super) const LAST: usize = OPEN_LINES + LINES;
pub(super) const OWN_LAST: usize = LAST + DISTANCES.len();
pub(super) const FREE: usize = OWN_LAST + OWN_DISTANCES.len();

/// Number of features.
pub(super) const KINDS: usize = FREE + LIBERTIES;

/// A set of features, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Kinds(u64);

impl Kinds {
    pub(super) fn add(&mut self, kind: Kind) {
        self.add_number(kind as usize);
    }

    /// Adds a feature by its index.
    pub(super) fn add_number(&mut self, number: usize) {
        self.0 |= 1 << number;
    }

    pub(super) fn has(self, kind: Kind) -> bool {
        self.0 >> kind as u64 & 1 != 0
    }

    /// Their indices.
    pub(super) fn numbers(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let lowest = left.trailing_zeros() as usize;
            let any = left != 0;
            left &= left.wrapping_sub(1);
            any.then_some(lowest)
        })
    }
}

/// Names of all features in the weights file, by index: first those of rollouts.
const NAMES: &str = "takes-one takes-many saves-one saves-many loses-one loses-many beside across \
                     takes-last runs takes-to-save chases-last strengthens vital \
                     line-1 line-2 line-3 line-4 line-5 \
                     open-line-1 open-line-2 open-line-3 open-line-4 open-line-5 \
                     last-4 last-5 last-6 last-8 last-12 last-20 last-far \
                     own-2 own-3 own-4 own-5 own-6 own-8 own-12 own-far \
                     liberties-1 liberties-2 liberties-3 liberties-4";

/// Names of all features, by index.
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    NAMES.split(' ')
}

/// Number of neighbourhoods: 8 neighbours, two bits each.
const SHAPES: usize = 1 << 16;

/// A weight of 1 in fixed point.
const ONE: f32 = 256.0;

/// Maximum weight: 361 of them are less than 2^32.
const MOST: f32 = 8_000_000.0;

/// Weights of patterns and features.
pub(super) struct Weights {
    /// By pattern and mover, in units of 1 / [`ONE`]; 0 if the point is an own eye.
    shapes: Vec<[u32; 2]>,
    pub(super) kinds: [f32; KINDS],
}

/// A weight times a factor; a positive weight stays positive.
pub(super) fn scaled(weight: u32, factor: f32) -> u32 {
    match weight {
        0 => 0,
        _ => (weight as f32 * factor).clamp(1.0, MOST) as u32,
    }
}

/// The weights used in rollouts.
pub(super) static WEIGHTS: LazyLock<Weights> =
    LazyLock::new(|| Weights::read(include_str!("weights.txt")));

impl Weights {
    /// Parses lines of a pattern, in hexadecimal, or the name of a feature, and its weight. A
    /// pattern represents all symmetric ones ([`alike`]).
    pub(super) fn read(text: &str) -> Weights {
        let mut weights = Weights {
            shapes: vec![[0; 2]; SHAPES],
            kinds: [1.0; KINDS],
        };
        let mut known = std::collections::HashMap::new();
        for line in text.lines() {
            let Some((what, weight)) = line.split_once(' ') else {
                continue;
            };
            let weight: f32 = weight.parse().unwrap_or(1.0);
            if let Some(kind) = names().position(|name| name == what) {
                weights.kinds[kind] = weight;
            } else if let Ok(shape) = u16::from_str_radix(what, 16) {
                known.insert(shape, weight);
            }
        }
        for code in 0..SHAPES {
            for mover in Color::BOTH {
                let shape = alike(code as u16, mover);
                let weight = known.get(&shape).copied().unwrap_or(1.0);
                if !is_eye(code as u16, mover) {
                    weights.shapes[code][mover.index()] = scaled(ONE as u32, weight);
                }
            }
        }
        weights
    }

    /// For Black and for White; 0 for own eyes.
    pub(super) fn of_shape(&self, shape: u16) -> [u32; 2] {
        self.shapes[usize::from(shape)]
    }

    pub(super) fn of_all(&self, kinds: Kinds) -> f32 {
        kinds.numbers().map(|kind| self.kinds[kind]).product()
    }

    pub(super) fn of(&self, kind: Kind) -> f32 {
        self.kinds[kind as usize]
    }
}

/// The contents of the neighbours, in the order of their bits.
fn contents(code: u16) -> [u16; 8] {
    std::array::from_fn(|n| code >> (2 * n) & 3)
}

/// Whether a point is an eye of `mover` ([`board::is_eye`]).
pub(super) fn is_eye(code: u16, mover: Color) -> bool {
    let four = |code: u16| std::array::from_fn(|n| (code >> (2 * n) & 3) as u8);
    board::is_eye(mover, four(code), || four(code >> 8))
}

/// The representative of all patterns equal up to rotation and reflection; with White to move, with
/// colours swapped.
pub(super) fn alike(code: u16, mover: Color) -> u16 {
    /// For generators of the symmetry group, the source of each neighbour.
    const TURN: [usize; 8] = [2, 3, 1, 0, 5, 7, 4, 6];
    const MIRROR: [usize; 8] = [1, 0, 2, 3, 5, 4, 7, 6];
    let swap = |content: u16| match (mover, content) {
        (Color::White, 0 | 1) => 1 - content,
        _ => content,
    };
    let mut around = contents(code).map(swap);
    let mut least = u16::MAX;
    for step in 0..8 {
        let code = (0..8).fold(0, |code, n| code | around[n] << (2 * n));
        least = least.min(code);
        let from = if step == 3 { MIRROR } else { TURN };
        around = from.map(|n| around[n]);
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_names_every_kind_and_shapes_as_they_are_looked_up() {
        let text = include_str!("weights.txt");
        assert_eq!(names().count(), KINDS);
        for name in names().take(WHERE) {
            let line = text
                .lines()
                .find(|line| line.split(' ').next() == Some(name));
            assert!(line.is_some(), "{name} is missing");
        }
        for line in text.lines() {
            let (what, weight) = line.split_once(' ').expect("two words");
            assert!(
                weight.parse::<f32>().is_ok_and(|weight| weight > 0.0),
                "{line}"
            );
            if !names().any(|name| name == what) {
                let shape = u16::from_str_radix(what, 16).expect("hexadecimal");
                assert_eq!(alike(shape, Color::Black), shape, "{line}");
            }
        }
        assert!(text.lines().count() > 500);
    }

    #[test]
    fn turned_mirrored_and_swapped_shapes_are_alike() {
        // A black stone in the west, a white one in the south-west, else empty.
        let code = |west: u16, east: u16, corner: [u16; 4]| {
            let contents = [west, east, 2, 2, corner[0], corner[1], corner[2], corner[3]];
            (0..8).fold(0, |code, n| code | contents[n] << (2 * n))
        };
        let one = alike(code(0, 2, [1, 2, 2, 2]), Color::Black);
        assert_eq!(
            alike(code(0, 2, [2, 2, 1, 2]), Color::Black),
            one,
            "mirrored"
        );
        assert_eq!(alike(code(2, 0, [2, 2, 2, 1]), Color::Black), one, "turned");
        assert_eq!(
            alike(code(1, 2, [0, 2, 2, 2]), Color::White),
            one,
            "swapped"
        );
        assert_ne!(alike(code(1, 2, [0, 2, 2, 2]), Color::Black), one);
        assert_ne!(alike(code(0, 2, [2, 1, 2, 2]), Color::Black), one);
    }

    #[test]
    fn weights_are_read() {
        let weights = Weights::read("takes-one 2.5\naaaa 3\nnonsense\n");
        assert_eq!(weights.of(Kind::TakesOne), 2.5);
        assert_eq!(weights.of(Kind::Vital), 1.0);
        assert_eq!(weights.of_shape(0xaaaa), [768; 2], "nothing around");
        assert_eq!(weights.of_shape(0), [0, 256], "an eye of Black's");
        let mut kinds = Kinds::default();
        kinds.add(Kind::TakesOne);
        kinds.add(Kind::Vital);
        assert_eq!(weights.of_all(kinds), 2.5);
        assert!(kinds.has(Kind::Vital) && !kinds.has(Kind::Runs));
    }
}
