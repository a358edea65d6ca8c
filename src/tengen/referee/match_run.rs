//! Plays a schedule: several games concurrently, each slot with its own engine processes.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::thread;
use std::time::Duration;

use super::MatchError;
use super::error_stream::{ErrorStream, NewLines};
use super::game::{GameTerms, ScheduledGame};
use super::game_end::{GameEnd, Reason};
use super::gomocup_player::GomocupPlayer;
use super::gtp_player::GtpPlayer;
use super::live::LivePlace;
use super::player::{
    ComplaintKind, EngineMessage, REPORT_COMMAND, RunningEngine, and_last_words, other_protocol,
};
use super::process::{EngineProcess, EngineProcesses, EngineProtocol, EngineSpec};
use super::refereed_game::{Fixture, RefereedGame};
use crate::clock::Clock;
use crate::game::{Color, Move, Outcome};
use crate::record::{GameRecord, Play, Vertex};
use crate::watch::WatchedGames;

/// How long an engine may take to quit.
const QUIT_LIMIT: Duration = Duration::from_secs(2);

/// How long games that are no longer needed may go on, for the moves in progress.
const STOP_LIMIT: Duration = Duration::from_secs(10);

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
    /// Games played concurrently, at least 1.
    pub concurrency: usize,
    /// An existing folder for the engines' stderr.
    pub stderr_dir: &'a Path,
    /// Clock for thinking times.
    pub clock: Arc<dyn Clock>,
    /// Shows the games, each place on its board.
    pub live: Option<&'a WatchedGames>,
    /// A program that calls [`system::watch`](crate::system::watch) when it is run with the argument `guard`: it kills
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
    /// Complaints on Black's and White's error streams, refused settings, and failures when asked about the end.
    pub complaints: Vec<EngineMessage>,
}

impl MatchPlan<'_> {
    /// A game before its first move, with its opening and the names of the players.
    pub(super) fn beginning(&self, fixture: &Fixture) -> GameRecord {
        let [black, white] = fixture
            .engines
            .map(|engine| self.engines[engine].name.clone());
        let mut record = GameRecord {
            black,
            white,
            ..self.rules.record()
        };
        let colors = Color::BOTH.into_iter().cycle();
        for (&mv, color) in self.openings[fixture.opening].iter().zip(colors) {
            let vertex = Vertex::of(mv, record.size);
            record.push(Play { color, vertex });
        }
        record
    }

    /// Plays the fixtures and passes every finished game to `finished`, on this thread and in the
    /// order they end, until it breaks; games in progress are then abandoned. `meanwhile` is called
    /// several times a second, with the running engines.
    ///
    /// # Errors
    /// [`MatchError`] if a thread or an engine cannot be started: all are tried before the first game. One that
    /// fails to start later loses its game as crashed; after three consecutive failures its other
    /// games are left out, and the match ends with this error. It can be continued when the engine
    /// is available again.
    pub fn play<B>(
        &self,
        fixtures: &[Fixture],
        mut finished: impl FnMut(FinishedGame) -> ControlFlow<B>,
        mut meanwhile: impl FnMut(&EngineProcesses),
    ) -> Result<Option<B>, MatchError> {
        let shared = Shared {
            plan: self,
            fixtures,
            next: AtomicUsize::new(0),
            stop: AtomicBool::new(false),
            failed_starts: self.engines.iter().map(|_| AtomicU32::new(0)).collect(),
            processes: EngineProcesses::guarded(self.guard.as_deref()),
        };
        let places = self.concurrency.min(fixtures.len());
        let (sender, receiver) = sync_channel(places);
        let mut result = Ok(None);
        let mut stopped: Option<Duration> = None;
        thread::scope(|scope| {
            let slot = |number| GameSlot {
                shared: &shared,
                number,
                players: HashMap::new(),
            };
            let play = move || {
                let mut first = slot(0);
                if let Err(error) = first.start_all() {
                    let _ = sender.send(Err(error));
                    return;
                }
                for place in 1..places {
                    let sender = sender.clone();
                    let play = move || slot(place).play_all(&sender);
                    if let Err(error) = thread::Builder::new().spawn_scoped(scope, play) {
                        log::warn!("only {place} of {places} games are played at a time: {error}");
                        break;
                    }
                }
                first.play_all(&sender);
            };
            if let Err(error) = thread::Builder::new().spawn_scoped(scope, play) {
                result = Err(MatchError(format!("cannot start a thread: {error}")));
            }
            loop {
                meanwhile(&shared.processes);
                if stopped.is_some_and(|at| self.clock.now().saturating_sub(at) > STOP_LIMIT) {
                    shared.processes.kill();
                }
                let message = match receiver.recv_timeout(LOOK_INTERVAL) {
                    Ok(message) => message,
                    Err(RecvTimeoutError::Timeout) => continue,
                    Err(RecvTimeoutError::Disconnected) => break,
                };
                if stopped.is_some() {
                    continue;
                }
                match message.map(&mut finished) {
                    Ok(ControlFlow::Continue(())) => {}
                    Ok(ControlFlow::Break(value)) => {
                        result = Ok(Some(value));
                        shared.stop.store(true, Ordering::Relaxed);
                        stopped = Some(self.clock.now());
                    }
                    // The other engines play on.
                    Err(error) if result.is_ok() => result = Err(error),
                    Err(_) => {}
                }
            }
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
    /// Consecutive start failures of each engine.
    failed_starts: Vec<AtomicU32>,
    /// The running engines of all slots.
    processes: EngineProcesses,
}

/// Number of consecutive start failures after which the machine is assumed to be the cause.
const MAX_FAILED_STARTS: u32 = 3;

impl Shared<'_> {
    /// Whether an engine has failed to start so often that it plays no other games.
    fn is_out(&self, engine: usize) -> bool {
        self.failed_starts[engine].load(Ordering::Relaxed) >= MAX_FAILED_STARTS
    }
}

/// A running engine, and the file of its error stream.
struct Running {
    player: Box<dyn RunningEngine>,
    errors: ErrorStream,
}

/// A slot in which games are played one after the other.
struct GameSlot<'a> {
    shared: &'a Shared<'a>,
    number: usize,
    /// Running engines by index.
    players: HashMap<usize, Running>,
}

impl GameSlot<'_> {
    /// Starts all engines of the schedule, so that a wrong command line shows before the first game.
    fn start_all(&mut self) -> Result<(), MatchError> {
        for &engine in self.shared.fixtures.iter().flat_map(|game| &game.engines) {
            if !self.players.contains_key(&engine) {
                let running = self.take_player(engine)?;
                self.players.insert(engine, running);
            }
        }
        Ok(())
    }

    fn play_all(mut self, sender: &SyncSender<Result<FinishedGame, MatchError>>) {
        while !self.shared.stop.load(Ordering::Relaxed) {
            let next = self.shared.next.fetch_add(1, Ordering::Relaxed);
            let Some(&fixture) = self.shared.fixtures.get(next) else {
                break;
            };
            if fixture
                .engines
                .iter()
                .any(|&engine| self.shared.is_out(engine))
            {
                continue;
            }
            let Some(message) = self.play(fixture).transpose() else {
                break;
            };
            if sender.send(message).is_err() {
                break;
            }
            self.rest(&fixture);
        }
        for (_, running) in self.players.drain() {
            running.player.quit(QUIT_LIMIT);
        }
    }

    /// Ends the thinking of a finished game's engines: one that ponders would go on through the games of others. One
    /// that does not answer is started again.
    fn rest(&mut self, game: &Fixture) {
        let specs = self.shared.plan.engines;
        self.players.retain(|&engine, running| {
            let rested = match game.engines.contains(&engine) {
                true => running.player.end_game(),
                false => Ok(()),
            };
            rested
                .inspect_err(|fault| log::warn!("{} {fault} after a game", specs[engine].name))
                .is_ok()
        });
    }

    fn play(&mut self, fixture: Fixture) -> Result<Option<FinishedGame>, MatchError> {
        let plan = self.shared.plan;
        let mut players = Vec::new();
        for (&engine, color) in fixture.engines.iter().zip(Color::BOTH) {
            match self.take_player(engine) {
                Ok(player) => players.push(player),
                Err(error) => {
                    self.players
                        .extend(fixture.engines.into_iter().zip(players));
                    self.shared.failed_starts[engine].fetch_add(1, Ordering::Relaxed);
                    if self.shared.is_out(engine) {
                        return Err(error);
                    }
                    return Ok(Some(FinishedGame {
                        fixture,
                        end: lost_at_start(color, &error),
                        complaints: Vec::new(),
                    }));
                }
            }
        }
        let [black, white] = players.as_mut_slice() else {
            return Ok(None);
        };
        let live = plan.live.map(|games| LivePlace {
            games,
            place: self.number,
            time: plan.terms.time,
        });
        if let Some(live) = &live {
            live.begun(fixture.number, &plan.beginning(&fixture));
        }
        let end = plan.rules.play(ScheduledGame {
            number: fixture.number,
            opening: &plan.openings[fixture.opening],
            players: [&mut *black.player, &mut *white.player],
            terms: plan.terms,
            live,
            stop: &self.shared.stop,
        });
        let Some(mut end) = end else {
            return Ok(None);
        };
        let heard = [black.errors.listen(), white.errors.listen()];
        let mut complaints = Vec::new();
        let seats = [black, white].into_iter().zip(fixture.engines);
        for ((running, engine), (heard, fault)) in seats.zip(heard.iter().zip(&end.faults)) {
            let fault = fault.iter().map(|line| (ComplaintKind::Counting, line));
            let lines = heard.complaints.iter();
            let lines = lines.map(|line| (ComplaintKind::Stream, line)).chain(fault);
            let lines = lines.map(|(kind, line)| (kind, line.clone()));
            let lines = running.player.refusals().into_iter().chain(lines);
            complaints.extend(lines.map(|(kind, line)| EngineMessage {
                engine: plan.engines[engine].name.clone(),
                kind,
                line,
            }));
        }
        add_last_words(&mut end, &players, heard);
        if let Some(live) = &live {
            live.ended(&end);
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
    fn take_player(&mut self, engine: usize) -> Result<Running, MatchError> {
        if let Some(running) = self.players.remove(&engine) {
            return Ok(running);
        }
        let plan = self.shared.plan;
        let spec = &plan.engines[engine];
        let named = |why: String| MatchError(format!("{}: {why}", spec.name));
        let stderr = self.stderr_path(engine);
        let (mut errors, file) = ErrorStream::open(&stderr)
            .map_err(|error| named(format!("cannot write {}: {error}", stderr.display())))?;
        let process = EngineProcess::spawn(spec, file, &plan.clock, &self.shared.processes)
            .map_err(|error| named(error.to_string()))?;
        let limit = plan.command_limit;
        let mut player: Box<dyn RunningEngine> = match spec.protocol {
            EngineProtocol::Gtp => Box::new(GtpPlayer::new(process, limit)),
            EngineProtocol::Gomocup => {
                Box::new(GomocupPlayer::new(process, limit, spec.info.clone()))
            }
        };
        player.greet().map_err(|fault| {
            let heard = errors.listen();
            let words = and_last_words(errors.last_words(heard).as_ref());
            let advice = other_protocol(spec.protocol, &fault);
            MatchError(format!("{} {fault}{advice}{words}", spec.name))
        })?;
        let fits = player.check_game(plan.rules.name(), plan.rules.size());
        fits.map_err(|error| MatchError(format!("{} {error}", spec.name)))?;
        if plan.terms.conditions.visits_per_second.is_some() && !player.reports_visits() {
            return Err(MatchError(format!(
                "{} has no command {REPORT_COMMAND}, without which visits cannot be its clock",
                spec.name
            )));
        }
        self.shared.failed_starts[engine].store(0, Ordering::Relaxed);
        Ok(Running { player, errors })
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
fn add_last_words(end: &mut GameEnd, players: &[Running], heard: [NewLines; 2]) {
    if let (Reason::Crash, Some(winner), Some(detail)) =
        (end.reason, end.outcome.winner, &mut end.detail)
    {
        let mut seats = players.iter().zip(heard);
        let loser = seats.nth(winner.opponent().index());
        let words = loser.and_then(|(loser, heard)| loser.errors.last_words(heard));
        detail.push_str(&and_last_words(words.as_ref()));
    }
}

fn lost_at_start(color: Color, error: &MatchError) -> GameEnd {
    let outcome = Outcome::win(color.opponent());
    GameEnd::new(outcome, Reason::Crash, Some(error.to_string()))
}
