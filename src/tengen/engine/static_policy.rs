//! The move when there is no search result: the clock has run out, the search was stopped before it
//! began, or it has failed.
//!
//! Uses, in this order: a result proven with a few hundred nodes, moves proven to lose with as few,
//! and static move preferences ([`Rollout::appeal`]). This takes a millisecond at most, and no
//! network.

use crate::clock::StopReason;
use crate::game::{GameState, Move, Proof};
use crate::rollout::Rollout;
use crate::search::SearchReport;
use crate::solver::{Solvable, Solve, SolveLimits};

/// Nodes for the result, and for losing moves: a fraction of a millisecond each.
const NODES: u64 = 500;
/// Skipped if the median solve needs more than this multiple of them.
const REACH: f64 = 4.0;
/// Memory of the solver: more than a few hundred nodes can fill.
const BYTES: usize = 1 << 18;

/// Chooses a move without a search: all moves, the one to play first, with what
/// is known of them. Empty if there is no legal move.
pub(crate) type StaticPolicy<G> = Box<dyn FnMut(&GameState<G>) -> SearchReport + Send>;

/// For a game without static knowledge: the legal moves in board order.
pub(super) fn any_legal<G: crate::game::Game>() -> StaticPolicy<G> {
    Box::new(|start| SearchReport::equally_likely(start.legal_moves(), StopReason::Time))
}

/// With the knowledge of rollouts and solver.
pub(crate) fn look_at_once<G: Rollout + Solvable>() -> StaticPolicy<G> {
    let mut solver = G::solver(BYTES);
    Box::new(move |start| {
        let known = solver
            .as_deref_mut()
            .map_or_else(Known::default, |solver| Known::of(solver, start.position()));
        report(start, &known)
    })
}

/// Results proven with few nodes.
#[derive(Debug, Default)]
struct Known {
    proof: Option<Proof>,
    /// A winning move.
    best: Option<Move>,
    losing: Vec<Move>,
}

impl Known {
    fn of<G: Solvable>(solver: &mut dyn Solve<G>, position: &G) -> Known {
        let within_reach = |median| median <= REACH * NODES as f64;
        if !position.nodes_to_solve().is_none_or(within_reach) {
            return Known::default();
        }
        let effort = SolveLimits::alone(NODES, &|nodes| nodes >= NODES);
        let found = solver.solve(position, &effort);
        // The nodes may end between the proof of a win and its move: a win is told only with a move to play.
        let shows = |proof: &Proof| *proof != Proof::Win || found.best.is_some();
        let proof = found.proof().filter(shows);
        let wins = proof == Some(Proof::Win);
        Known {
            proof,
            best: found.best.filter(|_| wins),
            losing: match wins {
                true => Vec::new(),
                false => solver.losing(position, &effort),
            },
        }
    }
}

fn report<G: Rollout>(start: &GameState<G>, known: &Known) -> SearchReport {
    let moves: Vec<Move> = start.legal_moves().collect();
    let appeal = start.position().appeal(&moves);
    let mut looks: Vec<(Move, f32)> = moves.into_iter().zip(appeal).collect();
    let rank = |mv: &Move| (known.best != Some(*mv), known.losing.contains(mv));
    // Ties in board order.
    looks.sort_by(|a, b| rank(&a.0).cmp(&rank(&b.0)).then(b.1.total_cmp(&a.1)));
    let moves = looks.into_iter().map(|(mv, _)| mv);
    let mut report = SearchReport::equally_likely(moves, StopReason::Time);
    report.proof = known.proof;
    let static_value = || start.position().static_value();
    report.value = known.proof.map_or_else(static_value, Proof::value);
    for found in &mut report.moves {
        let proof = match known.proof {
            Some(Proof::Win) => (known.best == Some(found.mv)).then_some(Proof::Win),
            Some(Proof::Loss) => Some(Proof::Loss),
            _ => known.losing.contains(&found.mv).then_some(Proof::Loss),
        };
        found.proof = proof;
        found.value = proof.map_or(report.value, Proof::value);
    }
    report
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use super::*;
    use crate::clock::{Clock as _, SystemClock};
    use crate::game::{BoardSize, Bounds, Color, Game};
    use crate::games::go::LargeGo;
    use crate::games::gomoku::{Gomoku, GomokuRules};
    use crate::games::nogo::SmallNoGo;
    use crate::search::MoveReport;
    use crate::solver::{MakeProbe, Probe, SolveResult, SolvedMoves};

    fn look<G: Rollout + Solvable>(position: G) -> SearchReport {
        look_at_once()(&position.into())
    }

    /// Endings of `gtp-tests/endings/nogo-9x9.txt` that few nodes solve: won positions with their
    /// winning moves.
    fn easy_endings() -> Vec<(SmallNoGo, Vec<String>)> {
        let text = include_str!("../../../gtp-tests/endings/nogo-9x9.txt");
        let lines = text.lines().map(|line| line.split(' ').collect::<Vec<_>>());
        let easy = |words: &Vec<&str>| {
            let nodes = words.get(2).and_then(|nodes| nodes.parse::<u64>().ok());
            words.get(3) == Some(&"+") && nodes.is_some_and(|nodes| nodes <= NODES / 2)
        };
        let endings = lines.filter(easy).map(|words| {
            let size = BoardSize::square(9);
            let mut stones = Vec::new();
            for (row, y) in words[0].split('/').zip((0..9).rev()) {
                let mut x = 0;
                for sign in row.bytes() {
                    match sign {
                        b'x' => stones.push((size.point(x, y), Color::Black)),
                        b'o' => stones.push((size.point(x, y), Color::White)),
                        digit => x += digit - b'1',
                    }
                    x += 1;
                }
            }
            let to_move = if words[1] == "b" {
                Color::Black
            } else {
                Color::White
            };
            let empty = SmallNoGo::new(size).expect("a usual board");
            let position = empty.set_up(&stones, to_move).expect("it was played");
            (
                position,
                words[4..].iter().map(|&word| word.to_owned()).collect(),
            )
        });
        endings.collect()
    }

    #[test]
    fn endings_that_are_won_are_won_at_once() {
        let endings = easy_endings();
        assert!(endings.len() > 3, "{}", endings.len());
        for (position, wins) in endings {
            let found = look(position.clone());
            let (x, y) = position.size().column_row(found.moves[0].mv);
            let name = format!("{}{}", char::from(b"ABCDEFGHJ"[usize::from(x)]), y + 1);
            assert_eq!(found.proof, Some(Proof::Win), "{position:?}");
            assert!(wins.contains(&name), "{name} of {wins:?}");
        }
    }

    /// Proves a win without a move.
    struct Silent;

    impl Solve<SmallNoGo> for Silent {
        fn solve(&mut self, _: &SmallNoGo, _: &SolveLimits<'_>) -> SolveResult {
            SolveResult {
                bounds: Bounds::exactly(Proof::Win),
                best: None,
                plies: 0,
                nodes: NODES,
            }
        }

        fn advise(
            &mut self,
            _: &SmallNoGo,
            proof: Proof,
            _: Option<Move>,
            _: &SolveLimits<'_>,
        ) -> SolvedMoves {
            SolvedMoves {
                proof,
                moves: Vec::new(),
                nodes: 0,
            }
        }

        fn line(&mut self, _: &SmallNoGo, _: &SolveLimits<'_>) -> Vec<Move> {
            Vec::new()
        }

        fn probes(&self) -> MakeProbe<SmallNoGo> {
            Arc::new(|| -> Probe<SmallNoGo> { Box::new(|_, _| None) })
        }

        fn clear(&mut self) {}
    }

    #[test]
    fn a_win_without_a_move_to_show_is_not_told() {
        let position = SmallNoGo::new(BoardSize::square(2)).expect("a small board");
        let known = Known::of(&mut Silent, &position);
        let found = report(&GameState::from(position), &known);
        assert_eq!((found.proof, found.moves.len()), (None, 4));
        assert!(found.moves.iter().all(|found| found.proof.is_none()));
    }

    #[test]
    fn a_line_of_fours_is_played_and_stopped() {
        // X makes a four in the middle row, and after the answer another four that wins.
        let rows = "......... ......... .....X... .....X... OXXX..... ......... .O..O..O. ......... .........";
        let rules = GomokuRules::Freestyle;
        let position = crate::games::gomoku::tests::diagram(rows, rules, Color::Black);
        let size = position.size();
        let found = look(position);
        let first = size.column_row(found.moves[0].mv);
        assert_eq!(found.proof, Some(Proof::Win), "{first:?}");
        let position = crate::games::gomoku::tests::diagram(rows, rules, Color::White);
        let found = look(position);
        assert_ne!(found.moves[0].proof, Some(Proof::Loss));
        let lost = |found: &&MoveReport| found.proof == Some(Proof::Loss);
        assert!(found.moves.iter().filter(lost).count() > 40);
        assert_eq!(
            found.moves.len(),
            found
                .moves
                .iter()
                .map(|found| found.mv)
                .collect::<std::collections::HashSet<_>>()
                .len()
        );
    }

    /// The shortest time over positions of random games, and the time of the first one.
    fn cost<G: Rollout + Solvable>(size: BoardSize) -> (Duration, Vec<Duration>) {
        let clock = SystemClock::new();
        let mut look = look_at_once();
        let mut position = G::new(size).expect("a usual board");
        let mut times = Vec::new();
        for ply in 0..size.area() / 2 {
            let start = GameState::from(position.clone());
            let begin = clock.now();
            let found = look(&start);
            times.push(clock.now() - begin);
            let Some(best) = found.moves.first() else {
                break;
            };
            // Occasionally a new game: games of all kinds.
            let other = found.moves.get(ply * 7 % 5 * (ply % 3)).unwrap_or(best);
            position.play(other.mv);
        }
        let first = times[0];
        times.sort_unstable();
        (first, times)
    }

    /// Measured beside other work: the median is 13 us in NoGo, 17 and 79 us in Go on 9x9 and
    /// 19x19, 96 and 139 us in Gomoku on 15x15 and 20x20; the first call in Go 46 ms, because it
    /// reads the weights. The limits are for a busy machine.
    #[test]
    fn it_takes_no_time() {
        let square = BoardSize::square;
        let costs = [
            ("nogo 9x9", cost::<SmallNoGo>(square(9))),
            ("go 9x9", cost::<crate::games::go::SmallGo>(square(9))),
            ("go 19x19", cost::<LargeGo>(square(19))),
            ("gomoku 15x15", cost::<Gomoku>(square(15))),
            ("gomoku 20x20", cost::<Gomoku>(square(20))),
        ];
        for (what, (first, times)) in costs {
            let half = times[times.len() / 2];
            assert!(half < Duration::from_millis(10), "{what}: {half:?}");
            assert!(first < Duration::from_millis(500), "{what}: {first:?}");
        }
    }
}
