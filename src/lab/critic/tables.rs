//! The tables of a plan's results, as Markdown.

use std::path::Path;

use super::lesson::Played;
use super::plan::CriticPlan;
use super::record::{ArmResults, Record, count, read_results};
use crate::seeds::{Estimate, holm};
use tengen_train::TrainError;
use tengen_train::durable;

/// Games averaged in the paper's area.
const WINDOW: usize = 200;

/// Placeholder for unknown values.
const NOTHING: &str = "-";

struct Table {
    title: &'static str,
    note: &'static str,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(title: &'static str, note: &'static str, head: &str) -> Table {
        Table {
            title,
            note,
            head: head.split(" | ").map(str::to_owned).collect(),
            rows: Vec::new(),
        }
    }

    fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = vec!["---".to_owned(); self.head.len()];
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        let (head, rule) = (line(&self.head), line(&rule));
        format!("## {}\n\n{}\n\n{head}{rule}{rows}\n", self.title, self.note)
    }
}

/// Reads the records in a folder, and writes `tables.md` there, with this of the opponent.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub(super) fn write(plan: &CriticPlan, folder: &Path, opponent: &str) -> Result<(), TrainError> {
    let tables = tables(plan, &read_results(plan, folder)?);
    let tables: String = tables.iter().map(Table::markdown).collect();
    let text = format!(
        "# {}\n\nWritten by `tengen-lab critic`; {} seeds. {opponent}\n\n{tables}",
        plan.title,
        plan.seeds.len()
    );
    durable::write(&folder.join("tables.md"), text.as_bytes())
}

fn tables(plan: &CriticPlan, results: &[ArmResults<'_>]) -> Vec<Table> {
    let (_, arms) = results.split_at(plan.base.iter().len());
    let mut tables = vec![wins(arms)];
    if arms.len() > 1 {
        tables.push(differences(arms));
    }
    if let Some(measure) = &plan.measure {
        let mut table = Table::new(
            "Strength at the end",
            "Score in colour-swapped pairs of games, with its 95% interval over seeds.",
            "arm",
        );
        table
            .head
            .extend(measure.against.iter().map(ToString::to_string));
        for arm in results {
            let score = |&against| {
                let at_end = arm.strength_at_end(against);
                at_end.map_or(NOTHING.to_owned(), |Estimate { mean, half, .. }| {
                    let half = half.map_or(f64::NAN, |half| half.min(1.0 - mean));
                    format!("{:.1}% ± {:.1}", 100.0 * mean, 100.0 * half)
                })
            };
            let mut row = vec![arm.arm.name.clone()];
            row.extend(measure.against.iter().map(score));
            table.rows.push(row);
        }
        tables.push(table);
    }
    tables
}

/// The critic's mean points in the last games of a run.
fn area_at_end(record: &Record) -> f64 {
    let last = record.games.len().saturating_sub(WINDOW);
    let last = &record.games[last..];
    let points: f64 = last.iter().map(|p| f64::from(p.points[0])).sum();
    points / last.len() as f64
}

/// Table I.
fn wins(arms: &[ArmResults<'_>]) -> Table {
    let games = arms.iter().flat_map(|arm| &arm.records);
    let mut games = games.flat_map(|record| &record.games);
    let counts_points = games.any(|played| played.points[0] > 1);
    let mut table = match counts_points {
        true => Table::new(
            "Table I",
            "Wins, and losses by less than six points, in all games of a run, with their 95% \
             intervals over seeds (Student's t), beside the paper's; then the same of tests alone, in \
             a hundred games, and the mean points in the last 200 games.",
            "arm | games | wins | paper | narrow losses | paper | wins in tests, % | narrow losses in tests, % | area at the end",
        ),
        false => Table::new(
            "Wins",
            "Wins against the opponent in all games of a run, with 95% intervals over seeds \
             (Student's t), and in the last 500 games.",
            "arm | games | wins | wins in the last 500, %",
        ),
    };
    for arm in arms {
        let of = |holds: fn(&Played) -> bool| with_interval(&arm.figures(|r| count(r, holds)), 0);
        let in_tests = |holds: fn(&Played) -> bool| {
            let share = |record: &Record| {
                let tests = count(record, |played| played.test);
                100.0 * count(record, |played| played.test && holds(played)) / tests
            };
            with_interval(&arm.figures(share), 1)
        };
        let paper = |place: usize| {
            let known = arm.arm.paper.map(|paper| paper[place].to_string());
            known.unwrap_or(NOTHING.to_owned())
        };
        let games = format!("{} x {}", arm.of, arm.finished().count());
        let name = arm.arm.name.clone();
        let narrow = |played: &Played| played.narrowly_lost();
        let won = |played: &Played| played.won();
        table.rows.push(match counts_points {
            true => vec![
                name,
                games,
                of(won),
                paper(0),
                of(narrow),
                paper(1),
                in_tests(won),
                in_tests(narrow),
                with_interval(&arm.figures(area_at_end), 1),
            ],
            false => {
                let last = arm.figures(|record| {
                    let last = record.games.len().saturating_sub(500);
                    let last = &record.games[last..];
                    100.0 * last.iter().filter(|p| p.won()).count() as f64 / last.len() as f64
                });
                vec![name, games, of(won), with_interval(&last, 1)]
            }
        });
    }
    table
}

/// Differences between arms in wins.
fn differences(arms: &[ArmResults<'_>]) -> Table {
    let mut table = Table::new(
        "Differences",
        "Wins of one arm less those of another with the same seed, with the 95% interval over seeds; \
         a sign is known when it is significant at 5% with Holm's correction for all lines.",
        "arms | wins more | p | sign known | paper",
    );
    let mut pairs: Vec<[&ArmResults<'_>; 2]> =
        arms.windows(2).map(|two| [&two[1], &two[0]]).collect();
    if let [first, _, .., last] = arms {
        pairs.push([last, first]);
    }
    let differ = |[more, less]: &[&ArmResults<'_>; 2]| {
        let wins = |arm: &ArmResults<'_>| arm.figures(|record| count(record, |p| p.won()));
        let (more, less) = (wins(more), wins(less));
        let pairs: Vec<f64> = more.iter().zip(&less).map(|(a, b)| a - b).collect();
        Estimate::over_seeds(&pairs)
    };
    let estimates: Vec<Option<Estimate>> = pairs.iter().map(differ).collect();
    let p: Vec<Option<f64>> = estimates.iter().map(|e| e.and_then(|e| e.p)).collect();
    let known = holm(&p, 0.05);
    for (place, [more, less]) in pairs.iter().enumerate() {
        let paper = more.arm.paper.zip(less.arm.paper);
        let paper = paper.map(|(a, b)| format!("{:+}", i64::from(a[0]) - i64::from(b[0])));
        let or_nothing = |text: Option<String>| text.unwrap_or(NOTHING.to_owned());
        table.rows.push(vec![
            format!("{} - {}", more.arm.name, less.arm.name),
            or_nothing(estimates[place].map(|estimate| estimate.text())),
            or_nothing(p[place].map(|p| format!("{p:.3}"))),
            if known[place] { "yes" } else { "no" }.to_owned(),
            or_nothing(paper),
        ]);
    }
    table
}

/// A mean with its interval, rounded to `digits`.
fn with_interval(values: &[f64], digits: usize) -> String {
    let values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    match Estimate::over_seeds(&values) {
        Some(Estimate {
            mean,
            half: Some(half),
            ..
        }) => format!("{mean:.digits$} ± {half:.digits$}"),
        Some(one) => format!("{:.digits$}", one.mean),
        None => NOTHING.to_owned(),
    }
}
