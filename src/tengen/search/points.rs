//! Points, where a network predicts them: their weight in the value, and the expected score and
//! ownership of a search.

use std::f32::consts::FRAC_2_PI;

use super::memory::{AtomicU64, Ordering};
use super::request::PointsByMove;
use crate::game::{Color, Game, Move, OwnershipEstimate, scoring};
use tengen_nn::eval::Outputs;

/// A lead of this many times the board's side has half of the maximum utility (KataGo).
const HALF_AT: f32 = 2.0;

/// Value of a position for its side to move, in [-1, 1], combining the winning chance with a
/// utility of the lead of the given `weight`, in [0, 1], on a board of `area` points. Proven
/// results are neither read nor changed.
pub(super) fn with_lead(value: f32, lead: Option<f32>, weight: f32, area: usize) -> f32 {
    lead.map_or(value, |lead| value + weight * (worth(lead, area) - value))
}

/// The winning chance alone, in [-1, 1]: the inverse of [`with_lead`], as far as the expected lead
/// of the whole search represents that of the value.
pub(super) fn without_lead(value: f32, lead: f32, weight: f32, area: usize) -> f32 {
    let chance = (value - weight * worth(lead, area)) / (1.0 - weight);
    chance.clamp(-1.0, 1.0)
}

/// Utility of a lead in points, in [-1, 1].
fn worth(lead: f32, area: usize) -> f32 {
    let side = (area as f32).sqrt();
    FRAC_2_PI * (lead / (HALF_AT * side)).atan()
}

/// Expected agreement on the score of a finished game.
pub(super) struct Judged {
    /// Expected result for Black, in [-1, 1].
    black_wins: f32,
    /// Black's lead in points.
    black_ahead: f32,
    /// Black's share of each point, in [-1, 1].
    owner: Vec<f32>,
}

impl Judged {
    /// Estimate for `position` from row `index` of a network's answers, and from the `known`
    /// ownership of an earlier position for stones that are still there; `None` where points are
    /// not predicted.
    pub(super) fn of<G: Game>(
        position: &G,
        answers: &Outputs,
        index: usize,
        known: Option<(&G, &OwnershipEstimate)>,
    ) -> Option<Judged> {
        let mover = position.to_move();
        let owner: Vec<f32> = answers
            .owners(index)
            .map(|owner| mover.signed(owner))
            .collect();
        let mut expected = OwnershipEstimate {
            by_turn: None,
            shared: vec![0.0; owner.len()],
            black_ahead: mover.signed(answers.lead(index)?),
            deviation: 0.0,
            owner,
        };
        if let Some((earlier, known)) = known {
            // What is as it was is judged as it was; of the rest the network's opinion is all there is.
            let mut by_turn = known
                .by_turn
                .as_ref()
                .map(|_| [0, 1].map(|_| expected.owner.clone()));
            for point in 0..expected.owner.len() {
                let at = Move(point as u16);
                if position.stone(at) == earlier.stone(at) {
                    expected.owner[point] = known.owner[point];
                    expected.shared[point] = known.shared[point];
                    for (now, known) in by_turn
                        .iter_mut()
                        .flatten()
                        .zip(known.by_turn.iter().flatten())
                    {
                        now[point] = known[point];
                    }
                }
            }
            expected.by_turn = by_turn;
        }
        let settled = scoring::settle(position, &expected)?;
        Some(Judged {
            black_wins: settled.value_for(Color::Black),
            black_ahead: settled.black_ahead.0 as f32 / 2.0,
            owner: settled.owners(|point| position.stone(point)),
        })
    }

    /// Value for `mover`, in [-1, 1], with the given `weight` of the points.
    pub(super) fn value(&self, mover: Color, weight: f32) -> f32 {
        let (chance, lead) = (
            mover.signed(self.black_wins),
            mover.signed(self.black_ahead),
        );
        with_lead(chance, Some(lead), weight, self.owner.len())
    }
}

/// Sums over the leaves evaluated by one thread of a search, readable by other threads: number,
/// Black's lead, its square, and Black's share of each point. Stored as the bits of f64: an
/// analysis may have billions of leaves, where f32 sums would stagnate.
#[derive(Debug)]
pub(super) struct OwnershipSums {
    /// Of all leaves.
    all: Vec<AtomicU64>,
    /// Of the leaves after each root move, by policy index, as far as they are requested.
    after: Vec<AtomicU64>,
    /// Number of sums per move.
    stride: usize,
}

/// Number of sums that are not per point.
const TOTALS: usize = 3;

impl OwnershipSums {
    /// No leaves yet. `owners`: number of points whose owner the network predicts; `moves`: number of
    /// policy indices.
    pub(super) fn new(owners: usize, moves: usize, by_move: PointsByMove) -> OwnershipSums {
        let zeros = |count| (0..count).map(|_| AtomicU64::new(0)).collect();
        let stride = match by_move {
            PointsByMove::Nothing => 0,
            PointsByMove::Lead => TOTALS,
            PointsByMove::Owners => TOTALS + owners,
        };
        OwnershipSums {
            all: zeros(TOTALS + owners),
            after: zeros(moves * stride),
            stride,
        }
    }

    /// Sums that begin with these, as far as they are kept in both.
    pub(super) fn continued(&self, new: OwnershipSums) -> OwnershipSums {
        let pairs = [(&self.all, &new.all), (&self.after, &new.after)];
        for (before, now) in pairs {
            if before.len() == now.len() {
                let pairs = before.iter().zip(now);
                pairs.for_each(|(sum, new)| {
                    new.store(sum.load(Ordering::Relaxed), Ordering::Relaxed)
                });
            }
        }
        new
    }

    /// Adds row `index` of a network's answers, for a position with `mover` to move after the root
    /// move `first`. Called by one thread only.
    pub(super) fn add(&self, answers: &Outputs, index: usize, mover: Color, first: Option<Move>) {
        if let Some(lead) = answers.lead(index) {
            let owners = || answers.owners(index).map(|owner| mover.signed(owner));
            self.add_leaf(mover.signed(lead), owners, first);
        }
    }

    /// Adds a finished game with its estimated score. Called only by the thread that calls
    /// [`OwnershipSums::add`].
    pub(super) fn add_judged(&self, judged: &Judged, first: Option<Move>) {
        self.add_leaf(judged.black_ahead, || judged.owner.iter().copied(), first);
    }

    /// Adds a leaf with Black's lead and share of each point.
    fn add_leaf<O: Iterator<Item = f32>>(
        &self,
        lead: f32,
        owners: impl Fn() -> O,
        first: Option<Move>,
    ) {
        let totals = [1.0, lead, lead * lead].map(f64::from);
        let after = first.map_or(&[][..], |first| self.after(first));
        for sums in [&self.all, after] {
            let owners = owners().map(f64::from);
            for (sum, number) in sums.iter().zip(totals.into_iter().chain(owners)) {
                let before = f64::from_bits(sum.load(Ordering::Relaxed));
                sum.store((before + number).to_bits(), Ordering::Relaxed);
            }
        }
    }

    /// Sums of a root move; empty where they are not kept.
    fn after(&self, first: Move) -> &[AtomicU64] {
        let from = first.index() * self.stride;
        self.after.get(from..from + self.stride).unwrap_or(&[])
    }

    /// Expected ownership and score from the leaves of all threads, or from those after a root move, with owners where
    /// they are kept; `None` without such leaves.
    pub(super) fn expected(
        threads: &[OwnershipSums],
        after: Option<Move>,
    ) -> Option<OwnershipEstimate> {
        fn of(sums: &OwnershipSums, after: Option<Move>) -> &[AtomicU64] {
            after.map_or(&sums.all, |first| sums.after(first))
        }
        let sum = |at: usize| -> f64 {
            let sums = threads.iter().filter_map(|sums| of(sums, after).get(at));
            sums.map(|sum| f64::from_bits(sum.load(Ordering::Relaxed)))
                .sum()
        };
        let (len, number) = (of(threads.first()?, after).len(), sum(0));
        if number == 0.0 {
            return None;
        }
        let (lead, square) = (sum(1) / number, sum(2) / number);
        Some(OwnershipEstimate {
            owner: (TOTALS..len).map(|at| (sum(at) / number) as f32).collect(),
            by_turn: None,
            shared: vec![0.0; len - TOTALS],
            black_ahead: lead as f32,
            deviation: (square - lead * lead).max(0.0).sqrt() as f32,
        })
    }
}

#[cfg(test)]
#[cfg(not(loom))]
mod tests {
    use super::*;
    use tengen_nn::eval::testnet::SMALL;
    use tengen_nn::eval::{LEAD_SCALE, ModelInfo};

    /// Answers with these leads, in points, and the same owner logit everywhere.
    fn answers(leads: &[f32], logit: f32) -> Outputs {
        answers_of(SMALL.size.area(), leads, logit)
    }

    /// Of a network that predicts the owners of this many points.
    fn answers_of(owners: usize, leads: &[f32], logit: f32) -> Outputs {
        let info = ModelInfo {
            points: 1 + owners,
            ..SMALL.info()
        };
        let mut answers = Outputs::new();
        answers.reset_for(leads.len(), info.output_lens());
        for (row, lead) in leads.iter().enumerate() {
            answers.points_mut(row).fill(logit);
            answers.points_mut(row)[0] = lead / LEAD_SCALE;
        }
        answers
    }

    #[test]
    fn points_break_ties_and_no_more() {
        let value = |value, lead| with_lead(value, Some(lead), 0.1, 81);
        assert!(value(0.9, 20.0) > value(0.9, 10.0));
        assert!(
            (value(0.0, 18.0) - 0.05).abs() < 1e-6,
            "half at twice the side"
        );
        assert!(
            value(0.6, -81.0) > value(0.3, 81.0),
            "a better chance first"
        );
        assert!((-1.0..=1.0).contains(&value(1.0, 1e9)) && value(-1.0, -1e9) >= -1.0);
        assert_eq!(with_lead(0.3, None, 0.1, 81), 0.3);
        assert!((without_lead(value(-0.97, -25.0), -25.0, 0.1, 81) + 0.97).abs() < 1e-6);
        assert_eq!(
            without_lead(-1.0, 30.0, 0.1, 81),
            -1.0,
            "what is proven stays"
        );
    }

    #[test]
    fn threads_and_sides_add_up() {
        let area = SMALL.size.area();
        let threads = [(); 2].map(|()| OwnershipSums::new(area, area + 1, PointsByMove::Nothing));
        assert_eq!(OwnershipSums::expected(&threads, None), None);
        let answers = answers(&[6.0, -2.0], 2.0 * 0.5_f32.atanh());
        threads[0].add(&answers, 0, Color::Black, None);
        let alone = OwnershipSums::expected(&threads, None).unwrap();
        assert!((alone.owner[3] - 0.5).abs() < 1e-6 && alone.owner.len() == area);
        threads[1].add(&answers, 1, Color::White, Some(Move(0)));
        assert_eq!(OwnershipSums::expected(&threads, Some(Move(0))), None);
        let both = OwnershipSums::expected(&threads, None).unwrap();
        assert!(both.owner[0].abs() < 1e-6, "each side claims it");
        assert!((both.black_ahead - 4.0).abs() < 1e-5 && (both.deviation - 2.0).abs() < 1e-4);
    }

    #[test]
    fn so_many_leaves_that_single_precision_stands_still_change_no_mean() {
        let area = SMALL.size.area();
        let sums = [OwnershipSums::new(area, area + 1, PointsByMove::Nothing)];
        let leaves = f64::from(1 << 25);
        for (sum, mean) in sums[0].all.iter().zip([1.0, 5.0, 25.0]) {
            sum.store((leaves * mean).to_bits(), Ordering::Relaxed);
        }
        let answers = answers(&[5.0], 0.0);
        (0..1000).for_each(|_| sums[0].add(&answers, 0, Color::Black, None));
        let count = f64::from_bits(sums[0].all[0].load(Ordering::Relaxed));
        assert_eq!(count, leaves + 1000.0);
        let expected = OwnershipSums::expected(&sums, None).unwrap();
        assert!((expected.black_ahead - 5.0).abs() < 1e-5, "{expected:?}");
    }

    #[test]
    fn each_move_of_the_root_has_its_own_sums() {
        let area = SMALL.size.area();
        let answers = answers(&[6.0, -2.0, 1.0], 2.0 * 0.5_f32.atanh());
        for (by_move, owners) in [(PointsByMove::Lead, 0), (PointsByMove::Owners, area)] {
            let threads = [(); 2].map(|()| OwnershipSums::new(area, area + 1, by_move));
            let pass = SMALL.size.pass();
            threads[0].add(&answers, 0, Color::Black, None);
            threads[0].add(&answers, 1, Color::Black, Some(pass));
            threads[1].add(&answers, 2, Color::White, Some(pass));
            assert_eq!(OwnershipSums::expected(&threads, Some(Move(0))), None);
            let passed = OwnershipSums::expected(&threads, Some(pass)).unwrap();
            assert!((passed.black_ahead + 1.5).abs() < 1e-5, "{passed:?}");
            assert_eq!(passed.owner.len(), owners);
            let all = OwnershipSums::expected(&threads, None).unwrap();
            assert!((all.black_ahead - 1.0).abs() < 1e-5, "{all:?}");
        }
    }

    #[test]
    fn a_network_without_owners_has_a_lead_for_every_move() {
        let answers = answers_of(0, &[6.0], 0.0);
        for by_move in [PointsByMove::Lead, PointsByMove::Owners] {
            let sums = [OwnershipSums::new(0, SMALL.size.area() + 1, by_move)];
            sums[0].add(&answers, 0, Color::Black, Some(SMALL.size.pass()));
            let passed = OwnershipSums::expected(&sums, Some(SMALL.size.pass())).unwrap();
            assert!((passed.black_ahead - 6.0).abs() < 1e-5, "{passed:?}");
        }
    }
}
