//! Words of newer dialects that mean nothing here: the log tells of each once, since board programs repeat them
//! with every move.

/// Most words that are remembered.
const MOST: usize = 64;

/// The words that the log has told of.
#[derive(Debug, Default)]
pub(super) struct Ignored(Vec<String>);

impl Ignored {
    /// A word was sent that has no effect.
    pub(super) fn note(&mut self, word: &str) {
        if self.0.iter().any(|known| known == word) || self.0.len() >= MOST {
            return;
        }
        log::warn!("`{word}` is not known here and has no effect");
        self.0.push(word.to_owned());
    }
}
