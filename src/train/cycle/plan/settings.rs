//! The tables of a plan that have defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::search::SearchParams;
use crate::settings::SetError;
use crate::train::TrainError;
use crate::train::play::komi::KomiSpread;
use crate::train::play::mcts::{GumbelParams, MctsParams, RootRule};
use crate::train::play::network_game::NetworkPlay;
use crate::train::play::prover::PROVE_FROM;
use crate::train::play::selfplay::SelfPlayParams;

/// Root algorithm of self-play searches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RootName {
    /// Gumbel AlphaZero.
    Gumbel,
    /// AlphaZero with KataGo's forced playouts.
    Puct,
}

/// Settings of self-play.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct SelfPlay {
    /// Root algorithm. Range: gumbel, puct.
    pub root: RootName,
    /// Search settings by name, such as `cpuct`; the defaults are those of [`exploring`]. Range:
    /// see the settings of the search.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub search: BTreeMap<String, f64>,
    /// Forced playouts with `root = "puct"`: a visited move gets at least the square root of this
    /// times prior times playouts; 0 for none. Range: 0 to 100.
    pub forced_playouts: f32,
    /// Share of Dirichlet noise in the move probabilities with `root = "puct"`. Range: 0 to 1.
    pub move_noise: f32,
    /// Scale of the value relative to the policy with `root = "gumbel"`
    /// ([`GumbelParams::value_scale`]). Range: 0 to 100.
    pub value_scale: f32,
    /// Share of moves with a full search, whose policy is a training target. Range: above 0, to 1.
    pub full_share: f32,
    /// Playouts of the other moves. Range: at least 1.
    pub fast_visits: u32,
    /// Maximum number of random opening plies; each game has 0 to this many. Range: any.
    pub opening_plies: u16,
    /// Random openings drawn for each game, which begins with the one that the network's value says
    /// is the most even; 1 takes the first. Range: at least 1.
    pub opening_choices: u16,
    /// Ply from which the best move is played. Range: any.
    pub temperature_plies: u16,
    /// Komi distribution; without it the komi of the rules. Range: a table.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub komi: Option<KomiSpread>,
    /// Solver nodes to prove a late position, which ends the game with an exact result; 0 plays all
    /// games to the end. Range: any.
    pub prove_nodes: u64,
    /// Maximum number of remaining moves of positions that the solver tries. Range: any.
    pub prove_from: u32,
    /// Whether a proven best move becomes the policy target, for games in which winning
    /// moves are equivalent, such as Gomoku. Range: true, false.
    pub learn_proofs: bool,
    /// Solver nodes per position of a finished game, backwards from the end, to correct the results
    /// used as targets; 0 for no correction. Range: any.
    pub correct_nodes: u64,
    /// Whether games use the networks' int8 form, if it is accurate enough. Range: true, false;
    /// needs `held-out` above 0.
    pub int8: bool,
    /// Concurrent games per thread. Range: at least 1.
    pub concurrent: usize,
    /// Games per shard during play. Range: at least 1.
    pub games_per_shard: usize,
    /// Interval of games that are also written as SGF. Range: any.
    pub sgf_every: u64,
}

impl Default for SelfPlay {
    fn default() -> Self {
        let SelfPlayParams {
            opening_plies,
            temperature_plies,
            komi,
        } = SelfPlayParams::default();
        SelfPlay {
            root: RootName::Gumbel,
            search: BTreeMap::new(),
            forced_playouts: 2.0,
            move_noise: 0.0,
            value_scale: GumbelParams::default().value_scale,
            full_share: 1.0,
            fast_visits: 16,
            opening_plies,
            opening_choices: 1,
            temperature_plies,
            komi,
            prove_nodes: 0,
            prove_from: PROVE_FROM,
            learn_proofs: false,
            correct_nodes: 0,
            int8: false,
            concurrent: 32,
            games_per_shard: 1,
            sgf_every: 100,
        }
    }
}

/// Maximum weight of a value relative to the policy; Gumbel's paper has 1.
const MOST_VALUE_SCALE: f32 = 100.0;

impl SelfPlay {
    /// Settings for the diversity of games.
    #[must_use]
    pub fn params(&self) -> SelfPlayParams {
        SelfPlayParams {
            opening_plies: self.opening_plies,
            temperature_plies: self.temperature_plies,
            komi: self.komi,
        }
    }

    /// Checks the search settings.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let wrong =
            |why: &dyn std::fmt::Display| TrainError::plan(format_args!("[self-play]: {why}"));
        let full_share = self.full_share > 0.0 && self.full_share <= 1.0;
        if !full_share || self.fast_visits == 0 {
            return Err(wrong(
                &"full-share is above 0 and up to 1, fast-visits at least 1",
            ));
        }
        if self.opening_choices == 0 {
            return Err(wrong(&"opening-choices is at least 1"));
        }
        if !(0.0..=1.0).contains(&self.move_noise) {
            return Err(wrong(&"move-noise is a share from 0 to 1"));
        }
        if !(0.0..=MOST_VALUE_SCALE).contains(&self.value_scale) {
            return Err(wrong(&format_args!(
                "value-scale goes from 0 to {MOST_VALUE_SCALE}"
            )));
        }
        if !(0.0..=100.0).contains(&self.forced_playouts) {
            return Err(wrong(&"forced-playouts go from 0 to 100"));
        }
        self.search_params()
            .map(drop)
            .map_err(|error| wrong(&error))
    }

    /// The search settings.
    ///
    /// # Errors
    /// [`SetError`] when a name or number is invalid.
    pub fn search_params(&self) -> Result<SearchParams, SetError> {
        let mut params = exploring();
        for (name, number) in &self.search {
            params.set(name, &number.to_string())?;
        }
        Ok(params)
    }

    /// How a network plays with `visits` per full search.
    #[must_use]
    pub fn network_play(&self, visits: u32) -> NetworkPlay {
        let root = match self.root {
            RootName::Gumbel => RootRule::Gumbel(GumbelParams {
                value_scale: self.value_scale,
                ..GumbelParams::default()
            }),
            RootName::Puct => RootRule::Puct {
                forced_playouts: self.forced_playouts,
            },
        };
        NetworkPlay {
            mcts: MctsParams {
                root,
                // The plan's check has refused invalid settings.
                search: self.search_params().unwrap_or_else(|_| exploring()),
            },
            visits,
            full_share: self.full_share,
            fast_visits: self.fast_visits,
            learn_proofs: self.learn_proofs,
            opening_choices: self.opening_choices,
            move_noise: self.move_noise,
            selfplay: self.params(),
        }
    }
}

/// The engine's search settings with the noise and temperature of Gao & Wu 2021, 3.1 and no FPU
/// reduction at the root (KataGo), for `root = "puct"`.
#[must_use]
pub fn exploring() -> SearchParams {
    SearchParams {
        root_noise: 0.25,
        root_policy_temperature: 1.03,
        root_fpu_reduction: 0.0,
        ..SearchParams::default()
    }
}

/// Window of rows for fitting: the newest `max(least, share * all)`, at most `most`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Window {
    /// Minimum number of rows, if there are that many. Range: 1 to `most`.
    pub least: usize,
    /// Share of all rows. Range: 0 to 1.
    pub share: f64,
    /// Maximum number of rows. Range: at least `least`.
    pub most: usize,
    /// Share of games held out for validation. Range: 0 to below 1.
    pub held_out: f64,
}

impl Default for Window {
    fn default() -> Self {
        // docs/methods.md#self-play.
        Window {
            least: 50_000,
            share: 0.3,
            most: 600_000,
            held_out: 0.05,
        }
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

/// Settings of fitting.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Fit {
    /// Encoding of new networks; by default the family's, or the game's newest. Range: an encoding
    /// of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Mean number of times each row is fitted before it leaves the window: samples of a generation
    /// per new row. Range: above 0.
    pub reuse: f64,
    /// Number of times a new network sees each row of the window before it plays. Range: above 0.
    pub catch_up: f64,
    /// Rows per optimiser step. Range: at least 1.
    pub batch: usize,
    /// Learning rate after the warm-up. Range: above 0.
    pub learning_rate: f32,
    /// Target change of the policy per step, in nats: the learning rate is adapted to it
    /// ([`crate::train::fit::schedule::Schedule::Kl`]). Range: above 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kl_target: Option<f32>,
    /// Weight decay of factors. Range: at least 0.
    pub weight_decay: f32,
    /// Share of the search's root value in the value target. Range: 0 to 1.
    pub root_value_share: f32,
    /// Share of samples drawn by surprise. Range: 0 to 1.
    pub surprise_share: f32,
    /// Decay of the moving average of the weights, per step. Range: 0 to 1.
    pub average_decay: f32,
}

impl Default for Fit {
    fn default() -> Self {
        Fit {
            encoding: None,
            reuse: 4.0,
            catch_up: 2.0,
            batch: 256,
            learning_rate: 1e-3,
            kl_target: None,
            weight_decay: 0.05,
            root_value_share: 0.25,
            surprise_share: 0.5,
            average_decay: 0.99,
        }
    }
}

/// Rating of networks: matches against the predecessor, and against random playouts of a number
/// that grows with strength.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Rating {
    /// Interval in generations. Range: at least 1.
    pub every: u32,
    /// Pairs of games against each opponent. Range: at least 1.
    pub pairs: u32,
    /// Playouts per move of a network. Range: at least 1.
    pub visits: u32,
    /// Playouts per move of the anchors; the first is at 0 Elo. Range: ascending, the first at
    /// least 1.
    pub anchors: Vec<u64>,
    /// Random opening plies. Range: any.
    pub opening_plies: u16,
}

impl Default for Rating {
    fn default() -> Self {
        Rating {
            every: 1,
            pairs: 30,
            visits: 100,
            anchors: vec![100, 400, 1600, 6400],
            opening_plies: 4,
        }
    }
}

/// Division of a run's work among several machines (docs/many-machines.md). What is played depends
/// on `ahead` alone, on one machine, too.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MachineSettings {
    /// Generations that games run ahead of the fit: a generation's games are played with the network
    /// of this many generations before the last one, so that machines play during a fit. Range: 0
    /// to 8; 0 with a `plateau`.
    pub ahead: u32,
    /// Games of one ticket, the unit that a machine plays and that is lost when it fails. Range: at
    /// least 1.
    pub games_per_ticket: u64,
    /// Pairs of games of one ticket of rating matches. Range: at least 1.
    pub pairs_per_ticket: u32,
}

impl Default for MachineSettings {
    fn default() -> Self {
        MachineSettings {
            ahead: 0,
            games_per_ticket: 50,
            pairs_per_ticket: 10,
        }
    }
}

/// Sequential test (SPRT) of a new network against the current one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Gate {
    /// Elo difference of the hypothesis to reject. Range: below `elo1`.
    pub elo0: f64,
    /// Elo difference of the hypothesis to accept. Range: above `elo0`.
    pub elo1: f64,
    /// Maximum pairs of games; then a score above one half suffices. Range: at least 1.
    pub pairs: u32,
    /// Playouts per move. Range: at least 1.
    pub visits: u32,
}

impl Default for Gate {
    fn default() -> Self {
        Gate {
            elo0: 0.0,
            elo1: 35.0,
            pairs: 200,
            visits: 100,
        }
    }
}
