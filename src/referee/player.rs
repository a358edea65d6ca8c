//! What the referee asks of a player, and the player that is a GTP engine.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use thiserror::Error;

use super::error_stream::{ErrorStream, NewLines};
use super::gtp_client::{Fault, GtpClient};
use super::process::SpawnError;
use super::referee_clock::AnnouncedTime;
use super::time_control::{MatchTimeControl, TimeCommands, seconds_text};
use super::vertex;
use crate::clock::Clock;
use crate::game::{BoardSize, Color, HalfPoints, Move};

/// The command asked after each move of an engine that lists it: one line of `name value` words
/// about the search just done, such as `visits 800 value 0.12` (the mover's view, -1..=1).
pub const REPORT_COMMAND: &str = "tengen-report";

/// A game about to start.
#[derive(Debug, Clone)]
pub struct GameSetup<'a> {
    /// The board.
    pub size: BoardSize,
    /// Moves already played, Black first.
    pub opening: &'a [Move],
    /// Both sides' time.
    pub time: MatchTimeControl,
    /// The points that White gets, in games that count points.
    pub komi: Option<HalfPoints>,
    /// The rules as the command `kata-set-rules` takes them: KataGo's where the game is one of its
    /// own, else the name of rules that are not the usual ones.
    pub rules: Option<String>,
}

/// A player's answer to the question for its move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// What it wants.
    pub choice: PlayerMove,
    /// How long it thought.
    pub took: Duration,
    /// What it says of its search, if anything.
    pub report: Option<String>,
}

/// A move or the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerMove {
    /// A point, or a pass (the index after the last point); perhaps illegal.
    Move(Move),
    /// The player gives up.
    Resign,
    /// Text that is no vertex of this board.
    Nonsense(String),
}

/// One who plays games under a referee.
pub trait Contestant {
    /// Prepares for a new game.
    ///
    /// # Errors
    /// [`Fault`] when the player fails; it has then lost the game.
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault>;

    /// Tells of the opponent's move.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault>;

    /// Asks for a move, with what is on its clock; gives up after `limit`.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault>;

    /// Asks for a move of a player who has to take dead stones, because the other one takes them for
    /// alive; no clock runs.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
        self.choose(color, None, limit)
    }

    /// The stones that the player takes for dead in a finished game; `None` where it cannot say.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
        Ok(None)
    }

    /// What the player takes for the result of a finished game; `None` where it cannot say.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn final_score(&mut self) -> Result<Option<String>, Fault> {
        Ok(None)
    }
}

/// How to start an engine.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EngineSpec {
    /// Its name in results and file names.
    pub name: String,
    /// Its command line, split without a shell.
    pub command: String,
    /// What it speaks.
    #[serde(default, skip_serializing_if = "EngineProtocol::is_gtp")]
    pub protocol: EngineProtocol,
}

impl EngineSpec {
    /// An engine that speaks GTP.
    #[must_use]
    pub fn new(name: &str, command: &str) -> EngineSpec {
        EngineSpec {
            name: name.to_owned(),
            command: command.to_owned(),
            protocol: EngineProtocol::Gtp,
        }
    }

    /// Starts its process by `spawn`, whose error stream is appended to a file.
    pub(super) fn launch<T>(
        &self,
        stderr: &Path,
        spawn: impl FnOnce(File) -> Result<T, SpawnError>,
    ) -> Result<(T, ErrorStream), StartError> {
        let opened = ErrorStream::open(stderr);
        let (errors, file) = opened.map_err(|source| StartError::Stderr {
            name: self.name.clone(),
            path: stderr.to_owned(),
            source,
        })?;
        let process = spawn(file).map_err(|source| StartError::Spawn {
            name: self.name.clone(),
            source,
        })?;
        Ok((process, errors))
    }
}

/// What an engine speaks with the referee.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum EngineProtocol {
    /// The Go Text Protocol.
    #[default]
    Gtp,
    /// That of Gomocup's managers.
    Gomocup,
}

impl EngineProtocol {
    #[allow(clippy::trivially_copy_pass_by_ref, reason = "serde calls it so")]
    fn is_gtp(&self) -> bool {
        *self == EngineProtocol::Gtp
    }
}

impl FromStr for EngineProtocol {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "gtp" => Ok(EngineProtocol::Gtp),
            "gomocup" => Ok(EngineProtocol::Gomocup),
            _ => Err("write gtp or gomocup".to_owned()),
        }
    }
}

/// A player that is an engine in a process of its own.
pub(super) trait RunningEngine: Contestant + Send {
    /// What is new on its error stream.
    fn listen(&mut self) -> NewLines;

    /// Ends it politely, killing it after `limit`.
    fn quit(self: Box<Self>, limit: Duration);
}

/// Why an engine cannot take part.
#[derive(Debug, Error)]
pub enum StartError {
    /// Its process cannot be started.
    #[error("{name}: {source}")]
    Spawn {
        /// The engine.
        name: String,
        /// Why.
        source: SpawnError,
    },
    /// Its stderr file cannot be opened.
    #[error("{name}: cannot write {}: {source}", path.display())]
    Stderr {
        /// The engine.
        name: String,
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// It does not speak its protocol.
    #[error("{name} {source}{}", and_last_words(last_words.as_ref()))]
    Handshake {
        /// The engine.
        name: String,
        /// What it did.
        source: Fault,
        /// The last line on its error stream.
        last_words: Option<String>,
    },
}

/// An engine's last words, to be added to what it did.
pub(super) fn and_last_words(words: Option<&String>) -> String {
    words.map_or(String::new(), |words| format!("; its last words: {words}"))
}

/// A GTP engine in its own process.
pub struct GtpPlayer {
    client: GtpClient,
    errors: ErrorStream,
    commands: HashSet<String>,
    /// How long it may take for anything but `genmove`.
    limit: Duration,
    /// Whether it reads fractions of a second.
    fractions: bool,
    size: BoardSize,
    /// The game's.
    time: MatchTimeControl,
}

impl GtpPlayer {
    /// Starts the engine and asks what it knows. Its stderr is appended to a file; `limit` is how
    /// long it may take to start, and later to answer anything but `genmove`.
    ///
    /// # Errors
    /// [`StartError`] when the process does not start or does not answer `list_commands`.
    pub fn start_engine(
        spec: &EngineSpec,
        stderr: &Path,
        limit: Duration,
        clock: Arc<dyn Clock>,
    ) -> Result<GtpPlayer, StartError> {
        let (client, errors) =
            spec.launch(stderr, |file| GtpClient::spawn(&spec.command, file, clock))?;
        let mut player = GtpPlayer {
            client,
            errors,
            commands: HashSet::new(),
            limit,
            fractions: false,
            size: BoardSize::square(1),
            time: MatchTimeControl::None,
        };
        let asked = player.ask_what_it_knows();
        asked.map_err(|source| StartError::Handshake {
            name: spec.name.clone(),
            source,
            last_words: player.errors.listen().last_words,
        })?;
        Ok(player)
    }

    fn ask_what_it_knows(&mut self) -> Result<(), Fault> {
        let commands = self.ask("list_commands")?;
        self.commands = commands.split_whitespace().map(str::to_owned).collect();
        // The standard has whole seconds only, and many engines read no others.
        self.fractions =
            self.accepts("time_settings 1.5 0 0")? && self.accepts("time_left b 1.5 0")?;
        Ok(())
    }

    /// Whether the engine does not refuse a command; one that it does not list counts as refused.
    fn accepts(&mut self, command: &str) -> Result<bool, Fault> {
        let listed = command
            .split(' ')
            .next()
            .is_some_and(|name| self.lists(name));
        match listed.then(|| self.ask(command)) {
            Some(Ok(_)) => Ok(true),
            None | Some(Err(Fault::Refused { .. })) => Ok(false),
            Some(Err(fault)) => Err(fault),
        }
    }

    fn lists(&self, command: &str) -> bool {
        self.commands.contains(command)
    }

    fn ask(&mut self, command: &str) -> Result<String, Fault> {
        self.client
            .command(command, self.limit)
            .map(|answer| answer.text)
    }

    fn time_commands(&self) -> TimeCommands {
        TimeCommands {
            time_settings: self.lists("time_settings"),
            kgs_time_settings: self.lists("kgs-time_settings"),
            kata_time_settings: self.lists("kata-time_settings"),
            time_left: self.lists("time_left"),
            fractions: self.fractions,
        }
    }

    fn play_move(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        let vertex = vertex::to_text(self.size, mv);
        self.ask(&format!("play {color} {vertex}")).map(drop)
    }
}

impl RunningEngine for GtpPlayer {
    fn listen(&mut self) -> NewLines {
        self.errors.listen()
    }

    fn quit(self: Box<Self>, limit: Duration) {
        self.client.quit(limit);
    }
}

impl Contestant for GtpPlayer {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        (self.size, self.time) = (setup.size, setup.time);
        let BoardSize { width, height } = setup.size;
        if setup.size.is_square() {
            self.ask(&format!("boardsize {width}"))?;
        } else {
            self.ask(&format!("rectangular_boardsize {width} {height}"))?;
        }
        self.ask("clear_board")?;
        if let Some(komi) = setup.komi {
            self.accepts(&format!("komi {komi}"))?;
        }
        if let Some(rules) = &setup.rules {
            // An engine that has no such rules plays by its own: the referee has the last word.
            self.accepts(&format!("kata-set-rules {rules}"))?;
        }
        if let Some(command) = setup.time.command(self.time_commands()) {
            self.ask(&command)?;
        }
        for (&mv, color) in setup.opening.iter().zip(Color::BOTH.into_iter().cycle()) {
            self.play_move(color, mv)?;
        }
        Ok(())
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        self.play_move(color, mv)
    }

    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        if let Some(left) = left
            && self.lists("time_left")
        {
            let seconds = seconds_text(left.time, self.fractions);
            let known = self.time_commands();
            let stones = self.time.announced_stones(left.stones, known);
            self.ask(&format!("time_left {color} {seconds} {stones}"))?;
        }
        self.ask_for_move("genmove", color, limit)
    }

    fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
        let known = self.lists("kgs-genmove_cleanup");
        let command = if known {
            "kgs-genmove_cleanup"
        } else {
            "genmove"
        };
        self.ask_for_move(command, color, limit)
    }

    fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
        let text = self.ask_if_known("final_status_list dead")?;
        let stones = |text: String| {
            let vertices = text.split_whitespace();
            vertices
                .map(|vertex| vertex::from_text(self.size, vertex))
                .collect()
        };
        Ok(text.and_then(stones))
    }

    fn final_score(&mut self) -> Result<Option<String>, Fault> {
        let text = self.ask_if_known("final_score")?;
        Ok(text.and_then(|text| Some(text.split_whitespace().next()?.to_owned())))
    }
}

impl GtpPlayer {
    /// The answer to a command that an engine may not list, or refuse.
    fn ask_if_known(&mut self, command: &str) -> Result<Option<String>, Fault> {
        let name = command.split(' ').next().unwrap_or_default();
        if !self.lists(name) {
            return Ok(None);
        }
        match self.ask(command) {
            Ok(text) => Ok(Some(text)),
            Err(Fault::Refused { .. }) => Ok(None),
            Err(fault) => Err(fault),
        }
    }

    fn ask_for_move(
        &mut self,
        command: &str,
        color: Color,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        let answer = self.client.command(&format!("{command} {color}"), limit)?;
        let report = match self.lists(REPORT_COMMAND) {
            true => Some(self.ask(REPORT_COMMAND)?),
            false => None,
        };
        let choice = if answer.text.eq_ignore_ascii_case("resign") {
            PlayerMove::Resign
        } else {
            match vertex::from_text(self.size, &answer.text) {
                Some(mv) => PlayerMove::Move(mv),
                None => PlayerMove::Nonsense(answer.text),
            }
        };
        Ok(Reply {
            choice,
            took: answer.took,
            report,
        })
    }
}
