//! `tengen-match sprt`: a sequential test.

use anyhow::{Result, ensure};
use clap::Args;
use serde::Serialize;
use tengen::referee::{EngineSpec, MatchReport, ScoreBoard};
use tengen::stats::{Sprt, Verdict};

use super::output::Interrupt;
use crate::options::MatchOptions;
use crate::outcome::Outcome;
use crate::output::{print, print_json};
use crate::play::{PairMatch, Players};
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
    let pair = PairMatch::new(&args.players, &args.options, args.games)?;
    let session = pair.session(&args.options, interrupt);
    let games = session.play(&Test {
        test,
        engines: &pair.engines,
    })?;
    let report = pair.report(&games);
    record::keep(&args.options.out, std::slice::from_ref(&report))?;
    let report = SprtReport {
        test,
        llr: test.llr(&report.counts.pairs),
        bounds: test.bounds(),
        verdict: test.verdict(&report.counts.pairs),
        report,
    };
    if args.options.json {
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
    print(format_args!(
        "Games are in {}\n",
        args.options.out.display()
    ))?;
    Ok(Outcome::of(&games))
}

/// Stops the match when the test has its verdict.
struct Test<'a> {
    test: Sprt,
    engines: &'a [EngineSpec; 2],
}

impl SessionObserver for Test<'_> {
    fn state(&self, board: &ScoreBoard) -> String {
        let [first, second] = self.engines;
        let score = board.meeting(&first.name, &second.name);
        let (lower, upper) = self.test.bounds();
        let llr = self.test.llr(&score.pairs);
        format!(
            "LLR {llr:+.2} ({lower:+.2}, {upper:+.2})  {} {}",
            first.name,
            score.summary()
        )
    }

    fn is_decided(&self, board: &ScoreBoard) -> bool {
        let [first, second] = self.engines;
        let pairs = board.meeting(&first.name, &second.name).pairs;
        self.test.verdict(&pairs) != Verdict::Continue
    }
}
