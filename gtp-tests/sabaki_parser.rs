//! Sabaki's parser for analysis lines.

/// One candidate as Sabaki 0.60 reads it.
#[derive(Debug, PartialEq)]
pub(crate) struct Variation {
    pub(crate) vertex: String,
    pub(crate) visits: u64,
    /// Percent.
    pub(crate) winrate: f64,
    pub(crate) moves: Vec<String>,
}

/// Whether Sabaki accepts this as a move of a variation: `pass`, or a letter and digits.
fn is_move(word: &str) -> bool {
    let digits = word.get(1..).unwrap_or_default();
    let point = word.starts_with(|c: char| c.is_ascii_alphabetic())
        && !digits.is_empty()
        && digits.bytes().all(|byte| byte.is_ascii_digit());
    word == "pass" || point
}

/// The rules of Sabaki's `analysis.js` and `enginesyncer.js`, in our words: the line is split at
/// `info`; the sequence of moves at the end of each part is taken, the word before it is dropped,
/// and the rest are pairs of a key and a value. A part is dropped when it has no moves at its end,
/// no point as `move`, or no `winrate`. Floats are shares, whole numbers ten-thousandths.
pub(crate) fn variations(line: &str, command: &str) -> Vec<Variation> {
    let parts = line
        .split("info")
        .map(str::trim)
        .filter(|part| !part.is_empty());
    let read = |part: &str| {
        let words: Vec<&str> = part.split_whitespace().collect();
        let tail = words.iter().rev().take_while(|word| is_move(word)).count();
        let (pairs, moves) = words.split_at(words.len() - tail);
        let (_, pairs) = pairs.split_last()?;
        let value = |key: &str| {
            let mut pairs = pairs.chunks_exact(2);
            pairs.find(|pair| pair[0] == key).map(|pair| pair[1])
        };
        let vertex = value("move").filter(|vertex| is_move(vertex) && *vertex != "pass")?;
        let scale = if command.starts_with("kata") {
            100.0
        } else {
            0.01
        };
        let winrate: f64 = value("winrate")?.parse().ok()?;
        (!moves.is_empty()).then(|| Variation {
            vertex: vertex.to_owned(),
            visits: value("visits")
                .and_then(|visits| visits.parse().ok())
                .unwrap_or(0),
            winrate: winrate * scale,
            moves: moves.iter().map(|&word| word.to_owned()).collect(),
        })
    };
    parts.filter_map(read).collect()
}

/// Checks one line of an analysis by Sabaki's rules: none of it may be lost.
#[track_caller]
pub(crate) fn check_line(line: &str, command: &str) -> Vec<Variation> {
    assert!(line.starts_with("info move "), "{line}");
    let read = variations(line, command);
    assert_eq!(read.len(), line.matches("info ").count(), "{line}");
    for found in &read {
        assert!((0.0..=100.0).contains(&found.winrate), "{line}");
        assert_eq!(found.moves[0], found.vertex, "{line}");
    }
    let floats = line.contains("winrate 0.") || line.contains("winrate 1.");
    assert_eq!(floats, command.starts_with("kata"), "{line}");
    read
}
