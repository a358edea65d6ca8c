//! The watched games, one a board, and their pages.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parking_lot::{Condvar, Mutex};
use serde_json::{Value, json};

use super::WatchedGame;
use crate::clock::Clock;
use crate::web::{Host, Page, Reply, Request, Server, ServerError};

/// One board.
#[derive(Default)]
struct Place {
    game: Arc<WatchedGame>,
    /// When the game's clocks were read.
    since: Duration,
    analysis: Arc<str>,
    /// The last game that has ended, and the change by which another took its place.
    finished: Option<(u64, Arc<WatchedGame>)>,
    /// Changes with the game, and with the analysis.
    changes: [u64; 2],
}

/// What all pages are shown.
struct Shown {
    places: Vec<Place>,
    /// The score of a match; empty for single games.
    score: String,
    /// Changes with anything.
    changes: u64,
}

/// Games in progress, one on each board.
pub struct WatchedGames {
    shown: Mutex<Shown>,
    changed: Condvar,
    /// Number of open pages.
    pages: AtomicUsize,
    time: Arc<dyn Clock>,
}

impl WatchedGames {
    /// This many boards, at least one, without games.
    pub fn new(boards: usize, time: Arc<dyn Clock>) -> Arc<WatchedGames> {
        let places = (0..boards.max(1)).map(|_| Place::default());
        Arc::new(WatchedGames {
            shown: Mutex::new(Shown {
                places: places.collect(),
                score: String::new(),
                changes: 1,
            }),
            changed: Condvar::new(),
            pages: AtomicUsize::new(0),
            time,
        })
    }

    /// Serves the page at this port, any free one for 0, until the program ends. Returns its
    /// address.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn serve(self: &Arc<Self>, port: u16) -> Result<String, ServerError> {
        let host: Arc<WatchedGames> = Arc::clone(self);
        let server = Server::bind(port, host, false)?;
        let address = server.address();
        server.spawn()?;
        Ok(address)
    }

    /// Whether a page is open.
    pub fn is_watched(&self) -> bool {
        self.pages.load(Ordering::Relaxed) > 0
    }

    fn change(&self, change: impl FnOnce(&mut Shown)) {
        let mut shown = self.shown.lock();
        change(&mut shown);
        shown.changes += 1;
        drop(shown);
        self.changed.notify_all();
    }

    /// Changes the game on a board; its clocks are those of now.
    pub fn update(&self, board: usize, change: impl FnOnce(&mut WatchedGame)) {
        let now = self.time.now();
        self.change(|shown| {
            if let Some(place) = shown.places.get_mut(board) {
                let before = Arc::clone(&place.game);
                change(Arc::make_mut(&mut place.game));
                place.since = now;
                place.changes[0] += 1;
                if before.end.is_some() && place.game.title != before.title {
                    place.finished = Some((place.changes[0], Arc::clone(&before)));
                }
                // The search was of a position that this game does not come to.
                if !place.game.continues(&before) {
                    place.analysis = "null".into();
                    place.changes[1] += 1;
                }
            }
        });
    }

    /// Shows the search of a position, as JSON of the page.
    pub fn show(&self, board: usize, analysis: String) {
        self.change(|shown| {
            if let Some(place) = shown.places.get_mut(board) {
                place.analysis = analysis.into();
                place.changes[1] += 1;
            }
        });
    }

    /// Shows the score of a match.
    pub fn set_score(&self, score: String) {
        self.change(|shown| shown.score = score);
    }
}

impl Host for WatchedGames {
    fn start(&self) -> &'static str {
        "watch.js"
    }

    fn answer(&self, _: &str, _: &Request) -> Option<Reply> {
        None
    }

    /// The query is the number of a board, from 0.
    fn open(self: Arc<Self>, query: &str) -> Box<dyn Page> {
        self.pages.fetch_add(1, Ordering::Relaxed);
        Box::new(WatchPage {
            board: query.parse().unwrap_or(0),
            games: self,
            seen: 0,
            seen_of_board: [0; 2],
        })
    }
}

/// A page that follows one board.
struct WatchPage {
    games: Arc<WatchedGames>,
    board: usize,
    seen: u64,
    seen_of_board: [u64; 2],
}

impl Page for WatchPage {
    fn news(&mut self, patience: Duration) -> Vec<(&'static str, Arc<str>)> {
        let games = &self.games;
        let mut shown = games.shown.lock();
        let seen = self.seen;
        if shown.changes == seen {
            let old = |shown: &mut Shown| shown.changes == seen;
            games.changed.wait_while_for(&mut shown, old, patience);
        }
        if shown.changes == seen {
            return Vec::new();
        }
        self.seen = shown.changes;
        let lines = shown.places.iter().map(|place| {
            let game = &place.game;
            json!({
                "title": game.title,
                "names": game.names,
                "moves": game.moves.len(),
                "result": game.end.as_ref().map(|(result, _)| result),
            })
        });
        let lines = Value::from_iter(lines);
        let list = json!({ "games": lines, "score": shown.score });
        // The end of the game before, if the page has not seen it; then the game, with the age of its clocks.
        let mut changed = Vec::new();
        let mut analysis = None;
        if let Some(place) = shown.places.get(self.board) {
            let age = games.time.now().saturating_sub(place.since);
            let [game, searched] = place.changes;
            let [seen_game, seen_search] = self.seen_of_board;
            let unseen = |change: u64| (1..change - 1).contains(&seen_game);
            let finished = place.finished.iter().filter(|(change, _)| unseen(*change));
            changed.extend(finished.map(|(_, game)| (Arc::clone(game), Duration::ZERO)));
            if game > seen_game && !place.game.game.is_empty() {
                changed.push((Arc::clone(&place.game), age));
            }
            analysis = (searched > seen_search).then(|| Arc::clone(&place.analysis));
            self.seen_of_board = place.changes;
        }
        // Games are long: they are put into words without the lock.
        drop(shown);
        let mut news = vec![("games", list.to_string().into())];
        for (game, age) in changed {
            let text = serde_json::to_string(&game.after(age)).unwrap_or_default();
            news.push(("game", text.into()));
        }
        news.extend(analysis.map(|text| ("analysis", text)));
        news
    }
}

impl Drop for WatchPage {
    fn drop(&mut self) {
        self.games.pages.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests;
