//! `tengen gtp`: plays for a controller on the standard streams.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use crate::game::BoardSize;
use crate::gtp::{COMMANDS, FileAccess, Session, SessionOptions, serve};
use crate::registry;
use anyhow::Context as _;
use clap::Args;

use super::flags::EngineFlags;
use super::katago_arguments::{KatagoArguments, OF_SEARCHES};
use super::live::LiveBoard;
use super::output;

/// Play over GTP on standard input and output.
///
/// The engine ends within 100 ms of `quit` or the end of input, even during a search. Only searches
/// of commands piped in together with them run to completion: `printf 'genmove b\nquit\n' | tengen
/// gtp` shows a real move.
///
/// KataGo's own arguments -model, -config and -override-config are taken as by `tengen analysis`; with one of them the
/// game is Go, on 19x19 unless the network or a setting says otherwise.
#[derive(Debug, Args)]
#[command(after_long_help = commands_help())]
pub(crate) struct Gtp {
    #[command(flatten)]
    engine: EngineFlags,
    /// The reply to the command `name`. Lizzie reads analyses in KataGo's format if it starts with
    /// `KataGo`, and `version` is KataGo's then [default: Tengen, and KataGo with -model, -config or
    /// -override-config].
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Perspective of the values in analyses: BLACK, WHITE or SIDETOMOVE.
    #[arg(long, value_name = "SIDE", default_value = "SIDETOMOVE")]
    winrates_as: String,
    /// Draw searches on GoGui's board while they run.
    #[arg(long)]
    live_graphics: bool,
    #[command(flatten)]
    live_board: LiveBoard,
    /// The only folder in which `loadsgf`, `printsgf` and `tengen-ccgc` may access files; names are relative to
    /// it. Without it they may access every file of the user who runs the engine.
    #[arg(long, value_name = "FOLDER")]
    files: Option<PathBuf>,
    /// Forbid `printsgf` and `tengen-ccgc` to write files.
    #[arg(long)]
    read_only_files: bool,
    #[command(flatten)]
    katago: KatagoArguments,
}

/// The board with which KataGo begins.
const KATAGO_BOARD: BoardSize = BoardSize::new(19, 19);
/// Its setting of that board.
const BOARD: &str = "defaultBoardSize";

impl Gtp {
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let parameters = [&OF_SEARCHES[..], &["analysisWideRootNoise"]].concat();
        let known = [&parameters[..], &[BOARD]].concat();
        let in_its_place = self.katago.are_given();
        let (name, (mut options, loaded)) = match in_its_place {
            true => ("KataGo", self.katago.options(&self.engine, &known)?),
            false => ("Tengen", self.engine.read()?.resolve_with_backend()?),
        };
        if in_its_place && options.game == "go" {
            // Some of its clients set no board; LizGoban names 19 beside a network of 9x9, too.
            match self.katago.setting(BOARD) {
                Some(side) => options.set("size", side)?,
                None => {
                    options.size.get_or_insert(KATAGO_BOARD);
                }
            }
        }
        self.katago.tell_of_imitator();
        let perspective = self.katago.perspective(&self.winrates_as)?;
        let (size, time) = (options.board(), options.clock());
        let files = FileAccess::new(self.files.as_deref(), self.read_only_files);
        let files = files.with_context(|| match &self.files {
            Some(folder) => format!("--files {}", folder.display()),
            None => "files".to_owned(),
        })?;
        let session_options = SessionOptions {
            name: self.name.unwrap_or_else(|| name.to_owned()),
            perspective,
            ponder: options.ponder,
            live_graphics: self.live_graphics,
            files,
            root_policy_temperature: options.search.root_policy_temperature,
        };
        if output::is_attended() {
            output::greet(&options, loaded, "GTP");
        }
        let viewers = self.live_board.open(&session_options.name, output::tell)?;
        let of_engines = Arc::clone(&time);
        let make = Box::new(move |size| {
            let engine = registry::create(&options, size, &of_engines)?;
            Ok(viewers.follow(engine))
        });
        let is_katago = session_options.is_katago();
        let mut session = Session::new(make, size, session_options, time)?;
        for (name, value) in self.katago.settings(&parameters) {
            let set = session.set_parameter(name, value);
            set.with_context(|| format!("-override-config {name}"))?;
        }
        if is_katago || in_its_place {
            // As KataGo says it: LizGoban and others send nothing before.
            output::tell("GTP ready, beginning main protocol loop");
        }
        serve(session, input, std::io::stdout()).context("the session failed")
    }
}

/// The table of GTP commands as help text.
fn commands_help() -> String {
    // A line of its own for the description, or a narrow terminal breaks it below the name.
    let lines = COMMANDS.iter().map(|command| {
        let (call, help) = (command.call(), command.help);
        format!("\n  {call}\n      {help}")
    });
    format!("GTP commands:{}", lines.collect::<String>())
}
