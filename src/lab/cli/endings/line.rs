//! A position with its known result, as one line of text.
//!
//! ```text
//! x2ox4/9/9/9/4o4/9/9/9/9 b 15034 + C3 D4
//! gomoku:renju 15/15/15/15/15/15/7x7/7xo6/6oxo6/6o8/15/15/15/15/15 b 3000 ? F5 G6
//! ```
//!
//! First, unless it is NoGo, the game and its rules; then the board from the top row down, as in
//! chess notation: `x` is a black stone, `o` a white one, a number is that many empty points. Then
//! the side to move, `b` or `w`; the nodes that the solver has visited for it; and the result: `-` a loss, `+` a win and all winning moves, `?`
//! unknown. After a win's moves, `?` and the moves of unknown result. After an unknown result the
//! moves that are not proven to lose, if all others are. Last, `value=-0.320`: what a foreign search thought of it.

use anyhow::{Context as _, bail, ensure};
use tengen::game::{BoardSize, Color, Move, Symmetry};
use tengen::games;
use tengen::gtp::{format_vertex, parse_vertex};
use tengen::record::{GameRecord, Vertex, file};

/// What precedes the value of a foreign search.
const VALUE: &str = "value=";

/// The game of lines that name none.
const USUAL: &str = "nogo";

/// Known result of a position for the side to move.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Truth {
    /// Unknown.
    Unknown {
        /// The moves that are not proven to lose, if some are.
        holds: Option<Vec<Move>>,
    },
    /// A loss.
    Lost,
    /// A win.
    Won {
        /// Winning moves.
        by: Vec<Move>,
        /// Moves of unknown result.
        perhaps: Vec<Move>,
    },
}

/// A position late in a game.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ending {
    /// The game's name.
    pub(crate) game: String,
    /// The name of its rules; empty for the usual ones.
    pub(crate) rules: String,
    /// The board.
    pub(crate) size: BoardSize,
    /// All stones, by point, ascending.
    pub(crate) stones: Vec<(Move, Color)>,
    /// The side to move.
    pub(crate) to_move: Color,
    /// Nodes spent on it.
    pub(crate) nodes: u64,
    /// Their result.
    pub(crate) truth: Truth,
    /// Value of another program's search for the side to move, in [-1, 1].
    pub(crate) judged: Option<f32>,
}

impl Ending {
    /// Number of stones.
    pub(crate) fn ply(&self) -> usize {
        self.stones.len()
    }

    /// Whether the side to move wins, if known.
    pub(crate) fn wins(&self) -> Option<bool> {
        match self.truth {
            Truth::Unknown { .. } => None,
            Truth::Lost => Some(false),
            Truth::Won { .. } => Some(true),
        }
    }

    /// Whether anything is known by which a move can be judged.
    pub(crate) fn tells(&self) -> bool {
        self.judged.is_some() || !matches!(self.truth, Truth::Unknown { holds: None })
    }

    /// Whether everything is known.
    pub(crate) fn is_settled(&self) -> bool {
        match &self.truth {
            Truth::Unknown { .. } => false,
            Truth::Lost => true,
            Truth::Won { perhaps, .. } => perhaps.is_empty(),
        }
    }

    /// The position as a game that starts with it.
    pub(crate) fn record(&self) -> GameRecord {
        GameRecord {
            setup: self.stones.clone(),
            to_move: Some(self.to_move),
            rules: self.rules.clone(),
            ..GameRecord::new(&self.game, self.size)
        }
    }

    /// The same for all positions equal up to symmetry.
    pub(crate) fn key(&self) -> String {
        let turned = |symmetry: Symmetry| {
            let stones = self.stones.iter();
            let stones = stones.map(|&(point, color)| (symmetry.apply(self.size, point), color));
            format_board(self.size, &stones.collect::<Vec<_>>())
        };
        let least = Symmetry::all(self.size).map(turned).min();
        let side = letter(self.to_move);
        format!("{}{} {side}", self.kind(), least.unwrap_or_default())
    }

    /// The game and its rules before the board, with a blank; nothing for NoGo.
    fn kind(&self) -> String {
        match (self.game.as_str(), self.rules.as_str()) {
            (USUAL, "") => String::new(),
            (game, rules) => format!("{game}:{rules} "),
        }
    }

    /// As a line, without line break.
    pub(crate) fn to_line(&self) -> String {
        let mut words = vec![
            self.kind() + &format_board(self.size, &self.stones),
            letter(self.to_move).to_string(),
            self.nodes.to_string(),
        ];
        let vertex = |mv: &Move| format_vertex(Vertex::Point(*mv), self.size);
        match &self.truth {
            Truth::Unknown { holds } => {
                words.push("?".to_owned());
                words.extend(holds.iter().flatten().map(vertex));
            }
            Truth::Lost => words.push("-".to_owned()),
            Truth::Won { by, perhaps } => {
                words.push("+".to_owned());
                words.extend(by.iter().map(vertex));
                if !perhaps.is_empty() {
                    words.push("?".to_owned());
                    words.extend(perhaps.iter().map(vertex));
                }
            }
        }
        words.extend(self.judged.map(|value| format!("{VALUE}{value:.3}")));
        words.join(" ")
    }

    /// From a line.
    ///
    /// # Errors
    /// Names the invalid part.
    pub(crate) fn from_line(line: &str) -> anyhow::Result<Ending> {
        let mut words = line.split_whitespace().peekable();
        let (game, rules) = words
            .next_if(|word| word.contains(':'))
            .and_then(|word| word.split_once(':'))
            .unwrap_or((USUAL, ""));
        ensure!(
            games::info(game).is_some(),
            "there is no game of the name {game:?}"
        );
        let mut next = |what: &str| words.next().with_context(|| format!("{what} is missing"));
        let (size, stones) = parse_board(next("the board")?)?;
        let to_move = match next("the side to move")? {
            "b" => Color::Black,
            "w" => Color::White,
            other => bail!("the side to move is b or w, not {other:?}"),
        };
        let nodes = next("the number of nodes")?;
        let nodes = nodes
            .parse()
            .with_context(|| format!("{nodes:?} is not a number of nodes"))?;
        let verdict = next("the result, one of + - ?,")?;
        let mut moves: Vec<&str> = words.collect();
        let judged = moves.pop_if(|word| word.starts_with(VALUE));
        let judged = judged
            .map(|word| parse_value(&word[VALUE.len()..]))
            .transpose()?;
        let truth = match verdict {
            "-" if !moves.is_empty() => bail!("after a loss there are no moves"),
            "?" => Truth::Unknown {
                holds: match moves.as_slice() {
                    [] => None,
                    moves => Some(parse_list(moves, size)?),
                },
            },
            "-" => Truth::Lost,
            "+" => parse_moves(&moves, size)?,
            other => bail!("the result is one of + - ?, not {other:?}"),
        };
        Ok(Ending {
            game: game.to_owned(),
            rules: rules.to_owned(),
            size,
            stones,
            to_move,
            nodes,
            truth,
            judged,
        })
    }
}

/// A value in [-1, 1].
fn parse_value(text: &str) -> anyhow::Result<f32> {
    let value = text
        .parse()
        .ok()
        .filter(|value| (-1.0..=1.0).contains(value));
    value.with_context(|| format!("{text:?} is no value from -1 to 1"))
}

/// Reads a file of such lines; lines starting with `#` are comments.
///
/// # Errors
/// Names the file and the invalid line.
pub(crate) fn read(path: &std::path::Path) -> anyhow::Result<Vec<Ending>> {
    let name = || path.display().to_string();
    let text = file::read_text(path).with_context(name)?;
    let lines = (1..).zip(text.lines().map(str::trim));
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let endings = lines.map(|(number, line)| {
        Ending::from_line(line).with_context(|| format!("{}, line {number}", path.display()))
    });
    endings.collect()
}

/// Content of a set's file: a reference to the format, and the positions.
pub(super) fn text(endings: &[Ending]) -> String {
    let lines = endings.iter().map(Ending::to_line);
    let head = "# Endings: board, side to move, nodes, result and winning moves; see `tengen-lab endings --help`.";
    let all: Vec<String> = std::iter::once(head.to_owned()).chain(lines).collect();
    all.join("\n") + "\n"
}

fn letter(color: Color) -> char {
    match color {
        Color::Black => 'b',
        Color::White => 'w',
    }
}

fn format_board(size: BoardSize, stones: &[(Move, Color)]) -> String {
    let mut board = vec![None; size.area()];
    for &(point, color) in stones {
        board[point.index()] = Some(color);
    }
    let mut text = String::new();
    for row in board.chunks(usize::from(size.width)).rev() {
        if !text.is_empty() {
            text.push('/');
        }
        let mut empty = 0;
        for stone in row.iter().chain([&Some(Color::Black)]) {
            if stone.is_none() {
                empty += 1;
                continue;
            }
            if empty > 0 {
                text.push_str(&empty.to_string());
                empty = 0;
            }
            text.push(if *stone == Some(Color::Black) {
                'x'
            } else {
                'o'
            });
        }
        // The stone that ended the last run does not count.
        text.pop();
    }
    text
}

fn parse_board(text: &str) -> anyhow::Result<(BoardSize, Vec<(Move, Color)>)> {
    let rows = text.split('/').rev().map(parse_row);
    let rows: Vec<Vec<Option<Color>>> = rows.collect::<anyhow::Result<_>>()?;
    let width = rows[0].len();
    for row in &rows {
        ensure!(
            row.len() == width,
            "the board has rows of {width} and of {} points",
            row.len()
        );
    }
    let side = |points: usize| u8::try_from(points).ok().filter(|&side| side > 0);
    let sides = side(width).zip(side(rows.len()));
    let (width, height) = sides.context("the board has an impossible size")?;
    let points = (0..).zip(rows.into_iter().flatten());
    let stones = points.filter_map(|(point, stone)| Some((Move(point), stone?)));
    Ok((BoardSize::new(width, height), stones.collect()))
}

fn parse_row(text: &str) -> anyhow::Result<Vec<Option<Color>>> {
    let mut row = Vec::new();
    let mut number = 0_usize;
    for letter in text.chars().chain(['/']) {
        if let Some(digit) = letter.to_digit(10) {
            number = 10 * number + digit as usize;
            ensure!(number <= 25, "no board has {number} columns");
            continue;
        }
        row.resize(row.len() + std::mem::take(&mut number), None);
        match letter {
            'x' => row.push(Some(Color::Black)),
            'o' => row.push(Some(Color::White)),
            '/' => {}
            other => bail!("a board is made of x, o and numbers, not of {other:?}"),
        }
    }
    Ok(row)
}

fn parse_moves(words: &[&str], size: BoardSize) -> anyhow::Result<Truth> {
    let mut lists = words.splitn(2, |word| *word == "?");
    let mut list = || parse_list(lists.next().unwrap_or_default(), size);
    let (by, perhaps) = (list()?, list()?);
    ensure!(!by.is_empty(), "a win needs a winning move");
    Ok(Truth::Won { by, perhaps })
}

fn parse_list(words: &[&str], size: BoardSize) -> anyhow::Result<Vec<Move>> {
    let vertex = |word: &&str| match parse_vertex(word, size) {
        Ok(Vertex::Point(mv)) => Ok(mv),
        _ => bail!("{word:?} is not a point of a board of {size}"),
    };
    words.iter().map(vertex).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 9] = [
        "xo7/9/9/9/4x4/9/9/9/8o b 0 ?",
        "1x1/o1o/1x1 w 12 -",
        "10/9x b 7 + A1 B2",
        "4/4/oxo1 w 3000000 + A3 ? B3 D1",
        "gomoku:renju 6/6/2x3/2o3/6/6 b 10 ?",
        "gomoku: 5/5/oxxx1/5/5 w 3 ? E3",
        "gomoku:standard 5/5/oxxx1/5/5 b 3 + E3 ? A1",
        "gomoku:freestyle 5/5/oxxx1/5/5 w 3 ? E3 value=-0.720",
        "gomoku:freestyle 5/5/2x2/5/5 w 0 ? value=0.125",
    ];

    #[test]
    fn lines_are_read_as_they_are_written() {
        for line in LINES {
            let ending = Ending::from_line(line).expect("it is a line");
            assert_eq!(ending.to_line(), line);
        }
        let ending = Ending::from_line(LINES[1]).expect("it is a line");
        let corner = ending.size.point(1, 2);
        assert_eq!(ending.stones.last(), Some(&(corner, Color::Black)));
        assert_eq!((ending.ply(), ending.wins()), (4, Some(false)));
    }

    #[test]
    fn turned_boards_are_one() {
        let key = |line: &str| Ending::from_line(line).expect("it is a line").key();
        let [first, turned, mirrored] = ["x2/o2/3", "1ox/3/3", "2x/2o/3"];
        let keys = [first, turned, mirrored].map(|board| key(&format!("{board} b 0 ?")));
        assert_eq!(keys[0], keys[1]);
        assert_eq!(keys[0], keys[2]);
        assert_ne!(keys[0], key("o2/x2/3 b 0 ?"));
        assert_ne!(keys[0], key("x2/o2/3 w 0 ?"));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (line, part) in [
            ("x2/o2/2 b 0 ?", "rows of 2 and of 3 points"),
            ("x2/z2/3 b 0 ?", "'z'"),
            ("x2/99/3 b 0 ?", "99 columns"),
            ("x2/o2/3 c 0 ?", "b or w, not \"c\""),
            ("x2/o2/3 b many ?", "\"many\""),
            ("x2/o2/3 b 0", "result"),
            ("x2/o2/3 b 0 +", "a winning move"),
            ("x2/o2/3 b 0 + D1", "\"D1\""),
            ("x2/o2/3 b 0 - A1", "after a loss"),
            ("x2/o2/3 b 0 ? D1", "\"D1\""),
            ("chess: 8/8 w 0 ?", "\"chess\""),
            ("x2/o2/3 b 0 =", "\"=\""),
            ("x2/o2/3 b 0 - value=2", "\"2\""),
        ] {
            let error = Ending::from_line(line).map_err(|error| format!("{error:#}"));
            assert!(
                error.as_ref().is_err_and(|text| text.contains(part)),
                "{line}: {error:?}"
            );
        }
    }
}
