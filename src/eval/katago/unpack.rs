//! Compressed files, as gzip makes them.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;

/// The first bytes of a compressed file.
const MAGIC: [u8; 2] = [0x1f, 0x8b];

pub(super) fn is_compressed(bytes: &[u8]) -> bool {
    bytes.starts_with(&MAGIC)
}

/// The bytes of a file as they were before it was compressed, at most `most` of them.
pub(super) fn unpacked(bytes: &[u8], most: u64) -> Result<Cow<'_, [u8]>, String> {
    if !is_compressed(bytes) {
        return Ok(bytes.into());
    }
    let mut text = Vec::new();
    let read = MultiGzDecoder::new(bytes)
        .take(most.saturating_add(1))
        .read_to_end(&mut text);
    if let Err(error) = read {
        return Err(format!(
            "it is damaged or incomplete: after {} bytes it cannot be uncompressed ({error}); fetch it again",
            text.len()
        ));
    }
    if text.len() as u64 > most {
        return Err(format!("uncompressed it has more than {most} bytes"));
    }
    Ok(text.into())
}

/// What the first bytes of a file say, as far as they go.
pub(super) fn beginning(bytes: &[u8]) -> Result<Cow<'_, [u8]>, String> {
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
