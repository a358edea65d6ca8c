//! The plan of a training run, read from a TOML file.

mod tables;

use serde::{Deserialize, Serialize};

pub use tables::{BoardShare, Gate, MachineSettings, Rating, Stage, WarmUp, Window};

use crate::TrainError;
use crate::fit::{Fit, find_encoding};
use crate::network::architecture::GameShape;
use crate::play::generate::has_moves;
use crate::play::settings::{SelfPlay, search_refusal};
use crate::trainable::Trainable;
use crate::trainable::with_game;
use tengen::game::{BoardSize, Game};
use tengen::games::{GAMES, info};
use tengen::settings::{InPlan, Maybe, Table, Text, differences};
use tengen::stats::Sprt;

tengen::settings! {
    /// The plan of a run.
    #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
    #[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
    CyclePlan, "top level" {
        game: String = GAMES[0].name.to_owned(), Text("NAME", "a game's name"),
            "Name of the game";
        rules: String = String::new() => "the game's usual ones", Text("TEXT", "as `rules` of the engine"),
            "Rules of the game";
        ///
        /// Always set after [parsing](CyclePlan::parse) a plan without boards.
        #[serde(skip_serializing_if = "Option::is_none")]
        size: Option<u8> = None => "that of the game's usual board", Maybe(1..),
            "Side length of the board without `[[board]]`";
        #[serde(skip_serializing_if = "Vec::is_empty")]
        board: Vec<BoardShare> = Vec::new(), InPlan("tables"),
            "Boards of several sizes or rules for one network; ratings and gates use the first";
        seed: u64 = 1, ..,
            "Seed of all random numbers";
        warm_up: Option<WarmUp> = None, InPlan("a table"),
            "Initial games by random playouts or a network of another run; without them the first generation is \
             played by an untrained network";
        stage: Vec<Stage> = vec![Stage::default()] => "one, its defaults", InPlan("tables, at least one"),
            "Stages of the run, in order";
        self_play: SelfPlay = SelfPlay::default() => "its defaults", InPlan("a table"),
            "Settings of self-play";
        window: Window = Window::default() => "its defaults", InPlan("a table"),
            "Window of rows for fitting";
        fit: Fit = Fit::default() => "its defaults", InPlan("a table"),
            "Settings of fitting";
        rating: Option<Rating> = None, InPlan("a table"),
            "Rating of networks; without it there is none";
        gate: Option<Gate> = None, InPlan("a table"),
            "Match that a new network must pass before it plays; without it every network plays";
        machines: MachineSettings = MachineSettings::default() => "its defaults", InPlan("a table"),
            "Division of the work among several machines";
    }
}

/// Error message for an invalid komi distribution.
const WRONG_KOMI: &str = "komi of [self-play] needs a mean and deviations of at most 100 points, and a \
                          far-share from 0 to 1";

/// What a plan may have that continues another one, for messages.
pub(crate) const MAY_GROW: &str =
    "which may get more generations in its last stage, and more stages";

/// Checks the values of tables of one kind; of a list a message has the number.
fn check_each<'a, T: Table + 'a>(
    tables: impl IntoIterator<Item = &'a T>,
) -> Result<(), TrainError> {
    let title = T::settings().first().map_or("", |setting| setting.title);
    for (number, table) in (1..).zip(tables) {
        table
            .check()
            .map_err(|error| match title.starts_with("[[") {
                true => TrainError::plan(format_args!("{title} {number}: {error}")),
                false => TrainError::plan(format_args!("{title}: {error}")),
            })?;
    }
    Ok(())
}

impl CyclePlan {
    /// Parses and checks a plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the invalid line and the allowed values.
    pub fn parse(text: &str) -> Result<CyclePlan, TrainError> {
        let mut plan: CyclePlan = toml::from_str(text).map_err(TrainError::plan)?;
        plan.check_tables()?;
        plan.check_together()?;
        plan.size = plan.board.is_empty().then(|| plan.side());
        plan.check_boards()?;
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

    /// Checks what no table says alone. A run cannot be corrected after its start, so everything is checked first.
    fn check_together(&self) -> Result<(), TrainError> {
        let (play, window) = (&self.self_play, &self.window);
        let rules = [
            (!self.stage.is_empty(), "it has no [[stage]]"),
            (
                !play.int8 || window.held_out > 0.0,
                "int8 of [self-play] needs held-out games to calibrate on",
            ),
            (play.komi.is_none_or(|komi| komi.is_sound()), WRONG_KOMI),
            (tables::are_sound(&self.board), tables::WRONG),
            (
                self.board.is_empty() || self.size.is_none(),
                "size is that of a plan without [[board]]: leave it out",
            ),
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
                self.gate
                    .as_ref()
                    .is_none_or(|gate| Sprt::new(gate.elo0, gate.elo1).is_ok()),
                "[gate] needs an elo1 above elo0, both finite",
            ),
        ];
        match rules.iter().find(|(holds, _)| !holds) {
            None => Ok(()),
            Some((_, what)) => Err(TrainError::plan(what)),
        }
    }

    /// Checks the tables one by one.
    fn check_tables(&self) -> Result<(), TrainError> {
        check_each([self])?;
        check_each(&self.warm_up)?;
        check_each(&self.stage)?;
        check_each([&self.self_play])?;
        check_each([&self.window])?;
        check_each([&self.fit])?;
        check_each([&self.machines])?;
        check_each(&self.rating)?;
        check_each(&self.gate)?;
        let search = self.self_play.search_params();
        search.map(drop).map_err(|error| {
            TrainError::plan(format_args!("[self-play]: {}", search_refusal(&error)))
        })
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
                "the network {} is for one board, not for several: take a tengen or a tengen+area",
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
    pub fn boards(&self) -> Vec<BoardShare> {
        match self.board.is_empty() {
            true => vec![BoardShare::all(BoardSize::square(self.side()))],
            false => self.board.clone(),
        }
    }

    /// The board with the most points: a position type for it supports all others.
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

    /// What keeps a run of `other` from being continued with this plan, in words: stages may be added at the end, and
    /// the last one of `other` may be longer.
    pub fn conflict(&self, other: &CyclePlan) -> Option<String> {
        let mut own = self.clone();
        own.stage.truncate(other.stage.len());
        if let (Some(last), Some(before)) = (own.stage.last_mut(), other.stage.last())
            && self.stage.len() >= other.stage.len()
        {
            last.generations = last.generations.min(before.generations);
        }
        if own == *other {
            return None;
        }
        let [own, other] = [&own, other].map(|plan| serde_json::to_value(plan).unwrap_or_default());
        Some(differences(&own, &other).join(", "))
    }
}

#[cfg(test)]
mod tests;
