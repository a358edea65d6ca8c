//! `tengen-match tune`: tunes an engine's parameters by self-play games.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::ExitCode;

use anyhow::{Context, Result, bail, ensure};
use clap::Args;
use serde::{Deserialize, Serialize};
use tengen::referee::results::{GameEntry, MatchTerms};
use tengen::referee::{Complaints, EngineSpec, Format, ScoreBoard, schedule};
use tengen::settings::differences;
use tengen::stats::{Spsa, TunedParameter};
use tengen::system;

use crate::options::{MatchOptions, read_text};
use crate::output::{Interrupt, Progress, exit_code, print, print_json, tell};
use crate::record::quoted;
use crate::session::{Played, RESULTS, Session, Watch, match_terms};

/// Decimal places of parameter values.
const DIGITS: usize = 5;

/// Tune parameters of an engine by games against itself (SPSA).
///
/// Each step changes all parameters at once, randomly up or down, plays against the opposite
/// change, and moves the parameters towards the winner. Verify the result with `sprt` on other
/// openings. Started again with the same --out and options it continues; more --pairs are another
/// tuning, since steps get smaller towards its end.
#[derive(Args)]
pub(crate) struct TuneArgs {
    /// The engine: a command line with {NAME} in place of a parameter's value, such as "tengen gtp
    /// --visits 400 --cpuct {cpuct}"
    #[arg(long, value_name = "COMMAND")]
    engine: String,
    /// A parameter as NAME=START,LEAST..MOST,REACH, such as cpuct=1.1,0.2..4,0.3; once for each.
    /// REACH is the distance of both sides from the centre at the end, ideally worth some 10 to 40
    /// Elo. A parameter written without a decimal point, threads=4,1..8,1, is a whole number
    #[arg(
        long = "parameter",
        required = true,
        value_name = "NAME=VALUES",
        value_parser = parse_parameter
    )]
    parameters: Vec<TunedParameter>,
    /// Pairs of games in all
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pairs: u32,
    #[command(flatten)]
    options: MatchOptions,
}

/// A tuning and its state.
#[derive(Serialize, Deserialize)]
struct Tuning {
    /// Terms that identify a tuning.
    terms: Terms,
    /// Finished steps in order.
    steps: Vec<Step>,
}

#[derive(PartialEq, Serialize, Deserialize)]
struct Terms {
    engine: String,
    parameters: Vec<TunedParameter>,
    pairs: u32,
    /// Pairs of a step: as many as are played at once.
    step_pairs: u32,
    /// Terms of the games, with the engine's command before substitution.
    games: MatchTerms,
}

/// One step.
#[derive(Serialize, Deserialize)]
struct Step {
    /// Values of both sides.
    sides: [Vec<f64>; 2],
    /// Games won minus games lost by the first side.
    won: f64,
    /// Parameters after the step.
    at: Vec<f64>,
    /// Whether an engine complained; its folder is then kept.
    #[serde(default)]
    troubled: bool,
}

/// Runs the subcommand.
pub(crate) fn run(args: &TuneArgs, interrupt: &Interrupt) -> Result<ExitCode> {
    args.options.warn_of_load();
    let terms = terms(args)?;
    let steps = terms.pairs / terms.step_pairs;
    let parameters = terms.parameters.clone();
    let spsa = Spsa::new(parameters, steps, terms.pairs, args.options.game.seed)?;
    let out = &args.options.out;
    fs::create_dir_all(out).with_context(|| out.display().to_string())?;
    let file = out.join("tune.json");
    let mut tuning = open(&file, terms)?;
    let last = tuning.steps.last();
    let mut at = last.map_or_else(|| spsa.start(), |step| step.at.clone());
    let size = tuning.terms.games.board();
    let done = u32::try_from(tuning.steps.len()).context("too many steps")?;
    let mut progress = Progress::new(steps.saturating_sub(done) as usize);
    for step in done + 1..=steps {
        let sides = spsa.sides(step, &at);
        let mut options = args.options.clone();
        options.out = out.join(format!("step-{step:06}"));
        // Other openings in each step.
        options.game.seed = options.game.seed.wrapping_add(u64::from(step));
        let now = values(&tuning.terms, &at);
        let so_far = format!("{} of {steps} steps done ({now})", step - 1);
        let games = play(&options, &tuning.terms, &sides, so_far, interrupt)?;
        let troubled = games.iter().any(GameEntry::is_troubled);
        if troubled {
            tell(format_args!("step {step}:\n{}", Complaints::of(&games)));
        }
        let score = ScoreBoard::of(size, &games).meeting(FIRST, SECOND);
        let won = f64::from(score.wins) - f64::from(score.losses);
        spsa.learn(step, &mut at, won);
        tuning.steps.push(Step {
            sides,
            won,
            at: at.clone(),
            troubled,
        });
        save(&file, &tuning)?;
        // Its games are no longer needed.
        if !troubled {
            fs::remove_dir_all(&options.out).with_context(|| options.out.display().to_string())?;
        }
        progress.game(&values(&tuning.terms, &at));
    }
    progress.finish();
    report(args, &tuning)?;
    let troubled = tuning.steps.iter().filter(|step| step.troubled).count();
    if troubled > 0 {
        tell(format_args!(
            "an engine complained in {troubled} of {steps} steps; their folders are kept in {}\n",
            out.display()
        ));
    }
    Ok(exit_code(troubled > 0))
}

const FIRST: &str = "first";
const SECOND: &str = "second";

/// Terms from the arguments.
fn terms(args: &TuneArgs) -> Result<Terms> {
    let options = &args.options;
    ensure!(
        options.live_board.is_none(),
        "tune has no --live-board: each of its steps is a short match of its own"
    );
    for TunedParameter { name, .. } in &args.parameters {
        ensure!(
            args.engine.contains(&format!("{{{name}}}")),
            "--engine has no {{{name}}}, where the parameter's value belongs"
        );
        let twice = args
            .parameters
            .iter()
            .filter(|parameter| parameter.name == *name);
        ensure!(
            twice.count() == 1,
            "the parameter {name} is given more than once"
        );
    }
    if let Some(name) = left_over(&args.engine, &args.parameters) {
        bail!(
            "--engine has {{{name}}}, and there is no --parameter {name}=START,LEAST..MOST,REACH"
        );
    }
    let step_pairs = u32::try_from(options.game.concurrency.div_ceil(2)).unwrap_or(u32::MAX);
    ensure!(
        args.pairs >= step_pairs,
        "--pairs must be at least the {step_pairs} of a step"
    );
    let rules = options.rules()?;
    let (_, openings, _) = options.openings(&*rules, step_pairs as usize)?;
    // Without parameter values.
    let engine = EngineSpec::new(FIRST, &args.engine);
    Ok(Terms {
        engine: args.engine.clone(),
        parameters: args.parameters.clone(),
        pairs: args.pairs,
        step_pairs,
        games: match_terms(options, &*rules, &options.terms(), &[engine], openings),
    })
}

/// The first name in braces that no parameter has. A shell's `${NAME}` is none of ours.
fn left_over<'a>(engine: &'a str, parameters: &[TunedParameter]) -> Option<&'a str> {
    let pieces: Vec<&str> = engine.split('{').collect();
    let pairs = pieces.iter().zip(pieces.get(1..)?);
    let own = pairs.filter(|(before, _)| !before.ends_with('$'));
    let mut names = own.filter_map(|(_, rest)| Some(rest.split_once('}')?.0));
    names.find(|name| {
        let is_name = |c: char| c.is_ascii_alphanumeric() || "-_".contains(c);
        let known = parameters.iter().any(|parameter| parameter.name == *name);
        !known && !name.is_empty() && name.chars().all(is_name)
    })
}

/// The tuning of this file, which need not exist yet.
fn open(file: &Path, terms: Terms) -> Result<Tuning> {
    if !file.exists() {
        let steps = Vec::new();
        return Ok(Tuning { terms, steps });
    }
    let tuning: Tuning =
        serde_json::from_str(&read_text(file)?).with_context(|| file.display().to_string())?;
    let fields = |terms: &Terms| serde_json::to_value(terms);
    let found = differences(&fields(&terms)?, &fields(&tuning.terms)?);
    ensure!(
        found.is_empty(),
        "{} belongs to another tuning ({}); choose another --out folder, or give the same options",
        file.display(),
        found.join(", ")
    );
    Ok(tuning)
}

/// Replaces the file, on the disk: the games of its steps are then removed.
fn save(file: &Path, tuning: &Tuning) -> Result<()> {
    let text = serde_json::to_string(tuning).context("the tuning")?;
    system::replace(file, text.as_bytes(), true).with_context(|| file.display().to_string())
}

/// The games of a step, in a folder of their own.
fn play(
    options: &MatchOptions,
    terms: &Terms,
    sides: &[Vec<f64>; 2],
    so_far: String,
    interrupt: &Interrupt,
) -> Result<Vec<GameEntry>> {
    let engine = |name, side| EngineSpec::new(name, &command(terms, side));
    let engines = vec![engine(FIRST, &sides[0]), engine(SECOND, &sides[1])];
    let fixtures = schedule(2, Format::RoundRobin, 2 * terms.step_pairs as usize);
    let session = Session::new(options, engines, fixtures, interrupt)?;
    // A step is too short to show a result.
    let state = |_: &ScoreBoard| String::new();
    let before = Some(so_far);
    let Played { games, ended } = session.play(&Watch {
        before,
        ..Watch::of(&state)
    })?;
    if let Some(game) = games.iter().find(|game| game.reason.is_misbehaviour()) {
        // The next start repeats the step.
        let folder = &options.out;
        fs::remove_file(folder.join(RESULTS)).with_context(|| folder.display().to_string())?;
        bail!(
            "{}: game {} ended by {}, which is not caused by parameters: see stderr/ there; \
             started again, the tuning continues with this step",
            folder.display(),
            game.number,
            game.reason
        );
    }
    ended?;
    Ok(games)
}

/// The engine's command line with these values.
fn command(terms: &Terms, values: &[f64]) -> String {
    let parameters = terms.parameters.iter().zip(values);
    parameters.fold(terms.engine.clone(), |command, (parameter, value)| {
        command.replace(
            &format!("{{{}}}", parameter.name),
            &written(parameter, *value),
        )
    })
}

/// A value in an engine's command line.
fn written(parameter: &TunedParameter, value: f64) -> String {
    let digits = if parameter.whole { 0 } else { DIGITS };
    let text = format!("{value:.digits$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// All parameters in one line.
fn values(terms: &Terms, at: &[f64]) -> String {
    let values = terms.parameters.iter().zip(at);
    let words = values.map(|(parameter, at)| format!("{} {at:.3}", parameter.name));
    words.collect::<Vec<_>>().join(", ")
}

/// Prints the result.
fn report(args: &TuneArgs, tuning: &Tuning) -> Result<()> {
    if args.options.json {
        return print_json(tuning);
    }
    let (parameters, steps) = (&tuning.terms.parameters, &tuning.steps);
    let late = &steps[steps.len() / 2..];
    let mean = |parameter: usize| {
        late.iter().map(|step| step.at[parameter]).sum::<f64>() / late.len() as f64
    };
    let means: Vec<f64> = (0..parameters.len()).map(mean).collect();
    let mut text = format!(
        "{:<24} {:>10} {:>10} {:>22}\n",
        "parameter", "start", "end", "mean of the last half"
    );
    for (index, parameter) in parameters.iter().enumerate() {
        let end = steps.last().map_or(parameter.start, |step| step.at[index]);
        let (name, start, mean) = (&parameter.name, parameter.start, means[index]);
        writeln!(text, "{name:<24} {start:>10.4} {end:>10.4} {mean:>22.4}")?;
    }
    let starts: Vec<f64> = parameters.iter().map(|parameter| parameter.start).collect();
    let line = |values: &[f64]| quoted(&command(&tuning.terms, values));
    let out = args.options.out.join("sprt");
    print(format_args!(
        "{text}To verify the result on other openings:\n  tengen-match sprt --seed {} --first {} --second {} --out \
         {}\nwith the same options otherwise, and another book where --openings names one\n",
        args.options.game.seed.wrapping_add(1_000_000),
        line(&means),
        line(&starts),
        quoted(&out.to_string_lossy()),
    ))
}

/// `NAME=START,LEAST..MOST,REACH`.
fn parse_parameter(text: &str) -> Result<TunedParameter, String> {
    let read = || {
        let (name, numbers) = text.split_once('=')?;
        let [start, bounds, reach] = numbers.split(',').collect::<Vec<_>>().try_into().ok()?;
        let (least, most) = bounds.split_once("..")?;
        let number = |text: &str| text.trim().parse::<f64>().ok().filter(|n| n.is_finite());
        let whole = [start, least, most, reach]
            .iter()
            .all(|number| number.trim().parse::<i64>().is_ok());
        let name = name.trim().to_owned();
        (!name.is_empty()).then_some(TunedParameter {
            start: number(start)?,
            least: number(least)?,
            most: number(most)?,
            reach: number(reach)?,
            whole,
            name,
        })
    };
    read()
        .ok_or_else(|| "write NAME=START,LEAST..MOST,REACH, as in cpuct=1.1,0.2..4,0.3".to_owned())
}
