//! The command line of the program `tengen`, a file for each subcommand, and the destination of the log. The program
//! starts with its arguments, with the file `tengen.args` beside it if a platform gives none, or by the first line of
//! input.
//!
//! All of it is in the library: a program with code of its own would compile every game's search a second time.

mod analysis;
mod bench;
mod board;
mod book;
mod doctor;
mod flags;
mod gomocup;
mod gtp;
mod katago_arguments;
mod live;
pub(crate) mod output;
mod review;
mod sau;
mod solve;

use std::ffi::OsString;
use std::io::{BufRead, Cursor, IsTerminal as _, Read, stdin};
use std::path::PathBuf;

use crate::program;
use crate::record::file;
use anyhow::Context as _;
use clap::{CommandFactory as _, Parser, Subcommand};

/// Tengen plays NoGo, Go and Gomoku: tree search with neural networks or playouts, over GTP and
/// other protocols.
#[derive(Debug, Parser)]
#[command(version)]
struct Cli {
    /// Level of the log on the standard error stream: off, error, warn, info or debug. `sau` logs
    /// into a file, at level info unless this is given [default: warn].
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        display_order = 1000,
        value_parser = program::log_level
    )]
    log_level: Option<log::LevelFilter>,
    /// Append the log to this file, at level info unless --log-level is given, with every command and answer of a
    /// session; each line has the time and the number of the process.
    #[arg(long, global = true, value_name = "FILE", display_order = 1001)]
    log_file: Option<PathBuf>,
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Board(board::Board),
    Gtp(gtp::Gtp),
    Sau(sau::Sau),
    Gomocup(gomocup::Gomocup),
    Analysis(analysis::Analysis),
    Book(book::Book),
    Bench(bench::Bench),
    Doctor(doctor::Doctor),
    Solve(solve::Solve),
    Review(review::Review),
    /// Write manual pages into a folder, for a release.
    #[command(hide = true)]
    Man {
        /// Where the pages go
        folder: std::path::PathBuf,
    },
}

impl Cli {
    /// Runs the subcommand, with its session over `input`.
    fn run(self, input: impl Read + Send + 'static) -> anyhow::Result<()> {
        let own = env!("CARGO_PKG_NAME");
        // The libraries log their own progress in detail; their warnings suffice.
        let level = self.log_level.unwrap_or(match self.command {
            Command::Sau(_) => log::LevelFilter::Info,
            _ if self.log_file.is_some() => log::LevelFilter::Info,
            _ => log::LevelFilter::Warn,
        });
        let others = level.min(log::LevelFilter::Warn);
        let mut logger = env_logger::Builder::new();
        logger.filter_level(others).filter_module(own, level);
        // tract warns of all recent sets of operators, also while it only judges a file for ONNX Runtime.
        let errors = others.min(log::LevelFilter::Error);
        logger.filter_module("tract_onnx::model", errors);
        match (&self.log_file, &self.command) {
            (Some(path), _) => output::log_into(path, &mut logger)
                .with_context(|| format!("--log-file {}", path.display()))?,
            (None, Command::Sau(command)) if level > log::LevelFilter::Off => {
                command.prepare_log(&mut logger);
            }
            (None, Command::Gomocup(_)) => gomocup::prepare_log(&mut logger),
            _ => {}
        }
        logger.init();
        if matches!(self.command, Command::Sau(_) | Command::Gomocup(_)) {
            // A panic message of a search thread must not be read as a move.
            std::panic::set_hook(Box::new(|panic| log::error!("{panic}")));
        }
        match self.command {
            Command::Board(command) => command.run(),
            Command::Gtp(command) => command.run(input),
            Command::Sau(command) => command.run(input),
            Command::Gomocup(command) => command.run(input),
            // KaTrain shows lines with this word, and is silent about the exit code 1.
            Command::Analysis(command) => command.run(input).context("error"),
            Command::Book(command) => command.run(),
            Command::Bench(command) => command.run(),
            Command::Doctor(command) => command.run(),
            Command::Solve(command) => command.run(),
            Command::Review(command) => command.run(),
            Command::Man { folder } => Ok(crate::program::man_pages(Cli::command(), &folder)?),
        }
    }
}

/// The file of arguments, one per line; lines starting with `#` are comments. One without arguments
/// is ignored. Notepad adds `.txt` to the name of a new file, and the Explorer of Windows hides that.
const ARGUMENTS: [&str; 2] = ["tengen.args", "tengen.args.txt"];
/// First line of the platform of the China Computer Game Championship.
const PLATFORM: &[u8] = b"name?";
/// First words of a manager of Gomoku programs; Yixin's own commands begin with [`YIXIN`].
const MANAGER: [&[u8]; 6] = [
    b"START",
    b"RECTSTART",
    b"RESTART",
    b"BOARD",
    b"INFO",
    b"ABOUT",
];
const YIXIN: &[u8] = b"YX";
/// Start of a query for KataGo's analysis engine.
const QUERY: &[u8] = b"{";

/// Runs the program `tengen`, to the end of its process.
#[inline(never)]
pub fn run() -> ! {
    let status = match start() {
        Ok(()) => 0,
        // A reader that closes its pipe early (as `head` does) is not an error.
        Err(error) if output::is_broken_pipe(&error) => 0,
        Err(error) => {
            output::complain(&error);
            1
        }
    };
    program::end(status)
}

fn start() -> anyhow::Result<()> {
    if std::env::args_os().len() > 1 {
        return program::read_from::<Cli, _>(katago_arguments::arguments(std::env::args_os()))
            .run(stdin());
    }
    if let Some((file, words)) = arguments_beside()? {
        // Its paths are meant from where it lies, wherever a platform starts the program; records go there, too.
        let folder = file.parent().context("a file has a folder")?;
        std::env::set_current_dir(folder).with_context(|| folder.display().to_string())?;
        let arguments = katago_arguments::arguments(words);
        return program::read_from_file::<Cli, _>(&file, arguments).run(stdin());
    }
    if stdin().is_terminal() {
        // Prints the subcommands.
        return program::read::<Cli>().run(stdin());
    }
    let (subcommand, input) = listen()?;
    program::read_from::<Cli, _>(["tengen", subcommand]).run(input)
}

/// The file beside the program, and the program's name and the arguments in it, if there are any.
fn arguments_beside() -> anyhow::Result<Option<(PathBuf, Vec<OsString>)>> {
    // Beside a link to the program first, then beside the program: the system may name either.
    let named = std::env::args_os().next().map(PathBuf::from);
    let named = named.filter(|path| path.components().count() > 1);
    let named = named.and_then(|path| std::path::absolute(path).ok());
    let places = named.into_iter().chain(std::env::current_exe().ok());
    let mut paths = places.flat_map(|program| ARGUMENTS.map(|name| program.with_file_name(name)));
    let Some(path) = paths.find(|path| path.exists()) else {
        return Ok(None);
    };
    let other = path.with_file_name(ARGUMENTS[1]);
    anyhow::ensure!(
        other == path || !other.exists(),
        "{} and {} are both there: remove the one that is not meant",
        path.display(),
        other.display()
    );
    // Editors on Chinese Windows may write GBK or UTF-16.
    let text = file::read_text(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(arguments(&text).map(|words| (path, words)))
}

/// The program's name and the arguments in a text; `None` without any.
fn arguments(text: &str) -> Option<Vec<OsString>> {
    let lines = text.lines().map(str::trim);
    let words = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    let program = std::iter::once("tengen");
    let all: Vec<OsString> = program.chain(words).map(OsString::from).collect();
    (all.len() > 1).then_some(all)
}

/// Reads up to the first non-empty line, and returns the subcommand that understands it with the
/// whole input.
fn listen() -> anyhow::Result<(&'static str, impl Read + Send + 'static)> {
    let mut heard = Vec::new();
    loop {
        let begin = heard.len();
        let read = read_line(&mut stdin().lock(), &mut heard)?;
        let line = &heard[begin..];
        let line = line
            .strip_prefix(program::BYTE_ORDER_MARK.as_bytes())
            .unwrap_or(line);
        let line = line.trim_ascii();
        if read > 0 && line.is_empty() {
            heard.truncate(begin);
            continue;
        }
        let word = line.split(|&byte| byte == b' ').next().unwrap_or_default();
        let word = word.to_ascii_uppercase();
        let subcommand = match line {
            PLATFORM => "sau",
            _ if MANAGER.contains(&&word[..]) || word.starts_with(YIXIN) => "gomocup",
            _ if line.starts_with(QUERY) => "analysis",
            _ => "gtp",
        };
        return Ok((subcommand, Cursor::new(heard).chain(stdin())));
    }
}

/// Maximum length of the beginning of a line by which its subcommand is known.
const ENOUGH: usize = 1 << 12;

/// Reads a line that ends with LF or CR, or enough of a long one, and its number of bytes.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<usize> {
    let before = line.len();
    loop {
        let available = input.fill_buf()?;
        let end = available.iter().position(|byte| b"\n\r".contains(byte));
        let taken = end.map_or(available.len(), |end| end + 1);
        line.extend_from_slice(&available[..taken]);
        input.consume(taken);
        if end.is_some() || taken == 0 || line.len() - before > ENOUGH {
            return Ok(line.len() - before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_an_endless_line_the_beginning_is_heard() {
        let mut heard = Vec::new();
        let endless = std::io::BufReader::new(std::io::repeat(b'a'));
        let read = read_line(&mut endless.take(1 << 24), &mut heard).expect("it is readable");
        assert!(read == heard.len() && read < 1 << 16, "{read}");
    }

    #[test]
    fn an_argument_a_line() {
        let text = "# for the final\nsau\n\n--name\n  天元 one \r\n--ponder\n";
        let expected = ["tengen", "sau", "--name", "天元 one", "--ponder"];
        assert_eq!(arguments(text), Some(expected.map(OsString::from).to_vec()));
        for none in ["", "\n", " \r\n# sau\r\n"] {
            assert_eq!(arguments(none), None, "{none:?}");
        }
    }
}
