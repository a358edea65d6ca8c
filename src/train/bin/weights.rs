//! `tengen-train weights`: fits the move weights of Go's playouts to games.

use std::path::PathBuf;

use anyhow::Context as _;
use clap::Parser;
use tengen::game::Game as _;
use tengen::games::go::SmallGo;
use tengen::games::go::WeightFit;
use tengen_train::shards::dataset::{Dataset, Selection};
use tengen_train::shards::row::Row;

use tengen_train::command::print;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// Folders of shards with games of Go, up to 9x9
    #[arg(long, required = true, num_args = 1..)]
    data: Vec<PathBuf>,
    /// Output file of the weights; the program's own is src/tengen/games/go/rollout/weights.txt
    #[arg(long)]
    out: PathBuf,
    /// Share of games held out to test the weights
    #[arg(long, default_value_t = 0.1)]
    held_out: f64,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    anyhow::ensure!(
        (0.0..1.0).contains(&args.held_out),
        "--held-out must be at least 0 and less than 1"
    );
    let dataset = Dataset::load(&Selection {
        folders: args.data.clone(),
        window: usize::MAX,
        held_out: args.held_out,
    })?;
    anyhow::ensure!(
        dataset.game == SmallGo::NAME,
        "these are games of {}, not of Go",
        dataset.game
    );
    let &[size] = &dataset.boards[..] else {
        anyhow::bail!("these are games on boards of several sizes: give those of one");
    };
    let start = SmallGo::new(size)?;
    let [fit, held_out] = [&dataset.fit, &dataset.held_out].map(|rows| moves_of(&start, rows));
    anyhow::ensure!(!fit.is_empty(), "there are no moves to learn from");
    let found = fit.fit();
    print(&format!(
        "{} moves: mean log-likelihood {:.3}, uniform {:.3}",
        fit.len(),
        fit.likelihood(&found),
        fit.likelihood("")
    ))?;
    if !held_out.is_empty() {
        print(&format!(
            "{} held-out moves: {:.3}, uniform {:.3}",
            held_out.len(),
            held_out.likelihood(&found),
            held_out.likelihood("")
        ))?;
    }
    std::fs::write(&args.out, found).with_context(|| args.out.display().to_string())
}

/// The moves of all games, each game once.
fn moves_of(start: &SmallGo, rows: &[Row]) -> WeightFit {
    let mut fit = WeightFit::default();
    for game in rows.chunk_by(|a, b| a.game == b.game) {
        fit.add(start, &game[0].moves, 1);
    }
    fit
}
