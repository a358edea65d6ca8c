//! Neutral points: which of them are filled before the players pass.

use super::{Go, Scoring};
use crate::game::{Bits, Game as _, Move, PointStatus, Settled};

/// A stone on a neutral point leaves its chain this many liberties, so that no reply threatens it.
const LIBERTIES_LEFT: usize = 3;

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// See [`Scored::dame_move`](crate::game::Scored::dame_move). Under area scoring every point
    /// between two sides counts, and there is none.
    pub(super) fn neutral_point(&self, settled: &Settled) -> Option<Move> {
        if self.rules.scoring == Scoring::Area {
            return None;
        }
        let of = |status| settled.points(status).collect::<Bits<WORDS>>();
        let frame = self.board.frame();
        let living = of(PointStatus::Alive);
        let beside = |color| frame.neighbors(self.stones(color) & living);
        let sides = beside(self.to_move) & beside(self.to_move.opponent());
        // A liberty that a seki or a dead stone shares is not neutral.
        let others = frame.neighbors(of(PointStatus::Seki) | of(PointStatus::Dead));
        let points = of(PointStatus::Dame) & sides & !others;
        let is_safe = |&point: &Move| {
            self.is_legal(point) && {
                let mut next = self.clone();
                next.play(point);
                next.liberties(point).count() >= LIBERTIES_LEFT
            }
        };
        points.iter().find(is_safe)
    }
}

#[cfg(test)]
mod tests {
    use super::super::diagram::diagram;
    use super::*;
    use crate::game::{Color, Scored as _};

    /// The names of the points that a side fills, while the other one passes.
    fn filled(rows: &str, rules: &str, by: Color) -> String {
        let mut position = diagram(rows, rules, by);
        let expected = crate::rollout::expect(&position, 1000, 1, &|| false).unwrap();
        let settled = position.settle(&expected);
        let mut names = Vec::new();
        while let Some(point) = position.dame_move(&settled) {
            let (x, y) = position.size().column_row(point);
            names.push(format!("{}{}", char::from(b'a' + x), y + 1));
            position.play(point);
            position.set_to_move(by);
        }
        names.join(" ")
    }

    #[test]
    fn points_between_living_sides_are_filled_where_they_do_not_count() {
        let walls = "..X.O.. ..X.O.. ..X.O.. ..X.O.. ..X.O..";
        assert_eq!(filled(walls, "japanese", Color::Black), "d1 d2 d3 d4 d5");
        assert_eq!(filled(walls, "chinese", Color::Black), "");
    }

    #[test]
    fn a_seki_is_left_alone() {
        let seki = "XXXXXOOOO X.X.XO.O. XXXXXOOOO XOOOOXXXO XOOO.XXXO XOOO.XXXO";
        assert_eq!(filled(seki, "japanese", Color::Black), "");
    }

    #[test]
    fn a_side_keeps_three_liberties() {
        let last = ".XX.O.. XXXOO.. .XXOO.. XXXOO.. XXXOO..";
        assert_eq!(filled(last, "japanese", Color::Black), "");
        assert_eq!(filled(last, "japanese", Color::White), "d5");
    }
}
