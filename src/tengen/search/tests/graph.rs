//! Compares the graph with a tree at equal evaluations, in Go positions where kos make the history
//! matter: does sharing nodes cost strength?

use std::sync::atomic::{AtomicU32, Ordering};

use rand::SeedableRng;

use super::brute::Brute;
use super::keyed::{BY_PATH, Keyed, SINCE_QUIET};
use super::superko::{RULES, Rng, empty, ko_fight};
use super::*;
use crate::game::{GameState, Move};
use crate::games::go::SmallGo;
use tengen_nn::eval::{Batch, Outputs};

/// Number of positions per variant.
fn cases() -> usize {
    let said = std::env::var("TENGEN_GRAPH_CASES").ok();
    said.and_then(|text| text.parse().ok()).unwrap_or(60)
}

/// Counts stones for a value, with weak policy preferences. Ends the search after a number of
/// evaluations.
struct Stones {
    noise: HashEvaluator,
    left: AtomicU32,
    stop: StopFlag,
}

impl Evaluator for Stones {
    fn info(&self) -> &ModelInfo {
        self.noise.info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        self.noise.evaluate(batch, out)?;
        let area = self.info().size.area();
        for index in 0..batch.len() {
            let row = batch.row(index);
            let sum = |plane: usize| row[plane * area..][..area].iter().sum::<f32>();
            let ahead = sum(0) - sum(1);
            let logits = out.value_logits_mut(index);
            (logits[0], logits[1]) = (0.7 * ahead, 0.0);
            if self.left.fetch_sub(1, Ordering::Relaxed) == 1 {
                self.stop.raise();
            }
        }
        Ok(())
    }
}

/// Result of a search with this many evaluations.
fn judged<G: Encode>(game: &GameState<G>, evaluations: u32) -> SearchReport {
    let info = ModelInfo {
        outcomes: 2,
        ..made_up(game.position(), G::encodings()[0])
    };
    let stop = StopFlag::new();
    let flag = stop.clone();
    let make = move || {
        Box::new(Stones {
            noise: HashEvaluator::new(info.clone()),
            left: AtomicU32::new(evaluations),
            stop: flag.clone(),
        }) as Box<dyn Evaluator>
    };
    let clock = Arc::new(FakeClock::new());
    let mut searcher = searcher(make, 1, SearchParams::default(), clock);
    // Evaluations are spent there, not on proofs and known positions.
    let most = visits(20 * u64::from(evaluations));
    let report = searcher
        .search(
            &SearchRequest::new(game.clone()).within(most).until(&stop),
            &mut |_| {},
        )
        .unwrap();
    assert_ne!(report.stop, StopReason::Failed);
    report
}

/// The same game with positions of another type.
fn again<G: Game>(start: G, moves: &[Move]) -> GameState<G> {
    let mut game = GameState::from(start);
    moves.iter().for_each(|&mv| game.play(mv));
    game
}

/// Results of the moves for the side that plays them, where they can be computed.
fn results(game: &GameState<SmallGo>) -> Option<Vec<(Move, Proof)>> {
    let mut brute = Brute::new(60_000);
    let result = |mv: Move| {
        let mut next = game.clone();
        next.play(mv);
        Some((mv, brute.result(&next)?.flip()))
    };
    game.legal_moves().map(result).collect()
}

/// How often the move was one of the best, and the sum of squared errors of the value.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    right: u32,
    error: f32,
}

impl Tally {
    fn add(&mut self, report: &SearchReport, results: &[(Move, Proof)]) {
        let best = results.iter().map(|&(_, result)| result).max().unwrap();
        let chosen = report.best().unwrap().mv;
        self.right += u32::from(results.contains(&(chosen, best)));
        self.error += (report.value - best.value()).powi(2);
    }
}

#[test]
fn the_graph_is_no_worse_than_the_tree() {
    // Lines of play are as deep as there are positions.
    let thread = std::thread::Builder::new().stack_size(1 << 28);
    let compared = thread.spawn(|| compare(60)).unwrap().join();
    let (tallies, cases) = compared.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    let [graph, tree, _] = tallies;
    assert!(cases > 10, "{cases}");
    let margin = 0.1 * f64::from(cases);
    assert!(
        f64::from(graph.right) + margin > f64::from(tree.right) && graph.error < 1.2 * tree.error,
        "of {cases}: {tallies:?}"
    );
}

/// By position, by path, and in between; with the number of positions.
fn compare(evaluations: u32) -> ([Tally; 3], u32) {
    let mut rng = Rng::seed_from_u64(3);
    let (mut tallies, mut count) = ([Tally::default(); 3], 0);
    let boards = [(3, 2), (4, 2), (3, 3), (5, 1), (7, 1)];
    for (number, &(width, height)) in boards.iter().cycle().take(20 * cases()).enumerate() {
        let rules = format!(
            "{} komi{}",
            RULES[number % 3],
            [0.5, -0.5, 1.5, 0.0][number % 4]
        );
        let start = empty(width, height, &rules);
        let plies = 3 * u32::from(width) * u32::from(height);
        let (game, moves) = ko_fight(start.clone(), plies, &mut rng);
        // Where the history matters.
        let forbids = game.legal_count() < game.position().legal_count();
        if game.position().outcome().is_some() || !forbids {
            continue;
        }
        let Some(results) = results(&game) else {
            continue;
        };
        let (first, rest) = (results[0].1, &results[1..]);
        if rest.iter().all(|&(_, result)| result == first) {
            continue;
        }
        tallies[0].add(&judged(&game, evaluations), &results);
        let tree = again(Keyed::<BY_PATH>::new(start.clone()), &moves);
        tallies[1].add(&judged(&tree, evaluations), &results);
        let between = again(Keyed::<SINCE_QUIET>::new(start), &moves);
        tallies[2].add(&judged(&between, evaluations), &results);
        count += 1;
        if count as usize >= cases() {
            break;
        }
    }
    (tallies, count)
}
