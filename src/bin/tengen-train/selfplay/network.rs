//! `tengen-train selfplay network`.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context;
use clap::{Parser, ValueEnum};
use tengen::clock::SystemClock;
use tengen::eval::{BackendKind, Device, LibraryPlaces, ModelInfo};
use tengen::fnv;
use tengen::game::BoardSize;
use tengen::search::SearchParams;
use tengen::train::play::eval_batch::raw_rate;
use tengen::train::play::generator::NetworkGenerator;
use tengen::train::play::mcts::{GumbelParams, MctsParams, RootRule};
use tengen::train::play::network_game::NetworkPlay;
use tengen::train::play::prover::{EndingProver, PROVE_FROM};
use tengen::train::play::runtime::Runtime;
use tengen::train::trainable::Trainable;

use super::common::{Common, play, rate};
use crate::board::OnBoard;
use crate::interrupt::Interrupt;
use crate::progress::print;

/// Root algorithm.
#[derive(Debug, Clone, Copy, ValueEnum)]
enum Root {
    /// Gumbel AlphaZero: sequential halving, improved policy as target.
    Gumbel,
    /// AlphaZero with KataGo's forced playouts: noisy PUCT, visits as target.
    Puct,
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
    /// Root algorithm
    #[arg(long, value_enum, default_value = "gumbel")]
    root: Root,
    /// Share of moves with all playouts, which train the policy; the others are fast
    #[arg(long, default_value_t = 1.0)]
    full_share: f32,
    /// Random openings drawn for each game, which begins with the one that the network's value says
    /// is the most even; 1 takes the first
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..))]
    opening_choices: u16,
    /// Playouts of a fast move
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(1..))]
    fast_visits: u32,
    /// Solver nodes to prove a late position, which ends the game with an exact result; 0 plays all
    /// games to the end
    #[arg(long, default_value_t = 0)]
    prove_nodes: u64,
    /// Maximum number of remaining moves of positions that the solver tries
    #[arg(long, default_value_t = PROVE_FROM)]
    prove_from: u32,
    /// Use a proven best move as policy target
    #[arg(long)]
    learn_proofs: bool,
    /// Solver nodes per position of a finished game, from the end back, to correct the results used
    /// as targets; 0 for no correction
    #[arg(long, default_value_t = 0)]
    correct_nodes: u64,
    /// A setting of the search, NAME=VALUE, as of tengen gtp; may be given several times
    #[arg(long = "set", value_name = "NAME=VALUE")]
    set: Vec<String>,
    /// Concurrent games per thread: its maximum batch
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(1..))]
    concurrent: u32,
    /// Inference backend: native, ort or tract [default: the first that can run the network]
    #[arg(long)]
    backend: Option<BackendKind>,
    /// Device of the network: cpu, cuda or cuda:N
    #[arg(long, default_value_t = Device::Cpu)]
    device: Device,
    /// Path of the ONNX Runtime library [default: where the script fetch-onnxruntime puts it]
    #[arg(long)]
    ort_library: Option<PathBuf>,
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
        anyhow::ensure!(
            self.full_share > 0.0 && self.full_share <= 1.0,
            "--full-share {} is not above 0 and up to 1",
            self.full_share
        );
        let mut search = SearchParams {
            // Noise and temperature of Gao & Wu 2021, 3.1; as in KataGo without FPU reduction at
            // the root.
            root_noise: 0.25,
            root_policy_temperature: 1.03,
            root_fpu_reduction: 0.0,
            ..SearchParams::default()
        };
        for setting in &self.set {
            let (name, value) = setting
                .split_once('=')
                .with_context(|| format!("--set {setting}: expected NAME=VALUE"))?;
            search.set(name, value)?;
        }
        let root = match self.root {
            Root::Gumbel => RootRule::Gumbel(GumbelParams::default()),
            Root::Puct => RootRule::Puct {
                forced_playouts: 2.0,
            },
        };
        Ok(NetworkPlay {
            mcts: MctsParams { root, search },
            visits: self.visits,
            full_share: self.full_share,
            fast_visits: self.fast_visits,
            learn_proofs: self.learn_proofs,
            move_noise: 0.0,
            opening_choices: self.opening_choices,
            selfplay: self.common.selfplay(),
        })
    }
}

impl OnBoard for (&Args, &Interrupt) {
    fn run<G: Trainable>(&self, start: &G) -> anyhow::Result<()> {
        let (args, interrupt) = *self;
        let runtime = Runtime {
            backend: args.backend,
            device: args.device,
            library: LibraryPlaces::usual(args.ort_library.clone()),
        };
        let network = runtime.open(&args.model, start.size())?;
        let how = args.how()?;
        let (info, checksum) = args.network()?;
        let generator = format!(
            "network={}:{checksum:016x} root={:?} visits={} full-share={} fast-visits={} prove-nodes={} {}",
            info.network,
            how.mcts.root,
            how.visits,
            how.full_share,
            how.fast_visits,
            args.prove_nodes,
            args.set.join(" ")
        );
        // Folders from before corrections existed can still be continued.
        let generator = match args.correct_nodes {
            0 => generator,
            nodes => format!("{generator} correct-nodes={nodes}"),
        };
        let generator = match (args.prove_from, args.learn_proofs) {
            (PROVE_FROM, false) => generator,
            (from, learn) => format!("{generator} prove-from={from} learn-proofs={learn}"),
        };
        let generator = match args.opening_choices {
            1 => generator,
            choices => format!("{generator} opening-choices={choices}"),
        };
        let plan = args.common.plan(generator)?;
        let concurrent = args.concurrent as usize;
        let generator = NetworkGenerator {
            network: &network,
            play: &how,
            concurrent,
            prover: || {
                let prover = EndingProver::new(args.prove_nodes).from(args.prove_from);
                prover.correcting(args.correct_nodes)
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
            ));
        }
        Ok(())
    }
}
