//! Scoring of a finished game: both engines name dead stones and the result. If they disagree on
//! dead stones, or one claims some and the other says nothing, they play on, on a copy, and stones
//! captured there are dead. The board on which both passed is scored.
//!
//! Moves on the copy cost no points and no time; they only decide which of the disputed stones are captured.

use std::sync::atomic::Ordering;

use super::game::GameInProgress;
use super::game_end::{Count, CountBasis, GameEnd, PlayingOn, Reason};
use super::gtp_client::Fault;
use super::player::{EnginePlayer, PlayerMove, Reply};
use crate::game::{Color, Game, Move, Outcome, PositionHistory, Scored, scoring};
use crate::gtp::{format_move, move_names};
use crate::record::result_text;

/// A chain by its points, ascending.
type Chain = Vec<Move>;

/// Dead stones, with the reason.
struct Verdict {
    dead: Vec<Move>,
    how: CountBasis,
    /// The game on the copy, if that decided.
    trial: Option<Trial>,
}

impl Verdict {
    fn of(chains: Vec<Chain>, how: CountBasis) -> Verdict {
        Verdict {
            dead: chains.concat(),
            how,
            trial: None,
        }
    }
}

impl<G: Game> GameInProgress<'_, G> {
    /// The end of a game that is over by the rules: scored if the game counts points. `None` if the
    /// match was stopped meanwhile.
    pub(super) fn counted(&mut self, by_rules: Outcome) -> Option<GameEnd> {
        let (position, size) = (self.position.clone(), self.position.size());
        let (Some(scored), Some(_)) = (position.scored(), by_rules.margin) else {
            return Some(self.end(by_rules, Reason::Rules, None));
        };
        let mut faults = [None, None];
        let named = match scored.agrees_on_dead() {
            true => self.ask(&mut faults, |player| player.dead()),
            false => [None, None],
        };
        let said = self.ask(&mut faults, |player| player.final_score());
        let named = named.map(|dead| dead.map(|dead| scored.chains_of(&dead)));
        let can_go_on = faults.each_ref().map(Option::is_none);
        let verdict = self.verdict(scored, named, can_go_on)?;
        let outcome = scored.outcome_without(&verdict.dead);
        let trial = verdict.trial.as_ref();
        let foul = trial.and_then(|trial| trial.foul.as_ref());
        if let Some(foul) = foul.filter(|foul| foul.is_fault) {
            let what = format!("{} when it played on about dead stones", foul.what);
            faults[foul.color.index()].get_or_insert(what);
        }
        let mut end = self.end(outcome, Reason::Rules, None);
        end.usable = can_go_on;
        if let Some(foul) = foul {
            end.usable[foul.color.index()] &= foul.usable;
        }
        end.count = Some(Count {
            result: result_text(outcome),
            said,
            how: verdict.how,
            dead: move_names(&verdict.dead, size),
            playing_on: verdict.trial.map(|trial| trial.told),
        });
        end.faults = faults;
        Some(end)
    }

    /// Both players' answers to a question about the finished game. Errors do not lose it, but an engine
    /// that failed is asked no further questions: its next answer may belong to this one.
    fn ask<T>(
        &mut self,
        faults: &mut [Option<String>; 2],
        question: impl Fn(&mut dyn EnginePlayer) -> Result<Option<T>, Fault>,
    ) -> [Option<T>; 2] {
        [0, 1].map(|side| {
            if faults[side].is_some() {
                return None;
            }
            question(self.scheduled.players[side]).unwrap_or_else(|failed| {
                faults[side] = Some(failed.to_string());
                None
            })
        })
    }

    /// Dead stones, given the chains named by Black's and White's player. What is certain is so whoever says what. An
    /// engine gives its own stones up, but takes those of the other side only if that agrees, or cannot go on; about
    /// the rest they play on.
    fn verdict(
        &mut self,
        scored: &dyn Scored<G>,
        named: [Option<Vec<Chain>>; 2],
        can_go_on: [bool; 2],
    ) -> Option<Verdict> {
        let basis = match &named {
            [None, None] => return Some(Verdict::of(Vec::new(), CountBasis::AsItStands)),
            [Some(one), Some(other)] if one == other => CountBasis::Agreed,
            [Some(_), Some(_)] => CountBasis::Certain,
            _ => CountBasis::OneSays,
        };
        let names = |color: Color, chain: &Chain| {
            let dead = named[color.index()].as_ref();
            dead.map(|dead| dead.contains(chain))
        };
        let mut all: Vec<&Chain> = named.iter().flatten().flatten().collect();
        all.sort_unstable();
        all.dedup();
        let (mut dead, mut open) = (Vec::new(), Vec::new());
        for chain in all {
            let owner = self.position.stone(chain[0])?;
            let given_up = names(owner, chain).unwrap_or(!can_go_on[owner.index()]);
            let taken = names(owner.opponent(), chain).unwrap_or(true);
            match scored.certainly_dead(chain[0]) {
                Some(true) => dead.push(chain.clone()),
                Some(false) => {}
                None if given_up && taken => dead.push(chain.clone()),
                None => open.push(chain.clone()),
            }
        }
        if open.is_empty() {
            return Some(Verdict::of(dead, basis));
        }
        let trial = self.trial(&open)?;
        let mut verdict = Verdict::of(dead, CountBasis::PlayedOn);
        verdict.dead.extend(&trial.dead);
        verdict.trial = Some(trial);
        Some(verdict)
    }
}

/// Maximum number of moves per point of the board; a chain that still stands then lives.
const MOVES_PER_POINT: usize = 2;

/// Result of playing on.
struct Trial {
    told: PlayingOn,
    /// The disputed chains that are dead.
    dead: Vec<Move>,
    /// The side that ended it by a fault or an illegal move: its disputed stones are dead, those of
    /// the opponent are alive.
    foul: Option<TrialFault>,
}

/// Fault that ended playing on before both passed.
struct TrialFault {
    color: Color,
    what: String,
    /// Whether it was a misbehaviour of the engine.
    is_fault: bool,
    /// Whether the engine can continue.
    usable: bool,
}

/// The position on the copy.
struct Copy<G> {
    position: G,
    past: PositionHistory,
    /// Points where each side may retake a ko only after a pass.
    kos: [Vec<Move>; 2],
    passes: u32,
    /// The moves, as `black A2`.
    moves: Vec<String>,
}

impl<G: Game> Copy<G> {
    fn play(&mut self, mv: Move) {
        let (color, size) = (self.position.to_move(), self.position.size());
        self.moves
            .push(format!("{color} {}", format_move(mv, size)));
        self.position.play(mv);
        self.past.push(&self.position);
        if mv == size.pass() {
            self.passes += 1;
            self.kos[color.index()].clear();
            return;
        }
        self.passes = 0;
        if let Some(ko) = self.position.scored().and_then(Scored::ko) {
            self.kos[color.opponent().index()].push(ko);
        }
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.position.is_legal(mv) && self.past.allows(&self.position, mv)
    }

    /// Whether a legal move retakes a ko for which its side must pass first.
    fn needs_a_pass(&self, mv: Move) -> bool {
        let banned = &self.kos[self.position.to_move().index()];
        let for_ko = self.position.scored().is_some_and(Scored::passes_for_ko);
        if !for_ko || !banned.contains(&mv) {
            return false;
        }
        let mut next = self.position.clone();
        next.play(mv);
        next.scored().and_then(Scored::ko).is_some()
    }
}

impl<G: Game> GameInProgress<'_, G> {
    /// Plays on about these chains, on a copy, until both pass. If all of them belong to one side, the other
    /// one, which must capture them, begins. `None` if the match was stopped meanwhile.
    fn trial(&mut self, disputed: &[Vec<Move>]) -> Option<Trial> {
        let mut position = scoring::resumed(&self.position);
        let owner = |chain: &Vec<Move>| self.position.stone(chain[0]);
        let owners: Vec<Color> = disputed.iter().filter_map(owner).collect();
        if let [first, rest @ ..] = owners.as_slice()
            && rest.iter().all(|other| other == first)
        {
            position.set_to_move(first.opponent());
        }
        let mut copy = Copy {
            position,
            past: self.past.clone(),
            kos: [Vec::new(), Vec::new()],
            passes: 0,
            moves: Vec::new(),
        };
        let most = MOVES_PER_POINT * copy.position.size().area();
        let mut foul = None;
        while copy.passes < 2 && copy.moves.len() < most && foul.is_none() {
            if self.scheduled.stop.load(Ordering::Relaxed) {
                return None;
            }
            foul = self.next_in_trial(&mut copy).err();
        }
        let is_dead = |chain: &&Vec<Move>| {
            let owner = self.position.stone(chain[0]);
            let stands = || {
                chain
                    .iter()
                    .any(|point| copy.position.stone(*point) == owner)
            };
            match &foul {
                Some(foul) => owner == Some(foul.color),
                None => !stands(),
            }
        };
        let ended_by = foul.as_ref();
        Some(Trial {
            dead: disputed.iter().filter(is_dead).flatten().copied().collect(),
            told: PlayingOn {
                about: move_names(&disputed.concat(), copy.position.size()),
                ended_by: ended_by.map(|foul| format!("{} {}", foul.color, foul.what)),
                moves: copy.moves,
            },
            foul,
        })
    }

    /// One move on the copy, sent to the other side.
    fn next_in_trial(&mut self, copy: &mut Copy<G>) -> Result<(), TrialFault> {
        let color = copy.position.to_move();
        let limit = self.scheduled.terms.move_limit;
        let player = &mut self.scheduled.players[color.index()];
        let Reply { choice, .. } = player
            .clean_up(color, limit)
            .map_err(|fault| TrialFault::by_fault(color, &fault))?;
        let size = copy.position.size();
        let mv = match choice {
            // The game is over: resigning here concedes the disputed stones.
            PlayerMove::Resign => size.pass(),
            PlayerMove::Nonsense(text) => {
                let what = format!("answered `{text}`, which is not a vertex");
                return Err(TrialFault::of(color, what, true));
            }
            PlayerMove::Move(mv) => mv,
        };
        let text = format_move(mv, size);
        if !copy.is_legal(mv) {
            let what = format!("played {text}, which is illegal");
            return Err(TrialFault::of(color, what, true));
        }
        let by_fault = |fault| TrialFault::by_fault(color, &fault);
        let mv = match copy.needs_a_pass(mv) {
            false => mv,
            true if player.pass_instead(color).map_err(by_fault)? => size.pass(),
            true => {
                let what = format!("took back the ko at {text} without passing for it");
                return Err(TrialFault::of(color, what, false));
            }
        };
        copy.play(mv);
        let other = color.opponent();
        let told = self.scheduled.players[other.index()].play(color, mv);
        told.map_err(|fault| TrialFault::by_fault(other, &fault))
    }
}

impl TrialFault {
    fn of(color: Color, what: String, is_fault: bool) -> TrialFault {
        TrialFault {
            color,
            what,
            is_fault,
            usable: true,
        }
    }

    fn by_fault(color: Color, fault: &Fault) -> TrialFault {
        TrialFault {
            usable: matches!(fault, Fault::Refused { .. }),
            ..TrialFault::of(color, fault.to_string(), true)
        }
    }
}

#[cfg(test)]
#[path = "counting_tests.rs"]
mod tests;
