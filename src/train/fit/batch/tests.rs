use super::*;
use crate::shards::row::{Target, finish};
use tengen::game::{BoardSize, Color, Game, Outcome};
use tengen::games::gomoku::Gomoku;
use tengen::games::nogo::SmallNoGo;

const AREA: usize = 16;

const ALL: BatchSpec<SmallNoGo> = BatchSpec {
    encoding: &SmallNoGo::V1,
    aux_heads: &[
        AuxHead::Ownership,
        AuxHead::PointStatus,
        AuxHead::Margin,
        AuxHead::Reply,
    ],
    root_value_share: 0.25,
};

/// A game and its result; the policy target of each row is one part the first legal move, if it is
/// another, and three parts the move played.
fn game() -> (SmallNoGo, Vec<Row>, Outcome) {
    let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
    let mut position = empty.clone();
    let (mut rows, mut moves) = (Vec::new(), Vec::new());
    while let Some(mv) = position.legal_moves().last() {
        let first = position.legal_moves().next().filter(|first| *first != mv);
        let policy = first.into_iter().map(|first| (first, 1.0));
        let policy = policy.chain([(mv, 3.0)]).collect();
        rows.push(Row::record(0, &position, &Target::new(policy, 0.5)));
        moves.push(mv);
        position.play(mv);
    }
    let outcome = position.outcome().unwrap();
    finish(&mut rows, &empty, &moves, outcome);
    (empty, rows, outcome)
}

fn straight(rows: &[Row]) -> impl Iterator<Item = Sample<'_>> {
    (0..rows.len()).map(|index| Sample::new(rows, index, Symmetry::IDENTITY))
}

#[test]
fn targets_are_probabilities_of_legal_moves() {
    let (empty, mut rows, _) = game();
    rows[0].result = -1;
    let batch = encode(&empty, straight(&rows), ALL).unwrap();
    assert_eq!(batch.len, rows.len());
    assert_eq!(batch.planes.len(), rows.len() * 12 * AREA);
    for (policy, mask) in batch.policy.chunks(AREA).zip(batch.mask.chunks(AREA)) {
        assert!((policy.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(policy.iter().zip(mask).all(|(p, m)| *p == 0.0 || *m == 0.0));
    }
    // Lost, but the search estimated 0.5: 0.75 * -1 + 0.25 * 0.5 = -0.625.
    assert_eq!(batch.value[..2], [0.1875, 0.8125]);
    let other = BatchSpec {
        encoding: &SmallNoGo::AZ,
        aux_heads: &[],
        ..ALL
    };
    let batch = encode(&empty, straight(&rows), other).unwrap();
    assert_eq!(batch.planes.len(), rows.len() * 4 * AREA);
    assert!(batch.aux_targets.is_empty());
}

#[test]
fn proven_rows_have_their_result_and_may_have_no_policy() {
    let (empty, mut rows, _) = game();
    let row = &mut rows[0];
    (row.exact, row.policy_weight, row.result) = (true, 0.0, -1);
    let batch = encode(&empty, straight(&rows[..1]), ALL).unwrap();
    assert_eq!(batch.value, [0.0, 1.0]);
    assert!(batch.policy.iter().all(|&p| p == 0.0));
    // So is a reply without shares.
    let row = &mut rows[1];
    row.policy.iter_mut().for_each(|share| share.share = 0);
    row.policy_weight = 0.0;
    rows[0].policy.clear();
    let batch = encode(&empty, straight(&rows[..2]), ALL).unwrap();
    let replies = &batch.aux_targets[3].values;
    assert!(batch.policy.iter().chain(replies).all(|&p| p == 0.0));
}

#[test]
fn the_extra_heads_learn_how_the_game_ended() {
    let (empty, rows, _) = game();
    let batch = encode(&empty, straight(&rows), ALL).unwrap();
    let [ownership, fate, score, reply] = &batch.aux_targets[..] else {
        panic!("four heads");
    };
    for (at, row) in rows.iter().enumerate() {
        let ending = row.ending.unwrap();
        let owner = &ownership.values[at * AREA..][..AREA];
        let fates = &fate.values[at * 2 * AREA..][..2 * AREA];
        let known = &fate.weights[at * 2 * AREA..][..2 * AREA];
        for point in 0..AREA {
            let mv = Move(point as u16);
            let stone = f32::from(u8::from(ending.own.contains(mv)));
            let filled = ending.own.contains(mv) || ending.theirs.contains(mv);
            assert!(!filled || owner[point] == stone);
            let position = row.position(&empty).unwrap();
            let standing = position.stone(mv).is_some();
            assert_eq!(known[point] == 0.0, standing);
            assert_eq!(known[AREA + point], known[point]);
            let closed = !standing && ending.closed_theirs.contains(mv);
            assert_eq!(fates[AREA + point] == 1.0, closed);
        }
        assert_eq!(score.values[at].signum() as i8, row.result);
        let replies = &reply.values[at * AREA..][..AREA];
        match rows.get(at + 1) {
            Some(_) => assert_eq!(replies, &batch.policy[(at + 1) * AREA..][..AREA]),
            None => assert!(
                replies.iter().all(|&p| p == 0.0),
                "the last move has no reply"
            ),
        }
    }
    // An aborted game has neither target.
    let mut broken = rows[0].clone();
    broken.ending = None;
    let batch = encode(&empty, straight(&[broken]), ALL).unwrap();
    let weights = batch.aux_targets.iter().flat_map(|aux| &aux.weights);
    assert!(weights.into_iter().all(|&weight| weight == 0.0));
}

/// After a row of five neither side may move anywhere, which tells nothing of the points.
#[test]
fn a_game_that_ends_by_a_row_has_no_fates_and_no_score() {
    let empty = Gomoku::new(BoardSize::square(7)).unwrap();
    let moves = [0, 7, 1, 8, 2, 9, 3, 10, 4].map(Move);
    let target = Target::new(vec![(Move(0), 1.0)], 0.0);
    let mut rows = [Row::record(0, &empty, &target)];
    finish(&mut rows, &empty, &moves, Outcome::win(Color::Black));
    assert_eq!(rows[0].ending.unwrap().margin, 1);
    let spec = BatchSpec {
        encoding: Gomoku::encodings()[0],
        aux_heads: ALL.aux_heads,
        root_value_share: 0.0,
    };
    let batch = encode(&empty, straight(&rows), spec).unwrap();
    for target in &batch.aux_targets {
        let is_known = target.weights.iter().any(|&weight| weight > 0.0);
        assert_eq!(is_known, target.head == AuxHead::Ownership, "{target:?}");
    }
}

/// All targets are transformed consistently.
#[test]
fn a_turned_row_has_turned_targets() {
    let (empty, rows, _) = game();
    for symmetry in Symmetry::all(empty.size()) {
        let sample = Sample::new(&rows, 4, symmetry);
        let turned = encode(&empty, [sample], ALL).unwrap();
        let plain = encode(&empty, straight(&rows[4..6]), ALL).unwrap();
        for point in 0..AREA {
            let image = symmetry.apply(empty.size(), Move(point as u16)).index();
            assert_eq!(turned.policy[image], plain.policy[point]);
            for (turned, plain) in turned.aux_targets.iter().zip(&plain.aux_targets) {
                if turned.head != AuxHead::Margin {
                    assert_eq!(turned.values[image], plain.values[point]);
                    assert_eq!(turned.weights[image], plain.weights[point]);
                }
            }
        }
    }
}

#[test]
fn a_row_that_is_no_position_is_named() {
    let (empty, rows, _) = game();
    let mut row = rows[3].clone();
    row.moves = [Move(0); 3].into();
    let message = encode(&empty, straight(&[row]), ALL).unwrap_err();
    assert!(message.contains("game 0 ply 3"), "{message}");
}
