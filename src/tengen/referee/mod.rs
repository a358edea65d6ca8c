//! Matches between engines under the referee's own rules, with statistics of their results.
//!
//! The referee knows the rules of every game, trusts no output of an engine, and never waits for
//! one longer than agreed. Engines are processes; this crate's search and networks are not used
//! here.

mod clock_report;
mod clock_simulation;
mod complaints;
mod count;
mod counting;
mod error_stream;
mod game;
mod gomocup_player;
mod gtp_client;
mod gtp_player;
mod match_record;
mod match_run;
mod observer;
pub mod opening;
mod player;
mod process;
mod rating_table;
mod rating_text;
mod referee_clock;
mod refereed_game;
mod repeats;
mod report;
pub mod results;
mod score_board;
mod score_sheet;
mod time_control;
mod trial;
mod vertex;

pub use clock_report::{ClockReport, PlyLine, visits_by_ply_svg};
pub use clock_simulation::{ClockSimulation, TimeReports};
pub use complaints::{Complaint, Complaints};
pub use count::{Count, CountBasis, PlayingOn};
pub use game::{GameEnd, GameTerms, PlayedMove, Reason, play_game};
pub use gtp_client::{Fault, GtpAnswer, GtpClient};
pub use gtp_player::GtpPlayer;
pub use match_record::{MatchRecord, Origin};
pub use match_run::{FinishedGame, MatchPlan};
pub use observer::{Fixture, Format, MatchObserver, schedule};
pub use opening::{Book, OpeningError};
pub use player::{
    ComplaintKind, EnginePlayer, EngineProtocol, EngineSpec, GameSetup, PlayerMove, REPORT_COMMAND,
    Reply, StartError, UnsuitableEngine,
};
pub use process::{CommandLineError, EngineProcesses, SpawnError, guard_engines};
pub use rating_table::{RatingError, RatingOptions, RatingRow, RatingTable};
pub use referee_clock::{AnnouncedTime, RefereeClock, TimeForfeit};
pub use refereed_game::{RefereedGame, refereed_game};
pub use report::{Failure, Failures, FaultsInCounting, MatchReport};
pub use score_board::ScoreBoard;
pub use score_sheet::{score_sheet, sgf_result};
pub use time_control::{BadMatchTimeControl, MatchTimeControl, TimeCommands};
