//! The solver's board: stones and legal points that a move changes in place and undo restores,
//! without copies and heap allocation.

use crate::game::{Bits, Color, Frame, Game, Move};
use crate::games::nogo::NoGo;

/// A NoGo position with play and undo.
#[derive(Debug, Clone)]
pub(super) struct Board<const WORDS: usize> {
    pub(super) frame: Frame<WORDS>,
    /// Neighbours of each point.
    around: [[Bits<WORDS>; 64]; WORDS],
    pub(super) stones: [Bits<WORDS>; 2],
    /// Where each colour may play.
    pub(super) legal: [Bits<WORDS>; 2],
    pub(super) empty: Bits<WORDS>,
    /// Union-find parent of each stone. Paths are not compressed, so that they can be undone.
    parent: [[u8; 64]; WORDS],
    /// The block whose root is this point. Meaningless elsewhere.
    blocks: [[Block<WORDS>; 64]; WORDS],
    /// Roots of the blocks of each colour.
    pub(super) roots: [Bits<WORDS>; 2],
    /// Empty points that neither side can play: permanent liberties.
    pub(super) dead: Bits<WORDS>,
    /// Stones of the blocks beside them, which can never be captured.
    pub(super) walls: [Bits<WORDS>; 2],
    pub(super) to_move: Color,
}

/// A block: its stones and its liberties.
#[derive(Debug, Clone, Copy)]
pub(super) struct Block<const WORDS: usize> {
    pub(super) stones: Bits<WORDS>,
    pub(super) liberties: Bits<WORDS>,
}

impl<const WORDS: usize> Block<WORDS> {
    const NONE: Self = Block {
        stones: Bits::EMPTY,
        liberties: Bits::EMPTY,
    };
}

/// Data to undo a move.
pub(super) struct Undo<const WORDS: usize> {
    point: Move,
    legality: Legality<WORDS>,
    roots: Bits<WORDS>,
    /// The root that the new stone was joined to, itself if it had no friends, and its block.
    root: Move,
    block: Block<WORDS>,
    /// Roots of the own blocks that were joined to it, and of the enemy's that lost a liberty.
    absorbed: Bits<WORDS>,
    enemies: Bits<WORDS>,
}

/// What stones and promises change of a board beside its stones.
pub(super) struct Legality<const WORDS: usize> {
    legal: [Bits<WORDS>; 2],
    dead: Bits<WORDS>,
    walls: [Bits<WORDS>; 2],
}

impl<const WORDS: usize> Board<WORDS> {
    pub(super) fn new(position: &NoGo<WORDS>) -> Self {
        let frame = *position.frame();
        let mut board = Board {
            frame,
            around: [[Bits::EMPTY; 64]; WORDS],
            stones: [Bits::EMPTY; 2],
            legal: [frame.board(); 2],
            empty: frame.board(),
            parent: [[0; 64]; WORDS],
            blocks: [[Block::NONE; 64]; WORDS],
            roots: [Bits::EMPTY; 2],
            dead: Bits::EMPTY,
            walls: [Bits::EMPTY; 2],
            to_move: Color::Black,
        };
        for point in frame.board().iter() {
            let around = frame.neighbors(Bits::point(point));
            board.around[point.index() / 64][point.index() % 64] = around;
        }
        if frame.size().area() == 1 {
            board.legal = [Bits::EMPTY; 2];
        }
        for color in Color::BOTH {
            for point in position.stones(color).iter() {
                board.to_move = color;
                board.play(point);
            }
        }
        board.to_move = position.to_move();
        board
    }

    pub(super) fn around(&self, point: Move) -> Bits<WORDS> {
        self.around[point.index() / 64][point.index() % 64]
    }

    fn root(&self, point: Move) -> Move {
        let mut at = point;
        loop {
            let up = u16::from(self.parent[at.index() / 64][at.index() % 64]);
            if up == at.0 {
                return at;
            }
            at = Move(up);
        }
    }

    fn set_parent(&mut self, point: Move, parent: Move) {
        self.parent[point.index() / 64][point.index() % 64] = parent.0 as u8;
    }

    /// The block with this root.
    pub(super) fn block(&self, root: Move) -> &Block<WORDS> {
        &self.blocks[root.index() / 64][root.index() % 64]
    }

    fn block_mut(&mut self, root: Move) -> &mut Block<WORDS> {
        &mut self.blocks[root.index() / 64][root.index() % 64]
    }

    /// Liberties of the block that the stone on `point` belongs to.
    pub(super) fn liberties(&self, point: Move) -> Bits<WORDS> {
        self.block(self.root(point)).liberties
    }

    /// Plays a legal move of the side to move.
    pub(super) fn play(&mut self, point: Move) -> Undo<WORDS> {
        let (me, it) = (self.to_move.index(), self.to_move.opponent().index());
        let here = Bits::point(point);
        let around = self.around(point);
        let mut undo = Undo {
            point,
            legality: self.legality(),
            roots: self.roots[me],
            root: point,
            block: Block::NONE,
            absorbed: Bits::EMPTY,
            enemies: Bits::EMPTY,
        };
        self.stones[me] |= here;
        self.empty.remove_all(here);

        let empty_neighbors = around & self.empty;
        let mut block = Block {
            stones: here,
            liberties: empty_neighbors,
        };
        self.set_parent(point, point);
        for friend in (around & self.stones[me]).iter() {
            let other = self.root(friend);
            if other == undo.root {
                continue;
            }
            let joined = *self.block(other);
            block.stones |= joined.stones;
            block.liberties |= joined.liberties;
            if undo.root == point {
                undo.root = other;
                undo.block = joined;
                self.set_parent(point, other);
            } else {
                undo.absorbed |= Bits::point(other);
                self.set_parent(other, undo.root);
                self.roots[me].remove_all(Bits::point(other));
            }
        }
        if undo.root == point {
            self.roots[me] |= here;
        }
        block.liberties.remove_all(here);
        *self.block_mut(undo.root) = block;
        let liberties = block.liberties;

        // Points that may have become illegal for either side: see `NoGo::place`.
        let mut enemy_last = Bits::EMPTY;
        for enemy in (around & self.stones[it]).iter() {
            let root = self.root(enemy);
            let left = &mut self.block_mut(root).liberties;
            if left.contains(point) {
                left.remove_all(here);
                enemy_last |= left.if_single();
                undo.enemies |= Bits::point(root);
            }
        }
        let own_last = liberties.if_single();
        self.legal[me].remove_all(here | enemy_last);
        self.legal[it].remove_all(here | own_last);
        let closed = empty_neighbors | own_last | enemy_last;
        self.forbid(closed);
        if !(liberties & self.dead).is_empty() {
            self.walls[me] |= block.stones;
        }
        self.bury(closed & !(self.legal[0] | self.legal[1]));
        self.to_move = self.to_move.opponent();
        undo
    }

    /// Removes those of some empty points from each side's legal moves where its stone would have
    /// no liberty: no empty neighbour, and no adjacent block with another liberty.
    #[inline]
    fn forbid(&mut self, points: Bits<WORDS>) {
        for suspect in (points & (self.legal[0] | self.legal[1])).iter() {
            let around = self.around(suspect);
            if !(around & self.empty).is_empty() {
                continue;
            }
            for side in 0..2 {
                let mut friends = (around & self.stones[side]).iter();
                if self.legal[side].contains(suspect)
                    && !friends.any(|friend| !self.liberties(friend).is_single())
                {
                    self.legal[side].remove_all(Bits::point(suspect));
                }
            }
        }
    }

    /// Makes empty points that neither side can play permanent liberties.
    fn bury(&mut self, points: Bits<WORDS>) {
        self.dead |= points;
        for point in points.iter() {
            let around = self.around(point);
            for side in 0..2 {
                for stone in (around & self.stones[side] & !self.walls[side]).iter() {
                    self.walls[side] |= self.block(self.root(stone)).stones;
                }
            }
        }
    }

    fn legality(&self) -> Legality<WORDS> {
        Legality {
            legal: self.legal,
            dead: self.dead,
            walls: self.walls,
        }
    }

    /// The board on which `side` will not play on `points`, which the other side cannot play.
    pub(super) fn promised(&mut self, side: Color, points: Bits<WORDS>) -> Legality<WORDS> {
        let before = self.legality();
        self.legal[side.index()].remove_all(points);
        self.bury(points);
        before
    }

    /// Takes a promise back.
    pub(super) fn release(&mut self, before: &Legality<WORDS>) {
        self.legal = before.legal;
        self.dead = before.dead;
        self.walls = before.walls;
    }

    /// Gives the turn to the other side.
    pub(super) fn pass(&mut self) {
        self.to_move = self.to_move.opponent();
    }

    /// Undoes the last move.
    pub(super) fn take_back(&mut self, undo: &Undo<WORDS>) {
        self.to_move = self.to_move.opponent();
        let here = Bits::point(undo.point);
        self.stones[self.to_move.index()].remove_all(here);
        self.empty |= here;
        self.release(&undo.legality);
        self.roots[self.to_move.index()] = undo.roots;
        if undo.root != undo.point {
            *self.block_mut(undo.root) = undo.block;
        }
        for root in undo.absorbed.iter() {
            self.set_parent(root, root);
        }
        for root in undo.enemies.iter() {
            self.block_mut(root).liberties |= here;
        }
    }
}
