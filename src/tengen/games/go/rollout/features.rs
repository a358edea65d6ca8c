//! Features of a move that rollouts use: what it takes, saves and loses, and how it answers the last move.

use super::field::Field;
use super::weights::{Kind, Kinds};
use crate::game::{Bits, BoardSize, Color, Frame, Move};
use crate::games::go::Go;

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
                    saving |= prey.liberties.if_single();
                }
            } else if chain.liberties.is_pair() {
                strong |= chain.liberties;
            }
        }
        let chased = |wanted: bool| match wanted {
            true => played.liberties,
            false => Bits::EMPTY,
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

/// Data of a position needed for its features.
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
                kinds.add(match joined.stones.is_single() {
                    true => Kind::LosesOne,
                    false => Kind::LosesMany,
                });
            }
        }
        if let Some(local) = &self.local {
            local.kinds(point).for_each(|kind| kinds.add(kind));
        }
        kinds
    }
}

/// Steps from a stone within which a point is not open.
const NEAR: usize = 3;

/// Points near stones.
pub(super) fn crowded<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
) -> Bits<WORDS> {
    let mut crowded = position.stones(Color::Black) | position.stones(Color::White);
    for _ in 0..NEAR {
        crowded |= position.next_to(crowded);
    }
    crowded
}

/// The line of a point, from 1 at the edge.
pub(super) fn line(size: BoardSize, point: Move) -> usize {
    let (x, y) = size.column_row(point);
    let line = x.min(y).min(size.width - 1 - x).min(size.height - 1 - y);
    usize::from(line) + 1
}

// Nakade: eye spaces that one stone decides, and sacrifices that kill: captured stones leave a space that is one eye
// only, if its vital point is played.

/// The largest eye space considered.
const LARGEST: usize = 6;

/// Whether a chain of the side to move, if captured, leaves a space in which the opponent cannot
/// make two eyes. Larger or living shapes are sekis or wasted stones.
pub(super) fn is_worth_losing<const WORDS: usize>(
    frame: &Frame<WORDS>,
    chain: Bits<WORDS>,
) -> bool {
    chain.count() <= 3 || center(frame, chain).is_some()
}

/// The vital point of a space of 3 to 6 points.
fn center<const WORDS: usize>(frame: &Frame<WORDS>, hole: Bits<WORDS>) -> Option<Move> {
    let size = hole.count();
    if !(3..=LARGEST).contains(&size) {
        return None;
    }
    let (mut links, mut most, mut middle) = (0, 0, None);
    for point in hole.iter() {
        let number = (frame.neighbors(Bits::point(point)) & hole).count();
        links += number;
        if number > most {
            (most, middle) = (number, Some(point));
        }
    }
    match (size, links / 2, most) {
        // Three in a row or a corner; a square and a pyramid; a bulky five and a cross; a rabbity six.
        (3, ..) | (4, 4, _) | (4, _, 3) | (5, 5, _) | (5, _, 4) | (6, 6, 4) => middle,
        _ => None,
    }
}

/// Vital points of eye spaces next to the last move, of either side.
pub(super) fn vital<const CELLS: usize, const WORDS: usize>(
    field: &Field<CELLS, WORDS>,
    last: Move,
) -> Bits<WORDS> {
    let (frame, empty) = (field.frame(), field.empty());
    let mut found = Bits::EMPTY;
    let mut near = frame.neighbors(Bits::point(last)) & empty;
    while let Some(first) = near.lowest() {
        let mut hole = Bits::point(first);
        loop {
            let next = hole | frame.neighbors(hole) & empty;
            if next == hole || next.count() > LARGEST {
                hole = next;
                break;
            }
            hole = next;
        }
        near.remove_all(hole);
        // A square is dead already.
        if hole.count() > LARGEST || (hole.count() == 4 && is_square(frame, hole)) {
            continue;
        }
        if let Some(point) = center(frame, hole) {
            let around = frame.neighbors(hole) & !hole;
            let enclosed = Color::BOTH
                .into_iter()
                .any(|color| around & !field.stones(color) == Bits::EMPTY);
            if enclosed {
                found.insert(point);
            }
        }
    }
    found
}

fn is_square<const WORDS: usize>(frame: &Frame<WORDS>, hole: Bits<WORDS>) -> bool {
    hole.iter()
        .all(|point| (frame.neighbors(Bits::point(point)) & hole).count() == 2)
}
