//! What a page may ask for, besides its own files.

use std::sync::Arc;

use tengen::games::GAMES;
use tengen::web::{Host, Page, Reply, Request};

use super::board_state::BoardState;
use super::command::Command;
use super::session::Session;

/// Maximum size of a command; games are sent another way.
const MAX_COMMAND: usize = 256 << 10;

impl Host for BoardState {
    fn start(&self) -> &'static str {
        "start.js"
    }

    fn commands(&self) -> &'static [&'static str] {
        &["do", "load"]
    }

    fn answer(&self, path: &str, request: &Request) -> Option<Reply> {
        Some(match path {
            "do" => command(self, request),
            "load" => load(self, request),
            "games" => Reply::json(200, games()),
            "review" => {
                let text = self.look(|session| Arc::clone(&session.game.reviewed.1));
                Reply::json(200, &*text)
            }
            "game.sgf" => game("game.sgf", &self.look(Session::sgf)),
            "reviewed.sgf" => {
                let text = self.look(|session| Arc::clone(&session.game.reviewed_sgf));
                game("reviewed.sgf", &text)
            }
            _ => return None,
        })
    }

    fn open(self: Arc<Self>, _: &str) -> Box<dyn Page> {
        Box::new(BoardState::open(&self))
    }
}

/// What a dialog for a new game offers, as JSON.
fn games() -> String {
    let games = GAMES.iter().map(|info| {
        serde_json::json!({
            "name": info.name,
            "title": info.title,
            "sides": info.offered_sides,
            "usual": info.usual_board.width,
            "rules": info.offered_rules,
            "points": info.scored,
        })
    });
    serde_json::Value::from_iter(games).to_string()
}

/// A game as a file to save.
fn game(name: &'static str, text: &str) -> Reply {
    Reply {
        content_type: "application/x-go-sgf; charset=utf-8",
        file_name: Some(name),
        ..Reply::text(200, text)
    }
}

/// Other pages cannot send JSON without a preflight request, which is refused.
fn command(table: &BoardState, request: &Request) -> Reply {
    let json = request.content_type.as_deref().unwrap_or_default();
    if !json.starts_with("application/json") {
        return Reply::text(415, "commands are JSON\n");
    }
    if request.body.len() > MAX_COMMAND {
        return Reply::text(413, "a command is shorter\n");
    }
    let command: Command = match serde_json::from_slice(&request.body) {
        Ok(command) => command,
        Err(error) => return refusal(400, &format!("no command: {error}")),
    };
    done(command.run(table))
}

fn load(table: &BoardState, request: &Request) -> Reply {
    let kind = request.content_type.as_deref().unwrap_or_default();
    if kind != "application/octet-stream" {
        return Reply::text(415, "games are sent as application/octet-stream\n");
    }
    done(table.act(|session| session.load(&request.body)))
}

fn done(result: anyhow::Result<()>) -> Reply {
    match result {
        Ok(()) => Reply::json(200, "{}"),
        Err(error) => refusal(422, &format!("{error:#}")),
    }
}

fn refusal(status: u16, text: &str) -> Reply {
    Reply::json(status, serde_json::json!({ "error": text }).to_string())
}
