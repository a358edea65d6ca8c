//! Tests of one refereed game, with players that follow a script instead of engines.

use std::time::Duration;

use super::*;
use crate::game::BoardSize;
use crate::games::nogo::SmallNoGo;
use crate::referee::player::{Reply, read_vertex};
use crate::referee::referee_clock::AnnouncedTime;

/// Plays its vertices in order, each after `took`, and is `busy` before; then fails.
struct Script {
    vertices: Vec<&'static str>,
    took: Duration,
    busy: Duration,
    /// What it was told, as text.
    heard: Vec<String>,
}

impl Script {
    fn new(vertices: &str, took_ms: u64) -> Script {
        let vertices = vertices
            .split_whitespace()
            .map(|word| &*word.to_owned().leak());
        Script {
            vertices: vertices.collect(),
            took: Duration::from_millis(took_ms),
            busy: Duration::ZERO,
            heard: Vec::new(),
        }
    }
}

impl EnginePlayer for Script {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.heard.push(format!("start {}", setup.opening.len()));
        Ok(())
    }

    fn play(&mut self, color: Color, mv: Move) -> Result<(), Fault> {
        let vertex = format_move(mv, SIZE);
        self.heard.push(format!("{color} {vertex}"));
        Ok(())
    }

    fn busy(&mut self) -> Duration {
        self.busy
    }

    fn choose(
        &mut self,
        _color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        if let Some(left) = left {
            self.heard.push(format!("left {}", left.time.as_millis()));
        }
        if self.vertices.is_empty() {
            return Err(Fault::Hung {
                command: "genmove".to_owned(),
                limit,
                said: None,
            });
        }
        let choice = match self.vertices.remove(0) {
            "resign" => PlayerMove::Resign,
            word => match read_vertex(SIZE, word) {
                Some(mv) => PlayerMove::Move(mv),
                None => PlayerMove::Nonsense(word.to_owned()),
            },
        };
        Ok(Reply {
            choice,
            took: self.took,
            report: Some("visits 7 value 0.5".to_owned()),
        })
    }
}

const SIZE: BoardSize = BoardSize::new(4, 1);

fn terms() -> GameTerms {
    GameTerms {
        time: MatchTimeControl::None,
        margin: Duration::ZERO,
        move_limit: Duration::from_secs(1),
        max_moves: 20,
        conditions: ClockSimulation::default(),
    }
}

const ONE_SECOND: MatchTimeControl = MatchTimeControl::Absolute {
    main: Duration::from_secs(1),
    increment: Duration::ZERO,
    most_move: None,
};

/// Plays on a board of one row of four points.
fn play(
    black: &mut dyn EnginePlayer,
    white: &mut dyn EnginePlayer,
    opening: &[Move],
    terms: &GameTerms,
) -> GameEnd {
    let start = SmallNoGo::new(SIZE).unwrap();
    let game = ScheduledGame {
        number: 0,
        opening,
        players: [black, white],
        terms: *terms,
        live: None,
        stop: &AtomicBool::new(false),
    };
    play_game(&start, game).unwrap()
}

/// Winner, reason and number of moves of a game between two scripts.
#[track_caller]
fn check(black: &str, white: &str, terms: &GameTerms, winner: Color, reason: Reason) -> GameEnd {
    let (mut black, mut white) = (Script::new(black, 400), Script::new(white, 400));
    let end = play(&mut black, &mut white, &[], terms);
    assert_eq!(
        (end.outcome, end.reason),
        (Outcome::win(winner), reason),
        "{end:?}"
    );
    end
}

#[test]
fn the_side_without_a_legal_move_loses() {
    // A1, then D1: B1 leaves A1-B1 the liberty C1; White's C1 would capture it, so White has no
    // move.
    let end = check("A1 B1", "D1", &terms(), Color::Black, Reason::Rules);
    assert_eq!(end.moves.len(), 3);
    assert_eq!(end.moves[0].visits(), Some(7));
    assert_eq!(end.usable, [true; 2]);
}

#[test]
fn every_bad_answer_loses() {
    check(
        "A1 resign",
        "D1",
        &terms(),
        Color::White,
        Reason::Resignation,
    );
    check("A1", "A1", &terms(), Color::Black, Reason::IllegalMove);
    check("PASS", "", &terms(), Color::White, Reason::IllegalMove);
    check("A1", "Q7", &terms(), Color::Black, Reason::Malformed);
    let end = check("A1", "", &terms(), Color::Black, Reason::Hang);
    assert_eq!(end.usable, [true, false]);
}

#[test]
fn the_clock_is_enforced_by_the_referees_measure() {
    let clocked = GameTerms {
        time: ONE_SECOND,
        ..terms()
    };
    check("A1 B1", "D1", &clocked, Color::Black, Reason::Rules);
    let mut slow = Script::new("A1 B1", 600);
    let end = play(&mut slow, &mut Script::new("D1", 0), &[], &clocked);
    assert_eq!(
        (end.outcome, end.reason),
        (Outcome::win(Color::White), Reason::Time)
    );
    assert_eq!(slow.heard[1..], ["left 1000", "white D1", "left 400"]);
    assert_eq!(end.detail.as_deref(), Some("0.200 s over"));
    assert_eq!(end.moves.len(), 3, "the late move is one");
    // Another 200 ms are within this margin.
    let forgiving = GameTerms {
        margin: Duration::from_millis(200),
        ..clocked
    };
    let end = play(
        &mut Script::new("A1 B1", 600),
        &mut Script::new("D1", 0),
        &[],
        &forgiving,
    );
    assert_eq!(end.reason, Reason::Rules);
    assert_eq!(end.left, Some([Duration::ZERO, Duration::from_secs(1)]));
    // An engine that never answers has lost on time, in any case, once the margin and the limit are over, too.
    let end = check("A1", "", &forgiving, Color::Black, Reason::Time);
    assert!(
        end.detail
            .is_some_and(|detail| detail.ends_with("within 2.2s"))
    );
}

#[test]
fn what_an_engine_does_between_its_moves_takes_time_and_no_visits() {
    let clocked = GameTerms {
        time: ONE_SECOND,
        ..terms()
    };
    let told = |terms| {
        let mut busy = Script {
            busy: Duration::from_millis(300),
            ..Script::new("A1 B1", 200)
        };
        let end = play(&mut busy, &mut Script::new("D1", 0), &[], terms);
        assert_eq!(end.reason, Reason::Rules);
        busy.heard[1..].join(", ")
    };
    assert_eq!(told(&clocked), "left 700, white D1, left 200");
    let mut visits = clocked;
    visits.conditions.visits_per_second = Some(1000.0);
    assert_eq!(told(&visits), "left 1000, white D1, left 993");
    // Its clock says nothing of real time.
    let end = check("A1", "", &visits, Color::Black, Reason::Hang);
    assert!(
        end.detail
            .is_some_and(|detail| detail.ends_with("within 1s"))
    );
}

/// Chooses a move and never answers when told one.
struct Deaf(Script);

impl EnginePlayer for Deaf {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.0.start(setup)
    }

    fn play(&mut self, _color: Color, _mv: Move) -> Result<(), Fault> {
        Err(Fault::Hung {
            command: "play".to_owned(),
            limit: Duration::from_secs(1),
            said: None,
        })
    }

    fn choose(
        &mut self,
        color: Color,
        left: Option<AnnouncedTime>,
        limit: Duration,
    ) -> Result<Reply, Fault> {
        self.0.choose(color, left, limit)
    }
}

#[test]
fn a_hang_outside_its_thinking_is_no_loss_on_time() {
    let clocked = GameTerms {
        time: ONE_SECOND,
        ..terms()
    };
    let mut deaf = Deaf(Script::new("D1", 0));
    let end = play(&mut Script::new("A1", 0), &mut deaf, &[], &clocked);
    assert_eq!(
        (end.outcome, end.reason),
        (Outcome::win(Color::Black), Reason::Hang)
    );
}

#[test]
fn openings_are_set_up_for_both_players() {
    let opening = [SIZE.point(0, 0), SIZE.point(3, 0)];
    let (mut black, mut white) = (Script::new("B1", 0), Script::new("", 0));
    let end = play(&mut black, &mut white, &opening, &terms());
    assert_eq!(
        (end.outcome, end.moves.len()),
        (Outcome::win(Color::Black), 1)
    );
    assert_eq!(
        (black.heard, white.heard),
        (vec!["start 2".to_owned()], vec!["start 2".to_owned()])
    );
}

#[test]
fn a_long_game_is_a_draw_and_a_stopped_one_is_nothing() {
    let short = GameTerms {
        max_moves: 1,
        ..terms()
    };
    let end = play(
        &mut Script::new("A1", 0),
        &mut Script::new("", 0),
        &[],
        &short,
    );
    assert_eq!((end.outcome, end.reason), (Outcome::DRAW, Reason::MaxMoves));
    let start = SmallNoGo::new(SIZE).unwrap();
    let stopped = ScheduledGame {
        number: 0,
        opening: &[],
        players: [&mut Script::new("A1", 0), &mut Script::new("", 0)],
        terms: terms(),
        live: None,
        stop: &AtomicBool::new(true),
    };
    assert_eq!(play_game(&start, stopped), None);
}
