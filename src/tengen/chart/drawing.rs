//! The data of a chart, and its drawing: grid, labels, lines and points.

use std::fmt::Write;

use super::axis::{Axis, Scale};

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

impl Chart<'_> {
    /// The points of a series that have a position in this chart.
    pub(super) fn placed<'s>(&self, series: &'s Series) -> impl Iterator<Item = Point> + use<'s> {
        let scale = self.scale;
        let points = series.points.iter().copied();
        points.filter(move |point| point.x.is_finite() && scale.has(point.y))
    }

    /// The series that have such points, with the numbers of their colours.
    pub(super) fn drawn(&self) -> impl Iterator<Item = (usize, &Series)> {
        let series = self.series.iter().enumerate();
        series.filter(|(_, series)| self.placed(series).next().is_some())
    }
}

/// Size of a drawing and its margins, in pixels; a label of five characters fits around the last
/// tick.
pub(super) const WIDTH: f64 = 460.0;
pub(super) const HEIGHT: f64 = 240.0;
pub(super) const LEFT: f64 = 52.0;
pub(super) const RIGHT: f64 = 22.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 36.0;

/// Colours of the series, in order; distinguishable also with colour blindness (Okabe and Ito).
const COLORS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];

/// The colour of a series.
pub(super) fn color(index: usize) -> &'static str {
    COLORS[index % COLORS.len()]
}

/// Axes, grid and lines; `None` when no point has a position.
pub(super) fn drawing(chart: &Chart<'_>) -> Option<String> {
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
