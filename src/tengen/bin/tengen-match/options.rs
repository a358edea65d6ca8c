//! Options of every kind of match.

use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use clap::Args;
use rand::SeedableRng;
use rand::seq::SliceRandom;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use tengen::fnv;
use tengen::game::{BoardSize, HalfPoints, Move, ply_cap};
use tengen::games::{GAMES, known_name, usual_board};
use tengen::program::counted;
use tengen::record::file;
use tengen::referee::{
    ClockSimulation, EngineProtocol, EngineSpec, GameTerms, MatchTimeControl, RefereedGame,
    refereed_game,
};
use tengen::system;

use crate::output::tell;

/// The game, and how its openings are drawn and its games played.
#[derive(Args, Clone)]
pub(crate) struct GameOptions {
    /// The game
    #[arg(long, default_value = GAMES[0].name, value_parser = known_name)]
    pub(crate) game: String,
    /// The board: 9, or 9x7 (columns x rows) [default: 9, for Gomoku 15]
    #[arg(long)]
    size: Option<BoardSize>,
    /// Rules of a game with several variants: for Go those of KataGo, such as chinese,
    /// tromp-taylor, japanese; for Gomoku freestyle, standard, renju, caro, standard-caro [default: the game's usual ones]
    #[arg(long, default_value = "", hide_default_value = true)]
    pub(crate) rules: String,
    /// Without a book: number of random legal moves of an opening
    #[arg(long, default_value_t = 4, value_name = "N")]
    pub(crate) random_plies: u32,
    /// Seed of the random openings, or of the book's order
    #[arg(long, default_value_t = 1)]
    pub(crate) seed: u64,
    /// Games played concurrently
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = parse_positive::<usize>)]
    pub(crate) concurrency: usize,
    /// Kill an engine that thinks for this many seconds; with a clock of real time, for as long beyond it
    #[arg(long, default_value = "120", value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) move_limit: Duration,
}

impl GameOptions {
    /// The requested board, or the game's usual one.
    pub(crate) fn size(&self) -> BoardSize {
        self.size.unwrap_or_else(|| usual_board(&self.game))
    }

    /// The rules of the game, with another komi if one is given.
    pub(crate) fn refereed(&self, komi: Option<HalfPoints>) -> Result<Box<dyn RefereedGame>> {
        Ok(refereed_game(&self.game, self.size(), &self.rules, komi)?)
    }
}

/// Game, terms, openings, and destination of results.
#[derive(Args, Clone)]
pub(crate) struct MatchOptions {
    #[command(flatten)]
    pub(crate) game: GameOptions,
    /// Komi, in games that count points [default: the komi of the rules]
    #[arg(long, value_name = "POINTS", allow_negative_numbers = true)]
    komi: Option<HalfPoints>,
    /// Time for each side: none, 15m, 10+0.1 (increment per move), 180/30 (at most 30 s a move), 0/5 (5 s for
    /// each move), 10+3*5 (3 byoyomi periods of 5 s), 10+30/5 (Canadian: 30 s for every 5 moves)
    #[arg(long, default_value = "none")]
    pub(crate) time: MatchTimeControl,
    /// Tolerance for exceeding the clock in milliseconds, for the referee's own lag
    #[arg(long, default_value_t = 0, value_name = "MS")]
    margin: u64,
    /// Maximum seconds of an engine for its start, and for every command but genmove
    #[arg(long, default_value = "60", value_name = "SECONDS", value_parser = parse_seconds)]
    pub(crate) command_limit: Duration,
    /// Count this many visits as one second instead of measuring time, for engines that report their
    /// visits (command tengen-report). Games are the same on every machine if the engines count in
    /// the same way: Tengen with --playouts-per-second N, --threads 1 and a --seed
    #[arg(long, value_name = "N", value_parser = parse_rate)]
    visits_per_second: Option<f64>,
    /// Call a game a draw after this many moves [default: 4 per point]
    #[arg(long, value_name = "N", value_parser = parse_positive::<u32>)]
    max_moves: Option<u32>,
    /// Opening book: one opening per line, as vertices, Black first
    #[arg(long, value_name = "FILE", conflicts_with = "random_plies")]
    openings: Option<PathBuf>,
    /// Folder of results.jsonl, sgf/, stderr/ and, after `play`, `sprt` and `tournament`, record.toml; an unfinished match
    /// in it is continued
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    /// Show the games in progress in a browser on this computer, with clocks and what the engines
    /// report; the address, which contains a secret, is printed on the standard error stream [default
    /// port: any free one]
    #[arg(
        long,
        value_name = "PORT",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "0"
    )]
    pub(crate) live_board: Option<u16>,
    /// Print the report as JSON
    #[arg(long)]
    pub(crate) json: bool,
}

impl MatchOptions {
    /// The rules of the requested game.
    pub(crate) fn rules(&self) -> Result<Box<dyn RefereedGame>> {
        self.game.refereed(self.komi)
    }

    /// Warns if more games are played concurrently than there are CPUs: engines then wait for each
    /// other, and lose on time or think less than intended.
    pub(crate) fn warn_of_load(&self) {
        let processors = system::processors();
        let timed = self.visits_per_second.is_none();
        if timed && self.game.concurrency > processors {
            tell(format_args!(
                "WARNING: --concurrency {} on {}: the engines take them from each other, so that time means less than \
                 it says; this machine can play {} at once, fewer where an engine has several threads\n",
                self.game.concurrency,
                counted(processors, "processor"),
                counted(processors, "game"),
            ));
        }
    }

    /// The terms of every game.
    pub(crate) fn terms(&self) -> GameTerms {
        GameTerms {
            time: self.time,
            margin: Duration::from_millis(self.margin),
            move_limit: self.game.move_limit,
            max_moves: self.max_moves.unwrap_or(ply_cap(self.game.size())),
            conditions: ClockSimulation {
                visits_per_second: self.visits_per_second,
                ..ClockSimulation::default()
            },
        }
    }

    /// `wanted` different openings, a description of their source, and the number of lines of a book that are left
    /// out because they repeat others.
    pub(crate) fn openings(
        &self,
        rules: &dyn RefereedGame,
        wanted: usize,
    ) -> Result<(Vec<Vec<Move>>, String, usize)> {
        let Some(path) = &self.openings else {
            let plies = self.game.random_plies;
            let openings = rules.random_openings(plies, wanted, self.game.seed);
            // Long ones are past the end of most games; of short ones there are few.
            let are_long = 2 * plies as usize > rules.size().area();
            let advice = if are_long || openings.is_empty() {
                "fewer"
            } else {
                "more"
            };
            ensure!(
                openings.len() == wanted,
                "found only {} of {wanted} different random openings of {plies} plies: take {advice} --random-plies",
                openings.len()
            );
            return Ok((openings, format!("{plies} random plies"), 0));
        };
        let text = read_text(path)?;
        let read = rules.read_book(&text);
        let book = read.with_context(|| path.display().to_string())?;
        let (mut openings, repeated) = (book.openings, book.repeated);
        ensure!(
            openings.len() >= wanted,
            "{} has {}; {wanted} pairs need as many, because an opening is never used twice (lines that repeat \
             others, also mirrored, turned or in another order: {repeated})",
            path.display(),
            counted(openings.len(), "different opening"),
        );
        openings.shuffle(&mut Xoshiro256PlusPlus::seed_from_u64(self.game.seed));
        let source = format!(
            "book of {} openings, fnv1a {:016x}",
            openings.len(),
            fnv::hash(text.as_bytes())
        );
        openings.truncate(wanted);
        Ok((openings, source, repeated))
    }
}

/// The engines that a TOML file defines: a list of `[[engine]]` with `name` and `command`, optionally `folder`;
/// `protocol` and `info` of Gomocup programs. What else a tournament's file has is ignored.
#[derive(Deserialize)]
struct EngineFile {
    engine: Vec<EngineSpec>,
}

/// The engines of a TOML file.
pub(crate) fn read_engines(path: &Path) -> Result<Vec<EngineSpec>> {
    Ok(read_toml::<EngineFile>(path)?.engine)
}

/// A TOML file, or what comes from a pipe such as /dev/stdin: it is read once.
pub(crate) fn read_toml<T: DeserializeOwned>(path: &Path) -> Result<T> {
    let name = || path.display().to_string();
    let text = file::read_text_or_pipe(path).with_context(name)?;
    toml::from_str(&text).with_context(name)
}

/// Refuses duplicate names, and `info` of engines that are not told it.
pub(crate) fn check_engines(engines: &[EngineSpec]) -> Result<()> {
    for (index, engine) in engines.iter().enumerate() {
        ensure!(!engine.name.is_empty(), "`{}` needs a name", engine.command);
        ensure!(
            engine.info.is_empty() || engine.protocol == EngineProtocol::Gomocup,
            "`{}` has `info`, which only programs with protocol = \"gomocup\" are told",
            engine.name
        );
        let mut before = engines[..index].iter();
        ensure!(
            before.all(|other| other.name != engine.name),
            "two engines are called `{}`; give them different names",
            engine.name
        );
    }
    Ok(())
}

/// A file's text.
pub(crate) fn read_text(path: &Path) -> Result<String> {
    file::read_text(path).with_context(|| path.display().to_string())
}

/// A time without which nothing can be done.
fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().unwrap_or_default();
    let time = Duration::try_from_secs_f64(seconds).ok();
    let time = time.filter(|time| !time.is_zero());
    time.ok_or_else(|| "write seconds, more than 0".to_owned())
}

/// A number that fits, or else this hint.
pub(crate) fn parse<T: FromStr>(text: &str, fits: fn(&T) -> bool, hint: &str) -> Result<T, String> {
    let number = text.parse().ok().filter(fits);
    number.ok_or_else(|| hint.to_owned())
}

/// A value by its name in files.
pub(crate) fn parse_name<T: DeserializeOwned>(text: &str) -> Result<T, String> {
    serde_json::from_value(text.into()).map_err(|error| error.to_string())
}

/// A number of things of which there must be one.
pub(crate) fn parse_positive<T: FromStr + PartialOrd + From<u8>>(text: &str) -> Result<T, String> {
    parse(
        text,
        |number| *number >= T::from(1_u8),
        "write a whole number, 1 or more",
    )
}

/// A rate above zero.
fn parse_rate(text: &str) -> Result<f64, String> {
    parse(
        text,
        |rate: &f64| rate.is_finite() && *rate > 0.0,
        "write a number above 0",
    )
}
