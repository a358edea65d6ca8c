//! The protocol of the SAU game platform, used by the China Computer Game Championship for NoGo.
//!
//! The platform sends lines to a program that it starts without arguments: `name?`, `new black`,
//! `new white`, `move XY`, `error`, `end`, `quit`; the program sends `name TEXT` and `move XY`. A
//! vertex is two capitals, the column from the left and the row from the *top*, both from A
//! including I (docs/methods.md#protocols). The standard error stream is the same pipe: messages
//! there must not contain a word that the platform takes for a command ([`text::harmless`]).
//!
//! An operator at a terminal may also use the commands of [`text::HELP`], and gets an answer to
//! every invalid line.

mod games;
mod records;
mod text;

use std::path::PathBuf;
use std::sync::Arc;

use super::line::{CommandLine, LONGEST, command_line, too_long};
use super::{Input, Interrupts, Protocol, parse_color, short};
use crate::clock::Clock;
use crate::engine::{Decision, Engine, EngineError, MoveRequest};
use crate::game::{Color, Move};
use crate::record::ccgc::CcgcStyle;
use crate::record::{GameRecord, Play, Vertex};
use crate::search::AnalysisOptions;
use records::{GameFiles, RecordWriter};
pub use text::harmless;
use text::{read_vertex, write_both, write_vertex};

/// Options of a program on the platform, and the place of its records.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SauOptions {
    /// The program's name, which is also its team's in records.
    pub name: String,
    /// The other team's name in records; empty when unknown.
    pub opponent: String,
    /// Whether to think during the opponent's time.
    pub ponder: bool,
    /// The folders for records, of which the first writable one is used; no records without one.
    pub records: Vec<PathBuf>,
    /// Style of the records.
    pub style: CcgcStyle,
    /// Whether an operator reads along, who is told more than errors.
    pub attended: bool,
}

/// External resources of a session.
pub struct SauResources {
    /// The engine's clock.
    pub time: Arc<dyn Clock>,
    /// The current time in the format of records.
    pub date: Box<dyn Fn() -> String + Send>,
    /// Shows a line to the operator, outside the protocol.
    pub tell: Box<dyn FnMut(&str) + Send>,
}

/// A session with the platform.
pub struct SauSession {
    engine: Box<dyn Engine>,
    options: SauOptions,
    links: SauResources,
    record_writer: RecordWriter,
    interrupts: Arc<Interrupts>,
    game: Option<Match>,
    /// The last finished game, whose result may be corrected.
    ended: Option<(Match, GameRecord)>,
}

/// A game on the platform.
struct Match {
    ours: Color,
    /// Our moves that the platform has refused, since the last accepted one.
    refused: Vec<Move>,
    winner: Option<Color>,
    files: GameFiles,
}

/// An error message for the operator.
type Answer = Result<(), String>;

impl SauSession {
    /// A new session. `engine` has its clocks set.
    pub fn new(engine: Box<dyn Engine>, options: SauOptions, links: SauResources) -> SauSession {
        SauSession {
            record_writer: RecordWriter::new(options.records.clone(), options.style.clone()),
            interrupts: Arc::new(Interrupts::new(Arc::clone(&links.time))),
            engine,
            options,
            links,
            game: None,
            ended: None,
        }
    }

    /// Tells the operator what must be known.
    fn tell(&mut self, text: &str) {
        let text = harmless(text);
        log::info!("told: {text}");
        (self.links.tell)(&text);
    }

    /// Notes in the log, and tells an operator who reads along.
    fn note(&mut self, text: &str) {
        match self.options.attended {
            true => self.tell(text),
            false => log::info!("{text}"),
        }
    }

    /// Makes the engine's game one on the platform.
    fn enter(&mut self, ours: Color) {
        self.ended = None;
        self.game = Some(Match {
            ours,
            refused: Vec::new(),
            winner: None,
            files: GameFiles::new((self.links.date)()),
        });
        // Problems of their folder are reported before the first move.
        self.save();
    }

    /// Plays the opponent's move; true if a reply is due.
    fn take(&mut self, text: Option<&str>) -> Result<bool, String> {
        let Some(game) = &mut self.game else {
            return Err(NO_GAME.to_owned());
        };
        let (text, size) = (text.unwrap_or_default(), self.engine.size());
        let theirs = game.ours.opponent();
        let Some(point) = read_vertex(text, size) else {
            let text = short(text);
            return Err(format!(
                "{text:?} is no point of this board: type two letters such as EE, or E5"
            ));
        };
        let both = write_both(point, size);
        if self.engine.to_move() != theirs {
            return Err(format!(
                "it is the turn of {}, which is Tengen: `go` has it play, `undo` takes stones back",
                game.ours
            ));
        }
        if self.engine.stone(point).is_some() {
            return Err(format!("{both} is occupied: nothing was played"));
        }
        game.refused.clear();
        // A result by an illegal point is undone by a legal one in its place.
        game.winner = None;
        let play = Play {
            color: theirs,
            vertex: Vertex::Point(point),
        };
        let taken = self.engine.play(play);
        if matches!(taken, Err(EngineError::IllegalMove(_))) {
            // A capture or suicide: the rules award us the game, and the platform will announce it.
            game.winner = Some(game.ours);
        }
        // It may be the last move that we receive.
        self.save();
        if taken.is_err() {
            self.note(&format!(
                "{both} is illegal for {theirs}, who has lost by it: `end` closes the game; to \
                 correct a wrong entry, enter the right point"
            ));
        }
        Ok(taken.is_ok())
    }

    /// Searches, plays and sends the move, unless the game was ended meanwhile.
    fn reply(&mut self, send: &mut dyn FnMut(&str)) {
        let Some(game) = &self.game else { return };
        if self.engine.to_move() != game.ours || self.interrupts.is_interrupted() {
            return;
        }
        let analysis = AnalysisOptions {
            avoid: game.refused.clone(),
            ..AnalysisOptions::default()
        };
        let (engine, ours) = (&mut self.engine, game.ours);
        let decision = self.interrupts.for_move(|stop, waited| {
            let request = MoveRequest::new(ours, stop).with(analysis).after(waited);
            engine.genmove(&request, &mut |_| {})
        });
        let Decision::Play(Vertex::Point(point)) = decision else {
            self.note(&format!("{ours} has no legal point left and has lost"));
            return;
        };
        if self.interrupts.is_interrupted() {
            // It was just played.
            let _ = self.engine.undo();
            return;
        }
        let size = self.engine.size();
        say(send, &format!("move {}\n", write_vertex(point, size)));
        self.save();
        let left = self.engine.clock_state(ours).clock.left();
        let won = match self.engine.outcome() {
            Some(_) => format!("; {} has no legal point left and has lost", ours.opponent()),
            None => String::new(),
        };
        self.note(&format!("{}, clock {left}{won}", write_both(point, size)));
    }

    /// The platform refused our last move: play another one.
    fn replace(&mut self, send: &mut dyn FnMut(&str)) -> Answer {
        let Some(game) = &mut self.game else {
            return Err(NO_GAME.to_owned());
        };
        let last = self.engine.record().plays.last().map(|last| last.play);
        match last {
            Some(play) if play.color == game.ours && self.engine.undo().is_ok() => {
                if let Vertex::Point(point) = play.vertex {
                    game.refused.push(point);
                }
                self.reply(send);
                Ok(())
            }
            _ => Err("the last stone is not one of Tengen's: nothing was changed".to_owned()),
        }
    }

    fn obey(&mut self, line: &CommandLine, send: &mut dyn FnMut(&str)) -> Answer {
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let first = words.first().copied();
        match line.name.as_str() {
            "name?" => say(send, &format!("name {}\n", self.options.name)),
            "new" => {
                let ours = first.and_then(|text| parse_color(text).ok());
                let ours = ours.ok_or("`new` takes black or white: the colour of Tengen")?;
                self.end(None)?;
                self.engine.clear();
                self.enter(ours);
                self.reply(send);
            }
            "load" => self.load(&words)?,
            "move" => {
                if self.take(first)? {
                    self.reply(send);
                }
            }
            "error" => self.replace(send)?,
            "end" => self.end(first)?,
            "undo" => self.undo(first)?,
            "go" => match &self.game {
                Some(game) if game.ours == self.engine.to_move() => self.reply(send),
                Some(_) => return Err("it is the other side's turn".to_owned()),
                None => return Err(NO_GAME.to_owned()),
            },
            "clock" => self.set_clocks(&words)?,
            "board" => send(&text::board(&*self.engine)),
            "help" => send(text::HELP),
            "quit" => self.end(None)?,
            other => {
                let other = short(other);
                return Err(format!(
                    "{other:?} is not a known command: `help` lists all"
                ));
            }
        }
        Ok(())
    }
}

/// Advice when there is no game.
const NO_GAME: &str = "no game is on: `new black` or `new white` begins one, Tengen's colour";

/// Sends a line to the platform.
fn say(send: &mut dyn FnMut(&str), line: &str) {
    log::info!("> {}", line.trim_end());
    send(line);
}

impl Protocol for SauSession {
    type Command = CommandLine;

    fn parse(line: &[u8]) -> Input<CommandLine> {
        command_line(line)
    }

    fn cuts(line: &CommandLine) -> bool {
        let ours = line.text.split_whitespace().next();
        match line.name.as_str() {
            "end" | "quit" => true,
            // A line that is refused must not cost the move.
            "new" => ours.is_some_and(|text| parse_color(text).is_ok()),
            _ => false,
        }
    }

    fn ends(line: &CommandLine) -> bool {
        line.name == "quit"
    }

    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, line: &CommandLine, send: &mut dyn FnMut(&str)) {
        log::info!("< {} {}", line.name, line.text);
        if let Err(wrong) = self.obey(line, send) {
            self.tell(&wrong);
        }
    }

    fn refuse(&mut self, _: &[u8], _: &mut dyn FnMut(&str)) {
        self.tell(&too_long(LONGEST));
    }

    fn idle(&mut self) {
        if self.options.ponder && self.game.is_some() {
            self.interrupts.ponder(&mut *self.engine);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::clock::FakeClock;
    use crate::engine::EngineOptions;
    use crate::game::BoardSize;
    use crate::registry;

    /// The platform's clock runs since it sent the line, also while pondering ends and records are written.
    #[test]
    fn time_in_the_queue_is_thinking_time() {
        let clock = FakeClock::new();
        let time: Arc<dyn Clock> = Arc::new(clock.clone());
        let mut options = EngineOptions::of("nogo").expect("it is on the list");
        options.set("visits", "20").expect("a number");
        let engine = registry::create(&options, BoardSize::square(9), &time).expect("a size");
        let options = SauOptions {
            name: "Tengen".to_owned(),
            opponent: String::new(),
            ponder: false,
            records: Vec::new(),
            style: CcgcStyle::default(),
            attended: false,
        };
        let links = SauResources {
            time,
            date: Box::new(String::new),
            tell: Box::new(|_| {}),
        };
        let mut session = SauSession::new(engine, options, links);
        let arrived = session.interrupts.arrive(1);
        clock.advance(Duration::from_millis(700));
        session.interrupts.handle(1, 1, arrived);
        session.interrupts.begin_command();
        let Input::Command(line) = SauSession::parse(b"new black") else {
            panic!("a command");
        };
        session.answer(&line, &mut |_| {});
        let times = session.engine.move_times();
        let used = times.last().expect("a move").used.elapsed;
        assert_eq!(used, Duration::from_millis(700));
    }
}
