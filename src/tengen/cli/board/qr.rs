//! An address as a QR code on a terminal.

use qrcodegen::{QrCode, QrCodeEcc};

/// Rows of light around the code, which readers need.
const MARGIN: i32 = 2;

/// The code in half blocks, two rows of it on a line, dark on light; `None` if the text is too long for one.
pub(super) fn code(text: &str) -> Option<String> {
    let code = QrCode::encode_text(text, QrCodeEcc::Low).ok()?;
    // Outside the code everything is light.
    let light = |x, y| !code.get_module(x, y);
    let range = -MARGIN..code.size() + MARGIN;
    let mut out = String::new();
    for y in range.clone().step_by(2) {
        for x in range.clone() {
            out.push(match (light(x, y), light(x, y + 1)) {
                (true, true) => '\u{2588}',
                (true, false) => '\u{2580}',
                (false, true) => '\u{2584}',
                (false, false) => ' ',
            });
        }
        out.push('\n');
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_square_of_half_blocks() {
        let text =
            code("http://192.168.1.7:8080/0123456789abcdef0123456789abcdef/").expect("short");
        let lines: Vec<usize> = text.lines().map(|line| line.chars().count()).collect();
        assert!(lines.iter().all(|&width| width == lines[0]), "{text}");
        assert_eq!(lines.len(), lines[0].div_ceil(2));
        assert!(code(&"x".repeat(5000)).is_none());
    }
}
