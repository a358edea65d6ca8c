//! The page: figures, charts, and the table of all generations.

use std::fmt::Write;

use super::Facts;
use crate::chart::{Point, Series, chart, escape};
use crate::train::cycle::{Encounter, Generation, Rated, network_name};
use crate::train::score::Score;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1000px;margin:2em auto;\
padding:0 1em;color:#222;background:#fff}h1{font-size:1.4em}main{display:flex;flex-wrap:wrap;gap:1em}\
figure{margin:0;width:480px;max-width:100%}figcaption{font-weight:600}svg{width:100%}\
svg text{font:11px system-ui,sans-serif;fill:currentColor}.grid{stroke:#8884}.legend{margin:0;font-size:13px}\
table{border-collapse:collapse;font-size:13px;margin-top:1em}td,th{padding:2px 8px;text-align:right;\
border-bottom:1px solid #8884}@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}";

/// The whole page.
pub(super) fn page(facts: &Facts) -> String {
    let name = escape(&facts.name);
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">\
         <meta http-equiv=\"refresh\" content=\"20\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{name}</title>\
         <style>{STYLE}</style><h1>{name}</h1>"
    );
    let now = facts
        .now
        .as_deref()
        .unwrap_or("Between two steps, or finished.");
    let games = facts.generations.last().map_or(0, |g| g.games_so_far);
    // Writing into a string cannot fail.
    let _ = write!(
        page,
        "<p>{} generations, {games} games, {:.2} hours. {}</p><main>",
        facts.generations.len(),
        facts.seconds / 3600.0,
        escape(now)
    );
    for chart in charts(facts) {
        page.push_str(&chart);
    }
    page.push_str("</main>");
    table(&mut page, facts);
    page.push_str("</html>\n");
    page
}

fn charts(facts: &Facts) -> Vec<String> {
    let generations = &facts.generations;
    let games = |g: &Generation| g.games_so_far as f64;
    let by_games = |name: &str, value: &dyn Fn(&Generation) -> f64| {
        Series::new(name, generations.iter().map(|g| (games(g), value(g))))
    };
    vec![
        elo("Elo by games, 95% intervals", "games", facts, &games),
        elo("Elo by hours, 95% intervals", "hours", facts, &|g| {
            g.seconds / 3600.0
        }),
        chart(
            "Policy loss on held-out games, nats",
            "games",
            &[
                by_games("network", &|g| held_out(g, |s| s.policy_loss)),
                by_games("least possible", &|g| held_out(g, |s| s.policy_floor)),
            ],
        ),
        chart(
            "Value loss on held-out games, nats",
            "games",
            &[by_games("network", &|g| held_out(g, |s| s.value_loss))],
        ),
        calibration(generations),
        chart(
            "Policy entropy on held-out games, nats",
            "games",
            &[
                by_games("network", &|g| g.measures.policy_entropy),
                by_games("targets", &|g| g.measures.target_entropy),
            ],
        ),
        chart(
            "Games a second",
            "games",
            &[by_games("self-play", &|g| g.games_per_second)],
        ),
        chart(
            "Evaluations and fitted samples a second",
            "games",
            &[
                by_games("evaluations", &|g| g.evaluations_per_second),
                by_games("samples", &|g| g.samples_per_second),
            ],
        ),
        white_share(facts),
    ]
}

fn rating<'a>(facts: &'a Facts, generation: &Generation) -> Option<&'a Rated> {
    let name = network_name(generation.number);
    facts.rated.iter().find(|rated| rated.name == name)
}

/// The ladder: networks with intervals, anchors as lines to compare with.
fn elo(title: &str, label: &str, facts: &Facts, x: &dyn Fn(&Generation) -> f64) -> String {
    let rated = facts
        .generations
        .iter()
        .filter_map(|g| Some((x(g), rating(facts, g)?)));
    let points: Vec<Point> = rated
        .map(|(x, rated)| Point {
            x,
            y: rated.elo,
            interval: Some((rated.low, rated.high)),
        })
        .collect();
    let Some(last) = points.iter().map(|point| point.x).reduce(f64::max) else {
        return String::new();
    };
    let mut series = vec![Series {
        name: "networks".to_owned(),
        points,
        reference: false,
    }];
    for anchor in facts.rated.iter().filter(|r| r.name.starts_with("rave-")) {
        series.push(Series {
            reference: true,
            ..Series::new(&anchor.name, [(0.0, anchor.elo), (last, anchor.elo)])
        });
    }
    chart(title, label, &series)
}

/// A figure of the held-out score; not a number where there is none.
fn held_out(g: &Generation, value: fn(&Score) -> f64) -> f64 {
    g.held_out.as_ref().map_or(f64::NAN, value)
}

/// What came of what the last networks predicted.
fn calibration(generations: &[Generation]) -> String {
    let mut series: Vec<Series> = generations
        .iter()
        .rev()
        .take(3)
        .map(|g| {
            let bins = g.measures.calibration.iter();
            let name = format!("after {} games", g.games_so_far);
            Series::new(&name, bins.map(|&(win, came, _)| (win, came)))
        })
        .collect();
    if !series.is_empty() {
        series.push(Series {
            reference: true,
            ..Series::new("perfect", [(0.0, 0.0), (1.0, 1.0)])
        });
    }
    chart("Wins by predicted chance of a win", "predicted", &series)
}

/// White's share of the wins, in self-play and in the matches between networks.
fn white_share(facts: &Facts) -> String {
    let own = facts.generations.iter();
    let own = own.map(|g| (g.games_so_far as f64, g.white_share));
    let matches = facts.generations.iter().filter_map(|g| {
        let name = network_name(g.number);
        let between = |e: &&Encounter| e.first == name && e.second.starts_with("network-");
        let (white, games) = facts.encounters.iter().find(between)?.white_wins();
        Some((
            g.games_so_far as f64,
            f64::from(white) / f64::from(games.max(1)),
        ))
    });
    chart(
        "White's share of the wins",
        "games",
        &[
            Series::new("self-play", own),
            Series::new("matches with the predecessor", matches),
        ],
    )
}

fn table(page: &mut String, facts: &Facts) {
    page.push_str(
        "<table><tr><th>generation<th>played by<th>visits<th>games<th>positions<th>network\
         <th>steps<th>policy loss<th>value loss<th>White wins<th>Elo<th>hours</tr>",
    );
    for g in facts.generations.iter().rev() {
        let loss = |value: Option<f64>| value.map_or(String::new(), |loss| format!("{loss:.3}"));
        let elo = rating(facts, g).map_or(String::new(), |r| {
            format!("{:+.0} [{:+.0}, {:+.0}]", r.elo, r.low, r.high)
        });
        let _ = write!(
            page,
            "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{:.1}%<td>{elo}<td>{:.2}</tr>",
            g.number,
            escape(&g.players),
            g.visits,
            g.games_so_far,
            g.rows_so_far,
            escape(&g.network),
            g.steps,
            loss(g.held_out.as_ref().map(|s| s.policy_loss)),
            loss(g.held_out.as_ref().map(|s| s.value_loss)),
            100.0 * g.white_share,
            g.seconds / 3600.0
        );
    }
    page.push_str("</table>");
}
