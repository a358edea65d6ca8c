//! Executes a plan with files as its only state: existing results are kept, the rest is computed,
//! with reproducible results.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;
use serde::Serialize;

use super::lesson::{CriticTrainee, measure, play};
use super::plan::{Arm, CriticPlan};
use super::record::{Record, RunFiles};
use super::tables;
use super::taught::{Taught, score_against_chance};
use crate::critic::{Critic, CriticInfo, Network};
use crate::seeds::run_name;
use tengen_train::durable::lock_folder;
use tengen_train::play::eval_batch::TaskControl;
use tengen_train::play::numbered_seed;
use tengen_train::play::threads::on_threads;
use tengen_train::{TrainError, durable};

/// The plan in the folder of its runs.
const PLAN: &str = "plan.toml";

/// Games between two saves.
const SAVE_EVERY: u32 = 500;

/// Games to measure the strength of the opponent.
const OPPONENT_GAMES: u32 = 1000;

/// Progress of a run.
#[derive(Debug, Clone, Serialize)]
pub struct CriticEvent {
    /// The run, such as `gamma-0.95-s1`.
    pub run: String,
    /// Finished games.
    pub games: u32,
    /// Planned games.
    pub of: u32,
}

/// Games of all runs of a plan.
pub fn all_games(plan: &CriticPlan) -> u64 {
    let arms = plan.base.iter().chain(&plan.arm);
    let games: u64 = arms.map(|arm| u64::from(plan.lessons_of(arm).games)).sum();
    games * plan.seeds.len() as u64
}

/// Trains all critics of a plan, on `threads`, and writes the tables. `tell` receives progress.
///
/// # Errors
/// [`TrainError`] when the folder belongs to another plan, or a file cannot be read or written.
pub fn run<G: Taught>(
    start: &G,
    plan: &CriticPlan,
    folder: &Path,
    threads: usize,
    tell: &mut dyn FnMut(&CriticEvent),
) -> Result<(), TrainError> {
    let _lock = lock_folder(folder)?;
    keep_plan(plan, folder)?;
    let school = SharedRun {
        start,
        plan,
        folder,
    };
    for arms in [plan.base.as_slice(), &plan.arm] {
        let jobs_of = |arm| plan.seeds.iter().map(move |&seed| (arm, seed));
        let jobs: Vec<(&Arm, u64)> = arms.iter().flat_map(jobs_of).collect();
        school.work(&jobs, threads, tell)?;
    }
    let share = score_against_chance(start, plan.opponent_rules, OPPONENT_GAMES);
    let opponent = format!(
        "The opponent scores {:.1}% of {OPPONENT_GAMES} games against random play.",
        100.0 * share
    );
    tables::write(plan, folder, &opponent)
}

/// Writes the plan into a new folder; an existing one must be the same.
fn keep_plan(plan: &CriticPlan, folder: &Path) -> Result<(), TrainError> {
    let path = folder.join(PLAN);
    let text = toml::to_string(plan).map_err(|error| TrainError::Setting(error.to_string()))?;
    if !path.exists() {
        return durable::write(&path, text.as_bytes());
    }
    let there = std::fs::read_to_string(&path).map_err(TrainError::io(&path))?;
    if there == text {
        return Ok(());
    }
    let reason = "its runs have another plan; choose another --out, or delete the folder";
    Err(TrainError::mismatch(&path, reason))
}

/// State shared by all runs.
struct SharedRun<'a, G> {
    start: &'a G,
    plan: &'a CriticPlan,
    folder: &'a Path,
}

impl<G: Taught> SharedRun<'_, G> {
    /// Does the runs of arms with seeds, each on one thread.
    fn work(
        &self,
        jobs: &[(&Arm, u64)],
        threads: usize,
        tell: &mut dyn FnMut(&CriticEvent),
    ) -> Result<(), TrainError> {
        let next = AtomicUsize::new(0);
        let control = TaskControl::default();
        on_threads(
            "critic",
            threads.min(jobs.len()),
            &control,
            |tell| {
                // Relaxed: the counter orders nothing else.
                while !control.is_stopped()
                    && let Some(&(arm, seed)) = jobs.get(next.fetch_add(1, Ordering::Relaxed))
                {
                    self.teach(arm, seed, tell)?;
                }
                Ok(())
            },
            |event| {
                if let Some(event) = &event {
                    tell(event);
                }
                Ok(ControlFlow::Continue(()))
            },
        )
    }

    /// Does the remaining work of a run.
    fn teach(
        &self,
        arm: &Arm,
        seed: u64,
        tell: &mut dyn FnMut(CriticEvent) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        let lessons = self.plan.lessons_of(arm);
        let name = run_name(&arm.name, seed);
        let files = RunFiles::new(self.folder, &name);
        let first = self.first(arm, seed)?;
        let before = first.info.games;
        let (mut record, mut critic) = files.load(before)?.unwrap_or((Record::default(), first));
        critic.info.fills_eyes = self.plan.may_fill_eyes(arm);
        critic.info.taught = format!("{}: {}", arm.name, arm.target.text());
        let mut trainee = CriticTrainee::new(critic.network.clone(), arm.target, lessons.rate);
        let mut done = record.games.len() as u32;
        loop {
            self.measure(done, arm, seed, &trainee.network, &mut record);
            critic.info.games = before + done;
            critic.network.clone_from(&trainee.network);
            files.save(&record, &critic)?;
            let event = CriticEvent {
                run: name.clone(),
                games: done,
                of: lessons.games,
            };
            if tell(event).is_break() || done == lessons.games {
                return Ok(());
            }
            let most = self.until(done).min(lessons.games);
            while done < most {
                let seed = game_seed(arm, seed, done);
                let played = play(self.start, self.plan, arm, done, seed, &mut trainee);
                record.games.push(played);
                done += 1;
            }
        }
    }

    /// The next game after which to save or measure.
    fn until(&self, done: u32) -> u32 {
        let next = |every: u32| (done / every + 1) * every;
        let measured = self.plan.measure.iter();
        let measured = measured.map(|measure| next(measure.every));
        measured.fold(next(SAVE_EVERY), u32::min)
    }

    /// Start of a run.
    fn first(&self, arm: &Arm, seed: u64) -> Result<Critic, TrainError> {
        let (plan, size) = (self.plan, self.start.size());
        if let Some(base) = plan.base.as_ref().filter(|base| base.name != arm.name) {
            let path = RunFiles::new(self.folder, &run_name(&base.name, seed)).critic;
            let critic =
                Critic::load(&path).and_then(|critic| critic.check(G::NAME, size).map(|()| critic));
            return critic.map_err(|error| TrainError::corrupt(&path, error));
        }
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        Ok(Critic {
            network: Network::new(size.area(), plan.hidden, &mut rng),
            info: CriticInfo {
                game: G::NAME.to_owned(),
                width: size.width,
                height: size.height,
                hidden: plan.hidden,
                games: 0,
                seed,
                fills_eyes: false,
                taught: String::new(),
            },
        })
    }

    /// Plays the match that is due.
    fn measure(&self, done: u32, arm: &Arm, seed: u64, network: &Network, record: &mut Record) {
        let Some(plan) = &self.plan.measure else {
            return;
        };
        let there = record
            .measured
            .iter()
            .any(|measured| measured.games == done);
        let last = done == self.plan.lessons_of(arm).games;
        if there || !done.is_multiple_of(plan.every) && !last {
            return;
        }
        // The same openings for all arms, different ones for each seed.
        let seed = !numbered_seed(seed, done.into());
        let fills_eyes = self.plan.may_fill_eyes(arm);
        let measured = measure(self.start, network, fills_eyes, plan, done, seed);
        record.measured.push(measured);
    }
}

/// The seed of a game, different for each arm.
fn game_seed(arm: &Arm, seed: u64, game: u32) -> u64 {
    let arm = u64::from(crc32fast::hash(arm.name.as_bytes()));
    numbered_seed(seed, arm << 32 | u64::from(game))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::critic::plan::tests::PLAN;
    use tengen::game::{BoardSize, Game};
    use tengen::games::nogo::SmallNoGo;
    use tengen_nn::files::scratch::Scratch;

    fn plan() -> CriticPlan {
        CriticPlan::parse(PLAN).unwrap()
    }

    fn go(plan: &CriticPlan, folder: &Path, threads: usize) -> Result<u32, TrainError> {
        let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
        let mut events = 0;
        run(&start, plan, folder, threads, &mut |_| events += 1)?;
        Ok(events)
    }

    fn files(folder: &Path) -> Vec<(String, Vec<u8>)> {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let named = entries.map(|path| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            (name, fs::read(path).unwrap())
        });
        let mut files: Vec<_> = named.collect();
        files.sort();
        files
    }

    #[test]
    fn the_same_seeds_make_the_same_files_on_any_number_of_threads() {
        let [one, other] = ["critic-one", "critic-other"].map(Scratch::new);
        go(&plan(), one.path(), 1).unwrap();
        go(&plan(), other.path(), 3).unwrap();
        let made = files(one.path());
        assert_eq!(made, files(other.path()));
        let names: Vec<&str> = made.iter().map(|file| &*file.0).collect();
        assert!(
            names.contains(&"td-s2.critic") && names.contains(&"tables.md"),
            "{names:?}"
        );
        let critic = Critic::load(&one.path().join("td-s2.critic")).unwrap();
        assert_eq!((critic.info.games, critic.info.seed), (44, 2));
        // Before any game, after 10 and 20, and at the end.
        let (record, _) = RunFiles::new(one.path(), "td-s2")
            .load(20)
            .unwrap()
            .unwrap();
        assert_eq!((record.games.len(), record.measured.len()), (24, 4));
    }

    #[test]
    fn a_killed_run_goes_on_to_the_same_bits() {
        let [whole, killed] = ["critic-whole", "critic-killed"].map(Scratch::new);
        go(&plan(), whole.path(), 1).unwrap();
        // State after a kill after 10 games of the base, between the two files: the record is ahead
        // of the network.
        let mut shorter = plan();
        shorter
            .base
            .as_mut()
            .unwrap()
            .lessons
            .as_mut()
            .unwrap()
            .games = 10;
        go(&shorter, killed.path(), 1).unwrap();
        for (name, bytes) in files(whole.path()) {
            let path = killed.path().join(&name);
            if name.starts_with("base") && name.ends_with("json") || name == PLAN {
                fs::write(path, bytes).unwrap();
            } else if !name.starts_with("base") {
                fs::remove_file(path).unwrap();
            }
        }
        go(&plan(), killed.path(), 2).unwrap();
        assert_eq!(files(whole.path()), files(killed.path()));
        // Nothing is repeated: one event per run reports that it exists.
        assert_eq!(go(&plan(), killed.path(), 1).unwrap(), 6);
    }

    #[test]
    fn another_plan_and_damage_are_refused() {
        let scratch = Scratch::new("critic-refused");
        go(&plan(), scratch.path(), 2).unwrap();
        let mut other = plan();
        other.lessons.rate = 0.06;
        let message = go(&other, scratch.path(), 1).unwrap_err().to_string();
        assert!(
            message.contains("plan.toml") && message.contains("another plan"),
            "{message}"
        );
        let path = scratch.path().join("hdp-s1.critic");
        let mut bytes = fs::read(&path).unwrap();
        bytes[200] ^= 1;
        fs::write(&path, bytes).unwrap();
        let message = go(&plan(), scratch.path(), 1).unwrap_err().to_string();
        assert!(message.contains("hdp-s1.critic is damaged"), "{message}");
    }
}
