//! Features of a move's place: line, distances to the last moves, liberties. Rollouts do without
//! them.

/// Steps from a stone within which a point is not open.
pub(super) const NEAR: usize = 3;

/// Lines from the edge that are told apart; the last one has all further in.
pub(super) const LINES: usize = 5;

/// Upper ends of the classes of distance to a move; those of 2 and 3 are features of rollouts.
pub(super) const DISTANCES: [u8; 7] = [4, 5, 6, 8, 12, 20, u8::MAX];

/// The classes of distance to the own last move.
pub(super) const OWN_DISTANCES: [u8; 8] = [2, 3, 4, 5, 6, 8, 12, u8::MAX];

/// Liberties that are told apart; the last number has all larger ones.
pub(super) const LIBERTIES: usize = 4;

/// Where each group of features begins among those of `WHERE`.
pub(super) const OPEN_LINES: usize = LINES;
pub(super) const LAST: usize = 2 * LINES;
pub(super) const OWN_LAST: usize = LAST + DISTANCES.len();
pub(super) const FREE: usize = OWN_LAST + OWN_DISTANCES.len();
/// Their number.
pub(super) const PLACES: usize = FREE + LIBERTIES;

/// Names of the features of place, distance and liberties in the weights file, in their order.
pub(super) const PLACE_NAMES: [&str; PLACES] = [
    "line-1",
    "line-2",
    "line-3",
    "line-4",
    "line-5",
    "open-line-1",
    "open-line-2",
    "open-line-3",
    "open-line-4",
    "open-line-5",
    "last-4",
    "last-5",
    "last-6",
    "last-8",
    "last-12",
    "last-20",
    "last-far",
    "own-2",
    "own-3",
    "own-4",
    "own-5",
    "own-6",
    "own-8",
    "own-12",
    "own-far",
    "liberties-1",
    "liberties-2",
    "liberties-3",
    "liberties-4",
];
