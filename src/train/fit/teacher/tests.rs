use super::*;
use crate::shards::ending;
use crate::shards::row::{Row, Target, finish};
use tengen::encode::made_up;
use tengen::game::{BoardSize, Color, Game, Move, Symmetry};
use tengen::games::go::SmallGo;
use tengen_nn::eval::ModelInfo;

const SIDE: u8 = 5;
const AREA: usize = 25;
const POLICY: usize = AREA + 1;

fn spec() -> BatchSpec<SmallGo> {
    BatchSpec {
        encoding: *SmallGo::encodings().last().unwrap(),
        aux_heads: &[AuxHead::Ownership, AuxHead::Lead, AuxHead::Reply],
        root_value_share: 0.0,
    }
}

/// A network that answers every position by a hash of it, lead and owners included.
fn network(side: u8) -> TeacherNetwork {
    let empty = SmallGo::new(BoardSize::square(side)).unwrap();
    TeacherNetwork {
        factory: EvaluatorFactory::hash(ModelInfo {
            points: 1 + empty.size().area(),
            ..made_up(&empty, spec().encoding)
        }),
        hash: 0,
        kept: None,
    }
}

/// A game of two moves and two passes, won by White; the second row's policy is no target, and the
/// game's ending is unknown where `ended` is false.
fn game(ended: bool) -> (SmallGo, Vec<Row>) {
    let empty = SmallGo::new(BoardSize::square(SIDE)).unwrap();
    let (mut position, mut rows) = (empty.clone(), Vec::new());
    let moves = [12, 6, 25, 25].map(Move);
    for (ply, mv) in moves.into_iter().enumerate() {
        let target = Target {
            policy_weight: f32::from(u8::from(ply != 1)),
            ..Target::new(vec![(mv, 1.0)], 0.0)
        };
        rows.push(Row::record(0, &position, &target));
        position.play(mv);
    }
    let outcome = ending::result(&position).unwrap();
    assert_eq!(outcome.winner, Some(Color::White));
    finish(&mut rows, &empty, &moves, outcome);
    if !ended {
        rows.iter_mut().for_each(|row| row.ending = None);
    }
    (empty, rows)
}

fn taught(share: f32, ended: bool) -> (Batch, Batch) {
    let (empty, rows) = game(ended);
    let samples = || (0..rows.len()).map(|index| Sample::new(&rows, index, Symmetry::IDENTITY));
    let boards = std::slice::from_ref(&empty);
    let mut teacher = Teacher::new(&[network(9), network(SIDE)], boards, share).unwrap();
    let own = crate::fit::batch::encode(&empty, samples(), spec()).unwrap();
    (own, teacher.encode(&empty, samples(), spec()).unwrap())
}

fn target(batch: &Batch, head: AuxHead) -> &AuxTarget {
    batch
        .aux_targets
        .iter()
        .find(|target| target.head == head)
        .unwrap()
}

#[test]
fn a_share_of_one_leaves_the_answers_alone() {
    let (own, batch) = taught(1.0, true);
    assert_eq!((&own.planes, &own.mask), (&batch.planes, &batch.mask));
    let mut evaluator = network(SIDE).factory.make().unwrap();
    let mut questions = eval::Batch::new(own.planes.len() / own.len);
    for planes in own.planes.chunks(questions.row_len()) {
        questions.push(0).copy_from_slice(planes);
    }
    let mut answers = Outputs::new();
    evaluator.evaluate(&questions, &mut answers).unwrap();
    for row in 0..batch.len {
        let policy = &batch.policy[row * POLICY..][..POLICY];
        let mask = &batch.mask[row * POLICY..][..POLICY];
        let weights: Vec<f32> = (answers.policy(row).iter().zip(mask))
            .map(|(logit, mask)| if *mask == 0.0 { logit.exp() } else { 0.0 })
            .collect();
        let total: f32 = weights.iter().sum();
        for (target, weight) in policy.iter().zip(&weights) {
            assert!((target - weight / total).abs() < 1e-5);
        }
        let [win, draw, loss] = [0, 1, 2].map(|place| answers.value_logits(row)[place].exp());
        let value = &batch.value[3 * row..][..3];
        assert!((value[0] - win / (win + draw + loss)).abs() < 1e-5);
        let lead = target(&batch, AuxHead::Lead).values[row];
        assert_eq!(lead, 20.0 * answers.points(row)[0]);
        let owner = target(&batch, AuxHead::Ownership).values[AREA * row];
        assert!((owner - 1.0 / (1.0 + (-answers.points(row)[1]).exp())).abs() < 1e-6);
    }
    let reply = |batch| target(batch, AuxHead::Reply).clone();
    assert_eq!(reply(&own), reply(&batch), "what a teacher is not asked");
}

#[test]
fn shares_lie_between_the_games_and_the_teachers() {
    let ((own, whole), (_, part)) = (taught(1.0, true), taught(0.25, true));
    let near = |own: &[f32], whole: &[f32], part: &[f32]| {
        let numbers = own.iter().zip(whole).zip(part);
        numbers.for_each(|((own, whole), part)| {
            assert!((0.75 * own + 0.25 * whole - part).abs() < 1e-4);
        });
    };
    near(&own.value, &whole.value, &part.value);
    near(
        &own.policy[..POLICY],
        &whole.policy[..POLICY],
        &part.policy[..POLICY],
    );
    for head in [AuxHead::Ownership, AuxHead::Lead] {
        let [own, whole, part] = [&own, &whole, &part].map(|batch| &target(batch, head).values);
        near(own, whole, part);
    }
    // The second row has no policy of its own.
    let second = POLICY..2 * POLICY;
    assert_eq!(part.policy[second.clone()], whole.policy[second]);
}

#[test]
fn a_teacher_knows_endings_that_games_do_not() {
    let (own, part) = taught(0.25, false);
    for head in [AuxHead::Ownership, AuxHead::Lead] {
        assert!(
            target(&own, head)
                .weights
                .iter()
                .all(|&weight| weight == 0.0)
        );
        assert!(
            target(&part, head)
                .weights
                .iter()
                .all(|&weight| weight == 1.0)
        );
    }
    let whole = taught(1.0, false).1;
    let lead = |batch| target(batch, AuxHead::Lead).values.clone();
    assert_eq!(lead(&part), lead(&whole));
}

#[test]
fn a_board_without_a_network_is_named() {
    let (empty, _) = game(true);
    let error = Teacher::new(&[network(9)], &[empty], 1.0).err().unwrap();
    assert!(error.to_string().contains("no network for 5x5"), "{error}");
}

#[test]
fn a_turned_sample_has_the_turned_answer() {
    let (empty, rows) = game(true);
    let size = empty.size();
    let boards = std::slice::from_ref(&empty);
    let mut teacher = Teacher::new(&[network(SIDE)], boards, 1.0).unwrap();
    let mut taught = |symmetry| {
        let sample = Sample::new(&rows, 1, symmetry);
        teacher.encode(&empty, [sample], spec()).unwrap()
    };
    let as_played = taught(Symmetry::IDENTITY);
    for symmetry in Symmetry::all(size) {
        let turned = taught(symmetry);
        assert_eq!(turned.value, as_played.value);
        let owners = |batch, point: Move| target(batch, AuxHead::Ownership).values[point.index()];
        for point in (0..AREA as u16).map(Move) {
            let image = symmetry.apply(size, point);
            let (policy, same) = (
                turned.policy[image.index()],
                as_played.policy[point.index()],
            );
            assert!((policy - same).abs() < 1e-6);
            assert_eq!(owners(&turned, image), owners(&as_played, point));
        }
        let passes = [&turned, &as_played].map(|batch| batch.policy[AREA]);
        assert!((passes[0] - passes[1]).abs() < 1e-6);
    }
}
