//! Start of the program: with its arguments, with the file `tengen.args` beside it if a platform
//! gives none, or by the first line of input.

use std::ffi::OsString;
use std::io::{BufRead, Cursor, IsTerminal as _, Read, stdin};
use std::path::PathBuf;

use anyhow::Context as _;
use tengen::program;
use tengen::record::file;

use super::{Cli, katago_arguments};

/// The file of arguments, one per line; lines starting with `#` are comments. One without arguments
/// is ignored.
const ARGUMENTS: &str = "tengen.args";
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

/// Runs the program.
pub(crate) fn start() -> anyhow::Result<()> {
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
    let Some(path) = arguments_file() else {
        return Ok(None);
    };
    // Editors on Chinese Windows may write GBK or UTF-16.
    let text = file::read_text(&path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(arguments(&text).map(|words| (path, words)))
}

fn arguments_file() -> Option<PathBuf> {
    let path = std::env::current_exe().ok()?.with_file_name(ARGUMENTS);
    path.is_file().then_some(path)
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

/// Reads a line that ends with LF or CR, and its number of bytes.
fn read_line(input: &mut impl BufRead, line: &mut Vec<u8>) -> std::io::Result<usize> {
    let before = line.len();
    loop {
        let available = input.fill_buf()?;
        let end = available.iter().position(|byte| b"\n\r".contains(byte));
        let taken = end.map_or(available.len(), |end| end + 1);
        line.extend_from_slice(&available[..taken]);
        input.consume(taken);
        if end.is_some() || taken == 0 {
            return Ok(line.len() - before);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
