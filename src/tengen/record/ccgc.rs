//! The game records of the China Computer Game Championship (CCGC), kinds `NG`: NoGo, and `C5`: Gomoku.
//!
//! The committee's own specification was not available; the layout is what independent programs
//! agree on (docs/methods.md#protocols): a header of bracketed fields and moves such as `B[A1]` or `B(A,1)`,
//! columns from A including I, rows from the bottom. Where a year's checking program requires
//! otherwise, the patterns of text and move can be changed.

use thiserror::Error;

use super::{Charset, GameRecord, Vertex};
use crate::game::Color;

/// Names in braces, such as `{black}`.
type Names = &'static [&'static str];

/// What stands in braces in the pattern of a move.
const OF_A_PLAY: Names = &["{color}", "{column}", "{row}", "{top}"];
/// The same in the pattern of the text.
const OF_A_GAME: Names = &[
    "{black}", "{white}", "{result}", "{time}", "{place}", "{event}", "{moves}",
];

// What is said where a team's name is unknown, and results.
const FIRST: &str = "先手参赛队";
const SECOND: &str = "后手参赛队";
const FIRST_WINS: &str = "先手胜";
const SECOND_WINS: &str = "后手胜";
const DRAWN: &str = "平局";
const UNDECIDED: &str = "未分胜负";

/// The file's name, without its end.
const FILE: &str = "NG-{black} vs {white}-{result}-{time} {place}-{event}";
/// Maximum bytes of it: 255 are usual, and a number may follow.
const LONGEST_NAME: usize = 200;

/// Why a pattern would spoil records.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct PatternError(String);

/// Header fields and layout of a record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CcgcStyle {
    /// The whole text, with `{black}`, `{white}`, `{result}`, `{time}`, `{place}`, `{event}` and
    /// `{moves}`.
    pub game: String,
    /// One move, with `{color}`, `{column}`, `{row}` (from the bottom) and `{top}` (the row from
    /// the top). Moves are joined by semicolons.
    pub play: String,
    /// When the game began, such as `2026.08.23 08:40`.
    pub time: String,
    /// Where it is played.
    pub place: String,
    /// The event, such as `2026 CCGC`.
    pub event: String,
    /// How its text is encoded.
    pub charset: Charset,
}

impl Default for CcgcStyle {
    fn default() -> CcgcStyle {
        CcgcStyle {
            game: "([NG][{black}][{white}][{result}][{time} {place}][{event}];{moves})".to_owned(),
            play: "{color}[{column}{row}]".to_owned(),
            time: String::new(),
            place: String::new(),
            event: "CCGC".to_owned(),
            charset: Charset::default(),
        }
    }
}

impl CcgcStyle {
    /// That of a game, which only NoGo and Gomoku have.
    pub fn of(game: &str) -> Option<CcgcStyle> {
        let usual = CcgcStyle::default();
        match game {
            "nogo" => Some(usual),
            "gomoku" => Some(CcgcStyle {
                game: "{[C5][{black}][{white}][{result}][{time} {place}][{event}];{moves}}"
                    .to_owned(),
                play: "{color}({column},{row})".to_owned(),
                ..usual
            }),
            _ => None,
        }
    }

    /// A pattern of the whole text.
    ///
    /// # Errors
    /// [`PatternError`] if records would be spoiled.
    pub fn game_pattern(text: &str) -> Result<String, PatternError> {
        pattern(text, OF_A_GAME, &[&["{moves}"]])
    }

    /// A pattern of a move.
    ///
    /// # Errors
    /// [`PatternError`] if records would be spoiled.
    pub fn play_pattern(text: &str) -> Result<String, PatternError> {
        pattern(text, OF_A_PLAY, &[&["{column}"], &["{row}", "{top}"]])
    }

    /// The characters of records of games between these teams that the encoding lacks, each once.
    pub fn lacking(&self, teams: [&str; 2]) -> String {
        let [first, second] = teams;
        let texts = [
            &*self.game,
            &self.play,
            &self.place,
            &self.event,
            first,
            second,
        ];
        let own = [FIRST, SECOND, FIRST_WINS, SECOND_WINS, DRAWN, UNDECIDED];
        self.charset
            .lacking(&[texts.concat(), own.concat()].concat())
    }

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
        let teams = [&*record.black, &record.white];
        let text = self.fill(&self.game, &record.result, teams);
        format!("{}\n", text.replace("{moves}", &plays.join(";")))
    }

    /// A name for its file with this at its end, without characters that file systems refuse. Teams, place and event
    /// are shortened where it is longer than they take: result and time tell games apart.
    pub fn file_name(&self, record: &GameRecord, suffix: &str) -> String {
        let name = |kept: usize| {
            let short = |text: &str| text.chars().take(kept).collect::<String>();
            let style = CcgcStyle {
                place: short(&self.place),
                event: short(&self.event),
                ..self.clone()
            };
            let teams = [short(&record.black), short(&record.white)];
            style.fill(FILE, &record.result, [&teams[0], &teams[1]])
        };
        let mut names = (1..LONGEST_NAME).rev().map(name);
        let fitting = names.find(|name| name.len() <= LONGEST_NAME);
        let plain = |c: char| {
            if r#"/\:*?"<>|"#.contains(c) || c.is_control() {
                '_'
            } else {
                c
            }
        };
        let name = fitting.unwrap_or_else(|| name(1));
        let name: String = name.replace(':', ".").chars().map(plain).collect();
        format!("{name}{suffix}.txt")
    }

    fn play(&self, color: Color, x: u8, y: u8, height: u8) -> String {
        self.play
            .replace("{color}", color.letter())
            .replace("{column}", &column(x))
            .replace("{row}", &(y + 1).to_string())
            .replace("{top}", &(height - y).to_string())
    }

    fn fill(&self, pattern: &str, result: &str, teams: [&str; 2]) -> String {
        let side = |name: &str, else_say: &str, color: &str| {
            let name = if name.is_empty() { else_say } else { name };
            format!("{} {color}", field(name))
        };
        let result = match result.chars().next() {
            Some('B') => FIRST_WINS,
            Some('W') => SECOND_WINS,
            Some('0') => DRAWN,
            _ => UNDECIDED,
        };
        let pattern = match self.place.as_str() {
            "" => pattern.replace(" {place}", "{place}"),
            _ => pattern.to_owned(),
        };
        pattern
            .replace("{black}", &side(teams[0], FIRST, "B"))
            .replace("{white}", &side(teams[1], SECOND, "W"))
            .replace("{result}", result)
            .replace("{time}", &self.time)
            .replace("{place}", &field(&self.place))
            .replace("{event}", &field(&self.event))
    }
}

/// Whether a text is such a record, in the usual layout.
pub(super) fn is_record(text: &str) -> bool {
    let kinds = ["([NG]", "{[C5]"];
    kinds.iter().any(|kind| text.starts_with(kind))
}

/// A text within the brackets of a field, or braces of a pattern: its own are others.
fn field(text: &str) -> String {
    let other = |c| match c {
        '[' | '{' => '(',
        ']' | '}' => ')',
        c => c,
    };
    text.chars().map(other).collect()
}

/// A pattern if all it has in braces is known, and it has one of each of the needed names.
fn pattern(text: &str, known: Names, needed: &[Names]) -> Result<String, PatternError> {
    if text.trim().is_empty() {
        return Err(PatternError("it is empty".to_owned()));
    }
    let fixed = known
        .iter()
        .fold(text.to_owned(), |text, name| text.replace(name, " "));
    let unknown = fixed.find(['{', '}']).and_then(|start| fixed.get(start..));
    if let Some(unknown) = unknown.and_then(|rest| rest.split_inclusive('}').next()) {
        let known = known.join(", ");
        return Err(PatternError(format!("{unknown} is not one of {known}")));
    }
    let has = |names: &&Names| names.iter().any(|name| text.contains(name));
    match needed.iter().find(|names| !has(names)) {
        Some(names) => Err(PatternError(format!("it needs {}", names.join(" or ")))),
        None => Ok(text.to_owned()),
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

    fn style() -> CcgcStyle {
        CcgcStyle {
            time: "2026.08.23 08:40".to_owned(),
            place: "沈阳".to_owned(),
            event: "2026 CCGC".to_owned(),
            ..CcgcStyle::default()
        }
    }

    #[test]
    fn a_record_in_the_usual_layout() {
        assert_eq!(
            style().write(&record()),
            "([NG][Tengen B][后手参赛队 W][先手胜][2026.08.23 08:40 沈阳][2026 CCGC];B[A1];W[I8])\n"
        );
        assert_eq!(
            style().file_name(&record(), ""),
            "NG-Tengen B vs 后手参赛队 W-先手胜-2026.08.23 08.40 沈阳-2026 CCGC.txt"
        );
    }

    #[test]
    fn a_record_of_gomoku() {
        let mut record = GameRecord::new("gomoku", BoardSize::square(15));
        record.result = "0".to_owned();
        for (color, x, y) in [(Color::Black, 7, 7), (Color::White, 8, 14)] {
            let vertex = Vertex::Point(record.size.point(x, y));
            record.push(Play { color, vertex });
        }
        let style = CcgcStyle {
            time: "2026.08.23 08:40".to_owned(),
            ..CcgcStyle::of("gomoku").expect("it has one")
        };
        let text = style.write(&record);
        assert_eq!(
            text,
            "{[C5][先手参赛队 B][后手参赛队 W][平局][2026.08.23 08:40][CCGC];B(H,8);W(I,15)}\n"
        );
        assert!(is_record(&text) && !is_record("(;GM[4])"));
        assert_eq!(CcgcStyle::of("go"), None);
    }

    #[test]
    fn the_layout_can_be_changed() {
        let style = CcgcStyle {
            game: "{result}|{moves}".to_owned(),
            play: "{color}:{column}{top}".to_owned(),
            ..style()
        };
        assert_eq!(style.write(&record()), "先手胜|B:A9;W:I2\n");
        let mut open = record();
        open.result.clear();
        open.white = "a/b".to_owned();
        assert_eq!(style.write(&open), "未分胜负|B:A9;W:I2\n");
        assert!(style.file_name(&open, "").contains("a_b W"));
        let nowhere = CcgcStyle {
            place: String::new(),
            ..self::style()
        };
        assert!(nowhere.write(&record()).contains("[2026.08.23 08:40]["));
    }

    #[test]
    fn names_do_not_break_the_layout() {
        let mut record = record();
        record.black = "[AI] {moves}".to_owned();
        let text = style().write(&record);
        assert!(
            text.starts_with("([NG][(AI) (moves) B][后手参赛队 W]["),
            "{text}"
        );
        assert!(
            style()
                .file_name(&record, "")
                .contains("-(AI) (moves) B vs")
        );
    }

    #[test]
    fn long_names_are_shortened_and_the_game_stays_known() {
        let mut record = record();
        (record.black, record.white) = ("黑".repeat(70), "Tengen".to_owned());
        let name = style().file_name(&record, "");
        assert!(name.len() <= LONGEST_NAME + ".txt".len(), "{name}");
        assert!(
            name.ends_with("黑 B vs Tengen W-先手胜-2026.08.23 08.40 沈阳-2026 CCGC.txt"),
            "{name}"
        );
        record.white = "白".repeat(1000);
        let name = style().file_name(&record, "");
        assert!(name.len() <= LONGEST_NAME + ".txt".len(), "{name}");
        assert!(name.contains("-先手胜-2026.08.23 08.40 沈阳-2026 CCGC.txt"));
    }

    #[test]
    fn patterns_that_spoil_records_are_refused() {
        let usual = CcgcStyle::default();
        assert!(CcgcStyle::game_pattern(&usual.game).is_ok());
        assert!(CcgcStyle::play_pattern(&usual.play).is_ok());
        assert!(CcgcStyle::play_pattern("{color}[{column}{top}]").is_ok());
        for (result, told) in [
            (CcgcStyle::game_pattern(""), "it is empty"),
            (
                CcgcStyle::game_pattern("([NG][{blak}];{moves})"),
                "{blak} is not one of {black}, ",
            ),
            (CcgcStyle::game_pattern("{black"), "{black is not one of "),
            (CcgcStyle::game_pattern("{black}"), "it needs {moves}"),
            (
                CcgcStyle::play_pattern("{colour}[{column}{row}]"),
                "{colour} is not one of ",
            ),
            (CcgcStyle::play_pattern("{row}"), "it needs {column}"),
            (
                CcgcStyle::play_pattern("{column}"),
                "it needs {row} or {top}",
            ),
            (CcgcStyle::play_pattern(" "), "it is empty"),
        ] {
            let error = result.expect_err(told).to_string();
            assert!(error.starts_with(told), "{error}");
        }
    }

    #[test]
    fn what_an_encoding_lacks_is_told() {
        let lacking = |charset: &str, name: &str| {
            let charset = charset.parse().expect(charset);
            let style = CcgcStyle { charset, ..style() };
            style.lacking([name, ""])
        };
        assert_eq!(lacking("gbk", "天元𠮷😀𠮷"), "𠮷😀");
        assert_eq!(lacking("gb18030", "天元𠮷😀𠮷"), "");
        assert!(lacking("big5", "").contains('负'));
    }
}
