//! The tables of a plan that have defaults; those of games and fits are with what they set.

use serde::{Deserialize, Serialize};

use crate::settings::{Reader, settings};

/// Generations that games may run ahead of the fit.
const MOST_AHEAD: u32 = 8;

settings! {
    /// Window of rows for fitting: the newest `max(least, share * all)`, at most `most`. Source of the
    /// defaults: docs/methods.md#self-play.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Window, "[window]" {
        least: usize = 50_000, 1..,
            "Minimum number of rows, if there are that many; at most `most`";
        share: f64 = 0.3, 0.0..=1.0,
            "Share of all rows";
        most: usize = 600_000, 1..,
            "Maximum number of rows";
        held_out: f64 = 0.05, 0.0..1.0,
            "Share of games held out for validation";
    }
}

impl Window {
    /// Number of rows to fit, of `all`.
    #[must_use]
    pub fn rows(&self, all: u64) -> usize {
        ((self.share * all as f64) as usize)
            .max(self.least)
            .min(self.most)
    }
}

settings! {
    /// Rating of networks: matches against the predecessor, and against random playouts of a number
    /// that grows with strength.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Rating, "[rating]" {
        every: u32 = 1, 1..,
            "Interval in generations";
        pairs: u32 = 30, 1..,
            "Pairs of games against each opponent";
        visits: u32 = 100, 1..,
            "Playouts per move of a network";
        anchors: Vec<u64> = vec![100, 400, 1600, 6400] => "[100, 400, 1600, 6400]",
            Reader("LIST", "a list of ascending whole numbers from 1", |_| None),
            "Playouts per move of the anchors; the first is at 0 Elo";
        opening_plies: u16 = 4, ..,
            "Random opening plies";
    }
}

settings! {
    /// Division of a run's work among several machines (docs/many-machines.md). What is played depends
    /// on `ahead` alone, on one machine, too.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    MachineSettings, "[machines]" {
        ahead: u32 = 0, 0..=MOST_AHEAD,
            "Generations that games run ahead of the fit: a generation's games are played with the network of this \
             many generations before the last one, so that machines play during a fit; 0 with a `plateau`";
        games_per_ticket: u64 = 50, 1..,
            "Games of one ticket, the unit that a machine plays and that is lost when it fails";
        pairs_per_ticket: u32 = 10, 1..,
            "Pairs of games of one ticket of rating matches";
    }
}

settings! {
    /// Sequential test (SPRT) of a new network against the current one.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    Gate, "[gate]" {
        elo0: f64 = 0.0, ..,
            "Elo difference of the hypothesis to reject; below `elo1`";
        elo1: f64 = 35.0, ..,
            "Elo difference of the hypothesis to accept";
        pairs: u32 = 200, 1..,
            "Maximum pairs of games; then a score above one half suffices";
        visits: u32 = 100, 1..,
            "Playouts per move";
    }
}
