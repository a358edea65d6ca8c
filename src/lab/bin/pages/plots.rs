//! The plots of the pages.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use tengen::chart::{Chart, Point, Scale, Series};

use super::records::{Plot, PlotSeries, Records};

/// All plots: file name and content.
pub(super) fn files(records: &Records) -> Result<Vec<(String, String)>> {
    let mut files = vec![("speed.svg".to_owned(), speed(records).file())];
    for plot in &records.chart {
        let drawn = drawn(plot).with_context(|| format!("chart `{}`", plot.id))?;
        files.push((format!("{}.svg", plot.id), drawn.file()));
    }
    Ok(files)
}

fn drawn(plot: &Plot) -> Result<Chart<'_>> {
    Ok(Chart {
        title: &plot.title,
        note: "",
        x_label: &plot.x_label,
        scale: Scale::default(),
        series: plot.series.iter().map(line).collect::<Result<_>>()?,
    })
}

fn line(series: &PlotSeries) -> Result<Series> {
    let mut line = Series::new(&series.name, []);
    for point in &series.points {
        let (x, y, interval) = match point[..] {
            [x, y] => (x, y, None),
            [x, y, low, high] => (x, y, Some((low, high))),
            _ => anyhow::bail!(
                "a point of `{}` has {} numbers, not 2 or 4",
                series.name,
                point.len()
            ),
        };
        line.points.push(Point { x, y, interval });
    }
    Ok(line)
}

/// Speed by the number of channels, one thread, 9x9 boards: a line for each processor, backend and
/// precision.
fn speed(records: &Records) -> Chart<'static> {
    let mut lines: BTreeMap<String, Vec<(f64, f64)>> = BTreeMap::new();
    let measured = records
        .speeds
        .iter()
        .filter(|speed| speed.threads == 1 && speed.board == "9x9");
    for speed in measured {
        let name = format!("{} {}", speed.backend, speed.precision);
        lines
            .entry(name)
            .or_default()
            .push((f64::from(speed.channels), speed.per_second));
    }
    Chart {
        title: "Evaluations a second on one thread, 9x9, batch 1",
        note: "",
        x_label: "channels of the network",
        scale: Scale::Logarithmic,
        series: lines
            .into_iter()
            .map(|(name, points)| Series::new(&name, points))
            .collect(),
    }
}
