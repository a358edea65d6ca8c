//! `--live-board`: the games in progress, shown in a browser.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use tengen::clock::{Clock, SystemClock, TimeLeft};
use tengen::game::{Color, Move};
use tengen::record::{GameRecord, Play, Vertex};
use tengen::referee::{
    AnnouncedTime, EngineSpec, Fixture, GameEnd, MatchObserver, MatchTimeControl, PlayedMove,
    RefereedGame, sgf_result,
};
use tengen::watch::{ClockView, Eval, MoveView, WatchedGame, WatchedGames, letter};

use crate::output::tell;

/// The games of a match, with what it takes to show them.
pub(crate) struct LiveMatch<'a> {
    pub(crate) games: Arc<WatchedGames>,
    pub(crate) rules: &'a dyn RefereedGame,
    pub(crate) engines: &'a [EngineSpec],
    pub(crate) openings: &'a [Vec<Move>],
    pub(crate) time: MatchTimeControl,
}

/// Serves the page of a match with this many games at once, and prints its address.
pub(crate) fn open(port: u16, concurrency: usize) -> Result<Arc<WatchedGames>> {
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let games = WatchedGames::new(concurrency, time);
    let address = games.serve(port)?;
    tell(format_args!("The games can be watched at {address}\n"));
    Ok(games)
}

impl LiveMatch<'_> {
    /// A clock of the referee as one of the page.
    fn clock(&self, left: AnnouncedTime, running: bool) -> Option<ClockView> {
        let AnnouncedTime { time, stones } = left;
        let left = match self.time {
            MatchTimeControl::None => TimeLeft::Unlimited,
            MatchTimeControl::Byoyomi { .. } if stones > 0 => TimeLeft::Byoyomi {
                period: time,
                periods: stones,
            },
            MatchTimeControl::Canadian { .. } if stones > 0 => TimeLeft::Canadian {
                period: time,
                stones,
            },
            _ => TimeLeft::Main(time),
        };
        ClockView::new(left, running)
    }
}

/// What a player's report says of the position before its move.
fn eval(played: &PlayedMove) -> Option<Eval> {
    let share = f32::midpoint(1.0, played.value()? as f32);
    Some(Eval {
        winrate: match played.color {
            Color::Black => share,
            Color::White => 1.0 - share,
        },
        lead: None,
        visits: played.visits().unwrap_or(0),
        proven: None,
    })
}

/// The time of a move and its player's report.
fn note(took: Duration, report: Option<&str>) -> String {
    let seconds = format!("{:.2} s", took.as_secs_f64());
    report.map_or(seconds.clone(), |report| format!("{seconds}, {report}"))
}

impl MatchObserver for LiveMatch<'_> {
    fn begun(&self, place: usize, fixture: &Fixture) {
        let size = self.rules.size();
        let [black, white] = fixture
            .engines
            .map(|engine| self.engines[engine].name.clone());
        let mut record = GameRecord {
            black,
            white,
            ..self.rules.record()
        };
        let opening = self.openings[fixture.opening].iter();
        let colors = Color::BOTH.into_iter().cycle();
        for (&mv, color) in opening.zip(colors) {
            let vertex = Vertex::of(mv, size);
            record.push(Play { color, vertex });
        }
        let to_move = match record.plays.len() % 2 {
            0 => Color::Black,
            _ => Color::White,
        };
        self.games.update(place, |game| {
            *game = WatchedGame {
                title: (fixture.number + 1).to_string(),
                ..WatchedGame::of(&record, to_move)
            };
        });
    }

    fn asked(&self, place: usize, color: Color, left: Option<AnnouncedTime>) {
        self.games.update(place, |game| {
            game.task = Some("move");
            game.to_move = letter(color);
            for clock in game.clocks.iter_mut().flatten() {
                clock.running = false;
            }
            game.clocks[color.index()] = left.and_then(|left| self.clock(left, true));
        });
    }

    fn moved(&self, place: usize, played: &PlayedMove, left: Option<AnnouncedTime>) {
        let size = self.rules.size();
        let color = played.color;
        self.games.update(place, |game| {
            if let Some(eval) = eval(played) {
                game.evaluate(game.moves.len(), eval);
            }
            let vertex = Vertex::of(played.mv, size);
            game.moves.push(MoveView {
                note: note(played.took, played.report.as_deref()),
                ..MoveView::new(color, vertex, size)
            });
            game.task = None;
            game.to_move = letter(color.opponent());
            game.clocks[color.index()] = left.and_then(|left| self.clock(left, false));
        });
    }

    fn ended(&self, place: usize, end: &GameEnd) {
        self.games.update(place, |game| {
            // An illegal move was shown, and not played.
            game.moves
                .truncate(game.moves.len().min(self.played(game, end)));
            game.task = None;
            for clock in game.clocks.iter_mut().flatten() {
                clock.running = false;
            }
            game.end = Some((sgf_result(end), end.reason.to_string()));
        });
    }
}

impl LiveMatch<'_> {
    /// The number of moves of a game that has ended, its opening included.
    fn played(&self, game: &WatchedGame, end: &GameEnd) -> usize {
        let own = game
            .moves
            .iter()
            .filter(|shown| !shown.note.is_empty())
            .count();
        game.moves.len() - own + end.moves.len()
    }

    /// Shows the score of the match.
    pub(crate) fn set_score(&self, score: String) {
        self.games.set_score(score);
    }
}
