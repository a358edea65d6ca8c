//! Static results: sound bounds on the number of moves each side has left.
//!
//! *Lower bound* of X (docs/methods.md#endings): moves that X can make against any play of Y.
//! *Upper bound* of Y: maximum number of moves against any play of X. X moving first wins when its
//! lower bound exceeds Y's upper bound; X moving second when it reaches it. The difference between
//! the two are the points that both can play. Such a point that X can play as long as Y has not
//! played at one of a few adjacent points is a *claim*: taking it gives X a move and takes one from
//! Y. X gets half of a set of independent claims, since each of Y's moves spoils at most one.

use super::board::Board;
use crate::game::{Bits, Color, Move};

/// Every point that can be reached from `seed` through neighbours in `through`.
fn flood<const W: usize>(board: &Board<W>, seed: Bits<W>, through: Bits<W>) -> Bits<W> {
    let mut found = seed;
    loop {
        let next = found | (board.frame().neighbors(found) & through);
        if next == found {
            return found;
        }
        found = next;
    }
}

/// Number of components of `through` that contain a point of `points`, a subset of `through`.
fn components<const W: usize>(board: &Board<W>, points: Bits<W>, through: Bits<W>) -> i32 {
    let (mut rest, mut count) = (points, 0);
    while let Some(point) = rest.lowest() {
        rest.remove_all(flood(board, Bits::point(point), through));
        count += 1;
    }
    count
}

/// Context of the claims of one colour.
struct ClaimContext<const W: usize> {
    /// The colour that claims.
    x: usize,
    /// Liberties that neither side will take before the claims are settled.
    kept: Bits<W>,
    /// Points where a stone of X has a permanent liberty, or one until all claims are settled.
    alive: Bits<W>,
    /// Stones of Y that may lose their last liberty.
    mortal: Bits<W>,
    /// Points where Y may place such a stone.
    risky: Bits<W>,
}

/// Inputs of both sides' bounds.
pub(super) struct MoveBounds<'b, const W: usize> {
    board: &'b Board<W>,
    /// Empty points that neither side can play: permanent liberties.
    pub(super) dead: Bits<W>,
    /// Stones of each colour that always keep a liberty.
    pub(super) immortal: [Bits<W>; 2],
    /// Points that this side can play against any reply; it may have to keep some of them as
    /// liberties.
    sure: [Bits<W>; 2],
    /// Sure points adjacent to immortal stones: spare moves without side effects.
    pub(super) spare: [Bits<W>; 2],
}

impl<'b, const W: usize> MoveBounds<'b, W> {
    pub(super) fn new(board: &'b Board<W>) -> Self {
        let dead = board.empty & !(board.legal[0] | board.legal[1]);
        let with_dead_liberty = |roots: Bits<W>| {
            let blocks = roots.iter().map(|root| board.block(root));
            let immortal = blocks.filter(|block| !(block.liberties & dead).is_empty());
            immortal.fold(Bits::EMPTY, |stones, block| stones | block.stones)
        };
        let immortal = if dead.is_empty() {
            [Bits::EMPTY; 2]
        } else {
            board.roots.map(with_dead_liberty)
        };
        let mut bounds = MoveBounds {
            board,
            dead,
            immortal,
            sure: [Bits::EMPTY; 2],
            spare: [Bits::EMPTY; 2],
        };
        for x in 0..2 {
            bounds.find_sure_points(x);
        }
        bounds
    }

    fn find_sure_points(&mut self, x: usize) {
        let (board, frame, y) = (self.board, self.board.frame(), 1 - x);
        let own = board.legal[x] & !board.legal[y];
        if own.is_empty() {
            return;
        }
        // A stone of Y that is or will be next to a sure point must not be in danger: taking its
        // last liberty would be a capture.
        let joins = board.empty & frame.neighbors(self.immortal[y] | self.dead);
        let harmless = board.stones[x] | own | self.dead | self.immortal[y] | joins;
        self.sure[x] = own & !frame.neighbors(frame.board() & !harmless);
        if self.sure[x].is_empty() {
            return;
        }
        // Stones that sure points connect to a dead point: only X can cut them off.
        let through = board.stones[x] | self.sure[x];
        let anchors = (frame.neighbors(self.dead) & through) | self.immortal[x];
        let free = flood(board, anchors, through);
        self.immortal[x] |= free & board.stones[x];
        self.spare[x] = free & self.sure[x];
    }

    /// The winner, if the bounds decide: whether the side to move wins.
    pub(super) fn verdict(&self) -> Option<bool> {
        let me = self.board.to_move;
        if self.wins(me, true) {
            Some(true)
        } else if self.wins(me.opponent(), false) {
            Some(false)
        } else {
            None
        }
    }

    /// Whether `side` certainly wins, moving first or second.
    fn wins(&self, side: Color, first: bool) -> bool {
        let (x, y) = (side.index(), side.opponent().index());
        let legal = self.board.legal;
        let shared = legal[x] & legal[y];
        let only = (legal[x] & !legal[y]).count() as i32;
        let (shared_count, theirs) = (shared.count() as i32, legal[y].count() as i32);
        // Assumes that every shared point is a claim, and that all but three of Y's points can be
        // played.
        if only + shared_count + 3 < theirs {
            return false;
        }
        // X gets c of its claims, half of them, rounded up if it moves first: then it wins if lower
        // + c > upper - c, and moving second if lower + c >= upper - c.
        let missing = self.upper(y) - self.lower(x);
        let claims = if first {
            2 * (missing + 2).div_euclid(2) - 1
        } else {
            2 * (missing + 1).div_euclid(2)
        };
        claims <= 0 || (claims <= shared_count && self.has_claims(x, claims))
    }

    /// Number of moves by which the bounds fail to decide: the maximum of one side minus the
    /// minimum of the other, for the side where that is smaller.
    pub(super) fn missing(&self) -> i32 {
        let missing = |x: usize| self.upper(1 - x) - self.lower(x);
        missing(0).min(missing(1)).max(0)
    }

    /// Moves that colour `x` can make against any play of the other.
    pub(super) fn lower(&self, x: usize) -> i32 {
        let (board, y) = (self.board, 1 - x);
        let own = board.legal[x] & !board.legal[y];
        let sure = self.sure[x];
        if sure.is_empty() {
            return 0;
        }
        let through = board.stones[x] | sure;
        let anchors = board.frame().neighbors(self.dead | (own & !sure)) & through;
        let free = flood(board, anchors, through);
        // A component without its own liberty must keep one of its points as its liberty.
        sure.count() as i32 - components(board, sure & !free, through)
    }

    /// Moves that colour `y` cannot make more of, against any play of the other.
    pub(super) fn upper(&self, y: usize) -> i32 {
        let board = self.board;
        let through = board.stones[y] | board.legal[y];
        let outside = board.empty & !board.legal[y];
        let free = flood(board, board.frame().neighbors(outside) & through, through);
        board.legal[y].count() as i32 - components(board, board.legal[y] & !free, through)
    }

    /// Whether colour `x` has this many independent claims.
    fn has_claims(&self, x: usize, claims: i32) -> bool {
        let (board, y) = (self.board, 1 - x);
        let frame = board.frame();
        let own = board.legal[x] & !board.legal[y];
        let shared = board.legal[x] & board.legal[y];
        let kept = self.dead | own;
        let context = ClaimContext {
            x,
            kept,
            alive: frame.neighbors(kept | self.immortal[x]),
            mortal: board.stones[y] & !self.immortal[y],
            risky: board.legal[y] & !frame.neighbors(self.immortal[y] | self.dead),
        };
        let safe = shared & context.alive & !frame.neighbors(context.mortal | context.risky);
        let mut count = safe.count() as i32;
        if count >= claims {
            return true;
        }
        let mut used = safe;
        let mut rest = shared & !safe;
        // Claims with few points first.
        for most in [2, 3, 5] {
            for point in rest.iter() {
                let Some(points) = self.claim(&context, point, used) else {
                    continue;
                };
                if points.count() > most || !(points & used).is_empty() {
                    continue;
                }
                used |= points;
                rest.remove_all(points);
                count += 1;
                if count >= claims {
                    return true;
                }
            }
        }
        false
    }

    /// The claim of `point`: it and those points where a stone of Y could make it illegal for X.
    /// None of them is in `used`, where that can be avoided.
    fn claim(&self, context: &ClaimContext<W>, point: Move, used: Bits<W>) -> Option<Bits<W>> {
        let board = self.board;
        let here = Bits::point(point);
        let around = board.around(point);
        let mut points = here | (around & context.risky);
        for enemy in (around & context.mortal).iter() {
            // As long as the enemy block has another liberty, this is no capture.
            let liberties = board.liberties(enemy) & !here;
            if (liberties & (context.kept | points)).is_empty() {
                points |= Bits::point((liberties & !used).lowest()?);
            }
        }
        if !context.alive.contains(point) {
            // As long as there is one liberty, this is no suicide.
            let friends = (around & board.stones[context.x]).iter();
            let near = around & board.empty;
            let liberties = friends.fold(near, |all, friend| all | board.liberties(friend)) & !here;
            if (liberties & (context.kept | points)).is_empty() {
                points |= Bits::point((liberties & !used).lowest()?);
            }
        }
        Some(points)
    }
}
