//! Options for loading a network.

use super::{Device, HumanProfile, LibraryPlaces};
use crate::BoardSize;

/// Options for loading a model.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// Device; `native` and `tract` compute on the CPU only.
    pub device: Device,
    /// Where to look for ONNX Runtime.
    pub ort_library: LibraryPlaces,
    /// Board, where the network is for several; `None` for its own, or its first.
    pub board: Option<BoardSize>,
    /// Whom a network of KataGo's that imitates people imitates; other networks ignore it.
    pub profile: Option<HumanProfile>,
}
