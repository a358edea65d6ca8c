//! Scores of a match: the score of each meeting from the games of a result file.
//!
//! Engines without randomness play the same game again from the same opening, and folders are copied: a game that repeats
//! another says nothing new, and counts for no score and no interval.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::game_end::Reason;
use super::player::read_vertex;
use super::results::{GameEntry, ResultText};
use crate::game::{BoardSize, Move, Symmetry};
use crate::gtp::format_moves;
use crate::stats::{GameResult, MatchScore};

/// All games counted so far. Those that repeat others count for no score.
#[derive(Debug)]
pub struct ScoreBoard {
    size: BoardSize,
    seen: HashSet<Played>,
    repeated: u32,
    /// By the engines' names, in the order first requested or alphabetically.
    meetings: BTreeMap<(String, String), MatchScore>,
    /// The first finished game of each pair, by file and number, from the view of the meeting's first engine.
    half_pairs: HashMap<(usize, usize), GameResult>,
    /// Games lost by misbehaviour, by engine and reason.
    pub(super) failures: BTreeMap<(String, Reason), u32>,
    black_score: f64,
    games: u32,
}

impl ScoreBoard {
    /// The score of no game, for games on a board of this size.
    pub fn new(size: BoardSize) -> ScoreBoard {
        ScoreBoard {
            size,
            seen: HashSet::new(),
            repeated: 0,
            meetings: BTreeMap::new(),
            half_pairs: HashMap::new(),
            failures: BTreeMap::new(),
            black_score: 0.0,
            games: 0,
        }
    }

    /// The score of these games.
    pub fn of(size: BoardSize, games: &[GameEntry]) -> ScoreBoard {
        let mut board = ScoreBoard::new(size);
        games.iter().for_each(|game| board.add(game));
        board
    }

    /// Adds a game to the score, and to its pair when both games are there.
    pub fn add(&mut self, game: &GameEntry) {
        self.add_of_file(0, game);
    }

    /// Adds a game of one of several files, each of which has its pairs; returns whether it repeats no other game: the
    /// same engines have not played it before, with the same colours and result and move for move, up to the board's
    /// symmetries.
    pub(super) fn add_of_file(&mut self, file: usize, game: &GameEntry) -> bool {
        let for_black = game.result.for_black();
        self.games += 1;
        if game.reason.is_failure() {
            let loser = match for_black {
                GameResult::Loss => &game.black,
                _ => &game.white,
            };
            let failures = self.failures.entry((loser.clone(), game.reason));
            *failures.or_default() += 1;
        }
        let moves = canonical(self.size, &game.moves);
        let played = (game.black.clone(), game.white.clone(), game.result, moves);
        if !self.seen.insert(played) {
            self.repeated += 1;
            return false;
        }
        self.black_score += for_black.points();
        let (first, second, score) = match game.white < game.black {
            true => (&game.white, &game.black, for_black.reversed()),
            false => (&game.black, &game.white, for_black),
        };
        let meeting = self.meetings.entry((first.clone(), second.clone()));
        let meeting = meeting.or_default();
        meeting.add(score);
        match self.half_pairs.remove(&(file, game.pair)) {
            Some(other) => meeting.pairs.add(other, score),
            None => drop(self.half_pairs.insert((file, game.pair), score)),
        }
        true
    }

    /// The score of one engine against another, from the first one's view.
    pub fn meeting(&self, first: &str, second: &str) -> MatchScore {
        let key = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        if let Some(score) = self.meetings.get(&key(first, second)) {
            return *score;
        }
        let reversed = self.meetings.get(&key(second, first));
        reversed.map(MatchScore::reversed).unwrap_or_default()
    }

    /// Number of games, repetitions included.
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Number of games that repeat others.
    pub fn repeated(&self) -> u32 {
        self.repeated
    }

    /// Black's mean score over all different games, in 0..=1; one half before the first.
    pub fn black_score(&self) -> f64 {
        match self.games - self.repeated {
            0 => 0.5,
            games => self.black_score / f64::from(games),
        }
    }

    /// Games that an engine lost on time.
    pub fn time_losses(&self, engine: &str) -> u32 {
        let losses = self.failures.get(&(engine.to_owned(), Reason::Time));
        losses.copied().unwrap_or_default()
    }
}

/// Who played Black and White, with which result, and the moves.
type Played = (String, String, ResultText, String);

/// The moves of a line under the symmetry that puts them first in order; a line that cannot be read stays as it is.
fn canonical(size: BoardSize, line: &str) -> String {
    let moves = line.split_whitespace();
    let moves: Option<Vec<Move>> = moves.map(|word| read_vertex(size, word)).collect();
    let Some(moves) = moves else {
        return line.to_owned();
    };
    let image = |symmetry: Symmetry| -> Vec<Move> {
        moves.iter().map(|&mv| symmetry.apply(size, mv)).collect()
    };
    let first = Symmetry::all(size).map(image).min();
    format_moves(&first.unwrap_or_default(), size)
}

/// A sentence for a report; `None` without repetitions.
pub(super) fn repeats_text(repeated: u32) -> Option<String> {
    let (games, are) = match repeated {
        0 => return None,
        1 => ("1 game repeats another".to_owned(), "is"),
        games => (format!("{games} games repeat others"), "are"),
    };
    Some(format!(
        "WARNING: {games} move for move (also mirrored or turned) and {are} not counted: engines without randomness \
         need different openings, and a folder counts once"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::results::tests::entry;

    const SIZE: BoardSize = BoardSize::square(9);

    #[test]
    fn a_game_that_is_played_again_counts_once() {
        let mut games = Vec::new();
        for number in 0..12 {
            let (black, white) = [("a", "b"), ("b", "a")][number % 2];
            games.push(GameEntry {
                moves: "C3 G7 E5".to_owned(),
                ..entry(number, black, white, ResultText::Black)
            });
        }
        let board = ScoreBoard::of(SIZE, &games);
        let score = board.meeting("a", "b");
        assert_eq!((score.wins, score.losses, score.pairs.pairs()), (1, 1, 1));
        assert_eq!((board.games(), board.repeated()), (12, 10));
        assert_eq!(board.black_score(), 1.0);
        let one = repeats_text(1).unwrap_or_default();
        assert!(
            one.contains("1 game repeats") && one.contains("is not counted"),
            "{one}"
        );
    }

    #[test]
    fn meetings_are_counted_from_either_view() {
        let mut board = ScoreBoard::new(SIZE);
        for game in [
            entry(0, "z", "a", ResultText::Black),
            entry(2, "z", "a", ResultText::White),
            entry(1, "a", "z", ResultText::White),
            entry(4, "z", "b", ResultText::Draw),
        ] {
            board.add(&game);
        }
        let score = board.meeting("z", "a");
        assert_eq!((score.wins, score.draws, score.losses), (2, 0, 1));
        assert_eq!(score.pairs.by_half_points, [0, 0, 0, 0, 1]);
        assert_eq!(board.meeting("a", "z"), score.reversed());
        assert_eq!(board.meeting("b", "z").draws, 1);
        assert_eq!(board.meeting("a", "b"), MatchScore::default());
        assert_eq!((board.games(), board.black_score()), (4, 0.375));
    }

    #[test]
    fn failures_are_the_losers() {
        let mut board = ScoreBoard::new(SIZE);
        let mut crashed = entry(0, "a", "b", ResultText::White);
        crashed.reason = Reason::Crash;
        board.add(&crashed);
        let failures = BTreeMap::from([(("a".to_owned(), Reason::Crash), 1)]);
        assert_eq!(board.failures, failures);
    }

    #[test]
    fn the_same_game_is_recognised_from_all_sides() {
        let mut board = ScoreBoard::new(SIZE);
        let mut is_repeat = |black: &str, result, moves: &str| {
            let mut game = entry(0, black, "b", result);
            moves.clone_into(&mut game.moves);
            !board.add_of_file(0, &game)
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
        assert_eq!(board.repeated(), 6);
    }
}
