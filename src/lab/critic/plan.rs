//! The plan of critic training, read from a TOML file.

use serde::{Deserialize, Serialize};

use super::target::Target;
use crate::seeds::check_study;
use tengen::game::BoardSize;
use tengen_train::TrainError;

/// The plan of critic training: each arm is run with each seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CriticPlan {
    /// Title of the report. Range: any.
    pub title: String,
    /// Name of the game. Range: nogo, go.
    pub game: String,
    /// Side length of the board. Range: a board of the game.
    pub size: u8,
    /// Rules of the game; empty for the default ones. Range: rules of the game.
    #[serde(default)]
    pub rules: String,
    /// Seeds; every arm is run once with each. Range: at least one, distinct.
    pub seeds: Vec<u64>,
    /// Number of hidden nodes. Range: 1 to 1000.
    #[serde(default = "hidden_of_the_paper")]
    pub hidden: usize,
    /// Share of turns in which the opponent plays by rules of thumb instead of randomly. Range: 0
    /// to 1.
    pub opponent_rules: f64,
    /// Whether the critic may fill its own eyes, as in the paper. Range: true, false.
    #[serde(default = "as_printed")]
    pub fills_eyes: bool,
    /// Initial training shared by the arms of a seed; without it they start from an untrained
    /// network. Range: a table like `[[arm]]`.
    pub base: Option<Arm>,
    /// The arms to compare. Range: at least one table.
    pub arm: Vec<Arm>,
    /// Curriculum of arms without their own. Range: a table.
    pub lessons: Curriculum,
    /// Measurement of strength in separate games against random play; without it there is none.
    /// Range: a table.
    pub measure: Option<Measure>,
}

fn hidden_of_the_paper() -> usize {
    21
}

/// One way of training.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Arm {
    /// Name of the arm. Range: letters, digits, `+`, `-`, `.` and `_`, distinct.
    pub name: String,
    /// Training target. Range: { kind = "hdp", gamma = 0 to 1 }, { kind = "td", lambda = 0 to 1 }.
    pub target: Target,
    /// Whether it may fill its own eyes, if different from the plan. Range: true, false.
    pub fills_eyes: Option<bool>,
    /// Curriculum, if different from the plan. Range: a table.
    pub lessons: Option<Curriculum>,
    /// Results in the paper: wins, and losses by less than six points. Range: two numbers.
    pub paper: Option<[u32; 2]>,
}

fn as_printed() -> bool {
    true
}

/// Curriculum: the sequence of games.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Curriculum {
    /// Number of games, tests included. Range: at least 1.
    pub games: u32,
    /// Number of initial games in which moves are drawn by their values (Gibbs sampling). Range:
    /// any.
    #[serde(default)]
    pub sampled_games: u32,
    /// Temperature of the draw: a move of value J has a probability proportional to exp(J /
    /// temperature). Range: above 0.
    #[serde(default = "one")]
    pub temperature: f64,
    /// Training games between tests; 0 for no tests. Range: any, 0 exactly if `test-games` is.
    #[serde(default)]
    pub test_every: u32,
    /// Games per test, without training and random moves. Range: any, 0 exactly if `test-every` is.
    #[serde(default)]
    pub test_games: u32,
    /// Uniformly random opening plies. Range: any.
    #[serde(default)]
    pub random_plies: u32,
    /// Learning rate. Range: above 0.
    pub rate: f64,
    /// Whether the critic plays Black in every second game; otherwise it always plays White. Range:
    /// true, false.
    #[serde(default)]
    pub both_colors: bool,
}

fn one() -> f64 {
    1.0
}

/// Measurement of a critic's strength by matches against random play, as either colour.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Measure {
    /// Interval in training games; the first measurement is before any. Range: at least 1.
    pub every: u32,
    /// Pairs of games with swapped colours. Range: at least 1.
    pub pairs: u32,
    /// Uniformly random opening plies of a pair. Range: any.
    pub random_plies: u32,
}

impl CriticPlan {
    /// Parses and checks a plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the error.
    pub fn parse(text: &str) -> Result<CriticPlan, TrainError> {
        let plan: CriticPlan = toml::from_str(text).map_err(TrainError::plan)?;
        plan.check().map_err(TrainError::plan)?;
        Ok(plan)
    }

    /// The board.
    pub fn board(&self) -> BoardSize {
        BoardSize::square(self.size)
    }

    /// The curriculum of an arm.
    pub fn lessons_of<'a>(&'a self, arm: &'a Arm) -> &'a Curriculum {
        arm.lessons.as_ref().unwrap_or(&self.lessons)
    }

    /// Whether the critic of an arm may fill its own eyes.
    pub fn may_fill_eyes(&self, arm: &Arm) -> bool {
        arm.fills_eyes.unwrap_or(self.fills_eyes)
    }

    fn check(&self) -> Result<(), String> {
        let arms = || self.base.iter().chain(&self.arm);
        check_study(&self.seeds, arms().map(|arm| &*arm.name))?;
        if !["nogo", "go"].contains(&&*self.game) {
            return Err(format!("a critic learns nogo or go, not {:?}", self.game));
        }
        if self.arm.is_empty() || !(1..=1000).contains(&self.hidden) {
            return Err("it needs an [[arm]], and hidden from 1 to 1000".to_owned());
        }
        if !(0.0..=1.0).contains(&self.opponent_rules) {
            return Err("opponent-rules is a share, from 0 to 1".to_owned());
        }
        for arm in arms() {
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

    /// Whether a game, counted from 0, belongs to a test.
    pub fn is_test(&self, game: u32) -> bool {
        let cycle = self.test_every + self.test_games;
        cycle > 0 && game % cycle >= self.test_every
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub(in crate::critic) const PLAN: &str = r#"
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
            (PLAN.replace("\"nogo\"", "\"gomoku\""), "nogo or go"),
            (PLAN.replace("gamma = 0.7", "gamma = 1.7"), "gamma"),
            (PLAN.replace("lambda = 0.9", "gamma = 0.9"), "lambda"),
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
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scripts/plans");
            let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
            CriticPlan::parse(&text).unwrap();
        }
    }
}
