//! A recorded game as rows to learn from.

use rand::{RngExt as _, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::rapfi;
use super::recorded::{Analysis, End, LeftOut, Recorded, left_out};
use super::source::Form;
use crate::shards::row::{Row, Target, finish};
use crate::shards::training_game::{TrainingGame, with_komi};
use tengen::fnv;
use tengen::game::{BoardSize, Color, Game, HalfPoints, Move, Outcome, Rules as _, Symmetry};
use tengen::record::sgf::{self, Told};
use tengen::record::{GameRecord, Vertex, result_text};

/// Komi beyond this, in points, is not shown to networks.
const MAX_KOMI: i32 = 40;

/// How far a shifted komi may be from the margin of its game, in points.
const SHIFT: i32 = 15;

/// Which games are taken, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Choice {
    /// Moves of a game, at least.
    pub least_plies: usize,
    /// Share of the counted games without analyses that get another komi and the result that follows from it, in [0, 1].
    pub komi_share: f64,
    /// Seed of the shifted komis.
    pub seed: u64,
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

/// The rows of a game. Handicap stones become moves that White answers by passes.
///
/// # Errors
/// [`LeftOut`] says why the game is not taken.
pub(super) fn read<G: Game>(start: &G, game: &Form, choice: Choice) -> Result<Imported, LeftOut> {
    let recorded = match game {
        Form::Sgf(text) => from_sgf(start, text)?,
        Form::Rapfi(text) => rapfi::read(start, text)?,
    };
    let Recorded {
        moves, placed, end, ..
    } = &recorded;
    if moves.len() - placed < choice.least_plies {
        return left_out("short", format!("{} moves", moves.len() - placed));
    }
    let key = key(start.size(), moves);
    let komi = recorded.komi.or(start.rules().komi());
    let komi = komi.unwrap_or(HalfPoints(0));
    let komi_share = match recorded.analyses.iter().any(Option::is_some) {
        // Their values are those of this komi.
        true => 0.0,
        false => choice.komi_share,
    };
    let choice = Choice {
        komi_share,
        ..choice
    };
    let (komi, outcome) = decided(*end, komi, choice, key);
    let start = with_komi(start, Some(komi));
    let rows = rows(&start, &recorded, outcome)?;
    Ok(Imported {
        rows,
        key,
        end: *end,
    })
}

/// A game of an SGF file. Comments of a match say what the players' searches thought; then the moves before the
/// first of them are an opening, which no player chose.
fn from_sgf<G: Game>(start: &G, text: &str) -> Result<Recorded, LeftOut> {
    let record = record(start, text)?;
    let rules = record.rules.parse::<G::Rules>();
    if !G::INFO.scored && rules.is_ok_and(|rules| rules != start.rules()) {
        return left_out("other rules", &record.rules);
    }
    let end = match end_of(&record.result)? {
        // Points of a game that counts none say only who has won.
        End::Counted(ahead) if !G::INFO.scored => End::Played(Outcome {
            margin: None,
            ..Outcome::by_points(ahead)
        }),
        end => end,
    };
    let (handicap, moves) = moves(start, &record)?;
    let comments = record.plays.iter().map(|play| &play.comment);
    let mut analyses: Vec<Option<Analysis>> =
        comments.map(|text| Analysis::of_comment(text)).collect();
    let opening = analyses.iter().position(Option::is_some).unwrap_or(0);
    analyses.drain(..opening);
    Ok(Recorded {
        moves,
        placed: handicap + opening,
        analyses,
        komi: record.komi,
        end,
    })
}

/// An SGF file of a game on the board of `start`.
fn record<G: Game>(start: &G, text: &str) -> Result<GameRecord, LeftOut> {
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
    Ok(record)
}

/// The moves of a game without handicap, all of them legal; what the result is does not matter.
///
/// # Errors
/// [`LeftOut`] says why the game is not taken.
pub(super) fn read_moves<G: Game>(start: &G, game: &Form) -> Result<Vec<Move>, LeftOut> {
    let text = match game {
        Form::Sgf(text) => text,
        Form::Rapfi(text) => return rapfi::read(start, text).map(|game| game.moves),
    };
    let record = record(start, text)?;
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

/// How the result of a record came about.
fn end_of(result: &str) -> Result<End, LeftOut> {
    match sgf::told(result) {
        Some(Told::Drawn) => Ok(End::Played(Outcome::DRAW)),
        Some(Told::Won(winner)) => Ok(End::Played(Outcome::win(winner))),
        Some(Told::Resigned(winner)) => Ok(End::Resigned(winner)),
        Some(Told::Counted(winner, HalfPoints(halves))) => {
            Ok(End::Counted(HalfPoints(winner.signed(halves))))
        }
        Some(Told::Forfeited(_)) => left_out("lost on time or forfeited", result),
        None => left_out("no result", result),
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
        End::Resigned(winner) => return (komi, Outcome::win(winner)),
        End::Played(outcome) => return (komi, outcome),
        End::Counted(ahead) => ahead,
    };
    let margin = ahead.0 + komi.0;
    let mut random = Xoshiro256PlusPlus::seed_from_u64(choice.seed ^ key);
    if !random.random_bool(choice.komi_share) {
        return (komi, Outcome::by_points(ahead));
    }
    // The sum of two numbers is more often near the margin, and an odd distance leaves no draw.
    let distance = random.random_range(-SHIFT..=SHIFT) + random.random_range(-SHIFT..SHIFT);
    let shifted = (margin + 2 * distance + 1).clamp(-2 * MAX_KOMI, 2 * MAX_KOMI);
    (
        HalfPoints(shifted),
        Outcome::by_points(HalfPoints(margin - shifted)),
    )
}

/// A row for each move. Its policy is the move, its value the result, where no search said more. Where the moves lead to
/// the end of the game and to this result, the rows have its ending.
fn rows<G: Game>(start: &G, recorded: &Recorded, outcome: Outcome) -> Result<Vec<Row>, LeftOut> {
    let Recorded { moves, placed, .. } = recorded;
    let mut game = TrainingGame::new(start);
    let mut rows = Vec::with_capacity(moves.len() - placed);
    for (ply, &mv) in moves.iter().enumerate() {
        let position = game.position();
        if position.outcome().is_some() {
            return left_out("goes on after its end", format!("move {}", ply + 1));
        }
        if !position.is_legal(mv) || !game.allows(mv) {
            return left_out("illegal move", format!("move {}", ply + 1));
        }
        if let Some(after) = ply.checked_sub(*placed) {
            let analysis = recorded.analyses.get(after).and_then(Option::as_ref);
            let value = outcome.value_for(position.to_move());
            let value = analysis.map_or(value, |analysis| analysis.value);
            let policy = analysis.map(|analysis| analysis.policy.clone());
            let policy = policy.filter(|policy| !policy.is_empty());
            let policy = policy.unwrap_or_else(|| vec![(mv, 1.0)]);
            rows.push(Row::record(0, position, &Target::new(policy, value)));
        }
        game.play(mv);
    }
    let ended = game.position().outcome();
    // Where points are counted the players remove dead stones, which the board does not know.
    if !G::INFO.scored && ended.is_some_and(|ended| ended != outcome) {
        let says = format!("the record says {}", result_text(outcome));
        return left_out("another result on the board", says);
    }
    finish(&mut rows, start, moves, outcome);
    Ok(rows)
}

/// Games that share this many plies are taken for one: of 63,000 games of TYGEM, 619 share 60 plies with another.
const PLIES: usize = 60;

/// The same number for a game and for its turned and mirrored copies.
pub(super) fn key(size: BoardSize, moves: &[Move]) -> u64 {
    let opening = moves.get(..PLIES).unwrap_or(moves);
    let hash = |symmetry: Symmetry| {
        let turned = opening.iter().map(|&mv| symmetry.apply(size, mv));
        let bytes: Vec<u8> = turned.flat_map(|mv| mv.0.to_le_bytes()).collect();
        fnv::hash(&bytes)
    };
    Symmetry::all(size).map(hash).min().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn a_turned_game_is_a_twin_and_another_is_not() {
        let size = BoardSize::square(9);
        let moves = [Move(3), Move(70), Move(12), size.pass(), Move(40)];
        let first = key(size, &moves);
        let mut seen = HashSet::new();
        assert!(seen.insert(first));
        for symmetry in Symmetry::all(size) {
            let turned: Vec<Move> = moves.iter().map(|&mv| symmetry.apply(size, mv)).collect();
            assert!(!seen.insert(key(size, &turned)), "{symmetry:?}");
        }
        assert!(seen.insert(key(size, &moves[..4])));
    }
}
