//! Final positions, and the points of each side under Japanese rules.

use super::super::diagram::diagram;
use super::super::tests::at;
use super::super::{Agreed, SmallGo};
use super::Group;
use crate::game::{Bits, Color, Game, Move, OwnershipEstimate, Scored as _};

/// Territory of Black and White after these stones are removed, dead stones not counted twice.
fn territory(rows: &str, dead: &str) -> [usize; 2] {
    let position = diagram(rows, "japanese komi0", Color::Black);
    let agreed = position.agreed_on(points(&position, dead).into_iter().collect());
    position.owned(&agreed).map(|points| points.count())
}

fn points(position: &SmallGo, names: &str) -> Vec<Move> {
    let names = names.split_whitespace();
    names.map(|name| at(position, name)).collect()
}

#[track_caller]
fn check(what: &str, rows: &str, dead: &str, expected: [usize; 2]) {
    assert_eq!(territory(rows, dead), expected, "{what}");
}

/// Two outer groups with two eyes each, above the position under test.
const OUTER: &str = "XXXXXOOOO X.X.XO.O. XXXXXOOOO";

#[test]
fn eyes_in_seki_are_no_territory() {
    let with = |rows: &str| format!("{OUTER} {rows}");
    let plain = with("XOOOOXXXO XOOO.XXXO XOOO.XXXO");
    check("without eyes", &plain, "", [2, 2]);
    let eyes = with("XOOOOXXXO XO.O.X.XO XOOOXXXXO");
    check("an eye each", &eyes, "", [2, 2]);
    let one = with("XOOOOXXXO XO.O.XXXO XOOO.XXXO");
    check("an eye against none", &one, "", [2, 2]);
}

#[test]
fn open_dame_take_no_territory_from_groups_that_live_without_them() {
    let halves = ".X.O. .X.O. .X.O. .X.O. .X.O.";
    check("five in a row", halves, "", [5, 5]);
    let closed = "..XO.. ..XO.. XXXOOO";
    check("no dame at all", closed, "", [4, 4]);
    let corner = ".X.XO.. XXXXO.. OOOOO.. .......";
    check("two eyes in the corner", corner, "", [2, 13]);
    let unsettled = "..... XXXXX OOOOX ...OX";
    check(
        "what only the turn decides, and no dame",
        unsettled,
        "",
        [5, 3],
    );
}

#[test]
fn what_has_to_be_filled_is_no_territory() {
    let false_eye = ".O.O.O. OOOOOOO XXXXXOO .X.X.X.";
    check("a false eye beside an open dame", false_eye, "", [2, 4]);
    let taken = ".O.O.O. OOOOOOO XXXXXOO .X.X.XO";
    check("the same in atari", taken, "", [2, 4]);
}

#[test]
fn connections_that_dame_leave_open_hold() {
    // The right part has one eye; it meets the left one, which has two, on the whole c file.
    let miai = ".O.O.O. OOOOOOO XX.XXXO .X.XXXO XX.X.XO .X.XXXO";
    check("miai", miai, "", [3, 4]);
    let cut = ".O.O.O. OOOOOOO XXOXXXO .XOXXXO XXOX.XO .XOXXX.";
    check("cut", cut, "", [2, 4]);
}

#[test]
fn dead_stones_come_off_before_anything_is_called_seki() {
    // With the stone on d1 off Black has two eyes.
    let rows = ".O.O.OO OOOOOOO XXXXXOO .X.OX.O";
    check("dead", rows, "d1", [3, 3]);
    check("alive", rows, "", [0, 3]);
    let position = diagram(rows, "japanese komi0", Color::Black);
    let agreed = position.agreed_on(points(&position, "d1").into_iter().collect());
    let ahead = position.score(&agreed).0;
    assert_eq!(ahead, 2, "three points and a prisoner against three");
    let by_area = diagram(rows, "chinese komi0", Color::Black);
    let alive = by_area.agreed_on(Bits::EMPTY);
    assert_eq!((alive.seki, alive.filled), (Bits::EMPTY, Bits::EMPTY));
}

#[test]
fn a_chain_lives_where_no_positions_are_left_to_search() {
    let position = diagram("XX... .X... XX... ..... .....", "japanese", Color::Black);
    let room = Bits::point(at(&position, "a4"));
    let group = Group {
        frame: position.frame(),
        stones: position.stones(Color::Black),
        open: room,
    };
    let mut left = 1;
    assert!(group.falls(group.stones, room, &mut left));
    assert_eq!(left, 0);
    assert!(!group.falls(group.stones, room, &mut left));
}

#[test]
fn a_stone_stands_for_its_chain() {
    let rows = ".XXXX OX... OX.XX OXX.. XX...";
    let position = diagram(rows, "japanese komi0", Color::Black);
    let named = |names: &str| position.outcome_without(&points(&position, names));
    assert_eq!(named("a3"), named("a2 a3 a4"));
    let chain = points(&position, "a2 a3 a4");
    assert_eq!(position.chains_of(&points(&position, "a3 a4")), [chain]);
    let none = position.chains_of(&points(&position, "c4"));
    assert!(none.is_empty(), "an empty point is no stone: {none:?}");
}

#[test]
fn pass_alive_stones_and_what_stands_amid_them_need_no_playing_on() {
    let position = diagram(".X.OX XXXXX ..... OOOO. .O.O.", "japanese", Color::Black);
    let fate = |name| position.certainly_dead(at(&position, name));
    assert_eq!(fate("d5"), Some(true));
    assert_eq!(fate("a4"), Some(false));
    assert_eq!(fate("a2"), Some(false));
    let open = diagram("..X.. .OX.. ..X.. ..X.. ..X..", "japanese", Color::Black);
    assert_eq!(open.certainly_dead(at(&open, "b4")), None);
}

/// What the engine counts by is what the match counts by, whose stones it takes for dead aside.
#[test]
fn the_judge_of_an_engine_knows_seki_and_false_eyes() {
    for rows in [
        ".O.O.O. OOOOOOO XXXXXOO .X.X.XO",
        &format!("{OUTER} XOOOOXXXO XO.O.X.XO XOOOXXXXO"),
    ] {
        let position = diagram(rows, "japanese komi0", Color::Black);
        let points = position.size().points().map(|at| position.stone(at));
        let owner: Vec<f32> = points
            .map(|stone| stone.map_or(0.0, |color| color.signed(1.0)))
            .collect();
        let expected = OwnershipEstimate {
            by_turn: Some([owner.clone(), owner.clone()]),
            shared: vec![0.0; owner.len()],
            black_ahead: 0.0,
            deviation: 0.0,
            owner,
        };
        let agreed = position.agree(&expected);
        assert_eq!(agreed, position.agreed_on(Bits::EMPTY), "{rows}");
        assert_ne!(agreed, Agreed::ALL_ALIVE, "{rows}");
    }
}
