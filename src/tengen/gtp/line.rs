//! Parsing of input lines and formatting of replies.

use std::io::{ErrorKind, Read};

use super::Failure;
use crate::record::decode_text;

/// A comment that stops a running search; GoGui sends it when the user presses Esc.
const INTERRUPT: &str = "# interrupt";

/// Maximum length of a line in bytes: a command has far less.
pub(super) const LONGEST: usize = 4 << 20;

/// Puts lines together from pieces of input. Of one that is too long only the beginning is kept, so that an endless line
/// takes no memory.
pub(super) struct Lines {
    /// Bytes that end a line.
    ends: &'static [u8],
    longest: usize,
    pending: Vec<u8>,
    is_too_long: bool,
}

/// A line without its end, or the beginning of one that is too long.
pub(super) type Line<'a> = Result<&'a [u8], &'a [u8]>;

impl Lines {
    pub(super) fn new(ends: &'static [u8], longest: usize) -> Lines {
        Lines {
            ends,
            longest,
            pending: Vec::new(),
            is_too_long: false,
        }
    }

    /// Passes on the lines that end in this piece of input.
    pub(super) fn feed(&mut self, piece: &[u8], take: &mut dyn FnMut(Line<'_>)) {
        for part in piece.split_inclusive(|byte| self.ends.contains(byte)) {
            let (part, ends) = match part.split_last() {
                Some((last, line)) if self.ends.contains(last) => (line, true),
                _ => (part, false),
            };
            let room = self.longest - self.pending.len();
            self.is_too_long |= part.len() > room;
            self.pending.extend(part.iter().take(room));
            if ends {
                self.end(take);
            }
        }
    }

    /// Passes on what is there as a line: the last one needs no end.
    pub(super) fn end(&mut self, take: &mut dyn FnMut(Line<'_>)) {
        let line = std::mem::take(&mut self.pending);
        match std::mem::take(&mut self.is_too_long) {
            true => take(Err(&line)),
            false => take(Ok(&line)),
        }
    }
}

/// The next piece of input; empty at its end, for which a read error counts.
pub(super) fn next_piece<'a>(input: &mut impl Read, buffer: &'a mut [u8]) -> &'a [u8] {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            read => return buffer.get(..read.unwrap_or(0)).unwrap_or_default(),
        }
    }
}

/// Why a line is not obeyed.
pub(super) fn too_long(longest: usize) -> String {
    let mib = longest >> 20;
    format!("the line is longer than {mib} MiB and was skipped")
}

/// One line of input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input<C> {
    /// Nothing to answer, such as a blank line or a comment.
    Nothing,
    /// It stops a running search, and gets no answer.
    Interrupt,
    /// A command, to be answered in its turn.
    Command(C),
}

/// A parsed command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// The number before the command, digit for digit; empty when there is none.
    pub id: String,
    /// The command's name; empty when the line holds nothing but a number.
    pub name: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// The argument text as written, for arguments with significant blanks.
    pub text: String,
}

/// Parses a line of any bytes: control characters except tabs are ignored, as is a byte order mark
/// before it; tabs count as blanks, a `#` starts a comment. Invalid UTF-8 becomes replacement
/// characters in number and name. Arguments are then decoded as GBK, or as their detected encoding
/// if they are not valid: clients on Windows write file names in the system's encoding, and a name
/// is too short to distinguish Chinese from Korean or Arabic.
pub fn parse_line(bytes: &[u8]) -> Input<Request> {
    let line = visible(&String::from_utf8_lossy(bytes));
    if line.trim() == INTERRUPT {
        return Input::Interrupt;
    }
    let (id, name, text) = parts(&line);
    if id.is_empty() && name.is_empty() {
        return Input::Nothing;
    }
    let decoded = readable(bytes);
    let text = match std::str::from_utf8(bytes) {
        Ok(_) => text,
        Err(_) => parts(&decoded).2,
    };
    let words = text.split(' ').filter(|word| !word.is_empty());
    Input::Command(Request {
        id: id.to_owned(),
        name: name.to_owned(),
        arguments: words.map(str::to_owned).collect(),
        text: text.trim_matches(' ').to_owned(),
    })
}

/// A line as text, in UTF-8 or else in GBK or its detected encoding, without a byte order mark and
/// control characters, and with blanks for tabs.
fn readable(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) => visible(text),
        Err(_) => {
            // After a blank nothing is taken for a byte order mark of UTF-16.
            let line = [&b" "[..], bytes].concat();
            visible(&decode_text(&line, Some(b"gbk")))
        }
    }
}

/// A line of a protocol whose commands have no numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandLine {
    /// Its first word.
    pub(super) name: String,
    /// What follows.
    pub(super) text: String,
}

/// Parses such a line of any bytes.
pub(super) fn command_line(bytes: &[u8]) -> Input<CommandLine> {
    let line = readable(bytes);
    let line = line.trim();
    let (name, text) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    match name.is_empty() {
        true => Input::Nothing,
        false => Input::Command(CommandLine {
            name: name.to_owned(),
            text: text.trim().to_owned(),
        }),
    }
}

/// A line without a byte order mark and control characters, with blanks for tabs.
fn visible(line: &str) -> String {
    let blank = |character| if character == '\t' { ' ' } else { character };
    let characters = line.trim_start_matches('\u{feff}').chars().map(blank);
    characters.filter(|x| !x.is_control()).collect()
}

/// Number, name and arguments of a line up to its comment.
fn parts(line: &str) -> (&str, &str, &str) {
    let command = line.split('#').next().unwrap_or_default();
    let (first, rest) = word(command);
    if first.is_empty() || !first.bytes().all(|byte| byte.is_ascii_digit()) {
        return ("", first, rest);
    }
    let (name, rest) = word(rest);
    (first, name, rest)
}

/// The first word of a text, and the rest.
fn word(text: &str) -> (&str, &str) {
    let text = text.trim_start_matches(' ');
    text.split_once(' ').unwrap_or((text, ""))
}

/// The whole reply to the request with this id. Lines of `result` without visible text are left
/// out, because an empty line ends a reply.
pub(super) fn reply(id: &str, result: Result<String, Failure>) -> String {
    let (mark, text) = match result {
        Ok(text) => ('=', text),
        Err(failure) => ('?', failure.to_string()),
    };
    let lines = text.lines().map(str::trim_end);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    format!("{mark}{id} {}\n\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Charset;

    #[track_caller]
    fn check(bytes: &[u8], id: &str, name: &str, arguments: &[&str]) {
        check_text(bytes, id, name, arguments, &arguments.join(" "));
    }

    #[track_caller]
    fn check_text(bytes: &[u8], id: &str, name: &str, arguments: &[&str], text: &str) {
        let expected = Input::Command(Request {
            id: id.to_owned(),
            name: name.to_owned(),
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            text: text.to_owned(),
        });
        assert_eq!(
            parse_line(bytes),
            expected,
            "{:?}",
            String::from_utf8_lossy(bytes)
        );
    }

    #[test]
    fn names_of_files_come_in_the_encoding_of_the_system() {
        for (name, charset) in [
            ("E:\\棋谱\\对局1.sgf", "gbk"),
            ("D:\\围棋\\第一局.sgf", "gbk"),
            ("D:\\下棋\\a.sgf", "gbk"),
            ("C:\\games\\Andr\u{e9}.sgf", "windows-1252"),
        ] {
            let line = format!("5 loadsgf {name} 12");
            check(line.as_bytes(), "5", "loadsgf", &[name, "12"]);
            let charset: Charset = charset.parse().unwrap();
            let bytes = charset.encode(&line);
            check(&bytes, "5", "loadsgf", &[name, "12"]);
        }
    }

    #[test]
    fn of_a_line_that_is_too_long_the_beginning_is_kept() {
        let mut lines = Lines::new(b"\r\n", 5);
        let mut taken: Vec<(bool, String)> = Vec::new();
        let mut take = |line: Line<'_>| {
            let text = line.unwrap_or_else(|beginning| beginning);
            taken.push((line.is_ok(), String::from_utf8_lossy(text).into_owned()));
        };
        for piece in ["12345\r\nab", "", "cdef", "ghi\n1\n12345", "6"] {
            lines.feed(piece.as_bytes(), &mut take);
        }
        lines.end(&mut take);
        let taken: Vec<_> = taken
            .iter()
            .map(|(whole, text)| (*whole, &**text))
            .collect();
        let expected = [
            (true, "12345"),
            (true, ""),
            (false, "abcde"),
            (true, "1"),
            (false, "12345"),
        ];
        assert_eq!(taken, expected);
    }

    #[test]
    fn commands() {
        check(b"name", "", "name", &[]);
        check(b"17 play b D4 # good", "17", "play", &["b", "D4"]);
        let blanks = b"\t 007\tplay  W\t D4\r";
        check_text(blanks, "007", "play", &["W", "D4"], "W  D4");
        let file = b"loadsgf  my  game.sgf \r";
        check_text(file, "", "loadsgf", &["my", "game.sgf"], "my  game.sgf");
        check(b"pl\x00ay\x07 b a1", "", "play", &["b", "a1"]);
        check(b"17", "17", "", &[]);
        check(b"17x name", "", "17x", &["name"]);
        check(b"\xff\xfe b", "", "\u{fffd}\u{fffd}", &["b"]);
        check(
            b"99999999999999999999999 quit",
            "99999999999999999999999",
            "quit",
            &[],
        );
    }

    /// As Windows PowerShell writes to a pipe.
    #[test]
    fn a_byte_order_mark_does_not_count() {
        check("\u{feff}name\r".as_bytes(), "", "name", &[]);
        check("\u{feff} 3 play b D4".as_bytes(), "3", "play", &["b", "D4"]);
        let interrupt = "\u{feff}# interrupt".as_bytes();
        assert_eq!(parse_line(interrupt), Input::Interrupt);
        assert_eq!(parse_line("\u{feff}".as_bytes()), Input::Nothing);
    }

    #[test]
    fn lines_without_a_command() {
        for nothing in [&b""[..], b" ", b"\r", b"# 17 name", b"  \t#", b"\x00"] {
            assert_eq!(parse_line(nothing), Input::Nothing);
        }
        assert_eq!(parse_line(b"# interrupt\r"), Input::Interrupt);
        assert_eq!(parse_line(b"# interrupted"), Input::Nothing);
    }

    #[test]
    fn replies() {
        let check = |id, result: Result<&str, Failure>, expected| {
            assert_eq!(reply(id, result.map(str::to_owned)), expected);
        };
        check("", Ok(""), "= \n\n");
        check("3", Ok("D4"), "=3 D4\n\n");
        check("", Ok("\na  \n\n b\n"), "= a\n b\n\n");
        let error = Failure::wrong("x", "number");
        check(
            "08",
            Err(error),
            "?08 syntax error: `x` is not a valid number\n\n",
        );
    }
}
