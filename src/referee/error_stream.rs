//! What an engine writes to its error stream: kept in a file, and looked through after each game
//! for lines that say that something is wrong. An engine that has lost its network and goes on with
//! something weaker says so there, and nowhere else. Of a file that grows without end the beginning and
//! the end are kept.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use parking_lot::Mutex;

/// Most complaints kept of one engine and game.
const MOST_COMPLAINTS: usize = 20;

/// Characters kept of a line.
const LINE_LEN: usize = 300;

/// Most bytes looked through after a game; of more, the first and the last half of this many.
const MOST_BYTES: u64 = 1 << 20;

/// Bytes of a file that are kept from its beginning and from its end.
const HEAD: u64 = 8 << 20;
const TAIL: u64 = 8 << 20;

/// A file of this many bytes is cut.
const TOO_LONG: u64 = HEAD + 2 * TAIL;

/// How often the length of a file is looked at.
const WATCH_INTERVAL: Duration = Duration::from_millis(200);

/// What stands where bytes are missing.
const GAP: &[u8] = b"\n[tengen-match has cut this file here: it grew without end]\n";

/// Words that name the level of a line of a log, in capitals as logs have them.
const LEVELS: [&str; 6] = ["WARN", "WARNING", "ERROR", "FATAL", "CRITICAL", "PANIC"];

/// What compilers, runtimes and scripts say of a failure, in small letters.
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
    log: Arc<Mutex<Log>>,
    /// Dropped with this, which ends the watch.
    _watched: SyncSender<()>,
}

/// A file, and how far it is known.
#[derive(Debug)]
struct Log {
    path: PathBuf,
    /// Bytes that have been looked through, or were there before the engine.
    read: u64,
}

/// What was new in an error stream.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct NewLines {
    /// The lines that say that something is wrong.
    pub(super) complaints: Vec<String>,
    /// The last line that says anything.
    pub(super) last_words: Option<String>,
}

impl ErrorStream {
    /// Opens a file for an engine that is about to start: one end to read, one to write.
    pub(super) fn open(path: &Path) -> io::Result<(ErrorStream, File)> {
        let file = File::options().create(true).append(true).open(path)?;
        let log = Arc::new(Mutex::new(Log {
            path: path.to_owned(),
            read: file.metadata()?.len(),
        }));
        let (watched, until) = sync_channel::<()>(1);
        let watching = Arc::clone(&log);
        std::thread::Builder::new()
            .name("engine stderr".to_owned())
            .spawn(move || {
                while until.recv_timeout(WATCH_INTERVAL) == Err(RecvTimeoutError::Timeout) {
                    // Where that fails the file is longer than it should be, and nothing else.
                    let _ = watching.lock().shorten();
                }
            })?;
        let stream = ErrorStream {
            log,
            _watched: watched,
        };
        Ok((stream, file))
    }

    /// Looks through what has been written since the last time. A file that cannot be read says
    /// nothing: it is the engine's, and no reason to end a match.
    pub(super) fn listen(&mut self) -> NewLines {
        let new = self.log.lock().new_text();
        new.map_or_else(|_| NewLines::default(), |text| heard(&text))
    }
}

impl Log {
    fn new_text(&mut self) -> io::Result<String> {
        let mut file = File::open(&self.path)?;
        let len = file.metadata()?.len();
        file.seek(SeekFrom::Start(self.read))?;
        let mut bytes = Vec::new();
        if len.saturating_sub(self.read) > MOST_BYTES {
            (&file).take(MOST_BYTES / 2).read_to_end(&mut bytes)?;
            bytes.push(b'\n');
            file.seek(SeekFrom::Start(len - MOST_BYTES / 2))?;
        }
        file.take(MOST_BYTES).read_to_end(&mut bytes)?;
        self.read = len.max(self.read + bytes.len() as u64);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Takes the middle out of a file that is too long. The engine appends, so it goes on at the new end.
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
        // What of the tail has not been looked through yet stays to be looked through.
        let unread = len.saturating_sub(self.read).min(TAIL);
        self.read = self.read.min(kept - unread);
        Ok(())
    }
}

fn heard(text: &str) -> NewLines {
    let lines = text.lines().map(plain).filter(|line| !line.is_empty());
    let mut heard = NewLines::default();
    for line in lines {
        if is_complaint(&line) && heard.complaints.len() < MOST_COMPLAINTS {
            heard.complaints.push(line.clone());
        }
        heard.last_words = Some(line);
    }
    heard
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
    // A phrase begins where a word does: `error: no GPU`, but not `terror: none`.
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
        assert_eq!(heard.last_words.as_deref(), Some("\u{fffd} bye"));
        file.write_all(&b"ERROR again\n".repeat(100_000)).unwrap();
        assert_eq!(stream.listen().complaints.len(), MOST_COMPLAINTS);
        assert_eq!(
            stream.listen(),
            NewLines::default(),
            "the rest is passed over"
        );
        std::fs::remove_file(&path).unwrap();
        assert_eq!(stream.listen(), NewLines::default());
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
            stream.log.lock().shorten().unwrap();
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
        stream.log.lock().read = text.len() as u64 - 100;
        assert_eq!(stream.listen().complaints, ["ERROR last words"]);
        std::fs::remove_file(&path).unwrap();
    }
}
