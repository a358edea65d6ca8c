//! A position in all symmetries of the board, and what a book keeps of its search.

use crate::game::{Game, Move, Proof, Symmetry};
use crate::search::SearchReport;

/// A position with its images under the symmetries of the board. The *least* image, the one with the
/// smallest key, stands for all of them.
#[derive(Debug, Clone)]
pub struct Images<G> {
    position: G,
    others: Vec<(Symmetry, G)>,
}

impl<G: Game> Images<G> {
    /// The images of an empty board.
    pub fn of_empty(empty: &G) -> Images<G> {
        Images::made(empty.clone(), |_| Some(empty.clone()))
    }

    /// A position and the images that `turned` makes of it; those that it does not make are left out.
    pub(crate) fn made(position: G, turned: impl Fn(Symmetry) -> Option<G>) -> Images<G> {
        let others = Symmetry::all(position.size()).skip(1);
        Images {
            position,
            others: others
                .filter_map(|symmetry| Some((symmetry, turned(symmetry)?)))
                .collect(),
        }
    }

    /// The position itself.
    pub fn position(&self) -> &G {
        &self.position
    }

    /// Key of the least image.
    pub fn key(&self) -> u128 {
        self.least().0
    }

    /// A move of the position as a move of the least image.
    pub fn turned(&self, mv: Move) -> Move {
        self.least().1.apply(self.position.size(), mv)
    }

    /// A move of the least image as a move of the position; `None` if it is not legal there.
    pub fn own(&self, mv: Move) -> Option<Move> {
        let back = self.least().1.inverse();
        let own = back.apply(self.position.size(), mv);
        self.position.is_legal(own).then_some(own)
    }

    /// The images after a legal move of the position.
    #[must_use]
    pub fn after(&self, mv: Move) -> Images<G> {
        let mut next = self.clone();
        next.position.play(mv);
        for (symmetry, image) in &mut next.others {
            image.play(symmetry.apply(image.size(), mv));
        }
        next
    }

    /// Key of the least image, and the symmetry that leads there.
    fn least(&self) -> (u128, Symmetry) {
        let own = (self.position.key(), Symmetry::IDENTITY);
        let others = self.others.iter();
        let others = others.map(|(symmetry, image)| (image.key(), *symmetry));
        others.fold(own, |least, other| match other.0 < least.0 {
            true => other,
            false => least,
        })
    }
}

/// Moves that are kept at most: more are hardly ever played.
const MAX_MOVES: usize = 12;
/// Moves that are kept in any case, if they are not proven to lose: an opponent may play what the search
/// did not look at.
const MIN_MOVES: usize = 3;
/// Other moves with fewer than 1/this of the visits are left out.
const MIN_SHARE: u64 = 100;
/// What moves with so few visits are expected to lose against the best, at least.
const DOUBT: f32 = 0.1;

/// The search of a position, for the side to move; moves are those of its least image.
#[derive(Debug, Clone, PartialEq)]
pub struct Searched {
    /// Visits; 0 where nothing could be searched.
    pub visits: u64,
    /// Value in [-1, 1].
    pub value: f32,
    /// The result, if it is proven.
    pub proof: Option<Proof>,
    /// The moves that were left out.
    pub left_out: LeftOut,
    /// The moves that were kept, the one to play first.
    pub moves: Vec<SearchedMove>,
}

/// The moves of a position that were left out, apart from those that are proven to lose.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LeftOut {
    /// Their number.
    pub moves: u16,
    /// The best value that one of them is expected to have.
    pub value: f32,
    /// The highest prior of one of them.
    pub prior: f32,
}

/// A move of that position.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchedMove {
    /// The move.
    pub mv: Move,
    /// Value for the side that plays it, in [-1, 1]; at most that of the move to play, because the
    /// search preferred that one, and clearly less for a move that it hardly visited.
    pub value: f32,
    /// Probability of the move by the network, in [0, 1].
    pub prior: f32,
    /// Visits.
    pub visits: u64,
    /// The result of the move for the side that plays it, if it is proven.
    pub proof: Option<Proof>,
    /// Key of the position after it.
    pub next: u128,
}

impl Searched {
    /// From a report about a position; `None` if it has no moves. Of moves that are equal by
    /// symmetry the first one is kept.
    pub fn of<G: Game>(images: &Images<G>, report: &SearchReport) -> Option<Searched> {
        let most = report.best()?.value;
        let mut searched = Searched::known(images.position(), report.proof, most);
        searched.keep(images, report);
        Some(searched)
    }

    /// The same with the best of the moves that were left out, from a report about the position without
    /// the moves that were kept.
    #[must_use]
    pub fn widened<G: Game>(mut self, images: &Images<G>, report: &SearchReport) -> Searched {
        self.keep(images, report);
        self
    }

    /// Whether it counts where books are merged that both have the position: a proof ends a search early.
    pub fn is_better_than(&self, other: &Searched) -> bool {
        let rank = |searched: &Searched| (searched.proof.is_some(), searched.visits);
        rank(self) > rank(other)
    }

    /// Keeps moves of a report that are not kept yet.
    fn keep<G: Game>(&mut self, images: &Images<G>, report: &SearchReport) {
        let before = self.moves.len();
        self.visits += report.visits;
        self.left_out = LeftOut {
            value: -1.0,
            ..LeftOut::default()
        };
        let mut most = None;
        for found in &report.moves {
            let next = images.after(found.mv).key();
            let mut all = self.moves.iter_mut().enumerate();
            if let Some((place, equal)) = all.find(|(_, kept)| kept.next == next) {
                // Of a move that was kept earlier its own search knows more.
                equal.visits += if place < before { 0 } else { found.visits };
                continue;
            }
            let most = *most.get_or_insert(found.value);
            let kept = self.moves.len() - before;
            let proof = lasting(images.position(), found.proof);
            let is_lost = proof == Some(Proof::Loss);
            let is_rare = kept > 0 && found.visits * MIN_SHARE < report.visits;
            if self.moves.is_empty() || !is_lost {
                let doubt = if is_rare { DOUBT } else { 0.0 };
                let value = found.value.min(most - doubt).max(-1.0);
                if kept == MAX_MOVES || kept >= MIN_MOVES && is_rare {
                    self.left_out.moves += 1;
                    self.left_out.value = self.left_out.value.max(value);
                    self.left_out.prior = self.left_out.prior.max(found.prior);
                    continue;
                }
                self.moves.push(SearchedMove {
                    mv: images.turned(found.mv),
                    value: found.proof.map_or(value, Proof::value),
                    prior: found.prior,
                    visits: found.visits,
                    proof,
                    next,
                });
            }
        }
    }

    /// The highest prior of its moves.
    pub(super) fn likeliest(&self) -> f32 {
        let priors = self.moves.iter().map(|kept| kept.prior);
        priors.fold(self.left_out.prior, f32::max)
    }

    /// Whether a kept move leads to the position with this key.
    pub(super) fn leads_to(&self, key: u128) -> bool {
        self.moves.iter().any(|kept| kept.next == key)
    }

    /// A position whose game is over, or that cannot be searched, with the value that was expected. Where the players
    /// may agree on another result, the game's is no proof.
    pub fn unsearched<G: Game>(position: &G, expected: f32) -> Searched {
        Searched::known(position, position.certain().proof(), expected)
    }

    fn known<G: Game>(position: &G, proof: Option<Proof>, expected: f32) -> Searched {
        Searched {
            visits: 0,
            value: proof.map_or(expected, Proof::value),
            proof: lasting(position, proof),
            left_out: LeftOut::default(),
            moves: Vec::new(),
        }
    }
}

/// A proof, if it holds in every game: where repetition is forbidden, each game forbids other moves.
fn lasting<G: Game>(position: &G, proof: Option<Proof>) -> Option<Proof> {
    proof.filter(|_| !position.forbids_repetition())
}
