//! `tengen book build`: searches the positions that matter most.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::book::{BookFile, BookMeta, Growth, Images, Place};
use crate::clock::{Clock, SystemClock};
use crate::engine::{AnalysisEffort, AnalysisRequest, Engine, EngineOptions};
use crate::game::{Color, Game};
use crate::games::with_game;
use crate::gtp::format_moves;
use crate::program::counted;
use crate::record::{GameRecord, Play, Vertex};
use crate::registry;
use crate::search::{AnalysisOptions, SearchReport, StopFlag};
use anyhow::Context as _;
use clap::{Arg, Args};

use super::walk::{proof_text, walk};
use crate::cli::flags::{EngineFlags, refused, with_visits, without_play};
use crate::cli::output::{self, end_as_interrupted, stop_on_ctrl_c, tell};

/// Default visits of a search.
const VISITS: u64 = 1600;
/// Interval between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(10);

/// Grow a book, or begin one, until it has been searched for as long as asked, or until Ctrl-C.
///
/// Each search is saved when it is done: whatever ends the program, no more than the search in progress
/// is lost, and the same command goes on. On several machines each grows a book of its own, best from
/// other first moves (--from), and `tengen book merge` joins them.
#[derive(Debug, Args)]
#[command(mut_args(|flag: Arg| with_visits(VISITS, refused(&["time-per-move"], without_play(flag)))))]
pub(super) struct Build {
    /// The book; it is created if there is none.
    file: PathBuf,
    /// End after this many searches.
    #[arg(long, value_name = "N")]
    steps: Option<u64>,
    /// End after this many hours.
    #[arg(long, value_name = "HOURS", value_parser = hours)]
    hours: Option<Duration>,
    /// Grow it from the position after these moves, such as "C3 G7". The positions on the way there are searched first.
    #[arg(
        long,
        value_name = "MOVES",
        default_value = "",
        hide_default_value = true
    )]
    from: String,
    #[command(flatten)]
    engine: EngineFlags,
}

fn hours(text: &str) -> Result<Duration, String> {
    let hours: Option<f64> = text.parse().ok().filter(|hours| (0.0..1e6).contains(hours));
    let hours = hours.ok_or("hours, such as 0.5 or 8")?;
    Ok(Duration::from_secs_f64(3600.0 * hours))
}

impl Build {
    pub(super) fn run(self) -> anyhow::Result<()> {
        let engine = self.engine.clone().for_judging();
        let (options, loaded) = engine.read()?.resolve_with_backend()?;
        let player = output::network(&options, loaded);
        let player = player.unwrap_or_else(|| "random playouts".to_owned());
        let (size, rules) = (options.board(), &*options.rules);
        with_game!(&options.game, size, rules: rules, |empty| self.grow(&empty, &options, player))?
    }

    fn grow<G: Game>(
        &self,
        empty: &G,
        options: &EngineOptions,
        player: String,
    ) -> anyhow::Result<()> {
        let name = || self.file.display().to_string();
        let (moves, start) = walk(empty, &self.from).context("--from")?;
        let opened = BookFile::open(&self.file, &BookMeta::of(empty));
        let (file, mut meta, book) = opened.with_context(name)?;
        if !meta.player.is_empty() && meta.player != player {
            let before = &meta.player;
            tell(&format!("searched so far by {before}, now by {player}"));
        }
        meta.player = player;
        let stop = stop_on_ctrl_c()?;
        let clock: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let mut work = Work {
            file,
            meta,
            growth: Growth::new(book, empty, moves),
            engine: registry::create(options, empty.size(), &clock)?,
            visits: options.visits.unwrap_or(VISITS),
        };
        let (mut steps, mut shown) = (0, clock.now());
        let is_done = loop {
            let is_over = self.hours.is_some_and(|most| clock.now() >= most);
            if stop.is_raised() || is_over || self.steps.is_some_and(|most| steps >= most) {
                break false;
            }
            let Some(place) = work.growth.next().with_context(name)? else {
                break true;
            };
            work.step(empty, &place, &*clock).with_context(name)?;
            steps += 1;
            if clock.now() >= shown + PROGRESS {
                shown = clock.now();
                let moves = format_moves(&place.moves, empty.size());
                tell(&format!("{} after {moves}", work.text(empty)));
            }
        };
        let is_reached = work.growth.book().searched(start.key()).is_some();
        let rest = match (is_done, is_reached) {
            (true, _) => ": there is nothing left to search",
            (false, true) => "",
            (false, false) => ": it is yet to be searched from there",
        };
        let text = work.text(empty);
        tell(&format!("{}, {text}{rest}", counted(steps, "search")));
        // An interrupted process runs no destructors, and the file has to be closed.
        drop(work);
        match stop.is_raised() {
            true => end_as_interrupted(),
            false => Ok(()),
        }
    }
}

/// A book that is being built.
struct Work<G> {
    file: BookFile,
    meta: BookMeta,
    growth: Growth<G>,
    engine: Box<dyn Engine>,
    visits: u64,
}

impl<G: Game> Work<G> {
    /// Searches a position, and saves what was found.
    fn step(&mut self, empty: &G, place: &Place<G>, clock: &dyn Clock) -> anyhow::Result<()> {
        let began = clock.now();
        let position = place.images.position();
        let report = match position.outcome() {
            // Its result may depend on what the players agree on: what was expected stays.
            Some(_) => None,
            None => Some(self.search(empty, place)?),
        };
        let (key, kept) = self.growth.add(place, report.as_ref());
        self.meta.steps += 1;
        self.meta.seconds += clock.now().saturating_sub(began).as_secs_f64();
        self.file.add(&self.meta, [(key, &kept)])?;
        Ok(())
    }

    /// Searches a position without its moves to avoid.
    fn search(&mut self, empty: &G, place: &Place<G>) -> anyhow::Result<SearchReport> {
        if !place.avoid.is_empty() {
            // The visits of the position's first search are not for its other moves.
            self.engine.clear();
        }
        let mut record = GameRecord::of(empty);
        for (&mv, color) in place.moves.iter().zip(Color::BOTH.into_iter().cycle()) {
            let vertex = Vertex::of(mv, empty.size());
            record.push(Play { color, vertex });
        }
        self.engine.load(&record)?;
        let effort = AnalysisEffort::visits(self.visits);
        let options = AnalysisOptions {
            avoid: place.avoid.clone(),
            ..AnalysisOptions::default()
        };
        let color = self.engine.to_move();
        let request = AnalysisRequest::new(color, effort, &StopFlag::new()).with(options);
        let report = self.engine.analyse(&request, &mut |_| {});
        let report = report.filter(|report| !report.moves.is_empty());
        report.context("the engine's log says why there was no search")
    }

    /// Size and value of the book.
    fn text(&self, empty: &G) -> String {
        let book = self.growth.book();
        let value = match book.value(Images::of_empty(empty).key()) {
            Some((_, Some(proof))) => format!(", {}", proof_text(proof)),
            Some((value, None)) => format!(", value {value:+.3} for Black"),
            None => String::new(),
        };
        format!("{}{value}", counted(book.len(), "position"))
    }
}
