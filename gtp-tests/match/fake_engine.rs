//! An engine that plays random legal NoGo moves, or passes in Go, and misbehaves on demand.

use std::io::{self, BufRead, Write};
use std::process::ExitCode;
use std::time::Duration;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use tengen::game::{BoardSize, Color, Game, Move};
use tengen::games::nogo::SmallNoGo;

/// The misbehaviour and its time.
pub(crate) struct Misbehaviour {
    /// `honest`, or the kind of misbehaviour.
    pub(crate) kind: String,
    /// The `genmove` of the process, counted from 1, from which on it misbehaves.
    pub(crate) from: u32,
}

const COLUMNS: &str = "ABCDEFGHJKLMNOPQRSTUVWXYZ";

/// Answers GTP on stdin and stdout until `quit` or the end of input.
pub(crate) fn run(misbehaviour: &Misbehaviour, seed: u64) -> ExitCode {
    let mut engine = Engine {
        kind: misbehaviour.kind.clone(),
        game: SmallNoGo::new(BoardSize::square(9)).unwrap(),
        rng: Xoshiro256PlusPlus::seed_from_u64(seed),
        moves: 0,
        passes: misbehaviour.kind.contains("count"),
        stones: 0,
        left: f64::INFINITY,
    };
    if misbehaviour.kind == "deaf" {
        std::thread::sleep(Duration::from_secs(3600));
    }
    if misbehaviour.kind == "banner" {
        say("== Fake 1.0 ==\n\n= loading\n\nready\n");
    }
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        let words: Vec<&str> = line.split_whitespace().collect();
        let numbered = words
            .first()
            .is_some_and(|word| word.parse::<u32>().is_ok());
        let (id, words) = words.split_at(usize::from(numbered));
        let [command, arguments @ ..] = words else {
            continue;
        };
        let id = id.first().unwrap_or(&"");
        if *command == "genmove" {
            engine.moves += 1;
            if engine.moves >= misbehaviour.from {
                match misbehave(&misbehaviour.kind, id) {
                    Then::Answer => {}
                    Then::Listen => continue,
                    Then::End => return ExitCode::from(3),
                }
            }
        }
        match (&*misbehaviour.kind, *command) {
            ("counts-late", "final_status_list") => std::thread::sleep(Duration::from_secs(3)),
            ("thinks-in-play", "play") => std::thread::sleep(Duration::from_millis(300)),
            ("never-rests", "clear_board") if engine.moves > 0 => {
                std::thread::sleep(Duration::from_secs(3600));
            }
            _ => {}
        }
        let answer = match refusal(&misbehaviour.kind, command) {
            Some(text) => Err(text.to_owned()),
            None => engine.answer(command, arguments),
        };
        say(&written(&misbehaviour.kind, id, answer));
        if *command == "quit" {
            return ExitCode::from(u8::from(misbehaviour.kind == "fails-at-quit"));
        }
    }
    ExitCode::SUCCESS
}

/// The commands that an engine of this kind refuses, and its error message.
fn refusal(kind: &str, command: &str) -> Option<&'static str> {
    match (kind, command) {
        ("counts-refuses", "komi") => Some("komi 7.5 only"),
        ("counts-refuses", "kata-set-rules") => Some("unknown rules"),
        ("no-board", "boardsize") => Some("unacceptable size"),
        ("no-clock", "time_settings" | "time_left") => Some("what is time"),
        _ => None,
    }
}

/// An answer in the form written by engines of this kind.
fn written(kind: &str, id: &str, answer: Result<String, String>) -> String {
    let sign = if answer.is_ok() { '=' } else { '?' };
    let text = answer.unwrap_or_else(|text| text);
    match kind {
        "small" => format!("{sign}{id}   {}  \t \n\n", text.to_lowercase()),
        "talks" => format!("# thinking\n\n{sign}{id} {text} 55%\nPV: A1\n\n"),
        "no-ids" => format!("{sign} {text}\n\n"),
        "twice" => format!("{sign} {text}\n\n").repeat(2),
        "glued" if text.is_empty() => format!("{sign}{id}\r\n\r\n"),
        "glued" => format!("{sign}{id}{text}\r\n\r\n"),
        _ => format!("{sign}{id} {text}\n\n"),
    }
}

/// What follows a misbehaviour.
enum Then {
    /// The correct answer.
    Answer,
    /// The next command.
    Listen,
    /// The end of the process.
    End,
}

fn misbehave(kind: &str, id: &str) -> Then {
    match kind {
        "crash" => {
            // The reader may be gone.
            let _ = io::stderr().lock().write_all(b"I cannot go on\n");
            return Then::End;
        }
        "hang" => {
            // The reader may be gone.
            let _ = io::stderr().lock().write_all(b"I think\n");
            std::thread::sleep(Duration::from_secs(3600));
        }
        #[cfg(unix)]
        "close" => {
            use std::os::unix::process::CommandExt as _;
            use std::process::{Command, Stdio};
            // The process becomes one that runs on without the pipe.
            let _ = Command::new("sleep")
                .arg("3600")
                .stdout(Stdio::null())
                .exec();
            return Then::End;
        }
        "late" | "slow" => {
            let millis = if kind == "late" { 1500 } else { 1 };
            std::thread::sleep(Duration::from_millis(millis));
            return Then::Answer;
        }
        "complain" => {
            let mut stderr = io::stderr().lock();
            stderr
                .write_all(
                    b"[2026 INFO fake] error 0.1\n[2026 ERROR fake] no network, so I guess\n",
                )
                .unwrap();
            return Then::Answer;
        }
        "megabytes" => {
            let mut stderr = io::stderr().lock();
            (0..64).for_each(|_| stderr.write_all(&[b'e'; 1 << 16]).unwrap());
            return Then::Answer;
        }
        "chatters" => {
            say(&"a thought\n".repeat(20_000));
            return Then::Answer;
        }
        "garbage" => say("%%% \u{1}\u{2} what?\n\n"),
        "no-vertex" => say(&format!("={id} Z99\n\n")),
        "wrong-id" => say(&format!("={id}0 A1\n\n")),
        "endless-line" => (0..3000).for_each(|_| say(&"x".repeat(1024))),
        "illegal" => say(&format!("={id} PASS\n\n")),
        "refuse" => say(&format!("?{id} I do not want to\n\n")),
        "resign" => say(&format!("={id} resign\n\n")),
        _ => return Then::Answer,
    }
    Then::Listen
}

fn say(text: &str) {
    let mut stdout = io::stdout().lock();
    // The referee may have closed the pipe already.
    let _ = stdout
        .write_all(text.as_bytes())
        .and_then(|()| stdout.flush());
}

struct Engine {
    kind: String,
    game: SmallNoGo,
    rng: Xoshiro256PlusPlus,
    moves: u32,
    /// Whether it always passes and can report dead stones.
    passes: bool,
    /// Moves per period, as set by the referee.
    stones: u32,
    /// Seconds left, as the referee said last.
    left: f64,
}

impl Engine {
    fn answer(&mut self, command: &str, arguments: &[&str]) -> Result<String, String> {
        match (command, arguments) {
            ("list_commands", _) => {
                let more = match &*self.kind {
                    "counts-refuses" => "\nkomi\nkata-set-rules",
                    _ if self.passes => "\nfinal_status_list\nfinal_score",
                    "other-game" => "\ngogui-rules_game_id",
                    _ => "",
                };
                let report = if self.kind == "talks" {
                    ""
                } else {
                    "\ntengen-report"
                };
                let clock = if self.kind == "untimed" {
                    ""
                } else {
                    "\ntime_settings\ntime_left"
                };
                Ok(format!(
                    "boardsize\nclear_board\nplay\ngenmove\nquit{clock}{report}{more}"
                ))
            }
            ("gogui-rules_game_id", _) => Ok("Gomoku".to_owned()),
            ("time_settings", [_, _, stones]) => {
                self.stones = stones.parse().unwrap();
                self.left = f64::INFINITY;
                Ok(String::new())
            }
            ("time_left", [_, _, stones]) if stones.parse::<u32>().unwrap() > self.stones => {
                Err(format!("{stones} moves left of {}", self.stones))
            }
            // It has slept since it was told its time before.
            ("time_left", [_, seconds, _]) if self.kind == "thinks-in-play" => {
                let left: f64 = seconds.parse().unwrap();
                let before = std::mem::replace(&mut self.left, left);
                match left == 0.0 || left + 0.29 < before {
                    true => Ok(String::new()),
                    false => Err(format!("{left} s left of {before} after 0.3 s")),
                }
            }
            ("play", _) if self.passes => Ok(String::new()),
            ("genmove", _) if self.passes => Ok("pass".to_owned()),
            ("final_score", _) => Ok("W+7.5".to_owned()),
            ("boardsize", [side]) => {
                let size = BoardSize::square(side.parse().unwrap());
                self.game = SmallNoGo::new(size).map_err(|_| "unacceptable size".to_owned())?;
                Ok(String::new())
            }
            ("clear_board", _) => {
                self.game = SmallNoGo::new(self.game.size()).unwrap();
                Ok(String::new())
            }
            ("play", [color, vertex]) => {
                self.game.set_to_move(color_of(color));
                let mv = self.point(vertex);
                if !self.game.is_legal(mv) {
                    return Err("illegal move".to_owned());
                }
                self.game.play(mv);
                Ok(String::new())
            }
            ("genmove", [color]) => {
                self.game.set_to_move(color_of(color));
                let legal: Vec<Move> = self.game.legal_moves().collect();
                let mv = legal[self.rng.random_range(0..legal.len())];
                self.game.play(mv);
                Ok(self.vertex(mv))
            }
            ("tengen-report", _) => Ok(format!("visits {} value 0.25", 100 * self.moves)),
            _ => Ok(String::new()),
        }
    }

    fn point(&self, vertex: &str) -> Move {
        let x = COLUMNS.find(&vertex[..1]).unwrap();
        let row: u8 = vertex[1..].parse().unwrap();
        self.game.size().point(x as u8, row - 1)
    }

    fn vertex(&self, mv: Move) -> String {
        let (x, y) = self.game.size().column_row(mv);
        format!("{}{}", &COLUMNS[usize::from(x)..=usize::from(x)], y + 1)
    }
}

fn color_of(text: &str) -> Color {
    if text == "black" {
        Color::Black
    } else {
        Color::White
    }
}
