//! Line charts as SVG: for a page, or as a file of their own.

use std::fmt::Write;

/// Size of a chart and its margins, in pixels.
const WIDTH: f64 = 460.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 36.0;
/// The legend of a file: height of a line, and names in a line.
const LEGEND_LINE: f64 = 16.0;
const LEGEND_COLUMNS: usize = 4;

/// Colours of the series, in order; told apart also by people who do not see all colours
/// (Okabe and Ito).
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// A point, with an interval where there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Place along the horizontal axis.
    pub x: f64,
    /// Height.
    pub y: f64,
    /// Lower and upper end of the interval.
    pub interval: Option<(f64, f64)>,
}

/// Points that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// As the legend says it.
    pub name: String,
    /// In the order in which they are joined.
    pub points: Vec<Point>,
    /// Drawn as a thin dashed line without dots: something to compare with.
    pub reference: bool,
}

impl Series {
    /// A series of plain points; what is not finite is left out.
    #[must_use]
    pub fn new(name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Series {
        let finite = points
            .into_iter()
            .filter(|(x, y)| x.is_finite() && y.is_finite());
        let point = |(x, y)| Point {
            x,
            y,
            interval: None,
        };
        Series {
            name: name.to_owned(),
            points: finite.map(point).collect(),
            reference: false,
        }
    }
}

/// A chart with its title and legend for an HTML page; empty when there is no point.
#[must_use]
pub fn chart(title: &str, x_label: &str, series: &[Series]) -> String {
    let Some(drawing) = drawing(x_label, series) else {
        return String::new();
    };
    let mut figure = format!(
        "<figure><figcaption>{}</figcaption><svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">\
         {drawing}</svg><p class=\"legend\">",
        escape(title)
    );
    for (index, series) in series.iter().enumerate() {
        let color = color(index);
        let name = escape(&series.name);
        // Writing into a string cannot fail.
        let _ = write!(
            figure,
            "<span style=\"color:{color}\">&#9632;</span> {name} "
        );
    }
    figure.push_str("</p></figure>");
    figure
}

/// A chart with its title and legend as an SVG file; without a point only these.
#[must_use]
pub fn chart_file(title: &str, x_label: &str, series: &[Series]) -> String {
    let head = LEGEND_LINE * (1.0 + series.len().div_ceil(LEGEND_COLUMNS) as f64);
    let height = HEIGHT + head;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
         width=\"{}\" font-family=\"sans-serif\" font-size=\"11\"><style>.grid{{stroke:#ddd}}</style>\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\
         <text x=\"{LEFT}\" y=\"14\" font-weight=\"bold\">{}</text>",
        1.5 * WIDTH,
        escape(title)
    );
    for (index, series) in series.iter().enumerate() {
        let color = color(index);
        let column = (WIDTH - LEFT - RIGHT) / LEGEND_COLUMNS as f64;
        let x = LEFT + column * (index % LEGEND_COLUMNS) as f64;
        let y = 14.0 + LEGEND_LINE * (1 + index / LEGEND_COLUMNS) as f64;
        let _ = write!(
            svg,
            "<text x=\"{x:.0}\" y=\"{y:.0}\"><tspan fill=\"{color}\">&#9632;</tspan> {}</text>",
            escape(&series.name)
        );
    }
    let drawing = drawing(x_label, series).unwrap_or_default();
    let _ = write!(
        svg,
        "<g transform=\"translate(0 {head})\">{drawing}</g></svg>"
    );
    svg
}

/// Axes, grid and lines; nothing when there is no point.
fn drawing(x_label: &str, series: &[Series]) -> Option<String> {
    let points = || series.iter().flat_map(|series| &series.points);
    points().next()?;
    let x_axis = Axis::around(points().map(|p| p.x));
    let y_axis = Axis::around(points().flat_map(|p| {
        let (low, high) = p.interval.unwrap_or((p.y, p.y));
        [p.y, low, high]
    }));
    let x = |value: f64| LEFT + x_axis.share(value) * (WIDTH - LEFT - RIGHT);
    let y = |value: f64| HEIGHT - BOTTOM - y_axis.share(value) * (HEIGHT - TOP - BOTTOM);
    let mut svg = String::new();
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for tick in y_axis.ticks() {
        let at = y(tick);
        line(&mut svg, "grid", (LEFT, at), (right, at));
        text(&mut svg, "end", (LEFT - 5.0, at + 4.0), &y_axis.label(tick));
    }
    for tick in x_axis.ticks() {
        let at = x(tick);
        line(&mut svg, "grid", (at, TOP), (at, bottom));
        text(&mut svg, "middle", (at, bottom + 15.0), &x_axis.label(tick));
    }
    let middle = f64::midpoint(LEFT, right);
    text(&mut svg, "middle", (middle, HEIGHT - 5.0), x_label);
    for (index, series) in series.iter().enumerate() {
        let color = color(index);
        let place = |p: &Point| format!("{:.1},{:.1}", x(p.x), y(p.y));
        let path: Vec<String> = series.points.iter().map(place).collect();
        let dash = if series.reference {
            " stroke-dasharray=\"4 3\" stroke-width=\"1\""
        } else {
            " stroke-width=\"2\""
        };
        // Writing into a string cannot fail.
        let _ = write!(
            svg,
            "<polyline fill=\"none\" stroke=\"{color}\"{dash} points=\"{}\"/>",
            path.join(" ")
        );
        for p in series.points.iter().filter(|_| !series.reference) {
            let (at_x, at_y) = (x(p.x), y(p.y));
            if let Some((low, high)) = p.interval {
                let (low, high) = (y(low), y(high));
                let _ = write!(
                    svg,
                    "<line stroke=\"{color}\" x1=\"{at_x:.1}\" x2=\"{at_x:.1}\" y1=\"{low:.1}\" y2=\"{high:.1}\"/>"
                );
            }
            let _ = write!(
                svg,
                "<circle fill=\"{color}\" cx=\"{at_x:.1}\" cy=\"{at_y:.1}\" r=\"2.5\"><title>{}: {} at {}</title></circle>",
                escape(&series.name),
                y_axis.label(p.y),
                x_axis.label(p.x)
            );
        }
    }
    Some(svg)
}

/// The colour of a series.
fn color(index: usize) -> &'static str {
    COLORS[index % COLORS.len()]
}

fn line(svg: &mut String, class: &str, from: (f64, f64), to: (f64, f64)) {
    let ((x1, y1), (x2, y2)) = (from, to);
    let _ = write!(
        svg,
        "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
    );
}

fn text(svg: &mut String, anchor: &str, (x, y): (f64, f64), content: &str) {
    let content = escape(content);
    let _ = write!(
        svg,
        "<text text-anchor=\"{anchor}\" x=\"{x:.1}\" y=\"{y:.1}\">{content}</text>"
    );
}

/// Text as HTML shows it.
#[must_use]
pub fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// A range of numbers with round ticks.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    low: f64,
    high: f64,
    step: f64,
}

impl Axis {
    /// The axis that shows all values, its ends on ticks.
    #[must_use]
    pub fn around(values: impl Iterator<Item = f64>) -> Axis {
        let finite = values.filter(|value| value.is_finite());
        let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
            (low.min(value), high.max(value))
        });
        let span = if high > low {
            high - low
        } else {
            high.abs().max(1.0)
        };
        let rough = span / 4.0;
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .map(|factor| factor * power)
            .into_iter()
            .find(|step| *step >= rough)
            .unwrap_or(10.0 * power);
        let low = (low / step).floor() * step;
        Axis {
            low,
            high: ((high / step).ceil() * step).max(low + step),
            step,
        }
    }

    /// Where a value lies, 0 at the low end and 1 at the high end.
    #[must_use]
    pub fn share(&self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// The round values at which the grid is drawn, the ends included.
    pub fn ticks(&self) -> impl Iterator<Item = f64> {
        let count = ((self.high - self.low) / self.step).round() as usize;
        let (low, step) = (self.low, self.step);
        (0..=count).map(move |tick| low + tick as f64 * step)
    }

    /// A value with as many digits as the ticks need.
    fn label(&self, value: f64) -> String {
        let digits = (1.0 - self.step.log10()).ceil().clamp(0.0, 4.0) as usize;
        let digits = if self.step >= 1.0 && self.step.fract() == 0.0 {
            0
        } else {
            digits
        };
        format!("{value:.digits$}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn ticks(values: &[f64], expected: &[f64]) {
        let axis = Axis::around(values.iter().copied());
        let found: Vec<f64> = axis.ticks().collect();
        assert_eq!(found.len(), expected.len(), "{found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() < 1e-9, "{found} {expected}");
        }
    }

    #[test]
    fn ticks_are_round_and_enclose_the_values() {
        ticks(&[0.0, 100.0], &[0.0, 25.0, 50.0, 75.0, 100.0]);
        ticks(&[-30.0, 410.0], &[-200.0, 0.0, 200.0, 400.0, 600.0]);
        ticks(&[0.47, 0.52], &[0.46, 0.48, 0.5, 0.52]);
        ticks(&[0.0], &[0.0, 0.25]);
    }

    #[test]
    fn points_lie_inside_and_names_are_escaped() {
        let mut series = Series::new("a<b", [(0.0, 1.0), (10.0, 3.0), (5.0, f64::NAN)]);
        assert_eq!(series.points.len(), 2);
        series.points[0].interval = Some((0.0, 2.0));
        let svg = chart("Title & more", "x", &[series]);
        assert!(svg.contains("Title &amp; more") && svg.contains("a&lt;b") && !svg.contains("a<b"));
        for circle in svg.split("cx=\"").skip(1) {
            let x: f64 = circle.split('"').next().unwrap().parse().unwrap();
            assert!((LEFT..=WIDTH - RIGHT).contains(&x), "{x}");
        }
        assert_eq!(svg.matches("<circle").count(), 2);
        assert_eq!(chart("Empty", "x", &[Series::default()]), "");
    }

    #[test]
    fn a_file_stands_alone() {
        let series = ["one", "two", "three", "four", "five"]
            .map(|name| Series::new(name, [(0.0, 1.0), (10.0, 3.0)]));
        let svg = chart_file("Visits & more", "ply", &series);
        assert!(svg.starts_with("<svg xmlns=") && svg.ends_with("</svg>"));
        assert!(
            svg.contains("Visits &amp; more") && svg.contains(">five") || svg.contains(" five")
        );
        assert_eq!(svg.matches("<polyline").count(), 5);
        let empty = chart_file("Nothing", "ply", &[]);
        assert!(empty.contains("Nothing") && !empty.contains("<polyline"));
    }
}
