//! A recorded game as rows to learn from.

use std::sync::Arc;

use rand::{RngExt as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::twins;
use crate::game::{Color, Game, HalfPoints, Move, Outcome, Rules as _};
use crate::record::{GameRecord, Vertex, sgf};
use crate::train::shards::row::{PositionSource, Row, Target};
use crate::train::shards::training_game::{TrainingGame, with_komi};

/// Komi beyond this, in points, is not shown to networks.
const MOST_KOMI: i32 = 40;

/// How far a shifted komi may be from the margin of its game, in points.
const SHIFT: i32 = 15;

/// Which games are taken, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Whether games that were lost on time or by leaving are taken.
    pub on_time: bool,
    /// Moves of a game, at least.
    pub least_plies: usize,
    /// Share of the counted games that get another komi and the result that follows from it, in [0, 1].
    pub komi_share: f64,
    /// Seed of the shifted komis.
    pub seed: u64,
}

/// How a game was decided.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum End {
    /// One side resigned.
    Resigned(Color),
    /// By points: by how much Black was ahead, komi included, in half points.
    Counted(HalfPoints),
    /// One side lost on time or left.
    OnTime(Color),
}

/// A game to learn from.
#[derive(Debug)]
pub(super) struct Imported {
    /// Its positions, without the number of the game.
    pub(super) rows: Vec<Row>,
    /// What twins have in common.
    pub(super) key: u64,
    pub(super) end: End,
}

/// Why a game is left out: a short reason to count, and more about this game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LeftOut {
    pub(super) reason: &'static str,
    pub(super) details: String,
}

fn left_out<T>(reason: &'static str, details: impl ToString) -> Result<T, LeftOut> {
    Err(LeftOut {
        reason,
        details: details.to_string(),
    })
}

/// The rows of a game. Handicap stones become moves that White answers by passes.
///
/// # Errors
/// [`LeftOut`] says why the game is not taken.
pub(super) fn read<G: Game>(start: &G, text: &str, choice: Choice) -> Result<Imported, LeftOut> {
    let record = match sgf::read(text) {
        Ok(record) => record,
        Err(error) => return left_out("unreadable", error),
    };
    if record.game != G::NAME {
        return left_out("another game", &record.game);
    }
    if record.size != start.size() {
        return left_out("another board", record.size);
    }
    let end = match end_of(&record.result) {
        Some(End::OnTime(_)) if !choice.on_time => return left_out("lost on time", ""),
        Some(end) => end,
        None => return left_out("no result", &record.result),
    };
    let (placed, moves) = moves(start, &record)?;
    if moves.len() - placed < choice.least_plies {
        return left_out("short", format!("{} moves", moves.len() - placed));
    }
    let key = twins::key(record.size, &moves);
    let komi = record.komi.or(start.rules().komi());
    let komi = komi.unwrap_or(HalfPoints(0));
    let (komi, outcome) = decided(end, komi, choice, key);
    let start = with_komi(start, Some(komi));
    let rows = rows(&start, &moves, placed, outcome)?;
    Ok(Imported { rows, key, end })
}

/// The moves of a game without handicap, all of them legal; what the result is does not matter.
///
/// # Errors
/// [`LeftOut`] says why the game is not taken.
pub(super) fn read_moves<G: Game>(start: &G, text: &str) -> Result<Vec<Move>, LeftOut> {
    let record = match sgf::read(text) {
        Ok(record) => record,
        Err(error) => return left_out("unreadable", error),
    };
    if record.game != G::NAME || record.size != start.size() {
        return left_out("another board", record.size);
    }
    if !record.setup.is_empty() {
        return left_out("set up", "handicap");
    }
    let (_, moves) = moves(start, &record)?;
    let mut position = start.clone();
    for (ply, &mv) in moves.iter().enumerate() {
        if position.outcome().is_some() || !position.is_legal(mv) {
            return left_out("illegal move", format!("move {}", ply + 1));
        }
        position.play(mv);
    }
    Ok(moves)
}

/// How a result in SGF's notation came about.
fn end_of(result: &str) -> Option<End> {
    let result = result.trim();
    let (winner, how) = result.split_once('+')?;
    let winner = match winner.trim() {
        "B" | "b" | "Black" => Color::Black,
        "W" | "w" | "White" => Color::White,
        _ => return None,
    };
    let how = how.trim();
    let sign = if winner == Color::Black { 1.0 } else { -1.0 };
    match how.to_ascii_lowercase().as_str() {
        "r" | "resign" => Some(End::Resigned(winner)),
        "t" | "time" | "f" | "forfeit" | "offline" => Some(End::OnTime(winner)),
        points => {
            let points: f32 = points.parse().ok()?;
            let sound = points > 0.0 && points <= 400.0;
            sound.then(|| End::Counted(HalfPoints((sign * 2.0 * points).round() as i32)))
        }
    }
}

/// The moves from an empty board, and how many of them place the handicap.
fn moves<G: Game>(start: &G, record: &GameRecord) -> Result<(usize, Vec<Move>), LeftOut> {
    let pass = start.size().pass();
    let mut moves = Vec::new();
    for &(stone, color) in &record.setup {
        if color != Color::Black || !G::INFO.scored {
            return left_out("set up", "stones that are no handicap");
        }
        if !moves.is_empty() {
            moves.push(pass);
        }
        moves.push(stone);
    }
    if !record.later.is_empty() {
        return left_out("set up", "stones set up in the middle of the game");
    }
    let placed = moves.len();
    for recorded in &record.plays {
        let mover = if moves.len().is_multiple_of(2) {
            Color::Black
        } else {
            Color::White
        };
        if recorded.play.color != mover {
            return left_out("out of turn", format!("move {}", moves.len() - placed + 1));
        }
        moves.push(match recorded.play.vertex {
            Vertex::Point(point) => point,
            Vertex::Pass => pass,
        });
    }
    Ok((placed, moves))
}

/// The komi of a game and who wins by it. Of counted games some get a komi near their margin: value and lead
/// learn from them what komi does (docs/training.md).
fn decided(end: End, komi: HalfPoints, choice: Choice, key: u64) -> (HalfPoints, Outcome) {
    let ahead = match end {
        End::Resigned(winner) | End::OnTime(winner) => return (komi, Outcome::win(winner)),
        End::Counted(ahead) => ahead,
    };
    let margin = ahead.0 + komi.0;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(choice.seed ^ key);
    if !random.random_bool(choice.komi_share) {
        return (komi, Outcome::by_points(ahead));
    }
    // The sum of two numbers is more often near the margin, and an odd distance leaves no draw.
    let distance = random.random_range(-SHIFT..=SHIFT) + random.random_range(-SHIFT..SHIFT);
    let shifted = (margin + 2 * distance + 1).clamp(-2 * MOST_KOMI, 2 * MOST_KOMI);
    (
        HalfPoints(shifted),
        Outcome::by_points(HalfPoints(margin - shifted)),
    )
}

/// A row for each move, with the move as its policy and the result as its value.
fn rows<G: Game>(
    start: &G,
    moves: &[Move],
    placed: usize,
    outcome: Outcome,
) -> Result<Vec<Row>, LeftOut> {
    let mut game = TrainingGame::new(start);
    let all: Arc<[Move]> = moves.into();
    let mut rows = Vec::with_capacity(moves.len() - placed);
    for (ply, &mv) in moves.iter().enumerate() {
        let position = game.position();
        if position.outcome().is_some() {
            return left_out("goes on after its end", format!("move {}", ply + 1));
        }
        if !position.is_legal(mv) || !game.allows(mv) {
            return left_out("illegal move", format!("move {}", ply + 1));
        }
        if ply >= placed {
            let value = outcome.value_for(position.to_move());
            let mut row = Row::record(0, position, &Target::new(vec![(mv, 1.0)], value));
            row.finish(outcome);
            row.source = PositionSource::Game(Arc::clone(&all));
            rows.push(row);
        }
        game.play(mv);
    }
    Ok(rows)
}
