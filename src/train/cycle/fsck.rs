//! Checks the files of training for damage: shards, checkpoints, networks, JSON files.

use crate::trainable::with_game;
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::durable::{self, checksum, files_below};
use crate::fit::checkpoint::Checkpoint;
use crate::shards::row::{Row, Share};
use crate::shards::shard;
use crate::trainable::Trainable;
use tengen_nn::eval::ModelInfo;

/// Name of the object by which a learner commits a generation to the store of several machines.
const COMMIT: &str = "done.json";

/// Statistics and problems.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Findings {
    /// Valid shards.
    pub shards: u64,
    /// Games in valid shards.
    pub games: u64,
    /// Rows (positions) in valid shards.
    pub rows: u64,
    /// Valid checkpoints.
    pub checkpoints: u64,
    /// Valid networks.
    pub networks: u64,
    /// Valid JSON files, and files of JSON lines.
    pub json: u64,
    /// Unfinished files of a killed process: harmless, and removed by its next start.
    pub leftovers: Vec<PathBuf>,
    /// Damaged files, and contradictions between files.
    pub problems: Vec<Problem>,
}

/// A damaged file, or one that contradicts another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub what: String,
}

/// Checks a file, or all files of a folder and its subfolders.
///
/// # Errors
/// [`TrainError::Io`] when a folder cannot be read.
pub fn check(path: &Path) -> Result<Findings, TrainError> {
    let mut findings = Findings::default();
    let mut folders: BTreeMap<Option<&Path>, Vec<&Path>> = BTreeMap::new();
    let files = files_below(path)?;
    for path in &files {
        folders.entry(path.parent()).or_default().push(path);
        if let Err(what) = file(path, &mut findings) {
            let path = path.clone();
            findings.problems.push(Problem { path, what });
        }
    }
    for files in folders.values() {
        check_twins(files, &mut findings);
    }
    Ok(findings)
}

/// Looks at one file.
fn file(path: &Path, findings: &mut Findings) -> Result<(), String> {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if durable::is_unfinished(name) {
        findings.leftovers.push(path.to_path_buf());
        return Ok(());
    }
    let words = |error: TrainError| error.to_string();
    match path.extension().and_then(OsStr::to_str).unwrap_or_default() {
        "parquet" => {
            let shard = read_shard(path).map_err(words)?;
            positions(&shard)?;
            findings.shards += 1;
            findings.rows += shard.rows.len() as u64;
            findings.games += shard.rows.chunk_by(|a, b| a.game == b.game).count() as u64;
        }
        "checkpoint" => {
            let checkpoint = Checkpoint::load(path).map_err(words)?;
            let weights = checkpoint.weights.tensors().iter();
            let mut numbers = weights.flat_map(|weight| &weight.values);
            if !numbers.all(|number| number.is_finite()) {
                return Err("a weight is not a finite number".to_owned());
            }
            findings.checkpoints += 1;
        }
        "onnx" => {
            network(path)?;
            findings.networks += 1;
        }
        "json" | "jsonl" => {
            let text = fs::read_to_string(path).map_err(|error| error.to_string())?;
            let whole = path.extension() == Some(OsStr::new("json"));
            let parts: Vec<&str> = if whole {
                vec![&text]
            } else {
                text.lines().collect()
            };
            for (number, part) in parts.iter().enumerate() {
                serde_json::from_str::<serde_json::Value>(part)
                    .map_err(|error| format!("line {}: {error}", number + 1))?;
            }
            if whole {
                checksum::unseal_json(text.as_bytes())?;
            }
            findings.json += 1;
            if name == COMMIT {
                commit(path, &text)?;
            }
        }
        _ => {}
    }
    Ok(())
}

/// Whether all that the commit of a generation names lies in its store.
fn commit(path: &Path, text: &str) -> Result<(), String> {
    #[derive(Deserialize)]
    struct Commit {
        checkpoint: String,
        networks: HashMap<String, String>,
    }
    let commit: Commit = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let own = path.parent().unwrap_or(path);
    let store = own.parent().unwrap_or(own);
    let networks = commit.networks.values();
    let networks = networks.map(|hash| store.join(format!("networks/{hash}.onnx")));
    let objects = std::iter::once(own.join(commit.checkpoint)).chain(networks);
    let missing = objects.filter(|object| !object.is_file());
    let missing: Vec<String> = missing.map(|path| path.display().to_string()).collect();
    match missing.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "without {} no other learner can go on",
            missing.join(" and ")
        )),
    }
}

/// Reads a shard. Those of a store are named by their ticket, and have their checksum inside.
fn read_shard(path: &Path) -> Result<shard::Shard, TrainError> {
    let stem = path.file_stem().map(Path::new);
    if stem.is_some_and(|stem| stem.extension().is_none()) {
        return shard::decode(path, fs::read(path).map_err(TrainError::io(path))?);
    }
    shard::read(path)
}

/// Whether all rows of a shard are reachable positions.
fn positions(shard: &shard::Shard) -> Result<(), String> {
    fn all<G: Trainable>(empty: &G, rows: &[Row]) -> Result<(), String> {
        rows.iter().try_for_each(|row| {
            let position = row.position(empty)?;
            let illegal = |share: &&Share| !position.is_legal(share.mv);
            match row.policy.iter().find(illegal) {
                Some(share) => Err(format!(
                    "game {} ply {}: its policy has the illegal move {}",
                    row.game, row.ply, share.mv.0
                )),
                None => Ok(()),
            }
        })
    }
    let info = &shard.info;
    with_game!(&info.game, info.size, |empty| all(&empty, &shard.rows))
        .unwrap_or_else(|unknown| Err(unknown.to_string()))
}

/// Whether a network's metadata can be read and, where `tract` is there, its graph loaded.
fn network(path: &Path) -> Result<(), String> {
    let onnx = fs::read(path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    ModelInfo::read(&name, &onnx).map_err(|error| error.to_string())?;
    tengen_nn::eval::TractModel::load(&name, &onnx, None)
        .and_then(|model| model.evaluator())
        .map_err(|error| error.to_string())?;
    Ok(())
}

/// Whether one of two shards contains all games of the other, row by row, and which one is
/// redundant: a kill between writing a merged shard and removing its parts leaves such duplicates.
fn too_many<'a>(one: &'a Path, other: &'a Path) -> Option<&'a Path> {
    let (first, second) = (read_shard(one).ok()?, read_shard(other).ok()?);
    let within = |part: &shard::Shard, whole: &shard::Shard| {
        let games: HashMap<u64, &[Row]> = whole
            .rows
            .chunk_by(|a, b| a.game == b.game)
            .map(|game| (game[0].game, game))
            .collect();
        let mut parts = part.rows.chunk_by(|a, b| a.game == b.game);
        parts.all(|game| games.get(&game[0].game) == Some(&game))
    };
    if within(&first, &second) {
        Some(one)
    } else {
        within(&second, &first).then_some(other)
    }
}

/// Checks for games in two shards of a folder.
fn check_twins(files: &[&Path], findings: &mut Findings) {
    let mut seen: HashMap<u64, &Path> = HashMap::new();
    let shards = files.iter().copied();
    let shards = shards.filter(|path| path.extension() == Some(OsStr::new("parquet")));
    for path in shards {
        // A damaged shard is reported as a file.
        let Ok(shard) = read_shard(path) else {
            continue;
        };
        let twin = shard
            .rows
            .chunk_by(|a, b| a.game == b.game)
            .find_map(|game| seen.insert(game[0].game, path).map(|at| (game[0].game, at)));
        let Some((game, other)) = twin else {
            continue;
        };
        if let Some(part) = too_many(path, other) {
            findings.leftovers.push(part.to_path_buf());
        } else {
            findings.problems.push(Problem {
                path: path.to_path_buf(),
                what: format!(
                    "game {game} is in {} too: if both are of one run, its next start repairs \
                     that; else move one of the runs to another folder",
                    other.display()
                ),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::generate::tests::{plan, run};
    use tengen_nn::files::scratch::Scratch;

    #[track_caller]
    fn problem(folder: &Path, about: &str) {
        let findings = check(folder).unwrap();
        let found = findings
            .problems
            .iter()
            .any(|problem| problem.what.contains(about));
        assert!(found, "{findings:?}");
    }

    #[test]
    fn damage_is_found_and_soundness_too() {
        let scratch = Scratch::new("fsck");
        let folder = scratch.path();
        let played = run(&plan(5), folder).unwrap();
        fs::write(folder.join("a.json"), "{}").unwrap();
        fs::write(folder.join("b.jsonl"), "{}\n[1]\n").unwrap();
        fs::write(folder.join(".unfinished-x.json"), "{").unwrap();
        let sound = check(folder).unwrap();
        assert_eq!((sound.shards, sound.games, sound.json), (1, 5, 2));
        assert_eq!(sound.rows, played.positions);
        assert_eq!((sound.problems.len(), sound.leftovers.len()), (0, 1));

        fs::write(folder.join("c.json"), "{").unwrap();
        problem(folder, "line 1");
        fs::write(folder.join("net.onnx"), "no network").unwrap();
        problem(folder, "net.onnx");
        let shard = shard::list(folder).unwrap().remove(0);
        let mut rows = shard::read(&shard).unwrap();
        let half = rows.rows.len() / 2;
        shard::write(folder, &rows.info, &rows.rows[..half]).unwrap();
        problem(folder, "is in");
        // Named by a ticket; and JSON that was written with its checksum.
        let ticket = folder.join("0001.parquet");
        let mut bytes = fs::read(shard::list(folder).unwrap().remove(0)).unwrap();
        fs::write(&ticket, &bytes).unwrap();
        crate::cycle::save(&folder.join("d.json"), &sound).unwrap();
        let known = check(folder).unwrap().problems;
        assert!(
            !known
                .iter()
                .any(|found| found.path == ticket || found.path.ends_with("d.json"))
        );
        for at in (100..bytes.len() - 200).step_by(37) {
            bytes[at] ^= 1;
            fs::write(&ticket, &bytes).unwrap();
            bytes[at] ^= 1;
            assert_eq!(check(&ticket).unwrap().problems.len(), 1, "{at}");
        }
        fs::remove_file(&ticket).unwrap();
        let text = fs::read_to_string(folder.join("d.json")).unwrap();
        fs::write(folder.join("d.json"), text.replace('5', "6")).unwrap();
        problem(folder, "it says");
        // A move onto a stone.
        let row = rows.rows.iter_mut().find(|row| row.ply > 0).unwrap();
        row.policy[0].mv = row.moves[0];
        shard::write(folder, &rows.info, &rows.rows).unwrap();
        problem(folder, "illegal move");
        let bytes = fs::read(&shard).unwrap();
        fs::write(&shard, &bytes[..bytes.len() - 1]).unwrap();
        problem(folder, "checksum");
    }
}
