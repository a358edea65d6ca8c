//! The tables of a plan's results, for the page and as Markdown.

use super::lesson::Played;
use super::plan::CriticPlan;
use super::record::{ArmResults, Record, WINDOW, count, mean};
use crate::seeds::{Estimate, holm};
use tengen::chart::escape;

/// Games from which the paper gives an area.
const AREA_AT: usize = 3000;

/// Points beyond which the paper calls a loss close: more than this of 81.
const CLOSE: u16 = 34;

/// Placeholder for unknown values.
const NOTHING: &str = "-";

pub(super) struct Table {
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

    pub(super) fn markdown(&self) -> String {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let rule = vec!["---".to_owned(); self.head.len()];
        let rows: String = self.rows.iter().map(|row| line(row)).collect();
        let (head, rule) = (line(&self.head), line(&rule));
        format!("## {}\n\n{}\n\n{head}{rule}{rows}\n", self.title, self.note)
    }

    pub(super) fn html(&self) -> String {
        let line = |cell: &str, cells: &[String]| {
            let cells: String = cells
                .iter()
                .map(|c| format!("<{cell}>{}", escape(c)))
                .collect();
            format!("<tr>{cells}</tr>")
        };
        let rows: String = self.rows.iter().map(|row| line("td", row)).collect();
        format!(
            "<h2>{}</h2><p class=\"note\">{}</p><div class=\"table\"><table>{}{rows}</table></div>",
            escape(self.title),
            escape(self.note),
            line("th", &self.head)
        )
    }
}

/// All non-empty tables.
pub(super) fn tables(plan: &CriticPlan, results: &[ArmResults<'_>]) -> Vec<Table> {
    let (base, arms) = results.split_at(plan.base.iter().len());
    let counts_points = results.iter().flat_map(|arm| &arm.records).any(|record| {
        let mut games = record.games.iter();
        games.any(|played| played.points[0] > 1)
    });
    let mut tables = Vec::new();
    if let (Some(base), true) = (base.first(), counts_points) {
        tables.push(beginning(plan, base));
    }
    tables.push(wins(arms, counts_points));
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
            let last = arm.before + arm.of;
            let score = |&against| {
                let strength = arm.strength(against);
                let at_end = strength.points.last().filter(|p| p.x == f64::from(last));
                at_end.map_or(NOTHING.to_owned(), |point| {
                    let half = point.interval.map_or(f64::NAN, |(_, high)| high - point.y);
                    format!("{:.1}% ± {:.1}", 100.0 * point.y, 100.0 * half)
                })
            };
            let mut row = vec![arm.arm.name.clone()];
            row.extend(measure.against.iter().map(score));
            table.rows.push(row);
        }
        tables.push(table);
    }
    tables.push(times(results));
    tables
}

/// Statements in the paper's text on the games before Table I.
fn beginning(plan: &CriticPlan, base: &ArmResults<'_>) -> Table {
    let mut table = Table::new(
        "The first games",
        "Area is the mean of the 200 games before; wins, and losses with more than 34 points, are \
         shares of the last 500 games. The paper: 29 points after 3,000 games, the first win shortly \
         after 5,500, 1% and 20% at 6,000.",
        "seed | area at 3,000 | area at the end | first win | wins | more than 34",
    );
    let share = |played: &[Played], holds: fn(&Played) -> bool| {
        100.0 * played.iter().filter(|p| holds(p)).count() as f64 / played.len() as f64
    };
    let mut figures = Vec::new();
    for (seed, record) in plan.seeds.iter().zip(&base.records) {
        let games = &record.games;
        if games.len() < AREA_AT {
            continue;
        }
        let (end, first) = (games.len(), games.iter().position(|played| played.won()));
        let last = &games[end - 500..];
        let row = [
            area(&games[AREA_AT - WINDOW..AREA_AT]),
            area_at_end(record),
            first.map_or(f64::NAN, |game| game as f64 + 1.0),
            share(last, |played| played.won()),
            share(last, |played| played.points[0] > CLOSE && !played.won()),
        ];
        let mut cells = vec![seed.to_string()];
        cells.extend(row.iter().zip([1, 1, 0, 1, 1]).map(|(value, digits)| {
            let known = value.is_finite().then(|| format!("{value:.digits$}"));
            known.unwrap_or(NOTHING.to_owned())
        }));
        table.rows.push(cells);
        figures.push(row);
    }
    let mut cells = vec!["mean".to_owned()];
    for (column, digits) in [1, 1, 0, 1, 1].into_iter().enumerate() {
        let values: Vec<f64> = figures.iter().map(|row| row[column]).collect();
        cells.push(with_interval(&values, digits));
    }
    table.rows.push(cells);
    table
}

/// The critic's mean points in some games.
fn area(played: &[Played]) -> f64 {
    let points: Vec<f64> = played.iter().map(|p| p.points[0].into()).collect();
    mean(&points)
}

/// Its points in the last games of a run.
fn area_at_end(record: &Record) -> f64 {
    let end = record.games.len();
    area(&record.games[end.saturating_sub(WINDOW)..])
}

/// Table I.
fn wins(arms: &[ArmResults<'_>], counts_points: bool) -> Table {
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

/// Computation times.
fn times(results: &[ArmResults<'_>]) -> Table {
    let mut table = Table::new(
        "Time",
        "Seconds of a thread, on the machine as it was: games and learning, then matches.",
        "arm | runs | games, s | matches, s | games a second",
    );
    for arm in results {
        let sum = |figure: fn(&Record) -> f64| arm.records.iter().map(figure).sum::<f64>();
        let matches = sum(|record| record.seconds[1]);
        let lessons = sum(|record| record.seconds[0]) - matches;
        table.rows.push(vec![
            arm.arm.name.clone(),
            arm.records.len().to_string(),
            format!("{lessons:.0}"),
            format!("{matches:.0}"),
            match lessons >= 1.0 {
                true => format!("{:.0}", sum(|record| record.games.len() as f64) / lessons),
                false => NOTHING.to_owned(),
            },
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
