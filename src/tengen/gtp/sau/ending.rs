//! The end of a game and its records.

use super::{Answer, Match, SauSession, short};
use crate::game::{Color, Outcome};
use crate::gtp::commands::color;
use crate::gtp::sau::records::GameFiles;
use crate::record::{GameRecord, result_text};

impl SauSession {
    /// Ends the game, or sets the winner of the ended one.
    pub(super) fn end(&mut self, winner: Option<&String>) -> Answer {
        self.engine.rest();
        let told = winner.and_then(|text| color(text).ok());
        let seen = self.engine.outcome().and_then(|outcome| outcome.winner);
        if let Some(mut game) = self.game.take() {
            game.winner = told.or(game.winner).or(seen);
            let record = self.record(&game);
            self.close(game, record);
        } else if let (Some(winner), Some((mut game, mut record))) = (told, self.ended.take()) {
            game.winner = Some(winner);
            record.result = result_text(Outcome::win(winner));
            self.close(game, record);
        }
        match winner {
            Some(text) if told.is_none() => Err(format!(
                "{:?} is neither black nor white: use `end black` or `end white`",
                short(text)
            )),
            _ => Ok(()),
        }
    }

    /// Writes the records of a finished game.
    fn close(&mut self, mut game: Match, record: GameRecord) {
        self.keep(&mut game.files, &record);
        let told = match (game.files.written(), game.winner) {
            (Some(path), Some(winner)) => format!("{winner} wins: {}", path.display()),
            (Some(path), None) => format!(
                "the winner is not known; set it with `end black` or `end white`: {}",
                path.display()
            ),
            (None, _) if self.options.records.is_empty() => String::new(),
            // The last chance to save the game.
            (None, _) => self.record_writer.text(&game.files, &record),
        };
        if game.files.written().is_some() {
            self.note(&told);
        } else if !told.is_empty() {
            self.tell(&told);
        }
        self.ended = Some((game, record));
    }

    /// The game as a record.
    fn record(&self, game: &Match) -> GameRecord {
        let mut record = self.engine.record();
        let (us, them) = (self.options.name.clone(), self.options.opponent.clone());
        (record.black, record.white) = match game.ours {
            Color::Black => (us, them),
            Color::White => (them, us),
        };
        if let Some(winner) = game.winner {
            record.result = result_text(Outcome::win(winner));
        }
        record
    }

    /// Writes the records so far.
    pub(super) fn save(&mut self) {
        let Some(mut game) = self.game.take() else {
            return;
        };
        let record = self.record(&game);
        self.keep(&mut game.files, &record);
        self.game = Some(game);
    }

    /// Writes records; on failure the game continues, and the operator is told.
    fn keep(&mut self, files: &mut GameFiles, record: &GameRecord) {
        if let Some(trouble) = self.record_writer.save(files, record) {
            self.tell(&trouble);
        }
    }
}
