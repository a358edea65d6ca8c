//! Encodings `katago-7` and `katago-7-suicide`: what KataGo's networks of model versions 8 to 17 read, its
//! inputs `V7` (`cpp/neuralnet/nninputs.cpp`), as in an evaluation without the second phase of a territory game. Their 22 planes of points come first, then a plane for each of the
//! 19 numbers, and one that is 1 where the rules leave no game without a result: the network's logit for it
//! counts elsewhere alone.
//!
//! What a position does not know is not shown: points that superko forbids beside the ko.

use super::own::parity;
use crate::encode::{Encoding, show_numbers, show_sets};
use crate::game::{Bits, Color, Game, Move, Scored as _, zobrist};
use crate::games::go::{Go, KoRule, Scoring};

/// Planes of points: which stand where in [`sets`].
const SETS: usize = 22;
/// Numbers of the whole position.
const NUMBERS: usize = 19;
/// Last moves that are shown.
const SHOWN: usize = 5;
/// The first of two numbers that show an advantage in visits: whether there is one, and half its doublings.
const ADVANTAGE: usize = 15;
/// The komi, in points, that is encoded as 1.
const KOMI_SCALE: f32 = 20.0;

/// The last moves, as far as they are shown, and whether a pass would end the game.
struct History {
    moves: Vec<Move>,
    pass_ends: bool,
}

impl<const CELLS: usize, const WORDS: usize> Go<CELLS, WORDS> {
    /// For most networks.
    pub(super) const KATAGO: Encoding<Self> = Encoding {
        cache_key: |position| {
            let friendly = u64::from(position.rules().friendly_pass);
            let rules = zobrist::other(zobrist::Kind::Rules, friendly << 32);
            position.key_with_last_moves(SHOWN) ^ position.captures_key() ^ rules
        },
        hidden_komi: |position| position.hidden_komi(),
        advantage: Some(SETS + ADVANTAGE),
        knows_passes: true,
        ..Encoding::new("katago-7", SETS + NUMBERS + 1, |position, row| {
            encode(position, row, false);
        })
    };

    /// For networks that ask for pass-alive stones as with suicide.
    pub(super) const KATAGO_BY_SUICIDE: Encoding<Self> = Encoding {
        id: "katago-7-suicide",
        encode: |position, row| encode(position, row, true),
        ..Self::KATAGO
    };
}

/// Fills a row; with `suicide` pass-alive stones are computed as if suicide were legal, under all rules.
fn encode<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    row: &mut [f32],
    suicide: bool,
) {
    let area = position.size().area();
    let history = history(position);
    let sets = sets(position, &history, suicide);
    let (of_points, of_numbers) = row.split_at_mut(SETS * area);
    show_sets(of_points, area, sets);
    show_numbers(of_numbers, area, numbers(position, &history));
}

/// The planes of points.
fn sets<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    history: &History,
    suicide: bool,
) -> [Bits<WORDS>; SETS] {
    let (me, them) = (position.to_move(), position.to_move().opponent());
    let [mine, theirs] = [me, them].map(|color| position.stones(color));
    let mut sets = [Bits::EMPTY; SETS];
    sets[0] = position.frame().board();
    (sets[1], sets[2]) = (mine, theirs);
    sets[3..6].copy_from_slice(&position.by_liberties(mine | theirs));
    sets[6] = position.ko().into_iter().collect();
    // 7 and 8 are of the second phase of a territory game, and so are 20 and 21.
    let pass = position.pass();
    for (set, mv) in sets[9..].iter_mut().zip(&history.moves) {
        if *mv != pass {
            *set = Bits::point(*mv);
        }
    }
    let now = position.laddered();
    let earlier = match history.moves.is_empty() {
        true => Vec::new(),
        false => position.earlier_laddered(),
    };
    sets[14] = now.stones;
    sets[15] = earlier.first().copied().unwrap_or(sets[14]);
    let before = earlier.get(1).filter(|_| history.moves.len() > 1);
    sets[16] = before.copied().unwrap_or(sets[15]);
    sets[17] = now.working;
    if position.rules().scoring == Scoring::Area {
        let area = position.area_without_dead(suicide || position.rules().suicide);
        (sets[18], sets[19]) = (area[me.index()], area[them.index()]);
    }
    sets
}

/// What is shown of the last moves. Where a pass would end a game in which stones still have to be judged
/// dead, networks are to think of the position as it is: nothing.
fn history<const CELLS: usize, const WORDS: usize>(position: &Go<CELLS, WORDS>) -> History {
    let rules = position.rules();
    let passes = position.passes();
    if passes == 1 && rules.scoring == Scoring::Area && rules.friendly_pass {
        return History {
            moves: Vec::new(),
            pass_ends: false,
        };
    }
    // Of a game that is over the pass that ended it, as if it were the first.
    let most = if passes >= 2 { 1 } else { SHOWN };
    let mut boards = position.history();
    boards.insert(0, Color::BOTH.map(|color| position.stones(color)));
    let mut mover = position.to_move();
    let mut moves = Vec::with_capacity(SHOWN);
    for (index, mv) in position.recent().iter().take(most).enumerate() {
        mover = mover.opponent();
        // As far as the sides have taken turns.
        let other = mover.opponent().index();
        let board = boards.get(index);
        if board.is_some_and(|stones| stones[other].contains(mv)) {
            break;
        }
        moves.push(mv);
    }
    History {
        moves,
        pass_ends: passes >= 1,
    }
}

/// The numbers of the whole position, and whether there is always a result.
fn numbers<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    history: &History,
) -> [f32; NUMBERS + 1] {
    let rules = position.rules();
    let is_area = rules.scoring == Scoring::Area;
    let mut numbers = [0.0; NUMBERS + 1];
    for (number, mv) in numbers.iter_mut().zip(&history.moves) {
        *number = f32::from(u8::from(*mv == position.pass()));
    }
    let komi = position.own_komi();
    numbers[5] = komi / KOMI_SCALE;
    [numbers[6], numbers[7]] = match rules.ko {
        KoRule::Simple => [0.0, 0.0],
        KoRule::Positional => [1.0, 0.5],
        KoRule::Situational => [1.0, -0.5],
    };
    numbers[8] = f32::from(u8::from(rules.suicide));
    // Territory goes with KataGo's tax `SEKI` here.
    [numbers[9], numbers[10]] = if is_area { [0.0; 2] } else { [1.0; 2] };
    // 11 is another tax, 12 and 13 the second phase of a territory game, 15 and 16 an advantage in visits
    // ([`Encoding::show_doublings`]), 17 the button.
    numbers[14] = f32::from(u8::from(history.pass_ends));
    if is_area {
        numbers[18] = parity(komi, position.size().area());
    }
    numbers[NUMBERS] = f32::from(u8::from(is_area && rules.ko != KoRule::Simple));
    numbers
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::games::go::diagram::diagram;
    use crate::games::go::{GoRules, SmallGo};

    /// The points of each plane of points, and the numbers.
    fn shown(position: &SmallGo) -> (Vec<Vec<usize>>, Vec<f32>) {
        let area = position.size().area();
        let encoding = SmallGo::KATAGO;
        let mut row = vec![0.0; encoding.planes() * area];
        encoding.encode(position, &mut row);
        let planes: Vec<&[f32]> = row.chunks_exact(area).collect();
        let points = |plane: &&[f32]| {
            let is_set = |point: &usize| plane[*point] == 1.0;
            (0..area).filter(is_set).collect()
        };
        let number = |plane: &&[f32]| {
            assert!(plane.iter().all(|number| *number == plane[0]));
            plane[0]
        };
        (
            planes[..SETS].iter().map(points).collect(),
            planes[SETS..].iter().map(number).collect(),
        )
    }

    fn played(rules: &str, size: u8, moves: &[u16]) -> SmallGo {
        let rules: GoRules = rules.parse().unwrap();
        let mut position = SmallGo::with_rules(BoardSize::square(size), rules).unwrap();
        moves.iter().for_each(|&mv| position.play(Move(mv)));
        position
    }

    #[test]
    fn planes_show_what_they_say() {
        // A1, which is in atari after A2 and B2, and a pass: White to move.
        let (sets, numbers) = shown(&played("tromp-taylor", 5, &[0, 5, 12, 6, 25]));
        assert_eq!(sets[0].len(), 25);
        assert_eq!((&*sets[1], &*sets[2]), (&[5, 6][..], &[0, 12][..]));
        assert_eq!(sets[3], [0], "one liberty");
        assert_eq!(sets[9..14], [vec![], vec![6], vec![12], vec![5], vec![0]]);
        assert_eq!(sets[14], [0], "it falls");
        for (set, moves) in [(15, 4), (16, 3)] {
            let before = played("tromp-taylor", 5, &[0, 5, 12, 6][..moves]);
            assert_eq!(sets[set], shown(&before).0[14]);
        }
        assert_eq!(numbers[..5], [1.0, 0.0, 0.0, 0.0, 0.0]);
        // Komi 7.5 on a board of 25 points: half a point above a draw.
        assert_eq!((numbers[5], numbers[18]), (0.375, 0.5));
        assert_eq!(numbers[6..9], [1.0, 0.5, 1.0]);
        assert_eq!((numbers[14], numbers[19]), (1.0, 1.0), "a pass ends it");
    }

    #[test]
    fn an_advantage_is_shown_to_both_sides() {
        let position = played("chinese", 5, &[0]);
        let encoding = SmallGo::KATAGO;
        let mut row = vec![0.0; encoding.planes() * 25];
        encoding.encode(&position, &mut row);
        let equal = row.clone();
        encoding.show_doublings(-1.5, &mut row);
        let shown: Vec<(usize, f32)> = (0..encoding.planes())
            .filter(|plane| row[plane * 25..][..25] != equal[plane * 25..][..25])
            .map(|plane| (plane - SETS, row[plane * 25 + 7]))
            .collect();
        assert_eq!(shown, [(15, 1.0), (16, -0.75)]);
    }

    #[test]
    fn a_pass_that_does_not_end_the_game_for_sure_is_not_shown() {
        let (sets, numbers) = shown(&played("chinese", 5, &[0, 5, 12, 6, 25]));
        assert!(sets[9..14].iter().all(Vec::is_empty));
        assert_eq!((numbers[0], numbers[14], numbers[19]), (0.0, 0.0, 0.0));
        assert_eq!(sets[15], sets[14]);
        let over = played("chinese", 5, &[0, 5, 12, 6, 25, 25]);
        assert_eq!(shown(&over).1[..2], [1.0, 0.0]);
    }

    #[test]
    fn territory_is_told_by_stones() {
        let (sets, numbers) = shown(&played("japanese", 5, &[0, 5, 12, 25, 13]));
        assert!(sets[18].is_empty() && sets[19].is_empty());
        // Black has played three stones, White one: White has 6.5 and two.
        assert_eq!((numbers[5], numbers[18]), (8.5 / 20.0, 0.0));
        assert_eq!(numbers[9..11], [1.0, 1.0]);
    }

    #[test]
    fn moves_out_of_turn_end_the_history() {
        let mut position = played("tromp-taylor", 5, &[0, 5, 12]);
        position.set_to_move(Color::Black);
        position.play(Move(24));
        let (sets, _) = shown(&position);
        assert_eq!(sets[9..12], [vec![24], vec![], vec![]]);
    }

    #[test]
    fn ladders_name_the_move_that_works() {
        let rows = "......... ......... ......... ......... ......... ......... .XO...... \
                    ..XX..... .........";
        let (sets, _) = shown(&diagram(rows, "chinese", Color::Black));
        assert_eq!(sets[14], [20]);
        assert_eq!(sets[17], [29], "from above");
        let (sets, _) = shown(&diagram(rows, "chinese", Color::White));
        assert_eq!(
            (&*sets[14], sets[17].len()),
            (&[20][..], 0),
            "only of theirs"
        );
    }

    /// The same stones and moves, but one of them has taken A1.
    #[test]
    fn keys_tell_apart_what_was_taken() {
        let moves = [1, 0, 20, 24, 21, 23, 5];
        let taken = played("tromp-taylor", 5, &moves);
        let mut moves = moves;
        moves[1] = 25;
        let passed = played("tromp-taylor", 5, &moves);
        assert_eq!(taken.key(), passed.key());
        let [taken, passed] = [taken, passed].map(|position| {
            let key = SmallGo::KATAGO.cache_key(&position);
            (key, shown(&position).0[15].clone())
        });
        assert_eq!((&*taken.1, &*passed.1), (&[0][..], &[][..]), "in atari");
        assert_ne!(taken.0, passed.0);
    }

    /// Positions that have the same key are shown alike.
    #[test]
    fn keys_tell_apart_what_is_shown() {
        use rand::{RngExt, SeedableRng};
        use std::collections::HashMap;
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(9);
        let mut seen: HashMap<u128, (Vec<Vec<usize>>, Vec<f32>)> = HashMap::new();
        let mut again = 0;
        for game in 0..600 {
            let rules = ["chinese", "japanese", "tromp-taylor", "aga"][game % 4];
            let mut position = played(rules, 3, &[]);
            for _ in 0..30 {
                let moves: Vec<Move> = position.legal_moves().collect();
                if moves.is_empty() {
                    break;
                }
                position.play(moves[rng.random_range(0..moves.len())]);
                let key = SmallGo::KATAGO.cache_key(&position);
                let shown = shown(&position);
                if let Some(before) = seen.insert(key, shown.clone()) {
                    assert_eq!(before, shown, "{position:?}");
                    again += 1;
                }
            }
        }
        assert!(again > 300, "{again}");
    }
}
