//! Checks of a file's metadata, key by key and tensor by tensor.

use crate::onnx::{Dim, FLOAT, Header, TensorInfo, element_name};

pub(super) fn text(header: &Header, key: &str) -> Result<String, String> {
    match header.metadata(key) {
        Some(value) if !value.is_empty() => Ok(value.to_owned()),
        Some(_) => Err(format!("its metadata key {key} is empty")),
        None => Err(format!(
            "it has no metadata key {key}: only networks exported by tengen-train can be used"
        )),
    }
}

pub(super) fn number<T>(header: &Header, key: &str, min: T, max: T) -> Result<T, String>
where
    T: std::str::FromStr + PartialOrd + std::fmt::Display,
{
    let value = text(header, key)?;
    let parsed = value.parse().ok().filter(|n| min <= *n && *n <= max);
    parsed.ok_or_else(|| {
        format!("its metadata key {key} is '{value}', not a whole number from {min} to {max}")
    })
}

/// The batch dimension must be dynamic, since batch sizes vary; the others must agree.
pub(super) fn check_shape(
    kind: &str,
    name: &str,
    found: Option<&TensorInfo>,
    expected: &[Dim],
) -> Result<(), String> {
    let TensorInfo { element, dims, .. } =
        found.ok_or_else(|| format!("it has no {kind} named {name}"))?;
    if *element != FLOAT {
        let element = element_name(*element);
        return Err(format!(
            "its {kind} {name} is {element}, not float32: convert it with inputs and outputs kept in \
             float32"
        ));
    }
    let agrees = |(found, expected): (&Dim, &Dim)| match (found, expected) {
        (Dim::Symbol(_), Dim::Symbol(_)) => true,
        (found, expected) => found == expected,
    };
    let rest = || dims[1..].iter().zip(&expected[1..]);
    if dims.len() == expected.len() && rest().all(agrees) {
        return match &dims[0] {
            Dim::Symbol(_) => Ok(()),
            Dim::Fixed(len) => Err(format!(
                "its {kind} {name} has a fixed batch size of {len}: export it with a dynamic batch axis"
            )),
        };
    }
    let show = |dims: &[Dim]| {
        let words: Vec<String> = dims.iter().map(Dim::to_string).collect();
        format!("[{}]", words.join(", "))
    };
    Err(format!(
        "its {kind} {name} has shape {}, but its metadata say {}",
        show(dims),
        show(expected)
    ))
}
