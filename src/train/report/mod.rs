//! How a run goes, as one HTML file that needs nothing beside it. It is written again and again
//! while the run goes on, and a browser that shows it follows.

mod charts;
mod page;

use super::TrainError;
use super::cycle::{Encounter, Generation, Place, Rated, network_name, next_stage};
use super::durable;
use crate::clock::{date_time, unix_time};

/// Whether the run goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It is being worked on: with what, and when that was written, in UTC.
    Working(String, String),
    /// Its plan is done.
    Finished,
    /// There is more in its plan; whether anybody works on it is not known.
    Unfinished,
}

/// What a report is about.
pub struct Facts {
    /// The folder's name.
    pub name: String,
    /// Side length of the board.
    pub size: u8,
    /// The finished generations.
    pub generations: Vec<Generation>,
    /// The ratings of networks and anchors.
    pub rated: Vec<Rated>,
    /// The matches behind them.
    pub encounters: Vec<Encounter>,
    /// Seconds spent so far.
    pub seconds: f64,
    /// Whether it goes on.
    pub state: State,
}

impl Facts {
    /// Reads the folder of a run; `now` is what whoever works on it does.
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
        let rated = super::cycle::ratings(place, &plan, count)?;
        let elo = |generation| {
            let name = network_name(generation);
            let rated = rated.iter().find(|rated| rated.name == name);
            rated.map(|rated| rated.elo)
        };
        let state = match (next_stage(&plan, &generations, elo), now) {
            (None, _) => State::Finished,
            (Some(_), Some(now)) => State::Working(now.to_owned(), date_time(unix_time(), 0)),
            (Some(_), None) => State::Unfinished,
        };
        Ok(Facts {
            name: name.display().to_string(),
            size: plan.size,
            rated,
            encounters: super::cycle::all_encounters(place, count)?,
            seconds: place.seconds()?,
            state,
            generations,
        })
    }
}

/// Writes the report of a run into its folder; `now` is what whoever works on it does.
///
/// # Errors
/// [`TrainError`] when a file cannot be read or written.
pub fn write(place: &Place, now: Option<&str>) -> Result<(), TrainError> {
    let facts = Facts::read(place, now)?;
    durable::write(&place.report(), page::page(&facts).as_bytes())
}
