//! Fours of the defender that change nothing in a proof, and need no proof of their own.
//!
//! A defender who is threatened may first make fours of his own. Each has one answer and leaves the
//! threat as it was, but a proof against every reply would have to be repeated for every set of
//! them. So the points that a proof uses are kept with it; a four that touches none of them is
//! answered, and the proof goes on as if neither stone was there
//! ([methods](../../../../docs/methods.md#threats)).

use super::board::Board;
use crate::game::{Color, Game as _, Move};
use crate::games::gomoku::{Direction, Five, Points};

/// Cells of a row of five beyond one of them.
const REST: i8 = 4;

/// The points that a proof uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Zone {
    /// Where the attacker plays, or threatens to win.
    pub(super) attack: Points,
    /// Where the defender plays, or could play fours.
    pub(super) defence: Points,
    /// Whether it needs a move to be forbidden, or to be allowed in spite of its threes and fours: that
    /// can depend on stones anywhere.
    pub(super) needs_forbidden: bool,
}

impl Zone {
    /// A proof without a stone.
    pub(super) const NONE: Zone = Zone {
        attack: Points::EMPTY,
        defence: Points::EMPTY,
        needs_forbidden: false,
    };

    /// The points of both.
    #[must_use]
    pub(super) fn and(self, other: Zone) -> Zone {
        Zone {
            attack: self.attack | other.attack,
            defence: self.defence | other.defence,
            needs_forbidden: self.needs_forbidden | other.needs_forbidden,
        }
    }

    /// Whether a four of the defender can change a proof with these points, which include all points
    /// where the defender can make a four.
    ///
    /// It cannot, if it has a single answer, neither stone is on a point of the attack, and there is no
    /// row in which it makes another four possible: five cells through it without the answer or
    /// another stone of the attacker, with two more that the defender has or may get in the proof. If
    /// six do not win for the attacker, or moves are forbidden to him, the stones must not be in line
    /// with his points either.
    pub(super) fn is_touched_by(&self, board: &mut Board, attacker: Color, four: Move) -> bool {
        let defender = attacker.opponent();
        board.put(defender, four);
        let answers = board.answers_to_four(defender);
        board.take_back(defender, four);
        let (Some(answer), true) = (answers.lowest(), answers.is_single()) else {
            return true;
        };
        let rules = board.position.rules();
        let lines_matter = rules.five(attacker) != Five::OrMore || rules.forbids(attacker);
        let touches =
            |stone| self.attack.contains(stone) || lines_matter && self.is_in_line(board, stone);
        self.needs_forbidden
            || touches(four)
            || touches(answer)
            || self.makes_fours(board, attacker, four, answer)
    }

    /// Whether a point is in line with one of the attack, near enough to matter there.
    fn is_in_line(&self, board: &Board, point: Move) -> bool {
        let size = board.position.size();
        Direction::ALL.into_iter().any(|direction| {
            let (behind, ahead) = direction.room(size, point);
            (-behind..=ahead).any(|steps| self.attack.contains(direction.step(size, point, steps)))
        })
    }

    /// Whether the four can become part of another one: of five cells with four stones one is its own, and one may be
    /// a reply that was not searched, as it stops nothing. So two at least are the defender's already or in
    /// [`Zone::defence`], which has every searched reply and every answer that a line forces.
    fn makes_fours(&self, board: &Board, attacker: Color, four: Move, answer: Move) -> bool {
        let (size, position) = (board.position.size(), &board.position);
        let (theirs, own) = (
            position.stones(attacker) | Points::point(answer),
            position.stones(attacker.opponent()) | self.defence,
        );
        Direction::ALL.into_iter().any(|direction| {
            let (behind, ahead) = direction.room(size, four);
            let first = -behind.min(REST)..=(ahead - REST).min(0);
            first.into_iter().any(|first| {
                let row = (first..=first + REST).map(|steps| direction.step(size, four, steps));
                let mut stones = 0;
                for cell in row {
                    if theirs.contains(cell) {
                        return false;
                    }
                    stones += usize::from(cell != four && own.contains(cell));
                }
                stones >= 2
            })
        })
    }
}

/// The zones of proven positions, by their keys in the table of proofs; newer ones replace older
/// ones.
#[derive(Debug)]
pub(super) struct Zones {
    /// Each allocated when it is first written.
    kept: Vec<Option<Box<Kept>>>,
    /// Zones of another generation count as forgotten.
    generation: u32,
}

#[derive(Debug, Clone, Copy)]
struct Kept {
    key: u128,
    generation: u32,
    zone: Zone,
}

impl Zones {
    /// A store of about this many bytes.
    pub(super) fn new(bytes: usize) -> Zones {
        let place = size_of::<Option<Box<Kept>>>() + size_of::<Kept>();
        let places = (bytes / place).max(16);
        Zones {
            kept: vec![None; 1 << places.ilog2()],
            generation: 0,
        }
    }

    /// Forgets everything.
    pub(super) fn clear(&mut self) {
        self.generation = self.generation.wrapping_add(1);
        if self.generation == 0 {
            self.kept.fill(None);
        }
    }

    fn place(&self, key: u128) -> usize {
        (key >> 64) as usize & (self.kept.len() - 1)
    }

    pub(super) fn get(&self, key: u128) -> Option<Zone> {
        let kept = self.kept[self.place(key)].as_deref()?;
        (kept.key == key && kept.generation == self.generation).then_some(kept.zone)
    }

    pub(super) fn put(&mut self, key: u128, zone: Zone) {
        let (place, generation) = (self.place(key), self.generation);
        let kept = Kept {
            key,
            generation,
            zone,
        };
        match &mut self.kept[place] {
            Some(place) => **place = kept,
            place => *place = Some(Box::new(kept)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::games::gomoku::{Gomoku, GomokuRules};

    const FOUR: (u8, u8) = (11, 8);
    const ANSWER: (u8, u8) = (12, 8);

    fn points(points: &[(u8, u8)]) -> Points {
        let size = BoardSize::square(15);
        points.iter().map(|&(x, y)| size.point(x, y)).collect()
    }

    /// Whether White's four touches a proof of Black that plays at `attack`, and in which White plays at
    /// `defence`; with more white stones on the board.
    fn touches(
        rules: GomokuRules,
        stones: &[(u8, u8)],
        attack: &[(u8, u8)],
        defence: &[(u8, u8)],
    ) -> bool {
        let size = BoardSize::square(15);
        let mut position = Gomoku::with_rules(size, rules).unwrap();
        position.put(Color::Black, size.point(7, 8));
        for &(x, y) in [(8, 8), (9, 8), (10, 8)].iter().chain(stones) {
            position.put(Color::White, size.point(x, y));
        }
        let zone = Zone {
            attack: points(attack),
            defence: points(defence),
            ..Zone::NONE
        };
        let four = size.point(FOUR.0, FOUR.1);
        zone.is_touched_by(&mut Board::new(&position), Color::Black, four)
    }

    #[test]
    fn a_four_elsewhere_touches_nothing_and_one_on_the_attack_does() {
        let touches = |attack| touches(GomokuRules::Freestyle, &[], attack, &[]);
        assert!(!touches(&[(2, 2), (3, 8)]));
        assert!(touches(&[(2, 2), FOUR]));
        assert!(touches(&[(2, 2), ANSWER]));
    }

    #[test]
    fn a_four_that_makes_another_one_possible_touches_a_proof() {
        let touches = |stones: &[_], defence: &[_]| {
            touches(GomokuRules::Freestyle, stones, &[(2, 2)], defence)
        };
        assert!(touches(&[(11, 9), (11, 11)], &[]));
        assert!(touches(&[(11, 9)], &[(11, 11)]));
        assert!(touches(&[], &[(12, 9), (13, 10)]));
        assert!(!touches(&[(11, 9)], &[]));
        assert!(!touches(&[], &[(11, 9), (11, 14)]));
        // A second four leaves no answer.
        assert!(touches(&[(11, 9), (11, 10), (11, 11)], &[]));
    }

    #[test]
    fn where_six_do_not_win_a_stone_in_line_touches_a_proof() {
        for (rules, expected) in [
            (GomokuRules::Freestyle, false),
            (GomokuRules::Standard, true),
        ] {
            assert_eq!(touches(rules, &[], &[(12, 4)], &[]), expected, "{rules}");
            assert!(!touches(rules, &[], &[(12, 1)], &[]), "{rules}");
        }
    }

    #[test]
    fn zones_are_kept_by_key_and_forgotten() {
        let mut zones = Zones::new(0);
        let zone = Zone {
            attack: points(&[(3, 4)]),
            ..Zone::NONE
        };
        let key = 5 << 64;
        zones.put(key, zone);
        assert_eq!(zones.get(key), Some(zone));
        assert_eq!(zones.get(key + 1), None);
        zones.clear();
        assert_eq!(zones.get(key), None);
    }
}
