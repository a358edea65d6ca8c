//! Openings: short lists of moves with which both games of a pair start, and opening books.
//!
//! A book is a text file with one opening per line, its moves as vertices from the empty board,
//! Black first (`E5 C3 G7 D6`); `#` starts a comment.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::MatchError;
use super::gtp_client::quoted;
use super::player::read_vertex;
use crate::game::{Game, Move, PositionHistory, Symmetry};

/// Random attempts per opening before the board is assumed to have no more.
const ATTEMPTS_PER_OPENING: usize = 1000;

/// The different openings of a book.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Book {
    /// Its openings, unique up to the board's symmetries.
    pub openings: Vec<Vec<Move>>,
    /// Number of its lines that lead to the position of an earlier one.
    pub repeated: usize,
}

/// The openings of a book.
///
/// # Errors
/// [`MatchError`] names the invalid line.
pub fn read_book<G: Game>(start: &G, text: &str) -> Result<Book, MatchError> {
    let mut openings = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let moves = line.split('#').next().unwrap_or_default().trim();
        if !moves.is_empty() {
            openings.push(read_opening(start, moves, index + 1)?);
        }
    }
    if openings.is_empty() {
        return Err(MatchError("the opening book is empty".to_owned()));
    }
    let (lines, mut seen) = (openings.len(), HashSet::new());
    openings.retain(|moves| seen.insert(canonical_key(start, moves)));
    Ok(Book {
        repeated: lines - openings.len(),
        openings,
    })
}

fn read_opening<G: Game>(start: &G, text: &str, line: usize) -> Result<Vec<Move>, MatchError> {
    let wrong = |why: String| MatchError(format!("line {line} of the opening book: {why}"));
    let mut game = start.clone();
    let mut past = PositionHistory::of(start);
    let mut moves = Vec::new();
    for word in text.split_whitespace() {
        let mv = read_vertex(game.size(), word)
            .ok_or_else(|| wrong(format!("`{}` is not a point of this board", quoted(word))))?;
        moves.push(mv);
        let legal = game.is_legal(mv) && past.allows(&game, mv);
        if legal {
            game.play(mv);
            past.push(&game);
        }
        if !legal || game.outcome().is_some() {
            let number = moves.len();
            return Err(wrong(format!("move {number} is illegal or ends the game")));
        }
    }
    Ok(moves)
}

/// Distinct openings of random legal moves, unique up to the board's symmetries; the same for the
/// same seed, and the first ones independent of their number. Fewer than `wanted` if no others are found.
pub fn random_openings<G: Game>(start: &G, plies: u32, wanted: usize, seed: u64) -> Vec<Vec<Move>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut seen = HashSet::new();
    let mut openings = Vec::new();
    let mut failures = 0;
    while openings.len() < wanted && failures < ATTEMPTS_PER_OPENING {
        match random_opening(start, plies, &mut rng) {
            Some(moves) if plies == 0 || seen.insert(canonical_key(start, &moves)) => {
                openings.push(moves);
                failures = 0;
            }
            _ => failures += 1,
        }
    }
    openings
}

/// Random legal moves from the start; `None` when they end the game.
fn random_opening<G: Game>(
    start: &G,
    plies: u32,
    rng: &mut Xoshiro256PlusPlus,
) -> Option<Vec<Move>> {
    let mut game = start.clone();
    let mut past = PositionHistory::of(start);
    let pass = start.size().pass();
    let mut moves = Vec::new();
    for _ in 0..plies {
        let legal = game.legal_moves();
        let legal = legal.filter(|&mv| mv != pass && past.allows(&game, mv));
        let legal: Vec<Move> = legal.collect();
        let &mv = legal.get(rng.random_range(0..legal.len().max(1)))?;
        game.play(mv);
        past.push(&game);
        moves.push(mv);
    }
    game.outcome().is_none().then_some(moves)
}

/// A key that is equal for openings to the same position up to mirroring and rotation. Exchanged
/// colours need not be considered: with Black first, openings of the same length never differ by
/// that alone.
pub(super) fn canonical_key<G: Game>(start: &G, moves: &[Move]) -> u128 {
    let size = start.size();
    let keys = Symmetry::all(size).map(|symmetry| {
        let mut game = start.clone();
        for &mv in moves {
            game.play(symmetry.apply(size, mv));
        }
        game.key()
    });
    keys.min().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::games::nogo::SmallNoGo;
    use crate::gtp::format_moves;

    fn board(side: u8) -> SmallNoGo {
        SmallNoGo::new(BoardSize::square(side)).unwrap()
    }

    #[test]
    fn a_book_is_read_as_it_is_written() {
        let start = board(9);
        let book = read_book(&start, "# four plies\nE5 C3 g7 D6 # good\n\nA1 B2\n").unwrap();
        let lines: Vec<String> = book
            .openings
            .iter()
            .map(|moves| format_moves(moves, start.size()))
            .collect();
        assert_eq!(lines, ["E5 C3 G7 D6", "A1 B2"]);
    }

    #[test]
    fn a_line_that_repeats_another_is_left_out() {
        let start = board(9);
        let text = "A1 C2 E5\nA1 C2 E5\nE5 C2 A1 # reordered\nJ9 G8 E5 # turned\nA1 C2\nC2 A1\n";
        let book = read_book(&start, text).unwrap();
        let lines = book.openings.iter();
        let lines: Vec<String> = lines
            .map(|moves| format_moves(moves, start.size()))
            .collect();
        assert_eq!(lines, ["A1 C2 E5", "A1 C2", "C2 A1"]);
        assert_eq!(book.repeated, 3);
    }

    #[test]
    fn a_bad_book_is_refused_with_its_line() {
        let start = board(9);
        let other_kind = "\0".repeat(100_000);
        for (text, because) in [
            ("E5\n\nE4 Z1", "line 3 of the opening book: `Z1` is not"),
            ("E5 E5", "line 1 of the opening book: move 2 is illegal"),
            // White's third stone would capture the corner.
            (
                "A1 A2 E5 B1",
                "line 1 of the opening book: move 4 is illegal",
            ),
            ("# nothing", "is empty"),
            (&*other_kind, "is not a point of this board"),
        ] {
            let error = read_book(&start, text).unwrap_err().to_string();
            assert!(error.contains(because), "{error}");
            assert!(error.len() < 200, "not quoted whole: {error}");
        }
    }

    #[test]
    fn mirrored_and_reordered_openings_are_one() {
        let start = board(9);
        let key = |text| canonical_key(&start, &read_book(&start, text).unwrap().openings[0]);
        assert_eq!(key("A1 C2 E5"), key("J9 G8 E5"));
        assert_eq!(key("A1 C2 E5"), key("E5 C2 A1"));
        assert_eq!(key("A1 C2"), key("A1 B3"));
        assert_ne!(key("A1 C2"), key("C2 A1"));
    }

    #[test]
    fn random_openings_are_different_and_reproducible() {
        let start = board(9);
        let openings = random_openings(&start, 4, 300, 7);
        let keys: HashSet<u128> = openings
            .iter()
            .map(|moves| canonical_key(&start, moves))
            .collect();
        assert_eq!(keys.len(), 300);
        assert_eq!(random_openings(&start, 4, 30, 7), openings[..30]);
        assert_ne!(random_openings(&start, 4, 30, 8), openings[..30]);
        assert_eq!(random_openings(&start, 0, 2, 7), [vec![], vec![]]);
    }

    #[test]
    fn no_opening_passes() {
        let start = crate::games::go::SmallGo::new(BoardSize::square(5)).unwrap();
        let passes = |moves: &Vec<Move>| moves.contains(&start.size().pass());
        assert!(!random_openings(&start, 6, 50, 1).iter().any(passes));
    }

    #[test]
    fn a_small_board_has_few_openings() {
        // The 3x3 board has three first moves up to symmetry: corner, edge, centre.
        assert_eq!(random_openings(&board(3), 1, 4, 1).len(), 3);
    }
}
