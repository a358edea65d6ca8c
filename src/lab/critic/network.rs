//! The network: board points, one hidden layer, one output; with a hand-written gradient.
//!
//! A hidden node answers `2 / (1 + exp(-s x)) - 1` (bipolar), the output node `1 / (1 + exp(-s x))`,
//! with the slope s = 0.5 of the paper, on the weighted sum x of its inputs and a bias.

use rand::{Rng, RngExt};
use tengen::game::{Color, Game, Move, scoring};

/// A board from one side's view: 1 for each own stone, -1 for the opponent's, 0 else, point after
/// point from A1.
pub type Board = Vec<i8>;

/// The slope of both kinds of nodes.
const SLOPE: f64 = 0.5;

/// New weights are uniform in plus or minus this. The paper does not say.
const NEW_WEIGHT: f64 = 0.5;

/// The weights in sequence: of each board point to the hidden nodes, the hidden nodes' biases, of
/// the hidden nodes to the output, and the output's bias.
#[derive(Debug, Clone, PartialEq)]
pub struct Network {
    points: usize,
    hidden: usize,
    weights: Vec<f64>,
}

impl Network {
    /// An untrained network.
    pub fn new(points: usize, hidden: usize, rng: &mut impl Rng) -> Network {
        let count = Network::count(points, hidden);
        let weight = |_| rng.random_range(-NEW_WEIGHT..NEW_WEIGHT);
        Network {
            points,
            hidden,
            weights: (0..count).map(weight).collect(),
        }
    }

    /// The network with these weights; `None` if their number is wrong or they are not finite.
    pub fn of(points: usize, hidden: usize, weights: Vec<f64>) -> Option<Network> {
        let fits = weights.len() == Network::count(points, hidden);
        let finite = weights.iter().all(|weight| weight.is_finite());
        (fits && finite).then_some(Network {
            points,
            hidden,
            weights,
        })
    }

    /// Number of weights, biases included.
    pub const fn count(points: usize, hidden: usize) -> usize {
        (points + 2) * hidden + 1
    }

    /// All weights.
    pub fn weights(&self) -> &[f64] {
        &self.weights
    }

    /// Adds `by` times a direction to the weights.
    pub fn step(&mut self, by: f64, direction: &[f64]) {
        for (weight, along) in self.weights.iter_mut().zip(direction) {
            *weight += by * along;
        }
    }

    /// The hidden nodes' sums for a board.
    fn sums(&self, board: &Board) -> Vec<f64> {
        let biases = self.points * self.hidden;
        let mut sums = self.weights[biases..biases + self.hidden].to_vec();
        let stones = board.iter().enumerate().filter(|(_, stone)| **stone != 0);
        for (point, &stone) in stones {
            let row = &self.weights[point * self.hidden..(point + 1) * self.hidden];
            for (sum, weight) in sums.iter_mut().zip(row) {
                *sum += f64::from(stone) * weight;
            }
        }
        sums
    }

    /// The output for these sums of the hidden nodes, in (0, 1).
    fn output(&self, sums: &[f64]) -> f64 {
        let outgoing = &self.weights[(self.points + 1) * self.hidden..];
        let mut sum = outgoing[self.hidden];
        for (weight, &x) in outgoing.iter().zip(sums) {
            sum += weight * (2.0 * sigmoid(x) - 1.0);
        }
        sigmoid(sum)
    }

    /// Value of a board, in (0, 1).
    pub fn value(&self, board: &Board) -> f64 {
        self.output(&self.sums(board))
    }

    /// Value of a board, and its derivatives by all weights.
    pub fn differentiate(&self, board: &Board) -> (f64, Vec<f64>) {
        let sums = self.sums(board);
        let value = self.output(&sums);
        let hidden = self.hidden;
        let mut gradient = vec![0.0; self.weights.len()];
        // By the output's sum; then by its weights, by the hidden sums, and by theirs.
        let by_output = SLOPE * value * (1.0 - value);
        let (incoming, outgoing) = gradient.split_at_mut((self.points + 1) * hidden);
        let weights = &self.weights[(self.points + 1) * hidden..];
        outgoing[hidden] = by_output;
        let (by_points, by_biases) = incoming.split_at_mut(self.points * hidden);
        for (node, &x) in sums.iter().enumerate() {
            let answer = 2.0 * sigmoid(x) - 1.0;
            outgoing[node] = by_output * answer;
            by_biases[node] = by_output * weights[node] * 0.5 * SLOPE * (1.0 - answer * answer);
        }
        let rows = by_points.chunks_exact_mut(hidden).zip(board.iter());
        for (row, &stone) in rows.filter(|(_, stone)| **stone != 0) {
            for (derivative, by_sum) in row.iter_mut().zip(&*by_biases) {
                *derivative = f64::from(stone) * by_sum;
            }
        }
        (value, gradient)
    }

    /// Each legal move of the side to move, ascending, with the value of the resulting board; those that fill an own eye
    /// only if it may. A pass leaves the board unchanged.
    pub fn moves<G: Game>(&self, position: &G, fills_eyes: bool) -> Vec<(Move, f64)> {
        let value = |mv: Move| {
            let mut next = position.clone();
            next.play(mv);
            (mv, self.value(&read(&next, position.to_move())))
        };
        let moves = position.legal_moves();
        let moves = moves.filter(|&mv| fills_eyes || !scoring::fills_eye(position, mv));
        moves.map(value).collect()
    }
}

fn sigmoid(x: f64) -> f64 {
    1.0 / (1.0 + (-SLOPE * x).exp())
}

/// The board from `color`'s view.
pub fn read<G: Game>(position: &G, color: Color) -> Board {
    let content = |point| match position.stone(point) {
        None => 0,
        Some(stone) if stone == color => 1,
        Some(_) => -1,
    };
    position.size().points().map(content).collect()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::nogo::SmallNoGo;

    fn random(seed: u64) -> (Network, Board) {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let network = Network::new(81, 21, &mut rng);
        let board = (0..81).map(|_| rng.random_range(-1..=1)).collect();
        (network, board)
    }

    #[test]
    fn a_small_network_is_computed_as_on_paper() {
        // One point, one node: 2 / (1 + exp(-0.5 * (0.8 + 0.4))) - 1 = 0.291313 into
        // 1 / (1 + exp(-0.5 * (2 * 0.291313 - 1))) = 0.448017.
        let network = Network::of(1, 1, vec![0.8, 0.4, 2.0, -1.0]).unwrap();
        let hidden = 2.0 / (1.0 + (-0.6_f64).exp()) - 1.0;
        let expected = 1.0 / (1.0 + (-0.5 * (2.0 * hidden - 1.0)).exp());
        assert!((network.value(&vec![1]) - expected).abs() < 1e-15);
        assert!((expected - 0.448_017).abs() < 1e-6, "{expected}");
        assert!(network.value(&vec![-1]) < expected);
    }

    /// Central differences of f64 are good to about 1e-10 here.
    #[test]
    fn the_gradient_is_that_of_finite_differences() {
        for seed in 0..5 {
            let (network, board) = random(seed);
            let (value, gradient) = network.differentiate(&board);
            assert_eq!(value, network.value(&board));
            let step = 1e-5;
            let mut largest = 0.0_f64;
            for (place, &derivative) in gradient.iter().enumerate() {
                let moved = |by: f64| {
                    let mut weights = network.weights().to_vec();
                    weights[place] += by;
                    Network::of(81, 21, weights).unwrap().value(&board)
                };
                let difference = (moved(step) - moved(-step)) / (2.0 * step);
                assert!(
                    (difference - derivative).abs() < 1e-9,
                    "weight {place}: {difference} {derivative}"
                );
                largest = largest.max(derivative.abs());
            }
            assert!(largest > 0.1, "{largest}");
        }
    }

    #[test]
    fn wrong_weights_are_no_network() {
        let count = Network::count(81, 21);
        assert_eq!(count, 1744);
        assert!(Network::of(81, 21, vec![0.0; count]).is_some());
        assert!(Network::of(81, 21, vec![0.0; count - 1]).is_none());
        assert!(Network::of(81, 21, vec![f64::NAN; count]).is_none());
    }

    #[test]
    fn boards_are_seen_from_either_side() {
        let mut position = SmallNoGo::new(BoardSize::new(3, 2)).unwrap();
        position.play(Move(1));
        position.play(Move(5));
        assert_eq!(read(&position, Color::Black), [0, 1, 0, 0, 0, -1]);
        assert_eq!(read(&position, Color::White), [0, -1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_move_is_worth_the_board_behind_it() {
        let network = Network::new(81, 21, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        let mut position = SmallNoGo::new(BoardSize::square(9)).unwrap();
        (0..10).for_each(|point| position.play(Move(7 * point)));
        let found = network.moves(&position, true);
        assert_eq!(found.len(), position.legal_count());
        for (mv, value) in found {
            let mut next = position.clone();
            next.play(mv);
            assert_eq!(value, network.value(&read(&next, position.to_move())));
        }
    }
}
