//! Scoring of a finished game: both engines name dead stones and the result. If they disagree on
//! dead stones, or one claims some and the other says nothing, they play on, on a copy, and stones
//! captured there are dead. The board on which both passed is scored.

use super::game::GameInProgress;
use super::game_end::{Count, CountBasis, GameEnd, PlayingOn, Reason};
use super::gtp_client::Fault;
use super::player::{EnginePlayer, vertex_text};
use super::trial::Trial;
use crate::game::{Color, Game, Move, Outcome, Scored};
use crate::record::result_text;

/// A chain by its points, ascending.
type Chain = Vec<Move>;

/// Dead stones, with the reason.
struct Verdict {
    dead: Vec<Move>,
    how: CountBasis,
    /// The game on the copy, if that decided.
    trial: Option<(Vec<Chain>, Trial)>,
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
        let position = self.position.clone();
        let (Some(scored), Some(_)) = (position.scored(), by_rules.margin) else {
            return Some(self.end(by_rules, Reason::Rules, None));
        };
        let mut asked = Asked::default();
        let named = match scored.agrees_on_dead() {
            true => self.ask(&mut asked, |player| player.dead()),
            false => [None, None],
        };
        let said = self.ask(&mut asked, |player| player.final_score());
        let named = named.map(|dead| dead.map(|dead| scored.chains_of(&dead)));
        let can_go_on = asked.usable;
        let verdict = self.verdict(scored, named, can_go_on)?;
        let outcome = scored.outcome_without(&verdict.dead);
        let foul = verdict
            .trial
            .as_ref()
            .and_then(|(_, trial)| trial.foul.as_ref());
        if let Some(foul) = foul.filter(|foul| foul.is_fault) {
            let what = format!("{} when it played on about dead stones", foul.what);
            asked.faults[foul.color.index()].get_or_insert(what);
        }
        let mut end = self.end(outcome, Reason::Rules, None);
        end.usable = asked.usable;
        if let Some(foul) = foul {
            end.usable[foul.color.index()] &= foul.usable;
        }
        end.count = Some(Count {
            result: result_text(outcome),
            said,
            how: verdict.how,
            dead: self.names(&verdict.dead),
            playing_on: verdict
                .trial
                .map(|(disputed, trial)| self.told(&disputed, &trial)),
            faults: asked.faults,
        });
        Some(end)
    }

    /// Both players' answers to a question.
    fn ask<T>(
        &mut self,
        asked: &mut Asked,
        question: impl Fn(&mut dyn EnginePlayer) -> Result<Option<T>, Fault>,
    ) -> [Option<T>; 2] {
        Color::BOTH.map(|color| asked.answer(color, self.players[color.index()], &question))
    }

    /// Dead stones, given the chains named by Black's and White's player. What is certain is so whoever says what. An
    /// engine gives its own stones up, but takes those of the other side only if that agrees, or cannot go on; about
    /// the rest they play on.
    fn verdict(
        &mut self,
        scored: &impl Scored<G>,
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
        verdict.trial = Some((open, trial));
        Some(verdict)
    }

    /// Points as vertices.
    fn names(&self, points: &[Move]) -> Vec<String> {
        let size = self.position.size();
        let names = points.iter().map(|&point| vertex_text(size, point));
        names.collect()
    }

    fn told(&self, disputed: &[Chain], trial: &Trial) -> PlayingOn {
        let size = self.position.size();
        let told = |(color, mv): &(Color, Move)| format!("{color} {}", vertex_text(size, *mv));
        PlayingOn {
            about: self.names(&disputed.concat()),
            moves: trial.moves.iter().map(told).collect(),
            ended_by: trial
                .foul
                .as_ref()
                .map(|foul| format!("{} {}", foul.color, foul.what)),
        }
    }
}

/// Errors of engines when asked about a finished game. They do not lose the game, but an engine
/// that failed is asked no further questions: its next answer may belong to this one.
struct Asked {
    faults: [Option<String>; 2],
    /// Whether each engine can continue.
    usable: [bool; 2],
}

impl Default for Asked {
    fn default() -> Asked {
        Asked {
            faults: [None, None],
            usable: [true; 2],
        }
    }
}

impl Asked {
    fn answer<T>(
        &mut self,
        color: Color,
        player: &mut dyn EnginePlayer,
        question: impl FnOnce(&mut dyn EnginePlayer) -> Result<Option<T>, Fault>,
    ) -> Option<T> {
        let at = color.index();
        if self.faults[at].is_some() {
            return None;
        }
        question(player).unwrap_or_else(|failed| {
            self.faults[at] = Some(failed.to_string());
            self.usable[at] = false;
            None
        })
    }
}

#[cfg(test)]
#[path = "counting_tests.rs"]
mod tests;
