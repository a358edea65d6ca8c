//! Moves from a book of openings, which need no search.

use std::cell::LazyCell;

use rand::{RngExt as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::history::History;
use crate::book::{Book, BookLine, BookMeta, BookMove, Images, line};
use crate::clock::StopReason;
use crate::game::{Game, GameState, Move, Proof};
use crate::search::{MoveReport, SearchReport};

type ReadBook = Box<dyn FnOnce() -> Option<(BookMeta, Book)> + Send>;

/// A book, and how moves are chosen from it.
pub(crate) struct FromBook {
    /// Read before a game with a clock, or when it is first asked: that takes longer than all else that an engine does
    /// at its start.
    open: LazyCell<Option<(BookMeta, Book)>, ReadBook>,
    /// What a move may be worth less than the best, in units of value.
    variety: f32,
    random: Xoshiro256PlusPlus,
}

impl FromBook {
    /// `seed` is that of the choice between good moves.
    pub(crate) fn new(read: ReadBook, variety: f32, seed: u64) -> FromBook {
        FromBook {
            open: LazyCell::new(read),
            variety,
            random: Xoshiro256PlusPlus::seed_from_u64(seed),
        }
    }

    /// Reads the book now; whether there is one.
    pub(crate) fn is_there(&self) -> bool {
        self.open.is_some()
    }

    /// What the book knows of the present position, the best move first; nothing if it does not have it.
    pub(super) fn lines<G: Game>(
        &self,
        history: &History<G>,
        start: &GameState<G>,
    ) -> Vec<BookLine> {
        let Some((book, images, moves)) = look_up(self.open.as_ref(), history, start) else {
            return Vec::new();
        };
        let with_line = |found: BookMove| BookLine {
            line: line(book, &images.after(found.mv)),
            found,
        };
        moves.into_iter().map(with_line).collect()
    }

    /// What the book says of the present position, the move to play first; `None` if it does not know
    /// what follows the best move. Moves to `avoid` are left out.
    pub(super) fn report<G: Game>(
        &mut self,
        history: &History<G>,
        start: &GameState<G>,
        avoid: &[Move],
    ) -> Option<SearchReport> {
        let (book, images, mut moves) = look_up(self.open.as_ref(), history, start)?;
        moves.retain(|found| !avoid.contains(&found.mv));
        let best = moves.first()?;
        if !best.is_known || best.proof == Some(Proof::Loss) {
            return None;
        }
        let least = best.value - self.variety;
        let is_good = |found: &&BookMove| found.is_known && found.value >= least;
        let good: Vec<&BookMove> = moves.iter().filter(is_good).collect();
        let chosen = match self.variety > 0.0 {
            true => self.random.random_range(0..good.len().max(1)),
            false => 0,
        };
        let chosen = good.get(chosen)?.mv;
        let mut reports: Vec<MoveReport> = moves
            .iter()
            .map(|found| MoveReport {
                visits: found.visits,
                value: found.value,
                lcb: found.value,
                proof: found.proof,
                ..MoveReport::unsearched(found.mv, found.prior)
            })
            .collect();
        reports.sort_by_key(|report| report.mv != chosen);
        let report = reports.first_mut()?;
        report.pv.extend(line(book, &images.after(chosen)));
        report.pv_visits = vec![report.visits; report.pv.len()];
        let (value, proof) = (report.value, report.proof);
        Some(SearchReport {
            value,
            proof,
            visits: book.searched(images.key())?.visits,
            ..SearchReport::unsearched(reports, StopReason::Book)
        })
    }
}

/// The book, if it is for the rules of the game; the images of the present position, and the book's moves there as its own,
/// the best first.
fn look_up<'b, G: Game>(
    open: Option<&'b (BookMeta, Book)>,
    history: &History<G>,
    start: &GameState<G>,
) -> Option<(&'b Book, Images<G>, Vec<BookMove>)> {
    let (meta, book) = open?;
    let position = start.position();
    if history.rules().to_string() != meta.rules {
        return None;
    }
    let images = Images::made(position.clone(), |symmetry| {
        Some(history.turned(symmetry)?.position_for(position.to_move()))
    });
    let of_book = book.moves(images.key()).into_iter();
    let own = of_book.filter_map(|found| {
        let mv = images.own(found.mv)?;
        start.allows(mv).then_some(BookMove { mv, ..found })
    });
    let own = own.collect();
    Some((book, images, own))
}
