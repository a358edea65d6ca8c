//! Games that repeat others: engines without randomness play the same game again from the same opening, and folders are
//! copied. A repetition says nothing new, and counts for no score and no interval.

use std::collections::HashSet;

use super::opening::to_line;
use super::results::{GameEntry, ResultText};
use super::vertex;
use crate::game::{BoardSize, Move, Symmetry};

/// Who played Black and White, with which result, and the moves.
type Played = (String, String, ResultText, String);

/// Recognises repetitions among the games of a board.
#[derive(Debug)]
pub(super) struct Repeats {
    size: BoardSize,
    seen: HashSet<Played>,
    found: u32,
}

impl Repeats {
    /// No game so far.
    pub(super) fn new(size: BoardSize) -> Repeats {
        Repeats {
            size,
            seen: HashSet::new(),
            found: 0,
        }
    }

    /// Whether the same engines have played this game before, with the same colours and result and move for move, up to
    /// the board's symmetries; remembers it.
    pub(super) fn add(&mut self, game: &GameEntry) -> bool {
        let moves = canonical(self.size, &game.moves);
        let played = (game.black.clone(), game.white.clone(), game.result, moves);
        let is_new = self.seen.insert(played);
        self.found += u32::from(!is_new);
        !is_new
    }

    /// Number of repetitions.
    pub(super) fn found(&self) -> u32 {
        self.found
    }
}

/// The moves of a line under the symmetry that puts them first in order; a line that cannot be read stays as it is.
fn canonical(size: BoardSize, line: &str) -> String {
    let moves = line.split_whitespace();
    let moves: Option<Vec<Move>> = moves.map(|word| vertex::from_text(size, word)).collect();
    let Some(moves) = moves else {
        return line.to_owned();
    };
    let image = |symmetry: Symmetry| -> Vec<Move> {
        moves.iter().map(|&mv| symmetry.apply(size, mv)).collect()
    };
    let first = Symmetry::all(size).map(image).min();
    to_line(size, &first.unwrap_or_default())
}

/// A sentence for a report; `None` without repetitions.
pub(super) fn told(repeated: u32) -> Option<String> {
    let games = match repeated {
        0 => return None,
        1 => "1 game repeats another".to_owned(),
        games => format!("{games} games repeat others"),
    };
    Some(format!(
        "WARNING: {games} move for move (also mirrored or turned) and are not counted: engines without randomness need \
         different openings, and a folder counts once"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::results::tests::entry;

    #[test]
    fn the_same_game_is_recognised_from_all_sides() {
        let mut repeats = Repeats::new(BoardSize::square(9));
        let mut is_repeat = |black: &str, result, moves: &str| {
            let mut game = entry(0, black, "b", result);
            moves.clone_into(&mut game.moves);
            repeats.add(&game)
        };
        assert!(!is_repeat("a", ResultText::Black, "A1 C2 pass"));
        assert!(is_repeat("a", ResultText::Black, "A1 C2 pass"));
        // Mirrored and turned.
        for moves in ["J1 G2 pass", "a9 b7 PASS", "J9 H7 pass", "A1 B3 pass"] {
            assert!(is_repeat("a", ResultText::Black, moves), "{moves}");
        }
        for (black, result, moves) in [
            ("c", ResultText::Black, "A1 C2 pass"),
            ("a", ResultText::White, "A1 C2 pass"),
            ("a", ResultText::Black, "A1 C2"),
            ("a", ResultText::Black, "C2 A1 pass"),
            ("a", ResultText::Black, "odd"),
        ] {
            assert!(!is_repeat(black, result, moves), "{moves}");
        }
        assert!(is_repeat("a", ResultText::Black, "odd"));
        assert_eq!(repeats.found(), 6);
    }
}
