use super::*;
use crate::clock::FakeClock;
use crate::game::nogo::SmallNoGo;
use crate::game::{BoardSize, Game};
use crate::train::dataset::Selection;
use crate::train::generate::tests::{plan, run};
use crate::train::scratch::Scratch;

fn data(folder: &Path) -> (SmallNoGo, Dataset) {
    run(&plan(12), folder).unwrap();
    let folders = vec![folder.to_path_buf()];
    let selection = Selection {
        folders,
        window: 10_000,
        held_out: 0.3,
    };
    let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
    (empty, Dataset::load(&selection).unwrap())
}

fn params() -> FitParams {
    FitParams {
        batch: 16,
        score_every: 5,
        ..FitParams::new("az-1b8c".parse().unwrap(), 40)
    }
}

/// Fits in `folder` and breaks off after `steps` steps.
fn session(data: &(SmallNoGo, Dataset), folder: &Path, steps: u64) -> Checkpoint {
    let (empty, dataset) = data;
    let place = Workplace {
        folder,
        device: Device::flex().autodiff(),
        clock: &FakeClock::new(),
        checkpoint_every: Duration::ZERO,
        start_from: None,
    };
    fit(empty, dataset.clone(), &params(), &place, |report| {
        if report.step == steps {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    })
    .unwrap()
}

#[test]
fn fitting_helps_and_a_killed_run_goes_on_to_the_bit() {
    let (whole, killed) = (Scratch::new("fit-whole"), Scratch::new("fit-killed"));
    let scratch = Scratch::new("fit-data");
    let data = data(scratch.path());
    let at_once = session(&data, whole.path(), 40);
    assert_eq!(session(&data, killed.path(), 23).step, 23);
    // The newest checkpoint is damaged too: the one before it serves.
    let checkpoints = durable::list(killed.path(), "step-", "checkpoint").unwrap();
    assert_eq!(checkpoints.len(), 2);
    std::fs::write(&checkpoints[1], b"damaged").unwrap();
    let resumed = session(&data, killed.path(), 41);
    assert!(resumed == at_once, "a resumed run differs");
    let log = |folder: &Path| std::fs::read_to_string(folder.join("losses.jsonl")).unwrap();
    assert_eq!(log(whole.path()), log(killed.path()));
    let lines: Vec<serde_json::Value> = log(whole.path())
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 8);
    let last = &lines[7];
    let loss = |score: &str| last[score]["policy_loss"].as_f64().unwrap();
    assert!(loss("held_out") < loss("untrained"), "{last}");
}
