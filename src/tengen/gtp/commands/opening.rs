//! Commands for openings with proposals, swaps and offers: swap, swap2, and the rules by which
//! Black offers several fifth moves (docs/programs-and-servers.md#openings); and for handicap stones: on fixed
//! points, on points chosen by the engine, or by the controller. They are set up, so that White is to move and they cannot be
//! undone one by one.

use std::cmp::Reverse;

use super::Arguments;
use crate::engine::{Engine, MoveKind};
use crate::game::{BoardSize, Color, Move, Symmetry};
use crate::gtp::board::format_moves;
use crate::gtp::{Failure, Reply, Session, format_vertex, parse_vertex};
use crate::record::{Play, Vertex};
use crate::search::SearchReport;

/// The game's named openings, or one of them played on the empty board.
pub(super) fn openings(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let size = session.engine.size();
    let openings = (session.engine.info().openings)(size);
    let Some(name) = args.optional(0) else {
        let lines = openings
            .iter()
            .map(|(name, moves)| format!("{name}: {}", format_moves(moves, size)));
        return Ok(lines.collect::<Vec<_>>().join("\n"));
    };
    let named = |full: &str| full.split(' ').any(|word| word.eq_ignore_ascii_case(name));
    let moves = openings.into_iter().find(|(full, _)| named(full));
    let unknown = || Failure::wrong(name, "opening of this game: tengen-openings lists all");
    let (_, moves) = moves.ok_or_else(unknown)?;
    session.empty_record()?;
    for (&mv, color) in moves.iter().zip(Color::BOTH.into_iter().cycle()) {
        let vertex = Vertex::Point(mv);
        session.engine.play(Play { color, vertex })?;
    }
    Ok(String::new())
}

/// A search for the side to move, like that of genmove.
fn search(session: &mut Session) -> Option<SearchReport> {
    let color = session.engine.to_move();
    session.choose(color, MoveKind::Named);
    let report = session.engine.last_report().cloned();
    report.filter(|report| !report.moves.is_empty())
}

/// Expected value for the side to move, in [-1, 1].
fn value(session: &mut Session) -> Option<f32> {
    if let Some(outcome) = session.engine.outcome() {
        return Some(outcome.value_for(session.engine.to_move()));
    }
    search(session).and_then(|report| Some(report.moves.first()?.value))
}

/// The preferred side, and its expected value.
pub(super) fn side(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let mover = session.engine.to_move();
    let value = value(session).ok_or(Failure::NO_SEARCH)?;
    let side = if value < 0.0 { mover.opponent() } else { mover };
    Ok(format!("{side} value {:.4}", value.abs()))
}

/// The best moves, symmetric ones listed once.
pub(super) fn candidates(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let wanted = args.count(0, 1)?;
    let report = search(session).ok_or(Failure::NO_SEARCH)?;
    let moves = report.moves.iter().map(|found| found.mv);
    let kept = of_different_shapes(&*session.engine, moves, wanted);
    Ok(format_moves(&kept, session.engine.size()))
}

/// The first of these moves, without those that make the same shape as an earlier one.
fn of_different_shapes(
    engine: &dyn Engine,
    moves: impl Iterator<Item = Move>,
    wanted: usize,
) -> Vec<Move> {
    let mut shapes = Vec::new();
    let is_new = |&mv: &Move| {
        let shape = shape(engine, mv);
        let is_new = !shapes.contains(&shape);
        shapes.push(shape);
        is_new
    };
    moves.filter(is_new).take(wanted).collect()
}

/// The stones after a move, equal for symmetric positions. Where openings have names, as in Renju, referees compare
/// offers of the fifth move by the stones alone: the edges may be nearer on one side.
fn shape(engine: &dyn Engine, mv: Move) -> Vec<(u8, u8, Color)> {
    let size = engine.size();
    let on_board = |point| Some((point, engine.stone(point)?));
    let mut stones: Vec<(Move, Color)> = size.points().filter_map(on_board).collect();
    let edges_count = stones.len() != 4 || (engine.info().openings)(size).is_empty();
    // A pass adds none.
    if mv.index() < size.area() {
        stones.push((mv, engine.to_move()));
    }
    let turned = |turn: Symmetry| {
        let place = |&(point, color): &(Move, Color)| {
            let (x, y) = size.column_row(turn.apply(size, point));
            (x, y, color)
        };
        let mut places: Vec<(u8, u8, Color)> = stones.iter().map(place).collect();
        if !edges_count {
            let left = places.iter().map(|place| place.0).min().unwrap_or(0);
            let low = places.iter().map(|place| place.1).min().unwrap_or(0);
            places.iter_mut().for_each(|(x, y, _)| {
                *x -= left;
                *y -= low;
            });
        }
        places.sort_unstable();
        places
    };
    Symmetry::all(size).map(turned).min().unwrap_or_default()
}

/// Of the offered moves, the one that is best for the other side.
pub(super) fn keep(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (size, color) = (session.engine.size(), session.engine.to_move());
    let offered = args.all();
    let offered = offered.iter().map(|text| parse_vertex(text, size));
    let offered: Vec<Vertex> = offered.collect::<Result<_, _>>()?;
    // All are checked before any search.
    for (index, vertex) in offered.iter().copied().enumerate() {
        if offered.iter().take(index).any(|other| *other == vertex) {
            let twice = format_vertex(vertex, size);
            return Err(Failure::Syntax(format!("{twice} is offered twice")));
        }
        session.engine.play(Play { color, vertex })?;
        session.engine.undo()?;
    }
    let mut best: Option<(Vertex, f32)> = None;
    for vertex in offered {
        session.engine.play(Play { color, vertex })?;
        let value = value(session);
        session.engine.undo()?;
        let value = value.ok_or(Failure::NO_SEARCH)?;
        if best.is_none_or(|(_, most)| value > most) {
            best = Some((vertex, value));
        }
    }
    let (kept, value) = best.ok_or_else(|| args.missing())?;
    let kept = format_vertex(kept, size);
    Ok(format!("{kept} value {value:.4}"))
}

/// Smallest number of columns and rows with a handicap.
const SMALLEST: u8 = 7;

/// The fixed points in the order of the GTP specification (version 2, draft 2, section 4.1.1): at
/// most nine, and four where a side is even or seven long. `None` for a number that the board has not.
pub fn fixed_points(size: BoardSize, stones: usize) -> Option<Vec<Move>> {
    let BoardSize { width, height } = size;
    if width.min(height) < SMALLEST {
        return None;
    }
    let from_edge = |side: u8| if side < 13 { 2 } else { 3 };
    let (left, low) = (from_edge(width), from_edge(height));
    let (right, high) = (width - 1 - left, height - 1 - low);
    let (middle, center) = (width / 2, height / 2);
    let has_middle = |side: u8| side % 2 == 1 && side > SMALLEST;
    let most = match has_middle(width) && has_middle(height) {
        true => 9,
        false => 4,
    };
    if !(2..=most).contains(&stones) {
        return None;
    }
    let mut points = vec![(left, low), (right, high), (left, high), (right, low)];
    points.truncate(stones);
    if stones >= 6 {
        points.extend([(left, center), (right, center)]);
    }
    if stones >= 8 {
        points.extend([(middle, low), (middle, high)]);
    }
    if stones >= 5 && stones % 2 == 1 {
        points.push((middle, center));
    }
    Some(points.into_iter().map(|(x, y)| size.point(x, y)).collect())
}

/// Points chosen by the engine: the fixed ones as far as they go, then those farthest from the edge.
fn free_points(size: BoardSize, stones: usize) -> Vec<Move> {
    let mut numbers = (2..=stones.min(9)).rev();
    let fixed = numbers.find_map(|stones| fixed_points(size, stones));
    let mut points = fixed.unwrap_or_default();
    let from_edge = |point: Move| {
        let (x, y) = size.column_row(point);
        x.min(y).min(size.width - 1 - x).min(size.height - 1 - y)
    };
    let free = size.points().filter(|point| !points.contains(point));
    let mut free: Vec<Move> = free.collect();
    free.sort_by_key(|&point| Reverse(from_edge(point)));
    let missing = stones - points.len();
    points.extend(free.into_iter().take(missing));
    points
}

/// Sets stones up on the empty board.
fn set_up(session: &mut Session, points: Vec<Move>) -> Reply {
    let mut record = session.empty_record()?;
    record.setup = points.iter().map(|&at| (at, Color::Black)).collect();
    record.setup.sort_by_key(|(point, _)| *point);
    record.to_move = Some(Color::White);
    session.load(&record)?;
    Ok(format_moves(&points, session.engine.size()))
}

/// Handicap stones are for games that count points: in others they may decide the game or be illegal.
fn allow_handicap(session: &Session) -> Result<(), Failure> {
    match session.engine.info().scored {
        true => Ok(()),
        false => Err(Failure::Refused(
            "there are no handicap stones in this game",
        )),
    }
}

fn stones(session: &Session, args: &Arguments<'_>) -> Result<usize, Failure> {
    allow_handicap(session)?;
    usize::try_from(args.integer(0)?).map_err(|_| Failure::STONES)
}

pub(super) fn fixed_handicap(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let stones = stones(session, args)?;
    let points = fixed_points(session.engine.size(), stones).ok_or(Failure::STONES)?;
    set_up(session, points)
}

pub(super) fn place_free_handicap(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (stones, size) = (stones(session, args)?, session.engine.size());
    if !(2..size.area()).contains(&stones) {
        return Err(Failure::STONES);
    }
    set_up(session, free_points(size, stones))
}

pub(super) fn set_free_handicap(session: &mut Session, args: &Arguments<'_>) -> Reply {
    allow_handicap(session)?;
    let size = session.engine.size();
    let mut points = Vec::new();
    for text in args.all() {
        match parse_vertex(text, size).map_err(|_| Failure::BAD_VERTICES)? {
            Vertex::Point(point) if !points.contains(&point) => points.push(point),
            _ => return Err(Failure::BAD_VERTICES),
        }
    }
    if !(2..size.area()).contains(&points.len()) {
        return Err(Failure::BAD_VERTICES);
    }
    set_up(session, points).map(|_| String::new())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::clock::{Clock, FakeClock};
    use crate::engine::EngineOptions;
    use crate::registry;

    /// The fifth moves J10 and J8 are one in the mirror of row 9, which is not the board's middle.
    #[test]
    fn symmetric_moves_are_offered_once() {
        let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
        let options = EngineOptions::of("gomoku").expect("it is on the list");
        let size = BoardSize::square(15);
        let mut engine = registry::create(&options, size, &time).expect("a size");
        let point = |text: &str| match parse_vertex(text, size) {
            Ok(Vertex::Point(point)) => point,
            _ => panic!("{text}"),
        };
        let offered = |engine: &dyn Engine, moves: &str| {
            let moves = moves.split(' ').map(point);
            format_moves(&of_different_shapes(engine, moves, 4), size)
        };
        assert_eq!(offered(&*engine, "A1 P15 H8"), "A1 H8");
        let stones = ["H8", "H9", "H10", "G9"];
        for (text, color) in stones.into_iter().zip(Color::BOTH.into_iter().cycle()) {
            let vertex = Vertex::Point(point(text));
            engine.play(Play { color, vertex }).expect("it is legal");
        }
        let moves = "J10 J8 G10 G8 F9 A1";
        assert_eq!(offered(&*engine, moves), "J10 G10 F9 A1");
    }

    fn names(size: BoardSize, points: &[Move]) -> String {
        let names = points
            .iter()
            .map(|&at| format_vertex(Vertex::Point(at), size));
        names.collect::<Vec<_>>().join(" ")
    }

    /// The table of the specification.
    #[test]
    fn fixed_stones_stand_where_the_specification_has_them() {
        let on = |side: u8, stones| {
            let size = BoardSize::square(side);
            fixed_points(size, stones).map(|points| names(size, &points))
        };
        for (stones, expected) in [
            (2, "D4 Q16"),
            (3, "D4 Q16 D16"),
            (4, "D4 Q16 D16 Q4"),
            (5, "D4 Q16 D16 Q4 K10"),
            (6, "D4 Q16 D16 Q4 D10 Q10"),
            (7, "D4 Q16 D16 Q4 D10 Q10 K10"),
            (8, "D4 Q16 D16 Q4 D10 Q10 K4 K16"),
            (9, "D4 Q16 D16 Q4 D10 Q10 K4 K16 K10"),
        ] {
            assert_eq!(on(19, stones).as_deref(), Some(expected));
        }
        assert_eq!(on(9, 5).as_deref(), Some("C3 G7 C7 G3 E5"));
        assert_eq!(on(13, 4).as_deref(), Some("D4 K10 D10 K4"));
        assert_eq!(on(7, 4).as_deref(), Some("C3 E5 C5 E3"));
        for (side, stones) in [(19, 1), (19, 10), (7, 5), (12, 5), (6, 2)] {
            assert_eq!(on(side, stones), None, "{stones} on {side}");
        }
    }
    #[test]
    fn free_stones_are_as_many_as_asked_for() {
        for (side, stones) in [(9, 2), (19, 9), (19, 25), (5, 3), (9, 80)] {
            let size = BoardSize::square(side);
            let mut points = free_points(size, stones);
            assert_eq!(points.len(), stones, "{side}");
            points.sort_unstable();
            points.dedup();
            assert_eq!(points.len(), stones, "all different");
        }
    }
}
