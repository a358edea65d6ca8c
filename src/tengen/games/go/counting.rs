//! Go as a game whose players count points once both have passed.

use super::{Agreed, Go, GoRules, Scoring};
use crate::game::{
    Bits, Color, CurrentScore, Game as _, HalfPoints, Move, Outcome, OwnershipEstimate,
    PointStatus, Scored, Settled,
};

/// Share of occupied points from which on a side may pass first.
const LATE: f32 = 0.3;

/// A stone on a neutral point leaves its chain this many liberties, so that no reply threatens it.
const LIBERTIES_LEFT: usize = 3;

impl<const CELLS: usize, const WORDS: usize> Scored<Self> for Go<CELLS, WORDS> {
    fn resumed(&self) -> Self {
        let passes = if self.passes >= 2 { 0 } else { self.passes };
        Go {
            passes,
            ..self.clone()
        }
    }

    /// Area scoring, with the komi under which it counts the same ([`Go::area_komi`]); dead stones must be captured.
    fn disputed(&self) -> Self {
        let bonus = 2 * i32::from(self.rules.bonus(self.handicap.stones()));
        let rules = GoRules {
            komi: HalfPoints(self.area_komi().0.saturating_sub(bonus)),
            scoring: Scoring::Area,
            friendly_pass: false,
            ..self.rules
        };
        let position = Go {
            rules,
            judged: false,
            ..self.clone()
        };
        position.resumed()
    }

    fn searched(&self) -> Self {
        Go {
            judged: self.agrees_on_dead(),
            ..self.clone()
        }
    }

    /// Where the opponent has passed, and where as many points are occupied as near the end of a
    /// game.
    fn nears_end(&self) -> bool {
        let area = self.size().area();
        self.passes == 1 || (area - self.empty().count()) as f32 >= LATE * area as f32
    }

    /// Points secured by the opponent, and own secured regions without opposing stones.
    fn idle_moves(&self) -> Vec<Move> {
        let idle = self.settled_points(false) & self.legal_points();
        idle.iter().collect()
    }

    /// Under area scoring every point between two sides counts, and there is none.
    fn dame_move(&self, settled: &Settled) -> Option<Move> {
        if self.rules.scoring == Scoring::Area {
            return None;
        }
        let of = |status| settled.points(status).collect::<Bits<WORDS>>();
        let frame = self.board.frame();
        let living = of(PointStatus::Alive);
        let beside = |color| frame.neighbors(self.stones(color) & living);
        let sides = beside(self.to_move) & beside(self.to_move.opponent());
        // A liberty that a seki or a dead stone shares is not neutral.
        let others = frame.neighbors(of(PointStatus::Seki) | of(PointStatus::Dead));
        let points = of(PointStatus::Dame) & sides & !others;
        let is_safe = |&point: &Move| {
            self.is_legal(point) && self.after(point).liberties(point).count() >= LIBERTIES_LEFT
        };
        points.iter().find(is_safe)
    }

    fn fills_eye(&self, mv: Move) -> bool {
        self.is_eye(self.to_move, mv)
    }

    fn settle(&self, expected: &OwnershipEstimate) -> Settled {
        self.settled(expected)
    }

    fn outcome_without(&self, dead: &[Move]) -> Outcome {
        let agreed = self.agreed_on(dead.iter().copied().collect());
        Outcome::by_points(self.score(&agreed))
    }

    fn chains_of(&self, points: &[Move]) -> Vec<Vec<Move>> {
        let stones = points.iter().filter(|point| self.stone(**point).is_some());
        let mut left: Bits<WORDS> = stones.copied().collect();
        let mut chains = Vec::new();
        while let Some(first) = left.lowest() {
            let chain = self.chain(first);
            left.remove_all(chain);
            chains.push(chain.iter().collect());
        }
        chains
    }

    /// A pass-alive stone is alive, and a stone surrounded by pass-alive stones of the opponent is
    /// dead.
    fn certainly_dead(&self, stone: Move) -> Option<bool> {
        let color = self.stone(stone)?;
        if self.pass_alive(color).stones.contains(stone) {
            return Some(false);
        }
        let lost = self.pass_alive(color.opponent()).secured;
        lost.contains(stone).then_some(true)
    }

    fn ko(&self) -> Option<Move> {
        self.ko
    }

    fn passes_for_ko(&self) -> bool {
        self.rules.scoring == Scoring::Territory
    }

    /// Under territory scoring capturing dead stones would cost points, so players always agree on
    /// them.
    fn agrees_on_dead(&self) -> bool {
        self.rules.friendly_pass || self.rules.scoring == Scoring::Territory
    }

    fn handicap(&self) -> u16 {
        self.handicap.stones()
    }

    /// Under area scoring: points secured by pass-alive stones count for their side with any
    /// stones on them; all others count as they stand.
    fn current_score(&self) -> Option<CurrentScore> {
        if self.rules.scoring == Scoring::Territory {
            return None;
        }
        let secured = Color::BOTH.map(|color| self.pass_alive(color).secured);
        let standing = self.owned(&Agreed::ALL_ALIVE);
        let owned = [0, 1].map(|side| secured[side] | (standing[side] & !secured[1 - side]));
        let owner = |point: u16| {
            let owns = |color: &Color| owned[color.index()].contains(Move(point));
            Color::BOTH.into_iter().find(owns)
        };
        let [black, white] = owned.map(|points| points.count() as i32);
        Some(CurrentScore {
            owners: (0..self.size().area() as u16).map(owner).collect(),
            black_ahead: HalfPoints((2 * (black - white)).saturating_sub(self.komi().0)),
            decided: self.proven().proof().is_some(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::diagram::diagram;
    use super::*;

    /// The names of the points that a side fills, while the other one passes.
    fn filled(rows: &str, rules: &str, by: Color) -> String {
        let mut position = diagram(rows, rules, by);
        let expected = crate::rollout::expect(&position, 1000, 1, &|| false).unwrap();
        let settled = position.settle(&expected);
        let mut names = Vec::new();
        while let Some(point) = position.dame_move(&settled) {
            let (x, y) = position.size().column_row(point);
            names.push(format!("{}{}", char::from(b'a' + x), y + 1));
            position.play(point);
            position.set_to_move(by);
        }
        names.join(" ")
    }

    #[test]
    fn points_between_living_sides_are_filled_where_they_do_not_count() {
        let walls = "..X.O.. ..X.O.. ..X.O.. ..X.O.. ..X.O..";
        assert_eq!(filled(walls, "japanese", Color::Black), "d1 d2 d3 d4 d5");
        assert_eq!(filled(walls, "chinese", Color::Black), "");
    }

    #[test]
    fn a_seki_is_left_alone() {
        let seki = "XXXXXOOOO X.X.XO.O. XXXXXOOOO XOOOOXXXO XOOO.XXXO XOOO.XXXO";
        assert_eq!(filled(seki, "japanese", Color::Black), "");
    }

    #[test]
    fn a_side_keeps_three_liberties() {
        let last = ".XX.O.. XXXOO.. .XXOO.. XXXOO.. XXXOO..";
        assert_eq!(filled(last, "japanese", Color::Black), "");
        assert_eq!(filled(last, "japanese", Color::White), "d5");
    }
}
