//! The data of a chart.

use super::Scale;

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
    #[must_use]
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
    #[must_use]
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
