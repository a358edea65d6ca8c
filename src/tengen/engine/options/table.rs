//! The table of the engine's settings.

use std::path::PathBuf;
use std::time::Duration;

use super::values::{Backend, GameName, USUAL};
use crate::clock::{TimeParams, seconds};
use crate::engine::{Resign, SolverOptions};
use crate::game::BoardSize;
use crate::search::SearchParams;
use crate::settings::{FILE, Maybe, Switch, Text, ValueReader};
use tengen_nn::eval::{Device, HumanProfile};

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
                "for Go tromp-taylor, chinese, chinese-ogs, chinese-kgs, japanese, korean, aga, bga, french, new-zealand \
                 or KataGo's JSON; for Gomoku freestyle, standard, renju, caro, standard-caro"),
            "The game's rules, where it has several variants";
        level: f32 = 12.0, 1.0..=12.0,
            "Plays at this strength, from 1 (a beginner) to 12 (full strength), or between two levels, such as 3.5: \
             sets visits, move-temperature, move-least-share, solver-threads and probe-nodes; made for networks";
        resign_below: Option<Resign> = None => "-0.95 in Go, else off",
            ValueReader("VALUE", "off or a number from -1 to 1", |text| match text {
                "off" => Some(None),
                _ => Some(Some(Resign::below(text.parse().ok()?)?)),
            }),
            "Resigns when three moves in a row are expected to end no better than this, from -1 (lost) to 1, and \
             in Go the count agrees; never before a third of the board is played; off never resigns";
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
        book: Option<PathBuf> = None, FILE,
            "A book of openings, made by tengen book: its moves are played at once, without a search";
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
            "Time per search; under a clock the shorter of the two holds";
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
            "Think during the opponent's time. Two engines on one machine take it from each other";
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
