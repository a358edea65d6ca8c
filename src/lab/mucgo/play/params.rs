//! Settings of Mucgo's search.

use super::domain::DomainScale;
use super::interval::{INTERVAL_SHARES, IntervalBy, IntervalShare};
use super::pruning::Pruning;
use super::stage::StageWindow;
use super::weighting::Weighting;
use tengen::settings::{Choice, Text};

tengen::choices! {
    /// Which move is played after the search: Algorithm 1 returns the one that RSHQI draws, and the
    /// text says that RSHQI expands the tree.
    TargetMove {
        /// The most visited: the interval serves the tree only.
        MostVisits = "visits",
        /// One drawn from the interval, the literal reading.
        Drawn = "drawn",
    }
}

tengen::settings! {
    /// Settings of Mucgo's search; every field is a line of the table in this file.
    #[derive(Debug, Clone, PartialEq)]
    MucgoParams, "Mucgo's search" {
        mucgo_weighting: Weighting = Weighting::B, Choice,
            "Weights of UCB1 and domain knowledge in a move's evaluation: A is 0.5 and 0.5, B 0.4 and 0.6, C 0.3 and \
             0.7, D 0.2 and 0.8, E 0.1 and 0.9.", "Li et al. 2019, Table 1; docs/papers.md#mucgo";
        mucgo_interval: IntervalShare = IntervalShare::V3, Text("SHARE", INTERVAL_SHARES),
            "The moves among which one is drawn: the best 5, 10, 15 or 20%, or another share.",
            "Li et al. 2019, III.B.3; docs/papers.md#mucgo";
        mucgo_interval_by: IntervalBy = IntervalBy::Value, Choice,
            "What that share is of: the range of the evaluations, or the number of moves.", "ours; docs/papers.md#mucgo";
        mucgo_pruning: Pruning = Pruning::Both, Choice,
            "Which layers of pruning there are.", "Li et al. 2019, Algorithm 2";
        mucgo_pruned: f32 = 0.2, 0.0..=0.9,
            "Share of the moves that a layer prunes.", "Li et al. 2019, Algorithm 2";
        mucgo_target: TargetMove = TargetMove::MostVisits, Choice,
            "The move that is played: the most visited, or one drawn from the interval.",
            "Li et al. 2019, Algorithm 1; docs/papers.md#mucgo";
        mucgo_exploration: f32 = 0.25, 0.0..=10.0,
            "Exploration constant of UCB1, for results in [0, 1]; the square root of 2 in its proof.",
            "ours; docs/papers.md#mucgo";
        mucgo_domain: DomainScale = DomainScale::Rank, Choice,
            "How a move's learned weight becomes its score: by its rank among the node's moves, or by the logarithm.",
            "ours; docs/papers.md#mucgo";
        mucgo_stage: StageWindow = StageWindow::Fitted, Choice,
            "The plies of the middle game on 19x19, where the search is used: as fitted to games, as in the paper, or \
             all; before and after them the best move by domain knowledge is played.",
            "Li et al. 2019, equations 6 to 8; docs/papers.md#mucgo";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::settings::Table as _;

    #[test]
    fn each_setting_takes_its_words() {
        let mut params = MucgoParams::default();
        for (name, value) in [
            ("mucgo-weighting", "E"),
            ("mucgo-interval", "V1"),
            ("mucgo-interval-by", "rank"),
            ("mucgo-pruning", "ucb"),
            ("mucgo-pruned", "0.3"),
            ("mucgo-target", "drawn"),
            ("mucgo-exploration", "1.414"),
            ("mucgo-domain", "weight"),
            ("mucgo-stage", "paper"),
        ] {
            params.set(name, value).expect(name);
        }
        let expected = MucgoParams {
            mucgo_weighting: Weighting::E,
            mucgo_interval: IntervalShare::V1,
            mucgo_interval_by: IntervalBy::Rank,
            mucgo_pruning: Pruning::Ucb,
            mucgo_pruned: 0.3,
            mucgo_target: TargetMove::Drawn,
            mucgo_exploration: 1.414,
            mucgo_domain: DomainScale::Weight,
            mucgo_stage: StageWindow::Paper,
        };
        assert_eq!(params, expected);
    }

    #[track_caller]
    fn check_refused(name: &str, value: &str, part: &str) {
        let mut params = MucgoParams::default();
        let error = params.set(name, value).expect_err(name).to_string();
        assert!(error.contains(part), "{error}");
        assert_eq!(params, MucgoParams::default());
    }

    #[test]
    fn wrong_values_are_named() {
        check_refused("mucgo-weighting", "F", "A, B, C, D or E");
        check_refused("mucgo-interval", "V5", "V1");
        check_refused("mucgo-interval", "1.5", "V1");
        check_refused("mucgo-pruning", "all", "domain");
        check_refused("mucgo-pruned", "1", "0.9");
        check_refused("mucgo-weigting", "A", "mucgo-weighting");
    }
}
