//! Moves of the threat search: possible threats, and possible answers.

use std::cmp::Reverse;

use super::fours::{Finding, Fours};
use super::numbers::Turn;
use super::replies::disturbing;
use super::search::Search;
use super::table::Known;
use crate::game::{Color, Move};
use crate::games::gomoku::{Points, Shape};

/// Distinguishes the keys of interrupted searches for fours from those of positions.
const FOURS_FAILED: u128 = 0x6c93_e1b7_05d2_4f8a_b30f_7a64_c8e5_129d;

impl Search<'_> {
    /// The attacker's moves to search, or a result without search.
    pub(super) fn attacks(&mut self) -> Result<Vec<Move>, Known> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        let refuted = Err(Known::refuted(self.level.number));
        let theirs = self.board.fives(defender);
        if let Some(five) = self.board.fives(attacker).lowest() {
            return Err(Known::win(1, Some(five)));
        }
        // A five takes one ply and any other threat three.
        if self.plies < 3 {
            return refuted;
        }
        if let (Finding::Win(plies), line) = self.fours() {
            return Err(Known::win(plies, line.last().copied()));
        }
        if !theirs.is_empty() {
            return match theirs.lowest() {
                Some(only) if theirs.is_single() && !self.board.is_forbidden(attacker, only) => {
                    Ok(vec![only])
                }
                _ => refuted,
            };
        }
        let shapes = [
            Shape::ClosedThree,
            Shape::Three,
            Shape::Four,
            Shape::TwoFours,
            Shape::StraightFour,
        ];
        let shapes = shapes[usize::from(!self.level.wide)..].iter();
        let points = shapes.map(|&shape| self.board.points(attacker, shape));
        let points = points.fold(Points::EMPTY, |all, set| all | set);
        let mut moves: Vec<(u32, Move)> = points
            .iter()
            .filter(|&mv| !self.board.is_forbidden(attacker, mv))
            .map(|mv| (self.promise(mv), mv))
            .collect();
        if moves.is_empty() {
            return refuted;
        }
        moves.sort_unstable_by_key(|&(promise, mv)| (Reverse(promise), mv));
        Ok(moves.into_iter().map(|(_, mv)| mv).collect())
    }

    fn promise(&self, mv: Move) -> u32 {
        let worth = |color: Color| -> u32 {
            let shapes = self.board.shapes(color, mv);
            let worth = shapes.iter().map(|shape| match shape {
                Shape::StraightFour | Shape::TwoFours | Shape::Four => 10,
                Shape::Three => 12,
                Shape::ClosedThree => 5,
                Shape::Two => 3,
                Shape::ClosedTwo => 1,
                _ => 0,
            });
            worth.sum()
        };
        2 * worth(self.attacker) + worth(self.attacker.opponent())
    }

    /// The replies to search, and the plies to the win after all others; or a result without
    /// search.
    pub(super) fn defences(&mut self) -> Result<(Vec<Move>, u16), Known> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        let refuted = Err(Known::refuted(self.level.number));
        if self.plies < 2 || !self.board.fives(defender).is_empty() {
            return refuted;
        }
        let (points, plies) = match self.board.fives(attacker).is_empty() {
            false => (self.board.answers_to_four(attacker), 2),
            true => match self.replies() {
                Some(found) => found,
                None => return refuted,
            },
        };
        if plies > self.plies {
            return refuted;
        }
        if points.is_empty() {
            return match self.board.has_move(defender) {
                true => Err(Known::win(plies, None)),
                false => refuted,
            };
        }
        Ok((points.iter().collect(), plies))
    }

    /// The moves that could stop the attacker's threat of fours, which the defender must answer;
    /// `None` if no threat was found. With the plies in which the attacker wins against all others.
    pub(super) fn replies(&mut self) -> Option<(Points, u16)> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        let mut found: Option<Points> = None;
        for mv in self.board.points(attacker, Shape::StraightFour).iter() {
            // Alone it threatens a win, if nothing spoils it.
            if self.board.may_attack(attacker, mv) && self.wins_at_once(mv) {
                let points = disturbing(self.board, attacker, &[mv]);
                found = Some(found.map_or(points, |all| all & points));
            }
        }
        let plies = match found {
            Some(_) => 4,
            None => {
                let (finding, line) = self.fours();
                let Finding::Win(plies) = finding else {
                    return None;
                };
                found = Some(disturbing(self.board, attacker, &line));
                plies + 1
            }
        };
        let points = found?.iter();
        let legal = points.filter(|&point| !self.board.is_forbidden(defender, point));
        Some((legal.collect(), plies))
    }

    fn wins_at_once(&mut self, mv: Move) -> bool {
        let attacker = self.attacker;
        self.board.put(attacker, mv);
        let wins = self.board.answers_to_four(attacker).is_empty()
            && self.board.has_move(attacker.opponent());
        self.board.take_back(attacker, mv);
        wins
    }

    fn fours(&mut self) -> (Finding, Vec<Move>) {
        let key = self.board.key() ^ self.salt(Turn::Attacker) ^ FOURS_FAILED;
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
