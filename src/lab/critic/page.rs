//! The page of a plan's runs, and its tables as Markdown, updated while they run.

use std::path::Path;

use super::anchor::Anchor;
use super::lesson::Played;
use super::plan::CriticPlan;
use super::record::{ArmResults, OPPONENT, OpponentScore, read_results};
use super::tables::tables;
use tengen::chart::{Chart, Scale, Series, escape};
use tengen::clock::{date_time, unix_time};
use tengen_train::TrainError;
use tengen_train::cycle::load;
use tengen_train::cycle::report::{RELOAD_SECONDS, head};
use tengen_train::durable;

/// Reads the records in a folder, and writes `report.html` and `tables.md` there. While it is
/// `running` the page reloads itself.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub(super) fn write(plan: &CriticPlan, folder: &Path, running: bool) -> Result<(), TrainError> {
    let results = read_results(plan, folder)?;
    let tables = tables(plan, &results);
    let opponent: Option<OpponentScore> = load(&folder.join(OPPONENT))?;
    let opponent = opponent.map_or(String::new(), |opponent| {
        let (share, games) = (100.0 * opponent.score, opponent.games);
        format!("The opponent scores {share:.1}% of {games} games against random play.")
    });
    let markdown: String = tables.iter().map(|table| table.markdown()).collect();
    let markdown = format!(
        "# {}\n\nWritten by `tengen-lab critic`; {} seeds. {opponent}\n\n{markdown}",
        plan.title,
        plan.seeds.len()
    );
    durable::write(&folder.join("tables.md"), markdown.as_bytes())?;
    let figures: String = charts(plan, &results).iter().map(Chart::figure).collect();
    let tables: String = tables.iter().map(|table| table.html()).collect();
    let title = escape(&plan.title);
    let page = format!(
        "{}<h1>{title}</h1><p class=\"state\">{}</p>\
         <p class=\"facts\">{} {}x{}, {} hidden nodes, {} seeds. {opponent}</p><main>{figures}</main>{tables}\
         </html>\n",
        head(&title, running),
        state(&results, running),
        escape(&plan.game),
        plan.size,
        plan.size,
        plan.hidden,
        plan.seeds.len(),
    );
    durable::write(&folder.join("report.html"), page.as_bytes())
}

/// Progress of the runs.
fn state(results: &[ArmResults<'_>], running: bool) -> String {
    let finished: usize = results.iter().map(|arm| arm.finished().count()).sum();
    let begun: usize = results.iter().map(|arm| arm.records.len()).sum();
    match running {
        true => format!(
            "Running: {finished} runs are finished, {} have begun. <small>As of {} UTC; the page \
             reloads itself every {RELOAD_SECONDS} seconds. If that time stands still, it was \
             stopped: the same command continues it.</small>",
            begun - finished,
            date_time(unix_time(), 0)
        ),
        false => format!("Finished: {finished} runs."),
    }
}

fn charts<'a>(plan: &CriticPlan, results: &[ArmResults<'_>]) -> Vec<Chart<'a>> {
    let curves = |figure: fn(&Played) -> f64| -> Vec<Series> {
        results.iter().map(|arm| arm.curve(figure)).collect()
    };
    let mut charts = vec![Chart {
        title: "Wins against its opponent",
        note: "Share of 200 games, all seeds together; games with drawn moves among them.",
        x_label: "games",
        scale: Scale::Percent,
        series: curves(|played| f64::from(u8::from(played.won()))),
    }];
    let points = curves(|played| played.points[0].into());
    if points
        .iter()
        .flat_map(|series| &series.points)
        .any(|point| point.y > 1.0)
    {
        charts.push(Chart {
            title: "Area",
            note: "The critic's points at the end of a game: mean of 200 games, all seeds together.",
            x_label: "games",
            scale: Scale::Linear,
            series: points,
        });
    }
    charts.push(Chart {
        title: "Length of games",
        note: "Plies, passes among them; a game is counted as it stands after four a point.",
        x_label: "games",
        scale: Scale::Linear,
        series: curves(|played| played.plies.into()),
    });
    for &against in plan.measure.iter().flat_map(|measure| &measure.against) {
        charts.push(Chart {
            title: match against {
                Anchor::Random => "Strength: score against random play",
                Anchor::Rave(_) => "Strength: score against RAVE",
            },
            note: "In colour-swapped pairs of games; bars are 95% intervals over seeds.",
            x_label: "games",
            scale: Scale::Percent,
            series: results.iter().map(|arm| arm.strength(against)).collect(),
        });
    }
    charts
}
