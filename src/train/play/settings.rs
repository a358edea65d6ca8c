//! The settings of self-play: `[self-play]` of a plan, and flags of `tengen-train selfplay`.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use rand::{Rng, RngExt};
use rand_distr::{Distribution as _, Normal};
use serde::{Deserialize, Deserializer, Serialize};

use crate::play::mcts::{MctsParams, RootRule};
use crate::shards::training_game::with_komi;
use tengen::game::{Game, HalfPoints, Rules};
use tengen::search::SearchParams;
use tengen::settings::{Choice, InPlan, Maybe, SetError, Switch, Table, Text, hyphenated};

/// Default maximum number of remaining moves of positions that the solver tries. Earlier NoGo positions are hardly
/// ever proven with the few nodes that a move of self-play is worth.
pub const PROVE_FROM: u32 = 22;

tengen::settings! {
    /// Settings of self-play.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    SelfPlay, "[self-play]" {
        root: RootRule = RootRule::Gumbel, Choice,
            "Root algorithm: gumbel is Gumbel AlphaZero, with sequential halving and an improved policy as target; \
             puct is AlphaZero: noisy PUCT, visits as target";
        #[serde(skip_serializing_if = "BTreeMap::is_empty", deserialize_with = "with_hyphens")]
        search: BTreeMap<String, f64> = BTreeMap::new()
            => "the engine's, with root-noise 0.25, root-policy-temperature 1.03, root-fpu-reduction 0",
            InPlan("a table of settings of the search"),
            "Search settings by name, such as `cpuct`";
        move_noise: f32 = 0.0, 0.0..=1.0,
            "Share of Dirichlet noise in the move probabilities with the root puct";
        opening_plies: u16 = 6, ..,
            "Maximum number of random opening plies; each game has 0 to this many";
        opening_choices: u16 = 1, 1..,
            "Random openings drawn for each game, which begins with the one that the network's value says is the \
             most even; 1 takes the first";
        temperature_plies: u16 = 12, ..,
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
    /// The board that a game begins with: `start` with a random komi, if the game has komi.
    pub(crate) fn begin<G: Game>(&self, start: &G, rng: &mut impl Rng) -> G {
        match self.komi {
            Some(spread) if start.rules().komi().is_some() => {
                with_komi(start, Some(spread.draw(rng)))
            }
            _ => start.clone(),
        }
    }

    /// Settings that change nothing in games that begin with `start`, each with the reason.
    pub fn without_effect<G: Game>(&self, start: &G) -> Vec<(&'static str, &'static str)> {
        let settings = [
            (
                self.komi.is_some() && start.rules().komi().is_none(),
                ("komi", "the game has none"),
            ),
            (
                self.move_noise > 0.0 && self.root == RootRule::Gumbel,
                ("move-noise", "it is for root puct, and root is gumbel"),
            ),
            (
                self.learn_proofs && self.prove_nodes == 0,
                ("learn-proofs", "with prove-nodes 0 nothing is proven"),
            ),
        ];
        let found = settings.into_iter().filter(|(is_idle, _)| *is_idle);
        found.map(|(_, setting)| setting).collect()
    }

    /// Whether the game of this number is also written as SGF.
    pub(crate) fn is_kept(&self, game: u64) -> bool {
        self.sgf_every > 0 && game.is_multiple_of(self.sgf_every)
    }

    /// The temperature of the move at `ply`; at 0 or below the best move is played.
    pub fn temperature(&self, ply: u32) -> f32 {
        if self.temperature_plies == 0 {
            return 0.0;
        }
        1.0 - ply as f32 / f32::from(self.temperature_plies)
    }

    /// The search settings.
    ///
    /// # Errors
    /// [`SetError`] when a name or number is invalid.
    pub fn search_params(&self) -> Result<SearchParams, SetError> {
        // The engine's, with the noise and temperature of Gao & Wu 2021, 3.1 and no FPU reduction at the root (KataGo).
        let mut params = SearchParams {
            root_noise: 0.25,
            root_policy_temperature: 1.03,
            root_fpu_reduction: 0.0,
            ..SearchParams::default()
        };
        for (name, number) in &self.search {
            params.set(name, &number.to_string())?;
        }
        Ok(params)
    }

    /// The searches of a network's games, of this many playouts.
    ///
    /// # Errors
    /// As [`SelfPlay::search_params`].
    pub fn mcts(&self, visits: u32) -> Result<MctsParams, SetError> {
        Ok(MctsParams {
            root: self.root,
            search: self.search_params()?,
            visits,
        })
    }
}

/// Why a setting of the search is refused: no command of training lists them.
pub fn search_refusal(error: &SetError) -> String {
    match error {
        SetError::Unknown {
            name,
            nearest: None,
        } => format!(
            "unknown setting {name:?}: docs/settings.md and `tengen gtp --help` list those of the search"
        ),
        other => other.to_string(),
    }
}

/// Komi distribution of self-play: mostly near the mean, so that games are close, and occasionally
/// far away, as in KataGo (docs/methods.md#self-play).
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct KomiSpread {
    /// Mean in points; a fair komi. Range: -100 to 100.
    pub mean: f64,
    /// Standard deviation of most komi values, in points. Range: 0 to 100.
    pub near: f64,
    /// Share of games whose komi is drawn from the wider distribution. Range: 0 to 1.
    pub far_share: f64,
    /// Standard deviation of the wider distribution, in points. Range: 0 to 100.
    pub far: f64,
}

impl fmt::Display for KomiSpread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (near, far) = (self.near, self.far);
        write!(f, "{},{near},{},{far}", self.mean, self.far_share)
    }
}

impl FromStr for KomiSpread {
    type Err = String;

    /// Parses the displayed form: four numbers separated by commas.
    fn from_str(text: &str) -> Result<KomiSpread, String> {
        let numbers: Option<Vec<f64>> = text.split(',').map(|part| part.parse().ok()).collect();
        let spread = match numbers.as_deref() {
            Some(&[mean, near, far_share, far]) => Some(KomiSpread {
                mean,
                near,
                far_share,
                far,
            }),
            _ => None,
        };
        spread.filter(KomiSpread::is_sound).ok_or_else(|| {
            "four numbers with commas between them: the mean, the deviation of most komis, the share \
             of the others from 0 to 1, their deviation; points of at most 100, as in 6.5,1.5,0.1,6"
                .to_owned()
        })
    }
}

impl KomiSpread {
    /// Whether all numbers are in range.
    pub fn is_sound(&self) -> bool {
        let deviation = |points: f64| (0.0..=100.0).contains(&points);
        self.mean.abs() <= 100.0
            && deviation(self.near)
            && deviation(self.far)
            && (0.0..=1.0).contains(&self.far_share)
    }

    /// A random komi in half points; whole points allow draws.
    pub fn draw(&self, rng: &mut impl Rng) -> HalfPoints {
        let far = rng.random::<f64>() < self.far_share;
        let deviation = if far { self.far } else { self.near };
        let points =
            Normal::new(self.mean, deviation).map_or(self.mean, |normal| normal.sample(rng));
        HalfPoints((2.0 * points).round() as i32)
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::go::SmallGo;
    use tengen::games::nogo::SmallNoGo;

    #[test]
    fn the_temperature_falls() {
        let temperatures = |temperature_plies| {
            let settings = SelfPlay {
                temperature_plies,
                ..SelfPlay::default()
            };
            [0, 1, 5].map(|ply| settings.temperature(ply))
        };
        assert_eq!(temperatures(4), [1.0, 0.75, -0.25]);
        assert_eq!(temperatures(1)[..2], [1.0, 0.0]);
        assert_eq!(temperatures(0), [0.0; 3]);
    }

    #[test]
    fn settings_that_change_nothing_are_named() {
        let settings = SelfPlay {
            komi: "7,1,0,1".parse().ok(),
            move_noise: 0.1,
            learn_proofs: true,
            ..SelfPlay::default()
        };
        let nogo = SmallNoGo::new(BoardSize::square(9)).unwrap();
        let go = SmallGo::new(BoardSize::square(9)).unwrap();
        let names = |found: Vec<(&'static str, &str)>| -> Vec<&str> {
            found.into_iter().map(|(name, _)| name).collect()
        };
        let found = names(settings.without_effect(&nogo));
        assert_eq!(found, ["komi", "move-noise", "learn-proofs"]);
        let followed = SelfPlay {
            root: RootRule::Puct,
            prove_nodes: 9,
            ..settings
        };
        assert_eq!(names(followed.without_effect(&nogo)), ["komi"]);
        assert!(followed.without_effect(&go).is_empty());
    }

    #[test]
    fn most_komis_are_near_and_some_are_whole() {
        let spread = KomiSpread {
            mean: 7.0,
            near: 1.0,
            far_share: 0.1,
            far: 10.0,
        };
        assert_eq!(spread.to_string().parse(), Ok(spread));
        for wrong in ["7", "7,1,2,1", "7,-1,0.1,6", "a,1,0.1,6", "7,1,0.1,6,5"] {
            assert!(wrong.parse::<KomiSpread>().is_err(), "{wrong}");
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let empty = SmallGo::new(BoardSize::square(9)).unwrap();
        let settings = SelfPlay {
            komi: Some(spread),
            ..SelfPlay::default()
        };
        let mut draw = || settings.begin(&empty, &mut rng).komi().0;
        let komis: Vec<i32> = (0..1000).map(|_| draw()).collect();
        let share = |is: fn(i32) -> bool| komis.iter().filter(|&&komi| is(komi)).count();
        assert!((900..980).contains(&share(|komi| (komi - 14).abs() <= 5)));
        assert!(share(|komi| (komi - 14).abs() > 12) > 20);
        assert!((400..600).contains(&share(|komi| komi % 2 == 0)));
        let same = SelfPlay::default().begin(&empty, &mut rng);
        assert_eq!(same.komi(), empty.komi());
    }
}
