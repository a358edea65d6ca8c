//! Play against a side that answers each move by its mirror image through the centre of the board.
//!
//! A network expects the best answer and not the mirror image, so that a search without this hardly looks at
//! the lines that will be played: those in which the stones meet in the centre.

use crate::game::{BoardSize, Game, Move};

/// This number of mirror images in a row is no chance: openings have three or four.
pub const MIRRORED_ANSWERS: usize = 6;

/// Minimum prior of the mirror image of the last move, where the mirroring side is to move.
const IMAGE_PRIOR: f32 = 0.5;

/// Minimum prior of the centre for the other side: a stone there has no mirror image.
const CENTER_PRIOR: f32 = 0.1;

/// Whether the side that has made the last of these moves, which the sides have made in turn, mirrors those of the
/// other: its last six moves are mirror images.
pub fn is_mirrored(moves: &[Move], size: BoardSize) -> bool {
    let turns: Vec<&[Move]> = moves.rchunks_exact(2).take(MIRRORED_ANSWERS).collect();
    let mirrors = |turn: &&[Move]| image(turn[0], size) == Some(turn[1]);
    turns.len() == MIRRORED_ANSWERS && turns.iter().all(mirrors)
}

/// The mirror image of a move; none of a pass or of the centre.
fn image(mv: Move, size: BoardSize) -> Option<Move> {
    let last = size.area().checked_sub(1)?;
    let image = last.checked_sub(mv.index())?;
    (image != mv.index()).then_some(Move(image as u16))
}

/// The move that gets at least this prior in a search that the other side of `root` answers by mirror images.
pub(super) fn least_prior<G: Game>(position: &G, root: &G) -> Option<(Move, f32)> {
    let size = position.size();
    let (mv, prior) = match position.to_move() == root.to_move() {
        true if size.area().is_multiple_of(2) => return None,
        true => (Move(size.area() as u16 / 2), CENTER_PRIOR),
        false => (image(position.last_move()?, size)?, IMAGE_PRIOR),
    };
    position.is_legal(mv).then_some((mv, prior))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Color;
    use crate::games::go::SmallGo;

    #[test]
    fn six_mirrored_answers_in_a_row_are_seen() {
        let size = BoardSize::square(9);
        let moves: Vec<Move> = [10, 70, 12, 68, 14, 66, 16, 64, 28, 52, 30, 50]
            .map(Move)
            .into();
        assert!(is_mirrored(&moves, size));
        assert!(!is_mirrored(&moves[2..], size), "five");
        assert!(!is_mirrored(&moves[..11], size), "of the other side");
        let mut other = moves.clone();
        other[1] = Move(71);
        assert!(!is_mirrored(&other, size));
        other.extend([Move(32), Move(48)]);
        assert!(is_mirrored(&other, size), "the first one is long ago");
        // The centre and a pass have no image.
        let center = [&moves[..], &[Move(40), Move(40)]].concat();
        let pass = [&moves[..], &[Move(81), Move(81)]].concat();
        assert!(!is_mirrored(&center, size) && !is_mirrored(&pass, size));
    }

    #[test]
    fn the_image_and_the_centre_are_looked_at() {
        let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
        let root = position.clone();
        assert_eq!(
            least_prior(&position, &root),
            Some((Move(12), CENTER_PRIOR))
        );
        position.play(Move(6));
        assert_eq!(least_prior(&position, &root), Some((Move(18), IMAGE_PRIOR)));
        position.play(Move(18));
        position.play(Move(12));
        assert_eq!(least_prior(&position, &root), None, "no image");
        position.set_to_move(Color::Black);
        assert_eq!(least_prior(&position, &root), None, "it is taken");
        let even = SmallGo::new(BoardSize::square(4)).unwrap();
        assert_eq!(least_prior(&even, &even), None, "no centre");
    }
}
