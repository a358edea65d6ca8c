//! From positions to input planes: what an encoding is. Each is a constant in the folder of its game.
//!
//! An encoding never changes once a network was trained with it; a better one gets a new id. The id
//! is part of the network's metadata, and [`find`] refuses a network whose encoding is unknown.

use thiserror::Error;

use crate::game::{Bits, Game, zobrist};
use tengen_nn::eval::ModelInfo;

/// How a network's input row shows a position.
pub struct Encoding<G> {
    /// Id, as in model metadata.
    pub(crate) id: &'static str,
    /// Number of planes.
    pub(crate) planes: usize,
    /// Fills a row.
    pub(crate) encode: fn(&G, &mut [f32]),
    /// A key that is equal only for positions with the same row.
    pub(crate) cache_key: fn(&G) -> u128,
    /// Points of White's komi that the row does not show: beyond a limit all are encoded alike.
    pub(crate) hidden_komi: fn(&G) -> f32,
    /// The first of two planes that show that a side is the stronger one, in visits: whether one is, and half its
    /// doublings.
    pub(crate) advantage: Option<usize>,
    /// Whether its networks have learned when a game is over while dead stones are on the board. For others a search
    /// raises the prior of the pass.
    pub(crate) knows_passes: bool,
}

impl<G: Game> Encoding<G> {
    /// An encoding whose rows depend on the position and its last move, and show any komi; its networks do not know
    /// when to pass.
    pub(crate) const fn new(
        id: &'static str,
        planes: usize,
        encode: fn(&G, &mut [f32]),
    ) -> Encoding<G> {
        Encoding {
            id,
            planes,
            encode,
            cache_key: |position| {
                position.key() ^ position.last_move().map_or(0, zobrist::last_move)
            },
            hidden_komi: |_| 0.0,
            advantage: None,
            knows_passes: false,
        }
    }

    /// Id, as in model metadata.
    pub fn id(&self) -> &'static str {
        self.id
    }

    /// Number of planes.
    pub fn planes(&self) -> usize {
        self.planes
    }

    /// Fills `row`, `[planes, height, width]` f32 from the side to move's view. The row must be
    /// all zero and as long as planes times points.
    pub fn encode(&self, position: &G, row: &mut [f32]) {
        (self.encode)(position, row);
    }

    /// A key that is equal only for positions with the same row, for evaluation caches. Positions
    /// with the colours swapped have the same row and different keys.
    pub fn cache_key(&self, position: &G) -> u128 {
        (self.cache_key)(position)
    }

    /// Shows, in the filled row of a position, that its side to move is taken to search with `2^doublings` times
    /// the visits of the other, where such networks know it.
    pub fn show_doublings(&self, doublings: f32, row: &mut [f32]) {
        let Some(first) = self.advantage else { return };
        let planes = row.chunks_exact_mut(row.len() / self.planes);
        for (plane, number) in planes.skip(first).zip([1.0, doublings / 2.0]) {
            plane.fill(number);
        }
    }
}

/// A game with encodings.
pub trait Encode: Game {
    /// All encodings of this game. The last one is the default, for instance for the signature of
    /// `tengen bench`; the encoding of a network is in its metadata.
    fn encodings() -> &'static [&'static Encoding<Self>];
}

/// Why a network cannot be used for a game.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Mismatch {
    /// It was trained for another board, or none is built in for the board; the text names those for which there are
    /// some.
    #[error("{0}")]
    Board(String),
    /// It was trained for another game or by another program, as the text says.
    #[error("{0}")]
    Foreign(String),
}

/// The encoding of a network, after checking that the network fits the game on a board of the
/// position's size, or can be opened for it.
///
/// # Errors
/// [`Mismatch`] names the contradiction.
pub fn find<G: Encode>(model: &ModelInfo, position: &G) -> Result<&'static Encoding<G>, Mismatch> {
    let foreign = |why| Err(Mismatch::Foreign(why));
    if model.game != G::NAME {
        return foreign(format!("the network plays {}, not {}", model.game, G::NAME));
    }
    let size = position.size();
    let Some(model) = model.on(size) else {
        let boards = model.boards_text();
        let text = format!("the network plays on {boards}, not on {size}");
        return Err(Mismatch::Board(text));
    };
    let (id, encodings) = (&model.encoding, G::encodings());
    let Some(encoding) = encodings.iter().find(|e| e.id() == id) else {
        let known: Vec<&str> = encodings.iter().map(|e| e.id()).collect();
        let known = known.join(", ");
        return foreign(format!(
            "the network reads encoding {id:?}, but this program knows only {known}"
        ));
    };
    let wanted = (encoding.planes(), position.policy_len());
    let found = (model.planes, model.policy_len);
    if wanted != found {
        let words = |(planes, policy)| format!("{planes} planes and {policy} moves");
        let (wanted, found) = (words(wanted), words(found));
        return foreign(format!(
            "encoding {id:?} has {wanted}, but the network has {found}"
        ));
    }
    Ok(*encoding)
}

/// Shows sets of points, each in a plane of this area.
pub fn show_sets<const WORDS: usize>(
    planes: &mut [f32],
    area: usize,
    sets: impl IntoIterator<Item = Bits<WORDS>>,
) {
    for (plane, points) in planes.chunks_exact_mut(area).zip(sets) {
        points.iter().for_each(|point| plane[point.index()] = 1.0);
    }
}

/// Fills planes of this area with a number each.
pub fn show_numbers(planes: &mut [f32], area: usize, numbers: impl IntoIterator<Item = f32>) {
    for (plane, number) in planes.chunks_exact_mut(area).zip(numbers) {
        plane.fill(number);
    }
}

/// Metadata for fakes: of a network that does not exist, for the board of this position.
pub fn made_up<G: Game>(position: &G, encoding: &Encoding<G>) -> ModelInfo {
    ModelInfo {
        game: G::NAME.to_owned(),
        size: position.size(),
        boards: Vec::new(),
        encoding: encoding.id().to_owned(),
        planes: encoding.planes(),
        policy_len: position.policy_len(),
        outcomes: G::INFO.outcomes(),
        network: "nothing".to_owned(),
        games: 0,
        steps: 0,
        creator: "tengen".to_owned(),
        points: 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::games::nogo::SmallNoGo;

    fn model() -> ModelInfo {
        ModelInfo {
            game: "nogo".into(),
            size: BoardSize::square(9),
            boards: Vec::new(),
            encoding: "nogo-1".into(),
            planes: 12,
            policy_len: 81,
            outcomes: 2,
            network: "test".into(),
            games: 0,
            steps: 0,
            creator: "test".into(),
            points: 0,
        }
    }

    fn mismatch(change: impl FnOnce(&mut ModelInfo)) -> String {
        let position = SmallNoGo::new(BoardSize::square(9)).unwrap();
        let mut model = model();
        change(&mut model);
        find(&model, &position)
            .err()
            .expect("a mismatch")
            .to_string()
    }

    #[test]
    fn a_fitting_network_is_accepted() {
        let position = SmallNoGo::new(BoardSize::square(9)).unwrap();
        assert_eq!(find(&model(), &position).unwrap().id(), "nogo-1");
    }

    #[test]
    fn a_network_for_several_boards_fits_those_and_what_is_between() {
        let mut model = model();
        model.boards = vec![BoardSize::square(9), BoardSize::new(5, 6)];
        for (size, fits) in [
            (BoardSize::square(9), true),
            (BoardSize::new(8, 5), true),
            (BoardSize::new(9, 4), false),
        ] {
            let position = SmallNoGo::new(size).unwrap();
            let found = find(&model, &position).map(|encoding| encoding.id());
            assert_eq!(found.is_ok(), fits, "{size}");
            if let Err(mismatch) = found {
                let text = mismatch.to_string();
                assert!(
                    text.contains("on 9x9, 5x6 and boards between, not on 9x4"),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn whatever_does_not_fit_is_named() {
        assert!(mismatch(|m| m.game = "go".into()).contains("plays go, not nogo"));
        assert!(mismatch(|m| m.size = BoardSize::square(7)).contains("7x7, not on 9x9"));
        assert!(mismatch(|m| m.encoding = "nogo-9".into()).contains("knows only nogo-az, "));
        assert!(mismatch(|m| m.planes = 11).contains("11 planes"));
        assert!(mismatch(|m| m.policy_len = 82).contains("82 moves"));
    }
}
