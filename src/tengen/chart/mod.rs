//! Line charts as SVG: for a page, or as separate files.

mod axis;

use axis::Axis;
pub use axis::Scale;

use std::fmt::Write;

/// A point with an optional interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Horizontal position, in the unit of the axis.
    pub x: f64,
    /// Vertical position, in the unit of the axis.
    pub y: f64,
    /// Lower and upper end of the interval; an infinite end is drawn to the border.
    pub interval: Option<(f64, f64)>,
}

/// A series of points.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// The points in drawing order; those that are not finite are left out.
    pub points: Vec<Point>,
    /// Drawn as a thin dashed line without dots, for comparison.
    pub reference: bool,
}

impl Series {
    /// A series of plain points.
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        let point = |(x, y)| Point {
            x,
            y,
            interval: None,
        };
        Series {
            name: name.to_owned(),
            points: points.into_iter().map(point).collect(),
            reference: false,
        }
    }

    /// A reference line from one point to another.
    pub fn reference(name: &str, from: (f64, f64), to: (f64, f64)) -> Series {
        Series {
            reference: true,
            ..Series::new(name, [from, to])
        }
    }
}

/// A line chart as data.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart<'a> {
    /// Title of the chart.
    pub title: &'a str,
    /// A sentence on how to read it; may be empty. Shown only on pages.
    pub note: &'a str,
    /// Label of the horizontal axis.
    pub x_label: &'a str,
    /// The vertical axis: its label and its marks.
    pub scale: Scale,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
}

/// Size of a drawing and its margins, in pixels; a label of five characters fits around the last
/// tick.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 22.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 36.0;

/// Colours of the series, in order; distinguishable also with colour blindness (Okabe and Ito).
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// The colour of a series.
fn color(index: usize) -> &'static str {
    COLORS[index % COLORS.len()]
}

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

    /// The points of a series that have a position in this chart.
    fn placed<'s>(&self, series: &'s Series) -> impl Iterator<Item = Point> + use<'s> {
        let scale = self.scale;
        let points = series.points.iter().copied();
        points.filter(move |point| point.x.is_finite() && scale.has(point.y))
    }

    /// The series that have such points, with the numbers of their colours.
    fn drawn(&self) -> impl Iterator<Item = (usize, &Series)> {
        let series = self.series.iter().enumerate();
        series.filter(|(_, series)| self.placed(series).next().is_some())
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

/// Axes, grid and lines; `None` when no point has a position.
fn drawing(chart: &Chart<'_>) -> Option<String> {
    let points = || chart.series.iter().flat_map(|series| chart.placed(series));
    points().next()?;
    let plot = Plot {
        x_axis: Axis::of(Scale::Linear, points().map(|point| point.x)),
        y_axis: Axis::of(
            chart.scale,
            points().flat_map(|point| {
                let (low, high) = point.interval.unwrap_or((point.y, point.y));
                [point.y, low, high]
            }),
        ),
    };
    let mut svg = plot.grid(chart.x_label);
    for (index, series) in chart.series.iter().enumerate() {
        let points: Vec<Point> = chart.placed(series).collect();
        plot.line(&mut svg, &points, series.reference, color(index));
        if !series.reference {
            plot.dots(&mut svg, &points, series, color(index));
        }
    }
    Some(svg)
}

/// Two axes in the drawing's pixels.
struct Plot {
    x_axis: Axis,
    y_axis: Axis,
}

impl Plot {
    fn x(&self, value: f64) -> f64 {
        LEFT + self.x_axis.share(value) * (WIDTH - LEFT - RIGHT)
    }

    /// The height of a value; clamped to the border, for example for an infinite end.
    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y_axis.share(value).clamp(0.0, 1.0) * (HEIGHT - TOP - BOTTOM)
    }

    fn grid(&self, x_label: &str) -> String {
        let mut svg = String::new();
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
        for tick in self.y_axis.ticks() {
            let at = self.y(tick);
            line(&mut svg, (LEFT, at), (right, at));
            let label = self.y_axis.tick_label(tick);
            text(&mut svg, "end", (LEFT - 5.0, at + 4.0), &label);
        }
        for tick in self.x_axis.ticks() {
            let at = self.x(tick);
            line(&mut svg, (at, TOP), (at, bottom));
            let label = self.x_axis.tick_label(tick);
            text(&mut svg, "middle", (at, bottom + 15.0), &label);
        }
        let middle = f64::midpoint(LEFT, right);
        text(&mut svg, "middle", (middle, HEIGHT - 5.0), x_label);
        svg
    }

    fn line(&self, svg: &mut String, points: &[Point], reference: bool, color: &str) {
        let place = |point: &Point| format!("{:.1},{:.1}", self.x(point.x), self.y(point.y));
        let path: Vec<String> = points.iter().map(place).collect();
        let stroke = if reference {
            "stroke-dasharray=\"4 3\" stroke-width=\"1\""
        } else {
            "stroke-width=\"2\""
        };
        // Writing into a string cannot fail.
        let _ = write!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\" {stroke} points=\"{}\"/>",
            path.join(" ")
        );
    }

    fn dots(&self, svg: &mut String, points: &[Point], series: &Series, color: &str) {
        for point in points {
            let (x, y) = (self.x(point.x), self.y(point.y));
            if let Some((low, high)) = point.interval {
                let (low, high) = (self.y(low), self.y(high));
                let _ = write!(
                    svg,
                    "<line stroke=\"{color}\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\"/>"
                );
            }
            let _ = write!(
                svg,
                "<circle fill=\"{color}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.5\"><title>{}: {} at {}</title></circle>",
                escape(&series.name),
                self.y_axis.label(point.y),
                self.x_axis.label(point.x)
            );
        }
    }
}

/// A line of the grid.
fn line(svg: &mut String, (x1, y1): (f64, f64), (x2, y2): (f64, f64)) {
    let _ = write!(
        svg,
        "<line class=\"grid\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(svg: &mut String, anchor: &str, (x, y): (f64, f64), content: &str) {
    let content = escape(content);
    let _ = write!(
        svg,
        "<text text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{content}</text>"
    );
}

/// Escapes text for HTML.
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
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
