//! A board with put and undo, and the shapes that a stone would make on every point.

use crate::game::{Color, Game, Move, zobrist};
use crate::games::gomoku::renju::ban_by_shapes;
use crate::games::gomoku::{Direction, Five, Gomoku, MapHistory, Points, Shape, ShapeMap};

/// A position with put and undo.
#[derive(Debug, Clone)]
pub(super) struct Board {
    /// Its side to move means nothing.
    pub(super) position: Gomoku,
    pub(super) map: ShapeMap,
    /// What the stones put since the search began have changed in the map.
    history: MapHistory,
    /// Number of stones put.
    pub(super) nodes: u64,
}

impl Board {
    pub(super) fn new(position: &Gomoku) -> Board {
        let mut board = Board {
            position: position.clone(),
            map: ShapeMap::of(position),
            history: MapHistory::default(),
            nodes: 0,
        };
        // The side to move is part of the search: its keys add attacker and mover.
        board.position.set_to_move(Color::Black);
        board
    }

    /// The key with one more stone.
    pub(super) fn key_with(&self, color: Color, point: Move) -> u128 {
        self.position.key() ^ zobrist::stone(color, point)
    }

    pub(super) fn put(&mut self, color: Color, point: Move) {
        self.nodes += 1;
        self.position.put(color, point);
        self.map
            .update_noting(&self.position, point, &mut self.history);
    }

    /// Takes the last stone back.
    pub(super) fn take_back(&mut self, color: Color, point: Move) {
        self.position.take_back(color, point);
        self.map.undo(&mut self.history);
    }

    /// Points where a stone of `color` would win.
    pub(super) fn fives(&self, color: Color) -> Points {
        self.map.points(color, Shape::Five)
    }

    /// Points where a stone of `color` would have to be answered.
    pub(super) fn fours(&self, color: Color) -> Points {
        let fours = [Shape::Four, Shape::TwoFours, Shape::StraightFour];
        let [four, two, straight] = fours.map(|shape| self.map.points(color, shape));
        four | two | straight
    }

    /// Whether `color` may not play on one of these empty points.
    pub(super) fn forbids_any(&self, color: Color, points: Points) -> bool {
        let mut points = points.iter();
        self.position.rules().forbids(color)
            && points.any(|point| self.position.is_forbidden(color, point))
    }

    /// Whether `color` is certainly allowed on a point, now and after stones of the opponent
    /// elsewhere. Black may play two threes if Renju finds one of them not to be real, but a white
    /// stone elsewhere can change that; so they do not count here.
    pub(super) fn may_attack(&self, color: Color, point: Move) -> bool {
        !self.position.rules().forbids(color)
            || ban_by_shapes(self.map.shapes(color, point)).is_none()
    }

    /// Points where the opponent stops all fives that `color` could make next.
    pub(super) fn answers_to_four(&mut self, color: Color) -> Points {
        let (fives, defender) = (self.fives(color), color.opponent());
        let answers = match (self.position.rules().five(color), fives.is_single()) {
            (Five::OrMore | Five::Exactly, true) => fives,
            (Five::OrMore | Five::Exactly, false) => Points::EMPTY,
            // A stone beyond the end of a row can spoil it, too.
            _ => {
                let ends = fives | self.ends(color, fives);
                let spoils = |&end: &Move| {
                    self.put(defender, end);
                    let spoilt = self.fives(color).is_empty();
                    self.take_back(defender, end);
                    spoilt
                };
                ends.iter().filter(spoils).collect()
            }
        };
        self.position.allowed(defender, answers)
    }

    /// The empty points at the ends of the rows of five that a stone of `color` on any of these
    /// points would make.
    pub(super) fn ends(&self, color: Color, fives: Points) -> Points {
        let size = self.position.size();
        let own = self.position.stones(color);
        let mut found = Points::EMPTY;
        for five in fives.iter() {
            let shapes = self.map.shapes(color, five).into_iter();
            for (direction, _) in Direction::ALL
                .into_iter()
                .zip(shapes)
                .filter(|(_, shape)| *shape == Shape::Five)
            {
                let (behind, ahead) = direction.room(size, five);
                for (room, sign) in [(behind, -1), (ahead, 1)] {
                    let mut row = (1..=room).map(|steps| direction.step(size, five, sign * steps));
                    if let Some(end) = row.find(|&next| !own.contains(next)) {
                        found.insert(end);
                    }
                }
            }
        }
        found & self.position.empty()
    }

    /// Whether `color`, to whom moves may be forbidden, certainly has a move now and with one more
    /// own stone anywhere: there are two points without own stones in line near them.
    pub(super) fn is_never_stuck(&self, color: Color) -> bool {
        let size = self.position.size();
        let own = self.position.stones(color);
        let is_free = |&point: &Move| {
            Direction::ALL.into_iter().all(|direction| {
                let (behind, ahead) = direction.room(size, point);
                (-behind..=ahead).all(|steps| !own.contains(direction.step(size, point, steps)))
            })
        };
        self.position
            .empty()
            .iter()
            .filter(is_free)
            .nth(1)
            .is_some()
    }
}
