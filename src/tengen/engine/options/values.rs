//! The engine's settings as values.

use crate::game::GameInfo;
use crate::games::{GAMES, game_names, known_name};
use crate::settings::Allowed;
use tengen_nn::eval::BackendKind;

/// The default game.
#[allow(clippy::indexing_slicing, reason = "an empty list would not compile")]
pub(super) const USUAL: GameInfo = GAMES[0];

/// A game of the list.
pub(super) struct GameName;

impl Allowed<String> for GameName {
    fn read(&self, text: &str) -> Option<String> {
        known_name(text).ok()
    }

    fn write(&self, name: &String) -> Option<String> {
        Some(name.clone())
    }

    fn describe(&self) -> String {
        format!("one of {}", game_names())
    }
}

/// Method of choosing moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// PUCT with a network on the fastest available backend of [`BackendKind::ALL`].
    Auto,
    /// PUCT with a network on this backend only.
    Network(BackendKind),
    /// A search over random playouts, without a network, on one thread.
    Rollout,
}

impl Backend {
    /// The method with this name.
    pub(super) fn named(name: &str) -> Option<Backend> {
        match name {
            "auto" => Some(Backend::Auto),
            "rollout" => Some(Backend::Rollout),
            _ => name.parse().ok().map(Backend::Network),
        }
    }
}
