//! Data augmentation by symmetries: a transformed position has the transformed target.

use std::sync::Arc;

use crate::shards::ending::{Ending, PointSet};
use crate::shards::row::{Row, Share};
use tengen::game::{BoardSize, Symmetry};

/// The row under a symmetry of the board.
pub fn transform(row: &Row, size: BoardSize, symmetry: Symmetry) -> Row {
    let turned = |set: PointSet| -> PointSet {
        set.iter()
            .map(|point| symmetry.apply(size, point))
            .collect()
    };
    let share = |share: &Share| Share {
        mv: symmetry.apply(size, share.mv),
        ..*share
    };
    Row {
        rules: row.rules.clone(),
        // Later moves do not matter.
        moves: match symmetry {
            Symmetry::IDENTITY => Arc::clone(&row.moves),
            _ => {
                let moves = row.moves.iter().take(row.ply.into());
                moves.map(|&mv| symmetry.apply(size, mv)).collect()
            }
        },
        policy: row.policy.iter().map(share).collect(),
        ending: row.ending.as_ref().map(|end| Ending {
            own: turned(end.own),
            theirs: turned(end.theirs),
            closed_own: turned(end.closed_own),
            closed_theirs: turned(end.closed_theirs),
            margin: end.margin,
            lead: end.lead,
        }),
        ..*row
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shards::row::Target;
    use crate::shards::row::finish;
    use tengen::game::{Game, Move, Outcome};
    use tengen::games::nogo::SmallNoGo;

    /// Transforming a game's rows equals playing the transformed moves.
    #[test]
    fn turned_rows_are_rows_of_the_turned_game() {
        let size = BoardSize::square(5);
        let empty = SmallNoGo::new(size).unwrap();
        let target = Target::new(vec![(Move(2), 5.0), (Move(14), 1.0)], 0.5);
        for symmetry in Symmetry::all(size) {
            let (mut position, mut turned) = (empty.clone(), empty.clone());
            let moves = [7, 3, 20, 11, 9].map(Move);
            for mv in moves {
                position.play(mv);
                turned.play(symmetry.apply(size, mv));
                let mut row = Row::record(1, &position, &target);
                finish(
                    std::slice::from_mut(&mut row),
                    &empty,
                    &moves,
                    Outcome::DRAW,
                );
                let image = transform(&row, size, symmetry);
                assert_eq!(image.position(&empty).unwrap().key(), turned.key());
                assert_eq!(
                    image.position(&empty).unwrap().last_move(),
                    turned.last_move()
                );
                assert_eq!(image.policy[1].mv, symmetry.apply(size, Move(14)));
                assert_eq!(image.policy[1].share, row.policy[1].share);
            }
        }
    }

    #[test]
    fn the_ending_is_turned_too() {
        let size = BoardSize::square(4);
        let start = SmallNoGo::new(size).unwrap();
        let (mut position, mut moves) = (start.clone(), Vec::new());
        while let Some(mv) = position.legal_moves().last() {
            moves.push(mv);
            position.play(mv);
        }
        let outcome = position.outcome().unwrap();
        for symmetry in Symmetry::all(size) {
            let mut row = Row::record(0, &start, &Target::new(vec![], 0.0));
            let mut turned = row.clone();
            let images: Vec<Move> = moves.iter().map(|&mv| symmetry.apply(size, mv)).collect();
            finish(std::slice::from_mut(&mut row), &start, &moves, outcome);
            finish(std::slice::from_mut(&mut turned), &start, &images, outcome);
            assert!(row.ending.is_some());
            assert_eq!(transform(&row, size, symmetry).ending, turned.ending);
        }
    }
}
