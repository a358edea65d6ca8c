//! Remembers answers: a table shared by all workers, and the evaluator that asks it first.
//!
//! Answers are kept as the `f32` that the network gave, not shortened to 16 bits, so that a search
//! with a cache sees exactly the numbers of a search without. Memory is fixed when the table is
//! made; the operating system hands it over as it is first written.

use std::mem::size_of;
use std::sync::Arc;

use parking_lot::Mutex;

use super::{Batch, EvalError, Evaluator, ModelInfo, Outputs};

/// Parts of the table with a lock each: many more than workers, so that two seldom meet.
const SHARDS: usize = 64;
/// Entries among which a key may lie; their keys fill one cache line.
const WAYS: usize = 4;

/// How often a cache could answer, since it was made or cleared.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CacheStats {
    /// Rows asked for.
    pub lookups: u64,
    /// Rows that were there.
    pub hits: u64,
    /// Rows held now.
    pub entries: u64,
}

/// A table from [`Batch::key`] to the logits of one network, of fixed size. An entry makes room
/// for a new one when it is the least recently used of its set of four.
#[derive(Debug)]
pub struct EvalCache {
    policy_len: usize,
    outcomes: usize,
    shards: Vec<Mutex<Shard>>,
}

/// Entry `i` has key `keys[i]`, was used last at `used[i]` (0: never filled) and holds
/// `logits[i * width..][..width]`, policy first. A set is [`WAYS`] entries in a row.
#[derive(Debug)]
struct Shard {
    keys: Vec<u128>,
    used: Vec<u64>,
    logits: Vec<f32>,
    /// Time in this shard: one tick for each use.
    now: u64,
    stats: CacheStats,
}

impl EvalCache {
    /// A table for the answers of `info`'s network that takes at most `bytes` of memory, or one
    /// set a shard if that is more.
    #[must_use]
    pub fn new(info: &ModelInfo, bytes: usize) -> EvalCache {
        let width = info.policy_len + info.outcomes;
        let entry = size_of::<u128>() + size_of::<u64>() + width * size_of::<f32>();
        let entries = (bytes / SHARDS / (entry * WAYS)).max(1) * WAYS;
        let shard = || {
            Mutex::new(Shard {
                keys: vec![0; entries],
                used: vec![0; entries],
                logits: vec![0.0; entries * width],
                now: 0,
                stats: CacheStats::default(),
            })
        };
        EvalCache {
            policy_len: info.policy_len,
            outcomes: info.outcomes,
            shards: std::iter::repeat_with(shard).take(SHARDS).collect(),
        }
    }

    /// Copies the answer for `key` into row `index` of `out`, if it is there.
    #[must_use]
    pub fn get(&self, key: u128, out: &mut Outputs, index: usize) -> bool {
        let (shard, hash) = self.shard(key);
        let mut shard = shard.lock();
        shard.stats.lookups += 1;
        let Some(entry) = shard.find(key, hash) else {
            return false;
        };
        shard.stats.hits += 1;
        shard.touch(entry);
        let width = self.policy_len + self.outcomes;
        let (policy, value) = shard.logits[entry * width..][..width].split_at(self.policy_len);
        out.policy_mut(index).copy_from_slice(policy);
        out.value_logits_mut(index).copy_from_slice(value);
        true
    }

    /// Remembers row `index` of `answers` under `key`.
    pub fn insert(&self, key: u128, answers: &Outputs, index: usize) {
        let (shard, hash) = self.shard(key);
        let mut shard = shard.lock();
        let entry = shard
            .find(key, hash)
            .unwrap_or_else(|| shard.least_recently_used(hash));
        if shard.used[entry] == 0 {
            shard.stats.entries += 1;
        }
        shard.touch(entry);
        shard.keys[entry] = key;
        let width = self.policy_len + self.outcomes;
        let logits = &mut shard.logits[entry * width..][..width];
        let (policy, value) = logits.split_at_mut(self.policy_len);
        policy.copy_from_slice(answers.policy(index));
        value.copy_from_slice(answers.value_logits(index));
    }

    /// Forgets everything, the statistics too.
    pub fn clear(&self) {
        for shard in &self.shards {
            let mut shard = shard.lock();
            shard.used.fill(0);
            shard.stats = CacheStats::default();
        }
    }

    /// Statistics over all workers.
    #[must_use]
    pub fn stats(&self) -> CacheStats {
        let mut sum = CacheStats::default();
        for shard in &self.shards {
            let stats = shard.lock().stats;
            sum.lookups += stats.lookups;
            sum.hits += stats.hits;
            sum.entries += stats.entries;
        }
        sum
    }

    /// Number of entries that fit.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.shards
            .iter()
            .map(|shard| shard.lock().keys.len())
            .sum()
    }

    fn fits(&self, info: &ModelInfo) -> bool {
        (self.policy_len, self.outcomes) == (info.policy_len, info.outcomes)
    }

    /// The shard of a key, and a hash of which its upper half chooses the set.
    fn shard(&self, key: u128) -> (&Mutex<Shard>, u64) {
        // Keys of positions are random already; this only guards against ones that are not.
        let folded = (key >> 64) as u64 ^ key as u64;
        let hash = folded.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = hash ^ (hash >> 32);
        (&self.shards[hash as usize % SHARDS], hash)
    }
}

impl Shard {
    /// The first entry of the set that a hash chooses.
    fn set(&self, hash: u64) -> usize {
        let sets = (self.keys.len() / WAYS) as u64;
        let upper = hash >> 32;
        ((upper * sets) >> 32) as usize * WAYS
    }

    fn find(&self, key: u128, hash: u64) -> Option<usize> {
        let set = self.set(hash);
        (set..set + WAYS).find(|&entry| self.keys[entry] == key && self.used[entry] != 0)
    }

    fn least_recently_used(&self, hash: u64) -> usize {
        let set = self.set(hash);
        (set..set + WAYS)
            .min_by_key(|&entry| self.used[entry])
            .unwrap_or(set)
    }

    fn touch(&mut self, entry: usize) {
        self.now += 1;
        self.used[entry] = self.now;
    }
}

/// An evaluator that asks a cache first and has only the rest computed.
#[derive(Debug)]
pub struct CachedEvaluator<E> {
    inner: E,
    cache: Arc<EvalCache>,
    /// Rows of the current batch that the cache does not know.
    missing: Vec<usize>,
    batch: Batch,
    answers: Outputs,
}

impl<E: Evaluator> CachedEvaluator<E> {
    /// Puts `cache`, which may be shared with other evaluators of the same network, before
    /// `inner`.
    ///
    /// # Errors
    /// [`EvalError::Run`] when the cache was made for a network with other outputs.
    pub fn new(inner: E, cache: Arc<EvalCache>) -> Result<CachedEvaluator<E>, EvalError> {
        if !cache.fits(inner.info()) {
            return Err(EvalError::Run {
                backend: "cache",
                reason: format!("it was not made for the network {}", inner.info().network),
            });
        }
        let batch = Batch::new(inner.info().row_len());
        Ok(CachedEvaluator {
            inner,
            cache,
            missing: Vec::new(),
            batch,
            answers: Outputs::new(),
        })
    }
}

impl<E: Evaluator> Evaluator for CachedEvaluator<E> {
    fn info(&self) -> &ModelInfo {
        self.inner.info()
    }

    fn evaluate(&mut self, batch: &Batch, out: &mut Outputs) -> Result<(), EvalError> {
        let info = self.inner.info();
        info.check_batch("cache", batch)?;
        out.reset(batch.len(), info.policy_len, info.outcomes);
        self.missing.clear();
        for index in 0..batch.len() {
            if !self.cache.get(batch.key(index), out, index) {
                self.missing.push(index);
            }
        }
        if self.missing.is_empty() {
            return Ok(());
        }
        self.batch.clear();
        for &index in &self.missing {
            let row = self.batch.push(batch.key(index));
            row.copy_from_slice(batch.row(index));
        }
        self.inner.evaluate(&self.batch, &mut self.answers)?;
        for (answer, &index) in self.missing.iter().enumerate() {
            self.cache.insert(batch.key(index), &self.answers, answer);
            out.policy_mut(index)
                .copy_from_slice(self.answers.policy(answer));
            out.value_logits_mut(index)
                .copy_from_slice(self.answers.value_logits(answer));
        }
        Ok(())
    }

    fn preferred_batch(&self) -> usize {
        self.inner.preferred_batch()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testnet::{SMALL, random_batch};
    use super::super::{FailingEvaluator, Failure, HashEvaluator, suite};
    use super::*;

    const MIB: usize = 1 << 20;

    fn cached(cache: &Arc<EvalCache>) -> CachedEvaluator<HashEvaluator> {
        let inner = HashEvaluator::new(SMALL.info());
        CachedEvaluator::new(inner, Arc::clone(cache)).unwrap()
    }

    fn cache(bytes: usize) -> Arc<EvalCache> {
        Arc::new(EvalCache::new(&SMALL.info(), bytes))
    }

    #[test]
    fn passes_the_suite() {
        suite::check(&mut cached(&cache(MIB)));
        // Also with so little room that entries are thrown out all the time.
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
        // Two calls are allowed, the third fails: so the third batch must come from the cache.
        let inner = FailingEvaluator::new(SMALL.info(), 2, Failure::Error);
        let mut evaluator = CachedEvaluator::new(inner, Arc::clone(&cache)).unwrap();
        let (first, second) = (random_batch(60, 4, 1), random_batch(60, 5, 2));
        let before = suite::run(&mut evaluator, &first);
        suite::run(&mut evaluator, &second);
        let after = suite::run(&mut evaluator, &first);
        for index in 0..first.len() {
            suite::assert_same_row(&before, index, &after, index, 0.0);
        }
        let stats = CacheStats {
            lookups: 13,
            hits: 4,
            entries: 9,
        };
        assert_eq!(cache.stats(), stats);
        cache.clear();
        assert_eq!(cache.stats(), CacheStats::default());
        assert!(
            evaluator.evaluate(&first, &mut Outputs::new()).is_err(),
            "forgotten"
        );
    }

    #[test]
    fn memory_is_bounded_and_the_least_recently_used_goes() {
        let cache = cache(0);
        assert_eq!(cache.capacity(), SHARDS * WAYS);
        let mut evaluator = cached(&cache);
        for seed in 0..50 {
            suite::run(&mut evaluator, &random_batch(60, 20, seed));
        }
        assert_eq!(cache.stats().entries, (SHARDS * WAYS) as u64);

        // Keys that all fall into one set: the lowest bits choose the shard, and there is one set.
        let shard_of = |key: u128| cache.shard(key).1 as usize % SHARDS;
        let keys: Vec<u128> = (0..).filter(|&key| shard_of(key) == 0).take(5).collect();
        let mut out = Outputs::new();
        out.reset(1, SMALL.info().policy_len, 2);
        for &key in &keys[..WAYS] {
            cache.insert(key, &out, 0);
        }
        assert!(
            cache.get(keys[0], &mut out, 0),
            "used, so keys[1] is the oldest now"
        );
        cache.insert(keys[4], &out, 0);
        let there: Vec<bool> = keys
            .iter()
            .map(|&key| cache.get(key, &mut out, 0))
            .collect();
        assert_eq!(there, [true, false, true, true, true]);
    }

    #[test]
    fn the_budget_is_kept() {
        let info = SMALL.info();
        let cache = EvalCache::new(&info, MIB);
        let entry = 16 + 8 + 4 * (info.policy_len + info.outcomes);
        let bytes = cache.capacity() * entry;
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
        // A table with room for a few of the rows only, so that workers overwrite each other.
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
        let stats = cache.stats();
        assert_eq!(stats.lookups, 8 * 500 * 3);
        assert!(stats.hits > 0 && stats.hits < stats.lookups);
    }
}
