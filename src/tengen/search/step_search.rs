//! The search of one position over a small tree, playout by playout, for self-play.
//!
//! [`Searcher`](super::Searcher) maximises the strength for one position. Self-play needs the
//! opposite: a few dozen playouts for each of hundreds of positions at once. So here a search is a
//! value: [`StepSearch::descend`] makes a playout, or leaves a position waiting
//! ([`StepSearch::waiting`]) for its answer ([`StepSearch::answer`]). Every game waits for one
//! evaluation at a time and no descent needs virtual loss: batches cost no strength, and a game
//! depends only on its seed and its network.
//!
//! The caller may choose the root's moves. The end of a game is a value, not a proof: visits and
//! values are learned from, and a proof would end a search before it has any.

use rand::Rng;

use super::backup::UnforbiddenMoves;
use super::edge::{Choice, Edge};
use super::leaf::Leaf;
use super::node::{Node, NodeId, Phase};
use super::params::SearchParams;
use super::playout::{Descent, Endings, Playouts, SearchContext};
use super::root;
use super::select::RootPriors;
use super::tree::Tree;
use crate::game::{Game, GameState, Move};

/// A move of the root that the game's history allows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RootMove {
    /// The move.
    pub mv: Move,
    /// The network's probability, in [0, 1], rounded to 16 bits.
    pub policy: f32,
    /// The probability in PUCT: the network's, or with temperature and noise.
    pub prior: f32,
    /// Playouts through it.
    pub visits: u32,
    /// Mean result in [-1, 1] for the side to move at the root; unknown before the first visit.
    pub value: Option<f32>,
}

/// An evaluated root.
#[derive(Debug, Clone, Copy)]
pub struct RootMoves<'a> {
    /// The moves, the most probable first.
    pub moves: &'a [RootMove],
    /// Playouts through them.
    pub visits: u32,
    /// The network's value, in [-1, 1] for the side to move.
    pub evaluation: f32,
    /// Mean of the network's value and the playouts.
    pub value: f32,
}

/// Searches the positions of one game, one after another.
///
/// The tree is a new one for each position, but evaluations of the last search are taken over: about
/// every third position of a search has been evaluated already.
pub struct StepSearch<G: Game> {
    params: SearchParams,
    start: GameState<G>,
    tree: Tree,
    /// The last search.
    earlier: Tree,
    root: NodeId,
    priors: RootPriors,
    moves: Vec<RootMove>,
    /// Index of each of `moves` among all moves of the root.
    choices: Vec<usize>,
    waiting: Option<(Leaf<G>, G)>,
    full: bool,
    /// Reused when a leaf is expanded.
    buffer: Vec<(Move, f32)>,
}

/// Bytes for the node table, and for chunks of memory that are used in part.
const SPARE: usize = 1 << 16;

impl<G: Game> StepSearch<G> {
    /// A search of `start`, with memory for `playouts` playouts of this and of later positions.
    pub fn new(params: SearchParams, start: GameState<G>, playouts: u32) -> StepSearch<G> {
        // Half of the memory for choices may be lost at the ends of chunks.
        let choices = 2 * size_of::<Choice>() * (start.position().size().area() + 1);
        let node = size_of::<Node>() + choices + 4 * size_of::<Edge>();
        let bytes = SPARE + (playouts as usize + 2) * node;
        let mut search = StepSearch {
            params,
            start,
            tree: Tree::new(bytes, 0.0),
            earlier: Tree::new(bytes, 0.0),
            root: 0,
            priors: RootPriors::default(),
            moves: Vec::new(),
            choices: Vec::new(),
            waiting: None,
            full: false,
            buffer: Vec::new(),
        };
        search.begin_tree();
        search
    }

    /// Begins with another position of the same game.
    pub fn begin(&mut self, start: GameState<G>) {
        self.start = start;
        std::mem::swap(&mut self.tree, &mut self.earlier);
        self.tree.clear();
        self.begin_tree();
    }

    fn begin_tree(&mut self) {
        let key = self.start.position().key();
        // An empty tree has room for its root.
        self.root = self.tree.find_or_add(key).unwrap_or_default();
        self.priors = RootPriors::default();
        self.moves.clear();
        self.waiting = None;
        self.full = false;
    }

    /// Makes a playout, through the root's move of this index in the [`RootMoves::moves`] that
    /// [`StepSearch::root`] last returned for this position, if one is given, else by PUCT; or
    /// leaves a position waiting, before whose answer no other playout begins. The first descent
    /// evaluates the root.
    pub fn descend(&mut self, by: Option<usize>) {
        if self.waiting.is_some() {
            return;
        }
        let by = by.and_then(|by| self.choices.get(by).copied());
        let mut position = None;
        let mut playouts = Playouts::new(self.context(), None);
        let descent = playouts.gather(by, &mut |leaf: &G| position = Some(leaf.clone()));
        let leaf = playouts.take_leaf();
        self.waiting = leaf.zip(position);
        self.full |= descent == Descent::Full;
    }

    /// The position that waits for its evaluation.
    pub fn waiting(&self) -> Option<&G> {
        self.waiting.as_ref().map(|(_, position)| position)
    }

    /// Takes the evaluation of the waiting position: raw policy logits by policy index, and the
    /// expected result in [-1, 1] for its side to move.
    pub fn answer(&mut self, policy: &[f32], value: f32) {
        if let Some((leaf, _)) = self.waiting.take() {
            let certain = UnforbiddenMoves::under(self.start.position());
            let done = leaf.expand(&self.tree, certain, policy, value, &mut self.buffer);
            self.full |= !done;
        }
    }

    /// Whether there is no memory for another playout.
    pub fn is_full(&self) -> bool {
        self.full
    }

    fn context(&self) -> SearchContext<'_, G> {
        SearchContext {
            tree: &self.tree,
            root: self.root,
            start: &self.start,
            root_priors: &self.priors,
            reused_visits: &[],
            params: &self.params,
            endings: Endings::Values,
            knows_passes: false,
            is_mirrored: false,
            earlier: Some(&self.earlier),
            points: None,
            judged: None,
            over: &|| false,
        }
    }

    /// Gives the root, once it is evaluated, priors with temperature and noise.
    pub fn add_noise(&mut self, rng: &mut impl Rng) {
        let choices = self.tree.choices(self.tree.node(self.root));
        self.priors = root::priors(choices, &self.start, &[], None, &self.params, rng);
        self.moves.clear();
    }

    /// The root; `None` before it is evaluated.
    pub fn root(&mut self) -> Option<RootMoves<'_>> {
        let node = self.tree.node(self.root);
        if node.state().phase() != Phase::Expanded {
            return None;
        }
        if self.moves.is_empty() {
            self.choices.clear();
            let choices = self.tree.choices(node).iter().enumerate();
            for (index, choice) in choices.filter(|(_, choice)| self.start.allows(choice.mv())) {
                self.choices.push(index);
                self.moves.push(RootMove {
                    mv: choice.mv(),
                    policy: choice.prior(),
                    prior: self.priors.of(index).unwrap_or(choice.prior()),
                    visits: 0,
                    value: None,
                });
            }
        }
        let mut moves = self.choices.iter().zip(&mut self.moves).peekable();
        let mut all = 0;
        for (index, edge) in self.tree.edges(node).enumerate() {
            let Some((_, found)) = moves.next_if(|(choice, _)| **choice == index) else {
                continue;
            };
            let (visits, _) = edge.counts();
            let child = edge.child().filter(|_| visits > 0);
            found.visits = visits;
            found.value = child.map(|child| -self.tree.node(child).stats().0);
            all += visits;
        }
        Some(RootMoves {
            moves: &self.moves,
            visits: all,
            evaluation: node.own().0,
            value: node.stats().0,
        })
    }
}
