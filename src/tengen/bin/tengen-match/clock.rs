//! `tengen-match clock`: engines' use of their clocks in finished matches. `tengen-match clock-rig`: tests whether an
//! engine ever loses on time.

use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::thread;

use anyhow::{Context as _, Result, ensure};
use clap::Args;
use tengen::referee::results::GameEntry;
use tengen::referee::{
    ClockReport, ClockSimulation, Complaints, MatchTimeControl, ScoreBoard, TimeReports,
};

use crate::options::{MatchOptions, parse, parse_name, parse_positive};
use crate::output::{Interrupt, print, print_json, tell};
use crate::play::{self, Players};
use crate::session::Watch;
use crate::tournament::read_all;

/// Report how the engines of one or more result files used their clocks.
///
/// Engines of the same name in several files are combined.
#[derive(Args)]
pub(crate) struct ClockArgs {
    /// Result files, or the folders of matches
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand `clock`.
pub(crate) fn run(args: &ClockArgs) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    let mut games: Vec<GameEntry> = Vec::new();
    for (terms, entries) in read_all(&args.files)? {
        for engine in terms.engines {
            if !names.contains(&engine.name) {
                names.push(engine.name);
            }
        }
        tell(Complaints::of(&entries));
        games.extend(entries);
    }
    let reports: Vec<ClockReport> = names
        .iter()
        .map(|name| ClockReport::new(name, &games))
        .collect();
    match args.json {
        true => print_json(&reports),
        false => reports.iter().try_for_each(print),
    }
}

/// Play many games under adverse clock conditions, and report the use of the clock.
///
/// Use a very short --time. Lag and stalls are added to the measured time of every move, as by a
/// slow connection; the load consists of busy threads beside the engines.
#[derive(Args)]
pub(crate) struct ClockRigArgs {
    #[command(flatten)]
    players: Players,
    /// Number of games
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = parse_positive::<usize>)]
    games: usize,
    /// How time_left tells the time: exact; never; down, nearest or up (whole seconds); late (as it
    /// was before the last move); late-up
    #[arg(long, default_value = "exact", value_name = "HOW", value_parser = parse_name::<TimeReports>)]
    time_left: TimeReports,
    /// Each clock starts with the second move of its side
    #[arg(long)]
    starts_late: bool,
    /// Mean lag of a move in milliseconds, exponentially distributed
    #[arg(long, default_value_t = 0.0, value_name = "MS", value_parser = parse_milliseconds)]
    lag: f64,
    /// Lag of all moves of a side in a game in milliseconds, drawn from 0 to this for each game
    #[arg(long, default_value_t = 0.0, value_name = "MS", value_parser = parse_milliseconds)]
    game_lag: f64,
    /// Percentage of moves that stall
    #[arg(long, default_value_t = 0.0, value_name = "PERCENT", value_parser = parse_percentage)]
    stalls: f64,
    /// Length of a stall in milliseconds
    #[arg(long, default_value_t = 1000.0, value_name = "MS", value_parser = parse_milliseconds)]
    stall: f64,
    /// Busy threads beside the engines
    #[arg(long, default_value_t = 0, value_name = "N")]
    load: usize,
    #[command(flatten)]
    options: MatchOptions,
}

/// A lag, at most an hour.
fn parse_milliseconds(text: &str) -> Result<f64, String> {
    let fits = |time: &f64| (0.0..=3_600_000.0).contains(time);
    parse(text, fits, "write milliseconds, 0 to 3600000")
}

fn parse_percentage(text: &str) -> Result<f64, String> {
    let fits = |share: &f64| (0.0..=100.0).contains(share);
    parse(text, fits, "write a percentage, 0 to 100")
}

/// Runs the subcommand `clock-rig`.
pub(crate) fn run_rig(args: &ClockRigArgs, interrupt: &Interrupt) -> Result<ExitCode> {
    ensure!(
        args.options.time != MatchTimeControl::None,
        "a clock rig needs --time"
    );
    let options = &args.options;
    let mut session = play::session(&args.players, options, args.games, interrupt)?;
    session.terms.conditions = ClockSimulation {
        time_reports: args.time_left,
        starts_late: args.starts_late,
        game_lag_seconds: args.game_lag / 1000.0,
        mean_lag_seconds: args.lag / 1000.0,
        stall_share: args.stalls / 100.0,
        stall_seconds: args.stall / 1000.0,
        ..session.terms.conditions
    };
    let pair = session.pair();
    let state = |board: &ScoreBoard| {
        let losses = pair.map(|engine| format!("{engine} {}", board.time_losses(engine)));
        format!("losses on time: {}", losses.join(", "))
    };
    for _ in 0..args.load {
        let thread = thread::Builder::new().spawn(load);
        thread.context("cannot start a thread")?;
    }
    let played = session.play(&Watch::of(&state))?;
    let reports = pair.map(|engine| ClockReport::new(engine, &played.games));
    let [first, second] = &reports;
    let text = format!("{}{first}{second}", session.report(pair, &played.games));
    play::finish(options, played, &reports, text)
}

/// Keeps a processor busy until the program ends.
fn load() {
    let mut count = 0_u64;
    loop {
        count = black_box(count.wrapping_add(1));
    }
}
