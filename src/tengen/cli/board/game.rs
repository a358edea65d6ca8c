//! A game on the board with all that belongs to it: its tree, clocks, results and analyses.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use tengen::clock::TimeControl;
use tengen::engine::EngineOptions;
use tengen::game::Settled;
use tengen::record::{GameRecord, Play};
use tengen::watch::Eval;

use super::clocks::Clocks;
use super::new_game::NewGame;
use super::tree::Tree;

/// The end of a game.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub(super) struct GameEnd {
    /// In SGF notation.
    pub(super) result: String,
    /// `rules`, `count`, `resignation`, `time` or `record`.
    pub(super) why: &'static str,
}

/// The other games of a file with several, as SGF, and the place of the shown one among them.
#[derive(Debug, Clone, Default)]
pub(super) struct OtherGames {
    pub(super) texts: Vec<String>,
    pub(super) place: usize,
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

/// A position's analysis.
pub(super) struct KeptAnalysis {
    pub(super) visits: u64,
    pub(super) json: Arc<str>,
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
    pub(super) analyses: HashMap<usize, KeptAnalysis>,
    /// The last count, and its position.
    pub(super) counted: Option<(usize, Settled)>,
    /// The last review as JSON, and its number; 0 for none.
    pub(super) reviewed: (u64, Arc<str>),
    /// The same as SGF with comments.
    pub(super) reviewed_sgf: Arc<str>,
    /// Notes on the loaded game, and on the engine.
    pub(super) notes: Vec<String>,
    /// The other games of its file.
    pub(super) others: OtherGames,
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
            reviewed_sgf: "".into(),
            notes: Vec::new(),
            others: OtherGames::default(),
        }
    }

    /// The game from its beginning, or from where stones were set up last, to a position.
    pub(super) fn record(&self, node: usize) -> GameRecord {
        let nodes = self.tree.since_set_up(node);
        let mut record = GameRecord {
            result: String::new(),
            ..self.beginning.clone()
        };
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
