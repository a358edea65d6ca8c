//! The table of the engine's settings: name, help, and parser.

use std::time::Duration;

use super::super::{Resign, SolverThreads};
use super::{Backend, EngineOptions, PlayoutScheme};
use crate::clock::seconds;
use crate::games::info;

/// One line of the table.
pub struct EngineOption {
    /// The name: a flag with `--` before it, a key, the left side of `--set`.
    pub name: &'static str,
    /// Placeholder of the value in help.
    pub value: &'static str,
    /// Help text, with the default.
    pub help: &'static str,
    /// Allowed values, for error messages.
    pub expected: &'static str,
    /// Stores a value; `None` if it is invalid.
    pub(super) set: fn(&mut EngineOptions, &str) -> Option<()>,
}

/// The [`EngineOption::value`] of switches; the flag alone means on.
pub const SWITCH: &str = "on|off";

/// The table.
pub const ENGINE_OPTIONS: &[EngineOption] = &[
    EngineOption {
        name: "game",
        value: "NAME",
        help: "The game; it selects the default board and the game's own default settings \
         [default: nogo]",
        expected: "one of",
        set: |options, text| info(text).map(|game| options.choose(game)),
    },
    EngineOption {
        name: "size",
        value: "SIZE",
        help: "The board at the start: 9, or 9x7 for 9 columns and 7 rows [default: the model's, \
         or the game's usual one, for nogo 9]",
        expected: "a board size such as 9 or 9x7",
        set: |options, text| text.parse().ok().map(|size| options.size = Some(size)),
    },
    EngineOption {
        name: "rules",
        value: "TEXT",
        help: "The game's rules, where it has several variants [default: the game's usual ones]",
        expected: "rules of the game",
        set: |options, text| {
            text.clone_into(&mut options.rules);
            Some(())
        },
    },
    EngineOption {
        name: "level",
        value: "N",
        help: "Plays at this strength, from 1 (a beginner) to 12 (full strength): sets visits, move_temperature, \
         move_least_share, solver-threads and probe-nodes; made for networks [default: 12]",
        expected: "a whole number from 1 to 12",
        set: |options, text| options.take_level(text.parse().ok()?),
    },
    EngineOption {
        name: "resign-below",
        value: "VALUE",
        help: "Resigns when three moves in a row are expected to end no better than this, from -1 \
         (lost) to 1, and in Go the count agrees; never before a third of the board is played; off \
         never resigns [default: -0.95 in Go, else off]",
        expected: "off or a number from -1 to 1",
        set: |options, text| {
            options.resign = match text {
                "off" => None,
                _ => Some(Resign::below(text.parse().ok()?)?),
            };
            Some(())
        },
    },
    EngineOption {
        name: "backend",
        value: "NAME",
        help: "Method of choosing moves: auto (a network on the fastest backend that works here), \
         native (a network of tengen-train or KataGo, with our own kernels), ort (any network, with ONNX \
         Runtime), tract (any network, with the built-in tract library), rollout (random playouts \
         on one thread) or critic (no search: the adaptive critic in the file of --model, made by \
         tengen-train critic) [default: auto]",
        expected: "auto, native, ort, tract, rollout or critic",
        set: |options, text| backend(text).map(|backend| options.backend = backend),
    },
    EngineOption {
        name: "playouts",
        value: "NAME",
        help: "The search of the backend rollout: rave, or mucgo for that of Li et al. 2019, whose settings begin with \
         mucgo_ [default: rave]",
        expected: "rave or mucgo",
        set: |options, text| playouts(text).map(|scheme| options.playouts = scheme),
    },
    EngineOption {
        name: "model",
        value: "FILE",
        help: "The network, an ONNX file or, for Go, one of KataGo's (.bin.gz, .txt.gz) [default: the \
               one built in]",
        expected: "a file name",
        set: |options, text| (!text.is_empty()).then(|| options.model = Some(text.into())),
    },
    EngineOption {
        name: "device",
        value: "NAME",
        help: "Device of the network: cpu, cuda:N for the NVIDIA GPU with this number, or several \
         as cuda:0,cuda:1 [default: cpu]",
        expected: "cpu, cuda, cuda:N, or cuda:0,cuda:1 for two",
        set: |options, text| text.parse().ok().map(|device| options.device = device),
    },
    EngineOption {
        name: "ort-library",
        value: "FILE",
        help: "The shared library of ONNX Runtime [default: ORT_DYLIB_PATH, then beside the \
         program, then where the script fetch-onnxruntime puts it]",
        expected: "a file name",
        set: |options, text| (!text.is_empty()).then(|| options.ort_library = Some(text.into())),
    },
    EngineOption {
        name: "visits",
        value: "N",
        help: "Visits per search. Without visits, time per move and clock a move takes 2 seconds",
        expected: "a whole number from 1",
        set: |options, text| {
            positive(text).map(|visits| options.thinking_limits.visits = Some(visits))
        },
    },
    EngineOption {
        name: "time-per-move",
        value: "SECONDS",
        help: "Time per search; under a clock the shorter of the two holds",
        expected: "seconds, more than 0",
        set: |options, text| {
            let time = seconds(text).ok().filter(|time| !time.is_zero())?;
            options.thinking_limits.time_per_move = Some(time);
            Some(())
        },
    },
    EngineOption {
        name: "lag",
        value: "SECONDS",
        help: "Time per move that the controller charges in addition to the engine's own, until \
         time_left lets it be measured [default: 0.06, less on a short clock]",
        expected: "seconds, not negative",
        set: |options, text| {
            let lag: Duration = seconds(text).ok()?;
            options.thinking_limits.lag = Some(lag);
            Some(())
        },
    },
    EngineOption {
        name: "playouts-per-second",
        value: "N",
        help: "Simulated clock: this many playouts count as one second instead of measured time; \
         use it with the same number in tengen-match --visits-per-second and one thread [default: \
         real time]",
        expected: "a number from 0.001 to 1e9",
        set: |options, text| {
            let rate = text
                .parse()
                .ok()
                .filter(|rate| (0.001..=1e9).contains(rate))?;
            options.playouts_per_second = Some(rate);
            Some(())
        },
    },
    EngineOption {
        name: "threads",
        value: "N",
        help: "Search threads [default: number of CPUs]",
        expected: "a whole number from 1 to 1024",
        set: |options, text| {
            let threads = positive(text).filter(|&threads| threads <= 1024)?;
            options.threads = usize::try_from(threads).ok();
            Some(())
        },
    },
    EngineOption {
        name: "cache-mib",
        value: "MIB",
        help: "Memory of the evaluation cache, which lasts from game to game; 0 for none [default: \
         64]",
        expected: "a whole number up to 1000000",
        set: |options, text| {
            let mib = text.parse().ok().filter(|&mib| mib <= 1_000_000)?;
            options.cache_mib = mib;
            Some(())
        },
    },
    EngineOption {
        name: "ponder",
        value: SWITCH,
        help: "Think during the opponent's time. Two engines on one machine take it from each \
         other [default: off]",
        expected: "on or off",
        set: |options, text| switch(text).map(|on| options.ponder = on),
    },
    EngineOption {
        name: "solver-threads",
        value: "N",
        help: "Threads that solve the position during the search; 0 for none; auto for 1 if the \
         search leaves a processor idle, and else those of the search, in turn with it [default: \
         auto with a network, 0 with playouts]",
        expected: "a whole number up to 1024, or auto",
        set: |options, text| {
            options.solver.threads = if text == "auto" {
                SolverThreads::Auto
            } else {
                SolverThreads::Exactly(text.parse().ok().filter(|&threads| threads <= 1024)?)
            };
            Some(())
        },
    },
    EngineOption {
        name: "solver-from",
        value: "N",
        help: "The solver starts when at most this many moves can be left in the game: 36 is about \
         ply 42 of NoGo on 9x9 [default: 36]",
        expected: "a whole number",
        set: |options, text| text.parse().ok().map(|from| options.solver.from = from),
    },
    EngineOption {
        name: "solver-mib",
        value: "MIB",
        help: "Memory for positions that the solver has proven [default: 128]",
        expected: "a whole number from 4 to 1000000",
        set: |options, text| {
            let mib = text
                .parse()
                .ok()
                .filter(|mib| (4..=1_000_000).contains(mib))?;
            options.solver.memory_mib = mib;
            Some(())
        },
    },
    EngineOption {
        name: "probe-nodes",
        value: "N",
        help: "Solver nodes per visit with which the search tries to solve a position, if they may \
         suffice; 0 for none [default: 100]",
        expected: "a whole number up to 1000000",
        set: |options, text| {
            let nodes = text.parse().ok().filter(|&nodes| nodes <= 1_000_000)?;
            options.solver.probe_nodes = nodes;
            Some(())
        },
    },
    EngineOption {
        name: "probe-from",
        value: "N",
        help: "It does so when at most this many moves can be left: 36 is about ply 42 of NoGo on \
         9x9 [default: 36]",
        expected: "a whole number",
        set: |options, text| {
            text.parse()
                .ok()
                .map(|from| options.solver.probe_from = from)
        },
    },
    EngineOption {
        name: "seed",
        value: "N",
        help: "Seed of all random numbers: with one thread and a number of visits games are \
         reproducible [default: different in every run]",
        expected: "a whole number",
        set: |options, text| text.parse().ok().map(|seed| options.seed = Some(seed)),
    },
];

fn positive(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&number| number > 0)
}

/// A switch, also as TOML writes it.
fn switch(text: &str) -> Option<bool> {
    match text {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

fn playouts(text: &str) -> Option<PlayoutScheme> {
    match text {
        "rave" => Some(PlayoutScheme::Rave),
        "mucgo" => Some(PlayoutScheme::Mucgo),
        _ => None,
    }
}

fn backend(text: &str) -> Option<Backend> {
    match text {
        "auto" => Some(Backend::Auto),
        "rollout" => Some(Backend::Rollout),
        "critic" => Some(Backend::Critic),
        _ => text.parse().ok().map(Backend::Network),
    }
}
