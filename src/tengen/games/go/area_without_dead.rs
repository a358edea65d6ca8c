//! Whose each point is if the game ended now and what is dead amid pass-alive stones were taken off, as
//! KataGo tells it to its networks (docs/methods.md#go).

use super::Go;
use super::life::{Part, parts};
use crate::game::{Bits, Color, Frame};

/// A region of points without stones of one side.
struct Region<const WORDS: usize> {
    part: Part<WORDS>,
    /// Whether the other side has a stone in it.
    is_entered: bool,
    /// Its points that no stone of the side touches.
    inside: usize,
}

/// The claims of one side.
struct Claims<const WORDS: usize> {
    /// Independent of the other side's claims: pass-alive stones, and regions beside no other ones that are
    /// empty or in which nothing can live.
    certain: Bits<WORDS>,
    /// Empty regions beside this side's stones alone.
    open: Bits<WORDS>,
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// The points of Black and White: what is pass-alive with its territory, even where the other side's
    /// dead stones stand; other stones where they stand; empty points that one side alone reaches.
    /// With `suicide` stones are pass-alive only as far as they are where suicide is legal.
    #[must_use]
    pub fn area_without_dead(&self, suicide: bool) -> [Bits<WORDS>; 2] {
        let mut owned = [Bits::EMPTY; 2];
        for color in Color::BOTH {
            let (own, other) = (color.index(), color.opponent().index());
            let claims = self.claims(color, suicide);
            owned[other].remove_all(claims.certain);
            owned[own] |= claims.certain;
            owned[own] |= claims.open & !(owned[0] | owned[1]);
        }
        let left = !(owned[0] | owned[1]);
        Color::BOTH.map(|color| owned[color.index()] | (self.stones(color) & left))
    }

    fn claims(&self, color: Color, suicide: bool) -> Claims<WORDS> {
        let (frame, empty) = (self.frame(), self.empty());
        let (stones, enemies) = (self.stones(color), self.stones(color.opponent()));
        let mut claims = Claims {
            certain: Bits::EMPTY,
            open: Bits::EMPTY,
        };
        if stones.is_empty() {
            return claims;
        }
        let beside = frame.neighbors(stones);
        let region = |part: Part<WORDS>| Region {
            is_entered: !(part.points & enemies).is_empty(),
            inside: (part.points & !beside).count(),
            part,
        };
        let regions = parts(frame, frame.board() & !stones)
            .into_iter()
            .map(region);
        let mut regions: Vec<Region<WORDS>> = regions.collect();
        // What of a region a chain has to touch to have an eye there.
        let needed = if suicide { !stones } else { empty };
        claims.certain = pass_alive(frame, stones, &mut regions, empty, needed);
        for Region {
            part,
            is_entered,
            inside,
        } in regions
        {
            if part.good && (!is_entered || inside < 2) {
                claims.certain |= part.points;
            } else if !is_entered {
                claims.open |= part.points;
            }
        }
        claims
    }
}

/// The chains among `stones` that are alive if their side only ever passes, after Benson; regions beside
/// other chains are no longer good. A region is an eye of a chain that touches all of its points that are
/// `needed`, and one of the `empty` ones.
fn pass_alive<const WORDS: usize>(
    frame: &Frame<WORDS>,
    stones: Bits<WORDS>,
    regions: &mut [Region<WORDS>],
    empty: Bits<WORDS>,
    needed: Bits<WORDS>,
) -> Bits<WORDS> {
    let touch = |one: Bits<WORDS>, other: Bits<WORDS>| !(one & other).is_empty();
    let mut chains = parts(frame, stones);
    loop {
        let is_eye = |region: &&Region<WORDS>, chain: &Part<WORDS>| {
            let points = region.part.points;
            region.part.good
                && touch(points & empty, chain.around)
                && !touch(points & needed, !chain.around)
        };
        let lives = |chain: &Part<WORDS>| {
            let eyes = regions.iter().filter(|region| is_eye(region, chain));
            eyes.take(2).count() == 2
        };
        let (alive, dead): (Vec<_>, Vec<_>) = chains.into_iter().partition(lives);
        let lost = dead
            .iter()
            .fold(Bits::EMPTY, |lost, chain| lost | chain.points);
        chains = alive;
        if lost.is_empty() {
            let points = chains.iter().map(|chain| chain.points);
            return points.fold(Bits::EMPTY, |alive, chain| alive | chain);
        }
        let lost_eyes = regions
            .iter_mut()
            .filter(|region| touch(region.part.around, lost));
        lost_eyes.for_each(|region| region.part.good = false);
    }
}

#[cfg(test)]
mod tests {
    use super::super::diagram::diagram;
    use super::*;

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
