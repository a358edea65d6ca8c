//! The root: priors with temperature and noise, the choice of the move, and the report.

use std::sync::Arc;

use rand::{Rng, RngExt};

use super::edge::{Choice, Edge};
use super::leaf::ENDING_PRIOR;
use super::mirror;
use super::node::{Node, NodeId};
use super::params::{SearchParams, add_root_noise};
use super::playout::Endings;
use super::points::OwnershipSums;
use super::request::OpponentModel;
use super::select::{AVOIDED, FORBIDDEN, RootPriors, by_wanted};
use super::tree::Tree;
use crate::encode::Encoding;
use crate::game::{Bounds, Game, GameState, Move, OwnershipEstimate, Proof};
use crate::report::MoveReport;

/// A move with less than 1/RIVAL_SHARE of the leader's visits is not a rival yet.
const RIVAL_SHARE: u32 = 8;

/// A position under search, and its node.
#[derive(Clone)]
pub(super) struct Root<G: Game> {
    pub(super) start: GameState<G>,
    /// Moves to avoid.
    pub(super) avoid: Vec<Move>,
    pub(super) params: SearchParams,
    pub(super) tree: Arc<Tree>,
    pub(super) node: NodeId,
    pub(super) priors: RootPriors,
    /// Visits of its moves in earlier searches: see [`SearchContext::reused_visits`](super::playout::SearchContext).
    pub(super) reused_visits: Arc<[u32]>,
    /// One per thread, where the network predicts points; otherwise empty.
    pub(super) points: Arc<Vec<OwnershipSums>>,
    pub(super) endings: Endings,
    /// See [`AnalysisOptions::judged`](super::request::AnalysisOptions::judged).
    pub(super) judged: Option<Arc<OwnershipEstimate>>,
    pub(super) opponent: OpponentModel,
    /// How the network is shown positions.
    pub(super) encoding: &'static Encoding<G>,
    /// Visits of earlier searches.
    pub(super) reused: u64,
    /// Playouts that evaluated it: 1, or 0 where it was known.
    pub(super) first: u64,
    /// Evaluations beside the tree that told its points: 1, or 0 where they were known.
    pub(super) beside: u64,
}

impl<G: Game> Root<G> {
    pub(super) fn node(&self) -> &Node {
        self.tree.node(self.node)
    }

    /// Whether the network predicts points and has told none of this position or those after it.
    pub(super) fn lacks_points(&self) -> bool {
        !self.points.is_empty() && OwnershipSums::expected(&self.points, None).is_none()
    }

    /// Takes the priors and visits of its moves from the tree.
    pub(super) fn list_moves(&mut self, rng: &mut impl Rng) {
        let (choices, position) = (self.tree.choices(self.node()), self.start.position());
        let mirrored = self.opponent.mirrors;
        let mirrored = mirrored.then(|| mirror::least_prior(position, position));
        let least = mirrored.flatten().or_else(|| ending(position));
        self.priors = priors(choices, &self.start, &self.avoid, least, &self.params, rng);
        let edges = self.tree.edges(self.node());
        self.reused_visits = edges.map(|edge| edge.counts().0).collect();
    }

    /// Visits of earlier searches that need not be made again: neither pruned ones, nor those of moves that are to be
    /// avoided or that the game forbids, which say nothing of the others.
    pub(super) fn usable_visits(&self) -> u64 {
        let node = self.node();
        let useless = |mv: Move| self.avoid.contains(&mv) || !self.start.allows(mv);
        let visited = self.tree.choices(node).iter().zip(self.tree.edges(node));
        let visited = visited.map(|(choice, edge)| (choice.mv(), edge.counts().0));
        let lost = visited.filter(|&(mv, visits)| visits > 0 && useless(mv));
        let lost: u32 = lost.map(|(_, visits)| visits).sum();
        u64::from(node.unfolded().saturating_sub(lost))
    }

    /// Proven bounds, for its side to move; moves to avoid count only when all others are proven to lose.
    pub(super) fn bounds(&self) -> Bounds {
        match by_wanted(&self.tree, self.node(), &self.priors) {
            Some((_, bounds)) => bounds,
            None => self.bounds_of_all(),
        }
    }

    /// Under a repetition rule the root's own history is known: bounds of allowed moves are certain
    /// here.
    fn bounds_of_all(&self) -> Bounds {
        let known = self.node().state().bounds();
        if known.proof().is_some() || !self.start.position().forbids_repetition() {
            return known;
        }
        let moves = self.tree.moves(self.node()).filter_map(|(choice, edge)| {
            let bounds = self.bounds_after(edge);
            // A losing move makes no difference.
            let lost = bounds.high() == Proof::Loss;
            (!lost && self.start.allows(choice.mv())).then_some(bounds)
        });
        let moves = moves.fold(Bounds::exactly(Proof::Loss), Bounds::or);
        // Without moves it is a known finished game, or has not been expanded.
        match self.node().state().choice_count() {
            0 => known,
            _ => known.and(moves),
        }
    }

    /// Proven bounds of a move, for the side that plays it.
    fn bounds_after(&self, edge: Option<&Edge>) -> Bounds {
        let child = edge.and_then(|edge| self.tree.after(edge));
        child.map_or(Bounds::OPEN, |child| child.state().bounds().flip())
    }

    /// Its value for its side to move, by the same moves.
    pub(super) fn value(&self) -> f32 {
        let wanted = by_wanted(&self.tree, self.node(), &self.priors);
        wanted.map_or_else(|| self.node().stats().0, |(value, _)| value)
    }

    /// Every playable move, the move to play first; moves to avoid are not drawn at random.
    pub(super) fn moves(&self, rng: &mut impl Rng) -> Vec<MoveReport> {
        let position = self.start.position();
        let moves = self.tree.moves(self.node());
        let allowed = moves.filter(|(choice, _)| self.start.allows(choice.mv()));
        let value = self.value();
        let mut moves: Vec<MoveReport> = allowed
            .map(|(choice, edge)| self.report(choice, edge, value))
            .collect();
        moves.sort_by(|a, b| b.visits.cmp(&a.visits).then(b.prior.total_cmp(&a.prior)));
        if let Some(chosen) = choose(&moves, &self.avoid, position.ply(), &self.params, rng) {
            moves[..=chosen].rotate_right(1);
        }
        if moves.iter().any(|found| found.proof == Some(Proof::Win)) {
            // The search stops at the first proof, which may be of a longer win, and has perhaps not visited those that
            // end the game. A result on which the players have yet to agree is no proof.
            put_wins_first(&mut moves, position, |_, next| next.outcome().is_some());
        }
        moves
    }

    /// Puts the wanted moves first that certainly win, where the search itself proves nothing; returns whether there are
    /// any.
    pub(super) fn put_certain_wins_first(&self, moves: &mut [MoveReport]) -> bool {
        let choices = self.tree.choices(self.node());
        put_wins_first(moves, self.start.position(), |mv, _| {
            let place = choices.iter().position(|choice| choice.mv() == mv);
            place.is_none_or(|index| self.priors.want(index))
        })
    }

    /// A move without visits has the root's value.
    fn report(&self, choice: &Choice, edge: Option<&Edge>, root: f32) -> MoveReport {
        let visits = edge.map_or(0, |edge| edge.counts().0);
        let child = edge.and_then(|edge| self.tree.after(edge));
        let bounds = self.bounds_after(edge);
        let (mut value, mut lcb) = (root, -1.0);
        if let Some(child) = child.filter(|_| visits > 0) {
            let (mean, square) = child.stats();
            value = -mean;
            let lower = lower_bound(value, square, visits, self.params.lcb_deviations);
            lcb = lower.max(bounds.low().value());
        }
        let (pv, pv_visits) = self.main_line(choice.mv(), edge).into_iter().unzip();
        let mut report = MoveReport {
            visits: u64::from(visits),
            value,
            lcb,
            pv,
            pv_visits,
            ..MoveReport::unsearched(choice.mv(), choice.prior())
        };
        if let Some(proof) = bounds.proof() {
            report.prove(proof);
        }
        report
    }

    /// The principal variation: most visited moves with their visits, from this one on, until a
    /// position repeats; under a repetition rule only allowed moves.
    fn main_line(&self, first: Move, edge: Option<&Edge>) -> Vec<(Move, u64)> {
        let (tree, start) = (&self.tree, &self.start);
        let visits = |edge: &Edge| u64::from(edge.counts().0);
        let mut line = vec![(first, edge.map_or(0, visits))];
        let mut seen = Vec::new();
        let mut child = edge.and_then(Edge::child);
        let forbids = start.position().forbids_repetition() && child.is_some();
        let mut game_state = forbids.then(|| start.clone());
        while let Some(id) = child.filter(|id| !seen.contains(id)) {
            seen.push(id);
            if let (Some(game_state), Some(&(last, _))) = (&mut game_state, line.last()) {
                game_state.play(last);
            }
            let node = tree.node(id);
            let moves = tree.choices(node).iter().zip(tree.edges(node));
            let allows = |mv| game_state.as_ref().is_none_or(|game| game.allows(mv));
            let visited = moves.filter(|(choice, edge)| edge.counts().0 > 0 && allows(choice.mv()));
            let best = visited.max_by_key(|(_, edge)| (is_winning(tree, edge), edge.counts().0));
            let Some((choice, edge)) = best else { break };
            line.push((choice.mv(), visits(edge)));
            child = edge.child();
        }
        line
    }

    /// The leading moves.
    pub(super) fn leaders(&self) -> Leaders {
        let moves = self.tree.moves(self.node()).enumerate();
        let allowed = moves.filter(|(index, _)| self.priors.want(*index));
        let open = allowed.filter_map(|(_, (choice, edge))| {
            let child = edge.and_then(|edge| self.tree.after(edge));
            let lost = child.is_some_and(|child| child.state().proof() == Some(Proof::Win));
            let value = child.map_or(-1.0, |child| -child.stats().0);
            let visits = edge.map_or(0, |edge| edge.counts().0);
            (!lost).then(|| (choice.mv(), visits, value))
        });
        let open: Vec<(Move, u32, f32)> = open.collect();
        let first = open.iter().max_by_key(|(_, visits, _)| *visits).copied();
        let (leader, visits, value) = first.unwrap_or((Move(u16::MAX), 0, 0.0));
        let others = || open.iter().filter(|(mv, ..)| *mv != leader);
        // A move with few visits would have to keep its value to become a rival.
        let weighty = visits / RIVAL_SHARE;
        Leaders {
            leader,
            visits: u64::from(visits),
            runner_up: u64::from(others().map(|(_, visits, _)| *visits).max().unwrap_or(0)),
            best_valued: others().all(|(_, n, other)| *n < weighty || *other <= value),
            open_moves: open.len(),
        }
    }
}

/// The root's priors where they differ from its choices'; moves to avoid have the prior
/// [`AVOIDED`], those forbidden by the history [`FORBIDDEN`]. The move of `least` has that prior at least, so that its
/// value is known.
pub(super) fn priors<G: Game>(
    choices: &[Choice],
    start: &GameState<G>,
    avoid: &[Move],
    least: Option<(Move, f32)>,
    params: &SearchParams,
    rng: &mut impl Rng,
) -> RootPriors {
    let forbids = start.position().forbids_repetition();
    let plain = params.root_noise == 0.0 && params.root_policy_temperature == 1.0;
    let least_of = |choice: &Choice| least.filter(|(mv, _)| *mv == choice.mv());
    let raises =
        |choice: &Choice| least_of(choice).is_some_and(|(_, least)| choice.prior() < least);
    if plain && avoid.is_empty() && !forbids && !choices.iter().any(raises) {
        return RootPriors(None);
    }
    let mut priors: Vec<f32> = choices.iter().map(Choice::prior).collect();
    if !plain {
        add_root_noise(&mut priors, params, rng);
    }
    for (prior, choice) in priors.iter_mut().zip(choices) {
        if forbids && !start.allows(choice.mv()) {
            *prior = FORBIDDEN;
        } else if avoid.contains(&choice.mv()) {
            *prior = AVOIDED;
        } else if let Some((_, least)) = least_of(choice) {
            *prior = prior.max(least);
        }
    }
    RootPriors(Some(priors))
}

/// Puts the wanted moves first that certainly win, as they and the positions after them are; returns whether there are
/// any.
fn put_wins_first<G: Game>(
    moves: &mut [MoveReport],
    position: &G,
    wanted: impl Fn(Move, &G) -> bool,
) -> bool {
    let wins = |found: &MoveReport| {
        let mut next = position.clone();
        next.play(found.mv);
        wanted(found.mv, &next) && next.certain().proof() == Some(Proof::Loss)
    };
    let won: Vec<Move> = moves
        .iter()
        .filter(|found| wins(found))
        .map(|found| found.mv)
        .collect();
    moves.sort_by_key(|found| !won.contains(&found.mv));
    for found in &mut moves[..won.len()] {
        found.prove(Proof::Win);
    }
    !won.is_empty()
}

/// A pass that may end the game, and its minimum prior.
fn ending<G: Game>(position: &G) -> Option<(Move, f32)> {
    let nears_end = position.scored().is_some_and(|scored| scored.nears_end());
    nears_end.then(|| (position.size().pass(), ENDING_PRIOR))
}

/// The value less this many standard errors. One virtual visit that deviates by 1, half the range
/// of values, prevents a few equal values from looking certain.
fn lower_bound(value: f32, square: f32, visits: u32, deviations: f32) -> f32 {
    let visits = visits as f32;
    let variance = ((square - value * value).max(0.0) * visits + 1.0) / (visits + 1.0);
    (value - deviations * (variance / visits).sqrt()).max(-1.0)
}

/// The leading moves of the root during the search, among those not proven to lose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Leaders {
    /// The most visited move.
    pub(super) leader: Move,
    pub(super) visits: u64,
    /// Visits of the second most visited move; 0 if there is none.
    pub(super) runner_up: u64,
    /// Whether no other move with enough visits has a better value.
    pub(super) best_valued: bool,
    /// Moves that are not proven to lose.
    pub(super) open_moves: usize,
}

fn is_winning(tree: &Tree, edge: &Edge) -> bool {
    let child = tree.after(edge);
    child.is_some_and(|child| child.state().proof() == Some(Proof::Loss))
}

/// Index of the move to play, among moves by descending visits: a proven win; else, with a move
/// temperature, a random one of the moves that are not to be avoided nor proven to lose ([`draw`]); else the best open move
/// ([`best_open`]), or a proven draw if that move's value is not above 0; else the most visited. Moves to avoid, which
/// may have visits of earlier searches, count only when all others are proven to lose.
pub(crate) fn choose(
    moves: &[MoveReport],
    avoid: &[Move],
    ply: u32,
    params: &SearchParams,
    rng: &mut impl Rng,
) -> Option<usize> {
    let holds = |m: &MoveReport| m.proof != Some(Proof::Loss) && !avoid.contains(&m.mv);
    let any_holds = moves.iter().any(holds);
    let counts = |m: &MoveReport| !any_holds || !avoid.contains(&m.mv);
    let first = |proof| moves.iter().position(|m| counts(m) && m.proof == proof);
    if let Some(win) = first(Some(Proof::Win)) {
        return Some(win);
    }
    let temperature =
        params.move_temperature * 0.5_f32.powf(ply as f32 / params.move_temperature_halflife);
    if temperature > 0.01
        && any_holds
        && let Some(drawn) = draw(moves, holds, temperature, params.move_least_share, rng)
    {
        return Some(drawn);
    }
    let open = best_open(moves, counts, params);
    let Some(even) = first(Some(Proof::Draw)) else {
        return open.or((!moves.is_empty()).then_some(0));
    };
    // The expected value is compared with a certain result, not the lower bound, which would choose
    // the draw in nearly every good position.
    let better = |index: &usize| moves[*index].visits > 0 && moves[*index].value > 0.0;
    Some(open.filter(better).unwrap_or(even))
}

/// The best of the open moves that count: the one with the highest lower confidence bound among the well-visited ones.
fn best_open(
    moves: &[MoveReport],
    counts: impl Fn(&MoveReport) -> bool,
    params: &SearchParams,
) -> Option<usize> {
    let open = |m: &MoveReport| counts(m) && m.proof.is_none();
    let first = moves.iter().position(open)?;
    let enough = (moves[first].visits as f32 * params.lcb_min_visits).max(1.0);
    let visited = moves
        .iter()
        .enumerate()
        .filter(|(_, m)| open(m) && m.visits as f32 >= enough);
    let best = visited.max_by(|(i, a), (j, b)| a.lcb.total_cmp(&b.lcb).then(j.cmp(i)));
    Some(best.map_or(first, |(index, _)| index))
}

/// Draws a move with probability proportional to (visits + prior)^(1/temperature): the root's own
/// visit counts for all moves by their priors, so that a search of one visit draws by the policy.
/// Moves below `least_share` of the largest such weight, before the temperature, are not drawn.
fn draw(
    moves: &[MoveReport],
    holds: impl Fn(&MoveReport) -> bool,
    temperature: f32,
    least_share: f32,
    rng: &mut impl Rng,
) -> Option<usize> {
    let plain = |m: &MoveReport| match holds(m) {
        true => m.visits as f32 + m.prior,
        false => 0.0,
    };
    let most = moves.iter().map(plain).reduce(f32::max)?;
    let weight = |m: &MoveReport| {
        let share = plain(m) / most;
        if share >= least_share {
            share.powf(1.0 / temperature)
        } else {
            0.0
        }
    };
    let total: f32 = moves.iter().map(weight).sum();
    let mut rest = rng.random::<f32>() * total;
    moves.iter().position(|m| {
        rest -= weight(m);
        rest < 0.0
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    fn rng() -> Xoshiro256PlusPlus {
        Xoshiro256PlusPlus::seed_from_u64(1)
    }

    fn report(mv: u16, visits: u64, lcb: f32, proof: Option<Proof>) -> MoveReport {
        MoveReport {
            visits,
            value: lcb,
            lcb,
            proof,
            ..MoveReport::unsearched(Move(mv), 0.1)
        }
    }

    fn chosen(moves: &[MoveReport]) -> Option<usize> {
        choose(moves, &[], 0, &SearchParams::default(), &mut rng())
    }

    #[test]
    fn a_proven_win_is_played_and_a_proven_loss_is_not() {
        let win = report(3, 1, 1.0, Some(Proof::Win));
        let loss = report(1, 900, -1.0, Some(Proof::Loss));
        let open = report(2, 10, -0.9, None);
        assert_eq!(chosen(&[loss.clone(), open.clone(), win]), Some(2));
        assert_eq!(chosen(&[loss.clone(), open]), Some(1));
        assert_eq!(chosen(&[loss]), Some(0));
        assert_eq!(chosen(&[]), None);
    }

    #[test]
    fn a_proven_draw_is_played_unless_more_is_expected_elsewhere() {
        let draw = report(3, 5, 0.0, Some(Proof::Draw));
        let open = |value, lcb| MoveReport {
            value,
            ..report(2, 100, lcb, None)
        };
        let loss = report(1, 900, -1.0, Some(Proof::Loss));
        let good = open(0.3, -0.05);
        assert_eq!(chosen(&[loss.clone(), good, draw.clone()]), Some(1));
        let bad = open(-0.1, -0.3);
        assert_eq!(chosen(&[loss.clone(), bad, draw.clone()]), Some(2));
        assert_eq!(chosen(&[loss.clone(), draw.clone()]), Some(1));
        // An unvisited move promises nothing.
        let untried = report(2, 0, 0.9, None);
        assert_eq!(chosen(&[loss, draw, untried]), Some(1));
    }

    #[test]
    fn the_bound_decides_among_well_visited_moves() {
        let moves = [
            report(0, 100, 0.1, None),
            report(1, 60, 0.2, None),
            report(2, 10, 0.5, None),
        ];
        assert_eq!(chosen(&moves), Some(1));
    }

    #[test]
    fn without_visits_the_first_move_stands() {
        assert_eq!(
            chosen(&[report(5, 0, -1.0, None), report(6, 0, -1.0, None)]),
            Some(0)
        );
    }

    #[test]
    fn temperature_draws_by_visits_and_cools_down() {
        let params = SearchParams {
            move_temperature: 1.0,
            ..SearchParams::default()
        };
        let moves = [report(0, 75, 0.0, None), report(1, 25, 0.0, None)];
        let mut rng = rng();
        let share = |ply, rng: &mut Xoshiro256PlusPlus| {
            let drawn = (0..4000).filter(|_| choose(&moves, &[], ply, &params, rng) == Some(1));
            drawn.count() as f32 / 4000.0
        };
        assert!((share(0, &mut rng) - 0.25).abs() < 0.03);
        // Temperature 1/2 after one half-life: 25^2 / (75^2 + 25^2) = 0.1.
        assert!((share(9, &mut rng) - 0.1).abs() < 0.03);
    }

    #[test]
    fn moves_to_avoid_are_not_drawn() {
        let params = SearchParams {
            move_temperature: 1.0,
            ..SearchParams::default()
        };
        let moves = [(1, 60), (2, 30), (3, 10)].map(|(mv, n)| report(mv, n, 0.0, None));
        let rng = &mut rng();
        let mut share = |avoid: &[Move]| {
            let mut draw = || choose(&moves, avoid, 0, &params, rng).expect("a move");
            let drawn: Vec<usize> = (0..4000).map(|_| draw()).collect();
            [0, 1, 2].map(|index| drawn.iter().filter(|&&at| at == index).count() as f32 / 4000.0)
        };
        let [first, second, third] = share(&[Move(1)]);
        assert_eq!(first, 0.0);
        assert!((second - 0.75).abs() < 0.03 && (third - 0.25).abs() < 0.03);
        // Without others the most visited is played.
        assert_eq!(share(&[1, 2, 3].map(Move)), [1.0, 0.0, 0.0]);
    }

    #[test]
    fn visits_of_moves_to_avoid_do_not_choose_among_the_others() {
        let (win, draw, loss) = (Some(Proof::Win), Some(Proof::Draw), Some(Proof::Loss));
        let chosen = |moves: &[(u64, f32, Option<Proof>)]| {
            let moves = moves.iter().zip(0..);
            let moves: Vec<_> = moves
                .map(|(&(visits, lcb, proof), mv)| report(mv, visits, lcb, proof))
                .collect();
            choose(&moves, &[Move(0)], 0, &SearchParams::default(), &mut rng())
        };
        let well_visited = [(100, 0.5, None), (10, 0.1, None), (9, 0.2, None)];
        assert_eq!(chosen(&well_visited), Some(2));
        let drawn = [(100, 0.5, None), (10, -0.1, None), (9, 0.0, draw)];
        assert_eq!(chosen(&drawn), Some(2));
        let won = [(100, 1.0, win), (10, 0.1, None), (9, 0.2, None)];
        assert_eq!(chosen(&won), Some(2));
        assert_eq!(chosen(&[(100, 1.0, win), (10, -1.0, loss)]), Some(0));
    }

    #[test]
    fn a_search_of_one_visit_draws_by_the_policy_without_its_tail() {
        let unvisited = |mv, prior| MoveReport {
            prior,
            ..report(mv, 0, -1.0, None)
        };
        let moves = [unvisited(0, 0.7), unvisited(1, 0.28), unvisited(2, 0.02)];
        let mut rng = rng();
        let mut shares = |least_share| {
            let params = SearchParams {
                move_temperature: 1.0,
                move_least_share: least_share,
                ..SearchParams::default()
            };
            let mut drawn = [0.0; 3];
            for _ in 0..4000 {
                drawn[choose(&moves, &[], 0, &params, &mut rng).expect("a move")] += 1.0 / 4000.0;
            }
            drawn
        };
        let near = |drawn: [f32; 3], wanted: [f32; 3]| {
            drawn
                .iter()
                .zip(wanted)
                .all(|(drawn, wanted)| (drawn - wanted).abs() < 0.03)
        };
        assert!(near(shares(0.0), [0.7, 0.28, 0.02]));
        let cut = shares(0.1);
        assert!(near(cut, [0.714, 0.286, 0.0]) && cut[2] == 0.0);
    }
}
