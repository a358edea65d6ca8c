//! `tengen-train inspect`: what a network, a checkpoint or a folder of shards is.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Parser;
use serde_json::{Map, Value, json};
use tengen::eval::ModelInfo;
use tengen::game::{Color, Outcome};
use tengen::train::checkpoint::Checkpoint;
use tengen::train::recipe::Recipe;
use tengen::train::shard;

use crate::progress::print;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    /// An .onnx file, a .checkpoint file, a .parquet shard, or a folder of checkpoints or shards
    path: PathBuf,
    /// As one JSON object
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub(crate) fn run(args: &Args) -> anyhow::Result<()> {
    let path = args.path.as_path();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let facts = match &*extension {
        "onnx" => network(path)?,
        "checkpoint" => checkpoint(&Checkpoint::load(path)?),
        "parquet" => shards(&[path.to_path_buf()])?,
        _ => match Checkpoint::newest(path)? {
            Some(newest) => checkpoint(&newest),
            None => shards(&shard::list(path)?)?,
        },
    };
    if args.json {
        print(&Value::Object(facts).to_string());
    } else {
        facts.iter().for_each(|(name, value)| match value {
            Value::String(text) => print(&format!("{name}: {text}")),
            other => print(&format!("{name}: {other}")),
        });
    }
    Ok(())
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
    let metadata = info.to_metadata().into_iter();
    let mut facts: Facts = metadata.map(|(key, value)| (key, json!(value))).collect();
    facts.insert("bytes".to_owned(), json!(onnx.len()));
    if let Ok(recipe) = info.network.parse::<Recipe>() {
        let (_, counts) = recipe.declare(info.planes, info.size, 0);
        facts.insert("parameters".to_owned(), json!(counts.parameters));
        facts.insert("multiply_adds".to_owned(), json!(counts.multiply_adds));
    }
    Ok(facts)
}

fn checkpoint(checkpoint: &Checkpoint) -> Facts {
    let (origin, params) = (&checkpoint.origin, &checkpoint.params);
    let (_, counts) = params.recipe.declare(origin.planes, origin.size(), 0);
    facts([
        ("game", json!(origin.game)),
        ("size", json!(origin.size().to_string())),
        ("encoding", json!(origin.encoding)),
        ("games", json!(origin.games)),
        ("step", json!(checkpoint.step)),
        ("parameters", json!(counts.parameters)),
        ("multiply_adds", json!(counts.multiply_adds)),
        ("settings", serde_json::to_value(params).unwrap_or_default()),
    ])
}

fn shards(paths: &[PathBuf]) -> anyhow::Result<Facts> {
    let (mut rows, mut games, mut black) = (0, 0, 0);
    let mut info = None;
    for path in paths {
        let shard = shard::read(path)?;
        rows += shard.rows.len();
        for game in shard.rows.chunk_by(|a, b| a.game == b.game) {
            games += 1;
            black += usize::from(game[0].outcome() == Outcome::Win(Color::Black));
        }
        info = Some(shard.info);
    }
    let info = info.context("there is no network, checkpoint or shard here")?;
    Ok(facts([
        ("game", json!(info.game)),
        ("size", json!(info.size.to_string())),
        ("source", json!(info.source)),
        ("shards", json!(paths.len())),
        ("games", json!(games)),
        ("rows", json!(rows)),
        ("black_share", json!(black as f64 / f64::from(games.max(1)))),
    ]))
}
