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

/// An owner of at least this certainty, in [0, 1], is decided.
const DECIDED: f32 = 0.5;

/// Share of a board's points that may be undecided where a side passes first under territory scoring, by which
/// borders do not count as open: shared liberties, and what a network is in doubt about.
const MOST_UNDECIDED: f32 = 0.05;

/// Judgement of a pass before a search.
#[derive(Default)]
pub(super) struct PassJudgement {
    /// Only a pass is left: no search is needed.
    pub(super) decides: bool,
    /// The ownership if both sides pass now, if judged.
    pub(super) expected: Option<Arc<OwnershipEstimate>>,
    /// A neutral point to fill in place of a pass.
    pub(super) neutral: Option<Move>,
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

/// Why a search prefers a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Preferred {
    /// It found nothing better.
    AsGood,
    /// Its best move loses a count that a pass wins.
    KeepsTheCount,
}

/// Whether a search near the end of a game prefers a pass; `expected` is the ownership if both sides pass now, if
/// that was judged.
pub(super) fn preferred<G: Game>(
    position: &G,
    report: &SearchReport,
    expected: Option<&OwnershipEstimate>,
) -> Option<Preferred> {
    if !scoring::nears_end(position) {
        return None;
    }
    if expected.is_some_and(|expected| loses_where_a_pass_wins(position, report, expected)) {
        return Some(Preferred::KeepsTheCount);
    }
    is_as_good(position, report).then_some(Preferred::AsGood)
}

/// Whether nothing is left to be played for: no border that counts is open. Under territory scoring, where no border
/// counts, nearly all points must have an owner by one of these estimates, if there is any, unless the pass keeps the
/// count.
pub(super) fn is_closed<G: Game>(
    position: &G,
    settled: &Settled,
    preferred: Preferred,
    estimates: &[Option<&OwnershipEstimate>],
) -> bool {
    let needs_owners = preferred == Preferred::AsGood && scoring::current_score(position).is_none();
    let most = MOST_UNDECIDED * position.size().area() as f32;
    let is_decided = |expected: &&OwnershipEstimate| {
        let owners = expected.owner.iter();
        owners.filter(|owner| owner.abs() < DECIDED).count() as f32 <= most
    };
    let mut known = estimates.iter().flatten().peekable();
    settled.open == 0 && (!needs_owners || known.peek().is_none() || known.any(is_decided))
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
    let counts_as_lost = lead(position.to_move(), passed).is_some_and(|lead| lead < 0.0);
    let wins = is_offered(position) && passed.value >= WINS && !counts_as_lost;
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
    Some(lead(color, to)? - lead(color, from)?)
}

/// A side's lead in points after a move, if known.
fn lead(color: Color, found: &MoveReport) -> Option<f32> {
    Some(color.signed(found.expected.as_ref()?.black_ahead))
}

/// The move to play in place of a pass that a search has put first while borders are open, if one is about as good:
/// where all moves are worth the same, a pass may have the highest prior, which is raised near the end of a game.
/// Without visits a move counts as such if its prior is at least half of the pass's.
pub(super) fn instead_of_pass<'a, G: Game>(
    position: &G,
    report: &'a SearchReport,
) -> Option<&'a MoveReport> {
    let pass = position.size().pass();
    let passed = report.best().filter(|best| best.mv == pass)?;
    if is_offered(position) || passed.proof == Some(Proof::Win) {
        return None;
    }
    let is_as_good = |other: &&MoveReport| match other.visits {
        _ if other.mv == pass || other.proof == Some(Proof::Loss) => false,
        0 => other.prior >= passed.prior / 2.0,
        _ => {
            let gain = gain(position.to_move(), passed, other);
            other.value >= passed.value - AS_LIKELY && gain.is_none_or(|gain| gain >= -AS_LARGE)
        }
    };
    report.moves.iter().find(is_as_good)
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

/// The report with the move first that the player would play, where the report does not say so: a pass, so that
/// clients that play the first move of an analysis (KaTrain) end games, or another move than a pass that comes too
/// early. Judges by the numbers of the report alone.
pub(super) fn reordered<G: Game>(
    report: &SearchReport,
    position: &G,
    judged: &PassJudgement,
) -> Option<SearchReport> {
    let expected = judged.expected.as_deref();
    let closed = |preferred| {
        let searched = report.expected.as_ref();
        let settled = expected
            .or(searched)
            .and_then(|expected| scoring::settle(position, expected));
        settled
            .is_some_and(|settled| is_closed(position, &settled, preferred, &[expected, searched]))
    };
    let passes = judged.decides
        || preferred(position, report, expected)
            .is_some_and(|preferred| is_offered(position) || closed(preferred));
    let first = match passes {
        true => judged.neutral.unwrap_or(position.size().pass()),
        false => instead_of_pass(position, report)?.mv,
    };
    let place = report.moves.iter().position(|found| found.mv == first)?;
    let mut report = report.clone();
    let mut found = report.moves.remove(place);
    if found.visits == 0 {
        // The search did not reach it, and the value of the root is the best estimate.
        found.value = report.value;
    }
    report.moves.insert(0, found);
    Some(report)
}

#[cfg(test)]
mod tests {
    use super::super::testing::report;
    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::SmallGo;

    const PASS: u16 = 25;

    /// What is played in place of a pass that comes first in a report of (move, visits, prior), whose values are
    /// these, and after which Black leads by these points.
    fn instead(moves: &[(u16, u64, f32)], values: &[f32], leads: &[f32]) -> Option<u16> {
        let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
        position.play(Move(12));
        position.play(Move(7));
        let mut report = report(moves);
        for (found, value) in report.moves.iter_mut().zip(values) {
            found.value = *value;
        }
        for (found, lead) in report.moves.iter_mut().zip(leads) {
            found.expected = Some(OwnershipEstimate {
                owner: vec![0.0; 25],
                defended: None,
                shared: vec![0.0; 25],
                black_ahead: *lead,
                deviation: 0.0,
            });
        }
        instead_of_pass(&position, &report).map(|found| found.mv.0)
    }

    #[test]
    fn an_early_pass_gives_way_to_a_move_that_is_as_good() {
        let both = [(PASS, 9, 0.1), (3, 8, 0.1)];
        assert_eq!(instead(&both, &[0.98, 0.97], &[]), Some(3));
        assert_eq!(instead(&both, &[0.98, 0.9], &[]), None, "it loses chances");
        assert_eq!(
            instead(&both, &[0.98, 0.98], &[20.0, 19.0]),
            None,
            "it loses a point"
        );
        assert_eq!(instead(&both, &[0.98, 0.98], &[20.0, 20.0]), Some(3));
        let moves_first = [(3, 9, 0.1), (PASS, 8, 0.1)];
        assert_eq!(instead(&moves_first, &[0.5, 0.5], &[]), None);
    }

    #[test]
    fn without_visits_priors_tell_which_move_is_as_good() {
        let quiet = [(PASS, 1, 0.1), (3, 0, 0.07), (4, 0, 0.06)];
        assert_eq!(instead(&quiet, &[0.98], &[]), Some(3));
        let only = [(PASS, 1, 0.9), (3, 0, 0.07)];
        assert_eq!(instead(&only, &[0.98], &[]), None, "as in a seki");
    }
}
