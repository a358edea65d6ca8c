use rand::RngExt;

use super::*;
use crate::game::{BoardSize, Game, PointStatus, Rules, Scored as _, Settled};
use crate::games::go::SmallGo;
use crate::games::go::diagram::diagram;
use crate::games::nogo::SmallNoGo;
use crate::record::{GameRecord, result_text, sgf};

fn start(width: u8, height: u8) -> SmallNoGo {
    SmallNoGo::new(BoardSize::new(width, height)).unwrap()
}

fn search(position: &SmallNoGo, rollouts: u64, seed: u64) -> SearchReport {
    Rave::new(RaveParams::default(), seed).search(position, |done| done < rollouts)
}

#[test]
fn every_rollout_is_counted_once() {
    let report = search(&start(5, 5), 500, 1);
    assert_eq!(report.playouts, 500);
    assert_eq!(report.moves.len(), 25);
    assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 500);
    assert!(report.moves.is_sorted_by(|a, b| a.visits >= b.visits));
    assert!(
        report
            .moves
            .iter()
            .all(|m| m.pv[0] == m.mv && m.value.abs() <= 1.0)
    );
}

#[test]
fn a_seed_fixes_the_search() {
    assert_eq!(search(&start(6, 6), 300, 7), search(&start(6, 6), 300, 7));
    assert_ne!(search(&start(6, 6), 300, 7), search(&start(6, 6), 300, 8));
}

#[test]
fn a_finished_game_has_no_moves() {
    let report = search(&start(1, 1), 10, 1);
    assert_eq!((report.moves.len(), report.playouts), (0, 0));
}

#[test]
fn what_a_past_forbids_is_in_no_line() {
    for (width, height) in [(3, 1), (5, 1), (2, 2), (3, 2)] {
        let mut game = GameState::from(SmallGo::new(BoardSize::new(width, height)).unwrap());
        if (width, height) == (3, 1) {
            // Black's first point would repeat the board after two moves.
            [0, 2, 1, 2].into_iter().for_each(|mv| game.play(Move(mv)));
            assert!(game.position().is_legal(Move(0)) && !game.allows(Move(0)));
        }
        let mut rave = Rave::new(RaveParams::default(), 1);
        let report = rave.watch(&game, &[], false, &mut |done, _| done < 3000);
        for found in &report.moves {
            let mut line = game.clone();
            for &mv in &found.pv {
                assert!(line.allows(mv), "{mv:?} on {width}x{height}");
                line.play(mv);
            }
        }
    }
}

#[test]
fn where_a_past_forbids_all_sensible_moves_others_are_searched() {
    let mut game = GameState::from(SmallGo::new(BoardSize::new(5, 1)).unwrap());
    // White is left with an own eye and a pass on an open board (5).
    let moves = [4, 2, 1, 3, 4, 5, 2, 3, 5, 0, 1];
    moves.into_iter().for_each(|mv| game.play(Move(mv)));
    let mut rave = Rave::new(RaveParams::default(), 1);
    let report = rave.watch(&game, &[], false, &mut |done, _| done < 100);
    assert_eq!(report.visits, 100);
    assert!(report.moves.iter().any(|found| found.visits > 0));
    assert!(report.moves.iter().all(|found| game.allows(found.mv)));
}

#[test]
fn what_is_known_of_a_position_is_kept() {
    let params = RaveParams {
        reuse: true,
        ..RaveParams::default()
    };
    let mut rave = Rave::new(params, 1);
    let mut game = GameState::from(SmallGo::new(BoardSize::square(5)).unwrap());
    let first = rave.watch(&game, &[], false, &mut |done, _| done < 2000);
    assert_eq!((first.playouts, first.reused), (2000, 0));
    let line = &first.moves[0].pv;
    assert!(line.len() > 3, "{line:?}");
    game.play(line[0]);
    game.play(line[1]);
    let known = rave.watch(&game, &[], false, &mut |_, _| false);
    assert!(known.reused > 100 && known.playouts == 0, "{known:?}");
    assert_eq!(known.moves[0].pv[..], line[2..]);
    assert_eq!(
        known.moves.iter().map(|found| found.visits).sum::<u64>(),
        known.reused
    );
    // The kept tree grows, and can be reused again.
    let further = rave.watch(&game, &[], false, &mut |done, _| done < 3000);
    assert_eq!(further.visits, 3000);
    assert_eq!(further.reused, known.reused);
    game.play(further.moves[0].mv);
    assert!(rave.watch(&game, &[], false, &mut |_, _| false).reused > 100);
    // Another komi is another position, and so is another game.
    let rules = game
        .position()
        .rules()
        .with_komi(HalfPoints(3))
        .expect("it counts");
    let other = SmallGo::with_rules(BoardSize::square(5), rules).unwrap();
    assert_eq!(
        rave.watch(&other.into(), &[], false, &mut |_, _| false)
            .reused,
        0
    );
}

#[test]
fn what_is_to_be_avoided_is_tried_only_where_there_is_nothing_else() {
    let game: GameState<SmallNoGo> = start(3, 3).into();
    let mut rave = Rave::new(RaveParams::default(), 1);
    let best = rave
        .watch(&game, &[], false, &mut |done, _| done < 500)
        .moves[0]
        .mv;
    let report = rave.watch(&game, &[best], false, &mut |done, _| done < 500);
    assert_ne!(report.moves[0].mv, best);
    let avoided = report.moves.iter().find(|found| found.mv == best);
    assert_eq!(avoided.map(|found| found.visits), Some(0));
    let all: Vec<Move> = game.legal_moves().collect();
    let report = rave.watch(&game, &all, false, &mut |done, _| done < 500);
    assert!(report.moves[0].visits > 0, "there is nothing else");
}

#[test]
fn it_goes_on_within_its_memory() {
    let params = RaveParams {
        max_bytes: 20_000,
        ..RaveParams::default()
    };
    let mut rave = Rave::new(params, 1);
    let report = rave.search(&start(5, 5), |done| done < 200);
    assert_eq!(report.playouts, 200);
    assert!(
        (10..30).contains(&rave.tree.len()),
        "{} nodes",
        rave.tree.len()
    );
}

/// 3x3 is a win for the first player and 2x3 for the second (docs/methods.md#nogo).
#[test]
fn it_finds_solved_results() {
    assert!(search(&start(3, 3), 20_000, 1).moves[0].value > 0.9);
    assert!(search(&start(2, 3), 20_000, 1).moves[0].value < -0.9);
}

/// Plays one game between two policies from a random opening of four plies and returns whether the
/// policy of `black` won.
fn black_wins(policies: [RolloutPolicy; 2], rollouts: u64, seed: u64) -> bool {
    let mut position = start(9, 9);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    for _ in 0..4 {
        let choice = rng.random_range(0..position.legal_count());
        position.play(position.legal_moves().nth(choice).unwrap());
    }
    let mut players = policies.map(|policy| {
        let params = RaveParams {
            policy,
            ..RaveParams::default()
        };
        Rave::new(params, seed)
    });
    while position.outcome().is_none() {
        let player = &mut players[position.to_move().index()];
        let report = player.search(&position, |done| done < rollouts);
        position.play(report.moves[0].mv);
    }
    position.outcome() == Some(Outcome::win(Color::Black))
}

/// 117-3 at 1,000 rollouts (docs/methods.md#rollouts). `TENGEN_RAVE_GAMES` sets the number of games
/// with that many rollouts instead of a few short ones.
#[test]
fn keeping_private_points_for_last_beats_uniform_rollouts() {
    use RolloutPolicy::{Own, Uniform};
    let asked = std::env::var("TENGEN_RAVE_GAMES").ok();
    let (games, rollouts, needed) = match asked {
        Some(games) => (games.parse().unwrap(), 1000, 0.9),
        None => (10, 150, 0.7),
    };
    let won_by_private_last = |game: &u64| {
        // Each opening twice, with colours swapped.
        if game.is_multiple_of(2) {
            black_wins([Own, Uniform], rollouts, game / 2)
        } else {
            !black_wins([Uniform, Own], rollouts, game / 2)
        }
    };
    let won = (0..games).filter(won_by_private_last).count();
    let share = won as f64 / games as f64;
    assert!(share >= needed, "won {won} of {games} games");
}

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
    let games = include_str!("../../../../gtp-tests/games/go-finished.sgf");
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
