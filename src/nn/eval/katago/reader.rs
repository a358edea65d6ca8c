//! Words, numbers and weights of a file, one after the other; the file may be compressed by gzip.

use std::borrow::Cow;
use std::fmt;
use std::io::Read as _;
use std::str::FromStr;

use flate2::read::MultiGzDecoder;

/// What weights in binary begin with.
const BINARY: &[u8] = b"@BIN@";
/// The longest word: names of layers have some fifty letters.
const LONGEST_WORD: usize = 256;

/// Reads a file from its beginning on.
pub(super) struct KataGoReader<'a> {
    bytes: &'a [u8],
    at: usize,
    /// The model version of the network, once it has been read.
    pub(super) version: u32,
    /// No convolution makes more channels from here on; `None` for no such limit.
    pub(super) widest: Option<usize>,
    /// Blocks so far.
    pub(super) blocks: usize,
}

impl<'a> KataGoReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> KataGoReader<'a> {
        KataGoReader {
            bytes,
            at: 0,
            version: 0,
            widest: None,
            blocks: 0,
        }
    }

    /// Refuses a convolution with more channels than the description of the network has.
    pub(super) fn check_width(&self, channels: usize) -> Result<(), String> {
        match self.widest.filter(|&widest| channels > widest) {
            None => Ok(()),
            Some(widest) => self.wrong(format!(
                "it makes {channels} channels, where the network is said to have {widest} at most"
            )),
        }
    }

    /// Bytes of the file.
    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Whether the next word begins so.
    pub(super) fn begins_with(&mut self, beginning: &[u8]) -> bool {
        self.skip_blanks();
        self.bytes[self.at..].starts_with(beginning)
    }

    /// The next word; `what` it should be is for errors.
    pub(super) fn word(&mut self, what: &str) -> Result<&'a str, String> {
        self.skip_blanks();
        let rest = &self.bytes[self.at..];
        if rest.is_empty() {
            return self.wrong(format!("the file ends where {what} should follow"));
        }
        let within = &rest[..rest.len().min(LONGEST_WORD + 1)];
        let len = within.iter().position(u8::is_ascii_whitespace);
        let word = &within[..len.unwrap_or(within.len())];
        let is_word = word.len() <= LONGEST_WORD && word.iter().all(u8::is_ascii_graphic);
        match std::str::from_utf8(word) {
            Ok(text) if is_word => {
                self.at += word.len();
                Ok(text)
            }
            _ => self.wrong(format!("there is no text where {what} should be")),
        }
    }

    /// Reads a name, which `what` describes, and the rest of its layer; errors of the rest begin with the name.
    pub(super) fn named<T>(
        &mut self,
        what: &str,
        rest: impl FnOnce(&mut Self, &str) -> Result<T, String>,
    ) -> Result<T, String> {
        let name = self.word(what)?;
        rest(self, name).map_err(|reason| format!("{name}: {reason}"))
    }

    /// The next word as a number.
    pub(super) fn number<T: FromStr>(&mut self, what: &str) -> Result<T, String> {
        let word = self.word(what)?;
        word.parse()
            .or_else(|_| self.wrong(format!("{what} is '{word}'")))
    }

    /// The next word as a whole number from 1 to `most`.
    pub(super) fn count(&mut self, what: &str, most: usize) -> Result<usize, String> {
        let count = self.number(what)?;
        match (1..=most).contains(&count) {
            true => Ok(count),
            false => self.wrong(format!("{what} is {count}, not from 1 to {most}")),
        }
    }

    /// The next word as a positive number.
    pub(super) fn positive(&mut self, what: &str) -> Result<f32, String> {
        let number: f32 = self.number(what)?;
        match number > 0.0 && number.is_finite() {
            true => Ok(number),
            false => self.wrong(format!("{what} is {number}")),
        }
    }

    /// The next word as 0 or 1.
    pub(super) fn flag(&mut self, what: &str) -> Result<bool, String> {
        match self.number(what)? {
            0 => Ok(false),
            1 => Ok(true),
            other => self.wrong(format!("{what} is {other}, not 0 or 1")),
        }
    }

    /// Options that are 0 in all networks so far.
    pub(super) fn unused(&mut self, count: usize, what: &str) -> Result<(), String> {
        for number in 0..count {
            match self.number::<i64>(what)? {
                0 => {}
                other => {
                    return self.wrong(format!(
                        "{what} {number} is {other}: the network is newer than this program"
                    ));
                }
            }
        }
        Ok(())
    }

    /// Weights, in binary or as text. Room is made for what is there alone.
    pub(super) fn weights(&mut self, count: usize, of: &str) -> Result<Vec<f32>, String> {
        let numbers = match self.begins_with(BINARY) {
            true => self.binary(count, of)?,
            false => self.text(count, of)?,
        };
        match numbers.iter().position(|number| !number.is_finite()) {
            None => Ok(numbers),
            Some(index) => self.wrong(format!("weight {index} of {of} is not a number")),
        }
    }

    fn binary(&mut self, count: usize, of: &str) -> Result<Vec<f32>, String> {
        self.at += BINARY.len();
        let (numbers, _) = self.bytes[self.at..].as_chunks::<4>();
        let Some(numbers) = numbers.get(..count) else {
            return self.wrong(format!(
                "the file ends after {} of the {count} weights of {of}",
                numbers.len()
            ));
        };
        self.at += 4 * count;
        Ok(numbers
            .iter()
            .map(|bytes| f32::from_le_bytes(*bytes))
            .collect())
    }

    fn text(&mut self, count: usize, of: &str) -> Result<Vec<f32>, String> {
        let what = format!("a weight of {of}");
        // A number and the blank before it.
        let room = count.min((self.bytes.len() - self.at) / 2);
        let mut numbers = Vec::with_capacity(room);
        for _ in 0..count {
            numbers.push(self.number(&what)?);
        }
        Ok(numbers)
    }

    /// Checks that nothing but blanks is left.
    pub(super) fn finish(&mut self) -> Result<(), String> {
        self.skip_blanks();
        match self.bytes.len() - self.at {
            0 => Ok(()),
            left => self.wrong(format!("{left} bytes follow the last layer")),
        }
    }

    /// An error, with where in the file it is.
    pub(super) fn wrong<T>(&self, what: impl fmt::Display) -> Result<T, String> {
        Err(format!(
            "{what} (at byte {} of {})",
            self.at,
            self.bytes.len()
        ))
    }

    fn skip_blanks(&mut self) {
        let rest = &self.bytes[self.at..];
        let blanks = rest.iter().position(|byte| !byte.is_ascii_whitespace());
        self.at += blanks.unwrap_or(rest.len());
    }
}

/// The first bytes of a compressed file.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(super) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// How many times as large as its file a network is at most, besides [`SLACK`]: weights that were learned in binary are
/// 1.1 times as large, and 2.5 times as text. What is not could fill all memory from a small file.
const MAX_TIMES: u64 = 16;
/// Bytes that a file may unpack to in any case.
const SLACK: u64 = 4 << 20;

/// The bytes of a file as they were before it was compressed, at most `most` of them.
pub(super) fn unpacked(bytes: &[u8], most: u64) -> Result<Cow<'_, [u8]>, String> {
    if !is_compressed(bytes) {
        return Ok(bytes.into());
    }
    let times = (bytes.len() as u64).saturating_mul(MAX_TIMES);
    let believed = times.saturating_add(SLACK).min(most);
    let mut text = Vec::new();
    let read = MultiGzDecoder::new(bytes)
        .take(believed.saturating_add(1))
        .read_to_end(&mut text);
    if let Err(error) = read {
        return Err(format!(
            "it is damaged or incomplete: after {} bytes it cannot be uncompressed ({error}); fetch it again",
            text.len()
        ));
    }
    if text.len() as u64 > believed {
        return Err(match believed == most {
            true => format!("uncompressed it has more than {most} bytes"),
            false => format!(
                "uncompressed it is more than {MAX_TIMES} times as large, which no network is that was trained"
            ),
        });
    }
    Ok(text.into())
}

/// What the first bytes of a file say, as far as they go.
pub(super) fn unpacked_beginning(bytes: &[u8]) -> Result<Cow<'_, [u8]>, String> {
    if !is_compressed(bytes) {
        return Ok(bytes.into());
    }
    let mut text = Vec::new();
    let most = 1 << 16;
    match MultiGzDecoder::new(bytes).take(most).read_to_end(&mut text) {
        // Cut short, of course.
        Err(error) if text.is_empty() => Err(format!("it cannot be uncompressed: {error}")),
        _ => Ok(text.into()),
    }
}
