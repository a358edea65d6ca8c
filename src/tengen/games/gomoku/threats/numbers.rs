//! Proof and disproof numbers of a position, from those of its moves.

use super::table::{Known, NEVER};
use crate::game::Move;

/// The side to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    Attacker,
    Defender,
}

impl Turn {
    pub(super) fn next(self) -> Turn {
        match self {
            Turn::Attacker => Turn::Defender,
            Turn::Defender => Turn::Attacker,
        }
    }
}

/// Initial numbers of a position by the guess of the side that has moved: the positions it takes to
/// prove an attack, or to refute it after a reply.
pub(super) const fn guess(mover: Turn, guessed: u32) -> Known {
    match mover {
        Turn::Attacker => Known {
            proof: guessed,
            ..Known::OPEN
        },
        Turn::Defender => Known {
            disproof: guessed,
            ..Known::OPEN
        },
    }
}

/// One of the two numbers of a position.
type Number = fn(&Known) -> u32;

/// The number that the side to move minimises, and the other.
fn numbers(turn: Turn) -> [Number; 2] {
    match turn {
        Turn::Attacker => [|known| known.proof, |known| known.disproof],
        Turn::Defender => [|known| known.disproof, |known| known.proof],
    }
}

/// From the numbers of a position's moves (`children`; none, if all replies are postponed) and its thresholds for proof
/// and disproof: the position's own numbers, the index of the move to continue with, and the
/// thresholds below that move, proof first. `rest`: plies to the win after replies that are not
/// searched.
pub(super) fn judge(
    turn: Turn,
    children: &[(Move, Known)],
    rest: u16,
    (proof, disproof): (u32, u32),
) -> (Known, usize, (u32, u32)) {
    // The side to move has the minimum of its own numbers, and the sum of the other's.
    let [own, other] = numbers(turn);
    let (mut best, mut second, mut sum, mut chosen) = (NEVER, NEVER, 0_u32, 0);
    for (place, (_, known)) in children.iter().enumerate() {
        let number = own(known);
        sum = match other(known) {
            NEVER => NEVER,
            _ if sum == NEVER => NEVER,
            more => sum.saturating_add(more).min(NEVER - 1),
        };
        if number < best {
            (second, best, chosen) = (best, number, place);
        } else if number < second {
            second = number;
        }
    }
    let (own_limit, other_limit) = match turn {
        Turn::Attacker => (proof, disproof),
        Turn::Defender => (disproof, proof),
    };
    // A quarter more than the second best, to avoid switching back and forth.
    let spared = second.saturating_add(1 + second / 4);
    let limits = (
        own_limit.min(spared),
        other_limit
            .saturating_sub(sum)
            .saturating_add(children.get(chosen).map_or(0, |(_, known)| other(known))),
    );
    let wins = children.iter().filter(|(_, known)| known.is_win());
    let mut known = Known::OPEN;
    let limits = match turn {
        Turn::Attacker => {
            (known.proof, known.disproof) = (best, sum);
            if let Some((mv, next)) = wins.min_by_key(|(_, known)| known.plies) {
                (known.plies, known.best) = (next.plies + 1, Some(*mv));
                known.disproof = NEVER;
            }
            limits
        }
        Turn::Defender => {
            (known.proof, known.disproof) = (sum, best);
            if sum == 0 {
                let longest = wins.max_by_key(|(_, known)| known.plies);
                let (mv, plies) = longest.map_or((None, 0), |(mv, next)| (Some(*mv), next.plies));
                known.plies = rest.max(plies + 1);
                known.best = mv;
                known.disproof = NEVER;
            }
            (limits.1, limits.0)
        }
    };
    (known, chosen, limits)
}
