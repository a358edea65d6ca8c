//! The game on the board, as data for the page.

use crate::book::BookLine;
use crate::engine::Engine;
use crate::game::{Color, PointStatus, Settled};
use crate::gtp::{format_move, format_vertex, move_names, points_from_top};
use crate::record::{Vertex, result_text, sgf};
use crate::watch::{ClockView, Eval, PlanView};
use serde::Serialize;
use serde_json::{Value, json};

use super::game::{GameEnd, Judged, NewGame};
use super::report::proven;
use super::session::Session;
use super::tree::Tree;

/// Everything that changes with a move or a setting; the tree is sent separately.
#[derive(Debug, Serialize)]
struct State<'a> {
    game: &'static str,
    width: u8,
    height: u8,
    passes: bool,
    /// Whether Tengen chooses the next move.
    choosing: bool,
    /// Whether points are counted.
    scores: bool,
    rules: &'a str,
    komi: Option<f32>,
    handicap: u16,
    names: [&'a str; 2],
    /// In the file.
    ranks: [Option<String>; 2],
    info: Value,
    /// The judgement of a move that was tried.
    judged: Option<&'a Judged>,
    terms: &'a NewGame,
    current: usize,
    live: usize,
    to_move: &'static str,
    /// One letter per point: `B`, `W` or `.`.
    stones: String,
    /// One digit per point: 1 if legal for Black, 2 for White, 3 for both.
    legal: String,
    /// Captured stones of Black and of White.
    taken: [usize; 2],
    last: Option<String>,
    end: Option<&'a GameEnd>,
    /// Whether the game has ended in its last position, shown or not.
    over: bool,
    count: Option<Value>,
    clocks: [Option<ClockView>; 2],
    plan: Option<PlanView>,
    analysing: bool,
    reviewing: bool,
    /// Number of reviews of this game.
    reviewed: u64,
    task: Option<&'static str>,
    notes: &'a [String],
    /// The player that chooses the moves, once known.
    engine: Option<&'a String>,
    comment: &'a str,
    marks: Vec<sgf::Mark>,
    /// What the last step that can be taken back was.
    step: Option<&'static str>,
    /// The same of what can be done again.
    undone: Option<&'static str>,
    /// Whether a game of an earlier run waits to be taken up.
    offering: bool,
    /// Another one for each game that is put on the board.
    serial: u64,
    /// Number of games in the file, and the place of this one.
    games: (usize, usize),
    /// What the book of openings knows here; `None` without a book.
    book: Option<Vec<BookRow>>,
}

/// A move of the book of openings; numbers are those of the side that plays it.
#[derive(Debug, Serialize)]
struct BookRow {
    at: String,
    winrate: f32,
    /// What it is worth less than the best move, as a winrate.
    loss: f32,
    /// `B`, `W` or `0` if the result is proven.
    proven: Option<String>,
    visits: u64,
    /// Whether the book has the position after it, too.
    known: bool,
    pv: Vec<String>,
}

/// A node of the tree; the root has neither parent nor move.
#[derive(Debug, Serialize)]
struct NodeView<'a> {
    id: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<usize>,
    /// Empty for nodes without a move.
    color: &'static str,
    at: String,
    /// Whether it has a comment.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    remark: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<&'a Eval>,
}

/// The state as JSON.
pub(super) fn state(session: &Session, attended: bool) -> String {
    let (game, board) = (&session.game, &*session.board);
    let (info, size) = (board.info(), board.size());
    let stones: String = points_from_top(size)
        .map(|point| board.stone(point).map_or(".", Color::letter))
        .collect();
    let taken = taken(session, &stones);
    let root = &game.tree.node(Tree::ROOT).others;
    let shown = game.tree.node(game.current);
    let now = session.now();
    let counted = game.counted.as_ref();
    let counted = counted.filter(|(node, _)| *node == game.current);
    let state = State {
        game: info.name,
        width: size.width,
        height: size.height,
        passes: info.passes,
        choosing: session.is_choosing(),
        scores: info.scored,
        rules: &game.beginning.rules,
        komi: game.beginning.komi.map(|komi| komi.0 as f32 / 2.0),
        handicap: game.beginning.handicap,
        names: [&game.beginning.black, &game.beginning.white],
        ranks: ["BR", "WR"].map(|rank| sgf::value_of(root, rank)),
        info: info_of(root),
        judged: session.judged.as_ref(),
        terms: &game.terms,
        current: game.current,
        live: game.live,
        to_move: board.to_move().letter(),
        legal: legal(session),
        taken,
        stones,
        last: shown.play.map(|play| format_vertex(play.vertex, size)),
        end: session.end(),
        over: game.ends.contains_key(&game.live),
        count: counted.map(|(_, settled)| count(session, settled, taken)),
        clocks: [Color::Black, Color::White].map(|color| game.clocks.view(color, now)),
        plan: session.plan_view(now),
        analysing: session.analysing,
        reviewing: session.review.is_some(),
        reviewed: game.reviewed.0,
        task: session.request(attended).map(|request| request.task.name()),
        notes: &game.notes,
        engine: session.engine_log.last(),
        comment: match game.current {
            Tree::ROOT => &game.beginning.comment,
            _ => &shown.comment,
        },
        marks: sgf::marks(&shown.others, size),
        step: session.last_step(),
        undone: session.last_undone(),
        offering: session.is_offering(),
        serial: session.games,
        games: (game.others.texts.len() + 1, game.others.place),
        book: board.book_lines().map(|lines| book(board, lines)),
    };
    serde_json::to_string(&state).unwrap_or_default()
}

/// The moves of the book in the shown position, the best first.
fn book(board: &dyn Engine, lines: Vec<BookLine>) -> Vec<BookRow> {
    let (size, mover) = (board.size(), board.to_move());
    let best = lines.first().map_or(0.0, |best| best.found.value);
    let row = |BookLine { found, line }: BookLine| {
        let moves = [vec![found.mv], line].concat();
        BookRow {
            winrate: f32::midpoint(1.0, found.value),
            loss: (best - found.value) / 2.0,
            proven: proven(found.proof, mover),
            visits: found.visits,
            known: found.is_known,
            at: format_move(found.mv, size),
            pv: move_names(&moves, size),
        }
    };
    lines.into_iter().map(row).collect()
}

/// The legal points of each side.
fn legal(session: &Session) -> String {
    let board = &*session.board;
    let mut legal = vec![0_u8; board.size().area()];
    for (bit, color) in [(1, Color::Black), (2, Color::White)] {
        for mv in board.legal_moves(color) {
            // The pass is not a point.
            if let Some(point) = legal.get_mut(mv.index()) {
                *point |= bit;
            }
        }
    }
    points_from_top(board.size())
        .map(|point| char::from(b'0' + legal[point.index()]))
        .collect()
}

/// Number of captured stones of each side, since stones were set up last.
fn taken(session: &Session, stones: &str) -> [usize; 2] {
    let record = session.game.moves(session.game.current);
    [Color::Black, Color::White].map(|color| {
        let plays = record.plays.iter().map(|recorded| recorded.play);
        let placed = plays.filter(|play| {
            let is_stone = play.vertex != Vertex::Pass;
            play.color == color && is_stone
        });
        let setup = record.setup.iter();
        let placed = placed.count() + setup.filter(|(_, own)| *own == color).count();
        placed.saturating_sub(stones.matches(color.letter()).count())
    })
}

/// A side's part of a count.
#[derive(Debug, Default, Serialize)]
struct Part {
    /// Living stones.
    stones: usize,
    /// Empty points, and those of dead stones.
    empty: usize,
    /// Captured and dead stones of the opponent.
    prisoners: usize,
}

/// A count: one letter per point, lower case for dead or empty points; and what it is made of.
fn count(session: &Session, settled: &Settled, taken: [usize; 2]) -> Value {
    let board = &*session.board;
    let letters: String = points_from_top(board.size())
        .map(|point| match settled.statuses[point.index()] {
            PointStatus::Alive => 'a',
            PointStatus::Seki => 's',
            PointStatus::Dead => 'd',
            PointStatus::Territory(Color::Black) => 'B',
            PointStatus::Territory(Color::White) => 'W',
            PointStatus::Dame => '.',
        })
        .collect();
    let area = board
        .rules_json()
        .is_some_and(|rules| rules.contains("\"AREA\""));
    let mut parts = [Color::Black, Color::White].map(|color| {
        let mut part = Part {
            prisoners: taken[color.opponent().index()],
            ..Part::default()
        };
        for point in points_from_top(board.size()) {
            let own = board.stone(point) == Some(color);
            match settled.statuses[point.index()] {
                PointStatus::Alive | PointStatus::Seki => part.stones += usize::from(own),
                PointStatus::Territory(owner) => part.empty += usize::from(owner == color),
                PointStatus::Dead if !own => {
                    part.empty += 1;
                    part.prisoners += 1;
                }
                PointStatus::Dead | PointStatus::Dame => {}
            }
        }
        part
    });
    let total = |part: &Part| part.empty + if area { part.stones } else { part.prisoners };
    let ahead = |[black, white]: [&Part; 2]| {
        total(black) as f32 - total(white) as f32 - settled.black_ahead.0 as f32 / 2.0
    };
    let beginning = &session.game.beginning;
    let is_even = beginning.handicap == 0 && beginning.setup.is_empty();
    if let Some(komi) = beginning.komi.filter(|_| is_even) {
        // In a game that goes on a dead stone's point may still be open to both sides, and counts for neither.
        let excess = ahead(parts.each_ref()) - komi.0 as f32 / 2.0;
        let (side, points) = (usize::from(excess < 0.0), excess.abs() as usize);
        let taken = points.min(parts[side].empty);
        parts[side].empty -= taken;
        parts[1 - side].empty += points - taken;
    }
    // Komi, with what rules give for handicap stones.
    let komi = ahead(parts.each_ref());
    json!({
        "points": letters,
        "result": result_text(settled.outcome()),
        "certain": settled.is_certain(),
        "area": area,
        "parts": parts,
        "komi": komi,
    })
}

/// Properties of the game that the page shows, with their names there.
const INFO: [(&str, &str); 9] = [
    ("GN", "name"),
    ("EV", "event"),
    ("RO", "round"),
    ("PC", "place"),
    ("DT", "date"),
    ("RE", "result"),
    ("SO", "source"),
    ("AN", "annotator"),
    ("GC", "text"),
];

/// What the file says of the game.
fn info_of(others: &str) -> Value {
    let told = INFO.iter().filter_map(|(property, name)| {
        let text = sgf::value_of(others, property)?;
        Some(((*name).to_owned(), Value::from(text)))
    });
    Value::Object(told.collect())
}

/// What has changed in the tree since these changes of it, as JSON: whether it is all of it, and the nodes,
/// main lines first.
pub(super) fn tree(session: &Session, seen: u64) -> String {
    let (size, tree) = (session.board.size(), &session.game.tree);
    let (all, changed) = tree.changed_since(seen);
    let nodes = changed.into_iter().map(|id| {
        let node = tree.node(id);
        NodeView {
            id,
            parent: tree.parent(id),
            color: node.play.map_or("", |play| play.color.letter()),
            at: node
                .play
                .map_or(String::new(), |play| format_vertex(play.vertex, size)),
            remark: !node.comment.is_empty(),
            eval: node.eval.as_deref(),
        }
    });
    let nodes: Vec<_> = nodes.collect();
    serde_json::to_string(&json!({ "all": all, "nodes": nodes })).unwrap_or_default()
}
