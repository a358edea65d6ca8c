//! What a chart shows.

use super::Scale;

/// A point, with an interval where there is one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Place along the horizontal axis.
    pub x: f64,
    /// Height.
    pub y: f64,
    /// Lower and upper end of the interval; an infinite one is drawn up to the border.
    pub interval: Option<(f64, f64)>,
}

/// Points that belong together.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Series {
    /// As the legend says it.
    pub name: String,
    /// In the order in which they are joined; those that are not finite are left out.
    pub points: Vec<Point>,
    /// Drawn as a thin dashed line without dots: something to compare with.
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

    /// A line from one point to another, to compare with.
    #[must_use]
    pub fn reference(name: &str, from: (f64, f64), to: (f64, f64)) -> Series {
        Series {
            reference: true,
            ..Series::new(name, [from, to])
        }
    }
}

/// A chart.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Chart<'a> {
    /// What it shows.
    pub title: &'a str,
    /// A sentence on how to read it; may be empty. Only pages show it.
    pub note: &'a str,
    /// What the horizontal axis counts.
    pub x_label: &'a str,
    /// The vertical axis.
    pub scale: Scale,
    /// The lines.
    pub series: Vec<Series>,
}

impl Chart<'_> {
    /// The points of a series that have a place in this chart.
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
