//! The defender's moves in the threat search.

use super::fours::{ANY_LENGTH, Finding};
use super::replies::threat;
use super::search::Search;
use super::searched::{Replies, Searched};
use super::table::Known;
use super::zone::Zone;
use crate::game::Move;
use crate::games::gomoku::{Points, Shape};

impl Search<'_> {
    /// The replies to search, or a result without search.
    #[expect(
        clippy::result_large_err,
        reason = "most positions end: a box for each costs more"
    )]
    pub(super) fn defences(&mut self) -> Searched<Replies> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        let refuted = Err((Known::refuted(self.level.number), Zone::NONE));
        if self.plies < 2 || !self.board.fives(defender).is_empty() {
            return refuted;
        }
        let fives = self.board.fives(attacker);
        let (points, plies, zone) = match fives.is_empty() {
            false => {
                let zone = Zone {
                    attack: fives,
                    needs_forbidden: self.board.forbids_any(defender, fives),
                    ..Zone::NONE
                };
                (self.board.answers_to_four(attacker), 2, zone)
            }
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
                true => Err((Known::win(plies, None), zone)),
                false => refuted,
            };
        }
        let mut zone = zone;
        let mut fours = Points::EMPTY;
        if fives.is_empty() && self.plies == ANY_LENGTH {
            let own = self.board.fours(defender) & points & !(zone.attack | zone.defence);
            fours = own.iter().filter(|&four| self.is_plain(four)).collect();
        }
        zone.defence |= points;
        let moves = self.most_promising_first(points & !fours).into_iter();
        Ok(Replies {
            moves: moves.map(|(mv, lacks)| (mv, 1 + lacks / 4)).collect(),
            fours,
            rest: plies,
            zone,
        })
    }

    /// Whether a four of the defender makes nothing else from which fours could follow.
    fn is_plain(&self, four: Move) -> bool {
        let shapes = self.board.shapes(self.attacker.opponent(), four);
        let strong = shapes.iter().filter(|&&shape| shape >= Shape::ClosedThree);
        strong.eq([&Shape::Four])
    }

    /// The moves that could stop the attacker's threat of fours, which the defender must answer;
    /// `None` if no threat was found. With the plies in which the attacker wins against all others,
    /// and the points of the threat.
    pub(super) fn replies(&mut self) -> Option<(Points, u16, Zone)> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        let (mut found, mut zone): (Option<Points>, Zone) = (None, Zone::NONE);
        for mv in self.board.points(attacker, Shape::StraightFour).iter() {
            // Alone it threatens a win, if nothing spoils it.
            if self.board.may_attack(attacker, mv) && self.wins_at_once(mv) {
                let threat = threat(self.board, attacker, &[mv]);
                let points = threat.disturbing;
                found = Some(found.map_or(points, |all| all & points));
                zone = zone.and(threat.zone);
            }
        }
        let plies = match found {
            Some(_) => 4,
            None => {
                let (finding, line) = self.fours();
                let Finding::Win(plies) = finding else {
                    return None;
                };
                let threat = threat(self.board, attacker, &line);
                (found, zone) = (Some(threat.disturbing), threat.zone);
                plies + 1
            }
        };
        let points = found?;
        let legal = points
            .iter()
            .filter(|&point| !self.board.is_forbidden(defender, point));
        let legal: Points = legal.collect();
        zone.needs_forbidden |= legal != points;
        Some((legal, plies, zone))
    }

    fn wins_at_once(&mut self, mv: Move) -> bool {
        let attacker = self.attacker;
        self.board.put(attacker, mv);
        let wins = self.board.answers_to_four(attacker).is_empty()
            && self.board.has_move(attacker.opponent());
        self.board.take_back(attacker, mv);
        wins
    }
}
