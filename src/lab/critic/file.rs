//! The file of a critic: a line of JSON metadata, the weights, a checksum.
//!
//! | bytes | content |
//! |---|---|
//! | up to the first line feed | JSON object: `format` (`tengen-critic-1`) and the fields of [`CriticInfo`] |
//! | 8 for each weight | f64, little endian, in the order of [`Network`] |
//! | 4 | CRC-32 of all bytes before, little endian |

use std::path::Path;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::Network;
use tengen::game::BoardSize;
use tengen_nn::files;

/// Start of the first line, which identifies the file type.
const FORMAT: &str = "tengen-critic-1";

/// Maximum file size: some 1,400 hidden nodes on 19x19.
const MAX_BYTES: u64 = 4 << 20;

/// Metadata of a critic.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriticInfo {
    /// The game, as [`Game::NAME`](tengen::game::Game::NAME).
    pub game: String,
    /// Columns of the board.
    pub width: u8,
    /// Rows of the board.
    pub height: u8,
    /// Number of nodes in the hidden layer.
    pub hidden: usize,
    /// Games that it was trained on.
    pub games: u32,
    /// Seed of its run.
    pub seed: u64,
    /// Whether it may fill its own eyes.
    #[serde(default)]
    pub fills_eyes: bool,
    /// How it was trained, in a few words.
    pub taught: String,
}

/// A critic that can play.
#[derive(Debug, Clone, PartialEq)]
pub struct Critic {
    /// Metadata of the file: game, board, training.
    pub info: CriticInfo,
    /// The network with its weights.
    pub network: Network,
}

/// Why there is no usable critic: none was given, the file cannot be read or is another kind of file, or the critic is
/// for another game or board.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct CriticError(pub(crate) String);

#[derive(Serialize, Deserialize)]
struct Head {
    format: String,
    #[serde(flatten)]
    info: CriticInfo,
}

impl CriticInfo {
    /// The board that it was trained on.
    pub fn size(&self) -> BoardSize {
        BoardSize::new(self.width, self.height)
    }
}

impl Critic {
    /// Reads a file.
    ///
    /// # Errors
    /// [`CriticError`] names the file and the problem.
    pub fn load(path: &Path) -> Result<Critic, CriticError> {
        let name = path.display();
        let bytes = files::read(path, MAX_BYTES)
            .map_err(|error| CriticError(format!("cannot read critic {name}: {error}")))?;
        Critic::parse(&bytes)
            .map_err(|reason| CriticError(format!("{name} is not a critic: {reason}")))
    }

    /// Whether it is for this game and board.
    ///
    /// # Errors
    /// [`CriticError`] names both.
    pub fn check(&self, game: &str, size: BoardSize) -> Result<(), CriticError> {
        let (own, own_size) = (&self.info.game, self.info.size());
        if own == game && own_size == size {
            return Ok(());
        }
        let text = format!("the critic plays {own} on {own_size}, not {game} on {size}");
        Err(CriticError(text))
    }

    /// The content of its file.
    pub fn bytes(&self) -> Vec<u8> {
        let head = Head {
            format: FORMAT.to_owned(),
            info: self.info.clone(),
        };
        let mut bytes = serde_json::to_vec(&head).unwrap_or_default();
        bytes.push(b'\n');
        let weights = self.network.weights().iter();
        bytes.extend(weights.flat_map(|weight| weight.to_le_bytes()));
        let checksum = crc32fast::hash(&bytes);
        bytes.extend(checksum.to_le_bytes());
        bytes
    }

    /// Reads the content of a file.
    ///
    /// # Errors
    /// A message about the problem.
    pub fn parse(bytes: &[u8]) -> Result<Critic, String> {
        let (body, checksum) = bytes.split_last_chunk::<4>().ok_or("it is too short")?;
        let line = body.iter().position(|&byte| byte == b'\n').unwrap_or(0);
        let head: Option<Head> = serde_json::from_slice(&body[..line]).ok();
        let head = head.filter(|head| head.format == FORMAT);
        let head = head.ok_or(
            "its first line is not that of a file by tengen-lab critic; `tengen gtp` plays with \
             networks of other kinds",
        )?;
        let expected = u32::from_le_bytes(*checksum);
        let found = crc32fast::hash(body);
        if found != expected {
            return Err(format!(
                "it is damaged or truncated: its checksum is {found:08x}, expected {expected:08x}"
            ));
        }
        let info = head.info;
        let weights = body[line + 1..].chunks(8);
        let weights = weights.map(|bytes| bytes.try_into().map(f64::from_le_bytes));
        let weights: Result<Vec<f64>, _> = weights.collect();
        let network = weights
            .ok()
            .and_then(|weights| Network::of(info.size().area(), info.hidden, weights))
            .ok_or("its weights do not fit its metadata, or are not finite")?;
        Ok(Critic { info, network })
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;

    fn critic() -> Critic {
        Critic {
            info: CriticInfo {
                game: "nogo".to_owned(),
                width: 4,
                height: 3,
                hidden: 5,
                games: 7,
                seed: u64::MAX,
                fills_eyes: true,
                taught: "hdp \"0.9\"\n".to_owned(),
            },
            network: Network::new(12, 5, &mut Xoshiro256PlusPlus::seed_from_u64(3)),
        }
    }

    #[test]
    fn a_critic_survives_its_file_to_the_bit() {
        assert_eq!(Critic::parse(&critic().bytes()).unwrap(), critic());
    }

    #[test]
    fn other_files_and_damage_are_refused() {
        let bytes = critic().bytes();
        let error = |bytes: &[u8]| Critic::parse(bytes).unwrap_err();
        assert!(error(b"").contains("short"));
        assert!(error(b"\x08\x01onnx and so on").contains("first line"));
        assert!(error(&bytes[..bytes.len() - 8]).contains("damaged"));
        for place in (0..bytes.len()).step_by(7) {
            let mut wrong = bytes.clone();
            wrong[place] ^= 4;
            assert!(Critic::parse(&wrong).is_err(), "byte {place}");
        }
        let mut more = critic();
        more.info.hidden = 6;
        assert!(error(&more.bytes()).contains("weights"));
    }

    #[test]
    fn a_misfit_is_named() {
        let check = |game: &str, side| {
            let fits = critic().check(game, BoardSize::new(4, side));
            fits.map_err(|error| error.to_string())
        };
        assert_eq!(check("nogo", 3), Ok(()));
        let message = check("go", 3).unwrap_err();
        assert!(message.contains("nogo on 4x3, not go on 4x3"), "{message}");
        assert!(check("nogo", 4).unwrap_err().contains("not nogo on 4x4"));
        let none = Critic::load(Path::new("/nowhere.critic")).unwrap_err();
        assert!(none.to_string().contains("cannot read"), "{none}");
    }
}
