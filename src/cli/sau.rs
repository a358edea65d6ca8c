//! `tengen sau`: plays on the platform of the China Computer Game Championship.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context as _;
use clap::Args;
use tengen::clock::{Clock, Overtime, SystemClock, TimeControl, date_time, unix_time};
use tengen::engine::registry;
use tengen::gtp::{SauManners, SauSession, serve};
use tengen::record::ccgc::NgStyle;

use super::flags::EngineFlags;

/// Play on the SAU platform of the China Computer Game Championship (CCGC).
///
/// The platform starts programs without arguments: `tengen` alone answers its first line `name?`
/// in this way, and takes its arguments from the file `tengen.args` beside it if there is one, an
/// argument a line, `sau` first. Nothing is logged unless `--log-level` asks for it, because the
/// platform reads the standard error stream as moves.
///
/// An operator may also type `undo [N]`, `go`, `clock OWN [OPPONENT]` (seconds) and `board`.
#[derive(Debug, Args)]
pub(crate) struct Sau {
    #[command(flatten)]
    engine: EngineFlags,
    /// The program's name, also its team's in the records.
    #[arg(long, value_name = "TEXT", default_value = "Tengen")]
    name: String,
    /// The other team's name in the records.
    #[arg(long, value_name = "TEXT", default_value = "")]
    opponent: String,
    /// Thinking time of a side for a whole game. The platform does not say when it is over.
    #[arg(long, value_name = "SECONDS", default_value_t = 900.0, value_parser = positive)]
    main_time: f64,
    /// The folder of the game records, one of the championship's kind `NG` and one of SGF a game.
    #[arg(long, value_name = "FOLDER", default_value = "records")]
    records: PathBuf,
    /// The place in the records.
    #[arg(long, value_name = "TEXT", default_value = "")]
    place: String,
    /// The event in the records.
    #[arg(long, value_name = "TEXT", default_value = "CCGC")]
    event: String,
    /// Hours that the place is ahead of UTC, for the time in the records.
    #[arg(
        long,
        value_name = "HOURS",
        default_value_t = 8,
        allow_negative_numbers = true
    )]
    utc_offset: i8,
    /// The records' text, with {black}, {white}, {result}, {time}, {place}, {event} and {moves}.
    #[arg(long, value_name = "PATTERN", default_value_t = NgStyle::default().game)]
    ng_game: String,
    /// A move in them, with {color}, {column}, {row} (from the bottom) and {top} (from the top).
    #[arg(long, value_name = "PATTERN", default_value_t = NgStyle::default().play)]
    ng_play: String,
    /// Their file names.
    #[arg(long, value_name = "PATTERN", default_value_t = NgStyle::default().file)]
    ng_file: String,
}

fn positive(text: &str) -> Result<f64, String> {
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds| (0.001..1e7).contains(seconds));
    seconds.ok_or_else(|| "seconds, more than 0".to_owned())
}

impl Sau {
    pub(crate) fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        // A panic of a search thread must not be read as a move.
        std::panic::set_hook(Box::new(|_| {}));
        let options = self.engine.resolve()?;
        anyhow::ensure!(
            options.playouts_per_second.is_none(),
            "--playouts-per-second simulates the clock, and the platform's is real: leave it out"
        );
        let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
        let mut engine = registry::create(&options, options.size, &time)?;
        engine.set_time_control(TimeControl::Limited {
            main: Duration::from_secs_f64(self.main_time),
            overtime: Overtime::None,
        });
        let manners = SauManners {
            name: self.name,
            opponent: self.opponent,
            ponder: options.ponder,
            records: Some(self.records),
            style: NgStyle {
                game: self.ng_game,
                play: self.ng_play,
                file: self.ng_file,
                time: String::new(),
                place: self.place,
                event: self.event,
            },
        };
        let utc_offset = self.utc_offset;
        let date = Box::new(move || date_time(unix_time(), utc_offset));
        let session = SauSession::new(engine, manners, date);
        serve(session, input, std::io::stdout()).context("the conversation broke off")
    }
}
