//! Counting: who owns which point, and by how much somebody is ahead.

use super::{Agreed, Go, Scoring};
use crate::game::{Bits, Color, HalfPoints};

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// By how much Black is ahead, komi and what White gets for handicap stones included.
    #[must_use]
    pub fn score(&self, agreed: &Agreed<WORDS>) -> HalfPoints {
        let owned = self.owned(agreed).map(|points| points.count() as i32);
        let mut ahead = owned[0] - owned[1];
        if self.rules.scoring == Scoring::Territory {
            let dead = Color::BOTH.map(|color| (self.stones(color) & agreed.dead).count() as i32);
            ahead += self.prisoners_ahead() + dead[1] - dead[0];
        }
        HalfPoints((2 * ahead).saturating_sub(self.komi().0))
    }

    /// By how much Black is ahead if area counts and all stones are alive, whatever the rules say;
    /// komi and what White gets for handicap stones included.
    #[must_use]
    pub fn area_score(&self) -> HalfPoints {
        let [black, white] = self.area().map(|points| points.count() as i32);
        HalfPoints((2 * (black - white)).saturating_sub(self.komi().0))
    }

    /// Black's and White's stones, all alive, with what each alone reaches.
    #[must_use]
    pub fn area(&self) -> [Bits<WORDS>; 2] {
        self.owned_as(Scoring::Area, &Agreed::all_alive())
    }

    /// The points that count for Black and for White: under area scoring living stones and what they
    /// alone reach, under territory scoring only the latter.
    #[must_use]
    pub fn owned(&self, agreed: &Agreed<WORDS>) -> [Bits<WORDS>; 2] {
        self.owned_as(self.rules.scoring, agreed)
    }

    fn owned_as(&self, scoring: Scoring, agreed: &Agreed<WORDS>) -> [Bits<WORDS>; 2] {
        let living = Color::BOTH.map(|color| self.stones(color) & !agreed.dead);
        let frame = self.board.frame();
        let empty = frame.board() & !(living[0] | living[1]);
        let reach = living.map(|stones| frame.flood(stones, empty));
        let own = |side: usize| {
            let alone = reach[side] & !reach[1 - side];
            match scoring {
                Scoring::Area => alone | living[side],
                Scoring::Territory => alone & empty & !frame.flood(agreed.seki, empty),
            }
        };
        [own(0), own(1)]
    }

    /// White's stones that were taken less Black's.
    pub(super) fn prisoners_ahead(&self) -> i32 {
        let [black, white] = Color::BOTH.map(|color| self.prisoners(color) as i32);
        white - black
    }
}
