//! The solver against brute force, plain search and published results.

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::*;
use crate::game::{Bits, BoardSize, Color, Game};
use crate::games::nogo::SmallNoGo;
use crate::solver::Probe;

fn empty<const W: usize>(width: u8, height: u8) -> NoGo<W> {
    NoGo::new(BoardSize::new(width, height)).unwrap()
}

/// No limits.
const ALL: SolveLimits<'static> = SolveLimits {
    nodes: u64::MAX,
    threads: 1,
    halt: &|_| false,
};

fn effort(nodes: u64) -> SolveLimits<'static> {
    SolveLimits { nodes, ..ALL }
}

/// All checks on every reachable position of a board.
struct Brute {
    known: HashMap<u128, bool>,
    /// By key of a state, the least number that wins and the largest that loses.
    keys: HashMap<u128, [i32; 2]>,
    analyst: Analyst<1>,
    solver: Solver<1>,
    decided: u64,
    promised: u64,
}

impl Brute {
    /// Whether the side to move wins, by brute force.
    fn wins(&mut self, position: &NoGo<1>) -> bool {
        if let Some(&wins) = self.known.get(&position.key()) {
            return wins;
        }
        let mut wins = false;
        for mv in position.legal_moves() {
            let mut next = position.clone();
            next.play(mv);
            wins |= !self.wins(&next);
        }
        self.known.insert(position.key(), wins);
        self.check(position, wins);
        wins
    }

    fn check(&mut self, position: &NoGo<1>, wins: bool) {
        let mut board = Board::new(position);
        let mover = board.to_move;
        let state = self.analyst.whole(&mut board);
        if let Some(verdict) = state.verdict {
            assert_eq!(verdict, wins, "bounds of {position:?}");
            self.decided += 1;
        } else {
            let key = state.key(mover, &self.analyst.values);
            let number = mover.signed(state.sum.number);
            let [win, loss] = self.keys.entry(key).or_insert([i32::MAX, i32::MIN]);
            match wins {
                true => *win = number.min(*win),
                false => *loss = number.max(*loss),
            }
            assert!(loss < win, "key of {position:?}");
        }
        if let Some(verdict) = kept_eyes::verdict(&mut self.analyst, &mut board, &state) {
            assert_eq!(verdict, wins, "kept eyes of {position:?}");
            self.promised += u64::from(state.verdict.is_none());
        }
        let found = self.solver.solve(position, &ALL);
        assert_eq!(found.bounds, decided(Some(wins)), "{position:?}");
        assert_eq!(found.best.is_some(), wins, "{position:?}");
        if let Some(best) = found.best {
            let mut next = position.clone();
            assert!(next.is_legal(best));
            next.play(best);
            assert!(!self.known[&next.key()], "{best:?} in {position:?}");
        }
    }
}

/// Every reachable position, by bounds, promises, keys and search; the larger boards of
/// docs/methods.md#endings with `TENGEN_SOLVER_BRUTE=1`.
#[test]
#[expect(clippy::print_stdout, reason = "figures, shown with --nocapture")]
fn agrees_with_brute_force() {
    let mut boards = vec![(1, 7, 0), (2, 4, 1325), (3, 3, 3884), (2, 6, 0)];
    if std::env::var_os("TENGEN_SOLVER_BRUTE").is_some() {
        boards.extend([(3, 4, 87_361), (2, 7, 0), (3, 5, 0), (4, 4, 5_820_817)]);
    }
    let mut promised = 0;
    for (width, height, count) in boards {
        let mut brute = Brute {
            known: HashMap::new(),
            keys: HashMap::new(),
            analyst: Analyst::new(BoardSize::new(width, height)),
            solver: Solver::new(4 << 20),
            decided: 0,
            promised: 0,
        };
        brute.wins(&empty(width, height));
        let positions = brute.known.len();
        println!(
            "{width}x{height}: {positions} positions, {} decided by bounds, {} by promises, {} keys",
            brute.decided,
            brute.promised,
            brute.keys.len()
        );
        assert!(count == 0 || count == positions, "{positions}");
        assert!(brute.decided > 0);
        promised += brute.promised;
    }
    assert!(promised > 0);
}

/// Plain negamax with a memo table.
fn negamax(position: &SmallNoGo, known: &mut HashMap<u128, bool>) -> bool {
    if let Some(&wins) = known.get(&position.key()) {
        return wins;
    }
    let wins = position.legal_moves().any(|mv| {
        let mut next = position.clone();
        next.play(mv);
        !negamax(&next, known)
    });
    known.insert(position.key(), wins);
    wins
}

fn random_position(rng: &mut Xoshiro256PlusPlus, plies: u32) -> SmallNoGo {
    let mut position: SmallNoGo = empty(9, 9);
    while position.ply() < plies && position.outcome().is_none() {
        let choice = rng.random_range(0..position.legal_count());
        let mv = position.legal_moves().nth(choice).unwrap();
        position.play(mv);
    }
    position
}

/// `TENGEN_SOLVER_POSITIONS` sets the number of positions (the acceptance run uses 10000).
#[test]
fn agrees_with_plain_negamax_on_late_positions() {
    let count = std::env::var("TENGEN_SOLVER_POSITIONS").map_or(40, |n| n.parse().unwrap());
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut solver = Solver::new(4 << 20);
    let mut probe = solver.probes()();
    for _ in 0..count {
        let plies = rng.random_range(60..74);
        let position = random_position(&mut rng, plies);
        let wins = negamax(&position, &mut HashMap::new());
        assert_eq!(
            solver.solve(&position, &ALL).bounds,
            decided(Some(wins)),
            "{position:?}"
        );
        let known = probe(&position, &effort(100));
        assert_eq!(
            known,
            Some(decided(Some(wins)).into()),
            "the solver has proven it"
        );
    }
}

/// Published results (docs/methods.md#nogo): N, the first player wins, or P. `TENGEN_SOLVER_AREA`
/// sets the largest board, in points; a row may have twice as many.
#[test]
#[expect(clippy::print_stdout, reason = "figures, shown with --nocapture")]
fn solved_rectangles() {
    let largest = std::env::var("TENGEN_SOLVER_AREA").map_or(14, |n| n.parse().unwrap());
    let tables: [(u8, &str); 5] = [
        (1, "PNNPNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNNN"),
        (2, "-NPPNNNNPPNNN"),
        (3, "--NPNNNNN"),
        (4, "---PNN"),
        (5, "----N"),
    ];
    for (height, results) in tables {
        for (width, result) in (1..).zip(results.chars()).filter(|(_, r)| *r != '-') {
            let position: NoGo<1> = empty(width, height);
            if position.size().area() > if height == 1 { 2 * largest } else { largest } {
                continue;
            }
            let found = Solver::new(64 << 20).solve(&position, &ALL);
            println!("{height}x{width}: {result}, {} nodes", found.nodes);
            let expected = decided(Some(result == 'N'));
            assert_eq!(found.bounds, expected, "{height}x{width}");
        }
    }
}

#[test]
fn moves_are_taken_back_without_a_trace() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(2);
    for _ in 0..20 {
        let mut position = random_position(&mut rng, 30);
        let mut board = Board::new(&position);
        let mut past = Vec::new();
        while position.outcome().is_none() {
            let choice = rng.random_range(0..position.legal_count());
            let mv = position.legal_moves().nth(choice).unwrap();
            position.play(mv);
            let before = format!("{:?}{:?}", board.legal, board.roots);
            past.push((before, board.play(mv)));
            for color in Color::BOTH {
                assert_eq!(board.legal[color.index()], position.legal(color));
            }
            let blocks = |board: &Board<2>| {
                let roots = board.roots[0] | board.roots[1];
                let liberties = roots.iter().map(|root| board.block(root).liberties);
                let mut words: Vec<_> = liberties.map(Bits::words).collect();
                words.sort_unstable();
                words
            };
            assert_eq!(blocks(&board), blocks(&Board::new(&position)));
        }
        while let Some((before, undo)) = past.pop() {
            board.take_back(&undo);
            assert_eq!(format!("{:?}{:?}", board.legal, board.roots), before);
        }
    }
}

#[test]
fn a_stopped_search_says_so_and_goes_on_later() {
    let position = random_position(&mut Xoshiro256PlusPlus::seed_from_u64(7), 58);
    let needed = Solver::new(4 << 20).solve(&position, &ALL).nodes;
    assert!(needed > 300, "{needed}");
    let mut solver = Solver::new(4 << 20);
    let first = solver.solve(&position, &effort(needed / 2));
    assert_eq!(
        (first.proof(), first.best, first.nodes),
        (None, None, needed / 2)
    );
    let rest = solver.solve(&position, &ALL);
    assert!(
        rest.proof().is_some() && rest.nodes < needed * 3 / 4,
        "{rest:?} of {needed}"
    );
    let stopped = SolveLimits {
        halt: &|_| true,
        ..ALL
    };
    solver.clear();
    assert_eq!(solver.solve(&position, &stopped).proof(), None);
}

/// A solver whose table has this position as won.
fn solver_that_knows(position: &SmallNoGo) -> Solver<2> {
    let mut analyst = Analyst::new(position.size());
    let mut board = Board::new(position);
    let state = analyst.whole(&mut board);
    let key = state.key(board.to_move, &analyst.values);
    let number = board.to_move.signed(state.sum.number);
    let solver = Solver::new(1 << 20);
    solver.table.put(key, number, true, 1);
    solver
}

#[test]
fn a_win_stands_where_the_limit_ends_the_search_for_its_move() {
    let position: SmallNoGo = empty(9, 9);
    let found = solver_that_knows(&position).solve(&position, &effort(1));
    assert_eq!((found.proof(), found.best), (Some(Proof::Win), None));
}

/// Both have 81 points, and so the same sets of them.
#[test]
fn what_is_proven_of_one_board_says_nothing_of_another() {
    let (square, long): (SmallNoGo, SmallNoGo) = (empty(9, 9), empty(27, 3));
    let mut solver = solver_that_knows(&square);
    let mut proof = |position| solver.solve(position, &effort(1)).proof();
    assert_eq!(proof(&square), Some(Proof::Win));
    assert_eq!(proof(&long), None);
}

#[test]
fn threads_find_the_same() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(4);
    for _ in 0..4 {
        let position = random_position(&mut rng, 58);
        let alone = Solver::new(4 << 20).solve(&position, &ALL);
        let together = Solver::new(4 << 20).solve(&position, &SolveLimits { threads: 3, ..ALL });
        assert_eq!(alone.bounds, together.bounds);
    }
}

#[test]
#[should_panic(expected = "the limit fails")]
fn a_panic_of_one_of_many_threads_is_one_of_the_solver() {
    let effort = SolveLimits {
        threads: 2,
        halt: &|_| panic!("the limit fails"),
        ..ALL
    };
    Solver::new(1 << 20).solve(&empty::<2>(9, 9), &effort);
}

#[test]
fn probes_and_their_solver_learn_from_each_other() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    let positions: Vec<_> = (0..40).map(|_| random_position(&mut rng, 60)).collect();
    let ask = |probe: &mut Probe<SmallNoGo>, nodes| {
        let found = positions
            .iter()
            .map(|p| probe(p, &effort(nodes)).unwrap().bounds);
        found.collect::<Vec<_>>()
    };
    let unknown = |found: &[Bounds]| found.iter().filter(|b| b.proof().is_none()).count();
    let mut solver = Solver::new(4 << 20);
    let make = solver.probes();
    let first = ask(&mut make(), 20);
    assert!((1..40).contains(&unknown(&first)), "{first:?}");
    // An interrupted search continues where it was.
    let mut other = make();
    let more = (0..200).map(|_| unknown(&ask(&mut other, 20))).min();
    assert!(more < Some(unknown(&first)));
    let solved: Vec<_> = positions.iter().map(|p| solver.solve(p, &ALL)).collect();
    let one_node = ask(&mut make(), 1);
    for (known, solved) in one_node.iter().zip(&solved) {
        assert_eq!(known.proof(), solved.proof());
    }
    solver.clear();
    assert_eq!(ask(&mut make(), 20), first, "they forget together");
}

/// Many small positions also respect the clock.
#[test]
fn advice_ends_when_it_is_told_to() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let lost = std::iter::repeat_with(|| random_position(&mut rng, 55)).find_map(|position| {
        let found = Solver::new(4 << 20).solve(&position, &ALL);
        (position.legal_count() > 4 && found.proof() == Some(Proof::Loss)).then_some(position)
    });
    let lost = lost.unwrap();
    let told = SolveLimits {
        halt: &|_| true,
        ..effort(1 << 40)
    };
    let advise = |effort: &SolveLimits<'_>| {
        let mut solver = Solver::new(4 << 20);
        solver.advise(&lost, Proof::Loss, None, effort)
    };
    assert!(advise(&effort(1 << 40)).nodes > 0);
    let advice = advise(&told);
    assert_eq!((advice.nodes, advice.moves.len()), (0, lost.legal_count()));
}

#[test]
fn advice_ranks_wins_first_and_counts_traps() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(6);
    let mut seen = [0, 0];
    for _ in 0..20 {
        let position = random_position(&mut rng, 65);
        if position.outcome().is_some() {
            continue;
        }
        let mut solver = Solver::new(4 << 20);
        let found = solver.solve(&position, &ALL);
        let proof = found.proof().unwrap();
        let advice = solver.advise(&position, proof, found.best, &effort(1 << 40));
        seen[usize::from(proof == Proof::Win)] += 1;
        assert_eq!(advice.moves.len(), position.legal_count());
        let after = |mv: Move| {
            let mut next = position.clone();
            next.play(mv);
            next
        };
        for rated in &advice.moves {
            let wins = !negamax(&after(rated.mv), &mut HashMap::new());
            assert_eq!(rated.bounds, decided(Some(wins)), "{rated:?}");
        }
        assert_eq!(advice.moves[0].proof(), Some(proof));
        if proof == Proof::Loss {
            let next = after(advice.moves[0].mv);
            let bad = next.legal_moves().filter(|&reply| {
                let mut next = next.clone();
                next.play(reply);
                negamax(&next, &mut HashMap::new())
            });
            let share = bad.count() as f32 / next.legal_count() as f32;
            assert_eq!(advice.moves[0].score, share);
        }
    }
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
}

#[test]
fn a_line_leads_to_the_end() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    for _ in 0..5 {
        let mut position = random_position(&mut rng, 60);
        let mover = position.to_move();
        let mut solver = Solver::new(4 << 20);
        let proof = solver.solve(&position, &ALL).proof().unwrap();
        for mv in solver.line(&position, &ALL) {
            assert!(position.is_legal(mv));
            position.play(mv);
        }
        assert_eq!(position.outcome(), Some(proof.outcome(mover)));
    }
}
