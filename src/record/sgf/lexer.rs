//! Parses SGF text into the nodes of its main line, without interpreting properties.

use super::SgfError;

/// A property as in the file.
pub(super) struct Property<'a> {
    /// Its identifier, capital letters only.
    pub(super) name: String,
    /// Its values with escapes; at least one.
    pub(super) values: Vec<&'a str>,
}

/// The main line (the first variation everywhere) of the first game in a text.
pub(super) struct MainLine<'a> {
    pub(super) nodes: Vec<Vec<Property<'a>>>,
    /// Messages about errors and skipped parts.
    pub(super) notes: Vec<String>,
}

/// Reads the main line. A truncated text is read as far as it goes, and garbage between properties
/// is skipped.
pub(super) fn main_line(text: &str) -> Result<MainLine<'_>, SgfError> {
    let mut lexer = Lexer {
        text,
        at: start(text).ok_or(SgfError::NoTree)?,
        skipped: None,
    };
    let mut nodes: Vec<Vec<Property<'_>>> = Vec::new();
    let (mut depth, mut end) = (1_usize, End::Open);
    while let Some(character) = lexer.next_visible() {
        match character {
            ';' => {
                lexer.at += 1;
                nodes.push(Vec::new());
            }
            '(' => {
                lexer.at += 1;
                depth += 1;
            }
            // The first leaf ends the main line: what follows are variations or other games.
            ')' => {
                end = End::Closed;
                break;
            }
            letter if letter.is_ascii_alphabetic() => match lexer.property() {
                Some(Ok(property)) => {
                    if let Some(node) = nodes.last_mut() {
                        node.push(property);
                    }
                }
                Some(Err(Cut)) => {
                    end = End::Cut;
                    break;
                }
                None => {}
            },
            character => lexer.skip(character),
        }
    }
    let is_empty = nodes.iter().all(Vec::is_empty);
    match (lexer.skipped, end) {
        (Some((character, at)), _) if is_empty => {
            return Err(SgfError::Unexpected { character, at });
        }
        (_, End::Cut) if is_empty => return Err(SgfError::Unterminated),
        _ => {}
    }
    let mut notes = Vec::new();
    if let Some((character, at)) = lexer.skipped {
        notes.push(format!(
            "unexpected character {character:?} at byte {at} of the SGF text is skipped"
        ));
    }
    match end {
        End::Closed => notes.extend(further_games(&text[lexer.at..], depth)),
        End::Open => notes.push("the SGF text ends without a `)`: it may be incomplete".to_owned()),
        End::Cut => notes.push(
            "the SGF text ends inside a property value: only what precedes it is loaded".to_owned(),
        ),
    }
    Ok(MainLine { nodes, notes })
}

/// A node of the first game in a text, with its place in the tree.
pub(super) struct TreeNode<'a> {
    /// The node before it, by its place in the list; `None` for the root.
    pub(super) parent: Option<usize>,
    pub(super) properties: Vec<Property<'a>>,
}

/// The nodes of the first game in a text with all variations, in the order of the text and at most this
/// many; empty where there is no game. What is wrong with the text, [`main_line`] tells.
pub(super) fn tree(text: &str, most: usize) -> Vec<TreeNode<'_>> {
    let mut nodes: Vec<TreeNode<'_>> = Vec::new();
    let Some(at) = start(text) else {
        return nodes;
    };
    let mut lexer = Lexer {
        text,
        at,
        skipped: None,
    };
    // The node that each open bracket continues; the first bracket stands before the start.
    let (mut open, mut last) = (vec![None], None);
    while let Some(character) = lexer.next_visible() {
        match character {
            ';' if nodes.len() == most => break,
            ';' => {
                lexer.at += 1;
                nodes.push(TreeNode {
                    parent: last,
                    properties: Vec::new(),
                });
                last = Some(nodes.len() - 1);
            }
            '(' => {
                lexer.at += 1;
                open.push(last);
            }
            ')' => {
                lexer.at += 1;
                last = open.pop().flatten();
                if open.is_empty() {
                    break;
                }
            }
            letter if letter.is_ascii_alphabetic() => match lexer.property() {
                Some(Ok(property)) => {
                    if let Some(node) = last.and_then(|last| nodes.get_mut(last)) {
                        node.properties.push(property);
                    }
                }
                Some(Err(Cut)) => break,
                None => {}
            },
            character => lexer.skip(character),
        }
    }
    nodes
}

/// End of the main line.
#[derive(Clone, Copy)]
enum End {
    /// By a closing parenthesis.
    Closed,
    /// By the end of the text.
    Open,
    /// By the end of the text inside a value.
    Cut,
}

/// The text ends inside a value.
struct Cut;

/// Position of the first `;` that starts a tree.
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

/// Notes further games, given the text after the first one's main line, at this nesting depth.
fn further_games(rest: &str, mut depth: usize) -> Option<String> {
    let (mut games, mut in_value, mut escaped) = (1_u32, false, false);
    for byte in rest.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_value => escaped = true,
            b']' => in_value = false,
            b'[' => in_value = true,
            _ if in_value => {}
            b'(' => {
                games += u32::from(depth == 0);
                depth += 1;
            }
            b')' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (games > 1).then(|| format!("the SGF text has {games} games: only the first is loaded"))
}

struct Lexer<'a> {
    text: &'a str,
    /// Byte position, always at a character boundary.
    at: usize,
    /// The first unexpected character, and its position.
    skipped: Option<(char, usize)>,
}

impl<'a> Lexer<'a> {
    /// Skips white space; the next character, not yet consumed.
    fn next_visible(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let visible = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        self.at += rest.len() - visible.len();
        visible.chars().next()
    }

    /// Skips an unexpected character.
    fn skip(&mut self, character: char) {
        self.skipped.get_or_insert((character, self.at));
        self.at += character.len_utf8();
    }

    /// Consumes an identifier and its values; `None` for one without values, which is ignored.
    /// Lower-case letters of old files (`SiZe`) are skipped if there are capitals.
    fn property(&mut self) -> Option<Result<Property<'a>, Cut>> {
        let rest = &self.text[self.at..];
        let end = rest.find(|c: char| !c.is_ascii_alphabetic());
        let word = &rest[..end.unwrap_or(rest.len())];
        let mut name: String = word.chars().filter(char::is_ascii_uppercase).collect();
        if name.is_empty() {
            name = word.to_ascii_uppercase();
        }
        let begin = self.at;
        self.at += word.len();
        let mut values = Vec::new();
        loop {
            match self.next_visible() {
                Some('[') => match self.value() {
                    Ok(value) => values.push(value),
                    Err(cut) => return Some(Err(cut)),
                },
                None if values.is_empty() => return Some(Err(Cut)),
                _ if values.is_empty() => {
                    let first = word.chars().next()?;
                    self.skipped.get_or_insert((first, begin));
                    return None;
                }
                _ => return Some(Ok(Property { name, values })),
            }
        }
    }

    /// Consumes `[value]`, at its opening bracket.
    fn value(&mut self) -> Result<&'a str, Cut> {
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
        Err(Cut)
    }
}
