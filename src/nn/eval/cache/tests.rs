//! Tests of the cache.

use super::*;
use crate::eval::testnet::{SMALL, random_batch};
use crate::eval::{FailingEvaluator, Failure, HashEvaluator, suite};

const MIB: usize = 1 << 20;

fn cached(cache: &Arc<EvalCache>) -> CachedEvaluator<HashEvaluator> {
    let inner = HashEvaluator::new(SMALL.info());
    CachedEvaluator::new(inner, Arc::clone(cache)).unwrap()
}

fn cache(bytes: usize) -> Arc<EvalCache> {
    Arc::new(EvalCache::new(&SMALL.info(), bytes))
}

fn entries(cache: &EvalCache) -> usize {
    let filled = |shard: &Mutex<Shard>| shard.lock().used.iter().filter(|&&used| used != 0).count();
    cache.shards.iter().map(filled).sum()
}

fn capacity(cache: &EvalCache) -> usize {
    let keys = cache.shards.iter().map(|shard| shard.lock().keys.len());
    keys.sum()
}

#[test]
fn passes_the_suite() {
    suite::check(&mut cached(&cache(MIB)));
    // Also with so little memory that entries are replaced all the time.
    suite::check(&mut cached(&cache(0)));
}

#[test]
fn answers_are_those_of_the_network_to_the_bit() {
    let cache = cache(MIB);
    for _ in 0..2 {
        suite::agree(
            &mut cached(&cache),
            &mut HashEvaluator::new(SMALL.info()),
            0.0,
        );
    }
}

#[test]
fn known_rows_are_not_computed_again() {
    let cache = cache(MIB);
    // Two calls succeed and the third fails: so the third batch must come from the cache.
    let inner = FailingEvaluator::new(SMALL.info(), 2, Failure::Error);
    let mut evaluator = CachedEvaluator::new(inner, Arc::clone(&cache)).unwrap();
    let (first, second) = (random_batch(60, 4, 1), random_batch(60, 5, 2));
    let before = suite::run(&mut evaluator, &first);
    suite::run(&mut evaluator, &second);
    let after = suite::run(&mut evaluator, &first);
    for index in 0..first.len() {
        suite::assert_same_row(&before, index, &after, index, 0.0);
    }
    assert_eq!(entries(&cache), 9);
    let other = random_batch(60, 4, 3);
    assert!(evaluator.evaluate(&other, &mut Outputs::new()).is_err());
}

#[test]
fn memory_is_bounded_and_the_least_recently_used_goes() {
    let cache = cache(0);
    assert_eq!(capacity(&cache), SHARDS * WAYS);
    let mut evaluator = cached(&cache);
    for seed in 0..50 {
        suite::run(&mut evaluator, &random_batch(60, 20, seed));
    }
    assert_eq!(entries(&cache), SHARDS * WAYS);

    // Keys that all fall into one set: the lowest bits choose the shard, and there is one set.
    let shard_of = |key: u128| cache.shard(key).1 as usize % SHARDS;
    let keys: Vec<u128> = (0..).filter(|&key| shard_of(key) == 0).take(5).collect();
    let mut row = vec![0.0; SMALL.info().policy_len + 2];
    for &key in &keys[..WAYS] {
        cache.insert(key, &row);
    }
    assert!(
        cache.get(keys[0], &mut row),
        "used, so keys[1] is the oldest now"
    );
    cache.insert(keys[4], &row);
    let there: Vec<bool> = keys.iter().map(|&key| cache.get(key, &mut row)).collect();
    assert_eq!(there, [true, false, true, true, true]);
}

#[test]
fn the_budget_is_kept() {
    let info = SMALL.info();
    let cache = EvalCache::new(&info, MIB);
    let entry = 16 + 8 + 4 * (info.policy_len + info.outcomes);
    let bytes = capacity(&cache) * entry;
    assert!((MIB * 9 / 10..=MIB).contains(&bytes), "{bytes}");
}

#[test]
fn a_cache_of_another_network_is_refused() {
    let mut info = SMALL.info();
    info.outcomes = 3;
    let inner = HashEvaluator::new(info);
    assert!(CachedEvaluator::new(inner, cache(MIB)).is_err());
}

#[test]
fn many_workers_share_it() {
    // A table with room for only a few of the rows, so that workers overwrite each other's entries.
    let cache = cache(0);
    std::thread::scope(|scope| {
        for worker in 0..8 {
            let cache = &cache;
            scope.spawn(move || {
                let mut evaluator = cached(cache);
                let mut plain = HashEvaluator::new(SMALL.info());
                for round in 0..500 {
                    let batch = random_batch(60, 3, (worker * 7 + round) % 200);
                    let with = suite::run(&mut evaluator, &batch);
                    let without = suite::run(&mut plain, &batch);
                    for index in 0..batch.len() {
                        suite::assert_same_row(&with, index, &without, index, 0.0);
                    }
                }
            });
        }
    });
    assert!(entries(&cache) > SHARDS);
}
