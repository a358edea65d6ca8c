//! What only the operator does: games that were cut off, wrongly entered stones, clocks.

use std::path::Path;

use super::{Answer, NO_GAME, SauSession};
use crate::clock::seconds;
use crate::gtp::commands::color;
use crate::record::file;

impl SauSession {
    /// Goes on with a recorded game, after a crash for example.
    pub(super) fn load(&mut self, words: &[String]) -> Answer {
        let usage =
            "`load` takes Tengen's colour and a record: load black records/NG-202611281030.sgf";
        let (ours, name) = words.split_first().ok_or(usage)?;
        let ours = color(ours).map_err(|_| usage)?;
        let name = name.join(" ");
        let refused = |reason: String| format!("cannot load {name:?}: {reason}");
        let record = file::read_sgf(Path::new(&name), usize::MAX)
            .map_err(|error| refused(error.to_string()))?;
        self.end(None)?;
        self.engine
            .load(&record)
            .map_err(|error| refused(error.to_string()))?;
        self.enter(ours);
        self.note(&format!(
            "{} stones, {} to play: set the clocks with `clock`; `go` has Tengen play when it is its turn",
            record.plays.len(),
            self.engine.to_move()
        ));
        Ok(())
    }

    /// Undoes stones.
    pub(super) fn undo(&mut self, count: Option<&String>) -> Answer {
        let count: usize = match count.map(|text| text.parse()) {
            None => 1,
            Some(Ok(count)) => count,
            Some(Err(_)) => return Err("`undo` takes a number of stones".to_owned()),
        };
        let undone = (0..count)
            .take_while(|_| self.engine.undo().is_ok())
            .count();
        if let Some(game) = &mut self.game {
            game.winner = None;
            game.refused.clear();
        }
        self.save();
        if undone < count {
            return Err(format!("{undone} taken back: there were no more"));
        }
        Ok(())
    }

    /// Sets the clocks, or changes nothing on an error.
    pub(super) fn set_clocks(&mut self, times: &[String]) -> Answer {
        let Some(game) = &self.game else {
            return Err(NO_GAME.to_owned());
        };
        let times: Result<Vec<_>, _> = times.iter().take(2).map(|text| seconds(text)).collect();
        let Some(times) = times.ok().filter(|times| !times.is_empty()) else {
            return Err(
                "`clock` takes seconds: those of Tengen, then those of the other side".to_owned(),
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
}
