//! An engine's error stream: kept in a file, and scanned after each game for messages about errors.
//! An engine that has lost its network and continues with something weaker reports it only there.
//! Of an overlong file the beginning and the end are kept: it is cut after a game.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Maximum complaints per engine and game.
const MAX_COMPLAINTS: usize = 20;

/// Maximum characters of a line.
const LINE_LEN: usize = 300;

/// Maximum bytes scanned after a game; of more, the first and the last half of this many.
const MAX_BYTES: u64 = 1 << 20;

/// Bytes kept from the beginning and from the end of a file.
const HEAD: u64 = 8 << 20;
const TAIL: u64 = 8 << 20;

/// Size at which a file is cut.
const TOO_LONG: u64 = HEAD + 2 * TAIL;

/// Marker for removed bytes.
const GAP: &[u8] = b"\n[tengen-match has cut this file here: it grew without end]\n";

/// Words for the level of a log message, in capitals.
const LEVELS: [&str; 6] = ["WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "PANIC"];

/// Phrases of compilers, runtimes and scripts about failures, in lower case.
const PHRASES: [&str; 9] = [
    "error:",
    "warning:",
    "panicked at",
    "exception in thread",
    "traceback (most recent call last)",
    "terminate called",
    "segmentation fault",
    "assertion failed",
    "out of memory",
];

/// The file of an engine's error stream, which grows while it runs.
#[derive(Debug)]
pub(super) struct ErrorStream {
    path: PathBuf,
    /// Bytes that have been scanned, or existed before the engine started.
    read: u64,
}

/// New content of an error stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NewLines {
    /// Lines about errors.
    pub(super) complaints: Vec<String>,
    /// The last line about an error, the last non-empty line, and the file.
    pub(super) last_words: Option<String>,
}

impl ErrorStream {
    /// Opens a file for a new engine: one handle to read, one to write.
    pub(super) fn open(path: &Path) -> io::Result<(ErrorStream, File)> {
        let file = File::options().create(true).append(true).open(path)?;
        let stream = ErrorStream {
            path: path.to_owned(),
            read: file.metadata()?.len(),
        };
        Ok((stream, file))
    }

    /// The last words of an engine that has ended, with the system's error if none can be written: that may have ended
    /// it.
    pub(super) fn last_words(&self, heard: NewLines) -> Option<String> {
        let file = File::options().append(true).open(&self.path);
        let written = file.and_then(|mut file| file.write_all(b"\n"));
        let error = written.err().map(|error| {
            let path = self.path.display();
            format!("{path} cannot be written ({error}), which may have ended it")
        });
        let words = heard.last_words.into_iter().chain(error);
        words.reduce(|words, error| format!("{words}; {error}"))
    }

    /// Scans the content written since the last call. An unreadable file is treated as empty: it is
    /// the engine's, and no reason to end a match.
    pub(super) fn listen(&mut self) -> NewLines {
        let new = self.new_text();
        // If that fails the file is longer than it should be, nothing else.
        let _ = self.shorten();
        new.map_or_else(|_| NewLines::default(), |text| heard(&text, &self.path))
    }

    fn new_text(&mut self) -> io::Result<String> {
        let mut file = File::open(&self.path)?;
        let len = file.metadata()?.len();
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        if len.saturating_sub(self.read) > MAX_BYTES {
            (&file).take(MAX_BYTES / 2).read_to_end(&mut bytes)?;
            bytes.push(b'\n');
            file.seek(SeekFrom::Start(len - MAX_BYTES / 2))?;
        }
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        self.read = len.max(self.read + bytes.len() as u64);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Removes the middle of a file that is too long. The engine appends, so it continues at the
    /// new end.
    fn shorten(&mut self) -> io::Result<()> {
        let len = std::fs::metadata(&self.path)?.len();
        if len <= TOO_LONG {
            return Ok(());
        }
        let mut file = File::options().read(true).write(true).open(&self.path)?;
        file.seek(SeekFrom::Start(len - TAIL))?;
        let mut tail = Vec::new();
        (&file).take(TAIL).read_to_end(&mut tail)?;
        file.seek(SeekFrom::Start(HEAD))?;
        file.write_all(GAP)?;
        file.write_all(&tail)?;
        let kept = file.stream_position()?;
        file.set_len(kept)?;
        // The unscanned part of the tail remains to be scanned.
        let unread = len.saturating_sub(self.read).min(TAIL);
        self.read = self.read.min(kept - unread);
        Ok(())
    }
}

fn heard(text: &str, path: &Path) -> NewLines {
    let lines: Vec<String> = text.lines().map(plain).collect();
    let complaints = || lines.iter().filter(|line| is_complaint(line));
    let last = lines.iter().rfind(|line| !line.is_empty());
    let last_words = last.map(|last| {
        // Advice may follow the reason.
        let reason = complaints().next_back().filter(|reason| *reason != last);
        let reason = reason.map_or(String::new(), |reason| format!("{reason} ... "));
        let name = |path: &Path| Some(path.file_name()?.to_string_lossy().into_owned());
        let folder = path.parent().and_then(name).unwrap_or_default();
        let file = name(path).unwrap_or_default();
        format!("{reason}{last} ({folder}/{file})")
    });
    NewLines {
        complaints: complaints().take(MAX_COMPLAINTS).cloned().collect(),
        last_words,
    }
}

/// A line without colours (ANSI escapes) and other control characters, shortened.
fn plain(line: &str) -> String {
    let mut parts = line.split('\u{1b}');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        // `[33m`: everything up to the letter is the escape.
        let end = part.find(|c: char| c.is_ascii_alphabetic());
        text.push_str(end.map_or("", |end| &part[end + 1..]));
    }
    let shown = text.trim().chars().filter(|c| !c.is_control());
    shown.take(LINE_LEN).collect()
}

fn is_complaint(line: &str) -> bool {
    let mut words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
    let small = line.to_lowercase();
    // A phrase starts at a word boundary: `error: no GPU`, but not `terror: none`.
    let begins_word = |place: usize| !small[..place].ends_with(char::is_alphanumeric);
    let says = |phrase: &&str| {
        let mut places = small.match_indices(*phrase);
        places.any(|(place, _)| begins_word(place))
    };
    words.any(|word| LEVELS.contains(&word)) || PHRASES.iter().any(says)
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[track_caller]
    fn check(line: &str, expected: bool) {
        assert_eq!(is_complaint(&plain(line)), expected, "{line}");
    }

    #[test]
    fn complaints_are_told_from_chatter() {
        check(
            "[2026-11-22T15:25:02Z ERROR tengen::engine::network] no network",
            true,
        );
        check(
            "[2026-11-22T15:25:02Z WARN  tengen::engine] tract takes its place",
            true,
        );
        check("\u{1b}[33mWARN\u{1b}[0m slow", true);
        check("WARNING: GPU not found, using CPU", true);
        check("katago: error: no such file", true);
        check("Error: bad config", true);
        check("thread 'main' panicked at src/main.rs:3:5:", true);
        check("Exception in thread \"main\" java.lang.Error", true);
        check("terminate called after throwing an instance of 'int'", true);
        check("[INFO tengen::search] 800 visits, 0 errors", false);
        check("mean squared error 0.12, warnings off", false);
        check("terror: none", false);
        check("ERRORS 0", false);
    }

    #[test]
    fn only_what_is_new_is_heard() {
        let path = std::env::temp_dir().join(format!("tengen-stderr-{}", std::process::id()));
        std::fs::write(&path, "ERROR of an earlier run\n").unwrap();
        let (mut stream, mut file) = ErrorStream::open(&path).unwrap();
        assert_eq!(stream.listen(), NewLines::default());
        file.write_all(b"hello\nWARN one\n\xff bye\n\n").unwrap();
        let heard = stream.listen();
        assert_eq!(heard.complaints, ["WARN one"]);
        let last = heard.last_words.unwrap();
        assert!(last.starts_with("WARN one ... \u{fffd} bye ("), "{last}");
        file.write_all(&b"ERROR again\n".repeat(100_000)).unwrap();
        assert_eq!(stream.listen().complaints.len(), MAX_COMPLAINTS);
        assert_eq!(
            stream.listen(),
            NewLines::default(),
            "the rest is passed over"
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(stream.listen(), NewLines::default());
    }

    #[test]
    fn the_last_words_are_the_reason_the_last_line_and_the_file() {
        let words = |text: &str| heard(text, Path::new("runs/x/stderr/a-0.log")).last_words;
        let clap =
            "error: unexpected argument '--visitz' found\n\nUsage: x\n\nFor more, try '--help'.\n";
        let told = "error: unexpected argument '--visitz' found ... For more, try '--help'. (stderr/a-0.log)";
        assert_eq!(words(clap).as_deref(), Some(told));
        let told = "error: no network (stderr/a-0.log)";
        assert_eq!(words("hello\nerror: no network\n").as_deref(), Some(told));
        assert_eq!(words("hello\n").as_deref(), Some("hello (stderr/a-0.log)"));
        assert_eq!(words("\n"), None);
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_full_disk_is_told_with_the_last_words() {
        let (stream, _) = ErrorStream::open(Path::new("/dev/full")).unwrap();
        let heard = NewLines {
            last_words: Some("bye".to_owned()),
            ..NewLines::default()
        };
        let told = stream.last_words(heard).unwrap();
        assert!(
            told.starts_with("bye; /dev/full cannot be written (No space left"),
            "{told}"
        );
    }

    #[test]
    fn a_file_that_grows_without_end_keeps_its_beginning_and_its_end() {
        let path = std::env::temp_dir().join(format!("tengen-flood-{}", std::process::id()));
        let (mut stream, mut file) = ErrorStream::open(&path).unwrap();
        file.write_all(b"first words\n").unwrap();
        stream.listen();
        let line = [b'.'; 1 << 20];
        for _ in 0..100 {
            file.write_all(&line).unwrap();
            stream.shorten().unwrap();
            assert!(file.metadata().unwrap().len() <= TOO_LONG + (1 << 20));
        }
        file.write_all(b"\nERROR last words\n").unwrap();
        let text = std::fs::read(&path).unwrap();
        assert!(text.starts_with(b"first words\n."), "the beginning");
        assert!(text.ends_with(b".\nERROR last words\n"), "the end");
        assert!(
            text.windows(GAP.len()).any(|part| part == GAP),
            "the gap is told"
        );
        stream.read = text.len() as u64 - 100;
        assert_eq!(stream.listen().complaints, ["ERROR last words"]);
        std::fs::remove_file(&path).unwrap();
    }
}
