//! `tengen-train selfplay`: games into shards.

use std::path::PathBuf;

use anyhow::{Context, anyhow, bail};
use clap::{Args as ClapArgs, Parser, Subcommand};
use serde_json::json;

use crate::TrainError;
use crate::command::{Inference, Interrupt, Reporter, Threads, refuse_katago};
use crate::play::generate::{GamesPlan, Progress, generate};
use crate::play::generator::{GameGenerator, NetworkGenerator, RolloutGenerator};
use crate::play::mcts::MctsParams;
use crate::play::settings::{SelfPlay, search_refusal};
use crate::trainable::Trainable;
use tengen::fnv;
use tengen::game::BoardSize;
use tengen::games::{GAMES, known_name, usual_board, with_game};
use tengen::program::{FlagSet, Flags};
use tengen::settings::Table as _;
use tengen_nn::eval::ModelInfo;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    players: Players,
}

#[derive(Debug, Subcommand)]
enum Players {
    /// RAVE search over random playouts; needs no network.
    Rollouts(RolloutArgs),
    /// A network, many games at a time.
    Network(NetworkArgs),
}

/// Runs the command.
pub(crate) fn run(args: &Args, interrupt: &Interrupt) -> anyhow::Result<()> {
    match &args.players {
        Players::Rollouts(args) => {
            let size = args.size.unwrap_or_else(|| usual_board(&args.game));
            with_game!(&args.game, size, rules: &args.common.rules, |start| {
                play_by_rollouts(args, &start, interrupt)
            })?
        }
        Players::Network(args) => {
            let model = args.network()?;
            let size = args.size.unwrap_or(model.0.size);
            with_game!(&model.0.game, size, rules: &args.common.rules, |start| {
                play_by_network(args, &model, &start, interrupt)
            })?
        }
    }
}

#[derive(Debug, Parser)]
struct RolloutArgs {
    #[command(flatten)]
    common: Common,
    /// The game
    #[arg(long, default_value = GAMES[0].name, value_parser = known_name)]
    game: String,
    /// The board, as 9 or 13x9 [default: the game's usual one]
    #[arg(long)]
    size: Option<BoardSize>,
    /// Playouts per move
    #[arg(long, default_value_t = 700, value_parser = clap::value_parser!(u64).range(1..))]
    playouts: u64,
    #[command(flatten)]
    play: Flags<SelfPlay, WithoutNetwork>,
}

/// The settings of self-play that need no network.
#[derive(Debug)]
struct WithoutNetwork;

impl FlagSet for WithoutNetwork {
    fn has(name: &str) -> bool {
        matches!(
            name,
            "opening-plies" | "temperature-plies" | "komi" | "games-per-shard" | "sgf-every"
        )
    }
}

/// Plays the games.
fn play_by_rollouts<G: Trainable>(
    args: &RolloutArgs,
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let playouts = args.playouts;
    let source = format!("rollout playouts={playouts}");
    let plan = args.common.plan(&args.play.settings, source)?;
    let generator = RolloutGenerator(playouts);
    play(start, &plan, &args.common, &generator, interrupt)
}

/// The settings of self-play that are flags: `search` is `--set`, and a single command has no games held
/// out to make an int8 form with.
#[derive(Debug)]
struct WithNetwork;

impl FlagSet for WithNetwork {
    fn has(name: &str) -> bool {
        !matches!(name, "search" | "int8")
    }
}

#[derive(Debug, Parser)]
struct NetworkArgs {
    #[command(flatten)]
    common: Common,
    /// The network, an ONNX file
    #[arg(long)]
    model: PathBuf,
    /// The board, as 9 or 13x9, of a network for several [default: its first]
    #[arg(long)]
    size: Option<BoardSize>,
    /// Playouts per move
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    visits: u32,
    #[command(flatten)]
    play: Flags<SelfPlay, WithNetwork>,
    /// A setting of the search, NAME=VALUE, as of tengen gtp; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    #[command(flatten)]
    inference: Inference,
}

impl NetworkArgs {
    /// Metadata of the network, and the checksum of its file.
    fn network(&self) -> anyhow::Result<(ModelInfo, u64)> {
        refuse_katago(&self.model)?;
        let name = self.model.display().to_string();
        let onnx = std::fs::read(&self.model).with_context(|| name.clone())?;
        Ok((ModelInfo::read(&name, &onnx)?, fnv::hash(&onnx)))
    }

    fn how(&self) -> anyhow::Result<MctsParams> {
        let mut play = self.play.settings.mcts(self.visits)?;
        for setting in &self.set {
            let (name, value) = setting
                .split_once('=')
                .with_context(|| format!("--set {setting}: expected NAME=VALUE"))?;
            let set = play.search.set(name, value);
            set.map_err(|error| anyhow!("--set {setting}: {}", search_refusal(&error)))?;
        }
        Ok(play)
    }
}

/// Plays the games with the network that `args` names.
fn play_by_network<G: Trainable>(
    args: &NetworkArgs,
    (info, checksum): &(ModelInfo, u64),
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let (runtime, settings) = (args.inference.runtime()?, &args.play.settings);
    let network = runtime.open(&args.model, start.size())?;
    let how = args.how()?;
    let generator = format!(
        "network={}:{checksum:016x} root={} visits={} prove-nodes={} prove-from={} learn-proofs={} \
         opening-choices={} move-noise={} {}",
        info.network,
        how.root,
        how.visits,
        settings.prove_nodes,
        settings.prove_from,
        settings.learn_proofs,
        settings.opening_choices,
        settings.move_noise,
        args.set.join(" ")
    );
    let plan = args.common.plan(settings, generator)?;
    let generator = NetworkGenerator { network, play: how };
    play(start, &plan, &args.common, &generator, interrupt)
}

/// Options of every kind of self-play.
#[derive(Debug, ClapArgs)]
struct Common {
    /// The game's rules, where it has several variants [default: the game's usual ones]
    #[arg(long, default_value = "", hide_default_value = true)]
    rules: String,
    /// Total number of games; games already in the folder count
    #[arg(long, default_value_t = 3000)]
    games: u64,
    /// Number of the first game, to distinguish the games of several folders
    #[arg(long, default_value_t = 0)]
    first: u64,
    #[command(flatten)]
    threads: Threads,
    /// Folder of the shards; a folder with games of the same settings is continued
    #[arg(long)]
    out: PathBuf,
    /// Seed of the run; a game depends on it and on its own number only
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Progress as JSON lines on stdout
    #[arg(long)]
    json: bool,
}

impl Common {
    fn plan(&self, settings: &SelfPlay, generator: String) -> anyhow::Result<GamesPlan> {
        let end = self.first.checked_add(self.games);
        // The largest number of a shard's column.
        anyhow::ensure!(
            end.is_some_and(|end| i64::try_from(end).is_ok()),
            "--first {} with --games {}: games are numbered up to {}",
            self.first,
            self.games,
            i64::MAX
        );
        Ok(GamesPlan {
            first: self.first,
            games: self.games,
            seed: self.seed,
            threads: self.threads.number(),
            settings: settings.clone(),
            generator,
        })
    }
}

/// Plays games and shows progress.
fn play<G: Trainable>(
    start: &G,
    plan: &GamesPlan,
    common: &Common,
    generator: &dyn GameGenerator<G>,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    if let Some((name, why)) = plan.settings.without_effect(start).first() {
        bail!("--{name} has no effect: {why}");
    }
    let mut reporter: Option<Reporter> = None;
    let (mut seconds, mut interrupted) = (0.0, None);
    let played = generate(start, plan, &common.out, generator, |progress| {
        // A folder may have more than are asked for now.
        let total = plan.games.max(progress.games);
        let reporter = reporter.get_or_insert_with(|| {
            // The games of the open shard are written first.
            interrupt.leave_alone();
            Reporter::new(total, progress.games, "games", common.json, interrupt)
        });
        seconds = reporter.elapsed().as_secs_f64();
        let (message, record) = (message(progress, seconds), record(progress, seconds));
        if interrupt.is_asked() {
            interrupted = Some(format!("at {} of {total} games; {message}", progress.games));
            return Err(TrainError::Interrupted);
        }
        reporter.update(progress.games, message, &record);
        Ok(())
    });
    if let (Err(TrainError::Interrupted), Some(so_far)) = (&played, interrupted) {
        interrupt.end(&so_far);
    }
    let last = played?;
    if let Some(reporter) = reporter {
        let message = message(last, seconds);
        let done = format!("{message}; shards in {}", common.out.display());
        reporter.finish(&done, &record(last, seconds))?;
    }
    Ok(())
}

fn message(progress: Progress, seconds: f64) -> String {
    let (text, positions) = (progress.text(seconds), progress.positions);
    format!("{text}, {positions} positions")
}

fn record(progress: Progress, seconds: f64) -> serde_json::Value {
    let (games_per_second, evaluations_per_second) = progress.rates(seconds);
    json!({
        "games": progress.games,
        "resumed": progress.resumed,
        "positions": progress.positions,
        "black_share": progress.black_share(),
        "games_per_second": games_per_second,
        "evaluations": progress.evaluations,
        "evaluations_per_second": evaluations_per_second,
        "seconds": seconds,
    })
}
