//! `tengen-train fsck`: checks files for damage.

use std::path::PathBuf;

use clap::Parser;
use tengen_train::cycle::fsck::{Findings, check};

use tengen_train::command::print;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Files, and folders with all their content
    #[arg(required = true)]
    paths: Vec<PathBuf>,
    /// Print JSON, one object per path
    #[arg(long)]
    json: bool,
}

/// Runs the command; fails when there is a problem.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let mut problems = 0;
    for path in &args.paths {
        anyhow::ensure!(path.exists(), "{} does not exist", path.display());
        let findings = check(path, |_| ())?;
        problems += findings.problems.len();
        if args.json {
            print(&serde_json::to_string(&findings)?)?;
        } else {
            tell(path, &findings)?;
        }
    }
    anyhow::ensure!(problems == 0, "{problems} problems");
    Ok(())
}

fn tell(path: &std::path::Path, findings: &Findings) -> std::io::Result<()> {
    for problem in &findings.problems {
        print(&format!("{}: {}", problem.path.display(), problem.what))?;
    }
    for leftover in &findings.leftovers {
        print(&format!("{}: unfinished, harmless", leftover.display()))?;
    }
    print(&format!(
        "{}: {} shards with {} games and {} rows, {} checkpoints, {} networks, {} JSON files; {} problems",
        path.display(),
        findings.shards,
        findings.games,
        findings.rows,
        findings.checkpoints,
        findings.networks,
        findings.json,
        findings.problems.len()
    ))
}
