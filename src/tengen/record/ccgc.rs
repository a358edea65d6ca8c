//! The game records of the China Computer Game Championship (CCGC), kind `NG`: NoGo.
//!
//! The committee's own specification was not available; the layout is what independent programs
//! agree on (docs/methods.md#protocols): a header of bracketed fields and moves such as `B[A1]`,
//! columns from A including I, rows from the bottom. Where a year's checking program requires
//! otherwise, both patterns can be changed.

use super::{Charset, GameRecord, Vertex};
use crate::game::Color;

/// Header fields and layout of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NgStyle {
    /// The whole text, with `{black}`, `{white}`, `{result}`, `{time}`, `{place}`, `{event}` and
    /// `{moves}`.
    pub game: String,
    /// One move, with `{color}`, `{column}`, `{row}` (from the bottom) and `{top}` (the row from
    /// the top). Moves are joined by semicolons.
    pub play: String,
    /// The file's name, with the fields of `game`.
    pub file: String,
    /// When the game began, such as `2026.08.23 08:40`.
    pub time: String,
    /// Where it is played.
    pub place: String,
    /// The event, such as `2026 CCGC`.
    pub event: String,
    /// How its text is encoded.
    pub charset: Charset,
}

impl Default for NgStyle {
    fn default() -> NgStyle {
        NgStyle {
            game: "([NG][{black}][{white}][{result}][{time} {place}][{event}];{moves})".to_owned(),
            play: "{color}[{column}{row}]".to_owned(),
            file: "NG-{black} vs {white}-{result}-{time} {place}-{event}.txt".to_owned(),
            time: String::new(),
            place: String::new(),
            event: "CCGC".to_owned(),
            charset: Charset::default(),
        }
    }
}

impl NgStyle {
    /// The record's text, ending in a line break. Passes cannot be represented.
    pub fn write(&self, record: &GameRecord) -> String {
        let plays: Vec<String> = record
            .plays
            .iter()
            .filter_map(|recorded| match recorded.play.vertex {
                Vertex::Point(point) => {
                    let (x, y) = record.size.column_row(point);
                    Some(self.play(recorded.play.color, x, y, record.size.height))
                }
                Vertex::Pass => None,
            })
            .collect();
        let text = self.fill(&self.game, record);
        format!("{}\n", text.replace("{moves}", &plays.join(";")))
    }

    /// A name for its file, without characters that file systems refuse.
    pub fn file_name(&self, record: &GameRecord) -> String {
        let name = self.fill(&self.file, record);
        let plain = |c: char| {
            if r#"/\:*?"<>|"#.contains(c) || c.is_control() {
                '_'
            } else {
                c
            }
        };
        name.replace(':', ".").chars().map(plain).collect()
    }

    fn play(&self, color: Color, x: u8, y: u8, height: u8) -> String {
        self.play
            .replace("{color}", color.letter())
            .replace("{column}", &column(x))
            .replace("{row}", &(y + 1).to_string())
            .replace("{top}", &(height - y).to_string())
    }

    fn fill(&self, pattern: &str, record: &GameRecord) -> String {
        let side = |name: &str, else_say: &str, color: &str| {
            let name = if name.is_empty() { else_say } else { name };
            format!("{name} {color}")
        };
        let result = match record.result.chars().next() {
            Some('B') => "先手胜",
            Some('W') => "后手胜",
            _ => "未分胜负",
        };
        let pattern = match self.place.as_str() {
            "" => pattern.replace(" {place}", "{place}"),
            _ => pattern.to_owned(),
        };
        pattern
            .replace("{black}", &side(&record.black, "先手参赛队", "B"))
            .replace("{white}", &side(&record.white, "后手参赛队", "W"))
            .replace("{result}", result)
            .replace("{time}", &self.time)
            .replace("{place}", &self.place)
            .replace("{event}", &self.event)
    }
}

/// A column's letter, including I; its number after the last letter.
fn column(x: u8) -> String {
    if x < 26 {
        char::from(b'A' + x).to_string()
    } else {
        (x + 1).to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::record::Play;

    fn record() -> GameRecord {
        let size = BoardSize::square(9);
        let mut record = GameRecord::new("nogo", size);
        record.black = "Tengen".to_owned();
        record.result = "B+R".to_owned();
        for (color, x, y) in [(Color::Black, 0, 0), (Color::White, 8, 7)] {
            let vertex = Vertex::Point(size.point(x, y));
            record.push(Play { color, vertex });
        }
        record
    }

    fn style() -> NgStyle {
        NgStyle {
            time: "2026.08.23 08:40".to_owned(),
            place: "沈阳".to_owned(),
            event: "2026 CCGC".to_owned(),
            ..NgStyle::default()
        }
    }

    #[test]
    fn a_record_in_the_usual_layout() {
        assert_eq!(
            style().write(&record()),
            "([NG][Tengen B][后手参赛队 W][先手胜][2026.08.23 08:40 沈阳][2026 CCGC];B[A1];W[I8])\n"
        );
        assert_eq!(
            style().file_name(&record()),
            "NG-Tengen B vs 后手参赛队 W-先手胜-2026.08.23 08.40 沈阳-2026 CCGC.txt"
        );
    }

    #[test]
    fn the_layout_can_be_changed() {
        let style = NgStyle {
            game: "{result}|{moves}".to_owned(),
            play: "{color}:{column}{top}".to_owned(),
            ..style()
        };
        assert_eq!(style.write(&record()), "先手胜|B:A9;W:I2\n");
        let mut open = record();
        open.result.clear();
        open.white = "a/b".to_owned();
        assert_eq!(style.write(&open), "未分胜负|B:A9;W:I2\n");
        assert!(style.file_name(&open).contains("a_b W"));
        let nowhere = NgStyle {
            place: String::new(),
            ..self::style()
        };
        assert!(nowhere.write(&record()).contains("[2026.08.23 08:40]["));
    }
}
