//! Checks the files of training for damage: shards, checkpoints, networks, JSON files.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::cluster::is_made_again;
use crate::TrainError;
use crate::durable::{self, checksum, files_below};
use crate::fit::checkpoint::Checkpoint;
use crate::shards::row::{Row, Share};
use crate::shards::shard;
use crate::trainable::{Trainable, with_game};
use tengen_nn::eval::{ModelInfo, NativeModel, TractModel};

/// Statistics and problems.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    /// Valid shards.
    pub shards: u64,
    /// Games in valid shards, each once: those of a ticket are in the run's own folder, too.
    pub games: u64,
    /// Rows (positions) of these games.
    pub rows: u64,
    /// Valid checkpoints.
    pub checkpoints: u64,
    /// Valid networks.
    pub networks: u64,
    /// Valid JSON files, and files of JSON lines.
    pub json: u64,
    /// Unfinished files of a killed process: harmless, and removed by its next start. In a store's folders, where others
    /// may be writing, they stay.
    pub leftovers: Vec<PathBuf>,
    /// Damaged files.
    pub problems: Vec<Problem>,
}

/// A damaged file.
#[derive(Debug, Clone, PartialEq, Eq)]
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
    let (mut findings, mut games) = (Findings::default(), HashSet::new());
    for path in files_below(path)? {
        if let Err(error) = content(&path, &mut findings, &mut games) {
            let what = match error {
                TrainError::Corrupt { reason, advice, .. } => {
                    format!("it is damaged: {reason}; {advice}")
                }
                other => other.to_string(),
            };
            findings.problems.push(Problem { path, what });
        }
    }
    Ok(findings)
}

/// Looks at one file; `games` are those of earlier files.
fn content(
    path: &Path,
    findings: &mut Findings,
    games: &mut HashSet<u64>,
) -> Result<(), TrainError> {
    let name = path.file_name().and_then(OsStr::to_str).unwrap_or_default();
    if durable::is_unfinished(name) {
        findings.leftovers.push(path.to_path_buf());
        return Ok(());
    }
    let damaged = |reason: String| match is_made_again(path) {
        true => TrainError::corrupt(path, reason),
        false => TrainError::corrupt(path, reason).advising("restore it from a copy of the run"),
    };
    let ending = path.extension().and_then(OsStr::to_str).unwrap_or_default();
    match ending {
        "parquet" => {
            let shard = shard::read(path)?;
            positions(&shard).map_err(TrainError::Setting)?;
            findings.shards += 1;
            for game in shard.rows.chunk_by(|a, b| a.game == b.game) {
                if games.insert(shard.info.key_of(&game[0])) {
                    findings.games += 1;
                    findings.rows += game.len() as u64;
                }
            }
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
        "json" | "jsonl" => {
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

/// Whether a network's metadata can be read and its graph computed, by native or tract.
fn network(path: &Path) -> Result<(), String> {
    let onnx = fs::read(path).map_err(|error| error.to_string())?;
    let name = path.display().to_string();
    ModelInfo::read(&name, &onnx).map_err(|error| error.to_string())?;
    // tract does not compute all networks in f16. What neither computes is told in its words.
    if NativeModel::load(&name, &onnx, None).is_ok() {
        return Ok(());
    }
    let model = TractModel::load(&name, &onnx, None).and_then(|model| model.evaluator());
    model.map(drop).map_err(|error| error.to_string())
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
    fn a_network_in_f16_is_sound() {
        let scratch = Scratch::new("fsck-f16");
        let models = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/nogo-9x9.onnx");
        let half = tengen_nn::onnx::to_f16(&fs::read(models).unwrap()).unwrap();
        let path = scratch.path().join("half.onnx");
        fs::write(&path, half).unwrap();
        assert_eq!(network(&path), Ok(()));
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
        // Named by a ticket; and JSON that was written with its checksum.
        let ticket = folder.join("0001.parquet");
        let mut bytes = fs::read(shard::list(folder).unwrap().remove(0)).unwrap();
        fs::write(&ticket, &bytes).unwrap();
        let value = serde_json::json!({ "games": 5 });
        crate::cycle::save(&folder.join("d.json"), &value).unwrap();
        let known = check(folder).unwrap();
        assert_eq!((known.games, known.rows), (5, played.positions));
        let known = known.problems;
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
