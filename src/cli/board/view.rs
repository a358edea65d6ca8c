//! The game on the board, as data for the page.

use serde::Serialize;
use serde_json::{Value, json};
use tengen::game::{Color, PointStatus, Settled};
use tengen::gtp::format_vertex;
use tengen::record::result_text;
use tengen::watch::{ClockView, Eval, PlanView, letter, points};

use super::session::{GameEnd, Session};
use super::task::Task;
use super::terms::Terms;

/// Everything that changes with a move or a setting; the tree is sent separately.
#[derive(Debug, Serialize)]
struct State<'a> {
    game: &'static str,
    width: u8,
    height: u8,
    passes: bool,
    /// Whether points are counted.
    scores: bool,
    rules: &'a str,
    komi: Option<f32>,
    handicap: u16,
    names: [&'a str; 2],
    terms: &'a Terms,
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
    count: Option<Value>,
    clocks: [Option<ClockView>; 2],
    plan: Option<PlanView>,
    analysing: bool,
    reviewing: bool,
    /// Number of reviews of this game.
    reviewed: u64,
    task: Option<Task>,
    notes: &'a [String],
    /// The player that chooses the moves, once known.
    engine: Option<&'a String>,
    comment: &'a str,
}

/// A node of the tree.
#[derive(Debug, Serialize)]
struct NodeView<'a> {
    id: usize,
    parent: usize,
    color: &'static str,
    at: String,
    #[serde(skip_serializing_if = "str::is_empty")]
    comment: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    eval: Option<&'a Eval>,
}

/// The state as JSON.
pub(super) fn state(session: &Session, attended: bool) -> String {
    let board = &*session.board;
    let (info, size) = (board.info(), board.size());
    let stones: String = points(size)
        .map(|point| board.stone(point).map_or(".", letter))
        .collect();
    let last = session.tree.node(session.current).play;
    let now = session.now();
    let counted = session.counted.as_ref();
    let counted = counted.filter(|(node, _)| *node == session.current);
    let state = State {
        game: info.name,
        width: size.width,
        height: size.height,
        passes: info.passes,
        scores: info.scored,
        rules: &session.beginning.rules,
        komi: session.beginning.komi.map(|komi| komi.0 as f32 / 2.0),
        handicap: session.beginning.handicap,
        names: [&session.beginning.black, &session.beginning.white],
        terms: &session.terms,
        current: session.current,
        live: session.live,
        to_move: letter(board.to_move()),
        legal: legal(session),
        taken: taken(session, &stones),
        stones,
        last: last.map(|play| format_vertex(play.vertex, size)),
        end: session.end(),
        count: counted.map(|(_, settled)| count(session, settled)),
        clocks: [Color::Black, Color::White].map(|color| session.clocks.view(color, now)),
        plan: session.plan_view(now),
        analysing: session.analysing,
        reviewing: session.review.is_some(),
        reviewed: session.reviewed.0,
        task: session.request(attended).map(|request| request.task),
        notes: &session.notes,
        engine: session.engine_log.last(),
        comment: match session.current {
            0 => &session.beginning.comment,
            node => &session.tree.node(node).comment,
        },
    };
    serde_json::to_string(&state).unwrap_or_default()
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
    points(board.size())
        .map(|point| char::from(b'0' + legal[point.index()]))
        .collect()
}

/// Number of captured stones of each side.
fn taken(session: &Session, stones: &str) -> [usize; 2] {
    let path = session.tree.path(session.current);
    [Color::Black, Color::White].map(|color| {
        let plays = path.iter().filter_map(|&node| session.tree.node(node).play);
        let placed = plays.filter(|play| {
            let is_stone = play.vertex != tengen::record::Vertex::Pass;
            play.color == color && is_stone
        });
        let setup = session.beginning.setup.iter();
        let placed = placed.count() + setup.filter(|(_, own)| *own == color).count();
        placed.saturating_sub(stones.matches(letter(color)).count())
    })
}

/// A count: one letter per point, lower case for dead or empty points.
fn count(session: &Session, settled: &Settled) -> Value {
    let letters: String = points(session.board.size())
        .map(|point| match settled.statuses[point.index()] {
            PointStatus::Alive => 'a',
            PointStatus::Seki => 's',
            PointStatus::Dead => 'd',
            PointStatus::Territory(Color::Black) => 'B',
            PointStatus::Territory(Color::White) => 'W',
            PointStatus::Dame => '.',
        })
        .collect();
    json!({
        "points": letters,
        "result": result_text(settled.outcome()),
        "certain": settled.is_certain(),
    })
}

/// The tree as JSON, main lines first.
pub(super) fn tree(session: &Session) -> String {
    let size = session.board.size();
    let nodes = session.tree.in_order();
    let nodes = nodes.into_iter().filter_map(|(id, parent)| {
        let node = session.tree.node(id);
        let play = node.play?;
        Some(NodeView {
            id,
            parent,
            color: letter(play.color),
            at: format_vertex(play.vertex, size),
            comment: &node.comment,
            eval: node.eval.as_ref(),
        })
    });
    let nodes: Vec<_> = nodes.collect();
    let root = session.tree.node(super::tree::Tree::ROOT).eval.as_ref();
    serde_json::to_string(&json!({ "root": root, "nodes": nodes })).unwrap_or_default()
}
