//! The page: state of the run, charts, the machines that play for it, and the table of all generations.

use std::fmt::Write;

use super::charts::figures;
use super::{ReportData, Working};
use crate::cycle::{Generation, Machine, RunFolder, rating_of};
use crate::{TrainError, durable};
use tengen::chart::escape;

/// Reload interval of the page of work in progress, in seconds.
const RELOAD_SECONDS: u32 = 20;

/// Style of training pages.
const STYLE: &str = ":root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;\
max-width:1040px;margin:2em auto;padding:0 1em;color:#222;background:#fff}h1{font-size:1.5em;margin:0}\
h2{font-size:1.1em;margin:1.5em 0 .3em}.state{font-weight:600;margin:.3em 0}small{font-weight:400}.facts{margin:.3em 0 1.5em}\
main{display:flex;flex-wrap:wrap;gap:1.5em 2em}figure{margin:0;width:500px;max-width:100%}\
figcaption{font-weight:600}svg{width:100%}svg text{font:11px system-ui,sans-serif;fill:currentColor}\
.grid{stroke:#8884}.legend,.note{margin:0;font-size:13px}.note{opacity:.75}.name{white-space:nowrap;\
margin-right:.8em}.table{overflow-x:auto}table{border-collapse:collapse;font-size:12px;width:100%}\
td,th{padding:2px 5px;text-align:right;white-space:nowrap;border-bottom:1px solid #8884}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}}";

/// Placeholder for missing measurements.
const MISSING: &str = "&ndash;";

/// Seconds without a report after which a machine is shown as silent.
const SILENT: f64 = 120.0;

/// Machines in the table; others are counted.
const MAX_ROWS: usize = 200;

/// Writes the report of a run into its folder; `now` is the step in progress. Each of the other machines that play comes
/// with the seconds since its last report.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub fn write(
    run_folder: &RunFolder,
    now: &str,
    machines: &[(Machine, f64)],
) -> Result<(), TrainError> {
    let data = ReportData::read(run_folder, now, machines)?;
    durable::write(&run_folder.report(), page(&data).as_bytes())
}

/// The whole page; while the run goes on it reloads itself.
fn page(data: &ReportData) -> String {
    let name = escape(&data.name);
    let reload = match &data.working {
        Some(_) => format!("<meta http-equiv=\"refresh\" content=\"{RELOAD_SECONDS}\">"),
        None => String::new(),
    };
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\">{reload}\
         <meta name=\"viewport\" content=\"width=device-width\"><title>{name} &ndash; training run</title>\
         <style>{STYLE}</style><h1>Training run {name}: {game}</h1><p class=\"state\">{state}</p>\
         <p class=\"facts\">{figures}</p><main>",
        game = data.game,
        state = state(data),
        figures = summary(data),
    );
    for figure in figures(data) {
        page.push_str(&figure);
    }
    page.push_str("</main>");
    if !data.machines.is_empty() {
        page.push_str(&machines_section(&data.machines));
    }
    if !data.generations.is_empty() {
        table(&mut page, data);
    }
    page.push_str("</html>\n");
    page
}

/// State of the run in one or two sentences.
fn state(data: &ReportData) -> String {
    match &data.working {
        Some(Working { on, time }) => format!(
            "Running. {} <small>As of {time} UTC; the page reloads itself every {RELOAD_SECONDS} \
             seconds. If that time stands still, the run was stopped: the same command goes on with \
             it.</small>",
            escape(on)
        ),
        None => "Finished: its plan is complete.".to_owned(),
    }
}

/// Totals of the run.
fn summary(data: &ReportData) -> String {
    let games = data.generations.last().map_or(0, |g| g.games_so_far);
    let mut text = format!(
        "{} generations, {games} games, {:.2} hours.",
        data.generations.len(),
        data.seconds / 3600.0,
    );
    let mut rated = data.generations.iter().rev();
    if let Some(last) = rated.find_map(|g| rating_of(&data.rated, g.number)) {
        // Writing into a string cannot fail.
        let _ = write!(
            text,
            " The last rated network, {}, has {:+.0} Elo [{:+.0}, {:+.0}].",
            escape(&last.name),
            last.elo,
            last.low,
            last.high
        );
    }
    text
}

fn table(page: &mut String, data: &ReportData) {
    page.push_str(
        "<h2>Generations, the newest first</h2><div class=\"table\"><table><tr><th>generation\
         <th>played by<th>visits<th>games<th>positions<th>network<th>steps<th>policy loss\
         <th>value loss<th>White scores<th>Elo<th>gate<th>hours</tr>",
    );
    for generation in data.generations.iter().rev() {
        row(page, data, generation);
    }
    page.push_str("</table></div>");
}

fn row(page: &mut String, data: &ReportData, g: &Generation) {
    let or_missing = |text: Option<String>| text.unwrap_or_else(|| MISSING.to_owned());
    let loss = |value: Option<f64>| or_missing(value.map(|loss| format!("{loss:.3}")));
    let elo = rating_of(&data.rated, g.number);
    let elo = elo.map(|r| format!("{:+.0} [{:+.0}, {:+.0}]", r.elo, r.low, r.high));
    let white = (g.games > 0).then(|| format!("{:.1}%", 100.0 * g.white_share));
    let _ = write!(
        page,
        "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{}<td>{:.2}</tr>",
        g.number,
        escape(&g.players),
        g.visits,
        g.games_so_far,
        g.rows_so_far,
        escape(&g.network),
        g.steps,
        loss(g.held_out.as_ref().map(|s| s.policy_loss)),
        loss(g.held_out.as_ref().map(|s| s.value_loss)),
        or_missing(white),
        or_missing(elo),
        or_missing(g.verdict()),
        g.seconds / 3600.0
    );
}

/// Facts about all machines, and a table of them.
fn machines_section(machines: &[(Machine, f64)]) -> String {
    let (mut living, mut rest): (Vec<_>, Vec<_>) = machines
        .iter()
        .partition(|(machine, age)| !machine.ended && *age < SILENT);
    living.sort_by(|a, b| a.0.id.cmp(&b.0.id));
    rest.sort_by(|a, b| a.1.total_cmp(&b.1));
    let seconds = machines.iter();
    let seconds = seconds.map(|(machine, _)| machine.threads as f64 * machine.busy_seconds);
    let mut text = format!(
        "<h2>Machines</h2><p class=\"facts\">{} of {} report. {:.2} core hours of play.</p>",
        living.len(),
        machines.len(),
        seconds.sum::<f64>() / 3600.0,
    );
    text.push_str(
        "<div class=\"table\"><table><tr><th>machine<th>threads<th>device<th>tickets\
         <th>games<th>games/s<th>evaluations/s<th>busy<th>last report</tr>",
    );
    let all = living.iter().chain(&rest);
    for (machine, age) in all.take(MAX_ROWS) {
        machine_row(&mut text, machine, *age);
    }
    text.push_str("</table></div>");
    if machines.len() > MAX_ROWS {
        let _ = write!(
            text,
            "<p class=\"note\">And {} more.</p>",
            machines.len() - MAX_ROWS
        );
    }
    text
}

fn machine_row(text: &mut String, machine: &Machine, age: f64) {
    let rate = |count: u64| match machine.busy_seconds > 0.0 {
        true => count as f64 / machine.busy_seconds,
        false => 0.0,
    };
    let last = match (machine.ended, age < SILENT) {
        (true, _) => "ended".to_owned(),
        (false, true) => format!("{age:.0} s ago"),
        (false, false) if age.is_infinite() => "before the learner began".to_owned(),
        (false, false) => format!("silent for {age:.0} s"),
    };
    let busy = 100.0 * machine.busy_seconds / machine.seconds.max(machine.busy_seconds).max(1e-9);
    let _ = write!(
        text,
        "<tr><td>{}<td>{}<td>{}<td>{}<td>{}<td>{:.2}<td>{:.0}<td>{busy:.0}%<td>{last}</tr>",
        escape(&machine.id),
        machine.threads,
        escape(&machine.device),
        machine.tickets,
        machine.games,
        rate(machine.games),
        rate(machine.evaluations),
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cycle::{Measures, RatedPlayer};

    fn generation(number: u32, games_so_far: u64) -> Generation {
        Generation {
            number,
            players: "rollouts".to_owned(),
            visits: 32,
            network: "az-1b8c".to_owned(),
            plays_next: number,
            gate: (number > 0).then_some(0.625),
            games: 4,
            games_so_far,
            rows: 4,
            rows_so_far: 4,
            white_share: 0.45,
            games_per_second: 1.0,
            evaluations_per_second: 0.0,
            samples_per_second: 0.0,
            steps: 1,
            held_out: None,
            measures: Measures::default(),
            seconds: 3600.0,
        }
    }

    fn data(working: Option<Working>) -> ReportData {
        ReportData {
            name: "a<b".to_owned(),
            game: "NoGo 9x9".to_owned(),
            generations: vec![generation(0, 1000), generation(1, 26_000)],
            rated: vec![RatedPlayer {
                name: "network-0001".to_owned(),
                elo: 300.0,
                low: 100.0,
                high: f64::INFINITY,
                games: 4,
            }],
            seconds: 7200.0,
            machines: Vec::new(),
            working,
        }
    }

    #[test]
    fn only_a_running_run_reloads() {
        let running = Working {
            on: "Generation 2 begins.".to_owned(),
            time: "2026".to_owned(),
        };
        let page_of = |working| page(&data(working));
        let page = page_of(Some(running));
        assert!(page.contains("http-equiv=\"refresh\"") && page.contains("Running. Generation 2"));
        let page = page_of(None);
        assert!(!page.contains("refresh") && page.contains("Finished: its plan is complete."));
        assert!(page.contains("<title>a&lt;b &ndash;") && !page.contains("a<b"));
        assert!(page.contains("2 generations, 26000 games, 2.00 hours"));
    }

    #[test]
    fn what_was_not_measured_is_missing() {
        let page = page(&data(None));
        for absent in [
            "Positions a second",
            "Policy entropy",
            "Policy loss,",
            "NaN",
        ] {
            assert!(!page.contains(absent), "{absent}");
        }
        assert!(page.contains(">50%<") && page.contains("White's share"));
        assert!(page.contains("Games a second"));
        // Both losses of both generations, and the rating and the gate of the first.
        assert_eq!(page.matches(MISSING).count() - 1, 6, "and one in the title");
        assert!(page.contains("<td>passed, 62%<td>"), "{page}");
        assert!(page.contains("+300 [+100, +inf]"));
    }

    #[test]
    fn living_machines_come_first_and_silence_is_told() {
        let machine = |id: &str, ended| Machine {
            id: id.to_owned(),
            threads: 4,
            device: "cpu".to_owned(),
            games: 50,
            busy_seconds: 1800.0,
            seconds: 3600.0,
            ended,
            ..Machine::default()
        };
        let machines = [
            (machine("a", true), 3.0),
            (machine("b<", false), 500.0),
            (machine("c", false), 7.0),
            (machine("d", false), f64::INFINITY),
        ];
        let text = machines_section(&machines);
        assert!(text.contains("1 of 4 report"), "{text}");
        assert!(
            text.contains("8.00 core hours") && text.contains("<td>50%<td>7 s ago"),
            "{text}"
        );
        let place = |part: &str| text.find(part).unwrap();
        assert!(place("<td>c<") < place("<td>a<") && place("<td>a<") < place("<td>b&lt;<"));
        assert!(text.contains("silent for 500 s"));
        assert!(text.contains("<td>before the learner began</tr>"));
    }
}
