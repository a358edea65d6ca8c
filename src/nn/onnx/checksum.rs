//! A checksum inside the file: the last entry of its metadata, over all bytes before that entry. So
//! it can be added to a file without changing its other bytes, and any tool can compute it (CRC-32,
//! as in zlib and PNG).

use std::io::Read;

use prost::Message;

use super::OnnxError;
use super::proto::{ModelProto, StringStringEntryProto};

/// The checksum's metadata key. Its value is `crc32:` and eight hexadecimal digits.
pub const CHECKSUM: &str = "tengen.checksum";

/// The checksum of a model file, as the file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    /// Number of bytes covered: all before it.
    pub covers: u64,
    /// The checksum that the file states.
    pub stated: String,
}

impl Checksum {
    /// Compares it with the file, read by `reader` from its start.
    ///
    /// # Errors
    /// [`OnnxError::Damaged`] when they differ, [`OnnxError::Read`] on a read error.
    pub fn verify(&self, reader: impl Read) -> Result<(), OnnxError> {
        let found = checksum(reader.take(self.covers))?;
        if found == self.stated {
            return Ok(());
        }
        let stated = self.stated.clone();
        Err(OnnxError::Damaged { stated, found })
    }
}

/// Adds the checksum to the bytes of a model file that has none. They stay unchanged in every case:
/// the last bytes of a message may be those of one of its repeated fields.
#[must_use]
pub fn with_checksum(mut onnx: Vec<u8>) -> Vec<u8> {
    let entry = StringStringEntryProto {
        key: Some(CHECKSUM.to_owned()),
        value: Some(text(crc32fast::hash(&onnx))),
    };
    let model = ModelProto {
        metadata_props: vec![entry],
        ..ModelProto::default()
    };
    onnx.extend(model.encode_to_vec());
    onnx
}

fn checksum(mut reader: impl Read) -> Result<String, OnnxError> {
    let (mut hasher, mut piece) = (crc32fast::Hasher::new(), [0; 1 << 14]);
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(text(hasher.finalize())),
            Ok(len) => hasher.update(&piece[..len]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(OnnxError::Read(error.to_string())),
        }
    }
}

fn text(crc: u32) -> String {
    format!("crc32:{crc:08x}")
}

#[cfg(test)]
mod tests {
    use super::super::{Dim, GraphBuilder, Header};
    use super::*;

    fn model() -> Vec<u8> {
        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch(), Dim::Fixed(3)]);
        let y = graph.relu(x);
        graph.output("y", y, [Dim::batch(), Dim::Fixed(3)]);
        let metadata = [("answer".to_owned(), "42".to_owned())];
        graph.finish(&metadata).unwrap()
    }

    fn verify(onnx: &[u8]) -> Result<(), OnnxError> {
        let seal = Header::read(onnx)?.checksum;
        seal.map_or(Ok(()), |seal| seal.verify(onnx))
    }

    #[test]
    fn the_checksum_is_that_of_zlib() {
        // The check value of CRC-32.
        assert_eq!(checksum(&b"123456789"[..]).unwrap(), "crc32:cbf43926");
    }

    #[test]
    fn every_changed_byte_is_found() {
        let whole = model();
        let seal = Header::read(&whole)
            .unwrap()
            .checksum
            .expect("finish adds it");
        assert_eq!(verify(&whole), Ok(()));
        for at in 0..usize::try_from(seal.covers).unwrap() {
            let mut damaged = whole.clone();
            damaged[at] ^= 4;
            assert!(verify(&damaged).is_err(), "byte {at}");
        }
    }

    #[test]
    fn a_file_of_before_can_be_sealed() {
        let whole = model();
        let covers = Header::read(&whole).unwrap().checksum.unwrap().covers;
        let bare = &whole[..usize::try_from(covers).unwrap()];
        assert_eq!(Header::read(bare).unwrap().checksum, None);
        assert_eq!(with_checksum(bare.to_vec()), whole);
    }
}
