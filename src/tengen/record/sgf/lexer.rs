//! Parses SGF text into the nodes of its main line, without interpreting properties.

use super::{MAX_NODES, MAX_PROPERTIES, SgfError, at_most};

/// A property as in the file.
#[derive(Clone)]
pub(super) struct Property<'a> {
    /// Its identifier, capital letters only.
    pub(super) name: String,
    /// Its values with escapes; at least one.
    pub(super) values: Vec<&'a str>,
}

impl Property<'_> {
    /// Appends its text.
    pub(super) fn append_to(&self, out: &mut String) {
        out.push_str(&self.name);
        for value in &self.values {
            out.extend(["[", value, "]"]);
        }
    }
}

/// Reads the main line (the first variation everywhere) of the first game in a text: its nodes, and messages about errors
/// and skipped parts. A truncated text is read as far as it goes, and garbage between properties is skipped.
pub(super) fn main_line(text: &str) -> Result<(Vec<Vec<Property<'_>>>, Vec<String>), SgfError> {
    let mut nodes = Vec::new();
    let mut is_main = true;
    let (notes, rest) = tree(text, &mut |parent, node| {
        is_main &= parent == nodes.len().checked_sub(1);
        if is_main {
            nodes.push(node);
        }
    })?;
    let mut notes = notes?;
    if start(rest).is_some() {
        notes.push("the SGF text has more games: only the first is loaded".to_owned());
    }
    Ok((nodes, notes))
}

/// Reads the first game in a text with all variations: `take` gets each node, in the order of the text,
/// with the number of the node before it. Returns messages as [`main_line`], or why a game has not a single property, and
/// the text after the game.
pub(super) fn tree<'a>(
    text: &'a str,
    take: &mut dyn FnMut(Option<usize>, Vec<Property<'a>>),
) -> Result<(Result<Vec<String>, SgfError>, &'a str), SgfError> {
    let mut lexer = Lexer::new(text, start(text).ok_or(SgfError::NoTree)?);
    // The node that each open bracket continues; the first bracket stands before the start.
    let mut open = vec![None];
    let (mut count, mut last, mut properties) = (0, None, 0);
    // The node that is being read, with the number of the node before it.
    let mut node: Option<(Option<usize>, Vec<Property<'a>>)> = None;
    let mut is_empty = true;
    let mut finish = |node: Option<(Option<usize>, Vec<Property<'a>>)>| {
        if let Some((parent, properties)) = node {
            take(parent, properties);
        }
    };
    while let Some(token) = lexer.token() {
        let is_property = matches!(token, Token::Property(_));
        // The root may lack its `;`. In a later variation without one, properties are of the node before it.
        if matches!(token, Token::Node) || is_property && count == 0 {
            finish(node.replace((last, Vec::new())));
            (last, count) = (Some(count), count + 1);
        }
        properties += usize::from(is_property);
        at_most(properties, MAX_PROPERTIES, "properties")?;
        at_most(count.max(open.len()), MAX_NODES, "nodes")?;
        match token {
            Token::Node => {}
            Token::Open => open.push(last),
            Token::Close => {
                finish(node.take());
                last = open.pop().flatten();
                if open.is_empty() {
                    lexer.end = End::Closed;
                    break;
                }
            }
            Token::Property(property) => {
                is_empty = false;
                if let Some((_, properties)) = &mut node {
                    properties.push(property);
                }
            }
        }
    }
    finish(node);
    let rest = match lexer.end {
        End::Closed => &text[lexer.at..],
        End::Open | End::Cut => "",
    };
    Ok((lexer.notes(is_empty), rest))
}

/// The properties of a text without nodes, such as `TR[aa][bb]LB[cc:1]`.
pub(super) fn properties(text: &str) -> Vec<Property<'_>> {
    let mut lexer = Lexer::new(text, 0);
    let mut found = Vec::new();
    while lexer
        .next_visible()
        .is_some_and(|next| next.is_ascii_alphabetic())
    {
        found.extend(lexer.property());
    }
    found
}

/// End of what is read.
#[derive(Clone, Copy, PartialEq)]
enum End {
    /// By a closing parenthesis.
    Closed,
    /// By the end of the text.
    Open,
    /// By the end of the text inside a value.
    Cut,
}

/// What a tree consists of.
enum Token<'a> {
    /// `;`
    Node,
    /// `(`
    Open,
    /// `)`
    Close,
    Property(Property<'a>),
}

/// Position of the first node: behind the first `(` that a `;` follows, or a property where the root lacks its `;`;
/// or at the beginning of a text that lacks its `(`.
fn start(text: &str) -> Option<usize> {
    let begins = |at: &usize| text[*at..].starts_with(';') || begins_with_property(&text[*at..]);
    let visible = |rest: &str| text.len() - rest.trim_ascii_start().len();
    let mut opened = text
        .match_indices('(')
        .map(|(at, _)| visible(&text[at + 1..]));
    let first = opened.find(begins);
    let bare = visible(text.trim_start_matches('\u{feff}'));
    let is_node = |&at: &usize| {
        let node = text[at..].strip_prefix(';');
        node.is_some_and(|node| begins_with_property(node.trim_ascii_start()))
    };
    first.or_else(|| Some(bare).filter(is_node))
}

/// Whether a text is a game from its first character on.
pub(in super::super) fn is_game(text: &str) -> bool {
    let may_precede = |c: char| c == '(' || c == '\u{feff}' || c.is_whitespace();
    start(text).is_some_and(|at| text[..at].chars().all(may_precede))
}

/// Whether a text begins with a property of one or two capitals, as all of `FF[4]` have.
fn begins_with_property(text: &str) -> bool {
    let rest = text.trim_start_matches(|letter: char| letter.is_ascii_uppercase());
    let is_name = (1..=2).contains(&(text.len() - rest.len()));
    is_name && rest.trim_ascii_start().starts_with('[')
}

struct Lexer<'a> {
    text: &'a str,
    /// Byte position, always at a character boundary.
    at: usize,
    /// The first unexpected character, and its position.
    skipped: Option<(char, usize)>,
    end: End,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str, at: usize) -> Lexer<'a> {
        Lexer {
            text,
            at,
            skipped: None,
            end: End::Open,
        }
    }

    /// The next token; `None` at the end of the text, perhaps inside a value. Anything else is skipped.
    fn token(&mut self) -> Option<Token<'a>> {
        while self.end != End::Cut {
            let character = self.next_visible()?;
            let token = match character {
                ';' => Token::Node,
                '(' => Token::Open,
                ')' => Token::Close,
                letter if letter.is_ascii_alphabetic() => match self.property() {
                    Some(property) => return Some(Token::Property(property)),
                    None => continue,
                },
                character => {
                    self.skipped.get_or_insert((character, self.at));
                    self.at += character.len_utf8();
                    continue;
                }
            };
            self.at += 1;
            return Some(token);
        }
        None
    }

    /// Skips white space; the next character, not yet consumed.
    fn next_visible(&mut self) -> Option<char> {
        let rest = &self.text[self.at..];
        let visible = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
        self.at += rest.len() - visible.len();
        visible.chars().next()
    }

    /// Messages about what was skipped, and how the text ends; an error for a game without a single property.
    fn notes(&self, is_empty: bool) -> Result<Vec<String>, SgfError> {
        match (self.skipped, self.end) {
            (Some((character, at)), _) if is_empty => {
                return Err(SgfError::Unexpected { character, at });
            }
            (_, End::Cut) if is_empty => {
                let text = "the SGF text ends inside a property value";
                return Err(SgfError::Unreadable(text.to_owned()));
            }
            _ => {}
        }
        let skipped = self.skipped.map(|(character, at)| {
            format!("unexpected character {character:?} at byte {at} of the SGF text is skipped")
        });
        let ended = match self.end {
            End::Closed => None,
            End::Open => Some("the SGF text ends without a `)`: it may be incomplete"),
            End::Cut => {
                Some("the SGF text ends inside a property value: only what precedes it is loaded")
            }
        };
        Ok(skipped
            .into_iter()
            .chain(ended.map(str::to_owned))
            .collect())
    }

    /// Consumes an identifier and its values; `None` for one without values, which is ignored, and where
    /// the text ends. Lower-case letters of old files (`SiZe`) are skipped if there are capitals.
    fn property(&mut self) -> Option<Property<'a>> {
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
                Some('[') => values.push(self.value()?),
                None if values.is_empty() => {
                    self.end = End::Cut;
                    return None;
                }
                _ if values.is_empty() => {
                    let first = word.chars().next()?;
                    self.skipped.get_or_insert((first, begin));
                    return None;
                }
                _ => return Some(Property { name, values }),
            }
        }
    }

    /// Consumes `[value]`, at its opening bracket; `None` if the text ends inside.
    fn value(&mut self) -> Option<&'a str> {
        let begin = self.at + 1;
        let mut escaped = false;
        for (offset, byte) in self.text[begin..].bytes().enumerate() {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b']' => {
                    self.at = begin + offset + 1;
                    return Some(&self.text[begin..begin + offset]);
                }
                _ => {}
            }
        }
        self.end = End::Cut;
        None
    }
}
