//! The game so far: its start, its moves and every position.

use super::EngineError;
use crate::game::{
    BoardSize, Color, Game, GameState, HalfPoints, Illegal, LONGEST_GAME, Move, Outcome,
    PositionHistory, Rules, Scored, Symmetry, scoring,
};
use crate::record::sgf::{Told, told};
use crate::record::{GameRecord, Play, Vertex, result_text};

/// A game of `G` so far.
pub(super) struct History<G: Game> {
    /// The position before the first play.
    start: G,
    setup: Vec<(Move, Color)>,
    /// Each play and the position after it.
    plays: Vec<(Play, G)>,
    /// The positions that may not be repeated, where the rules forbid that: the start and the
    /// positions after the plays.
    past: PositionHistory,
    komi: Option<HalfPoints>,
    /// The rules to restore for the next game, if this one was loaded under others.
    lasting: Option<G::Rules>,
    /// The side that has resigned, after the last play.
    resigned: Option<Color>,
    /// Handicap according to the loaded record, on the board or not yet.
    told_handicap: u16,
    /// The players' names in the loaded record, Black's first.
    players: [String; 2],
    /// Whether the loaded record retakes a ko at once, which its plays may therefore do.
    retakes_ko: bool,
}

impl<G: Game> History<G> {
    /// A new game that begins with these stones, which are on the board in `start`.
    pub(super) fn new(start: G, setup: Vec<(Move, Color)>) -> History<G> {
        History {
            past: PositionHistory::of(&start),
            start,
            setup,
            plays: Vec::new(),
            komi: None,
            lasting: None,
            resigned: None,
            told_handicap: 0,
            players: <[String; 2]>::default(),
            retakes_ko: false,
        }
    }

    /// The board.
    pub(super) fn size(&self) -> BoardSize {
        self.start.size()
    }

    /// The current position.
    pub(super) fn position(&self) -> &G {
        present(&self.start, &self.plays)
    }

    /// The current position with `color` to move.
    pub(super) fn position_for(&self, color: Color) -> G {
        let mut position = self.position().clone();
        position.set_to_move(color);
        position
    }

    /// The current position with its history and `color` to move.
    pub(super) fn game_state_for(&self, color: Color) -> GameState<G> {
        GameState::new(self.position_for(color), self.past.clone())
    }

    /// The current position with its history.
    pub(super) fn game_state(&self) -> GameState<G> {
        GameState::new(self.position().clone(), self.past.clone())
    }

    /// Restarts with an empty board; komi and rules are kept.
    pub(super) fn clear(&mut self) {
        // The board had this size before, so it is supported.
        if let Ok(empty) = G::with_rules(self.size(), self.lasting_rules()) {
            *self = History {
                komi: self.komi,
                ..History::new(empty, Vec::new())
            };
        }
    }

    /// Sets the komi; true when it is part of the rules and has changed them, which changes every
    /// position of the game.
    pub(super) fn set_komi(&mut self, komi: HalfPoints) -> bool {
        self.komi = Some(komi);
        let rules = self.start.rules().with_komi(komi);
        // Legality does not depend on komi.
        rules.is_some_and(|rules| self.replay(rules).unwrap_or(false))
    }

    /// Replays the game so far under other rules, with their komi; returns whether anything has changed.
    ///
    /// # Errors
    /// [`EngineError::IllegalMove`] when a move is illegal under them: nothing has changed.
    pub(super) fn set_rules(&mut self, rules: G::Rules) -> Result<bool, EngineError> {
        let changed = self.replay(rules)?;
        self.komi = rules.komi().or(self.komi);
        self.lasting = None;
        Ok(changed)
    }

    fn replay(&mut self, rules: G::Rules) -> Result<bool, EngineError> {
        if rules == self.start.rules() {
            return Ok(false);
        }
        let start = begin::<G>(self.size(), rules, &self.setup, self.start.to_move())?;
        let plays = self.plays.iter().map(|(play, _)| *play);
        (self.plays, self.past) = follow(&start, plays, self.retakes_ko)?;
        self.start = start;
        Ok(true)
    }

    pub(super) fn rules(&self) -> G::Rules {
        self.start.rules()
    }

    /// The rules of later games, with the current komi.
    pub(super) fn lasting_rules(&self) -> G::Rules {
        let rules = self.rules();
        let with_komi = |lasting: G::Rules| lasting.with_komi(rules.komi()?);
        self.lasting
            .map_or(rules, |lasting| with_komi(lasting).unwrap_or(lasting))
    }

    /// Plays for either side.
    ///
    /// # Errors
    /// [`EngineError::IllegalMove`].
    pub(super) fn play(&mut self, play: Play) -> Result<(), EngineError> {
        self.play_with(play, false)
    }

    /// The same; the play may retake a ko at once if `retakes_ko`, as those of records may.
    ///
    /// # Errors
    /// [`EngineError::IllegalMove`].
    pub(super) fn play_with(&mut self, play: Play, retakes_ko: bool) -> Result<(), EngineError> {
        // After two passes players may go on passing.
        if self.plays.len() >= LONGEST_GAME {
            return Err(EngineError::IllegalMove(Illegal::TooLong));
        }
        let next = allowed(self.position(), &self.past, play, retakes_ko)?;
        self.retakes_ko |= retakes_ko;
        self.advance(play, next);
        Ok(())
    }

    /// Plays a move that is known to be legal, also after two passes; returns its number, from 0.
    pub(super) fn push(&mut self, color: Color, mv: Move) -> usize {
        let vertex = Vertex::of(mv, self.size());
        let play = Play { color, vertex };
        self.advance(play, played(self.position(), play));
        self.plays.len() - 1
    }

    /// `color` resigns; the game continues with the next play.
    pub(super) fn resign(&mut self, color: Color) {
        self.resigned = Some(color);
    }

    /// The same game under a symmetry of the board; `None` if the game does not allow it.
    pub(super) fn turned(&self, symmetry: Symmetry) -> Option<History<G>> {
        let size = self.size();
        let stone = |&(point, color): &(Move, Color)| (symmetry.apply(size, point), color);
        let setup: Vec<(Move, Color)> = self.setup.iter().map(stone).collect();
        let start = begin::<G>(size, self.rules(), &setup, self.start.to_move()).ok()?;
        let turned = |(play, _): &(Play, G)| Play {
            vertex: Vertex::of(symmetry.apply(size, play.vertex.index(size)), size),
            ..*play
        };
        let plays = self.plays.iter().map(turned);
        let (plays, past) = follow(&start, plays, self.retakes_ko).ok()?;
        let game = History::new(start, setup);
        Some(History {
            plays,
            past,
            ..game
        })
    }

    /// The side that has resigned, if that has ended the game.
    pub(super) fn resigned(&self) -> Option<Color> {
        self.resigned
            .filter(|_| self.position().outcome().is_none())
    }

    /// The result, by the rules or by resignation, when the game has ended.
    pub(super) fn outcome(&self) -> Option<Outcome> {
        let by_rules = self.position().outcome();
        by_rules.or_else(|| Some(Outcome::win(self.resigned?.opponent())))
    }

    /// Adds a play, and the position after it.
    fn advance(&mut self, play: Play, next: G) {
        self.resigned = None;
        self.past.push(&next);
        self.plays.push((play, next));
    }

    /// Undoes the last play; returns its number, from 0.
    ///
    /// # Errors
    /// [`EngineError::CannotUndo`] at the beginning.
    pub(super) fn undo(&mut self) -> Result<usize, EngineError> {
        self.plays.pop().ok_or(EngineError::CannotUndo)?;
        self.past.pop();
        self.resigned = None;
        Ok(self.plays.len())
    }

    /// Switches to the game of a record, and restores these rules afterwards; komi is kept.
    pub(super) fn replace(&mut self, game: History<G>, lasting: G::Rules, record: &GameRecord) {
        let resigned = match told(&record.result) {
            Some(Told::Resigned(winner)) => Some(winner.opponent()),
            _ => None,
        };
        *self = History {
            komi: self.komi,
            lasting: (game.rules() != lasting).then_some(lasting),
            resigned,
            told_handicap: record.handicap,
            players: [record.black.clone(), record.white.clone()],
            ..game
        };
    }

    /// The game as a record, with the result of the current board.
    pub(super) fn record(&self) -> GameRecord {
        let mut record = GameRecord::of(&self.start);
        [record.black, record.white] = self.players.clone();
        record.komi = self.komi.or(record.komi);
        record.result = self.outcome().map(result_text).unwrap_or_default();
        let stones = self.position().scored().map_or(0, Scored::handicap);
        record.handicap = match stones {
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

/// The position at the start of a game with these stones.
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

/// Plays with the position after each, and the resulting history.
type Followed<G> = (Vec<(Play, G)>, PositionHistory);

fn follow<G: Game>(
    start: &G,
    all: impl Iterator<Item = Play>,
    retakes_ko: bool,
) -> Result<Followed<G>, EngineError> {
    let (mut plays, mut past) = (Vec::new(), PositionHistory::of(start));
    for play in all {
        let next = allowed(present(start, &plays), &past, play, retakes_ko)?;
        past.push(&next);
        plays.push((play, next));
    }
    Ok((plays, past))
}

/// The position after the last of `plays`.
fn present<'a, G>(start: &'a G, plays: &'a [(Play, G)]) -> &'a G {
    plays.last().map_or(start, |(_, position)| position)
}

/// Whether `play` repeats that the game is over: a pass after two passes.
fn repeats_the_end<G: Game>(position: &G, play: Play) -> bool {
    play.vertex == Vertex::Pass && G::INFO.passes && position.outcome().is_some()
}

/// The position with `color` to move, without an end by passes.
fn turned_to<G: Game>(position: &G, color: Color) -> G {
    let mut next = scoring::resumed(position);
    next.set_to_move(color);
    next
}

/// Whether the rules allow `play`, for either side; after two passes players may continue.
fn check<G: Game>(position: &G, past: &PositionHistory, play: Play) -> Result<(), EngineError> {
    if repeats_the_end(position, play) {
        return Ok(());
    }
    let next = turned_to(position, play.color);
    let mv = play.vertex.index(next.size());
    if !next.is_legal(mv) {
        return Err(EngineError::IllegalMove(next.why_illegal(mv)));
    }
    match past.allows(&next, mv) {
        true => Ok(()),
        false => Err(EngineError::IllegalMove(Illegal::Superko)),
    }
}

/// `position` after a `play` that the rules allow; a ko is not in force if `retakes_ko`.
fn allowed<G: Game>(
    position: &G,
    past: &PositionHistory,
    play: Play,
    retakes_ko: bool,
) -> Result<G, EngineError> {
    let checked = check(position, past, play);
    if !retakes_ko || checked != Err(EngineError::IllegalMove(Illegal::Ko)) {
        return checked.map(|()| played(position, play));
    }
    // The ko is for the side to move, and expires when the other one is.
    let mut expired = position.clone();
    expired.set_to_move(play.color.opponent());
    check(&expired, past, play)?;
    Ok(played(&expired, play))
}

/// `position` after a legal `play`, for either side. A stone after two passes resumes the game;
/// another pass leaves it finished and only changes the turn.
fn played<G: Game>(position: &G, play: Play) -> G {
    if repeats_the_end(position, play) {
        let mut next = position.clone();
        next.set_to_move(play.color.opponent());
        return next;
    }
    let mut next = turned_to(position, play.color);
    let mv = play.vertex.index(next.size());
    next.play(mv);
    next
}
