//! Statistics of a set of positions, ply by ply.

use std::collections::BTreeMap;

use super::line::{Ending, Truth};

/// Positions of a ply by result.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
struct Count {
    all: usize,
    won: usize,
    lost: usize,
    unknown: usize,
    /// Won, but not all moves are known.
    unfinished: usize,
}

impl Count {
    fn add(&mut self, ending: &Ending) {
        self.all += 1;
        match &ending.truth {
            Truth::Unknown { .. } => self.unknown += 1,
            Truth::Lost => self.lost += 1,
            Truth::Won { .. } => self.won += 1,
        }
        let unfinished = ending.wins().is_some() && !ending.is_settled();
        self.unfinished += usize::from(unfinished);
    }

    fn row(&self, name: &str) -> String {
        format!(
            "{name:>4} {:>10} {:>6} {:>6} {:>8} {:>17}",
            self.all, self.won, self.lost, self.unknown, self.unfinished
        )
    }
}

/// A table of results by ply.
pub(super) fn table(endings: &[Ending]) -> String {
    let mut plies: BTreeMap<usize, Count> = BTreeMap::new();
    let mut all = Count::default();
    for ending in endings {
        plies.entry(ending.ply()).or_default().add(ending);
        all.add(ending);
    }
    let head = " ply  positions    won   lost  unknown  won, moves unknown".to_owned();
    let rows = plies.iter().map(|(ply, count)| count.row(&ply.to_string()));
    let rows: Vec<String> = std::iter::once(head).chain(rows).collect();
    format!("{}\n{}", rows.join("\n"), all.row("all"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_counts_each_position_once() {
        let lines = ["x2 w 0 ?", "xx1 w 5 -", "1x1 b 7 + A1 ? C1", "x1o b 9 + B1"];
        let endings = lines.map(|line| Ending::from_line(line).expect("it is a line"));
        let table = table(&endings);
        let rows: Vec<Vec<&str>> = table
            .lines()
            .skip(1)
            .map(|row| row.split_whitespace().collect())
            .collect();
        assert_eq!(rows[0], ["1", "2", "1", "0", "1", "1"]);
        assert_eq!(rows[1], ["2", "2", "1", "1", "0", "0"]);
        assert_eq!(rows[2], ["all", "4", "2", "1", "1", "1"]);
    }
}
