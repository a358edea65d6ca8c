//! The engine's settings as values.

use std::path::PathBuf;

use super::super::{Resign, SolverOptions, ThinkingLimits};
use crate::eval::{BackendKind, Device, LibraryPlaces, LoadOptions};
use crate::game::{BoardSize, GameInfo};
use crate::games::GAMES;
use crate::rollout::MucgoParams;
use crate::search::SearchParams;

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

/// The search over random playouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlayoutScheme {
    /// RAVE.
    Rave,
    /// Mucgo's of 2019 (docs/mucgo.md).
    Mucgo,
}

/// All settings of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineOptions {
    /// The game, as [`crate::game::Game::NAME`].
    pub game: String,
    /// The board at the start; `None` for the network's or the game's usual one.
    pub size: Option<BoardSize>,
    /// The game's rules as text; empty for the usual ones.
    pub rules: String,
    /// When to resign; `None`: never.
    pub resign: Option<Resign>,
    /// Method of choosing moves.
    pub backend: Backend,
    /// The search of [`Backend::Rollout`].
    pub playouts: PlayoutScheme,
    /// The network's file; `None` for the built-in one.
    pub model: Option<PathBuf>,
    /// Device of the network.
    pub device: Device,
    /// ONNX Runtime's library; `None` to search the default places.
    pub ort_library: Option<PathBuf>,
    /// Limits per move.
    pub thinking_limits: ThinkingLimits,
    /// Playouts per simulated second; `None` for real time.
    pub playouts_per_second: Option<f64>,
    /// Search threads; `None` for the number of CPUs.
    pub threads: Option<usize>,
    /// Seed of all random numbers; `None` for a different one in every run.
    pub seed: Option<u64>,
    /// Memory of the evaluation cache, in MiB; 0 for none.
    pub cache_mib: u32,
    /// Whether to think during the opponent's time.
    pub ponder: bool,
    /// The exact solver of endings.
    pub solver: SolverOptions,
    /// Settings of the search.
    pub search: SearchParams,
    /// Settings of Mucgo's search.
    pub mucgo: MucgoParams,
}

/// The default game.
#[allow(clippy::indexing_slicing, reason = "an empty list would not compile")]
const USUAL: GameInfo = GAMES[0];

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            game: USUAL.name.to_owned(),
            size: None,
            rules: String::new(),
            resign: None,
            backend: Backend::Auto,
            playouts: PlayoutScheme::Rave,
            model: None,
            device: Device::Cpu,
            ort_library: None,
            thinking_limits: ThinkingLimits::default(),
            playouts_per_second: None,
            threads: None,
            seed: None,
            cache_mib: 64,
            ponder: false,
            solver: SolverOptions::default(),
            search: SearchParams::default(),
            mucgo: MucgoParams::default(),
        }
    }
}

impl EngineOptions {
    /// The board at the start.
    #[must_use]
    pub fn board(&self) -> BoardSize {
        self.size.unwrap_or_else(|| self.usual_board())
    }

    /// The game's usual board.
    #[must_use]
    pub fn usual_board(&self) -> BoardSize {
        let game = GAMES.iter().find(|game| game.name == self.game);
        game.unwrap_or(&USUAL).usual_board
    }

    /// Options for loading a network.
    #[must_use]
    pub fn load(&self) -> LoadOptions {
        LoadOptions {
            device: self.device,
            ort_library: LibraryPlaces::usual(self.ort_library.clone()),
            board: self.size,
        }
    }

    /// Selects a game with its default board and rules.
    pub(super) fn choose(&mut self, game: &GameInfo) {
        game.name.clone_into(&mut self.game);
        self.size = None;
        self.rules.clear();
    }
}
