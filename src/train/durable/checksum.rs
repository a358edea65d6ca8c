//! Checksums inside files whose names carry none: objects of a store, which are created under names
//! that are known before their content, and summaries. A file without one is of an older or another
//! program, and is taken as it is.

use std::ops::Range;

use tengen::fnv;

/// Comes before the digits of a checksum.
const MARK: &str = "fnv1a:";

/// Number of digits.
const DIGITS: usize = 16;

/// Stands for a checksum that is not known yet.
pub(crate) const UNKNOWN: &str = "fnv1a:0000000000000000";

/// Replaces the last [`UNKNOWN`] of a file by the file's checksum.
pub(crate) fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let digits = digits(&bytes);
    if let Some(place) = place(&bytes) {
        bytes[place].copy_from_slice(digits.as_bytes());
    }
    bytes
}

/// Checks a file that [`seal`] has made.
///
/// # Errors
/// Says that it was changed.
pub(crate) fn check(bytes: &[u8]) -> Result<(), String> {
    let Some(place) = place(bytes) else {
        return Ok(());
    };
    let mut unsealed = bytes.to_vec();
    unsealed[place.clone()].fill(b'0');
    compare(&unsealed, &bytes[place])
}

/// The digits of the last checksum.
fn place(bytes: &[u8]) -> Option<Range<usize>> {
    let mark = MARK.as_bytes();
    let at = bytes.windows(mark.len()).rposition(|part| part == mark)? + mark.len();
    (at + DIGITS <= bytes.len()).then_some(at..at + DIGITS)
}

fn digits(bytes: &[u8]) -> String {
    format!("{:016x}", fnv::hash(bytes))
}

fn compare(bytes: &[u8], stated: &[u8]) -> Result<(), String> {
    let found = digits(bytes);
    match found.as_bytes() == stated {
        true => Ok(()),
        false => Err(format!(
            "its checksum is {found}, it says {}",
            String::from_utf8_lossy(stated)
        )),
    }
}

/// How an indented JSON object ends.
const END: &[u8] = b"\n}\n";

/// The last member of a sealed one, before its digits.
const MEMBER: &[u8] = b",\n  \"checksum\": \"fnv1a:";

/// An indented JSON object with the checksum of all else as its last member; other values stay.
pub(crate) fn seal_json(bytes: Vec<u8>) -> Vec<u8> {
    match bytes.strip_suffix(END) {
        Some(open) => [open, MEMBER, digits(&bytes).as_bytes(), b"\"", END].concat(),
        None => bytes,
    }
}

/// What [`seal_json`] was given.
///
/// # Errors
/// Says that it was changed.
pub(crate) fn unseal_json(bytes: &[u8]) -> Result<Vec<u8>, String> {
    let sealed = || {
        let open = bytes.strip_suffix(END)?.strip_suffix(b"\"")?;
        let (open, stated) = open.split_last_chunk::<DIGITS>()?;
        Some((open.strip_suffix(MEMBER)?, stated))
    };
    let Some((open, stated)) = sealed() else {
        return Ok(bytes.to_vec());
    };
    let whole = [open, END].concat();
    compare(&whole, stated)?;
    Ok(whole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_changed_bit_is_noticed_and_a_file_without_a_checksum_is_not_checked() {
        let sealed = seal(format!("PAR1 fnv1a: {UNKNOWN} PAR1").into_bytes());
        assert_eq!(check(&sealed), Ok(()));
        let mark = sealed.len() - "fnv1a:0000000000000000 PAR1".len();
        for at in (0..sealed.len()).filter(|at| !(mark..mark + MARK.len()).contains(at)) {
            let mut damaged = sealed.clone();
            damaged[at] ^= 1;
            let message = check(&damaged).unwrap_err();
            assert!(message.contains("checksum"), "{at}: {message}");
        }
        for other in [&b"PAR1"[..], b"fnv1a:12", b""] {
            assert_eq!(check(other), Ok(()));
            assert_eq!(seal(other.to_vec()), other);
        }
    }

    #[test]
    fn json_comes_back_and_a_changed_digit_is_noticed() {
        let value = serde_json::json!({ "games": 12, "inner": { "share": 0.5 } });
        let mut bytes = serde_json::to_vec_pretty(&value).unwrap();
        bytes.push(b'\n');
        let sealed = seal_json(bytes.clone());
        let read: serde_json::Value = serde_json::from_slice(&sealed).unwrap();
        assert!(read["checksum"].is_string(), "{read}");
        assert_eq!(unseal_json(&sealed), Ok(bytes.clone()));
        assert_eq!(unseal_json(&bytes), Ok(bytes), "of an older program");
        let text = String::from_utf8(sealed).unwrap();
        for (from, to) in [("12", "13"), ("0.5", "0.4"), ("games", "gamer")] {
            let damaged = unseal_json(text.replace(from, to).as_bytes());
            assert!(damaged.unwrap_err().contains("checksum"), "{from}");
        }
        for other in [&b"1.5\n"[..], b"\"id\"\n", b"{}\n"] {
            assert_eq!(seal_json(other.to_vec()), other);
        }
    }
}
