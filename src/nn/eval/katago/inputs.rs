//! What the networks read, as an encoding fills it.

/// Planes of points that the networks read.
pub(super) const SPATIAL: usize = 22;
/// Numbers of the whole position that they read.
pub(super) const GLOBAL: usize = 19;
/// Planes of a row: after those of points one plane per number, all of it that number, and one that is
/// 1 where the rules leave no game without a result.
pub(super) const PLANES: usize = SPATIAL + GLOBAL + 1;

/// Id of the encoding for a network; the one of networks that want pass-alive stones told as if suicide
/// were always legal has another.
pub(super) const ENCODINGS: [&str; 2] = ["katago-7", "katago-7-suicide"];
