//! Numbers of a search report from one side's perspective: of a move, and of the root. Their names are
//! in `analysis` (text, and JSON for CGOS) and in `katago` (JSON).

use super::parse_color;
use crate::game::{Color, Move, OwnershipEstimate};
use crate::search::{MoveReport, SearchReport};
use serde_json::Value;

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `lz-analyze`: ten-thousandths.
    Leela,
    /// `kata-analyze`: floats, and more of them.
    Kata,
    /// `cgos-genmove_analyze`: JSON.
    Cgos,
}

/// The perspective of reported numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    /// The side to move at the root.
    pub(super) mover: Color,
    /// The side for which high numbers are good.
    pub(super) side: Color,
}

/// Perspective of reported values.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Perspective {
    /// Always this side.
    Side(Color),
    /// The side to move.
    #[default]
    Mover,
}

impl std::str::FromStr for Perspective {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Perspective, &'static str> {
        if text.eq_ignore_ascii_case("sidetomove") {
            return Ok(Perspective::Mover);
        }
        let side = parse_color(text).map(Perspective::Side);
        side.map_err(|_| "BLACK, WHITE or SIDETOMOVE")
    }
}

impl Perspective {
    /// The view of a search with this side to move.
    pub(super) fn view(self, mover: Color) -> View {
        let side = match self {
            Perspective::Side(side) => side,
            Perspective::Mover => mover,
        };
        View { mover, side }
    }
}

/// The moves to report, the one to play first: that one in any case, and those with visits; more to
/// reach the minimum, and no more than the maximum. Avoided moves are left out.
pub(super) fn told<'a>(
    report: &'a SearchReport,
    avoid: &[Move],
    least: usize,
    most: usize,
) -> Vec<&'a MoveReport> {
    let wanted = report.moves.iter();
    let wanted = wanted.filter(|found| !avoid.contains(&found.mv));
    let (mut told, rest): (Vec<_>, Vec<_>) = wanted
        .enumerate()
        .partition(|(place, found)| *place == 0 || found.visits > 0);
    let more = least.saturating_sub(told.len());
    told.extend(rest.into_iter().take(more));
    told.sort_by_key(|(place, _)| *place);
    let told = told.into_iter().map(|(_, found)| found);
    told.take(most).collect()
}

/// Numbers of a move, or of the root.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Numbers {
    pub(super) visits: u64,
    /// Expected result, in [-1, 1].
    pub(super) utility: f32,
    /// Its confidence bound: the lower one for the side that moves.
    pub(super) utility_lcb: f32,
    /// Expected lead of the side in points, and its standard deviation; `None` if the search has
    /// none.
    pub(super) score: Option<(f32, f32)>,
}

impl View {
    /// The numbers of a move of this report. Without points of its own, it has the root's.
    pub(super) fn of_move(self, found: &MoveReport, report: &SearchReport) -> Numbers {
        let expected = found.expected.as_ref().or(report.expected.as_ref());
        Numbers {
            visits: found.visits,
            utility: self.turn(found.value),
            utility_lcb: self.turn(found.lcb),
            score: self.score(expected),
        }
    }

    /// The numbers of the root.
    pub(super) fn of_root(self, report: &SearchReport) -> Numbers {
        let utility = self.turn(report.value);
        Numbers {
            visits: report.visits,
            utility,
            utility_lcb: utility,
            score: self.score(report.expected.as_ref()),
        }
    }

    /// A value for the side to move, from this perspective.
    fn turn(self, value: f32) -> f32 {
        if self.side == self.mover {
            value
        } else {
            -value
        }
    }

    fn score(self, expected: Option<&OwnershipEstimate>) -> Option<(f32, f32)> {
        let expected = expected?;
        Some((self.side.signed(expected.black_ahead), expected.deviation))
    }
}

impl Numbers {
    /// Winning chance, in [0, 1].
    pub(super) fn winrate(self) -> f32 {
        rate(self.utility)
    }

    /// Its confidence bound.
    pub(super) fn lcb(self) -> f32 {
        rate(self.utility_lcb)
    }
}

/// The temperature of the root's policy for KataGo's `wideRootNoise`: it flattens the priors by this power, and also
/// adds noise to values.
pub(super) fn widened(noise: f64) -> Option<f32> {
    (noise > 0.0).then_some((1.0 + 4.0 * noise) as f32)
}

/// A value in [-1, 1] as a winning chance.
pub(super) fn rate(value: f32) -> f32 {
    (value + 1.0) / 2.0
}

/// Sets a field of a JSON object.
pub(super) fn set(object: &mut Value, field: &str, value: impl Into<Value>) {
    if let Value::Object(fields) = object {
        fields.insert(field.to_owned(), value.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::StopReason;
    use crate::game::BoardSize;
    use crate::gtp::board::owners;

    fn expected(black_ahead: f32) -> OwnershipEstimate {
        OwnershipEstimate {
            owner: vec![1.0, -0.5],
            by_turn: None,
            shared: vec![0.0; 2],
            black_ahead,
            deviation: 3.0,
        }
    }

    #[test]
    fn what_is_good_for_one_side_is_bad_for_the_other() {
        let known = MoveReport {
            visits: 5,
            value: 0.5,
            lcb: 0.25,
            expected: Some(expected(-4.0)),
            ..MoveReport::unsearched(Move(0), 0.5)
        };
        let report = SearchReport {
            value: 0.5,
            expected: Some(expected(-2.0)),
            ..SearchReport::unsearched(Vec::new(), StopReason::Visits)
        };
        let white = Perspective::Mover.view(Color::White);
        let own = white.of_move(&known, &report);
        assert_eq!(
            (own.winrate(), own.lcb(), own.score),
            (0.75, 0.625, Some((4.0, 3.0)))
        );
        let black = View {
            side: Color::Black,
            ..white
        };
        let turned = black.of_move(&known, &report);
        assert_eq!((turned.winrate(), turned.lcb()), (0.25, 0.375));
        assert_eq!(turned.score, Some((-4.0, 3.0)));
        let unknown = MoveReport::unsearched(Move(1), 0.5);
        assert_eq!(white.of_move(&unknown, &report).score, Some((2.0, 3.0)));
        assert_eq!(black.of_root(&report).score, Some((-2.0, 3.0)));
        let size = BoardSize::new(2, 1);
        assert_eq!(owners(&expected(0.0), size, white.side), [-1.0, 0.5]);
    }
}
