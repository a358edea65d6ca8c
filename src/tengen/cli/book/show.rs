//! What a book knows: of a position (`tengen book show`), and all of it as SGF (`tengen book export`).

use std::collections::HashSet;
use std::path::PathBuf;

use crate::book::{Book, BookMeta, BookSource, Images, line};
use crate::game::{Game, Move};
use crate::games::with_game;
use crate::gtp::{format_move, format_moves};
use crate::program::counted;
use crate::record::sgf::{SgfNode, write_tree};
use crate::record::{GameRecord, Play, Vertex, file};
use anyhow::{Context as _, ensure};
use clap::Args;
use serde::Serialize;

use super::walk::{entries, proof_text, walk};
use crate::cli::output::{print_report, tell};

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
            "{game} {size}, rules {rules}: {}, {} by {}, {:.1} hours\n",
            counted(self.positions, "position"),
            counted(self.steps, "search"),
            self.player,
            self.hours
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
            "{}, {}\n  move   value   visits  line",
            value(position.value, position.result),
            counted(position.visits, "visit")
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

/// Write a book as a game with variations, in SGF.
///
/// The best moves come first. A position that is reached in several ways is continued where it is reached
/// first, and turned or mirrored positions are the same one.
#[derive(Debug, Args)]
pub(super) struct Export {
    /// The book.
    file: BookSource,
    /// The SGF file.
    sgf: PathBuf,
    /// Only what follows after these moves, such as "C3 G7".
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    from: String,
}

impl Export {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let name = || self.file.to_string();
        let (meta, book) = self.file.read().with_context(name)?;
        let rules = &*meta.rules;
        let (text, positions) = with_game!(&meta.game, meta.size, rules: rules, |empty| {
            meta.check(&BookMeta::of(&empty)).with_context(name)?;
            let (moves, start) = walk(&empty, &self.from).context("--from")?;
            let is_known = book.searched(start.key()).is_some();
            ensure!(is_known, "{}: it does not have this position", name());
            sgf(&empty, &meta, &book, moves)
        })?;
        let written = file::write_sgf(&self.sgf, &text);
        written.with_context(|| self.sgf.display().to_string())?;
        let positions = counted(positions, "position");
        tell(&format!("{}: {positions}", self.sgf.display()));
        Ok(())
    }
}

/// A position that is still to be written: the node before it, the move to it, and itself.
type Next<G> = (usize, Move, Images<G>);

/// The book after these moves as SGF, and the number of its positions there.
fn sgf<G: Game>(empty: &G, meta: &BookMeta, book: &Book, moves: Vec<Move>) -> (String, usize) {
    let mut record = GameRecord::of(empty);
    let BookMeta { steps, player, .. } = meta;
    let searches = counted(*steps, "search");
    record.comment = format!("Book of {}: {searches} by {player}", meta.about());
    let mut nodes = vec![SgfNode::default()];
    let mut images = Images::of_empty(empty);
    let (mut unlinked, mut positions) = (book.unlinked(), 0);
    unlinked.remove(&images.key());
    let mut seen = HashSet::new();
    for mv in moves {
        seen.insert(images.key());
        let node = node(book, nodes.len() - 1, mv, &images);
        nodes.push(node);
        images = images.after(mv);
    }
    let mut todo: Vec<Next<G>> = Vec::new();
    loop {
        let key = images.key();
        if seen.insert(key) {
            positions += usize::from(book.searched(key).is_some());
            todo.extend(following(book, &unlinked, nodes.len() - 1, &images));
        }
        let Some((parent, mv, before)) = todo.pop() else {
            break;
        };
        nodes.push(node(book, parent, mv, &before));
        images = before.after(mv);
    }
    (write_tree(&record, &nodes), positions)
}

/// The moves of a position that the book knows, and its best move; the best last.
fn following<G: Game>(
    book: &Book,
    unlinked: &HashSet<u128>,
    parent: usize,
    images: &Images<G>,
) -> Vec<Next<G>> {
    let moves = book.moves(images.key()).into_iter().enumerate();
    let shown = moves.filter(|(place, found)| *place == 0 || found.is_known);
    let shown = shown.filter_map(|(_, found)| images.own(found.mv));
    let all = shown.chain(entries(unlinked, images));
    let mut next: Vec<Next<G>> = all.map(|mv| (parent, mv, images.clone())).collect();
    next.reverse();
    next
}

/// The node of a move, with what the book says of it.
fn node<G: Game>(book: &Book, parent: usize, mv: Move, before: &Images<G>) -> SgfNode {
    let position = before.position();
    let (color, vertex) = (position.to_move(), Vertex::of(mv, position.size()));
    let mut moves = book.moves(before.key()).into_iter();
    let found = moves.find(|found| before.own(found.mv) == Some(mv));
    let comment = found.map(|found| match found.proof {
        Some(proof) => format!("{} for {color}", proof_text(proof)),
        None => format!(
            "value {:+.3}, {}",
            found.value,
            counted(found.visits, "visit")
        ),
    });
    SgfNode {
        parent,
        play: Some(Play { color, vertex }),
        comment: comment.unwrap_or_default(),
        ..SgfNode::default()
    }
}
