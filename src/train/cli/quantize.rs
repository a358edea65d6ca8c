//! `tengen-train quantize`: converts an f32 network to lower precision, and measures the
//! difference.

use std::path::{Path, PathBuf};

use crate::durable;
use crate::export::quantize::examples::{Examples, quick_games};
use crate::export::quantize::{
    MAX_POLICY_KL, MAX_VALUE_DIFFERENCE, OnBoard, compare, convertible, is_accepted, to_int8,
};
use crate::shards::dataset::Dataset;
use crate::shards::row::Row;
use crate::trainable::Trainable;
use anyhow::{Context as _, bail};
use clap::Parser;
use serde_json::{Value, json};
use tengen::clock::{Clock as _, SystemClock};
use tengen::game::{BoardSize, Game};
use tengen::games::with_game;
use tengen_nn::eval::{Difference, ModelInfo, ModelSource};
use tengen_nn::onnx::to_f16;

use crate::command::{Inference, print};

use super::export::check_out;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// The network, an f32 ONNX file exported by tengen-train, or one of KataGo's (.bin.gz)
    #[arg(long)]
    model: PathBuf,
    /// The board of a network of KataGo's, which has none of its own: the written file is for it alone
    /// [default: 19]
    #[arg(long)]
    size: Option<BoardSize>,
    /// The ONNX file to write
    #[arg(long)]
    out: PathBuf,
    /// Precision: int8 for CPUs, or f16 for GPUs; on a CPU the comparison of f16 shows the effect of rounding the
    /// weights alone
    #[arg(long, default_value = "int8", value_parser = ["int8", "f16"])]
    precision: String,
    #[command(flatten)]
    inference: Inference,
    /// Folder of shards with positions for calibration, preferably held-out ones; may be given
    /// several times [default: positions of short games by playouts]
    #[arg(long)]
    data: Vec<PathBuf>,
    /// Number of positions for calibration, of all the network's boards together; as many others
    /// are compared
    #[arg(long, default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..))]
    positions: u32,
    /// Write the file even if the difference is too large
    #[arg(long)]
    force: bool,
    /// The report as one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let place = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    if place(&args.model) == place(&args.out) {
        bail!(
            "--out {} is the network itself: give it another name",
            args.out.display()
        );
    }
    check_out(&args.out)?;
    let source = ModelSource::from(args.model.clone());
    if args.size.is_some() && !source.is_katago() {
        bail!(
            "--size is for KataGo's networks; {} names its boards itself",
            source.name()
        );
    }
    let onnx = source.onnx(args.size, None)?;
    let info = ModelInfo::read(&source.name(), &onnx)?;
    // The type of the largest board supports all.
    let boards = info.boards.iter().copied();
    let largest = boards.max_by_key(|size| size.area());
    with_game!(&info.game, largest.unwrap_or(info.size), |empty| quantize(
        args, &empty, &info, &onnx
    ))?
}

fn quantize<G: Trainable>(
    args: &Args,
    empty: &G,
    info: &ModelInfo,
    onnx: &[u8],
) -> anyhow::Result<()> {
    let name = args.model.display().to_string();
    // What has no such form is refused before the games, which take a while.
    let half = match args.precision == "f16" {
        true => Some(to_f16(onnx).with_context(|| name.clone())?),
        false => convertible(&name, onnx).map(|_| None)?,
    };
    let runtime = args.inference.runtime()?;
    let boards = boards(empty, info)?;
    let rows = rows(args, &boards)?;
    let wanted = args.positions as usize;
    let [calibration, validation] = Examples::halves(&boards, info, &rows, wanted)?;
    let clock = SystemClock::new();
    let smaller = match half {
        Some(half) => half,
        None => to_int8(&name, onnx, &calibration)?,
    };
    log::info!(
        "{} made on {} positions in {:.1} s",
        args.precision,
        calibration.iter().map(|on| on.batch.len()).sum::<usize>(),
        clock.now().as_secs_f64()
    );

    let found = compare(&runtime, &args.model, &smaller, &args.out, &validation)?;
    let report = QuantizeReport {
        precision: &args.precision,
        bytes: [onnx.len(), smaller.len()],
        boards: &found,
    };
    print(&if args.json {
        report.json().to_string()
    } else {
        report.text()
    })?;
    if !report.is_accepted() && !args.force {
        bail!(
            "not accepted: the policy must stay within {MAX_POLICY_KL} nats and the value within \
             {MAX_VALUE_DIFFERENCE}, on average, on each board (--force writes {} all the same)",
            args.out.display()
        );
    }
    durable::write(&args.out, &smaller)?;
    Ok(())
}

/// The empty boards of a network.
fn boards<G: Trainable>(empty: &G, info: &ModelInfo) -> anyhow::Result<Vec<G>> {
    if info.boards.is_empty() {
        return Ok(vec![empty.clone()]);
    }
    let sizes = info.boards.iter();
    let boards = sizes.map(|&size| Ok(G::with_rules(size, empty.rules())?));
    boards.collect()
}

/// Recorded positions, or those of short games.
fn rows<G: Trainable>(args: &Args, boards: &[G]) -> anyhow::Result<Vec<Row>> {
    let sizes: Vec<BoardSize> = boards.iter().map(Game::size).collect();
    if !args.data.is_empty() {
        let dataset = Dataset::load(&args.data, usize::MAX, 0.0)?;
        let mut rows = dataset.fit;
        rows.retain(|row| sizes.contains(&row.size));
        let sizes: Vec<String> = sizes.iter().map(BoardSize::to_string).collect();
        anyhow::ensure!(
            dataset.game == G::NAME && !rows.is_empty(),
            "the data are of {} on other boards, the network plays {} {}",
            dataset.game,
            G::NAME,
            sizes.join(", ")
        );
        return Ok(rows);
    }
    let positions = 2 * args.positions as usize;
    log::info!(
        "no --data: plays games by playouts for {positions} positions, which may take a minute"
    );
    Ok(quick_games(boards, positions, 1))
}

/// Report on the new network.
struct QuantizeReport<'a> {
    precision: &'a str,
    /// Of both files.
    bytes: [usize; 2],
    boards: &'a [OnBoard],
}

impl QuantizeReport<'_> {
    fn is_accepted(&self) -> bool {
        let mut all = self.boards.iter();
        all.all(|on| is_accepted(&on.difference))
    }

    /// Over all boards.
    fn difference(&self) -> Difference {
        let each = self.boards.iter().map(|on| on.difference);
        each.fold(Difference::default(), Difference::and)
    }

    fn json(&self) -> Value {
        let precision = self.precision;
        let boards = self.boards.iter();
        let boards: Vec<_> = boards
            .map(|on| json!({ "board": on.size.to_string(), "difference": on.difference }))
            .collect();
        json!({
            "bytes": { "f32": self.bytes[0], precision: self.bytes[1] },
            "difference": self.difference(),
            "boards": boards,
            "accepted": self.is_accepted(),
        })
    }

    fn text(&self) -> String {
        let (precision, [f32_bytes, bytes]) = (self.precision, self.bytes);
        let mut lines = vec![format!("bytes: {f32_bytes} f32, {bytes} {precision}")];
        for on in self.boards {
            let found = &on.difference;
            lines.extend([
                format!("{}, positions compared: {}", on.size, found.positions),
                format!(
                    "policy divergence: mean {:.5} nats (limit {MAX_POLICY_KL}), greatest {:.4}",
                    found.policy_kl, found.policy_kl_max
                ),
                format!(
                    "value difference: mean {:.4} (limit {MAX_VALUE_DIFFERENCE}), greatest {:.3}",
                    found.value, found.value_max
                ),
                format!("same best move: {:.1}%", 100.0 * found.same_best),
            ]);
        }
        lines.join("\n")
    }
}
