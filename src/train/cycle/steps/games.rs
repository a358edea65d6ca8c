//! Self-play of a generation.

use std::path::PathBuf;

use super::GenerationSteps;
use crate::eval::{EvaluatorFactory, ModelInfo};
use crate::rollout::{Rave, RaveParams};
use crate::train::TrainError;
use crate::train::cycle::context::RunContext;
use crate::train::cycle::plan::{BoardShare, SelfPlay, Stage, WarmUp};
use crate::train::cycle::{StepName, player};
use crate::train::fit::{find_encoding, usual_encoding};
use crate::train::play::generate::{Plan, Progress, generate};
use crate::train::play::generator::{NetworkGenerator, RolloutGenerator};
use crate::train::play::prover::EndingProver;
use crate::train::play::selfplay::RolloutSearch;
use crate::train::trainable::Trainable;

/// Statistics of a generation's games.
pub(super) struct Played {
    pub(super) players: String,
    pub(super) visits: u64,
    pub(super) progress: Progress,
    pub(super) games_per_second: f64,
    pub(super) evaluations_per_second: f64,
}

/// Games and evaluations per second, and the distribution of wins.
fn rates_text(rates: (f64, f64), progress: &Progress) -> String {
    let mut text = format!("{:.2} games/s", rates.0);
    if progress.evaluations > 0 {
        text += &format!(", {:.0} evaluations/s", rates.1);
    }
    if progress.games > 0 {
        let white = 100.0 * (1.0 - progress.black_share());
        text += &format!(", White wins {white:.1}%");
    }
    text
}

impl<G: Trainable> GenerationSteps<'_, G> {
    /// Plays the games.
    pub(super) fn games(
        &self,
        context: &mut RunContext<'_>,
        caught_up: bool,
    ) -> Result<Played, TrainError> {
        let (plan, run_folder) = (context.plan, context.run_folder);
        let stage = self.stage(context);
        let warm_up = plan.warm_up.as_ref().filter(|_| self.warm_up);
        let network = match (warm_up, self.done.last()) {
            (Some(warm_up), _) => (!warm_up.is_by_playouts()).then(|| run_folder.warm_up()),
            (None, _) if caught_up => Some(run_folder.start(self.number)),
            (None, Some(before)) => Some(run_folder.network(before.plays_next)),
            (None, None) => None,
        };
        let players = match &network {
            Some(path) => {
                let form = player(path);
                form.file_stem().unwrap_or_default().display().to_string()
            }
            None if warm_up.is_some() => "rollouts".to_owned(),
            None => "nothing".to_owned(),
        };
        let visits = warm_up.map_or(u64::from(stage.visits), |warm_up| warm_up.playouts);
        let job = Job {
            network,
            rollouts: warm_up.is_some_and(WarmUp::is_by_playouts),
            generator: format!("{players} visits={visits}"),
            visits,
            games: warm_up.map_or(stage.games, |warm_up| warm_up.games),
        };
        let mut tally = Tally {
            begun: context.watch.session(),
            finished: Progress::default(),
            rates: (0.0, 0.0),
        };
        for index in 0..self.starts.len() {
            self.games_on(context, index, &job, &mut tally)?;
        }
        Ok(Played {
            players,
            visits,
            progress: tally.finished,
            games_per_second: tally.rates.0,
            evaluations_per_second: tally.rates.1,
        })
    }

    /// Plays the games on one of the boards.
    fn games_on(
        &self,
        context: &mut RunContext<'_>,
        index: usize,
        job: &Job,
        tally: &mut Tally,
    ) -> Result<(), TrainError> {
        let (start, boards) = (&self.starts[index], context.plan.boards());
        let (first, count) = BoardShare::parts(&boards, job.games)[index];
        let settings = SelfPlay {
            komi: boards[index].komi.or(context.plan.self_play.komi),
            ..context.plan.self_play.clone()
        };
        let games = Plan {
            first: self.done.last().map_or(0, |before| before.games_so_far) + first,
            games: count,
            seed: context.plan.seed,
            threads: context.resources.threads,
            games_per_shard: settings.games_per_shard,
            sgf_every: settings.sgf_every,
            selfplay: settings.params(),
            generator: job.generator.clone(),
        };
        let folder = &self.games_folders(context, self.number)[index];
        let before = tally.finished;
        let mut told = Ok(());
        let resources = context.resources;
        let stage = self.stage(context);
        let encoding = context.plan.fit.encoding.as_deref();
        let observe = |progress: Progress| {
            let progress = before.join(progress);
            let message = tally.see(context.watch.session(), progress);
            if told.is_ok() {
                let count = (progress.games, job.games);
                told = context.tell(self.number, StepName::Games, count, message);
            }
        };
        let progress = if job.rollouts {
            let generator = RolloutGenerator {
                selfplay: games.selfplay,
                search: |seed| RolloutSearch {
                    rave: Rave::new(RaveParams::default(), seed),
                    playouts: job.visits,
                },
            };
            generate(start, &games, folder, &generator, observe)?
        } else {
            let network = match &job.network {
                Some(path) => resources.runtime.open(&player(path), start.size())?,
                None => nothing(stage, encoding, start)?,
            };
            let generator = NetworkGenerator {
                network: &network,
                // Guaranteed by the plan's check.
                play: &settings.network_play(u32::try_from(job.visits).unwrap_or(u32::MAX)),
                concurrent: settings.concurrent,
                prover: || {
                    let prover = EndingProver::new(settings.prove_nodes).from(settings.prove_from);
                    prover.correcting(settings.correct_nodes)
                },
            };
            generate(start, &games, folder, &generator, observe)?
        };
        told?;
        tally.finished = before.join(progress);
        Ok(())
    }
}

/// Games of a generation on all boards.
struct Job {
    /// The network's file; without one and without rollouts, an untrained network plays.
    network: Option<PathBuf>,
    rollouts: bool,
    /// Description of the player.
    generator: String,
    visits: u64,
    /// Games on all boards.
    games: u64,
}

/// Progress of a generation's games.
struct Tally {
    /// Start time, in seconds of the session.
    begun: f64,
    /// Progress of finished boards.
    finished: Progress,
    /// Games and evaluations per second.
    rates: (f64, f64),
}

impl Tally {
    /// Combined progress on all boards.
    fn see(&mut self, now: f64, progress: Progress) -> String {
        let seconds = (now - self.begun).max(1e-3);
        let new = progress.games - progress.resumed;
        self.rates = (new as f64 / seconds, progress.evaluations as f64 / seconds);
        rates_text(self.rates, &progress)
    }
}

/// An untrained network with the stage's architecture.
fn nothing<G: Trainable>(
    stage: &Stage,
    encoding: Option<&str>,
    start: &G,
) -> Result<EvaluatorFactory, TrainError> {
    let encoding = match encoding {
        Some(id) => Some(find_encoding::<G>(id)?),
        None => usual_encoding::<G>(stage.network),
    };
    let encoding = encoding.ok_or_else(|| {
        TrainError::Setting(format!("there is no encoding for networks of {}", G::NAME))
    })?;
    Ok(EvaluatorFactory::uniform(ModelInfo {
        game: G::NAME.to_owned(),
        size: start.size(),
        boards: Vec::new(),
        encoding: encoding.id().to_owned(),
        planes: encoding.planes(),
        policy_len: start.policy_len(),
        outcomes: G::INFO.outcomes(),
        network: "nothing".to_owned(),
        games: 0,
        steps: 0,
        creator: String::new(),
        points: 0,
    }))
}
