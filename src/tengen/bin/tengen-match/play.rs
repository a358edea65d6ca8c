//! Matches between two engines: `tengen-match play`, with a fixed number of games, and `tengen-match sprt`, a sequential
//! test.

use std::fmt::Display;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use tengen::referee::results::GameEntry;
use tengen::referee::{EngineProtocol, EngineSpec, Format, MatchReport, ScoreBoard, schedule};
use tengen::stats::{Sprt, Verdict};

use crate::options::{MatchOptions, check_engines, parse_name, parse_positive, read_engines};
use crate::output::{Interrupt, exit_code, print, print_json};
use crate::record;
use crate::session::{MOST_GAMES, Played, Session, Watch};

/// Play a match between two engines: colour-swapped pairs on different openings.
#[derive(Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    players: Players,
    /// Number of games
    #[arg(long, default_value_t = 100, value_name = "N", value_parser = parse_positive::<usize>)]
    games: usize,
    #[command(flatten)]
    options: MatchOptions,
}

/// The two engines of a match.
#[derive(Args)]
pub(crate) struct Players {
    /// First engine: a command line, or a name from --engines
    #[arg(long, value_name = "COMMAND")]
    first: String,
    /// Second engine, in the same form
    #[arg(long, value_name = "COMMAND")]
    second: String,
    /// The first engine's name in the results
    #[arg(long, value_name = "NAME")]
    first_name: Option<String>,
    /// The second engine's name in the results
    #[arg(long, value_name = "NAME")]
    second_name: Option<String>,
    /// Protocol of the first engine: gtp, or gomocup for Gomoku programs [default: gtp]
    #[arg(long, value_name = "PROTOCOL", value_parser = parse_name::<EngineProtocol>)]
    first_protocol: Option<EngineProtocol>,
    /// Protocol of the second engine
    #[arg(long, value_name = "PROTOCOL", value_parser = parse_name::<EngineProtocol>)]
    second_protocol: Option<EngineProtocol>,
    /// TOML file that defines engines, such as a tournament's: a list of [[engine]] with name, command, folder if it runs in
    /// another one, and protocol if it is not gtp; a Gomocup program also has info = { max_node =
    /// 600000 }, or what else it knows
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
}

impl Players {
    /// Both engines, with their names.
    fn specs(&self) -> Result<Vec<EngineSpec>> {
        let known = match &self.engines {
            Some(path) => read_engines(path)?,
            None => Vec::new(),
        };
        let spec = |asked: &str, name: &Option<String>, protocol, default: &str| {
            let found = known.iter().find(|engine| engine.name == asked).cloned();
            let mut spec = found.unwrap_or_else(|| EngineSpec::new(default, asked));
            if let Some(name) = name {
                spec.name.clone_from(name);
            }
            if let Some(protocol) = protocol {
                spec.protocol = protocol;
            }
            spec
        };
        let (first, second) = (self.first_protocol, self.second_protocol);
        let specs = vec![
            spec(&self.first, &self.first_name, first, "first"),
            spec(&self.second, &self.second_name, second, "second"),
        ];
        check_engines(&specs)?;
        Ok(specs)
    }
}

/// This many games of these players.
pub(crate) fn session<'a>(
    players: &Players,
    options: &'a MatchOptions,
    games: usize,
    interrupt: &'a Interrupt,
) -> Result<Session<'a>> {
    ensure!(
        games <= MOST_GAMES,
        "--games {games}: a match has at most {MOST_GAMES} games"
    );
    let engines = players.specs()?;
    let fixtures = schedule(engines.len(), Format::RoundRobin, games);
    let session = Session::new(options, engines, fixtures, interrupt)?;
    options.warn_of_load();
    Ok(session)
}

/// Runs the subcommand `play`.
pub(crate) fn run(args: &PlayArgs, interrupt: &Interrupt) -> Result<ExitCode> {
    let options = &args.options;
    let session = session(&args.players, options, args.games, interrupt)?;
    let [first, second] = session.pair();
    let state = |board: &ScoreBoard| format!("{first} {}", board.meeting(first, second).summary());
    let played = session.play(&Watch::of(&state))?;
    let report = session.report([first, second], &played.games);
    record::keep(&options.out, std::slice::from_ref(&report))?;
    finish(options, played, &report, &report)
}

/// Prints the report of a match, as JSON or as text, and returns the exit code.
pub(crate) fn finish(
    options: &MatchOptions,
    played: Played,
    json: &impl Serialize,
    text: impl Display,
) -> Result<ExitCode> {
    match options.json {
        true => print_json(json)?,
        false => print(format_args!(
            "{text}Games are in {}\n",
            options.out.display()
        ))?,
    }
    played.ended?;
    Ok(exit_code(played.games.iter().any(GameEntry::is_troubled)))
}

/// Test whether the first engine is stronger: a generalised SPRT on colour-swapped pairs.
///
/// The match stops when it is decided between "stronger by elo1" and "stronger by elo0", each with an
/// error of 5%, or after the maximum number of games. A stopped test can be continued with more games
/// only if it was undecided.
#[derive(Args)]
pub(crate) struct SprtArgs {
    #[command(flatten)]
    players: Players,
    /// Null hypothesis: the first engine is stronger by this much
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Alternative: it is stronger by this much
    #[arg(long, default_value_t = 20.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Maximum number of games
    #[arg(long, default_value_t = 3000, value_name = "N")]
    games: usize,
    #[command(flatten)]
    options: MatchOptions,
}

/// Report of a test.
#[derive(Serialize)]
struct SprtReport {
    /// The test.
    test: Sprt,
    /// Logarithm of the likelihood ratio.
    llr: f64,
    /// The bounds of the ratio.
    bounds: (f64, f64),
    /// The verdict.
    verdict: Verdict,
    /// The match.
    #[serde(flatten)]
    report: MatchReport,
}

/// Runs the subcommand `sprt`.
pub(crate) fn run_sprt(args: &SprtArgs, interrupt: &Interrupt) -> Result<ExitCode> {
    ensure!(
        args.games >= 2,
        "--games must be at least 2: the test counts pairs"
    );
    let test = Sprt::new(args.elo0, args.elo1)?;
    let options = &args.options;
    let session = session(&args.players, options, args.games, interrupt)?;
    let [first, second] = session.pair();
    let state = |board: &ScoreBoard| {
        let score = board.meeting(first, second);
        let (lower, upper) = test.bounds();
        let llr = test.llr(&score.pairs);
        let summary = score.summary();
        format!("LLR {llr:+.2} ({lower:+.2}, {upper:+.2})  {first} {summary}")
    };
    let is_decided = |board: &ScoreBoard| {
        let pairs = board.meeting(first, second).pairs;
        test.verdict(&pairs) != Verdict::Continue
    };
    let played = session.play(&Watch {
        is_decided: &is_decided,
        ..Watch::of(&state)
    })?;
    let report = session.report([first, second], &played.games);
    record::keep(&options.out, std::slice::from_ref(&report))?;
    let report = SprtReport {
        test,
        llr: test.llr(&report.counts.pairs),
        bounds: test.bounds(),
        verdict: test.verdict(&report.counts.pairs),
        report,
    };
    let (lower, upper) = report.bounds;
    let meaning = match report.verdict {
        Verdict::AcceptElo0 => format!("accepted: {:+} Elo (H0)", test.elo0),
        Verdict::AcceptElo1 => format!("accepted: {:+} Elo (H1)", test.elo1),
        Verdict::Continue => "undecided".to_owned(),
    };
    let text = format!(
        "{}  LLR {:+.2} in ({lower:+.2}, {upper:+.2}); {meaning}\n",
        report.report, report.llr
    );
    finish(options, played, &report, text)
}
