//! `tengen-lab gtp`: an engine that chooses its moves as a paper has it.

use std::io::{stdin, stdout};
use std::sync::Arc;

use crate::methods::{ByCritic, ByMucgo};
use crate::mucgo::MucgoParams;
use anyhow::Context as _;
use clap::{Parser, Subcommand};
use tengen::book::BookSource;
use tengen::engine::EngineOptions;
use tengen::gtp::{FileAccess, Perspective, Session, SessionOptions, serve};
use tengen::program::{FlagSet, Flags};
use tengen::registry::{Method, create_by};

/// Playouts are the same in every process unless a seed is given.
const USUAL_SEED: u64 = 1;

#[derive(Debug, Parser)]
pub(crate) struct Args {
    #[command(subcommand)]
    method: Paper,
}

#[derive(Debug, Subcommand)]
enum Paper {
    /// The adaptive critic of 1997, without a search: --model names its file, which `tengen-lab critic` makes.
    Critic {
        #[command(flatten)]
        engine: Flags<EngineOptions, OfCritic>,
    },
    /// Mucgo's search of 2019 over random playouts.
    Mucgo {
        #[command(flatten)]
        engine: Flags<EngineOptions, OfEngine>,
        #[command(flatten)]
        params: Flags<MucgoParams, All>,
    },
}

/// What a critic needs of the settings of an engine.
#[derive(Debug, Clone)]
struct OfCritic;

impl FlagSet for OfCritic {
    fn has(name: &str) -> bool {
        ["game", "size", "rules", "model"].contains(&name)
    }
}

/// What Mucgo's search needs of them.
#[derive(Debug, Clone)]
struct OfEngine;

impl FlagSet for OfEngine {
    fn has(name: &str) -> bool {
        const OURS: [&str; 8] = [
            "game",
            "size",
            "rules",
            "visits",
            "time-per-move",
            "playouts-per-second",
            "seed",
            "memory-mib",
        ];
        OURS.contains(&name)
    }
}

/// All settings of a table.
#[derive(Debug, Clone)]
pub(crate) struct All;

impl FlagSet for All {
    fn has(_: &str) -> bool {
        true
    }
}

/// Runs the command.
pub(crate) fn run(args: Args) -> anyhow::Result<()> {
    match args.method {
        Paper::Critic { engine } => {
            let (method, options) = ByCritic::new(engine.settings)?;
            play(method, options)
        }
        Paper::Mucgo { engine, params } => {
            let method = ByMucgo {
                params: params.settings,
                seed: engine.settings.seed.unwrap_or(USUAL_SEED),
            };
            play(method, engine.settings)
        }
    }
}

fn play(method: impl Method + Send + 'static, mut options: EngineOptions) -> anyhow::Result<()> {
    // A paper's method has no book.
    options.book = Some(BookSource::None);
    let session_options = SessionOptions {
        name: "Tengen lab".to_owned(),
        perspective: Perspective::Mover,
        ponder: false,
        live_graphics: false,
        files: FileAccess::new(None, false).context("files")?,
        root_policy_temperature: 1.0,
    };
    let (size, time) = (options.board(), options.clock());
    let of_engines = Arc::clone(&time);
    let make = Box::new(move |size| create_by(&method, &options, size, &of_engines));
    let session = Session::new(make, size, session_options, time)?;
    serve(session, stdin(), stdout()).context("the session failed")
}
