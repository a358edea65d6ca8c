//! The tables of a plan's results, from the records of all runs, over seeds: `tables.md`.

use std::path::Path;

use super::lesson::Played;
use super::plan::{Arm, CriticPlan};
use super::record::{Record, RunFiles};
use crate::seeds::{Estimate, holm, markdown, run_name};
use tengen_train::TrainError;
use tengen_train::durable;

/// Placeholder for unknown values.
const NOTHING: &str = "-";

/// Writes the tables of finished runs into their folder; `opponent` is what is known of the opponent's strength.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub(super) fn write(plan: &CriticPlan, folder: &Path, opponent: &str) -> Result<(), TrainError> {
    let arms = plan
        .arm
        .iter()
        .map(|arm| ArmResults::read(plan, arm, folder));
    let arms: Vec<ArmResults<'_>> = arms.collect::<Result<_, TrainError>>()?;
    let mut tables = vec![wins(&arms)];
    if arms.len() > 1 {
        tables.push(differences(&arms));
    }
    if plan.measure.is_some() {
        tables.push(strength(&arms));
    }
    let text = format!(
        "# {}\n\nWritten by `tengen-lab critic`; {} seeds. {opponent}\n\n{}",
        plan.title,
        plan.seeds.len(),
        tables.concat()
    );
    durable::write(&folder.join("tables.md"), text.as_bytes())
}

/// The runs of an arm.
struct ArmResults<'a> {
    arm: &'a Arm,
    /// Games of a run.
    of: u32,
    /// In the order of seeds.
    records: Vec<Record>,
}

impl<'a> ArmResults<'a> {
    fn read(plan: &CriticPlan, arm: &'a Arm, folder: &Path) -> Result<ArmResults<'a>, TrainError> {
        let base = plan.base.as_ref();
        let before = base.map_or(0, |base| plan.lessons_of(base).games);
        let runs = plan.seeds.iter().filter_map(|&seed| {
            let files = RunFiles::new(folder, &run_name(&arm.name, seed));
            files.load(before).transpose()
        });
        Ok(ArmResults {
            arm,
            of: plan.lessons_of(arm).games,
            records: runs
                .map(|run| Ok(run?.0))
                .collect::<Result<_, TrainError>>()?,
        })
    }

    /// The number of games for which this holds, in each run.
    fn count(&self, holds: fn(&Played) -> bool) -> Vec<f64> {
        let runs = self.records.iter();
        runs.map(|run| run.games.iter().filter(|played| holds(played)).count() as f64)
            .collect()
    }

    fn wins(&self) -> Vec<f64> {
        self.count(|played| played.won())
    }
}

/// A table with its heading and its note.
fn table(
    title: &str,
    note: &str,
    head: &str,
    rows: impl IntoIterator<Item = Vec<String>>,
) -> String {
    format!("## {title}\n\n{note}\n\n{}\n", markdown(head, rows))
}

/// Table I, beside the paper's where the plan has that.
fn wins(arms: &[ArmResults<'_>]) -> String {
    let compared = arms.iter().any(|arm| arm.arm.paper.is_some());
    let (title, head) = match compared {
        true => (
            "Table I",
            "arm | games | wins | paper | narrow losses | paper",
        ),
        false => ("Wins", "arm | games | wins"),
    };
    let rows = arms.iter().map(|arm| {
        let paper = |place: usize| or_nothing(arm.arm.paper.map(|paper| paper[place].to_string()));
        let games = format!("{} x {}", arm.of, arm.records.len());
        let mut row = vec![arm.arm.name.clone(), games, with_interval(&arm.wins(), 0)];
        if compared {
            let narrow = arm.count(|played| played.narrowly_lost());
            row.extend([paper(0), with_interval(&narrow, 0), paper(1)]);
        }
        row
    });
    table(
        title,
        "Wins in all games of a run, and losses by less than six points, with their 95% intervals over seeds (Student's \
         t).",
        head,
        rows,
    )
}

/// Differences between arms in wins.
fn differences(arms: &[ArmResults<'_>]) -> String {
    let mut pairs: Vec<[&ArmResults<'_>; 2]> =
        arms.windows(2).map(|two| [&two[1], &two[0]]).collect();
    if let [first, _, .., last] = arms {
        pairs.push([last, first]);
    }
    let differ = |[more, less]: &[&ArmResults<'_>; 2]| {
        let (more, less) = (more.wins(), less.wins());
        let pairs: Vec<f64> = more.iter().zip(&less).map(|(a, b)| a - b).collect();
        Estimate::over_seeds(&pairs)
    };
    let estimates: Vec<Option<Estimate>> = pairs.iter().map(differ).collect();
    let p: Vec<Option<f64>> = estimates.iter().map(|e| e.and_then(|e| e.p)).collect();
    let known = holm(&p, 0.05);
    let rows = pairs.iter().enumerate().map(|(place, [more, less])| {
        let paper = more.arm.paper.zip(less.arm.paper);
        let paper = paper.map(|(a, b)| format!("{:+}", i64::from(a[0]) - i64::from(b[0])));
        vec![
            format!("{} - {}", more.arm.name, less.arm.name),
            or_nothing(estimates[place].map(|estimate| estimate.text())),
            or_nothing(p[place].map(|p| format!("{p:.3}"))),
            if known[place] { "yes" } else { "no" }.to_owned(),
            or_nothing(paper),
        ]
    });
    table(
        "Differences",
        "Wins of one arm less those of another with the same seed, with the 95% interval over seeds; \
         a sign is known when it is significant at 5% with Holm's correction for all lines.",
        "arms | wins more | p | sign known | paper",
        rows,
    )
}

/// Scores against random play after the last game.
fn strength(arms: &[ArmResults<'_>]) -> String {
    let rows = arms.iter().map(|arm| {
        let last = arm
            .records
            .iter()
            .filter_map(|record| record.measured.last());
        let scores = last.map(|last| 100.0 * last.points / f64::from(last.of));
        vec![
            arm.arm.name.clone(),
            with_interval(&scores.collect::<Vec<_>>(), 1),
        ]
    });
    table(
        "Strength at the end",
        "Score in colour-swapped pairs of games against random play, with its 95% interval over seeds.",
        "arm | score, %",
        rows,
    )
}

fn or_nothing(text: Option<String>) -> String {
    text.unwrap_or(NOTHING.to_owned())
}

/// A mean with its interval, rounded to `digits`.
fn with_interval(values: &[f64], digits: usize) -> String {
    or_nothing(Estimate::over_seeds(values).map(|found| match found.half {
        Some(half) => format!("{:.digits$} ± {half:.digits$}", found.mean),
        None => format!("{:.digits$}", found.mean),
    }))
}
