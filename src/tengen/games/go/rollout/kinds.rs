//! Features of a move.

use super::field::Field;
use super::local::Local;
use super::weights::{Kind, Kinds};
use crate::game::Move;

/// Data of a position needed for them.
pub(super) struct View<'a, const CELLS: usize, const WORDS: usize> {
    field: &'a Field<CELLS, WORDS>,
    local: Option<Local<WORDS>>,
}

impl<'a, const CELLS: usize, const WORDS: usize> View<'a, CELLS, WORDS> {
    pub(super) fn of(field: &'a Field<CELLS, WORDS>) -> Self {
        View {
            field,
            local: Local::of(field),
        }
    }

    /// Features of a legal stone of the side to move on a point.
    pub(super) fn kinds(&self, point: Move) -> Kinds {
        let (side, sides) = (self.field.to_move.index(), self.field.sides(point));
        let mut kinds = Kinds::default();
        match sides.takes[side] {
            0 => {}
            1 => kinds.add(Kind::TakesOne),
            _ => kinds.add(Kind::TakesMany),
        }
        match sides.saves[side] {
            0 => {}
            1 => kinds.add(Kind::SavesOne),
            _ => kinds.add(Kind::SavesMany),
        }
        if sides.takes[side] == 0 && !self.field.is_open(point) {
            let joined = self.field.joined(point);
            if joined.liberties.is_empty() || joined.liberties.is_single() {
                let single = joined.stones.is_single();
                kinds.add(if single {
                    Kind::LosesOne
                } else {
                    Kind::LosesMany
                });
            }
        }
        if let Some(local) = &self.local {
            local.kinds(point).for_each(|kind| kinds.add(kind));
        }
        kinds
    }
}
