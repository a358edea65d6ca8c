//! Line charts as SVG: for a page, or as separate files.

mod axis;
mod drawing;

pub use axis::{Axis, Scale};
pub use drawing::{Chart, Point, Series, escape};

use std::fmt::Write;

use drawing::{HEIGHT, LEFT, RIGHT, WIDTH, color, drawing};

/// The legend of a file: line height, maximum names per line, and the width of a character and of
/// the space around a name.
const LEGEND_LINE: f64 = 16.0;
const LEGEND_COLUMNS: usize = 4;
const LETTER: f64 = 6.0;
const AROUND_NAME: f64 = 24.0;

impl Chart<'_> {
    /// The chart with its title, note and legend for an HTML page; empty when there is no point.
    pub fn figure(&self) -> String {
        let Some(drawing) = drawing(self) else {
            return String::new();
        };
        let title = escape(self.title);
        let mut figure = format!(
            "<figure><figcaption>{title}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" \
             role=\"img\" aria-label=\"{title}\">{drawing}</svg><p class=\"legend\">"
        );
        for (index, series) in self.drawn() {
            // Writing into a string cannot fail.
            let _ = write!(
                figure,
                "<span class=\"name\"><span style=\"color:{}\">{}</span> {}</span> ",
                color(index),
                mark(series),
                escape(&series.name)
            );
        }
        figure.push_str("</p>");
        if !self.note.is_empty() {
            let _ = write!(figure, "<p class=\"note\">{}</p>", escape(self.note));
        }
        figure.push_str("</figure>");
        figure
    }

    /// The chart with its title and legend as an SVG file; without a point only these.
    pub fn file(&self) -> String {
        let columns = self.legend_columns();
        let head = LEGEND_LINE * (1.0 + self.drawn().count().div_ceil(columns) as f64);
        let height = HEIGHT + head;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             width=\"{}\" font-family=\"sans-serif\" font-size=\"11\"><style>.grid{{stroke:#ddd}}</style>\
             <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\
             <text x=\"{LEFT}\" y=\"14\" font-weight=\"bold\">{}</text>",
            1.5 * WIDTH,
            escape(self.title)
        );
        for (place, (index, series)) in self.drawn().enumerate() {
            let column = (WIDTH - LEFT - RIGHT) / columns as f64;
            let x = LEFT + column * (place % columns) as f64;
            let y = 14.0 + LEGEND_LINE * (1 + place / columns) as f64;
            let _ = write!(
                svg,
                "<text x=\"{x:.0}\" y=\"{y:.0}\"><tspan fill=\"{}\">{}</tspan> {}</text>",
                color(index),
                mark(series),
                escape(&series.name)
            );
        }
        let drawing = drawing(self).unwrap_or_default();
        let _ = write!(
            svg,
            "<g transform=\"translate(0 {head})\">{drawing}</g></svg>"
        );
        svg
    }

    /// Number of legend columns.
    fn legend_columns(&self) -> usize {
        let names = self.drawn().map(|(_, series)| series.name.chars().count());
        let widest = LETTER * names.max().unwrap_or(0) as f64 + AROUND_NAME;
        let fitting = ((WIDTH - LEFT - RIGHT) / widest) as usize;
        fitting.clamp(1, LEGEND_COLUMNS)
    }
}

/// The mark before a series in the legend: a square, or dashes.
fn mark(series: &Series) -> &'static str {
    if series.reference {
        "&#9476;&#9476;"
    } else {
        "&#9632;"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart<'a>(title: &'a str, series: Vec<Series>) -> Chart<'a> {
        Chart {
            title,
            x_label: "x",
            series,
            ..Chart::default()
        }
    }

    #[test]
    fn points_lie_inside_and_names_are_escaped() {
        let mut series = Series::new("a<b", [(0.0, 1.0), (5.0, f64::NAN), (10.0, 3.0)]);
        series.points[0].interval = Some((f64::NEG_INFINITY, 2.0));
        let empty = Series::new("nothing", [(0.0, f64::NAN)]);
        let mut chart = chart("Title & more", vec![series, empty]);
        chart.note = "1 < 2";
        let svg = chart.figure();
        assert!(svg.contains("Title &amp; more") && svg.contains("a&lt;b") && !svg.contains("a<b"));
        assert!(svg.contains("1 &lt; 2") && !svg.contains("nothing"));
        for name in ["cx", "x1", "x2", "cy", "y1", "y2"] {
            let most = if name.ends_with('y') || name.starts_with('y') {
                HEIGHT
            } else {
                WIDTH - RIGHT
            };
            let places: Vec<&str> = svg.split(&format!("{name}=\"")).skip(1).collect();
            assert!(!places.is_empty(), "{name}");
            for place in places {
                let place: f64 = place.split('"').next().unwrap().parse().unwrap();
                assert!((0.0..=most).contains(&place), "{name} {place}");
            }
        }
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(super::Chart::default().figure(), "");
    }

    #[test]
    fn the_last_label_fits_into_the_drawing() {
        let far = Series::new("far", [(0.0, 1.0), (99_000.0, 3.0)]);
        let svg = chart("Far", vec![far]).figure();
        let labels: Vec<&str> = svg.split("text-anchor=\"middle\" x=\"").skip(1).collect();
        assert!(labels.len() > 2, "{svg}");
        for label in labels {
            let (x, rest) = label.split_once('"').unwrap();
            let text = rest.split(['>', '<']).nth(1).unwrap();
            // Characters of this size are up to seven pixels wide.
            let right = x.parse::<f64>().unwrap() + 3.5 * text.len() as f64;
            assert!(right <= WIDTH, "{text} ends at {right}");
        }
    }

    #[test]
    fn a_logarithmic_chart_shows_small_beside_large() {
        let series = [("network", 400.0), ("rave", 400_000.0)].map(|(name, visits)| {
            Series::new(name, [(0.0, visits), (1.0, 2.0 * visits), (2.0, 0.0)])
        });
        let mut chart = chart("Visits", series.to_vec());
        chart.scale = Scale::Logarithmic;
        let svg = chart.file();
        let heights = svg.split("cy=\"").skip(1);
        let heights: Vec<f64> = heights
            .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
            .collect();
        assert_eq!(heights.len(), 4, "zero has no place");
        let rises = [heights[0] - heights[1], heights[2] - heights[3]];
        assert!(
            rises[0] > 10.0 && (rises[0] - rises[1]).abs() < 0.2,
            "{rises:?}"
        );
    }

    #[test]
    fn long_names_of_a_legend_do_not_overlap() {
        let long = "NoGo, where 400 RAVE playouts are 0";
        let series = [long, "Go"].map(|name| Series::new(name, [(0.0, 1.0), (10.0, 3.0)]));
        let svg = chart("Elo", series.to_vec()).file();
        let place = |name: &str| {
            let before = svg.split(name).next().unwrap();
            let text = before.rsplit("<text x=\"").next().unwrap();
            text.split(" y=\"")
                .nth(1)
                .unwrap()
                .split('"')
                .next()
                .unwrap()
                .to_owned()
        };
        assert_ne!(place(long), place("</tspan> Go"));
    }

    #[test]
    fn a_file_stands_alone() {
        let series = ["one", "two", "three", "four", "five"]
            .map(|name| Series::new(name, [(0.0, 1.0), (10.0, 3.0)]));
        let svg = chart("Visits & more", series.to_vec()).file();
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>"));
        assert!(svg.contains("Visits &amp; more") && svg.contains(" five"));
        assert_eq!(svg.matches("<polyline").count(), 5);
        let empty = chart("Nothing", Vec::new()).file();
        assert!(empty.contains("Nothing") && !empty.contains("<polyline"));
    }
}
