//! A book of openings, with optional results of long searches.
//!
//! ```text
//! C8 F7 H1 G7  # judged by 400000 visits: E5 +0.123 (210000), D4 +0.101 (99001)
//! ```
//!
//! The result is a comment for programs that only read the moves (`tengen-match --openings`). Each
//! move is followed by its value for the side to move, in [-1, 1], and its visits; the move to play
//! comes first.

use anyhow::{Context as _, ensure};
use tengen::command::position;
use tengen::game::{BoardSize, Color, Game, Move};
use tengen::gtp::{format_vertex, parse_vertex};
use tengen::record::{GameRecord, Play, Vertex};
use tengen::search::SearchReport;

/// Start of the comment.
const JUDGED: &str = "judged by ";
/// Moves with fewer than 1/this of the visits are left out: their values are unreliable.
const MIN_SHARE: u64 = 2_000;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Opening {
    /// The game so far.
    pub(super) record: GameRecord,
    /// The side to move.
    pub(super) to_move: Color,
    /// Result of a long search, if any.
    pub(super) verdict: Option<Verdict>,
}

/// A search's result for a position.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Verdict {
    /// Intended visits; fewer may have sufficed for a proof.
    pub(super) visits: u64,
    /// At least one, the move to play first.
    pub(super) moves: Vec<JudgedMove>,
}

/// A move of that position.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct JudgedMove {
    pub(super) mv: Move,
    /// In [-1, 1] for the side to move.
    pub(super) value: f32,
    pub(super) visits: u64,
}

impl Verdict {
    /// From a finished search with this visit limit; `None` if the game is over.
    pub(super) fn of(report: &SearchReport, visits: u64) -> Option<Verdict> {
        let least = report.visits / MIN_SHARE;
        let moves = report.moves.iter().enumerate();
        let moves = moves.filter(|(place, found)| *place == 0 || found.visits >= least.max(1));
        let moves: Vec<JudgedMove> = moves
            .map(|(_, found)| JudgedMove {
                mv: found.mv,
                value: found.value,
                visits: found.visits,
            })
            .collect();
        (!moves.is_empty()).then_some(Verdict { visits, moves })
    }

    /// As the comment of a line.
    pub(super) fn to_text(&self, size: BoardSize) -> String {
        let moves = self.moves.iter().map(|judged| {
            let vertex = format_vertex(Vertex::of(judged.mv, size), size);
            format!("{vertex} {:+.3} ({})", judged.value, judged.visits)
        });
        let moves: Vec<String> = moves.collect();
        format!("{JUDGED}{} visits: {}", self.visits, moves.join(", "))
    }

    /// Parses the comment of a line; `None` for other comments.
    ///
    /// # Errors
    /// Names the error in a comment with the right start.
    fn from_text(text: &str, size: BoardSize) -> anyhow::Result<Option<Verdict>> {
        let Some(rest) = text.trim().strip_prefix(JUDGED) else {
            return Ok(None);
        };
        let (visits, moves) = rest.split_once(" visits: ").context("there are no moves")?;
        let number = |text: &str| -> anyhow::Result<u64> {
            text.parse()
                .with_context(|| format!("{text:?} is not a number of visits"))
        };
        let judged = |text: &str| -> anyhow::Result<JudgedMove> {
            let words: Vec<&str> = text.split_whitespace().collect();
            let [vertex, value, visits] = words[..] else {
                anyhow::bail!(
                    "a move has a value and its visits, as E5 +0.123 (4567), not {text:?}"
                );
            };
            let mv = parse_vertex(vertex, size).ok();
            let value: Option<f32> = value.parse().ok().filter(|v| (-1.0..=1.0).contains(v));
            Ok(JudgedMove {
                mv: mv
                    .map(|mv| mv.index(size))
                    .with_context(|| format!("{vertex:?} is not a move"))?,
                value: value
                    .with_context(|| format!("there is no value from -1 to 1 in {text:?}"))?,
                visits: number(visits.trim_matches(['(', ')']))?,
            })
        };
        Ok(Some(Verdict {
            visits: number(visits)?,
            moves: moves
                .split(',')
                .map(judged)
                .collect::<anyhow::Result<_>>()?,
        }))
    }
}

/// The openings of a book's lines, `None` for lines with comments only.
///
/// # Errors
/// Names the invalid line, or reports that there is none.
pub(super) fn read<G: Game>(empty: &G, text: &str) -> anyhow::Result<Vec<Option<Opening>>> {
    let lines = (1..).zip(text.lines());
    let opening = |(number, line)| {
        let opening = read_line(empty, line);
        opening.with_context(|| format!("line {number}"))
    };
    let openings: Vec<Option<Opening>> = lines.map(opening).collect::<anyhow::Result<_>>()?;
    ensure!(
        openings.iter().any(Option::is_some),
        "it contains no opening"
    );
    Ok(openings)
}

fn read_line<G: Game>(empty: &G, line: &str) -> anyhow::Result<Option<Opening>> {
    let (moves, remark) = line.split_once('#').unwrap_or((line, ""));
    let size = empty.size();
    let (mut record, mut color) = (GameRecord::of(empty), empty.to_move());
    for word in moves.split_whitespace() {
        let vertex = parse_vertex(word, size).ok();
        let vertex = vertex.with_context(|| format!("{word:?} on a board of {size}"))?;
        record.push(Play { color, vertex });
        color = color.opponent();
    }
    if record.plays.is_empty() {
        return Ok(None);
    }
    let end = position(&record, empty.clone())?;
    ensure!(end.outcome().is_none(), "the game is over there");
    let verdict = Verdict::from_text(remark, size)?;
    let legal = |judged: &JudgedMove| end.is_legal(judged.mv);
    ensure!(
        verdict
            .iter()
            .all(|verdict| verdict.moves.iter().all(legal)),
        "a judged move is illegal there"
    );
    Ok(Some(Opening {
        record,
        to_move: color,
        verdict,
    }))
}

/// A line with another result.
pub(super) fn with_verdict(line: &str, verdict: &Verdict, size: BoardSize) -> String {
    let moves = line.split('#').next().unwrap_or_default().trim();
    format!("{moves}  # {}", verdict.to_text(size))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::games::nogo::SmallNoGo;

    const SIZE: BoardSize = BoardSize::new(9, 9);

    fn empty() -> SmallNoGo {
        SmallNoGo::new(SIZE).expect("a board")
    }

    #[test]
    fn a_book_says_what_was_written_into_it() {
        let judged = |x, y, value, visits| JudgedMove {
            mv: SIZE.point(x, y),
            value,
            visits,
        };
        let verdict = Verdict {
            visits: 400_000,
            moves: vec![judged(4, 4, 0.125, 300_000), judged(0, 8, -0.5, 201)],
        };
        let line = with_verdict("C8 F7 H1 # 0.5", &verdict, SIZE);
        assert_eq!(
            line,
            "C8 F7 H1  # judged by 400000 visits: E5 +0.125 (300000), A9 -0.500 (201)"
        );
        let book = format!("# A book.\n\n{line}\nC8 # 0.591\n");
        let openings = read(&empty(), &book).expect("a book");
        let kept: Vec<Option<Option<Verdict>>> = openings
            .iter()
            .map(|opening| opening.as_ref().map(|opening| opening.verdict.clone()))
            .collect();
        assert_eq!(kept, [None, None, Some(Some(verdict)), Some(None)]);
        let first = openings[2].as_ref().expect("a line with moves");
        assert_eq!((first.record.plays.len(), first.to_move), (3, Color::White));
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (line, words) in [
            (
                "C8 # judged by many visits: E5 +0.1 (2)",
                "\"many\" is not a number of visits",
            ),
            ("C8 # judged by 9 visits: E5 +0.1", "as E5 +0.123 (4567)"),
            (
                "C8 # judged by 9 visits: E5 +1.1 (9)",
                "no value from -1 to 1",
            ),
            (
                "C8 # judged by 9 visits: Z5 +0.1 (9)",
                "\"Z5\" is not a move",
            ),
            (
                "C8 # judged by 9 visits: C8 +0.1 (9)",
                "a judged move is illegal",
            ),
            ("C8 # judged by 9", "there are no moves"),
            ("C8 C8", "C8 is not legal after 1 moves"),
            ("C8 J10", "\"J10\" on a board of 9x9"),
        ] {
            let error = read(&empty(), &format!("A1\n{line}\n")).expect_err(line);
            let text = format!("{error:#}");
            assert!(
                text.contains("line 2") && text.contains(words),
                "{line}: {text}"
            );
        }
    }
}
