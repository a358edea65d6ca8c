//! Go exactly as a rule sheet says, by flood fill and copies of all boards. Shares no code with the
//! real implementation. Test code.

use std::collections::HashSet;

use super::{GoRules, KoRule};
use crate::game::conformance::neighbors;
use crate::game::{BoardSize, Color};

/// Stones in row-major order.
pub(super) type Stones = Vec<Option<Color>>;

/// A game.
#[derive(Clone)]
pub(super) struct Naive {
    pub(super) size: BoardSize,
    pub(super) rules: GoRules,
    pub(super) stones: Stones,
    pub(super) to_move: Color,
    /// Captured stones, by their colour.
    pub(super) taken: [u32; 2],
    /// The board before the last move, if that was a stone of the opponent.
    before: Option<Stones>,
    /// All boards so far, with the side to move.
    past: HashSet<(Stones, Color)>,
    /// Colour of each move, and whether it placed a stone.
    moves: Vec<(Color, bool)>,
}

impl Naive {
    pub(super) fn new(size: BoardSize, rules: GoRules) -> Naive {
        let stones = vec![None; size.area()];
        Naive {
            size,
            rules,
            past: HashSet::from([(stones.clone(), Color::Black)]),
            stones,
            to_move: Color::Black,
            taken: [0; 2],
            before: None,
            moves: Vec::new(),
        }
    }

    /// The points connected to `point` through points with the same content, and the contents
    /// adjacent to them.
    fn region(&self, stones: &Stones, point: usize) -> (Vec<usize>, HashSet<Option<Color>>) {
        let (mut region, mut touched) = (vec![point], HashSet::new());
        let mut seen = vec![false; stones.len()];
        seen[point] = true;
        let mut next = 0;
        while next < region.len() {
            for neighbor in neighbors(self.size, region[next]) {
                if stones[neighbor] != stones[point] {
                    touched.insert(stones[neighbor]);
                } else if !std::mem::replace(&mut seen[neighbor], true) {
                    region.push(neighbor);
                }
            }
            next += 1;
        }
        (region, touched)
    }

    /// Removes the chains of `color` without liberties; returns the number of stones removed.
    fn clear(&self, stones: &mut Stones, color: Color) -> u32 {
        let (mut dead, mut seen) = (Vec::new(), vec![false; stones.len()]);
        for point in 0..stones.len() {
            if stones[point] == Some(color) && !seen[point] {
                let (chain, touched) = self.region(stones, point);
                chain.iter().for_each(|&stone| seen[stone] = true);
                if !touched.contains(&None) {
                    dead.extend(chain);
                }
            }
        }
        dead.iter().for_each(|&point| stones[point] = None);
        dead.len() as u32
    }

    /// The board after a stone, and the number of captures; `None` where it is illegal, ko and
    /// repetition aside.
    fn after(&self, point: usize) -> Option<(Stones, [u32; 2])> {
        if self.stones[point].is_some() {
            return None;
        }
        let (own, enemy) = (self.to_move, self.to_move.opponent());
        let mut stones = self.stones.clone();
        stones[point] = Some(own);
        let mut taken = [0; 2];
        taken[enemy.index()] = self.clear(&mut stones, enemy);
        taken[own.index()] = self.clear(&mut stones, own);
        let suicide = taken[own.index()];
        let may = suicide == 0 || self.rules.suicide && suicide > 1;
        may.then_some((stones, taken))
    }

    /// Whether a stone is legal by position and simple ko.
    pub(super) fn is_legal(&self, point: usize) -> bool {
        let after = self.after(point);
        after.is_some_and(|(stones, _)| self.before.as_ref() != Some(&stones))
    }

    /// Whether the repetition rule allows a legal stone.
    pub(super) fn is_allowed(&self, point: usize) -> bool {
        let (stones, _) = self.after(point).expect("a legal move");
        let was_there = |to_move| self.past.contains(&(stones.clone(), to_move));
        match self.rules.ko {
            KoRule::Simple => true,
            KoRule::Situational => !was_there(self.to_move.opponent()),
            KoRule::Positional => !Color::BOTH.into_iter().any(was_there),
        }
    }

    /// Plays a stone, or passes.
    pub(super) fn play(&mut self, point: Option<usize>) {
        let stones = self.stones.clone();
        self.before = None;
        self.moves.push((self.to_move, point.is_some()));
        if let Some(point) = point {
            let taken;
            (self.stones, taken) = self.after(point).expect("a legal move");
            self.before = Some(stones);
            Color::BOTH
                .iter()
                .for_each(|color| self.taken[color.index()] += taken[color.index()]);
        }
        self.to_move = self.to_move.opponent();
        self.past.insert((self.stones.clone(), self.to_move));
    }

    /// Passes the turn to the other side.
    pub(super) fn change_turn(&mut self) {
        self.before = None;
        self.to_move = self.to_move.opponent();
    }

    /// Handicap stones: Black's stones before White's first, unless White moves twice in a row
    /// until then or directly afterwards.
    pub(super) fn handicap(&self) -> u16 {
        let all = self.moves.len();
        let mut moves = self.moves.iter();
        let first = moves.position(|&mv| mv == (Color::White, true));
        let first = first.unwrap_or(all);
        let looked_at = &self.moves[..all.min(first + 2)];
        let twice = looked_at
            .windows(2)
            .any(|pair| pair.iter().all(|mv| mv.0 == Color::White));
        let stones = self.moves[..first]
            .iter()
            .filter(|mv| **mv == (Color::Black, true));
        match stones.count() {
            0 | 1 => 0,
            _ if twice => 0,
            stones => stones as u16,
        }
    }

    /// Area of Black and White: stones, and empty points adjacent to only one colour.
    pub(super) fn counts(&self) -> [[i32; 2]; 2] {
        let mut counts = [[0; 2]; 2];
        for point in 0..self.stones.len() {
            let (_, touched) = self.region(&self.stones, point);
            match self.stones[point] {
                Some(color) => counts[0][color.index()] += 1,
                None if touched.len() == 1 => {
                    let owner = touched.into_iter().next().flatten().expect("a colour");
                    counts[1][owner.index()] += 1;
                }
                None => {}
            }
        }
        counts
    }
}
