//! Estimated ownership, and the score when the players stop.

use super::{BoardSize, Color, HalfPoints, Move, Outcome, connected};

/// Per-point ownership statistics of the final position, from rollouts or a network.
#[derive(Debug, Clone, PartialEq)]
pub struct OwnershipEstimate {
    /// Expected owner of each point: 1 certainly Black's, -1 certainly White's.
    pub owner: Vec<f32>,
    /// The same if Black moves next, and if White does, where known; `owner` is their mean.
    pub by_turn: Option<[Vec<f32>; 2]>,
    /// Probability of each point, in [0, 1], to be a shared liberty that neither side fills, or a
    /// stone beside one.
    pub shared: Vec<f32>,
    /// Expected lead of Black in points, komi included.
    pub black_ahead: f32,
    /// Standard deviation of the lead, in points.
    pub deviation: f32,
}

impl OwnershipEstimate {
    /// Nothing is known of any of these points.
    pub fn unknown(points: usize) -> OwnershipEstimate {
        OwnershipEstimate {
            owner: vec![0.0; points],
            by_turn: None,
            shared: vec![0.0; points],
            black_ahead: 0.0,
            deviation: 0.0,
        }
    }
}

/// Status of a point when the players stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PointStatus {
    /// A stone that lives.
    Alive,
    /// Living stone in seki: it cannot be attacked without losing the attacking stones.
    Seki,
    /// Dead stone, removed before counting.
    Dead,
    /// Empty point that counts for one side.
    Territory(Color),
    /// An empty point that counts for neither side.
    Dame,
}

/// The score that the players may agree on, with the status of each point.
#[derive(Debug, Clone, PartialEq)]
pub struct Settled {
    /// What each point is.
    pub statuses: Vec<PointStatus>,
    /// Black's lead, komi included.
    pub black_ahead: HalfPoints,
    /// The lead if White got all uncertain points, and if Black did.
    pub range: [HalfPoints; 2],
    /// Open empty points, which count for the side that plays there.
    pub open: usize,
    /// Points that are not expected to be whose they are counted, with either side to move: where the game would go on.
    pub unsettled: usize,
}

impl Settled {
    /// The result if the players agree on this score.
    pub fn outcome(&self) -> Outcome {
        Outcome::by_points(self.black_ahead)
    }

    /// Whether the status of every point is certain.
    pub fn is_certain(&self) -> bool {
        self.range[0] == self.range[1]
    }

    /// Whether the result, a win or a draw, is the same for every status of the uncertain points.
    pub fn is_decided(&self) -> bool {
        let [least, most] = self.range.map(|ahead| Outcome::by_points(ahead).winner);
        least == most
    }

    /// The winner for every status of the uncertain points; `None` if they decide, and in a draw.
    pub fn certain_winner(&self) -> Option<Color> {
        let winner = Outcome::by_points(self.range[0]).winner;
        winner.filter(|_| self.is_decided())
    }

    /// Whether nothing is left to be played for, and uncertain points do not decide the result.
    pub fn is_over(&self) -> bool {
        self.open == 0 && self.unsettled == 0 && self.is_decided()
    }

    /// Expected result for a side if the players agree on this score, in [-1, 1]: the result where uncertain points
    /// do not decide it; else the nearer 0 the more of them speak for the other side.
    pub fn value_for(&self, color: Color) -> f32 {
        let ahead = color.signed(self.black_ahead.0 as f32);
        let [least, most] = self.range.map(|ahead| ahead.0 as f32);
        let worst = match self.black_ahead.0 {
            ..0 => most,
            0 => 0.0,
            1.. => -least,
        };
        match ahead {
            0.0 => 0.0,
            _ => ahead / (ahead.abs() + worst.max(0.0)),
        }
    }

    /// The owner of each point as it is counted: 1 Black's, -1 White's, 0 neither's; `stone` tells the stones on
    /// the board.
    pub fn owners(&self, stone: impl Fn(Move) -> Option<Color>) -> Vec<f32> {
        let of = |color: Color| color.signed(1.0);
        let owner = |(index, status): (usize, &PointStatus)| {
            let stone = || stone(Move(index as u16)).map_or(0.0, of);
            match status {
                PointStatus::Territory(color) => of(*color),
                PointStatus::Dame => 0.0,
                PointStatus::Dead => -stone(),
                PointStatus::Alive | PointStatus::Seki => stone(),
            }
        };
        self.statuses.iter().enumerate().map(owner).collect()
    }

    /// Owners and lead as they are counted; `stone` tells the stones on the board.
    pub fn as_estimate(&self, stone: impl Fn(Move) -> Option<Color>) -> OwnershipEstimate {
        OwnershipEstimate {
            owner: self.owners(stone),
            black_ahead: self.black_ahead.0 as f32 / 2.0,
            ..OwnershipEstimate::unknown(self.statuses.len())
        }
    }

    /// The points of one status, ascending.
    pub fn points(&self, status: PointStatus) -> impl Iterator<Item = Move> {
        let all = self.statuses.iter().enumerate();
        all.filter(move |(_, found)| **found == status)
            .map(|(index, _)| Move(index as u16))
    }

    /// The empty points that dead stones among `these` reach, on a board of this size.
    pub fn around_dead(&self, size: BoardSize, these: impl Fn(Move) -> bool) -> Vec<Move> {
        let starts = self.points(PointStatus::Dead).filter(|&mv| these(mv));
        let status = |mv: Move| self.statuses[mv.index()];
        let open = |mv| !matches!(status(mv), PointStatus::Alive | PointStatus::Seki);
        let mut reached = connected(size, starts, open);
        reached.retain(|&mv| matches!(status(mv), PointStatus::Territory(_) | PointStatus::Dame));
        reached
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settled(ahead: i32, range: [i32; 2]) -> Settled {
        Settled {
            statuses: Vec::new(),
            black_ahead: HalfPoints(ahead),
            range: range.map(HalfPoints),
            open: 0,
            unsettled: 0,
        }
    }

    #[test]
    fn who_leads_wins_for_certain_only_if_doubts_do_not_decide() {
        let value = |ahead, range| settled(ahead, range).value_for(Color::Black);
        assert_eq!(value(3, [1, 9]), 1.0);
        assert_eq!(value(-3, [-9, -1]), -1.0);
        assert_eq!(value(3, [-9, 3]), 0.25);
        assert_eq!(value(-1, [-9, 19]), -0.05);
        assert_eq!(value(0, [-4, 4]), 0.0);
        assert_eq!(settled(3, [-9, 3]).value_for(Color::White), -0.25);
        assert!(settled(3, [1, 9]).is_over() && !settled(3, [-9, 3]).is_over());
    }

    #[test]
    fn a_draw_is_a_result_unless_doubts_decide() {
        let drawn = settled(0, [0, 0]);
        assert!(drawn.is_over() && drawn.certain_winner().is_none());
        for range in [[0, 4], [-4, 0], [-4, 4]] {
            assert!(!settled(0, range).is_over(), "{range:?}");
        }
    }
}
