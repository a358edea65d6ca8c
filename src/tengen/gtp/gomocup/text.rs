//! Points and moves in the Gomocup protocol's notation; and lists of stones, sent line by line
//! and ended by `DONE`.

use crate::game::{BoardSize, Color, Move};
use crate::gtp::short;
use crate::record::{GameRecord, Play, Vertex};

/// Parses numbers separated by commas or blanks.
pub(super) fn numbers(text: &str) -> Option<Vec<i64>> {
    let words = text.split([',', ' ']).filter(|word| !word.is_empty());
    words.map(|word| word.parse().ok()).collect()
}

/// Parses `x,y` of the Gomocup protocol: column from the left and row from the top, both from 0.
pub fn read_point(text: &str, size: BoardSize) -> Option<Move> {
    match numbers(text)?.as_slice() {
        &[x, y] => point(x, y, size),
        _ => None,
    }
}

/// The point in a column from the left and a row from the top, if it is on the board.
fn point(x: i64, y: i64, size: BoardSize) -> Option<Move> {
    let (x, down) = (u8::try_from(x).ok()?, u8::try_from(y).ok()?);
    (x < size.width && down < size.height).then(|| size.point(x, size.height - 1 - down))
}

/// Writes `x,y` of the Gomocup protocol.
pub fn write_point(point: Move, size: BoardSize) -> String {
    let (x, y) = size.column_row(point);
    format!("{x},{}", size.height - 1 - y)
}

/// Writes points one after the other.
pub(super) fn write_points(points: &[Move], size: BoardSize) -> String {
    let points = points.iter().map(|&point| write_point(point, size));
    points.collect::<Vec<_>>().join(" ")
}

/// The point argument of a command.
pub(super) fn point_of(text: &str, size: BoardSize) -> Result<Move, String> {
    read_point(text, size).ok_or_else(|| {
        let text = short(text);
        format!("{text:?} is not a point X,Y of a {size} board, both counted from 0")
    })
}

/// Purpose of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    /// A position; the engine is to move.
    Board,
    /// A position only.
    Position,
    /// The stones of an opening with a choice.
    Swap,
}

/// An unfinished list.
#[derive(Debug, Clone)]
pub(super) struct Listing {
    pub(super) purpose: Purpose,
    size: BoardSize,
    /// Points and, for positions, whether the stone is the engine's own.
    stones: Vec<(Move, bool)>,
    /// Error of the first invalid line.
    wrong: Option<String>,
}

impl Listing {
    /// An empty list for a board.
    pub(super) fn new(purpose: Purpose, size: BoardSize) -> Listing {
        Listing {
            purpose,
            size,
            stones: Vec::new(),
            wrong: None,
        }
    }

    /// Takes a line with one stone. Returns whether the list is complete.
    pub(super) fn takes(&mut self, text: &str) -> bool {
        let text = text.trim();
        let is_done = text.eq_ignore_ascii_case("DONE");
        if !is_done && !text.is_empty() {
            self.line(text);
        }
        is_done
    }

    /// Takes one stone; errors are reported at the end.
    fn line(&mut self, text: &str) {
        let added = match (self.purpose, numbers(text).as_deref()) {
            (Purpose::Swap, Some(&[x, y])) => self.add(x, y, true),
            (Purpose::Board | Purpose::Position, Some(&[x, y, 1])) => self.add(x, y, true),
            (Purpose::Board | Purpose::Position, Some(&[x, y, 2])) => self.add(x, y, false),
            (Purpose::Board | Purpose::Position, Some(&[_, _, 3])) => Err(
                "a stone of kind 3 belongs to a continuous game, which is not played here"
                    .to_owned(),
            ),
            (Purpose::Swap, _) => Err(format!("{:?} is no X,Y", short(text))),
            _ => Err(format!("{:?} is no X,Y,1 or X,Y,2", short(text))),
        };
        if let Err(wrong) = added {
            self.wrong.get_or_insert(wrong);
        }
    }

    fn add(&mut self, x: i64, y: i64, own: bool) -> Result<(), String> {
        let size = self.size;
        let point = point(x, y, size).ok_or_else(|| format!("{x},{y} is off the {size} board"))?;
        if self.stones.iter().any(|(other, _)| *other == point) {
            return Err(format!("{x},{y} comes twice"));
        }
        self.stones.push((point, own));
        Ok(())
    }

    /// The stones in their order.
    ///
    /// # Errors
    /// Error of an invalid line.
    pub(super) fn points(self) -> Result<Vec<Move>, String> {
        let points = self.stones.iter().map(|(point, _)| *point).collect();
        self.wrong.map_or(Ok(points), Err)
    }

    /// The position as a game with the engine to move: played in this order if colours alternate,
    /// else set up.
    ///
    /// # Errors
    /// Error of an invalid line, or of the numbers of stones.
    pub(super) fn record(self, game: &str) -> Result<GameRecord, String> {
        if let Some(wrong) = self.wrong {
            return Err(wrong);
        }
        let own = self.stones.iter().filter(|(_, own)| *own).count();
        let theirs = self.stones.len() - own;
        let us = match theirs.checked_sub(own) {
            Some(0) => Color::Black,
            Some(1) => Color::White,
            _ => {
                let stones = format!("{own} own stones and {theirs} of the other side");
                return Err(format!("it cannot be our turn with {stones}"));
            }
        };
        let color = |own| if own { us } else { us.opponent() };
        let stones = self.stones.into_iter();
        let stones: Vec<_> = stones.map(|(point, own)| (point, color(own))).collect();
        let mut record = GameRecord::new(game, self.size);
        record.to_move = Some(us);
        let mut turns = stones.iter().zip(Color::BOTH.into_iter().cycle());
        if turns.all(|((_, color), turn)| *color == turn) {
            for (point, color) in stones {
                let vertex = Vertex::Point(point);
                record.push(Play { color, vertex });
                record.to_move = Some(Color::Black);
            }
        } else {
            record.setup = stones;
            record.setup.sort_by_key(|(point, _)| *point);
        }
        Ok(record)
    }
}

/// The position of a record of plays, set up.
pub(super) fn as_setup(record: &GameRecord) -> GameRecord {
    let last = record.plays.last().map(|last| last.play.color);
    let stone = |play: Play| match play.vertex {
        Vertex::Point(point) => Some((point, play.color)),
        Vertex::Pass => None,
    };
    let stones = record.plays.iter();
    let mut setup: Vec<_> = stones.filter_map(|made| stone(made.play)).collect();
    setup.sort_by_key(|(point, _)| *point);
    GameRecord {
        setup,
        to_move: last.map(Color::opponent),
        ..GameRecord::new(&record.game, record.size)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_count_from_the_upper_left_corner() {
        let size = BoardSize::new(20, 15);
        assert_eq!(read_point("0,0", size), Some(size.point(0, 14)));
        assert_eq!(read_point("19, 14", size), Some(size.point(19, 0)));
        assert_eq!(read_point("3 4", size), Some(size.point(3, 10)));
        for point in size.points() {
            let text = write_point(point, size);
            assert_eq!(read_point(&text, size), Some(point), "{text}");
        }
        for wrong in [
            "",
            "3",
            "3,",
            "20,0",
            "0,15",
            "-1,3",
            "a,b",
            "1,2,3",
            "999999999999999999999,1",
        ] {
            assert_eq!(read_point(wrong, size), None, "{wrong}");
        }
    }

    fn record(lines: &[&str]) -> Result<GameRecord, String> {
        let mut list = Listing::new(Purpose::Board, BoardSize::square(15));
        lines.iter().for_each(|line| list.line(line));
        list.record("line")
    }

    #[test]
    fn moves_in_order_are_played_and_others_set_up() {
        let played = record(&["10,10,1", "10,11,2", "11,11,1", "9,10,2"]).unwrap();
        assert_eq!((played.plays.len(), played.setup.len()), (4, 0));
        assert_eq!(played.first_to_move(), Color::Black);
        let white = record(&["7,7,2", "8,7,1", "9,9,2"]).unwrap();
        assert_eq!(white.plays[1].play.color, Color::White);
        let set_up = record(&["7,7,2", "9,9,2", "8,7,1"]).unwrap();
        assert_eq!((set_up.plays.len(), set_up.setup.len()), (0, 3));
        assert_eq!(set_up.first_to_move(), Color::White);
        assert_eq!(record(&[]).unwrap().first_to_move(), Color::Black);
    }

    #[test]
    fn wrong_lists_say_what_is_wrong() {
        for (lines, part) in [
            (&["7,7"][..], "X,Y,1"),
            (&["7,7,3"], "continuous"),
            (&["7,7,1", "7,7,2"], "twice"),
            (&["15,0,2"], "15x15"),
            (&["7,7,1"], "our turn"),
            (&["7,7,2", "8,8,2"], "our turn"),
            (&["", "\u{76e4}"], "no X,Y"),
        ] {
            let wrong = record(lines).unwrap_err();
            assert!(wrong.contains(part), "{lines:?}: {wrong}");
        }
        let mut swap = Listing::new(Purpose::Swap, BoardSize::square(15));
        swap.line("7,7,1");
        assert!(swap.points().is_err());
    }
}
