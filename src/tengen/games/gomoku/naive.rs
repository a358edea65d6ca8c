//! Gomoku exactly as its rules say, stone by stone on a plain array; shares no code with the real
//! implementation.

use std::collections::HashSet;

use super::GomokuRules;
use crate::game::{BoardSize, Color};

/// A board and its rules.
#[derive(Clone)]
pub(super) struct Naive {
    pub(super) size: BoardSize,
    pub(super) rules: GomokuRules,
    pub(super) points: Vec<Option<Color>>,
}

/// Coordinates on or off the board.
type Place = (i32, i32);

const STEPS: [Place; 4] = [(1, 0), (0, 1), (1, 1), (1, -1)];

impl Naive {
    pub(super) fn new(size: BoardSize, rules: GomokuRules) -> Naive {
        Naive {
            size,
            rules,
            points: vec![None; size.area()],
        }
    }

    pub(super) fn place(&self, point: usize) -> Place {
        let width = usize::from(self.size.width);
        ((point % width) as i32, (point / width) as i32)
    }

    fn index(&self, (x, y): Place) -> Option<usize> {
        let (width, height) = (i32::from(self.size.width), i32::from(self.size.height));
        let inside = (0..width).contains(&x) && (0..height).contains(&y);
        inside.then(|| (y * width + x) as usize)
    }

    fn stone(&self, place: Place) -> Option<Color> {
        self.points[self.index(place)?]
    }

    fn with(&self, place: Place, color: Color) -> Naive {
        let mut next = self.clone();
        next.points[self.index(place).expect("on the board")] = Some(color);
        next
    }

    /// The places of the row of one colour through a stone, and the two beyond its ends.
    fn row(&self, (x, y): Place, (dx, dy): Place) -> (Vec<Place>, [Place; 2]) {
        let color = self.stone((x, y));
        let mut first = (x, y);
        while self.stone((first.0 - dx, first.1 - dy)) == color && color.is_some() {
            first = (first.0 - dx, first.1 - dy);
        }
        let (mut row, mut next) = (Vec::new(), first);
        while self.stone(next) == color {
            row.push(next);
            next = (next.0 + dx, next.1 + dy);
        }
        (row, [(first.0 - dx, first.1 - dy), next])
    }

    /// Whether the stone at this place is part of a winning row.
    pub(super) fn wins(&self, place: Place) -> bool {
        STEPS.into_iter().any(|step| self.wins_along(place, step))
    }

    fn wins_along(&self, place: Place, step: Place) -> bool {
        let Some(color) = self.stone(place) else {
            return false;
        };
        let (row, ends) = self.row(place, step);
        let enclosed = ends
            .iter()
            .all(|&end| self.stone(end) == Some(color.opponent()));
        match (self.rules, color, row.len()) {
            (_, _, ..5) => false,
            (GomokuRules::Caro | GomokuRules::StandardCaro, _, 5) => !enclosed,
            (_, _, 5) => true,
            (GomokuRules::Standard | GomokuRules::StandardCaro, _, _) => false,
            (GomokuRules::Renju, Color::Black, _) => false,
            _ => true,
        }
    }

    pub(super) fn is_legal(&self, color: Color, point: usize) -> bool {
        self.points[point].is_none()
            && !(self.rules == GomokuRules::Renju
                && color == Color::Black
                && self.is_foul(self.place(point)))
    }

    /// Whether Renju forbids Black the empty place.
    fn is_foul(&self, place: Place) -> bool {
        let after = self.with(place, Color::Black);
        if after.wins(place) {
            return false;
        }
        let overline = STEPS.iter().any(|&step| after.row(place, step).0.len() > 5);
        let fours: usize = STEPS
            .iter()
            .map(|&step| after.fours(place, step).len())
            .sum();
        let threes = STEPS.iter().filter(|&&step| after.is_three(place, step));
        overline || fours > 1 || threes.count() > 1
    }

    /// Sets of four stones, including the given one, that one more stone makes a five.
    fn fours(&self, (x, y): Place, (dx, dy): Place) -> HashSet<Vec<Place>> {
        let mut found = HashSet::new();
        for away in -4..=4 {
            let empty = (x + away * dx, y + away * dy);
            if self.index(empty).is_none() || self.stone(empty).is_some() {
                continue;
            }
            let (row, _) = self.with(empty, Color::Black).row(empty, (dx, dy));
            if row.len() == 5 && row.contains(&(x, y)) {
                found.insert(row.into_iter().filter(|&other| other != empty).collect());
            }
        }
        found
    }

    /// Whether the stone is part of a three: not a four, and one more legal stone that makes no
    /// five makes it a straight four.
    fn is_three(&self, (x, y): Place, (dx, dy): Place) -> bool {
        let more = |away: i32| (x + away * dx, y + away * dy);
        self.fours((x, y), (dx, dy)).is_empty()
            && (-3..=3).map(more).any(|empty| {
                if self.index(empty).is_none() || self.stone(empty).is_some() {
                    return false;
                }
                let next = self.with(empty, Color::Black);
                let (row, ends) = next.row(empty, (dx, dy));
                let straight = row.len() == 4
                    && row.contains(&(x, y))
                    && ends.iter().all(|&end| {
                        self.index(end).is_some()
                            && self.stone(end).is_none()
                            && next.with(end, Color::Black).wins_along(end, (dx, dy))
                    });
                straight && !next.wins(empty) && !self.is_foul(empty)
            })
    }
}
