//! SGF text as the nodes of its main line, and nothing about what the properties mean.

use super::SgfError;

/// A property as it stands in the file.
pub(super) struct Property<'a> {
    /// Its identifier, capital letters only.
    pub(super) name: String,
    /// Its values, escapes still in them; at least one.
    pub(super) values: Vec<&'a str>,
}

/// The nodes on the main line (the first variation everywhere) of the first game.
pub(super) fn main_line(text: &str) -> Result<Vec<Vec<Property<'_>>>, SgfError> {
    let mut lexer = Lexer {
        text,
        at: start(text).ok_or(SgfError::NoTree)?,
    };
    let mut nodes: Vec<Vec<Property<'_>>> = Vec::new();
    while let Some(character) = lexer.next_visible() {
        match character {
            ';' => {
                lexer.at += 1;
                nodes.push(Vec::new());
            }
            '(' => lexer.at += 1,
            // The first leaf ends the main line: what follows are variations or other games.
            ')' => break,
            letter if letter.is_ascii_alphabetic() => {
                let property = lexer.property()?;
                if let Some(node) = nodes.last_mut() {
                    node.push(property);
                }
            }
            character => {
                return Err(SgfError::Unexpected {
                    character,
                    at: lexer.at,
                });
            }
        }
    }
    Ok(nodes)
}

/// Position of the first `;` that opens a tree.
fn start(text: &str) -> Option<usize> {
    let mut opened = false;
    for (at, character) in text.char_indices() {
        match character {
            '(' => opened = true,
            ';' if opened => return Some(at),
            space if space.is_ascii_whitespace() => {}
            _ => opened = false,
        }
    }
    None
}

struct Lexer<'a> {
    text: &'a str,
    /// Byte position, always at a character boundary.
    at: usize,
}

impl<'a> Lexer<'a> {
    /// Skips white space; the next character, not yet consumed.
    fn next_visible(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let visible = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        self.at += rest.len() - visible.len();
        visible.chars().next()
    }

    /// Consumes an identifier and its values. The lower-case letters of old files
    /// (`SiZe`) do not count.
    fn property(&mut self) -> Result<Property<'a>, SgfError> {
        let rest = &self.text[self.at..];
        let end = rest
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(rest.len());
        let name = rest[..end]
            .chars()
            .filter(char::is_ascii_uppercase)
            .collect();
        self.at += end;
        let mut values = Vec::new();
        loop {
            match self.next_visible() {
                Some('[') => values.push(self.value()?),
                Some(character) if values.is_empty() => {
                    return Err(SgfError::Unexpected {
                        character,
                        at: self.at,
                    });
                }
                None if values.is_empty() => return Err(SgfError::Unterminated),
                _ => return Ok(Property { name, values }),
            }
        }
    }

    /// Consumes `[value]`, standing at the bracket.
    fn value(&mut self) -> Result<&'a str, SgfError> {
        let begin = self.at + 1;
        let mut escaped = false;
        for (offset, byte) in self.text[begin..].bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b']' => {
                    self.at = begin + offset + 1;
                    return Ok(&self.text[begin..begin + offset]);
                }
                _ => {}
            }
        }
        Err(SgfError::Unterminated)
    }
}
