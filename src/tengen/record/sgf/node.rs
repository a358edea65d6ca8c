//! What a node says: stones that are set up, plays and a comment. Both the record of a main line and the tree of a game
//! read their nodes here.

use super::lexer::Property;
use super::values::{Points, SETUP, player, text, vertex};
use super::{MAX_SET_UP, SgfError, at_most};
use crate::game::{BoardSize, Color, short};
use crate::record::{LaterSetup, Play};

/// Maximum number of messages.
const MAX_NOTES: usize = 100;

/// The content of a node. If it has both a setup and plays, the setup comes first, as the specification says, wherever
/// it stands in the text.
#[derive(Default)]
pub(super) struct Content {
    /// Stones that are set up, and the side to move if given; its number of plays is not set.
    pub(super) setup: LaterSetup,
    /// Usually one at most; some files have several in one property.
    pub(super) plays: Vec<Play>,
    /// Why a play is not one on the board.
    pub(super) broken: Option<SgfError>,
    pub(super) comment: String,
    /// All other properties as text, and the plays that are not on the board.
    pub(super) others: String,
}

/// Reads the nodes of one game.
pub(super) struct NodeReader {
    size: BoardSize,
    /// Number of points set up so far.
    set_up: usize,
    /// Messages about what was left out or replaced.
    pub(super) notes: Vec<String>,
}

impl NodeReader {
    pub(super) fn new(size: BoardSize, notes: Vec<String>) -> NodeReader {
        NodeReader {
            size,
            set_up: 0,
            notes,
        }
    }

    /// The content of a node with these properties.
    pub(super) fn read(&mut self, properties: &[Property<'_>]) -> Result<Content, SgfError> {
        let mut content = Content::default();
        for property in properties {
            match &*property.name {
                "B" => self.play(&mut content, Color::Black, property),
                "W" => self.play(&mut content, Color::White, property),
                "C" => {
                    let values = property.values.iter();
                    values.for_each(|value| add_line(&mut content.comment, &text(value)));
                }
                name => {
                    property.append_to(&mut content.others);
                    if let Some((_, color)) = SETUP.into_iter().find(|(own, _)| *own == name) {
                        self.set_up(&mut content.setup, color, property)?;
                    } else if name == "PL" {
                        let value = property.values[0];
                        match player(value) {
                            Some(color) => content.setup.to_move = Some(color),
                            None => self.leave_out(name, value, "expected B or W"),
                        }
                    }
                }
            }
        }
        if content.setup.changes.is_empty() && !content.plays.is_empty() {
            // Some programs write whose turn it is after the play, which is known.
            content.setup.to_move = None;
        }
        Ok(content)
    }

    /// Adds a message, unless there are more already than anyone reads.
    pub(super) fn note(&mut self, note: String) {
        if self.notes.len() < MAX_NOTES {
            self.notes.push(note);
        }
    }

    /// Notes a skipped property.
    pub(super) fn leave_out(&mut self, name: &str, value: &str, why: &str) {
        self.note(format!("{name}[{}] is left out: {why}", short(value)));
    }

    /// Adds all plays of a property, or none if one is not on the board.
    fn play(&self, content: &mut Content, color: Color, property: &Property<'_>) {
        let vertex = |value: &&str| vertex(&property.name, value, self.size);
        let found: Result<Vec<_>, _> = property.values.iter().map(vertex).collect();
        match found {
            Ok(found) => {
                let plays = found.into_iter().map(|vertex| Play { color, vertex });
                content.plays.extend(plays);
            }
            Err(error) => {
                content.broken.get_or_insert(error);
                property.append_to(&mut content.others);
            }
        }
    }

    /// An empty list, which some programs write, is ignored.
    fn set_up(
        &mut self,
        setup: &mut LaterSetup,
        color: Option<Color>,
        property: &Property<'_>,
    ) -> Result<(), SgfError> {
        let name = &property.name;
        let mut points = Points::new(self.size);
        let values = property.values.iter();
        for value in values.filter(|value| !value.trim().is_empty()) {
            if points.add(name, value).is_err() {
                self.leave_out(name, value, "it is not a point of the board");
            }
        }
        let mut replaces = false;
        for point in points.iter() {
            let before = setup.changes.insert(point, color);
            replaces |= before.is_some_and(|before| before != color);
            self.set_up += 1;
        }
        if replaces {
            let value = short(property.values[0]);
            self.note(format!(
                "{name}[{value}] replaces what its node has set up before"
            ));
        }
        at_most(self.set_up, MAX_SET_UP, "points that are set up")
    }
}

/// Adds a text as a new line; either may be empty.
pub(super) fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() && !line.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
}
