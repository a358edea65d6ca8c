//! Points, komi and handicap.

use super::*;
use crate::game::{Bounds, Proof};

/// Black owns the left half with a dead stone in it, White the right half.
const HALVES: &str = ".X.O. .X.O. OX.O. .X.O. .X.O.";

#[test]
fn area_and_territory_are_counted_as_their_rules_say() {
    let dead = |position: &SmallGo| Agreed {
        dead: [at(position, "a3")].into_iter().collect(),
        ..Agreed::ALL_ALIVE
    };
    let score = |rules: &str, agreed: &dyn Fn(&SmallGo) -> Agreed<2>| {
        let position = diagram(HALVES, rules, Color::Black);
        position.score(&agreed(&position)).0
    };
    // Without agreement the stone makes all four points beside it neutral.
    let alive = |_: &SmallGo| Agreed::ALL_ALIVE;
    assert_eq!(score("chinese komi0", &alive), 2 * (5 - 5 - 5 - 1));
    assert_eq!(score("chinese komi0", &dead), 0);
    assert_eq!(score("chinese komi7.5", &dead), -15);
    // The same except for the prisoner.
    assert_eq!(score("japanese komi0", &dead), 2);
    assert_eq!(score("japanese komi0.5", &dead), 1);
    // Points surrounded by stones in seki are not territory.
    let seki = |position: &SmallGo| Agreed {
        seki: position.chain(at(position, "d1")),
        ..dead(position)
    };
    assert_eq!(score("japanese komi0", &seki), 2 * 6);
    assert_eq!(score("chinese komi0", &seki), 0);
}

#[test]
fn two_passes_end_the_game_with_all_stones_alive_and_a_whole_komi_may_draw() {
    let mut game = Played::from(diagram("X.O X.O X.O", "chinese komi0", Color::Black));
    game.play("pass");
    assert_eq!(game.position.outcome(), None);
    game.play("pass");
    let outcome = game.position.outcome();
    assert_eq!(outcome.map(|outcome| outcome.winner), Some(None));
    assert_eq!(
        (game.position.legal_count(), game.position.proven()),
        (0, Bounds::exactly(Proof::Draw))
    );
    game.position = game.position.resumed();
    assert_eq!(game.position.legal_count(), 4);
    assert_eq!(
        SmallGo::new(BoardSize::square(5))
            .unwrap()
            .score(&Agreed::ALL_ALIVE),
        HalfPoints(-15)
    );
}

#[test]
fn handicap_stones_are_paid_for_and_komi_is_part_of_the_key() {
    let komi = |stones: &str, rules: &str, to_move| diagram(stones, rules, to_move).komi().0;
    let (black, white) = (Color::Black, Color::White);
    assert_eq!(komi("X.X ... X..", "chinese komi0.5", white), 7);
    assert_eq!(komi("X.X ... X..", "aga komi0.5", white), 5);
    assert_eq!(komi("X.X ... X..", "japanese komi0.5", white), 1);
    assert_eq!(komi("X.X ... X..", "chinese komi0.5", black), 7);
    assert_eq!(
        komi("X.O ... X..", "chinese komi0.5", white),
        1,
        "no handicap"
    );
    let key = |rules| diagram("X.O ... X..", rules, white).key();
    assert_ne!(key("chinese komi0.5"), key("chinese komi7.5"));
    assert_ne!(key("chinese"), key("chinese-kgs"));
}

#[test]
fn handicap_stones_are_also_played() {
    let played = |rules: &str, moves: &str| {
        let rules = format!("{rules} komi0.5").parse().unwrap();
        let empty = SmallGo::with_rules(BoardSize::square(5), rules).unwrap();
        let mut game = Played::from(empty);
        for (color, name) in moves.split(' ').map(|play| play.split_at(1)) {
            let white = color == "w";
            game.position
                .set_to_move(if white { Color::White } else { Color::Black });
            game.play(if name.is_empty() { "pass" } else { name });
        }
        game.position
    };
    let komi = |rules, moves| played(rules, moves).komi().0;
    for (moves, stones) in [
        ("ba1", 0),
        ("ba1 wb1 ba3", 0),
        ("ba1 ba3 ba5", 3),
        ("ba1 ba3 wc3 ba5 bc5", 2),
        ("ba1 w ba3 w", 2),
        ("ba1 w ba3 wc3 b", 2),
        ("ba1 ba3 wc3 wc5", 0),
    ] {
        assert_eq!(komi("chinese", moves), 1 + 2 * stones, "{moves}");
        let but_one = 1 + 2 * i32::max(stones - 1, 0);
        assert_eq!(komi("aga", moves), but_one, "{moves}");
        assert_eq!(komi("japanese", moves), 1, "{moves}");
    }
    // White's stone was captured: the same stones and side to move, another komi after Black's next
    // move.
    let taken = played("chinese", "ba2 wa1 bb1");
    let open = played("chinese", "ba2 bb1");
    assert_ne!(taken.key(), open.key());
}
