//! Reading: the properties of the main line into a record.

use super::lexer::{Property, main_line};
use super::{MAX_SIDE, SgfError, game_name};
use crate::game::{BoardSize, Color, Move, info};
use crate::record::{GameRecord, Play, RecordedPlay, Vertex};

/// The largest board on which the old pass `tt` is not a point.
const OLD_PASS_MAX_SIDE: u8 = 19;
/// SGF's board size when a file gives none.
const DEFAULT_SIDE: u8 = 19;

/// Reads the main line of the first game in `text`.
///
/// # Errors
/// [`SgfError`] says what the text lacks or where it is wrong.
pub fn read(text: &str) -> Result<GameRecord, SgfError> {
    let nodes = main_line(text)?;
    let root = nodes.first().map(Vec::as_slice).unwrap_or_default();
    let mut reader = Reader::new(root)?;
    for (index, node) in nodes.iter().enumerate() {
        reader.has_moved = false;
        for property in node {
            reader.property(property, index == 0)?;
        }
        reader.end_node();
    }
    Ok(reader.finish())
}

/// A record in the making.
struct Reader {
    record: GameRecord,
    /// Stones set up, by point.
    stones: Vec<Option<Color>>,
    /// The present node has its move.
    has_moved: bool,
    /// A comment that stands before the move of its node.
    waiting_comment: String,
    /// Black has several stones ahead.
    handicap: bool,
}

impl Reader {
    /// Starts with what decides how everything else is read: the game and the board.
    fn new(root: &[Property<'_>]) -> Result<Reader, SgfError> {
        let find = |name: &str| {
            let property = root.iter().find(|property| property.name == name);
            property.map(|property| property.values[0])
        };
        let size = match find("SZ") {
            Some(value) => board_size(value)?,
            None => BoardSize::square(DEFAULT_SIDE),
        };
        let number = find("GM").map_or("1", str::trim);
        let rules = find("RU").map(str::trim);
        let game = number
            .parse()
            .ok()
            .and_then(|number| game_name(number, rules));
        let game = game.ok_or_else(|| bad_value("GM", number, "1 (Go, NoGo) or 4 (Gomoku)"))?;
        Ok(Reader {
            record: GameRecord::new(game, size),
            stones: vec![None; size.area()],
            has_moved: false,
            waiting_comment: String::new(),
            handicap: false,
        })
    }

    fn property(&mut self, property: &Property<'_>, root: bool) -> Result<(), SgfError> {
        let value = property.values[0];
        match property.name.as_str() {
            "B" => self.play("B", Color::Black, value)?,
            "W" => self.play("W", Color::White, value)?,
            "AB" => self.set_up("AB", Some(Color::Black), &property.values)?,
            "AW" => self.set_up("AW", Some(Color::White), &property.values)?,
            "AE" => self.set_up("AE", None, &property.values)?,
            "PL" if self.record.plays.is_empty() => self.record.to_move = Some(player(value)?),
            "PB" => self.record.black = simple_text(value),
            "PW" => self.record.white = simple_text(value),
            "RE" => self.record.result = simple_text(value),
            "DT" => self.record.date = simple_text(value),
            // There it names the game.
            "RU" if info(&self.record.game).is_some_and(|info| info.sgf.1.is_some()) => {}
            "RU" => self.record.rules = simple_text(value).trim().to_owned(),
            "HA" => self.handicap = value.trim().parse().is_ok_and(|stones: u32| stones > 1),
            "KM" if value.trim().is_empty() => {}
            "KM" => self.record.komi = Some(komi(value)?),
            "C" if root => self.record.comment = text(value),
            "C" => self.comment(text(value)),
            _ => {}
        }
        Ok(())
    }

    fn play(&mut self, name: &'static str, color: Color, value: &str) -> Result<(), SgfError> {
        let play = Play {
            color,
            vertex: vertex(name, value, self.record.size)?,
        };
        self.has_moved = true;
        self.record.plays.push(RecordedPlay {
            play,
            comment: std::mem::take(&mut self.waiting_comment),
        });
        Ok(())
    }

    /// A comment belongs to the move of its node, which may stand before or after it.
    fn comment(&mut self, comment: String) {
        match self.record.plays.last_mut() {
            Some(last) if self.has_moved => last.comment = comment,
            _ => self.waiting_comment = comment,
        }
    }

    /// What a node without a move says is said of the move before it.
    fn end_node(&mut self) {
        let Some(last) = self.record.plays.last_mut() else {
            return;
        };
        let comment = std::mem::take(&mut self.waiting_comment);
        if !last.comment.is_empty() && !comment.is_empty() {
            last.comment.push('\n');
        }
        last.comment.push_str(&comment);
    }

    fn set_up(
        &mut self,
        name: &'static str,
        color: Option<Color>,
        values: &[&str],
    ) -> Result<(), SgfError> {
        if !self.record.plays.is_empty() {
            return Err(SgfError::LateSetup);
        }
        let size = self.record.size;
        for value in values {
            let (first, last) = value.split_once(':').unwrap_or((value, value));
            let (left, top) = column_row(name, first, size)?;
            let (right, bottom) = column_row(name, last, size)?;
            for y in bottom.min(top)..=bottom.max(top) {
                for x in left.min(right)..=left.max(right) {
                    self.stones[size.point(x, y).index()] = color;
                }
            }
        }
        Ok(())
    }

    fn finish(mut self) -> GameRecord {
        let stones = self.stones.iter().enumerate();
        self.record.setup = stones
            .filter_map(|(point, stone)| Some((Move(u16::try_from(point).ok()?), (*stone)?)))
            .collect();
        if self.handicap && self.record.to_move.is_none() && self.record.plays.is_empty() {
            self.record.to_move = Some(Color::White);
        }
        self.record
    }
}

fn bad_value(property: &'static str, value: &str, expected: &'static str) -> SgfError {
    SgfError::BadValue {
        property,
        value: value.chars().take(20).collect(),
        expected,
    }
}

/// `9` or `9:13` (columns, then rows).
fn board_size(value: &str) -> Result<BoardSize, SgfError> {
    let side = |text: &str| match text.trim().parse::<u8>() {
        Ok(side) if (1..=MAX_SIDE).contains(&side) => Ok(side),
        _ => Err(bad_value(
            "SZ",
            value,
            "a size from 1 to 52, or two with a colon",
        )),
    };
    let (width, height) = value.split_once(':').unwrap_or((value, value));
    Ok(BoardSize::new(side(width)?, side(height)?))
}

fn player(value: &str) -> Result<Color, SgfError> {
    match value.trim() {
        "B" | "b" | "black" | "Black" | "1" => Ok(Color::Black),
        "W" | "w" | "white" | "White" | "2" => Ok(Color::White),
        other => Err(bad_value("PL", other, "B or W")),
    }
}

fn komi(value: &str) -> Result<f32, SgfError> {
    // Some programs write a number as their country does.
    match value.trim().replace(',', ".").parse::<f32>() {
        // Fox writes hundredths: of stones where stones are counted, else of points.
        Ok(komi @ (275.0 | 325.0 | 375.0)) => Ok(komi / 50.0),
        Ok(komi @ (550.0 | 650.0 | 750.0)) => Ok(komi / 100.0),
        // Quarters are of stones.
        Ok(komi @ (2.75 | 3.25 | 3.75)) => Ok(2.0 * komi),
        Ok(komi) if komi.is_finite() => Ok(komi),
        _ => Err(bad_value("KM", value, "a number")),
    }
}

fn vertex(name: &'static str, value: &str, size: BoardSize) -> Result<Vertex, SgfError> {
    let value = value.trim();
    let small = size.width <= OLD_PASS_MAX_SIDE && size.height <= OLD_PASS_MAX_SIDE;
    if value.is_empty() || (value == "tt" && small) {
        return Ok(Vertex::Pass);
    }
    let (x, y) = column_row(name, value, size)?;
    Ok(Vertex::Point(size.point(x, y)))
}

/// Column and row from the lower left corner; SGF counts rows from the top.
fn column_row(name: &'static str, value: &str, size: BoardSize) -> Result<(u8, u8), SgfError> {
    let off_board = || bad_value(name, value, "a point on the board");
    let [column, row] = value.trim().as_bytes() else {
        return Err(off_board());
    };
    let (x, from_top) = (letter(*column), letter(*row));
    match (x, from_top) {
        (Some(x), Some(from_top)) if x < size.width && from_top < size.height => {
            Ok((x, size.height - 1 - from_top))
        }
        _ => Err(off_board()),
    }
}

/// `a`..`z` are 0..25, `A`..`Z` 26..51.
fn letter(byte: u8) -> Option<u8> {
    match byte {
        b'a'..=b'z' => Some(byte - b'a'),
        b'A'..=b'Z' => Some(byte - b'A' + 26),
        _ => None,
    }
}

/// SGF `Text`: escapes resolved, escaped line breaks removed, other white space made blanks.
fn text(value: &str) -> String {
    let unified = value
        .replace("\r\n", "\n")
        .replace("\n\r", "\n")
        .replace('\r', "\n");
    let mut out = String::with_capacity(unified.len());
    let mut characters = unified.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('\n') | None => {}
                Some(escaped) => out.push(escaped),
            },
            '\n' => out.push('\n'),
            control if control.is_control() => out.push(' '),
            plain => out.push(plain),
        }
    }
    out
}

/// SGF `SimpleText`: as [`text`], on one line.
fn simple_text(value: &str) -> String {
    text(value).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(size: BoardSize, x: u8, y: u8) -> Vertex {
        Vertex::Point(size.point(x, y))
    }

    #[test]
    fn a_comment_is_that_of_its_nodes_move_wherever_it_stands() {
        let text = "(;SZ[9]RU[NoGo];C[first]B[aa];C[to W]W[bb];B[cc]C[x];C[lost])";
        let record = read(text).expect("readable");
        let comments: Vec<&str> = record.plays.iter().map(|p| &*p.comment).collect();
        assert_eq!(comments, ["first", "to W", "x\nlost"]);
    }

    #[test]
    fn a_game_with_setup_variations_and_comments() {
        let record = read(concat!(
            "saved by hand (;FF[4]GM[1]SZ[9]RU[NoGo]PB[a\\]b]PW[c\nd]KM[0.5]RE[W+R]DT[2026-08-23]",
            "C[whole\\\ngame]AB[aa:ba][ai]AW[ii]PL[W]\n",
            ";W[cc]C[good](;B[dd](;W[])(;W[ee]))(;B[ff]))(;SZ[19])",
        ))
        .expect("readable");
        let size = BoardSize::square(9);
        assert_eq!((record.game.as_str(), record.size), ("nogo", size));
        assert_eq!(
            (record.black.as_str(), record.white.as_str()),
            ("a]b", "c d")
        );
        assert_eq!((record.komi, record.result.as_str()), (Some(0.5), "W+R"));
        assert_eq!(
            (record.comment.as_str(), record.date.as_str()),
            ("wholegame", "2026-08-23")
        );
        let setup = [
            (size.point(0, 0), Color::Black),
            (size.point(8, 0), Color::White),
            (size.point(0, 8), Color::Black),
            (size.point(1, 8), Color::Black),
        ];
        assert_eq!(record.setup, setup);
        assert_eq!(record.to_move, Some(Color::White));
        let vertices: Vec<Vertex> = record.plays.iter().map(|play| play.play.vertex).collect();
        assert_eq!(
            vertices,
            [point(size, 2, 6), point(size, 3, 5), Vertex::Pass]
        );
        assert_eq!(record.plays[0].comment, "good");
    }

    #[test]
    fn rectangles_old_names_and_missing_properties() {
        let record = read("(;SiZe[3:2];Black[cb];W[tt])").expect("readable");
        assert_eq!(record.size, BoardSize::new(3, 2));
        assert_eq!(record.plays[0].play.vertex, point(record.size, 2, 0));
        assert_eq!(record.plays[1].play.vertex, Vertex::Pass);
        assert_eq!(record.to_move, None);
        let other = read("(;SZ[3]KM[6,5];W[aa];B[bb])").expect("readable");
        assert_eq!(
            (other.first_to_move(), other.komi),
            (Color::White, Some(6.5))
        );
        assert_eq!(read("(;KM[])").map(|record| record.komi), Ok(None));
        // Hundredths of stones and of points, by Fox.
        for (written, komi) in [
            ("375", 7.5),
            ("3.75", 7.5),
            ("650", 6.5),
            ("0", 0.0),
            ("-5.5", -5.5),
        ] {
            let record = read(&format!("(;SZ[3]KM[{written}])")).expect("readable");
            assert_eq!(record.komi, Some(komi), "{written}");
        }
        assert_eq!(
            read("(;)").map(|record| record.size),
            Ok(BoardSize::square(19))
        );
    }

    #[test]
    fn wrong_files_are_refused() {
        for (text, part) in [
            ("", "no SGF"),
            ("hello", "no SGF"),
            ("(;C[open", "ends inside"),
            ("(;C", "ends inside"),
            ("(;SZ[0])", "SZ"),
            ("(;SZ[99])", "SZ"),
            ("(;GM[2])", "GM"),
            ("(;SZ[9];B[jj])", "property B"),
            ("(;SZ[9];B[a])", "property B"),
            ("(;SZ[9]AB[aa:zz])", "property AB"),
            ("(;SZ[9];B[aa];AW[bb])", "after the first move"),
            ("(;%)", "unexpected"),
            ("(;KM[inf])", "KM"),
        ] {
            let error = read(text).expect_err(text).to_string();
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
