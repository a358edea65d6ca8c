use super::*;
use crate::mucgo::{Pruning, StageWindow};
use tengen::game::{BoardSize, Color, Game};
use tengen::games::go::diagram::diagram;
use tengen::games::go::{LargeGo, SmallGo};
use tengen::games::nogo::SmallNoGo;

fn params() -> MucgoParams {
    MucgoParams {
        mucgo_stage: StageWindow::All,
        ..MucgoParams::default()
    }
}

fn search<G: Rollout>(params: &MucgoParams, start: &G, playouts: u64, seed: u64) -> SearchReport {
    let mut mucgo = Mucgo::new(params.clone(), 1 << 30, seed);
    mucgo.watch(&start.clone().into(), &[], false, &mut |done, _| {
        done < playouts
    })
}

#[test]
fn every_playout_is_counted_once_in_every_game() {
    let go = SmallGo::new(BoardSize::square(5)).unwrap();
    let report = search(&params(), &go, 300, 1);
    assert_eq!(report.playouts, 300);
    assert_eq!(
        report.moves.iter().map(|found| found.visits).sum::<u64>(),
        300
    );
    assert!(
        report
            .moves
            .is_sorted_by(|one, other| one.visits >= other.visits)
    );
    let nogo = SmallNoGo::new(BoardSize::square(5)).unwrap();
    let report = search(&params(), &nogo, 300, 1);
    assert_eq!(
        report.moves.iter().map(|found| found.visits).sum::<u64>(),
        300
    );
}

#[test]
fn a_seed_fixes_the_search() {
    let start = SmallGo::new(BoardSize::square(5)).unwrap();
    let [one, same, other] = [7, 7, 8].map(|seed| search(&params(), &start, 200, seed));
    assert_eq!(one, same);
    assert_ne!(one, other);
}

#[test]
fn a_node_has_the_moves_that_pruning_leaves() {
    // Eighty-one points, a fifth of which is 16; a pass is not sensible on an empty board.
    let start = SmallGo::new(BoardSize::square(9)).unwrap();
    for (pruning, expected) in [
        (Pruning::None, 81),
        (Pruning::Ucb, 81),
        (Pruning::Domain, 65),
        (Pruning::Both, 65),
    ] {
        let params = MucgoParams {
            mucgo_pruning: pruning,
            ..params()
        };
        assert_eq!(
            search(&params, &start, 50, 1).moves.len(),
            expected,
            "{pruning}"
        );
    }
}

#[test]
fn the_target_is_the_most_visited_or_drawn() {
    let start = SmallGo::new(BoardSize::square(9)).unwrap();
    let by = |target| MucgoParams {
        mucgo_target: target,
        // Any move may be drawn.
        mucgo_interval: 1.0,
        ..params()
    };
    let first = |target, seed| {
        let report = search(&by(target), &start, 200, seed);
        let most = report.moves.iter().map(|found| found.visits).max();
        (Some(report.moves[0].visits), most)
    };
    let is_most = |target| {
        let firsts = (0..10).map(|seed| first(target, seed));
        firsts.filter(|(first, most)| first == most).count()
    };
    assert_eq!(is_most(TargetMove::MostVisits), 10);
    assert!(is_most(TargetMove::Drawn) < 8);
}

#[test]
fn it_finds_the_stones_that_can_be_taken() {
    // The first to capture the four stones has won.
    let position = diagram(
        "XXXXX XOOOX XO.OX X.X.X XXXXX",
        "chinese komi0.5",
        Color::Black,
    );
    for weighting in [0.5, 0.9] {
        let params = MucgoParams {
            mucgo_weighting: weighting,
            ..params()
        };
        let report = search(&params, &position, 1000, 1);
        assert!(report.moves[0].value > 0.5, "{:?}", report.moves[0]);
    }
}

#[test]
fn a_pass_that_wins_is_played() {
    let rows = ".X.O. .X.O. XX.O. .X.O. .X.O.";
    let mut position = diagram(rows, "tromp-taylor komi0.5", Color::Black);
    position.play(position.pass());
    let report = search(&params(), &position, 50, 1);
    assert_eq!(report.moves[0].mv, position.pass());
}

#[test]
fn what_is_to_be_avoided_and_forbidden_is_in_no_report() {
    let start = SmallGo::new(BoardSize::square(5)).unwrap();
    let avoid = [Move(12), Move(7)];
    let mut mucgo = Mucgo::new(params(), 1 << 30, 1);
    let report = mucgo.watch(&start.into(), &avoid, false, &mut |done, _| done < 50);
    assert!(report.moves.iter().all(|found| !avoid.contains(&found.mv)));
    let rows = ".XO.. X.XO. .XO.. ..... .....";
    let ko = diagram(rows, "chinese komi0.5", Color::White);
    let mut game = GameState::from(ko);
    game.play(Move(16));
    assert!(!game.position().is_legal(Move(17)), "the ko");
    let report = mucgo.watch(&game, &[], false, &mut |done, _| done < 200);
    assert!(report.moves.iter().all(|found| found.mv != Move(17)));
}

#[test]
fn the_tree_stops_growing_when_memory_is_full() {
    let start = SmallGo::new(BoardSize::square(9)).unwrap();
    let mut mucgo = Mucgo::new(params(), 1 << 16, 1);
    let report = mucgo.watch(&start.into(), &[], false, &mut |done, _| done < 300);
    assert_eq!(report.playouts, 300);
    assert!(mucgo.tree.bytes() < 2 << 16, "{}", mucgo.tree.bytes());
}

#[test]
fn outside_the_middle_game_the_best_known_move_is_played() {
    let start = LargeGo::new(BoardSize::square(19)).unwrap();
    let fitted = MucgoParams {
        mucgo_stage: StageWindow::Paper,
        ..params()
    };
    let report = search(&fitted, &start, 100, 1);
    assert_eq!(report.playouts, 0);
    assert_eq!(report.moves.len(), 362);
    let (x, y) = start.size().column_row(report.moves[0].mv);
    let line = |at: u8| at.min(18 - at) + 1;
    assert!(
        (3..=5).contains(&line(x)) && (3..=5).contains(&line(y)),
        "{x} {y}"
    );
    assert_eq!(search(&params(), &start, 30, 1).playouts, 30);
}

#[test]
fn the_end_game_ends() {
    // Both live and nothing is left: on 19x19 the walls reach across the board.
    let start = LargeGo::new(BoardSize::square(19)).unwrap();
    let stones: Vec<(Move, Color)> = (0..19)
        .flat_map(|row| {
            let at = |column: u16, color| (Move(row * 19 + column), color);
            let black = (0..9).filter(|&column| column != 0 && column != 2);
            let white = (10..19).filter(|&column| column != 16 && column != 18);
            let black = black
                .map(|column| at(column, Color::Black))
                .collect::<Vec<_>>();
            let white = white
                .map(|column| at(column, Color::White))
                .collect::<Vec<_>>();
            let middle = if row % 2 == 0 {
                Color::Black
            } else {
                Color::White
            };
            black
                .into_iter()
                .chain(white)
                .chain([at(9, middle)])
                .collect::<Vec<_>>()
        })
        .collect();
    let position = start.set_up(&stones, Color::Black).unwrap();
    let report = known_best(&position.clone().into(), &[]);
    assert_eq!(report.moves[0].mv, position.pass());
}
