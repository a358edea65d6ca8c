//! Compressed files, as gzip makes them.

use std::borrow::Cow;
use std::io::Read as _;

use flate2::read::MultiGzDecoder;

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
