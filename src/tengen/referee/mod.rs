//! Matches between engines under the referee's own rules, with statistics of their results.
//!
//! The referee knows the rules of every game, trusts no output of an engine, and never waits for
//! one longer than agreed. Engines are processes; this crate's search and networks are not used
//! here.

mod clock_report;
mod clock_simulation;
mod complaints;
mod counting;
mod error_stream;
mod game;
mod game_end;
mod gomocup_player;
mod gtp_client;
mod gtp_player;
mod live;
mod match_record;
mod match_run;
pub mod opening;
mod player;
mod process;
mod rating_table;
mod referee_clock;
mod refereed_game;
mod report;
pub mod results;
mod score_board;
mod time_control;

use thiserror::Error;

pub use clock_report::{ClockReport, PlyLine};
pub use clock_simulation::{ClockSimulation, TimeReports};
pub use complaints::{Complaint, Complaints};
pub use game::{GameTerms, ScheduledGame};
pub use game_end::{Count, CountBasis, GameEnd, PlayedMove, PlayingOn, Reason};
pub use gtp_client::Fault;
pub use live::LivePlace;
pub use match_record::{MatchRecord, score_sheet};
pub use match_run::{FinishedGame, MatchPlan};
pub use player::{
    ComplaintKind, EngineMessage, EnginePlayer, GameSetup, PlayerMove, REPORT_COMMAND, Reply,
};
pub use process::{EngineProcesses, EngineProtocol, EngineSpec};
pub use rating_table::{RatingRow, RatingTable};
pub use referee_clock::{AnnouncedTime, RefereeClock, TimeForfeit};
pub use refereed_game::{Fixture, Format, RefereedGame, refereed_game, schedule};
pub use report::{Failure, Failures, MatchReport};
pub use score_board::ScoreBoard;
pub use time_control::{BadMatchTimeControl, MatchTimeControl, Periods};

/// Why an engine cannot take part, or openings, results or ratings cannot be used: a sentence for people, who alone tell
/// these reasons apart.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct MatchError(String);
