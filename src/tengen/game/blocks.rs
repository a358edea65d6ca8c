//! Stones, their blocks and liberties, shared by NoGo and Go. No rule of either game is here.
//!
//! Points are neighbours along rows and columns. A block (chain) is a maximal connected set of
//! stones of one colour; its liberties are the empty points next to it. Blocks are kept as a
//! union-find forest over points, and each root carries its block's liberties as a [`Bits`].

use super::bits::Bits;
use super::{BoardSize, Color, Move};

/// Board geometry as bit masks: neighbours are computed with shifts instead of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Frame<const WORDS: usize> {
    size: BoardSize,
    board: Bits<WORDS>,
    /// All points but those of the first column.
    not_west: Bits<WORDS>,
    /// All points but those of the last column.
    not_east: Bits<WORDS>,
}

impl<const WORDS: usize> Frame<WORDS> {
    /// The frame of a board.
    ///
    /// # Panics
    /// Unless it has 1 to `64 * WORDS` points, and fewer than 64 columns.
    pub fn new(size: BoardSize) -> Self {
        assert!((1..=64 * WORDS).contains(&size.area()) && size.width < 64);
        let column = |x: u8| {
            (0..size.height)
                .map(|y| size.point(x, y))
                .collect::<Bits<WORDS>>()
        };
        let board = Bits::first(size.area());
        Frame {
            size,
            board,
            not_west: board & !column(0),
            not_east: board & !column(size.width - 1),
        }
    }

    /// The board's size.
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// All points.
    pub fn board(&self) -> Bits<WORDS> {
        self.board
    }

    /// All points next to a point of `set`.
    #[inline]
    pub fn neighbors(&self, set: Bits<WORDS>) -> Bits<WORDS> {
        let width = u32::from(self.size.width);
        (self.sideways(set) | set.shift_up(width) | set.shift_down(width)) & self.board
    }

    /// All points next to a point of `set` in its row.
    #[inline]
    pub fn sideways(&self, set: Bits<WORDS>) -> Bits<WORDS> {
        (set & self.not_west).shift_down(1) | (set & self.not_east).shift_up(1)
    }

    /// The connected components of `set`, by their lowest points.
    pub fn components(&self, set: Bits<WORDS>) -> impl Iterator<Item = Bits<WORDS>> {
        let mut left = set;
        std::iter::from_fn(move || {
            let component = self.flood(Bits::point(left.lowest()?), set);
            left.remove_all(component);
            Some(component)
        })
    }

    /// `from` and all points that connect to it through points of `within`.
    pub fn flood(&self, from: Bits<WORDS>, within: Bits<WORDS>) -> Bits<WORDS> {
        let mut reached = from;
        loop {
            let next = reached | self.neighbors(reached) & within;
            if next == reached {
                return reached;
            }
            reached = next;
        }
    }
}

/// The stones on a board with their blocks and liberties.
#[derive(Debug, Clone)]
pub struct Blocks<const WORDS: usize> {
    frame: Frame<WORDS>,
    stones: [Bits<WORDS>; 2],
    /// Union-find parent of each stone; a root is its own parent. Meaningless on empty points.
    parent: [[u16; 64]; WORDS],
    /// Liberties of the block whose root is this point. Meaningless elsewhere.
    liberties: [[Bits<WORDS>; 64]; WORDS],
}

/// How placing a stone changed the liberties around it.
#[derive(Debug, Clone, Copy)]
pub struct Placed<const WORDS: usize> {
    /// Empty points next to the new stone.
    pub empty_neighbors: Bits<WORDS>,
    /// The last liberty of the new stone's block, if it has just one.
    pub own_last_liberty: Bits<WORDS>,
    /// The last liberties of those neighbouring enemy blocks that have just one left.
    pub enemy_last_liberties: Bits<WORDS>,
}

impl<const WORDS: usize> Blocks<WORDS> {
    /// An empty board.
    ///
    /// # Panics
    /// As [`Frame::new`].
    pub fn new(size: BoardSize) -> Self {
        Blocks {
            frame: Frame::new(size),
            stones: [Bits::EMPTY; 2],
            parent: [[0; 64]; WORDS],
            liberties: [[Bits::EMPTY; 64]; WORDS],
        }
    }

    /// The board's shape.
    pub fn frame(&self) -> &Frame<WORDS> {
        &self.frame
    }

    /// The stones of one colour.
    pub fn stones(&self, color: Color) -> Bits<WORDS> {
        self.stones[color.index()]
    }

    /// The empty points.
    pub fn empty(&self) -> Bits<WORDS> {
        self.frame.board & !(self.stones[0] | self.stones[1])
    }

    /// The stone on a point.
    pub fn stone(&self, point: Move) -> Option<Color> {
        Color::BOTH
            .into_iter()
            .find(|color| self.stones[color.index()].contains(point))
    }

    /// The root of the block that the stone on `point` belongs to.
    fn root(&self, point: Move) -> Move {
        let mut at = point.0;
        loop {
            let up = self.parent[usize::from(at / 64)][usize::from(at % 64)];
            if up == at {
                return Move(at);
            }
            at = up;
        }
    }

    fn set_parent(&mut self, point: Move, parent: Move) {
        self.parent[point.index() / 64][point.index() % 64] = parent.0;
    }

    fn liberties_of_root(&mut self, root: Move) -> &mut Bits<WORDS> {
        &mut self.liberties[root.index() / 64][root.index() % 64]
    }

    /// Liberties of the block that the stone on `point` belongs to.
    pub fn liberties(&self, point: Move) -> Bits<WORDS> {
        let root = self.root(point);
        self.liberties[root.index() / 64][root.index() % 64]
    }

    /// The blocks of one colour, each given by its liberties.
    pub fn blocks(&self, color: Color) -> impl Iterator<Item = Bits<WORDS>> {
        self.stones[color.index()].iter().filter_map(|stone| {
            let (word, bit) = (stone.index() / 64, stone.index() % 64);
            (self.parent[word][bit] == stone.0).then(|| self.liberties[word][bit])
        })
    }

    /// Puts a stone on an empty point, joins blocks and takes liberties; nothing is captured.
    pub fn place(&mut self, color: Color, point: Move) -> Placed<WORDS> {
        let here = Bits::point(point);
        let around = self.frame.neighbors(here);
        self.stones[color.index()] |= here;
        let empty_neighbors = around & self.empty();

        let mut root = point;
        let mut liberties = empty_neighbors;
        self.set_parent(point, point);
        for friend in (around & self.stones[color.index()]).iter() {
            let other = self.root(friend);
            if other != root {
                liberties |= *self.liberties_of_root(other);
                // The older block stays the root, so that the forest stays shallow.
                self.set_parent(root, other);
                root = other;
            }
        }
        liberties.remove_all(here);
        *self.liberties_of_root(root) = liberties;

        let mut enemy_last_liberties = Bits::EMPTY;
        for enemy in (around & self.stones[color.opponent().index()]).iter() {
            let root = self.root(enemy);
            let left = self.liberties_of_root(root);
            left.remove_all(here);
            if left.is_single() {
                enemy_last_liberties |= *left;
            }
        }
        let own_last_liberty = if liberties.is_single() {
            liberties
        } else {
            Bits::EMPTY
        };
        Placed {
            empty_neighbors,
            own_last_liberty,
            enemy_last_liberties,
        }
    }
}
