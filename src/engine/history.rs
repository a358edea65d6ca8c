//! A game so far: how it began, what was played, and every position on the way.

use super::EngineError;
use crate::game::{
    BoardSize, Color, Game, GameState, HalfPoints, Illegal, Move, Outcome, PositionHistory, Rules,
};
use crate::record::{GameRecord, Play, Vertex, result_text};

/// A game of `G` so far.
pub(super) struct History<G: Game> {
    /// The position before the first play.
    start: G,
    setup: Vec<(Move, Color)>,
    /// Each play and the position after it.
    plays: Vec<(Play, G)>,
    /// What may not come back, where the rules forbid that: the start and the positions after the
    /// plays.
    past: PositionHistory,
    komi: Option<HalfPoints>,
    /// The rules that come back with the next game, where this one was loaded under others.
    lasting: Option<G::Rules>,
    /// Who has given the game up, with the last play.
    resigned: Option<Color>,
    /// Handicap stones that the record that was loaded speaks of, on the board or not yet.
    told_handicap: u16,
}

impl<G: Game> History<G> {
    /// A new game on `empty`, a board without stones.
    pub(super) fn new(empty: G) -> History<G> {
        History::of(empty, Vec::new())
    }

    /// A game that begins with these stones, which are those of `start`.
    pub(super) fn of(start: G, setup: Vec<(Move, Color)>) -> History<G> {
        History {
            past: PositionHistory::of(&start),
            start,
            setup,
            plays: Vec::new(),
            komi: None,
            lasting: None,
            resigned: None,
            told_handicap: 0,
        }
    }

    /// The board.
    pub(super) fn size(&self) -> BoardSize {
        self.start.size()
    }

    /// The present position.
    pub(super) fn position(&self) -> &G {
        present(&self.start, &self.plays)
    }

    /// The present position with `color` to move.
    pub(super) fn position_for(&self, color: Color) -> G {
        let mut position = self.position().clone();
        position.set_to_move(color);
        position
    }

    /// The same with all that led to it.
    pub(super) fn reached_for(&self, color: Color) -> GameState<G> {
        GameState::new(self.position_for(color), self.past.clone())
    }

    /// The present position with all that led to it.
    pub(super) fn game_state(&self) -> GameState<G> {
        GameState::new(self.position().clone(), self.past.clone())
    }

    /// Begins again with no stones; komi and rules stay.
    pub(super) fn clear(&mut self) {
        // The board had this size before, so it has it again.
        if let Ok(empty) = G::with_rules(self.size(), self.lasting_rules()) {
            self.start = empty;
        }
        self.lasting = None;
        self.setup.clear();
        self.plays.clear();
        self.past = PositionHistory::of(&self.start);
        self.resigned = None;
        self.told_handicap = 0;
    }

    /// Sets the komi; true when it is part of the rules and has changed them, which makes every
    /// position of the game another one.
    pub(super) fn set_komi(&mut self, komi: HalfPoints) -> bool {
        self.komi = Some(komi);
        let rules = self.start.rules().with_komi(komi);
        // What was legal under one komi is legal under any.
        rules.is_some_and(|rules| self.replay(rules).unwrap_or(false))
    }

    /// Plays the game so far again under other rules; whether anything is different then.
    ///
    /// # Errors
    /// [`EngineError::IllegalMove`] when it could not be played under them: nothing has changed.
    pub(super) fn set_rules(&mut self, rules: G::Rules) -> Result<bool, EngineError> {
        let changed = self.replay(rules)?;
        self.lasting = None;
        Ok(changed)
    }

    fn replay(&mut self, rules: G::Rules) -> Result<bool, EngineError> {
        if rules == self.start.rules() {
            return Ok(false);
        }
        let again = || -> Result<(G, Followed<G>), EngineError> {
            let start = begin::<G>(self.size(), rules, &self.setup, self.start.to_move())?;
            let followed = follow(&start, self.plays.iter().map(|(play, _)| *play))?;
            Ok((start, followed))
        };
        let (start, followed) = again()?;
        self.start = start;
        (self.plays, self.past) = followed;
        Ok(true)
    }

    /// The rules.
    pub(super) fn rules(&self) -> G::Rules {
        self.start.rules()
    }

    /// The rules of later games, with the present komi.
    pub(super) fn lasting_rules(&self) -> G::Rules {
        let rules = self.rules();
        let with_komi = |lasting: G::Rules| lasting.with_komi(rules.komi()?);
        self.lasting
            .map_or(rules, |lasting| with_komi(lasting).unwrap_or(lasting))
    }

    /// Plays, for either side to move.
    ///
    /// # Errors
    /// [`EngineError::IllegalMove`].
    pub(super) fn play(&mut self, play: Play) -> Result<(), EngineError> {
        check(self.position(), &self.past, play)?;
        self.add(play);
        Ok(())
    }

    /// Plays a move that is known to be legal, after two passes too; answers its number, from 0.
    pub(super) fn push(&mut self, color: Color, mv: Move) -> usize {
        let vertex = Vertex::of(mv, self.size());
        self.add(Play { color, vertex });
        self.plays.len() - 1
    }

    /// `color` gives the game up; it goes on with the next play.
    pub(super) fn resign(&mut self, color: Color) {
        self.resigned = Some(color);
    }

    /// Who has given the game up, where that has ended it.
    pub(super) fn resigned(&self) -> Option<Color> {
        self.resigned
            .filter(|_| self.position().outcome().is_none())
    }

    /// The result, by the rules or by resignation, when the game has ended.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let by_rules = self.position().outcome();
        by_rules.or_else(|| Some(Outcome::win(self.resigned?.opponent())))
    }

    fn add(&mut self, play: Play) {
        self.resigned = None;
        let next = played(self.position(), play);
        self.past.push(&next);
        self.plays.push((play, next));
    }

    /// Takes the last play back; answers its number, from 0.
    ///
    /// # Errors
    /// [`EngineError::CannotUndo`] at the beginning.
    pub(super) fn undo(&mut self) -> Result<usize, EngineError> {
        self.plays.pop().ok_or(EngineError::CannotUndo)?;
        self.past.pop();
        self.resigned = None;
        Ok(self.plays.len())
    }

    /// Goes over to another game, after which these rules hold; komi stays.
    pub(super) fn replace(&mut self, game: History<G>, lasting: G::Rules) {
        let lasting = (game.rules() != lasting).then_some(lasting);
        *self = History {
            komi: self.komi,
            lasting,
            ..game
        };
    }

    /// What a record that was loaded says of the game beside what is on the board.
    pub(super) fn take_over(&mut self, record: &GameRecord) {
        self.resigned = record.resigned();
        self.told_handicap = record.handicap;
    }

    /// The game as a record; the result is that of the board as it stands.
    pub(super) fn record(&self) -> GameRecord {
        let mut record = GameRecord::of(&self.start);
        record.komi = self.komi.or(record.komi);
        record.result = self.outcome().map(result_text).unwrap_or_default();
        record.handicap = match self.position().handicap() {
            0 => self.told_handicap,
            stones => stones,
        };
        record.setup.clone_from(&self.setup);
        if !self.setup.is_empty() || self.start.to_move() != Color::Black {
            record.to_move = Some(self.start.to_move());
        }
        for (play, _) in &self.plays {
            record.push(*play);
        }
        record
    }
}

/// The position at the beginning of a game with these stones.
pub(super) fn begin<G: Game>(
    size: BoardSize,
    rules: G::Rules,
    setup: &[(Move, Color)],
    to_move: Color,
) -> Result<G, EngineError> {
    let mut empty = G::with_rules(size, rules).map_err(|_| EngineError::WrongGame)?;
    if setup.is_empty() {
        empty.set_to_move(to_move);
        return Ok(empty);
    }
    let start = empty.set_up(setup, to_move);
    start.map_err(|_| EngineError::IllegalSetup { after: 0 })
}

/// Plays with the position after each, and the past that they make.
type Followed<G> = (Vec<(Play, G)>, PositionHistory);

fn follow<G: Game>(start: &G, all: impl Iterator<Item = Play>) -> Result<Followed<G>, EngineError> {
    let (mut plays, mut past) = (
        Vec::with_capacity(all.size_hint().0),
        PositionHistory::of(start),
    );
    for play in all {
        let before = present(start, &plays);
        check(before, &past, play)?;
        let next = played(before, play);
        past.push(&next);
        plays.push((play, next));
    }
    Ok((plays, past))
}

/// The position after the last of `plays`.
fn present<'a, G>(start: &'a G, plays: &'a [(Play, G)]) -> &'a G {
    plays.last().map_or(start, |(_, position)| position)
}

/// Whether `play` says once more that the game is over: a pass after passes have ended it.
fn repeats_the_end<G: Game>(position: &G, play: Play) -> bool {
    play.vertex == Vertex::Pass && G::INFO.passes && position.outcome().is_some()
}

/// Whether the rules allow `play`, for either side to move; where both have passed, players may go on.
fn check<G: Game>(position: &G, past: &PositionHistory, play: Play) -> Result<(), EngineError> {
    if repeats_the_end(position, play) {
        return Ok(());
    }
    let mut next = position.clone();
    next.set_to_move(play.color);
    next.resume();
    let mv = play.vertex.index(next.size());
    if !next.is_legal(mv) {
        return Err(EngineError::IllegalMove(next.why_illegal(mv)));
    }
    match past.allows(&next, mv) {
        true => Ok(()),
        false => Err(EngineError::IllegalMove(Illegal::Superko)),
    }
}

/// `position` after a legal `play`, for either side to move. A stone after two passes takes the game up
/// again; another pass leaves it over, and only the turn changes.
fn played<G: Game>(position: &G, play: Play) -> G {
    let mut next = position.clone();
    if repeats_the_end(position, play) {
        next.set_to_move(play.color.opponent());
        return next;
    }
    next.set_to_move(play.color);
    next.resume();
    let mv = play.vertex.index(next.size());
    next.play(mv);
    next
}
