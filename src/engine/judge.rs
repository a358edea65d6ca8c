//! What is dead at the end of a game, and whether there is anything left to play for.

use crate::game::{Color, Expected, Game, Move, Settled};

use crate::search::{SearchReport, StopFlag};

/// Share of the points that have stones from which on a side may pass first.
const LATE: f32 = 0.4;

/// What a judgement is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Care {
    /// Whether to pass, while a clock may run.
    Playing,
    /// What a controller is told.
    Answering,
}

/// Says what is to be expected of a position; `None` in games without points, and when it is stopped.
pub(super) type MakeExpected<G> = Box<dyn FnMut(&G, Care, &StopFlag) -> Option<Expected> + Send>;

/// A judgement of the position of this key.
struct Judged {
    key: u128,
    care: Care,
    expected: Option<Expected>,
}

/// Judges positions of one game, and remembers the last: controllers ask for score and dead stones
/// one after the other.
pub(super) struct Judge<G: Game> {
    expect: Option<MakeExpected<G>>,
    last: Option<Judged>,
}

impl<G: Game> Judge<G> {
    /// One that judges nothing.
    pub(super) fn none() -> Judge<G> {
        Judge {
            expect: None,
            last: None,
        }
    }

    pub(super) fn by(expect: MakeExpected<G>) -> Judge<G> {
        Judge {
            expect: Some(expect),
            last: None,
        }
    }

    /// The position as the players may agree to count it.
    pub(super) fn settle(&mut self, position: &G, stop: &StopFlag) -> Option<Settled> {
        self.settle_with(Care::Answering, position, stop)
    }

    fn settle_with(&mut self, care: Care, position: &G, stop: &StopFlag) -> Option<Settled> {
        let key = position.key();
        let known = |last: &Judged| last.key == key && last.care >= care;
        if !self.last.as_ref().is_some_and(known) {
            let expected = self.expect.as_mut()?(position, care, stop);
            if stop.is_raised() {
                return None;
            }
            self.last = Some(Judged {
                key,
                care,
                expected,
            });
        }
        position.settle(self.last.as_ref()?.expected.as_ref()?)
    }

    /// Whether there is nothing left to play for, so that the side to move passes. Judged where the
    /// other side has passed, or a search has seen nothing in doubt.
    pub(super) fn is_done(
        &mut self,
        position: &G,
        report: Option<&SearchReport>,
        stop: &StopFlag,
    ) -> bool {
        let seen = report.and_then(|report| position.settle(report.expected.as_ref()?));
        let plausible = match seen {
            Some(seen) => seen.certain_winner().is_some(),
            None => has_passed(position),
        };
        // Before, playouts are surer of themselves than they should be.
        let late = has_passed(position) || is_late(position);
        G::INFO.passes
            && plausible
            && late
            && self
                .settle_with(Care::Playing, position, stop)
                .is_some_and(|settled| may_pass(position, &settled))
    }

    /// Whether a pass, which would be the second one, is wrong: the players are going to agree on
    /// what is dead, and the side to move would lose a game that is still in doubt.
    pub(super) fn goes_on(&mut self, position: &G, stop: &StopFlag) -> bool {
        if !position.agrees_on_dead() || !has_passed(position) {
            return false;
        }
        let settled = self.settle_with(Care::Playing, position, stop);
        settled.is_some_and(|settled| {
            let winner = settled.outcome().winner;
            settled.certain_winner().is_none() && winner == Some(position.to_move().opponent())
        })
    }
}

/// Whether the last move was a pass.
fn has_passed<G: Game>(position: &G) -> bool {
    G::INFO.passes && position.last_move() == Some(position.size().pass())
}

/// Whether the side to move may pass: it has won whatever becomes of what is not certain yet, or has lost, so
/// that no move makes a difference to the result; and none makes one to the score, unless the other side has
/// passed and so lost. Where players agree on dead stones, those are taken off; else the win must stand on the
/// board as it is.
fn may_pass<G: Game>(position: &G, settled: &Settled) -> bool {
    let Some(winner) = settled.certain_winner() else {
        return false;
    };
    let ahead = winner == position.to_move();
    let offered = ahead && has_passed(position);
    if !offered && (!is_late(position) || settled.open > 0) {
        return false;
    }
    position.agrees_on_dead() || (ahead && as_it_stands(position) == Some(winner))
}

/// Whether there are as many stones as towards the end of a game; before, playouts are surer of
/// themselves than they should be.
fn is_late<G: Game>(position: &G) -> bool {
    let area = position.size().area();
    let stones = (0..area).filter(|&at| position.stone(Move(at as u16)).is_some());
    stones.count() as f32 >= LATE * area as f32
}

/// Who wins if both sides pass now.
fn as_it_stands<G: Game>(position: &G) -> Option<Color> {
    let mut next = position.clone();
    let pass = next.size().pass();
    while next.outcome().is_none() && next.is_legal(pass) {
        next.play(pass);
    }
    next.outcome()?.winner
}

/// What `color` leaves out while stones of the other side are dead and still there: the pass, and all
/// moves that take no part in taking them. Empty when there are none.
pub(super) fn away_from_dead<G: Game>(position: &G, color: Color, settled: &Settled) -> Vec<Move> {
    let dead = |point| position.stone(point) == Some(color.opponent());
    let helps = settled.around_dead(position.size(), dead);
    if helps.is_empty() {
        return Vec::new();
    }
    let others = position.legal_moves();
    others.filter(|mv| !helps.contains(mv)).collect()
}
