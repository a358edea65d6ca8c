//! Conformance tests for [`Game`] implementations, run on random games. Test code.

#![allow(clippy::unwrap_used, reason = "for tests, which fail by panicking")]

use std::collections::HashMap;

use rand::{RngExt, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use super::{BoardSize, Color, Game, Move, Symmetry};

/// Neighbours of a point, for the naive reference implementations.
pub fn neighbors(size: BoardSize, point: usize) -> Vec<usize> {
    let (width, height) = (size.width as usize, size.height as usize);
    let (x, y) = (point % width, point / width);
    let mut found = Vec::new();
    if x > 0 {
        found.push(point - 1);
    }
    if x + 1 < width {
        found.push(point + 1);
    }
    if y > 0 {
        found.push(point - width);
    }
    if y + 1 < height {
        found.push(point + width);
    }
    found
}

/// Plays `games` random games on a board of `size` and checks every position.
pub fn check<G: Game>(size: BoardSize, games: u64) {
    check_from(
        &G::new(size).expect("the kit is run on sizes the game has"),
        games,
    );
}

/// As [`check`], from an empty board under given rules.
pub fn check_from<G: Game>(start: &G, games: u64) {
    let size = start.size();
    check_start(start, size);
    let mut known = HashMap::new();
    for seed in 0..games {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let symmetry = Symmetry::all(size)
            .nth(seed as usize % Symmetry::all(size).len())
            .unwrap();
        let (mut position, mut image) = (start.clone(), start.clone());
        let mut bounds = Vec::new();
        while position.outcome().is_none() {
            check_position(&position, &mut known);
            check_image(&position, &image, symmetry);
            bounds.push(position.plies_left());
            if bounds.len() > 4 * size.area() {
                break;
            }
            let moves: Vec<Move> = position.legal_moves().collect();
            let mv = moves[rng.random_range(0..moves.len())];
            play(&mut position, mv);
            play(&mut image, symmetry.apply(size, mv));
        }
        for (ply, left) in bounds.iter().enumerate() {
            let bound = left.bound.map_or(usize::MAX, |bound| bound as usize);
            assert!(
                G::INFO.repeats || left.bound.is_some(),
                "it ends, so say when"
            );
            assert!(
                bound >= bounds.len() - ply && left.expected <= bound as f64,
                "at ply {ply} of {}: {left:?}",
                bounds.len()
            );
        }
        check_position(&position, &mut known);
        assert!(
            G::INFO.repeats || position.outcome().is_some(),
            "it ends on the board"
        );
        let end = position.outcome();
        assert!(
            G::INFO.draws || end.is_none_or(|end| end.winner.is_some()),
            "it can be drawn, so say so"
        );
    }
}

/// Number of legal move sequences of length `depth`; sequences that end earlier do not count.
pub fn perft<G: Game>(position: &G, depth: u32) -> u64 {
    match depth {
        0 => 1,
        1 => position.legal_count() as u64,
        _ => position
            .legal_moves()
            .map(|mv| perft(&position.after(mv), depth - 1))
            .sum(),
    }
}

fn check_start<G: Game>(start: &G, size: BoardSize) {
    assert_eq!(start.size(), size);
    assert_eq!(start.to_move(), Color::Black);
    assert_eq!((start.ply(), start.last_move()), (0, None));
    let is_empty = size.points().all(|point| start.stone(point).is_none());
    assert!(is_empty, "the first stones are moves, too");
    assert_eq!(start.scored().is_some(), G::INFO.scored);
}

fn check_position<G: Game>(position: &G, known: &mut HashMap<u128, Vec<Option<Color>>>) {
    let moves: Vec<Move> = position.legal_moves().collect();
    assert!(moves.is_sorted_by(|a, b| a < b), "legal moves ascend");
    assert_eq!(moves.len(), position.legal_count());
    assert_eq!(
        moves.is_empty(),
        position.outcome().is_some(),
        "moves end with the game"
    );
    for number in (0..position.policy_len() as u16 + 3).chain([u16::MAX]) {
        let listed = moves.binary_search(&Move(number)).is_ok();
        assert_eq!(position.is_legal(Move(number)), listed, "move {number}");
    }
    let stones = position.size().points().map(|point| position.stone(point));
    let mut content: Vec<Option<Color>> = stones.collect();
    content.push(Some(position.to_move()));
    let same = known
        .entry(position.key())
        .or_insert_with(|| content.clone());
    assert_eq!(*same, content, "two positions share a key");

    let mut passed = position.clone();
    passed.set_to_move(position.to_move().opponent());
    assert_eq!(passed.to_move(), position.to_move().opponent());
    assert_ne!(
        passed.key(),
        position.key(),
        "the side to move is part of the key"
    );
    passed.set_to_move(position.to_move());
    // After two changes of turn a ko has expired.
    assert!(G::INFO.repeats || passed.key() == position.key());
    check_set_up(position);
}

/// Setting up the stones gives the same stones and, unless something else matters, the same
/// position.
fn check_set_up<G: Game>(position: &G) {
    let points = position.size().points();
    let stones = points.filter_map(|point| Some((point, position.stone(point)?)));
    let stones: Vec<(Move, Color)> = stones.collect();
    let again = position
        .set_up(&stones, position.to_move())
        .expect("the stones of a position can stand together");
    assert_eq!(again.to_move(), position.to_move());
    assert_eq!((again.rules(), again.last_move()), (position.rules(), None));
    let all = position.size().points();
    all.for_each(|point| assert_eq!(again.stone(point), position.stone(point)));
    assert!(G::INFO.repeats || again.key() == position.key());
    let off = (Move(position.size().area() as u16), Color::Black);
    let twice = stones
        .first()
        .map(|&(point, color)| (point, color.opponent()));
    for wrong in [Some(off), twice].into_iter().flatten() {
        let stones: Vec<_> = stones.iter().copied().chain([wrong]).collect();
        assert!(position.set_up(&stones, Color::Black).is_err(), "{wrong:?}");
    }
}

fn check_image<G: Game>(position: &G, image: &G, symmetry: Symmetry) {
    let size = position.size();
    let mut mapped: Vec<Move> = position
        .legal_moves()
        .map(|mv| symmetry.apply(size, mv))
        .collect();
    mapped.sort();
    assert_eq!(
        mapped,
        image.legal_moves().collect::<Vec<_>>(),
        "the rules are the same under all symmetries of the board, but not under {symmetry:?}: legal moves of a turned game"
    );
}

fn play<G: Game>(position: &mut G, mv: Move) {
    let (mover, ply) = (position.to_move(), position.ply());
    position.play(mv);
    assert_eq!(position.to_move(), mover.opponent());
    assert_eq!((position.ply(), position.last_move()), (ply + 1, Some(mv)));
}
