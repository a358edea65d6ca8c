//! Seki: stones that survive because neither side gains by filling the dame between them. The rules
//! count points they surround for neither side (Japanese rules of 1989, article 8: living stones
//! with dame are in seki), although players also leave dame of safe stones open. Here a chain is in
//! seki if it is lost once the opponent has all dame, although its own side moves first
//! (docs/methods.md#go).

use std::collections::HashMap;

use super::{Agreed, Go, Scoring};
use crate::game::{Bits, Color, Frame, Move};

/// A group with more eye space than this can make two eyes.
const MAX_ROOM: usize = 8;

/// More adjacent dame than this are an open border and not evidence of seki.
const MAX_SHARED: usize = 6;

/// Maximum positions searched per chain; a chain that is not captured within them lives.
const MAX_POSITIONS: usize = 5_000;

/// One side when all dame are filled: the rest of the board belongs to the opponent and cannot be
/// captured.
struct Group<'a, const WORDS: usize> {
    frame: &'a Frame<WORDS>,
    stones: Bits<WORDS>,
    /// Empty points that only this side reaches.
    open: Bits<WORDS>,
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// The agreement if the chains of these stones are dead: with territory scoring, the remaining
    /// stones in seki and the points that must be filled.
    #[must_use]
    pub fn agreed_on(&self, dead: Bits<WORDS>) -> Agreed<WORDS> {
        let mut agreed = Agreed {
            dead: self.connected(dead & !self.empty()),
            ..Agreed::all_alive()
        };
        if self.rules.scoring == Scoring::Territory {
            let alone = self.owned_as(Scoring::Area, &agreed);
            for color in Color::BOTH {
                self.add_seki(color, alone, &mut agreed);
            }
        }
        agreed
    }

    /// Adds one side's stones in seki and the points it must fill; `alone` holds the points that
    /// each side has or reaches alone.
    fn add_seki(&self, color: Color, alone: [Bits<WORDS>; 2], agreed: &mut Agreed<WORDS>) {
        let frame = self.board.frame();
        let stones = self.stones(color) & !agreed.dead;
        let others = self.stones(color.opponent()) & !agreed.dead;
        let dame = frame.board() & !(alone[0] | alone[1]);
        let places = parts(frame, dame).into_iter();
        let wide = places.filter(|place| place.count() > MAX_SHARED);
        let border = wide.fold(Bits::EMPTY, |all, place| all | place);
        let mut group = Group {
            frame,
            stones,
            open: alone[color.index()] & !stones,
        };
        group.connect(dame, others);
        agreed.filled |= group.fill();
        let (mut left, all) = (group.open, group.stones | group.open);
        while let Some(first) = left.lowest() {
            let whole = frame.flood(Bits::point(first), all);
            left.remove_all(whole);
            let room = whole & group.open;
            let shared = frame.neighbors(whole & stones) & dame;
            let escapes = !(shared & border).is_empty();
            if shared.is_empty() || escapes || room.count() > MAX_ROOM {
                continue;
            }
            for chain in parts(frame, whole & group.stones) {
                if !(frame.neighbors(chain) & room).is_empty() && group.falls(chain, room) {
                    agreed.seki |= chain & stones;
                }
            }
        }
    }
}

/// Connected components of a set of points.
fn parts<const WORDS: usize>(frame: &Frame<WORDS>, mut set: Bits<WORDS>) -> Vec<Bits<WORDS>> {
    let mut parts = Vec::new();
    while let Some(first) = set.lowest() {
        let part = frame.flood(Bits::point(first), set);
        set.remove_all(part);
        parts.push(part);
    }
    parts
}

impl<const WORDS: usize> Group<'_, WORDS> {
    /// Plays the dame that connect chains: one of two where the same chains meet twice, and one
    /// where an opposing stone would be captured.
    fn connect(&mut self, dame: Bits<WORDS>, others: Bits<WORDS>) {
        let (frame, empty) = (self.frame, dame | self.open);
        let next_to = |point: Move| frame.neighbors(Bits::point(point));
        let mut free = dame;
        for point in dame.iter() {
            let meeting = frame.flood(next_to(point) & self.stones, self.stones);
            let chains = parts(frame, meeting);
            if !free.contains(point) || chains.len() < 2 {
                continue;
            }
            let in_atari = |chain: &Bits<WORDS>| (frame.neighbors(*chain) & empty).is_single();
            let caught = (next_to(point) & others).is_empty()
                && (next_to(point) & empty).count() < 2
                && !chains.iter().any(in_atari);
            let meets_too = |other: &Move| {
                let touched = |chain: &Bits<WORDS>| !(next_to(*other) & *chain).is_empty();
                *other != point && chains.iter().all(touched)
            };
            let second = free.iter().find(meets_too);
            if caught || second.is_some() {
                self.stones.insert(point);
                free.remove(point);
            }
            if let Some(second) = second.filter(|_| !caught) {
                free.remove(second);
            }
        }
    }

    /// Fills the points without which a chain would be captured; returns them.
    fn fill(&mut self) -> Bits<WORDS> {
        let mut filled = Bits::EMPTY;
        loop {
            let chains = parts(self.frame, self.stones).into_iter();
            let mut liberties = chains.map(|chain| self.frame.neighbors(chain) & self.open);
            let Some(last) = liberties.find(Bits::is_single) else {
                return filled;
            };
            filled |= last;
            self.stones |= last;
            self.open.remove_all(last);
        }
    }

    /// Whether a chain with this eye space is captured although its side moves first. If only the
    /// turn decides, players who have both passed count it as alive.
    fn falls(&self, chain: Bits<WORDS>, room: Bits<WORDS>) -> bool {
        let start = Position {
            own: self.stones,
            other: Bits::EMPTY,
            ko: None,
        };
        let mut attack = Attack {
            frame: self.frame,
            room: room | self.stones,
            target: chain,
            known: HashMap::new(),
        };
        !attack.is_saved(start)
    }
}

/// A position of the search: the group's stones, and the opponent's stones in its eye space.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Position<const WORDS: usize> {
    own: Bits<WORDS>,
    other: Bits<WORDS>,
    /// The point that ko forbids.
    ko: Option<Move>,
}

/// A search for whether a chain can be captured.
struct Attack<'a, const WORDS: usize> {
    frame: &'a Frame<WORDS>,
    /// Points where stones may be placed or captured; everything around them belongs to the
    /// attacker.
    room: Bits<WORDS>,
    target: Bits<WORDS>,
    /// Transposition table: positions with the attacker to move, and whether the chain is captured.
    known: HashMap<Position<WORDS>, bool>,
}

impl<const WORDS: usize> Attack<'_, WORDS> {
    /// Whether the attacker, to move, captures the target. Repeating a position counts as failure.
    fn succeeds(&mut self, position: Position<WORDS>) -> bool {
        if let Some(&known) = self.known.get(&position) {
            return known;
        }
        if self.known.len() >= MAX_POSITIONS {
            return false;
        }
        self.known.insert(position, false);
        let empty = self.room & !(position.own | position.other);
        let taken = empty.iter().any(|point| {
            self.attacked(position, point)
                .is_some_and(|next| (next.own & self.target) != self.target || !self.is_saved(next))
        });
        self.known.insert(position, taken);
        taken
    }

    /// Whether the group, to move, saves the target: first tried by passing, which suffices for a
    /// safe group.
    fn is_saved(&mut self, position: Position<WORDS>) -> bool {
        let empty = self.room & !(position.own | position.other);
        let passed = Position {
            ko: None,
            ..position
        };
        !self.succeeds(passed)
            || empty.iter().any(|point| {
                let next = self.defended(position, point);
                next.is_some_and(|next| !self.succeeds(next))
            })
    }

    /// The attacker's stone on a point, unless it is suicide or a forbidden ko recapture.
    fn attacked(&self, position: Position<WORDS>, point: Move) -> Option<Position<WORDS>> {
        let other = position.other | Bits::point(point);
        let free = |own: Bits<WORDS>| self.room & !(own | other);
        let caught = self.without_liberties(position.own, free(position.own), point);
        let own = position.own & !caught;
        let chain = self.frame.flood(Bits::point(point), other);
        // A stone that reaches the outside is connected to stones that cannot be captured.
        let breath = free(own) | (self.frame.board() & !self.room);
        let stays = !(self.frame.neighbors(chain) & breath).is_empty();
        let ko = caught
            .lowest()
            .filter(|_| caught.is_single() && chain.is_single());
        let retaken = position.ko == Some(point) && ko.is_some();
        (stays && !retaken).then_some(Position { own, other, ko })
    }

    /// The group's stone on a point, under the same conditions.
    fn defended(&self, position: Position<WORDS>, point: Move) -> Option<Position<WORDS>> {
        let own = position.own | Bits::point(point);
        let outside = self.frame.board() & !self.room;
        let free = self.room & !(own | position.other);
        let caught = self.without_liberties(position.other, free | outside, point);
        let other = position.other & !caught;
        let chain = self.frame.flood(Bits::point(point), own);
        let stays = !(self.frame.neighbors(chain) & self.room & !(own | other)).is_empty();
        let ko = caught
            .lowest()
            .filter(|_| caught.is_single() && chain.is_single());
        let retaken = position.ko == Some(point) && ko.is_some();
        (stays && !retaken).then_some(Position { own, other, ko })
    }

    /// The chains of `stones` adjacent to a point without a liberty among `free`.
    fn without_liberties(
        &self,
        stones: Bits<WORDS>,
        free: Bits<WORDS>,
        point: Move,
    ) -> Bits<WORDS> {
        let next = self.frame.neighbors(Bits::point(point)) & stones;
        let chains = parts(self.frame, self.frame.flood(next, stones)).into_iter();
        let caught = chains.filter(|chain| (self.frame.neighbors(*chain) & free).is_empty());
        caught.fold(Bits::EMPTY, |all, chain| all | chain)
    }
}

#[cfg(test)]
#[path = "seki_tests.rs"]
mod tests;
