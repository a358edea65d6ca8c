//! The durable record of a match: one JSON object per line, the terms first, then every game.
//!
//! A line is on disk before the next game of its slot begins, so a kill at any moment loses only
//! the games in progress. An incomplete last line is removed when the file is opened again.

use std::fmt::Display;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::MatchError;
use super::clock_simulation::ClockSimulation;
use super::game_end::{Count, PlayedMove, Reason};
use super::match_run::{FinishedGame, MatchPlan};
use super::player::EngineMessage;
use super::process::EngineSpec;
use crate::game::{BoardSize, Color, Outcome};
use crate::gtp::format_moves;
use crate::settings::differences;
use crate::stats::GameResult;
use crate::system::{open_to_lock, sync_folder, try_lock};

/// Version of the file format.
const FORMAT: u32 = 1;

/// Terms shared by all games of a file. Files with different terms are different matches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MatchTerms {
    /// The game's name.
    pub game: String,
    /// The rules, where the game has several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rules: Option<String>,
    /// Columns of the board.
    pub width: u8,
    /// Rows of the board.
    pub height: u8,
    /// Who plays, in the order of the schedule.
    pub engines: Vec<EngineSpec>,
    /// Both sides' time control in command-line notation.
    pub time: String,
    /// Tolerance for exceeding the clock, in milliseconds.
    pub margin_ms: u64,
    /// Lag and other conditions that were simulated on the clocks.
    #[serde(default)]
    pub conditions: ClockSimulation,
    /// Longest time for any move, in milliseconds.
    pub move_limit_ms: u64,
    /// Moves after which a game is a draw.
    pub max_moves: u32,
    /// Source of the openings.
    pub openings: String,
    /// The seed that drew or shuffled the openings.
    pub seed: u64,
}

/// One finished game.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GameEntry {
    /// The game's place in the schedule, from 0.
    pub number: usize,
    /// Its pair: two games with the same opening and colours swapped.
    pub pair: usize,
    /// Name of the black engine.
    pub black: String,
    /// Name of the white engine.
    pub white: String,
    /// `B+`, `W+` or `0`.
    pub result: ResultText,
    /// How the game ended.
    pub reason: Reason,
    /// Details of a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
    /// How it was scored, if the game counts points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<Count>,
    /// Number of opening moves.
    pub opening_len: usize,
    /// All moves as vertices, Black first, the opening included.
    pub moves: String,
    /// Thinking time in seconds of each move after the opening.
    pub seconds: Vec<f64>,
    /// Visits of each move after the opening, where the engine reports them.
    pub visits: Vec<Option<u64>>,
    /// Seconds left on Black's and White's clock at the end, with a clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub left: Option<[f64; 2]>,
    /// Warnings and errors on the engines' error streams, refused settings, and failures when asked about the end.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub complaints: Vec<EngineMessage>,
}

impl MatchTerms {
    /// The board.
    pub fn board(&self) -> BoardSize {
        BoardSize::new(self.width, self.height)
    }
}

impl GameEntry {
    /// The entry of a game that has just ended.
    pub fn new(finished: &FinishedGame, plan: &MatchPlan<'_>) -> GameEntry {
        let FinishedGame { fixture, end, .. } = finished;
        let opening = &plan.openings[fixture.opening];
        let mut moves = opening.clone();
        moves.extend(end.moves.iter().map(|played| played.mv));
        let name = |color: Color| plan.engines[fixture.engines[color.index()]].name.clone();
        let milliseconds = |time: Duration| (time.as_secs_f64() * 1000.0).round() / 1000.0;
        let seconds = end.moves.iter().map(|played| milliseconds(played.took));
        GameEntry {
            number: fixture.number,
            pair: fixture.pair,
            black: name(Color::Black),
            white: name(Color::White),
            result: end.outcome.into(),
            reason: end.reason,
            detail: end.detail.clone(),
            count: end.count.clone(),
            opening_len: opening.len(),
            moves: format_moves(&moves, plan.rules.size()),
            seconds: seconds.collect(),
            visits: end.moves.iter().map(PlayedMove::visits).collect(),
            left: end.left.map(|left| left.map(milliseconds)),
            complaints: finished.complaints.clone(),
        }
    }

    /// Whether an engine misbehaved, complained, refused a setting of the match, or failed when asked about the
    /// finished game.
    pub fn is_troubled(&self) -> bool {
        let complained = self.complaints.iter().any(|said| said.kind.is_trouble());
        self.reason.is_misbehaviour() || complained
    }
}

/// A result in score-sheet notation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum ResultText {
    /// Black won.
    #[serde(rename = "B+")]
    Black,
    /// White won.
    #[serde(rename = "W+")]
    White,
    /// A draw.
    #[serde(rename = "0")]
    Draw,
}

impl From<Outcome> for ResultText {
    fn from(outcome: Outcome) -> ResultText {
        match outcome.winner {
            Some(Color::Black) => ResultText::Black,
            Some(Color::White) => ResultText::White,
            None => ResultText::Draw,
        }
    }
}

impl ResultText {
    /// The result for Black.
    pub fn for_black(self) -> GameResult {
        match self {
            ResultText::Black => GameResult::Win,
            ResultText::White => GameResult::Loss,
            ResultText::Draw => GameResult::Draw,
        }
    }
}

/// Why a file with another first line is refused.
const NO_RESULTS: &str = "it is no result file of tengen-match";

/// The first line of a file.
#[derive(Serialize, Deserialize)]
struct Header {
    tengen_match: u32,
    #[serde(flatten)]
    terms: MatchTerms,
}

/// A result file open for appending, locked meanwhile.
#[derive(Debug)]
pub struct ResultFile {
    path: PathBuf,
    file: File,
    /// Holds the lock until it is dropped.
    _lock: File,
}

impl ResultFile {
    /// Opens or creates the file of a match and returns the games it already holds. A file without games, of a match
    /// that could not be started, becomes one with these terms.
    ///
    /// # Errors
    /// [`MatchError`], also if it belongs to a match with other terms.
    pub fn open(
        path: &Path,
        terms: &MatchTerms,
    ) -> Result<(ResultFile, Vec<GameEntry>), MatchError> {
        let io = |source| io_error(path, source);
        let open = File::options()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path);
        let mut file = open.map_err(io)?;
        let lock = open_to_lock(path).map_err(io)?;
        if !try_lock(&lock, path) {
            let path = path.display();
            return Err(MatchError(format!(
                "{path} is in use by another tengen-match"
            )));
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let mut text = whole_lines(path, bytes)?;
        let mut games = Vec::new();
        if !text.is_empty() {
            let (found, played) = parse(path, &text)?;
            match played.is_empty() {
                true => text.clear(),
                false => refuse_other_terms(path, &found, terms)?,
            }
            games = played;
        }
        file.set_len(text.len() as u64).map_err(io)?;
        file.seek(SeekFrom::End(0)).map_err(io)?;
        let mut results = ResultFile {
            path: path.to_owned(),
            file,
            _lock: lock,
        };
        if text.is_empty() {
            results.append_line(&Header {
                tengen_match: FORMAT,
                terms: terms.clone(),
            })?;
            // Its name, too.
            let parent = path.parent().filter(|parent| *parent != Path::new(""));
            sync_folder(parent.unwrap_or(Path::new("."))).map_err(io)?;
        }
        Ok((results, games))
    }

    /// Appends a game; it is on disk when this returns.
    ///
    /// # Errors
    /// [`MatchError`] of the operating system.
    pub fn append(&mut self, game: &GameEntry) -> Result<(), MatchError> {
        self.append_line(game)
    }

    fn append_line(&mut self, value: &impl Serialize) -> Result<(), MatchError> {
        let line = serde_json::to_string(value).map_err(io::Error::from);
        let written = line.and_then(|line| self.file.write_all((line + "\n").as_bytes()));
        let written = written.and_then(|()| self.file.sync_data());
        written.map_err(|error| io_error(&self.path, error))
    }
}

/// The terms and the games of a result file, without an incomplete last line.
///
/// # Errors
/// [`MatchError`] names the file, and the line.
pub fn read(path: &Path) -> Result<(MatchTerms, Vec<GameEntry>), MatchError> {
    let bytes = std::fs::read(path).map_err(|error| io_error(path, error))?;
    parse(path, &whole_lines(path, bytes)?)
}

/// The complete lines: a kill during a write, perhaps within a character, lost that game.
fn whole_lines(path: &Path, mut bytes: Vec<u8>) -> Result<String, MatchError> {
    let end = bytes.iter().rposition(|&byte| byte == b'\n');
    bytes.truncate(end.map_or(0, |end| end + 1));
    String::from_utf8(bytes).map_err(|error| {
        let sound = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let line = sound.iter().filter(|&&byte| byte == b'\n').count();
        corrupt(path, line, "it is not UTF-8")
    })
}

/// The error of a line, counted from 0.
fn corrupt(path: &Path, line: usize, message: impl Display) -> MatchError {
    MatchError(format!("{} line {}: {message}", path.display(), line + 1))
}

fn io_error(path: &Path, error: impl Display) -> MatchError {
    MatchError(format!("{}: {error}", path.display()))
}

/// What is wrong in one line of JSON, which is told by its number in the file and has the number 1 there.
fn in_line(error: &serde_json::Error) -> String {
    error.to_string().replace(" at line 1 column", " at column")
}

fn parse(path: &Path, text: &str) -> Result<(MatchTerms, Vec<GameEntry>), MatchError> {
    let mut lines = text.lines().enumerate();
    let (_, first) = lines.next().ok_or_else(|| corrupt(path, 0, NO_RESULTS))?;
    let header: Header = serde_json::from_str(first)
        .map_err(|error| corrupt(path, 0, format!("{NO_RESULTS} ({})", in_line(&error))))?;
    if header.tengen_match != FORMAT {
        let message = format!("format {} instead of {FORMAT}", header.tengen_match);
        return Err(corrupt(path, 0, message));
    }
    let game = |(line, text)| {
        serde_json::from_str(text).map_err(|error| corrupt(path, line, in_line(&error)))
    };
    Ok((header.terms, lines.map(game).collect::<Result<_, _>>()?))
}

fn refuse_other_terms(
    path: &Path,
    found: &MatchTerms,
    asked: &MatchTerms,
) -> Result<(), MatchError> {
    let fields = |terms: &MatchTerms| serde_json::to_value(terms).unwrap_or_default();
    match &*differences(&fields(asked), &fields(found)) {
        [] => Ok(()),
        some => Err(MatchError(format!(
            "{} belongs to another match ({}); choose another --out folder, or give the same options",
            path.display(),
            some.join(", ")
        ))),
    }
}

#[cfg(test)]
#[path = "results_tests.rs"]
pub(super) mod tests;
