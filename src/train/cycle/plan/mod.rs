//! What a run shall do, as a person writes it down: a TOML file.

mod board_share;
mod settings;

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

pub use board_share::BoardShare;
pub use settings::{Fit, Gate, Rating, RootName, SelfPlay, Window, exploring};

use crate::game::{BoardSize, GAMES, Game, info, with_game};
use crate::train::TrainError;
use crate::train::architecture::{Architecture, GameShape};
use crate::train::fit::find_encoding;
use crate::train::generate::has_moves;
use crate::train::trainable::Trainable;

/// A run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct CyclePlan {
    /// The game.
    #[serde(default = "first_game")]
    pub game: String,
    /// Its rules, as it reads them; empty for the usual ones.
    #[serde(default)]
    pub rules: String,
    /// Side length of the board, in points, where there is no `[[board]]`; in a plan that was
    /// [read](CyclePlan::parse) always there then, by default that of the game's usual board.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size: Option<u8>,
    /// Boards of several sizes, or rules, for one network; ratings and gates are played on the first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub board: Vec<BoardShare>,
    /// Seed of everything.
    #[serde(default = "one")]
    pub seed: u64,
    /// Games that come first, by random playouts or a network of another run; without them the
    /// first generation is played by a network that knows nothing.
    #[serde(default)]
    pub warm_up: Option<WarmUp>,
    /// One after another.
    pub stage: Vec<Stage>,
    /// How networks play against themselves.
    #[serde(default)]
    pub self_play: SelfPlay,
    /// Which rows are fitted.
    #[serde(default)]
    pub window: Window,
    /// How they are fitted.
    #[serde(default)]
    pub fit: Fit,
    /// How networks are rated; without it they are not.
    #[serde(default)]
    pub rating: Option<Rating>,
    /// What a network must show before it plays; without it every network does.
    #[serde(default)]
    pub gate: Option<Gate>,
}

/// What is wrong with the komi of a plan.
const WRONG_KOMI: &str = "komi of [self-play] needs a mean and deviations of at most 100 points, and a \
                          far-share from 0 to 1";

/// What plans meant that named none.
fn first_game() -> String {
    GAMES[0].name.to_owned()
}

fn one() -> u64 {
    1
}

/// Games that come first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct WarmUp {
    /// Games.
    pub games: u64,
    /// Playouts a move: random ones, or the network's.
    pub playouts: u64,
    /// The network that plays them, an ONNX file; a relative path begins where the run is started.
    /// The run keeps a copy.
    #[serde(default)]
    pub network: Option<PathBuf>,
    /// A folder with a checkpoint of the first stage's network or a smaller one of its family, of another
    /// run and perhaps for other boards: it plays them, where no `network` does, and the first fit starts from its weights. The
    /// run keeps a copy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<PathBuf>,
}

impl WarmUp {
    /// Whether playouts play the games.
    #[must_use]
    pub fn is_by_playouts(&self) -> bool {
        self.network.is_none() && self.weights.is_none()
    }
}

/// Generations that have the same network and number of playouts.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Stage {
    /// The network; where it differs from that of the stage before, it first learns from the games
    /// that are there.
    pub network: Architecture,
    /// Playouts of a full search in self-play.
    pub visits: u32,
    /// Games of a generation.
    pub games: u64,
    /// Generations, at most.
    pub generations: u32,
    /// Factor of the learning rate.
    #[serde(default = "factor")]
    pub rate_factor: f32,
    /// When the stage ends early: the network has converged.
    #[serde(default)]
    pub plateau: Option<Plateau>,
}

fn factor() -> f32 {
    1.0
}

fn positive(number: f32) -> bool {
    number > 0.0 && number.is_finite()
}

/// No rating of the last `generations` is better by `elo` than the best before them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Plateau {
    /// Generations without progress.
    pub generations: u32,
    /// What counts as progress.
    pub elo: f64,
}

impl CyclePlan {
    /// Reads a plan.
    ///
    /// # Errors
    /// [`TrainError::Setting`] says which line is wrong and what is allowed.
    pub fn parse(text: &str) -> Result<CyclePlan, TrainError> {
        let mut plan: CyclePlan = toml::from_str(text).map_err(TrainError::plan)?;
        plan.size = plan.board.is_empty().then(|| plan.side());
        plan.check()?;
        Ok(plan)
    }

    /// The plan as a file.
    ///
    /// # Errors
    /// [`TrainError::Setting`], which would be a mistake of the program.
    pub fn to_toml(&self) -> Result<String, TrainError> {
        toml::to_string(self).map_err(|error| TrainError::Setting(error.to_string()))
    }

    /// The side of the board that it names, or of the game's usual one.
    fn side(&self) -> u8 {
        let usual = || info(&self.game).map_or(BoardSize::square(9), |info| info.usual_board);
        self.size.unwrap_or_else(|| usual().width)
    }

    fn check(&self) -> Result<(), TrainError> {
        let stages = &self.stage;
        let (play, window, fit) = (&self.self_play, &self.window, &self.fit);
        let share = |share: f32| (0.0..=1.0).contains(&share);
        // A run cannot be mended once it has begun, so all is looked at before.
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
                play.concurrent > 0 && play.games_per_shard > 0,
                "[self-play] needs concurrent and games-per-shard of at least 1",
            ),
            (
                (0.0..1.0).contains(&window.held_out)
                    && (0.0..=1.0).contains(&window.share)
                    && (1..=window.most).contains(&window.least),
                "[window] needs held-out in [0, 1), share in [0, 1], and least from 1 to most",
            ),
            (
                fit.batch > 0
                    && [fit.reuse, fit.catch_up]
                        .iter()
                        .all(|&n| n > 0.0 && n.is_finite()),
                "[fit] needs a batch of at least 1, a reuse and a catch-up above 0",
            ),
            (
                positive(fit.learning_rate)
                    && fit.weight_decay >= 0.0
                    && fit.kl_target.is_none_or(positive),
                "[fit] needs a learning-rate and a kl-target above 0 and a weight-decay of 0 or more",
            ),
            (
                share(fit.root_value_share)
                    && share(fit.surprise_share)
                    && share(fit.average_decay),
                "[fit] needs root-value-share, surprise-share and average-decay from 0 to 1",
            ),
            (
                self.rating.as_ref().is_none_or(|r| {
                    let counts = [r.every, r.pairs, r.visits];
                    let rising = r.anchors.is_sorted() && r.anchors.first() > Some(&0);
                    !counts.contains(&0) && rising
                }),
                "[rating] needs every, pairs, visits of at least 1 and rising anchors",
            ),
            (
                self.rating.is_some() || stages.iter().all(|s| s.plateau.is_none()),
                "a plateau needs a [rating]",
            ),
            (
                self.gate
                    .as_ref()
                    .is_none_or(|g| g.elo0 < g.elo1 && g.pairs > 0 && g.visits > 0),
                "[gate] needs an elo1 above elo0, and pairs and visits of at least 1",
            ),
        ];
        play.check()?;
        match rules.iter().find(|(holds, _)| !holds) {
            None => self.check_boards(),
            Some((_, what)) => Err(TrainError::plan(what)),
        }
    }

    /// Whether the game has all boards, each gets games in every stage, and the networks are for all of
    /// them.
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

    /// What networks are asked about, after a look at what the game must have.
    fn shape<G: Trainable>(&self, start: &G) -> Result<GameShape, TrainError> {
        for start in self.starts(start)? {
            has_moves(&start)?;
        }
        if let Some(id) = &self.fit.encoding {
            find_encoding::<G>(id)?;
        }
        Ok(GameShape::of(start))
    }

    /// The boards and how much is played on each; one with all games, where no `[[board]]` says more.
    #[must_use]
    pub fn boards(&self) -> Vec<BoardShare> {
        match self.board.is_empty() {
            true => vec![BoardShare::all(BoardSize::square(self.side()))],
            false => self.board.clone(),
        }
    }

    /// The board with the most points: a type of positions that has it has all others, too.
    #[must_use]
    pub fn largest(&self) -> BoardSize {
        let sizes = self.board.iter().map(|board| board.size);
        let largest = sizes.max_by_key(|size| size.area());
        largest.unwrap_or(BoardSize::square(self.side()))
    }

    /// The empty boards, in the plan's order, by the type and, where they have no others, the rules of
    /// `start`.
    ///
    /// # Errors
    /// [`TrainError::Setting`] when the game has no such board or no such rules.
    pub fn starts<G: Game>(&self, start: &G) -> Result<Vec<G>, TrainError> {
        let begin = |board: BoardShare| {
            let rules = board.rules.as_deref().map(str::parse);
            let rules = rules.transpose().map_err(TrainError::plan)?;
            G::with_rules(board.size, rules.unwrap_or(start.rules())).map_err(TrainError::plan)
        };
        self.boards().into_iter().map(begin).collect()
    }

    /// Whether a run of `other` may go on with this plan: stages may be added at the end, and the
    /// last one of `other` may be longer.
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
mod tests {
    use super::*;

    const SHORT: &str =
        "[[stage]]\nnetwork = \"az-1b8c\"\nvisits = 8\ngames = 4\ngenerations = 2\n";

    #[test]
    fn a_short_plan_has_defaults_and_survives_writing() {
        let plan = CyclePlan::parse(SHORT).unwrap();
        assert_eq!(
            (plan.size, plan.self_play.root),
            (Some(9), RootName::Gumbel)
        );
        let gomoku = CyclePlan::parse(&format!("game = \"gomoku\"\n{SHORT}")).unwrap();
        assert_eq!(gomoku.size, Some(15), "what people play on");
        assert_eq!(plan.game, "nogo", "as plans meant that were written before");
        assert_eq!(CyclePlan::parse(&plan.to_toml().unwrap()).unwrap(), plan);
    }

    #[track_caller]
    fn refused(text: &str, because: &str) {
        let message = CyclePlan::parse(text).unwrap_err().to_string();
        assert!(message.contains(because), "{message}");
    }

    #[test]
    fn a_wrong_plan_says_what_is_wrong() {
        refused("", "stage");
        refused(&format!("game = \"chess\"\n{SHORT}"), "chess");
        refused(&format!("size = 40\n{SHORT}"), "40x40");
        refused(&format!("rules = \"renju\"\n{SHORT}"), "renju");
        refused(&SHORT.replace("visits", "visit"), "visit");
        refused(&SHORT.replace("az-1b8c", "az-1"), "az-1");
        refused(&SHORT.replace("games = 4", "games = 0"), "at least 1");
        refused(&format!("{SHORT}[window]\nheld-out = 1.0\n"), "held-out");
        refused(
            &format!("{SHORT}plateau = {{ generations = 2, elo = 15.0 }}\n"),
            "[rating]",
        );
        refused(
            &format!("{SHORT}[rating]\nanchors = [400, 100]\n"),
            "rising",
        );
        refused(&format!("{SHORT}rate-factor = 0.0\n"), "rate-factor");
        refused(&format!("{SHORT}[gate]\nelo1 = -5.0\n"), "elo1");
        refused(&format!("{SHORT}[gate]\npairs = 0\n"), "pairs");
        for wrong in ["nan", "inf", "-1.0"] {
            let text = format!("{SHORT}[self-play]\nvalue-scale = {wrong}\n");
            refused(&text, "value-scale");
            refused(&format!("{SHORT}[fit]\nreuse = {wrong}\n"), "reuse");
            refused(&format!("{SHORT}[fit]\ncatch-up = {wrong}\n"), "catch-up");
        }
        refused(&format!("size = 1\n{SHORT}"), "nogo on 1x1 is over before");
        // Nine tenths of four games are four.
        let boards = "[[board]]\nsize = \"5\"\nshare = 9.0\n[[board]]\nsize = \"4\"\n";
        let several = format!("{}{boards}", SHORT.replace("az-1b8c", "tengen+area-1b8c"));
        refused(&several, "of 4 games none is on 4x4");
        refused(
            &format!(
                "{}[warm-up]\ngames = 3\nplayouts = 8\n",
                several.replace("games = 4", "games = 40")
            ),
            "of 3 games none is on 4x4",
        );
        refused(&format!("{SHORT}[window]\nmost = 0\n"), "most");
        refused(
            &format!("{SHORT}[fit]\nsurprise-share = 1.5\n"),
            "surprise-share",
        );
        refused(&format!("{SHORT}[fit]\nreuse = nan\n"), "reuse");
        refused(&format!("{SHORT}[fit]\nkl-target = 0.0\n"), "kl-target");
        let play = |line: &str| format!("{SHORT}[self-play]\n{line}\n");
        refused(&play("search = { cpukt = 5.0 }"), "cpuct");
        refused(&play("search = { root_noise = 2.0 }"), "root_noise");
        refused(&play("move-noise = 1.5"), "move-noise");
        refused(
            &format!("{SHORT}[self-play]\nfull-share = 25.0\n"),
            "full-share",
        );
    }

    #[test]
    fn boards_of_several_sizes_have_shares() {
        let text = format!(
            "game = \"go\"\n[[board]]\nsize = \"7\"\nshare = 3\nkomi = {{ mean = 9.0, near = 1.0, \
             far-share = 0.0, far = 1.0 }}\n[[board]]\nsize = \"5x6\"\n{}",
            SHORT.replace("az-1b8c", "tengen+area-1b8c")
        );
        let plan = CyclePlan::parse(&text).unwrap();
        assert_eq!(CyclePlan::parse(&plan.to_toml().unwrap()).unwrap(), plan);
        assert_eq!(plan.largest(), BoardSize::square(7));
        let sizes: Vec<String> = plan.boards().iter().map(|b| b.size.to_string()).collect();
        assert_eq!(sizes, ["7x7", "5x6"]);
        assert_eq!(plan.boards()[0].komi.unwrap().mean, 9.0);
        let games = BoardShare::parts(&plan.boards(), 10);
        assert_eq!(games, [(0, 8), (8, 2)]);
        refused(&text.replace("5x6", "5y6"), "5y6");
        refused(&text.replace("5x6", "20"), "20x20");
        refused(&text.replace("5x6", "7x7"), "[[board]]");
        refused(&text.replace("share = 3", "share = 0"), "[[board]]");
        refused(
            &text.replace("tengen+area", "nogozero+"),
            "is for one board",
        );
        refused(
            &text.replace("\"5x6\"", "\"5x6\"\nrules = \"renju\""),
            "renju",
        );
        let with_rules = |rules| text.replace("\"5x6\"", &format!("\"7\"\nrules = \"{rules}\""));
        let plan = CyclePlan::parse(&with_rules("japanese")).unwrap();
        assert_eq!(plan.boards()[1].name(), "7x7-japanese");
        let encoding = |id: &str| format!("{text}[fit]\nencoding = \"{id}\"\n");
        assert!(CyclePlan::parse(&encoding("go-mobile")).is_ok());
        refused(&encoding("nogo-1"), "go-mobile, go-1");
    }

    #[test]
    fn a_run_may_be_prolonged_and_not_changed() {
        let plan = CyclePlan::parse(SHORT).unwrap();
        let change = |text: &str| CyclePlan::parse(text).unwrap();
        assert!(plan.continues(&plan));
        assert!(change(&SHORT.replace("generations = 2", "generations = 3")).continues(&plan));
        assert!(
            change(&format!(
                "{SHORT}{}",
                SHORT.replace("visits = 8", "visits = 16")
            ))
            .continues(&plan)
        );
        assert!(!change(&SHORT.replace("generations = 2", "generations = 1")).continues(&plan));
        assert!(!change(&SHORT.replace("visits = 8", "visits = 9")).continues(&plan));
        assert!(!change(&format!("seed = 2\n{SHORT}")).continues(&plan));
    }

    #[test]
    fn the_window_grows_between_its_bounds() {
        let window = Window::default();
        let rows: Vec<usize> = [0, 100_000, 1_000_000, 10_000_000]
            .map(|all| window.rows(all))
            .into();
        assert_eq!(rows, [50_000, 50_000, 300_000, 600_000]);
    }
}
