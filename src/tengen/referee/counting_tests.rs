//! Scoring of finished games, with scripted players.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::super::game::{GameTerms, ScheduledGame, play_game};
use super::super::player::{GameSetup, PlayerMove, Reply, read_vertex};
use super::super::{AnnouncedTime, ClockSimulation, MatchTimeControl};
use super::*;
use crate::game::BoardSize;
use crate::games::go::SmallGo;

const SIZE: BoardSize = BoardSize::square(5);

/// Passes until it is asked to clean up; then plays its vertices.
#[derive(Default)]
struct Passes {
    dead: Option<&'static str>,
    /// Does not answer when asked for dead stones, and answers the next question late.
    hangs: bool,
    cleans: Vec<&'static str>,
    /// Whether it can undo a move.
    takes_back: bool,
    size: Option<BoardSize>,
    komi: Option<String>,
    /// Moves of the other side and own passes that it was told.
    told: Vec<String>,
}

fn moves(names: &str) -> Vec<Move> {
    let names = names.split_whitespace();
    names.map(|name| read_vertex(SIZE, name).unwrap()).collect()
}

impl EnginePlayer for Passes {
    fn start(&mut self, setup: &GameSetup<'_>) -> Result<(), Fault> {
        self.size = Some(setup.size);
        self.komi = setup.komi.map(|komi| komi.to_string());
        assert!(setup.rules.as_ref().unwrap().contains("\"ko\":\"SIMPLE\""));
        Ok(())
    }

    fn play(&mut self, _: Color, mv: Move) -> Result<(), Fault> {
        self.told.push(format_move(mv, SIZE));
        Ok(())
    }

    fn choose(&mut self, _: Color, _: Option<AnnouncedTime>, _: Duration) -> Result<Reply, Fault> {
        Ok(Reply {
            choice: PlayerMove::Move(self.size.unwrap().pass()),
            took: Duration::ZERO,
            report: None,
        })
    }

    fn clean_up(&mut self, color: Color, limit: Duration) -> Result<Reply, Fault> {
        let mut reply = self.choose(color, None, limit)?;
        if self.cleans.is_empty() {
            return Ok(reply);
        }
        reply.choice = match self.cleans.remove(0) {
            "resign" => PlayerMove::Resign,
            "crash" => {
                return Err(Fault::Crashed("closed its output".to_owned()));
            }
            name => PlayerMove::Move(read_vertex(SIZE, name).unwrap()),
        };
        Ok(reply)
    }

    fn pass_instead(&mut self, _: Color) -> Result<bool, Fault> {
        self.told.push("pass instead".to_owned());
        Ok(self.takes_back)
    }

    fn dead(&mut self) -> Result<Option<Vec<Move>>, Fault> {
        if self.hangs {
            return Err(Fault::Hung {
                command: "final_status_list dead".to_owned(),
                limit: Duration::from_secs(1),
                said: None,
            });
        }
        Ok(self.dead.map(moves))
    }

    fn final_score(&mut self) -> Result<Option<String>, Fault> {
        assert!(!self.hangs, "it may answer the question before");
        Ok(self.dead.map(|_| "B+0.5".to_owned()))
    }
}

/// Black is ahead by half a point once White's stone on a3 is removed, behind before; the same
/// under Japanese rules, where the stone is a prisoner.
const WALLS: &str = "b1 d1 b2 d2 b3 d3 b4 d4 b5 d5 c1 c4 c2 c5 c3 a3";

fn passes(dead: Option<&'static str>, cleans: &'static str) -> Passes {
    Passes {
        dead,
        cleans: cleans.split_whitespace().collect(),
        ..Passes::default()
    }
}

/// A game that begins with these moves.
fn played(start: &SmallGo, opening: &[Move], [black, white]: &mut [Passes; 2]) -> GameEnd {
    let terms = GameTerms {
        time: MatchTimeControl::None,
        margin: Duration::ZERO,
        move_limit: Duration::from_secs(1),
        max_moves: 24,
        conditions: ClockSimulation::default(),
    };
    let game = ScheduledGame {
        number: 0,
        opening,
        players: [black, white],
        terms,
        live: None,
        stop: &AtomicBool::new(false),
    };
    play_game(start, game).unwrap()
}

/// A game of these moves and two passes, scored.
#[track_caller]
fn counted(rules: &str, opening: &str, players: &mut [Passes; 2]) -> (GameEnd, Count) {
    let start: SmallGo = crate::games::begin(SIZE, rules).unwrap();
    let end = played(&start, &moves(opening), players);
    assert_eq!(end.reason, Reason::Rules);
    assert_eq!(
        end.moves.len(),
        2,
        "what is played on is no part of the game"
    );
    let count = end.count.clone().unwrap();
    (end, count)
}

#[track_caller]
fn check(dead: [Option<&'static str>; 2], cleans: [&'static str; 2], expected: (&str, CountBasis)) {
    for rules in ["chinese komi0.5", "japanese komi0.5"] {
        let mut players = [0, 1].map(|at| passes(dead[at], cleans[at]));
        let (_, count) = counted(rules, WALLS, &mut players);
        let alive = expected.0 == "alive";
        let result = if alive { "W+5.5" } else { expected.0 };
        assert_eq!((&*count.result, count.how), (result, expected.1), "{rules}");
        assert_eq!(count.dead.is_empty(), alive, "{rules}: {count:?}");
        assert_eq!(players[1].komi.as_deref(), Some("0.5"));
    }
}

#[test]
fn dead_stones_come_off_where_the_engines_agree() {
    check(
        [Some("A3"), Some("a3")],
        ["", ""],
        ("B+0.5", CountBasis::Agreed),
    );
    // White gives its stone up.
    check([None, Some("A3")], ["", ""], ("B+0.5", CountBasis::OneSays));
    check([None, None], ["", ""], ("alive", CountBasis::AsItStands));
    let mut players = [passes(Some("a3"), ""), passes(Some("a3"), "")];
    let (end, count) = counted("chinese komi0.5", WALLS, &mut players);
    assert_eq!(end.outcome.winner, Some(Color::Black));
    assert!(!count.contradicts(Color::Black));
    // GNU Go's format, and other results.
    for (said, other) in [
        ("B+0.50", false),
        ("B+1.5", true),
        ("W+0.5", true),
        ("B+R", true),
    ] {
        let said = Count {
            said: [Some(said.to_owned()), None],
            ..count.clone()
        };
        assert_eq!(said.contradicts(Color::Black), other, "{said:?}");
    }
}

/// Proving that a stone is dead takes two stones in Black's own territory, which cost nothing.
#[test]
fn who_denies_that_a_stone_is_dead_gains_nothing_by_it() {
    let taken = ("B+0.5", CountBasis::PlayedOn);
    check([Some("A3"), Some("")], ["a2 a4", ""], taken);
    check([Some("A3"), Some("")], ["a2 a4", "pass resign"], taken);
    // Black relies on its own claim, and has not proven it.
    let alive = ("alive", CountBasis::PlayedOn);
    check([Some("A3"), Some("")], ["", ""], alive);
    // White makes it live: two stones stay in Black's corner to the end.
    check([Some("A3"), Some("")], ["pass", "a4 a5 a2"], alive);
    let mut players = [passes(Some("A3"), ""), passes(Some(""), "")];
    let (_, count) = counted("chinese komi0.5", WALLS, &mut players);
    assert!(count.contradicts(Color::Black), "{count:?}");
}

#[test]
fn the_side_that_has_to_take_stones_begins() {
    // White has passed last, so it would be Black's turn.
    let mut players = [passes(Some("a3"), "a2 a4"), passes(Some(""), "")];
    let (_, count) = counted("japanese komi0.5", WALLS, &mut players);
    let played = count.playing_on.unwrap();
    assert_eq!(played.about, ["A3"]);
    assert_eq!(played.moves[..3], ["black A2", "white pass", "black A4"]);
    let one_more = format!("{WALLS} e1");
    let mut players = [passes(Some("a3"), "a2 a4"), passes(Some(""), "")];
    let (_, count) = counted("japanese komi0.5", &one_more, &mut players);
    assert_eq!(count.playing_on.unwrap().moves[0], "black A2");
}

#[test]
fn who_breaks_off_playing_on_has_not_shown_anything() {
    let crashes = |dead, cleans| passes(Some(dead), cleans);
    // White denies and crashes; Black's claim stands.
    let mut players = [crashes("a3", "a2"), crashes("", "crash")];
    let (end, count) = counted("japanese komi0.5", WALLS, &mut players);
    assert_eq!((&*count.result, end.usable), ("B+0.5", [true, false]));
    assert!(
        end.faults[1]
            .as_ref()
            .unwrap()
            .contains("closed its output")
    );
    // Black claims and plays what is illegal; White's stone stays.
    let mut players = [crashes("a3", "b1"), crashes("", "")];
    let (end, count) = counted("japanese komi0.5", WALLS, &mut players);
    assert_eq!((&*count.result, end.usable), ("W+5.5", [true, true]));
    let fault = end.faults[0].as_ref().unwrap();
    assert_eq!(
        fault,
        "played B1, which is illegal when it played on about dead stones"
    );
}

/// Black takes c1 by b1, and White may take back.
const KO: &str = "c2 a1 d1 b2 d3 c1";

#[test]
fn under_territory_rules_a_ko_is_taken_back_after_a_pass_only() {
    let said = |dead, cleans, takes_back| Passes {
        takes_back,
        ..passes(Some(dead), cleans)
    };
    let play = |rules: &str, takes_back| {
        let mut players = [said("c1", "b1 e5", false), said("", "e3 c1", takes_back)];
        let (_, count) = counted(rules, KO, &mut players);
        (count.playing_on.unwrap(), players)
    };
    // e3 is a ko threat that Black answers; then White takes back.
    let (played, _) = play("chinese komi0.5", true);
    assert_eq!(played.moves[3], "white C1");
    let (played, [black, white]) = play("japanese komi0.5", true);
    assert_eq!(
        played.moves[..4],
        ["black B1", "white E3", "black E5", "white pass"]
    );
    assert_eq!(white.told.last().unwrap(), "pass");
    assert!(white.told.contains(&"pass instead".to_owned()));
    assert!(!black.told.contains(&"C1".to_owned()));
    let (played, _) = play("japanese komi0.5", false);
    let ended = played.ended_by.unwrap();
    assert_eq!(ended, "white took back the ko at C1 without passing for it");
}

/// The inner groups share e1 and e2, and White's has an eye; the outer ones have two eyes each.
#[test]
fn seki_is_taxed_where_the_rules_say_so() {
    use crate::games::go::diagram::diagram;
    let rows = "XXXXXOOOO X.X.XO.O. XXXXXOOOO XOOOOXXXO XO.O.XXXO XOOO.XXXO";
    let result = |rules| {
        let position = diagram(rows, rules, Color::Black);
        let mut players = [passes(Some(""), ""), passes(Some(""), "")];
        let end = played(&position, &[], &mut players);
        end.count.unwrap().result
    };
    // Two points each, and none for White's eye on c2.
    assert_eq!(result("japanese komi0.5"), "W+0.5");
    assert_eq!(
        result("koSIMPLEscoreTERRITORYtaxSEKIsui0fpok0komi0.5"),
        "W+0.5"
    );
    assert_eq!(result("chinese komi0.5"), "B+1.5");
}

#[test]
fn what_is_certain_needs_no_playing_on() {
    // Black's two eyes hold the first two lines; White's stone in the right one is dead.
    let opening = "a2 a4 b2 b4 c2 c4 d2 d4 e2 e4 b1 d1";
    let mut players = [passes(Some("d1"), ""), passes(Some(""), "")];
    let (_, count) = counted("japanese komi0.5", opening, &mut players);
    assert_eq!(
        (count.how, &*count.dead),
        (CountBasis::Certain, &["D1".to_owned()][..])
    );
    assert_eq!(count.playing_on, None);
}

/// Black alone has stones, with three eyes, and White calls all of them dead.
#[test]
fn no_engine_is_believed_against_the_board() {
    let living = "a2 pass b2 pass c2 pass d2 pass e2 pass b1 pass d1";
    for named in [
        [None, Some("a2 b1 d1")],
        [Some(""), Some("a2 b1 d1")],
        [Some("a2 b1 d1"), Some("a2 b1 d1")],
    ] {
        let mut players = named.map(|dead| passes(dead, ""));
        let (_, count) = counted("chinese komi0.5whb0", living, &mut players);
        assert_eq!((&*count.result, count.dead.len()), ("B+24.5", 0));
        assert_eq!(count.playing_on, None);
    }
}

/// What is not certain is played on where the other engine cannot say what is dead.
#[test]
fn one_engine_alone_has_to_prove_its_claim() {
    let taken = ("B+0.5", CountBasis::PlayedOn);
    check([Some("A3"), None], ["a2 a4", ""], taken);
    check(
        [Some("A3"), None],
        ["", ""],
        ("alive", CountBasis::PlayedOn),
    );
}

#[test]
fn an_engine_that_fails_when_it_is_asked_is_named_and_asked_nothing_more() {
    let hangs = Passes {
        hangs: true,
        ..Passes::default()
    };
    let mut players = [passes(Some("A3"), ""), hangs];
    let (end, count) = counted("chinese komi0.5", WALLS, &mut players);
    assert_eq!((&*count.result, count.how), ("B+0.5", CountBasis::OneSays));
    assert_eq!(end.usable, [true, false], "it is restarted");
    let [none, fault] = &end.faults;
    assert_eq!(none, &None);
    assert_eq!(
        fault.as_deref(),
        Some("did not answer `final_status_list dead` within 1s")
    );
}
