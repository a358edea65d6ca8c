//! A player that is an engine with the Gomocup protocol (docs/programs-and-servers.md#gomocup).
//!
//! Opponent's moves are sent when the engine is asked for its own: by `TURN` if it knows all
//! earlier ones, else the whole position by `BOARD`.

use std::collections::BTreeMap;
use std::time::Duration;

use super::MatchError;
use super::gtp_client::{Fault, ended, malformed, no_line};
use super::player::{ComplaintKind, EnginePlayer, GameSetup, PlayerMove, Reply, RunningEngine};
use super::process::EngineProcess;
use super::referee_clock::{AnnouncedTime, RefereeClock};
use super::time_control::MatchTimeControl;
use crate::game::{BoardSize, Color, Move};
use crate::games::gomoku::GomokuRules;
use crate::gtp::{read_xy, write_xy};

/// `time_left` of a match without limit.
const NO_LIMIT: u64 = 2_147_483_647;

/// Minimum time between a move and the next command: Rapfi, for one, still counts as thinking while
/// it writes its move, and drops the first word of a command.
const REST: Duration = Duration::from_millis(20);

/// The protocol, in messages.
const GOMOCUP: &str = "Gomocup's protocol";

/// Maximum characters of a line.
const LINE_LEN: usize = 1000;

/// An engine in its own process. Dropping it kills the process.
pub(super) struct GomocupPlayer {
    process: EngineProcess,
    /// Time limit for everything but a move.
    limit: Duration,
    size: BoardSize,
    /// Time control of the game.
    time: MatchTimeControl,
    /// The game's moves, and the number of them that the engine knows.
    moves: Vec<Move>,
    known: usize,
    /// Time of its last move.
    moved_at: Option<Duration>,
    /// Its last `MESSAGE`.
    message: Option<String>,
    /// Number of `INFO` lines to which an answer may still come, although none should.
    told: u32,
    /// Settings of the game that it may refuse, in words, until the first move.
    settings: Option<String>,
    /// Whether it answers `INFO`; known after its first move.
    answers_info: Option<bool>,
    /// Refused settings.
    refusals: Vec<(ComplaintKind, String)>,
    /// What it is told besides clock and rules.
    told_more: BTreeMap<String, i64>,
    /// When it was sent the last line.
    asked: Duration,
}

/// An answer and its time.
struct TimedAnswer {
    text: String,
    at: Duration,
    /// Earlier answer to an `INFO`.
    refused: Option<String>,
}

/// The point of a `SUGGEST`.
fn suggested(text: &str) -> Option<&str> {
    let (word, point) = text.split_once(' ')?;
    word.eq_ignore_ascii_case("SUGGEST").then(|| point.trim())
}

/// A line shortened for storage.
fn shortened(line: &str) -> String {
    line.chars().take(LINE_LEN).collect()
}

impl GomocupPlayer {
    /// The engine in this process; `limit` is the time limit for everything but a move, and `told_more`
    /// what it is told besides clock and rules.
    pub(super) fn new(
        process: EngineProcess,
        limit: Duration,
        told_more: BTreeMap<String, i64>,
    ) -> GomocupPlayer {
        GomocupPlayer {
            process,
            limit,
            size: BoardSize::square(1),
            time: MatchTimeControl::None,
            moves: Vec::new(),
            known: 0,
            moved_at: None,
            message: None,
            told: 0,
            settings: None,
            answers_info: None,
            refusals: Vec::new(),
            told_more,
            asked: Duration::ZERO,
        }
    }

    /// Gives the engine the time it needs after its last move.
    fn rest(&mut self) {
        if let Some(moved_at) = self.moved_at.take() {
            std::thread::sleep((moved_at + REST).saturating_sub(self.process.now()));
        }
    }

    fn send(&mut self, line: &str) -> Result<(), Fault> {
        self.asked = self.process.now();
        let sent = self.process.send(&format!("{line}\r"));
        sent.map_err(|_| ended(&mut self.process, line, None))
    }

    fn info(&mut self, key: &str, value: impl std::fmt::Display) -> Result<(), Fault> {
        self.told += u32::from(self.answers_info != Some(false));
        self.send(&format!("INFO {key} {value}"))
    }

    /// The next line that answers a command, as expected, in this time: talk is skipped, a message stored, as are
    /// answers to `INFO`, which some programs do not understand.
    fn hear(
        &mut self,
        command: &str,
        since: Duration,
        limit: Duration,
        expected: fn(&str) -> bool,
    ) -> Result<TimedAnswer, Fault> {
        let deadline = since.saturating_add(limit);
        let (mut refused, mut other) = (None, None);
        loop {
            let (text, at) = match self.process.receive(deadline) {
                Ok((text, at)) => (text.trim().to_owned(), at),
                Err(why) => {
                    let (process, said) = (&mut self.process, other.or(refused));
                    return Err(no_line(process, why, command, limit, said, GOMOCUP));
                }
            };
            let (word, rest) = text.split_once(' ').unwrap_or((&text, ""));
            match word.to_ascii_uppercase().as_str() {
                "" | "DEBUG" => {}
                "MESSAGE" => self.message = Some(shortened(rest)),
                "ERROR" | "UNKNOWN" if self.told > 0 => {
                    self.told -= 1;
                    refused = Some(shortened(&text));
                }
                "ERROR" | "UNKNOWN" => {
                    let (command, message) = (command.to_owned(), shortened(&text));
                    return Err(Fault::Refused { command, message });
                }
                // A second answer to the command before.
                _ if at < self.asked => {}
                _ if expected(&text) => {
                    self.told = 0;
                    return Ok(TimedAnswer { text, at, refused });
                }
                _ => other = other.or_else(|| Some(shortened(&text))),
            }
        }
    }

    /// The next move or suggestion.
    fn hear_move(
        &mut self,
        command: &str,
        since: Duration,
        limit: Duration,
    ) -> Result<TimedAnswer, Fault> {
        let heard = self.hear(command, since, limit, |text| {
            let digits = text.strip_prefix('-').unwrap_or(text);
            digits.starts_with(|first: char| first.is_ascii_digit()) || suggested(text).is_some()
        })?;
        self.answers_info.get_or_insert(heard.refused.is_some());
        if let (Some(said), Some(settings)) = (&heard.refused, self.settings.take()) {
            let line = format!("an INFO, perhaps that of {settings}: {said}");
            self.refusals.push((ComplaintKind::Refusal, line));
        }
        Ok(heard)
    }

    /// Asks for a move; returns the command used.
    fn ask(&mut self, color: Color) -> Result<String, Fault> {
        let last = self.moves.last().map(|&last| write_xy(last, self.size));
        let command = match (self.moves.len() - self.known, last) {
            (0, None) => "BEGIN".to_owned(),
            (1, Some(last)) => format!("TURN {last}"),
            _ => "BOARD".to_owned(),
        };
        self.send(&command)?;
        if command == "BOARD" {
            let turns = Color::BOTH.into_iter().cycle();
            for (point, owner) in self.moves.clone().into_iter().zip(turns) {
                let field = if owner == color { 1 } else { 2 };
                self.send(&format!("{},{field}", write_xy(point, self.size)))?;
            }
            self.send("DONE")?;
        }
        Ok(command)
    }
}

/// The time of a turn and of the rest of the match, in milliseconds, on a clock that stands so.
fn times(control: MatchTimeControl, left: AnnouncedTime) -> [u64; 2] {
    let whole = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(NO_LIMIT);
    let millis = whole(left.time);
    // In overtime a period is for this many moves, or one of this many for one move each, and
    // there is always another one.
    let [turn, of_match] = match (left.stones, control) {
        (0, MatchTimeControl::Byoyomi(of)) => [millis.saturating_add(whole(of.period)), NO_LIMIT],
        (0, MatchTimeControl::Absolute { most_move, .. }) => {
            [millis.min(most_move.map_or(millis, whole)), millis]
        }
        (0, _) => [millis, millis],
        (_, MatchTimeControl::Byoyomi(_)) => [millis, NO_LIMIT],
        (stones, _) => [millis / u64::from(stones), NO_LIMIT],
    };
    [turn, of_match].map(|time| time.min(NO_LIMIT))
}

/// The time of a turn and of the match before the first move; `None` without a clock.
fn limits(control: MatchTimeControl) -> Option<[u64; 2]> {
    let [turn, of_match] = times(control, RefereeClock::new(control).time_left()?);
    // In a match of unknown length the time left is sent before each move.
    let is_known =
        matches!(control, MatchTimeControl::Absolute { increment, .. } if increment.is_zero());
    Some([turn, if is_known { of_match } else { 0 }])
}

impl RunningEngine for GomocupPlayer {
    fn greet(&mut self) -> Result<(), Fault> {
        self.send("ABOUT")?;
        // Its unasked messages suffice.
        self.asked = Duration::ZERO;
        match self.hear("ABOUT", self.process.now(), self.limit, |_| true) {
            Ok(heard) if heard.text.starts_with(['?', '=']) => {
                Err(malformed("ABOUT", &heard.text, GOMOCUP))
            }
            // Old programs do not know the command; any answer suffices.
            Ok(_) | Err(Fault::Refused { .. }) => Ok(()),
            Err(fault) => Err(fault),
        }
    }

    fn check_game(&mut self, game: &str, _: BoardSize) -> Result<(), MatchError> {
        match game {
            "gomoku" => Ok(()),
            _ => Err(MatchError(format!(
                "speaks the protocol of Gomocup, which has no {game}: leave its protocol out"
            ))),
        }
    }

    /// Only its messages tell.
    fn reports_visits(&self) -> bool {
        true
    }

    fn refusals(&mut self) -> Vec<(ComplaintKind, String)> {
        std::mem::take(&mut self.refusals)
    }

    fn quit(self: Box<Self>, limit: Duration) {
        self.process.end("END", limit);
    }
}

impl EnginePlayer for GomocupPlayer {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.rest();
        (self.size, self.time) = (setup.size, setup.time);
        self.moves = setup.opening.to_vec();
        self.known = 0;
        let BoardSize { width, height } = setup.size;
        let start = match setup.size.is_square() {
            true => format!("START {width}"),
            false => format!("RECTSTART {width},{height}"),
        };
        self.told = 0;
        self.send(&start)?;
        self.hear(&start, self.asked, self.limit, |text| {
            let first = text.split(' ').next().unwrap_or_default();
            first.eq_ignore_ascii_case("OK")
        })?;
        // Like Piskvork: some programs know no INFO before they have a board.
        if let Some([turn, of_match]) = limits(setup.time) {
            self.info("timeout_turn", turn)?;
            self.info("timeout_match", of_match)?;
        }
        let rules = setup.rules.as_deref();
        let named = rules.map(|rules| format!("the rules {rules}"));
        let own = (!self.told_more.is_empty()).then(|| "its own `info`".to_owned());
        let settings: Vec<String> = named.into_iter().chain(own).collect();
        self.settings = (!settings.is_empty()).then(|| settings.join(" or of "));
        let known = rules.and_then(|rules| rules.parse::<GomokuRules>().ok());
        self.info("rule", known.unwrap_or_default().number())?;
        self.info("game_type", 2)?;
        for (key, value) in self.told_more.clone() {
            self.info(&key, value)?;
        }
        Ok(())
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
            let [turn, of_match] = times(self.time, left);
            self.info("timeout_turn", turn)?;
            self.info("time_left", of_match)?;
        }
        self.message = None;
        let asked = self.process.now();
        let command = self.ask(color)?;
        let mut heard = self.hear_move(&command, asked, limit)?;
        if let Some(point) = suggested(&heard.text) {
            let play = format!("PLAY {point}");
            self.send(&play)?;
            heard = self.hear_move(&play, asked, limit)?;
        }
        self.moved_at = Some(heard.at);
        let choice = match read_xy(&heard.text, self.size) {
            Some(mv) => {
                self.moves.push(mv);
                self.known = self.moves.len();
                PlayerMove::Move(mv)
            }
            None => PlayerMove::Nonsense(shortened(&heard.text)),
        };
        Ok(Reply {
            choice,
            took: heard.at.saturating_sub(asked),
            report: self.message.take(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gomocup's own clock, an increment, and time for each move only.
    #[test]
    fn a_game_begins_with_its_limits() {
        for (control, turn, whole) in [
            ("180/30", 30_000, 180_000),
            ("20/30", 20_000, 20_000),
            ("10", 10_000, 10_000),
            ("10/3+1", 3_000, 0),
            ("0/5", 5_000, 0),
        ] {
            let told = limits(control.parse().expect("a time control"));
            assert_eq!(told, Some([turn, whole]), "{control}");
        }
    }
}
