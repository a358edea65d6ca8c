//! Tests of the generator, and a search for other tests.

use super::*;
use crate::play::selfplay::play;
use crate::shards::row::Target;
use rand::{Rng as _, SeedableRng as _};
use rand_xoshiro::Xoshiro256PlusPlus;
use tengen::game::{BoardSize, Move};
use tengen::games::nogo::SmallNoGo;
use tengen_nn::files::scratch::Scratch;

/// Prefers the corners of a 4x4 board.
struct Corners;

impl GameGenerator<SmallNoGo> for Corners {
    fn play(
        &self,
        start: &SmallNoGo,
        settings: &SelfPlay,
        queue: &GameQueue,
        done: &mut dyn FnMut(PlayedGame) -> ControlFlow<()>,
    ) -> Result<(), TrainError> {
        let visits = |mv: Move| match mv.0 {
            0 | 3 | 12 | 15 => (mv, 9.0),
            _ => (mv, 1.0),
        };
        let search =
            |position: &SmallNoGo| Target::new(position.legal_moves().map(visits).collect(), 0.0);
        while let Some((game, seed)) = queue.take() {
            let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
            // As other players do, for one of their own.
            rng.next_u64();
            if done(play(start, game, settings, search, &mut rng)).is_break() {
                break;
            }
        }
        Ok(())
    }
}

pub(crate) fn plan(games: u64) -> GamesPlan {
    GamesPlan {
        first: 0,
        games,
        seed: 9,
        threads: 2,
        settings: SelfPlay {
            games_per_shard: 3,
            sgf_every: 0,
            ..SelfPlay::default()
        },
        generator: "corners".to_owned(),
    }
}

pub(crate) fn run(plan: &GamesPlan, folder: &Path) -> Result<Progress, TrainError> {
    watch(plan, folder, |_| ())
}

/// Runs the plan; `observe` is called while it runs.
fn watch(
    plan: &GamesPlan,
    folder: &Path,
    mut observe: impl FnMut(Progress),
) -> Result<Progress, TrainError> {
    let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
    generate(&start, plan, folder, &Corners, |progress| {
        observe(progress);
        Ok(())
    })
}

/// All rows of a folder in the order of games and plies.
pub(crate) fn rows(folder: &Path) -> Vec<Row> {
    let mut rows: Vec<Row> = shard::list(folder)
        .unwrap()
        .iter()
        .flat_map(|path| shard::read(path).unwrap().rows)
        .collect();
    rows.sort_by_key(|row| (row.game, row.ply));
    rows
}

#[test]
fn sessions_add_up_to_one_run() {
    let (whole, parts) = (Scratch::new("whole"), Scratch::new("parts"));
    let at_once = run(&plan(10), whole.path()).unwrap();
    assert_eq!(run(&plan(4), parts.path()).unwrap().games, 4);
    // A crash: the last game is lost, and a file is left unfinished.
    let shards = shard::list(parts.path()).unwrap();
    assert_eq!(shards.len(), 1, "merged");
    let all = shard::read(&shards[0]).unwrap();
    let kept = all.rows.iter().filter(|row| row.game < 3).cloned();
    shard::write(parts.path(), &all.info, &kept.collect::<Vec<_>>()).unwrap();
    std::fs::remove_file(&shards[0]).unwrap();
    std::fs::write(parts.path().join(".unfinished-x"), b"x").unwrap();
    let resumed = run(&plan(10), parts.path()).unwrap();
    assert_eq!(resumed.resumed, 3);
    assert_eq!(
        Progress {
            resumed: 0,
            ..resumed
        },
        at_once
    );
    assert_eq!(rows(parts.path()), rows(whole.path()));
    assert_eq!(at_once.positions as usize, rows(whole.path()).len());
}

/// As many machines play them: in parts, on any number of threads.
#[test]
fn a_shard_has_the_same_bytes_on_any_number_of_threads() {
    let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
    let shard = |threads| {
        let plan = GamesPlan {
            threads,
            first: 5,
            ..plan(12)
        };
        generate_shard(&start, &plan, &Corners, |_| Ok(())).unwrap()
    };
    let (bytes, progress) = shard(1);
    for threads in 2..6 {
        assert!(shard(threads) == (bytes.clone(), progress), "{threads}");
    }
    let read = shard::decode(Path::new("shard"), bytes).unwrap();
    assert_eq!((progress.games, read.rows[0].game), (12, 5));
    assert_eq!(
        count_games(&read.rows),
        Progress {
            evaluations: 0,
            ..progress
        }
    );
    let (parts, whole) = (Scratch::new("shard-parts"), Scratch::new("shard-whole"));
    shard::keep(parts.path(), 5, &shard(2).0).unwrap();
    let found = [5, 6].map(|first| shard::find(parts.path(), first).unwrap().is_some());
    assert_eq!(found, [true, false]);
    run(&plan(17), whole.path()).unwrap();
    let wanted = rows(whole.path()).into_iter().filter(|row| row.game >= 5);
    assert_eq!(rows(parts.path()), wanted.collect::<Vec<_>>());
}

#[cfg_attr(windows, ignore = "a folder with an open lock cannot be removed there")]
#[test]
fn a_failure_of_the_writer_ends_the_run() {
    let scratch = Scratch::new("writer-fails");
    let folder = scratch.path().join("games");
    let failed = watch(&plan(100), &folder, |_| {
        // As with a full or unplugged disk: from now on writes fail.
        let _ = std::fs::remove_dir_all(&folder);
    });
    assert!(matches!(failed, Err(TrainError::Io { .. })), "{failed:?}");
}

#[test]
fn a_folder_in_use_is_left_alone() {
    let scratch = Scratch::new("in-use");
    let mut refused = 0;
    watch(&plan(4), scratch.path(), |_| {
        let second = run(&plan(4), scratch.path());
        let busy = |error: TrainError| error.to_string().contains("another process");
        refused += u32::from(second.is_err_and(busy));
    })
    .unwrap();
    assert!(refused >= 5, "at the start and after each game: {refused}");
}

#[test]
fn another_plan_needs_another_folder() {
    let scratch = Scratch::new("other-plan");
    run(&plan(1), scratch.path()).unwrap();
    let message = run(&GamesPlan { seed: 8, ..plan(2) }, scratch.path())
        .unwrap_err()
        .to_string();
    assert!(message.contains("choose another folder"), "{message}");
}

#[test]
fn games_that_are_ended_are_kept_as_far_as_they_are_finished() {
    let scratch = Scratch::new("ended-games");
    let start = SmallNoGo::new(BoardSize::square(4)).unwrap();
    let mut plan = plan(100);
    plan.settings.games_per_shard = 100;
    let mut finished = 0;
    let ended = generate(&start, &plan, scratch.path(), &Corners, |progress| {
        finished = progress.games;
        match finished {
            ..5 => Ok(()),
            _ => Err(TrainError::Interrupted),
        }
    });
    assert!(matches!(ended, Err(TrainError::Interrupted)), "{ended:?}");
    assert_eq!(count_games(&rows(scratch.path())).games, finished);
    // The same command plays the rest.
    assert_eq!(run(&plan, scratch.path()).unwrap().games, 100);
}
