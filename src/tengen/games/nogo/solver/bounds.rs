//! Static results: sound bounds on the number of moves each side has left.
//!
//! *Lower bound* of X (docs/methods.md#endings): moves that X can make against any play of Y.
//! *Upper bound* of Y: maximum number of moves against any play of X. X moving first wins when its
//! lower bound exceeds Y's upper bound; X moving second when it reaches it. The difference between
//! the two are the points that both can play. Such a point that X can play as long as Y has not
//! played at one of a few adjacent points is a *claim*: taking it gives X a move and takes one from
//! Y. X gets half of a set of independent claims, since each of Y's moves spoils at most one.

use super::board::Board;
use crate::game::{Bits, Move};

/// Number of components of `through` that contain a point of `points`, a subset of `through`.
fn components<const W: usize>(board: &Board<W>, points: Bits<W>, through: Bits<W>) -> i32 {
    let (mut rest, mut count) = (points, 0);
    while let Some(point) = rest.lowest() {
        rest.remove_all(board.frame.flood(Bits::point(point), through));
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
#[derive(Debug, Clone, Copy)]
pub(super) struct MoveBounds<const W: usize> {
    /// Stones of each colour that always keep a liberty.
    pub(super) immortal: [Bits<W>; 2],
    /// Points that this side can play against any reply; it may have to keep some of them as
    /// liberties.
    sure: [Bits<W>; 2],
    /// Sure points adjacent to immortal stones: spare moves without side effects.
    pub(super) spare: [Bits<W>; 2],
}

impl<const W: usize> MoveBounds<W> {
    pub(super) fn new(board: &Board<W>) -> Self {
        let mut bounds = MoveBounds {
            immortal: board.walls,
            sure: [Bits::EMPTY; 2],
            spare: [Bits::EMPTY; 2],
        };
        for x in 0..2 {
            bounds.find_sure_points(board, x);
        }
        bounds
    }

    fn find_sure_points(&mut self, board: &Board<W>, x: usize) {
        let (frame, y) = (&board.frame, 1 - x);
        let own = board.legal[x] & !board.legal[y];
        if own.is_empty() {
            return;
        }
        // A stone of Y that is or will be next to a sure point must not be in danger: taking its
        // last liberty would be a capture.
        let joins = board.empty & frame.neighbors(self.immortal[y] | board.dead);
        let harmless = board.stones[x] | own | board.dead | self.immortal[y] | joins;
        self.sure[x] = own & !frame.neighbors(frame.board() & !harmless);
        if self.sure[x].is_empty() {
            return;
        }
        // Stones that sure points connect to a dead point: only X can cut them off.
        let through = (board.stones[x] | self.sure[x]) & !board.walls[x];
        let free = frame.flood(
            frame.neighbors(board.dead | board.walls[x]) & through,
            through,
        );
        self.immortal[x] |= free & board.stones[x];
        self.spare[x] = free & self.sure[x];
    }

    /// Number of moves by which the bounds fail to decide: the maximum of one side minus the
    /// minimum of the other, for the side where that is smaller.
    pub(super) fn missing(&self, board: &Board<W>) -> i32 {
        let all = board.empty;
        let missing = |x: usize| self.upper(board, 1 - x, all) - self.lower(board, x, all);
        missing(0).min(missing(1)).max(0)
    }

    /// Moves that colour `x` can make in `region`, a union of parts, against any play of the other.
    pub(super) fn lower(&self, board: &Board<W>, x: usize, region: Bits<W>) -> i32 {
        let own = board.legal[x] & !board.legal[1 - x];
        let sure = self.sure[x];
        self.moves(board, x, sure, board.dead | (own & !sure), region)
    }

    /// Moves in `region`, a union of parts, that colour `y` cannot make more of, against any play of
    /// the other.
    pub(super) fn upper(&self, board: &Board<W>, y: usize, region: Bits<W>) -> i32 {
        let legal = board.legal[y];
        self.moves(board, y, legal, board.empty & !legal, region)
    }

    /// The number of these points of colour `x` in a region, less those that it has to keep as liberties: one for each
    /// component of them and its stones without a liberty `outside`.
    #[inline]
    fn moves(
        &self,
        board: &Board<W>,
        x: usize,
        points: Bits<W>,
        outside: Bits<W>,
        region: Bits<W>,
    ) -> i32 {
        let counted = points & region;
        if counted.is_empty() {
            return 0;
        }
        let frame = &board.frame;
        let through = (board.stones[x] | points) & !self.immortal[x];
        let outside = outside | self.immortal[x];
        let free = frame.flood(frame.neighbors(outside) & through, through);
        counted.count() as i32 - components(board, counted & !free, through)
    }

    /// Independent claims of colour `x` in `region`, a union of parts, if there are at least
    /// `needed`, else some smaller number.
    pub(super) fn claims(&self, board: &Board<W>, x: usize, region: Bits<W>, needed: i32) -> i32 {
        let (frame, y) = (&board.frame, 1 - x);
        let own = board.legal[x] & !board.legal[y];
        let shared = board.legal[x] & board.legal[y] & region;
        let kept = board.dead | own;
        let context = ClaimContext {
            x,
            kept,
            alive: frame.neighbors(kept | self.immortal[x]),
            mortal: board.stones[y] & !self.immortal[y],
            risky: board.legal[y] & !frame.neighbors(self.immortal[y] | board.dead),
        };
        let safe = shared & context.alive & !frame.neighbors(context.mortal | context.risky);
        let mut count = safe.count() as i32;
        let mut used = safe;
        let mut rest = shared & !safe;
        // Claims with few points first.
        for most in [2, 3, 5] {
            for point in rest.iter() {
                if count >= needed || count + (rest.count() as i32) < needed {
                    return count;
                }
                let Some(points) = self.claim(board, &context, point, used) else {
                    continue;
                };
                if points.count() > most || !(points & used).is_empty() {
                    continue;
                }
                used |= points;
                rest.remove_all(points);
                count += 1;
            }
        }
        count
    }

    /// The claim of `point`: it and those points where a stone of Y could make it illegal for X.
    /// None of them is in `used`, where that can be avoided.
    fn claim(
        &self,
        board: &Board<W>,
        context: &ClaimContext<W>,
        point: Move,
        used: Bits<W>,
    ) -> Option<Bits<W>> {
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
