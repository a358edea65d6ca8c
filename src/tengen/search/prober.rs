//! What is known of a position without the network: a prober's answers, and when it is asked.

use crate::game::ProbeResult;

/// Returns what is proven of a position, if anything. Called for new positions, and again when they
/// are visited often.
pub type Prober<G> = Box<dyn FnMut(&G, &ProbeContext<'_>) -> Option<ProbeResult> + Send>;

/// Context of a call to a prober.
#[derive(Clone, Copy)]
pub struct ProbeContext<'a> {
    /// Previous descents by the edge that led here, those in flight counted; 0 at a new position,
    /// else a power of [`ASK_AGAIN`] unless `is_reused`.
    pub visits: u32,
    /// Moves from the root to the position.
    pub depth: usize,
    /// Whether this is a root move that comes over from an earlier search with these visits, and
    /// the first descent to it in this search.
    pub is_reused: bool,
    /// Whether the search is over and the answer no longer needed.
    pub over: &'a (dyn Fn() -> bool + Sync),
}

/// A prober without an answer is called again at this many visits, at the square of it, and so on,
/// and once for a root move that comes over from an earlier search.
pub const ASK_AGAIN: u32 = 4;

impl ProbeContext<'_> {
    /// Whether a position with these visits is asked about wherever it stands.
    #[must_use]
    pub fn is_due(&self) -> bool {
        self.visits == 0 || asks_at(self.visits)
    }

    /// Whether the prober is called again.
    pub(super) fn asks_again(&self) -> bool {
        self.is_reused || asks_at(self.visits)
    }
}

/// Whether the prober is called at this many visits.
fn asks_at(visits: u32) -> bool {
    let each = ASK_AGAIN.ilog2();
    visits >= ASK_AGAIN && visits.is_power_of_two() && visits.ilog2().is_multiple_of(each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prober_is_asked_again_at_powers() {
        let asked: Vec<u32> = (0..300).filter(|&visits| asks_at(visits)).collect();
        assert_eq!(asked, [4, 16, 64, 256]);
    }
}
