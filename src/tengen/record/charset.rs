//! Text in the encodings that files of other programs and countries use.

use std::fmt;
use std::str::FromStr;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::Encoding;

/// The text of a file: by its byte order mark (UTF-8, UTF-16), else UTF-8 if it can hardly be anything else, else in
/// the encoding that it names itself (`GBK`, `Big5`, ...) if that is known and fits, else UTF-8 if it is valid, else in
/// the detected encoding. Invalid bytes become replacement characters.
pub(crate) fn decode(bytes: &[u8], named: Option<&[u8]>) -> String {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        let (text, _) = encoding.decode_without_bom_handling(&bytes[mark..]);
        return text.into_owned();
    }
    let named = named.and_then(by_name);
    // A name that was found byte by byte is not one of UTF-16.
    let named = named.filter(|named| named.output_encoding() == *named);
    let named = named.filter(|named| !is_surely_utf8(bytes, named));
    for encoding in named.into_iter().chain([encoding_rs::UTF_8]) {
        if let Some(text) = encoding.decode_without_bom_handling_and_without_replacement(bytes) {
            return text.into_owned();
        }
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let (text, _) = detector
        .guess(None, Utf8Detection::Deny)
        .decode_without_bom_handling(bytes);
    text.into_owned()
}

/// An encoding by a name that it has on the web, or in other programs (`CP936`, `EUC_KR`).
fn by_name(name: &[u8]) -> Option<&'static Encoding> {
    let other = || {
        let name = std::str::from_utf8(name).ok()?.trim();
        let name = name.to_ascii_lowercase().replace('_', "-");
        let mut prefixes = ["cp", "ms", "windows-"].into_iter();
        let page = prefixes.find_map(|prefix| name.strip_prefix(prefix));
        let label = match page {
            Some("932") => "shift_jis",
            Some("936") => "gbk",
            Some("949") => "euc-kr",
            Some("950") => "big5",
            _ => &name,
        };
        Encoding::for_label(label.as_bytes())
    };
    Encoding::for_label(name).or_else(other)
}

/// Whether bytes are UTF-8 although they are said to be in another encoding: editors convert texts and leave the name.
/// Each byte is a character of an encoding of single bytes, and a few characters in another may form pairs that are
/// valid UTF-8; characters of three bytes are not found there by accident.
fn is_surely_utf8(bytes: &[u8], named: &'static Encoding) -> bool {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return false;
    };
    let least = if named.is_single_byte() { 2 } else { 3 };
    text.chars().any(|character| character.len_utf8() >= least)
}

/// A text encoding for writing, such as GBK.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Charset(&'static Encoding);

impl Charset {
    /// That of Chinese Windows.
    pub fn gbk() -> Charset {
        Charset(encoding_rs::GBK)
    }

    /// The bytes of a text; `?` for each character that the encoding lacks.
    pub fn encode(self, text: &str) -> Vec<u8> {
        let known = |c| if self.has(c) { c } else { '?' };
        let text: String = text.chars().map(known).collect();
        self.0.encode(&text).0.into_owned()
    }

    /// The characters of a text that the encoding lacks, each once.
    pub fn lacking(self, text: &str) -> String {
        let mut lacking = String::new();
        for c in text.chars().filter(|&c| !self.has(c)) {
            if !lacking.contains(c) {
                lacking.push(c);
            }
        }
        lacking
    }

    fn has(self, c: char) -> bool {
        let (_, _, is_lacking) = self.0.encode(c.encode_utf8(&mut [0; 4]));
        !is_lacking
    }
}

impl Default for Charset {
    fn default() -> Charset {
        Charset(encoding_rs::UTF_8)
    }
}

impl FromStr for Charset {
    type Err = String;

    /// By any name that the encoding has on the web or in other programs.
    fn from_str(text: &str) -> Result<Charset, String> {
        let known = by_name(text.as_bytes());
        // UTF-16 is read only.
        let known = known.filter(|encoding| encoding.output_encoding() == *encoding);
        let known = known.ok_or("an encoding such as utf-8, gbk, gb18030 or big5");
        Ok(Charset(known?))
    }
}

impl fmt::Display for Charset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.name().to_ascii_lowercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same words in each encoding, with characters whose second byte is `[`, `\` or `]` there.
    const WORDS: &str = "功蓋許 黑白棋院 九段 对局者";

    #[track_caller]
    fn check(bytes: &[u8], named: Option<&str>, expected: &str) {
        assert_eq!(decode(bytes, named.map(str::as_bytes)), expected);
    }

    #[test]
    fn by_its_mark() {
        let utf16 = |bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            let units = "\u{feff}棋 (;)".encode_utf16();
            units.flat_map(bytes).collect()
        };
        check(&utf16(u16::to_le_bytes), Some("GBK"), "棋 (;)");
        check(&utf16(u16::to_be_bytes), None, "棋 (;)");
        check("\u{feff}棋".as_bytes(), None, "棋");
    }

    #[test]
    fn a_character_that_is_lacking_becomes_a_question_mark() {
        let gbk: Charset = "gbk".parse().expect("it is known");
        assert_eq!(gbk.encode("[𠮷]"), b"[?]");
    }

    #[test]
    fn by_its_name() {
        for name in ["GB18030", "gbk", " GB2312 ", "UTF-8"] {
            let encoding = Encoding::for_label(name.as_bytes()).expect(name);
            check(&encoding.encode(WORDS).0, Some(name), WORDS);
        }
        let traditional = "功蓋許 圍棋";
        let (bytes, _, unmappable) = encoding_rs::BIG5.encode(traditional);
        assert!(!unmappable && bytes.contains(&b'\\'), "{bytes:?}");
        check(&bytes, Some("Big5"), traditional);
        check(b"Andr\xe9", Some("ISO-8859-1"), "André");
        for (name, label, names) in [
            ("CP936", "gbk", "柯洁 古力"),
            ("ms936", "gbk", "柯洁"),
            ("windows-936", "gbk", "柯洁"),
            ("CP950", "big5", "柯潔"),
            ("cp949", "euc-kr", "이세돌"),
            ("EUC_KR", "euc-kr", "이세돌"),
            ("CP932", "shift_jis", "井山裕太"),
        ] {
            let encoding = Encoding::for_label(label.as_bytes()).expect(label);
            check(&encoding.encode(names).0, Some(name), names);
        }
        // In GBK; as UTF-8 it would be valid, too.
        check(b"\xd2\xbb", Some("GBK"), "一");
    }

    #[test]
    fn a_wrong_name_does_not_garble_utf8() {
        for name in [
            "ISO-8859-1",
            "windows-1252",
            "GBK",
            "GB18030",
            "Big5",
            "Shift_JIS",
        ] {
            check(WORDS.as_bytes(), Some(name), WORDS);
        }
        check("André".as_bytes(), Some("ISO-8859-1"), "André");
        for name in ["UTF-16", "unicode", "utf-16be"] {
            check(b"(;CA[UTF-16];B[aa])1", Some(name), "(;CA[UTF-16];B[aa])1");
        }
    }

    #[test]
    fn what_is_written_in_an_encoding_is_read_in_it() {
        for name in ["utf-8", "gbk", "gb18030"] {
            let charset: Charset = name.parse().expect(name);
            assert_eq!(charset.to_string(), name);
            check(&charset.encode(WORDS), Some(name), WORDS);
        }
        for name in ["utf-16", "klingon", ""] {
            assert!(name.parse::<Charset>().is_err(), "{name}");
        }
    }

    #[test]
    fn by_its_looks() {
        let (bytes, _, _) = encoding_rs::GBK.encode("黑方胜，白方认输。中国围棋协会的对局记录");
        check(&bytes, None, "黑方胜，白方认输。中国围棋协会的对局记录");
        // A wrong or unknown name.
        check(WORDS.as_bytes(), Some("no such thing"), WORDS);
        check(
            &bytes,
            Some("UTF-8"),
            "黑方胜，白方认输。中国围棋协会的对局记录",
        );
        check(b"", None, "");
    }
}
