//! Gomoku against known cases and against a separate, naive referee.

use std::collections::HashSet;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::naive::Naive;
use super::*;
use crate::game::conformance::{self, perft};

fn start(size: BoardSize, rules: GomokuRules) -> Gomoku {
    Gomoku::with_rules(size, rules).unwrap()
}

/// The position of rows from the top: `X` black, `O` white, anything else empty.
pub(crate) fn diagram(rows: &str, rules: GomokuRules, to_move: Color) -> Gomoku {
    let rows: Vec<&str> = rows.split_whitespace().rev().collect();
    let size = BoardSize::new(rows[0].len() as u8, rows.len() as u8);
    let mut stones = Vec::new();
    for (y, row) in (0..).zip(&rows) {
        for (x, cell) in (0..).zip(row.chars()) {
            match cell {
                'X' => stones.push((size.point(x, y), Color::Black)),
                'O' => stones.push((size.point(x, y), Color::White)),
                _ => {}
            }
        }
    }
    start(size, rules).set_up(&stones, to_move).unwrap()
}

#[test]
fn conforms() {
    for rules in GomokuRules::ALL {
        for (size, games) in [
            (BoardSize::square(5), 40),
            (BoardSize::new(5, 8), 40),
            (BoardSize::square(9), 20),
            (BoardSize::square(20), 2),
        ] {
            conformance::check_from(&start(size, rules), games);
        }
    }
}

/// Plays `plies` random plies in all, game after game, comparing all points for both colours after
/// each; sometimes the same side moves twice, as GTP controllers may request.
fn play_against_naive(size: BoardSize, rules: GomokuRules, plies: u64) -> u64 {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(plies + rules as u64);
    let (mut played, mut fouls) = (0, 0);
    while played < plies {
        let (mut position, mut naive) = (start(size, rules), Naive::new(size, rules));
        loop {
            for color in Color::BOTH {
                position.set_to_move(color);
                for point in 0..size.area() {
                    let expected = position.winner.is_none() && naive.is_legal(color, point);
                    let got = position.is_legal(Move(point as u16));
                    assert_eq!(
                        got, expected,
                        "{color} on {point} under {rules}: {:?}",
                        naive.points
                    );
                    fouls += u64::from(!got && naive.points[point].is_none());
                }
            }
            position.set_to_move(Color::BOTH[rng.random_range(0..2)]);
            let moves: Vec<Move> = position.legal_moves().collect();
            assert_eq!(moves.is_empty(), position.outcome().is_some());
            if moves.is_empty() {
                break;
            }
            let mv = moves[rng.random_range(0..moves.len())];
            let mover = position.to_move();
            naive.points[mv.index()] = Some(mover);
            position.play(mv);
            played += 1;
            let won = naive.wins(naive.place(mv.index()));
            assert_eq!(
                position.winner,
                won.then_some(mover),
                "{mv:?} {rules}: {:?}",
                naive.points
            );
            if won {
                break;
            }
        }
    }
    fouls
}

/// `TENGEN_PLIES` sets the number of plies (the acceptance run uses 1000000).
#[test]
fn agrees_with_the_naive_referee() {
    let plies: u64 = std::env::var("TENGEN_PLIES").map_or(100_000, |n| n.parse().unwrap());
    for rules in GomokuRules::ALL {
        let sizes = [(5, 5), (7, 7), (6, 11), (9, 9), (15, 15)];
        let mut fouls = 0;
        for (width, height) in sizes {
            let share = plies / (sizes.len() * GomokuRules::ALL.len()) as u64;
            fouls += play_against_naive(BoardSize::new(width, height), rules, share);
        }
        assert_eq!(
            fouls > 0,
            rules == GomokuRules::Renju,
            "{fouls} points refused"
        );
    }
}

/// All continuations of half-filled small boards, to their end.
#[test]
fn perft_agrees_with_brute_force() {
    fn brute(naive: &Naive, mover: Color, depth: u32) -> u64 {
        if depth == 0 {
            return 1;
        }
        let mut sum = 0;
        for point in (0..naive.points.len()).filter(|&point| naive.is_legal(mover, point)) {
            let mut next = naive.clone();
            next.points[point] = Some(mover);
            let over = next.wins(next.place(point));
            sum += match (over, depth) {
                (true, 2..) => 0,
                _ => brute(&next, mover.opponent(), depth - 1),
            };
        }
        sum
    }
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    for rules in GomokuRules::ALL {
        for (width, height, stones) in [(5, 5, 18), (5, 6, 23), (7, 5, 28), (6, 6, 29)] {
            for _ in 0..6 {
                let size = BoardSize::new(width, height);
                let (mut position, mut naive) = (start(size, rules), Naive::new(size, rules));
                while position.ply() < stones && position.outcome().is_none() {
                    let moves: Vec<Move> = position.legal_moves().collect();
                    let mv = moves[rng.random_range(0..moves.len())];
                    naive.points[mv.index()] = Some(position.to_move());
                    position.play(mv);
                }
                if position.outcome().is_some() {
                    continue;
                }
                for depth in 1..=7 {
                    let expected = brute(&naive, position.to_move(), depth);
                    assert_eq!(
                        perft(&position, depth),
                        expected,
                        "{rules} {size}, depth {depth}"
                    );
                }
            }
        }
    }
}

#[test]
fn the_board_must_fit() {
    for size in [
        BoardSize::new(4, 9),
        BoardSize::new(9, 21),
        BoardSize::square(0),
    ] {
        let refused = Gomoku::new(size).unwrap_err().to_string();
        assert!(refused.contains("5 to 20"), "{refused}");
    }
    assert_eq!(
        Gomoku::new(BoardSize::new(5, 20)).unwrap().legal_count(),
        100
    );
    assert_eq!(
        perft(&Gomoku::new(BoardSize::square(15)).unwrap(), 2),
        225 * 224
    );
}

/// The points that Renju forbids to Black on 15x15; points are a letter from the left and a number from
/// the top, `a0` in the corner.
pub(super) fn forbidden_on(black: &str, white: &str) -> HashSet<String> {
    let size = BoardSize::square(15);
    let stones = [(black, Color::Black), (white, Color::White)].map(|(points, color)| {
        let points = points.split_whitespace();
        points.map(move |text| {
            let down: u8 = text[1..].parse().unwrap();
            (size.point(text.as_bytes()[0] - b'a', 14 - down), color)
        })
    });
    let stones: Vec<_> = stones.into_iter().flatten().collect();
    let empty = start(size, GomokuRules::Renju);
    let position = empty.set_up(&stones, Color::Black).unwrap();
    let name = |point| {
        let (x, y) = size.column_row(point);
        format!("{}{}", char::from(b'a' + x), 14 - y)
    };
    position.forbidden(Color::Black).iter().map(name).collect()
}

/// The points forbidden to Black, as `x y` from the lower left, starting at 0.
fn forbidden(rows: &str) -> Vec<(u8, u8)> {
    let position = diagram(rows, GomokuRules::Renju, Color::Black);
    let points = position.empty().iter();
    let points = points.filter(|&point| position.is_forbidden(Color::Black, point));
    points
        .map(|point| position.size().column_row(point))
        .collect()
}

#[test]
fn renju_forbids_black_two_threes_two_fours_and_six() {
    let threes =
        "......... ......... ...X..... ...X..... ......... ....XX... ......... ......... .........";
    assert_eq!(forbidden(threes), [(3, 3)]);
    let fours =
        "..O...... ..X...... ..X...... ..X...... ......... ...XXXO.. ......... ......... .........";
    assert_eq!(forbidden(fours), [(2, 3)]);
    let six =
        "......... ......... ......... .OXXX.XX. ......... ......... ......... ......... .........";
    assert_eq!(forbidden(six), [(5, 5)]);
    let one_line =
        "......... ......... ......... .X.X.X.X. ......... ......... ......... ......... .........";
    assert_eq!(forbidden(one_line), [(4, 5)]);
}

#[test]
fn a_five_is_never_forbidden_and_white_is_free() {
    // Six in a column, five in the row.
    let rows =
        "..X...... ..X...... ..X...... XX.XX.... ..X...... ..X...... ......... ......... .........";
    let position = diagram(rows, GomokuRules::Renju, Color::Black);
    let mut next = position.clone();
    next.play(position.size().point(2, 5));
    assert_eq!(next.outcome(), Some(Outcome::win(Color::Black)));
    let white = rows.replace('X', "O").replace("OO.OO", "O..OO");
    let mut position = diagram(&white, GomokuRules::Renju, Color::White);
    position.play(position.size().point(2, 5));
    assert_eq!(position.outcome(), Some(Outcome::win(Color::White)));
}

#[test]
fn dead_boards_are_known() {
    let rules = GomokuRules::Freestyle;
    let is_dead = |position: &Gomoku| !Color::BOTH.iter().any(|&color| position.has_room(color));
    assert!(!is_dead(&start(BoardSize::square(5), rules)));
    let position = diagram("X.O.X .O.X. ..X.. O.X.O .X.O.", rules, Color::Black);
    assert!(!is_dead(&position), "a row is still open");
    let dead = diagram("XXOXX OOXOO XXOXX OOXOO XXO..", rules, Color::Black);
    assert!(is_dead(&dead) && dead.outcome().is_none());
}

#[test]
fn stones_cannot_all_stand_together() {
    let empty = start(BoardSize::square(9), GomokuRules::Standard);
    let size = empty.size();
    let row = |y: u8, length: u8, color| (0..length).map(move |x| (size.point(x, y), color));
    let both: Vec<_> = row(0, 5, Color::Black)
        .chain(row(2, 5, Color::White))
        .collect();
    assert!(empty.set_up(&both, Color::Black).is_err());
    let six: Vec<_> = row(0, 6, Color::Black)
        .chain(row(2, 5, Color::White))
        .collect();
    let position = empty.set_up(&six, Color::Black).unwrap();
    assert_eq!(position.outcome(), Some(Outcome::win(Color::White)));
}

#[test]
fn rules_are_part_of_the_key() {
    let keys = GomokuRules::ALL.map(|rules| start(BoardSize::square(9), rules).key());
    for (place, key) in keys.iter().enumerate() {
        assert!(!keys[..place].contains(key));
    }
}
