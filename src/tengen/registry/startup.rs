//! Checks the settings before a program begins: what was asked for and is not available here is an error.
//!
//! Most of it is judged by files. A named network is loaded, and dropped again, since only that tells whether a backend
//! computes it. ONNX Runtime is loaded, and a GPU's driver asked, where one of them was asked for. Built-in networks are
//! not loaded, so that a start takes no time: board programs start engines that they never ask for a move.

use thiserror::Error;

use crate::book::{BookError, BookMeta, BookSource};
use crate::encode;
use crate::engine::{Backend, EngineOptions, built_in_boards};
use crate::game::{BoardSize, GameInfo};
use crate::games::{GAMES, UnknownGame, game_names, with_game};
use tengen_nn::eval::{
    BackendKind, Device, EvalError, EvaluatorFactory, LoadOptions, ModelSource, open_best,
};

/// Why settings are not available here.
#[derive(Debug, Error)]
pub enum StartError {
    /// The network's file, the backend, its library or its device.
    #[error(transparent)]
    Eval(#[from] EvalError),
    /// The game does not support the board or the rules.
    #[error(transparent)]
    Game(#[from] UnknownGame),
    /// What was asked for does not fit together, or there is no such network.
    #[error("{0}")]
    Other(String),
}

impl EngineOptions {
    /// Checks that everything requested is available, and determines the board: the network's if
    /// only a network is named. Defaults are not checked.
    ///
    /// # Errors
    /// [`StartError`] as one line.
    pub fn resolve(self) -> Result<EngineOptions, StartError> {
        self.resolve_with_backend().map(|(options, _)| options)
    }

    /// The same, and the backend by which a named network was loaded.
    ///
    /// # Errors
    /// As [`EngineOptions::resolve`].
    pub fn resolve_with_backend(
        mut self,
    ) -> Result<(EngineOptions, Option<BackendKind>), StartError> {
        if self.model.is_none() {
            self.check_game()?;
        }
        if self.human_profile.is_some() && self.model.is_none() {
            let text = "--human-profile needs a network that imitates people: give one, such as \
                        b18c384nbt-humanv0, with --model, or leave --human-profile out";
            return Err(StartError::Other(text.to_owned()));
        }
        if self.backend == Backend::Rollout {
            self.check_book()?;
            if self.model.is_some() || self.device != Device::Cpu {
                log::warn!("random playouts need no network: --model and --device are not used");
            }
            return Ok((self, None));
        }
        if let Some(path) = &self.model {
            self.size = Some(fitting_size(&self, path.clone().into())?);
        }
        self.check_book()?;
        let load = self.load();
        match self.backend {
            Backend::Network(kind) => {
                load.check(Some(kind))?;
                if self.model.is_none() && built_in_boards(&self.game).is_none() {
                    return Err(StartError::Other(format!(
                        "no network is built in for {}: give one with --model, or use --backend rollout",
                        self.game
                    )));
                }
            }
            Backend::Auto | Backend::Rollout => load.check(None)?,
        }
        let model = self.model.clone();
        let loaded = model.map(|path| self.try_network(&path.into()));
        Ok((self, loaded.transpose()?))
    }

    /// Whether the game has the board and the rules; if another one does, its flag may have been left out.
    fn check_game(&self) -> Result<(), StartError> {
        let begun = |game, size| with_game!(game, size, rules: &*self.rules, |_empty| ());
        let Err(refused) = begun(&self.game, self.board()) else {
            return Ok(());
        };
        let has_it = |game: &&GameInfo| {
            let size = self.size.unwrap_or(game.usual_board);
            game.name != self.game && begun(game.name, size).is_ok()
        };
        Err(match GAMES.iter().find(has_it) {
            Some(other) => {
                StartError::Other(format!("{refused}; --game {} is played so", other.name))
            }
            None => refused.into(),
        })
    }

    /// Whether the book is one, and for the game that is played first.
    fn check_book(&self) -> Result<(), StartError> {
        let Some(book) = self.book.as_ref().filter(|&book| *book != BookSource::None) else {
            return Ok(());
        };
        let (size, rules) = (self.board(), &*self.rules);
        let wanted = with_game!(&self.game, size, rules: rules, |empty| BookMeta::of(&empty))?;
        let meta = book.read_meta();
        let checked = meta.and_then(|meta| meta.check(&wanted));
        checked.map_err(|error| {
            let hint = match error {
                BookError::Other { .. } => "; give those of the book by --game, --size and --rules",
                _ => "",
            };
            StartError::Other(format!("cannot use the book {book}: {error}{hint}"))
        })
    }

    /// Loads a network as the first search will, so that it is not silently replaced by another.
    /// For a GPU it is tried on the CPU, by the same backend: loading on the GPU takes seconds.
    fn try_network(&self, network: &ModelSource) -> Result<BackendKind, EvalError> {
        let kind = match self.backend {
            Backend::Network(kind) => Some(kind),
            Backend::Auto | Backend::Rollout => {
                (self.device != Device::Cpu).then_some(BackendKind::Ort)
            }
        };
        let load = LoadOptions {
            device: Device::Cpu,
            board: Some(self.board()),
            ..self.load()
        };
        match kind {
            Some(kind) => EvaluatorFactory::open(kind, network, &load).map(|_| kind),
            None => open_best(network, &load).map(|opened| opened.kind),
        }
    }
}

/// The board at the start: the requested one, or the network's own.
fn fitting_size(options: &EngineOptions, model: ModelSource) -> Result<BoardSize, StartError> {
    let (info, path) = (model.info()?, model.name());
    let unfit = |why| StartError::Other(format!("cannot use network {path}: {why}"));
    // Before the board, which may be one that the requested game does not have.
    let (plays, wanted) = (&info.game, &options.game);
    if plays != wanted {
        let advice = match GAMES.iter().any(|game| game.name == *plays) {
            true => format!("--game {plays}"),
            false => format!("games are {}", game_names()),
        };
        return Err(unfit(format!(
            "the network plays {plays}, not {wanted} ({advice})"
        )));
    }
    let size = options.size.unwrap_or(info.size);
    let rules = &*options.rules;
    let fits = with_game!(&options.game, size, rules: rules, |empty| encode::find(&info, &empty).map(drop))?;
    fits.map_err(|mismatch| unfit(mismatch.to_string()))?;
    Ok(size)
}
