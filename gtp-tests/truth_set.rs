//! `tengen-lab endings`: a set of positions is made, solved and used.

use std::path::Path;

use super::{Scratch, lab, run as text};

/// The command ends with code 1 and one line that contains `part`.
#[track_caller]
fn refuses(args: &[&str], part: &str) {
    let output = lab(args).output().expect("it was built for this test");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(
        said.starts_with("tengen-lab: ") && said.contains(part) && said.lines().count() == 1,
        "{said}"
    );
}

fn read(file: impl AsRef<Path>) -> String {
    std::fs::read_to_string(file).expect("it was written")
}

#[test]
fn a_set_is_selected_solved_and_continued() {
    let folder = Scratch::new("truth-solved");
    let set = folder.path("set.txt");
    let pick = [
        "endings",
        "pick",
        "../../gtp-tests/games/4x4.sgf",
        "--from",
        "2",
        "--to",
        "7",
        "--each",
        "6",
        "--out",
        &set,
    ];
    let nowhere = folder.path("nowhere/set.txt");
    // Before any game is read.
    refuses(
        &["endings", "pick", "missing.sgf", "--out", &nowhere],
        "no such folder",
    );
    assert!(text(&pick).starts_with("6 positions added to 0"));
    assert!(text(&pick).starts_with("0 positions added to 6"));
    // With one node only the bounds are known; then everything.
    let solve = |nodes| {
        text(&[
            "endings",
            "solve",
            &set,
            "--nodes",
            nodes,
            "--memory-mib",
            "4",
        ])
    };
    let unsolved = |table: &str| {
        let last = table.lines().last().expect("a table").to_owned();
        let words: Vec<usize> = last
            .split_whitespace()
            .filter_map(|word| word.parse().ok())
            .collect();
        (words[0], words[3] + words[4])
    };
    let (all, left) = unsolved(&solve("1"));
    assert!(all == 6 && left > 0, "{left} of {all}");
    assert_eq!(unsolved(&solve("1000000")), (6, 0));
    let solved = read(&set);
    assert_eq!(unsolved(&solve("2000000")), (6, 0));
    assert_eq!(read(&set), solved, "nothing was left to do");
    // A game's own moves confirm it: Black wins after six moves, and with A4.
    let sixth = solved.lines().find(|line| {
        let board = line.split(' ').next().unwrap_or_default();
        board.matches(['x', 'o']).count() == 6
    });
    let sixth = sixth.expect("each ply has a position");
    assert!(sixth.contains(" b ") && sixth.contains(" + A4"), "{sixth}");
    assert!(text(&["endings", "list", &set]).contains(" all          6"));
}

#[test]
fn games_that_cannot_be_used_are_left_out() {
    let folder = Scratch::new("truth-others");
    let games = folder.join("games");
    std::fs::create_dir(&games).expect("it is our folder");
    std::fs::copy("../../gtp-tests/games/4x4.sgf", games.join("nogo.sgf")).expect("a copy");
    let go = folder.write("games/go.sgf", b"(;GM[1]SZ[4];B[ba];W[aa];B[ab])");
    let no_text = folder.write("games/text.sgf", b"remember the milk");
    let (all, set) = (folder.path("games"), folder.path("set.txt"));
    let plies = ["--from", "2", "--to", "7", "--out", &set];
    for files in [&[&*go][..], &[&*go, &*no_text][..]] {
        let pick = [&["endings", "pick"][..], files, &plies].concat();
        let output = lab(&pick).output().expect("it was built for this test");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        assert!(
            !folder.join("set.txt").exists(),
            "there is nothing to write"
        );
    }
    let pick = [&["endings", "pick", &all], &plies[..]].concat();
    let output = lab(&pick).output().expect("it was built for this test");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for words in [
        "go.sgf: taken for NoGo: black at A3 is not legal after 2 moves",
        "text.sgf: ",
        "2 of 3 files could not be used; the others are",
    ] {
        assert!(said.contains(words), "no {words:?} in {said}");
    }
    let positions = read(&set);
    assert_eq!(positions.lines().count(), 1 + 2, "{positions}");
}

#[test]
fn lost_wins_are_counted() {
    let folder = Scratch::new("truth-bench");
    let set = folder.path("set.txt");
    // White plays C1 or D1; the recorded results of these lines are made up: it keeps the first
    // win, cannot keep the second, and the third is unknown.
    let lines = ["+ C1 D1", "+ B1", "+ B1 ? C1 D1", "-"].map(|truth| format!("x3 w 1 {truth}\n"));
    std::fs::write(&set, format!("# by hand\n{}x3 b 9 ?\n", lines.concat())).expect("writable");
    let bench = [
        "endings",
        "measure",
        &set,
        "--backend",
        "rollout",
        "--visits",
        "50",
    ];
    let table = text(&bench);
    let mut lines = table.lines();
    assert!(
        lines
            .next()
            .is_some_and(|line| line.starts_with("4 positions, 1 more")),
        "{table}"
    );
    let all = lines.next_back().expect("a row for all").split_whitespace();
    assert_eq!(
        all.take(6).collect::<Vec<_>>(),
        ["search", "1-1", "4", "3", "1", "50.0%"],
        "{table}"
    );
    // The first and the third of the four: one is kept, of the other nothing is known.
    let table = text(&[&bench[..], &["--positions", "2"]].concat());
    assert!(table.starts_with("2 positions, 1 more"), "{table}");
    let all = table
        .lines()
        .next_back()
        .expect("a row for all")
        .split_whitespace();
    assert_eq!(
        all.take(6).collect::<Vec<_>>(),
        ["search", "1-1", "2", "2", "0", "0.0%"],
        "{table}"
    );
    refuses(
        &["endings", "measure", &folder.path("none.txt")],
        "no such file",
    );
    std::fs::write(folder.path("bad.txt"), "x1o b 3 + E1\n").expect("writable");
    refuses(&["endings", "measure", &folder.path("bad.txt")], "line 1");
    std::fs::write(folder.path("open.txt"), "x1o b 0 ?\n").expect("writable");
    refuses(
        &["endings", "measure", &folder.path("open.txt")],
        "endings solve",
    );
}

/// Black's three stones in a row, open on both sides: Black to move wins, and White has to answer.
#[test]
fn a_set_of_gomoku_knows_wins_and_defences() {
    let folder = Scratch::new("truth-gomoku");
    let games = folder.path("game.sgf");
    let game = "(;GM[4]SZ[9]RU[standard];B[ee];W[ae];B[fe];W[ah];B[ge];W[ha])";
    std::fs::write(&games, game).expect("writable");
    let set = folder.path("set.txt");
    let plies = ["--from", "5", "--to", "6", "--each", "2"];
    let pick = [&["endings", "pick", &games, "--out", &set], &plies[..]].concat();
    assert!(text(&pick).starts_with("2 positions added to 0"));
    text(&["endings", "solve", &set, "--nodes", "20000"]);
    let solved = read(&set);
    let line = |side: &str| {
        let line = solved.lines().find(|line| line.contains(side));
        line.expect("a line for each side").to_owned()
    };
    assert!(line(" w ").starts_with("gomoku:standard "), "{solved}");
    // Only a stone on the row, or an own four first, helps White.
    let holds = line(" w ");
    let holds = holds.split_once(" ? ").expect("White holds").1;
    let holds: Vec<&str> = holds.split(' ').collect();
    assert!(holds.contains(&"D5") && holds.contains(&"H5"), "{holds:?}");
    assert!(!holds.contains(&"A1"), "{holds:?}");
    let wins = line(" b ");
    let wins = wins.split_once(" + ").expect("Black wins").1;
    assert!(wins.contains("D5") && wins.contains("H5"), "{wins}");
    let limits = "--backend rollout --visits 200 --threads 1".split(' ');
    let bench: Vec<&str> = ["endings", "measure", &set]
        .into_iter()
        .chain(limits)
        .collect();
    refuses(&bench, "use --game gomoku");
    let table = text(&[&bench[..], &["--game", "gomoku", "--size", "9"]].concat());
    let all = table.lines().next_back().expect("a row for all");
    let words: Vec<&str> = all.split_whitespace().collect();
    assert_eq!(
        words[..6],
        ["search", "5-6", "2", "1", "0", "0.0%"],
        "{table}"
    );
    assert!(all.ends_with("0 of 1"), "{table}");
}
