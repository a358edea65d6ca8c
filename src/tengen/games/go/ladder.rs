//! Ladders: chains that are captured although they run, because each move leaves them one or two
//! liberties (docs/methods.md#go).

use super::Go;
use crate::game::{Bits, Color, Game, Move};

/// A ladder search for one chain, with its remaining node budget.
struct LadderReader<const CELLS: usize, const WORDS: usize> {
    /// A stone of the target chain.
    target: Move,
    owner: Color,
    /// Remaining nodes.
    nodes: u32,
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// Whether the chain of the stone on `target` is captured by successive ataris when `first`
    /// moves first. Its owner extends along its liberties or captures an adjacent chain in atari.
    /// Kos count as they stand; superko is ignored. A chain with three liberties is free, and so is
    /// one that `nodes` moves do not decide. Where a chain with two liberties moves first, ladder
    /// breakers elsewhere are not considered.
    pub fn falls_in_ladder(&self, target: Move, first: Color, nodes: u32) -> bool {
        let Some(owner) = self.stone(target) else {
            return false;
        };
        // Before copying anything: most chains have more liberties.
        if self.liberties(target).count() > 2 {
            return false;
        }
        let mut reader = LadderReader {
            target,
            owner,
            nodes,
        };
        let mut start = Box::new(self.clone());
        start.set_to_move(first);
        match first == owner {
            true => reader.falls_defended(&start),
            false => reader.falls_attacked(&start),
        }
    }
}

impl<const CELLS: usize, const WORDS: usize> LadderReader<CELLS, WORDS> {
    /// The position after a move; `None` when the node budget is exhausted. Boxed, as ladders are
    /// long and stacks are small.
    fn play(&mut self, position: &Go<CELLS, WORDS>, mv: Move) -> Option<Box<Go<CELLS, WORDS>>> {
        self.nodes = self.nodes.checked_sub(1)?;
        Some(Box::new(position.after(mv)))
    }

    /// Whether the chain is captured with the opponent to move.
    fn falls_attacked(&mut self, position: &Go<CELLS, WORDS>) -> bool {
        let liberties = position.liberties(self.target);
        if liberties.is_single() {
            return liberties.iter().any(|last| position.is_legal(last));
        }
        liberties.is_pair()
            && liberties.iter().any(|atari| {
                let next = position.is_legal(atari).then(|| self.play(position, atari));
                next.flatten()
                    .is_some_and(|next| self.falls_defended(&next))
            })
    }

    /// Whether the chain is captured with its owner to move.
    fn falls_defended(&mut self, position: &Go<CELLS, WORDS>) -> bool {
        let chain = position.chain(self.target);
        let beside = position.next_to(chain);
        let enemies = (beside & position.stones(self.owner.opponent())).iter();
        let captures: Bits<WORDS> = enemies
            .filter_map(|enemy| position.last_liberty(enemy))
            .collect();
        let replies = captures | beside & position.empty();
        replies.iter().all(|reply| {
            if !position.is_legal(reply) {
                return true;
            }
            let Some(next) = self.play(position, reply) else {
                return false;
            };
            // Suicide also loses the chain.
            next.stone(self.target) != Some(self.owner) || self.falls_attacked(&next)
        })
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::diagram::diagram;
    use crate::games::go::tests::at;
    use crate::games::go::{LargeGo, SmallGo};

    const NODES: u32 = 1000;

    /// Whether the chain with a stone on `name` is captured with Black first, and with White first.
    fn falls(rows: &str, name: &str) -> [bool; 2] {
        let position = diagram(rows, "chinese", Color::Black);
        let target = at(&position, name);
        Color::BOTH.map(|first| position.falls_in_ladder(target, first, NODES))
    }

    /// White's stone on c3, with one more stone on the board.
    fn ladder(breaker: Option<(&str, char)>) -> [bool; 2] {
        let rows = [
            ".........",
            ".........",
            ".........",
            ".........",
            ".........",
            ".........",
            ".XO......",
            "..XX.....",
            ".........",
        ];
        let mut rows: Vec<Vec<char>> = rows.iter().map(|row| row.chars().collect()).collect();
        if let Some((name, stone)) = breaker {
            let column = usize::from(name.as_bytes()[0] - b'a');
            rows[9 - usize::from(name.as_bytes()[1] - b'0')][column] = stone;
        }
        let rows: Vec<String> = rows.iter().map(|row| row.iter().collect()).collect();
        falls(&rows.join(" "), "c3")
    }

    #[test]
    fn a_stone_runs_to_the_edge_and_falls_unless_somebody_waits() {
        // Black to move takes it in a ladder; White to move first gets out.
        assert_eq!(ladder(None), [true, false]);
        assert_eq!(ladder(Some(("g7", 'O'))), [false, false], "a breaker");
        assert_eq!(ladder(Some(("g7", 'X'))), [true, false]);
        assert_eq!(ladder(Some(("h2", 'O'))), [true, false], "off its way");
    }

    #[test]
    fn a_ladder_along_the_edge_has_no_way_out() {
        // On the first line each step gives two liberties, and the corner none.
        assert_eq!(falls("..... ..... ..... XX... OO...", "a1"), [true, true]);
        assert_eq!(falls("..... ..... ..... XXX.. OO...", "a1"), [true, true]);
        // On the second line there are three.
        assert_eq!(
            falls("...... ...... .XX... .XO... .X....", "c2"),
            [true, false]
        );
    }

    #[test]
    fn a_chain_that_takes_beside_it_is_free() {
        // White's b2 is in atari, and so is Black's a2: White captures it and escapes.
        let rows = "..... ..... .X... XOX.. O....";
        assert_eq!(falls(rows, "b2"), [true, false]);
        // With a3 it is not: White can only run, and has one liberty then.
        let safe = "..... ..... XX... XOX.. O....";
        assert_eq!(falls(safe, "b2"), [true, true]);
    }

    #[test]
    fn a_snapback_is_read() {
        // Black throws in on c1 or d1: White takes one stone and is taken back.
        assert_eq!(falls("....... XXXXXX. XOOOOX. XO..OX.", "b2"), [true, true]);
        // With one more point White has three liberties.
        assert_eq!(
            falls("....... XXXXXXX XOOOOOX XO...OX", "b2"),
            [false, false]
        );
    }

    #[test]
    fn few_nodes_tell_nothing() {
        let position = diagram(
            "......... ......... ......... ......... ......... ......... .XO...... ..XX..... .........",
            "chinese",
            Color::Black,
        );
        let target = at(&position, "c3");
        assert!(!position.falls_in_ladder(target, Color::Black, 10));
        assert!(position.falls_in_ladder(target, Color::Black, NODES));
        assert!(!position.falls_in_ladder(at(&position, "a9"), Color::Black, NODES));
    }

    /// All moves of the owner, all ataris of the opponent: `None` where `plies` are too few to
    /// decide.
    fn brute<const C: usize, const W: usize>(
        position: &Go<C, W>,
        target: Move,
        owner: Color,
        plies: u32,
    ) -> Option<bool> {
        if position.stone(target) != Some(owner) {
            return Some(true);
        }
        let attacks = position.to_move() != owner;
        let liberties = position.liberties(target).count();
        if attacks && liberties > 2 {
            return Some(false);
        }
        let is_atari = liberties == 1;
        let plies = plies.checked_sub(1)?;
        let mut unknown = false;
        for mv in position.legal_moves() {
            if position.passes() > 0 && mv == position.pass() {
                continue;
            }
            let mut next = position.clone();
            next.play(mv);
            let taken = next.stone(target) != Some(owner);
            if attacks && !taken && (is_atari || next.liberties(target).count() != 1) {
                continue;
            }
            match brute(&next, target, owner, plies) {
                Some(falls) if falls == attacks => return Some(attacks),
                Some(_) => {}
                None => unknown = true,
            }
        }
        (!unknown).then_some(!attacks)
    }

    #[test]
    fn reading_is_what_trying_everything_says() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
        let (mut compared, mut taken) = (0, [0; 2]);
        for game in 0..250 {
            let size = [
                BoardSize::square(4),
                BoardSize::new(5, 3),
                BoardSize::square(5),
            ][game % 3];
            let mut position = SmallGo::with_rules(size, "chinese".parse().unwrap()).unwrap();
            for _ in 0..rng.random_range(4..2 * size.area()) {
                let points: Vec<Move> = position.legal_points().iter().collect();
                if points.is_empty() {
                    break;
                }
                position.play(points[rng.random_range(0..points.len())]);
            }
            let stones = position.stones(Color::Black) | position.stones(Color::White);
            let mut left = stones;
            while let Some(stone) = left.lowest() {
                left.remove_all(position.chain(stone));
                let owner = position.stone(stone).unwrap();
                if position.liberties(stone).count() > 2 {
                    continue;
                }
                for first in Color::BOTH {
                    if first == owner && position.liberties(stone).is_pair() {
                        continue;
                    }
                    let mut start = position.clone();
                    start.set_to_move(first);
                    let Some(wanted) = brute(&start, stone, owner, 7) else {
                        continue;
                    };
                    let found = position.falls_in_ladder(stone, first, 100_000);
                    assert_eq!(found, wanted, "{position:?} {stone:?} {first}");
                    compared += 1;
                    taken[usize::from(first == owner)] += u32::from(found);
                }
            }
        }
        assert!(
            compared > 500 && taken[0] > 100 && taken[1] > 50,
            "{compared} {taken:?}"
        );
    }

    #[test]
    fn large_boards_are_read_to_the_other_corner() {
        let size = BoardSize::square(19);
        let empty = LargeGo::with_rules(size, "chinese".parse().unwrap()).unwrap();
        let stones = [("c3", 1), ("b3", 0), ("c2", 0), ("d2", 0)];
        let point = |name: &str| size.point(name.as_bytes()[0] - b'a', name.as_bytes()[1] - b'1');
        let stones = stones.map(|(name, color)| (point(name), Color::BOTH[color]));
        let position = empty.set_up(&stones, Color::Black).unwrap();
        assert!(position.falls_in_ladder(point("c3"), Color::Black, 1000));
        let mut with_breaker = stones.to_vec();
        with_breaker.push((size.point(15, 15), Color::White));
        let position = empty.set_up(&with_breaker, Color::Black).unwrap();
        assert!(!position.falls_in_ladder(point("c3"), Color::Black, 1000));
    }
}
