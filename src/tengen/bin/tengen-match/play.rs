//! `tengen-match play`: a match of a fixed number of games between two engines.

use std::path::{Path, PathBuf};

use anyhow::{Result, ensure};
use clap::Args;
use tengen::referee::results::GameEntry;
use tengen::referee::{
    EngineProtocol, EngineSpec, Fixture, Format, MatchReport, RefereedGame, ScoreBoard, schedule,
};

use super::output::Interrupt;
use crate::options::{MatchOptions, check_engines, read_engines};
use crate::outcome::Outcome;
use crate::output::{print, print_json};
use crate::record;
use crate::session::{Session, SessionObserver};

/// Play a match between two engines: colour-swapped pairs on different openings.
#[derive(Args)]
pub(crate) struct PlayArgs {
    #[command(flatten)]
    pub(crate) players: Players,
    /// Number of games
    #[arg(long, default_value_t = 100, value_name = "N")]
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
    #[arg(long, value_name = "PROTOCOL")]
    first_protocol: Option<EngineProtocol>,
    /// Protocol of the second engine
    #[arg(long, value_name = "PROTOCOL")]
    second_protocol: Option<EngineProtocol>,
    /// TOML file that defines engines: a list of [[engine]] with name, command, folder if it runs in
    /// another one, and protocol if it is not gtp; a Gomocup program also has info = { max_node =
    /// 600000 }, or what else it knows
    #[arg(long, value_name = "FILE")]
    engines: Option<PathBuf>,
}

impl Players {
    /// Both engines, with their names.
    pub(crate) fn specs(&self) -> Result<[EngineSpec; 2]> {
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
        let specs = [
            spec(&self.first, &self.first_name, self.first_protocol, "first"),
            spec(
                &self.second,
                &self.second_name,
                self.second_protocol,
                "second",
            ),
        ];
        check_engines(&specs)?;
        Ok(specs)
    }
}

/// A match of two engines.
pub(crate) struct PairMatch {
    pub(crate) engines: [EngineSpec; 2],
    rules: Box<dyn RefereedGame>,
    fixtures: Vec<Fixture>,
}

impl PairMatch {
    /// This many games of these players.
    pub(crate) fn new(
        players: &Players,
        options: &MatchOptions,
        games: usize,
    ) -> Result<PairMatch> {
        let engines = players.specs()?;
        let rules = options.rules()?;
        options.warn_of_load();
        Ok(PairMatch {
            fixtures: schedule(engines.len(), Format::RoundRobin, games),
            engines,
            rules,
        })
    }

    /// Its session.
    pub(crate) fn session<'a>(
        &'a self,
        options: &'a MatchOptions,
        interrupt: &'a Interrupt,
    ) -> Session<'a> {
        Session {
            options,
            rules: self.rules.as_ref(),
            engines: &self.engines,
            fixtures: &self.fixtures,
            conditions: options.conditions(),
            interrupt,
        }
    }

    /// The report of its games.
    pub(crate) fn report(&self, games: &[GameEntry]) -> MatchReport {
        let [first, second] = &self.engines;
        MatchReport::new([&first.name, &second.name], self.rules.size(), games)
    }
}

/// Runs the subcommand.
pub(crate) fn run(args: &PlayArgs, interrupt: &Interrupt) -> Result<Outcome> {
    ensure!(args.games > 0, "--games must be at least 1");
    let pair = PairMatch::new(&args.players, &args.options, args.games)?;
    let session = pair.session(&args.options, interrupt);
    let games = session.play(&ScorePrinter {
        engines: &pair.engines,
    })?;
    let report = pair.report(&games);
    record::keep(&args.options.out, std::slice::from_ref(&report))?;
    print_report(&report, args.options.json, &args.options.out)?;
    Ok(Outcome::of(&games))
}

/// Prints a report as text or JSON.
pub(crate) fn print_report(report: &MatchReport, json: bool, out: &Path) -> Result<()> {
    if json {
        print_json(report)
    } else {
        print(report)?;
        print(format_args!("Games are in {}\n", out.display()))
    }
}

/// Shows the running score.
struct ScorePrinter<'a> {
    engines: &'a [EngineSpec; 2],
}

impl SessionObserver for ScorePrinter<'_> {
    fn state(&self, board: &ScoreBoard) -> String {
        let [first, second] = self.engines;
        let score = board.meeting(&first.name, &second.name);
        format!("{} {}", first.name, score.summary())
    }
}
