//! The two records of each game: where they are written, with fallback locations. No file is replaced that the game has
//! not created itself.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::record::ccgc::NgStyle;
use crate::record::file::FileError;
use crate::record::{GameRecord, file, sgf};

/// Maximum bytes of a file name without suffix and extension: 255 are usual, and a pattern may be longer.
const LONGEST_STEM: usize = 200;

/// Writes records into the first folder that works.
pub(super) struct RecordWriter {
    folders: Vec<PathBuf>,
    style: NgStyle,
    /// The last reported problem, which is not reported again.
    told: Option<String>,
}

/// Maximum number of games whose records would have the same name.
const MOST_NUMBERED: u32 = 100_000;

/// The records of one game.
pub(super) struct GameFiles {
    /// Its start, in the format of records.
    date: String,
    /// Distinguishes its names from those of other games, from 2 on.
    number: u32,
    /// The files that it has created.
    own: Vec<PathBuf>,
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

    /// Writes both records of the current game. Returns a message, once: that they are in a
    /// fallback location, or could not be written.
    pub(super) fn save(&mut self, files: &mut GameFiles, record: &GameRecord) -> Option<String> {
        let mut failures = Vec::new();
        let mut taken = None;
        for folder in &self.folders {
            match self.write(folder, files, record) {
                Ok(paths) => {
                    taken = Some(paths);
                    break;
                }
                Err(error) => failures.push(format!("{}: {error}", folder.display())),
            }
        }
        let trouble = match &taken {
            _ if failures.is_empty() => None,
            Some([path, _]) => Some(format!(
                "RECORDS are written to a fallback location, {}, because the intended one failed ({})",
                path.parent().unwrap_or(path).display(),
                failures.join("; ")
            )),
            None => Some(format!(
                "RECORDS CANNOT BE WRITTEN: write down what is played ({})",
                failures.join("; ")
            )),
        };
        if let Some(taken) = taken {
            // A game whose result has changed leaves one record, not two contradictory ones.
            for old in files.own.extract_if(.., |own| !taken.contains(own)) {
                if let Err(error) = std::fs::remove_file(&old) {
                    log::warn!("an earlier record stays: {}: {error}", old.display());
                }
            }
            let [path, _] = taken;
            files.written = Some(path);
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

    /// Writes both, and returns their paths.
    fn write(
        &self,
        folder: &Path,
        files: &mut GameFiles,
        record: &GameRecord,
    ) -> Result<[PathBuf; 2], FileError> {
        std::fs::create_dir_all(folder)?;
        let style = self.style(files);
        let name = style.file_name(record);
        let [path, other] = files.reserve(folder, &name)?;
        // One of them is better than none.
        let ours = file::write(&path, &style.charset.encode(&style.write(record)));
        file::write(&other, sgf::write(record).as_bytes())?;
        ours.map(|()| [path, other])
    }

    fn style(&self, files: &GameFiles) -> NgStyle {
        NgStyle {
            time: files.date.clone(),
            ..self.style.clone()
        }
    }
}

impl GameFiles {
    /// The records of a game that begins at `date`.
    pub(super) fn new(date: String) -> GameFiles {
        GameFiles {
            date,
            number: 1,
            own: Vec::new(),
            written: None,
        }
    }

    /// Path of the championship's record; the other one is next to it.
    pub(super) fn written(&self) -> Option<&Path> {
        self.written.as_deref()
    }

    /// Paths in a folder for the record of this name and the SGF record, reserved against other games and processes.
    fn reserve(&mut self, folder: &Path, name: &str) -> io::Result<[PathBuf; 2]> {
        for number in self.number..=MOST_NUMBERED {
            let suffix = match number {
                1 => String::new(),
                number => format!("-{number}"),
            };
            let names = [suffixed(name, &suffix), sgf_name(&self.date, &suffix)];
            let paths = names.map(|name| folder.join(name));
            match self.create(&paths) {
                Ok(()) => {
                    self.number = number;
                    return Ok(paths);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }

    /// Creates those of these files that are not there yet, all or none.
    fn create(&mut self, paths: &[PathBuf; 2]) -> io::Result<()> {
        let before = self.own.len();
        for path in paths {
            if self.own.contains(path) {
                continue;
            }
            if let Err(error) = OpenOptions::new().write(true).create_new(true).open(path) {
                for created in self.own.drain(before..) {
                    // It is empty.
                    let _ = std::fs::remove_file(created);
                }
                return Err(error);
            }
            self.own.push(path.clone());
        }
        Ok(())
    }
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
        let mut first = GameFiles::new(DATE.to_owned());
        let mut second = GameFiles::new(DATE.to_owned());
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
        let mut files = GameFiles::new(DATE.to_owned());
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

    /// Records of earlier days, other results and other processes stay as they are.
    #[test]
    fn no_file_is_replaced_that_another_game_has_written() {
        let scratch = Scratch::new("records-earlier");
        let folder = scratch.path().join("records");
        std::fs::create_dir_all(&folder).expect("writable");
        for name in ["先手胜.txt", "先手胜-2.txt", "NG-202608230840-3.sgf"] {
            std::fs::write(folder.join(name), name).expect("writable");
        }
        let mut record_writer = RecordWriter::new(vec![folder.clone()], style());
        let mut files = GameFiles::new(DATE.to_owned());
        assert_eq!(record_writer.save(&mut files, &record("")), None);
        assert!(names(&folder).contains(&"NG-202608230840.sgf".to_owned()));
        for _ in 0..2 {
            assert_eq!(record_writer.save(&mut files, &record("B+R")), None);
            let expected = [
                "NG-202608230840-3.sgf",
                "NG-202608230840-4.sgf",
                "先手胜-2.txt",
                "先手胜-4.txt",
                "先手胜.txt",
            ];
            assert_eq!(names(&folder), expected);
        }
        for name in ["先手胜.txt", "先手胜-2.txt", "NG-202608230840-3.sgf"] {
            let text = std::fs::read_to_string(folder.join(name));
            assert_eq!(text.expect("it is there"), name);
        }
        // In a fallback folder, too.
        std::fs::write(scratch.path().join("file"), "").expect("writable");
        let folders = vec![scratch.path().join("file"), folder.clone()];
        let mut record_writer = RecordWriter::new(folders, style());
        let mut files = GameFiles::new(DATE.to_owned());
        assert!(record_writer.save(&mut files, &record("B+R")).is_some());
        assert_eq!(files.written(), Some(&*folder.join("先手胜-5.txt")));
    }

    #[test]
    fn names_are_cut_between_characters() {
        let name = suffixed(&format!("{}.txt", "队".repeat(100)), "-2");
        assert_eq!(name, format!("{}-2.txt", "队".repeat(66)));
    }
}
