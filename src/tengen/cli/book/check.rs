//! `tengen book check`: compares the values of a book with long searches.

use std::collections::HashSet;
use std::sync::Arc;

use anyhow::{Context as _, ensure};
use clap::{Arg, Args};
use serde::Serialize;
use tengen::book::{Book, BookMeta, BookMove, BookSource, Images};
use tengen::clock::{Clock, SystemClock};
use tengen::command::sample;
use tengen::engine::{Engine, EngineOptions};
use tengen::game::{Game, Move, Proof};
use tengen::games::with_game;
use tengen::gtp::{format_move, format_moves};
use tengen::registry;

use super::walk::{Entries, search};
use crate::cli::flags::{EngineFlags, OF_A_BOOK, OF_CLOCKS, refused, with_visits};
use crate::cli::output::print_report;

/// Default visits of a search.
const VISITS: u64 = 100_000;
/// Settings of an engine that the book has itself.
const OF_THE_GAME: &[&str] = &["game", "size", "rules"];

fn unused(flag: Arg) -> Arg {
    let lists = [&OF_A_BOOK[..], OF_THE_GAME, OF_CLOCKS];
    lists
        .into_iter()
        .fold(flag, |flag, list| refused(list, flag))
}

/// Compare the values of a book with long searches.
///
/// Positions that the book plays from are drawn evenly by their depth. Values are from -1 (lost) to 1 for the
/// side to move. What the book's move loses is the difference between the value of the search and that of a
/// second search, of the position after the book's move.
#[derive(Debug, Args)]
#[command(mut_args(|flag: Arg| unused(with_visits(VISITS, flag))))]
pub(super) struct Check {
    /// The book.
    file: BookSource,
    /// Number of positions.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..))]
    positions: u32,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    engine: EngineFlags,
}

#[derive(Serialize)]
struct CheckReport {
    visits: u64,
    /// Mean difference of the book's value and the search's, and its mean size.
    difference: f32,
    distance: f32,
    /// Mean size of the difference of the position's own search, with which the book began.
    first_distance: f32,
    /// Mean loss of the book's move.
    loss: f32,
    /// Share of positions in which the search plays the book's move, too.
    same_move: f32,
    positions: Vec<Compared>,
}

#[derive(Serialize)]
struct Compared {
    moves: String,
    book_move: String,
    search_move: String,
    book: f32,
    first: f32,
    search: f32,
    after_book_move: f32,
}

impl Check {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let name = || self.file.to_string();
        let (meta, book) = self.file.read().with_context(name)?;
        let mut options = self.engine.read_for(Some(&meta.game))?;
        options.size = Some(meta.size);
        options.rules.clone_from(&meta.rules);
        let options = options.resolve()?;
        let rules = &*meta.rules;
        let report = with_game!(&meta.game, meta.size, rules: rules, |empty| {
            meta.check(&BookMeta::of(&empty)).with_context(name)?;
            self.compare(&empty, &book, &options)?
        })?;
        print_report(&report, self.json, CheckReport::text)
    }

    fn compare<G: Game>(
        &self,
        empty: &G,
        book: &Book,
        options: &EngineOptions,
    ) -> anyhow::Result<CheckReport> {
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let mut engine = registry::create(options, empty.size(), &clock)?;
        let visits = options.visits.unwrap_or(VISITS);
        let lines = lines(empty, book);
        let open = !lines.is_empty();
        ensure!(
            open,
            "there is no position from which it plays a move of unknown result"
        );
        let mut positions = Vec::new();
        for moves in sample(lines, Some(self.positions as usize)) {
            positions.push(compared(&mut *engine, empty, book, &moves, visits)?);
        }
        Ok(CheckReport::new(visits, positions))
    }
}

/// A line to each position that the book plays from, and of which no result is known; the shortest first.
fn lines<G: Game>(empty: &G, book: &Book) -> Vec<Vec<Move>> {
    let (root, entries) = (Images::of_empty(empty), Entries::of(book, empty));
    let mut seen = HashSet::from([root.key()]);
    let (mut found, mut level) = (Vec::new(), vec![(Vec::new(), root)]);
    while !level.is_empty() {
        let mut next = Vec::new();
        for (moves, images) in level {
            let known = book.moves(images.key());
            let is_open = |mv: &&BookMove| mv.is_known && mv.proof.is_none();
            let kept = known.iter().filter(is_open);
            let kept = kept.filter_map(|found| images.own(found.mv));
            for mv in kept.chain(entries.moves(&images)) {
                let after = images.after(mv);
                if seen.insert(after.key()) {
                    let line: Vec<Move> = moves.iter().copied().chain([mv]).collect();
                    next.push((line, after));
                }
            }
            if known.first().filter(is_open).is_some() {
                found.push(moves);
            }
        }
        level = next;
    }
    found
}

fn compared<G: Game>(
    engine: &mut dyn Engine,
    empty: &G,
    book: &Book,
    moves: &[Move],
    visits: u64,
) -> anyhow::Result<Compared> {
    let start = Images::of_empty(empty);
    let images = moves.iter().fold(start, |images, &mv| images.after(mv));
    let key = images.key();
    let lost = "the book changed while it was read";
    let (value, _) = book.value(key).context(lost)?;
    let first = book.searched(key).context(lost)?.value;
    let best = book.moves(key).into_iter().next().context(lost)?;
    let mv = images.own(best.mv).context(lost)?;
    let mut value_of = |moves: &[Move]| -> anyhow::Result<(Move, f32)> {
        engine.clear();
        let report = search(engine, empty, moves, Vec::new(), visits)?;
        let best = report.best().context("the search found no move")?;
        Ok((best.mv, report.proof.map_or(best.value, Proof::value)))
    };
    let (chosen, search) = value_of(moves)?;
    let after: Vec<Move> = moves.iter().copied().chain([mv]).collect();
    let after = -value_of(&after)?.1;
    let size = empty.size();
    Ok(Compared {
        moves: format_moves(moves, size),
        book_move: format_move(mv, size),
        search_move: format_move(chosen, size),
        book: value,
        first,
        search,
        after_book_move: if chosen == mv { search } else { after },
    })
}

impl CheckReport {
    fn new(visits: u64, positions: Vec<Compared>) -> CheckReport {
        let mean = |of: &dyn Fn(&Compared) -> f32| {
            positions.iter().map(of).sum::<f32>() / positions.len().max(1) as f32
        };
        CheckReport {
            visits,
            difference: mean(&|one| one.book - one.search),
            distance: mean(&|one| (one.book - one.search).abs()),
            first_distance: mean(&|one| (one.first - one.search).abs()),
            loss: mean(&|one| one.search - one.after_book_move),
            same_move: mean(&|one| f32::from(u8::from(one.book_move == one.search_move))),
            positions,
        }
    }

    fn text(&self) -> String {
        let mut out = format!(
            "{} positions, {} visits a search\n\
             value of the book less that of the search: {:+.3} on average, {:.3} without signs\n\
             of the position's own search in the book: {:.3} without signs\n\
             the book's move: the search's, too, in {:.0}%; loses {:+.3} on average\n\
             \x20  book   first  search  after  moves",
            self.positions.len(),
            self.visits,
            self.difference,
            self.distance,
            self.first_distance,
            100.0 * self.same_move,
            self.loss,
        );
        for one in &self.positions {
            out.push('\n');
            for value in [one.book, one.first, one.search, one.after_book_move] {
                out += &format!("{value:+.3}  ");
            }
            out += &format!("{} -> {}", one.moves, one.book_move);
        }
        out
    }
}
