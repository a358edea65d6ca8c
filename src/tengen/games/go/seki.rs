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

/// Maximum positions searched for all chains of a board together: a search of moves asks at each end of a game.
const MAX_ALL: usize = 4 * MAX_POSITIONS;

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
    pub fn agreed_on(&self, dead: Bits<WORDS>) -> Agreed<WORDS> {
        let mut agreed = Agreed {
            dead: self.connected(dead & !self.empty()),
            ..Agreed::ALL_ALIVE
        };
        if self.rules.scoring == Scoring::Territory {
            let alone = self.owned_as(Scoring::Area, &agreed);
            let mut left = MAX_ALL;
            for color in Color::BOTH {
                self.add_seki(color, alone, &mut agreed, &mut left);
            }
        }
        agreed
    }

    /// Adds one side's stones in seki and the points it must fill; `alone` holds the points that
    /// each side has or reaches alone, and `left` the positions that may be searched.
    fn add_seki(
        &self,
        color: Color,
        alone: [Bits<WORDS>; 2],
        agreed: &mut Agreed<WORDS>,
        left: &mut usize,
    ) {
        let frame = self.board.frame();
        let stones = self.stones(color) & !agreed.dead;
        let others = self.stones(color.opponent()) & !agreed.dead;
        let dame = frame.board() & !(alone[0] | alone[1]);
        let wide = frame
            .components(dame)
            .filter(|place| place.count() > MAX_SHARED);
        let border = wide.fold(Bits::EMPTY, |all, place| all | place);
        let mut group = Group {
            frame,
            stones,
            open: alone[color.index()] & !stones,
        };
        group.connect(dame, others);
        agreed.filled |= group.fill();
        for whole in frame.components(group.stones | group.open) {
            let room = whole & group.open;
            let shared = frame.neighbors(whole & stones) & dame;
            if room.is_empty()
                || shared.is_empty()
                || shared.intersects(border)
                || room.count() > MAX_ROOM
            {
                continue;
            }
            for chain in frame.components(whole & group.stones) {
                if frame.neighbors(chain).intersects(room) && group.falls(chain, room, left) {
                    agreed.seki |= chain & stones;
                }
            }
        }
    }
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
            let chains: Vec<_> = frame.components(meeting).collect();
            if !free.contains(point) || chains.len() < 2 {
                continue;
            }
            let in_atari = |chain: &Bits<WORDS>| (frame.neighbors(*chain) & empty).is_single();
            let caught = (next_to(point) & others).is_empty()
                && (next_to(point) & empty).count() < 2
                && !chains.iter().any(in_atari);
            let meets_too = |other: &Move| {
                let touched = |chain: &Bits<WORDS>| next_to(*other).intersects(*chain);
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
            let chains = self.frame.components(self.stones);
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
    /// turn decides, players who have both passed count it as alive. Takes the positions searched off
    /// those that are `left`.
    fn falls(&self, chain: Bits<WORDS>, room: Bits<WORDS>, left: &mut usize) -> bool {
        let start = Position {
            own: self.stones,
            other: Bits::EMPTY,
            ko: None,
        };
        let mut attack = Attack {
            frame: self.frame,
            room: room | self.stones,
            target: chain,
            most: MAX_POSITIONS.min(*left),
            known: HashMap::new(),
        };
        let falls = !attack.is_saved(start);
        *left -= attack.known.len();
        falls
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
    /// Positions that may be searched.
    most: usize,
    /// Transposition table: positions with the attacker to move, and whether the chain is captured.
    /// A failure may be due to a repetition or to the limit, and so depend on the order of the points:
    /// then a chain counts as alive that another order would capture.
    known: HashMap<Position<WORDS>, bool>,
}

impl<const WORDS: usize> Attack<'_, WORDS> {
    /// Whether the attacker, to move, captures the target. Repeating a position counts as failure.
    fn succeeds(&mut self, position: Position<WORDS>) -> bool {
        if let Some(&known) = self.known.get(&position) {
            return known;
        }
        if self.known.len() >= self.most {
            return false;
        }
        self.known.insert(position, false);
        let empty = self.room & !(position.own | position.other);
        let taken = empty.iter().any(|point| {
            self.played(position, point, true)
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
                let next = self.played(position, point, false);
                next.is_some_and(|next| !self.succeeds(next))
            })
    }

    /// A stone of the attacker, or of the group, on a point, unless it is suicide or a forbidden ko recapture. A stone
    /// of the attacker that reaches the outside is connected to stones that cannot be captured.
    fn played(
        &self,
        position: Position<WORDS>,
        point: Move,
        attacks: bool,
    ) -> Option<Position<WORDS>> {
        let outside = self.frame.board() & !self.room;
        let (own, other) = (position.own, position.other);
        let (mine, theirs, my_breath, their_breath) = match attacks {
            true => (other, own, outside, Bits::EMPTY),
            false => (own, other, Bits::EMPTY, outside),
        };
        let mine = mine | Bits::point(point);
        let free = |theirs: Bits<WORDS>| self.room & !(mine | theirs);
        let caught = self.without_liberties(theirs, free(theirs) | their_breath, point);
        let theirs = theirs & !caught;
        let chain = self.frame.flood(Bits::point(point), mine);
        let stays = (self.frame.neighbors(chain)).intersects(free(theirs) | my_breath);
        let is_ko = caught.is_single() && chain.is_single();
        let ko = caught.lowest().filter(|_| is_ko);
        let retaken = position.ko == Some(point) && ko.is_some();
        let (own, other) = if attacks {
            (theirs, mine)
        } else {
            (mine, theirs)
        };
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
        let chains = self.frame.components(self.frame.flood(next, stones));
        let caught = chains.filter(|chain| (self.frame.neighbors(*chain) & free).is_empty());
        caught.fold(Bits::EMPTY, |all, chain| all | chain)
    }
}

#[cfg(test)]
mod tests;
