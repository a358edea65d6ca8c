//! What a stone asks for that was just played: take it, or save what it has put in atari.

use crate::game::go::Go;
use crate::game::{Bits, Game, Move};

/// Points that take the chain of the last stone, or save one that it has put in atari.
pub(super) fn tactics<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    last: Move,
) -> Bits<WORDS> {
    let (own, mut found) = (position.to_move(), Bits::<WORDS>::EMPTY);
    let takes = position.last_liberty(last);
    takes.iter().for_each(|&point| found.insert(point));
    for friend in (position.around(last) & position.stones(own)).iter() {
        let Some(liberty) = position.last_liberty(friend) else {
            continue;
        };
        if position.is_legal(liberty) && !position.is_self_atari(liberty) {
            found.insert(liberty);
        }
        let chain = position.chain(friend);
        let enemies = position.next_to(chain) & position.stones(own.opponent());
        let prey = enemies
            .iter()
            .filter_map(|enemy| position.last_liberty(enemy));
        prey.for_each(|point| found.insert(point));
    }
    found
        .iter()
        .filter(|&point| position.is_legal(point))
        .collect()
}
