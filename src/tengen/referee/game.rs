//! One game between two players under the referee's rules: result, reason, and times.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::count::Count;
use super::gtp_client::Fault;
use super::player::{EnginePlayer, GameSetup, PlayerMove};
use super::referee_clock::RefereeClock;
use super::time_control::MatchTimeControl;
use super::vertex;
use crate::game::{Color, Game, Move, Outcome, PositionHistory, Rules as _};

/// Terms of every game of a match.
#[derive(Debug, Clone, Copy)]
pub struct GameTerms {
    /// Both sides' time.
    pub time: MatchTimeControl,
    /// Tolerance for exceeding the clock, for the referee's own lag.
    pub margin: Duration,
    /// Maximum time of a move; an engine that takes longer is killed. With a clock, an engine has
    /// this long beyond its clock before it is killed.
    pub move_limit: Duration,
    /// Number of moves, opening included, after which the game is a draw.
    pub max_moves: u32,
}

/// Why a game ended.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, serde::Serialize, serde::Deserialize,
)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// By the rules of the game.
    Rules,
    /// The loser resigned.
    Resignation,
    /// The loser exceeded its time.
    Time,
    /// The loser played an illegal move.
    IllegalMove,
    /// The loser's answer was not GTP or not a vertex.
    Malformed,
    /// The loser answered with an error.
    Refused,
    /// The loser's process ended or closed its output.
    Crash,
    /// The loser did not answer at all.
    Hang,
    /// No result within the maximum number of moves.
    MaxMoves,
}

impl Reason {
    /// Whether the game was lost by misbehaviour; more than one in a thousand spoils a match
    /// (docs/methods.md#match-statistics).
    #[must_use]
    pub fn is_failure(self) -> bool {
        !matches!(self, Reason::Rules | Reason::Resignation | Reason::MaxMoves)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Rules => "rules",
            Reason::Resignation => "resignation",
            Reason::Time => "time",
            Reason::IllegalMove => "illegal move",
            Reason::Malformed => "malformed answer",
            Reason::Refused => "refused command",
            Reason::Crash => "crash",
            Reason::Hang => "hang",
            Reason::MaxMoves => "too many moves",
        })
    }
}

impl From<&Fault> for Reason {
    fn from(fault: &Fault) -> Reason {
        match fault {
            Fault::Crashed { .. } | Fault::ClosedOutput { .. } => Reason::Crash,
            Fault::Hung { .. } => Reason::Hang,
            Fault::Malformed { .. } => Reason::Malformed,
            Fault::Refused { .. } => Reason::Refused,
        }
    }
}

/// A move of a game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlayedMove {
    /// The side that moved.
    pub color: Color,
    /// The move.
    pub mv: Move,
    /// Thinking time of the move, as measured.
    pub took: Duration,
    /// Time left on its clock afterwards (main time or period), with a clock.
    pub left: Option<Duration>,
    /// The player's report on its search, if any.
    pub report: Option<String>,
}

impl PlayedMove {
    /// Visits in the player's report.
    #[must_use]
    pub fn visits(&self) -> Option<u64> {
        visits(self.report.as_deref()?)
    }

    /// Value in -1..=1 in the player's report, from its own view.
    #[must_use]
    pub fn value(&self) -> Option<f64> {
        reported(self.report.as_deref()?, "value")?.parse().ok()
    }
}

/// The visits in a report.
fn visits(report: &str) -> Option<u64> {
    reported(report, "visits")?.parse().ok()
}

/// The work in a report: its playouts, or its visits if reuse is not reported.
pub(super) fn work(report: &str) -> Option<u64> {
    reported(report, "playouts")
        .and_then(|word| word.parse().ok())
        .or_else(|| visits(report))
}

/// The word after a name.
fn reported<'a>(report: &'a str, name: &str) -> Option<&'a str> {
    let mut words = report.split_whitespace();
    words.find(|&word| word == name)?;
    words.next()
}

/// A finished game.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GameEnd {
    /// The result.
    pub outcome: Outcome,
    /// How the game ended.
    pub reason: Reason,
    /// Details of a failure: the fault, the illegal vertex.
    pub detail: Option<String>,
    /// How it was scored, if that decided.
    pub count: Option<Count>,
    /// The moves after the opening.
    pub moves: Vec<PlayedMove>,
    /// Time left on Black's and White's clock (main time or period), with a clock.
    pub left: Option<[Duration; 2]>,
    /// Whether Black's and White's player can continue; otherwise it must be restarted.
    pub usable: [bool; 2],
}

/// Plays one game from the position after `opening`, whose moves the caller has checked.
///
/// Returns `None` when `stop` was set before the end.
pub fn play_game<'a, G: Game>(
    start: &G,
    opening: &[Move],
    players: [&'a mut dyn EnginePlayer; 2],
    terms: &GameTerms,
    stop: &'a AtomicBool,
) -> Option<GameEnd> {
    let mut game = GameInProgress {
        position: start.clone(),
        past: PositionHistory::of(start),
        players,
        terms: *terms,
        clocks: [RefereeClock::new(terms.time); 2],
        moves: Vec::new(),
        stop,
    };
    if let Some(end) = game.set_up(opening) {
        return Some(end);
    }
    loop {
        if let Some(outcome) = game.position.outcome() {
            return game.counted(outcome);
        }
        if game.position.ply() >= terms.max_moves {
            return Some(game.end(Outcome::DRAW, Reason::MaxMoves, None));
        }
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        if let Some(end) = game.next_move() {
            return Some(end);
        }
    }
}

/// KGS's name of the rules with this name in records.
fn kgs_name(record_name: &str) -> Option<&'static str> {
    match record_name {
        "Japanese" => Some("japanese"),
        "Chinese" | "Chinese-KGS" => Some("chinese"),
        "AGA" => Some("aga"),
        "NZ" => Some("new_zealand"),
        _ => None,
    }
}

/// A game, its players and their clocks.
pub(super) struct GameInProgress<'a, G> {
    pub(super) position: G,
    /// The positions that may not be repeated, where the rules forbid that.
    pub(super) past: PositionHistory,
    pub(super) players: [&'a mut dyn EnginePlayer; 2],
    pub(super) terms: GameTerms,
    clocks: [RefereeClock; 2],
    moves: Vec<PlayedMove>,
    /// Set when the game is no longer needed.
    pub(super) stop: &'a AtomicBool,
}

impl<G: Game> GameInProgress<'_, G> {
    /// Plays the opening and prepares both players; a game that ends here has its result.
    fn set_up(&mut self, opening: &[Move]) -> Option<GameEnd> {
        let rules = self.position.rules();
        let setup = GameSetup {
            size: self.position.size(),
            opening,
            time: self.terms.time,
            komi: rules.komi(),
            rules: rules
                .to_json()
                .or_else(|| (rules != G::Rules::default()).then(|| rules.to_string())),
            kgs_rules: rules.record_name().and_then(|name| kgs_name(&name)),
        };
        for &mv in opening {
            self.position.play(mv);
            self.past.push(&self.position);
        }
        for color in Color::BOTH {
            if let Err(fault) = self.players[color.index()].start(&setup) {
                return Some(self.lost_by_fault(color, &fault));
            }
        }
        None
    }

    /// Plays one move; returns the end of the game if it ends with it.
    fn next_move(&mut self) -> Option<GameEnd> {
        let color = self.position.to_move();
        let clock = self.clocks[color.index()];
        let limit = match self.terms.time {
            MatchTimeControl::None => self.terms.move_limit,
            _ => clock.longest_move().saturating_add(self.terms.move_limit),
        };
        let player = &mut self.players[color.index()];
        let reply = match player.choose(color, clock.time_left(), limit) {
            Ok(reply) => reply,
            Err(fault) => {
                let mut end = self.lost_by_fault(color, &fault);
                // With a clock, an engine that thinks forever has first exceeded its time.
                let clocked = self.terms.time != MatchTimeControl::None;
                // It was asked for a move with that limit.
                if clocked && matches!(&fault, Fault::Hung { limit: had, .. } if *had == limit) {
                    end.reason = Reason::Time;
                }
                return Some(end);
            }
        };
        let spent = self.clocks[color.index()].spend(reply.took, self.terms.margin);
        if spent.is_err() {
            let over = reply
                .took
                .saturating_sub(clock.longest_move())
                .as_secs_f64();
            return Some(self.lost(color, Reason::Time, Some(format!("{over:.3} s over"))));
        }
        let legal = |mv| self.position.is_legal(mv) && self.past.allows(&self.position, mv);
        let mv = match reply.choice {
            PlayerMove::Move(mv) if legal(mv) => mv,
            PlayerMove::Move(mv) => {
                let mut detail = vertex::to_text(self.position.size(), mv);
                if self.position.is_legal(mv) {
                    detail.push_str(" brings an earlier position back (superko)");
                } else if mv == self.position.size().pass() && !G::INFO.passes {
                    let title = G::INFO.title;
                    detail +=
                        &format!(", a move that {title} does not have: does this engine play Go?");
                }
                return Some(self.lost(color, Reason::IllegalMove, Some(detail)));
            }
            PlayerMove::Resign => return Some(self.lost(color, Reason::Resignation, None)),
            PlayerMove::Nonsense(text) => {
                let detail = format!("`{text}` is not a vertex");
                return Some(self.lost(color, Reason::Malformed, Some(detail)));
            }
        };
        self.position.play(mv);
        self.past.push(&self.position);
        self.moves.push(PlayedMove {
            color,
            mv,
            took: reply.took,
            left: self.clocks[color.index()].time_left().map(|left| left.time),
            report: reply.report,
        });
        let outcome = self.position.outcome();
        if outcome.is_some_and(|outcome| outcome.margin.is_none()) {
            // No further question is asked, so the last move need not be sent.
            return None;
        }
        let opponent = color.opponent();
        match self.players[opponent.index()].play(color, mv) {
            Ok(()) => None,
            Err(fault) => Some(self.lost_by_fault(opponent, &fault)),
        }
    }

    fn time_left(&self) -> Option<[Duration; 2]> {
        let [black, white] = self.clocks.map(|clock| clock.time_left());
        Some([black?.time, white?.time])
    }

    fn lost_by_fault(&mut self, color: Color, fault: &Fault) -> GameEnd {
        let mut end = self.lost(color, Reason::from(fault), Some(fault.to_string()));
        end.usable[color.index()] = matches!(fault, Fault::Refused { .. });
        end
    }

    fn lost(&mut self, color: Color, reason: Reason, detail: Option<String>) -> GameEnd {
        self.end(Outcome::win(color.opponent()), reason, detail)
    }

    pub(super) fn end(
        &mut self,
        outcome: Outcome,
        reason: Reason,
        detail: Option<String>,
    ) -> GameEnd {
        GameEnd {
            outcome,
            reason,
            detail,
            count: None,
            moves: std::mem::take(&mut self.moves),
            left: self.time_left(),
            usable: [true; 2],
        }
    }
}

#[cfg(test)]
#[path = "game_tests.rs"]
mod tests;
