//! Stones, chains and liberties: the effect of a move on the board. Ko, turns and results are not
//! here.
//!
//! The board is stored in rows with one border cell between them, so that each cell has four
//! neighbours. A chain is a circular list of stones, identified by one of them, its head. The head
//! stores *pseudo-liberties*: an empty point counts once for each adjacent stone of the chain. It
//! stores their number, their sum and the sum of their squares. These identify a chain in atari and
//! its last liberty: all pseudo-liberties are the same cell exactly when number × sum of squares =
//! sum².

use crate::game::{Bits, BoardSize, Color, Frame, Move, zobrist};

/// Index of a cell: 0 is below and left of the first point.
pub(super) type Cell = usize;

/// Contents of cells without a stone.
pub(super) const EMPTY: u8 = 2;
pub(super) const BORDER: u8 = 3;

/// Pseudo-liberties and size of a chain, packed so that one addition updates all four fields.
///
/// On 361 points a chain of s stones with e empty points left has at most
/// min(2s + 2, 4e) <= 482 pseudo-liberties, of cells up to 399.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Chain(u64);

impl Chain {
    /// Offsets of the fields: 9 bits for the number of pseudo-liberties, 18 for their sum, 27 for
    /// the sum of squares.
    const SUM: u32 = 9;
    const SQUARES: u32 = Self::SUM + 18;
    const SIZE: u32 = Self::SQUARES + 27;

    const NONE: Chain = Chain(0);
    const ONE_STONE: Chain = Chain(1 << Self::SIZE);

    /// One pseudo-liberty.
    fn liberty(cell: Cell) -> Chain {
        let cell = cell as u64;
        Chain(1 | cell << Self::SUM | (cell * cell) << Self::SQUARES)
    }

    fn add(&mut self, other: Chain) {
        self.0 += other.0;
    }

    fn take(&mut self, other: Chain) {
        self.0 -= other.0;
    }

    fn field(self, from: u32, to: u32) -> u64 {
        self.0 >> from & ((1 << (to - from)) - 1)
    }

    fn pseudo_liberties(self) -> u64 {
        self.field(0, Self::SUM)
    }

    fn size(self) -> u64 {
        self.0 >> Self::SIZE
    }

    /// The only liberty, if there is exactly one.
    fn last_liberty(self) -> Option<Cell> {
        let number = self.pseudo_liberties();
        let sum = self.field(Self::SUM, Self::SQUARES);
        let squares = self.field(Self::SQUARES, Self::SIZE);
        (number != 0 && number * squares == sum * sum).then(|| (sum / number) as Cell)
    }

    /// Whether there is exactly one liberty.
    fn in_atari(self) -> bool {
        self.last_liberty().is_some()
    }
}

/// Where the points of a board are among its cells.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    /// Cells per row.
    stride: usize,
    /// 2^16 divided by the number of columns and by the cells per row, rounded up: division of a
    /// cell by either becomes a multiplication.
    through: [u32; 2],
}

impl Grid {
    fn of(size: BoardSize) -> Grid {
        let width = u32::from(size.width);
        Grid {
            stride: usize::from(size.width) + 1,
            through: [width, width + 1].map(|by| (1_u32 << 16).div_ceil(by)),
        }
    }

    /// The cell of a point on the board.
    #[inline]
    pub(super) fn cell(&self, point: Move) -> Cell {
        let row = (u32::from(point.0) * self.through[0]) >> 16;
        point.index() + row as usize + self.stride + 1
    }

    /// The point of a cell inside the border.
    #[inline]
    pub(super) fn point(&self, cell: Cell) -> Move {
        let inside = cell - self.stride - 1;
        let row = (inside as u32 * self.through[1]) >> 16;
        Move((inside - row as usize) as u16)
    }

    /// Those beside a cell.
    #[inline]
    pub(super) fn around(&self, cell: Cell) -> [Cell; 4] {
        [cell - 1, cell + 1, cell - self.stride, cell + self.stride]
    }

    #[inline]
    fn diagonals(&self, cell: Cell) -> [Cell; 4] {
        let (below, above) = (cell - self.stride, cell + self.stride);
        [below - 1, below + 1, above - 1, above + 1]
    }

    /// All eight around a cell, those beside it first.
    #[inline]
    pub(super) fn neighbors(&self, cell: Cell) -> [Cell; 8] {
        let (beside, corners) = (self.around(cell), self.diagonals(cell));
        std::array::from_fn(|n| if n < 4 { beside[n] } else { corners[n - 4] })
    }
}

/// Whether an empty point with these contents beside it and at its corners is an eye of `color`: surrounded by own
/// stones, with enough of them at its corners that it cannot become a false eye (one corner may be the opponent's, none
/// at the edge).
pub(super) fn is_eye(color: Color, beside: [u8; 4], corners: impl FnOnce() -> [u8; 4]) -> bool {
    let own = color.index() as u8;
    if beside.iter().any(|&at| at != own && at != BORDER) {
        return false;
    }
    let corners = corners();
    let count = |what: u8| corners.iter().filter(|&&at| at == what).count();
    count(color.opponent().index() as u8) + usize::from(count(BORDER) > 0) < 2
}

/// Stones captured by a move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Taken {
    /// Captured stones of the opponent.
    pub(super) theirs: u32,
    /// Own stones lost by suicide.
    pub(super) own: u32,
    /// The point where a single stone was captured by a single stone that could now be recaptured
    /// (ko).
    pub(super) ko: Option<Move>,
}

/// A board of at most `64 * WORDS - 1` points, with its border in at most `CELLS` cells.
#[derive(Debug, Clone)]
pub(super) struct Board<const CELLS: usize, const WORDS: usize> {
    frame: Frame<WORDS>,
    stones: [Bits<WORDS>; 2],
    /// XOR of the keys of all stones.
    key: u128,
    pub(super) grid: Grid,
    /// Index of the stone's colour, or empty, or border.
    pub(super) content: [u8; CELLS],
    /// The head of each stone's chain. Meaningless on empty cells.
    pub(super) head: [u16; CELLS],
    /// The next stone of each stone's chain, in a circle. Meaningless on empty cells.
    next: [u16; CELLS],
    /// The chain of each head. Meaningless elsewhere.
    chains: [Chain; CELLS],
}

impl<const CELLS: usize, const WORDS: usize> Board<CELLS, WORDS> {
    /// The empty board, if it fits.
    pub(super) fn new(size: BoardSize) -> Option<Self> {
        let (stride, height) = (usize::from(size.width) + 1, usize::from(size.height));
        let fits = size.area() < 64 * WORDS && stride * (height + 2) < CELLS;
        if !fits || size.area() == 0 {
            return None;
        }
        let mut board = Board {
            frame: Frame::new(size),
            stones: [Bits::EMPTY; 2],
            key: 0,
            grid: Grid::of(size),
            content: [BORDER; CELLS],
            head: [0; CELLS],
            next: [0; CELLS],
            chains: [Chain::NONE; CELLS],
        };
        for point in board.frame.board().iter() {
            board.content[board.grid.cell(point)] = EMPTY;
        }
        Some(board)
    }

    pub(super) fn frame(&self) -> &Frame<WORDS> {
        &self.frame
    }

    pub(super) fn stones(&self, color: Color) -> Bits<WORDS> {
        self.stones[color.index()]
    }

    pub(super) fn empty(&self) -> Bits<WORDS> {
        self.frame.board() & !(self.stones[0] | self.stones[1])
    }

    /// Position key: equal stones have equal keys.
    pub(super) fn key(&self) -> u128 {
        self.key
    }

    fn chain(&self, stone: Cell) -> Chain {
        self.chains[usize::from(self.head[stone])]
    }

    /// Whether `color` may play on an empty point, kos aside.
    pub(super) fn is_legal(&self, color: Color, point: Move, suicide: bool) -> bool {
        let own = color.index() as u8;
        let mut has_friend = false;
        for cell in self.grid.around(self.grid.cell(point)) {
            let content = self.content[cell];
            let legal = match content {
                EMPTY => true,
                BORDER => false,
                // A friendly neighbour with another liberty, or an opponent's chain that would be
                // captured.
                _ => (content == own) != self.chain(cell).in_atari(),
            };
            if legal {
                return true;
            }
            has_friend |= content == own;
        }
        suicide && has_friend
    }

    /// All points where `color` may play, kos aside.
    pub(super) fn legal(&self, color: Color, suicide: bool) -> Bits<WORDS> {
        let empty = self.empty();
        let open = empty & self.frame.neighbors(empty);
        let enclosed = empty & !open;
        let legal = enclosed
            .iter()
            .filter(|&p| self.is_legal(color, p, suicide));
        legal.collect::<Bits<WORDS>>() | open
    }

    /// Whether an empty point is an eye of `color` ([`is_eye`]).
    pub(super) fn is_eye(&self, color: Color, point: Move) -> bool {
        let cell = self.grid.cell(point);
        let contents = |cells: [Cell; 4]| cells.map(|at| self.content[at]);
        is_eye(color, contents(self.grid.around(cell)), || {
            contents(self.grid.diagonals(cell))
        })
    }

    /// Puts a stone on an empty point and joins chains; captures nothing.
    pub(super) fn put(&mut self, color: Color, point: Move) {
        let (cell, own) = (self.grid.cell(point), color.index() as u8);
        self.content[cell] = own;
        self.stones[color.index()].insert(point);
        self.key ^= zobrist::stone(color, point);
        self.head[cell] = cell as u16;
        self.next[cell] = cell as u16;
        let here = Chain::liberty(cell);
        let mut chain = Chain::ONE_STONE;
        for next in self.grid.around(cell) {
            match self.content[next] {
                EMPTY => chain.add(Chain::liberty(next)),
                BORDER => {}
                _ => self.chains[usize::from(self.head[next])].take(here),
            }
        }
        self.chains[cell] = chain;
        for next in self.grid.around(cell) {
            if self.content[next] == own && self.head[next] != self.head[cell] {
                self.join(usize::from(self.head[cell]), usize::from(self.head[next]));
            }
        }
    }

    /// Joins two chains, given by their heads; the larger one's head stays.
    fn join(&mut self, one: Cell, other: Cell) {
        let smaller = self.chains[one].size() < self.chains[other].size();
        let (small, large) = if smaller { (one, other) } else { (other, one) };
        let added = self.chains[small];
        self.chains[large].add(added);
        let mut stone = small;
        loop {
            self.head[stone] = large as u16;
            stone = usize::from(self.next[stone]);
            if stone == small {
                break;
            }
        }
        self.next.swap(small, large);
    }

    /// Whether the chain of the stone on `point` has no liberties.
    pub(super) fn is_dead(&self, point: Move) -> bool {
        self.chain(self.grid.cell(point)).pseudo_liberties() == 0
    }

    /// Plays on a point that is legal for `color`.
    pub(super) fn play(&mut self, color: Color, point: Move) -> Taken {
        self.put(color, point);
        let cell = self.grid.cell(point);
        let enemy = color.opponent().index() as u8;
        let (mut theirs, mut last) = (0, cell);
        for next in self.grid.around(cell) {
            if self.content[next] == enemy && self.chain(next).pseudo_liberties() == 0 {
                theirs += self.remove(color.opponent(), next);
                last = next;
            }
        }
        let chain = self.chain(cell);
        let own = match chain.pseudo_liberties() {
            0 => self.remove(color, cell),
            _ => 0,
        };
        let ko = theirs == 1 && chain.size() == 1 && chain.pseudo_liberties() == 1;
        Taken {
            theirs,
            own,
            ko: ko.then(|| self.grid.point(last)),
        }
    }

    /// Position key after a legal move, without playing it.
    pub(super) fn key_after(&self, color: Color, point: Move) -> u128 {
        let (cell, own) = (self.grid.cell(point), color.index() as u8);
        let (mut breathes, mut taken) = (false, Bits::EMPTY);
        for next in self.grid.around(cell) {
            match self.content[next] {
                EMPTY => breathes = true,
                BORDER => {}
                content if content == own => breathes |= !self.chain(next).in_atari(),
                _ if self.chain(next).in_atari() => taken |= self.chain_of(self.grid.point(next)),
                _ => {}
            }
        }
        let (side, gone) = match breathes || !taken.is_empty() {
            true => (color.opponent(), taken),
            // Suicide: the stone is removed with all chains that it joins.
            false => {
                let friends = self.grid.around(cell).into_iter();
                let friends = friends.filter(|&next| self.content[next] == own);
                let chains = friends.map(|next| self.chain_of(self.grid.point(next)));
                let joined = chains.fold(Bits::point(point), |all, chain| all | chain);
                (color, joined)
            }
        };
        let key = self.key ^ zobrist::stone(color, point);
        let stones = gone.iter();
        stones.fold(key, |key, stone| key ^ zobrist::stone(side, stone))
    }

    /// Removes a chain; returns its number of stones.
    fn remove(&mut self, color: Color, first: Cell) -> u32 {
        let head = self.head[first];
        let (mut stone, mut count) = (first, 0);
        loop {
            let (point, liberty) = (self.grid.point(stone), Chain::liberty(stone));
            self.content[stone] = EMPTY;
            self.stones[color.index()].remove(point);
            self.key ^= zobrist::stone(color, point);
            for next in self.grid.around(stone) {
                // Stones of the same chain that are still to be removed do not matter.
                if self.content[next] < EMPTY && self.head[next] != head {
                    self.chains[usize::from(self.head[next])].add(liberty);
                }
            }
            count += 1;
            stone = usize::from(self.next[stone]);
            if stone == first {
                return count;
            }
        }
    }

    /// The last liberty of the chain of the stone on `point`, if it has just one.
    pub(super) fn last_liberty(&self, point: Move) -> Option<Move> {
        let last = self.chain(self.grid.cell(point)).last_liberty();
        last.map(|cell| self.grid.point(cell))
    }

    /// The stones of the chain of the stone on `point`.
    pub(super) fn chain_of(&self, point: Move) -> Bits<WORDS> {
        let mut stones = Bits::EMPTY;
        let first = self.grid.cell(point);
        let mut stone = first;
        loop {
            stones.insert(self.grid.point(stone));
            stone = usize::from(self.next[stone]);
            if stone == first {
                return stones;
            }
        }
    }
}
