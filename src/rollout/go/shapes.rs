//! The 3x3 shapes in whose middle a stone is worth playing.

use std::sync::LazyLock;

use crate::game::go::Go;
use crate::game::{Bits, Color, Game, Move};

/// Points beside and across from the last stone that make a shape.
pub(super) fn shapes<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    last: Move,
) -> Bits<WORDS> {
    let mover = position.to_move();
    let side = position.around(last);
    let near = (side | position.next_to(side)) & position.empty();
    let good = |&point: &Move| {
        position.touches(point, last)
            && SHAPES.has(mover, position.neighborhood(point))
            && position.is_legal(point)
            && !position.is_self_atari(point)
    };
    near.iter().filter(good).collect()
}

/// The 3x3 shapes of MoGo (Gelly et al. 2006) in whose middle a stone of either colour is worth
/// playing: hane, cuts, and at the edge of the board. `X` and `O` are the colours, `x` and `o` all
/// but that colour, `?` anything; blanks are off the board.
const MOGO: [&str; 13] = [
    "XOX...???",
    "XO....?.?",
    "XO?X..x.?",
    ".O.X.....",
    "XO?O.o?o?",
    "XO?O.X???",
    "?X?O.Oooo",
    "OX?o.O???",
    "X.?O.?   ",
    "OX?X.O   ",
    "?X?x.O   ",
    "?XOx.x   ",
    "?OXX.O   ",
];

/// Which neighbourhoods are worth a stone.
pub(super) static SHAPES: LazyLock<Shapes> = LazyLock::new(Shapes::new);

/// A bit for each of all 4^8 neighbourhoods, for each mover.
pub(super) struct Shapes([Vec<u64>; 2]);

impl Shapes {
    fn new() -> Shapes {
        let mut shapes = Shapes([vec![0; 1 << 10], vec![0; 1 << 10]]);
        for shape in MOGO {
            for symmetry in 0..8 {
                for mover in Color::BOTH {
                    shapes.add(shape.as_bytes(), symmetry, mover, 0, 0);
                    let swapped = shape.bytes().map(|content| match content {
                        b'X' => b'O',
                        b'O' => b'X',
                        b'x' => b'o',
                        b'o' => b'x',
                        other => other,
                    });
                    shapes.add(&swapped.collect::<Vec<u8>>(), symmetry, mover, 0, 0);
                }
            }
        }
        shapes
    }

    /// Adds all that a shape says, from neighbour number `from` on, those before being `code`.
    fn add(&mut self, shape: &[u8], symmetry: u8, mover: Color, from: usize, code: u16) {
        /// Columns and rows of the neighbours, in the order of their bits.
        const PLACES: [(usize, usize); 8] = [
            (0, 1),
            (2, 1),
            (1, 0),
            (1, 2),
            (0, 0),
            (2, 0),
            (0, 2),
            (2, 2),
        ];
        let Some(&(mut x, mut y)) = PLACES.get(from) else {
            self.0[mover.index()][usize::from(code / 64)] |= 1 << (code % 64);
            return;
        };
        if symmetry & 1 != 0 {
            x = 2 - x;
        }
        if symmetry & 2 != 0 {
            y = 2 - y;
        }
        if symmetry & 4 != 0 {
            (x, y) = (y, x);
        }
        // Black, White, empty, border: as the position numbers them.
        let fits: &[u16] = match shape[3 * y + x] {
            b'X' => &[0],
            b'O' => &[1],
            b'.' => &[2],
            b' ' => &[3],
            b'x' => &[1, 2, 3],
            b'o' => &[0, 2, 3],
            _ => &[0, 1, 2, 3],
        };
        for content in fits {
            self.add(
                shape,
                symmetry,
                mover,
                from + 1,
                code | content << (2 * from),
            );
        }
    }

    pub(super) fn has(&self, mover: Color, code: u16) -> bool {
        self.0[mover.index()][usize::from(code / 64)] >> (code % 64) & 1 != 0
    }
}
