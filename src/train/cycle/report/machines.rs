//! What a report says of the machines that play for a run.

use std::fmt::Write as _;

use crate::cycle::Machine;
use tengen::chart::escape;

/// Seconds without a report after which a machine is shown as silent.
const SILENT: f64 = 120.0;

/// Machines in the table; others are counted.
const MAX_ROWS: usize = 200;

/// Facts about all machines, and a table of them.
pub(super) fn section(machines: &[(Machine, f64)]) -> String {
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
        row(&mut text, machine, *age);
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

fn row(text: &mut String, machine: &Machine, age: f64) {
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
    // Writing into a string cannot fail.
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
        let text = section(&machines);
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
