//! Reads the description in an ONNX file: metadata, inputs and outputs. Weights and nodes are
//! skipped, so this takes microseconds, little memory for files of any size, and no backend. And the checksum in it.

use std::io::{BufRead, Cursor, Read, Seek};

use prost::Message;

use super::proto::{Dimension, ModelProto, StringStringEntryProto, ValueInfoProto};
use super::scan::Scan;
use super::{Dim, OnnxError};

/// Maximum number of bytes kept from a file: networks of this program have some 2 KiB of text.
const MAX_TEXT: u64 = 1 << 20;

/// A graph input or output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TensorInfo {
    /// Its name.
    pub name: String,
    /// Its element type in ONNX's numbering, where 1 is f32; 0 when it is not a tensor.
    pub element: i32,
    /// Its shape; empty when the file states none.
    pub dims: Vec<Dim>,
}

/// The description in a model file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Header {
    /// Program and version that wrote the file.
    pub producer: String,
    /// Graph inputs, in order.
    pub inputs: Vec<TensorInfo>,
    /// Graph outputs, in order.
    pub outputs: Vec<TensorInfo>,
    /// `metadata_props`, in order, without the checksum.
    pub metadata: Vec<(String, String)>,
    /// The checksum, if any.
    pub checksum: Option<Checksum>,
}

impl Header {
    /// Reads the bytes of a model file.
    ///
    /// # Errors
    /// [`OnnxError::Malformed`] when the bytes are not an ONNX model.
    pub fn read(bytes: &[u8]) -> Result<Header, OnnxError> {
        Header::read_from(Cursor::new(bytes), bytes.len() as u64)
    }

    /// Reads a model file of `len` bytes, skipping everything large.
    ///
    /// # Errors
    /// [`OnnxError::Malformed`] when it is not an ONNX model, [`OnnxError::Read`] on a read error.
    pub fn read_from(reader: impl BufRead + Seek, len: u64) -> Result<Header, OnnxError> {
        let (mut scan, mut header) = (Scan::new(reader, MAX_TEXT), Header::default());
        let mut has_graph = false;
        loop {
            let at = scan.at();
            match scan.next(len)? {
                None => break,
                Some((2, Some(size))) => header.producer = text(scan.take(size)?)?,
                Some((3, Some(size))) => {
                    header.producer.push(' ');
                    header.producer.push_str(&text(scan.take(size)?)?);
                }
                Some((7, Some(size))) => {
                    has_graph = true;
                    header.scan_graph(&mut scan, size)?;
                }
                Some((14, Some(size))) => {
                    let entry = StringStringEntryProto::decode(&*scan.take(size)?)?;
                    let (key, value) = (entry.key.unwrap_or_default(), entry.value);
                    let value = value.unwrap_or_default();
                    if key == CHECKSUM {
                        header.checksum = Some(Checksum {
                            covers: at,
                            stated: value,
                        });
                    } else {
                        header.metadata.push((key, value));
                    }
                }
                Some((_, Some(size))) => scan.skip(size, len)?,
                Some((_, None)) => {}
            }
        }
        if has_graph {
            Ok(header)
        } else {
            Err(OnnxError::Malformed("there is no graph in the file"))
        }
    }

    /// Compares the checksum, if there is one, with the file, read by `reader` from its start.
    ///
    /// # Errors
    /// [`OnnxError::Damaged`] when they differ, [`OnnxError::Read`] on a read error.
    pub fn verify(&self, reader: impl Read) -> Result<(), OnnxError> {
        let Some(Checksum { covers, stated }) = &self.checksum else {
            return Ok(());
        };
        let found = checksum(reader.take(*covers))?;
        if found == *stated {
            return Ok(());
        }
        let stated = stated.clone();
        Err(OnnxError::Damaged { stated, found })
    }

    /// The value of a metadata key.
    pub fn metadata(&self, key: &str) -> Option<&str> {
        let found = self.metadata.iter().find(|(k, _)| k == key);
        found.map(|(_, value)| value.as_str())
    }

    /// The input called `name`.
    pub fn input(&self, name: &str) -> Option<&TensorInfo> {
        self.inputs.iter().find(|tensor| tensor.name == name)
    }

    /// The output called `name`.
    pub fn output(&self, name: &str) -> Option<&TensorInfo> {
        self.outputs.iter().find(|tensor| tensor.name == name)
    }

    fn scan_graph<R: BufRead + Seek>(
        &mut self,
        scan: &mut Scan<R>,
        size: u64,
    ) -> Result<(), OnnxError> {
        let end = scan.at() + size;
        while let Some((number, size)) = scan.next(end)? {
            match (number, size) {
                (11, Some(size)) => self.inputs.push(TensorInfo::decode(&scan.take(size)?)?),
                (12, Some(size)) => self.outputs.push(TensorInfo::decode(&scan.take(size)?)?),
                (_, Some(size)) => scan.skip(size, end)?,
                (_, None) => {}
            }
        }
        Ok(())
    }
}

fn text(bytes: Vec<u8>) -> Result<String, OnnxError> {
    String::from_utf8(bytes).map_err(|_| OnnxError::Malformed("a string is not UTF-8"))
}

impl TensorInfo {
    fn decode(bytes: &[u8]) -> Result<TensorInfo, OnnxError> {
        let ValueInfoProto { name, r#type } = ValueInfoProto::decode(bytes)?;
        let tensor = r#type.and_then(|kind| kind.tensor_type).unwrap_or_default();
        let dims = tensor.shape.unwrap_or_default().dim.into_iter();
        let dims = dims.map(Dim::try_from).collect::<Result<_, _>>()?;
        let element = tensor.elem_type;
        Ok(TensorInfo {
            name,
            element,
            dims,
        })
    }
}

impl TryFrom<Dimension> for Dim {
    type Error = OnnxError;

    fn try_from(dim: Dimension) -> Result<Dim, OnnxError> {
        let Some(len) = dim.dim_value else {
            return Ok(Dim::Symbol(dim.dim_param.unwrap_or_default()));
        };
        let len = usize::try_from(len);
        len.map(Dim::Fixed)
            .map_err(|_| OnnxError::Malformed("a dimension is negative"))
    }
}

/// The checksum's metadata key. Its value is `crc32:` and eight hexadecimal digits: a CRC-32, as in zlib and PNG, which
/// any tool can compute.
///
/// It is the last entry of the metadata and over all bytes before that entry, so that it can be added to a file without
/// changing its other bytes.
pub const CHECKSUM: &str = "tengen.checksum";

/// The checksum of a model file, as the file states it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    /// Number of bytes covered: all before it.
    pub covers: u64,
    /// The checksum that the file states.
    pub stated: String,
}

/// Adds the checksum to the bytes of a model file that has none. They stay unchanged in every case:
/// the last bytes of a message may be those of one of its repeated fields.
pub fn with_checksum(mut onnx: Vec<u8>) -> Vec<u8> {
    let entry = StringStringEntryProto {
        key: Some(CHECKSUM.to_owned()),
        value: Some(in_digits(crc32fast::hash(&onnx))),
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
            Ok(0) => return Ok(in_digits(hasher.finalize())),
            Ok(len) => hasher.update(&piece[..len]),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(OnnxError::Read(error.to_string())),
        }
    }
}

fn in_digits(crc: u32) -> String {
    format!("crc32:{crc:08x}")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::GraphBuilder;
    use super::*;

    fn model() -> Vec<u8> {
        let mut graph = GraphBuilder::new("g");
        let x = graph.input("x", [Dim::batch(), Dim::Fixed(300)]);
        let y = graph.relu(x);
        graph.output("y", y, [Dim::batch(), Dim::Fixed(300)]);
        let metadata = [("answer".to_owned(), "zweiundvierzig ü".to_owned())];
        graph.finish(&metadata).unwrap()
    }

    #[test]
    fn a_written_model_is_read_back() {
        let header = Header::read(&model()).unwrap();
        let dims = vec![Dim::batch(), Dim::Fixed(300)];
        let tensor = |name: &str| TensorInfo {
            name: name.to_owned(),
            element: 1,
            dims: dims.clone(),
        };
        assert_eq!(header.inputs, [tensor("x")]);
        assert_eq!(header.output("y"), Some(&tensor("y")));
        assert_eq!(header.metadata("answer"), Some("zweiundvierzig ü"));
        assert_eq!(header.metadata("question"), None);
        assert!(header.producer.starts_with("tengen "));
    }

    #[test]
    fn a_file_without_a_graph_is_refused() {
        assert!(Header::read(b"").is_err());
        assert!(Header::read(b"version https://git-lfs.github.com/spec/v1").is_err());
    }

    #[test]
    fn the_checksum_is_that_of_zlib() {
        // The check value of CRC-32.
        assert_eq!(checksum(&b"123456789"[..]).unwrap(), "crc32:cbf43926");
    }

    #[test]
    fn every_changed_byte_is_found() {
        let whole = model();
        let verify = |onnx: &[u8]| Header::read(onnx)?.verify(onnx);
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

    proptest! {
        #[test]
        fn a_damaged_file_never_panics(cut in 0usize..200, at in 0usize..200, to in any::<u8>()) {
            let mut bytes = model();
            bytes.truncate(cut.max(1));
            let at = at % bytes.len();
            bytes[at] = to;
            // Either answer is correct; a panic or an endless loop is not.
            let _ = Header::read(&bytes);
        }
    }
}
