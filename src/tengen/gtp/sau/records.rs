//! The two records of each game: where they are written, with fallback locations. No file is replaced that the game has
//! not created itself.

use std::fs::OpenOptions;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use crate::record::ccgc::CcgcStyle;
use crate::record::file::FileError;
use crate::record::{GameRecord, file, sgf};

/// Writes records into the first folder that works.
pub(super) struct RecordWriter {
    folders: Vec<PathBuf>,
    style: CcgcStyle,
    /// The last reported problem, which is not reported again.
    told: Option<String>,
}

/// Maximum number of games that begin in the same minute.
const MOST_NUMBERED: u32 = 100_000;

/// The records of one game.
pub(super) struct GameFiles {
    /// Its start, in the format of records.
    date: String,
    /// Distinguishes its names from those of other games of that minute: empty, `-2`, `-3` and so on.
    suffix: String,
    /// The path of the SGF record once created, which reserves the suffix in its folder.
    sgf: Option<PathBuf>,
    /// The path of the championship's record once written; its name contains the result.
    written: Option<PathBuf>,
}

impl RecordWriter {
    /// Writes records into the first of these folders that works; none if there are none.
    pub(super) fn new(folders: Vec<PathBuf>, style: CcgcStyle) -> RecordWriter {
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
                Ok(()) => {
                    taken = Some(folder);
                    break;
                }
                Err(error) => failures.push(format!("{}: {error}", folder.display())),
            }
        }
        let trouble = match taken {
            _ if failures.is_empty() => None,
            Some(folder) => Some(format!(
                "RECORDS are written to a fallback location, {}, because the intended one failed ({})",
                folder.display(),
                failures.join("; ")
            )),
            None => Some(format!(
                "RECORDS CANNOT BE WRITTEN: write down what is played ({})",
                failures.join("; ")
            )),
        };
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

    /// Writes both. A game whose result or folder has changed leaves one of each, not two contradictory ones.
    fn write(
        &self,
        folder: &Path,
        files: &mut GameFiles,
        record: &GameRecord,
    ) -> Result<(), FileError> {
        std::fs::create_dir_all(folder)?;
        let before = [files.sgf.clone(), files.written.clone()];
        let other = files.reserve(folder)?;
        let style = self.style(files);
        let path = folder.join(style.file_name(record, &files.suffix));
        // One of them is better than none.
        let ours = file::write(&path, &style.charset.encode(&style.write(record)));
        let day = style.time.split(' ').next().unwrap_or_default();
        let record = GameRecord {
            date: day.replace('.', "-"),
            place: style.place,
            event: style.event,
            ..record.clone()
        };
        file::write(&other, sgf::write(&record).as_bytes())?;
        ours?;
        files.written = Some(path);
        let now = [&files.sgf, &files.written];
        for old in before.iter().filter(|old| !now.contains(old)).flatten() {
            if let Err(error) = std::fs::remove_file(old) {
                log::warn!("an earlier record stays: {}: {error}", old.display());
            }
        }
        Ok(())
    }

    fn style(&self, files: &GameFiles) -> CcgcStyle {
        CcgcStyle {
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
            suffix: String::new(),
            sgf: None,
            written: None,
        }
    }

    /// Path of the championship's record; the other one is next to it.
    pub(super) fn written(&self) -> Option<&Path> {
        self.written.as_deref()
    }

    /// The path of the SGF record in a folder, created where it is not there yet: no other game and process gets it.
    fn reserve(&mut self, folder: &Path) -> io::Result<PathBuf> {
        let own = self.sgf.clone();
        if let Some(own) = own.filter(|own| own.parent() == Some(folder)) {
            return Ok(own);
        }
        for number in 1..=MOST_NUMBERED {
            let suffix = match number {
                1 => String::new(),
                number => format!("-{number}"),
            };
            let path = folder.join(sgf_name(&self.date, &suffix));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(_) => {
                    (self.suffix, self.sgf) = (suffix, Some(path.clone()));
                    return Ok(path);
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
            }
        }
        Err(ErrorKind::AlreadyExists.into())
    }
}

/// The name of a game's SGF record.
fn sgf_name(date: &str, suffix: &str) -> String {
    let stamp: String = date.chars().filter(char::is_ascii_digit).collect();
    format!("NG-{stamp}{suffix}.sgf")
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

    /// The name of the championship's record.
    fn ng(result: &str, suffix: &str) -> String {
        let teams = "先手参赛队 B vs 后手参赛队 W";
        format!("NG-{teams}-{result}-2026.08.23 08.40-CCGC{suffix}.txt")
    }

    const DATE: &str = "2026.08.23 08:40";

    #[test]
    fn a_game_has_two_records_and_the_next_one_two_of_its_own() {
        let scratch = Scratch::new("records-two");
        let folder = scratch.path();
        let mut record_writer =
            RecordWriter::new(vec![folder.join("records")], CcgcStyle::default());
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
                &ng("先手胜", ""),
                &ng("未分胜负", "-2"),
            ]
        );
        let path = folder.join("records").join(ng("先手胜", ""));
        assert_eq!(first.written(), Some(&*path));
        let sgf = file::read_sgf(&folder.join("records/NG-202608230840.sgf"), 0);
        let GameRecord { date, event, .. } = sgf.expect("it is there");
        assert_eq!((&*date, &*event), ("2026-08-23", "CCGC"));
    }

    #[test]
    fn trouble_is_told_once_and_the_next_folder_taken() {
        let scratch = Scratch::new("records-trouble");
        let folder = scratch.path();
        // A file where a folder should be: not writable, not even by root.
        std::fs::write(folder.join("file"), "").expect("writable");
        let folders = ["file", "spare"].map(|name| folder.join(name));
        let mut record_writer = RecordWriter::new(folders.to_vec(), CcgcStyle::default());
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
        let earlier = ["NG-202608230840.sgf", "NG-202608230840-3.sgf"];
        for name in earlier {
            std::fs::write(folder.join(name), name).expect("writable");
        }
        let mut record_writer = RecordWriter::new(vec![folder.clone()], CcgcStyle::default());
        let mut files = GameFiles::new(DATE.to_owned());
        assert_eq!(record_writer.save(&mut files, &record("")), None);
        assert!(names(&folder).contains(&ng("未分胜负", "-2")));
        for _ in 0..2 {
            assert_eq!(record_writer.save(&mut files, &record("B+R")), None);
            let expected = [
                "NG-202608230840-2.sgf",
                "NG-202608230840-3.sgf",
                "NG-202608230840.sgf",
                &ng("先手胜", "-2"),
            ];
            assert_eq!(names(&folder), expected);
        }
        for name in earlier {
            let text = std::fs::read_to_string(folder.join(name));
            assert_eq!(text.expect("it is there"), name);
        }
        // In a fallback folder, too.
        std::fs::write(scratch.path().join("file"), "").expect("writable");
        let folders = vec![scratch.path().join("file"), folder.clone()];
        let mut record_writer = RecordWriter::new(folders, CcgcStyle::default());
        let mut files = GameFiles::new(DATE.to_owned());
        assert!(record_writer.save(&mut files, &record("B+R")).is_some());
        assert_eq!(files.written(), Some(&*folder.join(ng("先手胜", "-4"))));
    }
}
