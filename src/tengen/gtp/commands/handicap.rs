//! Handicap stones: on fixed points, on points chosen by the engine, or by the controller. They are
//! set up, so that White is to move and they cannot be undone one by one.

use super::Arguments;
use crate::game::{BoardSize, Color, Move};
use crate::gtp::{Failure, Session, format_vertex, parse_vertex};
use crate::record::Vertex;

/// Smallest number of columns and rows with a handicap.
const SMALLEST: u8 = 7;

/// The fixed points in the order of the GTP specification (version 2, draft 2, section 4.1.1): at
/// most nine, and four where a side is even or seven long. `None` for a number that the board has not.
#[must_use]
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
    let most = if has_middle(width) && has_middle(height) {
        9
    } else {
        4
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

/// Points chosen by the engine: the fixed ones as far as they go, then repeatedly the point
/// farthest from all others and from the edge.
fn free_points(size: BoardSize, stones: usize) -> Vec<Move> {
    let start = (2..=stones.min(9)).rev();
    let mut points = start
        .filter_map(|stones| fixed_points(size, stones))
        .next()
        .unwrap_or_default();
    while points.len() < stones {
        let free = (0..size.area()).map(|at| Move(at as u16));
        let free = free.filter(|point| !points.contains(point));
        let Some(farthest) = free.max_by_key(|&point| room(size, &points, point)) else {
            break;
        };
        points.push(farthest);
    }
    points
}

/// Distance of a point from the nearest other one, and from the edge.
fn room(size: BoardSize, others: &[Move], point: Move) -> (u32, u8) {
    let (x, y) = size.column_row(point);
    let squares = others.iter().map(|&other| {
        let (u, v) = size.column_row(other);
        let (across, up) = (u32::from(x.abs_diff(u)), u32::from(y.abs_diff(v)));
        across * across + up * up
    });
    let edge = x.min(y).min(size.width - 1 - x).min(size.height - 1 - y);
    // The edge counts as a stone just beyond it.
    let to_edge = (u32::from(edge) + 1).pow(2);
    (squares.min().unwrap_or(u32::MAX).min(to_edge), edge)
}

/// Sets stones up on the empty board.
fn set_up(session: &mut Session, points: Vec<Move>) -> Result<String, Failure> {
    let mut record = session.engine.record();
    if !record.plays.is_empty() || !record.setup.is_empty() {
        return Err(Failure::NotEmpty);
    }
    let mut setup: Vec<(Move, Color)> = points.iter().map(|&at| (at, Color::Black)).collect();
    setup.sort_by_key(|(point, _)| *point);
    record.setup = setup;
    record.to_move = Some(Color::White);
    session.load(&record)?;
    let size = session.engine.size();
    let names = points
        .into_iter()
        .map(|at| format_vertex(Vertex::Point(at), size));
    Ok(names.collect::<Vec<_>>().join(" "))
}

/// Handicap stones are for games that count points: in others they may decide the game or be illegal.
fn stones(session: &Session, args: &Arguments<'_>) -> Result<usize, Failure> {
    if !session.engine.info().scored {
        return Err(Failure::NoHandicap);
    }
    usize::try_from(args.integer(0)?).map_err(|_| Failure::Stones)
}

pub(super) fn fixed_handicap(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    let stones = stones(session, args)?;
    let points = fixed_points(session.engine.size(), stones).ok_or(Failure::Stones)?;
    set_up(session, points)
}

pub(super) fn place_free_handicap(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    let (stones, size) = (stones(session, args)?, session.engine.size());
    if !(2..size.area()).contains(&stones) {
        return Err(Failure::Stones);
    }
    set_up(session, free_points(size, stones))
}

pub(super) fn set_free_handicap(
    session: &mut Session,
    args: &Arguments<'_>,
) -> Result<String, Failure> {
    if !session.engine.info().scored {
        return Err(Failure::NoHandicap);
    }
    let size = session.engine.size();
    let mut points = Vec::new();
    for text in args.all() {
        match parse_vertex(text, size).map_err(|_| Failure::BadVertices)? {
            Vertex::Point(point) if !points.contains(&point) => points.push(point),
            _ => return Err(Failure::BadVertices),
        }
    }
    if !(2..size.area()).contains(&points.len()) {
        return Err(Failure::BadVertices);
    }
    set_up(session, points).map(|_| String::new())
}

#[cfg(test)]
mod tests {
    use super::*;

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
