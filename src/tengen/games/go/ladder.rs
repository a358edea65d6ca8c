//! Ladders: chains that are in an atari they do not get out of, or can be put into one, as KataGo tells them to
//! its networks (docs/methods.md#go). A ko is taken to be won by who runs.

use super::Go;
use super::board::Board;
use crate::game::{Bits, Color, Game as _, Move};

/// Moves that are tried for one question; where they do not tell, the chain is free.
const MAX_MOVES: u32 = 25_000;

/// Chains that are caught.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Laddered<const WORDS: usize> {
    /// Stones of chains in atari that fall although they move first, and of chains with two liberties that
    /// fall if the other side moves first.
    pub stones: Bits<WORDS>,
    /// Moves that catch chains with two liberties of the side that is not to move.
    pub working: Bits<WORDS>,
}

/// A board, and where the last move on it may not be taken back.
struct Place<const CELLS: usize, const WORDS: usize> {
    board: Board<CELLS, WORDS>,
    ko: Option<Move>,
}

/// Who is caught, and what reading it may still cost.
struct LadderReader<const CELLS: usize, const WORDS: usize> {
    /// A stone of the chain.
    target: Move,
    owner: Color,
    /// Moves that may still be tried.
    moves: u32,
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// Chains that are caught as the board stands.
    pub fn laddered(&self) -> Laddered<WORDS> {
        self.board.laddered(self.ko, self.to_move.opponent())
    }

    /// [`Laddered::stones`] on the boards before the last move and before the one before it, as far as
    /// there are such.
    pub fn earlier_laddered(&self) -> Vec<Bits<WORDS>> {
        let boards = self.history();
        let stones = |(index, stones): (usize, &[Bits<WORDS>; 2])| {
            let mut board = Board::new(self.size()).expect("it has this size");
            for color in Color::BOTH {
                let stones = stones[color.index()].iter();
                stones.for_each(|point| board.put(color, point));
            }
            let ko = self.earlier_ko(&board, index);
            board.laddered(ko, self.to_move).stones
        };
        boards.iter().take(2).enumerate().map(stones).collect()
    }

    /// The ko on the board before the last `index + 1` moves: the last of the others took one stone with
    /// one stone that has one liberty.
    fn earlier_ko(&self, board: &Board<CELLS, WORDS>, index: usize) -> Option<Move> {
        let taken = *self.captures.get(index + 1)?;
        let mv = self.recent.iter().nth(index + 1)?;
        let is_stone = Color::BOTH
            .into_iter()
            .any(|color| board.stones(color).contains(mv));
        let is_ko = taken.is_single()
            && is_stone
            && board.chain_of(mv).is_single()
            && board.last_liberty(mv).is_some();
        is_ko.then(|| taken.lowest()).flatten()
    }
}

impl<const CELLS: usize, const WORDS: usize> Board<CELLS, WORDS> {
    /// The caught chains; `victim` is who is not to move.
    fn laddered(&self, ko: Option<Move>, victim: Color) -> Laddered<WORDS> {
        let mut found = Laddered {
            stones: Bits::EMPTY,
            working: Bits::EMPTY,
        };
        for owner in Color::BOTH {
            let mut left = self.stones(owner);
            while let Some(target) = left.lowest() {
                let chain = self.chain_of(target);
                left.remove_all(chain);
                let liberties = self.frame().neighbors(chain) & self.empty();
                if liberties.count() > 2 {
                    continue;
                }
                let caught = match liberties.is_single() {
                    true => LadderReader::new(target, owner).falls(self),
                    false => {
                        let working = self.working(ko, (target, owner), liberties);
                        if owner == victim {
                            found.working |= working;
                        }
                        !working.is_empty()
                    }
                };
                if caught {
                    found.stones |= chain;
                }
            }
        }
        found
    }

    /// The moves on its two liberties by which a chain is caught.
    fn working(
        &self,
        ko: Option<Move>,
        (target, owner): (Move, Color),
        liberties: Bits<WORDS>,
    ) -> Bits<WORDS> {
        let enemy = owner.opponent();
        let catches = |&mv: &Move| {
            let mut reader = LadderReader::new(target, owner);
            if Some(mv) == ko
                || !self.is_legal(enemy, mv, false)
                || reader.runs(self, liberties, mv)
            {
                return false;
            }
            let mut next = Box::new(self.clone());
            next.play(enemy, mv);
            reader.falls(&next)
        };
        liberties.iter().filter(catches).collect()
    }
}

impl<const CELLS: usize, const WORDS: usize> LadderReader<CELLS, WORDS> {
    fn new(target: Move, owner: Color) -> Self {
        LadderReader {
            target,
            owner,
            moves: MAX_MOVES,
        }
    }

    /// Whether the chain in atari falls, with its owner to move; at first all kos are its own.
    fn falls(&mut self, board: &Board<CELLS, WORDS>) -> bool {
        let depth = board.frame().size().area();
        self.defended(board, None, depth).unwrap_or(false)
    }

    /// Whether the chain falls with its owner to move, within this many moves of each side; `None` if the moves do
    /// not tell.
    fn defended(
        &mut self,
        board: &Board<CELLS, WORDS>,
        ko: Option<Move>,
        depth: usize,
    ) -> Option<bool> {
        // Longer than any ladder.
        if depth == 0 {
            return Some(true);
        }
        let chain = board.chain_of(self.target);
        let beside = board.frame().neighbors(chain);
        let liberties = beside & board.empty();
        // What hangs on a ko is not told.
        if !liberties.is_single() || ko.is_some() {
            return Some(false);
        }
        let enemies = board.stones(self.owner.opponent());
        let captures: Bits<WORDS> = (beside & enemies)
            .iter()
            .filter_map(|enemy| board.last_liberty(enemy))
            .collect();
        // Without a look at the board after it: running alone is enough, or of no use.
        let reached = self.reached(board, chain, liberties);
        if reached > 2 {
            return Some(false);
        }
        let mut around = (board.frame().neighbors(liberties) & enemies).iter();
        let takes = around.any(|enemy| board.last_liberty(enemy).is_some());
        if captures.is_empty() && !takes && reached < 2 {
            return Some(true);
        }
        let mut tried = captures.iter().chain((liberties & !captures).iter());
        tried.try_fold(true, |falls, reply| {
            if !falls || !board.is_legal(self.owner, reply, false) {
                return Some(falls);
            }
            let next = self.play(board, self.owner, reply)?;
            self.attacked(&next, depth)
        })
    }

    /// Whether the chain falls with its enemy to move.
    fn attacked(&mut self, place: &Place<CELLS, WORDS>, depth: usize) -> Option<bool> {
        let Place { board, ko } = place;
        let chain = board.chain_of(self.target);
        let liberties = board.frame().neighbors(chain) & board.empty();
        if !liberties.is_pair() {
            return Some(liberties.is_single());
        }
        if self.is_double_ko(board, chain, liberties) {
            return Some(true);
        }
        let enemy = self.owner.opponent();
        let order = self.ordered(board, liberties);
        for mv in order {
            let is_legal = Some(mv) != *ko && board.is_legal(enemy, mv, false);
            if !is_legal || self.runs(board, liberties, mv) {
                continue;
            }
            let next = self.play(board, enemy, mv)?;
            if self.defended(&next.board, next.ko, depth - 1)? {
                return Some(true);
            }
        }
        Some(false)
    }

    /// A position after a move. In a box, as ladders are long and stacks are not.
    fn play(
        &mut self,
        board: &Board<CELLS, WORDS>,
        color: Color,
        mv: Move,
    ) -> Option<Box<Place<CELLS, WORDS>>> {
        self.moves = self.moves.checked_sub(1)?;
        let mut next = Box::new(Place {
            board: board.clone(),
            ko: None,
        });
        next.ko = next.board.play(color, mv).ko;
        Some(next)
    }

    /// Liberties that the chain has after its owner has played on its last one, at least.
    fn reached(&self, board: &Board<CELLS, WORDS>, chain: Bits<WORDS>, mv: Bits<WORDS>) -> usize {
        let frame = board.frame();
        let friends = frame.neighbors(mv) & board.stones(self.owner) & !chain;
        let joined = frame.flood(friends, board.stones(self.owner));
        (frame.neighbors(chain | mv | joined) & board.empty() & !mv).count()
    }

    /// Whether the chain gets three liberties on the other of its two when its enemy plays on one of them.
    fn runs(&self, board: &Board<CELLS, WORDS>, liberties: Bits<WORDS>, mv: Move) -> bool {
        let other = liberties & !Bits::point(mv);
        let around = board.frame().neighbors(other);
        !around.contains(mv) && (around & board.empty()).count() > 2
    }

    /// Whether both liberties are kos that the enemy can take, and connecting there gains the chain nothing:
    /// it is lost, however many threats it has. Not all such positions are known.
    fn is_double_ko(
        &self,
        board: &Board<CELLS, WORDS>,
        chain: Bits<WORDS>,
        liberties: Bits<WORDS>,
    ) -> bool {
        let frame = board.frame();
        let (own, enemies) = (
            board.stones(self.owner),
            board.stones(self.owner.opponent()),
        );
        let is_ko = |point: Move| {
            let around = frame.neighbors(Bits::point(point));
            if !(around & !own).is_empty() {
                return false;
            }
            let in_atari = around
                .iter()
                .filter(|stone| board.last_liberty(*stone).is_some());
            let in_atari: Bits<WORDS> = in_atari.collect();
            let only = in_atari.lowest().filter(|_| in_atari.is_single());
            only.is_some_and(|stone| board.chain_of(stone).is_single())
        };
        liberties.iter().all(is_ko)
            && liberties
                .iter()
                .all(|point| self.reached(board, chain, Bits::point(point)) < 3)
            && (frame.neighbors(chain) & enemies)
                .iter()
                .all(|enemy| board.last_liberty(enemy).is_none())
    }

    /// The two liberties, first the one on which the chain would gain more.
    fn ordered(&self, board: &Board<CELLS, WORDS>, liberties: Bits<WORDS>) -> Vec<Move> {
        let gain = |point: &Move| {
            let around = board.frame().neighbors(Bits::point(*point));
            let open = (around & board.empty()).count();
            let friend = |stone: Move| {
                let chain = board.chain_of(stone);
                let liberties = (board.frame().neighbors(chain) & board.empty()).count();
                if liberties > 1 { 2 * liberties - 3 } else { 0 }
            };
            let friends = (around & board.stones(self.owner)).iter().map(friend);
            2 * open + friends.sum::<usize>()
        };
        let mut order: Vec<Move> = liberties.iter().collect();
        order.sort_by_key(|point| std::cmp::Reverse(gain(point)));
        order
    }
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::diagram::diagram;
    use super::super::{LargeGo, SmallGo};
    use super::*;
    use crate::game::BoardSize;

    /// Stones that are caught, and moves that catch stones of the side that is not to move.
    fn names(rows: &str, to_move: Color) -> [Vec<String>; 2] {
        let position = diagram(rows, "chinese", to_move);
        let found = position.laddered();
        [found.stones, found.working].map(|points| {
            let size = position.size();
            let name = |point| {
                let (column, row) = size.column_row(point);
                format!("{}{}", char::from(b'a' + column), row + 1)
            };
            points.iter().map(name).collect()
        })
    }

    #[test]
    fn what_is_caught_is_told_with_the_moves_that_catch_it() {
        let ladder = "......... ......... ......... ......... ......... ......... .XO...... \
                      ..XX..... .........";
        assert_eq!(names(ladder, Color::Black), [vec!["c3"], vec!["c4"]]);
        assert_eq!(names(ladder, Color::White), [vec!["c3"], vec![]]);
        let broken = "......... ......... ......O.. ......... ......... ......... .XO...... \
                      ..XX..... .........";
        let [stones, working] = names(broken, Color::Black);
        assert!(stones.is_empty() && working.is_empty(), "{stones:?}");
        // In a corner both moves catch.
        let both = "..... ..... ..... X.X.. .OX..";
        let [stones, working] = names(both, Color::Black);
        assert_eq!((stones, working.len()), (vec!["b1".to_owned()], 2));
        // In atari, and the last liberty leads nowhere.
        assert_eq!(
            names("..... ..... ..... XX... OO...", Color::White)[0],
            ["a1", "b1"]
        );
    }

    /// The same without looking ahead: every answer is tried.
    fn falls<const C: usize, const W: usize>(
        board: &Board<C, W>,
        ko: Option<Move>,
        (target, owner): (Move, Color),
        owner_moves: bool,
    ) -> bool {
        let chain = board.chain_of(target);
        let beside = board.frame().neighbors(chain);
        let liberties = beside & board.empty();
        let after = |color, mv| {
            let mut next = Box::new(board.clone());
            let ko = next.play(color, mv).ko;
            falls(&next, ko, (target, owner), !owner_moves)
        };
        if !owner_moves {
            let reader = LadderReader::<C, W>::new(target, owner);
            return match liberties.count() {
                1 => true,
                2 if reader.is_double_ko(board, chain, liberties) => true,
                2 => liberties.iter().any(|mv| {
                    let enemy = owner.opponent();
                    Some(mv) != ko && board.is_legal(enemy, mv, false) && after(enemy, mv)
                }),
                _ => false,
            };
        }
        if liberties.count() > 1 || ko.is_some() {
            return false;
        }
        let enemies = beside & board.stones(owner.opponent());
        let takes = enemies.iter().filter_map(|enemy| board.last_liberty(enemy));
        let mut replies: Vec<Move> = takes.chain(liberties.iter()).collect();
        replies.sort_unstable();
        replies.dedup();
        replies
            .into_iter()
            .all(|mv| !board.is_legal(owner, mv, false) || after(owner, mv))
    }

    /// Random positions, and who is caught before each of their last moves.
    #[test]
    fn looking_ahead_changes_nothing() {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
        let (mut compared, mut caught, mut earlier) = (0, 0, 0);
        for game in 0..300 {
            let size = [
                BoardSize::square(7),
                BoardSize::new(5, 4),
                BoardSize::square(9),
            ][game % 3];
            let mut position = SmallGo::with_rules(size, "tromp-taylor".parse().unwrap()).unwrap();
            let mut before = Vec::new();
            for _ in 0..rng.random_range(4..size.area()) {
                let points: Vec<Move> = position.legal_points().iter().collect();
                if points.is_empty() {
                    break;
                }
                before.insert(0, position.laddered().stones);
                position.play(points[rng.random_range(0..points.len())]);
            }
            let found = position.laddered();
            let mut wanted = Laddered {
                stones: Bits::EMPTY,
                working: Bits::EMPTY,
            };
            for owner in Color::BOTH {
                for target in position.stones(owner).iter() {
                    let who = (target, owner);
                    let liberties = position.liberties(target);
                    if liberties.is_single() && falls(&position.board, None, who, true) {
                        wanted.stones.insert(target);
                    }
                    if !liberties.is_pair() {
                        continue;
                    }
                    compared += 1;
                    for mv in liberties.iter() {
                        let enemy = owner.opponent();
                        let mut next = position.board.clone();
                        if Some(mv) == position.ko || !next.is_legal(enemy, mv, false) {
                            continue;
                        }
                        next.play(enemy, mv);
                        if falls(&next, None, who, true) {
                            wanted.stones.insert(target);
                            if owner != position.to_move {
                                wanted.working.insert(mv);
                            }
                        }
                    }
                }
            }
            assert_eq!(found, wanted, "{position:?}");
            caught += found.stones.count();
            let told = position.earlier_laddered();
            assert_eq!(told.len(), before.len().min(2));
            assert!(told.iter().eq(before.iter().take(2)), "{position:?}");
            earlier += told.iter().filter(|stones| !stones.is_empty()).count();
        }
        assert!(
            compared > 500 && caught > 300 && earlier > 100,
            "{compared} {caught} {earlier}"
        );
    }

    #[test]
    fn ladders_across_a_large_board_are_read() {
        let size = BoardSize::square(19);
        let empty = LargeGo::with_rules(size, "chinese".parse().unwrap()).unwrap();
        let point = |name: &str| size.point(name.as_bytes()[0] - b'a', name.as_bytes()[1] - b'1');
        let stones = [("c3", 1), ("b3", 0), ("c2", 0), ("d2", 0)];
        let stones = stones.map(|(name, color)| (point(name), Color::BOTH[color]));
        let position = empty.set_up(&stones, Color::Black).unwrap();
        assert_eq!(position.laddered().stones, Bits::point(point("c3")));
        assert_eq!(position.laddered().working, Bits::point(point("c4")));
    }
}
