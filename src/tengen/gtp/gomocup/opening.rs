//! The opening phase by `SWAP2BOARD`: propose three stones, or react to three or five stones.

use super::text::{write_point, write_points};
use super::{Answer, GomocupSession};
use crate::engine::Decision;
use crate::game::{BoardSize, Color, Move};
use crate::record::{Play, Vertex};

impl GomocupSession {
    /// Replies with stones, with a move, or with a swap.
    ///
    /// After three stones and after five it is White's turn: the engine plays White's stone and
    /// stays White, or takes Black. This is right whenever one of the two is no worse than even, so
    /// two more stones are never placed.
    pub(super) fn choose_side(&mut self, stones: &[Move], send: &mut dyn FnMut(&str)) -> Answer {
        let engine = self.engine()?;
        let size = engine.size();
        engine.clear();
        if stones.is_empty() {
            let put = first_stones(size, self.options.opening_seed.wrapping_add(self.games));
            self.say(send, &write_points(&put, size));
            return Ok(());
        }
        if ![3, 5].contains(&stones.len()) {
            return Err(format!(
                "SWAP2BOARD takes 0, 3 or 5 stones, not {}",
                stones.len()
            ));
        }
        for (&point, color) in stones.iter().zip(Color::BOTH.into_iter().cycle()) {
            let vertex = Vertex::Point(point);
            if engine.play(Play { color, vertex }).is_err() {
                return Err(format!(
                    "the stone on {} is illegal",
                    write_point(point, size)
                ));
            }
        }
        let static_value = self.engine()?.static_value();
        let Decision::Play(Vertex::Point(point)) = self.think()? else {
            return Err("the game is over".to_owned());
        };
        if self.interrupts.is_ending() {
            return Ok(());
        }
        self.tell_search(send);
        let engine = self.engine()?;
        let best = engine.last_report().and_then(|report| report.moves.first());
        // If there was no time for a search.
        if best.map_or(static_value, |best| best.value) < 0.0 {
            engine.undo().map_err(|error| error.to_string())?;
            self.say(send, "SWAP");
        } else {
            self.say(send, &write_point(point, size));
        }
        Ok(())
    }
}

/// Three stones, the first and the third black, with about even chances: columns and rows from a
/// corner. On 15x15 a search of 10,000 visits gives Black 47 to 53% of the points, and Rapfi, too,
/// finds them balanced.
const OPENINGS: [[(u8, u8); 3]; 7] = [
    [(3, 0), (4, 1), (3, 3)],
    [(1, 0), (2, 1), (2, 4)],
    [(6, 0), (2, 0), (4, 1)],
    [(7, 5), (5, 3), (7, 1)],
    [(7, 4), (3, 3), (2, 2)],
    [(4, 5), (3, 6), (2, 9)],
    [(6, 8), (3, 4), (5, 3)],
];

/// One of the openings, by a number.
fn first_stones(size: BoardSize, number: u64) -> [Move; 3] {
    let [first, ..] = OPENINGS;
    let index = (number % OPENINGS.len() as u64) as usize;
    let opening = OPENINGS.get(index).copied().unwrap_or(first);
    opening.map(|(x, y)| size.point(x.min(size.width - 1), y.min(size.height - 1)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_stones_are_on_the_board_and_apart() {
        for (width, height) in [(5, 5), (15, 15), (20, 5), (5, 20)] {
            let size = BoardSize::new(width, height);
            for game in 0..8 {
                let [one, two, three] = first_stones(size, game);
                assert_ne!(first_stones(size, game + 1), [one, two, three]);
                assert!(one != two && two != three && one != three, "{size} {game}");
                assert!(
                    [one, two, three]
                        .iter()
                        .all(|stone| stone.index() < size.area())
                );
            }
        }
    }
}
