//! How a network is to be loaded.

use super::{Device, LibraryPlaces};
use crate::game::BoardSize;

/// How to load a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Where to compute; `native` and `tract` compute on the CPU only.
    pub device: Device,
    /// Where to look for ONNX Runtime.
    pub ort_library: LibraryPlaces,
    /// The board to compute for, where the network is for several; `None` for its own, or its first.
    pub board: Option<BoardSize>,
}
