//! Where recorded games come from: SGF files, folders of them, ZIP archives, texts of many games.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use zip::ZipArchive;

use super::rapfi;
use crate::TrainError;
use crate::durable::files_below;
use std::collections::HashMap;
use tengen::record::sgf;
use tengen_nn::files::{self, OpenError};

/// SGF files of a folder that are read, written and noted as done together.
const FILES_IN_UNIT: usize = 1000;

/// Bytes of one file, also inside an archive; more is refused.
const MAX_BYTES: u64 = 512 << 20;

/// Bytes of a file of SGF, whose games take many times as much memory while they are read.
const MAX_SGF_BYTES: u64 = 16 << 20;

/// Bytes of all files in an archive, which are in memory together, and games of a file.
const MAX_UNPACKED: usize = 2 << 30;
const MAX_GAMES: usize = 1_000_000;

/// Files that are read together: an archive, a text, or some of a folder's SGF files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Unit {
    pub(super) files: Vec<PathBuf>,
    /// Their size on disk, for the progress.
    pub(super) bytes: u64,
}

/// One game before it is parsed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Text {
    /// File and game, for messages.
    pub(super) name: String,
    /// The game.
    pub(super) form: Form,
}

/// How a game is written down.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Form {
    Sgf(String),
    /// Lines of Rapfi's games against itself.
    Rapfi(String),
}

/// What is to be read of some files and folders.
#[derive(Debug, Default)]
pub(super) struct Sources {
    /// Sorted by name.
    pub(super) units: Vec<Unit>,
    /// The index of the compact texts.
    pub(super) index: Index,
    /// Size of the files that are done.
    pub(super) done_bytes: u64,
    /// Files of no kind that is read.
    pub(super) passed_over: u64,
}

/// What is to be read of some files and folders, without the files that are done.
///
/// # Errors
/// [`TrainError::Io`] when a file or folder cannot be read.
pub(super) fn list(
    inputs: &[PathBuf],
    is_done: impl Fn(&Path) -> bool,
) -> Result<Sources, TrainError> {
    let mut files = Vec::new();
    for input in inputs {
        files.extend(files_below(input)?);
    }
    files.sort();
    files.dedup();
    let mut sources = Sources::default();
    let (done, files): (Vec<PathBuf>, Vec<PathBuf>) =
        files.into_iter().partition(|path| is_done(path));
    sources.done_bytes = size_of(&done)?;
    let (records, others): (Vec<PathBuf>, Vec<PathBuf>) = files
        .into_iter()
        .partition(|path| has_extension(path, "sgf"));
    for path in others {
        if has_extension(&path, "index") {
            sources.index.add(&sgf::decode(&read_file(&path)?));
        } else if has_extension(&path, "zip")
            && add_index(&path, &mut sources.index).is_ok_and(|only| only)
        {
            // An archive with nothing but an index. A damaged one is named when its games are read.
        } else if has_extension(&path, "zip") || has_many_games(&path)? {
            sources.units.push(Unit::of(vec![path])?);
        } else {
            log::debug!("{}: passed over", path.display());
            sources.passed_over += 1;
        }
    }
    for folder in records.chunk_by(|one, other| one.parent() == other.parent()) {
        for files in folder.chunks(FILES_IN_UNIT) {
            sources.units.push(Unit::of(files.to_vec())?);
        }
    }
    Ok(sources)
}

impl Unit {
    fn of(files: Vec<PathBuf>) -> Result<Unit, TrainError> {
        let bytes = size_of(&files)?;
        Ok(Unit { files, bytes })
    }
}

/// Bytes of files.
fn size_of(files: &[PathBuf]) -> Result<u64, TrainError> {
    let size = |path: &PathBuf| Ok(fs::metadata(path).map_err(TrainError::io(path))?.len());
    files.iter().map(size).sum()
}

/// The games of a file.
///
/// # Errors
/// [`TrainError::Io`] or [`TrainError::Corrupt`] names the file.
pub(super) fn texts(path: &Path, index: &Index) -> Result<Vec<Text>, TrainError> {
    let mut texts = Vec::new();
    let file = path.display();
    if has_extension(path, "zip") {
        let mut archive = open(path)?;
        let names = names(path, &archive)?.into_iter();
        let mut unpacked = 0;
        for name in names.filter(|name| !name.ends_with('/')) {
            let bytes = read_entry(path, &mut archive, &name)?;
            unpacked += bytes.len();
            if unpacked > MAX_UNPACKED {
                let why = format!("the files in it have more than {MAX_UNPACKED} bytes: unpack it");
                return Err(TrainError::mismatch(path, why));
            }
            add_texts(path, &format!("{file}/{name}"), &bytes, index, &mut texts)?;
        }
    } else {
        add_texts(
            path,
            &file.to_string(),
            &read_file(path)?,
            index,
            &mut texts,
        )?;
    }
    Ok(texts)
}

/// The games of one file, which is called so.
///
/// # Errors
/// [`TrainError::Setting`] if there are too many of them in the file at this path.
fn add_texts(
    path: &Path,
    name: &str,
    bytes: &[u8],
    index: &Index,
    texts: &mut Vec<Text>,
) -> Result<(), TrainError> {
    let text = sgf::decode(bytes);
    // One more than is allowed tells that there are too many.
    let room = MAX_GAMES + 1 - texts.len();
    let mut add = |game: &str, form: Form| {
        let name = match game {
            "" => name.to_owned(),
            _ => format!("{name}, game {game}"),
        };
        texts.push(Text { name, form });
    };
    if has_extension(Path::new(name), "sgf") {
        let games = sgf::games(&text);
        let mut games =
            games.map_err(|error| TrainError::mismatch(path, format!("{name}: {error}")))?;
        if games.len() < 2 {
            // The fault of a text without a game is told when it is read.
            add("", Form::Sgf(games.pop().unwrap_or(text)));
        }
        for (game, number) in games.into_iter().zip(1..).take(room) {
            add(&number.to_string(), Form::Sgf(game));
        }
    } else if is_games(&text) {
        for (id, game) in index.games(&text).take(room) {
            add(&id, Form::Sgf(game));
        }
    } else if rapfi::is_games(&text) {
        for (game, number) in rapfi::games(&text, room).into_iter().zip(1..) {
            add(&number.to_string(), Form::Rapfi(game));
        }
    }
    if texts.len() > MAX_GAMES {
        let why = format!("it has more than {MAX_GAMES} games: split it");
        return Err(TrainError::mismatch(path, why));
    }
    Ok(())
}

/// Adds the index files in an archive; whether there is nothing else in it.
fn add_index(path: &Path, index: &mut Index) -> Result<bool, TrainError> {
    let mut archive = open(path)?;
    let names = names(path, &archive)?;
    let (found, others): (Vec<String>, Vec<String>) = names
        .into_iter()
        .partition(|name| has_extension(Path::new(name), "index"));
    for name in &found {
        index.add(&sgf::decode(&read_entry(path, &mut archive, name)?));
    }
    Ok(!found.is_empty() && others.is_empty())
}

/// The names in an archive, sorted.
fn names(path: &Path, archive: &ZipArchive<fs::File>) -> Result<Vec<String>, TrainError> {
    let names = archive.file_names().map(|name| Ok(name?.into_owned()));
    let names: Result<Vec<String>, zip::result::ZipError> = names.collect();
    let mut names = names.map_err(|error| damaged(path, error))?;
    names.sort();
    Ok(names)
}

fn open(path: &Path) -> Result<ZipArchive<fs::File>, TrainError> {
    let (file, _) = files::open(path, u64::MAX).map_err(refused(path))?;
    ZipArchive::new(file).map_err(|error| damaged(path, error))
}

/// A file of the user's that cannot be read.
fn damaged(path: &Path, why: impl ToString) -> TrainError {
    TrainError::corrupt(path, why).advising("get it again")
}

fn read_entry(
    path: &Path,
    archive: &mut ZipArchive<fs::File>,
    name: &str,
) -> Result<Vec<u8>, TrainError> {
    let failed = |error: io::Error| match error.kind() {
        // It is compressed in another way than usual, or has a password.
        io::ErrorKind::Unsupported => {
            TrainError::mismatch(path, format!("{name} in it: {error}: unpack it"))
        }
        _ => damaged(path, format!("{name}: {error}")),
    };
    let entry = archive
        .by_name(name)
        .map_err(|error| failed(error.into()))?;
    let mut bytes = Vec::new();
    let most = most_bytes(Path::new(name));
    let read = entry.take(most + 1).read_to_end(&mut bytes);
    read.map_err(failed)?;
    if bytes.len() as u64 > most {
        let why = format!("{name} in it has more than {most} bytes: split it");
        return Err(TrainError::mismatch(path, why));
    }
    Ok(bytes)
}

fn read_file(path: &Path) -> Result<Vec<u8>, TrainError> {
    files::read(path, most_bytes(path)).map_err(refused(path))
}

/// Bytes that a file of this name may have.
fn most_bytes(name: &Path) -> u64 {
    match has_extension(name, "sgf") {
        true => MAX_SGF_BYTES,
        false => MAX_BYTES,
    }
}

/// A file that is not opened: there is none, it is a pipe, or too large.
fn refused(path: &Path) -> impl FnOnce(OpenError) -> TrainError {
    move |error| match error {
        OpenError::Io(error) => TrainError::io(path)(error),
        error => TrainError::mismatch(path, error),
    }
}

/// Whether a file begins as a text of many games does.
fn has_many_games(path: &Path) -> Result<bool, TrainError> {
    let (file, _) = files::open(path, u64::MAX).map_err(refused(path))?;
    let mut start = Vec::new();
    file.take(4096)
        .read_to_end(&mut start)
        .map_err(TrainError::io(path))?;
    let start = String::from_utf8_lossy(&start);
    Ok(is_games(&start) || rapfi::is_games(&start))
}

fn has_extension(path: &Path, wanted: &str) -> bool {
    path.extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}

// The compact text of the TYGEM collection: a game per line, and an index with the results.
//
// A line of games is `ID TAB ;B[pd];W[dp]...`, a line of the index `ID TAB date TAB ... TAB result TAB ...`, with the
// komi before the result where games differ in it.

/// Komi of games whose index names none.
const USUAL_KOMI: &str = "6.5";

/// What an index says about a game.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Entry {
    result: String,
    komi: Option<String>,
}

/// Results and komi by the identifiers of games.
#[derive(Debug, Default)]
pub(super) struct Index(HashMap<String, Entry>);

impl Index {
    /// Adds the lines of an index file; lines without a result are left out.
    pub(super) fn add(&mut self, text: &str) {
        for line in text.lines() {
            let fields: Vec<&str> = line.trim_end().split('\t').collect();
            let result = fields.iter().rposition(|field| is_result(field));
            let Some((id, place)) = fields.first().zip(result) else {
                continue;
            };
            let before = place.checked_sub(1).and_then(|at| fields.get(at));
            let komi = before.filter(|field| field.contains('.') && field.parse::<f32>().is_ok());
            let entry = Entry {
                result: fields.get(place).unwrap_or(&"").to_string(),
                komi: komi.map(ToString::to_string),
            };
            self.0.insert((*id).to_owned(), entry);
        }
    }

    /// The games of a text as SGF, with their identifiers. A game that the index does not name has no result.
    pub(super) fn games<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (String, String)> {
        text.lines().filter_map(|line| {
            let (id, moves) = line.trim_end().split_once('\t')?;
            let found = self.0.get(id);
            let komi = found.and_then(|entry| entry.komi.as_deref());
            let result = found.map_or("", |entry| &entry.result);
            let komi = komi.unwrap_or(USUAL_KOMI);
            let sgf = format!("(;GM[1]SZ[19]KM[{komi}]RE[{result}]{moves})");
            Some((id.to_owned(), sgf))
        })
    }
}

/// Whether a text has lines of games, not an index or something else.
pub(super) fn is_games(text: &str) -> bool {
    let first = text.lines().find(|line| !line.trim().is_empty());
    let moves = first.and_then(|line| line.split_once('\t'));
    moves.is_some_and(|(_, moves)| moves.starts_with(";B[") || moves.starts_with(";W["))
}

/// Whether a field is `B+Resign`, `W+6.5`, `B+Time`, ...
fn is_result(field: &str) -> bool {
    let rest = field
        .strip_prefix("B+")
        .or_else(|| field.strip_prefix("W+"));
    rest.is_some_and(|rest| !rest.is_empty()) || field == "Draw"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_become_games_with_the_results_of_the_index() {
        let mut index = Index::default();
        index.add("7\tC2017.07.13 17:05\twhite\tA(P)\t0\tblack\tB(P)\t2\tB+1.5\t280\t30/3 10m\n");
        index.add("8\t2003.09.25\twhite\tblack\t3.75\tW+Resign\t120\t\nno result\there\n");
        let text = "7\t;B[dd];W[pc]\n8\t;B[pd]\n9\t;B[cc]\n";
        assert!(is_games(text) && !is_games("7\tC2017\twhite"));
        let games: Vec<(String, String)> = index.games(text).collect();
        let sgf: Vec<&str> = games.iter().map(|(_, sgf)| &**sgf).collect();
        assert_eq!(
            sgf,
            [
                "(;GM[1]SZ[19]KM[6.5]RE[B+1.5];B[dd];W[pc])",
                "(;GM[1]SZ[19]KM[3.75]RE[W+Resign];B[pd])",
                "(;GM[1]SZ[19]KM[6.5]RE[];B[cc])",
            ]
        );
    }

    #[test]
    fn an_archive_that_others_have_to_unpack_is_not_called_damaged() {
        use std::io::Write as _;
        use tengen_nn::files::scratch::Scratch;

        let scratch = Scratch::new("import-unpack");
        let path = scratch.path().join("games.zip");
        let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
        let options = zip::write::SimpleFileOptions::default();
        let options = options.compression_method(zip::CompressionMethod::Stored);
        archive.start_file("a.sgf", options).unwrap();
        archive.write_all(b"(;SZ[9])").unwrap();
        archive.finish().unwrap();
        let bytes = fs::read(&path).unwrap();
        let mut parts = bytes.windows(4);
        let index = parts.position(|part| part == b"PK\x01\x02").unwrap();
        // The method becomes that of bzip2; a flag says that there is a password. Both are in the index, too.
        for (at, bits, about) in [(8, 12, "compression method"), (6, 1, "Password")] {
            let mut other = bytes.clone();
            other[at] |= bits;
            other[index + 2 + at] |= bits;
            fs::write(&path, other).unwrap();
            let message = texts(&path, &Index::default()).unwrap_err().to_string();
            let is_told = message.contains(about) && message.ends_with("unpack it");
            assert!(is_told && !message.contains("damaged"), "{message}");
        }
    }

    #[test]
    fn what_a_small_archive_unpacks_to_is_bounded() {
        use std::io::Write as _;
        use tengen_nn::files::scratch::Scratch;

        let scratch = Scratch::new("import-bomb");
        let path = scratch.path().join("games.zip");
        let refused = |part: &str, number: usize| {
            let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file("a.sgf", options).unwrap();
            archive.write_all(b"(;SZ[9]").unwrap();
            archive.write_all(part.repeat(number).as_bytes()).unwrap();
            archive.finish().unwrap();
            texts(&path, &Index::default()).unwrap_err().to_string()
        };
        let nodes = refused(";", 1_000_001);
        assert!(nodes.contains("more than 1000000 nodes"), "{nodes}");
        let bytes = refused(" ", MAX_SGF_BYTES as usize);
        assert!(bytes.contains("a.sgf in it has more than"), "{bytes}");
    }
}
