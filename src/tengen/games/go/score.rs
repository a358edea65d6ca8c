//! Scoring: owner of each point, and the difference in points.

use super::{Agreed, Go, Scoring};
use crate::game::{Bits, Color, HalfPoints};

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// Black's score minus White's, komi and compensation for handicap stones included.
    pub fn score(&self, agreed: &Agreed<WORDS>) -> HalfPoints {
        let owned = self.owned(agreed).map(|points| points.count() as i32);
        let mut ahead = owned[0] - owned[1];
        if self.rules.scoring == Scoring::Territory {
            let dead = Color::BOTH.map(|color| (self.stones(color) & agreed.dead).count() as i32);
            ahead += self.prisoners_ahead() + dead[1] - dead[0];
        }
        HalfPoints((2 * ahead).saturating_sub(self.komi().0))
    }

    /// Black's area score minus White's if all stones are alive, with [`Go::area_komi`].
    pub fn area_score(&self) -> HalfPoints {
        let [black, white] = self.area().map(|points| points.count() as i32);
        HalfPoints((2 * (black - white)).saturating_sub(self.area_komi().0))
    }

    /// Komi for counting the game by area. Under territory scoring every stone has cost its side a
    /// point, on the board or captured; so the two counts agree unless eyes in seki or future
    /// stones make a difference.
    pub fn area_komi(&self) -> HalfPoints {
        let ahead = match self.rules.scoring {
            Scoring::Area => 0,
            Scoring::Territory => {
                let [black, white] = Color::BOTH.map(|color| self.stones(color).count() as i32);
                black - white - self.prisoners_ahead()
            }
        };
        HalfPoints(self.komi().0.saturating_add(2 * ahead))
    }

    /// Area of Black and White if all stones are alive: stones and the points that each side alone
    /// reaches.
    pub fn area(&self) -> [Bits<WORDS>; 2] {
        self.owned_as(Scoring::Area, &Agreed::ALL_ALIVE)
    }

    /// The points that count for Black and for White: under area scoring living stones and the
    /// points they alone reach, under territory scoring only the latter.
    pub fn owned(&self, agreed: &Agreed<WORDS>) -> [Bits<WORDS>; 2] {
        self.owned_as(self.rules.scoring, agreed)
    }

    pub(super) fn owned_as(&self, scoring: Scoring, agreed: &Agreed<WORDS>) -> [Bits<WORDS>; 2] {
        let living = Color::BOTH.map(|color| self.stones(color) & !agreed.dead);
        let frame = self.board.frame();
        let empty = frame.board() & !(living[0] | living[1]);
        let reach = living.map(|stones| frame.flood(stones, empty));
        let own = |side: usize| {
            let alone = reach[side] & !reach[1 - side];
            match scoring {
                Scoring::Area => alone,
                Scoring::Territory => {
                    alone & empty & !frame.flood(agreed.seki, empty) & !agreed.filled
                }
            }
        };
        [own(0), own(1)]
    }

    /// White's captured stones minus Black's.
    pub(super) fn prisoners_ahead(&self) -> i32 {
        let [black, white] = Color::BOTH.map(|color| self.prisoners(color) as i32);
        white - black
    }
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// Whose each point is if the game ended now and what is dead amid pass-alive stones were taken off, as KataGo
    /// tells it to its networks (docs/methods.md#go), for Black and White: what is pass-alive with its territory, even
    /// where the other side's dead stones stand; other stones where they stand; empty points that one side alone
    /// reaches. With `suicide` stones are pass-alive only as far as they are where suicide is legal.
    pub fn area_without_dead(&self, suicide: bool) -> [Bits<WORDS>; 2] {
        let mut owned = [Bits::EMPTY; 2];
        for color in Color::BOTH {
            let (own, other) = (color.index(), color.opponent().index());
            let [certain, open] = self.claims(color, suicide);
            owned[other].remove_all(certain);
            owned[own] |= certain;
            owned[own] |= open & !(owned[0] | owned[1]);
        }
        let left = !(owned[0] | owned[1]);
        Color::BOTH.map(|color| owned[color.index()] | (self.stones(color) & left))
    }

    /// The claims of one side: those independent of the other side's, pass-alive stones and regions beside no other
    /// ones that are empty or in which nothing can live; and empty regions beside this side's stones alone.
    fn claims(&self, color: Color, suicide: bool) -> [Bits<WORDS>; 2] {
        let (stones, enemies) = (self.stones(color), self.stones(color.opponent()));
        if stones.is_empty() {
            return [Bits::EMPTY; 2];
        }
        let beside = self.frame().neighbors(stones);
        let found = self.benson(color, suicide);
        let (mut certain, mut open) = (found.stones(), Bits::EMPTY);
        for region in &found.regions {
            let is_empty = !region.points.intersects(enemies);
            // With one point that no stone of the side touches.
            let is_small = (region.points & !beside).count() < 2;
            if region.good && (is_empty || is_small) {
                certain |= region.points;
            } else if is_empty {
                open |= region.points;
            }
        }
        [certain, open]
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::diagram::diagram;
    use super::super::{GoRules, SmallGo};
    use super::*;
    use crate::game::{BoardSize, Game, Move, Scored as _};

    /// After any moves, passes and captures, area scoring with the adjusted komi equals territory
    /// scoring.
    #[test]
    fn a_territory_game_counts_the_same_by_area() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let rules: GoRules = "japanese komi0.5".parse().unwrap();
        let mut different = 0;
        for _ in 0..200 {
            let mut position = SmallGo::with_rules(BoardSize::square(5), rules).unwrap();
            for _ in 0..rng.random_range(0..60) {
                let moves: Vec<Move> = position.legal_points().iter().collect();
                let pass = moves.is_empty() || (rng.random_bool(0.1) && position.passes() == 0);
                let choice = rng.random_range(0..moves.len().max(1));
                position.play(if pass { position.pass() } else { moves[choice] });
                if position.outcome().is_some() {
                    break;
                }
            }
            let counted = position.score(&Agreed::ALL_ALIVE);
            assert_eq!(position.area_score(), counted, "{position:?}");
            different += i32::from(position.area_komi() != position.komi());
            let mut disputed = position.disputed();
            assert_eq!(disputed.outcome(), None);
            assert_eq!(disputed.score(&Agreed::ALL_ALIVE), counted);
            // From there on stones cost nothing.
            let komi = disputed.komi();
            if let Some(point) = disputed.legal_points().lowest() {
                disputed.play(point);
            }
            assert_eq!(disputed.area_komi(), komi);
        }
        assert!(different > 50, "{different}");
    }

    #[test]
    fn the_end_proves_nothing_to_a_search_where_the_players_have_to_agree() {
        let all = ["tromp-taylor", "chinese", "nz", "japanese"];
        for (rules, proves) in all.into_iter().zip([true, false, false, false]) {
            let rules: GoRules = rules.parse().unwrap();
            let empty = SmallGo::with_rules(BoardSize::square(3), rules).unwrap();
            let mut position = empty.searched();
            (0..2).for_each(|_| position.play(position.pass()));
            assert!(position.outcome().is_some());
            assert_eq!(position.certain().proof().is_some(), proves, "{rules}");
        }
    }

    /// Who claims what, in rows from the top: `X` Black, `O` White.
    fn area_without_dead(rows: &str, suicide: bool) -> String {
        let position = diagram(rows, "chinese", Color::Black);
        let owned = position.area_without_dead(suicide);
        let size = crate::game::Game::size(&position);
        let letter = |row: u8, column: u8| {
            let point = size.point(column, row);
            match owned.map(|points| points.contains(point)) {
                [true, false] => 'X',
                [false, true] => 'O',
                [false, false] => '.',
                [true, true] => '?',
            }
        };
        let row = |row| (0..size.width).map(|column| letter(row, column)).collect();
        let rows: Vec<String> = (0..size.height).rev().map(row).collect();
        rows.join(" ")
    }

    #[test]
    fn each_point_goes_to_who_has_it() {
        for (what, rows, wanted) in [
            ("nothing", "..... ..... .....", "..... ..... ....."),
            (
                "one stone has all",
                "..... ..X.. .....",
                "XXXXX XXXXX XXXXX",
            ),
            (
                "stones and what is between",
                "..X.O ..X.O ..X.O",
                "XXX.O XXX.O XXX.O",
            ),
            (
                "a dead stone in an eye is taken",
                "O.X.. XXXXX .X.X. ..... .....",
                "XXXXX XXXXX XXXXX XXXXX XXXXX",
            ),
            (
                // The example in KataGo's comments.
                "territory of pass-alive stones, though only White borders it",
                ".OX.X.X OXXXXXX XX.....",
                "XXXXXXX XXXXXXX XXXXXXX",
            ),
            (
                "a large empty region of pass-alive stones",
                ".X.X. XXXX. ..... .OOOO .O.O.",
                "XXXX. XXXX. ..... .OOOO .OOOO",
            ),
        ] {
            assert_eq!(area_without_dead(rows, false), wanted, "{what}");
        }
    }

    #[test]
    fn with_suicide_eyes_may_not_be_filled() {
        // White's three stones leave Black's eye of four one empty point that Black touches: only where
        // suicide is legal White's stones count as not touched.
        let rows = "OOX.X O.XXX XXX.. ..... .....";
        let [without, with] = [false, true].map(|suicide| area_without_dead(rows, suicide));
        assert_ne!(without, with);
        assert!(without.starts_with("XXXXX XXXXX"), "{without}");
    }
}
