//! Random rollouts to the end of the game, and what they say about the owners of points.

use rand::Rng;

use crate::game::{
    Bits, Color, Game, Move, Outcome, OwnershipEstimate, PositionHistory, ply_cap, scoring,
};

/// Move choice of a rollout.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RolloutPolicy {
    /// Uniform among legal moves.
    Uniform,
    /// The game's own policy, or [`RolloutPolicy::Uniform`] without one.
    Own,
}

/// The side that played each point first, if any, for the all-moves-as-first statistics. Passes are
/// not stored.
#[derive(Debug, Default)]
pub struct Played([Vec<f32>; 2]);

impl Played {
    /// Clears it, for the board of this position.
    pub(crate) fn clear<G: Game>(&mut self, position: &G) {
        for points in &mut self.0 {
            points.clear();
            points.resize(position.policy_len(), 0.0);
        }
    }

    /// Adds a move of `color`; earlier moves on the point take precedence.
    pub fn add(&mut self, color: Color, point: Move) {
        if self.0[color.opponent().index()][point.index()] == 0.0 {
            self.0[color.index()][point.index()] = 1.0;
        }
    }

    /// Adds a move of `color` before all others.
    pub(crate) fn add_earlier(&mut self, color: Color, point: Move) {
        self.0[color.index()][point.index()] = 1.0;
        self.0[color.opponent().index()][point.index()] = 0.0;
    }

    /// 1 for each point that `color` played first, else 0.
    pub(crate) fn by(&self, color: Color) -> &[f32] {
        &self.0[color.index()]
    }
}

/// Prior value of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Prior {
    /// The mean result, in [0, 1], for the side that plays it.
    pub win: f32,
    /// Its weight in rollouts, more than 0.
    pub rollouts: f32,
}

impl Prior {
    /// This mean result with this weight.
    pub(crate) fn new(win: f32, rollouts: f32) -> Prior {
        Prior { win, rollouts }
    }
}

impl Default for Prior {
    /// One virtual even rollout: no division by zero, and no move starts as certain.
    fn default() -> Self {
        Prior::new(0.5, 1.0)
    }
}

/// A game that random rollouts can finish.
pub trait Rollout: Game {
    /// Plays random moves to the end of the game, returns the result, and records who played where
    /// and, in games that count them, who owns the points. A game that exceeds the maximum length
    /// is a draw. The final content of the position is unspecified.
    fn finish<R: Rng>(
        &mut self,
        policy: RolloutPolicy,
        rng: &mut R,
        played: &mut Played,
        tally: &mut Tally,
    ) -> Outcome {
        let _ = (policy, tally);
        for _ in 0..ply_cap(self.size()) {
            if let Some(outcome) = self.outcome() {
                return outcome;
            }
            let choice = below(rng, self.legal_count());
            let Some(mv) = self.legal_moves().nth(choice) else {
                break;
            };
            if mv.index() < self.size().area() {
                played.add(self.to_move(), mv);
            }
            self.play(mv);
        }
        self.outcome().unwrap_or(Outcome::DRAW)
    }

    /// Priors of these legal moves before any rollout. A prior never excludes a move: rollouts
    /// outweigh it.
    fn priors(&self, moves: &[Move]) -> Vec<Prior> {
        vec![Prior::default(); moves.len()]
    }

    /// Static preferences of these legal moves, in any unit: the move with the largest is played if there is
    /// no time for a search. Derived from the priors if a game has nothing better.
    fn appeal(&self, moves: &[Move]) -> Vec<f32> {
        let appeal = moves.iter().zip(self.priors(moves)).map(|(&mv, prior)| {
            let sensible = u8::from(self.is_sensible(mv));
            prior.win + f32::from(sensible)
        });
        appeal.collect()
    }

    /// Expected result for the side to move without a rollout, in [-1, 1]; 0 if unknown.
    fn static_value(&self) -> f32 {
        0.0
    }

    /// How people rank these legal moves, in any unit; the largest is the best. By the priors if a
    /// game has nothing better.
    fn ranking(&self, moves: &[Move]) -> Vec<f32> {
        let priors = self.priors(moves).into_iter();
        priors.map(|prior| prior.win).collect()
    }

    /// The same position under the rules by which rollouts are scored, without irrelevant parts.
    fn as_played_out(&self) -> Self {
        scoring::disputed(self)
    }

    /// Adds the owners of a finished game's points to `tally`, in games that count them.
    fn tally(&self, tally: &mut Tally) {
        let _ = tally;
    }

    /// Whether a legal move is sensible; at least one is, in any position with moves, unless the
    /// game's history forbids it.
    fn is_sensible(&self, mv: Move) -> bool {
        let _ = mv;
        true
    }

    /// Adds the sensible moves that the game's history allows; all that it allows, if it forbids
    /// the sensible ones.
    fn add_sensible(&self, past: &PositionHistory, moves: &mut Vec<Move>) {
        let start = moves.len();
        let allowed = |mv: &Move| past.allows(self, *mv);
        let sensible = self.legal_moves().filter(|&mv| self.is_sensible(mv));
        moves.extend(sensible.filter(allowed));
        if moves.len() == start {
            moves.extend(self.legal_moves().filter(allowed));
        }
    }
}

/// A uniformly random point; `None` if there is none.
pub(crate) fn any<const WORDS: usize, R: Rng>(points: Bits<WORDS>, rng: &mut R) -> Option<Move> {
    match points.count() {
        0 => None,
        count => points.nth(below(rng, count)),
    }
}

/// A random number in `0..bound`; the bias of at most `bound / 2^32` does not matter here.
pub fn below<R: Rng>(rng: &mut R, bound: usize) -> usize {
    ((u64::from(rng.next_u32()) * bound as u64) >> 32) as usize
}

/// Sums over finished rollouts: owner of each point, and Black's lead.
#[derive(Debug, Clone, Default)]
pub struct Tally {
    rollouts: u32,
    owner: Vec<f32>,
    shared: Vec<f32>,
    ahead: f64,
    squares: f64,
}

impl Tally {
    /// No rollouts yet, on the board of this position.
    pub fn of<G: Game>(position: &G) -> Tally {
        let mut tally = Tally::default();
        tally.clear(position.size().area());
        tally
    }

    /// Resets it, for a board of this many points.
    pub(crate) fn clear(&mut self, points: usize) {
        *self = Tally {
            owner: std::mem::take(&mut self.owner),
            shared: std::mem::take(&mut self.shared),
            ..Tally::default()
        };
        for sums in [&mut self.owner, &mut self.shared] {
            sums.clear();
            sums.resize(points, 0.0);
        }
    }

    /// Counts a rollout with this lead of Black.
    pub(crate) fn count(&mut self, black_ahead: f64) {
        self.rollouts += 1;
        self.ahead += black_ahead;
        self.squares += black_ahead * black_ahead;
    }

    /// Records that a point was Black's (1) or White's (-1) in the current rollout.
    pub(crate) fn owned(&mut self, point: usize, by: f32) {
        self.owner[point] += by;
    }

    /// Records that a point was a shared liberty, or a stone beside one, in the current rollout.
    pub(crate) fn shared(&mut self, point: usize) {
        self.shared[point] += 1.0;
    }

    /// Adds another tally of the same board.
    pub(crate) fn add(&mut self, other: &Tally) {
        self.rollouts += other.rollouts;
        self.ahead += other.ahead;
        self.squares += other.squares;
        let owner = self.owner.iter_mut().zip(&other.owner);
        let shared = self.shared.iter_mut().zip(&other.shared);
        owner.chain(shared).for_each(|(own, theirs)| *own += theirs);
    }

    /// The estimate after these rollouts; `None` before the first, and in games that count no
    /// points.
    pub fn expected(&self) -> Option<OwnershipEstimate> {
        let number = f64::from(self.rollouts);
        if self.rollouts == 0 {
            return None;
        }
        let share = |sums: &[f32]| sums.iter().map(|sum| sum / number as f32).collect();
        let mean = self.ahead / number;
        Some(OwnershipEstimate {
            owner: share(&self.owner),
            by_turn: None,
            shared: share(&self.shared),
            black_ahead: mean as f32,
            deviation: (self.squares / number - mean * mean).max(0.0).sqrt() as f32,
        })
    }
}
