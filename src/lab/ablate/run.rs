//! Runs all arms, then all matches.

use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use super::plan::{AblationPlan, Arm, ArmResult};
use super::table::table;
use crate::seeds::run_name;
use tengen::fnv;
use tengen::record::file;
use tengen::stats::MatchScore;
use tengen_train::cycle::{
    self, CyclePlan, MatchRecord, Resources, RunEvent, RunFolder, copy_network, load, player, save,
};
use tengen_train::durable::lock_folder;
use tengen_train::play::matches::{MatchParams, MatchPlayer, play_match};
use tengen_train::trainable::Trainable;
use tengen_train::{TrainError, durable};

/// Folders of a study.
#[derive(Debug, Clone)]
pub struct Folders {
    /// Results of finished runs and matches: small, may be committed.
    pub results: PathBuf,
    /// The runs with their games.
    pub work: PathBuf,
}

impl Folders {
    fn table(&self) -> PathBuf {
        self.results.join("README.md")
    }

    fn network(&self, run: &str) -> PathBuf {
        self.results.join(format!("{run}.onnx"))
    }

    fn matches(&self) -> PathBuf {
        self.results.join("matches")
    }

    fn arm_result(&self, run: &str) -> PathBuf {
        self.results.join(format!("{run}.json"))
    }
}

/// Events of a study.
pub enum AblationEvent<'a> {
    /// Event of a run.
    Run(&'a str, &'a RunEvent),
    /// Progress of a match: the runs, pairs played and planned, the score.
    Match([&'a str; 2], u64, u64, MatchScore),
}

/// Does the remaining work of a study, and updates the table in `README.md` of the results with
/// every new result.
///
/// # Errors
/// [`TrainError`] when the folder belongs to another study, or a run or match fails.
pub fn run<G: Trainable>(
    start: &G,
    plan: &AblationPlan,
    folders: &Folders,
    resources: &Resources<'_>,
    observe: &mut dyn FnMut(&AblationEvent<'_>),
) -> Result<(), TrainError> {
    let _lock = lock_folder(&folders.results)?;
    let table = folders.table();
    let is_table = |old: &Path| {
        file::read_text(old).is_ok_and(|text| text.contains("Written by `tengen-lab ablate`"))
    };
    file::check_kind(&table, "a table of tengen-lab ablate", is_table)
        .map_err(|error| TrainError::mismatch(&table, error))?;
    let path = folders.results.join("plan.json");
    let before: Option<AblationPlan> = load(&path)?;
    let longer = |before: &AblationPlan| {
        let same = AblationPlan {
            seeds: before.seeds.clone(),
            arm: before.arm.clone(),
            ..plan.clone()
        };
        same == *before
            && plan.seeds.starts_with(&before.seeds)
            && plan.arm.starts_with(&before.arm)
    };
    if before.is_some_and(|before| !longer(&before)) {
        let reason =
            "it belongs to another plan; choose another folder, or only add seeds and arms";
        return Err(TrainError::mismatch(&path, reason));
    }
    save(&path, plan)?;
    for &seed in &plan.seeds {
        let arms: Vec<&Arm> = plan.arms_of(seed).collect();
        for arm in &arms {
            let run = plan.run_of(arm, seed)?;
            one_run(start, arm, &run, folders, resources, observe)?;
            write_table(plan, folders)?;
        }
        for (place, first) in arms.iter().enumerate() {
            let first = run_name(&first.name, seed);
            let others = arms[place + 1..].iter();
            let others = others.map(|arm| run_name(&arm.name, seed));
            let rollouts = plan.matches.rollouts().map(|(name, _)| name);
            for second in others.chain(rollouts) {
                let names = [&*first, &*second];
                one_match(start, plan, names, folders, resources, observe)?;
            }
            write_table(plan, folders)?;
        }
    }
    write_table(plan, folders)
}

fn one_run<G: Trainable>(
    start: &G,
    arm: &Arm,
    run: &CyclePlan,
    folders: &Folders,
    resources: &Resources<'_>,
    observe: &mut dyn FnMut(&AblationEvent<'_>),
) -> Result<(), TrainError> {
    let name = run_name(&arm.name, run.seed);
    let arm_result = folders.arm_result(&name);
    if arm_result.exists() {
        return Ok(());
    }
    let folder = folders.work.join(&name);
    let done = cycle::run(start, run, &folder, resources, &mut |event| {
        observe(&AblationEvent::Run(&name, event));
    })?;
    let last = done
        .last()
        .ok_or_else(|| TrainError::Setting(format!("{name} has no generation")))?;
    let network = RunFolder::new(&folder).network(last.number);
    copy_network(&network, &folders.network(&name))?;
    let result = ArmResult {
        arm: arm.name.clone(),
        seed: run.seed,
        network: last.network.clone(),
        games: last.games_so_far,
        rows: last.rows_so_far,
        steps: last.steps,
        hours: last.seconds / 3600.0,
        white_share: last.white_share,
        held_out: last.held_out,
    };
    save(&arm_result, &result)
}

/// Plays the match between these players, runs or players by playouts.
fn one_match<G: Trainable>(
    start: &G,
    plan: &AblationPlan,
    [first, second]: [&str; 2],
    folders: &Folders,
    resources: &Resources<'_>,
    observe: &mut dyn FnMut(&AblationEvent<'_>),
) -> Result<(), TrainError> {
    let matches = folders.matches();
    let path = matches.join(format!("{first}--{second}.json"));
    if path.exists() {
        return Ok(());
    }
    durable::prepare_folder(&matches)?;
    let open = |name: &str| -> Result<MatchPlayer, TrainError> {
        let mut rollouts = plan.matches.rollouts();
        if let Some((_, rollouts)) = rollouts.find(|(other, _)| other == name) {
            return Ok(rollouts);
        }
        let network = player(&folders.network(name));
        Ok(MatchPlayer::Network {
            network: Box::new(resources.runtime.open(&network, start.size())?),
            visits: plan.matches.visits,
        })
    };
    let players = [open(first)?, open(second)?];
    let settings = MatchParams {
        first: 0,
        pairs: plan.matches.pairs,
        opening_plies: plan.matches.opening_plies,
        seed: fnv::hash(format!("{first} {second}").as_bytes()),
        threads: resources.threads,
        concurrent: plan.run.self_play.concurrent,
    };
    let total = u64::from(settings.pairs);
    let pairs = play_match(start, [&players[0], &players[1]], &settings, |pairs| {
        let score = cycle::score(pairs);
        observe(&AblationEvent::Match(
            [first, second],
            pairs.len() as u64,
            total,
            score,
        ));
        Ok(ControlFlow::Continue(()))
    })?;
    save(
        &path,
        &MatchRecord {
            first: first.to_owned(),
            second: second.to_owned(),
            pairs,
        },
    )
}

fn write_table(plan: &AblationPlan, folders: &Folders) -> Result<(), TrainError> {
    let mut outcomes = Vec::new();
    for &seed in &plan.seeds {
        for arm in plan.arms_of(seed) {
            let name = run_name(&arm.name, seed);
            outcomes.extend(load::<ArmResult>(&folders.arm_result(&name))?);
        }
    }
    let match_records = cycle::match_records(&folders.matches())?;
    let text = table(plan, &outcomes, &match_records);
    durable::write(&folders.table(), text.as_bytes())
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::ablate::plan::tests::PLAN;
    use tengen::clock::FakeClock;
    use tengen::game::{BoardSize, Game};
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::eval::BackendKind;
    use tengen_nn::files::scratch::Scratch;
    use tengen_train::play::runtime::Runtime;

    fn go(plan: &str, folders: &Folders) -> Result<Vec<String>, TrainError> {
        let runtime = Runtime {
            backend: Some(BackendKind::Tract),
            ..Runtime::usual(None)
        };
        let clock = FakeClock::new();
        let resources = Resources::small(&runtime, &clock);
        let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let plan = AblationPlan::parse(plan).unwrap();
        let mut told = Vec::new();
        run(&start, &plan, folders, &resources, &mut |event| {
            told.push(match event {
                AblationEvent::Run(name, _) => (*name).to_owned(),
                AblationEvent::Match(names, ..) => names.join(" "),
            });
        })?;
        told.dedup();
        Ok(told)
    }

    #[test]
    fn a_page_that_is_no_table_stays() {
        let scratch = Scratch::new("ablate-page");
        let folders = Folders {
            results: scratch.path().to_path_buf(),
            work: scratch.path().join("work"),
        };
        std::fs::write(folders.table(), "mine").unwrap();
        let message = go(PLAN, &folders).unwrap_err().to_string();
        assert!(message.contains("that is not a table"), "{message}");
    }

    #[test]
    fn networks_meet_rollouts_too() {
        let scratch = Scratch::new("ablate-rollouts");
        let folders = Folders {
            results: scratch.path().join("results"),
            work: scratch.path().join("work"),
        };
        let plan = PLAN
            .replace("[1, 2]", "[1]")
            .replace("pairs = 3", "pairs = 3\nuct = [9]\nrave = [5]");
        let done = go(&plan, &folders).unwrap();
        assert!(done.contains(&"wide-s1 uct-9".to_owned()), "{done:?}");
        let table = std::fs::read_to_string(folders.results.join("README.md")).unwrap();
        assert!(table.contains("| az | wide | uct-9 | rave-5 |"), "{table}");
        let row = table.lines().rfind(|line| line.starts_with("| wide |"));
        assert_eq!(row.unwrap().matches('%').count(), 3, "{table}");
    }

    #[test]
    fn an_ablation_survives_with_its_results_alone() {
        let scratch = Scratch::new("ablate");
        let folders = Folders {
            results: scratch.path().join("results"),
            work: scratch.path().join("work"),
        };
        let one_seed = PLAN.replace("[1, 2]", "[1]");
        assert_eq!(
            go(&one_seed, &folders).unwrap(),
            ["az-s1", "wide-s1", "az-s1 wide-s1"]
        );
        let table = std::fs::read_to_string(folders.results.join("README.md")).unwrap();
        assert!(
            table.contains("| wide |") && table.contains("+100"),
            "{table}"
        );
        assert!(go(&one_seed, &folders).unwrap().is_empty(), "all is done");

        // Finished runs are not needed again; the second arm was stopped after its first generation.
        let work = folders.work.join("wide-s1");
        std::fs::remove_dir_all(folders.work.join("az-s1")).unwrap();
        std::fs::remove_file(folders.arm_result("wide-s1")).unwrap();
        std::fs::remove_file(work.join("generation-0001.json")).unwrap();
        assert_eq!(go(&one_seed, &folders).unwrap(), ["wide-s1"]);
        let arm_result: ArmResult = load(&folders.arm_result("wide-s1")).unwrap().unwrap();
        assert_eq!(arm_result.games, 8);

        // Seeds may be added, settings not changed.
        assert_eq!(go(PLAN, &folders).unwrap().len(), 3);
        let other = PLAN.replace("games = 4", "games = 5");
        let message = go(&other, &folders).unwrap_err().to_string();
        assert!(message.contains("another plan"), "{message}");
    }
}
