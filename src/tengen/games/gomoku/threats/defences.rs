//! The defender's moves in the threat search: which replies can stop a threat, and fours that the search postpones
//! until everything else is proven.

use super::board::Board;
use super::fours::{ANY_LENGTH, Finding};
use super::search::{Guessed, Replies, Search, Searched};
use super::table::{Known, Turn};
use super::zone::Zone;
use crate::game::{Color, Game as _, Move, zobrist};
use crate::games::gomoku::{Five, Points, Shape};

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
            return match self.board.position.has_move(defender) {
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
        let shapes = self.board.map.shapes(self.attacker.opponent(), four);
        let strong = shapes.iter().filter(|&&shape| shape >= Shape::ClosedThree);
        strong.eq([&Shape::Four])
    }

    /// The moves that could stop the attacker's threat of fours, which the defender must answer;
    /// `None` if no threat was found. With the plies in which the attacker wins against all others,
    /// and the points of the threat.
    pub(super) fn replies(&mut self) -> Option<(Points, u16, Zone)> {
        let (attacker, defender) = (self.attacker, self.attacker.opponent());
        let (mut found, mut zone): (Option<Points>, Zone) = (None, Zone::NONE);
        for mv in self.board.map.points(attacker, Shape::StraightFour).iter() {
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
        let legal = self.board.position.allowed(defender, points);
        zone.needs_forbidden |= legal != points;
        Some((legal, plies, zone))
    }

    fn wins_at_once(&mut self, mv: Move) -> bool {
        let attacker = self.attacker;
        self.board.put(attacker, mv);
        let wins = self.board.answers_to_four(attacker).is_empty()
            && self.board.position.has_move(attacker.opponent());
        self.board.take_back(attacker, mv);
        wins
    }
}

// Replies that can stop a threat: all others lose to the threatened line of fours, played as it
// stands.
//
// A line of fours depends on few facts: its points are free, each four has a single answer, and
// the defender has no own four or five at any time before the last. A stone elsewhere changes none
// of them, unless it makes the defender a four, at once or with the answers of the line.

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
    let rules = board.position.rules();
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
            found |= board.fives(defender) | board.fours(defender);
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
        disturbing: if sure { found } else { board.position.empty() },
        zone,
    }
}

impl Search<'_> {
    /// The key of a four's stone, which is on the board, and of the stone that answers it.
    pub(super) fn stones_of_four(&self, side: Color, four: Move) -> u128 {
        let answer = self.board.fives(side).lowest();
        let answer = answer.map(|answer| zobrist::stone(side.opponent(), answer));
        zobrist::stone(side, four) ^ answer.unwrap_or(0)
    }

    /// What wins without the defender's last four often wins with it, too.
    pub(super) fn prefer_move_without_fours(&self, moves: &mut [Guessed]) {
        let Some(four) = self.fours.last() else {
            return;
        };
        let known = self.lookup(self.board.position.key() ^ four, Turn::Attacker);
        let best = known
            .filter(|known| known.is_win())
            .and_then(|known| known.best);
        if let Some(best) = best {
            for (mv, guessed) in moves {
                *guessed = if *mv == best { 1 } else { *guessed + 1 };
            }
        }
    }

    /// The points that the proof of a won position uses, if those of the positions after it are known.
    pub(super) fn zone(
        &self,
        turn: Turn,
        known: Known,
        children: &[(Move, Known)],
        replies: &Replies,
    ) -> Option<Zone> {
        let side = self.side(turn);
        let after = |mv| {
            let key = self.board.key_with(side, mv) ^ self.salt(turn.next());
            self.zones.get(key)
        };
        match turn {
            Turn::Attacker => {
                let best = known.best?;
                let mut zone = after(best)?;
                zone.attack.insert(best);
                zone.needs_forbidden |= !self.board.may_attack(side, best);
                Some(zone)
            }
            Turn::Defender => {
                let mut zones = children.iter().map(|&(mv, _)| after(mv));
                zones.try_fold(replies.zone, |all, zone| Some(all.and(zone?)))
            }
        }
    }

    /// Takes those of the postponed fours that can change the proof; all of them, if it is not known
    /// which points it uses.
    pub(super) fn touching(&mut self, replies: &mut Replies, zone: Option<Zone>) -> Vec<Guessed> {
        let fours = replies.fours.iter();
        let touching: Points = match zone {
            None => fours.collect(),
            Some(zone) => fours
                .filter(|&four| zone.is_touched_by(self.board, self.attacker, four))
                .collect(),
        };
        replies.fours.remove_all(touching);
        touching.iter().map(|four| (four, 1)).collect()
    }
}
