//! `tengen-match play`: a match of a fixed number of games between two engines.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use clap::Args;
use tengen::referee::{EngineProtocol, EngineSpec, Format, ScoreBoard, schedule};

use crate::options::{MatchOptions, check_engines, read_engines};
use crate::output::{Interrupt, Outcome, print, print_json};
use crate::record;
use crate::session::Session;

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

/// This many games of these players.
pub(crate) fn session<'a>(
    players: &Players,
    options: &'a MatchOptions,
    games: usize,
    interrupt: &'a Interrupt,
) -> Result<Session<'a>> {
    let engines = players.specs()?.to_vec();
    let fixtures = schedule(engines.len(), Format::RoundRobin, games);
    let session = Session::new(options, engines, fixtures, interrupt)?;
    options.warn_of_load();
    Ok(session)
}

/// Runs the subcommand.
pub(crate) fn run(args: &PlayArgs, interrupt: &Interrupt) -> Result<Outcome> {
    ensure!(args.games > 0, "--games must be at least 1");
    let options = &args.options;
    let session = session(&args.players, options, args.games, interrupt)?;
    let [first, second] = session.pair();
    let games = session.play(&|board: &ScoreBoard| {
        format!("{first} {}", board.meeting(first, second).summary())
    })?;
    let report = session.report([first, second], &games);
    record::keep(&options.out, std::slice::from_ref(&report))?;
    if options.json {
        print_json(&report)?;
    } else {
        print(&report)?;
        print_folder(options)?;
    }
    Ok(Outcome::of(&games))
}

/// Prints where the games are.
pub(crate) fn print_folder(options: &MatchOptions) -> Result<()> {
    print(format_args!("Games are in {}\n", options.out.display()))
}
