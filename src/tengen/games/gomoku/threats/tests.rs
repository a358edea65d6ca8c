//! The prover against brute force, against itself in games, and on known positions.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::ThreatSolver;
use crate::game::{BoardSize, Bounds, Color, Game, Move, Proof};
use crate::games::gomoku::tests::diagram;
use crate::games::gomoku::{Gomoku, GomokuRules, Shape};
use crate::solver::{Solve as _, SolveLimits, SolveResult};

/// Black wins by a stone that makes two threes.
const TWO_THREES: [&str; 9] = [
    ".........",
    "...X.....",
    "...X.....",
    ".XX......",
    ".........",
    ".........",
    "..O...O..",
    ".......O.",
    ".........",
];

fn nodes(nodes: u64) -> SolveLimits<'static> {
    SolveLimits {
        nodes,
        threads: 1,
        halt: &|_| false,
    }
}

/// The result for the side to move, by brute force; knows only the rules.
fn brute(position: &Gomoku, seen: &mut HashMap<u128, Proof>) -> Proof {
    if let Some(outcome) = position.outcome() {
        return outcome.proof_for(position.to_move());
    }
    if let Some(&known) = seen.get(&position.key()) {
        return known;
    }
    let after = position.legal_moves().map(|mv| {
        let mut next = position.clone();
        next.play(mv);
        next
    });
    let mut next: Vec<Gomoku> = after.collect();
    next.sort_by_key(|next| next.outcome().is_none());
    let mut best = Proof::Loss;
    for next in next {
        best = best.max(brute(&next, seen).flip());
        if best == Proof::Win {
            break;
        }
    }
    seen.insert(position.key(), best);
    best
}

/// A position from a game between players who often play where rows grow and sometimes miss fives.
fn played(
    rng: &mut Xoshiro256PlusPlus,
    size: BoardSize,
    rules: GomokuRules,
    left: usize,
) -> Gomoku {
    'game: loop {
        let mut position = Gomoku::with_rules(size, rules).unwrap();
        while position.empty().count() > left {
            let moves: Vec<Move> = position.legal_moves().collect();
            let worth = |mv: Move| {
                let shapes = Color::BOTH.map(|color| position.shapes_at(color, mv));
                let shapes = shapes.into_iter().flatten();
                shapes
                    .filter(|&shape| shape != Shape::Five)
                    .max()
                    .unwrap_or(Shape::Nothing) as u32
            };
            let best = (0..3).map(|_| moves[rng.random_range(0..moves.len())]);
            let best = best.max_by_key(|&mv| worth(mv));
            position.play(best.unwrap());
            if position.outcome().is_some() {
                continue 'game;
            }
        }
        return position;
    }
}

/// `TENGEN_THREATS` sets the number of positions (the acceptance run uses 100000).
#[test]
fn nothing_wrong_is_proven() {
    let count: u64 = std::env::var("TENGEN_THREATS").map_or(400, |n| n.parse().unwrap());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(count);
    let (mut proven, mut wins, mut losses, mut missed) = ([0; 5], 0, 0, 0);
    for number in 0..count {
        let rules = GomokuRules::ALL[number as usize % 5];
        let (width, height) = [(5, 5), (6, 5), (6, 6), (7, 6), (7, 7)][number as usize / 5 % 5];
        let left = rng.random_range(4..13);
        let position = played(&mut rng, BoardSize::new(width, height), rules, left);
        let found = ThreatSolver::new(1 << 16).prove(&position, &nodes(rng.random_range(20..3000)));
        if found.bounds == Bounds::OPEN && number % 10 != 0 {
            continue;
        }
        let truth = brute(&position, &mut HashMap::new());
        assert!(
            found.bounds.low() <= truth && truth <= found.bounds.high(),
            "{truth:?}, not {found:?}: {position:?}"
        );
        if let Some(best) = found.best.filter(|_| truth == Proof::Win) {
            let mut next = position.clone();
            next.play(best);
            let after = brute(&next, &mut HashMap::new());
            assert_eq!(after, Proof::Loss, "{best:?} in {position:?}");
        }
        match found.bounds.proof() {
            Some(Proof::Win) => wins += 1,
            Some(Proof::Loss) => losses += 1,
            _ if truth == Proof::Win => missed += 1,
            _ => {}
        }
        proven[rules as usize] += usize::from(matches!(
            found.bounds.proof(),
            Some(Proof::Win | Proof::Loss)
        ));
    }
    let told = format!("{wins} wins, {losses} losses, {missed} wins missed; by rules {proven:?}");
    assert!(
        proven.iter().all(|&proven| proven > 0) && losses > 0,
        "{told}"
    );
    assert!(missed * 20 <= wins, "{told}");
}

/// Moves that the facts of a position leave out lose, by brute force. `TENGEN_THREATS` as above.
#[test]
fn moves_that_do_not_stop_a_threat_lose() {
    let count: u64 = std::env::var("TENGEN_THREATS").map_or(400, |n| n.parse().unwrap());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(count + 1);
    let (mut threatened, mut forced, mut left_out) = ([0; 5], 0, 0);
    for number in 0..count {
        let rules = GomokuRules::ALL[number as usize % 5];
        let (width, height) = [(6, 5), (6, 6), (7, 6)][number as usize / 5 % 3];
        let left = rng.random_range(5..12);
        let position = played(&mut rng, BoardSize::new(width, height), rules, left);
        let mut prover = ThreatSolver::new(1 << 16);
        let facts = prover.facts(&position, &nodes(rng.random_range(20..300)));
        let Some(open) = facts.open_moves else {
            continue;
        };
        assert!(!open.is_empty() && open.iter().all(|&mv| position.is_legal(mv)));
        threatened[rules as usize] += 1;
        forced += usize::from(open.len() == 1);
        let mut known = HashMap::new();
        for mv in position.legal_moves().filter(|mv| !open.contains(mv)) {
            let mut next = position.clone();
            next.play(mv);
            assert_eq!(brute(&next, &mut known), Proof::Win, "{mv:?}: {position:?}");
            left_out += 1;
        }
    }
    let told = format!("{threatened:?} by rules, {forced} forced, {left_out} moves left out");
    assert!(
        threatened.iter().all(|&count| count > 0) && forced > 0 && left_out > 50,
        "{told}"
    );
}

/// Plays the winner's moves according to the prover, against every reply, and counts the positions;
/// all games must end with the winner's five, within this many plies.
fn wins_against_everything(
    position: &Gomoku,
    (winner, plies): (Color, u16),
    prover: &mut ThreatSolver,
    seen: &mut HashMap<u128, u16>,
) -> u64 {
    if let Some(outcome) = position.outcome() {
        assert_eq!(outcome.winner, Some(winner), "{position:?}");
        return 1;
    }
    if seen
        .get(&position.key())
        .is_some_and(|&known| known <= plies)
    {
        return 0;
    }
    assert!(plies > 0, "{winner} has not won in time: {position:?}");
    let moves: Vec<Move> = if position.to_move() == winner {
        let found = prover.prove(position, &nodes(20_000));
        assert_eq!(found.bounds.proof(), Some(Proof::Win), "{position:?}");
        found.best.into_iter().collect()
    } else {
        position.legal_moves().collect()
    };
    let mut count = 1;
    for mv in moves {
        let mut next = position.clone();
        next.play(mv);
        count += wins_against_everything(&next, (winner, plies - 1), prover, seen);
    }
    seen.insert(position.key(), plies);
    count
}

/// Too large for brute force: boards with room for threes, on which only the defender tries
/// everything. `TENGEN_THREATS` as above.
#[test]
fn proven_wins_hold_against_every_reply() {
    let count: u64 = std::env::var("TENGEN_THREATS").map_or(250, |n| n.parse().unwrap());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(count);
    let (mut wins, mut losses, mut positions, mut longest) = ([0; 5], 0, 0, 0);
    for number in 0..count {
        let rules = GomokuRules::ALL[number as usize % 5];
        let (width, height) = [(5, 6), (6, 6), (6, 7), (7, 7), (8, 7)][number as usize / 5 % 5];
        let size = BoardSize::new(width, height);
        let left = rng.random_range(size.area() / 3..size.area() - 7);
        let position = played(&mut rng, size, rules, left);
        let mut prover = ThreatSolver::new(1 << 20);
        let found = prover.prove(&position, &nodes(rng.random_range(20..3000)));
        let winner = match found.bounds.proof() {
            Some(Proof::Win) => position.to_move(),
            Some(Proof::Loss) => position.to_move().opponent(),
            _ => continue,
        };
        if found.plies < 8 {
            let claim = (winner, found.plies);
            positions +=
                wins_against_everything(&position, claim, &mut prover, &mut HashMap::new());
            wins[rules as usize] += 1;
            losses += u32::from(winner != position.to_move());
            longest = longest.max(found.plies);
        }
    }
    let told = format!("{wins:?} by rules, {losses} lost, {positions} positions, {longest} plies");
    assert!(
        wins.iter().all(|&wins| wins > 0) && losses > 0 && longest > 5,
        "{told}"
    );
}

fn prove(position: &Gomoku) -> SolveResult {
    ThreatSolver::new(1 << 20).prove(position, &nodes(100_000))
}

/// Decided positions, and their plies.
#[test]
fn threats_of_all_kinds_are_seen() {
    let four = [
        "........", "..XXXX..", "........", "........", "...O....", "....O...", "........",
        "....O...",
    ];
    let three = [
        "........", "........", "..XXX...", "........", "........", "...OO...", "........",
        "........",
    ];
    let (win, loss) = (Bounds::exactly(Proof::Win), Bounds::exactly(Proof::Loss));
    for (rows, to_move, bounds, plies) in [
        (&four[..], Color::Black, win, 1),
        (&four[..], Color::White, loss, 2),
        (&three[..], Color::Black, win, 3),
        (&three[..], Color::White, Bounds::OPEN, 0),
        (&TWO_THREES[..], Color::Black, win, 5),
    ] {
        let found = prove(&diagram(&rows.join(" "), GomokuRules::Freestyle, to_move));
        assert_eq!((found.bounds, found.plies), (bounds, plies), "{rows:?}");
        assert_eq!(found.best.is_some(), bounds == win);
    }
}

#[test]
fn who_is_threatened_has_few_moves() {
    let rows = [
        "........", "........", "..XXX...", "........", "........", "...OO...", "........",
        "........",
    ];
    // In Caro a stone beyond the end of the coming four helps, too: a five between two stones does
    // not count.
    for (rules, expected) in [
        (GomokuRules::Freestyle, &[1, 5][..]),
        (GomokuRules::Caro, &[0, 1, 5, 6]),
    ] {
        let position = diagram(&rows.join(" "), rules, Color::White);
        let losing = ThreatSolver::new(1 << 16).losing(&position, &nodes(1000));
        let open = position.legal_moves().filter(|mv| !losing.contains(mv));
        let open: Vec<(u8, u8)> = open.map(|mv| position.size().column_row(mv)).collect();
        let expected: Vec<(u8, u8)> = expected.iter().map(|&x| (x, 5)).collect();
        assert_eq!(open, expected, "{rules}");
    }
    let rows = "........ ".repeat(8);
    let calm = diagram(&rows, GomokuRules::Freestyle, Color::White);
    assert!(
        ThreatSolver::new(1 << 16)
            .losing(&calm, &nodes(1000))
            .is_empty()
    );
}

/// Black's only answer to White's four would make an overline: in Renju White wins by it, and
/// otherwise Black would.
#[test]
fn what_is_forbidden_to_black_wins_for_white() {
    let rows = [
        ".........",
        ".........",
        ".........",
        "XXX.XX...",
        "...O.....",
        "...O.....",
        "...O.....",
        ".........",
        ".........",
    ];
    for (rules, bounds) in [
        (GomokuRules::Renju, Bounds::exactly(Proof::Win)),
        (GomokuRules::Freestyle, Bounds::OPEN),
    ] {
        let mut position = diagram(&rows.join(" "), rules, Color::White);
        position.put(Color::Black, position.size().point(3, 1));
        let found = prove(&position);
        assert_eq!(found.bounds, bounds, "{rules}");
    }
}

/// In Caro a stone beyond the end of the row answers a four, too.
#[test]
fn a_four_has_more_answers_in_caro() {
    let rows = [
        "........", ".OXXXX..", "........", "........", "...O....", "....O...", "........",
        "....O...",
    ];
    for (rules, expected) in [(GomokuRules::Freestyle, 1), (GomokuRules::Caro, 2)] {
        let position = diagram(&rows.join(" "), rules, Color::White);
        let losing = ThreatSolver::new(1 << 16).losing(&position, &nodes(100));
        assert_eq!(position.legal_count() - losing.len(), expected, "{rules}");
    }
}

/// On large boards, too large for brute force: the side proven to win does so, within the stated
/// plies, against any play.
#[test]
fn proven_wins_are_won_in_time() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(7);
    let (mut won, mut delays) = (0, 0);
    for number in 0..100 {
        let rules = GomokuRules::ALL[number % 5];
        let left = 225 - rng.random_range(16..50);
        let mut position = played(&mut rng, BoardSize::square(15), rules, left);
        let mut prover = ThreatSolver::new(1 << 22);
        let found = prover.prove(&position, &nodes(3000));
        if found.bounds.proof() != Some(Proof::Win) {
            continue;
        }
        let (winner, mut plies) = (position.to_move(), found.plies);
        while position.outcome().is_none() {
            assert!(plies > 0, "{position:?}");
            let mv = if position.to_move() == winner {
                let found = prover.prove(&position, &nodes(100_000));
                assert_eq!(found.bounds.proof(), Some(Proof::Win), "{position:?}");
                found.best.unwrap()
            } else {
                // Often a four of its own, which only delays the end; else a move that stops the threat,
                // if there is one.
                let losing = prover.losing(&position, &nodes(1000));
                let stops = |mv: &Move| !losing.contains(mv);
                let fours: Vec<Move> = position
                    .legal_moves()
                    .filter(|&mv| makes_four(&position, mv))
                    .collect();
                let moves: Vec<Move> = match !fours.is_empty() && rng.random_bool(0.7) {
                    true => fours,
                    false => position.legal_moves().filter(stops).collect(),
                };
                delays += usize::from(makes_four(&position, moves[0]));
                moves[rng.random_range(0..moves.len())]
            };
            position.play(mv);
            plies = plies.saturating_sub(1);
        }
        assert_eq!(position.outcome().unwrap().winner, Some(winner));
        won += 1;
    }
    assert!(won > 30 && delays > 15, "{won} won, {delays} fours");
}

/// Whether the side to move would make a four or a five.
fn makes_four(position: &Gomoku, mv: Move) -> bool {
    let shapes = position.shapes_at(position.to_move(), mv);
    shapes.iter().any(|&shape| shape >= Shape::Four)
}

/// Black wins by threes; White can first make fours far away, of which no proof has to know.
#[test]
fn fours_elsewhere_cost_a_proof_little() {
    let rows = |fours: usize| {
        let mut rows = vec!["...............".to_owned(); 15];
        for (row, text) in [
            (2, "....XX........."),
            (4, "...X..........."),
            (5, "...X..........."),
        ] {
            rows[row] = text.to_owned();
        }
        for row in [8, 10, 12, 14].into_iter().take(fours) {
            rows[row] = ".......XOOO....".to_owned();
        }
        rows
    };
    for rules in [GomokuRules::Freestyle, GomokuRules::Standard] {
        let [without, with] = [0, 4].map(|fours| {
            let position = diagram(&rows(fours).join(" "), rules, Color::Black);
            let found = ThreatSolver::new(1 << 22).prove(&position, &nodes(200_000));
            assert_eq!(found.bounds, Bounds::exactly(Proof::Win), "{rules} {fours}");
            found.nodes
        });
        assert!(
            with < 3 * without + 300,
            "{rules}: {with} nodes, {without} without fours"
        );
    }
}

#[test]
fn a_probe_depends_on_its_position_alone() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let positions: Vec<Gomoku> = (0..40)
        .map(|_| played(&mut rng, BoardSize::square(15), GomokuRules::Renju, 185))
        .collect();
    let mut probe = ThreatSolver::new(0).probes()();
    let mut ask = |position| probe(position, &nodes(300));
    let found: Vec<_> = positions.iter().map(&mut ask).collect();
    let mut again: Vec<_> = positions.iter().rev().map(ask).collect();
    again.reverse();
    assert_eq!(found, again);
    assert!(found.iter().any(Option::is_some) && found.contains(&None));
}

#[test]
fn limits_are_kept_and_results_improve() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let mut proven = [0; 3];
    for _ in 0..30 {
        let position = played(&mut rng, BoardSize::square(15), GomokuRules::Freestyle, 190);
        for (limit, proven) in [0, 200, 20_000].into_iter().zip(&mut proven) {
            let found = ThreatSolver::new(1 << 20).prove(&position, &nodes(limit));
            // The last position is searched completely.
            assert!(found.nodes <= limit + 2000, "{} of {limit}", found.nodes);
            *proven += usize::from(found.bounds.proof().is_some());
        }
        let stopped = SolveLimits {
            halt: &|_| true,
            ..nodes(u64::MAX)
        };
        assert!(ThreatSolver::new(1 << 20).prove(&position, &stopped).nodes < 60_000);
    }
    assert!(
        proven[0] <= proven[1] && proven[1] < proven[2],
        "{proven:?}"
    );
}

/// Neither side can make a five any more: a draw, or at most that for one side.
#[test]
fn boards_without_room_are_drawn() {
    let rows = "XXOXX OOXOO XXOXX OOXOO XXO..";
    let found = prove(&diagram(rows, GomokuRules::Freestyle, Color::Black));
    assert_eq!(found.bounds, Bounds::exactly(Proof::Draw));
    let rows = "X.X.X ....X X.... ..X.. X...X";
    let found = prove(&diagram(rows, GomokuRules::Freestyle, Color::White));
    assert!(found.bounds.high() <= Proof::Draw || found.bounds == Bounds::OPEN);
}

#[test]
fn lines_end_in_a_five() {
    let position = diagram(&TWO_THREES.join(" "), GomokuRules::Standard, Color::Black);
    let mut prover = ThreatSolver::new(1 << 20);
    let line = prover.line(&position, &nodes(1_000_000));
    let mut end = position.clone();
    for &mv in &line {
        assert!(end.is_legal(mv));
        end.play(mv);
    }
    assert_eq!(
        end.outcome().and_then(|outcome| outcome.winner),
        Some(Color::Black)
    );
    assert_eq!(line.len(), 5);
    let advice = prover.advise(&position, Proof::Win, None, &nodes(20_000));
    assert_eq!(advice.moves[0].mv, line[0]);
    assert_eq!(advice.moves.len(), position.legal_count());
}

/// An open four wins against any play; users still expect one end to be stopped.
#[test]
fn a_lost_four_is_stopped_all_the_same() {
    let rows = [
        ".........",
        ".........",
        "..XXXX...",
        ".........",
        ".........",
        "..O..O.O.",
        ".........",
        ".......O.",
        ".........",
    ];
    for rules in [GomokuRules::Freestyle, GomokuRules::Renju] {
        let position = diagram(&rows.join(" "), rules, Color::White);
        let mut prover = ThreatSolver::new(1 << 20);
        let advice = prover.advise(&position, Proof::Loss, None, &nodes(20_000));
        let (x, y) = position.size().column_row(advice.moves[0].mv);
        assert!(y == 6 && [1, 6].contains(&x), "{rules}: {x} {y}");
    }
}
