use super::super::tree::read_tree;
use super::*;
use crate::game::HalfPoints;
use crate::record::{Play, Vertex};

fn point(size: BoardSize, x: u8, y: u8) -> Vertex {
    Vertex::Point(size.point(x, y))
}

#[test]
fn a_comment_is_that_of_its_nodes_move_wherever_it_stands() {
    let text = "(;SZ[9]RU[NoGo];C[first]B[aa];C[to W]W[bb];B[cc]C[x];C[lost])";
    let record = read(text).expect("readable");
    let comments: Vec<&str> = record.plays.iter().map(|p| &*p.comment).collect();
    assert_eq!(comments, ["first", "to W", "x\nlost"]);
}

#[test]
fn a_game_with_setup_variations_and_comments() {
    let record = read(concat!(
        "saved by hand (;FF[4]GM[1]SZ[9]RU[NoGo]PB[a\\]b]PW[c\nd]KM[0.5]RE[W+R]DT[2026-08-23]",
        "C[whole\\\ngame]AB[aa:ba][ai]AW[ii]PL[W]\n",
        ";W[cc]C[good](;B[dd](;W[])(;W[ee]))(;B[ff]))(;SZ[19])",
    ))
    .expect("readable");
    let size = BoardSize::square(9);
    assert_eq!((record.game.as_str(), record.size), ("nogo", size));
    assert_eq!(
        (record.black.as_str(), record.white.as_str()),
        ("a]b", "c d")
    );
    assert_eq!(
        (record.komi, record.result.as_str()),
        (Some(HalfPoints(1)), "W+R")
    );
    assert_eq!(
        (record.comment.as_str(), record.date.as_str()),
        ("wholegame", "2026-08-23")
    );
    let setup = [
        (size.point(0, 0), Color::Black),
        (size.point(8, 0), Color::White),
        (size.point(0, 8), Color::Black),
        (size.point(1, 8), Color::Black),
    ];
    assert_eq!(record.setup, setup);
    assert_eq!(record.to_move, Some(Color::White));
    let vertices: Vec<Vertex> = record.plays.iter().map(|play| play.play.vertex).collect();
    assert_eq!(
        vertices,
        [point(size, 2, 6), point(size, 3, 5), Vertex::Pass]
    );
    assert_eq!(record.plays[0].comment, "good");
}

#[test]
fn rectangles_old_names_and_missing_properties() {
    let record = read("(;SiZe[3:2];Black[cb];W[tt])").expect("readable");
    assert_eq!(record.size, BoardSize::new(3, 2));
    assert_eq!(record.plays[0].play.vertex, point(record.size, 2, 0));
    assert_eq!(record.plays[1].play.vertex, Vertex::Pass);
    assert_eq!(record.to_move, None);
    let other = read("(;SZ[3]KM[6,5];W[aa];B[bb])").expect("readable");
    assert_eq!(
        (other.first_to_move(), other.komi),
        (Color::White, Some(HalfPoints(13)))
    );
    assert_eq!(read("(;KM[])").map(|record| record.komi), Ok(None));
    assert_eq!(
        read("(;)").map(|record| record.size),
        Ok(BoardSize::square(19))
    );
}

#[test]
fn wrong_files_are_refused() {
    for (text, part) in [
        ("", "no SGF"),
        ("hello", "no SGF"),
        ("(;C[open", "ends inside"),
        ("(;C", "ends inside"),
        ("(;SZ[0])", "SZ"),
        ("(;SZ[99])", "SZ"),
        ("(;GM[2])", "GM"),
        ("(;SZ[9];B[jj])", "property B"),
        ("(;SZ[9];B[a])", "property B"),
        ("(;SZ[9];B[aa];W[bb];B[jj])", "move 3: SGF property B"),
        ("(;%)", "unexpected"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[track_caller]
fn noted(text: &str) -> (GameRecord, String) {
    let record = read(text).expect(text);
    let notes = record.notes.join("; ");
    (record, notes)
}

/// The plays as SGF has them, without remarks.
fn played(record: &GameRecord) -> String {
    let mut bare = GameRecord::new("go", record.size);
    record
        .plays
        .iter()
        .for_each(|recorded| bare.push(recorded.play));
    let text = crate::record::sgf::write(&bare);
    let moves: Vec<&str> = text.split(';').skip(2).map(str::trim).collect();
    moves.join(";").trim_end_matches(')').to_owned()
}

#[test]
fn an_odd_property_does_not_lose_the_game() {
    for (odd, note) in [
        ("AB[]", ""),
        ("AB[]AW[ ]AE[]", ""),
        (
            "AB[zz]",
            "AB[zz] is left out: it is not a point of the board",
        ),
        (
            "AW[aa:zz]",
            "AW[aa:zz] is left out: it is not a point of the board",
        ),
        (
            "AB[aa:ba]AW[ba]AE[aa:ba]",
            "AW[ba] replaces what its node has set up before; AE[aa:ba] replaces",
        ),
        ("AB[aa][aa]AE[bb]", ""),
        ("PL[]", "PL[] is left out: expected B or W"),
        ("PL[green]", "PL[green] is left out"),
        ("KM[]", ""),
        ("KM[7.5 points]", ""),
        ("KM[unknown]", "KM[unknown] is left out"),
        (
            "KM[agreed on by both sides after the game was over]",
            "KM[agreed on by both sides after the game w...] is left out",
        ),
        ("HA[many]RE[?]TM[abc]OT[]DT[yesterday]", ""),
        ("GM[]SZ[]RU[]", ""),
        ("RE[W+Resign (odd\\]]", ""),
        ("XX[1][2][3]", ""),
        ("FF[3]ap[x]", ""),
    ] {
        let text = format!("(;{odd};B[cc];W[dd])");
        let (record, notes) = noted(&text);
        assert_eq!(played(&record), "B[cc];W[dd]", "{text}");
        assert_eq!(record.to_move, None, "{text}");
        assert_eq!(notes.is_empty(), note.is_empty(), "{text}: {notes}");
        assert!(notes.contains(note), "{text}: {notes}");
    }
}

#[test]
fn what_programs_write_in_their_own_way_is_read() {
    for text in [
        "\u{feff}(;SZ[9];B[cc];W[dd])",
        "\u{feff}\u{feff} (;SZ[9];B[cc];W[dd])",
        "(;SZ[9:9];B[cc];W[dd])",
        "(;SZ[9x9];B[cc];W[dd])",
        "(\r\n;SZ[9]\r\n;B[cc]\r\n;W[dd]\r\n)\r\n",
        "(;gm[1]sz[9];b[cc];w[dd])",
        "(;GaMe[1]SiZe[9];Black[cc];White[dd])",
        "(;SZ[9]C[a \\] ; (B[aa\\])];B[cc]C[x\\\\];W[dd])",
        "(;SZ[9];B[cc];W[dd](;B[ee])(;B[ff]))(",
    ] {
        let (record, _) = noted(text);
        assert_eq!(record.size, BoardSize::square(9), "{text}");
        assert!(played(&record).starts_with("B[cc]"), "{text}");
        assert!(record.plays.len() >= 2, "{text}");
        assert!(!text.ends_with(')') || record.notes.is_empty(), "{text}");
    }
    let (turn, notes) = noted("(;SZ[9];B[cc];PL[W];W[dd];PL[W])");
    assert_eq!((turn.plays.len(), turn.to_move), (2, None));
    assert!(notes.starts_with("PL after move 2 is left out"), "{notes}");
    let (several, notes) = noted("(;SZ[9];B[cc][dd];W[])");
    assert_eq!(
        (played(&several).as_str(), &*notes),
        ("B[cc];B[dd];W[]", "")
    );
}

#[test]
fn a_game_begins_without_its_first_characters() {
    for text in [
        "(FF[4]SZ[5];B[aa];W[bb])",
        "( GM [1]SZ[5];B[aa](;W[bb])(;W[cc]))",
        ";SZ[5];B[aa];W[bb])",
        "\u{feff} ;SZ[5];B[aa];W[bb]",
        "see (1), (a [b]) and (;SZ[5];B[aa];W[bb])",
    ] {
        let (record, _) = noted(text);
        assert_eq!(record.size, BoardSize::square(5), "{text}");
        assert_eq!(record.plays.len(), 2, "{text}");
        let nodes = read_tree(text).expect("a game").nodes;
        let main = nodes
            .iter()
            .enumerate()
            .take_while(|(at, node)| node.parent + 1 == (*at).max(1));
        let plays: Vec<Play> = main.filter_map(|(_, node)| node.play).collect();
        let main_line = record.plays.iter().map(|recorded| recorded.play);
        assert!(main_line.eq(plays), "{text}");
    }
    for text in ["SZ[5];B[aa]", "(B)", "()", "(see [1])"] {
        assert!(read(text).is_err(), "{text}");
    }
}

#[test]
fn a_text_that_breaks_off_is_read_as_far_as_it_goes() {
    for (text, moves, note) in [
        ("(;SZ[9];B[cc];W[dd]", "B[cc];W[dd]", "without a `)`"),
        ("(;SZ[9];B[cc];W[d", "B[cc]", "inside a property value"),
        ("(;SZ[9];B[cc];W", "B[cc]", "inside a property value"),
        ("(;SZ[9];B[cc]C[(;W", "B[cc]", "inside a property"),
        ("(;SZ[9];B[cc]%!;W[dd])", "B[cc];W[dd]", "'%' at byte 13"),
        // Fox's line breaks.
        ("(;SZ[9]\\r\\n;B[cc]\\n;W[dd])", "B[cc];W[dd]", "unexpected"),
        (
            "(;SZ[9];B[cc];W[dd](;B[aa])(;B[bb]))\n(;SZ[19])(;C[)(;])",
            "B[cc];W[dd];B[aa]",
            "has more games: only the first",
        ),
    ] {
        let (record, notes) = noted(text);
        assert_eq!(played(&record), moves, "{text}");
        assert!(notes.contains(note), "{text}: {notes}");
    }
}

/// The main line and the tree have the same moves and turns, which a review needs to keep variations.
#[test]
fn stones_of_a_node_are_set_up_before_its_play() {
    for (text, turn, after) in [
        ("(;SZ[9]B[cc]AB[aa];W[dd])", Color::Black, None),
        ("(;SZ[9];B[cc]AB[aa];W[dd])", Color::Black, None),
        ("(;SZ[9];AB[aa]B[cc];W[dd])", Color::Black, None),
        ("(;SZ[9];B[cc];W[dd]AB[aa])", Color::Black, Some(1)),
        (
            "(;SZ[9];B[cc];W[dd]AE[cc]PL[W];B[ee])",
            Color::Black,
            Some(1),
        ),
        ("(;SZ[9];AB[aa]PL[W]W[cc];B[dd])", Color::White, None),
        // Whose turn it is after the play.
        ("(;SZ[9]PL[W]B[cc];W[dd])", Color::Black, None),
        ("(;SZ[9];B[cc]PL[W];W[dd]PL[B])", Color::Black, None),
        ("(;SZ[9]PL[W];W[cc]PL[B];B[dd])", Color::White, None),
    ] {
        let (record, notes) = noted(text);
        assert_eq!((record.first_to_move(), &*notes), (turn, ""), "{text}");
        let later = record.later.first().map(|setup| setup.after);
        assert_eq!(later, after, "{text}");
        let tree = read_tree(text).expect(text);
        let plays = tree.nodes.iter().filter_map(|node| node.play);
        let main_line = record.plays.iter().map(|recorded| recorded.play);
        assert!(plays.eq(main_line), "{text}");
        assert_eq!(tree.beginning.first_to_move(), turn, "{text}");
        let set_up = tree.nodes.iter().filter_map(|node| node.setup.as_deref());
        let turned = |setup: &&LaterSetup| setup.changes.is_empty();
        assert_eq!(set_up.filter(turned).count(), 0, "{text}");
    }
}

#[test]
fn a_game_is_named_by_its_number_or_by_its_rules() {
    for (text, is_named) in [
        ("(;SZ[9])", false),
        ("(;GM[ ]RU[Japanese])", false),
        ("(;GM[1])", true),
        ("(;RU[NoGo])", true),
    ] {
        assert_eq!(read(text).expect(text).names_game, is_named, "{text}");
    }
}

#[test]
fn no_comment_is_lost() {
    let text = "(;SZ[9]C[root]C[of it];C[in][tro];C[first]B[aa];W[bb]C[x]C[y])";
    let record = read(text).expect("readable");
    let comments: Vec<&str> = record.plays.iter().map(|play| &*play.comment).collect();
    assert_eq!(
        (&*record.comment, &comments[..]),
        ("root\nof it", &["in\ntro\nfirst", "x\ny"][..])
    );
}

/// Sina's records, whose root has no `;` either.
#[test]
fn a_ko_of_the_root_is_komi() {
    for (text, komi) in [
        ("(\r\nTE[x]\r\nKO[6.5]\r\nGK[1]\r\n;B[pd];W[dd])", Some(13)),
        ("(;KO[];B[aa]KO[1];W[bb]KO[])", None),
    ] {
        let (record, notes) = noted(text);
        assert_eq!(record.komi, komi.map(HalfPoints), "{text}");
        assert_eq!((record.plays.len(), &*notes), (2, ""), "{text}");
    }
    let (_, notes) = noted("(;KO[3.75])");
    assert!(
        notes.starts_with("KO[3.75] is read as a komi of 7.5"),
        "{notes}"
    );
}

#[test]
fn what_is_behind_the_last_play_asked_for_does_not_matter() {
    let text = "(;SZ[9]HA[2]AB[gg][cc];W[dd];B[ee];AW[ff]PL[W];W[zz])";
    assert!(read(text).is_err());
    let until = |plays| read_until(text, plays).expect("as far as that it is sound");
    assert_eq!(until(0).first_to_move(), Color::White);
    assert_eq!((until(1).plays.len(), until(1).later.len()), (1, 0));
    let last = until(2);
    assert_eq!((last.plays.len(), last.later.len()), (2, 1));
    assert_eq!(last.later[0].to_move, Some(Color::White));
    assert!(read_until(text, 3).is_err());
    let result = |plays| {
        let record = read_until("(;SZ[9]RE[B+R];B[dd];W[ee])", plays);
        record.expect("readable").result
    };
    assert_eq!([result(1), result(2)], ["", "B+R"], "of a whole game alone");
    let white_first = read_until("(;SZ[9];W[dd];B[ee])", 0).expect("readable");
    assert_eq!(white_first.first_to_move(), Color::White);
}

#[test]
fn stones_set_up_among_moves_are_kept_and_written_again() {
    let text = "(;SZ[9];B[cc];W[gg];AW[cg:dg]AE[gg]PL[W];W[ee];AB[aa];AB[ab])";
    let (record, notes) = noted(text);
    assert_eq!((record.plays.len(), &*notes), (3, ""));
    let [first, second] = &record.later[..] else {
        panic!("{:?}", record.later);
    };
    let at = |x, y| record.size.point(x, y);
    assert_eq!((first.after, first.to_move), (2, Some(Color::White)));
    let changes = [
        (at(2, 2), Some(Color::White)),
        (at(3, 2), Some(Color::White)),
        (at(6, 2), None),
    ];
    assert_eq!(first.changes, changes.into());
    assert_eq!((second.after, second.to_move), (3, None));
    assert_eq!(second.changes.len(), 2);
    let written = crate::record::sgf::write(&record);
    let named = GameRecord {
        names_game: true,
        ..record
    };
    assert_eq!(read(&written), Ok(named), "{written}");
}

#[test]
fn a_text_is_the_same_after_writing_and_reading() {
    let odd = "(;GM[1]RU[\\\0 rules]PB[\\\u{1}x];W[dd]C[a\\\0b])";
    let written = super::super::write(&read(odd).unwrap());
    assert!(written.contains("RU[rules]"), "{written}");
    assert_eq!(super::super::write(&read(&written).unwrap()), written);
}

#[test]
fn what_a_text_names_is_bounded() {
    let all = "[aa:ss]".repeat(100_000);
    let found = read(&format!("(;SZ[19]AB{all};B[aa];AE{all};W[bb])")).expect("a game");
    assert_eq!((found.setup.len(), found.later.len()), (361, 1));
    let most = |found: Result<usize, SgfError>| {
        let why = found.expect_err("it is too large").to_string();
        let limit = why.strip_suffix(", too many to read: split it");
        let limit = limit.and_then(|why| why.strip_prefix("the SGF text has more than "));
        let (_, what) = limit.and_then(|limit| limit.split_once(' ')).expect(&why);
        what.to_owned()
    };
    let record = |text: &str| most(read(text).map(|record| record.plays.len()));
    let tree = |text: &str| most(read_tree(text).map(|tree| tree.nodes.len()));
    let games = |text: &str| most(super::super::games(text).map(|games| games.len()));
    let stones = format!("(;SZ[52];B[aa]{})", ";AE[aa:ZZ]".repeat(2_000));
    assert_eq!(record(&stones), "points that are set up");
    assert_eq!(tree(&stones), "points that are set up");
    for (part, number, what) in [
        (";", 1_000_001, "nodes"),
        ("(", 1_000_001, "nodes"),
        ("B[]", 2_000_001, "properties"),
    ] {
        let text = format!("(;SZ[9])(;SZ[9]{}", part.repeat(number));
        assert_eq!(games(&text), what);
    }
    let nodes = format!("(;SZ[9]{}", ";".repeat(1_000_001));
    assert_eq!([record(&nodes), tree(&nodes)], ["nodes"; 2]);
    assert_eq!(games(&"(;N[x])".repeat(100_001)), "games");
    let (_, notes) = noted(&format!("(;SZ[9]AB{})", "[zz]".repeat(10_000)));
    assert!(notes.len() < 10_000, "{}", notes.len());
}

/// The text that tells the game is that of the record: what is written is read as the same game.
#[test]
fn only_the_first_rules_of_the_root_count() {
    for (text, game, rules) in [
        ("(;GM[1]SZ[5]RU[Chinese]RU[NoGo];B[aa])", "go", "Chinese"),
        ("(;GM[1]SZ[5]RU[]RU[NOGO];B[aa])", "nogo", ""),
        ("(;GM[1]SZ[5]RU[No\\Go];B[aa])", "nogo", ""),
        ("(;GM[1]SZ[5];B[aa]RU[NoGo])", "go", ""),
    ] {
        let record = read(text).expect("a game");
        assert_eq!((&*record.game, &*record.rules), (game, rules), "{text}");
        let again = read(&crate::record::sgf::write(&record)).expect("a game");
        assert_eq!(again.game, record.game, "{text}");
    }
}
