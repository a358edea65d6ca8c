//! The positions of a book, the values that follow from each other, and the lines of play in them.

use std::collections::{HashMap, HashSet, VecDeque};

use super::{Images, Searched};
use crate::game::{Game, Move, Proof};

/// Smaller changes of a value are not passed on.
const PRECISION: f32 = 1e-6;
/// In games that repeat, values may depend on themselves: no position is judged more often than this
/// on average after a change.
const ROUNDS: usize = 100;

/// Searched positions by the key of their least image.
#[derive(Debug, Default)]
pub struct Book {
    positions: HashMap<u128, Position>,
}

/// Positions before each one, by their keys.
pub(super) type Parents = HashMap<u128, Vec<u128>>;

#[derive(Debug)]
struct Position {
    searched: Searched,
    /// Value for the side to move, as far as the book knows.
    value: f32,
    proof: Option<Proof>,
}

/// A move of the book.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BookMove {
    /// The move, of the least image.
    pub mv: Move,
    /// Value for the side that plays it, in [-1, 1]: that of the position after it, if the book has
    /// it, else as the search of the position before found.
    pub value: f32,
    /// Prior in the search of the position before.
    pub prior: f32,
    /// Visits in that search.
    pub visits: u64,
    /// The result for the side that plays it, if it is proven.
    pub proof: Option<Proof>,
    /// Key of the position after it.
    pub next: u128,
    /// Whether the book has the position after it, or its result.
    pub is_known: bool,
}

impl Book {
    /// The book of these positions.
    pub fn of(all: impl IntoIterator<Item = (u128, Searched)>) -> Book {
        let mut book = Book::default();
        for (key, searched) in all {
            book.put(key, searched);
        }
        let keys: Vec<u128> = book.positions.keys().copied().collect();
        book.judge_all(keys, &book.parents());
        book
    }

    /// Number of positions.
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// Whether there is no position.
    pub fn is_empty(&self) -> bool {
        self.positions.is_empty()
    }

    /// The search of a position.
    pub fn searched(&self, key: u128) -> Option<&Searched> {
        self.positions.get(&key).map(|position| &position.searched)
    }

    /// Value of a position for the side to move, and its result if that is proven.
    pub fn value(&self, key: u128) -> Option<(f32, Option<Proof>)> {
        let position = self.positions.get(&key)?;
        Some((position.value, position.proof))
    }

    /// The moves of a position, the best first; none if the book does not have it.
    pub fn moves(&self, key: u128) -> Vec<BookMove> {
        let searched = self.searched(key);
        let mut moves: Vec<BookMove> =
            searched.map_or(Vec::new(), |found| self.judged(found).collect());
        // Equal ones in the order of the search.
        moves.sort_by(|one, other| other.value.total_cmp(&one.value));
        moves
    }

    /// All positions.
    pub fn iter(&self) -> impl Iterator<Item = (u128, &Searched)> {
        let all = self.positions.iter();
        all.map(|(key, position)| (*key, &position.searched))
    }

    fn put(&mut self, key: u128, searched: Searched) {
        let position = Position {
            value: searched.value,
            proof: searched.proof,
            searched,
        };
        self.positions.insert(key, position);
    }

    /// Positions before each one that some position of the book leads to.
    pub(super) fn parents(&self) -> Parents {
        let mut parents = Parents::new();
        for (key, position) in &self.positions {
            for found in &position.searched.moves {
                parents.entry(found.next).or_default().push(*key);
            }
        }
        parents
    }

    /// Keys of the positions that no kept move leads to.
    pub fn unlinked(&self) -> HashSet<u128> {
        let parents = self.parents();
        let keys = self.positions.keys().copied();
        keys.filter(|key| !parents.contains_key(key)).collect()
    }

    /// Adds a position, and passes its value on to all positions before it, which are among `parents`.
    pub(super) fn add(&mut self, key: u128, searched: Searched, parents: &Parents) {
        self.put(key, searched);
        let mut keys = vec![key];
        keys.extend(parents.get(&key).into_iter().flatten());
        self.judge_all(keys, parents);
    }

    /// Judges these positions, and those before the ones that change.
    fn judge_all(&mut self, keys: Vec<u128>, parents: &Parents) {
        let mut most = ROUNDS * self.positions.len();
        let mut todo = VecDeque::from(keys);
        while let Some(key) = todo.pop_front() {
            let Some(position) = self.positions.get(&key) else {
                continue;
            };
            let (value, proof) = self.verdict(&position.searched);
            if (value - position.value).abs() < PRECISION && proof == position.proof {
                continue;
            }
            if most == 0 {
                return;
            }
            most -= 1;
            if let Some(position) = self.positions.get_mut(&key) {
                (position.value, position.proof) = (value, proof);
            }
            todo.extend(parents.get(&key).into_iter().flatten());
        }
    }

    /// Value and result of a position: those of its best move.
    fn verdict(&self, searched: &Searched) -> (f32, Option<Proof>) {
        if let Some(proof) = searched.proof {
            return (proof.value(), Some(proof));
        }
        let moves = || self.judged(searched);
        let best = moves().map(|found| found.value).max_by(f32::total_cmp);
        let Some(value) = best else {
            return (searched.value, None);
        };
        let most = moves().filter_map(|found| found.proof).max();
        let all_known = searched.left_out.moves == 0 && moves().all(|found| found.proof.is_some());
        let proof = most.filter(|&most| most == Proof::Win || all_known);
        (proof.map_or(value, Proof::value), proof)
    }

    /// The moves of a position in the order of its search.
    pub(super) fn judged(&self, searched: &Searched) -> impl Iterator<Item = BookMove> {
        searched.moves.iter().map(|found| {
            let after = self.positions.get(&found.next);
            let proof = found.proof.or_else(|| Some(after?.proof?.flip()));
            let value = after.map_or(found.value, |after| -after.value);
            BookMove {
                mv: found.mv,
                value: proof.map_or(value, Proof::value),
                prior: found.prior,
                visits: found.visits,
                proof,
                next: found.next,
                is_known: after.is_some() || proof.is_some(),
            }
        })
    }
}

/// A move of a book, and how play goes on.
#[derive(Debug, Clone, PartialEq)]
pub struct BookLine {
    /// The move.
    pub found: BookMove,
    /// The best moves of both sides after it, as far as the book goes.
    pub line: Vec<Move>,
}

/// Moves of a line at most: in games that repeat it might have no end.
const LONGEST: usize = 60;

/// The best moves of both sides from a position, up to the first one that leaves the book.
pub fn line<G: Game>(book: &Book, from: &Images<G>) -> Vec<Move> {
    let mut images = from.clone();
    let mut line = Vec::new();
    while line.len() < LONGEST {
        let moves = book.moves(images.key());
        let Some(mv) = moves.first().and_then(|best| images.own(best.mv)) else {
            break;
        };
        line.push(mv);
        images = images.after(mv);
    }
    line
}
