//! `tengen-train import`: recorded games into shards.

use std::path::PathBuf;

use clap::Parser;

use crate::command::{Interrupt, Reporter, print};
use crate::shards::import::{Choice, Counts, ImportPlan, ImportProgress, import};
use crate::trainable::Trainable;
use tengen::clock::{Clock as _, SystemClock};
use tengen::game::BoardSize;
use tengen::games::{usual_board, with_game};

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// SGF files, ZIP archives of them, the compact text of the TYGEM collection with its index, Rapfi's games
    /// against itself as text, or folders of any
    #[arg(required = true, value_name = "FILE OR FOLDER")]
    inputs: Vec<PathBuf>,
    /// Folder of the shards; an import that was ended is continued there
    #[arg(long)]
    out: PathBuf,
    /// The game
    #[arg(long, default_value = "go")]
    game: String,
    /// The board; games on another one are left out [default: the game's usual one, for Go 19]
    #[arg(long)]
    size: Option<BoardSize>,
    /// The rules that networks learn [default: the game's usual ones]
    #[arg(long, default_value = "", hide_default_value = true)]
    rules: String,
    /// Leave out games with fewer moves
    #[arg(long, default_value_t = 30)]
    least_plies: usize,
    /// Share of the counted games without evaluations that get a komi near their margin, and the result that follows
    #[arg(long, default_value_t = 0.5, value_parser = share)]
    komi_share: f64,
    /// Seed of these komis
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match (0.0..=1.0).contains(&share) {
        true => Ok(share),
        false => Err("not from 0 to 1".to_owned()),
    }
}

/// Runs the command.
pub(crate) fn run(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    let size = args.size.unwrap_or_else(|| match &*args.game {
        "go" => BoardSize::square(19),
        game => usual_board(game),
    });
    with_game!(&args.game, size, rules: &args.rules, |start| {
        import_on(args, &start, interrupt)
    })?
}

fn import_on<G: Trainable>(args: &Args, start: &G, interrupt: &Interrupt) -> anyhow::Result<()> {
    let plan = ImportPlan {
        inputs: args.inputs.clone(),
        out: args.out.clone(),
        choice: Choice {
            least_plies: args.least_plies,
            komi_share: args.komi_share,
            seed: args.seed,
        },
    };
    let clock = SystemClock::new();
    let mut reporter: Option<Reporter> = None;
    let done = import(start, &plan, |progress| {
        let total = progress.bytes / 1024;
        let reporter =
            reporter.get_or_insert_with(|| Reporter::new(total, 0, "KiB", false, interrupt));
        let rate = progress.read_now as f64 / clock.now().as_secs_f64().max(0.001);
        let message = format!("{} games, {rate:.0} read a second", progress.counts.games);
        reporter.update(progress.done_bytes / 1024, message, &());
    })?;
    let summary = summary(&done, &format!("{} {}", G::NAME, start.size()));
    match reporter {
        Some(reporter) => reporter.finish(&summary, &())?,
        None => print(&summary)?,
    }
    Ok(())
}

/// One sentence for a person, with the game and board that were looked for.
fn summary(done: &ImportProgress, wanted: &str) -> String {
    let Counts {
        games,
        positions,
        resigned,
        counted,
        played,
        left_out,
    } = &done.counts;
    let reasons: Vec<String> = left_out
        .iter()
        .map(|(reason, games)| format!("{games} {reason}"))
        .collect();
    let reasons = match &*reasons {
        [] => "none".to_owned(),
        some => some.join(", "),
    };
    let is_other = |reason: &str| left_out.contains_key(reason);
    let others = match is_other("another game") || is_other("another board") {
        true => " (--game and --size choose game and board)",
        false => "",
    };
    let passed_over = match done.passed_over {
        0 => String::new(),
        files => format!(
            "; files passed over: {files} (read are .sgf, .zip with such files, the text of TYGEM with its .index, and \
             the text of Rapfi's games)"
        ),
    };
    let games = tengen::program::counted(*games, "game");
    let positions = tengen::program::counted(*positions, "position");
    format!(
        "{games} of {wanted}, {positions}: {resigned} by resignation, {counted} by points, {played} \
         ended on the board; left out: {reasons}{others}{passed_over}"
    )
}
