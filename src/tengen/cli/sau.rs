//! `tengen sau`: plays on the platform of the China Computer Game Championship.

use std::io::{self, IsTerminal, Read, Write, stderr, stdout};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Clock, Overtime, SystemClock, TimeControl, date_time, unix_time};
use crate::gtp::{SauOptions, SauResources, SauSession, harmless, serve};
use crate::program::own_temporary_folder;
use crate::record::ccgc::CcgcStyle;
use crate::record::{Charset, file};
use crate::registry;
use anyhow::Context as _;
use clap::{Arg, Args};
use env_logger::Target;

use super::flags::EngineFlags;
use super::live::LiveBoard;
use super::output;

/// Play on the SAU platform of the China Computer Game Championship (CCGC).
///
/// The platform starts programs without arguments: `tengen` alone recognises its first line
/// `name?`, and takes its arguments from the file `tengen.args` beside it if there is one, one
/// argument per line, `sau` first. The log goes into the file `tengen.log` beside the records,
/// because the platform reads the standard error stream, too. If records cannot be written into
/// their folder, they go into the folder `tengen-records` in the user's home, or in the system's
/// temporary folder, and a line on the standard error stream says so.
///
/// An operator may type `help`. Tengen never resigns here: the platform has no word for it.
#[derive(Debug, Args)]
#[command(mut_args(|arg: Arg| { let other = arg.get_id() == "game"; arg.hide(other) }))]
pub(crate) struct Sau {
    #[command(flatten)]
    engine: EngineFlags,
    /// The program's name, also its team's in the records.
    #[arg(long, value_name = "TEXT", default_value = "Tengen")]
    name: String,
    /// The other team's name in the records.
    #[arg(long, value_name = "TEXT", default_value = "")]
    opponent: String,
    #[command(flatten)]
    live_board: LiveBoard,
    /// Thinking time per side for a whole game. The platform does not announce when it is over.
    #[arg(long, value_name = "SECONDS", default_value_t = 900.0, value_parser = positive)]
    main_time: f64,
    /// Folder of the log and of the game records, one in the championship's format `NG` and one in
    /// SGF per game [default: records].
    #[arg(long, value_name = "FOLDER")]
    records: Option<PathBuf>,
    /// The place in the records.
    #[arg(long, value_name = "TEXT", default_value = "")]
    place: String,
    /// The event in the records.
    #[arg(long, value_name = "TEXT", default_value = "CCGC")]
    event: String,
    /// UTC offset of the place in hours, for the time in the records.
    #[arg(
        long,
        value_name = "HOURS",
        default_value_t = 8,
        allow_negative_numbers = true,
        value_parser = clap::value_parser!(i8).range(-12..=14)
    )]
    utc_offset: i8,
    /// Text pattern of the records, with {black}, {white}, {result}, {time}, {place}, {event} and
    /// {moves}.
    #[arg(long, value_name = "PATTERN", default_value_t = CcgcStyle::default().game, value_parser = CcgcStyle::game_pattern)]
    ng_game: String,
    /// Pattern of a move in them, with {color}, {column}, {row} (from the bottom) and {top} (from
    /// the top).
    #[arg(long, value_name = "PATTERN", default_value_t = CcgcStyle::default().play, value_parser = CcgcStyle::play_pattern)]
    ng_play: String,
    /// Their encoding: utf-8, or gbk for Chinese Windows programs; `?` stands for a character that it
    /// lacks, and gb18030 has all.
    #[arg(long, value_name = "NAME", default_value_t = Charset::default())]
    ng_charset: Charset,
}

fn positive(text: &str) -> Result<f64, String> {
    let seconds = text.parse().ok();
    let seconds = seconds.filter(|seconds| (0.001..1e7).contains(seconds));
    seconds.ok_or_else(|| "seconds, from 0.001 to 1e7".to_owned())
}

/// The game that Tengen plays on the platform.
const GAME: &str = "nogo";
/// Default folder of records.
const RECORDS: &str = "records";
/// Fallback folders, in the user's home and in the system's temporary folder.
const SPARE_RECORDS: &str = "tengen-records";
/// The log, beside the records.
const LOG: &str = "tengen.log";

/// A stream in the encoding of its reader: a terminal's, or that of the platform, which is a program of Chinese Windows.
fn readable<W: Write + IsTerminal + 'static>(stream: W) -> Box<dyn Write> {
    match output::is_attended() || stream.is_terminal() {
        true => Box::new(stream),
        false => Box::new(InGbk(stream)),
    }
}

/// A stream of whole texts, in GBK.
struct InGbk<W>(W);

impl<W: Write> Write for InGbk<W> {
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        let encoded = Charset::gbk().encode(&String::from_utf8_lossy(text));
        self.0.write_all(&encoded)?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Tells the operator, who may not read it any more.
fn tell(line: &str) {
    let _ = readable(stderr()).write_all(format!("tengen: {line}\n").as_bytes());
}

impl Sau {
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let mut options = self.engine.read()?;
        let game = &options.game;
        anyhow::ensure!(
            game == GAME,
            "the platform's moves and records are those of {GAME}: an operator plays {game} with tengen gtp --game {game}"
        );
        // The platform's board, independent of the network's.
        options.size.get_or_insert(options.usual_board());
        let (mut options, loaded) = options.resolve_with_backend()?;
        // The platform has no word for it.
        options.resign_below = None;
        anyhow::ensure!(
            options.playouts_per_second.is_none(),
            "--playouts-per-second simulates the clock, and the platform's is real: leave it out"
        );
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        // A warning, so that every log and an operator at the terminal have it; the platform does not.
        let viewers = self
            .live_board
            .open(&self.name, |line| log::warn!("{line}"))?;
        let mut engine = viewers.follow(registry::create(&options, options.board(), &time)?);
        engine.set_time_control(TimeControl::Limited {
            main: Duration::from_secs_f64(self.main_time),
            overtime: Overtime::None,
        });
        let attended = output::is_attended();
        let records = self.folders();
        if attended {
            output::greet(&options, loaded, "for the SAU platform");
            let writable = |folder: &&PathBuf| file::check_folder(folder).is_ok();
            if let Some(folder) = records.iter().find(writable) {
                output::tell(&format!("Records go to {}.", folder.display()));
            }
        }
        let style = CcgcStyle {
            game: self.ng_game,
            play: self.ng_play,
            charset: self.ng_charset,
            time: String::new(),
            place: self.place,
            event: self.event,
        };
        let lacking = style.lacking([&self.name, &self.opponent]);
        if !lacking.is_empty() {
            let charset = self.ng_charset;
            log::warn!(
                "--ng-charset {charset} lacks {lacking}: records have ? instead; gb18030 has all characters"
            );
        }
        let sau_options = SauOptions {
            name: self.name,
            opponent: self.opponent,
            ponder: options.ponder,
            records,
            style,
            attended,
        };
        let utc_offset = self.utc_offset;
        let links = SauResources {
            time,
            date: Box::new(move || date_time(unix_time(), utc_offset)),
            tell: Box::new(tell),
        };
        let session = SauSession::new(engine, sau_options, links);
        serve(session, input, readable(stdout())).context("the session failed")
    }

    /// First of all: directs the log into a file beside the records; warnings also to an operator
    /// who reads along.
    pub(crate) fn prepare_log(&self, logger: &mut env_logger::Builder) {
        let mut failures = Vec::new();
        let mut taken = None;
        for folder in self.folders() {
            let made = std::fs::create_dir_all(&folder);
            match made.and_then(|()| output::log_into(&folder.join(LOG), logger)) {
                Ok(()) => {
                    taken = Some(folder);
                    break;
                }
                Err(error) => failures.push(format!("{}: {error}", folder.display())),
            }
        }
        if taken.is_none() {
            logger.target(Target::Pipe(Box::new(std::io::sink())));
            output::log_with_times(logger);
        }
        if !failures.is_empty() {
            let elsewhere = taken.map_or_else(
                || "there is no log".to_owned(),
                |folder| format!("log and records go to {}", folder.display()),
            );
            let trouble = format!(
                "{elsewhere}, because nothing can be written to {}",
                failures.join("; ")
            );
            tell(&harmless(&trouble));
        }
    }

    /// The folders of records, of which the first writable one is used.
    fn folders(&self) -> Vec<PathBuf> {
        let own = self.records.clone().unwrap_or_else(|| RECORDS.into());
        let home = std::env::home_dir().map(|home| home.join(SPARE_RECORDS));
        let spare = own_temporary_folder().join(SPARE_RECORDS);
        let all = std::iter::once(own).chain(home).chain([spare]);
        // Absolute paths, for messages.
        all.map(|path| std::path::absolute(&path).unwrap_or(path))
            .collect()
    }
}
