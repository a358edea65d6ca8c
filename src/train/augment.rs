//! Symmetries as extra data: a turned or mirrored position has the turned or mirrored target.

use super::row::{PointSet, Row, Share};
use crate::game::{BoardSize, Symmetry};

/// The row as it looks under a symmetry of the board.
#[must_use]
pub fn transform(row: &Row, size: BoardSize, symmetry: Symmetry) -> Row {
    let turned = |set: &PointSet| {
        let mut image = PointSet::default();
        set.iter()
            .for_each(|point| image.insert(symmetry.apply(size, point)));
        image
    };
    let share = |share: &Share| Share {
        mv: symmetry.apply(size, share.mv),
        ..*share
    };
    Row {
        own: turned(&row.own),
        theirs: turned(&row.theirs),
        last_move: row.last_move.map(|mv| symmetry.apply(size, mv)),
        policy: row.policy.iter().map(share).collect(),
        ..*row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{Game, Move};
    use crate::train::rebuild::Rebuild;

    /// Playing a game and turning it is turning each move and playing it.
    #[test]
    fn turned_rows_are_rows_of_the_turned_game() {
        let size = BoardSize::square(5);
        let empty = SmallNoGo::new(size).unwrap();
        for symmetry in Symmetry::all(size) {
            let (mut position, mut turned) = (empty.clone(), empty.clone());
            for mv in [7, 3, 20, 11, 9].map(Move) {
                position.play(mv);
                turned.play(symmetry.apply(size, mv));
                let row = Row::record(1, &position, &[(Move(2), 5), (Move(14), 1)], 0.5);
                let image = transform(&row, size, symmetry);
                assert_eq!(
                    SmallNoGo::rebuild(&empty, &image).unwrap().key(),
                    turned.key()
                );
                assert_eq!(image.last_move, turned.last_move());
                assert_eq!(image.policy[1].mv, symmetry.apply(size, Move(14)));
                assert_eq!(image.policy[1].share, row.policy[1].share);
            }
        }
    }
}
