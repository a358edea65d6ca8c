//! `tengen-match openings`: a book of balanced openings, judged by an engine.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use tengen::game::Move;
use tengen::gtp::format_moves;
use tengen::record::file;
use tengen::referee::{
    ClockSimulation, EngineSpec, FinishedGame, Fixture, GameTerms, MatchPlan, MatchTimeControl,
    RefereedGame,
};

use crate::options::{GameOptions, parse_positive, read_text};
use crate::output::{Interrupt, Progress, exit_code, print, tell};
use crate::session::steady_clock;

/// Random openings of a book, unless --count says otherwise.
const USUAL_COUNT: usize = 1000;
/// Random attempts per opening before giving up.
const CANDIDATES_PER_OPENING: usize = 10;
/// What a book begins with.
const TITLE: &str = "# Openings for ";
/// Openings in a row on which the judge fails before giving up.
const MAX_FAILURES: u32 = 3;

/// Write a book of balanced openings: random plies, distinct up to symmetry, or the openings of another book, judged by
/// an engine.
///
/// The judge is asked for one move after each opening and for its report (command tengen-report, words
/// `value V` with V in -1..1 for the mover).
#[derive(Args)]
pub(crate) struct OpeningsArgs {
    #[command(flatten)]
    game: GameOptions,
    /// Judge the openings of this book, not random ones: what another program finds balanced
    #[arg(long, value_name = "FILE", conflicts_with_all = ["random_plies", "seed"])]
    from: Option<PathBuf>,
    /// The judging engine's command line
    #[arg(long, value_name = "COMMAND")]
    judge: String,
    /// Number of openings [default: 1000; with --from as many of its book as are balanced]
    #[arg(long, value_name = "N", value_parser = parse_positive::<usize>)]
    count: Option<usize>,
    /// Keep an opening when Black's expected score is this close to one half
    #[arg(long, default_value_t = 0.1)]
    tolerance: f64,
    /// The book to write; meanwhile a folder of this name with .judge contains the judge's stderr
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
}

/// Runs the subcommand.
pub(crate) fn run(args: &OpeningsArgs, interrupt: &Interrupt) -> Result<ExitCode> {
    ensure!(args.tolerance > 0.0, "--tolerance must be positive");
    ensure!(
        args.game.random_plies > 0,
        "--random-plies must be at least 1: a book has no empty opening"
    );
    let rules = args.game.refereed(None)?;
    let candidates = args.candidates(rules.as_ref())?;
    // Of another book as many as are balanced.
    let usual = args.from.is_none().then_some(USUAL_COUNT);
    let wanted = args.count.or(usual);
    let (least, most) = (wanted.unwrap_or(1), wanted.unwrap_or(candidates.len()));
    let stderr_dir = args.out.with_extension("judge");
    fs::create_dir_all(&stderr_dir).with_context(|| stderr_dir.display().to_string())?;
    let is_book = |old: &Path| file::read_text(old).is_ok_and(|old| old.starts_with(TITLE));
    file::check_kind(&args.out, "a book of openings", is_book)
        .with_context(|| args.out.display().to_string())?;
    let mut judging = Judging {
        args,
        kept: BTreeMap::new(),
        judged: 0,
        failures: 0,
        complaint: None,
    };
    let mut progress = Progress::new(most);
    // The judge plays one move of each game, so that all of a match must be of one length.
    let lengths: BTreeSet<usize> = candidates.iter().map(Vec::len).collect();
    for length in lengths {
        if judging.kept.len() == most {
            break;
        }
        let judge = |name: &str| EngineSpec::new(name, &args.judge);
        let plan = MatchPlan {
            rules: rules.as_ref(),
            engines: &[judge("black"), judge("white")],
            openings: &candidates,
            terms: args.terms(length),
            command_limit: Duration::from_secs(60),
            concurrency: args.game.concurrency,
            stderr_dir: &stderr_dir,
            clock: steady_clock(),
            live: None,
            guard: std::env::current_exe().ok(),
        };
        let judged = judging.judge_all(&plan, length, most, &mut progress, interrupt);
        judged.inspect_err(|_| progress.finish())?;
    }
    progress.finish();
    ensure!(
        judging.kept.len() >= least,
        "only {} of {} openings are balanced; take more {} or a wider --tolerance",
        judging.kept.len(),
        candidates.len(),
        args.from.as_ref().map_or("plies", |_| "of them"),
    );
    judging.write(&candidates)?;
    judging.end(&stderr_dir)
}

impl OpeningsArgs {
    /// The openings to judge.
    fn candidates(&self, rules: &dyn RefereedGame) -> Result<Vec<Vec<Move>>> {
        match &self.from {
            Some(path) => rules
                .read_book(&read_text(path)?)
                .map(|book| book.openings)
                .with_context(|| path.display().to_string()),
            None => {
                let count = self.count.unwrap_or(USUAL_COUNT);
                let most = count.saturating_mul(CANDIDATES_PER_OPENING);
                let plies = self.game.random_plies;
                let openings = rules.random_openings(plies, most, self.game.seed);
                ensure!(
                    !openings.is_empty(),
                    "found no opening of {plies} random plies: take fewer --random-plies"
                );
                Ok(openings)
            }
        }
    }

    /// One move after an opening of this length.
    fn terms(&self, opening_len: usize) -> GameTerms {
        GameTerms {
            time: MatchTimeControl::None,
            margin: Duration::ZERO,
            move_limit: self.game.move_limit,
            max_moves: opening_len as u32 + 1,
            conditions: ClockSimulation::default(),
        }
    }
}

/// Openings under test.
struct Judging<'a> {
    args: &'a OpeningsArgs,
    /// Black's expected score of the balanced ones, by number.
    kept: BTreeMap<usize, f64>,
    /// Number of openings judged.
    judged: usize,
    /// Number of the last openings on which the judge failed.
    failures: u32,
    /// First complaint on the judge's error stream, or its first failure.
    complaint: Option<String>,
}

impl Judging<'_> {
    /// Judges the openings of this length, until `wanted` of all are balanced.
    fn judge_all(
        &mut self,
        plan: &MatchPlan,
        length: usize,
        wanted: usize,
        progress: &mut Progress,
        interrupt: &Interrupt,
    ) -> Result<()> {
        let openings = plan.openings.iter().enumerate();
        let of_length = openings.filter(|(_, moves)| moves.len() == length);
        let fixtures: Vec<Fixture> = of_length
            .map(|(opening, _)| Fixture {
                number: opening,
                pair: opening,
                engines: [0, 1],
                opening,
            })
            .collect();
        let found = Cell::new(self.kept.len());
        let judge = |finished: FinishedGame| match self.add(&finished) {
            Err(error) => ControlFlow::Break(Err(error)),
            Ok(kept) => {
                found.set(self.kept.len());
                if kept {
                    progress.game("openings kept");
                }
                match self.kept.len() < wanted {
                    true => ControlFlow::Continue(()),
                    false => ControlFlow::Break(Ok(())),
                }
            }
        };
        let stopped = plan.play(&fixtures, judge, |engines| {
            interrupt.end_if_asked(engines, || {
                format!(
                    "Interrupted with {} of {wanted} openings found. A book is only written when \
                     complete: nothing is kept, and the same command starts again.",
                    found.get(),
                )
            });
        });
        stopped?.unwrap_or(Ok(()))
    }

    /// Adds a game; true when an opening was accepted.
    fn add(&mut self, finished: &FinishedGame) -> Result<bool> {
        let FinishedGame { fixture, end, .. } = finished;
        if self.complaint.is_none() {
            let mut complaints = finished.complaints.iter();
            let trouble = complaints.find(|said| said.kind.is_trouble());
            self.complaint = trouble.map(|said| said.line.clone());
        }
        if end.reason.is_failure() {
            let detail = end.detail.as_deref().unwrap_or_default();
            let failure = format!("the judge failed ({}): {detail}", end.reason);
            self.failures += 1;
            if self.failures == MAX_FAILURES {
                bail!(failure);
            }
            self.complaint.get_or_insert(failure);
            return Ok(false);
        }
        self.failures = 0;
        let first = end.moves.first();
        let value = first.and_then(|played| Some((played.color, played.value()?)));
        let (color, value) = value.context("the judge reports no value (command tengen-report)")?;
        let black_score = f64::midpoint(1.0, color.signed(value));
        self.judged += 1;
        let balanced = (black_score - 0.5).abs() <= self.args.tolerance;
        if balanced {
            self.kept.insert(fixture.opening, black_score);
        }
        Ok(balanced)
    }

    /// Reports the result and returns the program's exit code. The judge's stderr is kept on errors.
    fn end(&self, stderr_dir: &Path) -> Result<ExitCode> {
        if self.complaint.is_none() {
            fs::remove_dir_all(stderr_dir).with_context(|| stderr_dir.display().to_string())?;
        }
        print(format_args!(
            "{} of {} judged openings are balanced; they are in {}\n",
            self.kept.len(),
            self.judged,
            self.args.out.display()
        ))?;
        if let Some(complaint) = &self.complaint {
            tell(format_args!(
                "WARNING: the judge complained or failed, and may not have judged as requested: \
                 {complaint}\nIts output is in {}\n",
                stderr_dir.display()
            ));
        }
        Ok(exit_code(self.complaint.is_some()))
    }

    /// Writes the book atomically.
    fn write(&self, candidates: &[Vec<Move>]) -> Result<()> {
        let (judge, tolerance) = (&self.args.judge, self.args.tolerance);
        let options = &self.args.game;
        let (game, size) = (&options.game, options.size());
        let rules = match options.rules.as_str() {
            "" => String::new(),
            rules => format!(" ({rules})"),
        };
        let source = match &self.args.from {
            Some(book) => format!("of {}", book.display()),
            None => format!(
                "{} random plies (seed {}), no two alike under symmetry",
                options.random_plies, options.seed
            ),
        };
        let mut text = format!(
            "{TITLE}{game} {size}{rules}: {source}.\n\
             # Black's expected score within {tolerance} of one half by the value of `{judge}`.\n"
        );
        for (&opening, score) in &self.kept {
            let moves = format_moves(&candidates[opening], size);
            writeln!(text, "{moves}  # {score:.3}")?;
        }
        let out = &self.args.out;
        file::write(out, text.as_bytes()).with_context(|| out.display().to_string())
    }
}
