//! The engine's settings as values.

use crate::eval::BackendKind;
use crate::game::GameInfo;
use crate::games::{GAMES, game_names, known_name};
use crate::settings::{Allowed, choices};

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
    /// The adaptive critic of 1997 in the model's file, without a search.
    Critic,
}

impl Backend {
    /// The method with this name.
    pub(super) fn named(name: &str) -> Option<Backend> {
        match name {
            "auto" => Some(Backend::Auto),
            "rollout" => Some(Backend::Rollout),
            "critic" => Some(Backend::Critic),
            _ => name.parse().ok().map(Backend::Network),
        }
    }
}

choices! {
    /// The search over random playouts.
    PlayoutScheme {
        /// RAVE.
        Rave = "rave",
        /// Mucgo's of 2019 (docs/papers.md#mucgo).
        Mucgo = "mucgo",
    }
}
