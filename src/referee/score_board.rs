//! Counting a match: the score of each meeting from the games of a result file.

use std::collections::{BTreeMap, HashMap};

use super::game::Reason;
use super::results::{GameEntry, ResultText};
use super::stats::{MatchScore, Score};

/// All games counted so far.
#[derive(Debug, Default)]
pub struct ScoreBoard {
    /// By the engines' names, in the order first asked for or alphabetically.
    meetings: BTreeMap<(String, String), MatchScore>,
    /// The first finished game of each pair, from the view of the meeting's first engine.
    half_pairs: HashMap<usize, Score>,
    failures: BTreeMap<(String, Reason), u32>,
    black_score: f64,
    games: u32,
}

impl ScoreBoard {
    /// An empty board.
    #[must_use]
    pub fn new() -> ScoreBoard {
        ScoreBoard::default()
    }

    /// Counts a game.
    pub fn add(&mut self, game: &GameEntry) {
        let for_black = match game.result {
            ResultText::Black => Score::Win,
            ResultText::White => Score::Loss,
            ResultText::Draw => Score::Draw,
        };
        self.games += 1;
        self.black_score += for_black.points();
        let loser = if for_black == Score::Loss {
            &game.black
        } else {
            &game.white
        };
        if game.reason.is_failure() {
            *self
                .failures
                .entry((loser.clone(), game.reason))
                .or_default() += 1;
        }
        let reversed = game.white < game.black;
        let (first, second, score) = if reversed {
            (&game.white, &game.black, for_black.reversed())
        } else {
            (&game.black, &game.white, for_black)
        };
        let meeting = self
            .meetings
            .entry((first.clone(), second.clone()))
            .or_default();
        meeting.add(score);
        match self.half_pairs.remove(&game.pair) {
            Some(other) => meeting.pairs.add(other, score),
            None => drop(self.half_pairs.insert(game.pair, score)),
        }
    }

    /// The score of one engine against another, from the first one's view.
    #[must_use]
    pub fn meeting(&self, first: &str, second: &str) -> MatchScore {
        let key = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        if let Some(score) = self.meetings.get(&key(first, second)) {
            return *score;
        }
        let reversed = self.meetings.get(&key(second, first));
        reversed.map(MatchScore::reversed).unwrap_or_default()
    }

    /// Number of games.
    #[must_use]
    pub fn games(&self) -> u32 {
        self.games
    }

    /// Black's mean score over all games, in 0..=1; one half before the first.
    #[must_use]
    pub fn black_score(&self) -> f64 {
        if self.games == 0 {
            return 0.5;
        }
        self.black_score / f64::from(self.games)
    }

    /// Games lost by misbehaviour: engine, reason, number.
    pub fn failures(&self) -> impl Iterator<Item = (&str, Reason, u32)> {
        self.failures
            .iter()
            .map(|((name, reason), &count)| (name.as_str(), *reason, count))
    }
}
