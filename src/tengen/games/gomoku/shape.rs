//! Shapes that a stone makes in a line: fives, fours, threes, looked up from the window around its
//! point.
//!
//! Terms of the Renju International Federation. A *four* lacks one stone to a five; a *straight
//! four* is four adjacent stones that lack one at either end; a *three* lacks one stone to a
//! straight four. Threes and fours that the opponent keeps from becoming straight are called closed
//! here.
//!
//! All shapes are defined by adding stones, not by a list of patterns, so they are right at the
//! edge of the board and under every overline rule.

use std::sync::OnceLock;

use super::lines::{Cell, REACH, WINDOWS, Window};
use super::rules::Five;

/// The shape that a stone makes in one direction, considered alone; better shapes compare greater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Shape {
    /// No five is possible.
    Nothing,
    /// Six or more in a row, where only five win.
    Overline,
    /// Four more stones make a five.
    One,
    /// Two stones more make a four, but no straight one.
    ClosedTwo,
    /// One stone more makes a three.
    Two,
    /// One stone more makes a four, but no straight one.
    ClosedThree,
    /// One stone more makes a straight four.
    Three,
    /// One stone more makes a five, at one point.
    Four,
    /// Two fours in one line: either of two points makes a five, but they are not the ends of a
    /// straight four.
    TwoFours,
    /// Four side by side: a stone at either end makes a five.
    StraightFour,
    /// A winning row.
    Five,
}

impl Shape {
    /// All shapes in ascending order.
    pub const ALL: [Shape; 11] = [
        Shape::Nothing,
        Shape::Overline,
        Shape::One,
        Shape::ClosedTwo,
        Shape::Two,
        Shape::ClosedThree,
        Shape::Three,
        Shape::Four,
        Shape::TwoFours,
        Shape::StraightFour,
        Shape::Five,
    ];
}

/// A set of empty cells of a window.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Cells(u16);

impl Cells {
    /// Whether the set is empty.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Number of cells.
    pub const fn count(self) -> u32 {
        self.0.count_ones()
    }

    /// Offset of each cell from the window's centre, ascending: -5 to 5.
    pub fn steps(self) -> impl Iterator<Item = i8> {
        let places = (0..2 * REACH as i8 + 1).filter(move |place| self.0 >> place & 1 == 1);
        places.map(|place| place - REACH as i8)
    }
}

/// The shapes of all windows under one rule of five.
#[derive(Debug)]
pub struct Shapes {
    shapes: Vec<Shape>,
    fives: Vec<Cells>,
    straights: Vec<Cells>,
}

impl Shapes {
    /// The table for a rule; computed on first use.
    pub fn of(five: Five) -> &'static Shapes {
        static TABLES: [OnceLock<Shapes>; 4] = [const { OnceLock::new() }; 4];
        TABLES[five as usize].get_or_init(|| Shapes::new(five))
    }

    /// The shape that a stone on the window's centre makes.
    pub fn shape(&self, window: Window) -> Shape {
        self.shapes[window.index()]
    }

    /// Cells where one more stone would make a five, once there is a stone on the window's centre:
    /// the answers to a four, at most two. None if the centre makes a five itself.
    pub fn fives(&self, window: Window) -> Cells {
        self.fives[window.index()]
    }

    /// Cells where one more stone would make a straight four, once there is a stone on the window's
    /// centre; none if the centre makes a four or more itself.
    pub fn straights(&self, window: Window) -> Cells {
        self.straights[window.index()]
    }

    fn new(five: Five) -> Shapes {
        let mut table = Shapes {
            shapes: vec![Shape::Nothing; WINDOWS],
            fives: vec![Cells::default(); WINDOWS],
            straights: vec![Cells::default(); WINDOWS],
        };
        for window in Window::all() {
            table.shapes[window.index()] = made_row(window, five).unwrap_or(Shape::Nothing);
        }
        // Each round uses the shapes with one more stone from the previous round.
        for (at_least, becomes) in ROUNDS {
            for window in Window::all() {
                if table.shape(window) == Shape::Nothing {
                    table.shapes[window.index()] = table.grown(window, at_least, becomes);
                }
            }
        }
        table
    }

    /// The shape of a window by what one more stone makes, if this round is about that shape.
    fn grown(&mut self, window: Window, at_least: Shape, becomes: Shape) -> Shape {
        let cells = window.cells(Cell::Own);
        let mut found = Cells::default();
        for (cell, next) in with_a_stone(&cells) {
            if self.shape(next) >= at_least {
                found.0 |= 1 << cell;
            }
        }
        if found.is_empty() {
            return Shape::Nothing;
        }
        match becomes {
            Shape::Four => {
                self.fives[window.index()] = found;
                let (behind, ahead) = ends(&cells);
                match (found.count(), behind + 1 + ahead) {
                    (1, _) => Shape::Four,
                    (_, 4) => Shape::StraightFour,
                    _ => Shape::TwoFours,
                }
            }
            Shape::Three => {
                self.straights[window.index()] = found;
                becomes
            }
            _ => becomes,
        }
    }
}

/// Ordered: a window that reaches at least this with one more stone has this shape, unless it has a
/// better one.
const ROUNDS: [(Shape, Shape); 6] = [
    (Shape::Five, Shape::Four),
    (Shape::StraightFour, Shape::Three),
    (Shape::Four, Shape::ClosedThree),
    (Shape::Three, Shape::Two),
    (Shape::ClosedThree, Shape::ClosedTwo),
    (Shape::ClosedTwo, Shape::One),
];

/// All windows with one more own stone, and its cell.
fn with_a_stone(cells: &[Cell; 2 * REACH + 1]) -> impl Iterator<Item = (usize, Window)> + use<'_> {
    let empty = (0..cells.len()).filter(|&cell| cells[cell] == Cell::Empty);
    empty.map(move |cell| {
        let mut next = *cells;
        next[cell] = Cell::Own;
        (cell, Window::seen(&next))
    })
}

/// Own stones in a row on either side of the centre.
fn ends(cells: &[Cell; 2 * REACH + 1]) -> (usize, usize) {
    let own = |cell: &&Cell| **cell == Cell::Own;
    let behind = cells[..REACH].iter().rev().take_while(own).count();
    (behind, cells[REACH + 1..].iter().take_while(own).count())
}

/// The five or overline that a stone on the window's centre makes.
fn made_row(window: Window, five: Five) -> Option<Shape> {
    let cells = window.cells(Cell::Own);
    let (behind, ahead) = ends(&cells);
    let exact = matches!(five, Five::Exactly | Five::ExactlyNotBlocked);
    match behind + 1 + ahead {
        ..5 => None,
        5 => {
            let enclosed =
                [cells[REACH - behind - 1], cells[REACH + ahead + 1]] == [Cell::Theirs; 2];
            let either_way = matches!(five, Five::OrMore | Five::Exactly);
            (either_way || !enclosed).then_some(Shape::Five)
        }
        _ if exact => Some(Shape::Overline),
        _ => Some(Shape::Five),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The window of a drawing: `*` the centre, `x` own, `o` theirs, `.` empty, `|` the edge. Cells
    /// that are not drawn are empty.
    fn window(drawing: &str) -> Window {
        let drawn = drawing.chars().map(|cell| match cell {
            'x' | '*' => Cell::Own,
            'o' => Cell::Theirs,
            '|' => Cell::Edge,
            _ => Cell::Empty,
        });
        let drawn: Vec<Cell> = drawn.collect();
        let middle = drawing.find('*').expect("the drawing has a point");
        let mut cells = [Cell::Empty; 2 * REACH + 1];
        for (place, cell) in cells.iter_mut().enumerate() {
            let at = (middle + place).checked_sub(REACH);
            if let Some(&seen) = at.and_then(|at| drawn.get(at)) {
                *cell = seen;
            }
        }
        Window::seen(&cells)
    }

    fn shape(five: Five, drawing: &str) -> Shape {
        Shapes::of(five).shape(window(drawing))
    }

    #[test]
    fn shapes_have_the_names_that_players_give_them() {
        use Shape::{
            ClosedThree, ClosedTwo, Four, Nothing, One, StraightFour, Three, Two, TwoFours,
        };
        for (drawing, expected) in [
            ("xx*xx", Shape::Five),
            ("xxxx*x", Shape::Five),
            (".xx*x.", StraightFour),
            ("oxx*x.", Four),
            ("|xx*x.", Four),
            ("oxx*xo", Nothing),
            ("xx*.x", Four),
            ("x.x*x.x", TwoFours),
            ("xx.*x.xx", TwoFours),
            ("..x*x..", Three),
            ("o.x*x..", Three),
            ("o.x*x.o", ClosedThree),
            ("|.x*x.|", ClosedThree),
            ("..x*.x.", Three),
            ("ox.*x..", ClosedThree),
            ("..x*...", Two),
            ("..x.*..", Two),
            ("..x..*..", Two),
            ("ox*...", ClosedTwo),
            ("o*....o", One),
            ("o*...o", Nothing),
            ("|*...|", Nothing),
        ] {
            assert_eq!(shape(Five::OrMore, drawing), expected, "{drawing}");
        }
    }

    #[test]
    fn six_in_a_row_are_as_the_rules_say() {
        use Shape::{ClosedThree, Four, Nothing, Overline, StraightFour, Three, TwoFours};
        for (drawing, freely, exactly) in [
            ("xx*xxx", Shape::Five, Overline),
            ("x.xx*x.", StraightFour, Four),
            ("x.xx*x.x", StraightFour, Nothing),
            ("x..x*x..x", Three, ClosedThree),
            ("o.x*x..x", Three, ClosedThree),
            ("o..x*x..x", Three, Three),
            ("x.x*x.x", TwoFours, TwoFours),
        ] {
            assert_eq!(
                shape(Five::OrMore, drawing),
                freely,
                "{drawing}, five or more"
            );
            assert_eq!(
                shape(Five::Exactly, drawing),
                exactly,
                "{drawing}, exactly five"
            );
        }
    }

    #[test]
    fn five_between_two_stones_are_nothing_in_caro() {
        for (five, drawing, expected) in [
            (Five::OrMoreNotBlocked, "oxx*xxo", Shape::Nothing),
            (Five::OrMoreNotBlocked, "|xx*xxo", Shape::Five),
            (Five::OrMoreNotBlocked, "oxx*xx.", Shape::Five),
            (Five::OrMoreNotBlocked, "oxx*xxxo", Shape::Five),
            (Five::ExactlyNotBlocked, "oxx*xxxo", Shape::Overline),
            (Five::OrMoreNotBlocked, "oxx*x.o", Shape::Nothing),
            (Five::OrMoreNotBlocked, "oxx*x..", Shape::Four),
            (Five::OrMoreNotBlocked, ".xx*x.o", Shape::StraightFour),
            (Five::OrMoreNotBlocked, "oxx*xx.", Shape::Five),
            (Five::Exactly, "oxx*xxo", Shape::Five),
        ] {
            assert_eq!(shape(five, drawing), expected, "{five:?} {drawing}");
        }
    }

    #[test]
    fn cells_that_matter_are_named() {
        let shapes = Shapes::of(Five::OrMore);
        let steps = |cells: Cells| cells.steps().collect::<Vec<_>>();
        assert_eq!(steps(shapes.fives(window(".x*xx."))), [-2, 3]);
        assert_eq!(steps(shapes.fives(window("x.x*x.x"))), [-2, 2]);
        assert_eq!(steps(shapes.straights(window("..x*x.."))), [-2, 2]);
        assert_eq!(steps(shapes.straights(window("o.x*x.."))), [2]);
        assert_eq!(steps(shapes.straights(window(".x*.x."))), [1]);
    }

    /// One more own stone never makes a line worse where overlines win too.
    #[test]
    fn stones_help_where_overlines_win() {
        let shapes = Shapes::of(Five::OrMore);
        for window in Window::all() {
            let cells = window.cells(Cell::Own);
            for (cell, next) in with_a_stone(&cells) {
                assert!(shapes.shape(next) >= shapes.shape(window), "{window:?}");
                let mut stopped = cells;
                stopped[cell] = Cell::Theirs;
                let stopped = shapes.shape(Window::seen(&stopped));
                assert!(stopped <= shapes.shape(window), "{window:?}");
            }
        }
    }

    /// A line read from its other end has the same shapes.
    #[test]
    fn lines_have_no_direction() {
        for five in [
            Five::OrMore,
            Five::Exactly,
            Five::OrMoreNotBlocked,
            Five::ExactlyNotBlocked,
        ] {
            let shapes = Shapes::of(five);
            for window in Window::all() {
                let mut cells = window.cells(Cell::Own);
                cells.reverse();
                assert_eq!(shapes.shape(Window::seen(&cells)), shapes.shape(window));
            }
        }
    }
}
