//! `tengen-train selfplay network`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::Parser;
use tengen::clock::SystemClock;
use tengen::fnv;
use tengen::game::BoardSize;
use tengen::program::{FlagSet, Flags};
use tengen::settings::Table as _;
use tengen_nn::eval::ModelInfo;
use tengen_train::play::adjudicator::{EndingAdjudicator, PROVE_FROM};
use tengen_train::play::eval_batch::raw_rate;
use tengen_train::play::generator::NetworkGenerator;
use tengen_train::play::network_game::NetworkPlay;
use tengen_train::play::settings::SelfPlay;
use tengen_train::trainable::Trainable;

use super::common::{Common, play, rate};
use tengen_train::command::Inference;
use tengen_train::command::Interrupt;
use tengen_train::command::print;

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
pub(crate) struct Args {
    #[command(flatten)]
    pub(super) common: Common,
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
    /// Before and after, measure the bare network for this many seconds, and compare
    #[arg(long, default_value_t = 0.0)]
    measure: f64,
}

impl Args {
    /// Metadata of the network, and the checksum of its file.
    pub(super) fn network(&self) -> anyhow::Result<(ModelInfo, u64)> {
        let name = self.model.display().to_string();
        let onnx = std::fs::read(&self.model).with_context(|| name.clone())?;
        Ok((ModelInfo::read(&name, &onnx)?, fnv::hash(&onnx)))
    }

    /// The board to play on.
    pub(super) fn size(&self, network: &ModelInfo) -> anyhow::Result<BoardSize> {
        let size = self.size.unwrap_or(network.size);
        let boards = network.boards_text();
        anyhow::ensure!(
            network.plays_on(size),
            "--size {size}: the network is for {boards}"
        );
        Ok(size)
    }

    fn how(&self) -> anyhow::Result<NetworkPlay> {
        let mut play = self.play.settings.network_play(self.visits)?;
        for setting in &self.set {
            let (name, value) = setting
                .split_once('=')
                .with_context(|| format!("--set {setting}: expected NAME=VALUE"))?;
            play.mcts.search.set(name, value)?;
        }
        Ok(play)
    }
}

/// Plays the games with the network that `args` names.
pub(super) fn play_games<G: Trainable>(
    args: &Args,
    (info, checksum): &(ModelInfo, u64),
    start: &G,
    interrupt: &Interrupt,
) -> anyhow::Result<()> {
    let (runtime, settings) = (args.inference.runtime(), &args.play.settings);
    let network = runtime.open(&args.model, start.size())?;
    let how = args.how()?;
    let generator = format!(
        "network={}:{checksum:016x} root={:?} visits={} full-share={} fast-visits={} prove-nodes={} {}",
        info.network,
        how.mcts.root,
        how.visits,
        how.full_share,
        how.fast_visits,
        settings.prove_nodes,
        args.set.join(" ")
    );
    // Folders from before corrections existed can still be continued.
    let generator = match settings.correct_nodes {
        0 => generator,
        nodes => format!("{generator} correct-nodes={nodes}"),
    };
    let generator = match (settings.prove_from, settings.learn_proofs) {
        (PROVE_FROM, false) => generator,
        (from, learn) => format!("{generator} prove-from={from} learn-proofs={learn}"),
    };
    let generator = match settings.opening_choices {
        1 => generator,
        choices => format!("{generator} opening-choices={choices}"),
    };
    let generator = match settings.move_noise {
        0.0 => generator,
        noise => format!("{generator} move-noise={noise}"),
    };
    let plan = args.common.plan(settings, generator)?;
    let concurrent = settings.concurrent;
    let generator = NetworkGenerator {
        network: &network,
        play: &how,
        concurrent,
        adjudicator: || {
            let adjudicator =
                EndingAdjudicator::new(settings.prove_nodes).from(settings.prove_from);
            adjudicator.correcting(settings.correct_nodes)
        },
    };
    let time = Duration::try_from_secs_f64(args.measure)
        .with_context(|| format!("--measure {}", args.measure))?;
    let (threads, clock) = (plan.threads, SystemClock::new());
    let bare = || raw_rate(&network, threads, concurrent, time, &clock);
    let before = if time.is_zero() { 0.0 } else { bare()? };
    let (done, seconds) = play(start, &plan, &args.common, &generator, interrupt)?;
    if !time.is_zero() {
        let raw = f64::midpoint(before, bare()?);
        let evaluations = rate(done.evaluations, seconds);
        print(&format!(
            "{evaluations:.0} of {raw:.0} evaluations/s ({:.0}%) in batches of up to {concurrent} on {threads} threads",
            100.0 * evaluations / raw
        ))?;
    }
    Ok(())
}
