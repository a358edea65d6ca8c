//! Checks the files of training for damage: shards, checkpoints, networks, JSON files.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::cluster::StoreFolder;
use crate::TrainError;
use crate::durable::{self, checksum, files_below};
use crate::fit::checkpoint::Checkpoint;
use crate::shards::row::{Row, Share};
use crate::shards::shard;
use crate::store::RESTORE;
use crate::trainable::{Trainable, with_game};
use tengen_nn::eval::ModelInfo;

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
    /// Unfinished files of a killed process: harmless, and removed by its next start. In a store, where others may be
    /// writing, they stay.
    pub leftovers: Vec<PathBuf>,
    /// Damaged and missing files, and contradictions between files.
    pub problems: Vec<Problem>,
}

/// A damaged or missing file, or one that contradicts another.
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
    let mut stores = StoreFolder::all(&files);
    // Of a part of a store the rest is not known.
    stores.retain(|store| store.root().starts_with(path));
    for path in &files {
        folders.entry(path.parent()).or_default().push(path);
        let store = stores.iter().find(|store| path.starts_with(store.root()));
        if let Err(what) = file(path, store, &mut findings) {
            let path = path.clone();
            findings.problems.push(Problem { path, what });
        }
    }
    let missing = stores.iter().flat_map(StoreFolder::missing);
    let missing = missing.map(|(path, what)| Problem { path, what });
    findings.problems.extend(missing);
    for files in folders.values() {
        check_twins(files, &mut findings);
    }
    Ok(findings)
}

/// Looks at one file, which may be an object of a store.
fn file(path: &Path, store: Option<&StoreFolder>, findings: &mut Findings) -> Result<(), String> {
    content(path, store, findings).map_err(|error| match (error, store) {
        (TrainError::Corrupt { reason, advice, .. }, _) => {
            let advice = store.map_or(advice, |store| store.advice(path));
            format!("it is damaged: {reason}; {advice}")
        }
        (TrainError::Setting(what), Some(store)) => format!("{what}; {}", store.advice(path)),
        (error, _) => error.to_string(),
    })
}

fn content(
    path: &Path,
    store: Option<&StoreFolder>,
    findings: &mut Findings,
) -> Result<(), TrainError> {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if durable::is_unfinished(name) {
        findings.leftovers.push(path.to_path_buf());
        return Ok(());
    }
    let damaged = |reason: String| TrainError::corrupt(path, reason).advising(RESTORE);
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    let is_term = store.is_some_and(|store| store.is_term(path));
    match ending {
        "parquet" => {
            let shard = shard::read(path)?;
            positions(&shard).map_err(TrainError::Setting)?;
            findings.shards += 1;
            findings.rows += shard.rows.len() as u64;
            findings.games += shard.rows.chunk_by(|a, b| a.game == b.game).count() as u64;
        }
        "checkpoint" => {
            let checkpoint = Checkpoint::load(path)?;
            let weights = [&checkpoint.weights, &checkpoint.average];
            let tensors = weights.iter().flat_map(|weights| weights.tensors());
            let mut numbers = tensors.flat_map(|weight| &weight.values);
            if !numbers.all(|number| number.is_finite()) {
                return Err(damaged("a weight is not a finite number".to_owned()));
            }
            findings.checkpoints += 1;
        }
        "onnx" => {
            network(path).map_err(TrainError::Setting)?;
            findings.networks += 1;
        }
        _ if is_term || ending == "json" || ending == "jsonl" => {
            let bytes = fs::read(path).map_err(TrainError::io(path))?;
            let text = String::from_utf8(bytes).map_err(|error| damaged(error.to_string()))?;
            let parts: Vec<&str> = match ending {
                "jsonl" => text.lines().collect(),
                _ => vec![&text],
            };
            for (number, part) in parts.iter().enumerate() {
                serde_json::from_str::<serde_json::Value>(part)
                    .map_err(|error| damaged(format!("line {}: {error}", number + 1)))?;
            }
            if ending != "jsonl" {
                checksum::unseal_json(text.as_bytes()).map_err(damaged)?;
            }
            findings.json += 1;
        }
        _ => {}
    }
    Ok(())
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
    let (first, second) = (shard::read(one).ok()?, shard::read(other).ok()?);
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
        let Ok(shard) = shard::read(path) else {
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
