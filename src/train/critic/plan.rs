//! What is taught to whom, as a TOML file.

use serde::{Deserialize, Serialize};

use super::anchor::Measure;
use super::target::Target;
use super::taught::UtilityWeights;
use crate::game::BoardSize;
use crate::train::TrainError;

/// Runs of critics: each arm with each seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CriticPlan {
    /// What the report is called.
    pub title: String,
    /// The game.
    pub game: String,
    /// Side length of the board.
    pub size: u8,
    /// The game's rules; the usual ones where it is empty.
    #[serde(default)]
    pub rules: String,
    /// Every arm is run once with each.
    pub seeds: Vec<u64>,
    /// Hidden nodes.
    #[serde(default = "hidden_of_the_paper")]
    pub hidden: usize,
    /// The share of its turns in which the opponent plays by rules of thumb, and not at random.
    pub opponent_rules: f64,
    /// Whether the critic may fill its own eyes, as the paper's may.
    #[serde(default = "as_printed")]
    pub fills_eyes: bool,
    /// The utility's weights.
    #[serde(default)]
    pub utility: UtilityWeights,
    /// What the arms of a seed begin with; an untrained network, where there is none.
    pub base: Option<Arm>,
    /// What is compared.
    pub arm: Vec<Arm>,
    /// How an arm is taught that says nothing else.
    pub lessons: Curriculum,
    /// How strong critics are, in games of their own.
    #[serde(default)]
    pub measure: Option<Measure>,
}

fn hidden_of_the_paper() -> usize {
    21
}

/// One way to learn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Arm {
    /// Its name; letters, digits, `+`, `-`, `.` and `_`.
    pub name: String,
    /// What the network learns to say.
    pub target: Target,
    /// Whether a loss of utility counts as none, as printed (6); else it counts against, and the
    /// network's range is (-1, 1).
    #[serde(default = "as_printed")]
    pub clamp: bool,
    /// Whether it may fill its own eyes, where that is not as with the others.
    pub fills_eyes: Option<bool>,
    /// How it is taught, where that is not as the others are.
    pub lessons: Option<Curriculum>,
    /// What the paper has found: wins, and losses by less than six points.
    pub paper: Option<[u32; 2]>,
}

fn as_printed() -> bool {
    true
}

/// The name of an arm's run with a seed.
#[must_use]
pub fn run_name(arm: &Arm, seed: u64) -> String {
    format!("{}-s{seed}", arm.name)
}

/// The course of the games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curriculum {
    /// Games, tests included.
    pub games: u32,
    /// In the first games moves are drawn by their values (Gibbs sampling).
    #[serde(default)]
    pub sampled_games: u32,
    /// How freely: a move of value J comes with a probability in proportion to exp(J / this).
    #[serde(default = "one")]
    pub temperature: f64,
    /// Games of learning between tests; there are none where it is 0.
    #[serde(default)]
    pub test_every: u32,
    /// Games of a test: no training, and no move is drawn.
    #[serde(default)]
    pub test_games: u32,
    /// Uniformly random plies that open a game.
    #[serde(default)]
    pub random_plies: u32,
    /// The rate of learning.
    pub rate: f64,
    /// Whether the critic plays Black in every second game; it is White in all, where not.
    #[serde(default)]
    pub both_colors: bool,
}

fn one() -> f64 {
    1.0
}

impl CriticPlan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] says what is wrong.
    pub fn parse(text: &str) -> Result<CriticPlan, TrainError> {
        let plan: CriticPlan = toml::from_str(text).map_err(TrainError::plan)?;
        plan.check().map_err(TrainError::plan)?;
        Ok(plan)
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> BoardSize {
        BoardSize::square(self.size)
    }

    /// How an arm is taught.
    #[must_use]
    pub fn lessons_of<'a>(&'a self, arm: &'a Arm) -> &'a Curriculum {
        arm.lessons.as_ref().unwrap_or(&self.lessons)
    }

    fn check(&self) -> Result<(), String> {
        let twice = |(place, seed): (usize, &u64)| self.seeds[..place].contains(seed);
        if self.seeds.is_empty() || self.seeds.iter().enumerate().any(twice) {
            return Err("seeds must be there and differ".to_owned());
        }
        if self.arm.is_empty() || !(1..=1000).contains(&self.hidden) {
            return Err("it needs an [[arm]], and hidden from 1 to 1000".to_owned());
        }
        if !(0.0..=1.0).contains(&self.opponent_rules) {
            return Err("opponent-rules is a share, from 0 to 1".to_owned());
        }
        let arms: Vec<&Arm> = self.base.iter().chain(&self.arm).collect();
        for (place, arm) in arms.iter().enumerate() {
            let good = |c: char| c.is_ascii_alphanumeric() || "+-_.".contains(c);
            let twin = arms[..place].iter().any(|other| other.name == arm.name);
            if arm.name.is_empty() || !arm.name.chars().all(good) || twin {
                return Err(format!(
                    "arm {:?}: names are of letters, digits, +, -, . and _, and differ",
                    arm.name
                ));
            }
            arm.target.check()?;
            self.lessons_of(arm).check()?;
        }
        match &self.measure {
            Some(measure) if measure.every == 0 || measure.pairs == 0 => {
                Err("[measure] every and pairs are at least 1".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl Curriculum {
    fn check(&self) -> Result<(), String> {
        let positive = |value: f64| value.is_finite() && value > 0.0;
        if !positive(self.temperature) || !positive(self.rate) {
            return Err("temperature and rate are numbers above 0".to_owned());
        }
        if self.games == 0 || (self.test_every == 0) != (self.test_games == 0) {
            return Err("games are at least 1, and test-every goes with test-games".to_owned());
        }
        Ok(())
    }

    /// Whether a game, counted from 0, is one of a test.
    #[must_use]
    pub fn is_test(&self, game: u32) -> bool {
        let cycle = self.test_every + self.test_games;
        cycle > 0 && game % cycle >= self.test_every
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::train::critic) const PLAN: &str = r#"
title = "Small"
game = "nogo"
size = 4
seeds = [1, 2]
hidden = 3
opponent-rules = 0.5

[base]
name = "base"
target = { kind = "hdp", gamma = 0.9 }
lessons = { games = 20, sampled-games = 10, temperature = 0.1, rate = 0.1 }

[[arm]]
name = "hdp"
target = { kind = "hdp", gamma = 0.7 }
paper = [27, 37]

[[arm]]
name = "td"
target = { kind = "td", lambda = 0.9 }
clamp = false

[lessons]
games = 24
test-every = 8
test-games = 4
random-plies = 2
rate = 0.05
both-colors = true

[measure]
every = 10
pairs = 2
random-plies = 2
against = ["random", "rave-5"]
"#;

    #[test]
    fn a_plan_says_how_each_arm_is_taught() {
        let plan = CriticPlan::parse(PLAN).unwrap();
        let base = plan.base.as_ref().unwrap();
        assert_eq!(plan.lessons_of(base).games, 20);
        assert_eq!(plan.lessons_of(&plan.arm[0]).games, 24);
        let tests: Vec<u32> = (0..24).filter(|&game| plan.lessons.is_test(game)).collect();
        assert_eq!(tests, [8, 9, 10, 11, 20, 21, 22, 23]);
        assert!((0..20).all(|game| !plan.lessons_of(base).is_test(game)));
    }

    #[test]
    fn wrong_plans_say_why() {
        for (wrong, because) in [
            (PLAN.replace("\"td\"\n", "\"hdp\"\n"), "differ"),
            (PLAN.replace("\"td\"\n", "\"t/d\"\n"), "letters"),
            (PLAN.replace("[1, 2]", "[1, 1]"), "seeds"),
            (PLAN.replace("gamma = 0.7", "gamma = 1.7"), "gamma"),
            (PLAN.replace("lambda = 0.9", "gamma = 0.9"), "lambda"),
            (PLAN.replace("rave-5", "rave"), "rave-400"),
            (PLAN.replace("rate = 0.05", "rate = 0"), "rate"),
            (
                PLAN.replace("test-games = 4", "test-games = 0"),
                "test-every",
            ),
            (PLAN.replace("every = 10", "every = 0"), "measure"),
            (PLAN.replace("rules = 0.5", "rules = 50"), "opponent-rules"),
            (PLAN.replace("hidden = 3", "hidden = 0"), "hidden"),
            (PLAN.replace("title", "titel"), "titel"),
        ] {
            let message = CriticPlan::parse(&wrong).unwrap_err().to_string();
            assert!(message.contains(because), "{because}: {message}");
        }
    }

    #[test]
    fn the_plans_of_the_repository_are_read() {
        for name in ["critic-go", "critic-go-variants", "critic-nogo"] {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/scripts/plans");
            let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
            CriticPlan::parse(&text).unwrap();
        }
    }
}
