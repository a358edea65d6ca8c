//! End-to-end tests of Go: the engine's game, its rules, by playouts and by a network.

mod resigning;
mod saving;

use std::sync::Arc;

use crate::clock::{Clock, FakeClock};
use crate::engine::{
    Decision, Engine, EngineError, EngineOptions, MoveKind, MoveRequest, RulesError,
};
use crate::game::{
    BoardSize, Color, HalfPoints, Illegal, LONGEST_GAME, Move, Outcome, PointStatus,
};
use crate::record::{Play, Vertex};
use crate::registry;
use crate::search::StopFlag;

/// An engine that plays to the end, unless `settings` override that.
fn engine(settings: &[(&str, &str)]) -> Box<dyn Engine> {
    let mut options = EngineOptions::of("go").unwrap();
    let usual = [("visits", "60"), ("seed", "1"), ("resign-below", "off")];
    for (name, value) in usual.iter().chain(settings) {
        options.set(name, value).unwrap();
    }
    let time: Arc<dyn Clock> = Arc::new(FakeClock::new());
    registry::create(&options, options.board(), &time).unwrap()
}

/// A point of a board five columns wide, or a pass.
fn vertex(name: &str) -> Vertex {
    match name.as_bytes() {
        [column, row] => Vertex::Point(Move(u16::from(row - b'1') * 5 + u16::from(column - b'a'))),
        _ => Vertex::Pass,
    }
}

/// Plays for both sides in turn.
fn play(engine: &mut dyn Engine, moves: &str) -> Result<(), EngineError> {
    let mut moves = moves.split(' ').map(vertex);
    moves.try_for_each(|vertex| {
        let color = engine.to_move();
        engine.play(Play { color, vertex })
    })
}

#[test]
fn it_plays_by_playouts_until_both_pass() {
    plays_until_both_pass(engine(&[("size", "5")]));
}

/// A network of random weights on five by five points, in its own file.
#[cfg(feature = "tract")]
fn network() -> String {
    use crate::encode::Encode;
    use crate::games::go::SmallGo;
    use tengen_nn::eval::testnet::{SMALL, Shape};

    let encoding = SmallGo::encodings().last().unwrap();
    let shape = Shape {
        size: BoardSize::square(5),
        planes: encoding.planes(),
        encoding: encoding.id(),
        game: "go",
        passes: true,
        ..SMALL
    };
    let name = format!("tengen-go-{}.onnx", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, shape.onnx(7)).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
#[cfg(feature = "tract")]
fn it_plays_by_a_network_until_both_pass_under_any_rules() {
    let path = network();
    for rules in ["chinese-kgs", "tromp-taylor", "aga", "japanese"] {
        let network = [("model", &*path), ("backend", "tract")];
        let settings = [&network[..], &[("size", "5"), ("rules", rules)]].concat();
        let engine = engine(&settings);
        let said = plays_until_both_pass(engine);
        assert!(said.iter().any(|line| line.contains(&path)), "{said:?}");
        assert!(
            !said.iter().any(|line| line.contains("playouts")),
            "{said:?}"
        );
    }
    let _ = std::fs::remove_file(path);
}

/// Returns the chosen moves.
fn plays_until_both_pass(mut engine: Box<dyn Engine>) -> Vec<String> {
    let stop = StopFlag::new();
    for _ in 0..400 {
        if engine.outcome().is_some() {
            break;
        }
        let color = engine.to_move();
        assert!(matches!(
            engine.genmove(&MoveRequest::new(color, &stop), &mut |_| {}),
            Decision::Play(_)
        ));
    }
    let outcome = engine.outcome().expect("an end");
    assert!(outcome.margin.is_some(), "{outcome:?}");
    let record = engine.record();
    let last: Vec<Vertex> = record
        .plays
        .iter()
        .rev()
        .take(2)
        .map(|at| at.play.vertex)
        .collect();
    assert_eq!(last, [Vertex::Pass; 2]);
    assert!(record.result.contains('+'), "{}", record.result);
    // Asked again it answers the same, won or lost; a client counts these passes, and takes them
    // back.
    for color in Color::BOTH {
        assert_eq!(
            engine.genmove(&MoveRequest::new(color, &stop), &mut |_| {}),
            Decision::Play(Vertex::Pass)
        );
    }
    assert_eq!(engine.record().plays.len(), record.plays.len() + 2);
    assert_eq!(engine.outcome(), Some(outcome));
    assert!(engine.legal_moves(Color::Black).is_empty());
    for _ in Color::BOTH {
        engine.undo().expect("a pass was played");
    }
    assert_eq!(engine.record(), record);
    engine.thinker_log()
}

/// Black sends two with a1, White takes both with c1, and Black's b1 would repeat the board, with
/// White to move.
const SENDING: &str = "c2 a2 d1 b2 b1 e5 a1 c1";

#[test]
fn a_superko_is_illegal_for_everybody() {
    let mut engine = engine(&[("size", "5"), ("rules", "chinese-kgs")]);
    play(&mut *engine, SENDING).unwrap();
    let superko = Err(EngineError::IllegalMove(Illegal::Superko));
    assert_eq!(play(&mut *engine, "b1"), superko);
    let point = vertex("b1");
    assert!(
        !engine
            .legal_moves(Color::Black)
            .iter()
            .any(|&mv| Vertex::Point(mv) == point)
    );
    let stop = StopFlag::new();
    for _ in 0..5 {
        assert_ne!(
            engine.genmove(&MoveRequest::new(Color::Black, &stop), &mut |_| {}),
            Decision::Play(point)
        );
        engine.undo().unwrap();
    }
    // Simple ko permits it, and superko does not take such a game over.
    engine.set_rules("chinese").unwrap();
    assert!(engine.rules_json().unwrap().contains("SIMPLE"));
    play(&mut *engine, "b1").unwrap();
    assert_eq!(engine.set_rules("chinese-kgs"), Err(RulesError::Broken));
    assert!(engine.rules_json().unwrap().contains("SIMPLE"));
    let error = engine.set_rules("stone-scoring").unwrap_err().to_string();
    assert!(error.contains("stone-scoring"), "{error}");
    engine.undo().unwrap();
    engine.set_rules("aga").unwrap();
    play(&mut *engine, "b1 pass").unwrap();
    let again = play(&mut *engine, "a1");
    assert!(
        matches!(again, Err(EngineError::IllegalMove(_))),
        "and not again"
    );
}

#[test]
fn komi_counts_in_the_middle_of_a_game_and_players_may_go_on() {
    let mut engine = engine(&[("size", "5")]);
    play(&mut *engine, "c3 pass pass").unwrap();
    let black = |engine: &dyn Engine| engine.outcome().map(|outcome: Outcome| outcome.winner);
    assert_eq!(black(&*engine), Some(Some(Color::Black)));
    engine.set_komi(HalfPoints(50));
    assert_eq!(black(&*engine), Some(None), "a draw");
    engine.set_komi(HalfPoints(51));
    assert_eq!(black(&*engine), Some(Some(Color::White)));
    // They do not agree that White has no territory.
    play(&mut *engine, "d2").unwrap();
    assert_eq!(black(&*engine), None);
    play(&mut *engine, "pass pass").unwrap();
    assert!(engine.outcome().is_some());
    engine.undo().unwrap();
    assert!(engine.outcome().is_none());
}

#[test]
fn passes_do_not_make_a_game_without_end() {
    let mut engine = engine(&[("size", "5")]);
    let refused = play(&mut *engine, &"pass ".repeat(LONGEST_GAME));
    assert_eq!(refused, Err(EngineError::IllegalMove(Illegal::TooLong)));
    let mut record = engine.record();
    assert_eq!(record.plays.len(), LONGEST_GAME);
    record.push(record.plays[0].play);
    let (number, why) = (LONGEST_GAME + 1, Illegal::TooLong);
    let refused = Err(EngineError::IllegalRecord { number, why });
    assert_eq!(engine.load(&record), refused);
}

#[test]
fn it_takes_the_win_that_is_offered() {
    let mut engine = engine(&[("size", "5")]);
    play(&mut *engine, "c3 pass").unwrap();
    assert_eq!(
        engine.genmove(
            &MoveRequest::new(Color::Black, &StopFlag::new()),
            &mut |_| {}
        ),
        Decision::Play(Vertex::Pass)
    );
    assert_eq!(engine.size(), BoardSize::square(5));
}

/// Solid walls, and a dead white stone in Black's area: Black leads by a point.
const WALLS: &str = "b1 d1 b2 d2 b3 d3 b4 d4 b5 d5 c1 c4 c2 c5 c3 a3";

#[test]
fn dead_stones_are_agreed_on_where_the_rules_have_it() {
    let stop = StopFlag::new();
    for (rules, black_wins) in [("chinese", true), ("tromp-taylor", false)] {
        let mut engine = engine(&[("size", "5"), ("rules", rules)]);
        engine.set_komi(HalfPoints(1));
        play(&mut *engine, WALLS).unwrap();
        let settled = engine.settle(&stop).unwrap().unwrap();
        let dead: Vec<Move> = settled.points(PointStatus::Dead).collect();
        assert_eq!(dead.len(), 1, "under {rules}: {:?}", settled.statuses);
        assert_eq!(Vertex::Point(dead[0]), vertex("a3"));
        assert_eq!(settled.outcome().winner, Some(Color::Black));
        for wrong in [vec![0.0; 24], vec![f32::NAN; 25], vec![500.0; 25]] {
            assert_eq!(engine.settle_as(wrong), None);
        }
        // With all stones counted as alive White leads: it passes only if that counts, Black if it
        // does not.
        play(&mut *engine, "pass").unwrap();
        assert_eq!(engine.agrees_on_dead(), black_wins);
        assert_eq!(
            engine.genmove(&MoveRequest::new(Color::White, &stop), &mut |_| {}),
            Decision::Play(Vertex::Pass),
            "won, or lost and over, under {rules}"
        );
    }
}

#[test]
fn a_drawn_game_is_over_too() {
    let stop = StopFlag::new();
    for rules in ["chinese", "japanese"] {
        let mut engine = engine(&[("size", "5"), ("rules", rules)]);
        engine.set_komi(HalfPoints(2));
        play(&mut *engine, WALLS).unwrap();
        let settled = engine.settle(&stop).unwrap().unwrap();
        assert_eq!(settled.black_ahead, HalfPoints(0), "{rules}");
        play(&mut *engine, "pass").unwrap();
        let request = MoveRequest::new(Color::White, &stop);
        let decision = engine.genmove(&request, &mut |_| {});
        assert_eq!(decision, Decision::Play(Vertex::Pass), "under {rules}");
    }
}

#[test]
fn nobody_passes_first_while_dead_stones_count_against_him() {
    let stop = StopFlag::new();
    let mut engine = engine(&[("size", "5"), ("rules", "tromp-taylor"), ("visits", "500")]);
    engine.set_komi(HalfPoints(1));
    play(&mut *engine, WALLS).unwrap();
    for _ in 0..20 {
        if engine.genmove(&MoveRequest::new(Color::Black, &stop), &mut |_| {})
            == Decision::Play(Vertex::Pass)
        {
            break;
        }
        play(&mut *engine, "pass").unwrap();
    }
    assert_eq!(engine.stone(Move(10)), None, "it is taken");
}

/// Komi has decided the game; the five points between the walls are still worth points.
#[test]
fn nobody_passes_first_while_borders_are_open() {
    let stop = StopFlag::new();
    let mut engine = engine(&[("size", "5"), ("rules", "chinese"), ("visits", "300")]);
    engine.set_komi(HalfPoints(-41));
    play(&mut *engine, "b1 d1 b2 d2 b3 d3 b4 d4 b5 d5").unwrap();
    for _ in 0..5 {
        let color = engine.to_move();
        let decision = engine.genmove(&MoveRequest::new(color, &stop), &mut |_| {});
        assert_ne!(
            decision,
            Decision::Play(Vertex::Pass),
            "{:?}",
            engine.record()
        );
    }
    let color = engine.to_move();
    let decision = engine.genmove(&MoveRequest::new(color, &stop), &mut |_| {});
    assert_eq!(
        decision,
        Decision::Play(Vertex::Pass),
        "{:?}",
        engine.record()
    );
}

/// 5x5 is solved: the centre wins all 25 points (van der Werf et al. 2003, docs/methods.md#go).
/// With 24.5 points for White, Black has to keep White from having any.
#[test]
fn on_5x5_the_centre_wins_the_whole_board() {
    for seed in ["1", "2"] {
        let rules = ("rules", "tromp-taylor");
        let settings = [("size", "5"), rules, ("visits", "3000"), ("seed", seed)];
        let mut engine = engine(&settings);
        engine.set_komi(HalfPoints(49));
        play(&mut *engine, "c3").unwrap();
        let stop = StopFlag::new();
        while engine.outcome().is_none() {
            let color = engine.to_move();
            let decision = engine.genmove(&MoveRequest::new(color, &stop), &mut |_| {});
            assert!(
                matches!(decision, Decision::Play(_)),
                "{:?}",
                engine.record()
            );
            assert!(engine.record().plays.len() < 200, "{:?}", engine.record());
        }
        let result = engine.record().result;
        assert_eq!(result, "B+0.5", "{:?}", engine.record());
    }
}

#[test]
fn cleaning_up_goes_on_until_nothing_is_dead() {
    let stop = StopFlag::new();
    let mut engine = engine(&[("size", "5"), ("rules", "chinese")]);
    engine.set_komi(HalfPoints(1));
    play(&mut *engine, WALLS).unwrap();
    play(&mut *engine, "pass pass").unwrap();
    let mut moves = 0;
    while engine.genmove(
        &MoveRequest::new(Color::Black, &stop).of_kind(MoveKind::Cleanup),
        &mut |_| {},
    ) != Decision::Play(Vertex::Pass)
    {
        play(&mut *engine, "pass").unwrap();
        moves += 1;
        assert!(moves < 5, "{:?}", engine.record());
    }
    assert_eq!((moves, engine.stone(Move(10))), (2, None));
    let settled = engine.settle(&stop).unwrap().unwrap();
    assert_eq!(settled.points(PointStatus::Dead).count(), 0);
}
