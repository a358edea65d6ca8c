//! The tensors of a file: where their numbers are stored, their type, and whether all are finite.

use half::f16;

use super::OnnxError;
use super::proto::{DataType, TensorProto};

/// A constant.
#[derive(Debug, Clone, PartialEq)]
pub struct Tensor {
    /// Name by which nodes refer to it.
    pub name: String,
    /// Shape, outermost dimension first.
    pub dims: Vec<usize>,
    /// Its numbers, row-major.
    pub numbers: Numbers,
}

/// The numbers of a constant.
#[derive(Debug, Clone, PartialEq)]
pub enum Numbers {
    /// Weights.
    F32(Vec<f32>),
    /// Weights in half precision.
    F16(Vec<f16>),
    /// Shapes.
    I64(Vec<i64>),
    /// Zero points of activations in integers.
    U8(Vec<u8>),
    /// Weights in integers.
    I8(Vec<i8>),
    /// Biases in integers.
    I32(Vec<i32>),
}

impl TryFrom<TensorProto> for Tensor {
    type Error = OnnxError;

    fn try_from(tensor: TensorProto) -> Result<Tensor, OnnxError> {
        let (element, dims) = tensor.stored()?;
        let raw = tensor.raw_data.as_deref();
        let small = &tensor.int32_data;
        let numbers = match element {
            DataType::Float => Numbers::F32(raw.map_or(tensor.float_data, all(f32::from_le_bytes))),
            DataType::Int64 => Numbers::I64(raw.map_or(tensor.int64_data, all(i64::from_le_bytes))),
            DataType::Int32 => Numbers::I32(raw.map_or(tensor.int32_data, all(i32::from_le_bytes))),
            DataType::Float16 => Numbers::F16(match raw {
                Some(raw) => all(f16::from_le_bytes)(raw),
                None => narrow(small, &tensor.name)?
                    .into_iter()
                    .map(f16::from_bits)
                    .collect(),
            }),
            DataType::Uint8 => Numbers::U8(match raw {
                Some(raw) => raw.to_vec(),
                None => narrow(small, &tensor.name)?,
            }),
            DataType::Int8 => Numbers::I8(match raw {
                Some(raw) => all(i8::from_le_bytes)(raw),
                None => narrow(small, &tensor.name)?,
            }),
            other => {
                let (name, kind) = (tensor.name, element_name(other.into()));
                return Err(OnnxError::Foreign(format!("constant {name} is {kind}")));
            }
        };
        Ok(Tensor {
            name: tensor.name,
            dims,
            numbers,
        })
    }
}

/// Decodes numbers from their bytes.
fn all<T, const LEN: usize>(from: impl Fn([u8; LEN]) -> T) -> impl Fn(&[u8]) -> Vec<T> {
    move |raw| {
        let (chunks, _) = raw.as_chunks::<LEN>();
        chunks.iter().map(|&chunk| from(chunk)).collect()
    }
}

/// Narrow integers, which a file may store as 32-bit ones.
fn narrow<T: TryFrom<i32>>(wide: &[i32], name: &str) -> Result<Vec<T>, OnnxError> {
    let narrow = wide.iter().map(|&number| {
        T::try_from(number).map_err(|_| {
            OnnxError::Unsound(format!("tensor {name} holds {number}, beyond its type"))
        })
    });
    narrow.collect()
}

impl TensorProto {
    /// Its element type and shape, when all of its numbers are in this message.
    pub(super) fn stored(&self) -> Result<(DataType, Vec<usize>), OnnxError> {
        let name = &self.name;
        let unsound = |what: String| OnnxError::Unsound(format!("tensor {name} {what}"));
        if self.data_location.unwrap_or(0) != 0 || self.segment.is_some() {
            let place = self.external_data.iter().find_map(|entry| {
                let is_place = entry.key.as_deref() == Some("location");
                entry.value.as_deref().filter(|_| is_place)
            });
            let place = place.unwrap_or("not named");
            return Err(unsound(format!(
                "has its numbers in another file ({place}): save the network as one file, with all of \
                 its weights inside"
            )));
        }
        let unknown = || {
            let kind = element_name(self.data_type);
            unsound(format!("is {kind}, which is not known here"))
        };
        let element = DataType::try_from(self.data_type).map_err(|_| unknown())?;
        let (width, typed) = match element {
            DataType::Float => (4, self.float_data.len()),
            DataType::Double => (8, self.double_data.len()),
            DataType::Int64 => (8, self.int64_data.len()),
            DataType::Uint32 => (4, self.uint64_data.len()),
            DataType::Uint64 => (8, self.uint64_data.len()),
            DataType::Int32 => (4, self.int32_data.len()),
            DataType::String => (0, self.string_data.len()),
            DataType::Uint8 | DataType::Int8 | DataType::Bool => (1, self.int32_data.len()),
            DataType::Uint16 | DataType::Int16 | DataType::Float16 | DataType::Bfloat16 => {
                (2, self.int32_data.len())
            }
            DataType::Undefined => return Err(unknown()),
        };
        let dims: Option<Vec<usize>> = self.dims.iter().map(|&dim| dim.try_into().ok()).collect();
        let dims = dims.ok_or(OnnxError::Malformed("a length is negative"))?;
        let area = dims
            .iter()
            .try_fold(1, |area: usize, &dim| area.checked_mul(dim));
        let len = match &self.raw_data {
            None => typed,
            Some(_) if typed > 0 || width == 0 => {
                return Err(unsound("has its numbers in two places".to_owned()));
            }
            Some(raw) if raw.len() % width != 0 => {
                let len = raw.len();
                return Err(unsound(format!("has {len} bytes, {width} a number")));
            }
            Some(raw) => raw.len() / width,
        };
        if area != Some(len) {
            return Err(OnnxError::shape(name, &dims, len));
        }
        Ok((element, dims))
    }

    /// The first of its numbers for which `is_wrong` holds, and its index. Integers always pass.
    pub(super) fn find(&self, is_wrong: impl Fn(f64) -> bool) -> Option<(usize, f64)> {
        let half = |bits: u16| f64::from(f16::from_bits(bits));
        let brain = |bits: u16| f64::from(f32::from_bits(u32::from(bits) << 16));
        let bits = || self.int32_data.iter().map(|&bits| bits as u16);
        let raw = self.raw_data.as_deref();
        match (DataType::try_from(self.data_type).ok()?, raw) {
            (DataType::Float, Some(raw)) => {
                first(chunks(raw, |x| f32::from_le_bytes(x).into()), is_wrong)
            }
            (DataType::Float, None) => {
                first(self.float_data.iter().map(|&x| f64::from(x)), is_wrong)
            }
            (DataType::Double, Some(raw)) => first(chunks(raw, f64::from_le_bytes), is_wrong),
            (DataType::Double, None) => first(self.double_data.iter().copied(), is_wrong),
            (DataType::Float16, Some(raw)) => {
                first(chunks(raw, |x| half(u16::from_le_bytes(x))), is_wrong)
            }
            (DataType::Float16, None) => first(bits().map(half), is_wrong),
            (DataType::Bfloat16, Some(raw)) => {
                first(chunks(raw, |x| brain(u16::from_le_bytes(x))), is_wrong)
            }
            (DataType::Bfloat16, None) => first(bits().map(brain), is_wrong),
            _ => None,
        }
    }
}

fn chunks<const LEN: usize>(
    raw: &[u8],
    number: impl Fn([u8; LEN]) -> f64,
) -> impl Iterator<Item = f64> {
    raw.as_chunks::<LEN>()
        .0
        .iter()
        .map(move |&chunk| number(chunk))
}

fn first(
    numbers: impl Iterator<Item = f64>,
    is_wrong: impl Fn(f64) -> bool,
) -> Option<(usize, f64)> {
    numbers.enumerate().find(|(_, number)| is_wrong(*number))
}

/// An element type in words.
pub fn element_name(element: i32) -> String {
    match DataType::try_from(element) {
        Ok(DataType::Float) => "float32".to_owned(),
        Ok(DataType::Undefined) | Err(_) => format!("of element type {element}"),
        Ok(other) => format!("{other:?}").to_lowercase(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tensor(element: DataType, dims: &[i64]) -> TensorProto {
        TensorProto {
            name: "t".to_owned(),
            data_type: element.into(),
            dims: dims.to_vec(),
            ..TensorProto::default()
        }
    }

    fn numbers(proto: TensorProto) -> Result<Numbers, String> {
        let read = Tensor::try_from(proto).map_err(|error| error.to_string());
        read.map(|tensor| tensor.numbers)
    }

    /// As Python's `onnx.helper.make_tensor` writes them.
    #[test]
    fn numbers_may_lie_in_the_field_of_their_type() {
        let typed = [
            (
                TensorProto {
                    float_data: vec![0.5, -2.0],
                    ..tensor(DataType::Float, &[2])
                },
                Numbers::F32(vec![0.5, -2.0]),
            ),
            (
                TensorProto {
                    int32_data: vec![0x3c00, 0xc000],
                    ..tensor(DataType::Float16, &[2])
                },
                Numbers::F16(vec![f16::ONE, f16::from_f32(-2.0)]),
            ),
            (
                TensorProto {
                    int32_data: vec![200],
                    ..tensor(DataType::Uint8, &[])
                },
                Numbers::U8(vec![200]),
            ),
            (
                TensorProto {
                    int32_data: vec![-128],
                    ..tensor(DataType::Int8, &[1])
                },
                Numbers::I8(vec![-128]),
            ),
            (
                TensorProto {
                    int32_data: vec![-70_000],
                    ..tensor(DataType::Int32, &[1])
                },
                Numbers::I32(vec![-70_000]),
            ),
            (
                TensorProto {
                    int64_data: vec![0, -1],
                    ..tensor(DataType::Int64, &[2])
                },
                Numbers::I64(vec![0, -1]),
            ),
        ];
        for (proto, expected) in typed {
            assert_eq!(numbers(proto), Ok(expected));
        }
    }

    #[test]
    fn numbers_that_are_not_there_or_do_not_fit_are_refused() {
        let float = |raw: Option<Vec<u8>>, typed: Vec<f32>| TensorProto {
            raw_data: raw,
            float_data: typed,
            ..tensor(DataType::Float, &[1])
        };
        let external = TensorProto {
            data_location: Some(1),
            ..float(Some(vec![0; 4]), vec![])
        };
        let wide = TensorProto {
            int32_data: vec![200],
            ..tensor(DataType::Int8, &[1])
        };
        let strings = TensorProto {
            string_data: vec![b"word".to_vec()],
            ..tensor(DataType::String, &[1])
        };
        for (proto, words) in [
            (external, "tensor t has its numbers in another file"),
            (float(Some(vec![0; 4]), vec![1.0]), "in two places"),
            (float(Some(vec![0; 5]), vec![]), "has 5 bytes, 4 a number"),
            (float(Some(vec![0; 8]), vec![]), "have 2 numbers"),
            (float(None, vec![]), "have 0 numbers"),
            (wide, "holds 200, beyond its type"),
            (strings, "constant t is string"),
            (
                TensorProto {
                    data_type: 17,
                    ..float(Some(vec![0]), vec![])
                },
                "of element type 17",
            ),
        ] {
            let refused = numbers(proto).unwrap_err();
            assert!(refused.contains(words), "{refused}");
        }
    }

    #[test]
    fn numbers_are_found_wherever_they_lie() {
        let wrong = |number: f64| !number.is_finite();
        let float = |raw: Option<Vec<u8>>, typed: Vec<f32>| TensorProto {
            raw_data: raw,
            float_data: typed,
            ..tensor(DataType::Float, &[2])
        };
        let bytes = [1.0_f32.to_le_bytes(), f32::INFINITY.to_le_bytes()].concat();
        assert_eq!(
            float(Some(bytes), vec![]).find(wrong),
            Some((1, f64::INFINITY))
        );
        assert!(float(None, vec![f32::NAN, 1.0]).find(wrong).is_some());
        assert_eq!(float(None, vec![1.0, f32::MAX]).find(wrong), None);
        for (element, infinite) in [(DataType::Float16, 0x7c00), (DataType::Bfloat16, 0x7f80)] {
            let typed = TensorProto {
                int32_data: vec![0, infinite],
                ..tensor(element, &[2])
            };
            let raw = TensorProto {
                raw_data: Some(vec![0, 0, infinite as u8, (infinite >> 8) as u8]),
                ..tensor(element, &[2])
            };
            assert_eq!(typed.find(wrong), Some((1, f64::INFINITY)));
            assert_eq!(raw.find(wrong), Some((1, f64::INFINITY)));
        }
        let double = TensorProto {
            double_data: vec![f64::NEG_INFINITY],
            ..tensor(DataType::Double, &[1])
        };
        assert_eq!(double.find(wrong), Some((0, f64::NEG_INFINITY)));
    }
}
