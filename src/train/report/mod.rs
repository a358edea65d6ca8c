//! How a run goes, as one HTML file that needs nothing beside it. It is written again and again
//! while the run goes on, and a browser that shows it follows.

mod page;

use super::TrainError;
use super::cycle::{Encounter, Generation, Place, Rated};
use super::durable;

/// What a report is about.
pub struct Facts {
    /// The folder's name.
    pub name: String,
    /// The finished generations.
    pub generations: Vec<Generation>,
    /// The ratings of networks and anchors.
    pub rated: Vec<Rated>,
    /// The matches behind them.
    pub encounters: Vec<Encounter>,
    /// Seconds spent so far.
    pub seconds: f64,
    /// What is going on.
    pub now: Option<String>,
}

impl Facts {
    /// Reads the folder of a run.
    ///
    /// # Errors
    /// [`TrainError`] when the folder holds no run, or a file cannot be read.
    pub fn read(place: &Place, now: Option<&str>) -> Result<Facts, TrainError> {
        let plan = place.plan()?.ok_or_else(|| {
            TrainError::mismatch(place.root(), "it holds no run of tengen-train loop")
        })?;
        let generations = place.generations()?;
        // The matches of a generation that is not finished count, too.
        let count = generations.len() as u32 + 1;
        let name = place.root().file_name().unwrap_or_default();
        Ok(Facts {
            name: name.display().to_string(),
            rated: super::cycle::ratings(place, &plan, count)?,
            encounters: super::cycle::all_encounters(place, count)?,
            seconds: place.seconds()?,
            now: now.map(str::to_owned),
            generations,
        })
    }
}

/// Writes the report of a run into its folder.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub fn write(place: &Place, now: Option<&str>) -> Result<(), TrainError> {
    let facts = Facts::read(place, now)?;
    durable::write(&place.report(), page::page(&facts).as_bytes())
}
