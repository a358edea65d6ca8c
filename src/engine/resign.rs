//! When a game is given up.

use crate::search::SearchReport;

/// Searches in a row that have to agree.
const MOVES: u32 = 3;

/// Gives a game up that is as good as lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resign {
    below: f32,
    /// Own moves in a row that were no better.
    hopeless: u32,
}

impl Resign {
    /// After three searches in a row have expected no better result than `value`, in [-1, 1];
    /// `None` when it is not.
    #[must_use]
    pub fn below(value: f32) -> Option<Resign> {
        (-1.0..=1.0).contains(&value).then_some(Resign {
            below: value,
            hopeless: 0,
        })
    }

    /// Whether to give up, after the search for an own move; without a report nothing is known.
    pub(super) fn after(&mut self, report: Option<&SearchReport>) -> bool {
        let lost = report.is_some_and(|report| report.visits > 0 && report.value <= self.below);
        self.hopeless = if lost { self.hopeless + 1 } else { 0 };
        self.hopeless >= MOVES
    }

    /// A new game begins, or moves were taken back.
    pub(super) fn forget(&mut self) {
        self.hopeless = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::report;
    use super::*;

    #[test]
    fn three_hopeless_searches_in_a_row_are_enough() {
        assert_eq!(Resign::below(-1.5), None);
        assert_eq!(Resign::below(f32::NAN), None);
        let mut resign = Resign::below(-0.9).expect("it is in range");
        let mut after = |value: f32| {
            let mut found = report(&[(0, 1, 1.0)]);
            (found.value, found.visits) = (value, 100);
            resign.after(Some(&found))
        };
        assert_eq!([-0.95, -0.95, -0.5, -0.9, -1.0].map(&mut after), [false; 5]);
        assert!(after(-0.95) && after(-0.95));
        resign.forget();
        assert!(!resign.after(None));
    }
}
