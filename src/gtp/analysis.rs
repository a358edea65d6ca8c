//! Analysis as board programs ask for it and read it: the dialects of Leela Zero and of KataGo.
//!
//! A line is a row of entries `info move ... pv ...`, best move first. Sabaki wants each entry to
//! end in its line of play, floats with a point in KataGo's dialect and whole ten-thousandths in
//! Leela Zero's; Lizzie reads `scoreMean` and `scoreStdev`. There is `scoreLead` only where the search
//! knows of points: from a game without them Sabaki would draw a score graph that is flat.

use std::fmt::Write as _;
use std::time::Duration;

use super::commands::{Arguments, color};
use super::numbers::{Numbers, View, rate};
use super::vertex::{format_vertex, parse_vertex};
use super::{Failure, ownership};
use crate::engine::Engine;
use crate::game::{BoardSize, Color, Move};
use crate::record::Vertex;
use crate::search::{AnalysisOptions, MoveReport, PointsByMove, SearchReport};

/// Time between two lines when the controller names none: what Sabaki asks for.
const DEFAULT_INTERVAL: Duration = Duration::from_millis(500);
/// No line more often than this.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// How numbers are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialect {
    /// `lz-analyze`: ten-thousandths.
    Leela,
    /// `kata-analyze`: floats, and more of them.
    Kata,
}

/// What the controller wants to see.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Analysis {
    /// The side to move.
    pub(super) color: Color,
    /// How often, and without which moves.
    pub(super) options: AnalysisOptions,
    dialect: Dialect,
    size: BoardSize,
    /// Entries, at least and at most.
    least: usize,
    most: usize,
    root_info: bool,
    pv_visits: bool,
    /// Ownership of the board as it is for the side to move, top row first, when it is wanted; what a
    /// search expects takes its place.
    ownership: Option<Vec<f32>>,
}

impl Analysis {
    /// Reads `[COLOUR] [CENTISECONDS] [KEY VALUE]...`; keys and their order are KataGo's. Of
    /// `avoid` and `allow` only what concerns the side to move matters here.
    ///
    /// # Errors
    /// [`Failure::Syntax`].
    pub(super) fn parse(
        args: &Arguments<'_>,
        dialect: Dialect,
        engine: &dyn Engine,
    ) -> Result<Analysis, Failure> {
        let size = engine.size();
        let mut analysis = Analysis {
            color: engine.to_move(),
            options: AnalysisOptions {
                interval: Some(DEFAULT_INTERVAL),
                points: PointsByMove::Lead,
                ..AnalysisOptions::default()
            },
            dialect,
            size,
            least: 0,
            most: usize::MAX,
            root_info: false,
            pv_visits: false,
            ownership: None,
        };
        let (mut avoid, mut allow) = (Vec::new(), Vec::new());
        let mut wants_ownership = false;
        let mut words = args.all().into_iter();
        while let Some(word) = words.next() {
            let key = word.to_ascii_lowercase();
            if let Ok(side) = color(word) {
                analysis.color = side;
            } else if word.bytes().all(|byte| byte.is_ascii_digit()) {
                analysis.options.interval = Some(interval(word)?);
            } else if key == "avoid" || key == "allow" {
                let side = color(words.next().unwrap_or_default())?;
                let points = points(words.next().unwrap_or_default(), size)?;
                number(words.next())?;
                let list = if key == "avoid" {
                    &mut avoid
                } else {
                    &mut allow
                };
                list.push((side, points));
            } else {
                let value = words.next();
                match key.as_str() {
                    "interval" => {
                        analysis.options.interval = Some(interval(value.unwrap_or_default())?)
                    }
                    "minmoves" => analysis.least = number(value)?,
                    "maxmoves" => analysis.most = number(value)?,
                    "rootinfo" => analysis.root_info = truth(value)?,
                    "ownership" => wants_ownership = truth(value)?,
                    "movesownership" => {
                        analysis.options.points = match truth(value)? {
                            true => PointsByMove::Owners,
                            false => PointsByMove::Lead,
                        }
                    }
                    "pvvisits" => analysis.pv_visits = truth(value)?,
                    _ => return Err(Failure::Syntax),
                }
            }
        }
        let own = |list: Vec<(Color, Vec<Move>)>| -> Vec<Vec<Move>> {
            let own = list.into_iter().filter(|(side, _)| *side == analysis.color);
            own.map(|(_, points)| points).collect()
        };
        let (avoid, allow) = (own(avoid).concat(), own(allow));
        let forbidden = |mv: &Move| {
            let allowed = allow.is_empty() || allow.iter().any(|points| points.contains(mv));
            !allowed || avoid.contains(mv)
        };
        let legal = engine.legal_moves(analysis.color).into_iter();
        analysis.options.avoid = legal.filter(forbidden).collect();
        if wants_ownership {
            analysis.ownership = Some(ownership(engine, analysis.color));
        }
        Ok(analysis)
    }

    /// One line; `None` when there is no move to tell of.
    pub(super) fn line(&self, report: &SearchReport) -> Option<String> {
        let wanted = report
            .moves
            .iter()
            .filter(|found| !self.options.avoid.contains(&found.mv));
        let visited = wanted.clone().filter(|found| found.visits > 0).count();
        let entries: Vec<String> = wanted
            .take(visited.max(self.least).max(1).min(self.most))
            .enumerate()
            .map(|(order, found)| match self.dialect {
                Dialect::Leela => self.leela(found, order),
                Dialect::Kata => self.kata(found, report, order),
            })
            .collect();
        if entries.is_empty() {
            return None;
        }
        let mut line = entries.join(" ");
        if self.root_info && self.dialect == Dialect::Kata {
            let root = self.view().of_root(report);
            // Writing to a string cannot fail, here and below.
            let _ = write!(
                line,
                " rootInfo visits {} utility {:.6} winrate {:.6} {}",
                root.visits,
                root.utility,
                root.winrate(),
                score(root)
            );
        }
        if let Some(now) = &self.ownership {
            let expected = report.expected.as_ref();
            let expected = expected.map(|expected| self.view().owners(expected, self.size));
            line.push_str(&owners(
                "ownership",
                &expected.unwrap_or_else(|| now.clone()),
            ));
        }
        Some(line)
    }

    fn leela(&self, found: &MoveReport, order: usize) -> String {
        let parts = |share: f32| (share * 10_000.0).round();
        format!(
            "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}",
            self.vertex(found.mv),
            found.visits,
            parts(rate(found.value)),
            parts(found.prior),
            parts(rate(found.lcb)),
            self.main_line(found),
        )
    }

    fn view(&self) -> View {
        View::of_mover(self.color)
    }

    fn kata(&self, found: &MoveReport, report: &SearchReport, order: usize) -> String {
        let numbers = self.view().of_move(found, report);
        let mut entry = format!(
            "info move {} visits {visits} edgeVisits {visits} utility {:.6} winrate {:.6} \
             {} prior {:.6} lcb {:.6} utilityLcb {:.6} \
             weight {visits}.0 order {order} pv {}",
            self.vertex(found.mv),
            numbers.utility,
            numbers.winrate(),
            score(numbers),
            found.prior,
            numbers.lcb(),
            numbers.utility_lcb,
            self.main_line(found),
            visits = numbers.visits,
        );
        if self.pv_visits {
            let visits: Vec<String> = found.pv_visits.iter().map(u64::to_string).collect();
            let _ = write!(entry, " pvVisits {}", visits.join(" "));
        }
        if self.options.points == PointsByMove::Owners
            && let Some(expected) = &found.expected
        {
            let expected = self.view().owners(expected, self.size);
            entry.push_str(&owners("movesOwnership", &expected));
        }
        entry
    }

    fn vertex(&self, mv: Move) -> String {
        vertex(mv, self.size)
    }

    fn main_line(&self, found: &MoveReport) -> String {
        let line: Vec<String> = found.pv.iter().map(|&mv| self.vertex(mv)).collect();
        line.join(" ")
    }
}

/// By how many points somebody is expected to be ahead.
fn score(numbers: Numbers) -> String {
    match numbers.score {
        None => "scoreMean 0.0 scoreStdev 0.0".to_owned(),
        Some((ahead, deviation)) => {
            format!("scoreMean {ahead:.3} scoreStdev {deviation:.3} scoreLead {ahead:.3}")
        }
    }
}

/// Whose the points are, behind a word.
fn owners(word: &str, all: &[f32]) -> String {
    let mut text = format!(" {word}");
    for owner in all {
        let _ = write!(text, " {owner:.3}");
    }
    text
}

/// A move of a search as GTP writes it: what lies beyond the board is a pass.
pub(super) fn vertex(mv: Move, size: BoardSize) -> String {
    format_vertex(Vertex::of(mv, size), size)
}

fn interval(centiseconds: &str) -> Result<Duration, Failure> {
    let centiseconds: f64 = centiseconds.parse().map_err(|_| Failure::Syntax)?;
    if !centiseconds.is_finite() {
        return Err(Failure::Syntax);
    }
    // A day between two lines is as good as never.
    let seconds = (centiseconds / 100.0).clamp(0.0, 86_400.0);
    Ok(Duration::from_secs_f64(seconds).max(SHORTEST_INTERVAL))
}

fn number(text: Option<&str>) -> Result<usize, Failure> {
    text.and_then(|text| text.parse().ok())
        .ok_or(Failure::Syntax)
}

fn truth(text: Option<&str>) -> Result<bool, Failure> {
    match text.unwrap_or_default() {
        "true" | "1" => Ok(true),
        "false" | "0" => Ok(false),
        _ => Err(Failure::Syntax),
    }
}

/// Points separated by commas; a pass among them says nothing here.
fn points(list: &str, size: BoardSize) -> Result<Vec<Move>, Failure> {
    let mut points = Vec::new();
    for text in list.split(',') {
        if let Vertex::Point(point) = parse_vertex(text, size)? {
            points.push(point);
        }
    }
    Ok(points)
}
