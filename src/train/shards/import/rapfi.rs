//! Games that Rapfi plays against itself (`selfplay --output-type txt`): a position a line, with the evaluations of
//! its best moves.
//!
//! A line is `15,Freestyle,H8G7,2,F6(31)|H9(-4)`: board, rules, moves so far, result for the side to move (0 lost, 1 drawn,
//! 2 won), and the best moves with their evaluations, of which the first is played. The lines of a game follow each
//! other; what is on the board before the first one is its opening.

use super::recorded::{Analysis, End, LeftOut, Recorded, left_out};
use tengen::game::{BoardSize, Color, Game, Move, Outcome, Rules as _};

/// Whether a text begins with such a line.
pub(super) fn is_games(text: &str) -> bool {
    let line = text.lines().next().and_then(Line::split);
    line.is_some_and(|line| line.candidates.contains('('))
}

/// The lines of each game, up to a number of games.
pub(super) fn games(text: &str, most: usize) -> Vec<String> {
    let mut games: Vec<String> = Vec::new();
    let mut expected: Option<String> = None;
    for line in text.lines() {
        let now = Line::split(line);
        let follows = now.as_ref().zip(expected.as_ref());
        let follows = follows.is_some_and(|(line, expected)| line.moves == expected);
        let is_full = games.len() == most;
        match games.last_mut() {
            Some(game) if follows => {
                game.push('\n');
                game.push_str(line);
            }
            _ if is_full => break,
            _ => games.push(line.to_owned()),
        }
        expected = now.and_then(|line| {
            let (played, _) = line.candidates().next()?;
            Some(format!("{}{played}", line.moves))
        });
    }
    games
}

/// One game.
///
/// # Errors
/// [`LeftOut`] says why the game is not taken.
pub(super) fn read<G: Game>(start: &G, text: &str) -> Result<Recorded, LeftOut> {
    let mut lines = text.lines().map_while(Line::split);
    let Some(first) = lines.next() else {
        return left_out("unreadable", text);
    };
    if start
        .rules()
        .record_name()
        .is_none_or(|ours| !ours.eq_ignore_ascii_case(first.rules))
    {
        return left_out("other rules", first.rules);
    }
    let size = start.size();
    if first.board.parse() != Ok(size.width) || size.width != size.height {
        return left_out("another board", first.board);
    }
    let Some(mut moves) = moves(size, first.moves) else {
        return left_out("unreadable", first.moves);
    };
    let placed = moves.len();
    let outcome = match (first.result, placed.is_multiple_of(2)) {
        ("1", _) => Outcome::DRAW,
        ("2", true) | ("0", false) => Outcome::win(Color::Black),
        ("0", true) | ("2", false) => Outcome::win(Color::White),
        _ => return left_out("no result", first.result),
    };
    // A side that loses at once has moves without evaluations: nothing is learned from there on.
    let candidates = std::iter::once(first).chain(lines).map_while(|line| {
        let read = |(at, evaluation)| Some((vertex(size, at)?, evaluation?));
        line.candidates()
            .map(read)
            .collect::<Option<Vec<(Move, f32)>>>()
    });
    let mut analyses = Vec::new();
    for candidates in candidates {
        moves.extend(candidates.first().map(|&(played, _)| played));
        analyses.push(Analysis::of_candidates(&candidates));
    }
    Ok(Recorded {
        moves,
        placed,
        analyses,
        komi: None,
        end: End::Played(outcome),
    })
}

/// The fields of a line.
struct Line<'a> {
    board: &'a str,
    rules: &'a str,
    moves: &'a str,
    result: &'a str,
    candidates: &'a str,
}

impl<'a> Line<'a> {
    fn split(line: &'a str) -> Option<Line<'a>> {
        let fields: Vec<&str> = line.trim_end().split(',').collect();
        let [board, rules, moves, result, candidates] = *fields else {
            return None;
        };
        let sound = board.parse::<u8>();
        sound.is_ok().then_some(Line {
            board,
            rules,
            moves,
            result,
            candidates,
        })
    }

    /// The best moves and their evaluations.
    fn candidates(&self) -> impl Iterator<Item = (&'a str, Option<f32>)> {
        self.candidates.split('|').map(|candidate| {
            let (at, evaluation) = candidate.split_once('(').unwrap_or((candidate, ""));
            (at, evaluation.trim_end_matches(')').parse().ok())
        })
    }
}

/// The points of `H8G7`.
fn moves(size: BoardSize, text: &str) -> Option<Vec<Move>> {
    let starts = text
        .match_indices(|c: char| c.is_ascii_alphabetic())
        .map(|(at, _)| at);
    let ends = starts.clone().skip(1).chain([text.len()]);
    starts
        .zip(ends)
        .map(|(start, end)| vertex(size, text.get(start..end)?))
        .collect()
}

/// The point `H8`: columns from `A`, no letter left out, and rows from 1.
fn vertex(size: BoardSize, text: &str) -> Option<Move> {
    let column = text.chars().next().filter(char::is_ascii_uppercase)? as u8 - b'A';
    let row: u8 = text.get(1..)?.parse().ok()?;
    let on_board = column < size.width && (1..=size.height).contains(&row);
    on_board.then(|| size.point(column, row - 1))
}
