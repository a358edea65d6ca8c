//! The two records of each game: where they are written, with fallback locations.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::record::ccgc::NgStyle;
use crate::record::file::FileError;
use crate::record::{GameRecord, file, sgf};

/// Maximum bytes of a file name without suffix and extension: 255 are usual, and two teams, a place
/// and an event in Chinese may have more.
const LONGEST_STEM: usize = 200;

/// Writes records into the first folder that works.
pub(super) struct RecordWriter {
    folders: Vec<PathBuf>,
    style: NgStyle,
    /// The last reported problem, which is not reported again.
    told: Option<String>,
}

/// The records of one game.
pub(super) struct GameFiles {
    /// Its start, in the format of records.
    date: String,
    /// Distinguishes it from other games of the same minute.
    suffix: String,
    /// The path of the championship's record once written; its name contains the result.
    written: Option<PathBuf>,
}

impl RecordWriter {
    /// Writes records into the first of these folders that works; none if there are none.
    pub(super) fn new(folders: Vec<PathBuf>, style: NgStyle) -> RecordWriter {
        RecordWriter {
            folders,
            style,
            told: None,
        }
    }

    /// Names for the records of a game that begins at `date`, reserved against other processes.
    pub(super) fn begin(&self, date: String) -> GameFiles {
        let suffixes = || {
            let numbered = (2..1000).map(|number| format!("-{number}"));
            std::iter::once(String::new()).chain(numbered)
        };
        let reserved = self.folders.iter().find_map(|folder| {
            std::fs::create_dir_all(folder).ok()?;
            for suffix in suffixes() {
                match reserve(&folder.join(sgf_name(&date, &suffix))) {
                    Ok(()) => return Some(suffix),
                    Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                    Err(_) => return None,
                }
            }
            None
        });
        GameFiles {
            date,
            suffix: reserved.unwrap_or_default(),
            written: None,
        }
    }

    /// Writes both records of the current game. Returns a message, once: that they are in a
    /// fallback location, or could not be written.
    pub(super) fn save(&mut self, files: &mut GameFiles, record: &GameRecord) -> Option<String> {
        let mut failures = Vec::new();
        let mut taken = None;
        for folder in &self.folders {
            match self.write(folder, files, record) {
                Ok(path) => {
                    taken = Some(path);
                    break;
                }
                Err(error) => failures.push(format!("{}: {error}", folder.display())),
            }
        }
        let trouble = match &taken {
            _ if failures.is_empty() => None,
            Some(path) => Some(format!(
                "RECORDS are written to a fallback location, {}, because the intended one failed ({})",
                path.parent().unwrap_or(path).display(),
                failures.join("; ")
            )),
            None => Some(format!(
                "RECORDS CANNOT BE WRITTEN: write down what is played ({})",
                failures.join("; ")
            )),
        };
        if taken.is_some() {
            // A game whose result has changed leaves one record, not two contradictory ones.
            let old = files.written.take();
            let old = old.filter(|old| taken.as_ref() != Some(old));
            if let Some(Err(error)) = old.map(std::fs::remove_file) {
                log::warn!("a record with an earlier result stays: {error}");
            }
            files.written = taken;
        }
        if trouble == self.told {
            return None;
        }
        self.told.clone_from(&trouble);
        trouble
    }

    /// The championship's record as text.
    pub(super) fn text(&self, files: &GameFiles, record: &GameRecord) -> String {
        self.style(files).write(record)
    }

    /// Writes both, and returns the path of the championship's.
    fn write(
        &self,
        folder: &Path,
        files: &GameFiles,
        record: &GameRecord,
    ) -> Result<PathBuf, FileError> {
        std::fs::create_dir_all(folder)?;
        let style = self.style(files);
        let path = folder.join(suffixed(&style.file_name(record), &files.suffix));
        // One of them is better than none.
        let ours = file::write(&path, &style.charset.encode(&style.write(record)));
        let other = folder.join(sgf_name(&files.date, &files.suffix));
        file::write(&other, sgf::write(record).as_bytes())?;
        ours.map(|()| path)
    }

    fn style(&self, files: &GameFiles) -> NgStyle {
        NgStyle {
            time: files.date.clone(),
            ..self.style.clone()
        }
    }
}

impl GameFiles {
    /// Path of the championship's record; the other one is next to it.
    pub(super) fn written(&self) -> Option<&Path> {
        self.written.as_deref()
    }
}

fn reserve(path: &Path) -> io::Result<()> {
    let file = OpenOptions::new().write(true).create_new(true).open(path);
    file.map(drop)
}

/// The name of a game's SGF record.
fn sgf_name(date: &str, suffix: &str) -> String {
    let stamp: String = date.chars().filter(char::is_ascii_digit).collect();
    format!("NG-{stamp}{suffix}.sgf")
}

/// A file name with a suffix before its extension, shortened to what file systems accept.
fn suffixed(name: &str, suffix: &str) -> String {
    let (stem, extension) = match name.rsplit_once('.') {
        Some((stem, extension)) => (stem, format!(".{extension}")),
        None => (name, String::new()),
    };
    let end = stem.floor_char_boundary(LONGEST_STEM);
    let stem = stem.get(..end).unwrap_or(stem);
    format!("{stem}{suffix}{extension}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use tengen_nn::files::scratch::Scratch;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("readable");
        let name = |entry: io::Result<std::fs::DirEntry>| {
            let name = entry.expect("readable").file_name();
            name.to_string_lossy().into_owned()
        };
        let mut names: Vec<String> = entries.map(name).collect();
        names.sort();
        names
    }

    fn record(result: &str) -> GameRecord {
        let mut record = GameRecord::new("nogo", BoardSize::square(9));
        record.result = result.to_owned();
        record
    }

    fn style() -> NgStyle {
        NgStyle {
            file: "{result}.txt".to_owned(),
            ..NgStyle::default()
        }
    }

    const DATE: &str = "2026.08.23 08:40";

    #[test]
    fn a_game_has_two_records_and_the_next_one_two_of_its_own() {
        let scratch = Scratch::new("records-two");
        let folder = scratch.path();
        let mut record_writer = RecordWriter::new(vec![folder.join("records")], style());
        let mut first = record_writer.begin(DATE.to_owned());
        let mut second = record_writer.begin(DATE.to_owned());
        assert_eq!(record_writer.save(&mut first, &record("")), None);
        assert_eq!(record_writer.save(&mut second, &record("")), None);
        assert_eq!(record_writer.save(&mut first, &record("B+R")), None);
        assert_eq!(
            names(&folder.join("records")),
            [
                "NG-202608230840-2.sgf",
                "NG-202608230840.sgf",
                "先手胜.txt",
                "未分胜负-2.txt"
            ]
        );
        assert_eq!(first.written(), Some(&*folder.join("records/先手胜.txt")));
    }

    #[test]
    fn trouble_is_told_once_and_the_next_folder_taken() {
        let scratch = Scratch::new("records-trouble");
        let folder = scratch.path();
        // A file where a folder should be: not writable, not even by root.
        std::fs::write(folder.join("file"), "").expect("writable");
        let folders = ["file", "spare"].map(|name| folder.join(name));
        let mut record_writer = RecordWriter::new(folders.to_vec(), style());
        let mut files = record_writer.begin(DATE.to_owned());
        let told = record_writer
            .save(&mut files, &record(""))
            .expect("trouble");
        assert!(
            told.contains("spare, because") && told.contains("file: "),
            "{told}"
        );
        assert_eq!(record_writer.save(&mut files, &record("")), None);
        assert_eq!(names(&folder.join("spare")).len(), 2);
        std::fs::remove_dir_all(folder.join("spare")).expect("it is ours");
        std::fs::write(folder.join("spare"), "").expect("writable");
        let told = record_writer
            .save(&mut files, &record(""))
            .expect("trouble");
        assert!(told.contains("CANNOT BE WRITTEN"), "{told}");
        std::fs::remove_file(folder.join("file")).expect("it is ours");
        assert_eq!(record_writer.save(&mut files, &record("")), None);
        assert_eq!(names(&folder.join("file")).len(), 2);
    }

    #[test]
    fn names_are_cut_between_characters() {
        let name = suffixed(&format!("{}.txt", "队".repeat(100)), "-2");
        assert_eq!(name, format!("{}-2.txt", "队".repeat(66)));
    }
}
