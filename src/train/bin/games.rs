//! Commands on recorded games. `tengen-train import`: into shards. `weights`: fits the move weights of Go's playouts to
//! them.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Parser;

use tengen::clock::{Clock as _, SystemClock};
use tengen::game::{BoardSize, Game as _};
use tengen::games::go::{SmallGo, WeightFit};
use tengen::games::{usual_board, with_game};
use tengen::record::file;
use tengen_train::command::{Interrupt, Reporter, print};
use tengen_train::shards::dataset::Dataset;
use tengen_train::shards::import::{Choice, Counts, ImportPlan, ImportProgress, import};
use tengen_train::shards::row::Row;
use tengen_train::trainable::Trainable;

#[derive(Debug, Parser)]
pub(crate) struct ImportArgs {
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
    /// The rules that networks learn
    #[arg(long, default_value = "")]
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
    /// Write progress as JSON lines
    #[arg(long)]
    json: bool,
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().map_err(|_| "not a number".to_owned())?;
    match (0.0..=1.0).contains(&share) {
        true => Ok(share),
        false => Err("not from 0 to 1".to_owned()),
    }
}

/// Runs the command `import`.
pub(crate) fn import_games(args: &ImportArgs, interrupt: &Interrupt) -> anyhow::Result<()> {
    let size = args.size.unwrap_or_else(|| match &*args.game {
        "go" => BoardSize::square(19),
        game => usual_board(game),
    });
    with_game!(&args.game, size, rules: &args.rules, |start| {
        import_on(args, &start, interrupt)
    })?
}

fn import_on<G: Trainable>(
    args: &ImportArgs,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
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
            reporter.get_or_insert_with(|| Reporter::new(total, 0, "KiB", args.json, interrupt));
        let rate = progress.read_now as f64 / clock.now().as_secs_f64().max(0.001);
        let message = format!("{} games, {rate:.0} read a second", progress.counts.games);
        reporter.update(progress.done_bytes / 1024, message, &progress.counts);
    })?;
    let summary = summary(&done, &format!("{} {}", G::NAME, start.size()));
    match reporter {
        Some(reporter) => reporter.finish(&summary, &done.counts)?,
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

#[derive(Debug, Parser)]
pub(crate) struct WeightsArgs {
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

/// Runs the command `weights`.
pub(crate) fn weights(args: &WeightsArgs) -> anyhow::Result<()> {
    anyhow::ensure!(
        (0.0..1.0).contains(&args.held_out),
        "--held-out must be at least 0 and less than 1"
    );
    let name = || args.out.display().to_string();
    let is_weights =
        |old: &Path| file::read_text(old).is_ok_and(|old| old.starts_with("takes-one "));
    file::check_kind(&args.out, "weights", is_weights).with_context(name)?;
    let dataset = Dataset::load(&args.data, usize::MAX, args.held_out)?;
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
    file::write(&args.out, found.as_bytes()).with_context(name)
}

/// The moves of all games, each game once.
fn moves_of(start: &SmallGo, rows: &[Row]) -> WeightFit {
    let mut fit = WeightFit::default();
    for game in rows.chunk_by(|a, b| a.game == b.game) {
        fit.add(start, &game[0].moves, 1);
    }
    fit
}
