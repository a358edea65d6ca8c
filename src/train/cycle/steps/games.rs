//! Self-play of a generation.

use super::GenerationSteps;
use crate::TrainError;
use crate::cycle::context::RunContext;
use crate::cycle::generation::{games_of, stage_of};
use crate::cycle::jobs::{GameRange, GamesJob, NetworkRef};
use crate::cycle::plan::WarmUp;
use crate::cycle::{StepName, player};
use crate::play::generate::{Progress, generate};
use crate::trainable::Trainable;

impl<G: Trainable> GenerationSteps<'_, G> {
    /// Plays the games; returns what was played, and its statistics.
    pub(super) fn games(
        &self,
        context: &mut RunContext<'_, G>,
        caught_up: bool,
    ) -> Result<(GamesJob, Tally), TrainError> {
        let job = self.games_job(context, self.number, caught_up)?;
        let mut tally = Tally {
            begun: context.watch.session(),
            finished: Progress::default(),
            rates: (0.0, 0.0),
        };
        match context.learner {
            Some(learner) => {
                learner.publish(&job)?;
                let folders = self.games_folders(context, self.number);
                let observe = &mut |progress| self.tell_games(context, &job, &mut tally, progress);
                let progress = learner.games(&job, &folders, observe)?;
                tally.finished = progress;
            }
            None => {
                for range in job.ranges(context.plan) {
                    self.games_on(context, range, &job, &mut tally)?;
                }
            }
        }
        Ok((job, tally))
    }

    /// Offers the games that other machines may play during this generation's fit.
    pub(super) fn publish_ahead(&self, context: &RunContext<'_, G>) -> Result<(), TrainError> {
        let (Some(learner), ahead) = (context.learner, context.plan.machines.ahead) else {
            return Ok(());
        };
        // Without `ahead` a network that is new in this generation first has to catch up.
        let numbers = (self.number..=self.number + ahead).filter(|_| ahead > 0);
        for number in numbers.filter(|&number| stage_of(context.plan, number).is_some()) {
            learner.publish(&self.games_job(context, number, false)?)?;
        }
        Ok(())
    }

    /// The games of this generation, or of a later one whose player is known.
    fn games_job(
        &self,
        context: &RunContext<'_, G>,
        number: u32,
        caught_up: bool,
    ) -> Result<GamesJob, TrainError> {
        let (plan, run_folder) = (context.plan, context.run_folder);
        let stage = match number == self.number {
            true => self.stage,
            false => stage_of(plan, number).unwrap_or(self.stage),
        };
        let ahead = plan.machines.ahead;
        let source = number.checked_sub(1 + ahead);
        let source = source.and_then(|source| self.done.get(source as usize));
        let warm_up = plan.warm_up.as_ref().filter(|_| source.is_none());
        let network = match (warm_up, source) {
            (Some(warm_up), _) => (!warm_up.is_by_playouts()).then(|| run_folder.warm_up()),
            (None, _) if caught_up && ahead == 0 => Some(run_folder.start(number)),
            (None, source) => source.map(|source| run_folder.network(source.plays_next)),
        };
        let network = network.map(|path| NetworkRef::of(&player(&path)));
        let network = network.transpose()?;
        let players = match &network {
            Some(network) => network.name.clone(),
            None if warm_up.is_some() => "rollouts".to_owned(),
            None => "nothing".to_owned(),
        };
        let before = self.done.last().map_or(0, |before| before.games_so_far);
        let between = (self.number..number).map(|number| games_of(plan, number));
        let own = &plan.stage[stage];
        Ok(GamesJob {
            generation: number,
            stage,
            players,
            network,
            rollouts: warm_up.is_some_and(WarmUp::is_by_playouts),
            visits: warm_up.map_or(u64::from(own.visits), |warm_up| warm_up.playouts),
            first: before + between.sum::<u64>(),
            games: match warm_up {
                Some(warm_up) if number == 0 => warm_up.games,
                _ => own.games,
            },
        })
    }

    /// Plays the games on one of the boards.
    fn games_on(
        &self,
        context: &mut RunContext<'_, G>,
        range: GameRange,
        job: &GamesJob,
        tally: &mut Tally,
    ) -> Result<(), TrainError> {
        let (plan, resources, run_folder) = (context.plan, context.resources, context.run_folder);
        let start = &self.starts[range.board];
        let generator = format!("{} visits={}", job.players, job.visits);
        let games = job.games_plan(plan, range, resources.threads, generator);
        let folder = &self.games_folders(context, self.number)[range.board];
        let before = tally.finished;
        let observe = |progress| self.tell_games(context, job, tally, before.join(progress));
        let open = |network: &NetworkRef| {
            let path = run_folder.named(&network.name);
            resources.runtime.open(&path, start.size())
        };
        let network = job.network.as_ref().map(open);
        let player = job.player(plan, start, network.transpose()?)?;
        let progress = generate(start, &games, folder, &*player, observe)?;
        tally.finished = before.join(progress);
        Ok(())
    }

    /// Reports the progress on all boards.
    fn tell_games(
        &self,
        context: &mut RunContext<'_, G>,
        job: &GamesJob,
        tally: &mut Tally,
        progress: Progress,
    ) -> Result<(), TrainError> {
        let seconds = context.watch.session() - tally.begun;
        tally.rates = progress.rates(seconds);
        let (done, total, message) = (progress.games, job.games, progress.text(seconds));
        context.tell(self.number, StepName::Games, done, total, message)
    }
}

/// Progress of a generation's games.
pub(super) struct Tally {
    /// Start time, in seconds of the session.
    begun: f64,
    /// Progress of finished boards.
    pub(super) finished: Progress,
    /// Games and evaluations per second.
    pub(super) rates: (f64, f64),
}
