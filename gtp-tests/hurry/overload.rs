//! Sixteen games at once on the available processors, with 0.4 s left for each.

use std::time::Duration;

use tengen::clock::{Clock as _, SystemClock};
use tengen::game::{BoardSize, Color, Game, Move, Scored as _};
use tengen::games::go::{GoRules, SmallGo};
use tengen::games::gomoku::Gomoku;
use tengen::games::nogo::SmallNoGo;
use tengen::gtp::parse_vertex;
use tengen::record::sgf;

use super::Times;
use crate::process::{Engine, folder};

const GAMES: usize = 16;
const LEFT: Duration = Duration::from_millis(400);
const ROUNDS: usize = 6;

/// A position as commands, with a test for bad moves.
struct Case {
    commands: Vec<String>,
    to_move: Color,
    is_silly: Box<dyn Fn(Move) -> bool>,
}

fn name(color: Color) -> &'static str {
    match color {
        Color::Black => "b",
        Color::White => "w",
    }
}

fn vertex(point: Move, size: BoardSize) -> String {
    let (x, y) = size.column_row(point);
    let column = b"ABCDEFGHJKLMNOPQRST"[usize::from(x)];
    format!("{}{}", char::from(column), y + 1)
}

/// The stones of a position as plays of either colour, and the side to move.
fn case<G: Game>(position: G, is_silly: impl Fn(&G, Move) -> bool + 'static) -> Case {
    let size = position.size();
    let points = (0..size.area() as u16).map(Move);
    let plays = points.filter_map(|point| {
        let color = position.stone(point)?;
        Some(format!("play {} {}", name(color), vertex(point, size)))
    });
    Case {
        commands: plays.collect(),
        to_move: position.to_move(),
        is_silly: Box::new(move |mv| is_silly(&position, mv)),
    }
}

/// Solved endings that are won: any other move loses.
fn nogo() -> Vec<Case> {
    let text = std::fs::read_to_string(folder().join("endings/nogo-9x9.txt")).expect("it is there");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    let won = lines.filter_map(|line| {
        let words: Vec<&str> = line.split(' ').collect();
        let easy = words[2].parse::<u64>().is_ok_and(|nodes| nodes < 3000);
        (words[3] == "+" && easy && !words.contains(&"?")).then_some(words)
    });
    let cases = won.map(|words| {
        let size = BoardSize::square(9);
        let (mut stones, rows) = (Vec::new(), words[0].split('/'));
        for (row, y) in rows.zip((0..9).rev()) {
            let mut x = 0;
            for sign in row.bytes() {
                match sign {
                    b'1'..=b'9' => x += sign - b'1',
                    b'x' => stones.push((size.point(x, y), Color::Black)),
                    _ => stones.push((size.point(x, y), Color::White)),
                }
                x += 1;
            }
        }
        let to_move = if words[1] == "b" {
            Color::Black
        } else {
            Color::White
        };
        let empty = SmallNoGo::new(size).expect("a usual board");
        let position = empty.set_up(&stones, to_move).expect("it was played");
        let wins: Vec<String> = words[4..].iter().map(|&word| word.to_owned()).collect();
        case(position, move |_, mv| !wins.contains(&vertex(mv, size)))
    });
    cases.collect()
}

/// Games at their end, after the other side's pass: no eye may be filled, and no stone given
/// away but to threaten another.
fn go() -> Vec<Case> {
    let text =
        std::fs::read_to_string(folder().join("games/go-finished.sgf")).expect("it is there");
    let cases = text.lines().map(|line| {
        let record = sgf::read(line).expect("a record");
        let rules: GoRules = "chinese".parse().expect("known rules");
        let mut position = SmallGo::with_rules(record.size, rules).expect("a small board");
        let mut commands = Vec::new();
        for recorded in &record.plays[..record.plays.len() - 1] {
            let (color, mv) = (recorded.play.color, recorded.play.vertex.index(record.size));
            position.set_to_move(color);
            position.play(mv);
            let at = match mv == position.pass() {
                true => "pass".to_owned(),
                false => vertex(mv, record.size),
            };
            commands.push(format!("play {} {at}", name(color)));
        }
        let silly = |position: &SmallGo, mv: Move| {
            let gives_a_stone = || is_self_atari(position, mv) && !puts_in_atari(position, mv);
            mv != position.pass() && (position.fills_eye(mv) || gives_a_stone())
        };
        Case {
            commands,
            ..case(position, silly)
        }
    });
    cases.filter(|case| case.commands.len() > 40).collect()
}

/// Whether a stone would take nothing and leave its chain a single liberty.
fn is_self_atari(position: &SmallGo, mv: Move) -> bool {
    let (mut after, theirs) = (position.clone(), position.to_move().opponent());
    after.play(mv);
    after.prisoners(theirs) == position.prisoners(theirs) && after.last_liberty(mv).is_some()
}

/// Whether a stone of the other side has one liberty after this move and had more before.
fn puts_in_atari(position: &SmallGo, mv: Move) -> bool {
    let mut after = position.clone();
    after.play(mv);
    let theirs = Some(position.to_move().opponent());
    let mut points = (0..position.size().area() as u16).map(Move);
    points.any(|point| {
        let is_theirs = after.stone(point) == theirs;
        is_theirs && after.last_liberty(point).is_some() && position.last_liberty(point).is_none()
    })
}

/// A five to complete or to block.
fn gomoku() -> Vec<Case> {
    let size = BoardSize::square(15);
    let empty = Gomoku::new(size).expect("a usual board");
    let mut cases = Vec::new();
    for shift in 0..8_u8 {
        for to_move in Color::BOTH {
            let row = |y: u8| (3..7).map(move |x| size.point(x + shift % 4, y));
            let four = row(4 + shift).map(|point| (point, Color::Black));
            let rest = (0..4).map(|x| (size.point(3 * x, 14), Color::White));
            let stones: Vec<(Move, Color)> = four.chain(rest).collect();
            let position = empty.set_up(&stones, to_move).expect("no five");
            let ends = [2, 7].map(|x| size.point(x + shift % 4, 4 + shift));
            cases.push(case(position, move |_, mv| !ends.contains(&mv)));
        }
    }
    cases
}

fn measure(game: &str, size: &str, cases: &[Case]) {
    let clock = SystemClock::new();
    let arguments = ["--game", game, "--size", size];
    let mut engines: Vec<Engine> = (0..GAMES).map(|_| Engine::start(&arguments)).collect();
    let (mut silly, mut moves) = (0, 0);
    for round in 0..ROUNDS {
        let mut times = Times::default();
        let chosen = |seat: usize| &cases[(round * GAMES + seat) % cases.len()];
        for (seat, engine) in engines.iter_mut().enumerate() {
            engine.answer("time_settings 60 0 0");
            engine.answer("clear_board");
            chosen(seat).commands.iter().for_each(|play| {
                engine.answer(play);
            });
            let color = name(chosen(seat).to_move);
            engine.answer(&format!("time_left {color} {} 0", LEFT.as_secs_f64()));
        }
        let begin = clock.now();
        for (seat, engine) in engines.iter_mut().enumerate() {
            engine.send(&format!("genmove {}\n", name(chosen(seat).to_move)));
        }
        for (seat, engine) in engines.iter_mut().enumerate() {
            let reply = engine.reply();
            times.0.push(clock.now() - begin);
            let size = BoardSize::square(size.parse().expect("a number"));
            let text = reply.strip_prefix("= ").expect("a move");
            moves += 1;
            let mv = match text {
                "resign" => continue,
                text => parse_vertex(text, size).expect("a vertex").index(size),
            };
            if (chosen(seat).is_silly)(mv) {
                silly += 1;
                eprintln!(
                    "{game}, round {round}: {text} of {:?}",
                    chosen(seat).commands
                );
            }
        }
        eprintln!("{game} {size}, round {round}: {}", times.text());
        assert!(times.longest() < LEFT, "{game}: {:?}", times.longest());
    }
    eprintln!("{game}: {silly} of {moves} moves are silly");
    assert_eq!(silly, 0, "{game}");
}

#[test]
#[ignore = "it measures, and needs the machine for itself"]
fn sixteen_games_at_once_make_sense() {
    measure("gomoku", "15", &gomoku());
    measure("go", "9", &go());
    measure("nogo", "9", &nogo());
}
