//! The attacker's moves in the threat search, and how promising moves are.

use std::cmp::Reverse;

use super::defences::threat;
use super::fours::{Finding, Fours};
use super::search::{Guessed, Search, Searched};
use super::table::{Known, Turn};
use super::zone::Zone;
use crate::game::{Color, Game as _, Move};
use crate::games::gomoku::{Points, Shape};

/// Distinguishes the keys of interrupted searches for fours from those of positions.
const FOURS_FAILED: u128 = 0x6c93_e1b7_05d2_4f8a_b30f_7a64_c8e5_129d;

/// Positions that it may take to prove that a promising threat wins: a three has about three
/// answers, the search for fours has tried a four alone, and a closed three or a two is seldom a
/// threat.
const THREE: u32 = 3;
const FOUR: u32 = 8;
const CLOSED_THREE: u32 = 20;
const TWO: u32 = 15;

impl Search<'_> {
    /// The attacker's moves to search, or a result without search.
    #[expect(
        clippy::result_large_err,
        reason = "most positions end: a box for each costs more"
    )]
    pub(super) fn attacks(&mut self) -> Searched<Vec<Guessed>> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        let refuted = Err((Known::refuted(self.level.number), Zone::NONE));
        let theirs = self.board.fives(defender);
        if let Some(five) = self.board.fives(attacker).lowest() {
            let zone = Zone {
                attack: Points::point(five),
                ..Zone::NONE
            };
            return Err((Known::win(1, Some(five)), zone));
        }
        // A five takes one ply and any other threat three.
        if self.plies < 3 {
            return refuted;
        }
        if let (Finding::Win(plies), line) = self.fours() {
            let zone = threat(self.board, attacker, &line).zone;
            return Err((Known::win(plies, line.last().copied()), zone));
        }
        if !theirs.is_empty() {
            return match theirs.lowest() {
                Some(only)
                    if theirs.is_single() && !self.board.position.is_forbidden(attacker, only) =>
                {
                    Ok(vec![(only, 1)])
                }
                _ => refuted,
            };
        }
        let poorest = match self.wide {
            true => Shape::ClosedThree,
            false => Shape::Three,
        };
        let shapes = &Shape::ALL[poorest as usize..Shape::Five as usize];
        let points = shapes
            .iter()
            .map(|&shape| self.board.map.points(attacker, shape));
        let points = points.fold(Points::EMPTY, |all, set| all | set);
        let points = points | self.twos(points);
        let legal = self.board.position.allowed(attacker, points);
        let moves = self.most_promising_first(legal);
        if moves.is_empty() {
            return refuted;
        }
        let guessed = moves.into_iter().map(|(mv, lacks)| {
            let shapes = self.board.map.shapes(attacker, mv);
            let alike = match () {
                () if shapes.contains(&Shape::Three) => THREE,
                () if shapes.contains(&Shape::Four) => FOUR,
                () if shapes.contains(&Shape::ClosedThree) => CLOSED_THREE,
                () => TWO,
            };
            (mv, alike + lacks / 2)
        });
        Ok(guessed.collect())
    }

    /// At the beginning of the search only, if the attacker has a four: other points that make a two, from
    /// which a line with that four could follow. (Tried everywhere they cost more than they find.)
    fn twos(&self, others: Points) -> Points {
        if !self.wide || self.depth > 0 || self.board.fours(self.attacker).is_empty() {
            return Points::EMPTY;
        }
        let points = self.board.position.empty() & !others;
        let is_two = |&point: &Move| {
            let shapes = self.board.map.shapes(self.attacker, point);
            shapes.contains(&Shape::Two) || shapes.contains(&Shape::ClosedTwo)
        };
        points.iter().filter(is_two).collect()
    }

    /// The points by their promise, each with what it lacks to the first one's.
    pub(super) fn most_promising_first(&self, points: Points) -> Vec<(Move, u32)> {
        let rated = points.iter().map(|mv| (self.promise(mv), mv));
        let mut rated: Vec<(u32, Move)> = rated.collect();
        rated.sort_unstable_by_key(|&(promise, mv)| (Reverse(promise), mv));
        let best = rated.first().map_or(0, |&(promise, _)| promise);
        let lacking = rated.into_iter().map(|(promise, mv)| (mv, best - promise));
        lacking.collect()
    }

    /// How likely a point is the best one for both sides: by the shapes that they would make there, and
    /// by the positions of this search that the attacker won there.
    fn promise(&self, mv: Move) -> u32 {
        let worth = |color: Color| -> u32 {
            let shapes = self.board.map.shapes(color, mv);
            let worth = shapes.iter().map(|shape| match shape {
                Shape::StraightFour | Shape::TwoFours | Shape::Four => 8,
                Shape::Three => 12,
                Shape::ClosedThree => 7,
                Shape::Two => 7,
                Shape::ClosedTwo => 2,
                _ => 0,
            });
            worth.sum()
        };
        let wins = u32::from(self.wins[mv.index()]);
        2 * (worth(self.attacker) + wins) + worth(self.attacker.opponent())
    }

    /// The attacker's line of fours, last move first, if this level's effort finds one.
    pub(super) fn fours(&mut self) -> (Finding, Vec<Move>) {
        let key = self.board.position.key() ^ self.salt(Turn::Attacker) ^ FOURS_FAILED;
        let failed = self.table.get(key);
        if failed.is_some_and(|failed| failed.level >= self.level.number) {
            return (Finding::Unknown, Vec::new());
        }
        let mut fours = Fours {
            board: self.board,
            table: self.table,
            attacker: self.attacker,
            left: self.level.fours,
            halt: None,
            line: Vec::new(),
        };
        let finding = fours.search(self.plies);
        let line = fours.line;
        if finding == Finding::Unknown {
            let failed = Known::refuted(self.level.number);
            self.table.put(key, failed, self.level.fours);
        }
        (finding, line)
    }
}
