//! Tic-tac-toe on any small board, with a variable row length: a game for tests, with draws and
//! rules.
//!
//! It shows everything that a game has to implement to be played, refereed and learned.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

use std::fmt;
use std::str::FromStr;

mod encoding;

use crate::game::{
    BoardSize, Color, Game, GameInfo, IllegalSetup, Move, Outcome, PliesLeft, Recent, Rules,
    UnknownRules, UnsupportedSize, zobrist,
};
use crate::rollout::Rollout;
use crate::solver::Solvable;

/// Points of the largest board.
const MAX_POINTS: usize = 64;

/// Length of a winning row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InARow(u8);

impl Rules for InARow {}

impl Default for InARow {
    fn default() -> Self {
        InARow(3)
    }
}

impl fmt::Display for InARow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl FromStr for InARow {
    type Err = UnknownRules;

    fn from_str(text: &str) -> Result<Self, UnknownRules> {
        let length = text.parse().ok().filter(|length| (2..=8).contains(length));
        let refused = || UnknownRules::new(text, "a number in a row from 2 to 8");
        length.map(InARow).ok_or_else(refused)
    }
}

/// A position.
#[derive(Debug, Clone)]
pub struct TicTacToe {
    size: BoardSize,
    rules: InARow,
    stones: [Option<Color>; MAX_POINTS],
    winner: Option<Color>,
    to_move: Color,
    recent: Recent,
    ply: u16,
    key: u128,
}

impl TicTacToe {
    fn put(&mut self, color: Color, point: Move) {
        self.stones[point.index()] = Some(color);
        self.key ^= zobrist::stone(color, point);
        self.ply += 1;
        if self.is_in_line(color, point) {
            self.winner = Some(color);
        }
    }

    /// Whether a stone of `color` on the point would complete a winning row.
    fn is_in_line(&self, color: Color, point: Move) -> bool {
        let (x, y) = self.size.column_row(point);
        let (x, y) = (i32::from(x), i32::from(y));
        let run = |(dx, dy): (i32, i32)| {
            let steps = (1..).map(|step| (x + step * dx, y + step * dy));
            steps.take_while(|&(x, y)| self.has(color, x, y)).count()
        };
        [(1, 0), (0, 1), (1, 1), (1, -1)]
            .into_iter()
            .any(|(dx, dy)| 1 + run((dx, dy)) + run((-dx, -dy)) >= usize::from(self.rules.0))
    }

    fn has(&self, color: Color, x: i32, y: i32) -> bool {
        let on_board = (0..i32::from(self.size.width)).contains(&x)
            && (0..i32::from(self.size.height)).contains(&y);
        on_board && self.stone(self.size.point(x as u8, y as u8)) == Some(color)
    }
}

impl Game for TicTacToe {
    const NAME: &'static str = "tictactoe";

    const INFO: GameInfo = GameInfo {
        title: "Tic-tac-toe",
        // One that SGF gives no game.
        sgf: (1000, None),
        usual_board: BoardSize::square(3),
        offered_sides: &[3],
        draws: true,
        lost_because: "has let a line be made",
        settings: &[("time-takeover", "off")],
        ..GameInfo::named(Self::NAME)
    };

    type Moves = std::vec::IntoIter<Move>;
    type Rules = InARow;

    fn with_rules(size: BoardSize, rules: InARow) -> Result<Self, UnsupportedSize> {
        if !(1..=MAX_POINTS).contains(&size.area()) {
            return Err(UnsupportedSize {
                game: Self::NAME,
                size,
                limits: "boards of at most 64 points",
            });
        }
        Ok(TicTacToe {
            size,
            rules,
            stones: [None; MAX_POINTS],
            winner: None,
            to_move: Color::Black,
            recent: Recent::default(),
            ply: 0,
            key: 0,
        })
    }

    fn set_up(&self, stones: &[(Move, Color)], to_move: Color) -> Result<Self, IllegalSetup> {
        let mut position = TicTacToe {
            stones: [None; MAX_POINTS],
            winner: None,
            to_move,
            recent: Recent::default(),
            ply: 0,
            key: 0,
            ..self.clone()
        };
        for &(point, color) in stones {
            let free = point.index() < self.size.area() && position.stone(point).is_none();
            // The game ends with a row: two sides cannot both have one.
            if !free
                || position.winner == Some(color.opponent()) && position.is_in_line(color, point)
            {
                return Err(IllegalSetup { color, point });
            }
            position.put(color, point);
        }
        Ok(position)
    }

    fn rules(&self) -> InARow {
        self.rules
    }

    fn size(&self) -> BoardSize {
        self.size
    }

    fn to_move(&self) -> Color {
        self.to_move
    }

    fn set_to_move(&mut self, color: Color) {
        self.to_move = color;
    }

    fn ply(&self) -> u32 {
        self.ply.into()
    }

    fn stone(&self, point: Move) -> Option<Color> {
        self.stones[point.index()]
    }

    fn recent(&self) -> Recent {
        self.recent
    }

    fn legal_moves(&self) -> Self::Moves {
        let points = self.size.points();
        let legal: Vec<Move> = points.filter(|&point| self.is_legal(point)).collect();
        legal.into_iter()
    }

    fn is_legal(&self, mv: Move) -> bool {
        self.winner.is_none() && mv.index() < self.size.area() && self.stone(mv).is_none()
    }

    fn play(&mut self, mv: Move) {
        self.put(self.to_move, mv);
        self.recent.push(mv);
        self.to_move = self.to_move.opponent();
    }

    fn outcome(&self) -> Option<Outcome> {
        let full = usize::from(self.ply) == self.size.area();
        let drawn = full.then_some(Outcome::DRAW);
        self.winner.map(Outcome::win).or(drawn)
    }

    fn key(&self) -> u128 {
        self.key ^ zobrist::to_move(self.to_move)
    }

    fn plies_left(&self) -> PliesLeft {
        let left = match self.winner {
            Some(_) => 0,
            None => self.size.area() as u32 - u32::from(self.ply),
        };
        PliesLeft {
            expected: f64::from(left),
            bound: Some(left),
        }
    }
}

impl Rollout for TicTacToe {}

impl Solvable for TicTacToe {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::conformance;

    #[test]
    fn it_keeps_what_every_game_promises() {
        for (size, games) in [(BoardSize::square(3), 50), (BoardSize::new(5, 4), 20)] {
            conformance::check::<TicTacToe>(size, games);
        }
    }

    /// Of the 255,168 games on 3x3, 46,080 fill the board without a line (a well-known count:
    /// 131,184 won by the first player, 77,904 by the second).
    #[test]
    fn all_games_on_3x3_end_as_is_known() {
        fn count(position: &TicTacToe, ends: &mut [u32; 3]) {
            if let Some(outcome) = position.outcome() {
                ends[outcome.proof_for(Color::Black) as usize] += 1;
            }
            for mv in position.legal_moves() {
                let mut next = position.clone();
                next.play(mv);
                count(&next, ends);
            }
        }
        let mut ends = [0; 3];
        count(&TicTacToe::new(BoardSize::square(3)).unwrap(), &mut ends);
        assert_eq!(ends, [77_904, 46_080, 131_184]);
    }

    #[test]
    fn lines_are_as_long_as_the_rules_say() {
        let rules: InARow = "4".parse().unwrap();
        let mut position = TicTacToe::with_rules(BoardSize::new(4, 2), rules).unwrap();
        for mv in [0, 4, 1, 5, 2, 6] {
            assert_eq!(position.outcome(), None);
            position.play(Move(mv));
        }
        position.play(Move(3));
        assert_eq!(position.outcome(), Some(Outcome::win(Color::Black)));
        assert!("9".parse::<InARow>().is_err());
    }
}
