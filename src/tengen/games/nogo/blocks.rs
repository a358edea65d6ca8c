//! Blocks and their liberties, and what a stone changes.
//!
//! A block (chain) is a maximal connected set of stones of one colour; its liberties are the empty
//! points next to it. Blocks are kept as a union-find forest over points, and each root carries its
//! block's liberties.

use super::NoGo;
use crate::game::{Bits, Color, Move, zobrist};

impl<const WORDS: usize> NoGo<WORDS> {
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
        self.stones(color).iter().filter_map(|stone| {
            let (word, bit) = (stone.index() / 64, stone.index() % 64);
            (self.parent[word][bit] == stone.0).then(|| self.liberties[word][bit])
        })
    }

    /// Puts a stone of either colour on a point that is legal for it; the turn does not change.
    ///
    /// Only three kinds of points can become illegal: the new stone's point; the last liberty of a block,
    /// where the opponent would capture; and points without an empty neighbour, where a stone lives
    /// only by joining a block that has another liberty. Of the last kind only neighbours of the
    /// new stone and last liberties can have changed.
    pub(super) fn place(&mut self, color: Color, point: Move) {
        let (own, enemy) = (color.index(), color.opponent().index());
        debug_assert!(self.legal[own].contains(point), "{color} plays {point:?}");
        let here = Bits::point(point);
        let around = self.frame.neighbors(here);
        self.stones[own] |= here;
        self.key ^= zobrist::stone(color, point);
        self.ply += 1;
        let empty_neighbors = around & self.empty();

        let mut root = point;
        let mut liberties = empty_neighbors;
        self.set_parent(point, point);
        for friend in (around & self.stones[own]).iter() {
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

        let mut enemy_last = Bits::EMPTY;
        for stone in (around & self.stones[enemy]).iter() {
            let root = self.root(stone);
            let left = self.liberties_of_root(root);
            left.remove_all(here);
            if left.is_single() {
                enemy_last |= *left;
            }
        }
        let own_last = if liberties.is_single() {
            liberties
        } else {
            Bits::EMPTY
        };
        self.legal[own].remove_all(here | enemy_last);
        self.legal[enemy].remove_all(here | own_last);

        let enclosed = !self.frame.neighbors(self.empty());
        for point in ((empty_neighbors | own_last | enemy_last) & enclosed).iter() {
            for side in Color::BOTH {
                if self.legal[side.index()].contains(point) && !self.joins_safely(side, point) {
                    self.legal[side.index()].remove_all(Bits::point(point));
                }
            }
        }
    }

    /// Whether a stone of `color` on the enclosed point would join a block with another liberty.
    fn joins_safely(&self, color: Color, point: Move) -> bool {
        let around = self.frame.neighbors(Bits::point(point));
        let mut friends = (around & self.stones(color)).iter();
        friends.any(|friend| !self.liberties(friend).is_single())
    }
}
