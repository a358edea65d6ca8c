//! The plan of a training run, read from a TOML file.

mod board_share;
mod settings;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use board_share::BoardShare;
pub use settings::{Gate, MachineSettings, Rating, Window};

use crate::game::{BoardSize, Game};
use crate::games::{GAMES, info, with_game};
use crate::settings::{SetError, Table};
use crate::train::TrainError;
use crate::train::fit::{Fit, find_encoding};
use crate::train::network::architecture::{Architecture, GameShape};
use crate::train::play::generate::has_moves;
use crate::train::play::settings::SelfPlay;
use crate::train::trainable::Trainable;

/// The plan of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CyclePlan {
    /// Name of the game. Range: nogo, go, gomoku.
    #[serde(default = "first_game")]
    pub game: String,
    /// Rules of the game; empty for the default ones. Range: rules of the game.
    #[serde(default)]
    pub rules: String,
    /// Side length of the board without `[[board]]`; by default that of the game's usual board.
    /// After [parsing](CyclePlan::parse) it is always set then. Range: a board of the game.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u8>,
    /// Boards of several sizes or rules for one network; ratings and gates use the first. Range:
    /// tables.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub board: Vec<BoardShare>,
    /// Seed of all random numbers. Range: any.
    #[serde(default = "one")]
    pub seed: u64,
    /// Initial games by random playouts or a network of another run; without them the first
    /// generation is played by an untrained network. Range: a table.
    #[serde(default)]
    pub warm_up: Option<WarmUp>,
    /// Stages of the run, in order. Range: at least one table.
    pub stage: Vec<Stage>,
    /// Settings of self-play. Range: a table.
    #[serde(default)]
    pub self_play: SelfPlay,
    /// Window of rows for fitting. Range: a table.
    #[serde(default)]
    pub window: Window,
    /// Settings of fitting. Range: a table.
    #[serde(default)]
    pub fit: Fit,
    /// Rating of networks; without it there is none. Range: a table.
    #[serde(default)]
    pub rating: Option<Rating>,
    /// Match that a new network must pass before it plays; without it every network plays. Range: a
    /// table.
    #[serde(default)]
    pub gate: Option<Gate>,
    /// Division of the work among several machines. Range: a table.
    #[serde(default)]
    pub machines: MachineSettings,
}

/// Error message for an invalid komi distribution.
const WRONG_KOMI: &str = "komi of [self-play] needs a mean and deviations of at most 100 points, and a \
                          far-share from 0 to 1";

/// Default of plans without a game.
fn first_game() -> String {
    GAMES[0].name.to_owned()
}

fn one() -> u64 {
    1
}

/// Games before the first network, by random playouts or a given network.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WarmUp {
    /// Number of games. Range: at least 1.
    pub games: u64,
    /// Playouts per move: random ones, or the network's. Range: 1 to 4294967295.
    pub playouts: u64,
    /// Network that plays them, an ONNX file, relative to the working directory. The run keeps a
    /// copy. Range: a path.
    #[serde(default)]
    pub network: Option<PathBuf>,
    /// Folder with a checkpoint of the first stage's network, or a smaller one of its family,
    /// perhaps of another run and for other boards. It plays the games unless `network` does, and
    /// the first fit starts from its weights. The run keeps a copy. Range: a path.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
}

impl WarmUp {
    /// Whether random playouts play the games.
    #[must_use]
    pub fn is_by_playouts(&self) -> bool {
        self.network.is_none() && self.weights.is_none()
    }
}

/// Generations with the same network architecture and number of playouts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    /// Network architecture; a network that differs from the previous stage's is first trained on
    /// the existing games. Range: a name such as tengen-5b32c.
    pub network: Architecture,
    /// Playouts of a full search in self-play. Range: at least 1.
    pub visits: u32,
    /// Games per generation. Range: at least 1.
    pub games: u64,
    /// Maximum number of generations. Range: at least 1.
    pub generations: u32,
    /// Factor of the learning rate. Range: above 0.
    #[serde(default = "factor")]
    pub rate_factor: f32,
    /// Criterion to end the stage early, once the network has converged. Range: a table; needs
    /// `[rating]`.
    #[serde(default)]
    pub plateau: Option<Plateau>,
}

fn factor() -> f32 {
    1.0
}

fn positive(number: f32) -> bool {
    number > 0.0 && number.is_finite()
}

/// A stage ends if no rating of the last `generations` is better by `elo` than the best before
/// them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plateau {
    /// Number of generations without progress. Range: any.
    pub generations: u32,
    /// Rating difference that counts as progress. Range: any.
    pub elo: f64,
}

/// Checks the values of a table.
fn check<T: Table>(table: &T) -> Result<(), TrainError> {
    let title = T::settings().first().map_or("", |setting| setting.title);
    table.check().map_err(|error| refused(title, &error))
}

fn refused(title: &str, error: &SetError) -> TrainError {
    TrainError::plan(format_args!("{title}: {error}"))
}

impl CyclePlan {
    /// Parses and checks a plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the invalid line and the allowed values.
    pub fn parse(text: &str) -> Result<CyclePlan, TrainError> {
        let mut plan: CyclePlan = toml::from_str(text).map_err(TrainError::plan)?;
        plan.size = plan.board.is_empty().then(|| plan.side());
        plan.check()?;
        plan.check_machines()?;
        Ok(plan)
    }

    /// The plan as TOML.
    ///
    /// # Errors
    /// [`TrainError::Setting`] on a program error.
    pub fn to_toml(&self) -> Result<String, TrainError> {
        toml::to_string(self).map_err(|error| TrainError::Setting(error.to_string()))
    }

    /// The given board side, or that of the game's usual board.
    fn side(&self) -> u8 {
        let usual = || info(&self.game).map_or(BoardSize::square(9), |info| info.usual_board);
        self.size.unwrap_or_else(|| usual().width)
    }

    fn check(&self) -> Result<(), TrainError> {
        let stages = &self.stage;
        let (play, window) = (&self.self_play, &self.window);
        // A run cannot be corrected after its start, so everything is checked first.
        let rules = [
            (!stages.is_empty(), "it has no [[stage]]"),
            (
                stages
                    .iter()
                    .all(|s| s.games > 0 && s.visits > 0 && s.generations > 0),
                "games, visits and generations of a [[stage]] must be at least 1",
            ),
            (
                stages.iter().all(|s| positive(s.rate_factor)),
                "rate-factor of a [[stage]] must be above 0",
            ),
            (
                self.warm_up
                    .as_ref()
                    .is_none_or(|w| w.games > 0 && (1..=u64::from(u32::MAX)).contains(&w.playouts)),
                "games and playouts of [warm-up] must be at least 1",
            ),
            (
                !play.int8 || window.held_out > 0.0,
                "int8 of [self-play] needs held-out games to calibrate on",
            ),
            (play.komi.is_none_or(|komi| komi.is_sound()), WRONG_KOMI),
            (board_share::are_sound(&self.board), board_share::WRONG),
            (
                window.least <= window.most,
                "[window] needs a least of at most its most",
            ),
            (
                self.rating.as_ref().is_none_or(|rating| {
                    let anchors = &rating.anchors;
                    anchors.is_sorted() && anchors.first() > Some(&0)
                }),
                "[rating] needs rising anchors from 1",
            ),
            (
                self.rating.is_some() || stages.iter().all(|s| s.plateau.is_none()),
                "a plateau needs a [rating]",
            ),
            (
                self.gate.as_ref().is_none_or(|gate| gate.elo0 < gate.elo1),
                "[gate] needs an elo1 above elo0",
            ),
        ];
        self.check_tables()?;
        match rules.iter().find(|(holds, _)| !holds) {
            None => self.check_boards(),
            Some((_, what)) => Err(TrainError::plan(what)),
        }
    }

    /// Checks the tables one by one.
    fn check_tables(&self) -> Result<(), TrainError> {
        check(&self.self_play)?;
        check(&self.window)?;
        check(&self.fit)?;
        check(&self.machines)?;
        self.rating.as_ref().map_or(Ok(()), check)?;
        self.gate.as_ref().map_or(Ok(()), check)?;
        let search = self.self_play.search_params();
        search
            .map(drop)
            .map_err(|error| refused("[self-play]", &error))
    }

    /// Checks how the work is divided.
    fn check_machines(&self) -> Result<(), TrainError> {
        if self.machines.ahead > 0 && self.stage.iter().any(|stage| stage.plateau.is_some()) {
            return Err(TrainError::plan(
                "ahead of [machines] needs stages without a plateau: whose games come next must be known \
                 before they are rated",
            ));
        }
        Ok(())
    }

    /// Checks that the game supports all boards, that each gets games in every stage, and that the
    /// networks are for all of them.
    fn check_boards(&self) -> Result<(), TrainError> {
        let boards = self.boards();
        let counts = self.stage.iter().map(|stage| stage.games);
        for games in counts.chain(self.warm_up.as_ref().map(|warm_up| warm_up.games)) {
            let parts = BoardShare::parts(&boards, games);
            let none = boards.iter().zip(parts).find(|(_, (_, part))| *part == 0);
            if let Some((board, _)) = none {
                return Err(TrainError::plan(format_args!(
                    "of {games} games none is on {}: give more games, or that [[board]] a larger share",
                    board.name()
                )));
            }
        }
        let shape = with_game!(&self.game, self.largest(), rules: &self.rules, |start| {
            self.shape(&start)
        });
        let shape = shape.map_err(TrainError::plan)??;
        let fixed = self
            .stage
            .iter()
            .find(|s| !s.network.is_for_any_board(shape));
        let size = self.boards()[0].size;
        let several = self.board.iter().any(|board| board.size != size);
        match fixed.filter(|_| several) {
            Some(stage) => Err(TrainError::plan(format_args!(
                "the network {} is for one board, not for several: take a tengen+area",
                stage.network
            ))),
            None => Ok(()),
        }
    }

    /// Shape of the game for networks, after checking the game's requirements.
    fn shape<G: Trainable>(&self, start: &G) -> Result<GameShape, TrainError> {
        for start in self.starts(start)? {
            has_moves(&start)?;
        }
        if let Some(id) = &self.fit.encoding {
            find_encoding::<G>(id)?;
        }
        Ok(GameShape::of(start))
    }

    /// The boards with their shares; a single one with all games without `[[board]]`.
    #[must_use]
    pub fn boards(&self) -> Vec<BoardShare> {
        match self.board.is_empty() {
            true => vec![BoardShare::all(BoardSize::square(self.side()))],
            false => self.board.clone(),
        }
    }

    /// The board with the most points: a position type for it supports all others.
    #[must_use]
    pub fn largest(&self) -> BoardSize {
        let sizes = self.board.iter().map(|board| board.size);
        let largest = sizes.max_by_key(|size| size.area());
        largest.unwrap_or(BoardSize::square(self.side()))
    }

    /// The empty boards, in the plan's order, by the type and, unless they have their own, the
    /// rules of `start`.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the game does not support a board or its rules.
    pub fn starts<G: Game>(&self, start: &G) -> Result<Vec<G>, TrainError> {
        let begin = |board: BoardShare| {
            let rules = board.rules.as_deref().map(str::parse);
            let rules = rules.transpose().map_err(TrainError::plan)?;
            G::with_rules(board.size, rules.unwrap_or(start.rules())).map_err(TrainError::plan)
        };
        self.boards().into_iter().map(begin).collect()
    }

    /// Whether a run of `other` may be continued with this plan: stages may be added at the end,
    /// and the last one of `other` may be longer.
    #[must_use]
    pub fn continues(&self, other: &CyclePlan) -> bool {
        let begin = self.stage.get(..other.stage.len());
        let same_stages = begin.is_some_and(|begin| {
            let last = other.stage.len() - 1;
            begin
                .iter()
                .zip(&other.stage)
                .enumerate()
                .all(|(place, (new, old))| {
                    let longer = Stage {
                        generations: new.generations,
                        ..old.clone()
                    };
                    new == old
                        || (place == last && *new == longer && new.generations >= old.generations)
                })
        });
        let rest = CyclePlan {
            stage: other.stage.clone(),
            ..self.clone()
        };
        same_stages && rest == *other
    }
}

#[cfg(test)]
mod tests;
