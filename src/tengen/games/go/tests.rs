//! Go against published counts, against a literal rule sheet, and on well-known positions.

mod counting;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::diagram::diagram;
use super::naive::Naive;
use super::*;
use crate::game::PositionHistory;
use crate::game::conformance::{self, perft};

/// A point by its GTP name.
pub(super) fn at(position: &SmallGo, name: &str) -> Move {
    let x = name.as_bytes()[0] - b'a';
    position
        .size()
        .point(x, name[1..].parse::<u8>().unwrap() - 1)
}

/// A game with superko enforced.
struct Played {
    position: SmallGo,
    past: PositionHistory,
}

impl Played {
    fn from(position: SmallGo) -> Played {
        Played {
            past: PositionHistory::of(&position),
            position,
        }
    }

    fn allows(&self, name: &str) -> bool {
        let mv = at(&self.position, name);
        self.position.is_legal(mv) && self.past.allows(&self.position, mv)
    }

    #[track_caller]
    fn play(&mut self, names: &str) {
        for name in names.split(' ') {
            let mv = match name {
                "pass" => self.position.pass(),
                name => {
                    assert!(self.allows(name), "{name}");
                    at(&self.position, name)
                }
            };
            self.position.play(mv);
            self.past.push(&self.position);
        }
    }
}

fn compare<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    past: &PositionHistory,
    naive: &Naive,
) {
    for point in 0..naive.stones.len() {
        let mv = Move(point as u16);
        assert_eq!(position.stone(mv), naive.stones[point]);
        let legal = naive.is_legal(point);
        assert_eq!(
            position.is_legal(mv),
            legal,
            "{point} in {:?}",
            naive.stones
        );
        if legal {
            let mut next = position.clone();
            next.play(mv);
            let predicted = position.repetition_key_after(mv);
            assert_eq!(predicted, next.repetition_key(), "{point}");
            let allowed = naive.is_allowed(point);
            assert_eq!(
                past.allows(position, mv),
                allowed,
                "{point} in {:?}",
                naive.stones
            );
        }
    }
    let listed: Vec<Move> = position.legal_moves().collect();
    let tested = (0..=naive.stones.len() as u16).map(Move);
    assert!(
        listed
            .into_iter()
            .eq(tested.filter(|&mv| position.is_legal(mv)))
    );
    let [stones, empty] = naive.counts();
    let [black, white] = Color::BOTH.map(|color| position.prisoners(color));
    assert_eq!([black, white], naive.taken);
    let ahead = match naive.rules.scoring {
        Scoring::Area => stones[0] + empty[0] - stones[1] - empty[1],
        Scoring::Territory => empty[0] - empty[1] + white as i32 - black as i32,
    };
    let score = position.score(&Agreed::ALL_ALIVE);
    let bonus = naive.rules.bonus(naive.handicap());
    assert_eq!(score.0, 2 * (ahead - i32::from(bonus)) - naive.rules.komi.0);
}

/// Plays random games, `plies` in all, including moves that fill eyes; sometimes a side moves
/// twice, as GTP controllers may request.
fn play_against_naive<const CELLS: usize, const WORDS: usize>(
    size: BoardSize,
    rules: GoRules,
    plies: u64,
) {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(plies ^ u64::from(size.width));
    let mut played = 0;
    while played < plies {
        let mut position = Go::<CELLS, WORDS>::with_rules(size, rules).unwrap();
        let mut naive = Naive::new(size, rules);
        let mut past = PositionHistory::of(&position);
        let longest = 6 * size.area() as u32;
        while position.outcome().is_none() && position.ply() < longest && played < plies {
            compare(&position, &past, &naive);
            let moves: Vec<Move> = position.legal_moves().collect();
            let allowed = |mv: &Move| *mv != position.pass() && past.allows(&position, *mv);
            let moves: Vec<Move> = moves.into_iter().filter(allowed).collect();
            let passes = moves.is_empty() || rng.random_range(0..40) == 0;
            let mv = match passes {
                true => position.pass(),
                false => moves[rng.random_range(0..moves.len())],
            };
            naive.play((!passes).then_some(mv.index()));
            position.play(mv);
            past.push(&position);
            if position.passes() < 2 && rng.random_range(0..30) == 0 {
                position.set_to_move(position.to_move().opponent());
                naive.change_turn();
            }
            played += 1;
        }
    }
}

/// `TENGEN_PLIES` sets the total number of plies (the acceptance run uses 1000000).
#[test]
fn agrees_with_the_rule_sheet() {
    let plies = std::env::var("TENGEN_PLIES").map_or(10_000, |n| n.parse().unwrap());
    let rules = [
        "tromp-taylor",
        "chinese-kgs",
        "japanese",
        "aga",
        "new-zealand",
    ];
    let sizes = [
        (1, 6),
        (2, 2),
        (3, 3),
        (4, 3),
        (2, 7),
        (5, 5),
        (9, 9),
        (7, 6),
    ];
    for text in rules {
        let rules: GoRules = text.parse().unwrap();
        for (width, height) in sizes {
            let size = BoardSize::new(width, height);
            play_against_naive::<111, 2>(size, rules, plies / 50);
        }
        play_against_naive::<421, 6>(BoardSize::square(5), rules, plies / 50);
        play_against_naive::<421, 6>(BoardSize::square(19), rules, plies / 50);
    }
}

#[test]
fn conforms() {
    conformance::check::<SmallGo>(BoardSize::square(9), 20);
    conformance::check::<SmallGo>(BoardSize::new(4, 7), 20);
    conformance::check::<SmallGo>(BoardSize::square(2), 20);
    conformance::check::<SmallGo>(BoardSize::square(1), 2);
    conformance::check::<SmallGo>(BoardSize::new(1, 5), 5);
    conformance::check::<LargeGo>(BoardSize::square(19), 3);
    conformance::check::<LargeGo>(BoardSize::new(13, 7), 3);
}

#[test]
fn the_board_must_fit() {
    let small = |width, height| SmallGo::new(BoardSize::new(width, height)).is_ok();
    let large = |width, height| LargeGo::new(BoardSize::new(width, height)).is_ok();
    assert!(small(9, 9) && small(2, 19) && small(19, 3) && !small(10, 9));
    assert!(large(19, 19) && large(1, 19) && !large(20, 1) && !large(1, 20) && !large(0, 3));
}

/// Number of legal positions: OEIS A094777, docs/methods.md#go. The 43 million of 4x4 take half a
/// minute: set `TENGEN_POSITIONS=1` to include them.
#[test]
fn legal_position_counts() {
    let mut known = vec![
        (1, 1, 1),
        (1, 2, 5),
        (2, 2, 57),
        (2, 3, 489),
        (3, 3, 12_675),
        (3, 4, 321_689),
    ];
    if std::env::var_os("TENGEN_POSITIONS").is_some() {
        known.push((4, 4, 24_318_165));
    }
    for (width, height, count) in known {
        let size = BoardSize::new(width, height);
        let empty = SmallGo::new(size).unwrap();
        let legal = (0..3_u32.pow(size.area() as u32)).filter(|number| {
            let digit = |point: u32| number / 3_u32.pow(point) % 3;
            let stone =
                |point| Some((Move(point as u16), *Color::BOTH.get(digit(point) as usize)?));
            let stones: Vec<_> = (0..size.area() as u32).filter_map(stone).collect();
            empty.set_up(&stones, Color::Black).is_ok()
        });
        assert_eq!(legal.count(), count, "{width}x{height}");
    }
}

/// Games under logical rules, in which either side may play at any time and no board repeats: Tromp
/// and Farnebäck have 1, 9 and 907 on 1x1 to 1x3 (docs/methods.md#go).
#[test]
fn the_number_of_games_is_known() {
    fn games(position: &SmallGo, past: &mut PositionHistory) -> u64 {
        let mut count = 1;
        for color in Color::BOTH {
            let mut turned = position.clone();
            turned.set_to_move(color);
            for mv in turned.legal_points().iter() {
                let mut next = turned.clone();
                next.play(mv);
                if past.is_new(&next) {
                    past.push(&next);
                    count += games(&next, past);
                    past.pop();
                }
            }
        }
        count
    }
    for (width, count) in [(1, 1), (2, 9), (3, 907)] {
        let start = SmallGo::with_rules(BoardSize::new(width, 1), GoRules::TROMP_TAYLOR).unwrap();
        assert_eq!(
            games(&start, &mut PositionHistory::of(&start)),
            count,
            "1x{width}"
        );
    }
}

/// The first three by hand: on 2x2 Black has 5 moves; White then has 4 after a stone and 5 after a
/// pass; the third ply has none after two passes. The rest by the rule sheet.
#[test]
fn perft_counts() {
    fn naive_perft(naive: &Naive, passes: u32, depth: u32) -> u64 {
        if passes == 2 {
            return u64::from(depth == 0);
        }
        let points = (0..naive.stones.len()).filter(|&point| naive.is_legal(point));
        if depth <= 1 {
            return if depth == 0 {
                1
            } else {
                points.count() as u64 + 1
            };
        }
        let after = |mv: Option<usize>| {
            let mut next = naive.clone();
            next.play(mv);
            naive_perft(&next, if mv.is_none() { passes + 1 } else { 0 }, depth - 1)
        };
        points.map(|point| after(Some(point))).sum::<u64>() + after(None)
    }
    let start = SmallGo::new(BoardSize::square(2)).unwrap();
    assert_eq!([1, 2].map(|depth| perft(&start, depth)), [5, 21]);
    for (width, height, depth) in [(2, 2, 7), (1, 4, 8), (3, 3, 4), (3, 2, 6)] {
        for rules in ["tromp-taylor", "chinese"] {
            let (size, rules) = (BoardSize::new(width, height), rules.parse().unwrap());
            let start = SmallGo::with_rules(size, rules).unwrap();
            let naive = naive_perft(&Naive::new(size, rules), 0, depth);
            assert_eq!(perft(&start, depth), naive, "{size}");
        }
    }
}

#[test]
fn a_ko_is_not_taken_back_at_once() {
    let ko = ".XO.. XO.O. .XO.. .....";
    for rules in ["chinese", "chinese-kgs", "aga"] {
        let mut game = Played::from(diagram(ko, rules, Color::Black));
        game.play("c3");
        assert_eq!(
            game.position.ko(),
            Some(at(&game.position, "b3")),
            "{rules}"
        );
        assert!(!game.allows("b3"));
        game.play("a1 e1");
        assert!(game.allows("b3"), "after a threat, under {rules}");
        game.play("b3");
        assert!(!game.allows("c3"));
    }
}

#[test]
fn a_ko_is_part_of_the_key_and_gone_after_a_pass_or_a_change_of_turn() {
    let mut game = Played::from(diagram(".XO.. XO.O. .XO.. .....", "chinese", Color::Black));
    game.play("c3");
    let with_ko = game.position.clone();
    let mut turned = with_ko.clone();
    turned.set_to_move(Color::White);
    assert_eq!(turned.key(), with_ko.key(), "no change, no change");
    turned.set_to_move(Color::Black);
    turned.set_to_move(Color::White);
    assert_eq!(turned.ko(), None);
    assert_ne!(turned.key(), with_ko.key());
    assert_eq!(turned.repetition_key(), with_ko.repetition_key());
    game.play("pass pass");
    assert_eq!((game.position.ko(), game.position.passes()), (None, 2));
    assert!(game.position.outcome().is_some());
}

/// Triple ko: under simple ko the board repeats after six moves, under superko the sixth is
/// forbidden.
#[test]
fn a_triple_ko_goes_round_unless_superko_stops_it() {
    let kos = ".XO.. XO.O. .XO.. .OX.. OX.X. .OX.. .XO.. XO.O. .XO..";
    for (rules, allowed) in [("chinese", true), ("chinese-kgs", false), ("aga", false)] {
        let mut game = Played::from(diagram(kos, rules, Color::Black));
        let start = game.position.repetition_key();
        game.play("c2 c5 c8 b2 b5");
        assert_eq!(game.allows("b8"), allowed, "{rules}");
        if allowed {
            game.play("b8");
            assert_eq!(game.position.repetition_key(), start);
        }
    }
}

/// Sending two, returning one: Black adds a second stone in atari, White captures both with a stone
/// that Black recaptures, and the board is as before, but with White to move. Situational superko
/// forbids the second round.
#[test]
fn sending_two_and_returning_one() {
    let mouth = "..... OOX.. .X.X.";
    for (rules, allowed) in [("chinese", true), ("chinese-kgs", false), ("aga", true)] {
        let mut game = Played::from(diagram(mouth, rules, Color::Black));
        game.play("a1 c1");
        assert_eq!(game.position.prisoners(Color::Black), 2);
        assert_eq!(game.position.ko(), None);
        assert_eq!(game.allows("b1"), allowed, "{rules}");
        if allowed {
            game.play("b1 pass");
            assert_eq!(game.allows("a1"), rules == "chinese");
        }
    }
}

#[test]
fn a_snapback_is_no_ko() {
    let mut game = Played::from(diagram(
        "..... XXXXX XOOOX X..OX",
        "chinese-kgs",
        Color::Black,
    ));
    game.play("c1 b1");
    assert_eq!(
        (game.position.prisoners(Color::Black), game.position.ko()),
        (1, None)
    );
    game.play("c1");
    assert_eq!(game.position.prisoners(Color::White), 5);
    assert_eq!(game.position.ko(), None);
}

#[test]
fn suicide_is_for_several_stones_where_the_rules_have_it() {
    for (rules, allowed) in [
        ("tromp-taylor", true),
        ("new-zealand", true),
        ("chinese", false),
    ] {
        let mut game = Played::from(diagram("... XX. O.X", rules, Color::White));
        assert_eq!(game.allows("b1"), allowed, "{rules}");
        if allowed {
            game.play("b1");
            assert_eq!(game.position.prisoners(Color::White), 2);
            assert_eq!(game.position.empty().count(), 6);
        }
        let corner = Played::from(diagram("... X.. .X.", rules, Color::White));
        assert!(!corner.allows("a1"), "one stone under {rules}");
        // A capturing move is not suicide.
        let taking = Played::from(diagram("O.. XO. .XO", rules, Color::White));
        assert!(taking.allows("a1"), "{rules}");
    }
}

#[test]
fn eyes_are_told_from_false_ones() {
    let is_eye = |rows: &str, point| {
        let position = diagram(rows, "chinese", Color::White);
        position.is_eye(Color::Black, at(&position, point))
    };
    assert!(is_eye("..... .OX.. .X.X. ..X.. .....", "c3"));
    assert!(
        !is_eye("..... .OX.. .X.X. ..XO. .....", "c3"),
        "two corners"
    );
    assert!(is_eye("..... ..... ..X.. .X.X.", "c1"));
    assert!(!is_eye("..... ..... .OX.. .X.X.", "c1"), "at the edge");
    assert!(is_eye("..... X.... .X...", "a1"));
    assert!(!is_eye("..... XO... .X...", "a1"), "in the corner");
    assert!(!is_eye("..... X.... .....", "a1"), "open");
    assert!(!is_eye("..... O.... .O...", "a1"), "of the other side");
}
