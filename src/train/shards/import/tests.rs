use std::fs;
use std::io::Write as _;

use super::source::Form;
use super::*;
use crate::play::generate::tests::rows;
use tengen::game::{BoardSize, Color, Game, HalfPoints, Move, Outcome};
use tengen::games::go::SmallGo;
use tengen::games::gomoku::Gomoku;
use tengen::games::nogo::SmallNoGo;
use tengen_nn::files::scratch::Scratch;

const CHOICE: Choice = Choice {
    least_plies: 4,
    komi_share: 0.0,
    seed: 1,
};

fn empty() -> SmallGo {
    SmallGo::with_rules(BoardSize::square(9), "chinese".parse().unwrap()).unwrap()
}

fn plan(inputs: &[&Path], out: &Path) -> ImportPlan {
    ImportPlan {
        inputs: inputs.iter().map(|path| path.to_path_buf()).collect(),
        out: out.to_path_buf(),
        choice: CHOICE,
    }
}

/// A game of these moves with a result, as SGF.
fn sgf(result: &str, moves: &str) -> String {
    let colors = ["B", "W"].into_iter().cycle();
    let moves: String = moves
        .split(' ')
        .zip(colors)
        .map(|(point, color)| format!(";{color}[{point}]"))
        .collect();
    format!("(;GM[1]SZ[9]KM[7]RE[{result}]{moves})")
}

/// Eight files: three games to learn from, and one of each kind that is not.
fn folder(scratch: &Scratch) -> PathBuf {
    let folder = scratch.path().join("games");
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [
        ("1.sgf", sgf("B+R", "ee cc gc cg")),
        ("2-twin-of-1.sgf", sgf("B+R", "ee gg cg gc")),
        ("3.sgf", sgf("W+3.5", "ee gc cc cg gg")),
        (
            "4-handicap.sgf",
            "(;GM[1]SZ[9]HA[2]AB[gc][cg]RE[W+Resign]KM[0.5];W[ee];B[cc];W[gg];B[dd])".to_owned(),
        ),
        ("5.sgf", sgf("B+T", "ee cc gg gc")),
        ("6.sgf", sgf("", "ee cc gg gc")),
        ("7.sgf", sgf("B+R", "ee cc ee gc")),
        ("8.sgf", sgf("B+R", "ee cc")),
        (
            "9.sgf",
            "(;GM[1]SZ[13]RE[B+R];B[aa];W[bb];B[cc];W[dd])".to_owned(),
        ),
        ("a.sgf", "no game at all".to_owned()),
    ] {
        fs::write(folder.join(name), text).unwrap();
    }
    folder
}

#[test]
fn a_folder_of_games_becomes_rows_and_the_rest_is_counted() {
    let scratch = Scratch::new("import-folder");
    let (games, out) = (folder(&scratch), scratch.path().join("out"));
    let done = import(&empty(), &plan(&[&games], &out), |_| ()).unwrap();
    let counts = &done.counts;
    assert_eq!(
        (
            counts.games,
            counts.positions,
            counts.resigned,
            counts.counted
        ),
        (3, 4 + 5 + 4, 2, 1)
    );
    let left_out: Vec<(&str, u64)> = counts
        .left_out
        .iter()
        .map(|(why, n)| (&**why, *n))
        .collect();
    assert_eq!(
        left_out,
        [
            ("another board", 1),
            ("illegal move", 1),
            ("lost on time or forfeited", 1),
            ("no result", 1),
            ("short", 1),
            ("twin", 1),
            ("unreadable", 1),
        ]
    );
    let rows = rows(&out);
    assert_eq!(rows.len(), 13);
    let results: Vec<i8> = rows.iter().map(|row| row.result).collect();
    assert_eq!(results, [1, -1, 1, -1, -1, 1, -1, 1, -1, 1, -1, 1, -1]);
    // Every row leads to its position, and its policy is the move that was played there.
    for pair in rows.windows(2).filter(|pair| pair[0].game == pair[1].game) {
        let mut position = pair[0].position(&empty()).unwrap();
        position.play(pair[0].policy[0].mv);
        assert_eq!(position.key(), pair[1].position(&empty()).unwrap().key());
        assert!(pair[0].is_followed_by(&pair[1]));
    }
    // White moves after two handicap stones, at a komi of half a point.
    let handicap = &rows[9];
    assert_eq!(
        (handicap.to_move, handicap.komi),
        (Color::White, Some(HalfPoints(1)))
    );
    let position = handicap.position(&empty()).unwrap();
    let stones = (0..81).filter(|&point| position.stone(Move(point)).is_some());
    assert_eq!(stones.count(), 2);
}

#[test]
fn a_session_that_was_ended_goes_on_and_repeats_nothing() {
    let scratch = Scratch::new("import-resume");
    let games = folder(&scratch);
    let more = scratch.path().join("more");
    fs::create_dir_all(&more).unwrap();
    fs::write(more.join("1.sgf"), sgf("W+R", "cc gg gc cg ee")).unwrap();
    let (whole, parts) = (scratch.path().join("whole"), scratch.path().join("parts"));
    import(&empty(), &plan(&[&games, &more], &whole), |_| ()).unwrap();
    import(&empty(), &plan(&[&games], &parts), |_| ()).unwrap();
    // Killed after the shards of the next unit and before its note in the journal.
    let journal = fs::read_to_string(parts.join("imported.json")).unwrap();
    import(&empty(), &plan(&[&games, &more], &parts), |_| ()).unwrap();
    let [ended, killed] = ["false", "true"].map(|is| format!("\"is_writing\":{is}"));
    assert!(journal.contains(&ended), "{journal}");
    fs::write(
        parts.join("imported.json"),
        journal.replace(&ended, &killed),
    )
    .unwrap();
    let done = import(&empty(), &plan(&[&games, &more], &parts), |_| ()).unwrap();
    assert_eq!((done.counts.games, done.read_now), (4, 1));
    assert_eq!(rows(&parts), rows(&whole));
    let again = import(&empty(), &plan(&[&games, &more], &parts), |_| ()).unwrap();
    assert_eq!((again.counts, again.read_now), (done.counts, 0));
    // A file that is added to a folder is read, also between others.
    fs::write(games.join("1-added.sgf"), sgf("W+R", "dd gg gc cg ee")).unwrap();
    let added = import(&empty(), &plan(&[&games, &more], &parts), |_| ()).unwrap();
    assert_eq!((added.counts.games, added.read_now), (5, 1));
    let other = ImportPlan {
        choice: Choice { seed: 2, ..CHOICE },
        ..plan(&[&games], &parts)
    };
    let refused = import(&empty(), &other, |_| ()).unwrap_err().to_string();
    assert!(refused.contains("choose another folder"), "{refused}");
}

/// Names in an encoding of earlier times, which systems other than Linux may refuse.
#[cfg(target_os = "linux")]
#[test]
fn files_whose_names_are_not_unicode_are_read_once() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;

    let scratch = Scratch::new("import-names");
    let (games, out) = (folder(&scratch), scratch.path().join("out"));
    let added = |name: &[u8], first: &str| {
        let moves = format!("{first} gg gc cg ee");
        fs::write(games.join(OsStr::from_bytes(name)), sgf("W+R", &moves)).unwrap();
        let done = import(&empty(), &plan(&[&games], &out), |_| ()).unwrap();
        (done.counts.games, done.read_now)
    };
    assert_eq!(added(b"\xc6\xe5.sgf", "cc"), (4, 11));
    assert_eq!(added(b"\xc6\xd7.sgf", "dd"), (5, 1));
    fs::write(out.join("imported.json"), "{").unwrap();
    let refused = import(&empty(), &plan(&[&games], &out), |_| ());
    let message = refused.unwrap_err().to_string();
    assert!(message.contains("delete its folder"), "{message}");
}

#[test]
fn archives_are_read_and_a_damaged_one_costs_only_itself() {
    let scratch = Scratch::new("import-zip");
    let games = scratch.path().join("zips");
    fs::create_dir_all(&games).unwrap();
    let archive = |name: &str, files: &[(&str, String)]| {
        let path = games.join(name);
        let mut archive = zip::ZipWriter::new(fs::File::create(&path).unwrap());
        for (name, text) in files {
            let options = zip::write::SimpleFileOptions::default();
            archive.start_file(*name, options).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap();
        path
    };
    archive("a.zip", &[("x/1.sgf", sgf("B+R", "ee cc gc cg"))]);
    let damaged = archive("b.zip", &[("2.sgf", sgf("B+R", "dd cc gc cg"))]);
    let bytes = fs::read(&damaged).unwrap();
    fs::write(&damaged, &bytes[..bytes.len() / 2]).unwrap();
    archive("c.zip", &[("3.sgf", sgf("B+R", "cc ee gc cg"))]);
    let out = scratch.path().join("out");
    let done = import(&empty(), &plan(&[&games], &out), |_| ()).unwrap();
    assert_eq!((done.counts.games, rows(&out).len()), (2, 8));
    assert_eq!(done.counts.left_out.get("in a damaged file"), Some(&1));
    // A sound one in its place is read by the same command.
    archive("b.zip", &[("2.sgf", sgf("B+R", "dd cc gc cg"))]);
    let done = import(&empty(), &plan(&[&games], &out), |_| ()).unwrap();
    assert_eq!(
        (done.counts.games, done.read_now, rows(&out).len()),
        (3, 1, 12)
    );
}

#[test]
fn files_without_games_are_counted() {
    let scratch = Scratch::new("import-others");
    let games = folder(&scratch);
    fs::write(games.join("notes.txt"), "no games").unwrap();
    fs::write(games.join("game.gib"), "\\HS").unwrap();
    let mut archive = zip::ZipWriter::new(fs::File::create(games.join("b.zip")).unwrap());
    let options = zip::write::SimpleFileOptions::default();
    archive.start_file("readme", options).unwrap();
    archive.write_all(b"no games").unwrap();
    archive.finish().unwrap();
    let out = scratch.path().join("out");
    let done = import(&empty(), &plan(&[&games], &out), |_| ()).unwrap();
    assert_eq!((done.counts.games, done.passed_over), (3, 3));
}

/// A file of several games, as servers and databases export them.
#[test]
fn all_games_of_a_collection_are_read() {
    let scratch = Scratch::new("import-collection");
    let games = scratch.path().join("games");
    fs::create_dir_all(&games).unwrap();
    let columns = "abdfhi";
    // In a value brackets are text; what is between games and after the last one, too.
    let game = |row: char, column: char| {
        let moves = format!("{column}{row} ee gc cg gg");
        sgf("B+R", &moves).replace("RE[", "C[\\](;a) b]RE[")
    };
    let collection = |row: char| -> String {
        let games = columns.chars().map(|column| game(row, column));
        "exported\n".to_owned() + &games.collect::<Vec<_>>().join("\r\n* \n\n")
    };
    // Also with variations, and cut off.
    let last = "(;GM[1]SZ[9]KM[7]RE[W+R];B[cc](;W[dd];B[ee];W[ff])(;W[gg]))(;GM[1]SZ[9]RE[W+R]";
    fs::write(games.join("one.SGF"), collection('a') + last).unwrap();
    let mut archive = zip::ZipWriter::new(fs::File::create(games.join("b.zip")).unwrap());
    archive
        .start_file("b.sgf", zip::write::SimpleFileOptions::default())
        .unwrap();
    archive.write_all(collection('b').as_bytes()).unwrap();
    archive.finish().unwrap();
    let out = scratch.path().join("out");
    let done = import(&empty(), &plan(&[&games], &out), |_| ()).unwrap();
    assert_eq!(
        (done.counts.games, done.read_now),
        (13, 14),
        "{:?}",
        done.counts
    );
    assert_eq!(done.counts.left_out.get("short"), Some(&1));
    assert_eq!(rows(&out).len(), 12 * 5 + 4);
    let mut known = Vec::new();
    each_game(&empty(), &[games], |moves| {
        known.push(moves);
        true
    })
    .unwrap();
    assert_eq!(known.len(), 14);
}

/// Shards of several imports in one folder: all games are fitted, and none is removed.
#[test]
fn imports_that_were_copied_together_are_all_there() {
    let scratch = Scratch::new("import-copied");
    let place = |name: &str| scratch.path().join(name);
    fs::create_dir_all(place("more")).unwrap();
    for (name, first) in [("1", "cc"), ("2", "dd")] {
        let moves = format!("{first} gg gc cg ee");
        fs::write(
            place("more").join(format!("{name}.sgf")),
            sgf("W+R", &moves),
        )
        .unwrap();
    }
    import(&empty(), &plan(&[&folder(&scratch)], &place("a")), |_| ()).unwrap();
    import(&empty(), &plan(&[&place("more")], &place("b")), |_| ()).unwrap();
    let count = |folder: &str| {
        let loaded = crate::shards::dataset::Dataset::load(&[place(folder)], usize::MAX, 0.0);
        loaded.unwrap().fit.len()
    };
    let (a, b) = (count("a"), count("b"));
    fs::create_dir_all(place("both")).unwrap();
    for shard in [
        shard::list(&place("a")).unwrap(),
        shard::list(&place("b")).unwrap(),
    ]
    .concat()
    {
        let name = shard.file_name().unwrap().to_owned();
        fs::copy(&shard, place("both").join(name)).unwrap();
    }
    assert_eq!((a, b, count("both")), (13, 10, 23));
    let refused = import(&empty(), &plan(&[&place("more")], &place("both")), |_| ());
    let message = refused.unwrap_err().to_string();
    assert!(
        message.contains("not imported into this folder"),
        "{message}"
    );
    assert_eq!(count("both"), 23);
}

/// Links in a circle, to nothing, and a pipe that nobody writes.
#[cfg(unix)]
#[test]
fn links_and_pipes_in_a_folder_do_not_stop_it() {
    use std::os::unix::fs::symlink;

    let scratch = Scratch::new("import-links");
    let games = folder(&scratch);
    symlink("..", games.join("up")).unwrap();
    symlink(".", games.join("here")).unwrap();
    symlink("nothing.sgf", games.join("gone.sgf")).unwrap();
    let pipe = games.join("pipe.sgf");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.unwrap().success());
    let out = scratch.path().join("out");
    let done = import(&empty(), &plan(&[&games], &out), |_| ()).unwrap();
    assert_eq!(done.counts.games, 3);
    assert_eq!(done.counts.left_out.get("twin"), Some(&1));
    let refused = import(&empty(), &plan(&[&pipe], &place_for(&scratch)), |_| ());
    assert_eq!(
        refused.unwrap().counts.left_out.get("in a damaged file"),
        Some(&1)
    );
}

#[cfg(unix)]
fn place_for(scratch: &Scratch) -> PathBuf {
    scratch.path().join("pipe-out")
}

#[test]
fn a_shifted_komi_has_the_result_that_follows_from_the_margin() {
    let choice = Choice {
        komi_share: 1.0,
        ..CHOICE
    };
    let mut winners = [0; 2];
    let mut komis = Vec::new();
    for seed in 0..200 {
        let choice = Choice { seed, ..choice };
        // White is ahead by 3.5 with a komi of 7: Black's margin on the board is 3.5.
        let game =
            game::read(&empty(), &Form::Sgf(sgf("W+3.5", "ee gc cc cg gg")), choice).unwrap();
        let row = &game.rows[0];
        let komi = row.komi.unwrap();
        assert_ne!(komi.0, 7);
        let black = i8::from(7 > komi.0) * 2 - 1;
        assert_eq!((row.to_move, row.result), (Color::Black, black), "{komi}");
        winners[usize::from(black > 0)] += 1;
        komis.push(komi);
    }
    assert!(winners.iter().all(|&count| count > 60), "{winners:?}");
    komis.sort();
    komis.dedup();
    assert!(komis.len() > 20, "{}", komis.len());
}

/// What a search said of a position is about the komi that was played.
#[test]
fn a_game_with_values_keeps_its_komi() {
    let text = sgf("W+3.5", "ee gc cc cg gg").replace("B[ee]", "B[ee]C[1.0 s, value 0.25]");
    for seed in 0..9 {
        let choice = Choice {
            komi_share: 1.0,
            seed,
            ..CHOICE
        };
        let game = game::read(&empty(), &Form::Sgf(text.clone()), choice).unwrap();
        let row = &game.rows[0];
        let wanted = (Some(HalfPoints(14)), 0.25);
        assert_eq!((row.komi, row.root_value), wanted);
    }
}

/// On 4x1 as X..O: Black plays beside its stone, and White has no move.
#[test]
fn a_game_without_points_has_the_result_of_its_board() {
    let nogo = SmallNoGo::new(BoardSize::new(4, 1)).unwrap();
    let choice = Choice {
        least_plies: 3,
        komi_share: 1.0,
        ..CHOICE
    };
    let read = |result: &str| {
        let text = format!("(;GM[1]SZ[4:1]RU[NoGo]RE[{result}];B[aa];W[da];B[ba])");
        game::read(&nogo, &Form::Sgf(text), choice)
    };
    for seen in ["B+R", "B+", "B+2"] {
        let rows = read(seen).unwrap().rows;
        let results: Vec<i8> = rows.iter().map(|row| row.result).collect();
        let margins: Vec<i8> = rows.iter().map(|row| row.ending.unwrap().margin).collect();
        assert_eq!((results, margins), (vec![1, -1, 1], vec![1, -1, 1]));
    }
    for wrong in ["W+R", "W+", "W+2", "0"] {
        let refused = read(wrong).unwrap_err();
        assert_eq!(refused.reason, "another result on the board", "{wrong}");
    }
}

/// Dead stones are removed by agreement: the board knows the owners only where it counts as the players did.
#[test]
fn a_counted_game_has_its_ending_where_the_board_counts_alike() {
    let leads = |result: &str, choice: Choice| {
        let game = game::read(&empty(), &Form::Sgf(sgf(result, "ee gc  ")), choice).unwrap();
        let row = game.rows.into_iter().next().unwrap();
        (row.komi, row.ending.map(|ending| ending.lead.unwrap().0))
    };
    assert_eq!(leads("W+7", CHOICE).1, Some(-14));
    assert_eq!(leads("W+30", CHOICE).1, None);
    assert_eq!(leads("W+R", CHOICE).1, None);
    let choice = Choice {
        komi_share: 1.0,
        ..CHOICE
    };
    let (komi, lead) = leads("W+7", choice);
    assert_eq!(lead, Some(-komi.unwrap().0));
}

/// A game of Rapfi against itself from an opening of two stones: White wins with the tenth stone.
const RAPFI: &str = "\
15,Freestyle,A1H8,0,A3(-30)|C3(-55)|B7(-5000)
15,Freestyle,A1H8A3,2,H9(210)
15,Freestyle,A1H8A3H9,0,A5(-260)
15,Freestyle,A1H8A3H9A5,2,H10(29990)
15,Freestyle,A1H8A3H9A5H10,0,A7(-29990)
15,Freestyle,A1H8A3H9A5H10A7,2,H11(29996)
15,Freestyle,A1H8A3H9A5H10A7H11,0,A9(-29998)
15,Freestyle,A1H8A3H9A5H10A7H11A9,2,H12(29999)
15,Freestyle,A1H8A3H9A5H10A7H11A9H12,0,B1|B2
";

#[test]
fn games_of_rapfi_bring_evaluations_of_several_moves() {
    let scratch = Scratch::new("import-rapfi");
    let (text, out) = (scratch.path().join("games.txt"), scratch.path().join("out"));
    // A second game, with another opening, a third by other rules, and one that breaks off at once.
    let second = RAPFI.replace("A1H8", "B1H8");
    let renju = RAPFI.replace("Freestyle", "Renju");
    let broken = RAPFI.lines().nth(1).unwrap().replace("H9(210)", "H9(");
    fs::write(&text, format!("{RAPFI}{second}{renju}{broken}\n")).unwrap();
    let start = Gomoku::with_rules(BoardSize::square(15), "freestyle".parse().unwrap()).unwrap();
    let done = import(&start, &plan(&[&text], &out), |_| ()).unwrap();
    let counts = &done.counts;
    assert_eq!((counts.games, counts.positions, counts.played), (2, 16, 2));
    assert_eq!(counts.left_out.get("other rules"), Some(&1));
    assert_eq!(counts.left_out.get("short"), Some(&1));
    let rows = rows(&out);
    assert_eq!(
        (rows[0].ply, rows[0].to_move, rows[0].result),
        (2, Color::Black, -1)
    );
    let size = BoardSize::square(15);
    let moves: Vec<Move> = rows[0].policy.iter().map(|share| share.mv).collect();
    assert_eq!(moves, [size.point(0, 2), size.point(2, 2)]);
    assert!(rows[0].policy[0].share > rows[0].policy[1].share);
    assert!(
        (rows[0].root_value + 0.075).abs() < 1e-3,
        "{}",
        rows[0].root_value
    );
    assert_eq!(rows[3].root_value, 1.0);
    assert!(rows.iter().all(|row| row.ending.is_some()));
    let wrong = Form::Rapfi(RAPFI.replacen(",0,", ",2,", 1));
    let refused = game::read(&start, &wrong, CHOICE).unwrap_err();
    assert_eq!(refused.reason, "another result on the board");
    let other = empty();
    let refused = game::read(&other, &Form::Rapfi(RAPFI.to_owned()), CHOICE).unwrap_err();
    assert_eq!(refused.reason, "other rules");
}

#[test]
fn a_match_brings_values_and_its_opening_is_not_learned() {
    let record = |from: &str, how: &str| {
        let comments = [
            from,
            "C[1.0 s, visits 80 value 0.25 seconds 1.0]",
            "C[0.5 s]",
            "",
        ];
        let moves = ["B[ee]", "W[cc]", "B[gc]", "W[cg]"];
        let moves = moves
            .iter()
            .zip(comments)
            .map(|(mv, comment)| format!(";{mv}{comment}"));
        let moves: String = moves.collect();
        Form::Sgf(format!("(;GM[1]SZ[9]KM[7]RE[{how}]{moves})"))
    };
    let choice = Choice {
        least_plies: 3,
        ..CHOICE
    };
    let game = game::read(&empty(), &record("", "W+R"), choice).unwrap();
    let values: Vec<f32> = game.rows.iter().map(|row| row.root_value).collect();
    assert_eq!(values, [0.25, -1.0, 1.0]);
    let results: Vec<i8> = game.rows.iter().map(|row| row.result).collect();
    assert_eq!(results, [1, -1, 1]);
    let game = game::read(&empty(), &record("C[good]", "0"), choice).unwrap();
    assert_eq!(
        (game.rows.len(), game.rows[0].result, game.end),
        (3, 0, End::Played(Outcome::DRAW))
    );
    // Won by the rules, without points.
    let game = game::read(&empty(), &record("", "W+"), choice).unwrap();
    assert_eq!(game.end, End::Played(Outcome::win(Color::White)));
}
