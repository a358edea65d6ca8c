//! Properties of a node that are kept as text: marks on the board, and single values.

use serde::Serialize;

use super::lexer::properties;
use super::values::{points, simple_text, text};
use super::write::escape;
use crate::game::{BoardSize, Move};

/// Properties that mark points, with the names of their marks.
const MARKS: [(&str, &str); 8] = [
    ("TR", "triangle"),
    ("SQ", "square"),
    ("CR", "circle"),
    ("MA", "cross"),
    ("SL", "selected"),
    ("DD", "dim"),
    ("TB", "black"),
    ("TW", "white"),
];

/// A mark on a point, or a line or an arrow to another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Mark {
    /// `triangle`, `square`, `circle`, `cross`, `selected`, `dim`, `black`, `white`, `label`, `line` or
    /// `arrow`.
    pub kind: &'static str,
    /// The point, by its place row by row from the top.
    pub at: usize,
    /// The other end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<usize>,
    /// The text of a label; else empty.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub text: String,
}

/// The marks among these properties, given as text (`TR[aa]LB[bb:1]`). What is not on the board is left out.
#[must_use]
pub fn marks(others: &str, size: BoardSize) -> Vec<Mark> {
    let place = |point: Move| {
        let (x, y) = size.column_row(point);
        usize::from(size.height - 1 - y) * usize::from(size.width) + usize::from(x)
    };
    let mark = |kind, at, to: Option<Move>, label| Mark {
        kind,
        at: place(at),
        to: to.map(place),
        text: label,
    };
    let one = |value: &str| points("a mark", value, size).ok()?.first().copied();
    let mut marks = Vec::new();
    for property in properties(others) {
        let known = MARKS.iter().find(|(name, _)| *name == property.name);
        for value in &property.values {
            let parts = value.split_once(':');
            match (known, &*property.name, parts) {
                (Some((_, kind)), _, _) => {
                    let all = points("a mark", value, size).unwrap_or_default();
                    marks.extend(
                        all.into_iter()
                            .map(|at| mark(kind, at, None, String::new())),
                    );
                }
                (None, "LB", Some((at, label))) => {
                    marks.extend(one(at).map(|at| mark("label", at, None, simple_text(label))));
                }
                (None, "LN" | "AR", Some((from, to))) => {
                    let kind = if property.name == "LN" {
                        "line"
                    } else {
                        "arrow"
                    };
                    let ends = one(from).zip(one(to));
                    marks.extend(ends.map(|(at, to)| mark(kind, at, Some(to), String::new())));
                }
                _ => {}
            }
        }
    }
    marks
}

/// The first value of a property among these, as one line.
#[must_use]
pub fn value_of(others: &str, name: &str) -> Option<String> {
    let found = properties(others);
    let found = found.iter().find(|property| property.name == name)?;
    Some(simple_text(found.values.first()?))
}

/// Takes a property out of these; its value, with escapes resolved.
pub fn take_property(others: &mut String, name: &str) -> Option<String> {
    let found = properties(others);
    let own = found.iter().find(|property| property.name == name)?;
    let value = text(own.values.first()?);
    let mut rest = String::new();
    let others_of = found.iter().filter(|property| property.name != name);
    others_of.for_each(|property| property.append_to(&mut rest));
    *others = rest;
    Some(value)
}

/// A property as text.
#[must_use]
pub fn property(name: &str, value: &str) -> String {
    format!("{name}[{}]", escape(value))
}

/// Adds a property to these, unless there is one of this name.
pub fn add_property(others: &mut String, name: &str, value: &str) {
    if value_of(others, name).is_none() {
        others.push_str(&property(name, value));
    }
}

/// The property of Black's winrate in percent, by which Sabaki draws its graph.
pub const WINRATE: &str = "SBKV";

/// Adds Black's winrate, from 0 to 1, to the properties of a position's node, unless there is one.
pub fn add_winrate(others: &mut String, winrate: f32) {
    add_property(others, WINRATE, &format!("{:.2}", 100.0 * winrate));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_points_labels_and_arrows() {
        let size = BoardSize::square(9);
        let found = marks(
            "TR[aa]LB[ba:x\\]][zz:y]N[name]SQ[aa:bb]AR[aa:ii]MA[tt]",
            size,
        );
        let told: Vec<_> = found
            .iter()
            .map(|mark| (mark.kind, mark.at, mark.to, &*mark.text))
            .collect();
        let expected = [
            ("triangle", 0, None, ""),
            ("label", 1, None, "x]"),
            ("square", 9, None, ""),
            ("square", 10, None, ""),
            ("square", 0, None, ""),
            ("square", 1, None, ""),
            ("arrow", 0, Some(80), ""),
        ];
        assert_eq!(told, expected);
        assert_eq!(value_of("BR[9d]EV[a\nb]", "EV").as_deref(), Some("a b"));
        assert_eq!(value_of("BR[9d]", "WR"), None);
    }
}
