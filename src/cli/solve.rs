//! `tengen solve`: who wins a position with best play.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use anyhow::{Context as _, bail};
use clap::Args;
use tengen::clock::{Clock, SystemClock};
use tengen::game::nogo::NoGo;
use tengen::game::{BoardSize, Color, Game, Move};
use tengen::gtp::{format_vertex, parse_vertex};
use tengen::record::{GameRecord, Play, Vertex, sgf};
use tengen::solver::{Effort, Finding, Solve as _, Solver};

/// Time between two lines of progress.
const PROGRESS: Duration = Duration::from_secs(2);
/// Nodes for the line of play, besides those for the result.
const LINE: u64 = 20_000_000;

/// Find out who wins a NoGo position with best play.
///
/// The position is that at the end of an SGF file's main line, or after --play, or an empty board
/// of --size. On 9x9 most games can be solved from about ply 50 on; small boards from the start.
#[derive(Debug, Args)]
pub(crate) struct Solve {
    /// A game, as SGF.
    file: Option<PathBuf>,
    /// Take only this many moves of the file.
    #[arg(long, value_name = "N", requires = "file")]
    plies: Option<usize>,
    /// An empty board: 5, or 4x6 for 4 columns and 6 rows.
    #[arg(
        long,
        value_name = "SIZE",
        conflicts_with = "file",
        default_value = "9"
    )]
    size: String,
    /// Moves on that board, Black first: "E5 D4", or with colours "b E5 b D4 w C3".
    #[arg(
        long,
        value_name = "MOVES",
        conflicts_with = "file",
        default_value = ""
    )]
    play: String,
    /// Who is to move, when it is not the side whose turn it is: black or white.
    #[arg(long, value_name = "COLOUR")]
    to_move: Option<String>,
    /// Threads [default: one a processor].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Memory for proven positions.
    #[arg(long, value_name = "MIB", default_value_t = 1024, value_parser = clap::value_parser!(u64).range(4..=1_000_000))]
    memory_mib: u64,
    /// Give up after this many nodes.
    #[arg(long, value_name = "N")]
    nodes: Option<u64>,
    /// Give up after this time.
    #[arg(long, value_name = "SECONDS")]
    time: Option<f64>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Solve {
    pub(crate) fn run(self) -> anyhow::Result<()> {
        let record = match &self.file {
            Some(path) => read(path, self.plies)?,
            None => played(board_size(&self.size)?, &self.play)?,
        };
        match record.size.area() {
            0..=64 => self.solve::<1>(&record),
            65..=128 => self.solve::<2>(&record),
            _ => self.solve::<3>(&record),
        }
    }

    fn solve<const W: usize>(&self, record: &GameRecord) -> anyhow::Result<()> {
        let mut position = position::<W>(record)?;
        if let Some(color) = &self.to_move {
            position.set_to_move(parse_color(color).context("--to-move takes black or white")?);
        }
        let seconds = self.time.map(Duration::try_from_secs_f64).transpose();
        let seconds = seconds.context("--time takes seconds, not negative")?;
        let clock = SystemClock::new();
        let shown = AtomicU64::new(0);
        let halt = |nodes: u64| {
            let now = clock.now();
            report_progress(now, nodes, &shown);
            seconds.is_some_and(|limit| now >= limit)
        };
        let cores = std::thread::available_parallelism().map_or(1, Into::into);
        let effort = Effort {
            nodes: self.nodes.unwrap_or(u64::MAX),
            threads: self.threads.map_or(cores, usize::from),
            halt: &halt,
        };
        let bytes = usize::try_from(self.memory_mib << 20).context("--memory-mib is too large")?;
        let mut solver = Solver::new(bytes);
        let found = solver.solve(&position, &effort);
        let elapsed = clock.now();
        let nodes = LINE.min(effort.nodes);
        let line = match found.wins {
            Some(_) => solver.line(&position, &Effort { nodes, ..effort }),
            None => Vec::new(),
        };
        self.print(&position, &found, elapsed, &line)
    }

    fn print<const W: usize>(
        &self,
        position: &NoGo<W>,
        found: &Finding,
        elapsed: Duration,
        line: &[Move],
    ) -> anyhow::Result<()> {
        let (size, mover) = (position.size(), position.to_move());
        let vertex = |mv: &Move| format_vertex(Vertex::Point(*mv), size);
        let winner = found
            .wins
            .map(|wins| if wins { mover } else { mover.opponent() });
        let line: Vec<String> = line.iter().map(vertex).collect();
        let seconds = elapsed.as_secs_f64();
        if self.json {
            let report = serde_json::json!({
                "size": size.to_string(),
                "ply": position.ply(),
                "to_move": mover.to_string(),
                "winner": winner.map(|winner| winner.to_string()),
                "move": found.best.as_ref().map(vertex),
                "line": line,
                "nodes": found.nodes,
                "seconds": seconds,
            });
            return super::print(&report.to_string());
        }
        super::print(&match winner {
            Some(winner) => format!("{winner} wins, {mover} to move"),
            None => format!("unknown: not solved within the limits, {mover} to move"),
        })?;
        if !line.is_empty() {
            super::print(&format!("line: {}", line.join(" ")))?;
        }
        let rate = found.nodes as f64 / seconds.max(1e-6);
        super::print(&format!(
            "{} nodes in {seconds:.2} s, {rate:.0} nodes/s",
            found.nodes
        ))
    }
}

/// A line on the standard error stream every two seconds, whichever thread comes first.
fn report_progress(now: Duration, nodes: u64, shown: &AtomicU64) {
    let before = shown.load(Ordering::Relaxed);
    let number = now.as_millis() as u64 / PROGRESS.as_millis() as u64;
    let first = number > before
        && shown
            .compare_exchange(before, number, Ordering::Relaxed, Ordering::Relaxed)
            .is_ok();
    if first {
        // Nobody to show it to is no reason to stop.
        let _ = writeln!(
            std::io::stderr(),
            "{nodes} nodes after {:.0} s",
            now.as_secs_f64()
        );
    }
}

fn read(path: &Path, plies: Option<usize>) -> anyhow::Result<GameRecord> {
    let name = || path.display().to_string();
    let bytes = std::fs::read(path).with_context(name)?;
    let mut record = sgf::read(&String::from_utf8_lossy(&bytes)).with_context(name)?;
    if let Some(plies) = plies {
        if plies > record.plays.len() {
            bail!("{} has {} moves, not {plies}", name(), record.plays.len());
        }
        record.plays.truncate(plies);
    }
    Ok(record)
}

fn board_size(text: &str) -> anyhow::Result<BoardSize> {
    let (width, height) = text.split_once('x').unwrap_or((text, text));
    let side = |text: &str| text.parse::<u8>().ok().filter(|&side| side > 0);
    match (side(width), side(height)) {
        (Some(width), Some(height)) => Ok(BoardSize::new(width, height)),
        _ => bail!("--size takes a board such as 5 or 4x6, not {text:?}"),
    }
}

fn parse_color(text: &str) -> Option<Color> {
    match text.to_ascii_lowercase().as_str() {
        "b" | "black" => Some(Color::Black),
        "w" | "white" => Some(Color::White),
        _ => None,
    }
}

/// A record of the moves in `text`; a colour before a move says whose it is.
fn played(size: BoardSize, text: &str) -> anyhow::Result<GameRecord> {
    let mut record = GameRecord::new("nogo", size);
    let mut color = Color::Black;
    for word in text.split(|c: char| c.is_whitespace() || c == ',') {
        if word.is_empty() {
            continue;
        }
        // A column's letter is followed by a row, so a colour is no vertex.
        if let Some(named) = parse_color(word) {
            color = named;
            continue;
        }
        let vertex = parse_vertex(word, size)
            .with_context(|| format!("--play: {word:?} on a board of {size}"))?;
        record.push(Play { color, vertex });
        color = color.opponent();
    }
    Ok(record)
}

/// The position at the end of a record.
fn position<const W: usize>(record: &GameRecord) -> anyhow::Result<NoGo<W>> {
    if sgf::game_number(&record.game) != sgf::game_number("nogo") {
        bail!("the file is a game of {}, not of NoGo", record.game);
    }
    let mut position = NoGo::<W>::new(record.size)?;
    let setup = record.setup.iter().map(|&(point, color)| Play {
        color,
        vertex: Vertex::Point(point),
    });
    for play in setup {
        place(&mut position, play)?;
    }
    position.set_to_move(record.to_move.unwrap_or(Color::Black));
    for recorded in &record.plays {
        place(&mut position, recorded.play)?;
    }
    Ok(position)
}

fn place<const W: usize>(position: &mut NoGo<W>, play: Play) -> anyhow::Result<()> {
    position.set_to_move(play.color);
    match play.vertex {
        Vertex::Point(point) if position.is_legal(point) => {
            position.play(point);
            Ok(())
        }
        vertex => bail!(
            "{} at {} is not legal after {} moves",
            play.color,
            format_vertex(vertex, position.size()),
            position.ply()
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_read_with_and_without_colours() {
        let size = BoardSize::square(4);
        let record = played(size, "a1 B2, w C3 w d4").expect("legal vertices");
        let colors: Vec<Color> = record.plays.iter().map(|play| play.play.color).collect();
        use Color::{Black, White};
        assert_eq!(colors, [Black, White, White, White]);
        let position: NoGo<1> = position(&record).expect("legal moves");
        assert_eq!((position.ply(), position.to_move()), (4, Black));
    }

    #[track_caller]
    fn check_refused<T>(result: anyhow::Result<T>, part: &str) {
        let text = result.err().map(|error| format!("{error:#}"));
        assert!(
            text.as_deref().is_some_and(|t| t.contains(part)),
            "{text:?}"
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        let size = BoardSize::square(4);
        check_refused(board_size("4x"), "4x6");
        check_refused(board_size("0"), "4x6");
        check_refused(played(size, "E5"), "E5");
        check_refused(played(size, "A"), "\"A\"");
        let twice = played(size, "A1 A1").expect("vertices");
        check_refused(position::<1>(&twice), "white at A1");
        let pass = played(size, "pass").expect("a vertex");
        check_refused(position::<1>(&pass), "black at pass");
        check_refused(read(Path::new("/nowhere.sgf"), None), "/nowhere.sgf");
    }
}
