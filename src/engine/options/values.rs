//! The engine's settings as values.

use std::path::PathBuf;

use super::super::{Resign, SolverOptions, ThinkingLimits};
use crate::eval::{BackendKind, Device, LibraryPlaces, LoadOptions};
use crate::game::{BoardSize, GAMES, GameInfo};
use crate::search::SearchParams;

/// What chooses the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// PUCT with a network, run by the fastest of [`BackendKind::ALL`] that can be had.
    Auto,
    /// PUCT with a network, run by this and nothing else.
    Network(BackendKind),
    /// RAVE over random playouts, without a network, on one thread.
    Rollout,
    /// The adaptive critic of 1997 in the model's file, without a search.
    Critic,
}

/// All settings of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineOptions {
    /// The game, as [`crate::game::Game::NAME`].
    pub game: String,
    /// The board at the start; the network's or the game's usual one when nobody says.
    pub size: Option<BoardSize>,
    /// The game's rules, as it reads them; empty for the usual ones.
    pub rules: String,
    /// When a game is given up.
    pub resign: Option<Resign>,
    /// What chooses the moves.
    pub backend: Backend,
    /// The network's file; the built-in one when there is none.
    pub model: Option<PathBuf>,
    /// Where the network is computed.
    pub device: Device,
    /// ONNX Runtime's library; looked for in the usual places when there is none.
    pub ort_library: Option<PathBuf>,
    /// What one move may cost.
    pub thinking_limits: ThinkingLimits,
    /// Playouts that count as a second in place of measured time; `None` for real time.
    pub playouts_per_second: Option<f64>,
    /// Search threads; `None` for one a processor.
    pub threads: Option<usize>,
    /// Seed of all random numbers; `None` for another one in every run.
    pub seed: Option<u64>,
    /// Memory for remembered evaluations, in MiB; 0 for none.
    pub cache_mib: u32,
    /// Whether to think on the opponent's time.
    pub ponder: bool,
    /// The exact solver of endings.
    pub solver: SolverOptions,
    /// Settings of the search.
    pub search: SearchParams,
}

/// The game that is played unless another one is named.
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

    /// How a network is loaded by these settings.
    #[must_use]
    pub fn load(&self) -> LoadOptions {
        LoadOptions {
            device: self.device,
            ort_library: LibraryPlaces::usual(self.ort_library.clone()),
            board: self.size,
        }
    }

    /// Takes a game with its usual board and rules.
    pub(super) fn choose(&mut self, game: &GameInfo) {
        game.name.clone_into(&mut self.game);
        self.size = None;
        self.rules.clear();
    }
}
