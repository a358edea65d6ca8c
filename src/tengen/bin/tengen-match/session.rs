//! A match in a folder: finished games are read, missing ones are played, every game is kept.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tengen::clock::{Clock, SteadyClock, SystemClock};
use tengen::game::{BoardSize, Move};
use tengen::program::counted;
use tengen::record::{sgf, today};
use tengen::referee::results::{GameEntry, MatchTerms, ResultFile};
use tengen::referee::{
    ComplaintKind, EngineMessage, EngineSpec, FinishedGame, Fixture, GameTerms, MatchError,
    MatchPlan, MatchReport, RefereedGame, ScoreBoard, score_sheet,
};
use tengen::system;
use tengen::watch::WatchedGames;

use crate::options::MatchOptions;
use crate::output::{Interrupt, Progress, tell};

/// The file of a match's games, in its folder.
pub(crate) const RESULTS: &str = "results.jsonl";

/// Games of a match; its schedule and openings are in memory.
pub(crate) const MOST_GAMES: usize = 1_000_000;

/// A match about to be played.
pub(crate) struct Session<'a> {
    options: &'a MatchOptions,
    rules: Box<dyn RefereedGame>,
    engines: Vec<EngineSpec>,
    fixtures: Vec<Fixture>,
    /// The terms of every game.
    pub(crate) terms: GameTerms,
    interrupt: &'a Interrupt,
}

/// The games of a match.
pub(crate) struct Played {
    /// All games, those of earlier runs first.
    pub(crate) games: Vec<GameEntry>,
    /// Whether the schedule was played to its end, or why an engine could not be started for all of its games.
    pub(crate) ended: Result<(), MatchError>,
}

/// What a subcommand makes of a running session.
pub(crate) struct Watch<'a> {
    /// Short description of the match's state.
    pub(crate) state: &'a dyn Fn(&ScoreBoard) -> String,
    /// Whether the result is decided.
    pub(crate) is_decided: &'a dyn Fn(&ScoreBoard) -> bool,
    /// In a step of something longer, what was done before it.
    pub(crate) before: Option<String>,
}

impl<'a> Watch<'a> {
    /// All games are played.
    pub(crate) fn of(state: &'a dyn Fn(&ScoreBoard) -> String) -> Watch<'a> {
        Watch {
            state,
            is_decided: &|_| false,
            before: None,
        }
    }

    /// Whether no progress is shown: a step is part of something that shows its own.
    fn is_silent(&self) -> bool {
        self.before.is_some()
    }

    /// Message for an interruption: the result so far of these games, and how to continue.
    fn so_far(&self, board: &ScoreBoard, all: usize) -> String {
        let (played, state) = (board.games(), (self.state)(board));
        match (&self.before, played) {
            (Some(before), _) => format!(
                "Interrupted with {before}, and {played} of {all} games of the next step.\nThey are kept, and the same \
                 command continues."
            ),
            (None, 0) => {
                "Interrupted before a game was finished; the same command starts again.".to_owned()
            }
            (None, _) => format!(
                "Interrupted with {played} of {all} games played: {state}\nThey are kept, and the same \
                 command continues with the others."
            ),
        }
    }
}

impl<'a> Session<'a> {
    /// These games of these engines, with the options given.
    pub(crate) fn new(
        options: &'a MatchOptions,
        engines: Vec<EngineSpec>,
        fixtures: Vec<Fixture>,
        interrupt: &'a Interrupt,
    ) -> Result<Session<'a>> {
        Ok(Session {
            options,
            rules: options.rules()?,
            engines,
            fixtures,
            terms: options.terms(),
            interrupt,
        })
    }

    /// The names of the first two engines.
    pub(crate) fn pair(&self) -> [&str; 2] {
        [&self.engines[0].name, &self.engines[1].name]
    }

    /// The board.
    pub(crate) fn size(&self) -> BoardSize {
        self.rules.size()
    }

    /// The report of these engines' games.
    pub(crate) fn report(&self, engines: [&str; 2], games: &[GameEntry]) -> MatchReport {
        MatchReport::new(engines, self.size(), games)
    }

    /// Plays every fixture that is not in the folder yet, or until `watch` is decided.
    ///
    /// # Errors
    /// Among others that an engine could not be started, before any game was played.
    pub(crate) fn play(&self, watch: &Watch<'_>) -> Result<Played> {
        let out = &self.options.out;
        let (sgf_dir, stderr_dir) = (out.join("sgf"), out.join("stderr"));
        for folder in [&sgf_dir, &stderr_dir] {
            fs::create_dir_all(folder).with_context(|| folder.display().to_string())?;
        }
        let pairs = self.fixtures.iter().map(|fixture| fixture.opening + 1);
        let pairs = pairs.max().unwrap_or(0);
        let (openings, source, repeated) = self.options.openings(&*self.rules, pairs)?;
        if repeated > 0 && !watch.is_silent() {
            tell(format_args!(
                "warning: lines of the opening book that repeat others, also mirrored, turned or in another order, \
                 are left out: {repeated}\n"
            ));
        }
        let longest = openings.iter().map(Vec::len).max().unwrap_or(0);
        ensure!(
            self.terms.max_moves as usize > longest,
            "--max-moves {} leaves no move to play after an opening of {longest}",
            self.terms.max_moves
        );
        let (rules, engines) = (&*self.rules, &*self.engines);
        let terms = match_terms(self.options, rules, &self.terms, engines, source);
        let (mut file, mut games) = ResultFile::open(&out.join(RESULTS), &terms)?;
        let board = RefCell::new(ScoreBoard::of(self.size(), &games));
        let fixtures = self.missing(&games)?;
        if fixtures.is_empty() || (watch.is_decided)(&board.borrow()) {
            return Ok(Played {
                games,
                ended: Ok(()),
            });
        }
        if !games.is_empty() {
            tell(format_args!(
                "{} already there, {} to play\n",
                counted(games.len(), "game"),
                fixtures.len()
            ));
        }
        let live = self.options.live_board;
        let live = live.map(|port| show(port, self.options.game.concurrency.min(fixtures.len())));
        let live = live.transpose()?;
        let plan = self.plan(&openings, &stderr_dir, live.as_deref());
        let mut progress = Progress::new(fixtures.len());
        let mut told = HashSet::new();
        let finished = |finished: FinishedGame| {
            let game = match keep(&finished, &plan, &sgf_dir, &mut file) {
                Err(error) => return ControlFlow::Break(Err(error)),
                Ok(game) => game,
            };
            let mut board = board.borrow_mut();
            board.add(&game);
            if !watch.is_silent() {
                tell_refusals(&game, &mut told);
                progress.game(&(watch.state)(&board));
            }
            if let Some(live) = &live {
                live.set_score((watch.state)(&board));
            }
            games.push(game);
            match (watch.is_decided)(&board) {
                true => ControlFlow::Break(Ok(())),
                false => ControlFlow::Continue(()),
            }
        };
        let stopped = plan.play(&fixtures, finished, |engines| {
            let all = self.fixtures.len();
            let so_far = || watch.so_far(&board.borrow(), all);
            self.interrupt.end_if_asked(engines, so_far);
        });
        progress.finish();
        let ended = match stopped {
            Ok(stopped) => Ok(stopped.unwrap_or(Ok(()))?),
            Err(error) if games.is_empty() => return Err(error.into()),
            Err(error) => Err(error),
        };
        Ok(Played { games, ended })
    }

    /// The fixtures not played yet. A game's number identifies its engines only while the schedule
    /// has the same meetings.
    fn missing(&self, games: &[GameEntry]) -> Result<Vec<Fixture>> {
        let played: HashMap<usize, &GameEntry> =
            games.iter().map(|game| (game.number, game)).collect();
        let mut missing = Vec::new();
        for fixture in &self.fixtures {
            let Some(game) = played.get(&fixture.number) else {
                missing.push(*fixture);
                continue;
            };
            let [black, white] = fixture.engines.map(|engine| &self.engines[engine].name);
            ensure!(
                (&game.black, &game.white) == (black, white),
                "{}: game {} is {} against {}, not {black} against {white}: it holds another \
                 schedule; choose another folder",
                self.options.out.display(),
                game.number,
                game.black,
                game.white
            );
        }
        Ok(missing)
    }

    fn plan<'b>(
        &'b self,
        openings: &'b [Vec<Move>],
        stderr_dir: &'b Path,
        live: Option<&'b WatchedGames>,
    ) -> MatchPlan<'b> {
        MatchPlan {
            rules: &*self.rules,
            engines: &self.engines,
            openings,
            terms: self.terms,
            command_limit: self.options.command_limit,
            concurrency: self.options.game.concurrency,
            stderr_dir,
            clock: steady_clock(),
            live,
            guard: std::env::current_exe().ok(),
        }
    }
}

/// The terms of a folder's results.
pub(crate) fn match_terms(
    options: &MatchOptions,
    rules: &dyn RefereedGame,
    terms: &GameTerms,
    engines: &[EngineSpec],
    openings: String,
) -> MatchTerms {
    let size = rules.size();
    MatchTerms {
        game: rules.name().to_owned(),
        rules: rules.rules(),
        width: size.width,
        height: size.height,
        engines: engines.to_vec(),
        time: terms.time.to_string(),
        margin_ms: terms.margin.as_millis() as u64,
        conditions: terms.conditions,
        move_limit_ms: terms.move_limit.as_millis() as u64,
        max_moves: terms.max_moves,
        openings,
        seed: options.game.seed,
    }
}

/// Serves the page of a match with this many games at once, and prints its address.
fn show(port: u16, concurrency: usize) -> Result<Arc<WatchedGames>> {
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let games = WatchedGames::new(concurrency, time);
    let address = games.serve(port)?;
    tell(format_args!("The games can be watched at {address}\n"));
    Ok(games)
}

/// Makes a game durable: its SGF file first, so that every result has one.
fn keep(
    finished: &FinishedGame,
    plan: &MatchPlan<'_>,
    sgf_dir: &Path,
    file: &mut ResultFile,
) -> Result<GameEntry> {
    let game = GameEntry::new(finished, plan);
    let sgf = sgf::write(&score_sheet(finished, plan, today()));
    let path = sgf_dir.join(format!("{:06}.sgf", game.number));
    system::replace(&path, sgf.as_bytes(), true).with_context(|| path.display().to_string())?;
    file.append(&game)?;
    Ok(game)
}

/// Reports refused settings at once, once per engine and setting.
fn tell_refusals(game: &GameEntry, told: &mut HashSet<(String, String)>) {
    let is_of_setting =
        |said: &&EngineMessage| matches!(said.kind, ComplaintKind::Refusal | ComplaintKind::Untold);
    for EngineMessage { engine, kind, line } in game.complaints.iter().filter(is_of_setting) {
        if told.insert((engine.clone(), line.clone())) {
            let refused = if kind.is_trouble() { "refused " } else { "" };
            tell(format_args!("{engine} {refused}{line}\n"));
        }
    }
}

/// The clock of matches, which tells of the times that it leaves out.
pub(crate) fn steady_clock() -> Arc<dyn Clock> {
    SteadyClock::start(Arc::new(SystemClock::new()), |silence: Duration| {
        let seconds = silence.as_secs_f64();
        tell(format_args!(
            "the match stood still for {seconds:.0} s, which no clock counts\n"
        ));
    })
}
