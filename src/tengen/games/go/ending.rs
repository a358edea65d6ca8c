//! The end of a game: dead stones, stones in seki, and the resulting score.

use super::{Agreed, Go, Scoring};
use crate::game::{
    Bits, Color, Game as _, HalfPoints, Move, OwnershipEstimate, PointStatus, Scored as _, Settled,
};

/// Points with a more certain expected owner need not be played for.
const SURE: f32 = 0.8;

/// In an unfinished game, an open point counts for a side whose expected ownership is at least
/// this.
const LIKELY: f32 = 0.5;

/// A point whose expected owner is further than this from the one it is counted for is not settled.
const SETTLED: f32 = 0.5;

/// After both sides have passed, a chain is certainly alive if its expected survival is at least
/// this.
const KEPT: f32 = 0.5;

/// A chain is dead if it is expected to be lost with at least this certainty (1 for certain)
/// whichever side moves first.
const LOST: f32 = 0.5;

/// The threshold if its own side moves first: its side then has no reason to move.
const LOST_IF_DEFENDED: f32 = 0.05;

/// A chain that is lost more often than not, with either side to move, is dead too, unless moving first saves it
/// with at least this certainty: both sides have left it alone. Of 150 games that GNU Go had finished, 142 are
/// counted as GNU Go counts them; 137 without this.
const SAVED_BY_A_MOVE: f32 = 0.5;

/// A stone that ends beside a shared liberty in at least this share of rollouts is alive in seki.
const SHARED: f32 = 0.5;

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// Dead stones and stones in seki: chains that cannot be captured are alive and opposing stones
    /// inside their territory are dead; of the other chains, those that are expected to be lost are
    /// dead. Under territory scoring, seki and false eyes follow from the dead stones by the rules
    /// ([`Go::agreed_on`]).
    pub fn agree(&self, expected: &OwnershipEstimate) -> Agreed<WORDS> {
        let mut agreed = Agreed::ALL_ALIVE;
        for color in Color::BOTH {
            let doubtful = self.stones(color) & !self.pass_alive(color).stones;
            let lost = self.pass_alive(color.opponent()).secured;
            for chain in self.frame().components(doubtful) {
                let stones = chain.count() as f32;
                let mean = |of: &[f32]| {
                    let sum: f32 = chain.iter().filter_map(|p| of.get(p.index())).sum();
                    sum / stones
                };
                let kept = color.signed(mean(&expected.owner));
                let is_lost = match &expected.by_turn {
                    Some(by_turn) => {
                        let defended = color.signed(mean(&by_turn[color.index()]));
                        defended <= -LOST_IF_DEFENDED
                            || (kept <= 0.0 && defended <= SAVED_BY_A_MOVE)
                    }
                    None => kept <= -LOST,
                };
                if lost.intersects(chain) || is_lost {
                    agreed.dead |= chain;
                } else if mean(&expected.shared) >= SHARED {
                    agreed.seki |= chain;
                }
            }
        }
        match self.rules.scoring {
            Scoring::Area => agreed,
            Scoring::Territory => {
                let mut by_rules = self.agreed_on(agreed.dead);
                by_rules.seki |= self.without_points(agreed.seki, &by_rules);
                by_rules
            }
        }
    }

    /// Of these stones the chains that surround no point: that they are in seki makes no difference to the score.
    fn without_points(&self, stones: Bits<WORDS>, agreed: &Agreed<WORDS>) -> Bits<WORDS> {
        let frame = self.board.frame();
        let [black, white] = self.owned_as(Scoring::Area, agreed);
        let (surrounded, open) = (black | white, self.empty() | agreed.dead);
        let without = |chain: &Bits<WORDS>| {
            let reached = frame.flood(frame.neighbors(*chain) & open, open);
            !reached.intersects(surrounded)
        };
        let found = frame.components(stones).filter(without);
        found.fold(Bits::EMPTY, |all, chain| all | chain)
    }

    /// Chains whose status is not certain, and the points that they reach.
    fn doubtful(&self, expected: &OwnershipEstimate, agreed: &Agreed<WORDS>) -> Bits<WORDS> {
        let mut doubtful = Bits::EMPTY;
        for color in Color::BOTH {
            let certain = self.pass_alive(color).stones | self.pass_alive(color.opponent()).secured;
            for chain in self.frame().components(self.stones(color) & !certain) {
                let owner = match agreed.dead.intersects(chain) {
                    true => color.opponent(),
                    false => color,
                };
                let kept: f32 = chain
                    .iter()
                    .filter_map(|point| expected.owner.get(point.index()))
                    .sum();
                let seki = agreed.seki.intersects(chain);
                if !seki && owner.signed(kept) < KEPT * chain.count() as f32 {
                    doubtful |= chain;
                }
            }
        }
        let frame = self.board.frame();
        let open = self.empty() | agreed.dead;
        doubtful | frame.flood(frame.neighbors(doubtful) & open, open)
    }

    /// The position scored as it is expected to end.
    pub fn settled(&self, expected: &OwnershipEstimate) -> Settled {
        // The game may be over without an agreement on dead stones.
        let as_it_stands = self.passes() >= 2 && !self.agrees_on_dead();
        let agreed = match as_it_stands {
            true => Agreed::ALL_ALIVE,
            false => self.agree(expected),
        };
        let score = self.score(&agreed).0;
        let mut owned = self.owned(&agreed);
        let owner = |point: Move| expected.owner.get(point.index()).copied().unwrap_or(0.0);
        let empty = self.empty() | agreed.dead;
        let open = empty & !(owned[0] | owned[1]);
        let mut ahead = score;
        if self.passes() < 2 {
            for point in open.iter().filter(|&p| owner(p).abs() >= LIKELY) {
                let side = usize::from(owner(point) < 0.0);
                owned[side].insert(point);
                ahead += [2, -2][side];
            }
        }
        let board = self.frame().board();
        let shared = |point: Move| expected.shared.get(point.index()) >= Some(&SURE);
        // Under territory scoring points between the two sides are neutral.
        let counts = self.rules.scoring == Scoring::Area;
        let is_open = |point: &Move| counts && !shared(*point);
        let open = open.iter().filter(is_open).count();
        let doubtful = match as_it_stands {
            true => Some(Bits::EMPTY),
            false => (self.passes() >= 2).then(|| self.doubtful(expected, &agreed)),
        };
        let (mut least, mut most) = (ahead, ahead);
        for point in board.iter() {
            let own = [0, 1].map(|side| owned[side].contains(point));
            let as_counted = match own {
                // No more moves: the result depends on the dead stones alone.
                _ if doubtful.is_some_and(|doubtful| !doubtful.contains(point)) => true,
                [true, _] => owner(point) >= SURE,
                [_, true] => owner(point) <= -SURE,
                // Under territory scoring a point with a living stone does not count.
                _ => shared(point) || (!empty.contains(point) && owner(point).abs() >= SURE),
            };
            if !as_counted {
                // To the other side: twice what it counts, or what it could count. A living stone that is dead after
                // all gives the point and, under territory scoring, itself as a prisoner.
                let living = self.stone(point).filter(|_| !empty.contains(point));
                let (lost, won) = match (own, living) {
                    ([true, _], _) | (_, Some(Color::Black)) => (4, 0),
                    ([_, true], _) | (_, Some(Color::White)) => (0, 4),
                    _ => (2, 2),
                };
                (least, most) = (least - lost, most + won);
            }
        }
        let status = |point: Move| match () {
            () if agreed.dead.contains(point) => PointStatus::Dead,
            () if agreed.seki.contains(point) => PointStatus::Seki,
            () if !self.empty().contains(point) => PointStatus::Alive,
            () if owned[0].contains(point) => PointStatus::Territory(Color::Black),
            () if owned[1].contains(point) => PointStatus::Territory(Color::White),
            () => PointStatus::Dame,
        };
        let mut settled = Settled {
            statuses: board.iter().map(status).collect(),
            black_ahead: HalfPoints(ahead),
            range: [HalfPoints(least), HalfPoints(most)],
            open,
            unsettled: 0,
        };
        if !as_it_stands {
            let counted = settled.owners(|point| self.stone(point));
            let secured = Color::BOTH.map(|color| self.pass_alive(color).secured);
            let in_doubt = board & !(secured[0] | secured[1] | agreed.seki);
            let differs = |owner: &[f32], point: Move| {
                let owner = owner.get(point.index()).copied().unwrap_or(0.0);
                (owner - counted[point.index()]).abs() > SETTLED
            };
            // With either side to move: what a move would change is still to be played for. Points that count for
            // neither side belong to the one that plays there.
            let changes = |point: Move| {
                let mut by_turn = expected.by_turn.iter().flatten();
                counted[point.index()] != 0.0 && by_turn.any(|owner| differs(owner, point))
            };
            let is_open = |&point: &Move| differs(&expected.owner, point) || changes(point);
            settled.unsettled = in_doubt.iter().filter(is_open).count();
        }
        settled
    }
}

#[cfg(test)]
mod tests {
    use super::super::diagram::diagram;
    use super::*;

    /// How many points of a finished board are unsettled, where White's stones are expected to be White's with this
    /// certainty if Black moves next, and if White does.
    fn unsettled(by_turn: [f32; 2]) -> usize {
        let position = diagram(".X.O. .X.O. XX.O. .X.O. .X.O.", "japanese", Color::Black);
        let owners = |white: f32| -> Vec<f32> {
            let of = |at: usize| [1.0, 1.0, 0.0, -white, -white][at % 5];
            (0..25).map(of).collect()
        };
        let expected = OwnershipEstimate {
            owner: owners(by_turn.iter().sum::<f32>() / 2.0),
            by_turn: Some(by_turn.map(owners)),
            ..OwnershipEstimate::unknown(25)
        };
        position.settle(&expected).unsettled
    }

    #[test]
    fn what_a_move_would_change_is_not_settled() {
        assert_eq!(unsettled([1.0, 1.0]), 0);
        assert_eq!(unsettled([0.7, 0.7]), 0);
        assert_eq!(unsettled([0.4, 1.0]), 10, "Black would take them");
        assert_eq!(unsettled([1.0, 0.4]), 10);
    }

    #[test]
    fn a_stone_in_doubt_is_worth_a_point_and_a_prisoner_where_territory_counts() {
        // Of eight points, five with stones, which live as it is counted.
        for (rows, sign, range) in [
            ("..... XXXXX OOOOX ...OX", 1.0, [-24, 8]),
            ("..... OOOOO XXXXO ...XO", -1.0, [-64, -32]),
        ] {
            let mut position = diagram(rows, "japanese komi14", Color::Black);
            (0..2).for_each(|_| position.play(position.pass()));
            let of = |at: usize| if at < 10 && at % 5 < 4 { -0.3 } else { 1.0 };
            let expected = OwnershipEstimate {
                owner: (0..20).map(|at| sign * of(at)).collect(),
                ..OwnershipEstimate::unknown(20)
            };
            let settled = position.settle(&expected);
            assert_eq!(settled.range, range.map(HalfPoints), "{rows}");
        }
    }
}
