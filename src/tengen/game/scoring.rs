//! What is asked of positions of any game about the end of games that count points, with an answer
//! for the other games.

use super::{CurrentScore, Game, Move, OwnershipEstimate, Scored, Settled};

/// [`Scored::resumed`]; in other games, the position.
pub fn resumed<G: Game>(position: &G) -> G {
    let scored = position.scored();
    scored.map_or_else(|| position.clone(), Scored::resumed)
}

/// [`Scored::disputed`]; in other games, the position.
pub fn disputed<G: Game>(position: &G) -> G {
    let scored = position.scored();
    scored.map_or_else(|| position.clone(), Scored::disputed)
}

/// [`Scored::searched`]; in other games, the position.
pub fn searched<G: Game>(position: &G) -> G {
    let scored = position.scored();
    scored.map_or_else(|| position.clone(), Scored::searched)
}

/// [`Scored::agrees_on_dead`]; never in other games.
pub fn agrees_on_dead<G: Game>(position: &G) -> bool {
    position.scored().is_some_and(Scored::agrees_on_dead)
}

/// [`Scored::nears_end`]; never in other games.
pub fn nears_end<G: Game>(position: &G) -> bool {
    position.scored().is_some_and(Scored::nears_end)
}

/// [`Scored::fills_eye`]; never in other games.
pub fn fills_eye<G: Game>(position: &G, mv: Move) -> bool {
    let scored = position.scored();
    scored.is_some_and(|scored| scored.fills_eye(mv))
}

/// [`Scored::current_score`]; `None` in other games.
pub fn current_score<G: Game>(position: &G) -> Option<CurrentScore> {
    position.scored()?.current_score()
}

/// [`Scored::settle`]; `None` in other games.
pub fn settle<G: Game>(position: &G, expected: &OwnershipEstimate) -> Option<Settled> {
    position.scored().map(|scored| scored.settle(expected))
}
