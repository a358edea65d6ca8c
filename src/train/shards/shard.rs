//! Shards: Parquet files of recorded positions, one row per position, whole games only. Games are
//! stored as their moves, from which positions are reconstructed when a shard is read. The columns
//! are in `columns`.
//!
//! The file's metadata contain game, rules, board, generator and program. The file's name contains
//! its checksum (see [`durable`]); the metadata have one, too, for files that are named otherwise, such
//! as results of tickets.

mod columns;

use crate::trainable::with_game;
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use parquet::basic::CompressionCodec;
use parquet::file::metadata::KeyValue;
use parquet::file::reader::FileReader;
use parquet::file::serialized_reader::SerializedFileReader;

use crate::TrainError;
use crate::durable::{self, checksum};
use crate::shards::row::Row;
use tengen::fnv;
use tengen::game::{BoardSize, Game};

/// Version of the columns and their meaning. Shards of other versions are refused.
pub const FORMAT: u32 = 3;

/// File name ending of a shard.
const EXTENSION: &str = "parquet";

/// Metadata shared by all rows of a shard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShardInfo {
    /// The game, as [`Game::NAME`].
    pub game: String,
    /// Its rules, as text.
    pub rules: String,
    /// The board.
    pub size: BoardSize,
    /// Number of policy indices.
    pub policy_len: usize,
    /// Generator, settings and seed. Two shards of one run have the same.
    pub source: String,
}

impl fmt::Display for ShardInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ShardInfo {
            game,
            rules,
            size,
            source,
            ..
        } = self;
        write!(f, "{game} {size} {rules}: {source}")
    }
}

impl ShardInfo {
    /// Of games that begin at `start` and were made as `source` says.
    pub fn of<G: Game>(start: &G, source: String) -> ShardInfo {
        ShardInfo {
            game: G::NAME.to_owned(),
            rules: start.rules().to_string(),
            size: start.size(),
            policy_len: start.policy_len(),
            source,
        }
    }

    /// A number that only copies of a row's game share.
    pub(crate) fn key_of(&self, row: &Row) -> u64 {
        fnv::hash(format!("{self} {} {:?}", row.game, row.moves).as_bytes())
    }
}

/// A shard in memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Shard {
    /// Metadata that all rows share.
    pub info: ShardInfo,
    /// The positions, game after game.
    pub rows: Vec<Row>,
}

/// Writes rows into `folder` as one durable shard; returns its path.
///
/// # Errors
/// [`TrainError::Io`] when the file cannot be written, and as [`encode`].
pub fn write(folder: &Path, info: &ShardInfo, rows: &[Row]) -> Result<PathBuf, TrainError> {
    let first = rows.iter().map(|row| row.game).min().unwrap_or(0);
    keep(folder, first, &encode(info, rows)?)
}

/// Collects games into shards.
pub(crate) struct Writer<'a> {
    folder: &'a Path,
    info: &'a ShardInfo,
    /// Games of a shard, at least 1.
    games: usize,
    rows: Vec<Row>,
    open: usize,
}

impl<'a> Writer<'a> {
    /// For shards of this many games.
    pub(crate) fn new(folder: &'a Path, info: &'a ShardInfo, games: usize) -> Writer<'a> {
        Writer {
            folder,
            info,
            games: games.max(1),
            rows: Vec::new(),
            open: 0,
        }
    }

    /// Adds the rows of a game.
    ///
    /// # Errors
    /// As [`write`].
    pub(crate) fn add(&mut self, mut game: Vec<Row>) -> Result<(), TrainError> {
        self.rows.append(&mut game);
        self.open += 1;
        match self.open == self.games {
            true => self.close(),
            false => Ok(()),
        }
    }

    /// Writes the games of the shard that is not full yet.
    ///
    /// # Errors
    /// As [`write`].
    pub(crate) fn close(&mut self) -> Result<(), TrainError> {
        if !self.rows.is_empty() {
            sort(&mut self.rows);
            write(self.folder, self.info, &self.rows)?;
            self.rows.clear();
            self.open = 0;
        }
        Ok(())
    }
}

/// Brings rows from the order in which games ended into that of games and plies.
pub(crate) fn sort(rows: &mut [Row]) {
    rows.sort_by_key(|row| (row.game, row.ply));
}

/// Writes an encoded shard, whose first game this is, into `folder`; returns its path.
///
/// # Errors
/// [`TrainError::Io`] when the file cannot be written.
pub fn keep(folder: &Path, first: u64, bytes: &[u8]) -> Result<PathBuf, TrainError> {
    durable::save(folder, &stem(first), EXTENSION, bytes)
}

/// The shard of a folder whose first game this is.
///
/// # Errors
/// [`TrainError::Io`] when the folder cannot be read.
pub fn find(folder: &Path, first: u64) -> Result<Option<PathBuf>, TrainError> {
    let mut found = durable::list(folder, &format!("{}.", stem(first)), EXTENSION)?;
    Ok(found.pop())
}

fn stem(first: u64) -> String {
    format!("games-{first:08}")
}

/// The bytes of a shard. Equal rows in equal order have equal bytes.
///
/// # Errors
/// [`TrainError::Setting`] when a row is off the board or out of range, or rows of one game have
/// different moves.
pub fn encode(info: &ShardInfo, rows: &[Row]) -> Result<Vec<u8>, TrainError> {
    if !rows.iter().all(|row| row.fits(info.size, info.policy_len)) {
        return Err(TrainError::Setting(
            "a generated row is off the board or out of range: a mistake of the program".to_owned(),
        ));
    }
    columns::write(metadata(info), rows)
        .map(checksum::seal)
        .map_err(|error| TrainError::Setting(format!("cannot encode a shard: {error}")))
}

/// Reads one shard. One whose name has no checksum, such as a ticket's, has it inside.
///
/// # Errors
/// [`TrainError::Corrupt`] or [`TrainError::Setting`] names the file and the problem.
pub fn read(path: &Path) -> Result<Shard, TrainError> {
    let stem = path.file_stem().map(Path::new);
    if stem.is_some_and(|stem| stem.extension().is_none()) {
        return decode(path, fs::read(path).map_err(TrainError::io(path))?);
    }
    // As its name says, it is what was written.
    parse(path, durable::load(path)?)
        .map_err(|error| error.advising("write it again as docs/training.md#shards says"))
}

/// Reads the bytes of a shard whose name has no checksum, such as a ticket's; `path` is for messages.
///
/// # Errors
/// As [`read`].
pub fn decode(path: &Path, bytes: Vec<u8>) -> Result<Shard, TrainError> {
    checksum::check(&bytes).map_err(|reason| TrainError::corrupt(path, reason))?;
    parse(path, bytes)
}

/// Also where the library panics: it does on a page that is shorter than its header says.
fn parse(path: &Path, bytes: Vec<u8>) -> Result<Shard, TrainError> {
    let parsed = catch_unwind(|| parse_pages(path, bytes));
    parsed.unwrap_or_else(|_| Err(TrainError::corrupt(path, "a page of it cannot be read")))
}

fn parse_pages(path: &Path, bytes: Vec<u8>) -> Result<Shard, TrainError> {
    let len = bytes.len();
    let reader = SerializedFileReader::new(Bytes::from(bytes))
        .map_err(|error| TrainError::corrupt(path, error))?;
    let info = read_info(path, &reader)?;
    check_compression(path, &reader)?;
    let (rows, policy_len) = with_game!(&info.game, info.size, rules: &info.rules, |empty| {
        (columns::read(&empty, &reader, len), empty.policy_len())
    })
    .map_err(|unknown| TrainError::mismatch(path, unknown))?;
    if info.policy_len != policy_len {
        let reason = format!(
            "its tengen.policy_len is {}, and {} on {} has {policy_len} moves",
            info.policy_len, info.game, info.size
        );
        return Err(TrainError::mismatch(path, reason));
    }
    let rows = rows.map_err(|error| TrainError::corrupt(path, error))?;
    if !rows.iter().all(|row| row.fits(info.size, info.policy_len)) {
        return Err(TrainError::corrupt(
            path,
            "a row has a point that is not on the board, or a number out of range, such as shares \
             of a policy that are all 0",
        ));
    }
    Ok(Shard { info, rows })
}

/// The shards of a folder, by name.
///
/// # Errors
/// [`TrainError::Io`] when the folder cannot be read.
pub fn list(folder: &Path) -> Result<Vec<PathBuf>, TrainError> {
    durable::list(folder, "games-", EXTENSION)
}

/// The shards to read games from at a path: a file itself, those of a folder, or, where it has none, those of the folders
/// in it, as a run has one for each of its boards. Results of tickets in a store, which are never merged, are among them.
///
/// # Errors
/// [`TrainError::Io`] when a folder cannot be read.
pub fn list_all(path: &Path) -> Result<Vec<PathBuf>, TrainError> {
    if path.is_file() && path.extension() == Some(OsStr::new(EXTENSION)) {
        return Ok(vec![path.to_path_buf()]);
    }
    let mut found = list_to_read(path)?;
    if found.is_empty() {
        for folder in durable::folders(path)? {
            found.extend(list_to_read(&folder)?);
        }
    }
    Ok(found)
}

fn list_to_read(folder: &Path) -> Result<Vec<PathBuf>, TrainError> {
    let mut found = durable::list(folder, "", EXTENSION)?;
    found.retain(|path| {
        let stem = path.file_stem().and_then(OsStr::to_str).unwrap_or_default();
        stem.starts_with("games-") || stem.bytes().all(|byte| byte.is_ascii_digit())
    });
    Ok(found)
}

fn metadata(info: &ShardInfo) -> Vec<KeyValue> {
    let pairs = [
        ("tengen.format", FORMAT.to_string()),
        ("tengen.game", info.game.clone()),
        ("tengen.rules", info.rules.clone()),
        ("tengen.size", info.size.to_string()),
        ("tengen.policy_len", info.policy_len.to_string()),
        ("tengen.source", info.source.clone()),
        ("tengen.checksum", checksum::UNKNOWN.to_owned()),
    ];
    pairs
        .map(|(key, value)| KeyValue::new(key.to_owned(), value))
        .to_vec()
}

/// Refuses what this program cannot decompress.
fn check_compression(path: &Path, reader: &SerializedFileReader<Bytes>) -> Result<(), TrainError> {
    let groups = reader.metadata().row_groups().iter();
    let mut codecs = groups.flat_map(|group| group.columns().iter().map(|c| c.compression_codec()));
    let is_other = |codec: &CompressionCodec| {
        !matches!(
            codec,
            CompressionCodec::UNCOMPRESSED | CompressionCodec::ZSTD
        )
    };
    match codecs.find(is_other) {
        None => Ok(()),
        Some(other) => {
            let name = format!("{other:?}").to_lowercase();
            let reason = format!("it is compressed by {name}; write it with zstd, or uncompressed");
            Err(TrainError::mismatch(path, reason))
        }
    }
}

/// The shared metadata, if the format is this program's.
fn read_info(path: &Path, reader: &SerializedFileReader<Bytes>) -> Result<ShardInfo, TrainError> {
    let pairs = reader.metadata().file_metadata().key_value_metadata();
    let get = |key: &str| {
        let pair = pairs.and_then(|pairs| pairs.iter().find(|pair| pair.key == key));
        let value = pair.and_then(|pair| pair.value.clone());
        value.ok_or_else(|| TrainError::corrupt(path, format!("it has no metadata {key}")))
    };
    let format = get("tengen.format")?;
    if format != FORMAT.to_string() {
        let reason = format!(
            "it has shard format {format}, this program reads {FORMAT}: make its games again in \
             another folder"
        );
        return Err(TrainError::mismatch(path, reason));
    }
    let size = get("tengen.size")?;
    let size = size
        .parse()
        .map_err(|error| TrainError::corrupt(path, error))?;
    let policy_len = get("tengen.policy_len")?.parse();
    Ok(ShardInfo {
        game: get("tengen.game")?,
        rules: get("tengen.rules")?,
        size,
        policy_len: policy_len.map_err(|error| TrainError::corrupt(path, error))?,
        source: get("tengen.source")?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::generate::{GamesPlan, generate};
    use crate::play::generator::RolloutGenerator;
    use crate::play::settings::SelfPlay;
    use tengen::game::Move;
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::files::scratch::Scratch;

    /// Six games by rollouts on 5x5.
    pub(super) fn example(name: &str) -> Shard {
        let empty = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let plan = GamesPlan {
            first: 0,
            games: 6,
            seed: 1,
            threads: 1,
            settings: SelfPlay {
                games_per_shard: 50,
                sgf_every: 0,
                ..SelfPlay::default()
            },
            generator: "rollout playouts=30".to_owned(),
        };
        let generator = RolloutGenerator(30);
        let scratch = Scratch::new(&format!("shard-example-{name}"));
        generate(&empty, &plan, scratch.path(), &generator, |_| Ok(())).unwrap();
        read(&list(scratch.path()).unwrap()[0]).unwrap()
    }

    #[test]
    fn rows_survive_the_file() {
        let scratch = Scratch::new("shard");
        let mut shard = example("survive");
        // An aborted game, and a game's rows in part.
        shard.rows.truncate(shard.rows.len() - 3);
        let last = shard.rows.last().unwrap().game;
        let broken_off = shard.rows.iter_mut().filter(|row| row.game == last);
        broken_off.for_each(|row| row.ending = None);
        // A row whose result was corrected.
        let game = shard.rows[0].game;
        let inside = shard.rows.iter_mut().filter(|row| row.game == game).nth(1);
        inside.unwrap().ending = None;
        let path = write(scratch.path(), &shard.info, &shard.rows).unwrap();
        assert_eq!(list(scratch.path()).unwrap(), std::slice::from_ref(&path));
        assert_eq!(read(&path).unwrap(), shard);
    }

    #[test]
    fn a_move_off_the_board_or_against_the_rules_is_refused() {
        let scratch = Scratch::new("shard-row");
        let mut shard = example("rules");
        shard.rows[1].policy[0].mv = Move(25);
        assert!(write(scratch.path(), &shard.info, &shard.rows).is_err());
        let refused = |name: &str, rows: &[Row], about: &str| {
            let bytes = columns::write(metadata(&shard.info), rows).unwrap();
            let path = durable::save(scratch.path(), name, EXTENSION, &bytes).unwrap();
            let message = read(&path).unwrap_err().to_string();
            assert!(
                message.contains("games-") && message.contains(about),
                "{message}"
            );
        };
        refused("games-0", &shard.rows, "not on the board");
        let mut rows = example("rules").rows;
        rows.truncate(1);
        rows[0].moves = [Move(3), Move(3)].into();
        refused("games-1", &rows, "move 3 is illegal after 1 move");
        rows[0].moves = [Move(3)].into();
        rows[0].ply = 0;
        refused("games-2", &rows, "do not lead to its end");
    }

    #[test]
    fn another_format_is_refused() {
        let scratch = Scratch::new("shard-format");
        let shard = example("format");
        let mut bytes = columns::write(metadata(&shard.info), &shard.rows).unwrap();
        let key = b"tengen.format";
        let at = bytes
            .windows(key.len())
            .position(|window| window == key)
            .unwrap()
            + key.len();
        let digit = at + bytes[at..].iter().position(|&byte| byte == b'3').unwrap();
        for other in ['2', '9'] {
            bytes[digit] = other as u8;
            let path = durable::save(scratch.path(), "games-0", EXTENSION, &bytes).unwrap();
            let message = read(&path).unwrap_err().to_string();
            let reason =
                format!("shard format {other}, this program reads 3: make its games again");
            assert!(message.contains(&reason), "{message}");
        }
    }

    #[test]
    fn another_compression_is_named() {
        let scratch = Scratch::new("shard-compression");
        let shard = example("compression");
        let mut bytes = columns::write(metadata(&shard.info), &shard.rows).unwrap();
        // The path of the first column, and its codec.
        let codec = b"\x19\x18\x04game\x15\x0c";
        let mut places = bytes.windows(codec.len());
        let at = places.position(|part| part == codec).unwrap() + codec.len() - 1;
        bytes[at] = 2;
        let path = durable::save(scratch.path(), "games-0", EXTENSION, &bytes).unwrap();
        let message = read(&path).unwrap_err().to_string();
        assert!(
            message.contains("snappy; write it with zstd") && !message.contains("delete"),
            "{message}"
        );
    }

    #[test]
    fn a_policy_of_nothing_and_a_wrong_number_of_moves_are_refused() {
        let scratch = Scratch::new("shard-policy");
        let shard = example("policy");
        let refused = |name: &str, info: &ShardInfo, rows: &[Row], about: &str| {
            let bytes = columns::write(metadata(info), rows).unwrap();
            let path = durable::save(scratch.path(), name, EXTENSION, &bytes).unwrap();
            let message = read(&path).unwrap_err().to_string();
            let names = message.contains(about) && !message.contains("delete it");
            assert!(names, "{message}");
        };
        let mut rows = shard.rows.clone();
        rows[1].policy.iter_mut().for_each(|share| share.share = 0);
        refused("games-0", &shard.info, &rows, "all 0");
        rows[1].policy_weight = 0.0;
        assert!(rows[1].fits(shard.info.size, shard.info.policy_len));
        let wrong = ShardInfo {
            policy_len: 26,
            ..shard.info.clone()
        };
        refused("games-1", &wrong, &shard.rows, "tengen.policy_len is 26");
    }

    /// Equal rows take next to no room in a file: of ten million such ones it had 1.6 KB.
    #[test]
    fn a_small_file_of_many_equal_rows_is_refused() {
        let scratch = Scratch::new("shard-bomb");
        let shard = example("bomb");
        let decoded = |count: usize| {
            let rows = vec![shard.rows[0].clone(); count];
            let bytes = columns::write(metadata(&shard.info), &rows).unwrap();
            assert!(bytes.len() < 60_000, "{}", bytes.len());
            let name = format!("games-{count}");
            read(&durable::save(scratch.path(), &name, EXTENSION, &bytes).unwrap())
        };
        assert_eq!(decoded(1_000).unwrap().rows.len(), 1_000);
        let message = decoded(300_000).unwrap_err().to_string();
        assert!(message.contains("times as large as the file"), "{message}");
    }

    #[test]
    fn a_truncated_file_is_refused_even_with_a_right_checksum() {
        let scratch = Scratch::new("shard-cut");
        let shard = example("cut");
        let bytes = columns::write(metadata(&shard.info), &shard.rows).unwrap();
        let path = durable::save(scratch.path(), "games-0", EXTENSION, &bytes[..60]).unwrap();
        assert!(matches!(read(&path), Err(TrainError::Corrupt { .. })));
    }
}
