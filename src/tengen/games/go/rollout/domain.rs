//! How people rank the moves of Go: the features of rollouts and those of place, distance and
//! liberties, with weights learned from recorded games (docs/papers.md#domain-scores).

use std::sync::LazyLock;

use super::features::{View, crowded, line};
use super::field::Field;
use super::weights::{
    DISTANCES, FREE, Kinds, LAST, LIBERTIES, LINES, OPEN_LINES, OWN_DISTANCES, OWN_LAST, WHERE,
    Weights,
};
use crate::game::{Bits, BoardSize, Game, Move};
use crate::games::go::Go;

/// `domain.txt`, learned by `tengen-lab mucgo weights` from 1,000 games of the TYGEM server.
static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| Weights::read(include_str!("domain.txt")));

/// Data of a position needed for the features.
pub(super) struct Domain<'a, const CELLS: usize, const WORDS: usize> {
    field: &'a Field<CELLS, WORDS>,
    view: View<'a, CELLS, WORDS>,
    /// Points near stones.
    crowded: Bits<WORDS>,
    last: Option<Move>,
    own_last: Option<Move>,
}

impl<'a, const CELLS: usize, const WORDS: usize> Domain<'a, CELLS, WORDS> {
    pub(super) fn of(position: &Go<CELLS, WORDS>, field: &'a Field<CELLS, WORDS>) -> Self {
        let point = |mv: &Move| *mv != position.pass();
        let mut recent = position.recent().iter();
        Domain {
            field,
            view: View::of(field),
            crowded: crowded(position),
            last: recent.next().filter(point),
            own_last: recent.next().filter(point),
        }
    }

    /// Features of a legal stone of the side to move on a point.
    pub(super) fn kinds(&self, point: Move) -> Kinds {
        let mut kinds = self.view.kinds(point);
        let size = self.field.frame().size();
        let line = line(size, point).min(LINES) - 1;
        kinds.add_number(match self.crowded.contains(point) {
            true => WHERE + line,
            false => OPEN_LINES + line,
        });
        let class = |from: Move, ends: &[u8]| {
            let distance = distance(size, from, point);
            ends.iter().position(|&end| distance <= end)
        };
        // Nearer ones are features of rollouts.
        let last = self.last.filter(|&last| distance(size, last, point) > 3);
        if let Some(class) = last.and_then(|last| class(last, &DISTANCES)) {
            kinds.add_number(LAST + class);
        }
        if let Some(class) = self.own_last.and_then(|own| class(own, &OWN_DISTANCES)) {
            kinds.add_number(OWN_LAST + class);
        }
        let liberties = self.field.joined(point).liberties.count();
        kinds.add_number(FREE + liberties.clamp(1, LIBERTIES) - 1);
        kinds
    }
}

/// Coulom's distance: the differences of columns and rows, and the larger of the two once more.
fn distance(size: BoardSize, one: Move, other: Move) -> u8 {
    let ((x, y), (column, row)) = (size.column_row(one), size.column_row(other));
    let (dx, dy) = (x.abs_diff(column), y.abs_diff(row));
    dx + dy + dx.max(dy)
}

/// The natural logarithm of each move's weight; 0 for a pass, which no game teaches.
pub(super) fn ranking<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    moves: &[Move],
) -> Vec<f32> {
    let field = Field::of(position);
    let domain = Domain::of(position, &field);
    let mover = position.to_move().index();
    let of = |&mv: &Move| {
        if mv == position.pass() {
            return 0.0;
        }
        let shape = WEIGHTS.of_shape(field.around(mv))[mover].max(1) as f32;
        (shape * WEIGHTS.of_all(domain.kinds(mv))).ln()
    };
    moves.iter().map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::super::weights::names as feature_names;
    use super::*;
    use crate::games::go::LargeGo;

    fn names(position: &LargeGo, point: Move) -> Vec<&'static str> {
        let field = Field::of(position);
        let kinds = Domain::of(position, &field).kinds(point);
        let all: Vec<&str> = feature_names().collect();
        kinds.numbers().map(|number| all[number]).collect()
    }

    #[test]
    fn features_by_hand() {
        let size = BoardSize::square(19);
        let mut position = LargeGo::new(size).unwrap();
        assert_eq!(
            names(&position, size.point(3, 2)),
            ["open-line-3", "liberties-4"]
        );
        position.play(size.point(3, 3));
        position.play(size.point(15, 15));
        // One to the left of the own stone, in the corner of the line; far from White's stone.
        assert_eq!(
            names(&position, size.point(3, 0)),
            ["line-1", "last-far", "own-6", "liberties-3"]
        );
        assert_eq!(
            names(&position, size.point(15, 14)),
            ["beside", "line-4", "own-far", "liberties-3"]
        );
        assert_eq!(
            names(&position, size.point(14, 13)),
            ["line-5", "last-5", "own-far", "liberties-4"]
        );
    }

    #[test]
    fn distances_by_hand() {
        let size = BoardSize::square(19);
        let from = |dx: u8, dy: u8| distance(size, size.point(5, 5), size.point(5 + dx, 5 + dy));
        assert_eq!(
            [from(0, 0), from(1, 0), from(1, 1), from(2, 1), from(3, 3)],
            [0, 2, 3, 5, 9]
        );
    }

    #[test]
    fn the_file_names_every_feature() {
        let text = include_str!("domain.txt");
        for name in feature_names() {
            let found = text
                .lines()
                .any(|line| line.split(' ').next() == Some(name));
            assert!(found, "{name}");
        }
    }

    #[test]
    fn corners_come_before_edges_and_attacked_stones_first() {
        let size = BoardSize::square(19);
        let mut position = LargeGo::new(size).unwrap();
        let [corner, edge] = [size.point(3, 2), size.point(0, 9)];
        let found = ranking(&position, &[corner, edge, position.pass()]);
        assert!(found[0] > found[1]);
        assert_eq!(found[2], 0.0);
        // White attacks two black stones: their two liberties come before the other corners.
        for (x, y) in [
            (3, 3),
            (3, 4),
            (4, 3),
            (4, 4),
            (15, 15),
            (2, 3),
            (9, 9),
            (3, 2),
        ] {
            position.play(size.point(x, y));
        }
        let moves: Vec<Move> = position.legal_points().iter().collect();
        let found = ranking(&position, &moves);
        let best = (0..moves.len()).max_by(|&one, &other| found[one].total_cmp(&found[other]));
        let liberties = [size.point(5, 3), size.point(4, 2)];
        assert!(best.is_some_and(|at| liberties.contains(&moves[at])));
    }
}
