//! Superko: no descent plays a forbidden move, no line is endless, and no proof depends on a
//! history.

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::brute::Brute;
use super::*;
use crate::game::{Bounds, GameState, Move, Scored as _};
use crate::games::go::{GoRules, SmallGo};

pub(super) type Rng = Xoshiro256PlusPlus;

/// All repetition rules, and simple ko.
pub(super) const RULES: [&str; 4] = ["chinese-kgs", "tromp-taylor", "new-zealand", "chinese"];

pub(super) fn empty(width: u8, height: u8, rules: &str) -> SmallGo {
    let rules: GoRules = rules.parse().unwrap();
    SmallGo::with_rules(BoardSize::new(width, height), rules).unwrap()
}

/// A game of `plies` plies, fewer when it ends, with its moves. Kos are taken where possible, eyes
/// are filled, and passes are played only when forced: many moves would therefore repeat a position.
pub(super) fn ko_fight(
    start: SmallGo,
    plies: u32,
    rng: &mut Rng,
) -> (GameState<SmallGo>, Vec<Move>) {
    let (mut game, mut played) = (GameState::from(start), Vec::new());
    for _ in 0..plies {
        let mut moves: Vec<Move> = game.legal_moves().collect();
        let pass = moves.pop();
        let takes_ko = |mv: &Move| {
            let mut next = game.position().clone();
            next.play(*mv);
            next.ko().is_some()
        };
        let kos: Vec<Move> = moves.iter().copied().filter(takes_ko).collect();
        let choice = if !kos.is_empty() && rng.random_bool(0.5) {
            kos
        } else if !moves.is_empty() {
            moves
        } else if game.position().passes() == 0 {
            pass.into_iter().collect()
        } else {
            break;
        };
        let mv = choice[rng.random_range(0..choice.len())];
        game.play(mv);
        played.push(mv);
    }
    (game, played)
}

/// Searches from the position of the last search on.
fn go_on(searcher: &mut Searcher<SmallGo>, game: &GameState<SmallGo>, limit: u64) -> SearchReport {
    let report = searcher.search(
        &SearchRequest::new(game.clone()).within(visits(limit)),
        &mut |_| {},
    );
    let report = report.unwrap();
    // A descent that panics ends its thread, not the test.
    assert_ne!(report.stop, StopReason::Failed);
    report
}

/// Every move of every line may be played, and no move that may be played is missing.
fn check_report(report: &SearchReport, game: &GameState<SmallGo>) {
    let mut found: Vec<Move> = report.moves.iter().map(|found| found.mv).collect();
    found.sort();
    assert!(found.into_iter().eq(game.legal_moves()));
    for found in &report.moves {
        let mut line = game.clone();
        assert_eq!(found.pv[0], found.mv);
        for &mv in &found.pv {
            assert!(line.position().is_legal(mv) && line.allows(mv), "{mv:?}");
            line.play(mv);
        }
        assert!(found.pv.len() < 1000);
    }
}

/// Size of a test from the environment, or a small default.
fn effort(variable: &str, usual: u64) -> u64 {
    let said = std::env::var(variable).ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(usual)
}

/// In test builds descents check each of their moves.
#[test]
fn no_descent_plays_what_is_forbidden_and_every_line_ends() {
    let (mut rng, mut left) = (Rng::seed_from_u64(1), effort("TENGEN_SOAK", 40_000) as i64);
    let boards = [
        (2, 2),
        (3, 2),
        (3, 3),
        (4, 3),
        (4, 4),
        (5, 5),
        (9, 9),
        (9, 1),
    ];
    let cases = boards
        .iter()
        .flat_map(|&size| RULES.map(|rules| (size, rules)));
    for (number, ((width, height), rules)) in cases.cycle().enumerate() {
        let plies = rng.random_range(0..6 * u32::from(width) * u32::from(height));
        let (mut game, _) = ko_fight(empty(width, height, rules), plies, &mut rng);
        let params = SearchParams {
            batch: [1, 4][number % 2],
            ..SearchParams::default()
        };
        let threads = 1 + number % 3 / 2;
        let mut searcher = hashing(game.position(), threads, params);
        // A few moves with the tree that they leave.
        for step in 0..3 {
            if game.position().outcome().is_some() {
                break;
            }
            let report = go_on(&mut searcher, &game, 400);
            left -= report.playouts as i64;
            check_report(&report, &game);
            if step == 0 {
                // Later, a position may have been proven as a root, and who leads to it not know.
                check_tree(&searcher, game.position());
            }
            game.play(report.best().unwrap().mv);
        }
        if left <= 0 {
            break;
        }
    }
}

/// All proofs in the tree below a node, with paths to them: `seen` counts them.
fn proofs(
    tree: &super::super::tree::Tree,
    game: &GameState<SmallGo>,
    seen: &mut HashMap<u128, u32>,
    found: &mut Vec<(GameState<SmallGo>, Bounds)>,
) {
    let key = game.position().key();
    let times = seen.entry(key).or_default();
    *times += 1;
    let Some(id) = tree.find(key).filter(|_| *times < 4) else {
        return;
    };
    let node = tree.node(id);
    let bounds = node.state().bounds();
    if bounds != Bounds::OPEN {
        found.push((game.clone(), bounds));
    }
    for (choice, edge) in tree.moves(node) {
        let touched = edge.is_some_and(|edge| edge.child().is_some());
        if touched && game.allows(choice.mv()) {
            let mut next = game.clone();
            next.play(choice.mv());
            proofs(tree, &next, seen, found);
        }
    }
}

#[test]
fn no_proof_is_contradicted_by_trying_everything() {
    // Lines of play are as deep as there are positions.
    let thread = std::thread::Builder::new().stack_size(1 << 28);
    let compared = thread.spawn(compare_proofs).unwrap().join();
    compared.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
}

fn compare_proofs() {
    let mut rng = Rng::seed_from_u64(2);
    let (mut confirmed, mut too_large, mut at_roots) = (0, 0, 0);
    let positions = effort("TENGEN_BRUTE", 3_000);
    let boards = [
        (2, 1),
        (3, 1),
        (4, 1),
        (5, 1),
        (2, 2),
        (3, 2),
        (3, 3),
        (4, 3),
        (4, 4),
    ];
    for (number, &(width, height)) in boards.iter().cycle().take(20 * boards.len()).enumerate() {
        let rules = RULES[number % 3];
        let komi = rng.random_range(-3..8) as f64 / 2.0;
        let area = u32::from(width) * u32::from(height);
        let plies = rng.random_range(0..4 * area);
        let start = empty(width, height, &format!("{rules} komi{komi}"));
        let (game, _) = ko_fight(start, plies, &mut rng);
        if game.position().outcome().is_some() {
            continue;
        }
        let mut searcher = hashing(game.position(), 1, SearchParams::default());
        let report = go_on(&mut searcher, &game, 2000);
        let (mut seen, mut found) = (HashMap::new(), Vec::new());
        proofs(
            searcher.tree.as_ref().unwrap(),
            &game,
            &mut seen,
            &mut found,
        );
        if let Some(proof) = report.proof {
            found.push((game.clone(), Bounds::exactly(proof)));
            at_roots += 1;
        }
        // A sample, preferably where the history matters.
        let forbids =
            |game: &GameState<SmallGo>| game.legal_count() < game.position().legal_count();
        let (rather, others): (Vec<_>, Vec<_>) = found.iter().partition(|(game, _)| forbids(game));
        let some = |all: &[_]| all.len().div_ceil(40).max(1);
        let chosen = [(some(&rather), rather), (some(&others), others)];
        let chosen = chosen
            .into_iter()
            .flat_map(|(every, all)| all.into_iter().rev().step_by(every));
        for (game, bounds) in chosen {
            match Brute::new(positions).confirms(game, *bounds) {
                Some(true) => confirmed += 1,
                None => too_large += 1,
                Some(false) => panic!(
                    "{bounds:?} ({:?}) of {:?} in {rules}",
                    game.position().certain(),
                    game.position()
                ),
            }
        }
    }
    let counts =
        format!("{confirmed} confirmed, {at_roots} at roots, {too_large} too large to try");
    assert!(confirmed > 1000 && at_roots > 10, "{counts}");
}

/// Black sends two with a1, White captures both with c1, and Black's b1 would repeat the board.
#[test]
fn a_move_that_the_game_forbids_is_not_searched_at_the_root() {
    let mut game = GameState::from(empty(5, 5, "chinese-kgs"));
    for name in ["c2", "a2", "d1", "b2", "b1", "e5", "a1", "c1"] {
        let [column, row] = [name.as_bytes()[0] - b'a', name.as_bytes()[1] - b'1'];
        game.play(game.position().size().point(column, row));
    }
    let forbidden = Move(1);
    assert!(game.position().is_legal(forbidden));
    let mut searcher = hashing(game.position(), 1, SearchParams::default());
    let report = go_on(&mut searcher, &game, 500);
    check_report(&report, &game);
    let visits: u64 = report.moves.iter().map(|found| found.visits).sum();
    assert_eq!(visits, 499, "none went elsewhere");
    // Without the history it is legal.
    let report = go_on(&mut searcher, &game.position().clone().into(), 1000);
    assert!(
        report
            .moves
            .iter()
            .any(|found| found.mv == forbidden && found.visits > 0)
    );
    // It is not reported even when the tree has visits of it.
    let report = go_on(&mut searcher, &game, 1200);
    check_report(&report, &game);
}
