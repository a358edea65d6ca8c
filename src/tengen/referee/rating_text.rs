//! A rating list as plain text and Markdown.

use std::fmt::{self, Write};

use super::rating_table::{RatingRow, RatingTable, Tally};
use super::score_board::repeats_text;

impl RatingRow {
    fn interval_text(&self) -> String {
        format!("[{:.0}, {:.0}]", self.interval.low, self.interval.high)
    }
}

impl fmt::Display for RatingTable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let head = "engine";
        let names = self.rows.iter().map(|row| row.name.chars().count());
        let width = names.max().unwrap_or(0).max(head.len());
        writeln!(
            f,
            "    {head:width$}     Elo  95% interval      games    won  drawn   lost  points   score"
        )?;
        for (place, row) in (1..).zip(&self.rows) {
            let (name, elo, games) = (&row.name, row.elo.round() + 0.0, row.games);
            let Tally { won, drawn, lost } = row.tally;
            let (interval, points) = (row.interval_text(), row.tally.points());
            writeln!(
                f,
                "{place:2}  {name:width$}  {elo:6.0}  {interval:16}  {games:5}  {won:5}  {drawn:5}  {lost:5}  \
                 {points:6.1}  {:5.1}%",
                100.0 * row.score
            )?;
        }
        if self.rows.len() > 2 {
            writeln!(
                f,
                "\nPoints of the engine in a row against that in a column, and their games:"
            )?;
            let numbers = (1..=self.rows.len()).map(|place| format!("  {place:>9}"));
            writeln!(f, "    {:width$}{}", "", numbers.collect::<String>())?;
            for (place, row) in (1..).zip(&self.rows) {
                let cells = self.cells(row).map(|cell| format!("  {cell:>9}"));
                let (name, cells) = (&row.name, cells.collect::<String>());
                writeln!(f, "{place:2}  {name:width$}{cells}")?;
            }
            writeln!(f)?;
        }
        writeln!(f, "{}", self.about_black())?;
        match repeats_text(self.repeated) {
            Some(told) => writeln!(f, "{told}"),
            None => Ok(()),
        }
    }
}

impl RatingTable {
    /// An engine's points against each engine of the list, and the number of their games: `5.5/10`.
    fn cells(&self, row: &RatingRow) -> impl Iterator<Item = String> {
        self.rows.iter().map(|other| {
            let tally = row.against.get(&other.name);
            tally.map_or("-".to_owned(), |tally| {
                format!("{}/{}", tally.points(), tally.games())
            })
        })
    }

    fn about_black(&self) -> String {
        format!("Black scored {:.1}%", 100.0 * self.black_score)
    }

    /// The list as Markdown tables.
    pub fn to_markdown(&self) -> String {
        let numbers = || 1..=self.rows.len();
        let mut text = String::from(
            "| | engine | Elo | 95% interval | games | won | drawn | lost | points | score |\n\
             |--:|---|--:|--:|--:|--:|--:|--:|--:|--:|\n",
        );
        let mut cross = format!(
            "| | engine |{}\n|--:|---|{}\n",
            numbers()
                .map(|place| format!(" {place} |"))
                .collect::<String>(),
            "--:|".repeat(self.rows.len())
        );
        for (place, row) in numbers().zip(&self.rows) {
            let (name, elo, games) = (
                row.name.replace('|', "\\|"),
                row.elo.round() + 0.0,
                row.games,
            );
            let Tally { won, drawn, lost } = row.tally;
            let (interval, points) = (row.interval_text(), row.tally.points());
            // Writing to a string does not fail.
            let _ = writeln!(
                text,
                "| {place} | {name} | {elo:.0} | {interval} | {games} | {won} | {drawn} | {lost} | {points} | {:.1}% |",
                100.0 * row.score
            );
            let cells = self.cells(row).map(|cell| format!(" {cell} |"));
            let _ = writeln!(cross, "| {place} | {name} |{}", cells.collect::<String>());
        }
        if self.rows.len() > 2 {
            let _ = write!(text, "\n{cross}");
        }
        let _ = writeln!(
            text,
            "\nAnchor: {}. {}. Intervals: profile likelihood, by pairs of games.",
            self.anchor,
            self.about_black()
        );
        if let Some(told) = repeats_text(self.repeated) {
            let _ = writeln!(text, "\n{told}.");
        }
        text
    }
}

#[cfg(test)]
mod tests {
    use crate::referee::rating_table::tests::table;

    #[test]
    fn every_form_has_every_engine() {
        let table = table();
        let text = table.to_string();
        let row =
            " 3  a            0  [0, 0]               40     10      0     30    10.0   25.0%\n";
        assert!(text.contains(row), "{text}");
        assert!(text.ends_with("Black scored 50.0%\n"), "{text}");
        let cross = " 2  b           10/40          -      30/40\n";
        assert!(text.contains(cross), "{text}");
        let markdown = table.to_markdown();
        let row = "| 3 | a | 0 | [0, 0] | 40 | 10 | 0 | 30 | 10 | 25.0% |\n";
        assert!(markdown.contains(row), "{markdown}");
        assert!(
            markdown.contains("\n| 2 | b | 10/40 | - | 30/40 |\n"),
            "{markdown}"
        );
    }
}
