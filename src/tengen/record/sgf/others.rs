//! Properties of a node that are kept as text: marks on the board, single values.

use std::collections::HashSet;

use serde::Serialize;

use super::lexer::properties;
use super::values::{Points, column_row, coordinates, escape, simple_text, text};
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

/// The marks among these properties, given as text (`TR[aa]LB[bb:1]`): of each kind one on a point, and one line or arrow
/// from there to another. What is not on the board is left out.
pub fn marks(properties_text: &str, size: BoardSize) -> Vec<Mark> {
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
    let one = |value: &str| {
        let (x, y) = column_row("a mark", value, size).ok()?;
        Some(size.point(x, y))
    };
    let mut covered = MARKS.map(|(name, kind)| (name, kind, Points::new(size)));
    let (mut others, mut known) = (Vec::new(), HashSet::new());
    for property in properties(properties_text) {
        let of_kind = covered.iter_mut();
        let mut of_kind = of_kind.filter(|(name, ..)| *name == property.name);
        if let Some((.., points)) = of_kind.next() {
            for value in &property.values {
                // What is not on the board.
                let _ = points.add("a mark", value);
            }
            continue;
        }
        let kind = match &*property.name {
            "LB" => "label",
            "LN" => "line",
            "AR" => "arrow",
            _ => continue,
        };
        let parts = property
            .values
            .iter()
            .filter_map(|value| value.split_once(':'));
        for (from, rest) in parts {
            let (to, label) = match kind {
                "label" => (None, simple_text(rest)),
                _ => (one(rest), String::new()),
            };
            let found = one(from).filter(|_| kind == "label" || to.is_some());
            let new = found.filter(|&at| known.insert((kind, at, to)));
            others.extend(new.map(|at| mark(kind, at, to, label)));
        }
    }
    let kinds = covered.iter();
    let points = kinds.flat_map(|(_, kind, points)| points.iter().map(move |at| (*kind, at)));
    let points = points.map(|(kind, at)| mark(kind, at, None, String::new()));
    points.chain(others).collect()
}

/// Properties of marks that people put on points, at most one on each.
const PUT: [&str; 5] = ["TR", "SQ", "CR", "MA", "LB"];

/// The properties with a mark of a kind on a point, in place of another one there, or without it if it was there; a label
/// has this text. `None` if there is no such kind, or no such point in SGF.
pub fn with_mark(
    others: &str,
    kind: &str,
    point: Move,
    label: &str,
    size: BoardSize,
) -> Option<String> {
    let known = MARKS.iter().find(|(_, own)| *own == kind);
    let name = known.map_or("LB", |(name, _)| *name);
    if !PUT.contains(&name) || (name == "LB" && (kind != "label" || label.is_empty())) {
        return None;
    }
    let own = coordinates(point, size)?;
    let value = match name {
        // Behind the colon that joins them, another one is escaped.
        "LB" => format!("{own}:{}", escape(label).replace(':', "\\:")),
        _ => own,
    };
    let (mut out, mut is_there, mut values) = (String::new(), false, Vec::<String>::new());
    for property in properties(others) {
        if !PUT.contains(&&*property.name) {
            property.append_to(&mut out);
            continue;
        }
        let mut kept: Vec<String> = Vec::new();
        for text in &property.values {
            let is_label = property.name == "LB";
            let place = text.split_once(':').filter(|_| is_label);
            let place = place.map_or(*text, |(place, _)| place);
            let mut covered = Points::new(size);
            // What is not on the board covers nothing.
            let _ = covered.add("a mark", place);
            let mut covered: Vec<Move> = covered.iter().collect();
            if !covered.contains(&point) {
                kept.push((*text).to_owned());
                continue;
            }
            is_there |= property.name == name;
            covered.retain(|&at| at != point && !is_label);
            kept.extend(covered.into_iter().filter_map(|at| coordinates(at, size)));
        }
        if property.name == name {
            // Some files have the property twice.
            values.extend(kept);
        } else if !kept.is_empty() {
            out.extend([&*property.name, "[", &kept.join("]["), "]"]);
        }
    }
    values.extend((!is_there).then_some(value));
    if !values.is_empty() {
        out.extend([name, "[", &values.join("]["), "]"]);
    }
    Some(out)
}

/// The first value of a property among these, as one line.
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
            ("square", 9, None, ""),
            ("square", 10, None, ""),
            ("square", 0, None, ""),
            ("square", 1, None, ""),
            ("label", 1, None, "x]"),
            ("arrow", 0, Some(80), ""),
        ];
        assert_eq!(told, expected);
        assert_eq!(value_of("BR[9d]EV[a\nb]", "EV").as_deref(), Some("a b"));
        assert_eq!(value_of("BR[9d]", "WR"), None);
    }

    #[test]
    fn a_point_has_one_mark_of_a_kind() {
        let size = BoardSize::square(9);
        let again = "TR[aa:ii]LB[aa:1][aa:2]AR[aa:bb][aa:cc][aa:bb]".repeat(1000);
        let found = marks(&again, size);
        assert_eq!(found.len(), size.area() + 1 + 2);
        let labels = found.iter().filter(|mark| mark.kind == "label");
        assert_eq!(labels.map(|mark| &*mark.text).collect::<Vec<_>>(), ["1"]);
    }

    #[test]
    fn a_mark_is_put_replaced_and_taken_away() {
        let size = BoardSize::square(9);
        let corner = size.point(0, 8);
        let mark = |others: &str, kind, label| with_mark(others, kind, corner, label, size);
        let told = |others: &str, kind, label| mark(others, kind, label).expect("a mark");
        let one = told("N[x]", "triangle", "");
        assert_eq!(one, "N[x]TR[aa]");
        assert_eq!(told(&one, "triangle", ""), "N[x]");
        assert_eq!(told(&one, "label", "A]"), "N[x]LB[aa:A\\]]");
        assert_eq!(told("LB[bb:A]", "label", "B"), "LB[bb:A][aa:B]");
        let colon = told("", "label", "a:\\b");
        assert_eq!(colon, "LB[aa:a\\:\\\\b]");
        assert_eq!(marks(&colon, size)[0].text, "a:\\b");
        let twice = "LB[bb:A]LB[cc:B]";
        assert_eq!(told(twice, "label", "C"), "LB[bb:A][cc:B][aa:C]");
        // A rectangle keeps the rest of it.
        assert_eq!(told("SQ[aa:ba]TB[aa]", "circle", ""), "SQ[ba]TB[aa]CR[aa]");
        assert_eq!((mark("", "black", ""), mark("", "label", "")), (None, None));
    }
}
