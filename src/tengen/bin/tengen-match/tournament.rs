//! `tengen-match tournament`: several engines, from a TOML file to a rating list. `tengen-match elo`: ratings from result
//! files.

use std::collections::BTreeMap;
use std::fs;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use tengen::referee::results::{self, GameEntry, MatchTerms};
use tengen::referee::{
    Complaints, EngineSpec, Failures, Format, RatingTable, ScoreBoard, schedule,
};

use crate::options::{MatchOptions, check_engines, read_toml};
use crate::output::{Interrupt, exit_code, print, print_json, tell};
use crate::record;
use crate::session::{MOST_GAMES, Played, RESULTS, Session, Watch};

/// Meetings that fit on one progress line.
const SHOWN_MEETINGS: usize = 6;

/// Play a round robin or a gauntlet, then rate all engines.
///
/// The engines are listed in a TOML file: format = "round-robin" or "gauntlet" (the first engine
/// meets all others), games-each = N, optionally anchor = "NAME", and a list of [[engine]] with
/// name, command and, where needed, folder, protocol and info, as for `play --engines`. The folder
/// also gets ratings.txt. All engines are started before the first game. One that later cannot be
/// started again loses its next two games and misses the others.
#[derive(Args)]
pub(crate) struct TournamentArgs {
    /// The TOML file, also /dev/stdin
    file: PathBuf,
    #[command(flatten)]
    options: MatchOptions,
}

/// Content of the TOML file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Tournament {
    /// Who meets whom.
    format: Format,
    /// Games of each meeting.
    games_each: usize,
    /// The engine with the rating 0; by default the first one.
    anchor: Option<String>,
    /// Who plays.
    engine: Vec<EngineSpec>,
}

/// Report of a tournament.
#[derive(Serialize)]
struct TournamentReport {
    /// The rating list.
    #[serde(flatten)]
    table: RatingTable,
    /// Games lost by misbehaviour.
    failures: Failures,
    /// Complaints on engines' error streams.
    complaints: Complaints,
}

/// Runs the subcommand `tournament`.
pub(crate) fn run(args: &TournamentArgs, interrupt: &Interrupt) -> Result<ExitCode> {
    let tournament: Tournament = read_toml(&args.file)?;
    let (file, engines) = (args.file.display(), &tournament.engine);
    ensure!(engines.len() >= 2, "{file}: a tournament needs two engines");
    ensure!(
        tournament.games_each > 0,
        "{file}: games-each must be at least 1"
    );
    check_engines(engines)?;
    let meetings = meetings(&tournament);
    ensure!(
        tournament.games_each <= MOST_GAMES / meetings.len(),
        "{file}: games-each {}: a tournament has at most {MOST_GAMES} games",
        tournament.games_each
    );
    let anchor = tournament.anchor.as_ref().unwrap_or(&engines[0].name);
    ensure!(
        engines.iter().any(|engine| engine.name == *anchor),
        "{file}: the anchor `{anchor}` is not one of its engines"
    );
    let fixtures = schedule(engines.len(), tournament.format, tournament.games_each);
    let session = Session::new(&args.options, engines.clone(), fixtures, interrupt)?;
    args.options.warn_of_load();
    let state = |board: &ScoreBoard| scores(&meetings, board);
    let Played { games, ended } = session.play(&Watch::of(&state))?;
    let code = exit_code(games.iter().any(GameEntry::is_troubled));
    let reports = meetings.iter().map(|names| {
        let theirs = games.iter().filter(|game| {
            [&game.black, &game.white]
                .iter()
                .all(|name| names.contains(&name.as_str()))
        });
        session.report(*names, &theirs.cloned().collect::<Vec<_>>())
    });
    record::keep(&args.options.out, &reports.collect::<Vec<_>>())?;
    let size = session.size();
    let report = TournamentReport {
        failures: Failures::of(&ScoreBoard::of(size, &games)),
        complaints: Complaints::of(&games),
        table: match RatingTable::new(size, &[games], anchor) {
            Ok(table) => table,
            // Why games are missing is why there are no ratings.
            Err(error) => return Err(ended.err().unwrap_or(error).into()),
        },
    };
    let table = report.table.to_string();
    let out = &args.options.out;
    let path = out.join("ratings.txt");
    fs::write(&path, &table).with_context(|| path.display().to_string())?;
    if args.options.json {
        print_json(&report)?;
    } else {
        let (failures, complaints) = (&report.failures, &report.complaints);
        print(format_args!("{table}{failures}{complaints}"))?;
        print(format_args!("Games and ratings are in {}\n", out.display()))?;
    }
    ended.context("not all games could be played")?;
    Ok(code)
}

/// The engines of all meetings, each meeting once.
fn meetings(tournament: &Tournament) -> Vec<[&str; 2]> {
    let one_pair = schedule(tournament.engine.len(), tournament.format, 1);
    let names = |engines: [usize; 2]| engines.map(|engine| tournament.engine[engine].name.as_str());
    one_pair
        .iter()
        .map(|fixture| names(fixture.engines))
        .collect()
}

/// The score of every meeting, as far as they fit on a line.
fn scores(meetings: &[[&str; 2]], board: &ScoreBoard) -> String {
    let shown = meetings.iter().take(SHOWN_MEETINGS).map(|[first, second]| {
        let score = board.meeting(first, second);
        format!(
            "{first} v {second} {}-{}-{}",
            score.wins, score.draws, score.losses
        )
    });
    let mut words: Vec<String> = shown.collect();
    if meetings.len() > SHOWN_MEETINGS {
        words.push(format!("and {} more", meetings.len() - SHOWN_MEETINGS));
    }
    words.join(", ")
}

/// Rate all engines of one or more result files.
///
/// The model is that of Bradley and Terry, as in Ordo and BayesElo, without a parameter for colours:
/// openings are played with both. Two engines are as far apart as in their match, but for a drawn
/// game that is added, so that an engine that won everything has a rating, too (Firth's penalised
/// likelihood).
#[derive(Args)]
pub(crate) struct EloArgs {
    /// Result files, or the folders of matches
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Engine with the rating 0 [default: the first engine of the first file]
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Runs the subcommand `elo`.
pub(crate) fn run_elo(args: &EloArgs) -> Result<()> {
    let files = read_all(&args.files)?;
    check_comparable(&files)?;
    let first = &files[0].0;
    let named = first.engines.first().map(|engine| engine.name.clone());
    let anchor = args.anchor.clone().or(named);
    let anchor = anchor.context("the first file names no engine; give --anchor")?;
    let size = first.board();
    let games: Vec<Vec<GameEntry>> = files.into_iter().map(|(_, games)| games).collect();
    // Not on the standard output, which may be read as JSON.
    games.iter().for_each(|games| tell(Complaints::of(games)));
    let table = RatingTable::new(size, &games, &anchor)?;
    match args.json {
        true => print_json(&table),
        false => print(&table),
    }
}

/// Reads result files, or those in the folders of matches.
pub(crate) fn read_all(paths: &[PathBuf]) -> Result<Vec<(MatchTerms, Vec<GameEntry>)>> {
    let read = |path: &PathBuf| match path.is_dir() {
        true => results::read(&path.join(RESULTS)),
        false => results::read(path),
    };
    Ok(paths.iter().map(read).collect::<Result<_, _>>()?)
}

/// Refuses files of different games; warns if one name has two command lines.
fn check_comparable(files: &[(MatchTerms, Vec<GameEntry>)]) -> Result<()> {
    let mut commands = BTreeMap::new();
    let game = |terms: &MatchTerms| {
        let rules = terms.rules.as_deref();
        let rules = rules.map_or(String::new(), |rules| format!(" ({rules})"));
        format!("{} {}{rules}", terms.game, terms.board())
    };
    for (terms, _) in files {
        let (first, other) = (game(&files[0].0), game(terms));
        ensure!(first == other, "cannot rate {first} together with {other}");
        for engine in &terms.engines {
            let known = commands.entry(&engine.name).or_insert(&engine.command);
            if *known != &engine.command {
                tell(format_args!(
                    "warning: {} is both `{known}` and `{}`; they are rated as one\n",
                    engine.name, engine.command
                ));
            }
        }
    }
    Ok(())
}
