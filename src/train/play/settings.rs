//! The settings of self-play: `[self-play]` of a plan, and flags of `tengen-train selfplay`.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize};

use crate::play::adjudicator::PROVE_FROM;
use crate::play::komi::KomiSpread;
use crate::play::mcts::{GumbelParams, MctsParams, RootRule};
use crate::play::network_game::NetworkPlay;
use crate::play::selfplay::SelfPlayParams;
use tengen::search::SearchParams;
use tengen::settings::{
    Choice, InPlan, Maybe, SetError, Switch, Table, Text, above_to, hyphenated,
};

tengen::choices! {
    /// Root algorithm of self-play searches.
    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "lowercase")]
    RootName {
        /// Gumbel AlphaZero.
        Gumbel = "gumbel",
        /// AlphaZero with KataGo's forced playouts.
        Puct = "puct",
    }
}

/// Maximum weight of a value relative to the policy; Gumbel's paper has 1.
const MAX_VALUE_SCALE: f32 = 100.0;

tengen::settings! {
    /// Settings of self-play.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    SelfPlay, "[self-play]" {
        root: RootName = RootName::Gumbel, Choice,
            "Root algorithm: gumbel is Gumbel AlphaZero, with sequential halving and an improved policy as target; \
             puct is AlphaZero with KataGo's forced playouts: noisy PUCT, visits as target";
        #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "with_hyphens")]
        search: BTreeMap<String, f64> = BTreeMap::new()
            => "the engine's, with root-noise 0.25, root-policy-temperature 1.03, root-fpu-reduction 0",
            InPlan("a table of settings of the search"),
            "Search settings by name, such as `cpuct`";
        forced_playouts: f32 = 2.0, 0.0..=100.0,
            "Forced playouts of the root puct: a visited move gets at least the square root of this times prior times \
             playouts; 0 for none";
        move_noise: f32 = 0.0, 0.0..=1.0,
            "Share of Dirichlet noise in the move probabilities with the root puct";
        value_scale: f32 = GumbelParams::default().value_scale, 0.0..=MAX_VALUE_SCALE,
            "Scale of the value relative to the policy with the root gumbel";
        full_share: f32 = 1.0, above_to(0.0, 1.0),
            "Share of moves with a full search, whose policy is a training target; the others are fast";
        fast_visits: u32 = 16, 1..,
            "Playouts of a fast move";
        opening_plies: u16 = SelfPlayParams::default().opening_plies, ..,
            "Maximum number of random opening plies; each game has 0 to this many";
        opening_choices: u16 = 1, 1..,
            "Random openings drawn for each game, which begins with the one that the network's value says is the \
             most even; 1 takes the first";
        temperature_plies: u16 = SelfPlayParams::default().temperature_plies, ..,
            "Ply from which the best move is played; before it moves are drawn";
        #[serde(skip_serializing_if = "Option::is_none")]
        komi: Option<KomiSpread> = None => "always the komi of the rules",
            Maybe(Text("MEAN,NEAR,FAR-SHARE,FAR", "four numbers")),
            "Komi distribution, in games with komi: mean and standard deviation in points, share of games with a \
             wider distribution, its deviation";
        prove_nodes: u64 = 0, ..,
            "Solver nodes to prove a late position, which ends the game with an exact result; 0 plays all games to \
             the end";
        prove_from: u32 = PROVE_FROM, ..,
            "Maximum number of remaining moves of positions that the solver tries";
        learn_proofs: bool = false, Switch,
            "Whether a proven best move becomes the policy target, for games in which winning moves are equivalent, \
             such as Gomoku";
        correct_nodes: u64 = 0, ..,
            "Solver nodes per position of a finished game, from the end back, to correct the results used as \
             targets; 0 for no correction";
        int8: bool = false, Switch,
            "Whether games use the networks' int8 form, if it is accurate enough; needs held-out games";
        concurrent: usize = 32, 1..,
            "Concurrent games per thread: its maximum batch";
        games_per_shard: usize = 1, 1..,
            "Games per shard during play: what a crash can lose; finished shards are merged";
        sgf_every: u64 = 100, ..,
            "Every Nth game is also written as SGF; 0 writes none";
    }
}

/// Names of settings as they are spelled now: files may have underscores.
fn with_hyphens<'de, D: Deserializer<'de>>(from: D) -> Result<BTreeMap<String, f64>, D::Error> {
    let read = BTreeMap::<String, f64>::deserialize(from)?;
    let spelled = |(name, number): (String, f64)| (hyphenated(&name), number);
    Ok(read.into_iter().map(spelled).collect())
}

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
    ///
    /// # Errors
    /// As [`SelfPlay::search_params`].
    pub fn network_play(&self, visits: u32) -> Result<NetworkPlay, SetError> {
        let root = match self.root {
            RootName::Gumbel => RootRule::Gumbel(GumbelParams {
                value_scale: self.value_scale,
                ..GumbelParams::default()
            }),
            RootName::Puct => RootRule::Puct {
                forced_playouts: self.forced_playouts,
            },
        };
        Ok(NetworkPlay {
            mcts: MctsParams {
                root,
                search: self.search_params()?,
            },
            visits,
            full_share: self.full_share,
            fast_visits: self.fast_visits,
            learn_proofs: self.learn_proofs,
            opening_choices: self.opening_choices,
            move_noise: self.move_noise,
            selfplay: self.params(),
        })
    }
}

/// The engine's search settings with the noise and temperature of Gao & Wu 2021, 3.1 and no FPU
/// reduction at the root (KataGo).
#[must_use]
pub fn exploring() -> SearchParams {
    SearchParams {
        root_noise: 0.25,
        root_policy_temperature: 1.03,
        root_fpu_reduction: 0.0,
        ..SearchParams::default()
    }
}
