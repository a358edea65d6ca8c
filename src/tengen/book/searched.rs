//! What a book keeps of a position's search.

use super::Images;
use crate::game::{Game, Move, Proof};
use crate::search::SearchReport;

/// Moves that are kept at most: more are hardly ever played.
const MOST_MOVES: usize = 12;
/// Moves that are kept in any case, if they are not proven to lose: an opponent may play what the search
/// did not look at.
const LEAST_MOVES: usize = 3;
/// Other moves with fewer than 1/this of the visits are left out.
const LEAST_SHARE: u64 = 100;
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
    /// Number of moves that were left out, apart from those that are proven to lose.
    pub left_out: u16,
    /// The moves that were kept, the one to play first.
    pub moves: Vec<SearchedMove>,
}

/// A move of that position.
#[derive(Debug, Clone, PartialEq)]
pub struct SearchedMove {
    /// The move.
    pub mv: Move,
    /// Value for the side that plays it, in [-1, 1]; at most that of the move to play, because the
    /// search preferred that one, and clearly less for a move that it hardly visited.
    pub value: f32,
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
    #[must_use]
    pub fn of<G: Game>(images: &Images<G>, report: &SearchReport) -> Option<Searched> {
        let most = report.best()?.value;
        let mut searched = Searched {
            visits: report.visits,
            value: report.proof.map_or(most, Proof::value),
            proof: report.proof,
            left_out: 0,
            moves: Vec::new(),
        };
        for found in &report.moves {
            let next = images.after(found.mv).key();
            if let Some(equal) = searched.moves.iter_mut().find(|kept| kept.next == next) {
                equal.visits += found.visits;
                continue;
            }
            let kept = searched.moves.len();
            let is_lost = found.proof == Some(Proof::Loss);
            let is_rare = kept > 0 && found.visits * LEAST_SHARE < report.visits;
            if kept > 0 && is_lost {
                continue;
            }
            if kept == MOST_MOVES || kept >= LEAST_MOVES && is_rare {
                searched.left_out += 1;
                continue;
            }
            let doubt = if is_rare { DOUBT } else { 0.0 };
            let value = found.value.min(most - doubt).max(-1.0);
            searched.moves.push(SearchedMove {
                mv: images.turned(found.mv),
                value: found.proof.map_or(value, Proof::value),
                visits: found.visits,
                proof: found.proof,
                next,
            });
        }
        Some(searched)
    }

    /// A position whose game is over, or that cannot be searched, with the value that was expected.
    #[must_use]
    pub fn nothing(value: f32) -> Searched {
        Searched {
            visits: 0,
            value,
            proof: None,
            left_out: 0,
            moves: Vec::new(),
        }
    }
}
