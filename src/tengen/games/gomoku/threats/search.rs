//! Victory by continuous threats: df-pn over the attacker's threes and fours and all replies that
//! could stop them (docs/methods.md#threats).

use super::board::Board;
use super::fours::{ANY_LENGTH, Halt, one_less};
use super::table::{Known, NEVER, Table, Turn, guess, judge};
use super::zone::{Zone, Zones};
use crate::game::{Color, Game as _, Move};
use crate::games::gomoku::Points;

/// The most wins at a point that are counted.
const WINS: u8 = 20;

/// The search was stopped before it had a result.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Halted;

/// A search for a win of one side.
pub(super) struct Search<'a> {
    pub(super) board: &'a mut Board,
    pub(super) table: &'a mut Table,
    pub(super) zones: &'a mut Zones,
    /// For each four of the defender on the way here, the key of its stone and its answer's.
    pub(super) fours: Vec<u128>,
    /// How many positions the attacker won at each point, at most [`WINS`].
    pub(super) wins: Vec<u8>,
    pub(super) attacker: Color,
    pub(super) level: Level,
    /// Whether moves are tried that make no three and no four, but might threaten a line of fours.
    pub(super) wide: bool,
    /// Moves from the position where it began.
    pub(super) depth: u32,
    /// Plies within which the win must come.
    pub(super) plies: u16,
    /// It stops when the board has counted this many nodes.
    pub(super) end: u64,
    /// Whether to stop earlier.
    pub(super) halt: Halt<'a>,
}

impl Search<'_> {
    /// Whether the attacker wins; stops at the node limit.
    pub(super) fn run(&mut self, turn: Turn) -> Result<Known, Halted> {
        match self.lookup(self.board.position.key(), turn) {
            Some(known) if known.proof == 0 || known.disproof == 0 => Ok(known),
            _ => self.visit(turn, NEVER, NEVER),
        }
    }

    /// The table's entry of a position by its stones, if valid for this level and ply limit.
    pub(super) fn lookup(&self, stones: u128, turn: Turn) -> Option<Known> {
        let key = stones ^ self.salt(turn);
        let fits = |known: &Known| match known.is_win() {
            true => known.plies <= self.plies,
            false => self.plies == ANY_LENGTH && known.level >= self.level.number,
        };
        self.table.get(key).filter(fits).or_else(|| {
            let within = |known: &Known| known.level >= self.level.number;
            (self.plies != ANY_LENGTH)
                .then(|| self.table.get(key ^ limit(self.plies)).filter(within))?
        })
    }

    /// Stores the result for the position on the board, and the points that a proof uses, if they are
    /// known. A win is valid for any limit.
    fn note(&mut self, turn: Turn, known: Known, zone: Option<Zone>, work: u64) {
        let key = self.board.position.key() ^ self.salt(turn);
        if known.is_win() {
            if let Some(zone) = zone {
                self.zones.put(key, zone);
            }
            if let (Turn::Attacker, Some(best)) = (turn, known.best) {
                let wins = &mut self.wins[best.index()];
                *wins = (*wins + 1).min(WINS);
            }
        }
        let key = match known.is_win() {
            true => key,
            false => key ^ limit(self.plies),
        };
        self.table.put(key, known, work);
    }

    /// Nagai's df-pn: continues below the most promising move until the numbers of this position
    /// reach a threshold.
    fn visit(&mut self, turn: Turn, proof: u32, disproof: u32) -> Result<Known, Halted> {
        let started = self.board.nodes;
        self.ask()?;
        let searched = match turn {
            Turn::Attacker => self.attacks().map(|moves| Replies {
                moves,
                fours: Points::EMPTY,
                rest: 0,
                zone: Zone::NONE,
            }),
            Turn::Defender => self.defences(),
        };
        let mut replies = match searched {
            Err((known, zone)) => {
                self.note(turn, known, Some(zone), self.board.nodes - started);
                return Ok(known);
            }
            Ok(replies) => replies,
        };
        if turn == Turn::Attacker {
            self.prefer_move_without_fours(&mut replies.moves);
        }
        let mut children = self.children(turn, std::mem::take(&mut replies.moves));
        loop {
            let (known, chosen, limits) = judge(turn, &children, replies.rest, (proof, disproof));
            let mut known = Known {
                level: self.level.number,
                ..known
            };
            let zone = known
                .is_win()
                .then(|| self.zone(turn, known, &children, &replies));
            let zone = zone.flatten();
            if turn == Turn::Defender && known.is_win() && !replies.fours.is_empty() {
                let more = self.touching(&mut replies, zone);
                if !more.is_empty() {
                    children.extend(self.children(turn, more));
                    continue;
                }
                // Each of the fours can still delay the win.
                known.plies += 2 * replies.fours.count() as u16;
            }
            let decided = known.proof == 0 || known.disproof == 0;
            if decided || known.proof >= proof || known.disproof >= disproof {
                self.note(turn, known, zone, self.board.nodes - started);
                return Ok(known);
            }
            let mv = children[chosen].0;
            let (side, plies) = (self.side(turn), self.plies);
            let is_four = turn == Turn::Defender && self.board.fours(side).contains(mv);
            self.board.put(side, mv);
            if is_four {
                self.fours.push(self.stones_of_four(side, mv));
            }
            self.plies = one_less(plies);
            self.depth += 1;
            let found = self.visit(turn.next(), limits.0, limits.1);
            self.plies = plies;
            self.depth -= 1;
            if is_four {
                self.fours.pop();
            }
            self.board.take_back(side, mv);
            match found {
                Ok(found) => children[chosen].1 = found,
                Err(halted) => {
                    self.note(turn, known, None, self.board.nodes - started);
                    return Err(halted);
                }
            }
        }
    }

    pub(super) fn side(&self, turn: Turn) -> Color {
        match turn {
            Turn::Attacker => self.attacker,
            Turn::Defender => self.attacker.opponent(),
        }
    }

    /// The moves with what is known of the positions after them.
    fn children(&mut self, turn: Turn, moves: Vec<Guessed>) -> Vec<(Move, Known)> {
        let (side, plies) = (self.side(turn), self.plies);
        self.plies = one_less(plies);
        let children = moves.into_iter().map(|(mv, guessed)| {
            let next = self.board.key_with(side, mv);
            let known = self.lookup(next, turn.next());
            (mv, known.unwrap_or(guess(turn, guessed)))
        });
        let children = children.collect();
        self.plies = plies;
        children
    }

    fn ask(&mut self) -> Result<(), Halted> {
        let nodes = self.board.nodes;
        match nodes >= self.end || self.halt.is_due(nodes) {
            true => Err(Halted),
            false => Ok(()),
        }
    }

    /// Part of the keys besides the stones.
    pub(super) fn salt(&self, turn: Turn) -> u128 {
        let attacker = match self.attacker {
            Color::Black => 0x8b1f_40d7_2c63_95ea_17d8_b64e_03a9_fc52,
            Color::White => 0x35e6_9a0c_d871_4bf2_c90a_1e77_62bd_3849,
        };
        match turn {
            Turn::Attacker => attacker,
            Turn::Defender => attacker ^ 0xd2a4_6f18_90bb_e357_4ec1_857d_a036_f29b,
        }
    }
}

/// Part of the keys if the win must come within this many plies.
fn limit(plies: u16) -> u128 {
    match plies {
        ANY_LENGTH => 0,
        _ => (u128::from(plies) + 1).wrapping_mul(0xa0c5_18e3_6f7b_92d4_5d3e_c471_08ba_f639),
    }
}

/// A move to search, with the number of positions that it may take: to a proof for an attack, to a
/// refutation for a reply.
pub(super) type Guessed = (Move, u32);

/// What is to be searched after the attacker's threat; before it the attacker's moves alone.
pub(super) struct Replies {
    /// Replies that could stop it.
    pub(super) moves: Vec<Guessed>,
    /// Fours that may change nothing ([`Zone`]).
    pub(super) fours: Points,
    /// Plies to the win after all other moves.
    pub(super) rest: u16,
    /// The points of the threat.
    pub(super) zone: Zone,
}

/// Whether the side to move of a search has moves to search, or a result without search and the
/// points that its proof uses.
pub(super) type Searched<T> = Result<T, (Known, Zone)>;

/// An effort level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    /// Searches with a larger number find everything that those with a smaller one do.
    pub(super) number: u8,
    /// Stones that a search for fours may put, per position.
    pub(super) fours: u64,
}

impl Level {
    /// All levels in ascending order.
    pub(super) const ALL: [Level; 4] = [
        Level::new(1, 30),
        Level::new(2, 400),
        Level::new(3, 2_000),
        Level::new(4, 10_000),
    ];

    const fn new(number: u8, fours: u64) -> Level {
        Level { number, fours }
    }
}
