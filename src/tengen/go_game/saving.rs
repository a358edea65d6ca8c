//! What a saved game keeps: its end, its handicap, and its record's contents, also by way of a
//! file.

use super::*;
use crate::record::sgf;

/// The same game in another engine, by way of a file.
fn saved_and_loaded(engine: &dyn Engine) -> Box<dyn Engine> {
    let record = sgf::read(&sgf::write(&engine.record())).unwrap();
    let mut other = super::engine(&[("size", "5")]);
    other.load(&record).unwrap();
    assert_eq!(other.record(), engine.record());
    other
}

#[test]
fn a_pass_after_the_end_leaves_the_game_over() {
    let winner = |engine: &dyn Engine| engine.outcome().map(|outcome: Outcome| outcome.winner);
    for passes in ["pass pass", "pass pass pass", "pass pass pass pass"] {
        let mut engine = engine(&[("size", "5")]);
        play(&mut *engine, "c3").unwrap();
        play(&mut *engine, passes).unwrap();
        let (black, white) = (Some(Some(Color::Black)), Some(Some(Color::White)));
        assert_eq!(winner(&*engine), black, "{passes}");
        assert_eq!(winner(&*saved_and_loaded(&*engine)), black);
        let to_move = engine.to_move();
        engine.set_komi(HalfPoints(51));
        assert_eq!(winner(&*engine), white, "{passes}");
        engine.set_rules("japanese").unwrap();
        assert_eq!((winner(&*engine), engine.to_move()), (white, to_move));
        assert_eq!(winner(&*saved_and_loaded(&*engine)), white);
        assert!(engine.legal_moves(to_move).is_empty());
        // It is over until the second pass is taken back.
        for _ in 2..passes.split(' ').count() {
            engine.undo().unwrap();
            assert_eq!(winner(&*engine), white, "{passes}");
        }
        engine.undo().unwrap();
        assert_eq!(winner(&*engine), None);
        play(&mut *engine, passes).unwrap();
        play(&mut *engine, "d2").unwrap();
        assert_eq!(winner(&*engine), None, "they go on");
        assert_eq!(winner(&*saved_and_loaded(&*engine)), None);
    }
}

#[test]
fn handicap_is_kept_whatever_changes_around_it() {
    let handicap = |engine: &dyn Engine| engine.record().handicap;
    let black = |name: &str| Play {
        color: Color::Black,
        vertex: vertex(name),
    };
    let mut engine = engine(&[("size", "5")]);
    engine.play(black("b2")).unwrap();
    assert_eq!(handicap(&*engine), 0, "a usual first move");
    engine.play(black("d4")).unwrap();
    play(&mut *engine, "c3 pass pass").unwrap();
    assert_eq!(handicap(&*engine), 2);
    // Two stones of three and two points for them, and none under Japanese rules.
    let margin = |engine: &dyn Engine| engine.outcome().and_then(|outcome| outcome.margin);
    engine.set_komi(HalfPoints(0));
    assert_eq!(margin(&*engine), Some(HalfPoints(2)), "2 - 1 - 2");
    assert_eq!(margin(&*saved_and_loaded(&*engine)), Some(HalfPoints(2)));
    engine.set_rules("aga").unwrap();
    assert_eq!(margin(&*engine), Some(HalfPoints(0)), "2 - 1 - 1");
    engine.set_rules("new-zealand").unwrap();
    assert_eq!(margin(&*engine), Some(HalfPoints(2)), "2 - 1");
    assert_eq!(handicap(&*engine), 2, "stones, paid for or not");
    for _ in 0..4 {
        engine.undo().unwrap();
    }
    assert_eq!(handicap(&*engine), 0);
    play(&mut *engine, "pass d4 c3").unwrap();
    assert_eq!(handicap(&*engine), 2, "White has passed in between");
    engine.clear();
    assert_eq!(handicap(&*engine), 0);
}

#[test]
fn a_record_without_komi_has_that_of_its_rules() {
    let mut engine = engine(&[("size", "5")]);
    let mut loaded = |properties: &str| {
        let text = format!("(;GM[1]FF[4]SZ[5]{properties};B[bb])");
        engine.load(&sgf::read(&text).unwrap()).unwrap();
        let komi = engine.record().komi;
        let score = engine.rules();
        assert!(
            score.ends_with(&format!("komi{}", komi.unwrap())),
            "{score}"
        );
        komi.unwrap().points()
    };
    assert_eq!(loaded("RU[Japanese]"), 6.5);
    assert_eq!(loaded("KM[0.5]"), 0.5);
    assert_eq!(loaded(""), 0.5, "the rules and the komi stay");
    assert_eq!(loaded("RU[NZ]"), 7.0);
    assert_eq!(loaded("RU[Chinese]"), 7.5);
}

#[test]
fn what_a_record_says_is_kept() {
    let text =
        "(;GM[1]FF[4]SZ[5]RU[Chinese]KM[0.5]HA[2]PB[one]PW[other]DT[2026-11-25]C[why];B[bb])";
    let mut engine = engine(&[("size", "5")]);
    engine.load(&sgf::read(text).unwrap()).unwrap();
    assert_eq!(engine.record().handicap, 2, "the second is yet to come");
    let resigned = text.replace("HA[2]", "RE[W+Resign]");
    engine.load(&sgf::read(&resigned).unwrap()).unwrap();
    assert_eq!(engine.resigned(), Some(Color::Black));
    assert_eq!(engine.record().result, "W+R");
    assert_eq!(engine.outcome(), Some(Outcome::win(Color::White)));
    play(&mut *engine, "c3").unwrap();
    assert_eq!((engine.outcome(), engine.resigned()), (None, None));
    engine.load(&sgf::read(text).unwrap()).unwrap();
    engine.clear();
    assert_eq!(engine.record().handicap, 0);
}
