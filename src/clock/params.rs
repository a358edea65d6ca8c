//! Settings of the time manager.

use std::fmt::Display;
use std::str::FromStr;

/// Scheme that divides the time of a game among its moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scheme {
    /// Tengen's own scheme (docs/clock.md); the default.
    Tengen,
    /// Equal shares over 36 moves, the usual length of a 9x9 NoGo game.
    Even,
    /// A constant share of what is left: 1/20.
    Constant,
    /// 12% of the remaining time for every move: the kind that lost the CCGC final.
    FrontLoaded,
    /// Huang, Coulom and Lin's enhanced formula, with their rules for unstable and bad positions.
    Erica,
    /// KataGo's scheme, for comparison.
    Katago,
    /// A scheme like lc0's "smooth", for comparison.
    Lc0,
}

/// Every scheme and its name.
const SCHEMES: &[(Scheme, &str)] = &[
    (Scheme::Tengen, "tengen"),
    (Scheme::Even, "even"),
    (Scheme::Constant, "constant"),
    (Scheme::FrontLoaded, "front-loaded"),
    (Scheme::Erica, "erica"),
    (Scheme::Katago, "katago"),
    (Scheme::Lc0, "lc0"),
];

const SCHEME_NAMES: &str = "tengen, even, constant, front-loaded, erica, katago or lc0";

impl Display for Scheme {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = SCHEMES.iter().find(|(scheme, _)| scheme == self);
        f.write_str(name.map_or("", |(_, name)| name))
    }
}

impl FromStr for Scheme {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let found = SCHEMES.iter().find(|(_, name)| *name == text);
        found.map(|(scheme, _)| *scheme).ok_or(SCHEME_NAMES)
    }
}

crate::settings::settings! {
    /// Settings of the time manager; every field is a line of the table in this file.
    TimeParams {
        time_scheme: Scheme = Scheme::Tengen, SCHEME_NAMES, parse_choice, show_choice,
            "Time allocation scheme; all but tengen are for comparison.", "docs/methods.md#time";
        time_reserve: f64 = 0.03, 0.0..=0.5, parse, show_range,
            "Share of the main time reserved for accidents; at least 1.3 seconds, or 3% of a short \
             clock, and at most 5 seconds; twice that while the controller does not report the \
             time.", "ours";
        time_rise: f64 = 2.0, 0.0..=10.0, parse, show_range,
            "Additional time of the last moves before the takeover, as a share of the time of an opening move.", "what a move loses against 4,096 visits, by ply and visits, in 2,361 positions: 0.009 at ply 4, 0.025 at 40, 0.05 at 50, 0.2 at 56 (128 visits)";
        time_takeover: bool = true, false..=true, parse, show_range,
            "Plan for the moves until positions are usually proven, not for the whole game.", "docs/methods.md#time";
        time_overtake: f64 = 0.5, 0.0..=1.0, parse, show_range,
            "Stops when the runner-up would need more than this share of the remaining visits to overtake the leader; 0 for never.", "STOP of Baier & Winands 2016; in the same positions it saves about a tenth of the visits for the same loss";
        time_extend: f64 = 1.5, 1.0..=10.0, parse, show_range,
            "Maximum extension, in planned times, when the leader is new or does not have the best value; 1 for never.", "unstable of Huang et al. 2010";
        time_credit: f64 = 0.7, 0.0..=0.95, parse, show_range,
            "Maximum share of a move's time that reused visits may save; 0 for never.", "ours; scored 58.0% +- 6.7 against 0 in 143 games of 4 s on the simulated clock";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_default_is_in_its_own_range_and_round_trips() {
        let mut params = TimeParams::default();
        for (name, value) in TimeParams::default().values() {
            params.set(name, &value).expect(name);
        }
        assert_eq!(params, TimeParams::default());
    }

    #[test]
    fn every_scheme_is_named() {
        for (scheme, name) in SCHEMES {
            assert_eq!(name.parse(), Ok(*scheme));
            assert_eq!(scheme.to_string(), *name);
            assert!(SCHEME_NAMES.contains(name), "{name}");
        }
        let mut params = TimeParams::default();
        let error = params
            .set("time_scheme", "flat")
            .expect_err("no such scheme");
        assert!(error.to_string().contains("front-loaded"), "{error}");
    }
}
