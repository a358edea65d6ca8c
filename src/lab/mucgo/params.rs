//! Settings of Mucgo's search, and the parts that they choose among.

use rand::{Rng, RngExt as _};
use tengen::game::Game;
use tengen::rollout::below;
use tengen::settings::Choice;

tengen::choices! {
    /// Which move is played after the search: Algorithm 1 returns the one that RSHQI draws, and the
    /// text says that RSHQI expands the tree.
    TargetMove {
        /// The most visited: the interval serves the tree only.
        MostVisits = "visits",
        /// One drawn from the interval, the literal reading.
        Drawn = "drawn",
    }
}

tengen::settings! {
    /// Settings of Mucgo's search; every field is a line of the table in this file.
    #[derive(Debug, Clone, PartialEq)]
    MucgoParams, "Mucgo's search" {
        mucgo_weighting: f32 = 0.6, 0.0..=1.0,
            "Weight of domain knowledge in a move's evaluation, beside UCB1: A, B, C, D and E of the paper are 0.5, 0.6, \
             0.7, 0.8 and 0.9.", "Li et al. 2019, Table 1; docs/papers.md#mucgo";
        mucgo_interval: f32 = 0.15, 0.0..=1.0,
            "Share of the range of the evaluations, from the best down, within which a move is drawn: V1, V2, V3 and \
             V4 of the paper are 0.05, 0.1, 0.15 and 0.2.", "Li et al. 2019, III.B.3; docs/papers.md#mucgo";
        mucgo_pruning: Pruning = Pruning::Both, Choice,
            "Which layers of pruning there are.", "Li et al. 2019, Algorithm 2";
        mucgo_pruned: f32 = 0.2, 0.0..=0.9,
            "Share of the moves that a layer prunes.", "Li et al. 2019, Algorithm 2";
        mucgo_target: TargetMove = TargetMove::MostVisits, Choice,
            "The move that is played: the most visited, or one drawn from the interval.",
            "Li et al. 2019, Algorithm 1; docs/papers.md#mucgo";
        mucgo_exploration: f32 = 0.25, 0.0..=10.0,
            "Exploration constant of UCB1, for results in [0, 1]; the square root of 2 in its proof.",
            "ours; docs/papers.md#mucgo";
        mucgo_stage: StageWindow = StageWindow::Fitted, Choice,
            "The plies of the middle game on 19x19, where the search is used: as fitted to games, as in the paper, or \
             all; before and after them the best move by domain knowledge is played.",
            "Li et al. 2019, equations 6 to 8; docs/papers.md#mucgo";
    }
}

// The value d of domain knowledge. The paper requires `0 <= d <= 1` and does not define it: ours is
// a move's rank within the node by the game's [ranking](tengen::rollout::Rollout::ranking).

/// Score of a pass: knowledge of points says nothing about it.
pub(super) const PASS: f32 = 0.5;

/// The scores of moves with these rankings: the share of the other moves that are ranked lower; half of the equal ones
/// count.
pub(super) fn scores(rankings: &[f32]) -> Vec<f32> {
    let mut sorted = rankings.to_vec();
    sorted.sort_unstable_by(f32::total_cmp);
    let others = rankings.len().saturating_sub(1) as f32;
    let rank = |ranking: &f32| {
        let lower = sorted.partition_point(|other| other.total_cmp(ranking).is_lt());
        let up_to = sorted.partition_point(|other| other.total_cmp(ranking).is_le());
        match others {
            0.0 => PASS,
            _ => (lower as f32 + (up_to - lower - 1) as f32 / 2.0) / others,
        }
    };
    rankings.iter().map(rank).collect()
}

tengen::choices! {
    /// The layers of pruning.
    Pruning {
        /// No move is pruned.
        None = "none",
        /// Once and for all, when a node is added: what it lacks needs no memory.
        Domain = "domain",
        /// At each descent by the scores of that time, so that a move may come back.
        Ucb = "ucb",
        /// First by domain knowledge, then by UCB1: 0.64 of the moves stay.
        Both = "both",
    }
}

impl Pruning {
    pub(super) fn by_domain(self) -> bool {
        matches!(self, Pruning::Domain | Pruning::Both)
    }

    pub(super) fn by_ucb(self) -> bool {
        matches!(self, Pruning::Ucb | Pruning::Both)
    }
}

/// Drops the share (from 0, less than 1) of `moves` with the lowest scores, rounded down; of equal
/// ones the later. `scores` are by move. The order of the rest is unspecified.
pub(super) fn prune(moves: &mut Vec<usize>, scores: &[f32], share: f32) {
    let stay = moves.len() - (share * moves.len() as f32) as usize;
    if stay < moves.len() {
        moves.select_nth_unstable_by(stay, |&one, &other| {
            let falling = scores[other].total_cmp(&scores[one]);
            falling.then(one.cmp(&other))
        });
        moves.truncate(stay);
    }
}

/// Keeps of `moves` those in the interval of the best (section III.B.3, RSHQI): with this share, in [0, 1],
/// `V >= max V - share (max V - min V)`. `values` are by move.
pub(super) fn keep_best(moves: &mut Vec<usize>, values: &[f32], share: f32) {
    let of = |fold: fn(f32, f32) -> f32, start| {
        let values = moves.iter().map(|&at| values[at]);
        values.fold(start, fold)
    };
    let (high, low) = (of(f32::max, f32::NEG_INFINITY), of(f32::min, f32::INFINITY));
    let least = high - share * (high - low);
    moves.retain(|&at| values[at] >= least);
}

/// One of the moves, all with the same probability; `None` if there are none.
pub(super) fn draw<R: Rng>(moves: &[usize], rng: &mut R) -> Option<usize> {
    match moves {
        [] | [_] => moves.first().copied(),
        _ => moves.get(below(rng, moves.len())).copied(),
    }
}

/// UCB1 (Auer et al. 2002) of a move with these visits and wins, of `all` visits of its node:
/// `u = Q + c sqrt(ln N / n)`.
///
/// Without a visit it would be infinite, and no other score would count beside it. So each move has
/// one even playout in advance, which `visits`, `wins` and `all` do not contain; `moves` of them
/// count in N.
pub(super) fn ucb1(visits: f32, wins: f32, all: f32, moves: usize, exploration: f32) -> f32 {
    let number = visits + 1.0;
    let total = all + moves as f32;
    (wins + 0.5) / number + exploration * (total.ln() / number).sqrt()
}

/// Scales the scores of a node's moves to [0, 1]; all to 0.5 if they are equal.
pub(super) fn to_unit(scores: &mut [f32]) {
    let low = scores.iter().copied().fold(f32::INFINITY, f32::min);
    let high = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let range = high - low;
    for score in scores {
        *score = if range > 0.0 {
            (*score - low) / range
        } else {
            0.5
        };
    }
}

/// The smallest board with stages; smaller ones are searched from the first ply to the last.
const MIN_SIDE: u8 = 19;

tengen::choices! {
    /// The plies of the middle game.
    StageWindow {
        /// Fitted to games of the TYGEM server (docs/papers.md#mucgo).
        Fitted = "fitted",
        /// The paper's: N(49, 6) and N(162, 19).
        Paper = "paper",
        /// Every ply.
        All = "all",
    }
}

impl StageWindow {
    /// Equations 6 and 7: `T = [mean - deviation, mean + deviation]` of the normally distributed ply that begins the
    /// middle game, and of the one that ends it.
    fn intervals(self) -> Option<[[u32; 2]; 2]> {
        let plies: [(f64, f64); 2] = match self {
            // 3,709 games of November 2005: `tengen-lab mucgo stages`.
            StageWindow::Fitted => [(49.5, 17.9), (162.9, 15.0)],
            StageWindow::Paper => [(49.0, 6.0), (162.0, 19.0)],
            StageWindow::All => return None,
        };
        Some(plies.map(|(mean, deviation)| {
            [mean - deviation, mean + deviation].map(|ply| ply.round() as u32)
        }))
    }

    /// Equation 8: `T = [t1, t2]`, for one game, both drawn at random from their intervals; `None`
    /// if every ply is searched.
    pub(super) fn draw<R: Rng>(self, rng: &mut R) -> Option<MiddleGame> {
        let [begin, end] = self.intervals()?;
        Some(MiddleGame {
            first: rng.random_range(begin[0]..=begin[1]),
            last: rng.random_range(end[0]..=end[1]),
        })
    }
}

/// The plies of one game's middle stage, from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct MiddleGame {
    first: u32,
    last: u32,
}

impl MiddleGame {
    /// Whether the next move of this position belongs to it.
    pub(super) fn includes<G: Game>(self, position: &G) -> bool {
        let size = position.size();
        let next = position.ply() + 1;
        size.width.min(size.height) < MIN_SIDE || (self.first..=self.last).contains(&next)
    }
}

/// Equation 9: `V = f d + g u`, of a domain score d of weight f and a UCB1 score u, all in [0, 1]; `f + g = 1`.
pub(super) fn evaluation(weight: f32, domain: f32, ucb: f32) -> f32 {
    weight * domain + (1.0 - weight) * ucb
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use tengen::game::BoardSize;
    use tengen::games::go::{LargeGo, SmallGo};
    use tengen::settings::Table as _;

    #[test]
    fn each_setting_takes_its_words() {
        let mut params = MucgoParams::default();
        for (name, value) in [
            ("mucgo-weighting", "0.9"),
            ("mucgo-interval", "0.05"),
            ("mucgo-pruning", "ucb"),
            ("mucgo-pruned", "0.3"),
            ("mucgo-target", "drawn"),
            ("mucgo-exploration", "1.414"),
            ("mucgo-stage", "paper"),
        ] {
            params.set(name, value).expect(name);
        }
        let expected = MucgoParams {
            mucgo_weighting: 0.9,
            mucgo_interval: 0.05,
            mucgo_pruning: Pruning::Ucb,
            mucgo_pruned: 0.3,
            mucgo_target: TargetMove::Drawn,
            mucgo_exploration: 1.414,
            mucgo_stage: StageWindow::Paper,
        };
        assert_eq!(params, expected);
    }

    #[track_caller]
    fn check_refused(name: &str, value: &str, part: &str) {
        let mut params = MucgoParams::default();
        let error = params.set(name, value).expect_err(name).to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(params, MucgoParams::default());
    }

    #[test]
    fn wrong_values_are_named() {
        check_refused("mucgo-weighting", "E", "from 0 to 1");
        check_refused("mucgo-interval", "1.5", "from 0 to 1");
        check_refused("mucgo-pruning", "all", "domain");
        check_refused("mucgo-pruned", "1", "0.9");
        check_refused("mucgo-weigting", "A", "mucgo-weighting");
    }

    #[test]
    fn ranks_by_hand() {
        // Five moves: one lowest, two equal ones above it, then two more.
        let found = scores(&[7.0, -3.0, 2.0, 9.0, 2.0]);
        assert_eq!(found, [0.75, 0.0, 0.375, 1.0, 0.375]);
        assert_eq!(scores(&[4.0]), [PASS]);
        assert!(scores(&[]).is_empty());
    }

    #[track_caller]
    fn check(scores: &[f32], share: f32, expected: &[usize]) {
        let mut moves: Vec<usize> = (0..scores.len()).collect();
        prune(&mut moves, scores, share);
        moves.sort_unstable();
        assert_eq!(moves, expected);
    }

    #[test]
    fn the_lowest_fifth_goes() {
        let scores = [0.5, 0.1, 0.9, 0.3, 0.7, 0.8, 0.2, 0.6, 0.4, 0.0];
        check(&scores, 0.2, &[0, 2, 3, 4, 5, 6, 7, 8]);
        check(&scores, 0.0, &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        // Rounded down: a fifth of four is no move.
        check(&scores[..4], 0.2, &[0, 1, 2, 3]);
        check(&[0.3, 0.3, 0.3, 0.3, 0.3], 0.2, &[0, 1, 2, 3]);
        check(&[], 0.2, &[]);
    }

    #[test]
    fn two_layers_leave_sixteen_of_twenty_five() {
        // By domain the first five go, by UCB1 the last four of the other twenty.
        let domain: Vec<f32> = (0..25_u8).map(f32::from).collect();
        let ucb: Vec<f32> = (0..25_u8).map(|at| f32::from(100 - at)).collect();
        let mut moves: Vec<usize> = (0..25).collect();
        prune(&mut moves, &domain, 0.2);
        prune(&mut moves, &ucb, 0.2);
        moves.sort_unstable();
        assert_eq!(moves, (5..21).collect::<Vec<usize>>());
    }

    #[test]
    fn equations_6_and_7_with_the_numbers_of_the_paper() {
        let [begin, end] = StageWindow::Paper.intervals().expect("two");
        assert_eq!(begin, [43, 55]);
        assert_eq!(end, [143, 181]);
    }

    #[test]
    fn every_ply_of_both_intervals_is_drawn() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let drawn: Vec<MiddleGame> = (0..2000)
            .map(|_| StageWindow::Paper.draw(&mut rng).expect("a window"))
            .collect();
        let first = |ply| drawn.iter().any(|window| window.first == ply);
        let last = |ply| drawn.iter().any(|window| window.last == ply);
        assert!((43..=55).all(first) && !first(42) && !first(56));
        assert!((143..=181).all(last) && !last(142) && !last(182));
        assert_eq!(StageWindow::All.draw(&mut rng), None);
    }

    #[test]
    fn stages_are_for_large_boards() {
        let window = MiddleGame { first: 2, last: 3 };
        let mut large = LargeGo::new(BoardSize::square(19)).unwrap();
        let mut included = Vec::new();
        for point in 0..4 {
            included.push(window.includes(&large));
            large.play(tengen::game::Move(point * 40));
        }
        assert_eq!(included, [false, true, true, false]);
        assert!(window.includes(&SmallGo::new(BoardSize::square(9)).unwrap()));
    }

    #[test]
    fn equation_9_with_the_weights_of_table_1() {
        for (weight, expected) in [
            (0.5, 0.6),
            (0.6, 0.64),
            (0.7, 0.68),
            (0.8, 0.72),
            (0.9, 0.76),
        ] {
            let value = evaluation(weight, 0.8, 0.4);
            assert!((value - expected).abs() < 1e-6, "{weight}: {value}");
        }
    }

    const VALUES: [f32; 6] = [0.2, 1.0, 0.95, 0.85, 0.87, 0.0];

    #[track_caller]
    fn check_interval(share: f32, expected: &[usize]) {
        let mut moves: Vec<usize> = (0..VALUES.len()).collect();
        keep_best(&mut moves, &VALUES, share);
        assert_eq!(moves, expected, "{share}");
    }

    #[test]
    fn intervals_by_hand() {
        // The range is 1: from 0.95, 0.9, 0.85 and 0.8 on.
        check_interval(0.05, &[1, 2]);
        check_interval(0.1, &[1, 2]);
        check_interval(0.15, &[1, 2, 3, 4]);
        check_interval(0.2, &[1, 2, 3, 4]);
        check_interval(0.0, &[1]);
    }

    #[test]
    fn each_move_of_the_interval_is_drawn_as_often() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let mut drawn = [0; 3];
        for _ in 0..3000 {
            drawn[draw(&[0, 1, 2], &mut rng).expect("one of three")] += 1;
        }
        // Standard deviation 26.
        assert!(
            drawn.iter().all(|count| (870..1130).contains(count)),
            "{drawn:?}"
        );
        assert_eq!(draw(&[], &mut rng), None);
    }

    #[test]
    fn ucb1_by_hand() {
        // Three moves, 5 visits: N = 8, ln 8 = 2.0794. Four visits, 3 wins: 3.5 / 5 + 0.5
        // sqrt(2.0794 / 5) = 0.7 + 0.3224.
        assert!((ucb1(4.0, 3.0, 5.0, 3, 0.5) - 1.0224).abs() < 1e-4);
        // Without a visit: 0.5 + 0.5 sqrt(2.0794).
        assert!((ucb1(0.0, 0.0, 5.0, 3, 0.5) - 1.2210).abs() < 1e-4);
        assert_eq!(ucb1(3.0, 3.0, 5.0, 3, 0.0), 0.875);
    }

    #[test]
    fn the_unit_interval_is_filled() {
        let mut scores = [1.0, 3.0, 2.0];
        to_unit(&mut scores);
        assert_eq!(scores, [0.0, 1.0, 0.5]);
        let mut equal = [2.0, 2.0];
        to_unit(&mut equal);
        assert_eq!(equal, [0.5, 0.5]);
        to_unit(&mut []);
    }
}
