//! Unsupported words of newer dialects: logged once each, since board programs repeat them with
//! every move.

/// Maximum number of words remembered.
const MOST: usize = 64;

/// Words that were logged.
#[derive(Debug, Default)]
pub(super) struct Ignored(Vec<String>);

impl Ignored {
    /// Logs an unsupported word.
    pub(super) fn note(&mut self, word: &str) {
        if self.0.iter().any(|known| known == word) || self.0.len() >= MOST {
            return;
        }
        log::warn!("unknown word `{word}` is ignored");
        self.0.push(word.to_owned());
    }
}
