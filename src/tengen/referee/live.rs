//! A game in progress, shown on a board of a page in the browser.

use super::game_end::{GameEnd, PlayedMove};
use super::referee_clock::AnnouncedTime;
use super::time_control::MatchTimeControl;
use crate::game::{BoardSize, Color};
use crate::record::{GameRecord, Vertex};
use crate::watch::{ClockView, Eval, MoveView, WatchedGame, WatchedGames};

/// A board of the page.
#[derive(Clone, Copy)]
pub struct LivePlace<'a> {
    /// All boards.
    pub(super) games: &'a WatchedGames,
    /// The number of this one, from 0.
    pub(super) place: usize,
    /// Both sides' time.
    pub(super) time: MatchTimeControl,
}

impl LivePlace<'_> {
    /// The game with this number, as in its files, begins after these moves.
    pub(super) fn begun(&self, number: usize, record: &GameRecord) {
        let to_move = match record.plays.len() % 2 {
            0 => Color::Black,
            _ => Color::White,
        };
        self.games.update(self.place, |game| {
            *game = WatchedGame {
                title: number.to_string(),
                ..WatchedGame::of(record, to_move)
            };
        });
    }

    /// A player is asked for a move, with this time left.
    pub(super) fn asked(&self, color: Color, left: Option<AnnouncedTime>) {
        self.games.update(self.place, |game| {
            game.task = Some("move");
            game.to_move = color.letter();
            for clock in game.clocks.iter_mut().flatten() {
                clock.running = false;
            }
            game.clocks[color.index()] = left.and_then(|left| self.clock(left, true));
        });
    }

    /// A player has answered with a move, perhaps an illegal one; its clock is as it would be if
    /// the move is played.
    pub(super) fn moved(&self, played: &PlayedMove, left: Option<AnnouncedTime>, size: BoardSize) {
        let color = played.color;
        self.games.update(self.place, |game| {
            if let Some(eval) = eval(played) {
                game.evaluate(game.moves.len(), eval);
            }
            let seconds = format!("{:.2} s", played.took.as_secs_f64());
            let report = played.report.as_ref();
            game.moves.push(MoveView {
                note: report.map_or(seconds.clone(), |report| format!("{seconds}, {report}")),
                ..MoveView::new(color, Vertex::of(played.mv, size), size)
            });
            game.task = None;
            game.to_move = color.opponent().letter();
            game.clocks[color.index()] = left.and_then(|left| self.clock(left, false));
        });
    }

    /// The game has ended.
    pub(super) fn ended(&self, end: &GameEnd) {
        self.games.update(self.place, |game| {
            // An illegal move was shown, and not played. Moves of the opening have no note.
            let shown = game.moves.iter().filter(|shown| !shown.note.is_empty());
            let played = game.moves.len() - shown.count() + end.moves.len();
            game.moves.truncate(played);
            game.task = None;
            for clock in game.clocks.iter_mut().flatten() {
                clock.running = false;
            }
            game.end = Some((end.sgf_result(), end.reason.to_string()));
        });
    }

    /// A clock of the referee as one of the page.
    fn clock(&self, left: AnnouncedTime, running: bool) -> Option<ClockView> {
        let phase = match (self.time, left.stones) {
            (MatchTimeControl::None, _) => return None,
            (MatchTimeControl::Byoyomi(_), 1..) => "byoyomi",
            (MatchTimeControl::Canadian(_), 1..) => "canadian",
            _ => "main",
        };
        Some(ClockView {
            seconds: left.time.as_secs_f64(),
            stones: left.stones,
            phase,
            running,
        })
    }
}

/// What a player's report says of the position before its move.
fn eval(played: &PlayedMove) -> Option<Eval> {
    let value = played.color.signed(played.value()? as f32);
    Some(Eval {
        winrate: f32::midpoint(1.0, value),
        lead: None,
        visits: played.visits().unwrap_or(0),
        proven: None,
    })
}
