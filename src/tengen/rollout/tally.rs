//! Ownership statistics over finished rollouts.

use crate::game::{Game, OwnershipEstimate};

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
    #[must_use]
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
        for (own, theirs) in self.owner.iter_mut().zip(&other.owner) {
            *own += theirs;
        }
        for (own, theirs) in self.shared.iter_mut().zip(&other.shared) {
            *own += theirs;
        }
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
