//! What is known of a position: proof and disproof numbers, from those of its moves, and a transposition table with
//! complete keys, so that positions are never confused.

use crate::game::Move;

/// Entries per bucket, among which one is replaced.
const WAYS: usize = 4;

/// Infinity: more than any number of positions to prove.
pub(super) const NEVER: u32 = u32::MAX;

/// Proof and disproof number of a position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Known {
    /// Minimum number of positions to prove for a win: 0 if won, [`NEVER`] if refuted.
    pub(super) proof: u32,
    /// Minimum number of positions to refute: 0 if refuted with the effort of `level`, [`NEVER`] if
    /// won.
    pub(super) disproof: u32,
    /// Plies to the win, if there is one; in a failed search of fours alone, its depth in plies.
    pub(super) plies: u16,
    /// The winning move; in a position won against the side to move, the reply that lasts longest.
    pub(super) best: Option<Move>,
    /// Effort level of the search. A refutation is valid for this and lower levels.
    pub(super) level: u8,
}

impl Known {
    /// Nothing known.
    pub(super) const OPEN: Known = Known {
        proof: 1,
        disproof: 1,
        plies: 0,
        best: None,
        level: 0,
    };

    pub(super) const fn win(plies: u16, best: Option<Move>) -> Known {
        Known {
            proof: 0,
            disproof: NEVER,
            plies,
            best,
            ..Known::OPEN
        }
    }

    pub(super) const fn refuted(level: u8) -> Known {
        Known {
            proof: NEVER,
            disproof: 0,
            level,
            ..Known::OPEN
        }
    }

    pub(super) const fn is_win(self) -> bool {
        self.proof == 0
    }
}

/// An entry as words, 0 for an empty one: large tables of zeros take no time and no memory until they are written, and
/// most positions are decided in a few nodes.
type Words = [u64; 5];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    key: [u64; 2],
    known: Known,
    work: u32,
    generation: u8,
}

impl Entry {
    fn from_words([high, low, numbers, plies_best, rest]: Words) -> Entry {
        let best = plies_best as u32;
        Entry {
            key: [high, low],
            known: Known {
                proof: (numbers >> 32) as u32,
                disproof: numbers as u32,
                plies: (plies_best >> 32) as u16,
                best: best.checked_sub(1).map(|best| Move(best as u16)),
                level: (rest >> 8) as u8,
            },
            work: (rest >> 32) as u32,
            generation: rest as u8,
        }
    }

    fn to_words(self) -> Words {
        let [high, low] = self.key;
        let known = self.known;
        let best = known.best.map_or(0, |best| u64::from(best.0) + 1);
        let (work, level) = (u64::from(self.work), u64::from(known.level));
        [
            high,
            low,
            u64::from(known.proof) << 32 | u64::from(known.disproof),
            u64::from(known.plies) << 32 | best,
            work << 32 | level << 8 | u64::from(self.generation),
        ]
    }
}

/// A table of fixed size.
#[derive(Debug)]
pub(super) struct Table {
    entries: Vec<Words>,
    /// Entries of another generation count as empty; 0 is unused.
    generation: u8,
}

impl Table {
    /// A table of about this many bytes, at least a few kilobytes.
    pub(super) fn new(bytes: usize) -> Table {
        let entries = (bytes / size_of::<Words>()).max(64);
        let entries = 1_usize << entries.ilog2();
        Table {
            entries: vec![[0; 5]; entries],
            generation: 1,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.entries.fill([0; 5]);
            self.generation = 1;
        }
    }

    fn bucket(&self, key: u128) -> usize {
        key as usize & (self.entries.len() - 1) & !(WAYS - 1)
    }

    pub(super) fn get(&self, key: u128) -> Option<Known> {
        let at = self.bucket(key);
        let wanted = halves(key);
        let bucket = self.entries[at..at + WAYS].iter();
        let mut bucket = bucket.map(|words| Entry::from_words(*words));
        let entry = bucket.find(|entry| entry.key == wanted && entry.generation == self.generation);
        entry.map(|entry| entry.known)
    }

    /// Replaces the position's entry, or the one that cost the least work.
    pub(super) fn put(&mut self, key: u128, known: Known, work: u64) {
        let at = self.bucket(key);
        let (wanted, now) = (halves(key), self.generation);
        let bucket = &mut self.entries[at..at + WAYS];
        let cost = |words: &Words| {
            let entry = Entry::from_words(*words);
            match (entry.generation == now, entry.key == wanted) {
                (true, true) => (0, 0),
                (false, _) => (1, 0),
                (true, false) => (2, entry.work),
            }
        };
        if let Some(words) = bucket.iter_mut().min_by_key(|words| cost(words)) {
            let entry = Entry {
                key: wanted,
                known,
                work: work.min(u64::from(u32::MAX)) as u32,
                generation: now,
            };
            *words = entry.to_words();
        }
    }
}

fn halves(key: u128) -> [u64; 2] {
    [(key >> 64) as u64, key as u64]
}

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
    let mut known = Known::OPEN;
    match mover {
        Turn::Attacker => known.proof = guessed,
        Turn::Defender => known.disproof = guessed,
    }
    known
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_survive_words() {
        for (best, plies, level) in [
            (None, 0, 0),
            (Some(Move(0)), 7, 1),
            (Some(Move(399)), u16::MAX, 3),
        ] {
            let entry = Entry {
                key: [u64::MAX, 5],
                known: Known {
                    proof: NEVER,
                    disproof: 12,
                    plies,
                    best,
                    level,
                },
                work: u32::MAX,
                generation: 255,
            };
            assert_eq!(Entry::from_words(entry.to_words()), entry);
        }
    }
}
