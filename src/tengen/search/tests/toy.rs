//! A game with everything that NoGo lacks: Go on a single row of points, with captures, passes and
//! draws by points. There is no ko rule: positions repeat, and a game may be endless.

use crate::encode::{Encode, Encoding};
use crate::game::{
    BoardSize, Color, Game, GameInfo, HalfPoints, IllegalSetup, Move, OneSet, Outcome, PliesLeft,
    Recent, UnsupportedSize,
};

/// Longest row.
const POINTS: usize = 16;

/// A position: a row of stones, the side to move, and the number of consecutive passes.
#[derive(Debug, Clone)]
pub(super) struct RowGame {
    stones: [Option<Color>; POINTS],
    len: u8,
    passes: u8,
    to_move: Color,
    ply: u32,
    recent: Recent,
}

/// An empty row of `points` points.
pub(super) fn line(points: u8) -> RowGame {
    RowGame::new(BoardSize::new(points, 1)).unwrap()
}

impl RowGame {
    /// The stones of a group, as a range of points.
    fn group(&self, point: usize) -> std::ops::Range<usize> {
        let same = |p: &usize| self.stones[*p] == self.stones[point];
        let left = (0..point).rev().take_while(same).count();
        let right = (point..self.len as usize).take_while(same).count();
        point - left..point + right
    }

    fn has_liberty(&self, point: usize) -> bool {
        let group = self.group(point);
        let free = |p: usize| p < self.len as usize && self.stones[p].is_none();
        free(group.end) || group.start > 0 && free(group.start - 1)
    }

    /// The row after a stone; `None` for suicide.
    fn with_stone(&self, point: usize) -> Option<RowGame> {
        let mut next = self.clone();
        next.stones[point] = Some(self.to_move);
        for neighbour in [point.wrapping_sub(1), point + 1] {
            let theirs = neighbour < self.len as usize
                && next.stones[neighbour] == Some(self.to_move.opponent());
            if theirs && !next.has_liberty(neighbour) {
                let taken = next.group(neighbour);
                next.stones[taken].fill(None);
            }
        }
        next.has_liberty(point).then_some(next)
    }

    /// Black's score: stones and points that only Black's stones touch, less White's.
    fn black_ahead(&self) -> i32 {
        let stones = &self.stones[..self.len as usize];
        let owner = |p: usize| {
            let left = stones[..=p].iter().rev().find_map(|stone| *stone);
            let right = stones[p..].iter().find_map(|stone| *stone);
            match (left, right) {
                (Some(one), Some(other)) if one != other => None,
                (one, other) => one.or(other),
            }
        };
        (0..stones.len())
            .map(|p| owner(p).map_or(0, |color| color.signed(1)))
            .sum()
    }
}

impl Game for RowGame {
    const NAME: &'static str = "line";
    const INFO: GameInfo = GameInfo {
        passes: true,
        repeats: true,
        ..GameInfo::named("line")
    };
    type Moves = std::vec::IntoIter<Move>;
    type Rules = OneSet;

    fn with_rules(size: BoardSize, _: OneSet) -> Result<Self, UnsupportedSize> {
        Ok(RowGame {
            stones: [None; POINTS],
            len: size.width,
            passes: 0,
            to_move: Color::Black,
            ply: 0,
            recent: Recent::default(),
        })
    }

    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup> {
        let mut position = RowGame::new(self.size()).expect("it has this size");
        for &(point, color) in stones {
            position.stones[point.index()] = Some(color);
        }
        position.to_move = to_move;
        Ok(position)
    }

    fn rules(&self) -> OneSet {
        OneSet
    }

    fn size(&self) -> BoardSize {
        BoardSize::new(self.len, 1)
    }

    fn to_move(&self) -> Color {
        self.to_move
    }

    fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    fn ply(&self) -> u32 {
        self.ply
    }

    fn stone(&self, point: Move) -> Option<Color> {
        self.stones[point.index()]
    }

    fn recent(&self) -> Recent {
        self.recent
    }

    fn legal_moves(&self) -> Self::Moves {
        let all = 0..self.policy_len() as u16;
        let legal: Vec<Move> = all.map(Move).filter(|mv| self.is_legal(*mv)).collect();
        legal.into_iter()
    }

    fn is_legal(&self, mv: Move) -> bool {
        let point = mv.index();
        let stone = || self.stones[point].is_none() && self.with_stone(point).is_some();
        self.passes < 2 && (point == self.len as usize || point < self.len as usize && stone())
    }

    fn play(&mut self, mv: Move) {
        let passes = mv.index() == self.len as usize;
        if !passes {
            *self = self.with_stone(mv.index()).expect("a legal move");
        }
        self.passes = if passes { self.passes + 1 } else { 0 };
        self.to_move = self.to_move.opponent();
        self.ply += 1;
        self.recent.push(mv);
    }

    fn outcome(&self) -> Option<Outcome> {
        let ahead = HalfPoints(2 * self.black_ahead());
        (self.passes == 2).then(|| Outcome::by_points(ahead))
    }

    fn key(&self) -> u128 {
        let digits = self.stones[..self.len as usize].iter();
        let digits = digits.map(|stone| stone.map_or(0, |color| 1 + color.index() as u128));
        let row = digits.fold(1, |sum: u128, digit| 3 * sum + digit);
        let rest = u128::from(self.passes) * 2 + self.to_move.index() as u128;
        // Spread over the table.
        (row * 6 + rest).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835)
    }

    fn plies_left(&self) -> PliesLeft {
        PliesLeft {
            expected: f64::from(self.len),
            bound: None,
        }
    }
}

/// The pass on a row of nine points.
pub(super) const PASS: usize = 9;

/// Whether Black was to move where this row was made.
pub(super) fn black_to_move(row: &[f32]) -> bool {
    row[row.len() - 1] == 1.0
}

/// Own stones, theirs, passes, and whether Black is to move.
const ENCODING: Encoding<RowGame> = Encoding {
    cache_key: |position| position.key(),
    ..Encoding::new("line-1", 4, |position, row| {
        let points = position.len as usize;
        for (p, stone) in position.stones[..points].iter().enumerate() {
            match stone {
                Some(color) if *color == position.to_move => row[p] = 1.0,
                Some(_) => row[points + p] = 1.0,
                None => {}
            }
        }
        row[2 * points..3 * points].fill(f32::from(position.passes));
        if position.to_move == Color::Black {
            row[3 * points..].fill(1.0);
        }
    })
};

impl Encode for RowGame {
    fn encodings() -> &'static [&'static Encoding<Self>] {
        &[&ENCODING]
    }
}
