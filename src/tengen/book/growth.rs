//! How a book grows: which position is searched next.
//!
//! A line of play *costs* what its moves lose against the best move of each position, and something
//! for each ply. The next position is the end of the cheapest line that leaves the book, either by a
//! move to a new position or by one that was left out: then the position before it is *widened*,
//! searched again without the moves that it has. A book is played from by one side, which only plays its
//! best moves, while the opponent may play others: so it grows for Black and for White in turn. Losses
//! of that side cost more, and moves of the opponent cost the more the less likely they are.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use super::tree::Parents;
use super::{Book, BookError, Images, Searched};
use crate::game::{Color, Game, Move};
use crate::search::SearchReport;

/// Cost of a ply, in units of value.
const PLY: f32 = 0.03;
/// Cost of what the side loses that the book grows for.
const OWN_LOSS: f32 = 4.0;
/// Cost of a move of the opponent that is e times less likely than the likeliest, by their priors.
const UNLIKELY: f32 = 0.02;
/// Priors below this are taken for this one.
const MIN_PRIOR: f32 = 1e-3;
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
    parents: Parents,
    /// The side that it grows for.
    side: Color,
}

/// A position to search next.
#[derive(Debug, Clone)]
pub struct Place<G> {
    /// The moves that lead there from the empty board.
    pub moves: Vec<Move>,
    /// The position.
    pub images: Images<G>,
    /// Moves that are not to be searched, because the book has them.
    pub avoid: Vec<Move>,
    /// Value for the side to move, as the search of the position before it found.
    expected: f32,
}

/// Cost of the cheapest line to a position, and its last move: key and index in the position before.
type Reached = HashMap<u128, (u64, Option<(u128, usize)>)>;

/// What is on the way of the cheapest lines. Of equal costs the first comes first, which the search
/// preferred.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Step {
    cost: u64,
    /// Number of steps before it.
    number: u64,
    ply: u32,
    /// Whether it is about the moves that the position leaves out.
    widens: bool,
    key: u128,
}

impl<G: Game> Growth<G> {
    /// A book that grows from the position after these moves, which are legal from an empty board on.
    pub fn new(book: Book, empty: &G, moves: Vec<Move>) -> Growth<G> {
        let mut images = Images::of_empty(empty);
        let mut along = vec![images.clone()];
        for &mv in &moves {
            images = images.after(mv);
            along.push(images.clone());
        }
        Growth {
            parents: book.parents(),
            side: if book.len().is_multiple_of(2) {
                Color::Black
            } else {
                Color::White
            },
            book,
            moves,
            along,
        }
    }

    /// The book.
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
        let sides = [self.side, self.side.opponent()];
        let found = sides.into_iter().find_map(|side| self.cheapest(side));
        let place = found.map(|(reached, key)| self.place(&reached, key).ok_or(BookError::Damaged));
        place.transpose()
    }

    /// Adds the search of a position; returns its key and what the book keeps. Where nothing could be
    /// searched, it keeps the certain result, or else what was expected.
    pub fn add(&mut self, place: &Place<G>, report: Option<&SearchReport>) -> (u128, Searched) {
        let (images, key) = (&place.images, place.images.key());
        let found = match (self.book.searched(key), report) {
            (Some(known), Some(report)) => Some(known.clone().widened(images, report)),
            (None, Some(report)) => Searched::of(images, report),
            (_, None) => None,
        };
        let unsearched = || Searched::unsearched(images.position(), place.expected);
        let searched = found.unwrap_or_else(unsearched);
        for found in &searched.moves {
            let before = self.parents.entry(found.next).or_default();
            if !before.contains(&key) {
                before.push(key);
            }
        }
        self.book.add(key, searched.clone(), &self.parents);
        self.side = self.side.opponent();
        (key, searched)
    }

    /// A position before the one that it grows from, if the book does not have it.
    fn on_the_way(&self) -> Option<Place<G>> {
        let mut ways = self.along.iter().take(self.moves.len()).enumerate();
        ways.find_map(|(plies, images)| {
            let known = self.book.searched(images.key());
            known.is_none().then(|| Place {
                moves: self.moves.iter().take(plies).copied().collect(),
                images: images.clone(),
                avoid: Vec::new(),
                expected: 0.0,
            })
        })
    }

    /// The end of the cheapest line that leaves the book, with the costs of this side's book.
    fn cheapest(&self, side: Color) -> Option<(Reached, u128)> {
        let root = self.along.last()?;
        let (mover, root) = (root.position().to_move(), root.key());
        let begin = Step {
            cost: 0,
            number: 0,
            ply: 0,
            widens: false,
            key: root,
        };
        let mut open = BinaryHeap::from([Reverse(begin)]);
        let mut number = 0;
        let mut reached = Reached::from([(root, (0, None))]);
        while let Some(Reverse(step)) = open.pop() {
            let key = step.key;
            if step.widens {
                return Some((reached, key));
            }
            let least = reached.get(&key);
            if least.is_some_and(|(least, _)| *least < step.cost) {
                continue;
            }
            let Some(searched) = self.book.searched(key) else {
                return Some((reached, key));
            };
            let (value, proof) = self.book.value(key)?;
            if proof.is_some() {
                continue;
            }
            let is_own = (side == mover) == step.ply.is_multiple_of(2);
            let likeliest = searched.likeliest();
            let after = |of: f32, prior: f32| {
                let loss = (value - of).max(0.0);
                let cost = match is_own {
                    true => OWN_LOSS * loss,
                    false => loss + UNLIKELY * (likeliest / prior.max(MIN_PRIOR)).ln().max(0.0),
                };
                // Values of a damaged book may be infinite; costs that fell would make circles of moves.
                step.cost.saturating_add(((cost + PLY) / UNIT) as u64)
            };
            let moves = searched.moves.iter().zip(self.book.judged(searched));
            for (at, (kept, found)) in moves.enumerate() {
                let cost = after(found.value, kept.prior);
                let least = reached.get(&found.next);
                if found.proof.is_none() && least.is_none_or(|(least, _)| cost < *least) {
                    reached.insert(found.next, (cost, Some((key, at))));
                    number += 1;
                    let (ply, key) = (step.ply + 1, found.next);
                    open.push(Reverse(Step {
                        cost,
                        number,
                        ply,
                        key,
                        ..begin
                    }));
                }
            }
            if searched.left_out.moves > 0 {
                let cost = after(searched.left_out.value, searched.left_out.prior);
                number += 1;
                let widens = true;
                open.push(Reverse(Step {
                    cost,
                    number,
                    widens,
                    ..step
                }));
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
            avoid: Vec::new(),
            expected: 0.0,
        };
        for found in line.into_iter().rev() {
            let mv = place.images.own(found.mv)?;
            place.moves.push(mv);
            place.images = place.images.after(mv);
            place.expected = -found.value;
        }
        if let Some(searched) = self.book.searched(key) {
            let has = |mv: &Move| searched.leads_to(place.images.after(*mv).key());
            place.avoid = place.images.position().legal_moves().filter(has).collect();
        }
        (place.images.key() == key).then_some(place)
    }
}
