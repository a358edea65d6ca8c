//! What a network has to know of a game.

use tengen::game::{BoardSize, Game};
use tengen::games;
use tengen_nn::eval::ModelInfo;

/// Properties of a game that determine a network's shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GameShape {
    /// The board.
    pub size: BoardSize,
    /// Number of possible results for a side: 2, or 3 with draws.
    pub outcomes: usize,
    /// Whether a pass is the policy's last index.
    pub passes: bool,
    /// Whether points are counted, so that their owners and the lead can be learned.
    pub scored: bool,
}

impl GameShape {
    /// The shape of a game on the board of this position.
    #[must_use]
    pub fn of<G: Game>(position: &G) -> GameShape {
        GameShape {
            size: position.size(),
            outcomes: G::INFO.outcomes(),
            passes: position.policy_len() > position.size().area(),
            scored: G::INFO.scored,
        }
    }

    /// Number of moves of the policy: the points, and a pass.
    #[must_use]
    pub fn policy_len(&self) -> usize {
        self.size.area() + usize::from(self.passes)
    }
}

impl From<&ModelInfo> for GameShape {
    fn from(info: &ModelInfo) -> GameShape {
        GameShape {
            size: info.size,
            outcomes: info.outcomes,
            passes: info.policy_len > info.size.area(),
            scored: games::info(&info.game).is_some_and(|info| info.scored),
        }
    }
}

impl From<BoardSize> for GameShape {
    /// A game without draws, passes and points.
    fn from(size: BoardSize) -> GameShape {
        GameShape {
            size,
            outcomes: 2,
            passes: false,
            scored: false,
        }
    }
}
