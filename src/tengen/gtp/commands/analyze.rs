//! Analysis commands for board programs; the network in use and its raw output; who wins with best play.

use super::Arguments;
use super::board::decision_text;
use super::command::Shown;
use crate::clock::StopReason;
use crate::engine::{AnalysisEffort, AnalysisRequest, Decision, Engine, MoveKind};
use crate::game::{BoardSize, Color, Move, Symmetry};
use crate::gtp::analysis::{Analysis, DEFAULT_INTERVAL};
use crate::gtp::board::{owners, ownership, points_from_top, rows};
use crate::gtp::numbers::{Dialect, rate};
use crate::gtp::{Failure, Reply, Session, format_move, parse_color};
use crate::record::Vertex;
use crate::search::{MoveReport, Observer, SearchReport};

/// Reads a request for an analysis; ignored keys are logged once each. A request that is not refused here succeeds.
pub(super) fn begin(
    session: &mut Session,
    args: &Arguments<'_>,
    dialect: Dialect,
    shown: Shown,
) -> Result<Analysis, Failure> {
    let perspective = session.options.perspective;
    let (engine, ignored) = (&*session.engine, &mut session.ignored);
    let mut analysis = Analysis::parse(args, dialect, perspective, engine, ignored)?;
    let is_analysis = shown == Shown::Analysis;
    // A choice of a move without an interval has one line, at its end, as in KataGo.
    if is_analysis {
        analysis.options.interval.get_or_insert(DEFAULT_INTERVAL);
    }
    analysis.options.root_policy_temperature = session.root.temperature(is_analysis);
    analysis.options.opponent = session.root.opponent(analysis.color);
    if !is_analysis && session.engine.legal_moves(analysis.color).is_empty() {
        // There is nothing to search.
        let decision = session.choose(analysis.color, MoveKind::Named);
        decision_text(decision, &*session.engine)?;
    }
    Ok(analysis)
}

/// Writes the lines of an analysis, that of the chosen move, and the empty line at the end.
pub(super) fn stream(
    session: &mut Session,
    analysis: &Analysis,
    shown: Shown,
    send: &mut dyn FnMut(&str),
) {
    let mut show = |report: &SearchReport| {
        if let Some(line) = analysis.line(report) {
            send(&format!("{line}\n"));
        }
    };
    let (color, options) = (analysis.color, analysis.options.clone());
    let decision = match shown {
        Shown::Analysis => {
            analyze(session, analysis, &mut show);
            return send("\n");
        }
        Shown::Move(kind) => Some(session.choose_shown(color, kind, options, &mut show)),
        Shown::Cancellable => session.name_until_input(color, options, &mut show),
    };
    // At least one line: a search may have ended before its first, and a pass that wins at once needs none.
    let engine = &*session.engine;
    let unsearched = match (engine.last_report(), decision) {
        (None, Some(Decision::Play(Vertex::Pass))) => pass_at_end(engine, color),
        _ => None,
    };
    if let Some(report) = engine.last_report().or(unsearched.as_ref()) {
        show(report);
    }
    let text = decision.map_or(Ok("cancelled".to_owned()), |decision| {
        decision_text(decision, &*session.engine)
    });
    if let Ok(text) = text {
        send(&format!("play {text}\n"));
    }
    send("\n");
}

/// Analyses until there is any input. If the search ends by itself, because all is proven or
/// memory is full, its last line stays.
fn analyze(session: &mut Session, analysis: &Analysis, show: &mut Observer<'_>) {
    let engine = &mut *session.engine;
    let last = session.interrupts.until_input(|stop| {
        let request = AnalysisRequest::new(analysis.color, AnalysisEffort::Endless, stop)
            .with(analysis.options.clone());
        let last = engine.analyse(&request, show);
        last.filter(|_| !stop.is_raised())
    });
    if let Some(report) = last {
        show(&report);
    }
    session.interrupts.wait_for_input();
}

/// A report of a pass that was played without a search, if it has ended the game with a certain result.
fn pass_at_end(engine: &dyn Engine, color: Color) -> Option<SearchReport> {
    let outcome = engine.outcome().filter(|_| !engine.agrees_on_dead())?;
    let proof = outcome.proof_for(color);
    let mut pass = MoveReport::unsearched(engine.size().pass(), 1.0);
    pass.prove(proof);
    // All stones count as they stand, with any owners.
    let count = engine.settle_as(vec![0.0; engine.size().area()]);
    Some(SearchReport {
        value: proof.value(),
        proof: Some(proof),
        expected: count.map(|count| count.as_estimate(|point| engine.stone(point))),
        ..SearchReport::unsearched(vec![pass], StopReason::OnlyMove)
    })
}

/// The network's raw output in KataGo's format: `[COLOUR] [SYMMETRY]`, where the symmetry may be `all`.
pub(super) fn kata_raw_nn(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let mut words = args.all().into_iter().peekable();
    let named = words.next_if(|word| parse_color(word).is_ok());
    let color = named.map_or(Ok(session.engine.to_move()), parse_color)?;
    let word = words.next().unwrap_or("0");
    let numbers = match word.parse() {
        Ok(number @ 0..SYMMETRIES) => number..number + 1,
        _ if word.eq_ignore_ascii_case("all") => 0..SYMMETRIES,
        _ => {
            let known = "symmetry: a number from 0 to 7, or all";
            return Err(Failure::wrong(word, known));
        }
    };
    let mut output = |number| -> Reply {
        let symmetry = katago_symmetry(number, session.engine.size());
        let output = raw_output(session, color, symmetry)?;
        Ok(format!("symmetry {number}\n{output}"))
    };
    let outputs: Result<Vec<String>, Failure> = numbers.map(&mut output).collect();
    Ok(outputs?.join("\n"))
}

/// Number of KataGo's symmetries; boards that are not square have half of them, twice.
const SYMMETRIES: u8 = 8;

/// KataGo's symmetry of this number: bit 2 transposes, bit 0 then mirrors rows and bit 1 columns
/// (`copyWithSymmetry` in `cpp/neuralnet/nninputs.cpp`). Its rows are counted from the top, and a transposition there
/// is one here with both mirrored.
fn katago_symmetry(number: u8, size: BoardSize) -> Symmetry {
    let transposed = number & 4 != 0 && size.is_square();
    let (rows, columns) = (number & 1, (number >> 1) & 1);
    let ours = match transposed {
        true => 4 | (columns ^ 1) << 1 | rows ^ 1,
        false => rows << 1 | columns,
    };
    let mut all = Symmetry::all(size);
    all.nth(ours.into()).unwrap_or(Symmetry::IDENTITY)
}

/// The raw output under a symmetry, turned back. Error estimates, and scores that this game or this network does not
/// have, are 0; illegal moves are `NAN`.
fn raw_output(session: &mut Session, color: Color, symmetry: Symmetry) -> Reply {
    let report = session.look(color, AnalysisEffort::Network(symmetry));
    let engine = &*session.engine;
    let value = match (&report, engine.outcome()) {
        // Numbers from playouts would be mistaken for a network's.
        (Some(report), _) if !report.by_network() => {
            return Err(Failure::Refused(
                "no network is in use: tengen-network says why",
            ));
        }
        (Some(report), _) => report.value,
        (None, Some(outcome)) => outcome.value_for(color),
        (None, None) => return Err(Failure::NO_SEARCH),
    };
    let expected = report.as_ref().and_then(|report| report.expected.as_ref());
    let (lead, square) = match (expected, engine.outcome()) {
        (Some(expected), _) => {
            let lead = -expected.black_ahead;
            (lead, lead.powi(2) + expected.deviation.powi(2))
        }
        (None, Some(outcome)) => {
            let margin = outcome.margin.map_or(0.0, |margin| margin.0 as f32 / 2.0);
            // Not -0, for a result without points.
            let lead = margin * outcome.value_for(Color::White) + 0.0;
            (lead, lead.powi(2))
        }
        (None, None) => (0.0, 0.0),
    };
    let owners = match expected {
        Some(expected) => owners(expected, engine.size(), Color::White),
        None => ownership(engine, Color::White),
    };
    let moves = report.map(|report| report.moves).unwrap_or_default();
    let white = rate(-color.signed(value));
    let mut lines = vec![
        format!("whiteWin {white:.6}"),
        format!("whiteLoss {:.6}", 1.0 - white),
        "noResult 0.000000".to_owned(),
        format!("whiteLead {lead:.3}"),
        format!("whiteScoreSelfplay {lead:.3}"),
        format!("whiteScoreSelfplaySq {square:.3}"),
        "varTimeLeft 0.000".to_owned(),
        "shorttermWinlossError 0.000".to_owned(),
        "shorttermScoreError 0.000".to_owned(),
        "policy".to_owned(),
    ];
    let prior = |point: Move| {
        let found = moves.iter().find(|found| found.mv == point);
        found.map_or_else(|| "NAN".to_owned(), |found| format!("{:.6}", found.prior))
    };
    lines.push(rows(
        points_from_top(engine.size()).map(prior),
        engine.size(),
    ));
    lines.push(format!("policyPass {}", prior(engine.size().pass())));
    lines.push("whiteOwnership".to_owned());
    let owners = owners.iter().map(|owner| format!("{owner:.3}"));
    lines.push(rows(owners, engine.size()));
    Ok(lines.join("\n"))
}

/// The network and backend in use, and those that were skipped or failed before.
pub(super) fn network(session: &mut Session, _: &Arguments<'_>) -> Reply {
    let log = session.engine.thinker_log();
    if log.is_empty() {
        return Ok("nothing is loaded before the first search".to_owned());
    }
    Ok(log.join("\n"))
}

/// Pairs of a name and a word on one line; `line` comes last and takes the rest. `winner` is
/// `nobody` in a draw, and `unknown` if the time was too short.
pub(super) fn solve(session: &mut Session, args: &Arguments<'_>) -> Reply {
    let (color, time) = args.color_and_time(session.engine.to_move())?;
    let solution = session.until_interrupted(|engine, stop| engine.solve(color, time, stop));
    let solution = solution.ok_or(Failure::Refused("this game has no solver"))?;
    let winner = match solution.outcome {
        None => "unknown".to_owned(),
        Some(outcome) => outcome
            .winner
            .map_or("nobody".to_owned(), |winner| winner.to_string()),
    };
    let size = session.engine.size();
    let line = solution.line.iter();
    let line = line.map(|&mv| format!(" {}", format_move(mv, size)));
    Ok(format!(
        "winner {winner} nodes {} seconds {:.3} line{}",
        solution.nodes,
        solution.elapsed.as_secs_f64(),
        line.collect::<String>(),
    ))
}
