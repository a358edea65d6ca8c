//! Moves from a book of openings, which need no search.

use std::sync::Arc;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::history::History;
use crate::book::{Book, BookMove, Images, line};
use crate::clock::StopReason;
use crate::game::{Game, GameState, Move, Proof};
use crate::search::{MoveReport, SearchReport};

/// A book, and how moves are chosen from it.
pub(crate) struct FromBook {
    book: Arc<Book>,
    /// The book's rules with komi, as the game writes them.
    rules: String,
    /// What a move may be worth less than the best, in units of value.
    variety: f32,
    random: Xoshiro256PlusPlus,
}

impl FromBook {
    /// `rules` are the book's, and `seed` is that of the choice between good moves.
    pub(crate) fn new(book: Arc<Book>, rules: String, variety: f32, seed: u64) -> FromBook {
        FromBook {
            book,
            rules,
            variety,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// What the book says of the present position, the move to play first; `None` if it does not know
    /// what follows the best move. Moves to `avoid` are left out.
    pub(super) fn report<G: Game>(
        &mut self,
        history: &History<G>,
        start: &GameState<G>,
        avoid: &[Move],
    ) -> Option<SearchReport> {
        let position = start.position();
        if history.rules().to_string() != self.rules {
            return None;
        }
        let images = Images::made(position.clone(), |symmetry| {
            Some(history.turned(symmetry)?.position_for(position.to_move()))
        });
        let key = images.key();
        let of_book = self.book.moves(key).into_iter();
        let moves: Vec<(Move, BookMove)> = of_book
            .filter_map(|found| Some((images.own(found.mv)?, found)))
            .filter(|(mv, _)| start.allows(*mv) && !avoid.contains(mv))
            .collect();
        let (_, best) = moves.first()?;
        if !best.is_known || best.proof == Some(Proof::Loss) {
            return None;
        }
        let least = best.value - self.variety;
        let is_good = |found: &BookMove| found.is_known && found.value >= least;
        let good = moves.iter().filter(|(_, found)| is_good(found)).count();
        let chosen = match self.variety > 0.0 {
            true => self.random.random_range(0..good.max(1)),
            false => 0,
        };
        let mut good = moves.iter().filter(|(_, found)| is_good(found));
        let (chosen, _) = *good.nth(chosen)?;
        let mut reports: Vec<MoveReport> = moves
            .iter()
            .map(|(mv, found)| MoveReport {
                visits: found.visits,
                value: found.value,
                lcb: found.value,
                proof: found.proof,
                ..MoveReport::unsearched(*mv, 0.0)
            })
            .collect();
        reports.sort_by_key(|report| report.mv != chosen);
        let report = reports.first_mut()?;
        report.pv.extend(line(&self.book, &images.after(chosen)));
        report.pv_visits = vec![report.visits; report.pv.len()];
        let (value, proof) = (report.value, report.proof);
        Some(SearchReport {
            value,
            proof,
            visits: self.book.searched(key)?.visits,
            ..SearchReport::unsearched(reports, StopReason::Book)
        })
    }
}
