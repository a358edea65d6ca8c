//! The final position of a playout: owners of the points.

use crate::game::{Bits, Color, Frame, HalfPoints, Outcome};
use crate::games::go::Go;
use crate::rollout::Tally;

/// The points of a finished game, with all stones alive.
pub(super) struct Ended<const WORDS: usize> {
    /// Area of each side: stones and the points that it alone reaches.
    area: [Bits<WORDS>; 2],
    /// Points that both sides reach, with the adjacent chains.
    shared: Bits<WORDS>,
}

impl<const WORDS: usize> Ended<WORDS> {
    pub(super) fn of<const CELLS: usize>(position: &Go<CELLS, WORDS>) -> Self {
        let stones = Color::BOTH.map(|color| position.stones(color));
        Ended::with(position.frame(), stones)
    }

    pub(super) fn with(frame: &Frame<WORDS>, stones: [Bits<WORDS>; 2]) -> Self {
        let empty = frame.board() & !(stones[0] | stones[1]);
        let reach = stones.map(|own| frame.flood(frame.neighbors(own) & empty, empty));
        let open = reach[0] & reach[1];
        let mut shared = open;
        if !open.is_empty() {
            for own in stones {
                shared |= frame.flood(frame.neighbors(open) & own, own);
            }
        }
        Ended {
            area: [0, 1].map(|side| stones[side] | (reach[side] & !reach[1 - side])),
            shared,
        }
    }

    /// The result, which is added to `tally` with its points.
    pub(super) fn tally(&self, komi: HalfPoints, tally: &mut Tally) -> Outcome {
        let [black, white] = self.area.map(|points| points.count() as i32);
        let ahead = (2 * (black - white)).saturating_sub(komi.0);
        tally.count(f64::from(ahead) / 2.0);
        for (points, sign) in self.area.into_iter().zip([1.0, -1.0]) {
            for point in points.iter() {
                tally.owned(point.index(), sign);
            }
        }
        for point in self.shared.iter() {
            tally.shared(point.index());
        }
        Outcome::by_points(HalfPoints(ahead))
    }
}
