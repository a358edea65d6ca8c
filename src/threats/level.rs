//! How hard a search looks.

/// How hard to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Level {
    /// Searches with a greater number find all that those with a smaller one do.
    pub(super) number: u8,
    /// Stones that a search for fours may put, at each position.
    pub(super) fours: u64,
    /// Whether moves are tried, too, that threaten with fours only in a line of several.
    pub(super) wide: bool,
}

impl Level {
    /// From the quickest.
    pub(super) const ALL: [Level; 4] = [
        Level {
            number: 1,
            fours: 30,
            wide: false,
        },
        Level {
            number: 2,
            fours: 400,
            wide: false,
        },
        Level {
            number: 3,
            fours: 2_000,
            wide: true,
        },
        Level {
            number: 4,
            fours: 10_000,
            wide: true,
        },
    ];
}
