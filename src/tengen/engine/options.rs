//! The engine's settings: one table defines the flags, the keys of configuration files, and their help. The tables of the
//! solver, the time manager and the searches are parts of it.

mod level;

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::ThinkingLimits;
use crate::book::{BookSource, is_built_in};
use crate::clock::{Clock, PlayoutClock, SystemClock, TimeParams, seconds};
use crate::engine::{Resign, SolverOptions};
use crate::game::{BoardSize, GameInfo};
use crate::games::{GAMES, game_names, info, known_name, usual_board};
use crate::search::SearchParams;
use crate::settings::{
    Allowed, FILE, Maybe, SetError, Switch, Table, Text, ValueReader, hyphenated,
};
use tengen_nn::eval::{BackendKind, Device, HumanProfile, LibraryPlaces, LoadOptions};

impl EngineOptions {
    /// Default settings of a game.
    ///
    /// # Errors
    /// [`SetError`] when there is no such game.
    pub fn of(game: &str) -> Result<EngineOptions, SetError> {
        let mut options = EngineOptions::default();
        options.set("game", game)?;
        Ok(options)
    }

    /// Sets one setting, of any part of the table, from text. A game brings its own defaults, and a
    /// level the settings that it consists of; both replace earlier values. `-` and `_` are equivalent
    /// in names.
    ///
    /// # Errors
    /// [`SetError`] names the most similar setting, or the allowed values.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        Table::set(self, name, value)?;
        match &*hyphenated(name) {
            "game" => self.take_game(),
            "level" => self.take_level(),
            _ => Ok(()),
        }
    }

    /// The board at the start.
    pub fn board(&self) -> BoardSize {
        self.size.unwrap_or_else(|| self.usual_board())
    }

    /// The game's usual board.
    pub fn usual_board(&self) -> BoardSize {
        usual_board(&self.game)
    }

    /// The book for a board: the one that was asked for, else the built-in one where the built-in network plays and time
    /// limits its searches. Who sets a number of visits, as a level does, wants their strength and no other.
    pub(crate) fn book_for(&self, size: BoardSize) -> BookSource {
        let plays_at_its_best =
            self.model.is_none() && self.backend != Backend::Rollout && self.visits.is_none();
        match &self.book {
            Some(source) => source.clone(),
            None if plays_at_its_best && is_built_in(&self.game, size) => BookSource::BuiltIn,
            None => BookSource::None,
        }
    }

    /// Options for loading a network. Built-in networks play on many boards: without a size they
    /// are opened for the usual one, and a named network for its own.
    pub fn load(&self) -> LoadOptions {
        let usual = || self.model.is_none().then(|| self.usual_board());
        LoadOptions {
            device: self.device,
            ort_library: LibraryPlaces::usual(self.ort_library.clone()),
            board: self.size.or_else(usual),
            profile: self.human_profile,
        }
    }

    /// The clock of an engine: real, or simulated.
    pub fn clock(&self) -> Arc<dyn Clock> {
        match self.playouts_per_second {
            None => Arc::new(SystemClock::new()),
            Some(rate) => Arc::new(PlayoutClock::new(rate)),
        }
    }

    /// Limits per move.
    pub fn thinking_limits(&self) -> ThinkingLimits {
        ThinkingLimits {
            visits: self.visits,
            time_per_move: self.time_per_move,
            late_after: None,
            lag: self.lag,
            time: self.time.clone(),
        }
    }

    /// The default board and rules of the game, and its own defaults of other settings.
    fn take_game(&mut self) -> Result<(), SetError> {
        self.size = None;
        self.rules.clear();
        let usual = info(&self.game).map_or(&[][..], |game| game.settings);
        usual
            .iter()
            .try_for_each(|(name, value)| self.set(name, value))
    }
}

crate::settings! {
    /// All settings of an engine.
    #[derive(Debug, Clone, PartialEq)]
    EngineOptions, "Engine" {
        game: String = USUAL.name.to_owned(), GameName,
            "The game; it selects the default board and the game's own default settings";
        size: Option<BoardSize> = None => "the model's, or the game's usual one, for nogo 9",
            Maybe(Text("SIZE", "a board size such as 9 or 9x7")),
            "The board at the start: 9, or 9x7 for 9 columns and 7 rows";
        rules: String = String::new() => "the game's usual ones", Text("TEXT",
                "for Go tromp-taylor, chinese, chinese-ogs, chinese-kgs, japanese, korean, aga, bga, french, new-zealand, \
                 ing or KataGo's own forms (JSON, koPOSITIONALscoreAREAtaxNONEsui1), each with a komi if wanted (chinese komi 7); \
                 for Gomoku freestyle, standard, renju, caro, standard-caro"),
            "The game's rules, where it has several variants";
        level: f32 = 12.0, 1.0..=12.0,
            "Strength from 1 to 12: from a beginner's to the full one, below 11 also between two levels, such as 3.5. Sets visits, move-temperature and its half-life, move-least-share, solver-from and probe-nodes; made for \
             networks";
        resign_below: Option<Resign> = None => "-0.95 in Go, else off",
            ValueReader("VALUE", "off or a number from -1 to 1", |text| match text {
                "off" => Some(None),
                _ => Some(Some(Resign::below(text.parse().ok()?)?)),
            }),
            "Resigns when three moves in a row are expected to end no better than this, from -1 (lost) to 1, and \
             in Go the count agrees; never before a third of the board is played; off never resigns, nor do sau and gomocup";
        backend: Backend = Backend::Auto => "auto",
            ValueReader("NAME", "auto, native, ort, tract or rollout", Backend::named),
            "Method of choosing moves: auto (a network on the fastest backend that works here), native (a network \
             of tengen-train or KataGo, with our own kernels), ort (any network, with ONNX Runtime), tract (any \
             network, with the built-in tract library) or rollout (random playouts on one thread)";
        model: Option<PathBuf> = None => "the one built in", FILE,
            "The network, an ONNX file or, for Go, one of KataGo's (.bin.gz, .txt.gz)";
        human_profile: Option<HumanProfile> = None,
            Maybe(Text("NAME", "rank_20k to rank_9d, preaz_20k to preaz_9d, or proyear_1800 to proyear_2023")),
            "Whom a network of KataGo's that imitates people (such as b18c384nbt-humanv0) imitates: amateurs of a \
             rank (rank_5k), the same before 2017 (preaz_5k), or professionals of a year (proyear_1995)";
        book: Option<BookSource> = None => "built-in where the built-in network plays NoGo on 9x9 without a number of visits, else none",
            Maybe(Text("FILE", "a file of tengen book, built-in (of NoGo 9x9) or none")),
            "A book of openings: its moves are played at once, without a search";
        book_variety: f32 = 0.0, 0.0..=2.0,
            "Plays any move of the book, at random, that is known to be at most this much worse than the best; values \
             are from -1 (lost) to 1";
        device: Device = Device::Cpu, Text("NAME", "cpu, cuda, cuda:N, or cuda:0,cuda:1 for two"),
            "Device of the network: cpu, cuda:N for the NVIDIA GPU with this number, or several as cuda:0,cuda:1";
        ort_library: Option<PathBuf>
            = None => "ORT_DYLIB_PATH, then beside the program, then where the script fetch-onnxruntime puts it",
            FILE, "The shared library of ONNX Runtime";
        visits: Option<u64> = None, Maybe(1..),
            "Visits per search. Without visits, time per move and clock a move takes 2 seconds";
        time_per_move: Option<Duration> = None,
            ValueReader("SECONDS", "seconds, more than 0", |text| {
                seconds(text).ok().filter(|time| !time.is_zero()).map(Some)
            }),
            "Time per search; under a clock the shorter of the two holds. Without one a look \
             at a pass near the end of a game of Go comes on top";
        lag: Option<Duration> = None => "0.06",
            ValueReader("SECONDS", "seconds, not negative", |text| seconds(text).ok().map(Some)),
            "Time per move that the controller charges in addition to the engine's own, until time_left lets it be \
             measured";
        playouts_per_second: Option<f64> = None => "real time", Maybe(0.001..=1e9),
            "Simulated clock: this many playouts count as one second instead of measured time; use it with the same \
             number in tengen-match --visits-per-second and one thread";
        threads: Option<usize> = None => "number of CPUs", Maybe(1..=1024),
            "Search threads";
        cache_mib: u32 = 64, 0..=1_000_000,
            "Memory of the evaluation cache in MiB, which lasts from game to game; 0 for none";
        ponder: bool = false, Switch,
            "Think during the opponent's time, except at a level below 12. Two engines on one machine take it from each other";
        seed: Option<u64> = None => "different in every run", Maybe(..),
            "Seed of all random numbers: with one thread and a number of visits games are reproducible";
    }
    tables {
        /// The exact solver of endings.
        solver: SolverOptions,
        /// The time manager.
        time: TimeParams,
        /// The search with a network.
        search: SearchParams,
    }
}

/// The default game.
#[allow(clippy::indexing_slicing, reason = "an empty list would not compile")]
const USUAL: GameInfo = GAMES[0];

/// A game of the list.
struct GameName;

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
    fn named(name: &str) -> Option<Backend> {
        match name {
            "auto" => Some(Backend::Auto),
            "rollout" => Some(Backend::Rollout),
            _ => name.parse().ok().map(Backend::Network),
        }
    }
}

#[cfg(test)]
mod tests;
