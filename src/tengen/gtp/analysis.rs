//! Analysis in the formats of board programs: the dialects of Leela Zero, of KataGo and of CGOS.
//!
//! A line is a sequence of entries `info move ... pv ...`, best move first. Sabaki needs each entry
//! to end in its line of play, floats with a decimal point in KataGo's dialect and integer
//! ten-thousandths in Leela Zero's; Lizzie reads `scoreMean` and `scoreStdev`. `scoreLead` is only
//! sent if the search knows of points: otherwise Sabaki would draw a flat score graph. The client of CGOS passes a line of
//! JSON to its server, and the server to spectators
//! (<https://github.com/zakki/cgos/wiki/GTP-tournament-game-expansion>).

use std::fmt::Write as _;
use std::time::Duration;

use serde_json::{Value, json};

use super::board::{self, format_move, format_moves, move_names, ownership, parse_vertex};
use super::commands::{Arguments, truth};
use super::numbers::{Dialect, Numbers, Perspective, View, set, told};
use super::session::Ignored;
use super::{Failure, parse_color};
use crate::engine::Engine;
use crate::game::{BoardSize, Color, Move};
use crate::search::{AnalysisOptions, MoveReport, PointsByMove, Purpose, SearchReport};

/// Interval between the lines of an analysis that asks for none: Sabaki's.
pub(super) const DEFAULT_INTERVAL: Duration = Duration::from_millis(500);
/// Maximum number of moves for CGOS, which keeps all of it in the game's record.
const CGOS_MOVES: usize = 10;
/// Minimum interval between lines.
const SHORTEST_INTERVAL: Duration = Duration::from_millis(10);

/// Keys that are followed by a value.
#[rustfmt::skip]
const KEYS: &[&str] = &[
    "interval", "minmoves", "maxmoves", "avoid", "allow", "rootinfo", "ownership", "movesownership",
    "pvvisits",
];

/// Whether a word is a key and therefore not a value.
fn is_key(word: &str) -> bool {
    KEYS.iter().any(|key| word.eq_ignore_ascii_case(key))
}

/// Moves of a side that a client excludes from searches, or to which it limits them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Restriction {
    pub(super) color: Color,
    pub(super) moves: Vec<Move>,
    /// Whether these moves, and those of other such restrictions, are the only ones that may be searched.
    pub(super) only: bool,
}

/// The legal moves of a side that are not to be searched.
pub(super) fn avoided(restrictions: &[Restriction], side: Color, legal: &[Move]) -> Vec<Move> {
    let own = |only| {
        let all = restrictions.iter();
        all.filter(move |own| own.color == side && own.only == only)
    };
    let names = |only, mv: &Move| own(only).any(|own| own.moves.contains(mv));
    let limited = own(true).next().is_some();
    let forbids = |mv: &Move| names(false, mv) || limited && !names(true, mv);
    legal.iter().copied().filter(forbids).collect()
}

/// A parsed analysis request.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Analysis {
    /// The side to move.
    pub(super) color: Color,
    /// Interval, if it is given, and moves to avoid.
    pub(super) options: AnalysisOptions,
    /// Whose view the numbers are.
    perspective: Perspective,
    dialect: Dialect,
    size: BoardSize,
    /// Minimum and maximum number of entries.
    least: usize,
    most: usize,
    root_info: bool,
    pv_visits: bool,
    /// Current ownership of the board for the side to move, top row first, if requested; replaced
    /// by the search's estimate.
    ownership: Option<Vec<f32>>,
}

impl Analysis {
    /// Parses `[COLOUR] [CENTISECONDS] [KEY VALUE]...`; keys and their order are KataGo's. `avoid` and `allow` are for
    /// the first move: only entries for the side to move matter here. An unknown or unsupported
    /// key is ignored with its value, and noted.
    ///
    /// # Errors
    /// [`Failure::Syntax`], and [`Failure::AllExcluded`] where they leave no legal move.
    pub(super) fn parse(
        args: &Arguments<'_>,
        dialect: Dialect,
        perspective: Perspective,
        engine: &dyn Engine,
        ignored: &mut Ignored,
    ) -> Result<Analysis, Failure> {
        let mut analysis = Analysis {
            color: engine.to_move(),
            options: AnalysisOptions {
                points: PointsByMove::Lead,
                purpose: Purpose::ShownMove,
                ..AnalysisOptions::default()
            },
            perspective: match dialect {
                Dialect::Cgos => Perspective::Mover,
                Dialect::Leela | Dialect::Kata => perspective,
            },
            dialect,
            size: engine.size(),
            least: 0,
            most: usize::MAX,
            root_info: false,
            pv_visits: false,
            ownership: None,
        };
        let mut restrictions = Vec::new();
        let mut wants_ownership = dialect == Dialect::Cgos;
        let mut words = args.all().into_iter().peekable();
        while let Some(word) = words.next() {
            let key = word.to_ascii_lowercase();
            if let Ok(side) = parse_color(word) {
                analysis.color = side;
                continue;
            }
            if word.starts_with(|first: char| first.is_ascii_digit()) {
                analysis.options.interval = Some(interval(word, Some(word))?);
                continue;
            }
            if key == "avoid" || key == "allow" {
                let (restriction, depth) = restriction(&key, &mut words, engine.size())?;
                restrictions.push(restriction);
                if depth > 1 {
                    let text =
                        "avoid and allow restrict the first move only, independent of the depth";
                    ignored.warn(text);
                }
                continue;
            }
            let value = words.next_if(|next| !is_key(next));
            match key.as_str() {
                "interval" => analysis.options.interval = Some(interval(&key, value)?),
                "minmoves" => analysis.least = number(&key, value)?,
                "maxmoves" => analysis.most = number(&key, value)?,
                "rootinfo" => analysis.root_info = flag(&key, value)?,
                "ownership" => wants_ownership = flag(&key, value)?,
                "movesownership" => {
                    analysis.options.points = match flag(&key, value)? {
                        true => PointsByMove::Owners,
                        false => PointsByMove::Lead,
                    }
                }
                "pvvisits" => analysis.pv_visits = flag(&key, value)?,
                _ => match value {
                    Some(_) => ignored.note(word),
                    None => return Err(Failure::wrong(word, "colour, time or key with a value")),
                },
            }
        }
        let legal = engine.legal_moves(analysis.color);
        analysis.options.avoid = avoided(&restrictions, analysis.color, &legal);
        if !legal.is_empty() && analysis.options.avoid.len() == legal.len() {
            return Err(Failure::AllExcluded(analysis.color));
        }
        if wants_ownership {
            analysis.ownership = Some(ownership(engine, analysis.view().side));
        }
        Ok(analysis)
    }

    /// One line; `None` if there is no move to report.
    pub(super) fn line(&self, report: &SearchReport) -> Option<String> {
        let told = told(report, &self.options.avoid, self.least, self.most);
        let entry: fn(&Analysis, &MoveReport, &SearchReport, usize) -> String = match self.dialect {
            Dialect::Cgos => return self.cgos(report, &told),
            Dialect::Leela => Analysis::leela,
            Dialect::Kata => Analysis::kata,
        };
        let entries = told.into_iter().enumerate();
        let entries = entries.map(|(order, found)| entry(self, found, report, order));
        let entries: Vec<String> = entries.collect();
        if entries.is_empty() {
            return None;
        }
        let mut line = entries.join(" ");
        if self.root_info && self.dialect == Dialect::Kata {
            let root = self.view().of_root(report);
            // Writing to a string cannot fail, here and below.
            let _ = write!(
                line,
                " rootInfo visits {visits} utility {:.6} winrate {:.6} {} weight {visits}.0",
                root.utility,
                root.winrate(),
                score(root),
                visits = root.visits,
            );
        }
        if let Some(all) = self.owners(report) {
            line.push_str(&owners("ownership", &all));
        }
        Some(line)
    }

    /// Ownership, if requested.
    fn owners(&self, report: &SearchReport) -> Option<Vec<f32>> {
        let now = self.ownership.as_ref()?;
        let expected = report.expected.as_ref();
        let expected =
            expected.map(|expected| board::owners(expected, self.size, self.view().side));
        Some(expected.unwrap_or_else(|| now.clone()))
    }

    /// The line for the CGOS client.
    fn cgos(&self, report: &SearchReport, told: &[&MoveReport]) -> Option<String> {
        let view = self.view();
        let moves = told.iter().take(CGOS_MOVES).map(|found| {
            let line = move_names(&found.pv, self.size);
            cgos_move(view.of_move(found, report), found.prior, &line)
        });
        let moves: Vec<_> = moves.collect();
        let owners = self.owners(report).unwrap_or_default();
        (!moves.is_empty()).then(|| cgos_line(view.of_root(report), moves, &owners))
    }

    fn leela(&self, found: &MoveReport, report: &SearchReport, order: usize) -> String {
        let numbers = self.view().of_move(found, report);
        let parts = |share: f32| (share * 10_000.0).round();
        format!(
            "info move {} visits {} winrate {} prior {} lcb {} order {order} pv {}",
            format_move(found.mv, self.size),
            found.visits,
            parts(numbers.winrate()),
            parts(found.prior),
            parts(numbers.lcb()),
            format_moves(&found.pv, self.size),
        )
    }

    fn view(&self) -> View {
        self.perspective.view(self.color)
    }

    fn kata(&self, found: &MoveReport, report: &SearchReport, order: usize) -> String {
        let numbers = self.view().of_move(found, report);
        let mut entry = format!(
            "info move {} visits {visits} edgeVisits {visits} utility {:.6} winrate {:.6} \
             {} prior {:.6} lcb {:.6} utilityLcb {:.6} \
             weight {visits}.0 order {order} pv {}",
            format_move(found.mv, self.size),
            numbers.utility,
            numbers.winrate(),
            score(numbers),
            found.prior,
            numbers.lcb(),
            numbers.utility_lcb,
            format_moves(&found.pv, self.size),
            visits = numbers.visits,
        );
        // Positions reached by several lines are not distinguished: a line's visits are those of
        // its moves.
        if self.pv_visits {
            let visits: Vec<String> = found.pv_visits.iter().map(u64::to_string).collect();
            let _ = write!(entry, " pvVisits {}", visits.join(" "));
        }
        if self.options.points == PointsByMove::Owners
            && let Some(expected) = found.expected.as_ref().or(report.expected.as_ref())
        {
            let expected = board::owners(expected, self.size, self.view().side);
            entry.push_str(&owners("movesOwnership", &expected));
        }
        entry
    }
}

/// The expected score.
fn score(numbers: Numbers) -> String {
    match numbers.score {
        None => "scoreMean 0.0 scoreStdev 0.0".to_owned(),
        Some((ahead, deviation)) => {
            format!(
                "scoreMean {ahead:.3} scoreStdev {deviation:.3} scoreLead {ahead:.3} \
                 scoreSelfplay {ahead:.3}"
            )
        }
    }
}

/// Ownership after a keyword.
fn owners(word: &str, all: &[f32]) -> String {
    let mut text = format!(" {word}");
    for owner in all {
        let _ = write!(text, " {owner:.3}");
    }
    text
}

/// `COLOUR VERTEX,VERTEX,... DEPTH` after `avoid` or `allow`.
fn restriction<'a>(
    key: &str,
    words: &mut impl Iterator<Item = &'a str>,
    size: BoardSize,
) -> Result<(Restriction, usize), Failure> {
    let mut next = || words.next().ok_or_else(|| incomplete(key));
    let (color, moves) = (parse_color(next()?)?, points(next()?, size)?);
    let only = key == "allow";
    match number(key, words.next())? {
        0 => Err(Failure::wrong(
            "0",
            format!("depth for `{key}`: at least 1"),
        )),
        depth => Ok((Restriction { color, moves, only }, depth)),
    }
}

fn interval(key: &str, centiseconds: Option<&str>) -> Result<Duration, Failure> {
    let text = centiseconds.ok_or_else(|| incomplete(key))?;
    let wrong = || Failure::wrong(text, "time in hundredths of a second");
    let centiseconds: f64 = text.parse().map_err(|_| wrong())?;
    if !centiseconds.is_finite() {
        return Err(wrong());
    }
    // A day between two lines means never.
    let seconds = (centiseconds / 100.0).clamp(0.0, 86_400.0);
    Ok(Duration::from_secs_f64(seconds).max(SHORTEST_INTERVAL))
}

fn incomplete(key: &str) -> Failure {
    let value = match key {
        "avoid" | "allow" => "COLOUR VERTEX,VERTEX,... DEPTH",
        _ => "a value",
    };
    Failure::Syntax(format!("`{key}` takes {value}"))
}

fn number(key: &str, text: Option<&str>) -> Result<usize, Failure> {
    let text = text.ok_or_else(|| incomplete(key))?;
    let number = text.parse();
    number.map_err(|_| Failure::wrong(text, format!("whole number for `{key}`")))
}

fn flag(key: &str, text: Option<&str>) -> Result<bool, Failure> {
    truth(text.ok_or_else(|| incomplete(key))?)
}

/// Points separated by commas, a pass among them as its policy index.
fn points(list: &str, size: BoardSize) -> Result<Vec<Move>, Failure> {
    // As in KataGo, empty entries do not count.
    let texts = list.split(',').filter(|text| !text.is_empty());
    let vertices = texts.map(|text| parse_vertex(text, size));
    vertices.map(|vertex| Ok(vertex?.index(size))).collect()
}

/// Characters for the owner of a point: 63 steps from the opponent's to one's own.
const OWNERS: &[u8; 63] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+";

/// A search from the view of the side that moves; `moves` by [`cgos_move`], owners top row first.
fn cgos_line(root: Numbers, moves: Vec<Value>, owners: &[f32]) -> String {
    let mut line = cgos_numbers(root);
    set(&mut line, "moves", moves);
    let owners: String = owners.iter().map(|&owner| owner_letter(owner)).collect();
    set(&mut line, "ownership", owners);
    line.to_string()
}

/// A move with its principal variation.
fn cgos_move(numbers: Numbers, prior: f32, line: &[String]) -> Value {
    let (mv, rest) = line.split_first().unzip();
    let mut info = cgos_numbers(numbers);
    set(&mut info, "move", json!(mv));
    set(&mut info, "prior", four_places(prior));
    set(&mut info, "pv", rest.unwrap_or_default().join(" "));
    info
}

/// Fields shared by moves and root; without a score if none is known.
fn cgos_numbers(numbers: Numbers) -> Value {
    let mut told = json!({ "winrate": four_places(numbers.winrate()), "visits": numbers.visits });
    if let Some((ahead, _)) = numbers.score {
        set(&mut told, "score", four_places(ahead));
    }
    told
}

fn four_places(value: f32) -> Value {
    json!((f64::from(value) * 1e4).round() / 1e4)
}

fn owner_letter(owner: f32) -> char {
    let steps = (OWNERS.len() - 1) as f32;
    let step = ((owner + 1.0) / 2.0).clamp(0.0, 1.0) * steps;
    let letter = OWNERS.get(step.round() as usize);
    letter.copied().map_or('f', char::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_json_as_the_wiki_has_it() {
        let numbers = |score| Numbers {
            visits: 7,
            utility: 0.5,
            utility_lcb: 0.0,
            score,
        };
        let pv = ["D4", "E5", "pass"].map(str::to_owned);
        let told = cgos_move(numbers(Some((2.5, 1.0))), 0.25, &pv);
        let line = cgos_line(numbers(None), vec![told], &[-1.0, 0.0, 1.0, 7.0]);
        let read: Value = serde_json::from_str(&line).unwrap();
        let expected = json!({
            "winrate": 0.75, "visits": 7, "ownership": "Af++",
            "moves": [{"move": "D4", "winrate": 0.75, "visits": 7, "score": 2.5, "prior": 0.25, "pv": "E5 pass"}],
        });
        assert_eq!(read, expected);
        assert!(!line.contains('\n'));
    }
}
