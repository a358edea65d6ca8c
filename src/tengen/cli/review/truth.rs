//! What is known of a game's positions: proofs of winners and winning moves, and with them what a search has found.

use crate::command::positions;
use crate::engine::SolverOptions;
use crate::game::{BoardSize, Color, Move, Outcome, Proof};
use crate::games::{solves, with_game};
use crate::gtp::{format_move, move_names};
use crate::record::GameRecord;
use crate::search::{MoveReport, SearchReport};
use crate::solver::{Solvable, Solve, SolveLimits, Solves};
use anyhow::Context as _;

use super::facts::{Candidate, Judged, Position, tenth, winrate};

/// Moves kept of a position besides the one played and those proven, and moves of a line.
const CANDIDATES: usize = 12;
const LINE: usize = 16;

/// What the positions of a game may cost together, in limits of one position.
const POSITIONS: u64 = 5;

/// A position is skipped after this many consecutive later ones that could not be solved.
const MAX_IN_VAIN: usize = 2;

/// Proven facts of a position.
#[derive(Debug, Clone)]
pub(super) struct Verdict {
    /// The winner with best play.
    pub(super) winner: Color,
    /// Legal moves whose result is proven, for the side that plays them.
    pub(super) moves: Vec<(Move, Proof)>,
    /// A line of best play, if the game continued by losing a won position.
    pub(super) line: Vec<Move>,
}

/// Whether games of this name are solved here, beside the search. Others are proven in the search
/// only.
pub(super) fn is_solved(game: &str) -> bool {
    solves(game) == Solves::Endings
}

/// Proven facts of the positions of a game, to be asked for from the last one back: what is proven of a
/// position helps with those before it. Without any for games that are not [solved](is_solved).
pub(super) type Verdicts<'a> = Box<dyn FnMut(usize) -> Option<Verdict> + 'a>;

/// The verdicts on the positions of a game. The limits are those of a position; its moves and a line of play may cost as
/// much again, and all positions together five times as much. Proven positions take this many bytes.
///
/// # Errors
/// If it has an illegal move, or there is no solver.
pub(super) fn verdicts<'a>(
    record: &GameRecord,
    limits: SolveLimits<'a>,
    bytes: usize,
) -> anyhow::Result<Verdicts<'a>> {
    if !is_solved(&record.game) {
        return Ok(Box::new(|_| None));
    }
    with_game!(&record.game, record.size, |empty| solve(
        empty, record, limits, bytes
    ))?
}

/// The same for a game that starts with this empty board.
fn solve<'a, G: Solvable>(
    empty: G,
    record: &GameRecord,
    limits: SolveLimits<'a>,
    bytes: usize,
) -> anyhow::Result<Verdicts<'a>> {
    let positions = positions(record, empty)?;
    let mut solver = G::solver(bytes).context("cannot create the solver")?;
    let mut after: Option<(usize, Color)> = None;
    let mut in_vain = 0;
    let mut left = limits.nodes.saturating_mul(POSITIONS);
    // As in play: before that no number of nodes that people wait for suffices.
    let from = SolverOptions::default().solver_from;
    Ok(Box::new(move |index| {
        let position = positions.get(index)?;
        let is_late = position.plies_left().at_most(from);
        if in_vain > MAX_IN_VAIN || left == 0 || !is_late {
            return None;
        }
        let effort = limits.within(limits.nodes.min(left));
        let (found, nodes) = verdict(&mut *solver, position, &effort, |winner| {
            winner == position.to_move() && after == Some((index + 1, winner.opponent()))
        });
        left = left.saturating_sub(nodes);
        in_vain = if found.is_some() { 0 } else { in_vain + 1 };
        after = found.as_ref().map(|found| (index, found.winner)).or(after);
        found
    }))
}

/// Proofs for one position, with a line of play if `wants_line` of its winner, and the nodes that the proofs cost.
fn verdict<G: Solvable>(
    solver: &mut dyn Solve<G>,
    position: &G,
    effort: &SolveLimits<'_>,
    wants_line: impl FnOnce(Color) -> bool,
) -> (Option<Verdict>, u64) {
    let mover = position.to_move();
    let found = solver.solve(position, effort);
    let mut nodes = found.nodes;
    let proof = found.proof();
    let winner = proof.and_then(|proof| proof.outcome(mover).winner);
    let Some(winner) = winner else {
        return (None, nodes);
    };
    let moves = if winner == mover {
        let advice = solver.advise(position, Proof::Win, found.best, effort);
        nodes += advice.nodes;
        let rated = advice.moves.iter();
        rated
            .filter_map(|rated| Some((rated.mv, rated.proof()?)))
            .collect()
    } else {
        position.legal_moves().map(|mv| (mv, Proof::Loss)).collect()
    };
    let line = if wants_line(winner) {
        solver.line(position, effort)
    } else {
        Vec::new()
    };
    let verdict = Verdict {
        winner,
        moves,
        line,
    };
    (Some(verdict), nodes)
}

/// A position of a game with its search and proofs.
pub(super) struct Looked<'a> {
    pub(super) report: Option<&'a SearchReport>,
    pub(super) verdict: Option<&'a Verdict>,
    pub(super) outcome: Option<Outcome>,
    pub(super) mover: Color,
    pub(super) size: BoardSize,
}

impl Looked<'_> {
    /// The position before the move `played`, after this many moves.
    pub(super) fn position(
        &self,
        moves: usize,
        played: Option<Move>,
        by_network: bool,
    ) -> Position {
        let over = self.outcome.and_then(|outcome| outcome.winner);
        let best = self.report.and_then(SearchReport::best);
        let value = match self.outcome {
            Some(outcome) => Some(outcome.value_for(self.mover)),
            None => best.map(|best| best.proof.map_or(best.value, Proof::value)),
        };
        let proof = self.report.and_then(|report| report.proof);
        let proof = proof.and_then(|proof| proof.outcome(self.mover).winner);
        let solved = self.verdict.map(|verdict| verdict.winner);
        let winner = over.or(solved).or(proof);
        Position {
            moves,
            to_move: self.mover,
            winrate: value.map(|value| winrate(self.mover, value)),
            lead: self.lead(),
            winner,
            visits: self.report.map_or(0, |report| report.visits),
            // Where the game is over there is no answer, although a search may find one after two passes.
            candidates: match self.outcome {
                Some(_) => Vec::new(),
                None => self.candidates(played),
            },
            played: played.map(|mv| self.judged(mv, winner, by_network)),
        }
    }

    /// Black's lead in points, to a tenth.
    fn lead(&self) -> Option<f32> {
        let ended = self.outcome.and_then(|outcome| {
            let margin = outcome.margin?.0 as f32 / 2.0;
            Some(outcome.value_for(Color::Black) * margin)
        });
        let expected = self.report.and_then(SearchReport::black_ahead);
        ended.or(expected).map(tenth)
    }

    pub(super) fn is_forced(&self) -> bool {
        self.moves().len() == 1
    }

    fn moves(&self) -> &[MoveReport] {
        self.report.map_or(&[], |report| &report.moves)
    }

    fn proof(&self, found: &MoveReport) -> Option<Proof> {
        let verdict = self.verdict.into_iter();
        let mut proven = verdict.flat_map(|verdict| &verdict.moves);
        let solved = proven.find(|(mv, _)| *mv == found.mv);
        solved.map(|(_, proof)| *proof).or(found.proof)
    }

    /// The search's report with what is proven beside it.
    pub(super) fn with_proofs(&self, report: &SearchReport) -> SearchReport {
        let mut told = report.clone();
        for found in &mut told.moves {
            found.proof = self.proof(found);
        }
        if let Some(verdict) = self.verdict {
            let wins = verdict.winner == self.mover;
            told.proof = Some(if wins { Proof::Win } else { Proof::Loss });
        }
        let rank = |found: &MoveReport| match found.proof {
            Some(Proof::Win) => 0,
            None | Some(Proof::Draw) => 1,
            Some(Proof::Loss) => 2,
        };
        told.moves.sort_by_key(rank);
        told
    }

    fn candidates(&self, played: Option<Move>) -> Vec<Candidate> {
        let mut candidates = Vec::new();
        let report = self.report.map(|report| self.with_proofs(report));
        let moves = report.iter().flat_map(|report| &report.moves);
        for (index, found) in moves.enumerate() {
            let proof = found.proof;
            let winner = proof.and_then(|proof| proof.outcome(self.mover).winner);
            let wins = winner.map(|winner| winner == self.mover);
            let seen = found.visits > 0 && index < CANDIDATES;
            let expected = found.expected.as_ref().filter(|_| found.visits > 0);
            if seen || wins.is_some() || played == Some(found.mv) {
                candidates.push(Candidate {
                    at: format_move(found.mv, self.size),
                    visits: found.visits,
                    winrate: match wins {
                        Some(true) => winrate(self.mover, 1.0),
                        Some(false) => winrate(self.mover, -1.0),
                        None => winrate(self.mover, found.value),
                    },
                    lead: expected.map(|expected| tenth(expected.black_ahead)),
                    prior: (found.prior * 1e4).round() / 1e4,
                    wins,
                    pv: self.line(&found.pv),
                });
            }
        }
        candidates
    }

    /// The report's data of the move played; its loss is computed later, with the solver's line or another one.
    fn judged(&self, mv: Move, winner: Option<Color>, by_network: bool) -> Judged {
        let moves = self.moves();
        let place = moves.iter().position(|found| found.mv == mv);
        let own = place.map(|place| &moves[place]);
        let rank = own.filter(|_| by_network).map(|own| {
            let better = moves.iter().filter(|found| found.prior > own.prior);
            1 + better.count()
        });
        let lost = winner.is_some_and(|winner| winner != self.mover);
        Judged {
            counts: moves.len() > 1 && !lost,
            policy_rank: rank,
            choice: own
                .filter(|own| own.visits > 0)
                .and(place)
                .map(|place| place + 1),
            better: self
                .verdict
                .map_or(Vec::new(), |verdict| self.line(&verdict.line)),
            ..Judged::default()
        }
    }

    fn line(&self, moves: &[Move]) -> Vec<String> {
        move_names(&moves[..moves.len().min(LINE)], self.size)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};

    use crate::clock::StopReason;
    use crate::command::played;

    use super::*;

    /// A lesson asks for the first candidate, which the search may not have liked.
    #[test]
    fn moves_that_are_proven_to_win_come_first() {
        let size = BoardSize::square(3);
        let unsearched = |mv| MoveReport {
            visits: 9,
            ..MoveReport::unsearched(Move(mv), 0.3)
        };
        let moves = [0, 1, 2].map(unsearched).to_vec();
        let report = SearchReport::unsearched(moves, StopReason::Visits);
        let verdict = Verdict {
            winner: Color::Black,
            moves: vec![(Move(0), Proof::Loss), (Move(2), Proof::Win)],
            line: Vec::new(),
        };
        let looked = Looked {
            report: Some(&report),
            verdict: Some(&verdict),
            outcome: None,
            mover: Color::Black,
            size,
        };
        let position = looked.position(0, Some(Move(0)), true);
        let found = position.candidates.iter().map(|found| found.wins);
        assert!(found.eq([Some(true), None, Some(false)]), "{position:?}");
        let played = position.played.expect("a move");
        assert_eq!(played.choice, Some(1), "the search's rank stays");
    }

    #[test]
    fn no_opening_is_solved() {
        for (size, begins) in [(9, false), (6, true)] {
            let record = played("nogo", BoardSize::square(size), "C3 D4").expect("moves");
            let has_begun = AtomicBool::new(false);
            let halt = |_: u64| {
                has_begun.store(true, Ordering::Relaxed);
                false
            };
            let limits = SolveLimits::alone(2_000, &halt);
            let mut verdict = verdicts(&record, limits, 4 << 20).expect("a solver");
            assert!(verdict(2).is_none());
            assert_eq!(has_begun.load(Ordering::Relaxed), begins, "{size}");
        }
    }
}
