//! `tengen-match clock`: engines' use of their clocks in finished matches.

use std::path::PathBuf;

use anyhow::Result;
use clap::Args;
use tengen::referee::results::GameEntry;
use tengen::referee::{ClockReport, Complaints, visits_by_ply_svg};

use crate::elo::{read_all, write};
use crate::output::{print, print_json, tell};

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
    /// Also draw each engine's visits by ply
    #[arg(long, value_name = "FILE.svg")]
    svg: Option<PathBuf>,
}

/// Runs the subcommand.
pub(crate) fn run(args: &ClockArgs) -> Result<()> {
    let mut names: Vec<String> = Vec::new();
    let mut games: Vec<GameEntry> = Vec::new();
    for (terms, entries) in read_all(&args.files)? {
        for engine in terms.engines {
            if !names.contains(&engine.name) {
                names.push(engine.name);
            }
        }
        games.extend(entries);
    }
    tell(Complaints::of(&games));
    let reports: Vec<ClockReport> = names
        .iter()
        .map(|name| ClockReport::new(name, &games))
        .collect();
    if args.json {
        print_json(&reports)?;
    } else {
        reports.iter().try_for_each(print)?;
    }
    args.svg
        .as_ref()
        .map_or(Ok(()), |path| write(path, &visits_by_ply_svg(&reports)))
}
