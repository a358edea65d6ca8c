use super::*;
use crate::durable;
use crate::fit::params::Schedule;
use crate::fit::teacher::TeacherParams;
use crate::network::architecture::Architecture;
use crate::play::generate::tests::{plan, run};
use tengen::clock::FakeClock;
use tengen::game::{BoardSize, Game};
use tengen::games::nogo::SmallNoGo;
use tengen_nn::files::scratch::Scratch;

fn data(folder: &Path) -> (SmallNoGo, Dataset) {
    run(&plan(12), folder).unwrap();
    let folders = [folder.to_path_buf()];
    let empty = SmallNoGo::new(BoardSize::square(4)).unwrap();
    (empty, Dataset::load(&folders, 10_000, 0.3).unwrap())
}

fn params() -> FitParams {
    FitParams {
        batch: 16,
        score_every: 5,
        ..FitParams::of::<SmallNoGo>("az-1b8c".parse().unwrap(), 40, &Fit::default())
    }
}

/// Fits in `folder` from the weights of `start` and breaks off after `steps` steps.
fn attempt(
    data: &(SmallNoGo, Dataset),
    params: &FitParams,
    folder: &Path,
    steps: u64,
    start: Option<&Checkpoint>,
) -> Result<Checkpoint, TrainError> {
    let (empty, dataset) = data;
    let context = FitContext {
        folder,
        device: Device::Cpu,
        clock: &FakeClock::new(),
        checkpoint_every: Duration::ZERO,
        start_from: start,
        teachers: &[],
    };
    fit(
        std::slice::from_ref(empty),
        dataset.clone(),
        params,
        &context,
        |report| {
            if report.step == steps {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        },
    )
}

fn session(data: &(SmallNoGo, Dataset), folder: &Path, steps: u64) -> Checkpoint {
    attempt(data, &params(), folder, steps, None).unwrap()
}

#[test]
fn a_killed_run_goes_on_to_the_bit() {
    let (whole, killed) = (Scratch::new("fit-whole"), Scratch::new("fit-killed"));
    let scratch = Scratch::new("fit-data");
    let data = data(scratch.path());
    let at_once = session(&data, whole.path(), 40);
    assert_eq!(session(&data, killed.path(), 23).step, 23);
    // The newest checkpoint is damaged, too: the one before it is used.
    let checkpoints = durable::list(killed.path(), "step-", "checkpoint").unwrap();
    assert_eq!(checkpoints.len(), 2);
    std::fs::write(&checkpoints[1], b"damaged").unwrap();
    let resumed = session(&data, killed.path(), 41);
    assert!(resumed == at_once, "a resumed run differs");
    let log = |folder: &Path| std::fs::read_to_string(folder.join("losses.jsonl")).unwrap();
    assert_eq!(log(whole.path()), log(killed.path()));
    assert_eq!(log(whole.path()).lines().count(), 8);
}

/// What was read of it stays whole, also when the disk is full: a line is never half written.
#[test]
fn the_log_is_replaced_and_not_written_into() {
    let scratch = Scratch::new("fit-log");
    let mut log = Log::open(scratch.path(), 0).unwrap();
    let mut append = |step: u64| {
        log.append(&FitReport {
            step,
            policy_loss: 1.0,
            value_loss: 1.0,
            aux_losses: std::collections::BTreeMap::new(),
            gradient_norm: 1.0,
            learning_rate: 1.0,
            held_out: None,
            untrained: held_out::HeldOutLosses::default(),
        })
        .unwrap();
    };
    let [log, before] = ["losses.jsonl", "before"].map(|name| scratch.path().join(name));
    append(1);
    std::fs::hard_link(&log, &before).unwrap();
    append(2);
    let lines = |path: &Path| std::fs::read_to_string(path).unwrap().lines().count();
    assert_eq!((lines(&before), lines(&log)), (1, 2));
}

#[test]
fn a_damaged_checkpoint_does_not_replace_a_sound_one() {
    let (scratch, folder) = (Scratch::new("fit-sound-data"), Scratch::new("fit-sound"));
    let done = session(&data(scratch.path()), folder.path(), 10);
    let save = |step: u64| {
        let later = Checkpoint {
            step,
            ..done.clone()
        };
        later.save(folder.path()).unwrap()
    };
    std::fs::write(save(20), b"damaged").unwrap();
    save(15);
    let kept = durable::list(folder.path(), "step-", "checkpoint").unwrap();
    let steps: Vec<u64> = kept
        .iter()
        .map(|path| Checkpoint::load(path).unwrap().step)
        .collect();
    assert!(matches!(&*steps, [..=10, 15]), "{steps:?}");
}

#[test]
fn what_is_no_checkpoint_is_named() {
    let scratch = Scratch::new("fit-no-checkpoint");
    let network = scratch.path().join("a.onnx");
    std::fs::write(&network, b"a network").unwrap();
    for folder in ["weights", "generation-0001/fit", "generation-0002/fit"] {
        let folder = scratch.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("step-1.a.checkpoint"), b"a checkpoint").unwrap();
    }
    let refused = |path: &Path| Checkpoint::open(path).unwrap_err().to_string();
    assert!(refused(&network).contains("it is no checkpoint"));
    let newest = scratch.path().join("generation-0002/fit");
    let told = format!(
        "no checkpoint itself; give {}, which does",
        newest.display()
    );
    assert!(refused(scratch.path()).contains(&told));
}

#[test]
fn a_run_of_other_settings_is_told_what_differs() {
    let (scratch, folder) = (Scratch::new("fit-other-data"), Scratch::new("fit-other"));
    let data = data(scratch.path());
    session(&data, folder.path(), 3);
    let other = FitParams {
        seed: 77,
        ..params()
    };
    let refused = attempt(&data, &other, folder.path(), 5, None).unwrap_err();
    let expected = format!("seed: {} and not 77; choose another folder", params().seed);
    assert!(refused.to_string().contains(&expected), "{refused}");
}

#[test]
fn a_run_goes_on_with_the_same_rows_and_teacher_only() {
    let (scratch, folder) = (Scratch::new("fit-rows-data"), Scratch::new("fit-rows"));
    let data = data(scratch.path());
    let with = |held_out: f64, hash: &str| FitParams {
        rows: Some(RowsParams {
            held_out,
            window: 10_000,
        }),
        teacher: Some(TeacherParams {
            networks: vec!["b6c96".to_owned()],
            hashes: vec![hash.to_owned()],
            share: 0.5,
        }),
        ..params()
    };
    // A checkpoint from before both were kept goes on, and then has them.
    let mut older = with(0.3, "a");
    older.rows = None;
    older.teacher.as_mut().unwrap().hashes.clear();
    let (empty, dataset) = &data;
    let context = FitContext {
        folder: folder.path(),
        device: Device::Cpu,
        clock: &FakeClock::new(),
        checkpoint_every: Duration::ZERO,
        start_from: None,
        teachers: &[],
    };
    let encoding = find_encoding::<SmallNoGo>(&older.encoding).unwrap();
    let begin = |params: &FitParams| {
        begin(
            std::slice::from_ref(empty),
            dataset,
            params,
            encoding,
            &context,
        )
    };
    let first = begin(&older).unwrap();
    first.save(folder.path()).unwrap();
    let goes_on = begin(&with(0.3, "a")).unwrap();
    assert_eq!(goes_on.params, with(0.3, "a"));
    goes_on.save(folder.path()).unwrap();
    for (other, named) in [
        (with(0.5, "a"), "held_out of rows: 0.3 and not 0.5"),
        (with(0.3, "b"), "hashes of teacher"),
    ] {
        let refused = begin(&other).unwrap_err().to_string();
        assert!(
            refused.contains(named) && refused.contains("another folder"),
            "{refused}"
        );
    }
}

#[test]
fn without_rows_to_score_there_is_no_validation() {
    let (scratch, folder) = (
        Scratch::new("fit-no-score-data"),
        Scratch::new("fit-no-score"),
    );
    let params = FitParams {
        steps: 5,
        score_rows: 0,
        ..params()
    };
    attempt(&data(scratch.path()), &params, folder.path(), 5, None).unwrap();
    assert!(last_losses(folder.path())["held_out"].is_null());
}

/// Validation losses of so small a data set may rise: after 40 steps that of the policy did with
/// six seeds in eight, after 200 with one. Training losses fell with each of six.
#[test]
fn fitting_helps() {
    let (folder, scratch) = (Scratch::new("fit-helps"), Scratch::new("fit-helps-data"));
    let params = FitParams {
        steps: 200,
        ..params()
    };
    let data = data(scratch.path());
    attempt(&data, &params, folder.path(), 200, None).unwrap();
    let log = std::fs::read_to_string(folder.path().join("losses.jsonl")).unwrap();
    let loss = |line: &str| {
        let report: serde_json::Value = serde_json::from_str(line).unwrap();
        let of = |head: &str| report[head].as_f64().unwrap();
        of("policy_loss") + of("value_loss")
    };
    let losses: Vec<f64> = log.lines().map(loss).collect();
    let quarter = losses.len() / 4;
    let sum = |losses: &[f64]| losses.iter().sum::<f64>();
    let [first, last] = [&losses[..quarter], &losses[losses.len() - quarter..]].map(sum);
    assert!(last < first, "{losses:?}");
}

/// The losses of the last report of a run.
fn last_losses(folder: &Path) -> serde_json::Value {
    let log = std::fs::read_to_string(folder.join("losses.jsonl")).unwrap();
    serde_json::from_str(log.lines().last().unwrap()).unwrap()
}

/// A run in two sessions equals the run in one; it has the heads of `aux_heads`, and they learn.
#[track_caller]
fn check(net: &str, schedule: Schedule, aux_heads: &[&str]) {
    let (whole, parts) = (Scratch::new("fit-all"), Scratch::new("fit-parts"));
    let scratch = Scratch::new("fit-all-data");
    let data = data(scratch.path());
    let architecture: Architecture = net.parse().unwrap();
    let params = FitParams {
        architecture,
        encoding: architecture.family.encoding().to_owned(),
        schedule,
        ..params()
    };
    let at_once = attempt(&data, &params, whole.path(), 40, None).unwrap();
    attempt(&data, &params, parts.path(), 25, None).unwrap();
    let resumed = attempt(&data, &params, parts.path(), 40, None).unwrap();
    assert!(resumed == at_once, "{net}: a resumed run differs");
    let adapted = at_once.rate_factor != 1.0;
    assert_eq!(adapted, matches!(schedule, Schedule::Kl { .. }));
    let losses = last_losses(whole.path());
    let loss = |score: &str, head: &str| losses[score]["extras"][head].as_f64().unwrap();
    for head in ["ownership", "fate", "score", "reply"] {
        let there = loss("held_out", head) > 0.0;
        assert_eq!(aux_heads.contains(&head), there, "{net} {head}");
    }
    let sum = |score: &str| aux_heads.iter().map(|head| loss(score, head)).sum::<f64>();
    let (now, then) = (sum("held_out"), sum("untrained"));
    assert!(aux_heads.is_empty() || now < then, "{net}: {now} {then}");
}

#[test]
fn all_heads_learn_under_every_schedule_and_resume_to_the_bit() {
    // No step changes the policy by half as much, so that the rate must rise.
    let kl = Schedule::Kl { target: 1e3 };
    check("nogozero+-2b8c", Schedule::Step, &["ownership", "score"]);
    check("tengen-2b8c", kl, &["fate", "score", "reply"]);
    check("az+garb-2b8c", Schedule::Constant, &[]);
}

#[test]
fn a_run_starts_where_another_of_the_same_or_a_smaller_network_ended() {
    let (first, second) = (Scratch::new("fit-first"), Scratch::new("fit-second"));
    let scratch = Scratch::new("fit-start-data");
    let data = data(scratch.path());
    let done = session(&data, first.path(), 40);
    let rest = FitParams {
        learning_rate: 1e-9,
        weight_decay: 0.0,
        steps: 5,
        ..params()
    };
    attempt(&data, &rest, second.path(), 5, Some(&done)).unwrap();
    let loss = |folder: &Path| {
        last_losses(folder)["held_out"]["policy_loss"]
            .as_f64()
            .unwrap()
    };
    let (before, after) = (loss(first.path()), loss(second.path()));
    assert!((before - after).abs() < 0.05, "{before} {after}");

    // A larger network of the family is as good from its first step on.
    let larger = FitParams {
        architecture: "az-2b12c".parse().unwrap(),
        ..rest
    };
    let grown = Scratch::new("fit-grown");
    attempt(&data, &larger, grown.path(), 5, Some(&done)).unwrap();
    let after = loss(grown.path());
    assert!((before - after).abs() < 0.05, "{before} {after}");

    let third = Scratch::new("fit-third");
    let smaller = FitParams {
        architecture: "az-1b4c".parse().unwrap(),
        ..params()
    };
    let refused = attempt(&data, &smaller, third.path(), 5, Some(&done)).unwrap_err();
    assert!(
        refused.to_string().contains("the same or a larger one"),
        "{refused}"
    );
    let other = FitParams {
        encoding: "nogo-1".to_owned(),
        ..params()
    };
    let refused = attempt(&data, &other, third.path(), 5, Some(&done)).unwrap_err();
    assert!(refused.to_string().contains("4x4 nogo-az"), "{refused}");
    let unknown = FitParams {
        encoding: "nogo-9".to_owned(),
        ..params()
    };
    let refused = attempt(&data, &unknown, third.path(), 5, None).unwrap_err();
    assert!(refused.to_string().contains("nogo-az"), "{refused}");
}

/// The optimiser's state for one number's gradient after one more step, from the one before.
fn gathered(before: [f32; 2], after: [f32; 2]) -> f32 {
    let gradient = (after[0] - 0.9 * before[0]) / 0.1;
    let square = 0.999 * before[1] + 0.001 * gradient * gradient;
    (square - after[1]).abs() / (after[1] + 1e-9)
}

/// A short fit of each generation would otherwise begin with an average of its own first steps, and
/// with an empty optimiser state.
#[test]
fn a_run_of_the_same_network_goes_on_with_its_averages_and_its_optimiser() {
    let (first, second) = (Scratch::new("fit-before"), Scratch::new("fit-after"));
    let scratch = Scratch::new("fit-on-data");
    let data = data(scratch.path());
    let done = session(&data, first.path(), 40);
    let rest = FitParams {
        seed: 2,
        ..params()
    };
    let after = attempt(&data, &rest, second.path(), 1, Some(&done)).unwrap();
    assert_eq!((after.step, after.steps_so_far()), (1, 41));
    // The average moves by the share for 40 steps and not for none.
    let share = 1.0 - 41.0 / 50.0;
    let [was, is, weights] = [&done.average, &after.average, &after.weights];
    let tensors = was
        .tensors()
        .iter()
        .zip(is.tensors())
        .zip(weights.tensors());
    for ((was, is), now) in tensors {
        for ((was, is), now) in was.values.iter().zip(&is.values).zip(&now.values) {
            let expected = was + share * (now - was);
            assert!((is - expected).abs() < 1e-5, "{is} and not {expected}");
        }
    }
    let slots = |memory: &Optimizer| {
        let pairs = memory.first.iter().zip(&memory.second);
        let pairs = pairs.flat_map(|(first, second)| first.iter().zip(second));
        pairs.map(|(m, v)| [*m, *v]).collect::<Vec<_>>()
    };
    let pairs = slots(&done.optimizer)
        .into_iter()
        .zip(slots(&after.optimizer));
    let worst = pairs.map(|(was, is)| gathered(was, is)).fold(0.0, f32::max);
    assert!(worst < 0.01, "{worst}");

    // A killed run continues bit by bit.
    let whole = Scratch::new("fit-after-whole");
    let at_once = attempt(&data, &rest, whole.path(), 40, Some(&done)).unwrap();
    attempt(&data, &rest, second.path(), 23, Some(&done)).unwrap();
    let resumed = attempt(&data, &rest, second.path(), 40, Some(&done)).unwrap();
    assert!(resumed == at_once, "a resumed run differs");
    assert_eq!(resumed.steps_so_far(), 80);
}
