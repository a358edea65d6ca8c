//! Fours of the defender that the search postpones until everything else is proven, and what it knows
//! about them then.

use super::numbers::Turn;
use super::search::Search;
use super::searched::{Guessed, Replies};
use super::table::Known;
use super::zone::Zone;
use crate::game::{Color, Move, zobrist};
use crate::games::gomoku::Points;

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
        let known = self.lookup(self.board.key() ^ four, Turn::Attacker);
        let best = known
            .filter(|known| known.is_win())
            .and_then(|known| known.best);
        if let Some(best) = best {
            for (mv, guessed) in moves {
                *guessed = match *mv == best {
                    true => 1,
                    false => *guessed + 1,
                };
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
