//! Access to fields of a JSON object, with errors that name the field.

use std::fmt::Display;
use std::ops::RangeInclusive;

use serde_json::{Map, Value, json};

use crate::game::{BoardSize, Color, Move};
use crate::gtp::{parse_color, parse_vertex};
use crate::record::{Play, Vertex};

/// A JSON object.
pub(super) type Object = Map<String, Value>;

/// Why a request was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Refusal {
    /// The invalid field.
    pub(super) field: String,
    /// Error message with the expected values.
    pub(super) text: String,
}

impl Refusal {
    pub(super) fn new(field: &str, text: impl Display) -> Refusal {
        Refusal {
            field: field.to_owned(),
            text: text.to_string(),
        }
    }

    /// The same of a field that has this one inside.
    pub(super) fn within(self, field: &str) -> Refusal {
        Refusal::new(field, format!("{} {}", self.field, self.text))
    }

    /// An error or a warning of a query. The text names the field, too: some clients show nothing else.
    pub(super) fn told(&self, id: &str, kind: &str) -> Value {
        let Refusal { field, text } = self;
        json!({ "id": id, "field": field, kind: format!("{field}: {text}") })
    }
}

/// The fields of one object. A `null` field counts as missing.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub(super) &'a Object);

impl<'a> Fields<'a> {
    /// The field, if it is there.
    pub(super) fn get(self, name: &str) -> Option<&'a Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// A field converted by `read`, if present.
    fn read<T>(
        self,
        name: &str,
        wanted: impl Display,
        read: impl FnOnce(&'a Value) -> Option<T>,
    ) -> Result<Option<T>, Refusal> {
        let Some(value) = self.get(name) else {
            return Ok(None);
        };
        let refusal = || Refusal::new(name, format!("must be {wanted}, not {}", short(value)));
        read(value).map(Some).ok_or_else(refusal)
    }

    pub(super) fn truth(self, name: &str) -> Result<bool, Refusal> {
        let truth = self.read(name, "true or false", Value::as_bool)?;
        Ok(truth.unwrap_or(false))
    }

    pub(super) fn text(self, name: &str) -> Result<Option<&'a str>, Refusal> {
        self.read(name, "a string", Value::as_str)
    }

    pub(super) fn color(self, name: &str) -> Result<Option<Color>, Refusal> {
        self.read(name, "\"B\" or \"W\"", read_color)
    }

    pub(super) fn integer(
        self,
        name: &str,
        range: RangeInclusive<i64>,
    ) -> Result<Option<i64>, Refusal> {
        let wanted = format!("a whole number from {} to {}", range.start(), range.end());
        let inside = |number: &i64| range.contains(number);
        self.read(name, wanted, |value| value.as_i64().filter(inside))
    }

    pub(super) fn number(
        self,
        name: &str,
        range: RangeInclusive<f64>,
    ) -> Result<Option<f64>, Refusal> {
        // `Debug` writes large numbers in scientific notation.
        let wanted = format!("a number from {:?} to {:?}", range.start(), range.end());
        let inside = |number: &f64| range.contains(number);
        self.read(name, wanted, |value| value.as_f64().filter(inside))
    }

    pub(super) fn integers(
        self,
        name: &str,
        range: RangeInclusive<i64>,
    ) -> Result<Option<Vec<i64>>, Refusal> {
        let (least, most) = (range.start(), range.end());
        let wanted = format!("a list of whole numbers from {least} to {most}");
        let one = |value: &Value| value.as_i64().filter(|one| range.contains(one));
        self.read(name, wanted, |value| {
            value.as_array()?.iter().map(one).collect()
        })
    }

    /// Numbers from 0 on.
    pub(super) fn indices(self, name: &str, most: usize) -> Result<Option<Vec<usize>>, Refusal> {
        let numbers = self.integers(name, 0..=i64::try_from(most).unwrap_or(i64::MAX))?;
        let index = |number| usize::try_from(number).ok();
        Ok(numbers.map(|numbers| numbers.into_iter().filter_map(index).collect()))
    }

    /// Stones or moves: pairs of a colour and a point.
    pub(super) fn plays(self, name: &str, size: BoardSize) -> Result<Option<Vec<Play>>, Refusal> {
        let wanted = "a list of pairs such as [\"B\", \"C3\"]";
        let Some(list) = self.read(name, wanted, Value::as_array)? else {
            return Ok(None);
        };
        let wrong = |text| Refusal::new(name, text);
        let plays = list.iter().map(|pair| read_play(pair, size).map_err(wrong));
        plays.collect::<Result<_, _>>().map(Some)
    }

    /// Points, a pass among them as its policy index.
    pub(super) fn points(self, name: &str, size: BoardSize) -> Result<Option<Vec<Move>>, Refusal> {
        let wanted = "a list of points such as [\"C3\", \"pass\"]";
        let Some(list) = self.read(name, wanted, Value::as_array)? else {
            return Ok(None);
        };
        let point = |value: &Value| {
            let vertex = read_vertex(value, size).map_err(|text| Refusal::new(name, text));
            Ok(vertex?.index(size))
        };
        list.iter().map(point).collect::<Result<_, _>>().map(Some)
    }

    /// A list of objects.
    pub(super) fn objects(self, name: &str) -> Result<Vec<Fields<'a>>, Refusal> {
        let object = |value: &'a Value| value.as_object().map(Fields);
        let list = self.read(name, "a list of objects", |value| {
            value.as_array()?.iter().map(object).collect()
        })?;
        Ok(list.unwrap_or_default())
    }
}

/// A value as it was sent, shortened.
pub(super) fn short(value: &Value) -> String {
    crate::gtp::short(&value.to_string())
}

fn read_color(value: &Value) -> Option<Color> {
    parse_color(value.as_str()?).ok()
}

fn read_play(pair: &Value, size: BoardSize) -> Result<Play, String> {
    let wrong = || format!("{} is no pair such as [\"B\", \"C3\"]", short(pair));
    let Some([color, vertex]) = pair.as_array().map(Vec::as_slice) else {
        return Err(wrong());
    };
    Ok(Play {
        color: read_color(color).ok_or_else(wrong)?,
        vertex: read_vertex(vertex, size)?,
    })
}

/// A point in GTP notation, or as `(COLUMN,ROW)` from 0 at the upper left corner; or `pass`.
fn read_vertex(value: &Value, size: BoardSize) -> Result<Vertex, String> {
    let wrong = || format!("{} is not a point of a board of {size}", short(value));
    let text = value.as_str().ok_or_else(wrong)?.trim();
    let numbers = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    let Some((column, row)) = numbers.and_then(|numbers| numbers.split_once(',')) else {
        return parse_vertex(text, size).map_err(|_| wrong());
    };
    match (column.trim().parse::<u8>(), row.trim().parse::<u8>()) {
        (Ok(x), Ok(y)) if x < size.width && y < size.height => {
            Ok(Vertex::Point(size.point(x, size.height - 1 - y)))
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZE: BoardSize = BoardSize::new(5, 3);

    fn object(text: &str) -> Object {
        serde_json::from_str(text).expect("an object")
    }

    #[test]
    fn fields_are_read_or_refused_by_name() {
        let sent = object(
            r#"{"n": 7, "x": 0.5, "t": true, "s": "b", "l": [1, 2], "null": null, "big": 1e300}"#,
        );
        let fields = Fields(&sent);
        assert_eq!(fields.integer("n", 1..=7), Ok(Some(7)));
        assert_eq!(fields.integer("null", 1..=7), Ok(None));
        assert_eq!(fields.number("n", 0.0..=9.0), Ok(Some(7.0)));
        assert_eq!(fields.indices("l", 2), Ok(Some(vec![1, 2])));
        assert_eq!(
            (fields.truth("t"), fields.truth("none")),
            (Ok(true), Ok(false))
        );
        assert_eq!(fields.color("s"), Ok(Some(Color::Black)));
        let refused = |found: Option<Refusal>, field: &str, part: &str| {
            let refusal = found.expect("it is wrong");
            assert_eq!(refusal.field, field);
            assert!(refusal.text.contains(part), "{refusal:?}");
        };
        refused(fields.integer("n", 1..=6).err(), "n", "from 1 to 6, not 7");
        refused(fields.integer("x", 0..=6).err(), "x", "not 0.5");
        refused(fields.integer("big", 0..=6).err(), "big", "a whole number");
        refused(fields.indices("l", 1).err(), "l", "[1,2]");
        refused(fields.truth("s").err(), "s", "true or false");
        refused(fields.text("n").err(), "n", "a string");
        refused(fields.objects("l").err(), "l", "a list of objects");
    }

    #[test]
    fn points_are_read_in_both_ways() {
        let sent = object(r#"{"p": ["A1", "e3", "(0,0)", "(4, 2)", "PASS "]}"#);
        let points = Fields(&sent).points("p", SIZE);
        assert_eq!(points, Ok(Some([0, 14, 10, 4, 15].map(Move).to_vec())));
        for wrong in [
            r#""F1""#,
            r#""(5,0)""#,
            r#""(0,0""#,
            "7",
            r#""""#,
            r#""(-1,0)""#,
        ] {
            let sent = object(&format!("{{\"p\": [{wrong}]}}"));
            let refusal = Fields(&sent).points("p", SIZE).unwrap_err();
            assert!(refusal.text.contains("5x3"), "{wrong}: {refusal:?}");
        }
    }

    #[test]
    fn plays_are_pairs() {
        let sent = object(r#"{"p": [["B", "A1"], ["white", "pass"]]}"#);
        let plays = Fields(&sent).plays("p", SIZE).unwrap().unwrap();
        assert_eq!(plays[0].vertex, Vertex::Point(Move(0)));
        assert_eq!(
            (plays[1].color, plays[1].vertex),
            (Color::White, Vertex::Pass)
        );
        for wrong in [r#"["B"]"#, r#"["X", "A1"]"#, r#""A1""#, "[1, 2]", "{}"] {
            let sent = object(&format!("{{\"p\": [{wrong}]}}"));
            assert!(Fields(&sent).plays("p", SIZE).is_err(), "{wrong}");
        }
    }
}
