//! `tengen-match sprt`: a sequential test.

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use tengen::referee::{MatchReport, ScoreBoard};
use tengen::stats::{Sprt, Verdict};

use crate::options::MatchOptions;
use crate::output::{Interrupt, Outcome, print, print_json};
use crate::play::{self, Players, print_folder};
use crate::record;
use crate::session::SessionObserver;

/// Test whether the first engine is stronger: a generalised SPRT on colour-swapped pairs.
///
/// The match stops when it is decided between "stronger by elo1" and "stronger by elo0" at the
/// error rates alpha and beta, or after the maximum number of games. A stopped test can be
/// continued with more games only if it was undecided.
#[derive(Args)]
pub(crate) struct SprtArgs {
    #[command(flatten)]
    players: Players,
    /// Null hypothesis: the first engine is stronger by this much
    #[arg(long, default_value_t = 0.0, allow_negative_numbers = true)]
    elo0: f64,
    /// Alternative: it is stronger by this much
    #[arg(long, default_value_t = 20.0, allow_negative_numbers = true)]
    elo1: f64,
    /// Probability of accepting elo1 when elo0 is true
    #[arg(long, default_value_t = 0.05)]
    alpha: f64,
    /// Probability of accepting elo0 when elo1 is true
    #[arg(long, default_value_t = 0.05)]
    beta: f64,
    /// Maximum number of games
    #[arg(long, default_value_t = 3000, value_name = "N")]
    games: usize,
    #[command(flatten)]
    options: MatchOptions,
}

/// Report of a test.
#[derive(Serialize)]
struct SprtReport {
    /// The test.
    test: Sprt,
    /// Logarithm of the likelihood ratio.
    llr: f64,
    /// The bounds of the ratio.
    bounds: (f64, f64),
    /// The verdict.
    verdict: Verdict,
    /// The match.
    #[serde(flatten)]
    report: MatchReport,
}

/// Runs the subcommand.
pub(crate) fn run(args: &SprtArgs, interrupt: &Interrupt) -> Result<Outcome> {
    ensure!(
        args.games >= 2,
        "--games must be at least 2: the test counts pairs"
    );
    let test = Sprt::new(args.elo0, args.elo1, args.alpha, args.beta)?;
    let options = &args.options;
    let session = play::session(&args.players, options, args.games, interrupt)?;
    let pair = session.pair();
    let games = session.play(&Test { test, pair })?;
    let report = session.report(pair, &games);
    record::keep(&options.out, std::slice::from_ref(&report))?;
    let report = SprtReport {
        test,
        llr: test.llr(&report.counts.pairs),
        bounds: test.bounds(),
        verdict: test.verdict(&report.counts.pairs),
        report,
    };
    if options.json {
        print_json(&report)?;
        return Ok(Outcome::of(&games));
    }
    print(&report.report)?;
    let (lower, upper) = report.bounds;
    let meaning = match report.verdict {
        Verdict::AcceptElo0 => format!("accepted: {:+} Elo (H0)", test.elo0),
        Verdict::AcceptElo1 => format!("accepted: {:+} Elo (H1)", test.elo1),
        Verdict::Continue => "undecided".to_owned(),
    };
    print(format_args!(
        "  LLR {:+.2} in ({lower:+.2}, {upper:+.2}); {meaning}\n",
        report.llr
    ))?;
    print_folder(options)?;
    Ok(Outcome::of(&games))
}

/// Stops the match when the test has its verdict.
struct Test<'a> {
    test: Sprt,
    pair: [&'a str; 2],
}

impl SessionObserver for Test<'_> {
    fn state(&self, board: &ScoreBoard) -> String {
        let [first, second] = self.pair;
        let score = board.meeting(first, second);
        let (lower, upper) = self.test.bounds();
        let llr = self.test.llr(&score.pairs);
        let summary = score.summary();
        format!("LLR {llr:+.2} ({lower:+.2}, {upper:+.2})  {first} {summary}")
    }

    fn is_decided(&self, board: &ScoreBoard) -> bool {
        let [first, second] = self.pair;
        let pairs = board.meeting(first, second).pairs;
        self.test.verdict(&pairs) != Verdict::Continue
    }
}
