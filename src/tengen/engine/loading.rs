//! Converts a record to a game, under its own rules or under more liberal ones if it violates them.

use super::EngineError;
use super::history::{History, begin};
use crate::game::{Game, Rules as _};
use crate::record::{GameRecord, LaterSetup, sgf};

/// Replaces the current game with a recorded one, under its own rules where they are known; on an
/// error nothing has changed. Returns messages for the user.
///
/// # Errors
/// [`EngineError::WrongGame`] for another board or game, [`EngineError::IllegalSetup`] and
/// [`EngineError::IllegalRecord`] for what is illegal under any rules.
pub(super) fn load<G: Game>(
    history: &mut History<G>,
    record: &GameRecord,
) -> Result<Vec<String>, EngineError> {
    if record.size != history.size() || !sgf::may_be(&record.game, G::NAME) {
        return Err(EngineError::WrongGame);
    }
    let (rules, unknown) = record.rules_or(history.lasting_rules());
    let (game, broken) = played_by_some_rules(record, rules)?;
    history.replace(game, rules, record);
    if let Some(komi) = record.komi.or(rules.komi()) {
        history.set_komi(komi);
    }
    let broken = broken.map(|number| {
        format!(
            "move {number} is against the rules (ko, superko or suicide): this game is loaded under \
             rules that allow it"
        )
    });
    let begins = record.later.last().map(|setup| {
        format!(
            "stones are set up after move {}: the game begins there, and earlier captures are not \
             counted",
            setup.after
        )
    });
    Ok(unknown.into_iter().chain(broken).chain(begins).collect())
}

/// The game under these rules, or under the closest ones that allow all of it, at last without a ko; and the number
/// of the first move that these rules forbid.
fn played_by_some_rules<G: Game>(
    record: &GameRecord,
    rules: G::Rules,
) -> Result<(History<G>, Option<usize>), EngineError> {
    let first = match played(record, rules, false) {
        Ok(game) => return Ok((game, None)),
        Err(error) => error,
    };
    // Of several errors the latest move is illegal under any rules.
    let mut last = first;
    let relaxed = rules.relaxed();
    let with_ko = relaxed.iter().map(|rules| (*rules, false));
    let without = [&rules].into_iter().chain(&relaxed);
    let without = without.map(|rules| (*rules, true));
    for (rules, retakes_ko) in with_ko.chain(without) {
        match played(record, rules, retakes_ko) {
            Ok(game) => return Ok((game, Some(number(first)))),
            Err(error) if number(error) > number(last) => last = error,
            Err(_) => {}
        }
    }
    Err(last)
}

/// The number of an illegal move.
fn number(error: EngineError) -> usize {
    match error {
        EngineError::IllegalRecord { number, .. } => number,
        _ => 0,
    }
}

/// The game under exactly these rules, but with no ko in force if it `retakes_ko`. It begins with the last setup.
fn played<G: Game>(
    record: &GameRecord,
    rules: G::Rules,
    retakes_ko: bool,
) -> Result<History<G>, EngineError> {
    let start = begin::<G>(record.size, rules, &record.setup, record.first_to_move())?;
    let mut game = History::new(start, record.setup.clone());
    let mut later = record.later.iter().peekable();
    for (index, recorded) in record.plays.iter().enumerate() {
        while let Some(setup) = later.next_if(|setup| setup.after <= index) {
            game = set_up(&game, setup)?;
        }
        let number = index + 1;
        let played = game.play_with(recorded.play, retakes_ko);
        played.map_err(|error| match error {
            EngineError::IllegalMove(why) => EngineError::IllegalRecord { number, why },
            error => error,
        })?;
    }
    later.try_fold(game, |game, setup| set_up(&game, setup))
}

fn set_up<G: Game>(game: &History<G>, setup: &LaterSetup) -> Result<History<G>, EngineError> {
    let position = game.position();
    let after = setup.after;
    let start = setup.on(position);
    let start = start.map_err(|_| EngineError::IllegalSetup { after })?;
    let stones = setup.stones(position.size(), |point| position.stone(point));
    Ok(History::new(start, stones))
}
