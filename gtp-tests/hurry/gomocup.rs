//! A thousand moves of Gomocup at 0 to 30 ms a turn with all processors busy.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, ChildStdout, Command, Stdio};
use std::time::Duration;

use tengen::clock::{Clock as _, SystemClock};
use tengen::game::{BoardSize, Color, Game as _, Move};
use tengen::games::gomoku::{Gomoku, GomokuRules, Points, Shape, ShapeMap};
use tengen::gtp::{read_xy, write_xy};
use tengen::rollout::Rollout as _;

use super::{Times, busy};
use crate::killed::Killed;

const TURNS: [u64; 10] = [0, 1, 2, 3, 5, 8, 10, 15, 20, 30];
const MOVES_EACH: usize = 100;

/// A process that answers line by line, without a thread between.
struct Peer {
    _child: Killed,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    fn start(program: &str, args: &[&str]) -> Peer {
        let mut command = Command::new(program);
        command
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        Peer {
            input: child.stdin.take().expect("it is piped"),
            output: BufReader::new(child.stdout.take().expect("it is piped")),
            _child: Killed(child),
        }
    }

    fn send(&mut self, lines: &str) {
        self.input.write_all(lines.as_bytes()).expect("it reads");
        self.input.flush().expect("it reads");
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        loop {
            line.clear();
            self.output.read_line(&mut line).expect("it writes");
            if !line.starts_with("MESSAGE") {
                return line.trim_end().to_owned();
            }
        }
    }
}

/// Points that complete a five, by the rules.
fn fives(position: &Gomoku, color: Color) -> Points {
    position.allowed(color, ShapeMap::of(position).points(color, Shape::Five))
}

/// The forced points for the engine; `None` when it is free.
fn duty(position: &Gomoku) -> Option<Points> {
    let us = position.to_move();
    let made = fives(position, us);
    let stopped = position.allowed(us, fives(position, us.opponent()));
    [made, stopped]
        .into_iter()
        .find(|points| !points.is_empty())
}

/// The other side plays the move that looks best to it, and occasionally another.
fn reply(position: &Gomoku, number: usize) -> Move {
    let moves: Vec<Move> = position.legal_moves().collect();
    let appeal = position.appeal(&moves);
    let mut ranked: Vec<usize> = (0..moves.len()).collect();
    ranked.sort_by(|&a, &b| appeal[b].total_cmp(&appeal[a]));
    let place = if number.is_multiple_of(3) {
        number / 3 % 5
    } else {
        0
    };
    moves[ranked[place.min(moves.len() - 1)]]
}

#[test]
#[ignore = "it measures: a minute or two, and needs the machine for itself"]
fn a_thousand_moves_in_no_time() {
    let clock = SystemClock::new();
    let mut engine = Peer::start(env!("CARGO_BIN_EXE_tengen"), &["gomocup", "--quiet"]);
    // Baseline: a program that does nothing, and a thread that only sleeps.
    let mut echo = Peer::start("cat", &[]);
    let _busy = busy();
    let size = BoardSize::square(15);
    let (mut missed, mut duties, mut worst) = (0, 0, Duration::ZERO);
    let (mut noise, mut oversleep) = (Times::default(), Times::default());
    for (number, turn) in TURNS.into_iter().enumerate() {
        let allowed = Duration::from_millis(turn);
        let rules = [GomokuRules::Freestyle, GomokuRules::Renju][number % 2];
        let rule = [0, 4][number % 2];
        engine.send(&format!(
            "START 15\nINFO rule {rule}\nINFO timeout_turn {turn}\n"
        ));
        assert_eq!(engine.line(), "OK");
        let mut position = Gomoku::with_rules(size, rules).expect("a usual board");
        let (mut took, mut late) = (Times::default(), Times::default());
        for asked in 0..MOVES_EACH {
            if position.outcome().is_some() {
                engine.send("RESTART\n");
                assert_eq!(engine.line(), "OK");
                position = Gomoku::with_rules(size, rules).expect("a usual board");
            }
            let theirs = (asked % 7 > 0 || position.ply() > 0).then(|| reply(&position, asked));
            if let Some(theirs) = theirs {
                position.play(theirs);
                if position.outcome().is_some() {
                    continue;
                }
            }
            let begin = clock.now();
            match theirs {
                Some(theirs) => engine.send(&format!("TURN {}\n", write_xy(theirs, size))),
                None => engine.send("BEGIN\n"),
            }
            let text = engine.line();
            let elapsed = clock.now() - begin;
            let mv = read_xy(&text, size).unwrap_or_else(|| panic!("{turn} ms: {text}"));
            assert!(position.is_legal(mv), "{text}");
            if let Some(points) = duty(&position) {
                duties += 1;
                if !points.contains(mv) {
                    missed += 1;
                    eprintln!("{turn} ms: {text} in {position:?}");
                }
            }
            position.play(mv);
            took.0.push(elapsed);
            late.0.push(elapsed.saturating_sub(allowed));
            let begin = clock.now();
            echo.send("echo\n");
            echo.line();
            noise.0.push(clock.now() - begin);
            let begin = clock.now();
            std::thread::sleep(Duration::from_millis(2));
            oversleep
                .0
                .push(clock.now() - begin - Duration::from_millis(2));
        }
        worst = worst.max(late.longest());
        eprintln!(
            "{turn:3} ms a turn, {}; late by {}",
            took.text(),
            late.text()
        );
    }
    eprintln!("cat answers,     {}", noise.text());
    eprintln!("sleeps too long, {}", oversleep.text());
    eprintln!("{duties} moves were a five or had to stop one; {missed} missed");
    assert_eq!(missed, 0);
    let explained = noise.longest() + oversleep.longest() + Duration::from_millis(5);
    assert!(
        worst <= explained,
        "late by {worst:?}, of which {explained:?} is noise"
    );
}
