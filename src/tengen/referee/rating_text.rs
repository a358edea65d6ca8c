//! A rating list as plain text, Markdown and an SVG plot.

use std::fmt::{self, Write};

use super::rating_table::{RatingRow, RatingTable, Tally};
use super::score_board::repeats_text;
use crate::chart::{Axis, Scale, escape};
use crate::stats::Interval;

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

    /// The list as an SVG plot: a point and its interval for every engine.
    pub fn to_svg(&self) -> String {
        let axis = axis(&self.rows);
        let height = TOP + ROW * self.rows.len() as f64 + BOTTOM;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}\" height=\"{height}\" \
             font-family=\"sans-serif\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" \
             fill=\"white\"/>\n"
        );
        for tick in axis.ticks() {
            let (x, foot) = (x(&axis, tick), height - BOTTOM);
            let _ = writeln!(
                svg,
                "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{foot}\" stroke=\"#ddd\"/>\
                 <text x=\"{x:.1}\" y=\"{:.0}\" text-anchor=\"middle\">{tick:.0}</text>",
                foot + 18.0
            );
        }
        for (index, row) in self.rows.iter().enumerate() {
            svg.push_str(&row_svg(row, &axis, TOP + ROW * (index as f64 + 0.5)));
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">Elo (anchor: {}), 95% intervals</text>\n</svg>",
            f64::midpoint(LEFT, WIDTH),
            height - 8.0,
            escape(&self.anchor)
        );
        svg
    }
}

/// One engine's name, interval and point at this height. An infinite end has no stroke: the line
/// continues to the border.
fn row_svg(row: &RatingRow, axis: &Axis, y: f64) -> String {
    let Interval { low, high } = row.interval;
    let (top, foot) = (y - 4.0, y + 4.0);
    let ends = [low, high].into_iter().filter(|end| end.is_finite());
    let strokes = ends.map(|end| format!("M{:.1} {top}V{foot}", x(axis, end)));
    format!(
        "<text x=\"{:.0}\" y=\"{foot}\" text-anchor=\"end\">{}</text><path d=\"M{:.1} {y}H{:.1}{}\" \
         stroke=\"#246\" fill=\"none\"/><circle cx=\"{:.1}\" cy=\"{y}\" r=\"4\" fill=\"#246\"/>\n",
        LEFT - 10.0,
        escape(&row.name),
        x(axis, low),
        x(axis, high),
        strokes.collect::<String>(),
        x(axis, row.elo),
    )
}

/// Measures of the picture in pixels.
const WIDTH: f64 = 720.0;
const LEFT: f64 = 180.0;
const RIGHT: f64 = 30.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 48.0;
const ROW: f64 = 28.0;

/// The Elo scale of the plot, which contains every interval.
fn axis(rows: &[RatingRow]) -> Axis {
    let values = |row: &RatingRow| [row.interval.low, row.elo, row.interval.high];
    Axis::of(Scale::Linear, rows.iter().flat_map(values))
}

/// Position of a rating in the plot, clamped to the border.
fn x(axis: &Axis, elo: f64) -> f64 {
    LEFT + axis.share(elo).clamp(0.0, 1.0) * (WIDTH - LEFT - RIGHT)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::referee::rating_table::tests::table;

    #[test]
    fn every_form_has_every_engine() {
        let mut table = table();
        let text = table.to_string();
        let row =
            " 3  a         1000  [1000, 1000]         40     10      0     30    10.0   25.0%\n";
        assert!(text.contains(row), "{text}");
        assert!(text.ends_with("Black scored 50.0%\n"), "{text}");
        let cross = " 2  b           10/40          -      30/40\n";
        assert!(text.contains(cross), "{text}");
        let markdown = table.to_markdown();
        let row = "| 3 | a | 1000 | [1000, 1000] | 40 | 10 | 0 | 30 | 10 | 25.0% |\n";
        assert!(markdown.contains(row), "{markdown}");
        assert!(
            markdown.contains("\n| 2 | b | 10/40 | - | 30/40 |\n"),
            "{markdown}"
        );
        table.rows[0].name = "c<d".to_owned();
        let svg = table.to_svg();
        assert_eq!(svg.matches("<circle").count(), 3);
        // The first row's interval has an end stroke of eight pixels on both sides.
        assert_eq!(svg.matches(" 26V34").count(), 2, "{svg}");
        assert!(svg.contains("c&lt;d") && svg.ends_with("</svg>\n"), "{svg}");
        table.rows[0].interval.high = f64::INFINITY;
        let svg = table.to_svg();
        assert_eq!(svg.matches(" 26V34").count(), 1, "{svg}");
        assert!(svg.contains("H690.0M"), "{svg}");
    }

    #[test]
    fn the_axis_has_round_ends_around_everything() {
        let axis = axis(&table().rows);
        let ticks: Vec<f64> = axis.ticks().collect();
        assert!(
            ticks.len() <= 10 && ticks.iter().all(|tick| tick % 10.0 == 0.0),
            "{ticks:?}"
        );
        let last = *ticks.last().expect("an end");
        assert!(x(&axis, 1000.0) >= LEFT && x(&axis, last) <= WIDTH - RIGHT + 0.01);
    }
}
