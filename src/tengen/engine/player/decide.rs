//! How a move is made: judgement, search, choice, and time.

use std::time::Duration;

use super::super::choose::{choose, loses_the_count};
use super::super::passing::{self, AfterSearch, PassJudgement};
use super::super::solver_thinker::merge_losing;
use super::super::thinker::searched;
use super::super::timing::EstimateLimits;
use super::super::{Decision, Engine as _, MoveKind, MoveRequest, ThinkError};
use super::{Player, REPORT_INTERVAL};
use crate::clock::{Budget, StopReason};
use crate::game::{Game, GameState, Move, Outcome, Proof, scoring};
use crate::record::Vertex;
use crate::search::{AnalysisOptions, Observer, PointsByMove, SearchReport, SearchRequest};

/// Near the end the search leaves this fraction of the planned time to looks at a pass, where a clock has no other.
const LOOKS_SHARE: u32 = 3;

struct MoveChoice {
    /// A legal move.
    mv: Move,
    /// Its budget, if a clock runs.
    budget: Option<Budget>,
    /// Whether the player resigns instead.
    resigns: bool,
}

impl<G: Game> Player<G> {
    /// Decides for the side to move, in a move that began at `started`; `None` when there is no legal move.
    fn decide(
        &mut self,
        start: &GameState<G>,
        request: &MoveRequest,
        started: Duration,
        observer: &mut Observer<'_>,
    ) -> Option<MoveChoice> {
        let stop = &request.stop;
        self.last_report = None;
        start.legal_moves().next()?;
        if let Some(mv) = self.move_of_book(start, request) {
            return play(mv, None);
        }
        self.opponent = request.options.opponent;
        let (position, stopped) = (start.position(), stop.is_raised());
        self.exclude(&request.options.avoid);
        let (limits, budget) = self.timing.limits(position);
        let effort = EstimateLimits::within(for_looks(limits.budget, budget), started, stop);
        let mut analysis = request.options.clone();
        let known = keep_to_first_move(start, &mut analysis.avoid);
        if request.kind == MoveKind::Cleanup {
            // A controller without a clock waits for the better judgement.
            let effort = budget.map_or(EstimateLimits::of_controller(stop), |_| effort);
            analysis.avoid.extend(self.away_from_dead(position, effort));
        }
        let pass = position.size().pass();
        let may_pass = G::INFO.scored && !analysis.avoid.contains(&pass);
        let mut judged = match may_pass {
            true => self.judge_pass(position, effort),
            false => PassJudgement::default(),
        };
        let allows = |mv: &Move, avoid: &[Move]| start.allows(*mv) && !avoid.contains(mv);
        let ending = |judged: &PassJudgement, avoid: &[Move]| {
            let ending = Some(passing::ending(position, judged));
            ending.filter(|mv| allows(mv, avoid)).unwrap_or(pass)
        };
        if may_pass && passing::wins_at_once(position, &judged) {
            return play(ending(&judged, &analysis.avoid), budget);
        }
        let avoided = analysis.avoid.clone();
        analysis.judged.clone_from(&judged.expected);
        if may_pass {
            prepare_for_end(&mut analysis, position);
        }
        // If stopped while dead stones are judged, the results of earlier searches are still used.
        let began = self.time.now();
        let looks = budget.filter(|_| may_pass && scoring::nears_end(position));
        let room = looks.map_or(Duration::ZERO, |budget| budget.target / LOOKS_SHARE);
        let search = SearchRequest::new(start.clone())
            .within(limits.after(began.saturating_sub(started)).leaving(room))
            .until(stop)
            .with(analysis);
        if !stopped {
            self.last_report = self.search(&search, observer);
        }
        if let Some(report) = &mut self.last_report {
            // A search without a choice lists all moves, by their priors.
            report.put_first(|found| Some(found.mv) == known);
        }
        // A search that was stopped has not compared a pass with the other moves.
        let compared = |report: &mut SearchReport| {
            may_pass && !stop.is_raised() && report.stop != StopReason::Interrupted
        };
        let mut instead = None;
        if let Some(mut report) = self.last_report.take_if(compared) {
            self.weigh_pass(&search, &mut report, &mut judged, (effort, began));
            let after = AfterSearch::of(position, &report, &judged);
            let passes = after.passes();
            instead = after.instead_of_pass().map(|found| found.mv);
            self.last_report = Some(report);
            if passes {
                return play(ending(&judged, &avoided), budget);
            }
        }
        let avoid = search.analysis.avoid;
        let static_policy = match self.last_report {
            Some(_) => None,
            None => Some(self.static_policy(start)),
        };
        let found = self.last_report.as_ref().or(static_policy.as_ref());
        let instead = instead.filter(|mv| allows(mv, &avoid));
        let mv = instead.or_else(|| choose(start, found, &avoid))?;
        Some(MoveChoice {
            mv,
            budget,
            resigns: request.kind == MoveKind::Play && self.is_hopeless(position, effort),
        })
    }

    /// The move of the book in a position that it knows; what it knows is reported as of a search.
    fn move_of_book(&mut self, start: &GameState<G>, request: &MoveRequest) -> Option<Move> {
        if request.kind == MoveKind::Cleanup {
            return None;
        }
        let book = self.book.as_mut()?;
        self.last_report = book.report(&self.history, start, &request.options.avoid);
        self.last_report.as_ref()?.best().map(|best| best.mv)
    }

    /// Moves that capture nothing dead, where something dead is on the board.
    fn away_from_dead(&mut self, position: &G, effort: EstimateLimits<'_>) -> Vec<Move> {
        let settled = self.settle_for_controller(position, effort);
        let away = |found| passing::away_from_dead(position, position.to_move(), &found);
        settled.ok().flatten().map(away).unwrap_or_default()
    }

    /// Result without a search. As in a search, two passes prove nothing if players have to agree
    /// on dead stones.
    fn static_policy(&mut self, start: &GameState<G>) -> SearchReport {
        (self.look_at_once)(&searched(start))
    }

    /// Whether to resign: the last searches and the count agree, and the opponent has not just
    /// passed.
    fn is_hopeless(&mut self, position: &G, effort: EstimateLimits<'_>) -> bool {
        let report = self.last_report.as_ref();
        let resign = self.resign.as_mut();
        if !resign.is_some_and(|resign| resign.after(position, report))
            || passing::is_offered(position)
        {
            return false;
        }
        // Without time for a count the game continues.
        let settled = self.dead_stones.settle_within(position, effort);
        settled.is_ok_and(|settled| {
            settled.is_none_or(|found| loses_the_count(position, position.to_move(), &found))
        })
    }

    /// Result of a search; the best so far if it is interrupted, and `None` without any result.
    fn search(
        &mut self,
        request: &SearchRequest<G>,
        observer: &mut Observer<'_>,
    ) -> Option<SearchReport> {
        let out_of_time = |budget: Budget| budget.hard.is_zero();
        if request.limits.budget.is_some_and(out_of_time) {
            return None;
        }
        let (mut kept, mut last) = (request.clone(), None::<SearchReport>);
        let shown = kept.analysis.interval.is_some();
        kept.analysis.interval.get_or_insert(REPORT_INTERVAL);
        kept.analysis.at_once |= !shown;
        let report = self.worker.search(kept, &mut |report| {
            last = Some(report.clone());
            if shown {
                observer(report);
            }
        });
        let report = match (report, last) {
            (Ok(report), _) if is_hasty(&report) => {
                merge_static(report, &self.static_policy(&request.start))
            }
            (Ok(report), _) => report,
            (Err(error), last) => {
                let last = last.filter(says_more_than_one_evaluation);
                let then = match last {
                    Some(_) => "the best so far",
                    None => "what looks best without a search",
                };
                let level = match error {
                    // Too little time is not an error of the engine.
                    ThinkError::Late => log::Level::Warn,
                    _ => log::Level::Error,
                };
                log::log!(level, "playing {then}: {error}");
                merge_static(last?, &self.static_policy(&request.start))
            }
        };
        let cut_short = matches!(report.stop, StopReason::Time | StopReason::Interrupted);
        (!cut_short || says_more_than_one_evaluation(&report)).then_some(report)
    }

    /// Chooses a move for the side to move; unless it is only named, plays it and charges the clock.
    pub(super) fn make_move(
        &mut self,
        start: &GameState<G>,
        request: &MoveRequest,
        observer: &mut Observer<'_>,
    ) -> Decision {
        let position = start.position();
        let color = position.to_move();
        let started = self.time.now().saturating_sub(request.waited);
        let Some(choice) = self.decide(start, request, started, observer) else {
            let decision = when_over(position);
            let passes = G::INFO.passes && decision == Decision::Play(Vertex::Pass);
            if passes && request.kind != MoveKind::Named {
                // It can be taken back, and changes nothing else.
                self.history.push(color, position.size().pass());
            }
            return decision;
        };
        let vertex = Vertex::of(choice.mv, self.size());
        if request.kind == MoveKind::Named {
            return Decision::Play(vertex);
        }
        if choice.resigns {
            self.history.resign(color);
            return Decision::Resign;
        }
        let number = self.history.push(color, choice.mv);
        self.awaits_reply = true;
        let elapsed = self.time.now().saturating_sub(started);
        let report = self.last_report.as_ref();
        let made = self
            .timing
            .charge(color, position.ply(), choice.budget, elapsed, report);
        log::info!("{made}");
        self.times.push((number, made));
        self.prepare();
        Decision::Play(vertex)
    }
}

fn play(mv: Move, budget: Option<Budget>) -> Option<MoveChoice> {
    Some(MoveChoice {
        mv,
        budget,
        resigns: false,
    })
}

/// Where a game's first move is known and not to be avoided, avoids all others, and returns it.
fn keep_to_first_move<G: Game>(start: &GameState<G>, avoid: &mut Vec<Move>) -> Option<Move> {
    let known = start.position().first_move();
    let known = known.filter(|first| !avoid.contains(first))?;
    avoid.extend(start.legal_moves().filter(|mv| *mv != known));
    Some(known)
}

/// The budget of looks at a pass in a move with this one: by a clock they end with the longest time that is planned for
/// the move, beyond which it would cost another period of byoyomi.
fn for_looks(all: Option<Budget>, clock: Option<Budget>) -> Option<Budget> {
    all.map(|all| match clock {
        Some(_) => Budget {
            hard: all.hard.min(all.maximum),
            ..all
        },
        None => all,
    })
}

/// Whether a search ran out of time before it could try every move: the solver may not have found
/// what it finds at once.
fn is_hasty(report: &SearchReport) -> bool {
    let tried_all = report.visits >= report.moves.len() as u64;
    report.stop == StopReason::Time && report.proof.is_none() && !tried_all
}

/// The report of an interrupted search, with static knowledge: a winning move first, and losing
/// moves last, unless all lose.
fn merge_static(mut report: SearchReport, known: &SearchReport) -> SearchReport {
    let proven = |wanted| {
        let moves = known.moves.iter();
        let proven = moves.filter(move |found| found.proof == Some(wanted));
        proven.map(|found| found.mv)
    };
    let win = proven(Proof::Win).next();
    if report.put_first(|found| Some(found.mv) == win) {
        let best = report.moves.first_mut();
        best.into_iter().for_each(|best| best.prove(Proof::Win));
        (report.proof, report.value) = (Some(Proof::Win), Proof::Win.value());
        return report;
    }
    let losing: Vec<Move> = proven(Proof::Loss).collect();
    match losing.len() < known.moves.len() {
        true => merge_losing(report, &losing),
        false => report,
    }
}

/// Whether a report comes from a search.
fn says_more_than_one_evaluation(report: &SearchReport) -> bool {
    let visited = || report.moves.iter().any(|found| found.visits > 0);
    report.proof.is_some() || report.visits > 0 || visited()
}

/// What to say when there is no legal move: who has lost resigns, else there is nothing to do. Where
/// there are passes, they say that, too.
fn when_over<G: Game>(position: &G) -> Decision {
    let outcome = position.outcome().unwrap_or(Outcome::DRAW);
    match outcome.proof_for(position.to_move()) {
        Proof::Loss if !G::INFO.passes => Decision::Resign,
        Proof::Loss | Proof::Draw | Proof::Win => Decision::Play(Vertex::Pass),
    }
}

/// Near the end of a game a pass needs the leads of moves, and moves that are known to do nothing are left out.
fn prepare_for_end<G: Game>(analysis: &mut AnalysisOptions, position: &G) {
    if let Some(scored) = position.scored().filter(|scored| scored.nears_end()) {
        if analysis.points == PointsByMove::Nothing {
            analysis.points = PointsByMove::Lead;
        }
        analysis.avoid.extend(scored.idle_moves());
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::testing::report;
    use super::*;

    /// The moves of an interrupted search in playing order, given static knowledge.
    fn order(known: [(u16, Option<Proof>); 3]) -> (Vec<u16>, Option<Proof>) {
        let mut at_once = report(&known.map(|(mv, _)| (mv, 0, 0.3)));
        for (found, (_, proof)) in at_once.moves.iter_mut().zip(known) {
            found.proof = proof;
        }
        let broken_off = report(&[(0, 9, 0.5), (1, 5, 0.3), (2, 1, 0.2)]);
        let merged = merge_static(broken_off, &at_once);
        let moves = merged.moves.iter().map(|found| found.mv.0);
        (moves.collect(), merged.proof)
    }

    #[test]
    fn what_is_known_at_once_goes_before_what_a_search_had_so_far() {
        let (win, loss) = (Some(Proof::Win), Some(Proof::Loss));
        assert_eq!(
            order([(2, None), (1, None), (0, None)]),
            (vec![0, 1, 2], None)
        );
        assert_eq!(
            order([(2, win), (1, None), (0, None)]),
            (vec![2, 0, 1], win)
        );
        assert_eq!(
            order([(2, None), (1, None), (0, loss)]),
            (vec![1, 2, 0], None)
        );
        // If all moves lose, the search's order is the best.
        assert_eq!(
            order([(2, loss), (1, loss), (0, loss)]),
            (vec![0, 1, 2], None)
        );
    }
}
