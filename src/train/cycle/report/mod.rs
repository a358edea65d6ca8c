//! The report of a run as a self-contained HTML file. It is rewritten during the run, and an open
//! browser reloads it.

mod charts;
mod data;
mod machines;
mod page;

pub use data::{ReportData, RunState};
pub use page::STYLE;

use crate::TrainError;
use crate::cycle::RunFolder;
use crate::durable;

/// Writes the report of a run into its folder; `now` is the step in progress.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub fn write(run_folder: &RunFolder, now: Option<&str>) -> Result<(), TrainError> {
    let data = ReportData::read(run_folder, now)?;
    durable::write(&run_folder.report(), page::page(&data).as_bytes())
}
