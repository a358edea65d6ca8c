//! Expected ownership and score of a position, by rollouts.

use super::{Rave, RaveParams, Rollout, Tally};
use crate::game::{Color, OwnershipEstimate};

/// Ownership statistics if the game goes on: the last half of `rollouts` of a search with either
/// side to move, so that the turn does not matter. `None` in games that count no points, and when
/// `halt` returns true.
pub fn expect<G: Rollout>(
    position: &G,
    rollouts: u64,
    seed: u64,
    halt: &dyn Fn() -> bool,
) -> Option<OwnershipEstimate> {
    let params = RaveParams {
        for_points: Some(rollouts / 2),
        ..RaveParams::default()
    };
    let mut rave = Rave::new(params, seed);
    let mut tally = Tally::of(position);
    let mut by_turn = [Vec::new(), Vec::new()];
    for (color, owner) in Color::BOTH.into_iter().zip(&mut by_turn) {
        let mut start = position.as_played_out();
        start.set_to_move(color);
        rave.search(&start, |done| done < rollouts && !halt());
        tally.add(rave.tally());
        *owner = rave.tally().expected()?.owner;
    }
    if halt() {
        return None;
    }
    let expected = tally.expected()?;
    Some(OwnershipEstimate {
        by_turn: Some(by_turn),
        ..expected
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{BoardSize, Game, Move, Outcome, PointStatus, Scored as _, Settled};
    use crate::games::go::SmallGo;
    use crate::games::go::diagram::diagram;
    use crate::record::{GameRecord, result_text, sgf};

    /// The settled position, and the names of its points of one status.
    fn settled(rows: &str, rules: &str) -> (Settled, impl Fn(PointStatus) -> String) {
        let position = diagram(rows, rules, Color::Black);
        let expected = expect(&position, 2000, 1, &|| false).expect("points are counted");
        let settled = position.settle(&expected);
        let (found, size) = (settled.clone(), position.size());
        let name = move |point: Move| {
            let (x, y) = size.column_row(point);
            format!("{}{}", char::from(b'a' + x), y + 1)
        };
        let points = move |status| {
            found
                .points(status)
                .map(&name)
                .collect::<Vec<_>>()
                .join(" ")
        };
        (settled, points)
    }

    #[test]
    fn what_has_no_eyes_is_dead() {
        let rows = "..X.O.. .OX.O.. ..X.O.X ..X.O.. ..X.O..";
        let (found, points) = settled(rows, "chinese komi0.5");
        assert_eq!(points(PointStatus::Dead), "g3 b4");
        assert_eq!(points(PointStatus::Dame), "d1 d2 d3 d4 d5");
        assert_eq!(points(PointStatus::Seki), "");
        assert_eq!(
            points(PointStatus::Territory(Color::White)),
            "f1 g1 f2 g2 f3 f4 g4 f5 g5"
        );
        assert_eq!(found.black_ahead.0, -1);
        assert_eq!(found.certain_winner(), None, "the points between");
        assert_eq!(found.open, 5);
        let (found, _) = settled(rows, "japanese komi0.5");
        assert_eq!(found.open, 0, "nothing to win there");
    }

    /// Both middle chains have the same two liberties, and no eye.
    const SEKI: &str = "XXXXXOOOO X.X.XO.O. XXXXXOOOO XOOOOXXXO XOOO.XXXO XOOO.XXXO";

    #[test]
    fn who_fills_first_loses_in_seki() {
        let (found, points) = settled(SEKI, "chinese komi0.5");
        assert_eq!(points(PointStatus::Dame), "e1 e2");
        assert_eq!(
            points(PointStatus::Seki),
            "b1 c1 d1 f1 g1 h1 b2 c2 d2 f2 g2 h2 b3 c3 d3 e3 f3 g3 h3"
        );
        assert_eq!(
            (points(PointStatus::Dead), found.black_ahead.0),
            (String::new(), 3)
        );
        assert_eq!(found.certain_winner(), Some(Color::Black));
        assert_eq!(found.open, 0, "no rollout plays there");
    }

    #[test]
    fn seki_is_told_by_territory_rules_too() {
        let (found, points) = settled(SEKI, "japanese komi0.5");
        let (_, by_area) = settled(SEKI, "chinese komi0.5");
        assert_eq!(points(PointStatus::Seki), by_area(PointStatus::Seki));
        assert!(!points(PointStatus::Seki).is_empty());
        assert_eq!(
            (points(PointStatus::Dead), found.black_ahead.0),
            (String::new(), -1)
        );
    }

    #[test]
    fn what_only_the_turn_decides_lives_where_both_sides_have_passed() {
        // Decided by the first to play b1: three in a row are one eye or two.
        let (found, points) = settled("..... XXXXX OOOOX ...OX", "chinese komi8.5");
        assert_eq!(points(PointStatus::Dead), "");
        assert_eq!(found.certain_winner(), None);
    }

    /// Positions in which GNU Go passed early, with its score. A lone stone in a large area might live if its side
    /// moved first, but both sides have left it alone.
    #[test]
    fn a_stone_alone_in_a_large_area_is_dead() {
        for (rows, dead, ahead) in [
            (
                ".....XOO. ...X.XXO. ..O..XOO. ...X.XO.. ....XOO.. ....XXO.. ...XXO.O. ....XO.O. ....XXO..",
                "c7",
                23,
            ),
            (
                "....XOO.. ...OXXO.. .X...XOO. ......XO. ..X..XXO. ......XO. .....XOO. ..OX.XO.. .....XO..",
                "c2 d8",
                31,
            ),
            (
                "...OOX... ...OX.X.. ...OX.... .OO.OXX.. OXO.OX... .XO.OX... .XOOX.X.. .XXOX.... ...OX....",
                "b2 c2 b3 b4 b5",
                1,
            ),
        ] {
            let (found, points) = settled(rows, "chinese komi0");
            assert_eq!(
                (&*points(PointStatus::Dead), found.black_ahead.0),
                (dead, 2 * ahead)
            );
        }
    }

    /// The score of a recorded game: its result, and the dead stones.
    fn counted(record: &GameRecord) -> (String, String) {
        let komi = record.komi.expect("a komi");
        let rules = format!("chinese komi{komi}").parse().unwrap();
        let mut position = SmallGo::with_rules(record.size, rules).unwrap();
        for recorded in &record.plays {
            position.set_to_move(recorded.play.color);
            position.play(recorded.play.vertex.index(record.size));
        }
        let expected = expect(&position, 1000, 1, &|| false).expect("points are counted");
        let settled = position.settle(&expected);
        let outcome: Outcome = settled.outcome();
        (
            result_text(outcome),
            names(record.size, settled.points(PointStatus::Dead)),
        )
    }

    /// Points in GTP notation, in alphabetical order.
    fn names(size: BoardSize, points: impl Iterator<Item = Move>) -> String {
        let name = |point| {
            let (x, y) = size.column_row(point);
            format!("{}{}", char::from(b"ABCDEFGHJ"[usize::from(x)]), y + 1)
        };
        let mut names: Vec<String> = points.map(name).collect();
        names.sort_unstable();
        names.join(" ")
    }

    /// Games of engines of all strengths, including random play, with GNU Go's score and dead
    /// stones; for their origin see gtp-tests/README.md.
    #[test]
    fn finished_games_are_counted_as_gnu_go_counts_them() {
        let games = include_str!("../../../gtp-tests/games/go-finished.sgf");
        let mut wrong = Vec::new();
        for (number, line) in games.lines().enumerate() {
            let record = sgf::read(line).unwrap();
            let counted = counted(&record);
            let theirs = (record.result.clone(), record.comment.clone());
            if counted != theirs {
                wrong.push(format!("game {number}: {counted:?}, not {theirs:?}"));
            }
        }
        assert!(wrong.is_empty() && games.lines().count() > 30, "{wrong:#?}");
    }
}
