//! Where a book comes from: a file, or the program itself. A file has a table of positions and one of facts about the
//! book, in an embedded store ([redb](https://docs.rs/redb)) that loses nothing when a process is killed.
//!
//! | table | key | value |
//! |---|---|---|
//! | `positions` | key of the position | visits, value, proof, moves left out, moves |
//! | `about` | name | text |
//!
//! Of moves left out there is their number, the best value and the highest prior. A move is its number
//! on the board, value, prior, visits, proof, and the key of the position after it. A
//! proof is 0 for none, or 1 for a loss, 2 for a draw and 3 for a win of the side to move.

use std::ffi::OsString;
use std::fmt;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use redb::backends::InMemoryBackend;
use redb::{
    Builder, ConcurrencyMode, Database, ReadTransaction, ReadableDatabase as _, ReadableTable as _,
    StorageBackend as _, TableDefinition,
};

use super::meta::FORMAT;
use super::{Book, BookError, BookMeta, LeftOut, Searched, SearchedMove};
use crate::game::{BoardSize, Move, Proof};
use crate::system::is_offered;
use tengen_nn::files;

type MoveRow = (u16, f32, f32, u64, u8, u128);
type Row = (u64, f32, u8, (u16, f32, f32), Vec<MoveRow>);

const POSITIONS: TableDefinition<'_, u128, Row> = TableDefinition::new("positions");
const ABOUT: TableDefinition<'_, &str, &str> = TableDefinition::new("about");

/// A book that is being added to. Others may read it meanwhile.
pub struct BookFile {
    store: Database,
}

impl BookFile {
    /// Opens the book for adding to it; one that does not exist yet is created.
    ///
    /// # Errors
    /// [`BookError`] if it cannot be opened, or is about something else than `meta`.
    pub fn open(path: &Path, meta: &BookMeta) -> Result<(BookFile, BookMeta, Book), BookError> {
        if !matches!(
            BookSource::from(path.as_os_str().to_owned()),
            BookSource::File(_)
        ) {
            return Err(BookError::Unavailable(
                "--book does not take this name for a file: choose another, such as my.book",
            ));
        }
        // Nothing is changed that is not a book, or the beginning of one.
        if path
            .metadata()
            .is_ok_and(|file| !file.is_file() || file.len() > 0)
        {
            match BookSource::File(path.to_owned()).read_meta() {
                Ok(_) | Err(BookError::Empty) => {}
                // Another program may have begun it just now.
                Err(BookError::NotABook) => return Err(open_error(path)),
                Err(error) => return Err(error),
            }
        }
        let store = unharmed(|| Ok(builder().create(path).map_err(redb::Error::from)?))?;
        let file = BookFile { store };
        let transaction = file.store.begin_read().map_err(redb::Error::from)?;
        let (found, book) = match unharmed(|| read_contents(&transaction)) {
            Err(BookError::Empty) => (meta.clone(), Book::default()),
            found => found?,
        };
        // Checked only now: until it was locked, another program might have written it.
        found.check(meta)?;
        Ok((file, found, book))
    }

    /// Adds positions, all or none.
    ///
    /// # Errors
    /// [`BookError`] if they cannot be written.
    pub fn add<'a>(
        &self,
        meta: &BookMeta,
        positions: impl IntoIterator<Item = (u128, &'a Searched)>,
    ) -> Result<(), BookError> {
        let add = || -> Result<(), redb::Error> {
            let transaction = self.store.begin_write()?;
            {
                let mut about = transaction.open_table(ABOUT)?;
                for (name, value) in about_rows(meta) {
                    about.insert(name, &*value)?;
                }
                let mut table = transaction.open_table(POSITIONS)?;
                for (key, searched) in positions {
                    table.insert(key, row(searched))?;
                }
            }
            transaction.commit()?;
            Ok(())
        };
        Ok(add()?)
    }
}

/// One process adds, any number read.
fn builder() -> Builder {
    let mut builder = Database::builder();
    builder.set_concurrency_mode(ConcurrencyMode::SingleWriter);
    builder.set_check_integrity_on_open(true);
    builder
}

/// Why a file that is not a book cannot be added to: the store takes its lock before it looks into it.
fn open_error(path: &Path) -> BookError {
    let opened = unharmed(|| Ok(builder().open(path).map_err(redb::Error::from)?));
    opened.err().unwrap_or(BookError::NotABook)
}

/// How often a damaged book is read again: the copy of one that is being added to may have parts from before and from
/// after.
const ATTEMPTS: usize = 5;
/// Maximum size of a book in bytes.
const LARGEST: u64 = 1 << 32;
/// What all files of the store begin with.
const MAGIC: &[u8] = b"redb\x1a\x0a\xa9\x0d\x0a";

/// The book that is compiled into the program; how it was made stands in `models/recipes/nogo.sh`.
#[cfg(not(feature = "gomocup"))]
const BUILT_IN: Option<&[u8]> = Some(include_bytes!("../../../models/nogo-9x9.book"));
#[cfg(feature = "gomocup")]
const BUILT_IN: Option<&[u8]> = None;

/// None was asked for, or this program has none built in.
const NO_BOOK: BookError = BookError::Unavailable("there is none");

/// Whether the built-in book is for this game and board.
pub(crate) fn is_built_in(game: &str, size: BoardSize) -> bool {
    BUILT_IN.is_some() && game == "nogo" && size == BoardSize::square(9)
}

/// Where a book comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookSource {
    /// No book: `none`.
    None,
    /// The program's own, of NoGo 9x9: `built-in`.
    BuiltIn,
    /// A file of `tengen book`.
    File(PathBuf),
}

impl BookSource {
    /// Reads the whole book.
    ///
    /// # Errors
    /// [`BookError`] if there is none, or it is not one, or damaged.
    pub fn read(&self) -> Result<(BookMeta, Book), BookError> {
        self.read_by(read_contents)
    }

    /// What the book is about.
    ///
    /// # Errors
    /// As [`BookSource::read`].
    pub fn read_meta(&self) -> Result<BookMeta, BookError> {
        self.read_by(read_meta)
    }

    fn read_by<T>(
        &self,
        read: impl Fn(&ReadTransaction) -> Result<T, BookError>,
    ) -> Result<T, BookError> {
        let attempt = || {
            unharmed(|| {
                let store = self.copy()?;
                read(&store.begin_read().map_err(redb::Error::from)?)
            })
        };
        let mut attempts = std::iter::repeat_with(attempt).take(ATTEMPTS);
        let found = attempts.find(|found| !matches!(found, Err(BookError::Damaged)));
        found.unwrap_or(Err(BookError::Damaged))
    }

    /// A checked copy in memory: the store checks only what it may write to, and reading changes no file. The copy
    /// of a book whose process was killed is repaired.
    fn copy(&self) -> Result<Database, BookError> {
        let (mut input, len) = self.open()?;
        let mut bytes = Vec::new();
        let mut head = input.by_ref().take(MAGIC.len() as u64);
        head.read_to_end(&mut bytes).map_err(BookError::Io)?;
        // The store would begin a new one in an empty file.
        if bytes != MAGIC {
            return Err(BookError::NotABook);
        }
        let copies = usize::try_from(2 * len).unwrap_or(usize::MAX);
        if !is_offered(copies) {
            return Err(BookError::Io(ErrorKind::OutOfMemory.into()));
        }
        // It may grow while it is read.
        let mut rest = input.take(len.saturating_sub(bytes.len() as u64));
        rest.read_to_end(&mut bytes).map_err(BookError::Io)?;
        let open = || -> Result<Database, redb::Error> {
            let backend = InMemoryBackend::new();
            backend.set_len(len)?;
            backend.write(0, &bytes)?;
            let mut builder = Database::builder();
            Ok(builder
                .set_check_integrity_on_open(true)
                .create_with_backend(backend)?)
        };
        Ok(open()?)
    }

    /// The bytes, and their number.
    fn open(&self) -> Result<(Box<dyn Read>, u64), BookError> {
        match self {
            BookSource::None => Err(NO_BOOK),
            BookSource::BuiltIn => {
                let bytes = BUILT_IN.ok_or(NO_BOOK)?;
                Ok((Box::new(bytes), bytes.len() as u64))
            }
            BookSource::File(path) => {
                let (file, len) = files::open(path, LARGEST)?;
                Ok((Box::new(file), len))
            }
        }
    }
}

impl FromStr for BookSource {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<BookSource, &'static str> {
        match text {
            "" => Err("a file name, built-in or none"),
            "none" => Ok(BookSource::None),
            "built-in" => Ok(BookSource::BuiltIn),
            path => Ok(BookSource::File(path.into())),
        }
    }
}

impl From<OsString> for BookSource {
    fn from(text: OsString) -> BookSource {
        let named = text.to_str().and_then(|text| text.parse().ok());
        named.unwrap_or_else(|| BookSource::File(text.into()))
    }
}

impl fmt::Display for BookSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BookSource::None => f.write_str("none"),
            BookSource::BuiltIn => f.write_str("built-in"),
            BookSource::File(path) => path.display().fmt(f),
        }
    }
}

/// The result of using the store, which may panic where a file's bytes were changed and its check missed it.
fn unharmed<T>(read: impl FnOnce() -> Result<T, BookError>) -> Result<T, BookError> {
    let read = std::panic::AssertUnwindSafe(read);
    std::panic::catch_unwind(read).unwrap_or(Err(BookError::Damaged))
}

fn read_contents(transaction: &ReadTransaction) -> Result<(BookMeta, Book), BookError> {
    let meta = read_meta(transaction)?;
    let positions = || -> Result<Vec<(u128, Searched)>, redb::Error> {
        let table = transaction.open_table(POSITIONS)?;
        let all = table.iter()?.map(|found| {
            let (key, row) = found?;
            Ok((key.value(), searched(row.value())))
        });
        all.collect()
    };
    Ok((meta, Book::of(positions()?)))
}

fn read_meta(transaction: &ReadTransaction) -> Result<BookMeta, BookError> {
    let table = transaction.open_table(ABOUT).map_err(redb::Error::from)?;
    let text = |name: &str| -> Result<String, BookError> {
        let found = table.get(name).map_err(redb::Error::from)?;
        Ok(found.ok_or(BookError::Damaged)?.value().to_owned())
    };
    let format = text("format")?;
    if format != FORMAT.to_string() {
        return Err(BookError::Format(format));
    }
    let damaged = |_| BookError::Damaged;
    Ok(BookMeta {
        game: text("game")?,
        size: text("size")?.parse().map_err(|_| BookError::Damaged)?,
        rules: text("rules")?,
        first_key: u128::from_str_radix(&text("first-key")?, 16).map_err(damaged)?,
        player: text("player")?,
        steps: text("steps")?.parse().map_err(damaged)?,
        seconds: text("seconds")?.parse().map_err(|_| BookError::Damaged)?,
    })
}

/// The rows of the table `about`.
fn about_rows(meta: &BookMeta) -> [(&'static str, String); 8] {
    [
        ("format", FORMAT.to_string()),
        ("game", meta.game.clone()),
        ("size", meta.size.to_string()),
        ("rules", meta.rules.clone()),
        ("first-key", format!("{:x}", meta.first_key)),
        ("player", meta.player.clone()),
        ("steps", meta.steps.to_string()),
        ("seconds", format!("{:.0}", meta.seconds)),
    ]
}

fn row(searched: &Searched) -> Row {
    let moves = searched.moves.iter().map(|found| {
        let (mv, proof) = (found.mv.0, number(found.proof));
        (
            mv,
            found.value,
            found.prior,
            found.visits,
            proof,
            found.next,
        )
    });
    let out = searched.left_out;
    let (visits, value, proof) = (searched.visits, searched.value, number(searched.proof));
    (
        visits,
        value,
        proof,
        (out.moves, out.value, out.prior),
        moves.collect(),
    )
}

fn searched((visits, value, number, (left, best, likeliest), moves): Row) -> Searched {
    let moves = moves.into_iter();
    let moves = moves.map(|(mv, value, prior, visits, number, next)| SearchedMove {
        mv: Move(mv),
        value,
        prior,
        visits,
        proof: proof(number),
        next,
    });
    Searched {
        visits,
        value,
        proof: proof(number),
        left_out: LeftOut {
            moves: left,
            value: best,
            prior: likeliest,
        },
        moves: moves.collect(),
    }
}

const PROOFS: [Proof; 3] = [Proof::Loss, Proof::Draw, Proof::Win];

fn number(proof: Option<Proof>) -> u8 {
    let mut numbered = (1..).zip(PROOFS);
    let found = numbered.find(|(_, known)| Some(*known) == proof);
    found.map_or(0, |(number, _)| number)
}

fn proof(number: u8) -> Option<Proof> {
    PROOFS.get(usize::from(number).checked_sub(1)?).copied()
}
