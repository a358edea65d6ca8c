use super::*;
use crate::shards::row::{Target, finish};
use tengen::game::{BoardSize, Game, Outcome};
use tengen::games::nogo::SmallNoGo;

fn rows() -> (SmallNoGo, Arc<Vec<Row>>) {
    let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
    let mut position = empty.clone();
    let (mut rows, mut moves) = (Vec::new(), Vec::new());
    while let Some(mv) = position.legal_moves().nth(1) {
        let target = Target::new(vec![(mv, 1.0)], 0.5);
        rows.push(Row::record(0, &position, &target));
        moves.push(mv);
        position.play(mv);
    }
    finish(&mut rows, &empty, &moves, Outcome::DRAW);
    (empty, Arc::new(rows))
}

fn targets() -> Targets<SmallNoGo> {
    Targets {
        spec: SPEC,
        teacher: None,
    }
}

const SAMPLING: Sampling = Sampling {
    batch: 3,
    seed: 1,
    surprise_share: 0.5,
};

const SPEC: BatchSpec<SmallNoGo> = BatchSpec {
    encoding: &SmallNoGo::V1,
    aux_heads: &[],
    root_value_share: 0.0,
};

#[test]
fn a_late_start_and_more_threads_see_the_same_batches() {
    let (empty, rows) = rows();
    let start = |threads: usize, first: u64| {
        let boards = std::slice::from_ref(&empty);
        let targets = (0..threads).map(|_| targets()).collect();
        Loader::start(boards, rows.clone(), targets, SAMPLING, first).unwrap()
    };
    let batches = |mut loader: Loader, count: usize| -> Vec<Vec<Batch>> {
        (0..count).map(|_| loader.next_batch().unwrap()).collect()
    };
    let whole = batches(start(1, 0), 12);
    assert_ne!(whole[7], whole[8]);
    for threads in [1, 2, 5] {
        assert_eq!(batches(start(threads, 0), 12), whole, "{threads} threads");
        assert_eq!(
            batches(start(threads, 7), 5),
            whole[7..],
            "{threads} threads"
        );
    }
}

/// How often each row is drawn in each of some epochs.
fn counts(rows: &[Row], sampling: Sampling, epochs: u64) -> Vec<Vec<usize>> {
    let mut order = SampleOrder::new(rows, sampling);
    let len = rows.len() as u64;
    let mut epoch = |epoch: u64| {
        let mut counts = vec![0; rows.len()];
        (0..len).for_each(|i| counts[order.at(epoch * len + i)] += 1);
        counts
    };
    (0..epochs).map(&mut epoch).collect()
}

#[test]
fn every_epoch_sees_every_row_once_in_another_order() {
    let (_, rows) = rows();
    for epoch in counts(&rows, SAMPLING, 3) {
        assert!(epoch.iter().all(|&count| count == 1), "{epoch:?}");
    }
    let mut order = SampleOrder::new(&rows, SAMPLING);
    let len = rows.len() as u64;
    let mut epoch = |epoch: u64| -> Vec<usize> {
        let places = epoch * len..(epoch + 1) * len;
        places.map(|place| order.at(place)).collect()
    };
    assert_ne!(epoch(0), epoch(1));
}

#[test]
fn surprising_rows_are_drawn_more_often() {
    let (_, rows) = rows();
    let mut rows = rows[..8].to_vec();
    rows.iter_mut().for_each(|row| row.surprise = 0.5);
    rows[3].surprise = 4.5;
    // The mean is 1: weights 0.5 + 0.5 x 0.5 = 0.75, and 0.5 + 0.5 x 4.5 = 2.75.
    let epochs = counts(&rows, SAMPLING, 400);
    let mean = |row: usize| epochs.iter().map(|epoch| epoch[row]).sum::<usize>() as f64 / 400.0;
    assert!((mean(3) - 2.75).abs() < 0.1, "{}", mean(3));
    assert!((mean(0) - 0.75).abs() < 0.1, "{}", mean(0));
    assert!(epochs.iter().all(|epoch| (2..=3).contains(&epoch[3])));
    let even = Sampling {
        surprise_share: 0.0,
        ..SAMPLING
    };
    assert!(
        counts(&rows, even, 5)
            .iter()
            .flatten()
            .all(|&count| count == 1)
    );
}
