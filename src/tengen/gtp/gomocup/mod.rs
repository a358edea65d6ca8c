//! The Gomocup protocol, with which managers of Gomoku tournaments and board programs such as
//! Piskvork control engines, called brains (docs/programs-and-servers.md#gomocup).
//!
//! The manager sends lines; most are answered by one line: a point `X,Y`, `OK`, `ERROR` or
//! `UNKNOWN` and a reason. `INFO` and `END` are never answered, and `MESSAGE` lines may come before
//! an answer. A position comes as lines that end with `DONE`. Commands are case-insensitive. Extensions
//! of Yixin's protocol are understood as far as they fit.

mod info;
mod play;
mod text;

use std::sync::Arc;

pub use self::info::Allowance;
use self::info::Info;
use self::text::{Listing, Purpose, point_of, write_point};
pub use self::text::{read_point as read_xy, write_point as write_xy};
use super::line::{CommandLine, LONGEST, command_line, too_long};
use super::{Input, Interrupts, Protocol, short};
use crate::clock::{Clock, TimeControl};
use crate::engine::{Engine, ThinkingLimits};
use crate::game::BoardSize;
use crate::games::UnknownGame;

/// Creates the engine for a board within resource limits.
pub type MakeBrain =
    Box<dyn Fn(BoardSize, Allowance) -> Result<Box<dyn Engine>, UnknownGame> + Send>;

/// Options of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GomocupOptions {
    /// The program's name, for `ABOUT`.
    pub name: String,
    /// Whether to think during the opponent's time.
    pub ponder: bool,
    /// Whether to report each search in a `MESSAGE`.
    pub messages: bool,
    /// Selects the first opening that is proposed; later games take others.
    pub opening_seed: u64,
}

/// A session with a manager.
pub struct GomocupSession {
    make: MakeBrain,
    options: GomocupOptions,
    interrupts: Arc<Interrupts>,
    engine: Option<Box<dyn Engine>>,
    /// Resource limits with which the engine was created.
    allowance: Allowance,
    /// Default limits per move.
    usual: ThinkingLimits,
    info: Info,
    /// The match's clock as set in the engine.
    control: Option<TimeControl>,
    /// An unfinished list.
    listing: Option<Listing>,
    /// The last command was unknown or refused: a list that belongs to it may follow.
    skips_list: bool,
    /// Why the game so far cannot be under the wanted rules.
    misfit: Option<String>,
    /// Number of boards so far.
    games: u64,
}

/// Error message for the manager's log.
type Answer = Result<(), String>;

/// Known commands, and `DONE`, which ends a list.
#[rustfmt::skip]
const COMMANDS: [&str; 19] = [
    "START", "RECTSTART", "RESTART", "BEGIN", "TURN", "BOARD", "YXBOARD", "SWAP2BOARD", "TAKEBACK",
    "PLAY", "INFO", "ABOUT", "SUGGEST", "END", "DONE", "YXSTOP", "YXHASHCLEAR", "YXSHOWFORBID",
    "YXNBEST",
];

/// Commands after which the manager does not listen.
const QUIET: [&str; 4] = ["INFO", "END", "ABOUT", "YXSTOP"];

/// Commands that begin a game, in which the wanted rules are tried anew.
const BEGINNING: [&str; 3] = ["START", "RECTSTART", "RESTART"];

impl GomocupSession {
    /// A new session by this clock.
    pub fn new(make: MakeBrain, options: GomocupOptions, time: Arc<dyn Clock>) -> GomocupSession {
        GomocupSession {
            make,
            options,
            interrupts: Arc::new(Interrupts::new(time)),
            engine: None,
            allowance: Allowance::default(),
            usual: ThinkingLimits::default(),
            info: Info::default(),
            control: None,
            listing: None,
            skips_list: false,
            misfit: None,
            games: 0,
        }
    }

    fn engine(&mut self) -> Result<&mut dyn Engine, String> {
        match &mut self.engine {
            Some(engine) => Ok(&mut **engine),
            None => Err("there is no board yet: START or RECTSTART comes first".to_owned()),
        }
    }

    fn say(&self, send: &mut dyn FnMut(&str), line: &str) {
        log::info!("> {line}");
        send(&format!("{line}\n"));
    }

    fn begin_list(&mut self, purpose: Purpose, text: &str, send: &mut dyn FnMut(&str)) -> Answer {
        let size = self.engine()?.size();
        self.go_on_with(Listing::new(purpose, size), text, send)
    }

    /// Takes a line of a list, which may end it.
    fn go_on_with(
        &mut self,
        mut listing: Listing,
        text: &str,
        send: &mut dyn FnMut(&str),
    ) -> Answer {
        if listing.takes(text) {
            return self.finish(listing, send);
        }
        self.listing = Some(listing);
        Ok(())
    }

    fn obey(&mut self, name: &str, text: &str, send: &mut dyn FnMut(&str)) -> Answer {
        match name {
            "INFO" => self.take_info(text),
            "ABOUT" => {
                let name = self.options.name.replace('"', "'");
                let version = env!("CARGO_PKG_VERSION");
                let author = "The Tengen authors";
                let about = format!("name=\"{name}\", version=\"{version}\", author=\"{author}\"");
                self.say(send, &about);
            }
            "START" | "RECTSTART" => {
                self.start(board_size(name, text)?)?;
                self.say(send, "OK");
            }
            "RESTART" => {
                let size = self.engine()?.size();
                self.start(size)?;
                self.say(send, "OK");
            }
            "BEGIN" => {
                if is_empty(self.engine()?) {
                    return self.reply(send);
                }
                return Err("BEGIN is for an empty board: RESTART clears it".to_owned());
            }
            "TURN" => {
                self.take(text)?;
                self.reply(send)?;
            }
            "PLAY" => {
                self.take(text)?;
                let size = self.engine()?.size();
                self.say(send, &write_point(point_of(text, size)?, size));
            }
            "TAKEBACK" => {
                self.take_back(text)?;
                self.say(send, "OK");
            }
            "BOARD" => self.begin_list(Purpose::Board, text, send)?,
            "YXBOARD" => self.begin_list(Purpose::Position, text, send)?,
            "SWAP2BOARD" => self.begin_list(Purpose::Swap, text, send)?,
            "DONE" => return Err("DONE ends a list, and none has begun".to_owned()),
            // They have already ended a search, or the session.
            "YXSTOP" | "END" => {}
            "YXHASHCLEAR" => self.engine()?.forget(),
            "YXSHOWFORBID" => {
                let forbidden = self.forbidden()?;
                self.say(send, &forbidden);
            }
            "YXNBEST" => self.reply(send)?,
            _ => {
                self.skips_list = true;
                let text = format!("UNKNOWN {:?} is not a command of this program", short(name));
                self.say(send, &text);
            }
        }
        Ok(())
    }

    fn answer_line(&mut self, name: &str, text: &str, send: &mut dyn FnMut(&str)) -> Answer {
        // The manager does not listen for an answer to these, and a list goes on after them.
        let is_unanswered = ["INFO", "YXSTOP", "END"].contains(&name);
        if let Some(listing) = self.listing.take_if(|_| !is_unanswered) {
            if name == "DONE" || !COMMANDS.contains(&name) {
                return self.go_on_with(listing, &format!("{name} {text}"), send);
            }
            let text = format!("ERROR a list was not ended by DONE before {name}");
            self.say(send, &text);
        }
        let is_of_list = name == "DONE" || name.starts_with(|first: char| first.is_ascii_digit());
        if self.skips_list && is_of_list {
            return Ok(());
        }
        self.skips_list &= is_unanswered;
        let has_two_sides = || text::numbers(text).is_some_and(|numbers| numbers.len() == 2);
        if name.starts_with("YX") || name == "START" && has_two_sides() {
            self.update_info(Info::hear_yixin);
        }
        // The manager does not read while it sends INFO.
        let is_told = !QUIET.contains(&name);
        let begins = BEGINNING.contains(&name);
        let misfit = self.misfit.take_if(|_| is_told).filter(|_| !begins);
        let answer = match self.info.trouble.take_if(|_| is_told).or(misfit) {
            Some(trouble) => Err(trouble),
            None => self.obey(name, text, send),
        };
        self.skips_list |= answer.is_err() && name.ends_with("BOARD");
        answer
    }
}

/// Whether the board has no stones, played or set up.
fn is_empty(engine: &dyn Engine) -> bool {
    let record = engine.record();
    record.plays.is_empty() && record.setup.is_empty()
}

/// The board size of `START` or `RECTSTART`; in Yixin's protocol `START` takes two sides, too.
fn board_size(name: &str, text: &str) -> Result<BoardSize, String> {
    let numbers = text::numbers(text);
    let side = |number: i64| u8::try_from(number).map_err(|_| format!("no board is {number} wide"));
    match (name, numbers.as_deref()) {
        ("START", Some(&[length])) => Ok(BoardSize::square(side(length)?)),
        ("START" | "RECTSTART", Some(&[width, height])) => {
            Ok(BoardSize::new(side(width)?, side(height)?))
        }
        ("START", _) => Err("START takes the length of a side: START 15".to_owned()),
        _ => Err("RECTSTART takes width and height: RECTSTART 20,15".to_owned()),
    }
}

impl Protocol for GomocupSession {
    type Command = CommandLine;

    const LINE_ENDS: &'static [u8] = b"\n\r";

    fn parse(line: &[u8]) -> Input<CommandLine> {
        let mut line = command_line(line);
        if let Input::Command(line) = &mut line {
            line.name.make_ascii_uppercase();
        }
        line
    }

    /// Piskvork has no other word for a move at once than a turn without time.
    fn cuts(line: &CommandLine) -> bool {
        line.name == "YXSTOP" || line.name == "INFO" && info::demands_move(&line.text)
    }

    fn ends(line: &CommandLine) -> bool {
        line.name == "END"
    }

    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, line: &CommandLine, send: &mut dyn FnMut(&str)) {
        let CommandLine { name, text } = line;
        log::info!("< {name} {text}");
        if let Err(wrong) = self.answer_line(name, text, send) {
            self.say(send, &format!("ERROR {wrong}"));
        }
    }

    fn refuse(&mut self, _: &[u8], send: &mut dyn FnMut(&str)) {
        self.say(send, &format!("ERROR {}", too_long(LONGEST)));
    }

    fn idle(&mut self) {
        let ponder = self.info.pondering.unwrap_or(self.options.ponder);
        if let Some(engine) = self.engine.as_deref_mut().filter(|_| ponder) {
            self.interrupts.ponder(engine);
        }
    }
}

#[cfg(test)]
mod tests;
