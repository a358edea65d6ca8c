//! A game on the board with all that belongs to it: its terms as requested by the page, its tree, clocks, results and
//! analyses.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::clock::{Overtime, SideClock, TimeControl, TimeLeft};
use crate::engine::{EngineOptions, ThinkingLimits};
use crate::game::{BoardSize, Color, HalfPoints, Settled};
use crate::gtp::fixed_handicap_points;
use crate::record::{GameRecord, Play, sgf};
use crate::watch::Eval;
use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use super::super::flags::EngineFlags;
use super::clocks::Clocks;
use super::tree::Tree;

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct GameEnd {
    /// In SGF notation.
    pub(super) result: String,
    /// `rules`, `count`, `resignation`, `time` or `record`.
    pub(super) why: &'static str,
}

impl GameEnd {
    /// Whether it ended by a decision or a clock, and can be taken up where it ended.
    pub(super) fn is_given_up(&self) -> bool {
        matches!(self.why, "resignation" | "time")
    }

    /// The side that has lost.
    pub(super) fn loser(&self) -> Option<Color> {
        match self.result.chars().next()? {
            'B' => Some(Color::White),
            'W' => Some(Color::Black),
            _ => None,
        }
    }
}

/// The other games of a file with several, as SGF, and the place of the shown one among them.
#[derive(Debug, Clone, Default)]
pub(super) struct OtherGames {
    pub(super) texts: Vec<String>,
    pub(super) place: usize,
}

impl OtherGames {
    /// The file with the shown game among the others.
    pub(super) fn with(&self, own: &str) -> String {
        let others = self.texts.iter().map(String::as_str);
        let mut all: Vec<&str> = others.collect();
        all.insert(self.place.min(all.len()), own);
        all.concat()
    }

    /// What each game is called, the shown one by its own text.
    pub(super) fn titles(&self, own: String) -> Vec<String> {
        let mut titles: Vec<String> = self.texts.iter().map(|text| title(text)).collect();
        titles.insert(self.place.min(titles.len()), own);
        titles
    }
}

/// What a game is called, by the text of its root: its name, or its players.
pub(super) fn title(text: &str) -> String {
    let root = text.trim_start_matches(|c: char| c.is_whitespace() || "(;".contains(c));
    let of = |name| sgf::value_of(root, name).unwrap_or_default();
    let players = [of("PB"), of("PW")].join(" – ");
    match of("GN") {
        name if !name.is_empty() => name,
        _ if players == " – " => String::new(),
        _ => players,
    }
}

/// A move that a person tries in a position, and what a search says of it: from Black's view.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Judged {
    pub(super) node: usize,
    pub(super) at: String,
    #[serde(skip)]
    pub(super) play: Play,
    /// Whether the rest is known.
    pub(super) done: bool,
    #[serde(flatten)]
    pub(super) eval: Eval,
    /// The expected continuation.
    pub(super) pv: Vec<String>,
}

/// A game with all that belongs to it.
pub(super) struct BoardGame {
    /// Of the engine at full strength.
    pub(super) options: EngineOptions,
    pub(super) terms: NewGame,
    /// The beginning of the game with its metadata; without plays.
    pub(super) beginning: GameRecord,
    pub(super) tree: Tree,
    /// The shown position.
    pub(super) current: usize,
    /// The last position of the current game.
    pub(super) live: usize,
    pub(super) ends: HashMap<usize, GameEnd>,
    pub(super) clocks: Clocks,
    /// The best analysis of each position, as JSON for the page.
    pub(super) analyses: HashMap<usize, Arc<str>>,
    /// The last count, and its position.
    pub(super) counted: Option<(usize, Settled)>,
    /// The last review as JSON, and its number; 0 for none.
    pub(super) reviewed: (u64, Arc<str>),
    /// The same as SGF with comments, in each language.
    pub(super) reviewed_sgf: [Arc<str>; 2],
    /// Notes on the loaded game, and on the engine.
    pub(super) notes: Vec<String>,
    /// The other games of its file.
    pub(super) others: OtherGames,
    /// Whether anything was done in it since it began or was opened.
    pub(super) is_touched: bool,
}

impl BoardGame {
    pub(super) fn new(options: EngineOptions, terms: NewGame, beginning: GameRecord) -> BoardGame {
        BoardGame {
            options,
            terms,
            beginning: GameRecord {
                plays: Vec::new(),
                later: Vec::new(),
                notes: Vec::new(),
                ..beginning
            },
            tree: Tree::new(),
            current: Tree::ROOT,
            live: Tree::ROOT,
            ends: HashMap::new(),
            clocks: Clocks::new(TimeControl::Unlimited),
            analyses: HashMap::new(),
            counted: None,
            reviewed: (0, "null".into()),
            reviewed_sgf: ["".into(), "".into()],
            notes: Vec::new(),
            others: OtherGames::default(),
            is_touched: false,
        }
    }

    /// The rules and the beginning of the game without its texts, which may be long.
    pub(super) fn terms_of_play(&self) -> GameRecord {
        let told = &self.beginning;
        GameRecord {
            rules: told.rules.clone(),
            komi: told.komi,
            handicap: told.handicap,
            setup: told.setup.clone(),
            to_move: told.to_move,
            ..GameRecord::new(&told.game, told.size)
        }
    }

    /// The game from its beginning, or from where stones were set up last, to a position, without its texts.
    pub(super) fn moves(&self, node: usize) -> GameRecord {
        let nodes = self.tree.since_set_up(node);
        let mut record = self.terms_of_play();
        let first = nodes.first().map(|&first| self.tree.node(first));
        if let Some(set_up) = first.and_then(|first| first.set_up.as_deref()) {
            record.setup.clone_from(&set_up.stones);
            record.to_move = Some(set_up.to_move);
        }
        let plays = nodes.iter().filter_map(|&at| self.tree.node(at).play);
        plays.for_each(|play| record.push(play));
        record
    }
}

/// The player of a side.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Who {
    #[default]
    Human,
    Engine,
}

/// How well and how long the engine plays, besides the clock; without all of these the clock applies,
/// or two seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Level {
    /// Visits of the root.
    pub(super) visits: Option<u64>,
    /// Seconds.
    pub(super) seconds: Option<f64>,
    /// A value of the engine's setting `level`, for its moves; analysis is not weakened.
    #[serde(default)]
    pub(super) strength: Option<f32>,
}

/// Limits of a level: the page must not start an endless search.
pub(super) const MAX_VISITS: u64 = 1_000_000_000;
const MAX_SECONDS: f64 = 24.0 * 3600.0;
/// Komi of a handicap game, which only decides what would be a draw.
const HANDICAP_KOMI: f64 = 0.5;
/// Characters of a name.
const LONGEST_NAME: usize = 100;
/// Maximum time of a move by the clock alone: a person waits for it.
const LONGEST_MOVE: Duration = Duration::from_secs(10);

impl Level {
    /// # Errors
    /// For an invalid limit.
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let visits = self.visits.is_none_or(|n| (1..=MAX_VISITS).contains(&n));
        ensure!(visits, "visits are from 1 to {MAX_VISITS}");
        let fits = |seconds: f64| seconds > 0.0 && seconds <= MAX_SECONDS;
        ensure!(
            self.seconds.is_none_or(fits),
            "a move takes up to {MAX_SECONDS} seconds"
        );
        self.weaken(&mut EngineOptions::default(), &[])
    }

    /// Sets the engine's setting `level`, if one is wanted, and others that are given beside it; their visits are those of
    /// the command line's level only.
    ///
    /// # Errors
    /// If there is no such level.
    pub(super) fn weaken(
        &self,
        options: &mut EngineOptions,
        beside: &[(&'static str, String)],
    ) -> anyhow::Result<()> {
        let Some(strength) = self.strength else {
            return Ok(());
        };
        options.set("level", &strength.to_string())?;
        for (name, value) in beside.iter().filter(|(name, _)| *name != "visits") {
            options.set(name, value)?;
        }
        Ok(())
    }

    /// The engine's own limits, replaced by those of the level.
    pub(super) fn limits(&self, usual: &ThinkingLimits, clock: TimeControl) -> ThinkingLimits {
        let weakened = usual.visits.filter(|_| self.strength.is_some());
        let visits = self.visits.or(weakened);
        let is_free = visits.is_none() && clock != TimeControl::Unlimited;
        let seconds = self.seconds.map(Duration::from_secs_f64);
        ThinkingLimits {
            visits,
            time_per_move: seconds.or(is_free.then_some(LONGEST_MOVE)),
            ..usual.clone()
        }
    }
}

/// What is kept of a game besides its file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Kept {
    #[serde(flatten)]
    pub(super) terms: NewGame,
    /// Its place among the games of the file.
    #[serde(default)]
    pub(super) place: usize,
    /// The place of its last position among the nodes of the file; the end of the main line without it.
    pub(super) live: Option<usize>,
}

/// A game to begin.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct NewGame {
    pub(super) game: String,
    /// As `9` or `13x9`.
    pub(super) size: String,
    /// In the game's notation; empty for those of the command line, or the default.
    pub(super) rules: String,
    /// Points for White; `None` for the default of the rules, in a handicap game half a point.
    pub(super) komi: Option<f64>,
    pub(super) handicap: usize,
    /// In the format of `kata-time_settings`.
    pub(super) clock: String,
    /// Black's player and White's.
    pub(super) players: [Who; 2],
    /// Names of the people who play; empty for none.
    pub(super) names: [String; 2],
    pub(super) level: Level,
}

impl NewGame {
    /// The settings of the engine, from flags and terms.
    ///
    /// # Errors
    /// For an unknown game, board or setting.
    pub(super) fn options(&self, flags: &EngineFlags) -> anyhow::Result<EngineOptions> {
        let mut options = flags.read_as(&self.game)?;
        options.size = Some(self.board_size()?);
        if !self.rules.is_empty() {
            options.rules.clone_from(&self.rules);
        }
        Ok(options)
    }

    pub(super) fn is_engine(&self, color: Color) -> bool {
        self.players.get(color.index()) == Some(&Who::Engine)
    }

    /// The names of the players in records.
    pub(super) fn player_names(&self, engine: &str) -> [String; 2] {
        let [black, white] = &self.names;
        let name = |color, own: &String| match self.is_engine(color) {
            true => engine.to_owned(),
            false => own.chars().take(LONGEST_NAME).collect(),
        };
        [name(Color::Black, black), name(Color::White, white)]
    }

    fn board_size(&self) -> anyhow::Result<BoardSize> {
        let size: BoardSize = self.size.parse()?;
        // Vertices have letters for this many columns.
        ensure!(
            size.width <= 25 && size.height <= 25,
            "the board in the browser has up to 25x25 points"
        );
        Ok(size)
    }

    /// # Errors
    /// For an invalid time control.
    pub(super) fn control(&self) -> anyhow::Result<TimeControl> {
        if self.clock.is_empty() {
            return Ok(TimeControl::Unlimited);
        }
        let fields: Vec<&str> = self.clock.split_whitespace().collect();
        let control = TimeControl::from_kata(&fields);
        let control = control.with_context(|| format!("the clock {:?}", self.clock))?;
        let clock = SideClock::new(control);
        let periods = matches!(
            clock.overtime(),
            Overtime::Byoyomi { .. } | Overtime::Canadian { .. }
        );
        ensure!(
            periods || clock.left() != TimeLeft::Main(Duration::ZERO),
            "the clock has no time for the first move: give main time"
        );
        Ok(control)
    }

    /// Adds komi and handicap stones to the beginning of a game.
    ///
    /// # Errors
    /// If the board has no such handicap, or komi is not a multiple of half a point.
    pub(super) fn complete(&self, beginning: &mut GameRecord, scored: bool) -> anyhow::Result<()> {
        let is_handicap = self.handicap >= 2;
        if let Some(komi) = self.komi.or(is_handicap.then_some(HANDICAP_KOMI)) {
            let halves = komi * 2.0;
            ensure!(halves.fract() == 0.0, "komi is a multiple of half a point");
            let most = beginning.size.area() as f64;
            ensure!(
                komi.abs() <= most,
                "komi is at most {most} points on this board, one for each of its points"
            );
            beginning.komi = Some(HalfPoints(halves as i32));
        }
        if !is_handicap {
            return Ok(());
        }
        if !scored {
            bail!("handicap stones are only for Go");
        }
        let points = fixed_handicap_points(beginning.size, self.handicap);
        let points = points.with_context(|| {
            let size = beginning.size;
            format!("there are no {} handicap stones on {size}", self.handicap)
        })?;
        let mut setup: Vec<_> = points.iter().map(|&at| (at, Color::Black)).collect();
        setup.sort_by_key(|(point, _)| *point);
        beginning.handicap = u16::try_from(points.len()).unwrap_or(0);
        beginning.setup = setup;
        beginning.to_move = Some(Color::White);
        Ok(())
    }
}
