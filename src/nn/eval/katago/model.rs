//! What a file says of its network, before the layers.

use super::reader::KataGoReader;
use crate::BoardSize;
use crate::eval::{LEAD_SCALE, ModelInfo};

/// Planes of points that the networks read.
pub(super) const SPATIAL: usize = 22;
/// Numbers of the whole position that they read.
pub(super) const GLOBAL: usize = 19;
/// Planes of a row: after those of points one plane per number, all of it that number, and one that is
/// 1 where the rules leave no game without a result.
pub(super) const PLANES: usize = SPATIAL + GLOBAL + 1;

/// Id of the encoding for a network; the one of networks that want pass-alive stones told as if suicide
/// were always legal has another.
const ENCODINGS: [&str; 2] = ["katago-7", "katago-7-suicide"];

/// Model versions that are known: all that read the inputs that KataGo calls `V7`.
pub(super) const VERSIONS: std::ops::RangeInclusive<u32> = 8..=17;
/// The longest name, in letters; KataGo has the same bound.
const LONGEST_NAME: usize = 96;

/// What stands before the layers.
#[derive(Debug)]
pub(super) struct Header {
    pub(super) name: String,
    version: u32,
    /// Points of a lead for each 1 that the network says.
    pub(super) lead_scale: f32,
    /// Whether pass-alive stones are to be told as if suicide were always legal.
    tells_suicide: bool,
    /// Whether it wants to be told who plays, and imitates them.
    pub(super) imitates: bool,
}

fn is_name(word: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_-.".contains(letter);
    word.len() <= LONGEST_NAME && word.chars().all(is_letter)
}

impl Header {
    /// Whether a file begins as one of these does: a name and a number.
    pub(super) fn is_likely(beginning: &[u8]) -> bool {
        let mut reader = KataGoReader::new(beginning);
        let name = reader.word("a name");
        name.is_ok_and(is_name) && reader.number::<u32>("a version").is_ok()
    }

    pub(super) fn read(reader: &mut KataGoReader<'_>) -> Result<Header, String> {
        let no_network = |reason| format!("it is not a network of KataGo: {reason}");
        let name = reader.word("the name of a network").map_err(no_network)?;
        if !is_name(name) {
            let refused = reader.wrong("it does not begin with a name");
            return refused.map_err(no_network);
        }
        let version = reader.number("the version of a network");
        let version: u32 = version.map_err(no_network)?;
        reader.version = version;
        if !VERSIONS.contains(&version) {
            let [oldest, newest] = [VERSIONS.start(), VERSIONS.end()];
            return Err(format!(
                "{name} is a network of KataGo's model version {version}; known are {oldest} to {newest}"
            ));
        }
        let planes: usize = reader.number("the number of its planes")?;
        let numbers: usize = reader.number("the number of its global inputs")?;
        if [planes, numbers] != [SPATIAL, GLOBAL] {
            return reader.wrong(format!(
                "it reads {planes} planes and {numbers} numbers, not {SPATIAL} and {GLOBAL}"
            ));
        }
        let lead_scale = match version {
            13.. => multipliers(reader)?,
            _ => LEAD_SCALE,
        };
        let [imitates, tells_suicide] = match version {
            15.. => options(reader, name)?,
            _ => [false; 2],
        };
        Ok(Header {
            name: name.to_owned(),
            version,
            lead_scale,
            tells_suicide,
            imitates,
        })
    }

    /// The network opened for a board, or for several.
    pub(super) fn info(&self, size: BoardSize, boards: Vec<BoardSize>) -> ModelInfo {
        ModelInfo {
            game: "go".to_owned(),
            size,
            boards,
            encoding: ENCODINGS[usize::from(self.tells_suicide)].to_owned(),
            planes: PLANES,
            policy_len: size.area() + 1,
            outcomes: 3,
            network: self.name.clone(),
            games: 0,
            steps: 0,
            creator: format!("KataGo, model version {}", self.version),
            points: 1 + size.area(),
        }
    }
}

/// By what outputs are multiplied; of these the lead's.
fn multipliers(reader: &mut KataGoReader<'_>) -> Result<f32, String> {
    let mut lead = LEAD_SCALE;
    for what in [
        "score by time",
        "score",
        "deviation of the score",
        "lead",
        "variance by time",
        "error of the value",
        "error of the score",
    ] {
        let multiplier = reader.positive(&format!("the multiplier of the {what}"))?;
        if what == "lead" {
            lead = multiplier;
        }
    }
    Ok(lead)
}

/// Options of later versions; of these whether it has a metadata encoder, and whether suicide counts as legal for
/// pass-alive stones.
fn options(reader: &mut KataGoReader<'_>, name: &str) -> Result<[bool; 2], String> {
    let encoder: u32 = reader.number("the version of a metadata encoder")?;
    if encoder > 1 {
        return Err(format!(
            "{name} has a metadata encoder of version {encoder}; known is 1"
        ));
    }
    let tells_suicide = reader.flag("whether suicide counts as legal for pass-alive stones")?;
    reader.unused(6, "its option")?;
    Ok([encoder == 1, tells_suicide])
}
