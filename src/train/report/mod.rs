//! How a run goes, as one HTML file that needs nothing beside it. It is written again and again
//! while the run goes on, and a browser that shows it follows.

mod charts;
mod data;
mod page;

pub use data::{ReportData, RunState};
pub(super) use page::STYLE;

use super::TrainError;
use super::cycle::RunFolder;
use super::durable;

/// Writes the report of a run into its folder; `now` is the step in progress.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub fn write(run_folder: &RunFolder, now: Option<&str>) -> Result<(), TrainError> {
    let data = ReportData::read(run_folder, now)?;
    durable::write(&run_folder.report(), page::page(&data).as_bytes())
}
