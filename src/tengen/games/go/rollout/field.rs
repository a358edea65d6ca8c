//! The board of a rollout: chains with their stones and liberties as sets, and the neighbourhood of
//! each point, updated incrementally. It supports neither superko nor suicide, which rollouts do
//! not play.

use crate::game::{Bits, Color, Frame, Game, Move, Scored as _};
use crate::games::go::Go;
use crate::games::go::board::{BORDER, EMPTY, Grid};

/// The stones and liberties of a chain.
#[derive(Debug, Clone, Copy)]
pub(super) struct Chain<const WORDS: usize> {
    pub(super) stones: Bits<WORDS>,
    pub(super) liberties: Bits<WORDS>,
}

/// Neighbours of an empty point, for each side.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sides {
    /// Whether a stone may be played.
    pub(super) legal: [bool; 2],
    /// Size of the largest chain that would be captured: 0, 1, or 2 for more.
    pub(super) takes: [u8; 2],
    /// Size of the largest own chain without another liberty: 0, 1, or 2 for more.
    pub(super) saves: [u8; 2],
}

/// A position in a rollout, with the cells of [`Board`](crate::games::go::board::Board).
#[derive(Debug, Clone)]
pub(super) struct Field<const CELLS: usize, const WORDS: usize> {
    frame: Frame<WORDS>,
    grid: Grid,
    content: [u8; CELLS],
    /// Neighbourhood of each cell, as [`Field::around`].
    around: [u16; CELLS],
    /// The head cell of each stone's chain.
    head: [u16; CELLS],
    chains: [Chain<WORDS>; CELLS],
    stones: [Bits<WORDS>; 2],
    pub(super) to_move: Color,
    pub(super) last: Option<Move>,
    pub(super) ko: Option<Move>,
    pub(super) passes: u8,
    /// Points whose weight may have changed since the last query.
    changed: Bits<WORDS>,
}

impl<const CELLS: usize, const WORDS: usize> Field<CELLS, WORDS> {
    pub(super) fn of(position: &Go<CELLS, WORDS>) -> Self {
        let (frame, board) = (*position.frame(), &position.board);
        let none = Chain {
            stones: Bits::EMPTY,
            liberties: Bits::EMPTY,
        };
        let last = position.last_move().filter(|&mv| mv != position.pass());
        let mut field = Field {
            frame,
            grid: board.grid,
            content: board.content,
            around: [0; CELLS],
            head: board.head,
            chains: [none; CELLS],
            stones: Color::BOTH.map(|color| position.stones(color)),
            to_move: position.to_move(),
            last: last.filter(|&mv| position.stone(mv).is_some()),
            ko: position.ko(),
            passes: position.passes(),
            changed: frame.board(),
        };
        for point in frame.board().iter() {
            let cell = field.grid.cell(point);
            field.around[cell] = field.look_around(cell);
        }
        field.find_chains();
        field
    }

    fn look_around(&self, cell: usize) -> u16 {
        let cells = self.grid.neighbors(cell).into_iter().enumerate();
        cells.fold(0, |code, (n, at)| {
            code | u16::from(self.content[at]) << (2 * n)
        })
    }

    fn find_chains(&mut self) {
        let empty = self.empty();
        for stones in self.stones {
            let mut left = stones;
            while let Some(first) = left.lowest() {
                let chain = self.frame.flood(Bits::point(first), stones);
                left.remove_all(chain);
                let head = usize::from(self.head[self.grid.cell(first)]);
                self.chains[head] = Chain {
                    stones: chain,
                    liberties: self.frame.neighbors(chain) & empty,
                };
            }
        }
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

    pub(super) fn is_empty(&self, point: Move) -> bool {
        self.content[self.grid.cell(point)] == EMPTY
    }

    /// The chain of the stone on a point.
    pub(super) fn chain(&self, stone: Move) -> &Chain<WORDS> {
        &self.chains[usize::from(self.head[self.grid.cell(stone)])]
    }

    /// Neighbourhood of a point, two bits each: 0 black, 1 white, 2 empty, 3 off the board; from
    /// the lowest bits west, east, south, north, south-west, south-east, north-west, north-east.
    pub(super) fn around(&self, point: Move) -> u16 {
        self.around[self.grid.cell(point)]
    }

    /// Whether at least two orthogonal neighbours of a point are empty.
    pub(super) fn is_open(&self, point: Move) -> bool {
        let beside = self.around(point);
        // Empty is binary 10: a high bit without its low one.
        (beside >> 1 & !beside & 0x55).count_ones() >= 2
    }

    /// Points whose [`Field::sides`] or neighbourhood may have changed since the last call.
    pub(super) fn take_changed(&mut self) -> Bits<WORDS> {
        std::mem::replace(&mut self.changed, Bits::EMPTY)
    }

    /// Neighbours of an empty point.
    pub(super) fn sides(&self, point: Move) -> Sides {
        let mut sides = Sides::default();
        for next in self.grid.around(self.grid.cell(point)) {
            match self.content[next] {
                EMPTY => sides.legal = [true; 2],
                BORDER => {}
                color => {
                    let (own, other) = (usize::from(color), usize::from(1 - color));
                    let chain = &self.chains[usize::from(self.head[next])];
                    if chain.liberties.is_single() {
                        let stones = if chain.stones.is_single() { 1 } else { 2 };
                        sides.legal[other] = true;
                        sides.takes[other] = sides.takes[other].max(stones);
                        sides.saves[own] = sides.saves[own].max(stones);
                    } else {
                        sides.legal[own] = true;
                    }
                }
            }
        }
        sides
    }

    /// The chain of a stone of the side to move, if it captures nothing.
    pub(super) fn joined(&self, point: Move) -> Chain<WORDS> {
        let (cell, own) = (self.grid.cell(point), self.to_move.index() as u8);
        let mut joined = Chain {
            stones: Bits::point(point),
            liberties: Bits::EMPTY,
        };
        for next in self.grid.around(cell) {
            if self.content[next] == EMPTY {
                joined.liberties |= Bits::point(self.grid.point(next));
            } else if self.content[next] == own {
                let chain = &self.chains[usize::from(self.head[next])];
                joined.stones |= chain.stones;
                joined.liberties |= chain.liberties;
            }
        }
        joined.liberties.remove_all(Bits::point(point));
        joined
    }

    pub(super) fn pass(&mut self) {
        self.passes += 1;
        self.ko = None;
        self.last = None;
        self.to_move = self.to_move.opponent();
    }

    /// Plays a legal point.
    pub(super) fn play(&mut self, point: Move) {
        let (cell, own) = (self.grid.cell(point), self.to_move.index() as u8);
        self.changed.insert(point);
        self.set(cell, own);
        self.stones[usize::from(own)].insert(point);
        let (mut head, mut chain) = (cell, self.joined(point));
        for next in self.grid.around(cell) {
            let other = usize::from(self.head[next]);
            if self.content[next] == own && other != head {
                head = self.join(head, other, point);
            }
        }
        self.changed |= chain.liberties.if_single();
        self.head[cell] = head as u16;
        self.chains[head] = chain;
        self.ko = None;
        let mut taken = Bits::EMPTY;
        for next in self.grid.around(cell) {
            if self.content[next] != 1 - own {
                continue;
            }
            let prey = &mut self.chains[usize::from(self.head[next])];
            prey.liberties.remove_all(Bits::point(point));
            if prey.liberties.is_empty() {
                taken |= self.take(next);
            } else if prey.liberties.is_single() {
                self.changed |= prey.liberties;
            }
        }
        chain = self.chains[head];
        if taken.is_single() && chain.stones.is_single() && chain.liberties == taken {
            self.ko = taken.lowest();
        }
        self.passes = 0;
        self.last = Some(point);
        self.to_move = self.to_move.opponent();
    }

    /// Assigns the stones of the smaller of two chains the larger one's head, which is returned.
    fn join(&mut self, one: usize, other: usize, fresh: Move) -> usize {
        // The new stone is not a chain yet: `one` is its cell until it has joined a friend.
        let is_fresh = one == self.grid.cell(fresh);
        let count = |head: usize| self.chains[head].stones.count();
        if is_fresh || count(one) < count(other) {
            if !is_fresh {
                self.rename(one, other);
            }
            other
        } else {
            self.rename(other, one);
            one
        }
    }

    fn rename(&mut self, from: usize, to: usize) {
        for stone in self.chains[from].stones.iter() {
            let cell = self.grid.cell(stone);
            self.head[cell] = to as u16;
        }
        self.chains[to].stones |= self.chains[from].stones;
    }

    /// Removes a chain.
    fn take(&mut self, first: usize) -> Bits<WORDS> {
        let color = self.content[first];
        let taken = self.chains[usize::from(self.head[first])].stones;
        self.stones[usize::from(color)].remove_all(taken);
        for stone in taken.iter() {
            let cell = self.grid.cell(stone);
            self.set(cell, EMPTY);
            for next in self.grid.around(cell) {
                if self.content[next] == 1 - color {
                    let chain = &mut self.chains[usize::from(self.head[next])];
                    self.changed |= chain.liberties.if_single();
                    chain.liberties |= Bits::point(stone);
                    self.changed |= chain.liberties.if_single();
                }
            }
        }
        self.changed |= taken;
        taken
    }

    /// Changes the content of a cell, and its neighbours' neighbourhoods.
    fn set(&mut self, cell: usize, content: u8) {
        let change = u16::from(self.content[cell] ^ content);
        self.content[cell] = content;
        /// Index of this cell seen from a neighbour: the opposite direction.
        const OPPOSITE: [u32; 8] = [1, 0, 3, 2, 7, 6, 5, 4];
        for (n, next) in self.grid.neighbors(cell).into_iter().enumerate() {
            self.around[next] ^= change << (2 * OPPOSITE[n]);
            if self.content[next] == EMPTY {
                self.changed.insert(self.grid.point(next));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::rollout::weights::WEIGHTS;

    /// Compares the field with the rules of the game.
    fn check<const CELLS: usize, const WORDS: usize>(
        field: &Field<CELLS, WORDS>,
        position: &Go<CELLS, WORDS>,
    ) {
        assert_eq!(field.ko, position.ko());
        for color in Color::BOTH {
            assert_eq!(field.stones(color), position.stones(color));
            for stone in field.stones(color).iter() {
                assert_eq!(field.chain(stone).stones, position.chain(stone));
                assert_eq!(field.chain(stone).liberties, position.liberties(stone));
            }
        }
        let own = position.to_move();
        for point in position.empty().iter() {
            let sides = field.sides(point);
            assert_eq!(field.around(point), neighborhood(position, point));
            let legal = position.is_legal(point) || position.ko() == Some(point);
            assert_eq!(sides.legal[own.index()], legal, "{point:?}");
            let weights = WEIGHTS.of_shape(field.around(point));
            for color in Color::BOTH {
                assert_eq!(weights[color.index()] == 0, position.is_eye(color, point));
            }
            if !position.is_legal(point) {
                continue;
            }
            let mut next = position.clone();
            next.play(point);
            let taken = next.prisoners(own.opponent()) - position.prisoners(own.opponent());
            assert_eq!(sides.takes[own.index()] > 0, taken > 0);
            let open = position.next_to(Bits::point(point)) & position.empty();
            assert_eq!(field.is_open(point), open.count() >= 2);
            if taken == 0 {
                let joined = field.joined(point);
                assert_eq!(joined.stones, next.chain(point));
                assert_eq!(joined.liberties, next.liberties(point));
            }
        }
    }

    /// [`Field::around`] by the rules' board.
    fn neighborhood<const C: usize, const W: usize>(position: &Go<C, W>, point: Move) -> u16 {
        let size = position.size();
        let (x, y) = size.column_row(point);
        let steps = [
            (-1, 0),
            (1, 0),
            (0, -1),
            (0, 1),
            (-1, -1),
            (1, -1),
            (-1, 1),
            (1, 1),
        ];
        let content = |(dx, dy)| match (x.checked_add_signed(dx), y.checked_add_signed(dy)) {
            (Some(x), Some(y)) if x < size.width && y < size.height => position
                .stone(size.point(x, y))
                .map_or(EMPTY, |color| color.index() as u8),
            _ => BORDER,
        };
        let contents = (0..).zip(steps.map(content));
        contents.fold(0, |code, (n, content)| code | u16::from(content) << (2 * n))
    }

    fn play_both<const CELLS: usize, const WORDS: usize>(size: BoardSize, games: u64) {
        for seed in 0..games {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            let mut position = Go::<CELLS, WORDS>::new(size).unwrap();
            let mut field = Field::of(&position);
            for _ in 0..3 * size.area() {
                check(&field, &position);
                check(&Field::of(&position), &position);
                let count = position.legal_points().count();
                if count == 0 {
                    break;
                }
                let choice = position.legal_points().nth(rng.random_range(0..count));
                let point = choice.expect("as many as counted");
                let before = field.clone();
                field.take_changed();
                position.play(point);
                field.play(point);
                let changed = field.take_changed();
                let same = field.empty() & before.empty() & !changed;
                for point in same.iter() {
                    assert_eq!(field.around(point), before.around(point));
                    let [now, then] = [&field, &before].map(|field| field.sides(point));
                    assert_eq!(format!("{now:?}"), format!("{then:?}"), "{point:?}");
                }
            }
        }
    }

    #[test]
    fn it_is_the_board_of_the_rules() {
        for (width, height) in [(1, 7), (7, 1), (2, 2), (3, 5), (5, 5), (9, 9)] {
            let size = BoardSize::new(width, height);
            play_both::<111, 2>(size, 20);
        }
        play_both::<421, 6>(BoardSize::square(13), 2);
        play_both::<421, 6>(BoardSize::square(19), 1);
    }
}
