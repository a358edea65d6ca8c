//! Decision to pass: because that ends the game as won, or because no move is better.

use std::sync::Arc;

use crate::game::{Color, Game, Move, OwnershipEstimate, Proof, Settled, scoring};
use crate::search::{MoveReport, SearchReport};

/// Maximum advantage in value, in [-1, 1], of a move over a pass that counts as equal.
const AS_LIKELY: f32 = 0.05;

/// Maximum advantage in points of such a move.
const AS_LARGE: f32 = 0.6;

/// A pass of at least this value, in [-1, 1], that ends the game is not given up for more points.
const WINS: f32 = 0.5;

/// Minimum visits of a pass, as a share of those of the best move, for its value to be used.
const LEAST_SHARE: f32 = 0.02;

/// A move that loses the count is played all the same if the search finds it better than the pass by more than
/// this, as a difference of values in [-1, 1]: the count has overlooked something.
const OVERLOOKED: f32 = 1.0;

/// Judgement of a pass before a search.
#[derive(Default)]
pub(super) struct PassJudgement {
    /// Only a pass is left: no search is needed.
    pub(super) decides: bool,
    /// The ownership if both sides pass now, if judged.
    pub(super) expected: Option<Arc<OwnershipEstimate>>,
}

/// Whether the opponent has passed, so that a pass ends the game.
pub(super) fn is_offered<G: Game>(position: &G) -> bool {
    G::INFO.scored && position.last_move() == Some(position.size().pass())
}

/// Whether there is nothing left but to pass, by the judgement of [`when_both_pass`]. A pass that ends the game
/// wins it for any fate of the stones in doubt, or loses what is lost for certain with no point left open.
/// A side that passes first has won for certain, with no point left open. Where the board counts as it stands, a
/// win is exact, and the side that is behind plays on.
pub(super) fn decides<G: Game>(position: &G, settled: &Settled, offered: bool) -> bool {
    if !scoring::agrees_on_dead(position) {
        return offered && as_it_stands(position) == Some(position.to_move());
    }
    settled.certain_winner().is_some_and(|winner| {
        let wins = winner == position.to_move();
        match settled.open {
            0 => offered || wins,
            _ => offered && wins,
        }
    })
}

/// The position judged when both sides pass now: unchanged if the rules involve no agreement on
/// dead stones.
pub(super) fn when_both_pass<G: Game>(position: &G) -> G {
    let mut next = position.clone();
    let pass = next.size().pass();
    while scoring::agrees_on_dead(&next) && next.outcome().is_none() {
        next.play(pass);
    }
    next
}

/// Whether a search near the end of a game found nothing better than a pass, or only a move that loses a count
/// which a pass wins; `expected` is the ownership if both sides pass now, if that was judged.
pub(super) fn is_preferred<G: Game>(
    position: &G,
    report: &SearchReport,
    expected: Option<&OwnershipEstimate>,
) -> bool {
    let loses = |expected| loses_where_a_pass_wins(position, report, expected);
    scoring::nears_end(position) && (is_as_good(position, report) || expected.is_some_and(loses))
}

/// Whether a searched pass is worth as much as the best move.
fn is_as_good<G: Game>(position: &G, report: &SearchReport) -> bool {
    let pass = position.size().pass();
    let passed = report.moves.iter().find(|found| found.mv == pass);
    let (Some(best), Some(passed)) = (report.best(), passed) else {
        return false;
    };
    if let Some(proof) = report.proof {
        // The search may have ended before it reached the pass.
        let mut next = scoring::searched(position);
        next.play(pass);
        let glance = next.certain().flip().low();
        return passed.proof.map_or(glance, |proof| proof.max(glance)) >= proof;
    }
    let enough = (best.visits as f32 * LEAST_SHARE).max(1.0);
    let wins = is_offered(position) && passed.value >= WINS;
    let gain = gain(position.to_move(), passed, best).filter(|_| !wins);
    passed.visits as f32 >= enough
        && best.value - passed.value <= AS_LIKELY
        && gain.is_none_or(|gain| gain <= AS_LARGE)
}

/// Whether the best move of a search turns a result that a pass keeps into a worse one, if both sides pass
/// afterwards. `expected` is the ownership if both pass now. A network that is off by a point does not see that a
/// stone in its own territory loses a game that is won by half a point: the opponent then only has to pass.
fn loses_where_a_pass_wins<G: Game>(
    position: &G,
    report: &SearchReport,
    expected: &OwnershipEstimate,
) -> bool {
    let pass = position.size().pass();
    let Some(best) = report.best().filter(|best| best.mv != pass) else {
        return false;
    };
    let counts = |position: &G| -> Option<Proof> {
        let settled = scoring::settle(&when_both_pass(position), expected)?;
        Some(settled.outcome().proof_for(position.to_move()))
    };
    let mut next = position.clone();
    next.play(best.mv);
    let (Some(passed), Some(played)) = (counts(position), counts(&next).map(Proof::flip)) else {
        return false;
    };
    let searched = report.moves.iter().find(|found| found.mv == pass);
    let overlooked = searched.is_none_or(|found| best.value - found.value > OVERLOOKED);
    played < passed && best.proof != Some(Proof::Win) && (is_offered(position) || !overlooked)
}

/// Difference of a side's lead in points between two moves, if known.
fn gain(color: Color, from: &MoveReport, to: &MoveReport) -> Option<f32> {
    let ahead = |found: &MoveReport| Some(found.expected.as_ref()?.black_ahead);
    let gain = ahead(to)? - ahead(from)?;
    Some(if color == Color::Black { gain } else { -gain })
}

/// The winner if both sides pass now.
fn as_it_stands<G: Game>(position: &G) -> Option<Color> {
    let mut next = position.clone();
    let pass = next.size().pass();
    while next.outcome().is_none() && next.is_legal(pass) {
        next.play(pass);
    }
    next.outcome()?.winner
}

/// Moves that `color` avoids while dead stones of the other side are on the board: the pass, and
/// all moves that do not help to capture them. Empty without dead stones.
pub(super) fn away_from_dead<G: Game>(position: &G, color: Color, settled: &Settled) -> Vec<Move> {
    let dead = |point| position.stone(point) == Some(color.opponent());
    let helps = settled.around_dead(position.size(), dead);
    if helps.is_empty() {
        return Vec::new();
    }
    let others = position.legal_moves();
    others.filter(|mv| !helps.contains(mv)).collect()
}

/// The report with the pass first, where the player would pass and the report does not say so: clients that play
/// the first move of an analysis (KaTrain) end games, too. Judges by the numbers of the report alone.
pub(super) fn with_pass_first<G: Game>(
    report: &SearchReport,
    position: &G,
    judged: &PassJudgement,
) -> Option<SearchReport> {
    let expected = judged.expected.as_deref();
    let is_closed = || {
        let expected = expected.or(report.expected.as_ref());
        let settled = expected.and_then(|expected| scoring::settle(position, expected));
        settled.is_some_and(|settled| settled.open == 0)
    };
    let passes = judged.decides
        || is_preferred(position, report, expected) && (is_offered(position) || is_closed());
    if !passes {
        return None;
    }
    let pass = position.size().pass();
    let place = report.moves.iter().position(|found| found.mv == pass)?;
    let mut report = report.clone();
    let mut found = report.moves.remove(place);
    if found.visits == 0 {
        // The search did not reach it, and the value of the root is the best estimate.
        found.value = report.value;
    }
    report.moves.insert(0, found);
    Some(report)
}
