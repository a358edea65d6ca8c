//! Protocol-buffer wire format, the little of it that ONNX files need: tagged varints, 32-bit
//! floats and length-prefixed bytes.

use std::io::{BufRead, Seek};

use super::OnnxError;

/// A message being written: fields one after another.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

impl Message {
    pub(super) fn new() -> Message {
        Message::default()
    }

    /// An integer field; negative numbers take ten bytes, as protobuf's `int64` does.
    pub(super) fn int(&mut self, field: u32, value: i64) {
        self.tag(field, VARINT);
        self.varint(value as u64);
    }

    pub(super) fn float(&mut self, field: u32, value: f32) {
        self.tag(field, FIXED32);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn bytes(&mut self, field: u32, value: &[u8]) {
        self.tag(field, BYTES);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    pub(super) fn string(&mut self, field: u32, value: &str) {
        self.bytes(field, value.as_bytes());
    }

    pub(super) fn message(&mut self, field: u32, value: &Message) {
        self.bytes(field, &value.0);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn tag(&mut self, field: u32, wire_type: u64) {
        self.varint(u64::from(field) << 3 | wire_type);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

// Wire types: the three low bits of a tag.
const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const BYTES: u64 = 2;
const FIXED32: u64 = 5;

/// The content of a field that was read. Fixed 64-bit numbers are skipped: no field that this
/// reader cares about holds one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Content<'a> {
    Int(i64),
    Float(f32),
    Bytes(&'a [u8]),
    Skipped,
}

impl<'a> Content<'a> {
    pub(super) fn int(self) -> Result<i64, OnnxError> {
        match self {
            Content::Int(value) => Ok(value),
            _ => Err(OnnxError::Malformed("a number is expected")),
        }
    }

    pub(super) fn float(self) -> Result<f32, OnnxError> {
        match self {
            Content::Float(value) => Ok(value),
            _ => Err(OnnxError::Malformed("a fraction is expected")),
        }
    }

    /// One integer, or several packed into a string of bytes.
    pub(super) fn ints(self) -> Result<Vec<i64>, OnnxError> {
        let Content::Bytes(bytes) = self else {
            return Ok(vec![self.int()?]);
        };
        let (mut rest, mut ints) = (Fields(bytes), Vec::new());
        while !rest.0.is_empty() {
            let int = rest
                .varint()
                .ok_or(OnnxError::Malformed("numbers are cut short"))?;
            ints.push(int as i64);
        }
        Ok(ints)
    }

    pub(super) fn bytes(self) -> Result<&'a [u8], OnnxError> {
        match self {
            Content::Bytes(bytes) => Ok(bytes),
            _ => Err(OnnxError::Malformed("bytes are expected")),
        }
    }

    /// The fields of a nested message.
    pub(super) fn fields(self) -> Result<Fields<'a>, OnnxError> {
        match self {
            Content::Bytes(bytes) => Ok(Fields(bytes)),
            _ => Err(OnnxError::Malformed("a message is expected")),
        }
    }

    pub(super) fn string(self) -> Result<String, OnnxError> {
        let Content::Bytes(bytes) = self else {
            return Err(OnnxError::Malformed("a string is expected"));
        };
        let text = std::str::from_utf8(bytes);
        text.map(str::to_owned)
            .map_err(|_| OnnxError::Malformed("a string is not UTF-8"))
    }
}

/// Walks the fields of messages in a file: what is not wanted is not read.
#[derive(Debug)]
pub(super) struct Scan<R> {
    reader: R,
    at: u64,
    /// Bytes that may still be taken: a file that wants more is no network's.
    allowance: u64,
}

impl<R: BufRead + Seek> Scan<R> {
    /// Begins where `reader` stands; at most `allowance` bytes are kept in memory.
    pub(super) fn new(reader: R, allowance: u64) -> Scan<R> {
        Scan {
            reader,
            at: 0,
            allowance,
        }
    }

    /// Bytes walked over.
    pub(super) fn at(&self) -> u64 {
        self.at
    }

    /// The next field of a message that ends at `end`: its number, and the length of its bytes,
    /// which [`Scan::take`], [`Scan::skip`] or the fields inside have to follow. Numbers are
    /// skipped. `None` at the end.
    pub(super) fn next(&mut self, end: u64) -> Result<Option<(u32, Option<u64>)>, OnnxError> {
        if self.at == end {
            return Ok(None);
        }
        let tag = self.varint(end)?;
        let number = u32::try_from(tag >> 3).ok().filter(|&number| number != 0);
        let number = number.ok_or(CUT_SHORT)?;
        let len = match tag & 7 {
            VARINT => {
                self.varint(end)?;
                None
            }
            FIXED64 => {
                self.skip(8, end)?;
                None
            }
            FIXED32 => {
                self.skip(4, end)?;
                None
            }
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

    /// Leaves `len` bytes of a message that ends at `end` out.
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

/// Iterator over the fields of a message: number and content. Ends after the first error.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = Result<(u32, Content<'a>), OnnxError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.0.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_none() {
            self.0 = &[];
        }
        Some(field.ok_or(CUT_SHORT))
    }
}

impl<'a> Fields<'a> {
    fn field(&mut self) -> Option<(u32, Content<'a>)> {
        let tag = self.varint()?;
        let number = u32::try_from(tag >> 3).ok().filter(|&n| n != 0)?;
        let content = match tag & 7 {
            VARINT => Content::Int(self.varint()? as i64),
            FIXED64 => self.take(8).map(|_| Content::Skipped)?,
            FIXED32 => {
                let bytes = self.take(4)?.first_chunk()?;
                Content::Float(f32::from_le_bytes(*bytes))
            }
            BYTES => {
                let len = usize::try_from(self.varint()?).ok()?;
                Content::Bytes(self.take(len)?)
            }
            _ => return None,
        };
        Some((number, content))
    }

    fn take(&mut self, len: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.take(1)?[0];
            value |= u64::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn fields_come_back() {
        let mut inner = Message::new();
        inner.string(1, "name");
        let mut outer = Message::new();
        outer.int(1, 300);
        outer.int(20, -2);
        outer.float(3, 1.5);
        outer.message(4, &inner);
        let bytes = outer.into_bytes();
        let fields: Vec<_> = Fields(&bytes).map(Result::unwrap).collect();
        assert_eq!(fields[0], (1, Content::Int(300)));
        assert_eq!(fields[1], (20, Content::Int(-2)));
        assert_eq!(fields[2], (3, Content::Float(1.5)));
        let (number, content) = fields[3].1.fields().unwrap().next().unwrap().unwrap();
        assert_eq!((number, content.string().unwrap().as_str()), (1, "name"));
        assert_eq!(fields.len(), 4);
    }

    proptest! {
        #[test]
        fn any_bytes_end_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
            let fields = Fields(&bytes).count();
            prop_assert!(fields <= bytes.len());
        }
    }
}
