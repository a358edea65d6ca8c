//! The Gomocup protocol, which managers of Gomoku tournaments and board programs such as Piskvork
//! speak to programs that they call brains (docs/gomoku.md#gomocup).
//!
//! The manager sends lines; most are answered by one line: a point `X,Y`, `OK`, `ERROR` or `UNKNOWN`
//! and a reason. `INFO` and `END` are never answered, and `MESSAGE` lines may come before an answer. A
//! position comes as a list of lines that `DONE` ends. Names of commands are read in either case.

mod info;
mod opening;
mod play;
mod stones;
mod text;

use std::sync::Arc;

use self::info::Info;
pub use self::info::RULES as GOMOCUP_RULES;
use self::stones::{Listing, Purpose};
use self::text::{point_of, short, write_point};
pub use self::text::{read_point as read_xy, write_point as write_xy};
use super::{Interrupts, Protocol, Request};
use crate::clock::TimeControl;
use crate::engine::{Engine, Spending};
use crate::game::{BoardSize, UnknownGame};

/// Makes the engine for a board, with so much memory in bytes where somebody says how much.
pub type MakeBrain =
    Box<dyn Fn(BoardSize, Option<u64>) -> Result<Box<dyn Engine>, UnknownGame> + Send>;

/// How a conversation is held.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GomocupOptions {
    /// The program's name, as `ABOUT` tells it.
    pub name: String,
    /// Think on the opponent's time.
    pub ponder: bool,
    /// Tell of each search in a `MESSAGE`.
    pub messages: bool,
}

/// A conversation with a manager.
pub struct GomocupSession {
    make: MakeBrain,
    options: GomocupOptions,
    interrupts: Arc<Interrupts>,
    engine: Option<Box<dyn Engine>>,
    /// What a move may cost when the manager says nothing.
    usual: Spending,
    info: Info,
    /// The match's clock as the engine has it.
    control: Option<TimeControl>,
    /// A list that is not at its end.
    listing: Option<Listing>,
    /// Boards begun so far.
    games: usize,
    over: bool,
}

/// What is wrong, in words for the manager's log.
type Answer = Result<(), String>;

/// The commands that are understood, and `DONE`, which ends a list.
const COMMANDS: [&str; 15] = [
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "BOARD",
    "YXBOARD",
    "SWAP2BOARD",
    "TAKEBACK",
    "PLAY",
    "INFO",
    "ABOUT",
    "SUGGEST",
    "END",
    "DONE",
];

impl GomocupSession {
    /// A conversation that has not begun.
    #[must_use]
    pub fn new(make: MakeBrain, options: GomocupOptions) -> GomocupSession {
        GomocupSession {
            make,
            options,
            interrupts: Arc::new(Interrupts::new()),
            engine: None,
            usual: Spending::default(),
            info: Info::default(),
            control: None,
            listing: None,
            games: 0,
            over: false,
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

    fn begin_list(&mut self, purpose: Purpose) -> Answer {
        let size = self.engine()?.size();
        self.listing = Some(Listing::new(purpose, size));
        Ok(())
    }

    fn obey(&mut self, name: &str, text: &str, send: &mut dyn FnMut(&str)) -> Answer {
        match name {
            "INFO" => self.take_info(text),
            "END" => self.over = true,
            "ABOUT" => {
                let (name, version) = (
                    self.options.name.replace('"', "'"),
                    env!("CARGO_PKG_VERSION"),
                );
                self.say(send, &format!("name=\"{name}\", version=\"{version}\""));
            }
            "START" | "RECTSTART" => {
                self.start(board_size(name, text)?)?;
                self.say(send, "OK");
            }
            "RESTART" => {
                self.restart()?;
                self.say(send, "OK");
            }
            "BEGIN" => {
                if self.engine()?.record().plays.is_empty() {
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
            "BOARD" => self.begin_list(Purpose::Board)?,
            "YXBOARD" => self.begin_list(Purpose::Position)?,
            "SWAP2BOARD" => self.begin_list(Purpose::Swap)?,
            "DONE" => return Err("DONE ends a list, and none has begun".to_owned()),
            _ => self.say(
                send,
                &format!("UNKNOWN {:?} is no command for a brain", short(name)),
            ),
        }
        Ok(())
    }

    fn answer_line(&mut self, name: &str, text: &str, send: &mut dyn FnMut(&str)) -> Answer {
        if let Some(mut listing) = self.listing.take() {
            if name == "DONE" {
                return self.finish(listing, send);
            }
            if !COMMANDS.contains(&name) {
                listing.line(&format!("{name} {text}"));
                self.listing = Some(listing);
                return Ok(());
            }
            self.say(
                send,
                &format!("ERROR a list was not ended by DONE before {name}"),
            );
        }
        // The manager does not read while it sends INFO.
        let quiet = ["INFO", "END", "ABOUT"].contains(&name);
        match self.info.trouble.take().filter(|_| !quiet) {
            Some(trouble) => Err(trouble),
            None => self.obey(name, text, send),
        }
    }
}

/// The board that `START` or `RECTSTART` asks for.
fn board_size(name: &str, text: &str) -> Result<BoardSize, String> {
    let numbers = text::numbers(text);
    let side = |number: i64| u8::try_from(number).map_err(|_| format!("no board is {number} wide"));
    match (name, numbers.as_deref()) {
        ("START", Some(&[length])) => Ok(BoardSize::square(side(length)?)),
        ("RECTSTART", Some(&[width, height])) => Ok(BoardSize::new(side(width)?, side(height)?)),
        ("START", _) => Err("START takes the length of a side: START 15".to_owned()),
        _ => Err("RECTSTART takes width and height: RECTSTART 20,15".to_owned()),
    }
}

impl Protocol for GomocupSession {
    const ENDS: &'static [&'static str] = &["END", "end"];

    fn interrupts(&self) -> Arc<Interrupts> {
        Arc::clone(&self.interrupts)
    }

    fn answer(&mut self, request: &Request, send: &mut dyn FnMut(&str)) {
        // A line of numbers alone looks like a command with a number in front.
        let words = [&request.id, &request.name]
            .into_iter()
            .chain(&request.arguments);
        let line: Vec<&str> = words
            .map(String::as_str)
            .filter(|word| !word.is_empty())
            .collect();
        let line = line.join(" ");
        log::info!("< {line}");
        let (name, text) = line.split_once(' ').unwrap_or((&line, ""));
        if let Err(wrong) = self.answer_line(&name.to_ascii_uppercase(), text, send) {
            self.say(send, &format!("ERROR {wrong}"));
        }
    }

    fn idle(&mut self) {
        if let Some(engine) = self.engine.as_deref_mut().filter(|_| self.options.ponder) {
            self.interrupts.until_input(|stop| engine.ponder(stop));
        }
    }

    fn is_over(&self) -> bool {
        self.over
    }
}

#[cfg(test)]
mod tests;
