//! Random 128-bit keys for hashing positions: fixed, computed at compile time and the same on every
//! machine, so that signatures and records can be compared.

use super::{Color, Move};

/// Points of the largest board of any game here (20x20).
pub const MAX_POINTS: usize = 400;

/// Points that had keys first (19x19): their keys do not change.
const OLD_POINTS: usize = 361;

static STONES: [[u128; MAX_POINTS]; 2] = stone_keys();

/// The key of a stone on a point; a position's key is the XOR of its stones' keys.
///
/// # Panics
/// From point [`MAX_POINTS`] on.
pub fn stone(color: Color, point: Move) -> u128 {
    STONES[color.index()][point.index()]
}

/// The key added for the side to move.
pub const fn to_move(color: Color) -> u128 {
    match color {
        Color::Black => 0,
        Color::White => const { wide(0x5eed_0f1e_d0b0_a5d5) },
    }
}

/// The key added where a position's last move matters, as for some input encodings.
pub fn last_move(point: Move) -> u128 {
    wide(0x1a57_0000_0000 + u64::from(point.0))
}

/// Other components of a position, in some games.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Kind {
    Rules,
    Komi,
    Passes,
    Ko,
    Prisoners,
    Handicap,
}

/// The key added for a number of this kind.
pub(crate) const fn other(kind: Kind, number: u64) -> u128 {
    wide(mix(0x0dd5_0000_0000 + kind as u64) ^ number)
}

const fn stone_keys() -> [[u128; MAX_POINTS]; 2] {
    let mut keys = [[0; MAX_POINTS]; 2];
    let mut i = 0;
    while i < 2 * MAX_POINTS {
        let (color, point) = (i / MAX_POINTS, i % MAX_POINTS);
        let number = if point < OLD_POINTS {
            color * OLD_POINTS + point
        } else {
            color * MAX_POINTS + point + OLD_POINTS
        };
        keys[color][point] = wide(number as u64);
        i += 1;
    }
    keys
}

/// Two independent SplitMix64 outputs for one seed.
const fn wide(seed: u64) -> u128 {
    (mix(seed.wrapping_mul(2).wrapping_add(1)) as u128) << 64
        | mix(seed.wrapping_mul(2).wrapping_add(2)) as u128
}

/// The SplitMix64 generator's output function (Steele, Lea and Flood 2014).
pub(crate) const fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
