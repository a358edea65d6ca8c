//! What is compared, as a TOML file.

use serde::{Deserialize, Serialize};

use crate::train::TrainError;
use crate::train::architecture::Architecture;
use crate::train::cycle::{CyclePlan, Stage};

/// An ablation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct AblationPlan {
    /// What the table is called.
    pub title: String,
    /// Every arm is run once with each seed, unless it says that fewer will do.
    pub seeds: Vec<u64>,
    /// What is compared; ratings are relative to the first.
    pub arm: Vec<Arm>,
    /// How networks meet.
    #[serde(default, rename = "match")]
    pub matches: MatchSettings,
    /// How an arm is run: seed and networks come from above.
    pub run: CyclePlan,
}

/// One arm.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Arm {
    /// Its name; letters, digits, `+`, `-` and `_`.
    pub name: String,
    /// Its network.
    pub network: Architecture,
    /// How many times the generations of the plan it gets.
    #[serde(default = "once")]
    pub times: u32,
    /// With how many of the seeds it is run, the first ones: a long arm may do with fewer.
    #[serde(default)]
    pub first_seeds: Option<usize>,
    /// The arm that the others take something away from.
    #[serde(default)]
    pub full: bool,
    /// The paper's rating in Elo.
    #[serde(default)]
    pub paper: Option<f64>,
    /// Half of the paper's interval.
    #[serde(default)]
    pub paper_interval: Option<f64>,
    /// What it does otherwise than `run` of the plan, under the same keys. A list is replaced as a whole.
    #[serde(default, skip_serializing_if = "toml::Table::is_empty")]
    pub run: toml::Table,
}

fn once() -> u32 {
    1
}

/// Matches between the networks of a seed, each against each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub struct MatchSettings {
    /// Pairs of games.
    pub pairs: u32,
    /// Playouts a move.
    pub visits: u32,
    /// Random plies that open a game.
    pub opening_plies: u16,
    /// Every network meets UCT with this many uniformly random playouts a move, too.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub uct: Vec<u64>,
    /// And RAVE with this many informed playouts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rave: Vec<u64>,
}

impl Default for MatchSettings {
    /// See docs/methods.md#self-play.
    fn default() -> Self {
        MatchSettings {
            pairs: 200,
            visits: 100,
            opening_plies: 4,
            uct: Vec::new(),
            rave: Vec::new(),
        }
    }
}

impl AblationPlan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] says what is wrong.
    pub fn parse(text: &str) -> Result<AblationPlan, TrainError> {
        let mut plan: AblationPlan = toml::from_str(text).map_err(TrainError::plan)?;
        plan.run = CyclePlan::parse(&plan.run.to_toml()?)?;
        if plan.arm.len() < 2 || plan.seeds.is_empty() {
            return Err(TrainError::plan("it needs two [[arm]] and one of seeds"));
        }
        let twice = |(place, seed): (usize, &u64)| plan.seeds[..place].contains(seed);
        if plan.seeds.iter().enumerate().any(twice) {
            return Err(TrainError::plan(
                "seeds must differ: equal ones say nothing new",
            ));
        }
        if plan.arm[0].first_seeds.is_some() {
            return Err(TrainError::plan(
                "the first [[arm]] is what the others are rated against, so it needs all seeds",
            ));
        }
        let good = |c: char| c.is_ascii_alphanumeric() || "+-_".contains(c);
        for (place, arm) in plan.arm.iter().enumerate() {
            let twin = plan.arm[..place].iter().any(|other| other.name == arm.name);
            let never = arm.times == 0 || arm.first_seeds == Some(0);
            if arm.name.is_empty() || !arm.name.chars().all(good) || twin || never {
                let name = &arm.name;
                return Err(TrainError::plan(format_args!(
                    "[[arm]] {name:?}: names are of letters, digits, +, - and _, and differ; times and first-seeds are at least 1"
                )));
            }
            let in_arm = |error| TrainError::plan(format_args!("[[arm]] {:?}: {error}", arm.name));
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

    /// Runs of all arms.
    #[must_use]
    pub fn runs(&self) -> usize {
        let of = |&seed: &u64| self.arms_of(seed).count();
        self.seeds.iter().map(of).sum()
    }

    /// The plan of one run.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when what the arm does otherwise is no plan; never after
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

/// Replaces values by those of `over` under the same keys.
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

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::train::ablate) const PLAN: &str = r#"
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
            (PLAN.replace("games = 4", "games = 0"), "at least 1"),
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
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/plans");
        let mut kinds = [0, 0];
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            if text.contains("opponent-rules") {
                // Of `tengen-train critic`, which reads its own.
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
