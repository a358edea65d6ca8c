//! The charts of the page. Missing measurements are left out: a speed or an entropy of 0 means that
//! nothing was played, fitted or measured.

use std::f64::consts::LN_2;

use super::ReportData;
use crate::cycle::{Generation, rating_of};
use crate::fit::held_out::HeldOutLosses;
use tengen::chart::{Chart, Point, Scale, Series};

/// Number of generations in the calibration chart.
const CALIBRATED: usize = 3;

/// All charts, in the page's order; those without a point are empty.
pub(super) fn figures(data: &ReportData) -> Vec<String> {
    let by_games = |g: &Generation| g.games_so_far as f64;
    let by_hours = |g: &Generation| g.seconds / 3600.0;
    let charts = [
        elo(data, "Elo by games", "games", &by_games),
        elo(data, "Elo by hours", "hours", &by_hours),
        policy_loss(data),
        value_loss(data),
        calibration(data),
        entropy(data),
        white_share(data),
        games_per_second(data),
        speeds(data),
    ];
    charts.iter().map(Chart::figure).collect()
}

/// A value of every generation by games.
fn by_games(data: &ReportData, name: &str, value: impl Fn(&Generation) -> Option<f64>) -> Series {
    let points = data.generations.iter();
    Series::new(
        name,
        points.filter_map(|g| Some((g.games_so_far as f64, value(g)?))),
    )
}

/// A reference level, from the first to the last generation.
fn level(data: &ReportData, name: &str, value: f64) -> Series {
    let games = |g: Option<&Generation>| g.map_or(f64::NAN, |g| g.games_so_far as f64);
    let generations = &data.generations;
    let (first, last) = (games(generations.first()), games(generations.last()));
    Series::reference(name, (first, value), (last, value))
}

/// A positive value, if measured.
fn measured(value: f64) -> Option<f64> {
    (value > 0.0).then_some(value)
}

fn held_out(g: &Generation, value: fn(&HeldOutLosses) -> f64) -> Option<f64> {
    g.held_out.as_ref().map(value)
}

/// The ratings: networks with intervals, anchors as reference lines.
fn elo<'a>(
    data: &ReportData,
    title: &'a str,
    x_label: &'a str,
    x: &dyn Fn(&Generation) -> f64,
) -> Chart<'a> {
    let rated = data.generations.iter();
    let points = rated.filter_map(|g| {
        let rated = rating_of(&data.rated, g.number)?;
        Some(Point {
            x: x(g),
            y: rated.elo,
            interval: Some((rated.low, rated.high)),
        })
    });
    let networks = Series {
        points: points.collect(),
        ..Series::new("networks", [])
    };
    let last = networks.points.last().map(|point| point.x);
    let anchors = data.rated.iter().filter(|r| r.name.starts_with("rave-"));
    let lines = anchors.filter_map(|r| {
        let last = last?;
        Some(Series::reference(&r.name, (0.0, r.elo), (last, r.elo)))
    });
    Chart {
        title,
        note: "Ratings from all matches of the run; bars are 95% intervals. rave-N plays without a \
               network, by N random playouts a move; the weakest of them is 0.",
        x_label,
        series: [networks].into_iter().chain(lines).collect(),
        ..Chart::default()
    }
}

fn policy_loss(data: &ReportData) -> Chart<'static> {
    Chart {
        title: "Policy loss, nats",
        note: "Cross-entropy of the network's moves against the search's, in games held out of the \
               fit. No network gets below the entropy of the search's own moves.",
        x_label: "games",
        series: vec![
            by_games(data, "network", |g| held_out(g, |s| s.policy_loss)),
            by_games(data, "least possible", |g| held_out(g, |s| s.policy_floor)),
        ],
        ..Chart::default()
    }
}

fn value_loss(data: &ReportData) -> Chart<'static> {
    Chart {
        title: "Value loss, nats",
        note: "Cross-entropy of who wins, in games held out of the fit; a coin has 0.693. It rises \
               while games become closer, so compare neighbours only.",
        x_label: "games",
        series: vec![
            by_games(data, "network", |g| held_out(g, |s| s.value_loss)),
            level(data, "a coin", LN_2),
        ],
        ..Chart::default()
    }
}

/// Predicted and actual results of the last networks.
fn calibration(data: &ReportData) -> Chart<'static> {
    let newest = data.generations.iter().rev().take(CALIBRATED);
    let mut series: Vec<Series> = newest
        .map(|g| {
            let bins = g.measures.calibration.iter();
            let name = format!("after {} games", g.games_so_far);
            Series::new(&name, bins.map(|&(win, came, _)| (100.0 * win, came)))
        })
        .filter(|series| !series.points.is_empty())
        .collect();
    if !series.is_empty() {
        series.push(Series::reference("perfect", (0.0, 0.0), (100.0, 1.0)));
    }
    Chart {
        title: "Won, by predicted chance to win",
        note: "Held-out positions by what the network says of them, and how many of them were won. \
               On the diagonal it is right.",
        x_label: "predicted, %",
        scale: Scale::Percent,
        series,
    }
}

fn entropy(data: &ReportData) -> Chart<'static> {
    Chart {
        title: "Policy entropy, nats",
        note: "How undecided the network's moves are, and the search's. A network far above its \
         targets is still learning; one near 0 no longer explores.",
        x_label: "games",
        series: vec![
            by_games(data, "network", |g| measured(g.measures.policy_entropy)),
            by_games(data, "targets", |g| held_out(g, |s| s.policy_floor)),
        ],
        ..Chart::default()
    }
}

fn white_share(data: &ReportData) -> Chart<'static> {
    Chart {
        title: "White's share of the wins",
        note: "Of self-play. Below the line, playing first is an advantage. A jump often indicates an error.",
        x_label: "games",
        scale: Scale::Percent,
        series: vec![
            by_games(data, "self-play", |g| {
                (g.games > 0).then_some(g.white_share)
            }),
            level(data, "50%", 0.5),
        ],
    }
}

fn games_per_second(data: &ReportData) -> Chart<'static> {
    Chart {
        title: "Games a second",
        note: "Of self-play. It falls with more playouts a move and larger networks.",
        x_label: "games",
        series: vec![by_games(data, "self-play", |g| {
            measured(g.games_per_second)
        })],
        ..Chart::default()
    }
}

fn speeds(data: &ReportData) -> Chart<'static> {
    Chart {
        title: "Positions a second",
        note: "Evaluated in self-play, and fitted in training; the scale is logarithmic.",
        x_label: "games",
        scale: Scale::Logarithmic,
        series: vec![
            by_games(data, "evaluated", |g| measured(g.evaluations_per_second)),
            by_games(data, "fitted", |g| measured(g.samples_per_second)),
        ],
    }
}
