//! Commands of the page.

use anyhow::Context as _;
use serde::Deserialize;
use tengen::game::BoardSize;
use tengen::gtp::parse_vertex;
use tengen::record::Vertex;

use super::session::Session;
use super::table::Table;
use super::task::Task;
use super::terms::{Level, Terms, Who};

/// Maximum length of a comment.
const MOST_COMMENT: usize = 64 << 10;

/// A command.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub(super) enum Command {
    /// Begin a game.
    New {
        terms: Box<Terms>,
    },
    /// Play in the shown position.
    Play {
        at: String,
        node: usize,
    },
    /// Play a line in the shown position, as a variation.
    Line {
        moves: Vec<String>,
        node: usize,
    },
    Undo,
    /// Show a position.
    Go {
        node: usize,
    },
    /// Make the engine move once.
    Move,
    /// Make the engine play its best move so far.
    Hurry,
    /// The side to move resigns.
    Resign,
    /// Set players and strength.
    Players {
        players: [Who; 2],
        level: Level,
    },
    /// Analyse the shown position, or stop.
    Analyse {
        on: bool,
    },
    /// Determine dead stones and score.
    Count,
    /// Review the shown line, or stop.
    Review {
        on: bool,
    },
    /// Set the comment of the position.
    Comment {
        node: usize,
        text: String,
    },
    /// Remove the position with all following ones.
    Delete,
    /// Make the line that leads to the position the main line.
    Promote,
}

impl Command {
    /// Executes it.
    ///
    /// # Errors
    /// The reason why it is impossible; nothing has changed then.
    pub(super) fn run(self, table: &Table) -> anyhow::Result<()> {
        if matches!(self, Command::Hurry) {
            table.hurry();
            return Ok(());
        }
        table.act(|session| self.change(session))
    }

    fn change(self, session: &mut Session) -> anyhow::Result<()> {
        match self {
            Command::New { terms } => session.begin(*terms),
            Command::Play { at, node } => {
                same_position(session, node)?;
                let vertex = vertex(&at, session.board.size())?;
                session.play(vertex)
            }
            Command::Line { moves, node } => {
                same_position(session, node)?;
                let size = session.board.size();
                let line: anyhow::Result<Vec<Vertex>> =
                    moves.iter().map(|at| vertex(at, size)).collect();
                session.play_line(&line?)
            }
            Command::Undo => session.undo(),
            Command::Go { node } => session.go(node),
            Command::Move => {
                session.ask(Task::Move);
                Ok(())
            }
            Command::Resign => {
                let color = session.board.to_move();
                session.resign(color)
            }
            Command::Players { players, level } => session.set_up(players, level),
            Command::Analyse { on } => {
                session.analyse(on);
                Ok(())
            }
            Command::Count => {
                session.ask(Task::Count);
                Ok(())
            }
            Command::Review { on } => {
                session.want_review(on);
                Ok(())
            }
            Command::Comment { node, text } => {
                anyhow::ensure!(text.len() <= MOST_COMMENT, "the comment is too long");
                session.comment(node, text)
            }
            Command::Delete => session.delete(),
            Command::Promote => {
                session.tree.promote(session.current);
                Ok(())
            }
            // It does not change the game.
            Command::Hurry => Ok(()),
        }
    }
}

/// Two pages may show the same game: a move applies to the position that was shown.
fn same_position(session: &Session, node: usize) -> anyhow::Result<()> {
    let same = session.current == node;
    same.then_some(())
        .context("the board has changed: another move was played")
}

fn vertex(text: &str, size: BoardSize) -> anyhow::Result<Vertex> {
    parse_vertex(text, size).map_err(|failure| anyhow::anyhow!("{failure}"))
}
