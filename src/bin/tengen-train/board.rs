//! From a board size to the type that plays on it.

use tengen::game::nogo::{LargeNoGo, SmallNoGo};
use tengen::game::{BoardSize, Game};
use tengen::rollout::Playout;
use tengen::train::rebuild::Rebuild;

/// What a command does once the type of its positions is known.
pub(crate) trait OnBoard {
    /// Does it, with the empty board.
    fn run<G: Rebuild + Playout>(&self, start: &G) -> anyhow::Result<()>;
}

/// Does a command's work on a NoGo board of this size.
pub(crate) fn on_board(size: BoardSize, work: &impl OnBoard) -> anyhow::Result<()> {
    if let Ok(start) = SmallNoGo::new(size) {
        return work.run(&start);
    }
    work.run(&LargeNoGo::new(size)?)
}
