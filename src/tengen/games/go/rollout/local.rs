//! Points related to the last move: near it, or vital for chains next to it.

use super::field::Field;
use super::nakade::vital;
use super::weights::Kind;
use crate::game::{Bits, Move};

/// Points related to the last move.
pub(super) struct Local<const WORDS: usize> {
    /// Orthogonally adjacent empty points.
    pub(super) beside: Bits<WORDS>,
    /// Diagonally adjacent empty points.
    pub(super) across: Bits<WORDS>,
    /// Points with rare features.
    pub(super) rare: [(Kind, Bits<WORDS>); 6],
}

impl<const WORDS: usize> Local<WORDS> {
    /// All points with a rare feature.
    pub(super) fn rare(&self) -> Bits<WORDS> {
        let sets = self.rare.iter().map(|&(_, points)| points);
        sets.fold(Bits::EMPTY, |all, points| all | points)
    }

    /// All points of any set.
    pub(super) fn points(&self) -> Bits<WORDS> {
        self.rare() | self.beside | self.across
    }

    /// Features of a point.
    pub(super) fn kinds(&self, point: Move) -> impl Iterator<Item = Kind> {
        let near = [(Kind::Beside, self.beside), (Kind::Across, self.across)];
        let sets = near.into_iter().chain(self.rare);
        sets.filter(move |(_, points)| points.contains(point))
            .map(|(kind, _)| kind)
    }

    /// Points related to the last move, if there was one.
    pub(super) fn of<const CELLS: usize>(field: &Field<CELLS, WORDS>) -> Option<Self> {
        let last = field.last?;
        let (own, frame, empty) = (field.to_move, field.frame(), field.empty());
        let beside = frame.neighbors(Bits::point(last));
        let in_row = frame.sideways(Bits::point(last));
        let in_column = beside & !in_row;
        let across = frame.neighbors(in_row) & frame.neighbors(in_column);
        let (mut runs, mut saving, mut strong) = (Bits::EMPTY, Bits::EMPTY, Bits::EMPTY);
        let played = field.chain(last);
        let mut friends = beside & field.stones(own);
        while let Some(friend) = friends.lowest() {
            let chain = field.chain(friend);
            friends.remove_all(chain.stones);
            if chain.liberties.is_single() {
                runs |= chain.liberties;
                let mut enemies = frame.neighbors(chain.stones) & field.stones(own.opponent());
                while let Some(enemy) = enemies.lowest() {
                    let prey = field.chain(enemy);
                    enemies.remove_all(prey.stones);
                    if prey.liberties.is_single() {
                        saving |= prey.liberties;
                    }
                }
            } else if chain.liberties.is_pair() {
                strong |= chain.liberties;
            }
        }
        let chased = |wanted: bool| {
            if wanted {
                played.liberties
            } else {
                Bits::EMPTY
            }
        };
        Some(Local {
            beside: beside & empty,
            across: across & empty,
            rare: [
                (Kind::TakesLast, chased(played.liberties.is_single())),
                (Kind::ChasesLast, chased(played.liberties.is_pair())),
                (Kind::Runs, runs),
                (Kind::TakesToSave, saving),
                (Kind::Strengthens, strong),
                (Kind::Vital, vital(field, last)),
            ],
        })
    }
}
