//! Converts the properties of the main line to a record.

use std::collections::BTreeMap;

use super::komi::{self, Habits};
use super::lexer::{Property, main_line};
use super::values::{Points, bad_value, board_size, player, simple_text, text, vertex};
use super::{MAX_NODES, MAX_SET_UP, SgfError, at_most, game_name};
use crate::game::{BoardSize, Color, Move, short};
use crate::games::info;
use crate::record::{GameRecord, LaterSetup, Play, RecordedPlay};

/// SGF's default board size.
const DEFAULT_SIDE: u8 = 19;
/// Maximum number of messages.
const MAX_NOTES: usize = 100;

/// Reads the main line of the first game in `text`.
///
/// # Errors
/// As [`read_until`].
pub fn read(text: &str) -> Result<GameRecord, SgfError> {
    read_until(text, usize::MAX)
}

/// Reads the main line of the first game in `text` up to this many plays, with setups before the
/// next. Unreadable parts that are not needed to play the game are skipped and
/// [noted](GameRecord::notes).
///
/// # Errors
/// [`SgfError`] names the missing or invalid part, if it is required.
pub fn read_until(text: &str, plays: usize) -> Result<GameRecord, SgfError> {
    let (nodes, notes) = main_line(text)?;
    read_nodes(&nodes, notes, plays)
}

/// Reads nodes that follow each other, up to this many plays.
pub(super) fn read_nodes(
    nodes: &[Vec<Property<'_>>],
    notes: Vec<String>,
    plays: usize,
) -> Result<GameRecord, SgfError> {
    let root = nodes.first().map(Vec::as_slice).unwrap_or_default();
    let mut reader = SgfReader::new(root)?;
    reader.record.notes = notes;
    for (index, node) in nodes.iter().enumerate() {
        if reader.record.plays.len() >= plays && reader.next_is(node) {
            // A truncated game has no result.
            reader.record.result.clear();
            break;
        }
        reader.has_moved = false;
        reader.changed.clear();
        for property in node {
            reader.property(property, index == 0)?;
        }
        reader.end_node();
    }
    Ok(reader.finish())
}

/// The colour of a node's move, if any.
fn mover(node: &[Property<'_>]) -> Option<Color> {
    node.iter().find_map(|property| match &*property.name {
        "B" => Some(Color::Black),
        "W" => Some(Color::White),
        _ => None,
    })
}

/// A record under construction.
struct SgfReader {
    record: GameRecord,
    habits: Habits,
    /// Stones set up before the first play, by point.
    stones: Vec<Option<Color>>,
    /// Whether the current node has a move.
    has_moved: bool,
    /// What the current node has set up.
    changed: BTreeMap<Move, Option<Color>>,
    /// Number of points set up so far.
    set_up: usize,
    /// The side to move given by the current node.
    to_move: Option<Color>,
    /// A comment before the move of its node.
    waiting_comment: String,
}

impl SgfReader {
    /// Starts with the properties that everything else depends on: the game and the board.
    fn new(root: &[Property<'_>]) -> Result<SgfReader, SgfError> {
        let find = |name: &str| {
            let named = root.iter().filter(|property| property.name == name);
            let mut values = named.map(|property| property.values[0].trim());
            values.find(|value| !value.is_empty())
        };
        let size = match find("SZ") {
            Some(value) => board_size(value)?,
            None => BoardSize::square(DEFAULT_SIDE),
        };
        let number = find("GM").unwrap_or("1");
        let rules = find("RU").map(|rules| simple_text(rules).trim().to_owned());
        let game = number
            .parse()
            .ok()
            .and_then(|number| game_name(number, rules.as_deref()));
        let game = game.ok_or_else(|| {
            bad_value(
                "GM",
                number,
                "that of a game, such as 1 (Go, NoGo) or 4 (Gomoku)",
            )
        })?;
        Ok(SgfReader {
            record: GameRecord::new(game, size),
            habits: Habits::of(root),
            stones: vec![None; size.area()],
            has_moved: false,
            changed: BTreeMap::new(),
            set_up: 0,
            to_move: None,
            waiting_comment: String::new(),
        })
    }

    /// Whether a node has a move; remembers the colour of the first one.
    fn next_is(&mut self, node: &[Property<'_>]) -> bool {
        let mover = mover(node);
        if self.record.plays.is_empty() {
            self.record.to_move = self.record.to_move.or(mover);
        }
        mover.is_some()
    }

    fn property(&mut self, property: &Property<'_>, root: bool) -> Result<(), SgfError> {
        let value = property.values[0];
        match property.name.as_str() {
            "B" => self.play("B", Color::Black, &property.values)?,
            "W" => self.play("W", Color::White, &property.values)?,
            "AB" => self.set_up("AB", Some(Color::Black), &property.values)?,
            "AW" => self.set_up("AW", Some(Color::White), &property.values)?,
            "AE" => self.set_up("AE", None, &property.values)?,
            "PL" => match player(value) {
                Some(color) => self.to_move = Some(color),
                None => self.leave_out("PL", value, "expected B or W"),
            },
            "PB" => self.record.black = simple_text(value),
            "PW" => self.record.white = simple_text(value),
            "RE" => self.record.result = simple_text(value),
            "DT" => self.record.date = simple_text(value),
            "PC" => self.record.place = simple_text(value),
            "EV" => self.record.event = simple_text(value),
            "TM" => self.record.main_time = simple_text(value),
            "OT" => self.record.overtime = simple_text(value),
            // There it names the game.
            "RU" if info(&self.record.game).is_some_and(|info| info.sgf.1.is_some()) => {}
            // The same text as that which tells the game: the first one of the root.
            "RU" if root && self.record.rules.is_empty() => {
                self.record.rules = simple_text(value).trim().to_owned();
            }
            "RU" => {}
            "HA" => self.record.handicap = handicap(value),
            "KM" if value.trim().is_empty() => {}
            "KM" => match komi::read(value, self.habits) {
                Ok((komi, how)) => {
                    self.record.komi = Some(komi);
                    how.into_iter().for_each(|how| self.note(how));
                }
                Err(why) => self.leave_out("KM", value, &why),
            },
            "C" if root => self.record.comment = text(value),
            "C" => self.comment(text(value)),
            _ => {}
        }
        Ok(())
    }

    /// The colour of the last move.
    fn mover(&self) -> Option<Color> {
        self.record.plays.last().map(|last| last.play.color)
    }

    /// Adds a message, unless there are more already than anyone reads.
    fn note(&mut self, note: String) {
        if self.record.notes.len() < MAX_NOTES {
            self.record.notes.push(note);
        }
    }

    /// Notes a skipped property.
    fn leave_out(&mut self, name: &str, value: &str, why: &str) {
        self.note(format!("{name}[{}] is left out: {why}", short(value)));
    }

    /// Some files have several moves in one property.
    fn play(&mut self, name: &str, color: Color, values: &[&str]) -> Result<(), SgfError> {
        for value in values {
            let number = self.record.plays.len() + 1;
            let vertex = vertex(name, value, self.record.size);
            let wrong = |error: SgfError| SgfError::Unreadable(format!("move {number}: {error}"));
            let vertex = vertex.map_err(wrong)?;
            self.has_moved = true;
            self.record.plays.push(RecordedPlay {
                play: Play { color, vertex },
                comment: std::mem::take(&mut self.waiting_comment),
            });
        }
        at_most(self.record.plays.len(), MAX_NODES, "moves")
    }

    /// A comment belongs to the move of its node, which may come before or after it.
    fn comment(&mut self, comment: String) {
        match self.record.plays.last_mut() {
            Some(last) if self.has_moved => last.comment = comment,
            _ => self.waiting_comment = comment,
        }
    }

    fn end_node(&mut self) {
        let plays = self.record.plays.len();
        let mover = self.mover();
        match (self.to_move.take(), self.record.later.last_mut()) {
            (Some(color), _) if plays == 0 => self.record.to_move = Some(color),
            (Some(color), Some(setup)) if setup.after == plays => setup.to_move = Some(color),
            (Some(color), _) if !self.has_moved && mover == Some(color) => {
                let why = "no stones are set up, so it is the turn of the next move";
                self.note(format!("PL after move {plays} is left out: {why}"));
            }
            _ => {}
        }
        // A comment of a node without a move belongs to the previous move.
        let Some(last) = self.record.plays.last_mut() else {
            return;
        };
        let comment = std::mem::take(&mut self.waiting_comment);
        if !last.comment.is_empty() && !comment.is_empty() {
            last.comment.push('\n');
        }
        last.comment.push_str(&comment);
    }

    /// An empty list, which some programs write, is ignored.
    fn set_up(
        &mut self,
        name: &str,
        color: Option<Color>,
        values: &[&str],
    ) -> Result<(), SgfError> {
        let mut points = Points::new(self.record.size);
        for value in values.iter().filter(|value| !value.trim().is_empty()) {
            if points.add(name, value).is_err() {
                self.leave_out(name, value, "it is not a point of the board");
            }
        }
        let mut replaces = false;
        for point in points.iter() {
            let before = self.changed.insert(point, color);
            replaces |= before.is_some_and(|before| before != color);
            self.set_up += 1;
            self.put(point, color);
        }
        if replaces {
            let value = values.first().map_or(String::new(), |value| short(value));
            self.note(format!(
                "{name}[{value}] replaces what its node has set up before"
            ));
        }
        at_most(self.set_up, MAX_SET_UP, "points that are set up")
    }

    fn put(&mut self, point: Move, color: Option<Color>) {
        let plays = self.record.plays.len();
        if plays == 0 {
            self.stones[point.index()] = color;
            return;
        }
        let later = &mut self.record.later;
        if later.last().is_none_or(|setup| setup.after < plays) {
            later.push(LaterSetup {
                after: plays,
                ..LaterSetup::default()
            });
        }
        if let Some(setup) = later.last_mut() {
            setup.changes.insert(point, color);
        }
    }

    fn finish(mut self) -> GameRecord {
        let stones = self.stones.iter().enumerate();
        self.record.setup = stones
            .filter_map(|(point, stone)| Some((Move(u16::try_from(point).ok()?), (*stone)?)))
            .collect();
        let record = &mut self.record;
        let placed = record.handicap > 0 && !record.setup.is_empty();
        if placed && record.to_move.is_none() && record.plays.is_empty() {
            record.to_move = Some(Color::White);
        }
        self.record
    }
}

/// Number of handicap stones, 2 or more; 0 for none, for a single one, which is an ordinary first
/// move, and for values that are not numbers.
fn handicap(value: &str) -> u16 {
    let stones = value.trim().parse().unwrap_or(0);
    if stones > 1 { stones } else { 0 }
}

#[cfg(test)]
#[path = "read_tests.rs"]
mod tests;
