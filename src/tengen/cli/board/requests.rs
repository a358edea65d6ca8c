//! What a page may ask for, besides its own files.

use std::sync::Arc;

use crate::game::{BoardSize, Color, Move};
use crate::games::GAMES;
use crate::gtp::parse_vertex;
use crate::record::{LaterSetup, Vertex};
use crate::web::{Host, Page, Reply, Request};
use serde::Deserialize;

use super::super::flags::EngineFlags;
use super::super::review::Language;
use super::board_state::BoardState;
use super::game::{Level, NewGame, Who, title};
use super::report::Task;
use super::session::Session;
use super::tree::Tree;

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
            "games" => Reply::json(200, games(&self.look(|session| Arc::clone(&session.flags)))),
            "titles" => {
                let titles = self.look(|session| {
                    let own = &session.game.tree.node(Tree::ROOT).others;
                    session.game.others.titles(title(own))
                });
                Reply::json(200, serde_json::Value::from(titles).to_string())
            }
            "review" => {
                let text = self.look(|session| Arc::clone(&session.game.reviewed.1));
                Reply::json(200, &*text)
            }
            "game.sgf" => game("game.sgf", &self.look(Session::sgf)),
            "reviewed.sgf" => {
                let language = match request.query() == "zh" {
                    true => Language::Chinese,
                    false => Language::English,
                };
                let text =
                    self.look(
                        |session| match &*session.game.reviewed_sgf[language as usize] {
                            "" => String::new(),
                            own => session.game.others.with(own),
                        },
                    );
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
fn games(flags: &EngineFlags) -> String {
    let games = GAMES.iter().map(|info| {
        let given = flags.read_as(info.name).map(|options| options.rules);
        serde_json::json!({
            "name": info.name,
            "title": info.title,
            "sides": info.offered_sides,
            "usual": info.usual_board.width,
            "rules": info.offered_rules,
            "given_rules": given.unwrap_or_default(),
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
    // Several files follow each other, with their sizes in the address.
    let mut rest = &*request.body;
    let mut files = Vec::new();
    let sizes = request.query().split(',');
    for size in sizes.filter_map(|size| size.parse().ok()) {
        let (file, later) = rest.split_at_checked(size).unwrap_or((rest, &[]));
        files.push(file);
        rest = later;
    }
    files.extend(Some(rest).filter(|rest| !rest.is_empty()));
    done(table.act(|session| session.load_files(&files)))
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

/// Maximum length of a comment.
const MAX_COMMENT: usize = 64 << 10;
/// The same of a label on the board.
const MAX_LABEL: usize = 40;

/// A command of the page.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
enum Command {
    /// Begin a game.
    New { terms: Box<NewGame> },
    /// Play in the shown position.
    Play(ShownPoint),
    /// Play a line in the shown position, as a variation.
    Line { moves: Vec<String>, node: usize },
    /// Take the last move back, and the answer of the engine to it.
    Undo,
    /// Show a position.
    Go { node: usize },
    /// Make the engine move once.
    Move,
    /// Make the engine play its best move so far.
    Hurry,
    /// The person who plays resigns.
    Resign,
    /// Set players and strength.
    Players { players: [Who; 2], level: Level },
    /// Analyse the shown position, or stop.
    Analyse { on: bool },
    /// Determine dead stones and score.
    Count,
    /// Set up stones.
    SetUp(Stones),
    /// Change whether the stones around a point are dead in a count.
    MarkDead(ShownPoint),
    /// Judge a move of the shown position.
    Judge(ShownPoint),
    /// Review the shown line, or stop.
    Review { on: bool },
    /// Set the comment of the position, in the game with this number if one is given.
    Comment {
        node: usize,
        serial: Option<u64>,
        text: String,
    },
    /// Remove the position with all following ones.
    Delete,
    /// Make the line that leads to the position the main line.
    Promote,
    /// Put a mark on a point of the shown position, or take it away.
    Mark {
        kind: String,
        text: String,
        #[serde(flatten)]
        point: ShownPoint,
    },
    /// Take back the last of these, a comment or a new game.
    TakeBack,
    /// Do again what was taken back last.
    DoAgain,
    /// Show another game of the file.
    Game { place: usize },
}

/// A vertex of the shown position.
#[derive(Debug, Deserialize)]
struct ShownPoint {
    at: String,
    node: usize,
}

/// Points with `B`, `W` or nothing, in the shown position.
#[derive(Debug, Deserialize)]
struct Stones {
    points: Vec<(String, Option<char>)>,
    to_move: Option<char>,
    node: usize,
}

impl Command {
    /// Executes it.
    ///
    /// # Errors
    /// The reason why it is impossible; nothing has changed then.
    fn run(self, table: &BoardState) -> anyhow::Result<()> {
        if matches!(self, Command::Hurry) {
            table.hurry();
            return Ok(());
        }
        table.act(|session| self.change(session))
    }

    fn change(self, session: &mut Session) -> anyhow::Result<()> {
        let size = session.board.size();
        match self {
            Command::New { terms } => session.begin(*terms)?,
            Command::Play(at) => session.play_by_hand(at.vertex(session)?)?,
            Command::Line { moves, node } => {
                same_position(session, node)?;
                let line = moves.iter().map(|at| vertex(at, size));
                session.play_line(&line.collect::<anyhow::Result<Vec<Vertex>>>()?)?;
            }
            Command::Undo => session.undo()?,
            Command::Go { node } => session.go(node)?,
            Command::Move => session.ask(Task::Move)?,
            // It does not change the game.
            Command::Hurry => {}
            Command::Resign => session.resign()?,
            Command::Players { players, level } => session.set_up(players, level)?,
            Command::Analyse { on } => session.analyse(on),
            Command::Count => session.ask(Task::Count)?,
            Command::SetUp(stones) => {
                same_position(session, stones.node)?;
                session.set_up_stones(stones.setup(size)?)?;
            }
            Command::MarkDead(at) => session.mark_dead(point(at.vertex(session)?)?)?,
            Command::Judge(at) => session.judge(at.vertex(session)?)?,
            Command::Review { on } => session.want_review(on),
            Command::Comment { node, serial, text } => {
                anyhow::ensure!(text.len() <= MAX_COMMENT, "the comment is too long");
                anyhow::ensure!(
                    serial.is_none_or(|serial| serial == session.games),
                    "another game is on the board: the remark is not written"
                );
                session.comment(node, text)?;
            }
            Command::Delete => session.delete()?,
            Command::Promote => session.promote(),
            Command::Mark {
                kind,
                text,
                point: at,
            } => {
                anyhow::ensure!(text.len() <= MAX_LABEL, "the label is too long");
                session.mark(&kind, point(at.vertex(session)?)?, &text)?;
            }
            Command::TakeBack => session.take_back()?,
            Command::DoAgain => session.do_again()?,
            Command::Game { place } => session.choose_game(place)?,
        }
        Ok(())
    }
}

impl ShownPoint {
    fn vertex(&self, session: &Session) -> anyhow::Result<Vertex> {
        same_position(session, self.node)?;
        vertex(&self.at, session.board.size())
    }
}

impl Stones {
    fn setup(self, size: BoardSize) -> anyhow::Result<LaterSetup> {
        let mut setup = LaterSetup {
            to_move: self.to_move.and_then(color),
            ..LaterSetup::default()
        };
        for (at, stone) in self.points {
            if let Vertex::Point(point) = vertex(&at, size)? {
                setup.changes.insert(point, stone.and_then(color));
            }
        }
        Ok(setup)
    }
}

/// Two pages may show the same game: a move applies to the position that was shown.
fn same_position(session: &Session, node: usize) -> anyhow::Result<()> {
    anyhow::ensure!(
        session.game.current == node,
        "the board has changed: another move was played"
    );
    Ok(())
}

fn color(letter: char) -> Option<Color> {
    match letter {
        'B' => Some(Color::Black),
        'W' => Some(Color::White),
        _ => None,
    }
}

fn vertex(text: &str, size: BoardSize) -> anyhow::Result<Vertex> {
    parse_vertex(text, size).map_err(|failure| anyhow::anyhow!("{failure}"))
}

fn point(vertex: Vertex) -> anyhow::Result<Move> {
    match vertex {
        Vertex::Point(point) => Ok(point),
        Vertex::Pass => anyhow::bail!("a pass is no point"),
    }
}
