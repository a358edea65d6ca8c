//! `tengen board`: the board in the browser. A page served on the loopback address requests
//! everything; rules, moves, numbers and records come from the same modules as over GTP.

mod autosave;
mod board_state;
mod clocks;
mod game;
mod report;
mod requests;
mod session;
mod stored;
mod tree;
mod view;
mod worker;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::{Clock, SystemClock};
use crate::engine::EngineOptions;
use crate::program;
use crate::record::file;
use crate::web::{Host, Server};
use anyhow::Context as _;
use clap::Args;

pub(super) use report::{SearchedPosition, Task};

use super::flags::EngineFlags;
use super::output;
use autosave::Autosave;
use board_state::BoardState;
use game::{Level, NewGame, Who};
use qrcodegen::{QrCode, QrCodeEcc};
use session::Session;
use std::process::{Command, Stdio};

/// Interval of the check for Ctrl-C.
const LOOK_INTERVAL: Duration = Duration::from_millis(100);

/// Show a board in the browser: play, analyse and review games of NoGo, Go and Gomoku.
///
/// Prints the address of the page, which contains a secret: anyone with it can use the engine. Only
/// programs on this computer can reach it, unless --phone is given. Nothing is searched while no page is open; Ctrl-C ends
/// it, and so does `kill`, with status 0.
#[derive(Debug, Args)]
pub(crate) struct Board {
    /// A game to show.
    file: Option<PathBuf>,
    /// Open the page in the browser, too.
    #[arg(long)]
    open: bool,
    /// The port of the page [default: any free port].
    #[arg(long, value_name = "N", default_value_t = 0, hide_default_value = true)]
    port: u16,
    /// Serve the local network, too, and print a QR code for a phone: everyone in the network who has
    /// the address can use the engine, and nothing is encrypted.
    #[arg(long)]
    phone: bool,
    /// Where the game is kept while it is played: it can be taken up when the program is started again.
    /// `off` for nowhere [default: tengen/board.sgf in the user's folder for the state of programs].
    #[arg(long, value_name = "FILE", hide_default_value = true)]
    autosave: Option<PathBuf>,
    #[command(flatten)]
    engine: EngineFlags,
}

impl Board {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let options = self.engine.resolve()?;
        anyhow::ensure!(
            options.playouts_per_second.is_none(),
            "--playouts-per-second simulates a clock, and people play here: leave it out"
        );
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        // A level is for its moves: what is analysed and reviewed is so at full strength.
        let level = Some(options.level).filter(|level| *level < EngineOptions::default().level);
        let engine = match level {
            Some(_) => self.engine.at_full_strength()?,
            None => self.engine,
        };
        let mut beside = engine.beside_level.iter();
        let visits = beside.find(|(name, _)| *name == "visits");
        let visits = visits.and_then(|(_, text)| text.parse().ok());
        let limits = engine.resolve()?.thinking_limits();
        let terms = NewGame {
            game: options.game.clone(),
            size: options.board().to_string(),
            rules: options.rules.clone(),
            players: [Who::Human, Who::Engine],
            level: Level {
                visits: level.map_or(limits.visits, |_| visits),
                seconds: limits.time_per_move.map(|time| time.as_secs_f64()),
                strength: level,
            },
            ..NewGame::default()
        };
        let mut session = Session::new(Arc::new(engine), terms, Arc::clone(&time))?;
        let kept = autosave::open(&mut session, self.autosave)?;
        if let Some(path) = &self.file {
            let name = || path.display().to_string();
            let bytes = file::read_bytes(path).with_context(name)?;
            session.load(&bytes).with_context(name)?;
        }
        let table = Arc::new(BoardState::new(session));
        let host: Arc<dyn Host> = Arc::<BoardState>::clone(&table);
        let server = Server::bind(self.port, host, self.phone)?;
        let (working, watching) = (Arc::clone(&table), Arc::clone(&table));
        spawn("engine", move || worker::work(&working, &time))?;
        let autosave = kept.map(|place| Arc::new(Autosave::new(table, place)));
        let stopped = program::told_by_kill().context("signals cannot be caught")?;
        let asked = program::stop_on_ctrl_c().context("Ctrl-C cannot be caught")?;
        let ending = autosave.clone();
        spawn("end", move || end(&asked, &stopped, ending.as_deref()))?;
        if let Some(autosave) = autosave {
            spawn("autosave", move || autosave.keep())?;
        }
        spawn("clocks", move || watching.watch_clocks())?;
        let address = server.address();
        output::print(&address)?;
        for address in server.network_addresses() {
            output::print(&address)?;
            code(&address).map_or(Ok(()), |code| output::print(&code))?;
        }
        if self.open {
            open(&address);
        }
        server.serve()
    }
}

/// Ends the program when it is asked to, after the game is kept: as a success if systems stop their services in this way.
fn end(asked: &AtomicBool, stopped: &AtomicBool, autosave: Option<&Autosave>) {
    while !asked.load(Ordering::Relaxed) {
        std::thread::sleep(LOOK_INTERVAL);
    }
    if let Some(autosave) = autosave {
        autosave.save();
    }
    if stopped.load(Ordering::Relaxed) {
        program::end(0);
    }
    if let Err(error) = program::end_as_interrupted() {
        log::warn!("{error}");
    }
    program::end(1)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> anyhow::Result<()> {
    let thread = std::thread::Builder::new().name(name.to_owned());
    thread.spawn(work).context("no thread can be started")?;
    Ok(())
}

/// Opens an address in it; failures are logged.
fn open(address: &str) {
    let (program, first): (_, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut process = Command::new(program);
    process.args(first).arg(address);
    let silent = process.stdin(Stdio::null()).stdout(Stdio::null());
    if let Err(error) = silent.stderr(Stdio::null()).spawn() {
        log::warn!("the browser cannot be opened with {program}: {error}");
    }
}

/// Rows of light around the code, which readers need.
const MARGIN: i32 = 2;

/// The code in half blocks, two rows of it on a line, dark on light; `None` if the text is too long for one.
fn code(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Low).ok()?;
    // Outside the code everything is light.
    let light = |x, y| !code.get_module(x, y);
    let range = -MARGIN..code.size() + MARGIN;
    let mut out = String::new();
    for y in range.clone().step_by(2) {
        for x in range.clone() {
            out.push(match (light(x, y), light(x, y + 1)) {
                (true, true) => '\u{2588}',
                (true, false) => '\u{2580}',
                (false, true) => '\u{2584}',
                (false, false) => ' ',
            });
        }
        out.push('\n');
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_square_of_half_blocks() {
        let text =
            code("http://192.168.1.7:8080/0123456789abcdef0123456789abcdef/").expect("short");
        let lines: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(lines.iter().all(|&width| width == lines[0]), "{text}");
        assert_eq!(lines.len(), lines[0].div_ceil(2));
        assert!(code(&"x".repeat(5000)).is_none());
    }
}
