//! The rules of thumb of a critic's opponent in Go.
//!
//! The paper's WALLY is not available. Its substitute plays by rules of thumb in a fixed order: it
//! captures stones, saves its own from atari, gives atari, cuts and connects according to the eight
//! points around, and else plays anywhere but into its own eyes. Its strength is measured by its
//! score against random play.

use rand::{Rng, RngExt};

use tengen::game::{Color, Game, Move, Scored as _};
use tengen::games::go::Go;

/// A move by these rules, if one applies.
pub(super) fn rule_move<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    rng: &mut impl Rng,
) -> Option<Move> {
    capture(position, rng)
        .or_else(|| save(position, rng))
        .or_else(|| atari(position, rng))
        .or_else(|| cut_or_connect(position, rng))
}

/// The chains of a colour, each by one stone and the number of its stones.
fn chains<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    color: Color,
) -> Vec<(Move, usize)> {
    let mut rest = position.stones(color);
    let mut chains = Vec::new();
    while let Some(stone) = rest.lowest() {
        let chain = position.chain(stone);
        rest.remove_all(chain);
        chains.push((stone, chain.count()));
    }
    chains
}

/// Captures the largest chain in atari.
fn capture<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    rng: &mut impl Rng,
) -> Option<Move> {
    let chains = chains(position, position.to_move().opponent());
    let last = chains.iter().filter_map(|&(stone, size)| {
        let point = position.last_liberty(stone)?;
        position.is_legal(point).then_some((point, size))
    });
    best_of(last, |found| found.1, rng).map(|found| found.0)
}

/// Extends the largest own chain in atari that then has two liberties.
fn save<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    rng: &mut impl Rng,
) -> Option<Move> {
    let chains = chains(position, position.to_move());
    let runs = chains.iter().filter_map(|&(stone, size)| {
        let point = position.last_liberty(stone)?;
        is_safe(position, point).then_some((point, size))
    });
    best_of(runs, |found| found.1, rng).map(|found| found.0)
}

/// Gives atari to the largest chain of two liberties.
fn atari<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    rng: &mut impl Rng,
) -> Option<Move> {
    let chains = chains(position, position.to_move().opponent());
    let chased = chains
        .iter()
        .map(|&(stone, size)| (position.liberties(stone), size));
    let chased = chased.filter(|(liberties, _)| liberties.count() == 2);
    let moves = chased.flat_map(|(liberties, size)| liberties.iter().map(move |p| (p, size)));
    let safe = moves.filter(|&(point, _)| is_safe(position, point));
    best_of(safe, |found| found.1, rng).map(|found| found.0)
}

/// Plays where two stones of a colour meet that are not connected around the point, with a stone of
/// the other colour nearby.
fn cut_or_connect<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    rng: &mut impl Rng,
) -> Option<Move> {
    let points = position.legal_points().iter();
    let good = points.filter(|&point| {
        !position.fills_eye(point) && is_cut(position, point) && is_safe(position, point)
    });
    best_of(good, |_| 0, rng)
}

/// The eight points around, in a circle.
const AROUND: [(i8, i8); 8] = [
    (0, 1),
    (1, 1),
    (1, 0),
    (1, -1),
    (0, -1),
    (-1, -1),
    (-1, 0),
    (-1, 1),
];

/// Whether stones of one colour at two sides of a point are disconnected, judged by the eight
/// points around, with a stone of the other colour among these.
fn is_cut<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    point: Move,
) -> bool {
    let size = position.size();
    let (x, y) = size.column_row(point);
    let around = AROUND.map(|(dx, dy)| {
        let (x, y) = (x.checked_add_signed(dx)?, y.checked_add_signed(dy)?);
        let on_board = x < size.width && y < size.height;
        on_board.then(|| position.stone(size.point(x, y))).flatten()
    });
    Color::BOTH.into_iter().any(|color| {
        let has = |place: usize| around[place % 8] == Some(color);
        // Runs of the colour along the circle that touch the point orthogonally.
        let starts = (0..8).filter(|&place| has(place) && !has(place + 7));
        let runs = starts.filter(|&start| {
            let run = (start..start + 8).take_while(|&place| has(place));
            run.into_iter().any(|place| place % 2 == 0)
        });
        runs.count() >= 2 && around.contains(&Some(color.opponent()))
    })
}

/// Whether a point is legal and leaves the stone there with at least two liberties.
fn is_safe<const CELLS: usize, const WORDS: usize>(
    position: &Go<CELLS, WORDS>,
    point: Move,
) -> bool {
    if !position.is_legal(point) {
        return false;
    }
    let mut next = position.clone();
    next.play(point);
    next.last_liberty(point).is_none()
}

/// A random one of the best.
fn best_of<T, W: Ord>(
    all: impl Iterator<Item = T>,
    worth: impl Fn(&T) -> W,
    rng: &mut impl Rng,
) -> Option<T> {
    let mut best = None;
    let mut ties = 0;
    for one in all {
        let its_worth = worth(&one);
        match &best {
            Some((_, most)) if its_worth < *most => continue,
            Some((_, most)) if its_worth == *most => ties += 1,
            _ => ties = 1,
        }
        if rng.random_range(0..ties) == 0 {
            best = Some((one, its_worth));
        }
    }
    best.map(|(one, _)| one)
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng;
    use rand_xoshiro::Xoshiro256PlusPlus;

    use super::super::taught::{Taught as _, score_against_chance};
    use super::*;
    use tengen::game::BoardSize;
    use tengen::games::go::SmallGo;

    /// The position of rows from above, `x` Black and `o` White, with Black to move.
    fn position(rows: &[&str]) -> SmallGo {
        let size = BoardSize::new(rows[0].len() as u8, rows.len() as u8);
        let mut stones = Vec::new();
        for (y, row) in rows.iter().rev().enumerate() {
            for (x, cell) in row.chars().enumerate() {
                let point = size.point(x as u8, y as u8);
                match cell {
                    'x' => stones.push((point, Color::Black)),
                    'o' => stones.push((point, Color::White)),
                    _ => {}
                }
            }
        }
        let empty = SmallGo::new(size).unwrap();
        empty.set_up(&stones, Color::Black).unwrap()
    }

    /// All moves that it plays in a hundred tries are among these, by column and row from below.
    #[track_caller]
    fn plays(rows: &[&str], expected: &[(u8, u8)]) {
        let position = position(rows);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        let expected: Vec<Move> = expected
            .iter()
            .map(|&(x, y)| position.size().point(x, y))
            .collect();
        for _ in 0..100 {
            let mv = position.rule_move(&mut rng).unwrap();
            assert!(
                expected.contains(&mv),
                "{:?}",
                position.size().column_row(mv)
            );
        }
    }

    #[test]
    fn it_takes_before_it_saves_and_the_more_the_better() {
        // White's two stones below are worth more than its one above, or Black's own on the right.
        plays(&["xo...", ".x...", "...o.", "xx.xo", "oo.o."], &[(2, 0)]);
    }

    #[test]
    fn it_runs_when_that_helps_and_gives_atari_else() {
        plays(&[".....", "..o..", ".ox..", "..o..", "....."], &[(3, 2)]);
        plays(
            &[".....", "..x..", ".xo..", ".....", "....."],
            &[(3, 2), (2, 1)],
        );
    }

    #[test]
    fn it_cuts_and_connects() {
        plays(
            &["......", "......", ".xo...", "..x...", "......", "......"],
            &[(1, 2), (2, 4), (3, 3)],
        );
    }

    #[test]
    fn it_fills_no_eye_and_passes_at_last() {
        let position = position(&[".x.x", "xxxx", "xxxx", "xxxx"]);
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
        assert_eq!(position.rule_move(&mut rng), Some(position.pass()));
        assert_eq!(position.random_move(&mut rng), Some(position.pass()));
    }

    #[test]
    fn rules_beat_chance() {
        let go = SmallGo::new(BoardSize::square(9)).unwrap();
        assert!(score_against_chance(&go, 1.0, 100) >= 0.9);
        let even = score_against_chance(&go, 0.0, 400);
        assert!((even - 0.5).abs() < 0.1, "{even}");
    }
}
