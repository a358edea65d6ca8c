//! How a book grows: which position is searched next.
//!
//! A line of play *costs* what its moves lose against the best move of each position, and something
//! for each ply. The next position is the end of the cheapest line that leaves the book. A book is
//! played from by one side, which only plays its best moves, while the opponent may play others: so it
//! grows for Black and for White in turn, and the losses of that side cost more.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::{Book, BookError, Images, Searched};
use crate::game::{Color, Game, Move};

/// Cost of a ply, in units of value.
const PLY: f32 = 0.03;
/// Cost of what the side loses that the book grows for.
const OWN_LOSS: f32 = 4.0;
/// Costs are compared as whole numbers of this size.
const UNIT: f32 = 1e-6;

/// A book that grows from a position.
pub struct Growth<G> {
    book: Book,
    /// The moves from the empty board to that position.
    moves: Vec<Move>,
    /// The empty board, and the position after each of those moves.
    along: Vec<Images<G>>,
    /// Positions before each one.
    parents: HashMap<u128, Vec<u128>>,
}

/// A position to search next.
#[derive(Debug, Clone)]
pub struct Place<G> {
    /// The moves that lead there from the empty board.
    pub moves: Vec<Move>,
    /// The position.
    pub images: Images<G>,
    key: u128,
    /// Value for the side to move, as the search of the position before it found.
    expected: f32,
}

/// Cost of the cheapest line to a position, and its last move: key and index in the position before.
type Reached = HashMap<u128, (u64, Option<(u128, usize)>)>;

impl<G: Game> Growth<G> {
    /// A book that grows from the position after these moves, which are legal from an empty board on.
    #[must_use]
    pub fn new(book: Book, empty: &G, moves: Vec<Move>) -> Growth<G> {
        let mut images = Images::of_empty(empty);
        let mut along = vec![images.clone()];
        for &mv in &moves {
            images = images.after(mv);
            along.push(images.clone());
        }
        Growth {
            parents: book.parents(),
            book,
            moves,
            along,
        }
    }

    /// The book.
    #[must_use]
    pub fn book(&self) -> &Book {
        &self.book
    }

    /// The position to search next; `None` if everything is known.
    ///
    /// # Errors
    /// [`BookError::Damaged`] if the book's lines are not those of the game.
    pub fn next(&self) -> Result<Option<Place<G>>, BookError> {
        if let Some(place) = self.on_the_way() {
            return Ok(Some(place));
        }
        let sides = match self.book.len() % 2 {
            0 => [Color::Black, Color::White],
            _ => [Color::White, Color::Black],
        };
        let found = sides.into_iter().find_map(|side| self.cheapest(side));
        let place = found.map(|(reached, key)| self.place(&reached, key).ok_or(BookError::Damaged));
        place.transpose()
    }

    /// Adds the search of a position; returns its key and what the book keeps. Where nothing could be
    /// searched, it keeps what was expected.
    pub fn add(&mut self, place: &Place<G>, searched: Option<Searched>) -> (u128, Searched) {
        let nothing = || Searched::nothing(place.expected);
        let searched = searched.unwrap_or_else(nothing);
        for found in &searched.moves {
            let before = self.parents.entry(found.next).or_default();
            if !before.contains(&place.key) {
                before.push(place.key);
            }
        }
        self.book.add(place.key, searched.clone(), &self.parents);
        (place.key, searched)
    }

    /// A position before the one that it grows from, if the book does not have it.
    fn on_the_way(&self) -> Option<Place<G>> {
        let mut ways = self.along.iter().take(self.moves.len()).enumerate();
        ways.find_map(|(plies, images)| {
            let key = images.key();
            (!self.book.has(key)).then(|| Place {
                moves: self.moves.iter().take(plies).copied().collect(),
                images: images.clone(),
                key,
                expected: 0.0,
            })
        })
    }

    /// The end of the cheapest line that leaves the book, with the costs of this side's book.
    fn cheapest(&self, side: Color) -> Option<(Reached, u128)> {
        let root = self.along.last()?;
        let (mover, root) = (root.position().to_move(), root.key());
        // Cost, number of positions before it, number of plies, key: of equal costs the first, which the
        // search preferred.
        let mut open = BinaryHeap::from([Reverse((0_u64, 0_u64, 0_u32, root))]);
        let mut seen = 0;
        let mut reached = Reached::from([(root, (0, None))]);
        while let Some(Reverse((cost, _, ply, key))) = open.pop() {
            if reached.get(&key).is_some_and(|(least, _)| *least < cost) {
                continue;
            }
            let Some(searched) = self.book.searched(key) else {
                return Some((reached, key));
            };
            let (value, proof) = self.book.value(key)?;
            if proof.is_some() {
                continue;
            }
            let turn = if ply.is_multiple_of(2) {
                mover
            } else {
                mover.opponent()
            };
            let weight = if turn == side { OWN_LOSS } else { 1.0 };
            for (at, found) in self.book.judged(searched).enumerate() {
                if found.proof.is_some() {
                    continue;
                }
                let loss = weight * (value - found.value).max(0.0);
                let cost = cost + ((loss + PLY) / UNIT) as u64;
                let is_cheaper = reached
                    .get(&found.next)
                    .is_none_or(|(least, _)| cost < *least);
                if is_cheaper {
                    reached.insert(found.next, (cost, Some((key, at))));
                    seen += 1;
                    open.push(Reverse((cost, seen, ply + 1, found.next)));
                }
            }
        }
        None
    }

    /// The position with this key, along the moves that reached it.
    fn place(&self, reached: &Reached, key: u128) -> Option<Place<G>> {
        let mut line = Vec::new();
        let mut at = key;
        while let Some((before, index)) = reached.get(&at)?.1 {
            line.push(self.book.searched(before)?.moves.get(index)?);
            at = before;
        }
        let mut place = Place {
            moves: self.moves.clone(),
            images: self.along.last()?.clone(),
            key,
            expected: 0.0,
        };
        for found in line.into_iter().rev() {
            let mv = place.images.own(found.mv)?;
            place.moves.push(mv);
            place.images = place.images.after(mv);
            place.expected = -found.value;
        }
        (place.images.key() == key).then_some(place)
    }
}
