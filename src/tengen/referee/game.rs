//! One game between two players under the referee's rules: result, reason, and times.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::clock_simulation::{ClockSimulation, SimulatedClock};
use super::game_end::{GameEnd, PlayedMove, Reason};
use super::gtp_client::Fault;
use super::live::LivePlace;
use super::player::{EnginePlayer, GameSetup, PlayerMove};
use super::referee_clock::RefereeClock;
use super::time_control::MatchTimeControl;
use crate::game::{Color, Game, Move, Outcome, PositionHistory, Rules as _};
use crate::gtp::format_move;

/// Terms of every game of a match.
#[derive(Debug, Clone, Copy)]
pub struct GameTerms {
    /// Both sides' time.
    pub time: MatchTimeControl,
    /// Tolerance for exceeding the clock, for the referee's own lag.
    pub margin: Duration,
    /// Maximum time of a move; an engine that takes longer is killed. With a clock of real time, an engine has
    /// this long beyond its clock before it is killed.
    pub move_limit: Duration,
    /// Number of moves, opening included, after which the game is a draw.
    pub max_moves: u32,
    /// Lag and other conditions that are simulated on the clocks.
    pub conditions: ClockSimulation,
}

/// A game about to be played.
pub struct ScheduledGame<'a> {
    /// Its number in the match, which determines simulated lag.
    pub number: usize,
    /// Moves already made, which are legal, Black first.
    pub opening: &'a [Move],
    /// Black and White.
    pub players: [&'a mut dyn EnginePlayer; 2],
    /// The match's terms.
    pub terms: GameTerms,
    /// Where it is shown, if that is wanted.
    pub live: Option<LivePlace<'a>>,
    /// Set when the game is no longer needed.
    pub stop: &'a AtomicBool,
}

/// Plays a game that begins with this position. Returns `None` when `stop` was set before the end.
pub(super) fn play_game<G: Game>(start: &G, scheduled: ScheduledGame<'_>) -> Option<GameEnd> {
    let terms = scheduled.terms;
    let simulated = |color: Color| {
        let seed = 2 * scheduled.number as u64 + color as u64;
        SimulatedClock::new(terms.conditions, seed)
    };
    let mut game = GameInProgress {
        position: start.clone(),
        past: PositionHistory::of(start),
        clocks: [RefereeClock::new(terms.time); 2],
        simulated: Color::BOTH.map(simulated),
        moves: Vec::new(),
        scheduled,
    };
    if let Some(end) = game.set_up() {
        return Some(end);
    }
    loop {
        if let Some(outcome) = game.position.outcome() {
            return game.counted(outcome);
        }
        if game.position.ply() >= terms.max_moves {
            return Some(game.end(Outcome::DRAW, Reason::MaxMoves, None));
        }
        if game.scheduled.stop.load(Ordering::Relaxed) {
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
    /// Players and terms.
    pub(super) scheduled: ScheduledGame<'a>,
    clocks: [RefereeClock; 2],
    simulated: [SimulatedClock; 2],
    moves: Vec<PlayedMove>,
}

impl<G: Game> GameInProgress<'_, G> {
    /// Plays the opening and prepares both players; a game that ends here has its result.
    fn set_up(&mut self) -> Option<GameEnd> {
        let rules = self.position.rules();
        let opening = self.scheduled.opening;
        let setup = GameSetup {
            size: self.position.size(),
            opening,
            time: self.scheduled.terms.time,
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
            if let Err(fault) = self.scheduled.players[color.index()].start(&setup) {
                return Some(self.lost_by_fault(color, &fault));
            }
        }
        None
    }

    /// Plays one move; returns the end of the game if it ends with it.
    fn next_move(&mut self) -> Option<GameEnd> {
        let (color, size) = (self.position.to_move(), self.position.size());
        let side = color.index();
        let clock = self.clocks[side];
        let terms = self.scheduled.terms;
        // A clock of visits does not tell how long to wait.
        let is_real =
            terms.time != MatchTimeControl::None && terms.conditions.visits_per_second.is_none();
        let allowed = match is_real {
            true => clock.longest_move().saturating_add(terms.margin),
            false => Duration::ZERO,
        };
        let limit = allowed.saturating_add(terms.move_limit);
        if let Some(live) = &self.scheduled.live {
            live.asked(color, clock.time_left());
        }
        let simulated = &mut self.simulated[side];
        let player = &mut self.scheduled.players[side];
        let busy = player.busy();
        let told = simulated.told(clock.time_left(), busy);
        let reply = player.choose(color, told, limit);
        let reply = match reply.and_then(|reply| simulated.charged(reply, busy)) {
            Ok(reply) => reply,
            Err(fault) => {
                let mut end = self.lost_by_fault(color, &fault);
                // An engine that thinks forever has first exceeded its time; it was asked for a move with that limit.
                if is_real && matches!(&fault, Fault::Hung { limit: had, .. } if *had == limit) {
                    end.reason = Reason::Time;
                }
                return Some(end);
            }
        };
        let spent = self.clocks[side].spend(reply.took, terms.margin);
        let left = self.clocks[side].time_left();
        let played = |mv| PlayedMove {
            color,
            mv,
            took: reply.took,
            left: left.map(|left| left.time),
            report: reply.report.clone(),
        };
        if let (PlayerMove::Move(mv), Some(live)) = (&reply.choice, &self.scheduled.live) {
            live.moved(&played(*mv), left, size);
        }
        let legal = |mv| self.position.is_legal(mv) && self.past.allows(&self.position, mv);
        if spent.is_err() {
            if let PlayerMove::Move(mv) = reply.choice
                && legal(mv)
            {
                self.moves.push(played(mv));
            }
            let over = reply.took.saturating_sub(clock.longest_move());
            let detail = format!("{:.3} s over", over.as_secs_f64());
            return Some(self.lost(color, Reason::Time, Some(detail)));
        }
        let mv = match reply.choice {
            PlayerMove::Move(mv) if legal(mv) => mv,
            PlayerMove::Move(mv) => {
                let detail = format_move(mv, size) + &self.why_illegal(mv);
                return Some(self.lost(color, Reason::IllegalMove, Some(detail)));
            }
            PlayerMove::Resign => return Some(self.lost(color, Reason::Resignation, None)),
            PlayerMove::Nonsense(text) => {
                let detail = format!("`{text}` is not a vertex");
                return Some(self.lost(color, Reason::Malformed, Some(detail)));
            }
        };
        self.moves.push(played(mv));
        self.position.play(mv);
        self.past.push(&self.position);
        let outcome = self.position.outcome();
        if outcome.is_some_and(|outcome| outcome.margin.is_none()) {
            // No further question is asked, so the last move need not be sent.
            return None;
        }
        let opponent = color.opponent();
        match self.scheduled.players[opponent.index()].play(color, mv) {
            Ok(()) => None,
            Err(fault) => Some(self.lost_by_fault(opponent, &fault)),
        }
    }

    /// Why a move is illegal, in words that follow it.
    fn why_illegal(&self, mv: Move) -> String {
        if self.position.is_legal(mv) {
            return " brings an earlier position back (superko)".to_owned();
        }
        if mv == self.position.size().pass() && !G::INFO.passes {
            let title = G::INFO.title;
            return format!(", a move that {title} does not have: does this engine play Go?");
        }
        format!(" ({})", self.position.why_illegal(mv))
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
            moves: std::mem::take(&mut self.moves),
            left: self.time_left(),
            ..GameEnd::new(outcome, reason, detail)
        }
    }
}

#[cfg(test)]
#[path = "game_tests.rs"]
mod tests;
