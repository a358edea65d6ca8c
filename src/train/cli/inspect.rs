//! `tengen-train inspect`: information about a network, a checkpoint or a folder of shards. `tengen-train
//! fsck`: checks files for damage.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use serde_json::{Map, Value, json};

use crate::command::{print, refuse_katago};
use crate::cycle::fsck::{Findings, check};
use crate::durable::folder_with;
use crate::fit::checkpoint::Checkpoint;
use crate::network::architecture::Architecture;
use crate::network::net::Counts;
use crate::play::generate::{Progress, count_games};
use crate::shards::shard::{self, ShardInfo};
use tengen::encode::{Encode, find};
use tengen::game::BoardSize;
use tengen::games::{GAMES, with_game};
use tengen::program::counted;
use tengen_nn::eval::ModelInfo;
use tengen_nn::onnx::{CHECKSUM, Header, PRECISION};

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// An .onnx file, a .checkpoint file, a .parquet shard, a folder of checkpoints or shards, or
    /// the name of a network, such as tengen-5b32c
    path: PathBuf,
    /// The board for a named architecture, as 9 or 13x9 [default: 9]
    #[arg(long)]
    size: Option<BoardSize>,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let path = args.path.as_path();
    let named = path.to_str().and_then(|name| name.parse().ok());
    if let Some(named) = named.filter(|_| !path.exists()) {
        let size = args.size.unwrap_or(BoardSize::square(9));
        return Ok(show(&architecture(named, size)?)?);
    }
    anyhow::ensure!(
        path.exists(),
        "{}: there is no such file or folder, and no network is named so",
        path.display()
    );
    anyhow::ensure!(
        args.size.is_none(),
        "--size is for the name of a network, such as tengen-5b32c: {} has its own board",
        path.display()
    );
    refuse_katago(path)?;
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let facts = match &*extension {
        "onnx" => network(path)?,
        "checkpoint" => checkpoint(&Checkpoint::load(path)?),
        "parquet" => shards(&[path.to_path_buf()])?,
        _ if path.is_dir() => match Checkpoint::newest(path)? {
            Some(newest) => checkpoint(&newest),
            None => {
                let found = shard::list_all(path)?;
                anyhow::ensure!(!found.is_empty(), "{}", nothing_in(path));
                shards(&found)?
            }
        },
        _ => anyhow::bail!(
            "{}: it is no network, checkpoint or shard, nor a folder of them",
            path.display()
        ),
    };
    Ok(show(&facts)?)
}

/// What a folder is not, and where there is something to show.
fn nothing_in(folder: &Path) -> String {
    let found = ["onnx", "checkpoint", "parquet"].into_iter();
    let found = found.filter_map(|ending| folder_with(folder, ending, 3));
    let found: Vec<String> = found.map(|found| found.display().to_string()).collect();
    let what = format!("{}: it holds no checkpoint and no shard", folder.display());
    match &*found {
        [] => what,
        found => format!("{what} itself; give a file in {}", found.join(" or ")),
    }
}

fn show(facts: &Facts) -> std::io::Result<()> {
    facts.iter().try_for_each(|(name, value)| match value {
        Value::String(text) => print(&format!("{name}: {text}")),
        other => print(&format!("{name}: {other}")),
    })
}

/// Information about an architecture.
fn architecture(architecture: Architecture, size: BoardSize) -> anyhow::Result<Facts> {
    let mut planes = GAMES.iter().filter_map(|game| {
        with_game!(game.name, size, |start| planes_of(
            &start,
            architecture.family.encoding()
        ))
        .ok()?
    });
    let planes = planes.next().with_context(|| {
        let encoding = architecture.family.encoding();
        format!("{architecture} uses {encoding}, which no game on {size} has: try another --size")
    })?;
    let (_, counts) = architecture.declare(planes, size, 0);
    let heads: Vec<_> = architecture
        .aux_heads(size)
        .iter()
        .map(|head| head.name())
        .collect();
    let mut facts = facts([
        ("network", json!(architecture.to_string())),
        ("encoding", json!(architecture.family.encoding())),
        ("planes", json!(planes)),
        ("extra_heads", json!(heads.join(" "))),
    ]);
    facts.append(&mut size_of(counts));
    Ok(facts)
}

/// The planes of one of a game's encodings.
fn planes_of<G: Encode>(_: &G, id: &str) -> Option<usize> {
    let mut encodings = G::encodings().iter();
    encodings
        .find(|encoding| encoding.id() == id)
        .map(|encoding| encoding.planes())
}

type Facts = Map<String, Value>;

fn facts<const N: usize>(pairs: [(&str, Value); N]) -> Facts {
    pairs
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn network(path: &Path) -> anyhow::Result<Facts> {
    let onnx = std::fs::read(path).with_context(|| path.display().to_string())?;
    let info = ModelInfo::read(&path.display().to_string(), &onnx)?;
    // As the engine does before it plays.
    with_game!(&info.game, info.size, |start| find(&info, &start).map(drop))?
        .with_context(|| path.display().to_string())?;
    let metadata = info.to_metadata().into_iter();
    let mut facts: Facts = metadata.map(|(key, value)| (key, json!(value))).collect();
    facts.insert("bytes".to_owned(), json!(onnx.len()));
    let header = Header::read(&onnx)?;
    if let Some(precision) = header.metadata(PRECISION) {
        facts.insert(PRECISION.to_owned(), json!(precision));
    }
    // It was verified with the file above.
    let checksum = header
        .checksum
        .map_or("none".to_owned(), |seal| seal.stated);
    facts.insert(CHECKSUM.to_owned(), json!(checksum));
    if let Ok(architecture) = info.network.parse::<Architecture>() {
        let (_, counts) = architecture.declare(info.planes, &info, 0);
        facts.append(&mut size_of(counts));
    }
    Ok(facts)
}

fn checkpoint(checkpoint: &Checkpoint) -> Facts {
    let (origin, params) = (&checkpoint.origin, &checkpoint.params);
    let (_, counts) = params
        .architecture
        .declare(origin.planes, origin.game_shape(), 0);
    let mut facts = facts([
        ("game", json!(origin.game)),
        ("size", json!(origin.size().to_string())),
        ("encoding", json!(origin.encoding)),
        ("games", json!(origin.games)),
        ("step", json!(checkpoint.step)),
        ("settings", serde_json::to_value(params).unwrap_or_default()),
    ]);
    facts.append(&mut size_of(counts));
    facts
}

/// Size of a network: in play, and with the auxiliary heads of the fit.
fn size_of(counts: Counts) -> Facts {
    facts([
        ("parameters", json!(counts.played.parameters)),
        ("multiply_adds", json!(counts.played.multiply_adds)),
        ("fitted_parameters", json!(counts.fitted.parameters)),
        ("fitted_multiply_adds", json!(counts.fitted.multiply_adds)),
    ])
}

fn shards(paths: &[PathBuf]) -> anyhow::Result<Facts> {
    let (mut counts, mut infos) = (Progress::default(), Vec::new());
    for path in paths {
        let shard = shard::read(path)?;
        counts = counts.join(count_games(&shard.rows));
        infos.push(shard.info);
    }
    let info = infos.last().context("there is no shard")?;
    let all = |of: fn(&ShardInfo) -> String| {
        let different: BTreeSet<String> = infos.iter().map(of).collect();
        json!(Vec::from_iter(different).join(", "))
    };
    Ok(facts([
        ("game", json!(info.game)),
        ("rules", all(|info| info.rules.clone())),
        ("size", all(|info| info.size.to_string())),
        ("source", json!(info.source)),
        ("shards", json!(paths.len())),
        ("games", json!(counts.games)),
        ("rows", json!(counts.positions)),
        ("black_share", json!(counts.black_share())),
        ("draws", json!(counts.draws)),
        ("format", json!(shard::FORMAT.to_string())),
    ]))
}

#[derive(Debug, Parser)]
pub(crate) struct FsckArgs {
    /// Files, and folders with all their content
    #[arg(required = true)]
    paths: Vec<PathBuf>,
}

/// Runs the command `fsck`; fails when there is a problem.
pub(crate) fn fsck(args: &FsckArgs) -> anyhow::Result<()> {
    let mut problems = 0;
    for path in &args.paths {
        anyhow::ensure!(path.exists(), "{} does not exist", path.display());
        let findings = check(path)?;
        problems += findings.problems.len();
        tell(path, &findings)?;
    }
    anyhow::ensure!(problems == 0, "{}", counted(problems, "problem"));
    Ok(())
}

fn tell(path: &Path, findings: &Findings) -> std::io::Result<()> {
    for problem in &findings.problems {
        print(&format!("{}: {}", problem.path.display(), problem.what))?;
    }
    for leftover in &findings.leftovers {
        print(&format!("{}: unfinished, harmless", leftover.display()))?;
    }
    print(&format!(
        "{}: {} with {} and {}, {}, {}, {}; {}",
        path.display(),
        counted(findings.shards, "shard"),
        counted(findings.games, "game"),
        counted(findings.rows, "row"),
        counted(findings.checkpoints, "checkpoint"),
        counted(findings.networks, "network"),
        counted(findings.json, "JSON file"),
        counted(findings.problems.len(), "problem")
    ))
}
