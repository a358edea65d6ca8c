//! An emulation of the platform of the China Computer Game Championship: it starts a program
//! without arguments, reads its standard output and error through one pipe, and accepts any empty
//! point as a move before it checks the rules.

mod platform;

use std::path::Path;
use std::time::Duration;

use tengen::clock::{Clock, SystemClock};
use tengen::game::{Color, Game, Move};
use tengen::games::nogo::SmallNoGo;
use tengen::record::{Vertex, sgf};

use crate::networks::{WILD, info, network};
use crate::process::run_on;
use crate::scratch::Scratch;

use self::platform::{Program, SIZE, letters};

fn start_position() -> SmallNoGo {
    SmallNoGo::new(SIZE).expect("a usual board")
}

/// The contents of files of this kind.
fn files(folder: &Path, kind: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder.join("records")).expect("records are kept");
    let paths = entries.map(|entry| entry.expect("readable").path());
    let wanted = paths.filter(|path| path.extension().is_some_and(|extension| extension == kind));
    wanted
        .map(|path| {
            let name = path
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned();
            (name, std::fs::read_to_string(path).expect("UTF-8"))
        })
        .collect()
}

/// The log beside the records.
fn log(program: &Program) -> String {
    let log = std::fs::read_to_string(program.folder.join("records/tengen.log"));
    log.expect("it is kept")
}

const QUICK: &[&str] = &[
    "sau",
    "--backend",
    "rollout",
    "--visits",
    "200",
    "--seed",
    "1",
    "--event",
    "Test Cup",
];

/// Plays a game against the highest legal point, with a refused move in it; returns the winner.
fn play(program: &mut Program, ours: Color) -> (Color, usize) {
    let mut position = start_position();
    let mut plies = 0;
    program.send(&format!("new {ours}\n"));
    loop {
        let mover = position.to_move();
        if position.legal_count() == 0 {
            // The platform ends the game with the winner's move.
            program.send("end\n");
            program.says_nothing();
            return (mover.opponent(), plies);
        }
        let point = if mover == ours {
            let mut point = program.next_move();
            if plies / 2 == 10 {
                program.send("error\n");
                let other = program.next_move();
                assert_ne!(other, point, "it was refused");
                point = other;
            }
            point
        } else {
            let point = position.legal_moves().last().expect("there is one");
            let mut next = position.clone();
            next.play(point);
            let end = if next.legal_count() == 0 { "end\n" } else { "" };
            program.send(&format!("move {}\n{end}", letters(point)));
            point
        };
        assert!(position.is_legal(point), "{mover} plays {}", letters(point));
        position.play(point);
        plies += 1;
    }
}

#[test]
fn whole_games_and_their_records() {
    let mut program = Program::start("games", QUICK);
    for ours in [Color::Black, Color::White] {
        let (winner, plies) = play(&mut program, ours);
        let records = files(&program.folder, "txt");
        let (name, text) = records.last().expect("a record");
        let side = if winner == Color::Black {
            "先手胜"
        } else {
            "后手胜"
        };
        assert!(name.starts_with("NG-") && name.contains("Tengen"), "{name}");
        let header = text.split(";").next().unwrap_or_default();
        assert!(
            header.starts_with("([NG][") && header.contains("[Test Cup]"),
            "{text}"
        );
        let told = |text: &str| text.contains(side) && text.matches(";").count() == plies;
        assert!(
            records.iter().any(|(_, text)| told(text)),
            "{side}, {plies} plies: {records:?}"
        );
        let games = files(&program.folder, "sgf");
        let mut read = games.iter().filter_map(|(_, text)| sgf::read(text).ok());
        assert!(read.any(|game| game.plays.len() == plies), "{games:?}");
    }
    // Two games of one minute, most likely, and the records of both.
    for kind in ["txt", "sgf"] {
        let records = files(&program.folder, kind);
        assert_eq!(records.len(), 2, "{records:?}");
    }
    program.quit();
}

/// The platform has no word for it.
#[test]
fn it_never_resigns() {
    let arguments = [QUICK, &["--resign-below", "1"]].concat();
    let mut program = Program::start("resign", &arguments);
    let (_, plies) = play(&mut program, Color::Black);
    assert!(plies > 40, "{plies}");
    program.quit();
}

/// The platform is a program of Chinese Windows.
#[test]
fn names_and_remarks_are_in_the_platforms_encoding() {
    let arguments = [QUICK, &["--name", "天元"]].concat();
    let output = run_on(&arguments, "name?\n天元\nquit\n");
    assert_eq!(output.stdout, b"name \xcc\xec\xd4\xaa\n");
    let mut told = output.stderr.windows(4);
    assert!(told.any(|part| part == b"\xcc\xec\xd4\xaa"), "{output:?}");
}

#[test]
fn without_arguments_the_protocol_is_detected() {
    let mut program = Program::start("plain", &[]);
    // Fifteen minutes a side: a move beyond the book takes its time, and the game may end before it.
    program.send("new black\n");
    program.next_move();
    program.send("end\n");
    program.says_nothing();
    program.send("new white\n");
    program.says_nothing();
    program.send("move EE\nend white\n");
    program.says_nothing();
    program.send("new black\n");
    program.next_move();
    program.quit();
}

#[test]
fn a_new_game_ends_the_old_one_while_it_thinks() {
    let mut program = Program::start(
        "new",
        &["sau", "--backend", "rollout", "--time-per-move", "1"],
    );
    program.send("new black\n");
    std::thread::sleep(Duration::from_millis(400));
    program.send("new black\n");
    let clock = SystemClock::new();
    program.next_move();
    // The old game's would come 600 ms later, the new one's takes a full second.
    assert!(
        clock.now() > Duration::from_millis(900),
        "the old game's move"
    );
    program.says_nothing();
    // Lines that are refused come after the move.
    program.send("new black\n");
    std::thread::sleep(Duration::from_millis(400));
    program.send("new purple\nload black missing.sgf\n");
    program.next_move();
    for part in ["black or white", "cannot load"] {
        let answer = program.remark();
        assert!(answer.contains(part), "{answer}");
    }
    program.quit();
}

/// After Black's E5 and White's answer: plays legal moves until there is a point that only White
/// may take, and takes it. Returns the position without it.
fn play_until_one_is_illegal(program: &mut Program, first: Move) -> SmallNoGo {
    let mut position = start_position();
    position.play(SIZE.point(4, 4));
    position.play(first);
    loop {
        let empty = (0..81)
            .map(Move)
            .find(|&point| position.stone(point).is_none() && !position.is_legal(point));
        if let Some(point) = empty {
            program.send(&format!("move {}\n", letters(point)));
            program.says_nothing();
            return position;
        }
        let point = position.legal_moves().next().expect("the game goes on");
        program.send(&format!("move {}\n", letters(point)));
        position.play(point);
        position.play(program.next_move());
    }
}

#[test]
fn an_illegal_move_by_the_opponent_wins() {
    let mut program = Program::start("illegal", QUICK);
    program.send("new white\n");
    // Only the platform may answer: its word decides. AA and then its neighbours: a capture.
    program.send("move EE\n");
    let first = program.next_move();
    // Nonsense, off the board, occupied, out of turn: none of these is a move.
    program.send(&format!(
        "move ZZ\nmove\nmove {}\nwhat\nmove EE\n",
        letters(first)
    ));
    for part in ["ZZ", "no point", "occupied", "what", "EE = E5 is occupied"] {
        let answer = program.remark();
        assert!(answer.contains(part), "{answer}");
    }
    program.says_nothing();
    play_until_one_is_illegal(&mut program, first);
    program.send("end\n");
    program.says_nothing();
    assert!(files(&program.folder, "txt")[0].1.contains("后手胜"));
    let log = log(&program);
    assert!(log.contains("illegal for black, who has lost"), "{log}");
    program.quit();
}

#[test]
fn an_operator_corrects_moves_and_clocks() {
    let mut program = Program::start("operator", QUICK);
    program.send("new white\nclock 10:00 580.5\nboard\n");
    let board = program.line();
    assert!(
        board.ends_with("black's clock 580.50 s, white's 600.00 s"),
        "{board}"
    );
    for _ in 0..SIZE.height + 2 {
        program.line();
    }
    program.send("move AA\n");
    program.next_move();
    // It was BB: take both back and enter it again.
    program.send("undo 2\nmove B8\n");
    let reply = program.next_move();
    program.send("board\n");
    assert!(program.line().contains("2 stones played"), "the board");
    assert_eq!(program.line(), "   A B C D E F G H I   platform");
    for (down, row) in (1..=9).rev().enumerate() {
        let line = program.line();
        let stones = line.matches('X').count() + line.matches('O').count();
        let expected = usize::from(row == 8) + usize::from(SIZE.column_row(reply).1 + 1 == row);
        assert_eq!(stones, expected, "{line}");
        let letter = char::from(b'A' + down as u8);
        assert!(line.starts_with(&format!(" {row} ")) && line.ends_with(&format!(" {letter}")));
    }
    assert_eq!(program.line(), "   A B C D E F G H J   usual");
    program.send("undo\ngo\n");
    program.next_move();
    program.quit();
}

/// After a crash the record has the game, and the operator the clocks.
#[test]
fn a_game_that_was_cut_off_is_loaded_and_goes_on() {
    let mut program = Program::start("cut-off", QUICK);
    program.send("new white\nmove EE\n");
    let reply = program.next_move();
    // The records are written after the move is sent, and before the next command.
    let board = |program: &mut Program| {
        program.send("board\n");
        assert!(program.line().contains("2 stones played"), "the board");
        for _ in 0..SIZE.height + 2 {
            program.line();
        }
    };
    board(&mut program);
    let (name, text) = files(&program.folder, "sgf").remove(0);
    // Its process is killed.
    drop(program);
    assert_eq!(text.matches(";B[").count() + text.matches(";W[").count(), 2);
    let mut program = Program::start("cut-off-again", QUICK);
    let record = program.folder.join(name);
    std::fs::write(&record, text).expect("a folder of this test");
    let load = format!("load white {}\n", record.display());
    program.send(&load);
    // One that cannot be read changes nothing.
    let bad = program.folder.join("go.sgf");
    std::fs::write(&bad, "(;GM[1]SZ[19];B[aa])").expect("a folder of this test");
    program.send(&format!("load black {}\n", bad.display()));
    assert!(program.line().contains("cannot load"), "it is of Go");
    program.send("clock 600 580\n");
    board(&mut program);
    let free = [SIZE.point(0, 0), SIZE.point(2, 0)];
    let free = free.into_iter().find(|free| *free != reply);
    program.send(&format!("move {}\n", letters(free.expect("one of two"))));
    program.next_move();
    program.quit();
}

#[test]
fn a_point_entered_wrongly_decides_nothing() {
    let mut program = Program::start("entered-wrongly", QUICK);
    program.send("new white\nmove EE\n");
    let first = program.next_move();
    let mut position = play_until_one_is_illegal(&mut program, first);
    let point = position.legal_moves().next().expect("the game goes on");
    program.send(&format!("move {}\n", letters(point)));
    position.play(point);
    position.play(program.next_move());
    assert_eq!(position.outcome(), None, "the game is not over");
    program.send("end\n");
    program.says_nothing();
    assert!(files(&program.folder, "txt")[0].1.contains("未分胜负"));
    program.quit();
}

#[test]
fn a_stone_that_is_taken_back_takes_its_result_with_it() {
    let mut program = Program::start("taken-back", QUICK);
    program.send("new white\nmove EE\n");
    let first = program.next_move();
    play_until_one_is_illegal(&mut program, first);
    program.send("undo\nend\n");
    program.says_nothing();
    assert!(files(&program.folder, "txt")[0].1.contains("未分胜负"));
    program.quit();
}

#[test]
fn an_end_without_a_winner_writes_records_and_a_winner_may_follow() {
    let mut program = Program::start("plain-end", QUICK);
    program.send("new white\nmove e5\n");
    let reply = program.next_move();
    program.send("end\n");
    program.says_nothing();
    let result = |program: &Program, part: &str| {
        let records = files(&program.folder, "txt");
        assert_eq!(records.len(), 1, "{records:?}");
        assert!(records[0].0.contains(part), "{records:?}");
        let games = files(&program.folder, "sgf");
        let game = sgf::read(&games[0].1).expect("SGF");
        assert_eq!(game.plays.len(), 2);
        assert_eq!(game.plays[1].play.vertex, Vertex::Point(reply));
        game.result
    };
    assert_eq!(result(&program, "未分胜负"), "");
    program.send("end white\n");
    program.says_nothing();
    assert_eq!(result(&program, "后手胜"), "W+R");
    let log = log(&program);
    for part in ["< new white", "< move e5", "> move ", "< end", "white wins"] {
        assert!(log.contains(part), "{part}: {log}");
    }
    program.quit();
}

#[test]
fn unwritable_records_are_reported_and_written_elsewhere() {
    // A file in place of the folder: not even root can write into it.
    let block = |folder: &Path| std::fs::write(folder.join("records"), "").expect("writable");
    let named = [QUICK, &["--records", "records"]].concat();
    let mut program = Program::start_where("blocked", &named, block);
    program.send("new black\n");
    let told = program.remark();
    let home = program.folder.join("home").join("tengen-records");
    assert!(
        told.contains("RECORDS are written to a fallback location")
            && told.contains(&home.display().to_string()),
        "{told}"
    );
    program.next_move();
    program.send("end white\n");
    program.says_nothing();
    let names = |folder: &Path| -> Vec<String> {
        let entries = std::fs::read_dir(folder).expect("records are there");
        let names = entries.map(|entry| entry.expect("readable").file_name());
        names
            .map(|name| name.to_string_lossy().into_owned())
            .collect()
    };
    for kind in ["sgf", "txt", "log"] {
        let count = names(&home)
            .iter()
            .filter(|name| name.ends_with(kind))
            .count();
        assert_eq!(count, 1, "{kind}: {:?}", names(&home));
    }
    program.quit();
}

#[test]
fn a_failing_search_stays_silent_and_plays() {
    let folder = Scratch::new("failing-networks");
    // The error message must not be read as a move.
    let model = folder.write("move AA.onnx", &network(&info(9), WILD));
    let arguments = ["sau", "--model", &model, "--visits", "50", "--threads", "1"];
    let mut program = Program::start("failing", &arguments);
    program.send("new black\n");
    program.next_move();
    program.says_nothing();
    program.quit();
}
