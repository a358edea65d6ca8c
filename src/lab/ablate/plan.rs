//! The plan of an ablation study, read from a TOML file, its players and the results of its runs.

use serde::{Deserialize, Serialize};

use crate::seeds::check_study;
use tengen::settings::InPlan;
use tengen_train::TrainError;
use tengen_train::cycle::{CyclePlan, Stage, anchor_name};
use tengen_train::fit::held_out::HeldOutLosses;
use tengen_train::network::architecture::Architecture;
use tengen_train::play::matches::MatchPlayer;

/// The plan of an ablation study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AblationPlan {
    /// Title of the table. Range: any.
    pub title: String,
    /// Seeds; every arm is run once with each, unless it has `first-seeds`. Range: at least one,
    /// distinct.
    pub seeds: Vec<u64>,
    /// The arms; ratings are relative to the first. Range: at least two tables.
    pub arm: Vec<Arm>,
    /// Matches between networks. Range: a table.
    #[serde(default, rename = "match")]
    pub matches: MatchSettings,
    /// Plan of each run, except seed and network. Range: a plan of `tengen-train loop`.
    pub run: CyclePlan,
}

/// One arm of a study.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Arm {
    /// Name of the arm. Range: letters, digits, `+`, `-`, `.` and `_`, distinct.
    pub name: String,
    /// Network architecture. Range: a name such as az-5b32c.
    pub network: Architecture,
    /// Multiple of the plan's generations. Range: at least 1.
    #[serde(default = "once")]
    pub times: u32,
    /// Number of seeds, the first ones, for a long arm; by default all. Range: at least 1; not for
    /// the first arm.
    pub first_seeds: Option<usize>,
    /// Whether it is the full variant, from which the others remove something. Range: true, false.
    #[serde(default)]
    pub full: bool,
    /// Rating in the paper, in Elo. Range: any.
    pub paper: Option<f64>,
    /// Half-width of the paper's interval. Range: any.
    pub paper_interval: Option<f64>,
    /// Changes to the plan's `run`, with the same keys. Lists are replaced as a whole. Range: a
    /// table.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub run: toml::Table,
}

fn once() -> u32 {
    1
}

/// Any number of players by playouts.
const PLAYOUTS: InPlan = InPlan("a list of whole numbers");

tengen::settings! {
    /// Matches between all networks of a seed. Source of the defaults: docs/methods.md#self-play.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    MatchSettings, "[match]" {
        pairs: u32 = 200, ..,
            "Pairs of games";
        visits: u32 = 100, ..,
            "Playouts per move";
        opening_plies: u16 = 4, ..,
            "Random opening plies";
        #[serde(skip_serializing_if = "Vec::is_empty")]
        uct: Vec<u64> = Vec::new(), PLAYOUTS,
            "Uniformly random playouts per move of additional UCT opponents";
        #[serde(skip_serializing_if = "Vec::is_empty")]
        rave: Vec<u64> = Vec::new(), PLAYOUTS,
            "Informed playouts per move of additional RAVE opponents";
    }
}

impl AblationPlan {
    /// Parses and checks a plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the error.
    pub fn parse(text: &str) -> Result<AblationPlan, TrainError> {
        let mut plan: AblationPlan = toml::from_str(text).map_err(TrainError::plan)?;
        plan.run = CyclePlan::parse(&plan.run.to_toml()?)?;
        let names = plan.arm.iter().map(|arm| &*arm.name);
        check_study(&plan.seeds, names).map_err(TrainError::plan)?;
        if plan.arm.len() < 2 {
            return Err(TrainError::plan("it needs two [[arm]]"));
        }
        if plan.arm[0].first_seeds.is_some() {
            return Err(TrainError::plan(
                "the first [[arm]] is what the others are rated against, so it needs all seeds",
            ));
        }
        for arm in &plan.arm {
            let name = &arm.name;
            if arm.times == 0 || arm.first_seeds == Some(0) {
                return Err(TrainError::plan(format_args!(
                    "[[arm]] {name:?}: times and first-seeds are at least 1"
                )));
            }
            let in_arm = |error| TrainError::plan(format_args!("[[arm]] {name:?}: {error}"));
            plan.run_of(arm, plan.seeds[0]).map_err(in_arm)?;
        }
        Ok(plan)
    }

    /// The arms that are run with a seed.
    pub fn arms_of(&self, seed: u64) -> impl Iterator<Item = &Arm> {
        let before = self
            .seeds
            .iter()
            .take_while(|&&other| other != seed)
            .count();
        let runs = move |arm: &&Arm| arm.first_seeds.is_none_or(|seeds| before < seeds);
        self.arm.iter().filter(runs)
    }

    /// Number of runs of all arms.
    pub fn runs(&self) -> usize {
        let of = |&seed: &u64| self.arms_of(seed).count();
        self.seeds.iter().map(of).sum()
    }

    /// The plan of one run.
    ///
    /// # Errors
    /// [`TrainError::Setting`] if the arm's changes are invalid; never after
    /// [`AblationPlan::parse`].
    pub fn run_of(&self, arm: &Arm, seed: u64) -> Result<CyclePlan, TrainError> {
        let run = if arm.run.is_empty() {
            self.run.clone()
        } else {
            let unreadable = |error: toml::de::Error| TrainError::Setting(error.to_string());
            let mut run: toml::Table = toml::from_str(&self.run.to_toml()?).map_err(unreadable)?;
            merge(&mut run, &arm.run);
            CyclePlan::parse(&run.to_string())?
        };
        let stage = |stage: &Stage| Stage {
            network: arm.network,
            generations: stage.generations * arm.times,
            ..stage.clone()
        };
        Ok(CyclePlan {
            seed,
            stage: run.stage.iter().map(stage).collect(),
            ..run
        })
    }
}

/// Replaces values by those of `over` with the same keys.
fn merge(table: &mut toml::Table, over: &toml::Table) {
    for (key, value) in over {
        match (table.get_mut(key), value) {
            (Some(toml::Value::Table(inner)), toml::Value::Table(value)) => merge(inner, value),
            _ => {
                table.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Result of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ArmResult {
    /// Name of the arm in the plan.
    pub arm: String,
    /// Seed of this run of the arm.
    pub seed: u64,
    /// File name of the exported network.
    pub network: String,
    /// Games that it was trained on.
    pub games: u64,
    /// Recorded positions of these games.
    pub rows: u64,
    /// Steps of the optimiser.
    pub steps: u64,
    /// Hours of games and fits.
    pub hours: f64,
    /// White's share of the wins in the last generation's games.
    pub white_share: f64,
    /// Losses on its own held-out games.
    pub held_out: Option<HeldOutLosses>,
}

impl MatchSettings {
    /// The players by playouts that every network meets, with their names in records and tables.
    pub(super) fn rollouts(&self) -> impl Iterator<Item = (String, MatchPlayer)> {
        let uct = self.uct.iter();
        let uct = uct.map(|&playouts| (format!("uct-{playouts}"), MatchPlayer::PlainUct(playouts)));
        let rave = self.rave.iter();
        uct.chain(rave.map(|&playouts| (anchor_name(playouts), MatchPlayer::Rollouts(playouts))))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::ablate) const PLAN: &str = r#"
title = "Two arms"
seeds = [1, 2]

[[arm]]
name = "az"
network = "az-1b8c"
paper = 1800.0

[[arm]]
name = "wide"
network = "az-1b12c"
full = true
paper = 1900.0
paper-interval = 40.0

[match]
pairs = 3
visits = 4

[run]
size = 4
self-play = { concurrent = 3 }
fit = { batch = 16, reuse = 1.0 }

[[run.stage]]
network = "az-1b8c"
visits = 4
games = 4
generations = 2
"#;

    #[test]
    fn arms_differ_in_their_network_only() {
        let plan = AblationPlan::parse(PLAN).unwrap();
        let [one, other] = [0, 1].map(|arm| plan.run_of(&plan.arm[arm], 7).unwrap());
        assert_eq!((one.seed, one.stage[0].games), (7, 4));
        assert_eq!(other.stage[0].network.to_string(), "az-1b12c");
        let stage = one.stage.clone();
        assert_eq!(CyclePlan { stage, ..other }, one);
    }

    #[test]
    fn an_arm_may_do_things_otherwise() {
        let other = r#"full = true
run.self-play.move-noise = 0.8
run.self-play.search = { cpuct = 5.0 }
run.stage = [{ network = "az-1b8c", visits = 9, games = 4, generations = 2 }]
"#;
        let plan = AblationPlan::parse(&PLAN.replace("full = true", other)).unwrap();
        let [usual, other] = [0, 1].map(|arm| plan.run_of(&plan.arm[arm], 7).unwrap());
        assert_eq!((usual.stage[0].visits, other.stage[0].visits), (4, 9));
        assert_eq!(other.stage[0].network.to_string(), "az-1b12c");
        assert_eq!(other.self_play.search.get("cpuct"), Some(&5.0));
        assert_eq!(other.self_play.move_noise, 0.8);
        assert_eq!(other.self_play.concurrent, 3, "as in the plan");
        assert_eq!(usual.self_play.move_noise, 0.0);
    }

    #[test]
    fn an_arm_may_do_with_fewer_seeds() {
        let fewer = PLAN.replace("full = true", "first-seeds = 1");
        let plan = AblationPlan::parse(&fewer).unwrap();
        let names = |seed| plan.arms_of(seed).map(|arm| &*arm.name).collect::<Vec<_>>();
        assert_eq!((names(1), names(2)), (vec!["az", "wide"], vec!["az"]));
        assert_eq!(plan.runs(), 3);
        assert_eq!(AblationPlan::parse(PLAN).unwrap().runs(), 4);
    }

    #[test]
    fn wrong_plans_say_why() {
        for (wrong, because) in [
            (PLAN.replace("\"wide\"", "\"az\""), "differ"),
            (PLAN.replace("\"wide\"", "\"a/b\""), "letters"),
            (PLAN.replace("[1, 2]", "[]"), "seeds"),
            (PLAN.replace("[1, 2]", "[1, 2, 1]"), "differ"),
            (
                PLAN.replace("paper = 1800.0", "first-seeds = 1"),
                "all seeds",
            ),
            (PLAN.replace("games = 4", "games = 0"), "games"),
            (
                PLAN.replace("full = true", "first-seeds = 0"),
                "first-seeds",
            ),
            (PLAN.replace("visits = 4", "visit = 4"), "visit"),
            (
                PLAN.replace("full = true", "run.self-play.noise = 1"),
                "wide",
            ),
        ] {
            let message = AblationPlan::parse(&wrong).unwrap_err().to_string();
            assert!(message.contains(because), "{message}");
        }
    }

    #[test]
    fn the_example_plans_are_read() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/plans");
        let mut kinds = [0, 0];
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            if text.contains("opponent-rules") {
                // Of `tengen-lab critic`, which reads its own.
                continue;
            }
            let ablation = text.contains("[[arm]]");
            let read = if ablation {
                AblationPlan::parse(&text).map(|_| ())
            } else {
                CyclePlan::parse(&text).map(|_| ())
            };
            read.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            kinds[usize::from(ablation)] += 1;
        }
        assert!(kinds[0] > 0 && kinds[1] > 0, "{kinds:?}");
    }
}
