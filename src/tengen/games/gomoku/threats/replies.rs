//! Replies that can stop a threat: all others lose to the threatened line of fours, played as it
//! stands.
//!
//! A line of fours depends on few facts: its points are free, each four has a single answer, and
//! the defender has no own four or five at any time before the last. A stone elsewhere changes none
//! of them, unless it makes the defender a four, at once or with the answers of the line.

use super::board::Board;
use super::zone::Zone;
use crate::game::{Color, Move};
use crate::games::gomoku::{Five, Points};

/// A threatened line of fours.
pub(super) struct Threat {
    /// The points where a stone of the defender, put before the line, could affect it; all empty
    /// points, if they are hard to determine.
    pub(super) disturbing: Points,
    /// The points of the line and of its fives.
    pub(super) zone: Zone,
}

/// What a line of fours depends on; the line as in [`super::fours::Fours::line`].
///
/// Every proof relies on this: to change the conditions of a line of fours, change them here, too,
/// and run the tests with `TENGEN_THREATS=100000`.
pub(super) fn threat(board: &mut Board, attacker: Color, line: &[Move]) -> Threat {
    let defender = attacker.opponent();
    let rules = board.rules();
    let ends_matter = !matches!(rules.five(attacker), Five::OrMore | Five::Exactly);
    let mut found: Points = line.iter().copied().collect();
    let mut zone = Zone::NONE;
    let moves: Vec<(Move, Color)> = line
        .iter()
        .rev()
        .copied()
        .zip([attacker, defender].into_iter().cycle())
        .collect();
    for &(mv, side) in &moves {
        if side == attacker {
            found |= board.fours_and_fives(defender);
        }
        board.put(side, mv);
        if side == attacker {
            let fives = board.fives(attacker);
            found |= fives;
            if ends_matter {
                found |= board.ends(attacker, fives);
            }
            zone.attack.insert(mv);
            zone.attack |= fives;
            zone.needs_forbidden |= board.forbids_any(defender, fives);
        } else {
            zone.defence.insert(mv);
        }
    }
    // Where moves are forbidden, a four may lack an answer because of stones anywhere.
    let sure = !rules.forbids(defender)
        || !board.fives(attacker).is_single() && board.is_never_stuck(defender);
    for &(mv, side) in moves.iter().rev() {
        board.take_back(side, mv);
    }
    Threat {
        disturbing: match sure {
            true => found,
            false => board.empty(),
        },
        zone,
    }
}
