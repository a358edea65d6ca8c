//! The parts of a plan that have defaults.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::search::SearchParams;
use crate::settings::SetError;
use crate::train::TrainError;
use crate::train::komi::KomiSpread;
use crate::train::mcts::{GumbelParams, MctsParams, RootRule};
use crate::train::network_game::NetworkPlay;
use crate::train::prover::PROVE_FROM;
use crate::train::selfplay::SelfPlayParams;

/// How the moves of a root share its playouts, by name.
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
    /// The root.
    pub root: RootName,
    /// Settings of the search by name, such as `cpuct`; those of [`exploring`] where nothing is said.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub search: BTreeMap<String, f64>,
    /// Under a root of [`RootName::Puct`]: a visited move gets at least the root of this times prior
    /// times playouts; 0 forces none.
    pub forced_playouts: f32,
    /// Under a root of [`RootName::Puct`]: the share of Dirichlet noise in the probabilities by which
    /// moves are drawn.
    pub move_noise: f32,
    /// See [`GumbelParams::value_scale`].
    pub value_scale: f32,
    /// Share of the moves with a full search, whose policy is a target.
    pub full_share: f32,
    /// Playouts of the other moves.
    pub fast_visits: u32,
    /// A game opens with 0 to this many random plies.
    pub opening_plies: u16,
    /// Ply from which the best move is played.
    pub temperature_plies: u16,
    /// How komi varies; without it, it is that of the rules.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub komi: Option<KomiSpread>,
    /// Positions that the solver may visit to prove a late position, which ends the game with an
    /// exact result; 0 plays all games to the end.
    pub prove_nodes: u64,
    /// It tries positions in which at most this many moves can be left.
    pub prove_from: u32,
    /// Whether the move that a proof names becomes the policy target: where it is as good as any other, as in Gomoku.
    pub learn_proofs: bool,
    /// Positions that the solver may visit for each position of a finished game, from the end back,
    /// to correct the results used as targets; 0 leaves them as the games went.
    pub correct_nodes: u64,
    /// Whether games are played by the networks' int8 form, where it is close enough.
    pub int8: bool,
    /// Games that a thread plays at the same time.
    pub concurrent: usize,
    /// Games in a shard while playing.
    pub games_per_shard: usize,
    /// Every Nth game is written as SGF.
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

/// A value counts at most for so much beside the policy; Gumbel's paper has 1.
const MOST_VALUE_SCALE: f32 = 100.0;

impl SelfPlay {
    /// How games are made diverse.
    #[must_use]
    pub fn params(&self) -> SelfPlayParams {
        SelfPlayParams {
            opening_plies: self.opening_plies,
            temperature_plies: self.temperature_plies,
            komi: self.komi,
        }
    }

    /// Whether the settings of the search are consistent.
    pub(super) fn check(&self) -> Result<(), TrainError> {
        let wrong =
            |why: &dyn std::fmt::Display| TrainError::plan(format_args!("[self-play]: {why}"));
        let full_share = self.full_share > 0.0 && self.full_share <= 1.0;
        if !full_share || self.fast_visits == 0 {
            return Err(wrong(
                &"full-share is above 0 and up to 1, fast-visits at least 1",
            ));
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

    /// The settings of the search.
    ///
    /// # Errors
    /// [`SetError`] when a name or number is wrong.
    pub fn search_params(&self) -> Result<SearchParams, SetError> {
        let mut params = exploring();
        for (name, number) in &self.search {
            params.set(name, &number.to_string())?;
        }
        Ok(params)
    }

    /// How a network plays with `playouts` a full search.
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
                // A plan's check has refused what is wrong.
                search: self.search_params().unwrap_or_else(|_| exploring()),
            },
            visits,
            full_share: self.full_share,
            fast_visits: self.fast_visits,
            learn_proofs: self.learn_proofs,
            move_noise: self.move_noise,
            selfplay: self.params(),
        }
    }
}

/// The engine's settings with the noise and temperature of Gao & Wu 2021, 3.1 and no reduction for
/// unvisited moves at the root (KataGo), under a root of [`RootName::Puct`].
#[must_use]
pub fn exploring() -> SearchParams {
    SearchParams {
        root_noise: 0.25,
        root_policy_temperature: 1.03,
        root_fpu_reduction: 0.0,
        ..SearchParams::default()
    }
}

/// Which rows are fitted: the newest `max(least, share * all)`, at most `most`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Window {
    /// Minimum number of rows, if there are that many.
    pub least: usize,
    /// Share of all rows.
    pub share: f64,
    /// Rows, at most.
    pub most: usize,
    /// Share of the games that is held out.
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
    /// Rows to fit when there are `all`.
    #[must_use]
    pub fn rows(&self, all: u64) -> usize {
        ((self.share * all as f64) as usize)
            .max(self.least)
            .min(self.most)
    }
}

/// How rows are fitted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Fit {
    /// Id of the encoding that networks read; without it, it is the family's, or the game's newest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// How often each row is fitted before it leaves the window, on the average: samples of a
    /// generation for each of its rows.
    pub reuse: f64,
    /// How often a new network sees each row of the window before it plays.
    pub catch_up: f64,
    /// Rows in a step.
    pub batch: usize,
    /// Learning rate after the warm-up.
    pub learning_rate: f32,
    /// With it the learning rate goes up or down from there so that a step changes the policy by so
    /// many nats ([`crate::train::schedule::Schedule::Kl`]).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kl_target: Option<f32>,
    /// Weight decay of factors.
    pub weight_decay: f32,
    /// Share of the generator's root value in the value target.
    pub root_value_share: f32,
    /// Share of the draws that goes to surprising rows.
    pub surprise_share: f32,
    /// Decay of the weights' moving average a step.
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

/// How networks are rated: against their predecessor, and against random playouts of a number that
/// rises with their strength.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Rating {
    /// Generations between two of them.
    pub every: u32,
    /// Pairs of games against each opponent.
    pub pairs: u32,
    /// Playouts a move of a network.
    pub visits: u32,
    /// Playouts a move of the anchors, ascending; the first is at 0 Elo.
    pub anchors: Vec<u64>,
    /// Random plies that open a game.
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

/// The sequential test that a network must pass against the one that plays.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct Gate {
    /// Elo difference that is refused.
    pub elo0: f64,
    /// Elo difference that is accepted.
    pub elo1: f64,
    /// Pairs of games, at most; then a score above one half is enough.
    pub pairs: u32,
    /// Playouts a move.
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
