//! Games: their end and their records; and what only the operator does with them: games that were cut off, wrongly entered
//! stones, clocks.

use std::path::Path;
use std::time::Duration;

use super::{Answer, Match, NO_GAME, SauSession};
use crate::clock::seconds;
use crate::game::{Color, Outcome};
use crate::gtp::sau::records::GameFiles;
use crate::gtp::{parse_color, short};
use crate::program::counted;
use crate::record::{GameRecord, file, result_text};

/// A time in seconds, or as a clock on the table shows it.
fn time(text: &str) -> Option<Duration> {
    let Some((minutes, rest)) = text.split_once([':', '：']) else {
        return seconds(text).ok();
    };
    let (minutes, rest) = (seconds(minutes).ok()?, seconds(rest).ok()?);
    Some(minutes.saturating_mul(60).saturating_add(rest))
}

impl SauSession {
    /// Goes on with a recorded game, after a crash for example.
    pub(super) fn load(&mut self, words: &[&str]) -> Answer {
        let usage =
            "`load` takes Tengen's colour and a record: load black records/NG-202611281030.sgf";
        let (ours, name) = words.split_first().ok_or(usage)?;
        let ours = parse_color(ours).map_err(|_| usage)?;
        let name = name.join(" ");
        let refused = |reason: String| format!("cannot load {name:?}: {reason}");
        let record = file::read_sgf(Path::new(&name), usize::MAX);
        let record = record.map_err(|error| refused(error.to_string()))?;
        let before = self.finished(None);
        // A record that is refused leaves the game as it is.
        let loaded = self.engine.load(&record);
        loaded.map_err(|error| refused(error.to_string()))?;
        if let (Some(game), Some(record)) = (self.game.take(), before) {
            self.close(game, record);
        }
        self.enter(ours);
        self.note(&format!(
            "{}, {} to play: set the clocks with `clock`; `go` has Tengen play when it is its turn",
            counted(record.plays.len(), "stone"),
            self.engine.to_move()
        ));
        Ok(())
    }

    /// Undoes stones.
    pub(super) fn undo(&mut self, count: Option<&str>) -> Answer {
        let count: usize = match count.map(|text| text.parse()) {
            None => 1,
            Some(Ok(count)) => count,
            Some(Err(_)) => return Err("`undo` takes a number of stones".to_owned()),
        };
        let Some(game) = &mut self.game else {
            return Err(NO_GAME.to_owned());
        };
        let undone = (0..count)
            .take_while(|_| self.engine.undo().is_ok())
            .count();
        game.winner = None;
        game.refused.clear();
        self.save();
        if undone < count {
            return Err(format!("{undone} taken back: there were no more"));
        }
        Ok(())
    }

    /// Sets the clocks, or changes nothing on an error.
    pub(super) fn set_clocks(&mut self, times: &[&str]) -> Answer {
        let Some(game) = &self.game else {
            return Err(NO_GAME.to_owned());
        };
        let times: Option<Vec<_>> = times.iter().take(2).map(|text| time(text)).collect();
        let Some(times) = times.filter(|times| !times.is_empty()) else {
            return Err(
                "`clock` takes times such as 800 or 13:20: Tengen's, then the other side's"
                    .to_owned(),
            );
        };
        for (side, time) in [game.ours, game.ours.opponent()].into_iter().zip(times) {
            // A controller's report may be older than the last move. The operator's is not: said twice, it is the
            // one with which the clock agrees.
            self.engine.set_time_left(side, time, 0);
            self.engine.set_time_left(side, time, 0);
        }
        Ok(())
    }

    /// Ends the game, or sets the winner of the ended one.
    pub(super) fn end(&mut self, winner: Option<&str>) -> Answer {
        let told = winner.and_then(|text| parse_color(text).ok());
        let record = self.finished(told);
        if let (Some(game), Some(record)) = (self.game.take(), record) {
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

    /// The record of the game in progress, with its winner as it was told, or as the board shows.
    fn finished(&mut self, told: Option<Color>) -> Option<GameRecord> {
        self.engine.rest();
        let seen = self.engine.outcome().and_then(|outcome| outcome.winner);
        let game = self.game.as_mut()?;
        game.winner = told.or(game.winner).or(seen);
        Some(self.record(self.game.as_ref()?))
    }

    /// Writes the records of a finished game.
    fn close(&mut self, mut game: Match, record: GameRecord) {
        self.keep(&mut game.files, &record);
        let unknown = "the winner is not known; set it with `end black` or `end white`";
        let winner = game.winner;
        let winner = winner.map_or(unknown.to_owned(), |winner| format!("{winner} wins"));
        match game.files.written() {
            Some(path) => self.note(&format!("{winner}: {}", path.display())),
            None if self.options.records.is_empty() => {}
            // The last chance to save the game.
            None => {
                let text = self.record_writer.text(&game.files, &record);
                self.tell(&text);
            }
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
