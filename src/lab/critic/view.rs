//! Input of a critic, and its evaluation of moves.

use super::{Board, Network};
use tengen::game::{Color, Game, Move};

/// Reads the board from `color`'s view.
pub fn read<G: Game>(position: &G, color: Color, board: &mut Board) {
    let points = (0..position.size().area() as u16).map(Move);
    board.clear();
    board.extend(points.map(|point| match position.stone(point) {
        None => 0,
        Some(stone) if stone == color => 1,
        Some(_) => -1,
    }));
}

/// Evaluates moves with a network, with reusable buffers.
#[derive(Debug, Default)]
pub struct Judge {
    before: Board,
    after: Board,
    sums: Vec<f64>,
}

impl Judge {
    /// Each legal move of the side to move, ascending, with the value of the resulting board. A
    /// pass leaves the board unchanged.
    pub fn moves<G: Game>(&mut self, network: &Network, position: &G) -> Vec<(Move, f64)> {
        let color = position.to_move();
        read(position, color, &mut self.before);
        let now = network.sums(&self.before);
        let value = |mv: Move| {
            let mut next = position.clone();
            next.play(mv);
            read(&next, color, &mut self.after);
            self.sums.clone_from(&now);
            let changes = self.after.iter().zip(&self.before).enumerate();
            for (point, (after, before)) in changes.filter(|(_, (after, before))| after != before) {
                network.add(&mut self.sums, point, after - before);
            }
            (mv, network.output(&self.sums))
        };
        position.legal_moves().map(value).collect()
    }
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::nogo::SmallNoGo;

    #[test]
    fn boards_are_seen_from_either_side() {
        let mut position = SmallNoGo::new(BoardSize::new(3, 2)).unwrap();
        position.play(Move(1));
        position.play(Move(5));
        let mut board = Board::new();
        read(&position, Color::Black, &mut board);
        assert_eq!(board, [0, 1, 0, 0, 0, -1]);
        read(&position, Color::White, &mut board);
        assert_eq!(board, [0, -1, 0, 0, 0, 1]);
    }

    #[test]
    fn a_move_is_worth_the_board_behind_it() {
        let network = Network::new(81, 21, &mut Xoshiro256PlusPlus::seed_from_u64(1));
        let mut position = SmallNoGo::new(BoardSize::square(9)).unwrap();
        (0..10).for_each(|point| position.play(Move(7 * point)));
        let found = Judge::default().moves(&network, &position);
        assert_eq!(found.len(), position.legal_count());
        let mut board = Board::new();
        for (mv, value) in found {
            let mut next = position.clone();
            next.play(mv);
            read(&next, position.to_move(), &mut board);
            assert!((value - network.value(&board)).abs() < 1e-12);
        }
    }
}
