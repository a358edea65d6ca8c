//! The protocol of the SAU game platform, on which the China Computer Game Championship runs NoGo.
//!
//! The platform sends lines to a program that it starts without arguments: `name?`, `new black`,
//! `new white`, `move XY`, `error`, `end`, `quit`; the program says `name TEXT` and `move XY`. A
//! vertex is two capitals, the column from the left and the row from the *top*, both from A with I
//! among them (clients §6.3). The standard error stream is the same pipe, so it has to stay silent.
//!
//! For an operator at a terminal there are also `undo [N]`, `go`, `clock OWN [OPPONENT]` (seconds)
//! and `board`. Anything else is ignored: what the platform does not expect, it takes for a move.

mod vertex;

use std::path::PathBuf;
use std::sync::Arc;

use self::vertex::{read_vertex, write_vertex};
use super::board;
use super::commands::color;
use super::{Conversation, Interrupts, Request};
use crate::clock::seconds;
use crate::engine::{Decision, Engine, EngineError};
use crate::game::{Color, Move, Outcome};
use crate::record::ccgc::NgStyle;
use crate::record::{GameRecord, Play, Vertex, result_text, sgf};
use crate::search::View;

/// How a program appears on the platform, and where its records go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SauManners {
    /// The program's name, which is also its team's in records.
    pub name: String,
    /// The other team's name in records; empty when unknown.
    pub opponent: String,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// The folder of records; none are kept when there is none.
    pub records: Option<PathBuf>,
    /// How records look.
    pub style: NgStyle,
}

/// A conversation with the platform.
pub struct SauSession {
    engine: Box<dyn Engine>,
    manners: SauManners,
    /// What time it is, as records write it.
    date: Box<dyn Fn() -> String + Send>,
    interrupts: Arc<Interrupts>,
    game: Option<Match>,
    over: bool,
}

/// A game on the platform.
struct Match {
    ours: Color,
    /// Moves of ours that the platform did not take, since the last one that it took.
    refused: Vec<Move>,
    winner: Option<Color>,
    /// When it began.
    date: String,
    /// What its records' names end with where they would be those of an earlier game.
    suffix: String,
    /// Its record of the championship's kind, when it is written; the name tells the result.
    written: Option<PathBuf>,
}

impl SauSession {
    /// A conversation that has not begun. `engine` has its clocks set.
    #[must_use]
    pub fn new(
        engine: Box<dyn Engine>,
        manners: SauManners,
        date: Box<dyn Fn() -> String + Send>,
    ) -> SauSession {
        SauSession {
            engine,
            manners,
            date,
            interrupts: Arc::new(Interrupts::new()),
            game: None,
            over: false,
        }
    }

    fn begin(&mut self, ours: Color) {
        self.engine.clear();
        let date = (self.date)();
        let suffix = self.free_suffix(&date);
        self.game = Some(Match {
            ours,
            refused: Vec::new(),
            winner: None,
            date,
            suffix,
            written: None,
        });
    }

    /// Tells a second game of the same minute from the first: nothing, `-2`, `-3` and so on.
    fn free_suffix(&self, date: &str) -> String {
        let taken = |suffix: &str| {
            let folder = self.manners.records.as_ref();
            folder.is_some_and(|folder| folder.join(sgf_name(date, suffix)).exists())
        };
        let suffixes = (2..1000).map(|number| format!("-{number}"));
        let mut suffixes = std::iter::once(String::new()).chain(suffixes);
        suffixes.find(|suffix| !taken(suffix)).unwrap_or_default()
    }

    /// Plays the opponent's move; false when there is nothing to answer.
    fn take(&mut self, text: &str) -> bool {
        let Some(game) = &mut self.game else {
            return false;
        };
        let theirs = game.ours.opponent();
        let Some(point) = read_vertex(text, self.engine.size()) else {
            return false;
        };
        if self.engine.to_move() != theirs || self.engine.stone(point).is_some() {
            return false;
        }
        game.refused.clear();
        let play = Play {
            color: theirs,
            vertex: Vertex::Point(point),
        };
        let taken = self.engine.play(play);
        if taken == Err(EngineError::IllegalMove) {
            // A capture or suicide: the rules give us the game, and the platform will say so.
            game.winner = Some(game.ours);
        }
        // It may be the last move that we hear of.
        self.save();
        taken.is_ok()
    }

    /// Thinks, plays and tells the move, unless the game was ended meanwhile.
    fn reply(&mut self, send: &mut dyn FnMut(&str)) {
        let Some(game) = &self.game else { return };
        if self.engine.to_move() != game.ours || self.interrupts.is_interrupted() {
            return;
        }
        let view = View {
            every: None,
            avoid: game.refused.clone(),
        };
        let (engine, ours) = (&mut self.engine, game.ours);
        let decision = self
            .interrupts
            .search(|stop| engine.watch_genmove(ours, stop, &view, &mut |_| {}));
        let Decision::Play(Vertex::Point(point)) = decision else {
            return;
        };
        if self.interrupts.is_interrupted() {
            // It was just played.
            let _ = self.engine.undo();
            return;
        }
        send(&format!(
            "move {}\n",
            write_vertex(point, self.engine.size())
        ));
        self.save();
    }

    /// The platform did not take our last move: play another one.
    fn replace(&mut self, send: &mut dyn FnMut(&str)) {
        let record = self.engine.record();
        let (Some(game), Some(last)) = (&mut self.game, record.plays.last()) else {
            return;
        };
        let Vertex::Point(point) = last.play.vertex else {
            return;
        };
        if last.play.color == game.ours && self.engine.undo().is_ok() {
            game.refused.push(point);
            self.reply(send);
        }
    }

    fn end(&mut self, winner: Option<&String>) {
        self.engine.rest();
        let outcome = self.engine.outcome();
        if let Some(game) = &mut self.game {
            let told = winner.and_then(|text| color(text).ok());
            let seen = outcome.and_then(|outcome| outcome.winner);
            game.winner = told.or(game.winner).or(seen);
            self.save();
        }
        self.game = None;
    }

    /// Takes moves back for the operator.
    fn undo(&mut self, count: Option<&String>) {
        let count: usize = count.and_then(|text| text.parse().ok()).unwrap_or(1);
        for _ in 0..count {
            if self.engine.undo().is_err() {
                break;
            }
        }
        if let Some(game) = &mut self.game {
            game.winner = None;
            game.refused.clear();
        }
        self.save();
    }

    /// Sets the clocks for the operator; a time that is none changes nothing.
    fn set_clocks(&mut self, times: &[String]) {
        let Some(game) = &self.game else { return };
        for (side, text) in [game.ours, game.ours.opponent()].into_iter().zip(times) {
            if let Ok(time) = seconds(text) {
                self.engine.set_time_left(side, time, 0);
            }
        }
    }

    /// The game as records have it.
    fn record(&self, game: &Match) -> GameRecord {
        let mut record = self.engine.record();
        let (us, them) = (self.manners.name.clone(), self.manners.opponent.clone());
        (record.black, record.white) = match game.ours {
            Color::Black => (us, them),
            Color::White => (them, us),
        };
        if let Some(winner) = game.winner {
            record.result = result_text(Outcome::win(winner));
        }
        record
    }

    /// Writes the record so far as SGF, and as the championship's own once there is a winner. A
    /// game goes on without records: there is nobody here to be told what failed.
    fn save(&mut self) {
        let record = self.game.as_ref().map(|game| self.record(game));
        let (Some(folder), Some(game), Some(record)) =
            (&self.manners.records, &mut self.game, record)
        else {
            return;
        };
        let style = NgStyle {
            time: game.date.clone(),
            ..self.manners.style.clone()
        };
        let _ = std::fs::create_dir_all(folder);
        let path = folder.join(sgf_name(&game.date, &game.suffix));
        let _ = std::fs::write(path, sgf::write(&record));
        let decided = !record.result.is_empty();
        let path = decided.then(|| folder.join(suffixed(&style.file_name(&record), &game.suffix)));
        if let Some(path) = &path {
            let _ = std::fs::write(path, style.write(&record));
        }
        // A game whose result has changed leaves one record, not two that contradict each other.
        if let Some(old) = game.written.take().filter(|old| path.as_ref() != Some(old)) {
            let _ = std::fs::remove_file(old);
        }
        game.written = path;
    }
}

/// The name of a game's SGF record.
fn sgf_name(date: &str, suffix: &str) -> String {
    let stamp: String = date.chars().filter(char::is_ascii_digit).collect();
    format!("NG-{stamp}{suffix}.sgf")
}

/// A file name with a suffix before its extension.
fn suffixed(name: &str, suffix: &str) -> String {
    match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}{suffix}.{extension}"),
        None => format!("{name}{suffix}"),
    }
}

impl Conversation for SauSession {
    const CUTS: &'static [&'static str] = &["end", "new", "quit"];

    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, request: &Request, send: &mut dyn FnMut(&str)) {
        let words = &request.arguments;
        match request.name.as_str() {
            "name?" => send(&format!("name {}\n", self.manners.name)),
            "new" => {
                if let Some(Ok(ours)) = words.first().map(|text| color(text)) {
                    self.end(None);
                    self.begin(ours);
                    self.reply(send);
                }
            }
            "move" if words.first().is_some_and(|text| self.take(text)) => self.reply(send),
            "error" => self.replace(send),
            "end" => self.end(words.first()),
            "undo" => self.undo(words.first()),
            "go" => self.reply(send),
            "clock" => self.set_clocks(words),
            "board" => send(&format!("{}\n", board::show(&*self.engine))),
            "quit" => {
                self.end(None);
                self.over = true;
            }
            _ => {}
        }
    }

    fn idle(&mut self) {
        if self.manners.ponder && self.game.is_some() {
            let engine = &mut self.engine;
            self.interrupts.until_input(|stop| engine.ponder(stop));
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
