//! RAVE Monte-Carlo tree search (docs/methods.md#playouts): no exploration term, the all-moves-as-first
//! statistics explore by themselves.

use rand::SeedableRng;
use rand_xoshiro::Xoshiro256PlusPlus;

use super::tree::{NodeId, Tree};
use super::{Played, Playout, PlayoutPolicy, Tally};
use crate::game::{Color, Expected, HalfPoints, Move, Outcome, Past, Reached};

/// Settings of the RAVE search.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RaveParams {
    /// How playouts choose their moves, and whether the tree begins with what is known of the game.
    pub policy: PlayoutPolicy,
    /// Visits at which a move's own win rate weighs about as much as its RAVE win rate; 0 for no RAVE.
    /// 500 and 2,000 play alike, 100 loses 69-51 (docs/methods.md#playouts).
    pub equivalence: f32,
    /// How much a move gains by having few visits, at least 0.
    pub exploration: f32,
    /// How much of a playout's result is by how much it was won, in [0, 1], in games that count
    /// points.
    pub score_weight: f32,
    /// Playouts at the start of a search that do not count for [`RaveReport::expected`]: until the
    /// tree knows the right answers, what becomes of the points says little.
    pub uncounted: u64,
    /// Whether a pass begins as an even chance in every node, whatever it has led to: whoever is ahead
    /// then goes on to take what is dead.
    pub passes_stay_even: bool,
    /// Whether a search goes on with what the last one has found of its position, in games where the
    /// past tells what was played.
    pub reuse: bool,
    /// Nodes after which the tree stops growing; playouts go on from its leaves. A node of a
    /// 9x9 board takes at most 2 KiB.
    pub max_nodes: usize,
    /// Bytes after which it stops growing, too, counted with the room that growing tables keep free.
    pub max_bytes: usize,
}

impl Default for RaveParams {
    fn default() -> Self {
        RaveParams {
            policy: PlayoutPolicy::Own,
            equivalence: 1000.0,
            exploration: 0.0,
            score_weight: 0.0,
            uncounted: 0,
            passes_stay_even: false,
            reuse: false,
            max_nodes: 200_000,
            max_bytes: 1 << 30,
        }
    }
}

impl RaveParams {
    /// UCT that knows nothing of the game: what papers mean by a search of random rollouts. Its
    /// exploration, 0.5 for results in [0, 1], is of the usual size.
    #[must_use]
    pub fn plain_uct() -> RaveParams {
        RaveParams {
            policy: PlayoutPolicy::Uniform,
            equivalence: 0.0,
            exploration: 0.5,
            ..RaveParams::default()
        }
    }
}

/// A root move as the search left it.
#[derive(Debug, Clone, PartialEq)]
pub struct RaveMove {
    /// The move.
    pub mv: Move,
    /// Playouts through it.
    pub visits: u64,
    /// Its mean result in [-1, 1] for the side to move at the root; 0 without visits.
    pub value: f32,
    /// The line of most visited moves, this one first.
    pub pv: Vec<Move>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq)]
pub struct RaveReport {
    /// All legal moves, most visited first. Empty when there is none.
    pub moves: Vec<RaveMove>,
    /// Playouts made.
    pub playouts: u64,
    /// Playouts of earlier searches that count as well.
    pub reused: u64,
    /// What has become of the points in those that count, in games that count points.
    pub expected: Option<Expected>,
}

impl RaveReport {
    /// Mean result of all playouts in [-1, 1], for the side to move at the root.
    #[must_use]
    pub fn value(&self) -> f32 {
        let weighted: f32 = self.moves.iter().map(|m| m.visits as f32 * m.value).sum();
        weighted / ((self.playouts + self.reused).max(1) as f32)
    }
}

/// Playouts of a search, at most: beyond 2^24 a visit more is no longer a larger f32.
pub const MOST_PLAYOUTS: u64 = 1 << 24;

/// A RAVE searcher: its settings, its random numbers and the memory that searches reuse.
///
/// Unless [`RaveParams::reuse`] says otherwise, the tree is built anew for each search, so that the
/// strength of N playouts a move does not depend on what came before: it is the anchor of the ratings.
#[derive(Debug)]
pub struct Rave {
    params: RaveParams,
    rng: Xoshiro256PlusPlus,
    tree: Tree,
    path: Vec<(NodeId, usize)>,
    /// The positions up to the one that the tree begins with.
    planted: Past,
    /// Whether the tree's root lacks moves that were to be avoided.
    leaves_out: bool,
    /// The positions of the game and of a descent.
    past: Past,
    played: Played,
    tally: Tally,
}

impl Rave {
    /// A searcher; the same seed and the same searches give the same reports.
    #[must_use]
    pub fn new(params: RaveParams, seed: u64) -> Rave {
        Rave {
            params,
            rng: Xoshiro256PlusPlus::seed_from_u64(seed),
            tree: Tree::default(),
            path: Vec::new(),
            planted: Past::default(),
            leaves_out: false,
            past: Past::default(),
            played: Played::default(),
            tally: Tally::default(),
        }
    }

    /// The same with a tree of at most so many bytes.
    #[must_use]
    pub fn within(mut self, max_bytes: usize) -> Rave {
        self.params.max_bytes = max_bytes;
        self
    }

    /// Searches from `root`, where a game begins, for as long as `go_on` says, which is asked before each playout with
    /// the number of playouts so far, reused ones counted, and for [`MOST_PLAYOUTS`] at most. A finished game is reported
    /// without a playout.
    pub fn search<G: Playout>(
        &mut self,
        root: &G,
        mut go_on: impl FnMut(u64) -> bool,
    ) -> RaveReport {
        self.watch(&root.clone().into(), &[], |playouts, _| go_on(playouts))
    }

    /// Searches as [`Rave::search`] does, in the middle of a game: without the moves that its past
    /// forbids, here or in the tree, and at the root without those to `avoid`, unless there are no
    /// others. `go_on` may also look at what was found so far.
    pub fn watch<G: Playout>(
        &mut self,
        start: &Reached<G>,
        avoid: &[Move],
        mut go_on: impl FnMut(u64, &dyn Fn() -> RaveReport) -> bool,
    ) -> RaveReport {
        let (root, begun) = (start.position(), start.past().len());
        self.tally.clear(root.size().area());
        let root_node = self.plant(start, avoid);
        let reused = self
            .tree
            .children(root_node)
            .map(|child| child.visits as u64);
        let (reused, mut playouts) = (reused.sum(), 0);
        let report = |rave: &Rave, playouts| rave.report(root_node, playouts, reused);
        if root.outcome().is_none() {
            while reused + playouts < MOST_PLAYOUTS
                && go_on(reused + playouts, &|| report(self, playouts))
            {
                if playouts == self.params.uncounted {
                    self.tally.clear(root.size().area());
                }
                self.playout(root, root_node);
                self.past.truncate(begun);
                playouts += 1;
            }
        }
        let mut report = report(self, playouts);
        let winning = report
            .moves
            .iter()
            .position(|found| wins_at_once(root, found.mv));
        if let Some(winning) = winning {
            report.moves[..=winning].rotate_right(1);
        }
        report
    }

    /// The tree that a search begins with: its root.
    fn plant<G: Playout>(&mut self, start: &Reached<G>, avoid: &[Move]) -> NodeId {
        let root = start.position();
        // A tree that leaves moves out is for one search.
        let whole = !std::mem::replace(&mut self.leaves_out, !avoid.is_empty());
        let reuse = self.params.reuse && whole && avoid.is_empty();
        let known = reuse.then(|| self.known(start)).flatten();
        self.past.clone_from(start.past());
        self.planted.clone_from(start.past());
        match known {
            Some(node) => {
                self.tree.keep(node);
                0
            }
            None => {
                self.tree.clear();
                let node = self.tree.add_node(root, &self.past, self.params.policy);
                self.tree.avoid(node, avoid);
                node
            }
        }
    }

    /// The node of the last search's tree to which the game has come.
    fn known<G: Playout>(&self, start: &Reached<G>) -> Option<NodeId> {
        let plies = start.past().since(&self.planted)?;
        let moves: Vec<Move> = start.position().recent().iter().take(plies).collect();
        let in_order: Vec<Move> = moves.into_iter().rev().collect();
        let known = in_order.len() == plies;
        known
            .then(|| self.tree.find(&in_order, start.position()))
            .flatten()
    }

    fn report(&self, root: NodeId, playouts: u64, reused: u64) -> RaveReport {
        RaveReport {
            moves: self.root_moves(root),
            playouts,
            reused,
            expected: self.tally.expected(),
        }
    }

    /// What has become of the points in the playouts of the last search, as far as they count.
    pub(super) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// One descent, one playout to the end, one backup.
    fn playout<G: Playout>(&mut self, root: &G, root_node: NodeId) {
        let mut position = root.clone();
        let mover = position.to_move();
        self.path.clear();
        let mut node = root_node;
        while let Some(child) = self.select(node) {
            self.path.push((node, child));
            position.play(self.tree.move_of(child));
            self.past.push(&position);
            match self.tree.node_of(child) {
                Some(next) => node = next,
                None => {
                    let room = self.tree.bytes() < self.params.max_bytes;
                    if room && self.tree.len() < self.params.max_nodes {
                        let policy = self.params.policy;
                        self.tree.expand(child, &position, &self.past, policy);
                    }
                    break;
                }
            }
        }
        self.played.clear(&position);
        let outcome = match position.outcome() {
            Some(outcome) => {
                position.tally(&mut self.tally);
                outcome
            }
            None => {
                let (policy, tally) = (self.params.policy, &mut self.tally);
                position.finish(policy, &mut self.rng, &mut self.played, tally)
            }
        };
        let area = root.size().area();
        let win = worth(outcome, mover, area, self.params.score_weight);
        self.backup(area, mover, win);
    }

    fn select(&mut self, node: NodeId) -> Option<usize> {
        let RaveParams {
            equivalence,
            exploration,
            ..
        } = self.params;
        self.tree.select(node, equivalence, exploration)
    }

    /// Adds a finished game's result, in [0, 1] for the root's mover, to every node on the path: the
    /// last one first, so that each knows the moves after it and no others.
    fn backup(&mut self, points: usize, mover: Color, win: f32) {
        for (depth, &(node, child)) in self.path.iter().enumerate().rev() {
            let (side, won) = match depth % 2 {
                0 => (mover, win),
                _ => (mover.opponent(), 1.0 - win),
            };
            let mv = self.tree.move_of(child);
            if mv.index() < points {
                self.played.add_earlier(side, mv);
            } else if !self.params.passes_stay_even {
                self.tree.update_rave_of(child, won);
            }
            self.tree.update_child(child, won);
            self.tree.update_rave(node, self.played.by(side), won);
        }
    }

    fn root_moves(&self, root: NodeId) -> Vec<RaveMove> {
        let mut moves: Vec<RaveMove> = self
            .tree
            .children(root)
            .map(|child| {
                let mut pv = vec![child.mv];
                let mut node = child.node;
                while let Some(best) = node.and_then(|node| self.most_visited(node)) {
                    pv.push(best.mv);
                    node = best.node;
                }
                let rate = child.wins / child.visits.max(1.0);
                let value = if child.visits > 0.0 {
                    2.0 * rate - 1.0
                } else {
                    0.0
                };
                RaveMove {
                    mv: child.mv,
                    visits: child.visits as u64,
                    value,
                    pv,
                }
            })
            .collect();
        moves.sort_by_key(|m| std::cmp::Reverse(m.visits));
        moves
    }

    fn most_visited(&self, node: NodeId) -> Option<super::tree::ChildStats> {
        let visited = self.tree.children(node).filter(|child| child.visits > 0.0);
        visited.max_by(|a, b| a.visits.total_cmp(&b.visits))
    }
}

/// A playout's result in [0, 1] for one side: won or lost, and as far as the score weighs its share
/// of a board of so many points.
fn worth(outcome: Outcome, color: Color, area: usize, score_weight: f32) -> f32 {
    let value = outcome.value_for(color);
    let win = (value + 1.0) / 2.0;
    match outcome.margin {
        Some(HalfPoints(margin)) if score_weight > 0.0 => {
            let ahead = value * margin as f32 / 2.0;
            let share = (0.5 + ahead / (2.0 * area as f32)).clamp(0.0, 1.0);
            win + score_weight * (share - win)
        }
        _ => win,
    }
}

/// Whether a pass ends the game as won: nobody plays on then.
fn wins_at_once<G: Playout>(position: &G, mv: Move) -> bool {
    if !G::INFO.passes || mv.index() < position.size().area() {
        return false;
    }
    let mut next = position.clone();
    next.play(mv);
    let outcome = next.outcome();
    outcome.is_some_and(|outcome| outcome.winner == Some(position.to_move()))
}

#[cfg(test)]
mod tests {
    use rand::RngExt;

    use super::*;
    use crate::game::go::SmallGo;
    use crate::game::nogo::SmallNoGo;
    use crate::game::{BoardSize, Game, Rules};

    fn start(width: u8, height: u8) -> SmallNoGo {
        SmallNoGo::new(BoardSize::new(width, height)).unwrap()
    }

    fn search(position: &SmallNoGo, playouts: u64, seed: u64) -> RaveReport {
        Rave::new(RaveParams::default(), seed).search(position, |done| done < playouts)
    }

    #[test]
    fn every_playout_is_counted_once() {
        let report = search(&start(5, 5), 500, 1);
        assert_eq!(report.playouts, 500);
        assert_eq!(report.moves.len(), 25);
        assert_eq!(report.moves.iter().map(|m| m.visits).sum::<u64>(), 500);
        assert!(report.moves.is_sorted_by(|a, b| a.visits >= b.visits));
        assert!(
            report
                .moves
                .iter()
                .all(|m| m.pv[0] == m.mv && m.value.abs() <= 1.0)
        );
    }

    #[test]
    fn a_seed_fixes_the_search() {
        assert_eq!(search(&start(6, 6), 300, 7), search(&start(6, 6), 300, 7));
        assert_ne!(search(&start(6, 6), 300, 7), search(&start(6, 6), 300, 8));
    }

    #[test]
    fn a_finished_game_has_no_moves() {
        let report = search(&start(1, 1), 10, 1);
        assert_eq!((report.moves.len(), report.playouts), (0, 0));
    }

    #[test]
    fn it_goes_on_when_the_tree_is_full() {
        let params = RaveParams {
            max_nodes: 10,
            ..RaveParams::default()
        };
        let mut rave = Rave::new(params, 1);
        let report = rave.search(&start(5, 5), |done| done < 200);
        assert_eq!(report.playouts, 200);
        assert_eq!(rave.tree.len(), 10);
    }

    #[test]
    fn what_a_past_forbids_is_in_no_line() {
        for (width, height) in [(3, 1), (5, 1), (2, 2), (3, 2)] {
            let mut game = Reached::from(SmallGo::new(BoardSize::new(width, height)).unwrap());
            if (width, height) == (3, 1) {
                // Black's first point would bring back the board after two moves.
                [0, 2, 1, 2].into_iter().for_each(|mv| game.play(Move(mv)));
                assert!(game.position().is_legal(Move(0)) && !game.allows(Move(0)));
            }
            let mut rave = Rave::new(RaveParams::default(), 1);
            let report = rave.watch(&game, &[], |done, _| done < 3000);
            for found in &report.moves {
                let mut line = game.clone();
                for &mv in &found.pv {
                    assert!(line.allows(mv), "{mv:?} on {width}x{height}");
                    line.play(mv);
                }
            }
        }
    }

    #[test]
    fn what_is_known_of_a_position_is_kept() {
        let params = RaveParams {
            reuse: true,
            ..RaveParams::default()
        };
        let mut rave = Rave::new(params, 1);
        let mut game = Reached::from(SmallGo::new(BoardSize::square(5)).unwrap());
        let first = rave.watch(&game, &[], |done, _| done < 2000);
        assert_eq!((first.playouts, first.reused), (2000, 0));
        let line = &first.moves[0].pv;
        assert!(line.len() > 3, "{line:?}");
        game.play(line[0]);
        game.play(line[1]);
        let known = rave.watch(&game, &[], |_, _| false);
        assert!(known.reused > 100 && known.playouts == 0, "{known:?}");
        assert_eq!(known.moves[0].pv[..], line[2..]);
        assert_eq!(
            known.moves.iter().map(|found| found.visits).sum::<u64>(),
            known.reused
        );
        // What was kept grows on, and a second time.
        let further = rave.watch(&game, &[], |done, _| done < 3000);
        assert_eq!(further.playouts + further.reused, 3000);
        assert_eq!(further.reused, known.reused);
        game.play(further.moves[0].mv);
        assert!(rave.watch(&game, &[], |_, _| false).reused > 100);
        // Another komi is another position, and so is another game.
        let rules = game
            .position()
            .rules()
            .with_komi(HalfPoints(3))
            .expect("it counts");
        let other = SmallGo::with_rules(BoardSize::square(5), rules).unwrap();
        assert_eq!(rave.watch(&other.into(), &[], |_, _| false).reused, 0);
    }

    #[test]
    fn what_is_to_be_avoided_is_tried_only_where_there_is_nothing_else() {
        let game: Reached<SmallNoGo> = start(3, 3).into();
        let mut rave = Rave::new(RaveParams::default(), 1);
        let best = rave.watch(&game, &[], |done, _| done < 500).moves[0].mv;
        let report = rave.watch(&game, &[best], |done, _| done < 500);
        assert_ne!(report.moves[0].mv, best);
        let avoided = report.moves.iter().find(|found| found.mv == best);
        assert_eq!(avoided.map(|found| found.visits), Some(0));
        let all: Vec<Move> = game.legal_moves().collect();
        let report = rave.watch(&game, &all, |done, _| done < 500);
        assert!(report.moves[0].visits > 0, "there is nothing else");
    }

    #[test]
    fn it_stays_within_its_memory() {
        let params = RaveParams {
            max_bytes: 20_000,
            ..RaveParams::default()
        };
        let mut rave = Rave::new(params, 1);
        rave.search(&start(5, 5), |done| done < 200);
        assert!(
            (10..30).contains(&rave.tree.len()),
            "{} nodes",
            rave.tree.len()
        );
    }

    /// 3x3 is a win for the first player and 2x3 for the second (docs/methods.md#nogo).
    #[test]
    fn it_finds_solved_results() {
        assert!(search(&start(3, 3), 20_000, 1).moves[0].value > 0.9);
        assert!(search(&start(2, 3), 20_000, 1).moves[0].value < -0.9);
    }

    /// Plays one game between two policies from a random opening of four plies and says whether
    /// the policy of `black` won.
    fn black_wins(policies: [PlayoutPolicy; 2], playouts: u64, seed: u64) -> bool {
        let mut position = start(9, 9);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        for _ in 0..4 {
            let choice = rng.random_range(0..position.legal_count());
            position.play(position.legal_moves().nth(choice).unwrap());
        }
        let mut players = policies.map(|policy| {
            let params = RaveParams {
                policy,
                ..RaveParams::default()
            };
            Rave::new(params, seed)
        });
        while position.outcome().is_none() {
            let player = &mut players[position.to_move().index()];
            let report = player.search(&position, |done| done < playouts);
            position.play(report.moves[0].mv);
        }
        position.outcome() == Some(Outcome::win(Color::Black))
    }

    /// 117-3 at 1,000 playouts (docs/methods.md#playouts). `TENGEN_RAVE_GAMES` plays so many games with
    /// that many playouts instead of a few short ones.
    #[test]
    fn keeping_private_points_for_last_beats_uniform_playouts() {
        use PlayoutPolicy::{Own, Uniform};
        let asked = std::env::var("TENGEN_RAVE_GAMES").ok();
        let (games, playouts, needed) = match asked {
            Some(games) => (games.parse().unwrap(), 1000, 0.9),
            None => (10, 150, 0.7),
        };
        let won_by_private_last = |game: &u64| {
            // Each opening twice, with colours swapped.
            if game.is_multiple_of(2) {
                black_wins([Own, Uniform], playouts, game / 2)
            } else {
                !black_wins([Uniform, Own], playouts, game / 2)
            }
        };
        let won = (0..games).filter(won_by_private_last).count();
        let share = won as f64 / games as f64;
        assert!(share >= needed, "won {won} of {games} games");
    }
}
