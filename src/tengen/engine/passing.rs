//! Decision to pass: a pass is played where it is worth no less than any other move, by a search in which it has the
//! value of the opponent's best answer, and by a count on which network and rollouts agree.

use std::sync::Arc;

use crate::game::{Color, Game, Move, OwnershipEstimate, Proof, Settled, scoring};
use crate::search::{MoveReport, SearchReport};

/// Maximum advantage in value, in [-1, 1], of a move over a pass that counts as equal.
const AS_LIKELY: f32 = 0.05;

/// The same of a first pass over a move where something is left to be played for: a search after which the pass looks
/// better has overlooked an answer, but in a seki.
const AS_LIKELY_OPEN: f32 = 0.2;

/// Maximum advantage in points of such a move.
const AS_LARGE: f32 = 0.6;

/// The same after a pass of the opponent, where nothing in doubt decides who has won: games end.
const AS_LARGE_AT_END: f32 = 1.0;

/// Minimum visits of a pass, as a share of those of the best move, for its value to be used.
const MIN_SHARE: f32 = 0.02;

/// The lead after a move is compared with others if it has at least this many visits, and this share of those of the best
/// move.
const POINTS_VISITS: u64 = 8;
const POINTS_SHARE: u64 = 4;

/// Where nothing is left to be played for, the count says who has won, unless the search finds a move better than that
/// by more than this, as a difference of values in [-1, 1]: the count has overlooked something. Networks that are off
/// by a point do not see that a stone in its own territory loses a game that is won by half a point.
const OVERLOOKED: f32 = 0.5;

/// The same after a pass of the opponent: what is lost by the count is over, unless a move is likely to win.
const OVERLOOKED_AT_END: f32 = 1.0;

/// The same in points.
const OVERLOOKED_POINTS: f32 = 2.0;

/// The count has overlooked an answer to the pass that takes more points than this. Networks that take a lone stone in a
/// large area for alive in one of ten games are off by half of that.
const OVERLOOKED_ANSWER: f32 = 10.0;

/// The count if both sides pass now.
#[derive(Default)]
pub(super) struct PassJudgement {
    /// The count, if judged.
    pub(super) count: Option<Settled>,
    /// The ownership that it follows from.
    pub(super) expected: Option<Arc<OwnershipEstimate>>,
    /// The lead in points of the side that passes after the opponent's best answer, if a network has searched it; of a
    /// pass that ends the game, as if the opponent moved next.
    pub(super) answered: Option<f32>,
}

/// Whether a pass would end the game.
pub(super) fn is_offered<G: Game>(position: &G) -> bool {
    let pass = position.size().pass();
    G::INFO.scored && position.is_legal(pass) && position.after(pass).outcome().is_some()
}

/// The position when both sides pass now.
pub(super) fn when_both_pass<G: Game>(position: &G) -> G {
    let mut next = position.clone();
    let pass = next.size().pass();
    while next.outcome().is_none() && next.is_legal(pass) {
        next.play(pass);
    }
    next
}

/// The position with the count of passes at its beginning: another one does not end the game.
pub(super) fn unanswered<G: Game>(position: &G) -> G {
    let mut next = position.clone();
    let color = next.to_move();
    // Where the other side is to move, no pass precedes.
    next.set_to_move(color.opponent());
    next.set_to_move(color);
    next
}

/// Whether a pass that would end the game may be shown as its end: nothing is left to be played for, or it wins by the rules alone.
pub(super) fn is_last<G: Game>(position: &G, judged: &PassJudgement) -> bool {
    let is_over = judged.count.as_ref().is_some_and(Settled::is_over);
    is_over || wins_at_once(position, judged)
}

/// Whether a pass wins at once, so that no search is needed: the board counts as it stands.
pub(super) fn wins_at_once<G: Game>(position: &G, judged: &PassJudgement) -> bool {
    let winner = judged.count.as_ref().and_then(Settled::certain_winner);
    is_offered(position) && !scoring::agrees_on_dead(position) && winner == Some(position.to_move())
}

/// Whether the count says that the side to move has lost a game that is over.
pub(super) fn is_lost<G: Game>(position: &G, judged: &PassJudgement) -> bool {
    let count = judged.count.as_ref().filter(|count| count.is_over());
    count.is_some_and(|count| position.to_move().signed(count.black_ahead.0) < 0)
}

/// What a side that passes plays: a neutral point where one is left, which costs nothing, and other programs count
/// rightly only without them.
pub(super) fn ending<G: Game>(position: &G, judged: &PassJudgement) -> Move {
    let neutral = position.scored().zip(judged.count.as_ref());
    let neutral = neutral.and_then(|(scored, count)| scored.dame_move(count));
    neutral.unwrap_or(position.size().pass())
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

/// A position after a search, with the count.
pub(super) struct AfterSearch<'a, G> {
    position: &'a G,
    report: &'a SearchReport,
    judged: &'a PassJudgement,
    /// Whether a pass would end the game.
    is_offered: bool,
    /// What the search tells of the pass and of the best other move.
    passed: Option<&'a MoveReport>,
    best: Option<&'a MoveReport>,
}

impl<'a, G: Game> AfterSearch<'a, G> {
    pub(super) fn of(position: &'a G, report: &'a SearchReport, judged: &'a PassJudgement) -> Self {
        let pass = position.size().pass();
        AfterSearch {
            position,
            report,
            judged,
            is_offered: is_offered(position),
            passed: report.moves.iter().find(|found| found.mv == pass),
            best: report.moves.iter().find(|found| found.mv != pass),
        }
    }

    /// Whether the search has put the pass first.
    pub(super) fn puts_pass_first(&self) -> bool {
        let pass = self.position.size().pass();
        self.report.best().is_some_and(|best| best.mv == pass)
    }

    /// Whether the search considers a pass near the end of a game, so that its answers and the count are worth a look.
    pub(super) fn contends(&self) -> bool {
        let over = || self.judged.count.as_ref().is_some_and(Settled::is_over);
        scoring::nears_end(self.position) && (over() || self.is_as_good())
    }

    /// Whether to pass: where the game is over by the count, unless the search knows better; else where the opponent has
    /// passed or nothing is left to be played for, and the pass is as good as any other move.
    pub(super) fn passes(&self) -> bool {
        if !self.contends() {
            return false;
        }
        // A draw by a board that counts as it stands, with dead stones on it, may still be won.
        let may_be_won =
            |count: &Settled| count.black_ahead.0 == 0 && !scoring::agrees_on_dead(self.position);
        match &self.judged.count {
            Some(count) if count.is_over() && !may_be_won(count) => !self.is_overlooked(count),
            Some(count) if self.is_left(count) && !self.is_offered => false,
            _ => self.is_as_good(),
        }
    }

    /// Whether to pass, also without a search.
    pub(super) fn ends(&self) -> bool {
        wins_at_once(self.position, self.judged) || self.passes()
    }

    /// Whether something is left to be played for. Random games alone are never sure of much: then, whether it decides
    /// the result.
    fn is_left(&self, count: &Settled) -> bool {
        let counts = || self.report.by_network() || !count.is_decided();
        count.open > 0 || (count.unsettled > 0 && counts())
    }

    /// The move to play in place of a pass that the search has put first, where that is not to be played. If it would
    /// not have ended the game, the move has to be about as good: without visits, its prior at least half of the pass's.
    pub(super) fn instead_of_pass(&self) -> Option<&'a MoveReport> {
        let passed = self.passed.filter(|_| self.puts_pass_first())?;
        if passed.proof == Some(Proof::Win) {
            return None;
        }
        let as_likely = match &self.judged.count {
            Some(count) if self.is_left(count) => AS_LIKELY_OPEN,
            _ => AS_LIKELY,
        };
        let is_as_good = |other: &&MoveReport| match other.visits {
            _ if other.mv == passed.mv || other.proof == Some(Proof::Loss) => false,
            _ if self.is_offered => true,
            0 => other.prior >= passed.prior / 2.0,
            _ => {
                let leads = self.lead(other).zip(self.lead(passed));
                let gain = leads.map(|(other, passed)| other - passed);
                other.value > passed.value + AS_LIKELY
                    || other.value >= passed.value - as_likely
                        && gain.is_none_or(|gain| gain >= -AS_LARGE)
            }
        };
        self.report.moves.iter().find(is_as_good)
    }

    /// Whether a searched pass is worth as much as the best other move. If it ends the game while stones in doubt decide
    /// the result, it is taken for a loss.
    fn is_as_good(&self) -> bool {
        let (Some(passed), best) = (self.passed, self.best) else {
            return false;
        };
        let Some(best) = best else {
            return true;
        };
        let count = self.judged.count.as_ref().filter(|_| self.is_offered);
        let is_in_doubt = count.is_some_and(|count| !count.is_decided());
        let counted = count.map(|count| self.counted(count));
        let gain = counted.or_else(|| self.lead(passed)).and_then(|passed| {
            let most = self.most_points(passed)?;
            Some(most - passed)
        });
        let large = match self.is_offered && !is_in_doubt {
            true => AS_LARGE_AT_END,
            false => AS_LARGE,
        };
        let as_large = gain.is_none_or(|gain| gain <= large);
        let as_likely = match self.report.proof {
            Some(proof) => {
                // The search may have ended before it reached the pass.
                let at_once = scoring::searched(self.position).after(passed.mv);
                let at_once = at_once.certain().flip().low();
                passed.proof.map_or(at_once, |proof| proof.max(at_once)) >= proof
            }
            None => {
                let enough = (best.visits as f32 * MIN_SHARE).max(1.0);
                let value = match is_in_doubt {
                    true => Proof::Loss.value(),
                    false => passed.value,
                };
                passed.visits as f32 >= enough && best.value - value <= AS_LIKELY
            }
        };
        as_likely && as_large
    }

    /// Whether the search finds a move so much better than what the count says of a pass that the count must be wrong.
    fn is_overlooked(&self, count: &Settled) -> bool {
        let Some(best) = self.best else {
            return false;
        };
        let (answered, color) = (self.judged.answered, self.position.to_move());
        let passed = self.passed.filter(|passed| passed.visits > 0);
        let passed = passed.filter(|_| !self.is_offered);
        let value = passed.map_or_else(|| count.value_for(color), |passed| passed.value);
        let counted = self.counted(count);
        // Small networks may give many points to a side that plays on in a finished game: leads are compared with the
        // count alone. Random games lose what is settled.
        let most = self.most_points(counted);
        let most = most.filter(|_| self.report.by_network());
        let more_than = |passed: f32| most.is_some_and(|most| most - passed > OVERLOOKED_POINTS);
        if self.is_offered {
            // Small networks may also give many points to a side that has lost, however it plays on: a move has to win
            // more than nothing does.
            let unplayed = answered.map_or(counted, |answered| counted.max(answered));
            return best.value - value > OVERLOOKED_AT_END || more_than(unplayed);
        }
        best.value - value > OVERLOOKED
            || more_than(counted)
            || answered.is_some_and(|answered| counted - answered > OVERLOOKED_ANSWER)
    }

    /// The largest lead in points of the side to move after another move than a pass that is about as likely to win as
    /// the best and has enough visits: where a game is decided, searches do not put first what wins the most. After a
    /// pass of the opponent a side that has lost, by this count, is content with the best move's: games end.
    fn most_points(&self, counted: f32) -> Option<f32> {
        let best = self.best?;
        if self.is_offered && counted < 0.0 {
            return self.lead(best);
        }
        let pass = self.position.size().pass();
        let enough = (best.visits / POINTS_SHARE)
            .max(POINTS_VISITS)
            .min(best.visits);
        let others = self.report.moves.iter().filter(|found| {
            found.mv != pass && found.visits >= enough && best.value - found.value <= AS_LIKELY
        });
        others.filter_map(|found| self.lead(found)).reduce(f32::max)
    }

    /// The lead in points of the side to move, by the count.
    fn counted(&self, count: &Settled) -> f32 {
        let ahead = count.black_ahead.0 as f32 / 2.0;
        self.position.to_move().signed(ahead)
    }

    /// The same after a move, if known.
    fn lead(&self, found: &MoveReport) -> Option<f32> {
        let ahead = found.expected.as_ref()?.black_ahead;
        Some(self.position.to_move().signed(ahead))
    }

    /// The report with the move first that the player would play, where the report does not say so: a pass, so that
    /// clients that play the first move of an analysis (KaTrain) end games, or another move than a pass that comes too
    /// early. Judges by the numbers of the report, as far as there is no count.
    pub(super) fn reordered(&self) -> Option<SearchReport> {
        let first = match self.ends() {
            true => ending(self.position, self.judged),
            false => self.instead_of_pass()?.mv,
        };
        let mut report = self.report.clone();
        report
            .put_first(|found| found.mv == first)
            .then_some(report)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::report;
    use super::*;
    use crate::game::{BoardSize, HalfPoints, PointStatus};
    use crate::games::go::SmallGo;
    use crate::games::go::diagram::diagram;

    const PASS: u16 = 25;

    /// Nothing but Black's lead.
    fn led_by(lead: f32) -> OwnershipEstimate {
        OwnershipEstimate {
            black_ahead: lead,
            ..OwnershipEstimate::unknown(25)
        }
    }

    /// A count with this lead of Black and this range, in half points.
    fn count(ahead: i32, range: [i32; 2], unsettled: usize) -> Settled {
        Settled {
            statuses: vec![PointStatus::Dame; 25],
            black_ahead: HalfPoints(ahead),
            range: range.map(HalfPoints),
            open: 0,
            unsettled,
        }
    }

    /// No count, and this lead after the opponent's best answer.
    fn answered_by(answered: Option<f32>) -> PassJudgement {
        PassJudgement {
            answered,
            ..PassJudgement::default()
        }
    }

    /// Whether Black passes after White's pass, by this count, where the search found these values of the pass and of
    /// the best other move, and this lead of the latter.
    fn passes_after_a_pass(count: Settled, values: [f32; 2], lead: f32) -> bool {
        passes_under("chinese", count, values, lead)
    }

    /// The same under these rules.
    fn passes_under(rules: &str, count: Settled, values: [f32; 2], lead: f32) -> bool {
        let rows = ".X.O. .X.O. XX.O. .X.O. .X.O.";
        let mut position = diagram(rows, rules, Color::White);
        position.play(position.pass());
        let mut report = report(&[(2, 90, 0.5), (PASS, 10, 0.1)]);
        report.evaluations = 100;
        (report.moves[0].value, report.moves[1].value) = (values[1], values[0]);
        report.moves[0].expected = Some(led_by(lead));
        let judged = PassJudgement {
            count: Some(count),
            ..PassJudgement::default()
        };
        wins_at_once(&position, &judged) || AfterSearch::of(&position, &report, &judged).passes()
    }

    #[test]
    fn a_count_that_an_answer_contradicts_is_wrong() {
        let (count, report) = (
            count(9, [9; 2], 0),
            report(&[(2, 90, 0.5), (PASS, 10, 0.1)]),
        );
        let position = diagram(".X.O. .X.O. XX.O. .X.O. .X.O.", "japanese", Color::Black);
        let is_wrong = |answered| {
            let judged = answered_by(answered);
            AfterSearch::of(&position, &report, &judged).is_overlooked(&count)
        };
        assert!(!is_wrong(None) && !is_wrong(Some(3.0)));
        assert!(is_wrong(Some(-20.0)), "it takes more than it says");
    }

    #[test]
    fn points_that_a_network_gives_whatever_is_played_are_no_gain() {
        let mut position = diagram(".X.O. .X.O. XX.O. .X.O. .X.O.", "chinese", Color::White);
        position.play(position.pass());
        let mut report = report(&[(2, 90, 0.5), (PASS, 10, 0.1)]);
        report.evaluations = 100;
        (report.moves[0].value, report.moves[1].value) = (-0.99, -1.0);
        report.moves[0].expected = Some(led_by(-18.0));
        let lost = count(-53, [-53; 2], 0);
        let plays_on = |answered| {
            let judged = answered_by(answered);
            AfterSearch::of(&position, &report, &judged).is_overlooked(&lost)
        };
        assert!(!plays_on(Some(-19.0)), "it is the same without a move");
        assert!(plays_on(Some(-26.0)), "a move wins 8 points");
        assert!(plays_on(None), "nothing is known but the count");
    }

    #[test]
    fn a_pass_ends_a_game_that_is_over_and_no_other() {
        let over = |ahead| count(ahead, [ahead; 2], 0);
        assert!(passes_after_a_pass(over(1), [1.0, 1.0], 2.0), "it is won");
        assert!(
            !passes_after_a_pass(over(1), [1.0, 1.0], 8.0),
            "won by more"
        );
        assert!(
            passes_after_a_pass(over(-1), [-1.0, -0.5], 0.5),
            "it is lost"
        );
        assert!(
            !passes_after_a_pass(over(-1), [-1.0, 0.5], 0.5),
            "the count is wrong"
        );
        assert!(
            !passes_after_a_pass(over(-1), [-1.0, -0.9], 8.0),
            "a move wins points"
        );
        assert!(passes_after_a_pass(over(0), [0.0, 0.0], 0.0), "it is drawn");
        let won = |unsettled| count(9, [1, 9], unsettled);
        assert!(
            passes_after_a_pass(won(5), [1.0, 1.0], 4.6),
            "nothing to gain"
        );
        assert!(!passes_after_a_pass(won(5), [1.0, 1.0], 8.0), "more points");
    }

    #[test]
    fn a_drawn_board_that_counts_as_it_stands_is_left_unless_a_move_wins() {
        let passes = |value| passes_under("tromp-taylor", count(0, [0; 2], 0), [0.0, value], 0.5);
        assert!(passes(0.0));
        assert!(!passes(0.4), "a dead stone can be captured");
    }

    #[test]
    fn where_stones_in_doubt_decide_the_game_goes_on() {
        let in_doubt = || count(9, [-9, 9], 0);
        assert!(!passes_after_a_pass(in_doubt(), [0.5, -0.4], 1.0));
        assert!(
            passes_after_a_pass(in_doubt(), [0.5, -0.99], 1.0),
            "all else loses"
        );
    }

    /// What is played in place of a pass that comes first in a report of (move, visits, prior), whose values are
    /// these, and after which Black leads by these points.
    fn instead(moves: &[(u16, u64, f32)], values: &[f32], leads: &[f32]) -> Option<u16> {
        instead_where(0, moves, values, leads)
    }

    /// The same where this many points are unsettled.
    fn instead_where(
        unsettled: usize,
        moves: &[(u16, u64, f32)],
        values: &[f32],
        leads: &[f32],
    ) -> Option<u16> {
        let mut position = SmallGo::new(BoardSize::square(5)).unwrap();
        position.play(Move(12));
        position.play(Move(7));
        let judged = PassJudgement {
            count: Some(count(1, [-1, 1], unsettled)),
            ..PassJudgement::default()
        };
        let mut report = report(moves);
        for (found, value) in report.moves.iter_mut().zip(values) {
            found.value = *value;
        }
        for (found, lead) in report.moves.iter_mut().zip(leads) {
            found.expected = Some(led_by(*lead));
        }
        let after = AfterSearch::of(&position, &report, &judged);
        after.instead_of_pass().map(|found| found.mv.0)
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
        assert_eq!(instead(&both, &[0.2, 0.6], &[9.0, 6.0]), Some(3), "it wins");
        let open = |value| instead_where(5, &both, &[0.98, value], &[]);
        assert_eq!(open(0.9), Some(3), "something is left to be played for");
        assert_eq!(open(0.5), None, "as in a seki");
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
