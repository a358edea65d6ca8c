//! Plays a schedule: several games concurrently, each slot with its own engine processes.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use super::clock_simulation::{ClockSimulation, Conditioned};
use super::error_stream::NewLines;
use super::game::{GameEnd, GameTerms, Reason};
use super::gomocup_player::GomocupPlayer;
use super::gtp_player::GtpPlayer;
use super::observer::{Fixture, MatchObserver, Observed};
use super::player::{
    ComplaintKind, EnginePlayer, EngineProtocol, EngineSpec, RunningEngine, StartError,
    and_last_words,
};
use super::process::EngineProcesses;
use super::refereed_game::RefereedGame;
use crate::clock::Clock;
use crate::game::{Color, Move, Outcome};

/// How long an engine may take to quit.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// Interval of checks while waiting for games.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// The plan of a match.
pub struct MatchPlan<'a> {
    /// The game and its rules.
    pub rules: &'a dyn RefereedGame,
    /// The engines, as indexed by fixtures.
    pub engines: &'a [EngineSpec],
    /// The openings, as indexed by fixtures.
    pub openings: &'a [Vec<Move>],
    /// The terms of every game.
    pub terms: GameTerms,
    /// Time limit of an engine for its start, and for everything but `genmove`.
    pub command_limit: Duration,
    /// Lag and other conditions that are simulated on the clocks.
    pub conditions: ClockSimulation,
    /// Games played concurrently, at least 1.
    pub concurrency: usize,
    /// An existing folder for the engines' stderr.
    pub stderr_dir: &'a Path,
    /// Clock for thinking times.
    pub clock: Arc<dyn Clock>,
    /// Follows the games.
    pub observer: Option<&'a dyn MatchObserver>,
    /// A program that calls [`guard_engines`](super::guard_engines) when it is run with the argument `guard`: it kills
    /// the engines when this process dies without doing so.
    pub guard: Option<PathBuf>,
}

/// A completed game.
#[derive(Debug)]
pub struct FinishedGame {
    /// Its place in the schedule: players, colours, opening.
    pub fixture: Fixture,
    /// Its result, moves and times.
    pub end: GameEnd,
    /// Complaints on Black's and White's error streams, and refused settings.
    pub complaints: [Vec<(ComplaintKind, String)>; 2],
}

impl MatchPlan<'_> {
    /// Plays the fixtures and passes every finished game to `finished`, on this thread and in the
    /// order they end, until it breaks; games in progress are then abandoned. `meanwhile` is called
    /// several times a second, with the running engines.
    ///
    /// # Errors
    /// [`StartError`] if an engine that has not been started before in this run cannot be started.
    /// One that fails to start later loses its game as crashed; after three consecutive failures
    /// the match ends with this error, and can be continued when the engine is available again.
    pub fn play<B>(
        &self,
        fixtures: &[Fixture],
        mut finished: impl FnMut(FinishedGame) -> ControlFlow<B>,
        mut meanwhile: impl FnMut(&EngineProcesses),
    ) -> Result<Option<B>, StartError> {
        let shared = Shared {
            plan: self,
            fixtures,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            started: self
                .engines
                .iter()
                .map(|_| AtomicBool::new(false))
                .collect(),
            failed_starts: self.engines.iter().map(|_| AtomicU32::new(0)).collect(),
            processes: EngineProcesses::guarded(self.guard.as_ref().map(|program| {
                let mut command = Command::new(program);
                command.arg("guard");
                command
            })),
        };
        let places = self.concurrency.min(fixtures.len());
        let (sender, receiver) = sync_channel(places);
        let mut result = Ok(None);
        std::thread::scope(|scope| {
            for place in 0..places {
                let (sender, shared) = (sender.clone(), &shared);
                scope.spawn(move || GameSlot::new(shared, place).play_all(&sender));
            }
            drop(sender);
            loop {
                meanwhile(&shared.processes);
                let message = match receiver.recv_timeout(LOOK_INTERVAL) {
                    Ok(message) => message,
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                match message.map(&mut finished) {
                    Ok(ControlFlow::Continue(())) => continue,
                    Ok(ControlFlow::Break(value)) => result = Ok(Some(value)),
                    Err(error) => result = Err(error),
                }
                shared.stop.store(true, Ordering::Relaxed);
                break;
            }
            // No slot waits to report.
            drop(receiver);
        });
        result
    }
}

/// State shared by the slots.
struct Shared<'a> {
    plan: &'a MatchPlan<'a>,
    fixtures: &'a [Fixture],
    /// The next fixture to play.
    next: AtomicUsize,
    /// Set when no further games are needed.
    stop: AtomicBool,
    /// Whether each engine has ever been started.
    started: Vec<AtomicBool>,
    /// Consecutive start failures of each engine.
    failed_starts: Vec<AtomicU32>,
    /// The running engines of all slots.
    processes: EngineProcesses,
}

/// Number of consecutive start failures after which the machine is assumed to be the cause.
const MAX_FAILED_STARTS: u32 = 3;

impl Shared<'_> {
    /// Whether the match continues after an engine has failed to start, which then loses the game.
    fn goes_on_without(&self, engine: usize) -> bool {
        let failed = self.failed_starts[engine].fetch_add(1, Ordering::Relaxed) + 1;
        self.started[engine].load(Ordering::Relaxed) && failed < MAX_FAILED_STARTS
    }
}

/// A slot in which games are played one after the other.
struct GameSlot<'a> {
    shared: &'a Shared<'a>,
    number: usize,
    /// Running engines by index.
    players: HashMap<usize, Box<dyn RunningEngine>>,
}

impl<'a> GameSlot<'a> {
    fn new(shared: &'a Shared<'a>, number: usize) -> GameSlot<'a> {
        GameSlot {
            shared,
            number,
            players: HashMap::new(),
        }
    }

    fn play_all(mut self, sender: &SyncSender<Result<FinishedGame, StartError>>) {
        while !self.shared.stop.load(Ordering::Relaxed) {
            let next = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(&fixture) = self.shared.fixtures.get(next) else {
                break;
            };
            let message = match self.play(fixture) {
                Ok(Some(finished)) => Ok(finished),
                Ok(None) => break,
                Err(error) => Err(error),
            };
            if sender.send(message).is_err() {
                break;
            }
        }
        for (_, player) in self.players.drain() {
            player.quit(QUIT_LIMIT);
        }
    }

    fn play(&mut self, fixture: Fixture) -> Result<Option<FinishedGame>, StartError> {
        let plan = self.shared.plan;
        let mut players = Vec::new();
        for (&engine, color) in fixture.engines.iter().zip(Color::BOTH) {
            match self.take_player(engine) {
                Ok(player) => players.push(player),
                Err(error) if self.shared.goes_on_without(engine) => {
                    self.players
                        .extend(fixture.engines.into_iter().zip(players));
                    return Ok(Some(FinishedGame {
                        fixture,
                        end: lost_at_start(color, &error),
                        complaints: [Vec::new(), Vec::new()],
                    }));
                }
                Err(error) => return Err(error),
            }
        }
        let [black, white] = players.as_mut_slice() else {
            return Ok(None);
        };
        let under = |player, color: Color| {
            let seed = 2 * fixture.number as u64 + color as u64;
            Conditioned::new(player, plan.conditions, seed)
        };
        let mut black = under(black.as_mut(), Color::Black);
        let mut white = under(white.as_mut(), Color::White);
        let opening = &plan.openings[fixture.opening];
        if let Some(observer) = plan.observer {
            observer.begun(self.number, &fixture);
        }
        let observed = |player| Observed::new(player, plan.observer, self.number);
        let (mut black, mut white) = (observed(&mut black), observed(&mut white));
        let seats: [&mut dyn EnginePlayer; 2] = [&mut black, &mut white];
        let end = plan
            .rules
            .play(opening, seats, &plan.terms, &self.shared.stop);
        let Some(mut end) = end else {
            return Ok(None);
        };
        let [black, white] = players.as_mut_slice() else {
            return Ok(None);
        };
        let heard = [black.listen(), white.listen()];
        let mut complaints = [black.refusals(), white.refusals()];
        for (complaints, heard) in complaints.iter_mut().zip(&heard) {
            let lines = heard.complaints.iter().cloned();
            complaints.extend(lines.map(|line| (ComplaintKind::Stream, line)));
        }
        add_last_words(&mut end, &heard);
        if let Some(observer) = plan.observer {
            observer.ended(self.number, &end);
        }
        let seats = fixture.engines.into_iter().zip(players).zip(end.usable);
        let usable = seats.filter_map(|(seat, usable)| usable.then_some(seat));
        self.players.extend(usable);
        Ok(Some(FinishedGame {
            fixture,
            end,
            complaints,
        }))
    }

    /// The running engine, or a new process.
    fn take_player(&mut self, engine: usize) -> Result<Box<dyn RunningEngine>, StartError> {
        if let Some(player) = self.players.remove(&engine) {
            return Ok(player);
        }
        let plan = self.shared.plan;
        let spec = &plan.engines[engine];
        let stderr = self.stderr_path(engine);
        let (limit, clock) = (plan.command_limit, Arc::clone(&plan.clock));
        let all = &self.shared.processes;
        let mut player: Box<dyn RunningEngine> = match spec.protocol {
            EngineProtocol::Gtp => {
                Box::new(GtpPlayer::start_engine(spec, &stderr, limit, clock, all)?)
            }
            EngineProtocol::Gomocup => Box::new(GomocupPlayer::start_engine(
                spec, &stderr, limit, clock, all,
            )?),
        };
        let fits = player.check_game(plan.rules.name(), plan.rules.size());
        fits.map_err(|source| StartError::UnsuitableEngine {
            name: spec.name.clone(),
            source,
        })?;
        self.shared.started[engine].store(true, Ordering::Relaxed);
        self.shared.failed_starts[engine].store(0, Ordering::Relaxed);
        Ok(player)
    }

    /// This worker's file for an engine's error stream, with the engine's name as far as file names
    /// allow.
    fn stderr_path(&self, engine: usize) -> PathBuf {
        let plan = self.shared.plan;
        let mut names = plan.engines.iter().map(|spec| plain(&spec.name));
        let own = plain(&plan.engines[engine].name);
        // Output of different engines must not be mixed up.
        let name = match names.position(|name| name == own) {
            Some(first) if first < engine => format!("{own}.{engine}"),
            _ => own,
        };
        plan.stderr_dir.join(format!("{name}-{}.log", self.number))
    }
}

/// A name with characters replaced that file names should not contain.
fn plain(name: &str) -> String {
    let good = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let letters = name.chars();
    letters.map(|c| if good(c) { c } else { '_' }).collect()
}

/// Appends the last output of a crashed engine to the details of the end.
fn add_last_words(end: &mut GameEnd, heard: &[NewLines; 2]) {
    if let (Reason::Crash, Some(winner), Some(detail)) =
        (end.reason, end.outcome.winner, &mut end.detail)
    {
        let loser = &heard[winner.opponent().index()];
        detail.push_str(&and_last_words(loser.last_words.as_ref()));
    }
}

fn lost_at_start(color: Color, error: &StartError) -> GameEnd {
    GameEnd {
        outcome: Outcome::win(color.opponent()),
        reason: Reason::Crash,
        detail: Some(error.to_string()),
        count: None,
        moves: Vec::new(),
        left: None,
        usable: [true; 2],
    }
}
