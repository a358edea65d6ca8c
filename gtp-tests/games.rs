//! Whole games, checked move by move against the rules.

use tengen::game::{BoardSize, Color, Game};
use tengen::games::nogo::SmallNoGo;
use tengen::gtp::parse_vertex;
use tengen::record::Vertex;

use crate::process::{Engine, QUICK, pipe};

/// More moves than a 9x9 game can have, for one colour after the other.
fn script(size: BoardSize) -> String {
    let moves = "genmove b\ngenmove w\n".repeat(size.area() / 2 + 1);
    let BoardSize { width, height } = size;
    format!("rectangular_boardsize {width} {height}\n{moves}final_score\nquit\n")
}

/// Replays the replies to a script on our own board.
#[track_caller]
fn check_game(size: BoardSize, output: &str) {
    let replies: Vec<&str> = output.split_terminator("\n\n").collect();
    assert_eq!(replies.len(), script(size).lines().count());
    let (last, moves) = replies[1..].split_last().expect("quit was answered");
    assert_eq!(*last, "= ");
    let (score, moves) = moves.split_last().expect("final_score was answered");
    let mut position = SmallNoGo::new(size).expect("a NoGo board");
    let mut color = Color::Black;
    for reply in moves {
        let text = reply.strip_prefix("= ").expect("genmove never fails");
        // After the loser has resigned, the script continues: the winner may still play.
        position.set_to_move(color);
        color = color.opponent();
        if text == "resign" {
            assert_eq!(position.legal_count(), 0, "{output}");
            continue;
        }
        match parse_vertex(text, size) {
            Ok(Vertex::Point(point)) if position.is_legal(point) => position.play(point),
            _ => panic!("illegal move {text}: {output}"),
        }
    }
    assert!(["= B+R", "= W+R"].contains(score), "{score}");
    for color in Color::BOTH {
        position.set_to_move(color);
        assert_eq!(
            position.legal_count(),
            0,
            "the game is not over for {color}"
        );
    }
}

#[test]
fn a_piped_game_is_played_to_its_end() {
    for size in [
        BoardSize::square(9),
        BoardSize::new(7, 3),
        BoardSize::new(1, 2),
    ] {
        let output = pipe(QUICK, script(size).as_bytes());
        check_game(size, &String::from_utf8(output).expect("UTF-8"));
    }
}

#[test]
fn two_engines_agree_on_every_move() {
    let mut players = [
        Engine::start(QUICK),
        Engine::start(&[&QUICK[..4], &["--seed", "2"]].concat()),
    ];
    for player in &mut players {
        player.answer("boardsize 6");
        player.answer("clear_board");
        player.answer("komi 6.5");
    }
    let mut names = ["b", "w"];
    loop {
        let vertex = players[0].answer(&format!("genmove {}", names[0]));
        if vertex == "resign" {
            break;
        }
        players[1].answer(&format!("play {} {vertex}", names[0]));
        players.swap(0, 1);
        names.swap(0, 1);
    }
    let winner = if names[0] == "b" { "W+R" } else { "B+R" };
    for player in &mut players {
        assert_eq!(player.answer("final_score"), winner);
    }
}

#[test]
fn the_same_seed_plays_the_same_game() {
    let script = script(BoardSize::square(5));
    assert_eq!(
        pipe(QUICK, script.as_bytes()),
        pipe(QUICK, script.as_bytes())
    );
}
