//! Converts the properties of the main line to a record.

use super::komi::{self, Habits};
use super::lexer::{Property, main_line};
use super::node::{NodeReader, add_line};
use super::values::{bad_value, board_size, simple_text};
use super::{MAX_NODES, SgfError, at_most, game_name};
use crate::game::{BoardSize, Color, Move};
use crate::games::info;
use crate::record::{GameRecord, LaterSetup, RecordedPlay};

/// SGF's default board size.
const DEFAULT_SIDE: u8 = 19;

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
    let mut reader = SgfReader::new(root, notes)?;
    for (index, node) in nodes.iter().enumerate() {
        if reader.record.plays.len() >= plays && reader.next_is(node) {
            // A truncated game has no result.
            reader.record.result.clear();
            break;
        }
        reader.node(node, index == 0)?;
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
    nodes: NodeReader,
    /// Stones set up before the first play, by point.
    stones: Vec<Option<Color>>,
    /// Comments of nodes before the first play.
    waiting_comment: String,
}

impl SgfReader {
    /// Starts with the properties that everything else depends on: the game and the board.
    fn new(root: &[Property<'_>], notes: Vec<String>) -> Result<SgfReader, SgfError> {
        let find = |name: &str| {
            let named = root.iter().filter(|property| property.name == name);
            let mut values = named.map(|property| property.values[0].trim());
            values.find(|value| !value.is_empty())
        };
        let size = match find("SZ") {
            Some(value) => board_size(value)?,
            None => BoardSize::square(DEFAULT_SIDE),
        };
        let named = find("GM");
        let number = named.unwrap_or("1");
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
        let record = GameRecord {
            names_game: named.is_some() || info(game).is_some_and(|info| info.sgf.1.is_some()),
            ..GameRecord::new(game, size)
        };
        Ok(SgfReader {
            record,
            habits: Habits::of(root),
            nodes: NodeReader::new(size, notes),
            stones: vec![None; size.area()],
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

    fn node(&mut self, node: &[Property<'_>], root: bool) -> Result<(), SgfError> {
        let content = self.nodes.read(node)?;
        for property in node {
            self.property(property, root);
        }
        self.set_up(content.setup);
        if let Some(error) = content.broken {
            let number = self.record.plays.len() + 1;
            return Err(SgfError::Unreadable(format!("move {number}: {error}")));
        }
        if root {
            self.record.comment = content.comment;
        } else {
            add_line(&mut self.waiting_comment, &content.comment);
        }
        for play in content.plays {
            let comment = std::mem::take(&mut self.waiting_comment);
            self.record.plays.push(RecordedPlay { play, comment });
        }
        // A comment of a node without a move belongs to the previous move.
        if let Some(last) = self.record.plays.last_mut() {
            add_line(&mut last.comment, &self.waiting_comment);
            self.waiting_comment.clear();
        }
        at_most(self.record.plays.len(), MAX_NODES, "moves")
    }

    fn property(&mut self, property: &Property<'_>, root: bool) {
        let value = property.values[0];
        match property.name.as_str() {
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
            "KM" | "KO" if value.trim().is_empty() => {}
            // Elsewhere it says that a move retakes a ko; the server of Sina means komi.
            "KO" if !root => {}
            name @ ("KM" | "KO") => match komi::read(name, value, self.habits) {
                Ok((komi, how)) => {
                    self.record.komi = Some(komi);
                    how.into_iter().for_each(|how| self.nodes.note(how));
                }
                Err(why) => self.nodes.leave_out(name, value, &why),
            },
            _ => {}
        }
    }

    /// Sets up stones, and the side to move, before the next play.
    fn set_up(&mut self, setup: LaterSetup) {
        let plays = self.record.plays.len();
        if plays == 0 {
            for (point, stone) in setup.changes {
                self.stones[point.index()] = stone;
            }
            self.record.to_move = setup.to_move.or(self.record.to_move);
            return;
        }
        let later = &mut self.record.later;
        let is_new = later.last().is_none_or(|last| last.after < plays);
        if is_new && !setup.changes.is_empty() {
            let after = plays;
            later.push(LaterSetup { after, ..setup });
            return;
        }
        let mover = self.record.plays.last().map(|last| last.play.color);
        match later.last_mut().filter(|_| !is_new) {
            Some(last) => {
                last.changes.extend(setup.changes);
                last.to_move = setup.to_move.or(last.to_move);
            }
            None if setup.to_move.is_some() && setup.to_move == mover => {
                let why = "no stones are set up, so it is the turn of the next move";
                self.nodes
                    .note(format!("PL after move {plays} is left out: {why}"));
            }
            None => {}
        }
    }

    fn finish(mut self) -> GameRecord {
        let stones = self.stones.iter().enumerate();
        self.record.setup = stones
            .filter_map(|(point, stone)| Some((Move(u16::try_from(point).ok()?), (*stone)?)))
            .collect();
        self.record.notes = self.nodes.notes;
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
