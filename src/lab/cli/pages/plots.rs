//! The plots of the pages.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use tengen::chart::{Chart, Point, Scale, Series};

use super::records::{Plot, PlotSeries, Records};

/// All plots: file name and content.
pub(super) fn files(records: &Records) -> Result<Vec<(String, String)>> {
    let mut files = vec![("speed.svg".to_owned(), speed(records).file())];
    for plot in &records.chart {
        let drawn = drawn(plot, records).with_context(|| format!("chart `{}`", plot.id))?;
        files.push((format!("{}.svg", plot.id), drawn.file()));
    }
    Ok(files)
}

fn drawn<'a>(plot: &'a Plot, records: &Records) -> Result<Chart<'a>> {
    let series = plot.series.iter().map(|series| line(series, records));
    Ok(Chart {
        title: &plot.title,
        note: "",
        x_label: &plot.x_label,
        scale: Scale::default(),
        series: series.collect::<Result<_>>()?,
    })
}

fn line(series: &PlotSeries, records: &Records) -> Result<Series> {
    let mut line = Series::new(&series.name, []);
    for point in &series.points {
        line.points.push(match point[..] {
            [x, y] => Point {
                x,
                y,
                interval: None,
            },
            [x, y, low, high] => Point {
                x,
                y,
                interval: Some((low, high)),
            },
            _ => anyhow::bail!(
                "a point of `{}` has {} numbers, not 2 or 4",
                series.name,
                point.len()
            ),
        });
    }
    let mut rating = 0.0;
    for id in &series.chain {
        let record = records.find(id)?;
        let elo = record
            .elo
            .with_context(|| format!("match `{id}` has no elo"))?;
        let day =
            day(&record.date).with_context(|| format!("match `{id}`: date {}", record.date))?;
        let ends = record
            .elo_interval
            .map(|[low, high]| (rating + low, rating + high));
        rating += elo;
        line.points.push(Point {
            x: day,
            y: rating,
            interval: ends,
        });
    }
    Ok(line)
}

/// Days since 2026-11-01.
fn day(date: &str) -> Option<f64> {
    let (year_month, day) = date.rsplit_once('-')?;
    let (year, month) = year_month.split_once('-')?;
    let months = 12 * (year.parse::<i32>().ok()? - 2026) + month.parse::<i32>().ok()? - 11;
    // Months of 30.4 days are accurate enough for a plot.
    Some(f64::from(months) * 30.4 + day.parse::<f64>().ok()?)
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

#[cfg(test)]
mod tests {
    use super::day;

    #[test]
    fn days_grow_with_dates() {
        assert_eq!(day("2026-11-25"), Some(25.0));
        assert!(day("2026-12-01") > day("2026-11-30"));
        assert!(day("2027-01-01") > day("2026-12-31"));
        assert_eq!(day("yesterday"), None);
    }
}
