//! The report of a run as a self-contained HTML file. It is rewritten during the run, and an open
//! browser reloads it.

mod charts;
mod page;

pub use page::write;

use crate::TrainError;
use crate::cycle::generation::stage_of;
use crate::cycle::{CyclePlan, Generation, Machine, RatedPlayer, RunFolder, ratings};
use tengen::clock::{date_time, unix_time};
use tengen::games::GAMES;

/// A run whose plan is not complete.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Working {
    /// The current step, as a sentence.
    pub on: String,
    /// The time of the report in UTC.
    pub time: String,
}

/// What a report is about.
pub struct ReportData {
    /// The folder's name.
    pub name: String,
    /// The game and its boards as text.
    pub game: String,
    /// The finished generations.
    pub generations: Vec<Generation>,
    /// The ratings of networks and anchors.
    pub rated: Vec<RatedPlayer>,
    /// Seconds spent so far.
    pub seconds: f64,
    /// What the run does, until its plan is complete.
    pub working: Option<Working>,
    /// The other machines that play for it, each with the seconds since its last report.
    pub machines: Vec<(Machine, f64)>,
}

/// The game and its boards, for people.
fn title(plan: &CyclePlan) -> String {
    let game = GAMES.iter().find(|game| game.name == plan.game);
    let game = game.map_or(&*plan.game, |game| game.title);
    let boards = plan.boards().into_iter();
    let boards: Vec<String> = boards.map(|board| board.name()).collect();
    format!("{game} {}", boards.join(", "))
}

impl ReportData {
    /// Reads the folder of a run; `now` is the step in progress.
    ///
    /// # Errors
    /// [`TrainError`] when the folder holds no run, or a file cannot be read.
    pub fn read(
        run_folder: &RunFolder,
        now: &str,
        machines: &[(Machine, f64)],
    ) -> Result<ReportData, TrainError> {
        let plan = run_folder.plan()?.ok_or_else(|| {
            TrainError::mismatch(run_folder.root(), "it holds no run of tengen-train loop")
        })?;
        let generations = run_folder.generations()?;
        // Matches of an unfinished generation count, too.
        let count = generations.len() as u32 + 1;
        let name = run_folder.root().file_name().unwrap_or_default();
        let working = stage_of(&plan, generations.len() as u32).map(|_| Working {
            on: now.to_owned(),
            time: date_time(unix_time(), 0),
        });
        Ok(ReportData {
            name: name.display().to_string(),
            game: title(&plan),
            rated: ratings(&plan, run_folder, count)?,
            seconds: run_folder.seconds()?,
            working,
            machines: machines.to_vec(),
            generations,
        })
    }
}
