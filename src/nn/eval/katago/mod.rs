//! KataGo's networks: their files are read, and what they compute is written as ONNX in memory, for one
//! board, so that every backend runs them.
//!
//! Convolutional networks and transformers of model versions 8 to 17 are known, which all read the same inputs (KataGo's
//! `V7`), and networks that imitate people, which are also told who plays. The format has no specification but KataGo's own reader (`cpp/neuralnet/desc.cpp`): words and
//! numbers as text, the weights as text or as little-endian f32 behind `@BIN@`, layer after layer.
//!
//! Independent of Go: an encoding fills the planes. The last row of the board comes first in
//! KataGo's planes and last in ours, so kernels are turned upside down.

mod graph;
mod heads;
mod layers;
mod model;
mod profile;
mod reader;
mod tokens;
mod writer;

#[cfg(test)]
mod tests;

use std::io::Read as _;
use std::path::Path;

use super::info::MAX_BYTES;
use super::{EvalError, ModelInfo};
use crate::BoardSize;
use crate::files;
use model::Header;
pub use profile::{HumanProfile, UnknownProfile};
use reader::{KataGoReader, is_compressed, unpacked, unpacked_beginning};

/// The board that a network is opened for where none is named.
const USUAL: BoardSize = BoardSize::square(19);
/// The smallest board that it is for.
const SMALLEST: BoardSize = BoardSize::square(2);
/// Why a network is not given a profile.
pub(super) const NO_IMITATOR: &str = "it does not imitate people: use a network that does, such as \
                                      b18c384nbt-humanv0, or leave --human-profile out";
/// Bytes from which [`info`] reads what a file says of itself.
const BEGINNING: u64 = 4096;

/// Whether a file that begins so is one of KataGo's: compressed, or a name and a version in text. ONNX
/// files begin with a byte that no text has.
pub(super) fn is_katago(beginning: &[u8]) -> bool {
    is_compressed(beginning) || Header::is_likely(beginning)
}

/// What the file at `path` says of itself, for all boards; `None` where it is not one of KataGo's. What is
/// behind the header is left to the one who loads it.
pub(super) fn info(path: &Path) -> Option<Result<ModelInfo, EvalError>> {
    let (file, _) = files::open(path, MAX_BYTES).ok()?;
    let mut beginning = Vec::new();
    file.take(BEGINNING).read_to_end(&mut beginning).ok()?;
    let name = path.display().to_string();
    let header = || -> Result<ModelInfo, String> {
        let text = unpacked_beginning(&beginning)?;
        let header = Header::read(&mut KataGoReader::new(&text))?;
        Ok(header.info(USUAL, vec![USUAL, SMALLEST]))
    };
    is_katago(&beginning).then(|| header().map_err(|reason| EvalError::load(&name, reason)))
}

/// The bytes of an ONNX file that computes what the network in `bytes` does on `board`, 19x19 where none
/// is named; one that imitates people imitates those of `profile`, which only such a network may be given. `name` only
/// names it in errors.
///
/// # Errors
/// [`EvalError::Load`] says what is wrong with the file, and in which layer.
pub(super) fn to_onnx(
    name: &str,
    bytes: &[u8],
    board: Option<BoardSize>,
    profile: Option<HumanProfile>,
) -> Result<Vec<u8>, EvalError> {
    let board = board.unwrap_or(USUAL);
    let onnx = || {
        let text = unpacked(bytes, MAX_BYTES)?;
        let reader = &mut KataGoReader::new(&text);
        let header = Header::read(reader)?;
        let all = header.info(USUAL, vec![USUAL, SMALLEST]);
        if !all.plays_on(board) {
            return Err(format!(
                "it is for boards of 2 to 19 lines, not for {board}"
            ));
        }
        if header.imitates && profile.is_none() {
            return Err(format!(
                "{} imitates people: say whom by --human-profile, such as rank_5k, or give it to \
                 `tengen analysis` by -human-model",
                header.name
            ));
        }
        if !header.imitates && profile.is_some() {
            return Err(NO_IMITATOR.to_owned());
        }
        graph::onnx(reader, &header, &header.info(board, Vec::new()), profile)
    };
    onnx().map_err(|reason| EvalError::load(name, reason))
}
