//! Checkpoints: the state of a run between two steps, complete enough to continue bit by bit.
//!
//! File: length of the header (u32), header (JSON), then f32 numbers, all little-endian: weights,
//! averaged weights, and the optimiser's memory, each in the order of the header's tensors.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::TrainError;
use crate::durable;
use crate::fit::FitParams;
use crate::fit::optimizer::{self, Optimizer};
use crate::network::architecture::{Architecture, GameShape};
use crate::network::net::{Role, WeightTensor, Weights};
use tengen::game::zobrist::MAX_POINTS;
use tengen::game::{BoardSize, Game};

/// Version of the file; a reader refuses any other.
const FORMAT: u32 = 2;

const EXTENSION: &str = "checkpoint";

/// Input planes of a network at most, as in the files that are exported.
const MAX_PLANES: usize = u16::MAX as usize;

/// Training data of a network, for its metadata.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Origin {
    /// The game's name.
    pub game: String,
    /// All boards, in displayed form, if there are several; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub boards: Vec<String>,
    /// Board width in points; of the first board, where there are several.
    pub width: u8,
    /// Board height in points.
    pub height: u8,
    /// Id of the encoding.
    pub encoding: String,
    /// Number of input planes.
    pub planes: usize,
    /// Number of policy indices: points, and the pass where there is one.
    pub policy_len: usize,
    /// Results that a game can have for a side.
    #[serde(default = "without_draws")]
    pub outcomes: usize,
    /// Games that the rows come from.
    pub games: u64,
}

/// Checkpoints without this field are of games without draws.
fn without_draws() -> usize {
    2
}

impl Origin {
    /// For a network of `encoding` for these boards, at least one.
    pub fn of<G: Game>(boards: &[G], encoding: &str, planes: usize, games: u64) -> Origin {
        let sizes = boards.iter().map(|board| board.size().to_string());
        let first = boards.first();
        let size = first.map_or(BoardSize::square(1), Game::size);
        Origin {
            game: G::NAME.to_owned(),
            boards: if boards.len() > 1 {
                sizes.collect()
            } else {
                Vec::new()
            },
            width: size.width,
            height: size.height,
            encoding: encoding.to_owned(),
            planes,
            policy_len: first.map_or(0, Game::policy_len),
            outcomes: G::INFO.outcomes(),
            games,
        }
    }

    /// Whether there is such a game: networks for others are not described.
    fn check(&self) -> Result<(), String> {
        let area = self.size().area();
        let is_sound = (1..=MAX_POINTS).contains(&area)
            && (area..=area + 1).contains(&self.policy_len)
            && (2..=3).contains(&self.outcomes)
            && (1..=MAX_PLANES).contains(&self.planes)
            && self.several().len() == self.boards.len();
        is_sound.then_some(()).ok_or_else(|| {
            format!(
                "no game has {} planes, {} moves and {} outcomes on {}",
                self.planes,
                self.policy_len,
                self.outcomes,
                self.size()
            )
        })
    }

    /// Game, board and encoding, for messages.
    pub fn name(&self) -> String {
        format!("{} {} {}", self.game, self.size(), self.encoding)
    }

    /// The shape of the game.
    pub fn game_shape(&self) -> GameShape {
        GameShape::named(&self.game, self.size(), self.policy_len, self.outcomes)
    }

    /// The board.
    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.width, self.height)
    }

    /// Whether networks of both have the same input and output; their boards may differ, if their
    /// weights have the same shapes.
    pub fn same_input(&self, other: &Origin) -> bool {
        (&self.game, &self.encoding) == (&other.game, &other.encoding)
            && (self.planes, self.outcomes) == (other.planes, other.outcomes)
    }

    /// All boards if there are several; unreadable ones are left out.
    pub fn several(&self) -> Vec<BoardSize> {
        self.boards
            .iter()
            .filter_map(|size| size.parse().ok())
            .collect()
    }
}

/// A run between two steps. In a file its header has all but the numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// Training data of the network.
    pub origin: Origin,
    /// The run's settings.
    pub params: FitParams,
    /// Optimiser steps made so far.
    pub step: u64,
    /// Steps behind the averages and the optimiser's state when the run began, from earlier fits of
    /// the same network.
    #[serde(default)]
    pub steps_before: u64,
    /// Factor of the learning rate, see [`crate::fit::Schedule::Kl`].
    pub rate_factor: f32,
    /// The weights being fitted.
    #[serde(skip)]
    pub weights: Weights,
    /// Their moving average: the network to play with.
    #[serde(skip)]
    pub average: Weights,
    /// State of the optimiser.
    #[serde(skip)]
    pub optimizer: Optimizer,
}

/// Fields in the headers of all formats.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

#[derive(Serialize, Deserialize)]
struct Header<C> {
    format: u32,
    creator: String,
    #[serde(flatten)]
    checkpoint: C,
    tensors: Vec<(String, Vec<usize>, Role)>,
}

impl Header<Checkpoint> {
    /// Whether it describes the network that it names, and this number of bytes of weights: a reader makes room by what it
    /// says.
    fn check(&self, bytes: usize) -> Result<(), String> {
        let Checkpoint { origin, params, .. } = &self.checkpoint;
        origin.check()?;
        let architecture = params.architecture;
        let shapes = architecture.shapes(origin.planes, origin.game_shape());
        let wanted = shapes.tensors();
        if self.tensors.len() != wanted.len() {
            return Err(format!(
                "it has {} tensors, and {architecture} has {}",
                self.tensors.len(),
                wanted.len()
            ));
        }
        for ((name, dims, role), wanted) in self.tensors.iter().zip(wanted) {
            if (name, dims, role) != (&wanted.name, &wanted.dims, &wanted.role) {
                return Err(format!(
                    "it has the tensor {name} {dims:?} where {architecture} has {} {:?}",
                    wanted.name, wanted.dims
                ));
            }
        }
        let numbers_of = |tensor: &WeightTensor| {
            let memory = match tensor.role {
                Role::Buffer => 0,
                Role::Weight | Role::Bias => optimizer::NUMBERS,
            };
            (2 + memory) * tensor.dims.iter().product::<usize>()
        };
        let numbers: usize = wanted.iter().map(numbers_of).sum();
        if bytes != 4 * numbers {
            let wanted = 4 * numbers;
            return Err(format!("{bytes} bytes follow its header, not {wanted}"));
        }
        Ok(())
    }
}

impl Checkpoint {
    /// Steps behind the averages and the optimiser's state.
    pub fn steps_so_far(&self) -> u64 {
        self.steps_before + self.step
    }

    /// Whether a run of this network, the same or a larger one, can start from here.
    pub fn can_become(&self, network: Architecture) -> bool {
        let (small, shape) = (self.params.architecture, self.origin.game_shape());
        network
            .grown_from(small, &self.weights, self.origin.planes, shape, 0)
            .is_some()
    }

    /// Writes the checkpoint into a folder and removes all others except the newest earlier one that is not damaged: the run
    /// goes on from it, should this one be lost.
    ///
    /// # Errors
    /// [`TrainError::Io`] when a file cannot be written or removed.
    pub fn save(&self, folder: &Path) -> Result<PathBuf, TrainError> {
        let path = durable::save(folder, &stem(self.step), EXTENSION, &self.to_bytes()?)?;
        let mut others = durable::list(folder, "step-", EXTENSION)?;
        others.retain(|other| *other != path);
        // Another one of this step would be the newest or not by its checksum.
        let is_earlier = |other: &Path| {
            let name = other.file_name().and_then(OsStr::to_str);
            !name.is_some_and(|name| name.starts_with(&stem(self.step)))
        };
        if let Some(sound) = others
            .iter()
            .rposition(|other| is_earlier(other) && durable::load(other).is_ok())
        {
            others.remove(sound);
        }
        durable::remove(&others)?;
        Ok(path)
    }

    /// The newest valid checkpoint of a folder, if any. A damaged file is skipped with a warning:
    /// the one before it is kept for that.
    ///
    /// # Errors
    /// [`TrainError`] when the folder cannot be read, or all of its checkpoints are invalid.
    pub fn newest(folder: &Path) -> Result<Option<Checkpoint>, TrainError> {
        let mut failure = None;
        for path in durable::list(folder, "step-", EXTENSION)?.iter().rev() {
            match Checkpoint::load(path) {
                Ok(checkpoint) => return Ok(Some(checkpoint)),
                Err(error) => {
                    log::warn!("{error}");
                    failure = Some(error);
                }
            }
        }
        failure.map_or(Ok(None), Err)
    }

    /// Reads a checkpoint, or the newest of a folder.
    ///
    /// # Errors
    /// [`TrainError`] when there is none, or it is damaged or of another format.
    pub fn open(path: &Path) -> Result<Checkpoint, TrainError> {
        if !path.is_dir() {
            return Checkpoint::load(path);
        }
        Checkpoint::newest(path)?.ok_or_else(|| {
            let instead = durable::instead(path, EXTENSION);
            let reason = format!("it holds no checkpoint{instead}");
            TrainError::mismatch(path, reason)
        })
    }

    /// Reads one checkpoint.
    ///
    /// # Errors
    /// [`TrainError`] when the file is missing, damaged or of another format.
    pub fn load(path: &Path) -> Result<Checkpoint, TrainError> {
        if path.exists() && path.extension() != Some(OsStr::new(EXTENSION)) {
            let reason = "it is no checkpoint: give a file step-N.*.checkpoint or its folder";
            return Err(TrainError::mismatch(path, reason));
        }
        let bytes = durable::load(path)?;
        // As its name says, it is what was written, if by another program.
        Checkpoint::from_bytes(&bytes).map_err(|reason| TrainError::mismatch(path, reason))
    }

    fn to_bytes(&self) -> Result<Vec<u8>, TrainError> {
        let tensors = self.weights.tensors().iter();
        let header = Header {
            format: FORMAT,
            creator: concat!("tengen-train ", env!("CARGO_PKG_VERSION")).to_owned(),
            checkpoint: self,
            tensors: tensors
                .map(|w| (w.name.clone(), w.dims.clone(), w.role))
                .collect(),
        };
        let header = serde_json::to_vec(&header)
            .map_err(|error| TrainError::Setting(format!("cannot write a checkpoint: {error}")))?;
        let mut bytes = (header.len() as u32).to_le_bytes().to_vec();
        bytes.extend(header);
        let weights = self.weights.tensors().iter().map(|weight| &weight.values);
        let average = self.average.tensors().iter().map(|weight| &weight.values);
        let memory = self.optimizer.first.iter().chain(&self.optimizer.second);
        for number in weights.chain(average).chain(memory).flatten() {
            bytes.extend(number.to_le_bytes());
        }
        Ok(bytes)
    }

    /// The checkpoint of these bytes.
    ///
    /// # Errors
    /// Says what is wrong with them.
    pub(crate) fn from_bytes(bytes: &[u8]) -> Result<Checkpoint, String> {
        let (len, rest) = bytes.split_first_chunk::<4>().ok_or("it is too short")?;
        let len = u32::from_le_bytes(*len) as usize;
        let (header, numbers) = rest
            .split_at_checked(len)
            .ok_or("its header is truncated")?;
        let version: Version = serde_json::from_slice(header).map_err(|error| error.to_string())?;
        if version.format != FORMAT {
            return Err(format!(
                "it has checkpoint format {}, this program reads {FORMAT}",
                version.format
            ));
        }
        let header: Header<Checkpoint> =
            serde_json::from_slice(header).map_err(|error| error.to_string())?;
        header.check(numbers.len())?;
        let Header {
            checkpoint,
            tensors,
            ..
        } = header;
        let steps = checkpoint.steps_before.checked_add(checkpoint.step);
        let steps = steps.ok_or("its number of steps is out of range")?;
        let mut numbers = numbers
            .chunks_exact(4)
            .map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
        let mut take = |len: usize| -> Vec<f32> { numbers.by_ref().take(len).collect() };
        let mut network = || {
            let mut weights = Weights::default();
            for (name, dims, role) in tensors.iter().cloned() {
                let values = take(dims.iter().product());
                weights.push(WeightTensor {
                    name,
                    dims,
                    role,
                    values,
                });
            }
            weights
        };
        let (weights, average) = (network(), network());
        let mut optimizer = Optimizer::new(&weights);
        for slot in optimizer.first.iter_mut().chain(&mut optimizer.second) {
            *slot = take(slot.len());
        }
        optimizer.steps = steps;
        Ok(Checkpoint {
            weights,
            average,
            optimizer,
            ..checkpoint
        })
    }
}

/// Zero-padded, so that names sort by step.
fn stem(step: u64) -> String {
    format!("step-{step:09}")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::{Value, json};

    use super::*;
    use crate::durable::files_below;
    use crate::fit::Fit;
    use tengen::games::nogo::SmallNoGo;

    /// A checkpoint of a small network.
    fn example() -> Vec<u8> {
        let architecture = "az-1b8c".parse().unwrap();
        let params = FitParams::of::<SmallNoGo>(architecture, 1, &Fit::default());
        let origin = Origin {
            game: "nogo".to_owned(),
            boards: Vec::new(),
            width: 4,
            height: 4,
            encoding: "nogo-az".to_owned(),
            planes: 3,
            policy_len: 16,
            outcomes: 2,
            games: 1,
        };
        let (weights, _) = params.architecture.declare(3, origin.game_shape(), 1);
        let checkpoint = Checkpoint {
            optimizer: Optimizer::new(&weights),
            average: weights.clone(),
            weights,
            origin,
            params,
            step: 0,
            steps_before: 0,
            rate_factor: 1.0,
        };
        let bytes = checkpoint.to_bytes().unwrap();
        assert_eq!(Checkpoint::from_bytes(&bytes).unwrap(), checkpoint);
        bytes
    }

    /// The same numbers behind a header with another value at this place.
    fn with(bytes: &[u8], place: &str, value: Value) -> Vec<u8> {
        let len = u32::from_le_bytes(bytes[..4].try_into().unwrap()) as usize;
        let mut header: Value = serde_json::from_slice(&bytes[4..4 + len]).unwrap();
        *header.pointer_mut(place).unwrap() = value;
        let header = serde_json::to_vec(&header).unwrap();
        let mut changed = (header.len() as u32).to_le_bytes().to_vec();
        changed.extend(header);
        changed.extend(&bytes[4 + len..]);
        changed
    }

    #[test]
    fn a_header_that_describes_another_network_is_refused() {
        let bytes = example();
        let refused = |bytes: &[u8], about: &str| {
            let message = Checkpoint::from_bytes(bytes).unwrap_err();
            assert!(message.contains(about), "{about}: {message}");
        };
        for (place, value, about) in [
            ("/origin/planes", json!(1u64 << 40), "no game has"),
            ("/origin/planes", json!(4), "stem"),
            ("/origin/width", json!(0), "on 0x4"),
            ("/origin/width", json!(5), "no game has"),
            ("/origin/policy_len", json!(1u64 << 62), "no game has"),
            ("/origin/outcomes", json!(9), "no game has"),
            ("/params/recipe", json!("tengen-200b4096c"), "tensors"),
            ("/params/recipe", json!("az-1b4c"), "tensor"),
            ("/params/recipe", json!("az-2b8c"), "tensors"),
            ("/tensors/0/1", json!([1u64 << 62, 4]), "where az-1b8c has"),
            ("/tensors/0/1", json!([]), "where az-1b8c has"),
            ("/tensors", json!([]), "0 tensors"),
            ("/step", json!(u64::MAX), ""),
        ] {
            let changed = with(&bytes, place, value);
            match place {
                // Alone it is the largest one.
                "/step" => refused(&with(&changed, "/steps_before", json!(1)), "steps"),
                _ => refused(&changed, about),
            }
        }
        refused(&bytes[..bytes.len() - 4], "bytes follow its header");
        refused(&[&bytes[..], &[0; 4]].concat(), "bytes follow its header");
    }

    #[test]
    fn checkpoints_of_released_runs_are_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../models/runs");
        let mut files = files_below(Path::new(folder)).unwrap();
        files.retain(|path| path.extension() == Some(OsStr::new(EXTENSION)));
        assert!(files.len() > 3, "{files:?}");
        // The smallest ones: all have the same layout.
        files.sort_by_key(|path| fs::metadata(path).unwrap().len());
        for path in &files[..4] {
            let read = Checkpoint::load(path);
            assert!(read.is_ok(), "{:?}", read.err());
        }
    }
}
