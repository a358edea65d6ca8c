//! `tengen book show`: what a book knows of a position.

use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Serialize;
use tengen::book::{Book, BookMeta, BookSource, Images, line};
use tengen::command::played;
use tengen::game::{Game, Move, Proof};
use tengen::games::with_game;
use tengen::gtp::{format_move, format_moves, format_vertex};
use tengen::record::Vertex;

use crate::cli::output::print_report;

/// Show what a book knows of a position: its moves, their values and how play goes on.
///
/// Values are those of the side to move, from -1 (lost) to 1. A star marks moves after which the book has the position,
/// too.
#[derive(Debug, Args)]
pub(super) struct Show {
    /// The book: a file, or built-in for the one of NoGo 9x9 in the program.
    file: BookSource,
    /// The moves to the position, Black's first, such as C3 G7; none for the empty board.
    moves: Vec<String>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct BookReport {
    game: String,
    size: String,
    rules: String,
    player: String,
    positions: usize,
    steps: u64,
    hours: f64,
    moves: Vec<String>,
    to_move: String,
    /// `None` if the book does not have the position.
    position: Option<Position>,
}

#[derive(Serialize)]
struct Position {
    value: f32,
    result: Option<&'static str>,
    visits: u64,
    moves: Vec<Line>,
}

#[derive(Serialize)]
struct Line {
    #[serde(rename = "move")]
    mv: String,
    value: f32,
    result: Option<&'static str>,
    visits: u64,
    known: bool,
    line: String,
}

impl Show {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let name = || self.file.to_string();
        let (meta, book) = self.file.read().with_context(name)?;
        let rules = &*meta.rules;
        let report = with_game!(&meta.game, meta.size, rules: rules, |empty| {
            meta.check(&BookMeta::of(&empty)).with_context(name)?;
            self.report(&empty, &meta, &book)?
        })?;
        print_report(&report, self.json, BookReport::text)
    }

    fn report<G: Game>(
        &self,
        empty: &G,
        meta: &BookMeta,
        book: &Book,
    ) -> anyhow::Result<BookReport> {
        let (moves, images) = walk(empty, &self.moves.join(" "))?;
        let size = empty.size();
        let position = images.position();
        let key = images.key();
        let found = book.searched(key).zip(book.value(key));
        let lines = book.moves(key).into_iter().filter_map(|found| {
            let mv = images.own(found.mv)?;
            Some(Line {
                mv: format_move(mv, size),
                value: found.value,
                result: found.proof.map(proof_text),
                visits: found.visits,
                known: book.searched(found.next).is_some(),
                line: format_moves(&line(book, &images.after(mv)), size),
            })
        });
        Ok(BookReport {
            game: meta.game.clone(),
            size: meta.size.to_string(),
            rules: meta.rules.clone(),
            player: meta.player.clone(),
            positions: book.len(),
            steps: meta.steps,
            hours: meta.seconds / 3600.0,
            moves: moves.iter().map(|&mv| format_move(mv, size)).collect(),
            to_move: position.to_move().to_string(),
            position: found.map(|(searched, (value, proof))| Position {
                value,
                result: proof.map(proof_text),
                visits: searched.visits,
                moves: lines.collect(),
            }),
        })
    }
}

impl BookReport {
    fn text(&self) -> String {
        let BookReport {
            game, size, rules, ..
        } = self;
        let mut out = format!(
            "{game} {size}, rules {rules}: {} positions, {} searches by {}, {:.1} hours\n",
            self.positions, self.steps, self.player, self.hours
        );
        let after = match &*self.moves {
            [] => "the empty board".to_owned(),
            moves => format!("after {}", moves.join(" ")),
        };
        out += &format!("{after}, {} to move: ", self.to_move);
        let Some(position) = &self.position else {
            return out + "not in the book";
        };
        let value = |value: f32, result: Option<&str>| match result {
            Some(result) => result.to_owned(),
            None => format!("{value:+.3}"),
        };
        out += &format!(
            "{}, {} visits\n  move   value   visits  line",
            value(position.value, position.result),
            position.visits
        );
        for found in &position.moves {
            let star = if found.known { '*' } else { ' ' };
            let value = value(found.value, found.result);
            let Line {
                mv, visits, line, ..
            } = found;
            out += &format!("\n{star} {mv:<5} {value:>6} {visits:>8}  {line}");
        }
        out
    }
}

/// These moves from an empty board, and the position after them.
///
/// # Errors
/// Names the move that is none, or illegal.
pub(super) fn walk<G: Game>(empty: &G, moves: &str) -> anyhow::Result<(Vec<Move>, Images<G>)> {
    let size = empty.size();
    let record = played(G::NAME, size, moves)?;
    let mut images = Images::of_empty(empty);
    let mut all = Vec::new();
    for (number, recorded) in (1..).zip(&record.plays) {
        let position = images.position();
        let (color, vertex) = (recorded.play.color, recorded.play.vertex);
        let mv = vertex.index(size);
        let can_play = G::INFO.passes || vertex != Vertex::Pass;
        let name = || format!("move {number}, {color} at {}", format_vertex(vertex, size));
        ensure!(
            color == position.to_move(),
            "{}, is out of turn: a book has games in which both sides move in turn",
            name()
        );
        ensure!(
            can_play && position.is_legal(mv),
            "{}, is not legal: {}",
            name(),
            position.why_illegal(mv)
        );
        images = images.after(mv);
        all.push(mv);
    }
    Ok((all, images))
}

/// A proven result as a word.
pub(super) fn proof_text(proof: Proof) -> &'static str {
    match proof {
        Proof::Loss => "lost",
        Proof::Draw => "drawn",
        Proof::Win => "won",
    }
}
