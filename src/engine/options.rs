//! The engine's settings: one table makes the flags, the keys of configuration files, the names of
//! `--set`, and their help. Settings of the search itself have their own table in `search`.

use std::path::PathBuf;
use std::time::Duration;

use super::{SolverOptions, Spending};
use crate::clock::seconds;
use crate::eval::{BackendKind, Device};
use crate::game::BoardSize;
use crate::search::SearchParams;
use crate::settings::SetError;

/// What chooses the moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Backend {
    /// PUCT with a network.
    Network(BackendKind),
    /// RAVE over random playouts, without a network, on one thread.
    Rollout,
}

/// All settings of an engine.
#[derive(Debug, Clone, PartialEq)]
pub struct EngineOptions {
    /// The game, as [`crate::game::Game::NAME`].
    pub game: String,
    /// The board at the start.
    pub size: BoardSize,
    /// What chooses the moves.
    pub backend: Backend,
    /// The network's file; the built-in one when there is none.
    pub model: Option<PathBuf>,
    /// Where the network is computed.
    pub device: Device,
    /// ONNX Runtime's library; looked for in the usual places when there is none.
    pub ort_library: Option<PathBuf>,
    /// What one move may cost.
    pub spending: Spending,
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

impl Default for EngineOptions {
    fn default() -> EngineOptions {
        EngineOptions {
            game: "nogo".to_owned(),
            size: BoardSize::square(9),
            backend: Backend::Network(BackendKind::Tract),
            model: None,
            device: Device::Cpu,
            ort_library: None,
            spending: Spending::default(),
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

/// One line of the table.
pub struct EngineOption {
    /// The name: a flag with `--` before it, a key, the left side of `--set`.
    pub name: &'static str,
    /// What to write for the value.
    pub value: &'static str,
    /// What it does, and its default.
    pub help: &'static str,
    /// What a value has to be, for error messages.
    expected: &'static str,
    /// Takes a value over; `None` when it is not what was expected.
    set: fn(&mut EngineOptions, &str) -> Option<()>,
}

/// The [`EngineOption::value`] of what is on or off; the flag alone means on.
pub const SWITCH: &str = "on|off";

/// The table.
pub const ENGINE_OPTIONS: &[EngineOption] = &[
    EngineOption {
        name: "game",
        value: "NAME",
        help: "The game [default: nogo]",
        expected: "the name of a game: nogo",
        set: |options, text| {
            super::registry::knows(text).then(|| text.clone_into(&mut options.game))
        },
    },
    EngineOption {
        name: "size",
        value: "SIZE",
        help: "The board at the start: 9, or 9x7 for 9 columns and 7 rows [default: 9]",
        expected: "a board size such as 9 or 9x7",
        set: |options, text| board_size(text).map(|size| options.size = size),
    },
    EngineOption {
        name: "backend",
        value: "NAME",
        help: "What chooses the moves: tract (a network, built in), ort (a network run by ONNX \
               Runtime) or rollout (random playouts on one thread) [default: tract]",
        expected: "tract, ort or rollout",
        set: |options, text| backend(text).map(|backend| options.backend = backend),
    },
    EngineOption {
        name: "model",
        value: "FILE",
        help: "The network, an ONNX file [default: the one built in]",
        expected: "a file name",
        set: |options, text| (!text.is_empty()).then(|| options.model = Some(text.into())),
    },
    EngineOption {
        name: "device",
        value: "NAME",
        help: "Where the network is computed: cpu, or with ort cuda:N for the GPU of this number \
               [default: cpu]",
        expected: "cpu, cuda or cuda:N",
        set: |options, text| text.parse().ok().map(|device| options.device = device),
    },
    EngineOption {
        name: "ort-library",
        value: "FILE",
        help: "The shared library of ONNX Runtime [default: ORT_DYLIB_PATH, then beside the \
               program, then where scripts/fetch-onnxruntime.sh puts it]",
        expected: "a file name",
        set: |options, text| (!text.is_empty()).then(|| options.ort_library = Some(text.into())),
    },
    EngineOption {
        name: "visits",
        value: "N",
        help: "Visits of a search. Without visits, time per move and clock a move takes 2 seconds",
        expected: "a whole number from 1",
        set: |options, text| positive(text).map(|visits| options.spending.visits = Some(visits)),
    },
    EngineOption {
        name: "time-per-move",
        value: "SECONDS",
        help: "Time of a search; under a clock the shorter of the two holds",
        expected: "seconds, more than 0",
        set: |options, text| {
            let time = seconds(text).ok().filter(|time| !time.is_zero())?;
            options.spending.time_per_move = Some(time);
            Some(())
        },
    },
    EngineOption {
        name: "lag",
        value: "SECONDS",
        help: "Time of each move that the controller's clock charges beyond this engine's, until \
               time_left lets it be measured [default: 0.06, less on a short clock]",
        expected: "seconds, not negative",
        set: |options, text| {
            let lag: Duration = seconds(text).ok()?;
            options.spending.lag = Some(lag);
            Some(())
        },
    },
    EngineOption {
        name: "playouts-per-second",
        value: "N",
        help: "Counts this many playouts as one second instead of measuring time: a simulated \
               clock, to be used with the same number in tengen-match --visits-per-second and \
               one thread [default: real time]",
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
        help: "Search threads [default: one a processor]",
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
        help: "Memory for evaluations that are remembered beyond the tree, from game to game; 0 \
               for none [default: 64]",
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
        help: "Think on the opponent's time. Two engines that share a machine take it from each \
               other [default: off]",
        expected: "on or off",
        set: |options, text| switch(text).map(|on| options.ponder = on),
    },
    EngineOption {
        name: "solver-threads",
        value: "N",
        help: "Threads that solve the ending while the search runs; 0 for none [default: 1 with a \
               network, 0 with playouts]",
        expected: "a whole number up to 1024",
        set: |options, text| {
            let threads = text.parse().ok().filter(|&threads| threads <= 1024)?;
            options.solver.threads = Some(threads);
            Some(())
        },
    },
    EngineOption {
        name: "solver-from",
        value: "N",
        help: "The solver starts when at most so many moves can be left in the game: 36 is about \
               ply 42 on 9x9 [default: 36]",
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
        help: "Nodes in which the search tries to solve a new position before it asks the network; \
               0 for none [default: 300]",
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
        help: "It does so when at most so many moves can be left: 16 is about ply 60 on 9x9 \
               [default: 16]",
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
        help: "Seed of all random numbers: one thread and a number of visits then always play \
               the same [default: another one in every run]",
        expected: "a whole number",
        set: |options, text| text.parse().ok().map(|seed| options.seed = Some(seed)),
    },
];

impl EngineOptions {
    /// Sets one setting, of this table or of the search, from text. In names `-` and `_` are the
    /// same.
    ///
    /// # Errors
    /// [`SetError`] names the known setting nearest to an unknown one, or what a value has to be.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), SetError> {
        let dashed = name.replace('_', "-");
        if let Some(option) = ENGINE_OPTIONS.iter().find(|option| option.name == dashed) {
            return (option.set)(self, value).ok_or_else(|| SetError::Value {
                name: option.name,
                expected: option.expected.to_owned(),
                value: value.to_owned(),
            });
        }
        let underscored = name.replace('-', "_");
        let mut candidates = Vec::new();
        for result in [
            self.search.set(&underscored, value),
            self.spending.time.set(&underscored, value),
        ] {
            match result {
                Err(SetError::Unknown { nearest, .. }) => candidates.push(nearest),
                result => return result,
            }
        }
        Err(SetError::Unknown {
            name: name.to_owned(),
            nearest: nearest_name(&dashed, &candidates),
        })
    }
}

/// The option most like `name`, or one of the other tables' `candidates` when that is nearer.
fn nearest_name(name: &str, candidates: &[&'static str]) -> &'static str {
    let distance = |known: &str| strsim::damerau_levenshtein(name, &known.replace('_', "-"));
    let options = ENGINE_OPTIONS.iter().map(|option| option.name);
    let by_distance = options
        .chain(candidates.iter().copied())
        .min_by_key(|known| distance(known));
    by_distance.unwrap_or_default()
}

fn positive(text: &str) -> Option<u64> {
    text.parse().ok().filter(|&number| number > 0)
}

/// What is on or off, also as TOML writes it.
fn switch(text: &str) -> Option<bool> {
    match text {
        "on" | "true" => Some(true),
        "off" | "false" => Some(false),
        _ => None,
    }
}

fn backend(text: &str) -> Option<Backend> {
    if text == "rollout" {
        return Some(Backend::Rollout);
    }
    text.parse().ok().map(Backend::Network)
}

fn board_size(text: &str) -> Option<BoardSize> {
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    let side = |text: &str| text.parse::<u8>().ok().filter(|&side| side > 0);
    Some(BoardSize::new(side(width)?, side(height)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::TimeParams;

    #[test]
    fn every_option_is_set_by_its_name() {
        let mut options = EngineOptions::default();
        for (name, value) in [
            ("game", "nogo"),
            ("size", "9x7"),
            ("backend", "rollout"),
            ("model", "net.onnx"),
            ("device", "cuda:1"),
            ("ort-library", "ort.so"),
            ("visits", "100"),
            ("time_per_move", "0.5"),
            ("lag", "0"),
            ("playouts-per-second", "500"),
            ("threads", "3"),
            ("seed", "42"),
            ("cache-mib", "8"),
            ("ponder", "on"),
            ("solver-threads", "2"),
            ("solver-from", "30"),
            ("solver-mib", "16"),
            ("probe-nodes", "0"),
            ("probe-from", "10"),
            ("root-noise", "0.25"),
            ("time-extend", "1.5"),
        ] {
            options.set(name, value).expect(name);
        }
        let expected = EngineOptions {
            game: "nogo".to_owned(),
            size: BoardSize::new(9, 7),
            backend: Backend::Rollout,
            model: Some("net.onnx".into()),
            device: Device::Cuda(1),
            ort_library: Some("ort.so".into()),
            spending: Spending {
                visits: Some(100),
                time_per_move: Some(Duration::from_millis(500)),
                lag: Some(Duration::ZERO),
                time: TimeParams {
                    time_extend: 1.5,
                    ..TimeParams::default()
                },
            },
            playouts_per_second: Some(500.0),
            threads: Some(3),
            seed: Some(42),
            cache_mib: 8,
            ponder: true,
            solver: SolverOptions {
                threads: Some(2),
                from: 30,
                memory_mib: 16,
                probe_nodes: 0,
                probe_from: 10,
            },
            search: SearchParams {
                root_noise: 0.25,
                ..SearchParams::default()
            },
        };
        assert_eq!(options, expected);
    }

    #[track_caller]
    fn check_refused(name: &str, value: &str, part: &str) {
        let mut options = EngineOptions::default();
        let error = options.set(name, value).expect_err(name).to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(options, EngineOptions::default());
    }

    #[test]
    fn what_is_wrong_is_named() {
        check_refused("visit", "100", "visits");
        check_refused("time-for-move", "1", "time-per-move");
        check_refused("rot_noise", "0", "root_noise");
        check_refused("visits", "0", "from 1");
        check_refused("size", "9x", "9x7");
        check_refused("time-per-move", "-1", "seconds");
        check_refused("game", "chess", "nogo");
        check_refused("backend", "cuda", "rollout");
        check_refused("device", "gpu", "cuda:N");
        check_refused("threads", "2000", "1024");
        check_refused("cache-mib", "-1", "1000000");
        check_refused("root_noise", "2", "root_noise");
        check_refused("time_extent", "2", "time_extend");
        check_refused("time_scheme", "slow", "front-loaded");
    }
}
