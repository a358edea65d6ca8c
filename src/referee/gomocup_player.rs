//! The player that is an engine speaking the Gomocup protocol (docs/gomoku.md#gomocup).
//!
//! Moves of the other side are told when the engine is asked for its own: by `TURN` where it knows
//! all before, else the whole position by `BOARD`.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::error_stream::{ErrorStream, NewLines};
use super::gtp_client::{Fault, ended};
use super::player::{
    Contestant, EngineSpec, GameSetup, PlayerMove, Reply, RunningEngine, StartError,
};
use super::process::{EngineProcess, NoOutput, Output};
use super::referee_clock::AnnouncedTime;
use super::time_control::MatchTimeControl;
use crate::clock::Clock;
use crate::game::{BoardSize, Color, Move};
use crate::gtp::{GOMOCUP_RULES, read_xy, write_xy};

/// What `time_left` says where the match has no limit.
const NO_LIMIT: u64 = 2_147_483_647;

/// Not before this time after a move a program is told anything: Rapfi, for one, still counts as thinking
/// while it writes its move, and drops the first word of what comes then.
const REST: Duration = Duration::from_millis(20);

/// Lines of talk before an answer, at most.
const MOST_TALK: usize = 10_000;

/// An engine in its own process. Dropping it kills the process.
pub(super) struct GomocupPlayer {
    process: EngineProcess,
    errors: ErrorStream,
    clock: Arc<dyn Clock>,
    /// How long it may take for anything but a move.
    limit: Duration,
    size: BoardSize,
    /// The game's.
    time: MatchTimeControl,
    /// The game's moves, and how many of them the engine knows.
    moves: Vec<Move>,
    known: usize,
    /// When its last move came.
    moved_at: Option<Duration>,
    /// Its last `MESSAGE`.
    message: Option<String>,
}

/// One answer and when it came.
struct Heard {
    text: String,
    at: Duration,
}

impl GomocupPlayer {
    /// Starts the engine and asks what it is. Its stderr is appended to a file; `limit` is how long it
    /// may take to start, and later for anything but a move.
    ///
    /// # Errors
    /// [`StartError`] when the process does not start or says nothing.
    pub(super) fn start_engine(
        spec: &EngineSpec,
        stderr: &Path,
        limit: Duration,
        clock: Arc<dyn Clock>,
    ) -> Result<GomocupPlayer, StartError> {
        let (process, errors) = spec.launch(stderr, |file| {
            EngineProcess::spawn(&spec.command, file, Arc::clone(&clock))
        })?;
        let mut player = GomocupPlayer {
            process,
            errors,
            clock,
            limit,
            size: BoardSize::square(1),
            time: MatchTimeControl::None,
            moves: Vec::new(),
            known: 0,
            moved_at: None,
            message: None,
        };
        let asked = player
            .send("ABOUT")
            .and_then(|()| player.hear("ABOUT", limit));
        match asked {
            // Old programs do not know the command; that they answer is enough.
            Ok(_) | Err(Fault::Refused { .. }) => Ok(player),
            Err(source) => Err(StartError::Handshake {
                name: spec.name.clone(),
                source,
                last_words: player.errors.listen().last_words,
            }),
        }
    }

    /// Leaves the engine the time it needs to be done with its last move.
    fn rest(&mut self) {
        if let Some(moved_at) = self.moved_at.take() {
            std::thread::sleep((moved_at + REST).saturating_sub(self.clock.now()));
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Fault> {
        let sent = self.process.send(&format!("{line}\r"));
        sent.map_err(|_| ended(&mut self.process, line))
    }

    /// The next line that answers a command: talk is passed over, a message kept.
    fn hear(&mut self, command: &str, limit: Duration) -> Result<Heard, Fault> {
        let command = || command.to_owned();
        let deadline = self.clock.now() + limit;
        for _ in 0..MOST_TALK {
            let wait = deadline.saturating_sub(self.clock.now());
            let (text, at) = match self.process.receive(wait) {
                Ok(Output::Line { text, at }) => (text.trim().to_owned(), at),
                Ok(Output::Unreadable) => break,
                Err(NoOutput::Closed) => return Err(ended(&mut self.process, &command())),
                Err(NoOutput::TimedOut) => {
                    let command = command();
                    return Err(Fault::Hung { command, limit });
                }
            };
            let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
            match word.to_ascii_uppercase().as_str() {
                "" | "DEBUG" => {}
                "MESSAGE" => self.message = Some(rest.to_owned()),
                "ERROR" | "UNKNOWN" => {
                    let (command, message) = (command(), text);
                    return Err(Fault::Refused { command, message });
                }
                _ => return Ok(Heard { text, at }),
            }
        }
        let (command, answer) = (command(), "(talk without end)".to_owned());
        Err(Fault::Malformed { command, answer })
    }

    /// The engine's own time of a turn and of the match.
    fn tell_time(&mut self, left: AnnouncedTime) -> Result<(), Fault> {
        let millis = u64::try_from(left.time.as_millis()).unwrap_or(NO_LIMIT);
        // In overtime a period is for so many moves, or one of so many for one move each, and there is
        // always another one.
        let (turn, of_match) = match (left.stones, self.time) {
            (0, MatchTimeControl::Byoyomi { period, .. }) => {
                let period = u64::try_from(period.as_millis()).unwrap_or(NO_LIMIT);
                (millis.saturating_add(period).min(NO_LIMIT), NO_LIMIT)
            }
            (0, _) => (millis, millis.min(NO_LIMIT)),
            (_, MatchTimeControl::Byoyomi { .. }) => (millis, NO_LIMIT),
            (stones, _) => (millis / u64::from(stones), NO_LIMIT),
        };
        self.send(&format!("INFO timeout_turn {turn}"))?;
        self.send(&format!("INFO time_left {of_match}"))
    }

    /// Asks for a move; gives the command that asks.
    fn ask(&mut self, color: Color) -> Result<String, Fault> {
        let last = self.moves.last().map(|&last| write_xy(last, self.size));
        match (self.moves.len() - self.known, last) {
            (0, None) => {
                self.send("BEGIN")?;
                Ok("BEGIN".to_owned())
            }
            (1, Some(last)) => {
                let command = format!("TURN {last}");
                self.send(&command)?;
                Ok(command)
            }
            _ => {
                self.send("BOARD")?;
                let turns = Color::BOTH.into_iter().cycle();
                let stones = self.moves.clone().into_iter().zip(turns);
                for (point, owner) in stones {
                    let field = if owner == color { 1 } else { 2 };
                    self.send(&format!("{},{field}", write_xy(point, self.size)))?;
                }
                self.send("DONE")?;
                Ok("BOARD".to_owned())
            }
        }
    }
}

/// How long a move and a match may take before any clock is announced.
fn limits(time: MatchTimeControl) -> Vec<String> {
    let millis = |time: Duration| time.as_millis().min(NO_LIMIT.into());
    let (turn, whole) = match time {
        MatchTimeControl::None => return Vec::new(),
        MatchTimeControl::Absolute { main, increment } => {
            let first = main.max(increment);
            // A match of unknown length: what is left is told before each move.
            (
                first,
                if increment.is_zero() {
                    main
                } else {
                    Duration::ZERO
                },
            )
        }
        MatchTimeControl::Byoyomi { main, period, .. } => (main.max(period), Duration::ZERO),
        MatchTimeControl::Canadian {
            main,
            period,
            stones,
        } => (main.max(period / stones), Duration::ZERO),
    };
    vec![
        format!("INFO timeout_turn {}", millis(turn)),
        format!("INFO timeout_match {}", millis(whole)),
    ]
}

impl RunningEngine for GomocupPlayer {
    fn listen(&mut self) -> NewLines {
        self.errors.listen()
    }

    fn quit(mut self: Box<Self>, limit: Duration) {
        if self.process.send("END").is_ok() {
            let deadline = self.clock.now() + limit;
            while self
                .process
                .receive(deadline.saturating_sub(self.clock.now()))
                .is_ok()
            {}
        }
    }
}

impl Contestant for GomocupPlayer {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.rest();
        (self.size, self.time) = (setup.size, setup.time);
        self.moves = setup.opening.to_vec();
        self.known = 0;
        for line in limits(setup.time) {
            self.send(&line)?;
        }
        let rules = setup.rules.as_deref();
        let sum = GOMOCUP_RULES.iter().find(|(_, name)| Some(*name) == rules);
        let sum = sum.map_or(0, |(sum, _)| *sum);
        self.send(&format!("INFO rule {sum}"))?;
        self.send("INFO game_type 2")?;
        let BoardSize { width, height } = setup.size;
        let start = match setup.size.is_square() {
            true => format!("START {width}"),
            false => format!("RECTSTART {width},{height}"),
        };
        self.send(&start)?;
        let heard = self.hear(&start, self.limit)?;
        match heard.text.to_ascii_uppercase().starts_with("OK") {
            true => Ok(()),
            false => Err(Fault::Malformed {
                command: start,
                answer: heard.text,
            }),
        }
    }

    fn play(&mut self, _: Color, mv: Move) -> Result<(), Fault> {
        self.moves.push(mv);
        Ok(())
    }

    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        self.rest();
        if let Some(left) = left {
            self.tell_time(left)?;
        }
        self.message = None;
        let asked = self.clock.now();
        let command = self.ask(color)?;
        let mut heard = self.hear(&command, limit)?;
        if let Some(point) = heard.text.strip_prefix("SUGGEST ") {
            let play = format!("PLAY {}", point.trim());
            self.send(&play)?;
            heard = self.hear(&play, limit.saturating_sub(heard.at.saturating_sub(asked)))?;
        }
        self.moved_at = Some(heard.at);
        let choice = match read_xy(&heard.text, self.size) {
            Some(mv) => {
                self.moves.push(mv);
                self.known = self.moves.len();
                PlayerMove::Move(mv)
            }
            None => PlayerMove::Nonsense(heard.text),
        };
        Ok(Reply {
            choice,
            took: heard.at.saturating_sub(asked),
            report: self.message.take(),
        })
    }
}
