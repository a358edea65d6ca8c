//! The protocol of the SAU game platform, on which the China Computer Game Championship runs NoGo.
//!
//! The platform sends lines to a program that it starts without arguments: `name?`, `new black`,
//! `new white`, `move XY`, `error`, `end`, `quit`; the program says `name TEXT` and `move XY`. A
//! vertex is two capitals, the column from the left and the row from the *top*, both from A with I
//! among them (docs/methods.md#protocols). The standard error stream is the same pipe: what is told
//! to people there must hold no word that the platform takes for a command
//! ([`text::harmless`]).
//!
//! An operator at a terminal may also type what [`text::HELP`] lists, and gets an answer to
//! every line that is not understood.

mod ending;
mod operator;
mod records;
mod text;
mod vertex;

use std::path::PathBuf;
use std::sync::Arc;

use self::records::{GameFiles, RecordWriter};
pub use self::text::harmless;
use self::vertex::{read_vertex, write_both, write_vertex};
use super::commands::color;
use super::{Interrupts, Protocol, Request};
use crate::engine::{Decision, Engine, EngineError};
use crate::game::{Color, Move};
use crate::record::ccgc::NgStyle;
use crate::record::{GameRecord, Play, Vertex};
use crate::search::AnalysisOptions;

/// How a program appears on the platform, and where its records go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SauOptions {
    /// The program's name, which is also its team's in records.
    pub name: String,
    /// The other team's name in records; empty when unknown.
    pub opponent: String,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// The folders of records, of which the first that can be written is used; none are kept when
    /// there is none.
    pub records: Vec<PathBuf>,
    /// How records look.
    pub style: NgStyle,
    /// A person reads along, and is told more than what has gone wrong.
    pub attended: bool,
}

/// What a conversation has from outside.
pub struct SauResources {
    /// What time it is, as records write it.
    pub date: Box<dyn Fn() -> String + Send>,
    /// Shows a line to people, beside the conversation.
    pub tell: Box<dyn FnMut(&str) + Send>,
}

/// A conversation with the platform.
pub struct SauSession {
    engine: Box<dyn Engine>,
    options: SauOptions,
    links: SauResources,
    record_writer: RecordWriter,
    interrupts: Arc<Interrupts>,
    game: Option<Match>,
    /// The last game that has ended, whose result may be corrected.
    ended: Option<(Match, GameRecord)>,
    over: bool,
}

/// A game on the platform.
struct Match {
    ours: Color,
    /// Moves of ours that the platform did not take, since the last one that it took.
    refused: Vec<Move>,
    winner: Option<Color>,
    files: GameFiles,
}

/// What is wrong with a line, in words for whoever typed it.
type Answer = Result<(), String>;

impl SauSession {
    /// A conversation that has not begun. `engine` has its clocks set.
    #[must_use]
    pub fn new(engine: Box<dyn Engine>, options: SauOptions, links: SauResources) -> SauSession {
        SauSession {
            record_writer: RecordWriter::new(options.records.clone(), options.style.clone()),
            engine,
            options,
            links,
            interrupts: Arc::new(Interrupts::new()),
            game: None,
            ended: None,
            over: false,
        }
    }

    /// Tells people what they have to know.
    fn tell(&mut self, text: &str) {
        let text = harmless(text);
        log::info!("told: {text}");
        (self.links.tell)(&text);
    }

    /// Tells whoever reads along.
    fn note(&mut self, text: &str) {
        if self.options.attended {
            self.tell(text);
        }
    }

    fn begin(&mut self, ours: Color) {
        self.engine.clear();
        self.ended = None;
        self.game = Some(Match {
            ours,
            refused: Vec::new(),
            winner: None,
            files: self.record_writer.begin((self.links.date)()),
        });
        // What is wrong with their folder is known before the first move.
        self.save();
    }

    /// Plays the opponent's move; true when there is something to answer.
    fn take(&mut self, text: Option<&String>) -> Result<bool, String> {
        let Some(game) = &mut self.game else {
            return Err(NO_GAME.to_owned());
        };
        let (text, size) = (text.map_or("", String::as_str), self.engine.size());
        let theirs = game.ours.opponent();
        let Some(point) = read_vertex(text, size) else {
            return Err(format!(
                "{:?} is no point of this board: type two letters such as EE, or E5",
                short(text)
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
        // What an illegal point decided is undone by a legal one in its place.
        game.winner = None;
        let play = Play {
            color: theirs,
            vertex: Vertex::Point(point),
        };
        let taken = self.engine.play(play);
        if matches!(taken, Err(EngineError::IllegalMove(_))) {
            // A capture or suicide: the rules give us the game, and the platform will say so.
            game.winner = Some(game.ours);
        }
        // It may be the last move that we hear of.
        self.save();
        if taken.is_err() {
            self.note(&format!(
                "{both} is illegal for {theirs}, who has lost by it: `end` closes the game, and a \
                 point entered wrongly is simply entered again"
            ));
        }
        Ok(taken.is_ok())
    }

    /// Thinks, plays and tells the move, unless the game was ended meanwhile.
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
        let decision = self
            .interrupts
            .search(|stop| engine.watch_genmove(ours, stop, &analysis, &mut |_| {}));
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

    /// The platform did not take our last move: play another one.
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

    fn obey(&mut self, request: &Request, send: &mut dyn FnMut(&str)) -> Answer {
        let words = &request.arguments;
        match request.name.as_str() {
            "name?" => say(send, &format!("name {}\n", self.options.name)),
            "new" => {
                let ours = words.first().and_then(|text| color(text).ok());
                let ours = ours.ok_or("`new` takes black or white: the colour of Tengen")?;
                self.end(None)?;
                self.begin(ours);
                self.reply(send);
            }
            "move" => {
                if self.take(words.first())? {
                    self.reply(send);
                }
            }
            "error" => self.replace(send)?,
            "end" => self.end(words.first())?,
            "undo" => self.undo(words.first())?,
            "go" => match &self.game {
                Some(game) if game.ours == self.engine.to_move() => self.reply(send),
                Some(_) => return Err("it is the other side's turn".to_owned()),
                None => return Err(NO_GAME.to_owned()),
            },
            "clock" => self.set_clocks(words)?,
            "board" => send(&text::board(&*self.engine)),
            "help" => send(text::HELP),
            "quit" => {
                self.end(None)?;
                self.over = true;
            }
            other => {
                return Err(format!(
                    "{:?} is not understood: `help` lists what is",
                    short(other)
                ));
            }
        }
        Ok(())
    }
}

/// What to do where there is no game.
const NO_GAME: &str = "no game is on: `new black` or `new white` begins one, Tengen's colour";

/// Says something to the platform.
fn say(send: &mut dyn FnMut(&str), line: &str) {
    log::info!("> {}", line.trim_end());
    send(line);
}

/// As much of what was typed as is repeated.
fn short(text: &str) -> String {
    text.chars().take(40).collect()
}

impl Protocol for SauSession {
    const CUTS: &'static [&'static str] = &["end", "new", "quit"];

    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, request: &Request, send: &mut dyn FnMut(&str)) {
        log::info!("< {} {}", request.name, request.arguments.join(" "));
        if let Err(wrong) = self.obey(request, send) {
            self.tell(&wrong);
        }
    }

    fn idle(&mut self) {
        if self.options.ponder && self.game.is_some() {
            let engine = &mut self.engine;
            self.interrupts.until_input(|stop| engine.ponder(stop));
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}
