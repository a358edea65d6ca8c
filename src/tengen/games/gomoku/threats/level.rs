//! Effort levels of the threat search.

/// An effort level.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    /// Searches with a larger number find everything that those with a smaller one do.
    pub(super) number: u8,
    /// Stones that a search for fours may put, per position.
    pub(super) fours: u64,
}

impl Level {
    /// All levels in ascending order.
    pub(super) const ALL: [Level; 4] = [
        Level {
            number: 1,
            fours: 30,
        },
        Level {
            number: 2,
            fours: 400,
        },
        Level {
            number: 3,
            fours: 2_000,
        },
        Level {
            number: 4,
            fours: 10_000,
        },
    ];
}
