//! `tengen-match elo`: ratings from result files.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::Args;
use tengen::referee::results::{self, GameEntry, MatchTerms};
use tengen::referee::{Complaints, RatingTable};

use crate::output::{print, print_json, tell};
use crate::session::RESULTS;

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

/// Runs the subcommand.
pub(crate) fn run(args: &EloArgs) -> Result<()> {
    let files = read_all(&args.files)?;
    check_comparable(&files)?;
    let first = files.first().and_then(|(terms, _)| terms.engines.first());
    let anchor = match (&args.anchor, first) {
        (Some(anchor), _) => anchor.clone(),
        (None, Some(engine)) => engine.name.clone(),
        (None, None) => bail!("the first file names no engine; give --anchor"),
    };
    let size = files[0].0.board();
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
    for (terms, _) in files {
        let game = |terms: &MatchTerms| {
            let rules = terms.rules.as_deref();
            let rules = rules.map_or(String::new(), |rules| format!(" ({rules})"));
            format!("{} {}x{}{rules}", terms.game, terms.width, terms.height)
        };
        if let Some((first, _)) = files.first()
            && game(first) != game(terms)
        {
            bail!("cannot rate {} together with {}", game(first), game(terms));
        }
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
