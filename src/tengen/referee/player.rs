//! The interface of players, and the kinds of messages about them.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::MatchError;
use super::gtp_client::Fault;
use super::process::EngineProtocol;
use super::referee_clock::AnnouncedTime;
use super::time_control::MatchTimeControl;
use crate::game::{BoardSize, Color, HalfPoints, Move};
use crate::gtp::parse_vertex;

/// The command sent after each move to an engine that lists it: one line of `name value` words
/// about its last search, such as `visits 800 value 0.12` (the mover's view, -1..=1).
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
    /// Komi, in games that count points.
    pub komi: Option<HalfPoints>,
    /// The rules for the command `kata-set-rules`: KataGo's format if KataGo knows the game, else
    /// the name of rules other than the default.
    pub rules: Option<String>,
    /// The rules for the command `kgs-rules`, if it has a name for them.
    pub kgs_rules: Option<&'static str>,
}

/// A player's answer to a request for a move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The move, pass or resignation.
    pub choice: PlayerMove,
    /// Time from the question, with the state of its clock, to the answer.
    pub took: Duration,
    /// Its report on the search, if any.
    pub report: Option<String>,
}

/// A move or the end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlayerMove {
    /// A point, or a pass (the index after the last point); perhaps illegal.
    Move(Move),
    /// The player gives up.
    Resign,
    /// Text that is not a vertex of this board.
    Nonsense(String),
}

/// The move of a GTP text, in either case; `None` if it is not on this board.
pub(super) fn read_vertex(size: BoardSize, text: &str) -> Option<Move> {
    Some(parse_vertex(text, size).ok()?.index(size))
}

/// A player under a referee.
pub trait EnginePlayer {
    /// Prepares for a new game.
    ///
    /// # Errors
    /// [`Fault`] if the player fails; it has then lost the game.
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault>;

    /// Sends the opponent's move.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault>;

    /// Time that its answers have taken since its last move, or the last call: it may have thought meanwhile.
    fn busy(&mut self) -> Duration {
        Duration::ZERO
    }

    /// Requests a move with the state of its clock; gives up after `limit`.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault>;

    /// Requests a move in the cleanup phase, of a player that must capture dead stones because the
    /// opponent considers them alive; no clock runs.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
        self.choose(color, None, limit)
    }

    /// Undoes the player's last move and passes instead; returns whether that is possible.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn pass_instead(&mut self, color: Color) -> Result<bool, Fault> {
        let _ = color;
        Ok(false)
    }

    /// The stones that the player considers dead in a finished game; `None` if it cannot tell.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
        Ok(None)
    }

    /// The player's result of a finished game; `None` if it cannot tell.
    ///
    /// # Errors
    /// [`Fault`], as above.
    fn final_score(&mut self) -> Result<Option<String>, Fault> {
        Ok(None)
    }
}

/// A player in its own process.
pub(super) trait RunningEngine: EnginePlayer + Send {
    /// Asks what it is and knows, before all else.
    ///
    /// # Errors
    /// [`Fault`] if it does not speak its protocol.
    fn greet(&mut self) -> Result<(), Fault>;

    /// Whether it plays this game on this board.
    ///
    /// # Errors
    /// [`MatchError`] gives the reason, and what to do.
    fn check_game(&mut self, game: &str, size: BoardSize) -> Result<(), MatchError>;

    /// Whether it can report the visits of its searches, as far as is known.
    fn reports_visits(&self) -> bool;

    /// Settings that it refused, or has no command for, since the last call.
    fn refusals(&mut self) -> Vec<(ComplaintKind, String)>;

    /// Ends its thinking about a game that is over.
    ///
    /// # Errors
    /// [`Fault`] if it cannot play another.
    fn end_game(&mut self) -> Result<(), Fault> {
        Ok(())
    }

    /// Asks it to quit, and kills it after `limit`.
    fn quit(self: Box<Self>, limit: Duration);
}

impl From<Fault> for MatchError {
    fn from(fault: Fault) -> MatchError {
        MatchError(fault.to_string())
    }
}

/// Advice if an engine answers in the other protocol.
pub(super) fn other_protocol(asked: EngineProtocol, fault: &Fault) -> &'static str {
    let said = match fault {
        Fault::Malformed { answer, .. } => answer,
        Fault::Hung {
            said: Some(said), ..
        } => said,
        _ => return "",
    };
    let first = said.split_whitespace().next().unwrap_or_default();
    match (asked, first.to_ascii_uppercase().as_str()) {
        (EngineProtocol::Gtp, "UNKNOWN" | "ERROR" | "MESSAGE") => {
            "; if it speaks the protocol of Gomocup, say so by --first-protocol or --second-protocol, in a file by \
             protocol = \"gomocup\""
        }
        (EngineProtocol::Gomocup, word) if word.starts_with(['?', '=']) => {
            "; if it speaks GTP, leave its protocol out"
        }
        _ => "",
    }
}

/// An engine's last output, for error messages.
pub(super) fn and_last_words(words: Option<&String>) -> String {
    words.map_or(String::new(), |words| format!("; its last words: {words}"))
}

/// A message about an engine.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineMessage {
    /// The engine's name.
    pub engine: String,
    /// Kind of the message.
    #[serde(default)]
    pub kind: ComplaintKind,
    /// The message, shortened.
    pub line: String,
}

/// Kind of a message about an engine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComplaintKind {
    /// A complaint on its error stream.
    #[default]
    Stream,
    /// It refused a setting of the match, and may play by other rules than the referee.
    Refusal,
    /// It has no command for the setting; its command line may have set it.
    Untold,
    /// It failed when asked about a finished game: the other engine's answers decide.
    Counting,
}

impl ComplaintKind {
    /// Whether the engine did not play as requested.
    pub fn is_trouble(self) -> bool {
        self != ComplaintKind::Untold
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gtp::format_move;

    /// A program that never ends its answers by an empty line speaks the protocol that it was asked in.
    #[test]
    fn another_protocol_than_the_asked_one_is_advised() {
        let said = |line: &str| Fault::Hung {
            command: "protocol_version".to_owned(),
            limit: Duration::from_secs(2),
            said: Some(line.to_owned()),
        };
        for (asked, line, advice) in [
            (EngineProtocol::Gtp, "=1 2 (no empty line follows)", ""),
            (
                EngineProtocol::Gtp,
                "unknown command",
                "by --first-protocol",
            ),
            (EngineProtocol::Gomocup, "? unknown command", "speaks GTP"),
            (EngineProtocol::Gomocup, "ERROR unsupported size", ""),
        ] {
            let told = other_protocol(asked, &said(line));
            assert!(told.contains(advice), "{line}: {told}");
            assert_eq!(told.is_empty(), advice.is_empty(), "{line}: {told}");
        }
    }

    #[test]
    fn every_move_survives_the_round_trip() {
        let size = BoardSize::new(13, 9);
        for index in 0..=size.area() as u16 {
            let text = format_move(Move(index), size);
            assert_eq!(read_vertex(size, &text), Some(Move(index)), "{text}");
        }
        assert_eq!(read_vertex(size, "I5"), None);
        assert_eq!(read_vertex(BoardSize::square(9), "K1"), None);
    }
}
