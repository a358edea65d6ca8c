//! Tests of result files, and a game entry for other tests of this module.

use tengen_nn::files::scratch::Scratch;

use super::*;

/// A game of which only the result matters; two consecutive numbers form a pair.
pub(in crate::referee) fn entry(
    number: usize,
    black: &str,
    white: &str,
    result: ResultText,
) -> GameEntry {
    GameEntry {
        number,
        pair: number / 2,
        black: black.to_owned(),
        white: white.to_owned(),
        result,
        reason: Reason::Rules,
        detail: None,
        count: None,
        opening_len: 0,
        // Different in each game.
        moves: format!("E5 A1{}", " pass".repeat(number)),
        seconds: vec![0.25, 0.5],
        visits: vec![Some(100), None],
        left: None,
        complaints: Vec::new(),
    }
}

fn terms() -> MatchTerms {
    let engine = |name: &str| EngineSpec::new(name, "x");
    MatchTerms {
        game: "nogo".to_owned(),
        rules: None,
        width: 9,
        height: 9,
        engines: vec![engine("a"), engine("b")],
        time: "none".to_owned(),
        margin_ms: 0,
        conditions: ClockSimulation::default(),
        move_limit_ms: 1000,
        max_moves: 324,
        openings: "4 random plies".to_owned(),
        seed: 1,
    }
}

#[test]
fn games_are_found_again_and_a_torn_line_is_forgotten() {
    let scratch = Scratch::new("results");
    let path = scratch.path().join("torn.jsonl");
    let games = [
        entry(0, "a", "b", ResultText::Black),
        entry(1, "b", "a", ResultText::Draw),
    ];
    let (mut file, before) = ResultFile::open(&path, &terms()).unwrap();
    assert_eq!(before, []);
    games.iter().for_each(|game| file.append(game).unwrap());
    // Cut within a two-byte character.
    file.file
        .write_all(b"{\"number\":2,\"black\":\"\xc3")
        .unwrap();
    drop(file);
    assert_eq!(read(&path).unwrap(), (terms(), games.to_vec()));
    let (mut file, found) = ResultFile::open(&path, &terms()).unwrap();
    assert_eq!(found, games);
    file.append(&games[0]).unwrap();
    drop(file);
    assert_eq!(read(&path).unwrap().1.len(), 3);
}

#[test]
fn a_file_in_use_of_another_match_or_corrupt_is_refused() {
    let scratch = Scratch::new("results");
    let path = scratch.path().join("refused.jsonl");
    let (file, _) = ResultFile::open(&path, &terms()).unwrap();
    let error = ResultFile::open(&path, &terms()).unwrap_err();
    assert!(error.to_string().contains("is in use by"), "{error}");
    drop(file);
    // Without a game it binds nothing.
    let other = MatchTerms {
        engines: vec![EngineSpec::new("a", "x"), EngineSpec::new("b", "y")],
        time: "10".to_owned(),
        ..terms()
    };
    for terms in [&other, &terms()] {
        let (_, found) = ResultFile::open(&path, terms).unwrap();
        assert_eq!(
            (found, read(&path).unwrap()),
            (Vec::new(), (terms.clone(), Vec::new()))
        );
    }
    let play = |terms: &MatchTerms| {
        let (mut file, _) = ResultFile::open(&path, terms).unwrap();
        file.append(&entry(0, "a", "b", ResultText::Black)).unwrap();
    };
    play(&terms());
    let error = ResultFile::open(&path, &other).unwrap_err();
    let expected =
        "another match (command of engines 2: \"y\" and not \"x\", time: \"10\" and not \"none\");";
    assert!(error.to_string().contains(expected), "{error}");
    // A setting that was not given before is a difference, too.
    std::fs::remove_file(&path).unwrap();
    let renju = MatchTerms {
        rules: Some("renju".to_owned()),
        ..terms()
    };
    play(&renju);
    let error = ResultFile::open(&path, &terms()).unwrap_err();
    let expected = "another match (rules: none and not \"renju\");";
    assert!(error.to_string().contains(expected), "{error}");
    for text in ["{\"tengen_match\":1}\n", "# A page\n", ""] {
        std::fs::write(&path, text).unwrap();
        let error = read(&path).unwrap_err();
        let expected = " line 1: it is no result file of tengen-match";
        assert!(error.to_string().contains(expected), "{error}");
        assert!(
            !error.to_string().contains(" at line "),
            "a second number of the line: {error}"
        );
    }
}
