//! A position in all symmetries of the board.

use crate::game::{Game, Move, Symmetry};

/// A position with its images under the symmetries of the board. The *least* image, the one with the
/// smallest key, stands for all of them.
#[derive(Debug, Clone)]
pub struct Images<G> {
    position: G,
    others: Vec<(Symmetry, G)>,
}

impl<G: Game> Images<G> {
    /// The images of an empty board.
    #[must_use]
    pub fn of_empty(empty: &G) -> Images<G> {
        Images::made(empty.clone(), |_| Some(empty.clone()))
    }

    /// A position and the images that `turned` makes of it; those that it does not make are left out.
    pub(crate) fn made(position: G, turned: impl Fn(Symmetry) -> Option<G>) -> Images<G> {
        let others = Symmetry::all(position.size()).skip(1);
        Images {
            position,
            others: others
                .filter_map(|symmetry| Some((symmetry, turned(symmetry)?)))
                .collect(),
        }
    }

    /// The position itself.
    #[must_use]
    pub fn position(&self) -> &G {
        &self.position
    }

    /// Key of the least image.
    #[must_use]
    pub fn key(&self) -> u128 {
        self.least().0
    }

    /// A move of the position as a move of the least image.
    #[must_use]
    pub fn turned(&self, mv: Move) -> Move {
        self.least().1.apply(self.position.size(), mv)
    }

    /// A move of the least image as a move of the position; `None` if it is not legal there.
    #[must_use]
    pub fn own(&self, mv: Move) -> Option<Move> {
        let back = self.least().1.inverse();
        let own = back.apply(self.position.size(), mv);
        self.position.is_legal(own).then_some(own)
    }

    /// The images after a legal move of the position.
    #[must_use]
    pub fn after(&self, mv: Move) -> Images<G> {
        let mut next = self.clone();
        next.position.play(mv);
        for (symmetry, image) in &mut next.others {
            image.play(symmetry.apply(image.size(), mv));
        }
        next
    }

    /// Key of the least image, and the symmetry that leads there.
    fn least(&self) -> (u128, Symmetry) {
        let own = (self.position.key(), Symmetry::IDENTITY);
        let others = self.others.iter();
        let others = others.map(|(symmetry, image)| (image.key(), *symmetry));
        others.fold(own, |least, other| match other.0 < least.0 {
            true => other,
            false => least,
        })
    }
}
