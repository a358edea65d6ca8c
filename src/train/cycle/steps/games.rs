//! The games of a generation.

use super::GenerationSteps;
use crate::eval::{EvaluatorFactory, ModelInfo};
use crate::rollout::{Rave, RaveParams};
use crate::train::TrainError;
use crate::train::cycle::context::RunContext;
use crate::train::cycle::plan::Stage;
use crate::train::cycle::{StepName, player};
use crate::train::fit::usual_encoding;
use crate::train::generate::{Plan, Progress, generate};
use crate::train::generator::{NetworkGenerator, RolloutGenerator};
use crate::train::prover::EndingProver;
use crate::train::selfplay::RolloutSearch;
use crate::train::trainable::Trainable;

/// What the games of a generation came to.
pub(super) struct Played {
    pub(super) players: String,
    pub(super) visits: u64,
    pub(super) progress: Progress,
    pub(super) games_per_second: f64,
    pub(super) evaluations_per_second: f64,
}

/// Games and evaluations a second, and who wins.
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
        let (plan, run_folder, resources) = (context.plan, context.run_folder, context.resources);
        let stage = self.stage(context);
        let settings = &plan.self_play;
        let warm_up = plan.warm_up.as_ref().filter(|_| self.warm_up);
        let network = match (warm_up, self.done.last()) {
            (Some(warm_up), _) => warm_up.network.as_ref().map(|_| run_folder.warm_up()),
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
        let games = Plan {
            first: self.done.last().map_or(0, |before| before.games_so_far),
            games: warm_up.map_or(stage.games, |warm_up| warm_up.games),
            seed: plan.seed,
            threads: resources.threads,
            games_per_shard: settings.games_per_shard,
            sgf_every: settings.sgf_every,
            selfplay: settings.params(),
            generator: format!("{players} visits={visits}"),
        };
        let folder = run_folder.games(self.number);
        let begun = context.watch.session();
        let mut told = Ok(());
        let mut rates = (0.0, 0.0);
        let observe = |progress: Progress| {
            let seconds = (context.watch.session() - begun).max(1e-3);
            let new = progress.games - progress.resumed;
            rates = (new as f64 / seconds, progress.evaluations as f64 / seconds);
            let message = rates_text(rates, &progress);
            let count = (progress.games, games.games);
            if told.is_ok() {
                told = context.tell(self.number, StepName::Games, count, message);
            }
        };
        let progress = if warm_up.is_some() && network.is_none() {
            let generator = RolloutGenerator {
                selfplay: games.selfplay,
                search: |seed| RolloutSearch {
                    rave: Rave::new(RaveParams::default(), seed),
                    playouts: visits,
                },
            };
            generate(self.start, &games, &folder, &generator, observe)?
        } else {
            let network = match network {
                Some(path) => resources.runtime.open(&player(&path))?,
                None => self.nothing(stage)?,
            };
            let generator = NetworkGenerator {
                network: &network,
                // The plan's check keeps it in range.
                play: &settings.network_play(u32::try_from(visits).unwrap_or(u32::MAX)),
                concurrent: settings.concurrent,
                prover: || {
                    let prover = EndingProver::new(settings.prove_nodes).from(settings.prove_from);
                    prover.correcting(settings.correct_nodes)
                },
            };
            generate(self.start, &games, &folder, &generator, observe)?
        };
        told?;
        Ok(Played {
            players,
            visits,
            progress,
            games_per_second: rates.0,
            evaluations_per_second: rates.1,
        })
    }

    /// A network that knows nothing, in the shape of the stage's.
    fn nothing(&self, stage: &Stage) -> Result<EvaluatorFactory, TrainError> {
        let encoding = usual_encoding::<G>(stage.network);
        let encoding = encoding.ok_or_else(|| {
            TrainError::Setting(format!(
                "networks cannot read {}: it has no encoding",
                G::NAME
            ))
        })?;
        Ok(EvaluatorFactory::uniform(ModelInfo {
            game: G::NAME.to_owned(),
            size: self.start.size(),
            encoding: encoding.id().to_owned(),
            planes: encoding.planes(),
            policy_len: self.start.policy_len(),
            outcomes: G::INFO.outcomes(),
            network: "nothing".to_owned(),
            games: 0,
            steps: 0,
            creator: String::new(),
            points: 0,
        }))
    }
}
