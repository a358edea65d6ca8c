//! Networks shared by several engines: loaded once, with one cache and, on a GPU, one batcher.

use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use super::fallbacks::Attempt;
use crate::encode::Encode;
use crate::game::BoardSize;
use crate::search::{EvaluatorMaker, SearchError};
use tengen_nn::eval::{
    CachedEvaluator, EvalCache, EvalError, Evaluator, EvaluatorFactory, ModelInfo,
};

/// Networks in use. Clones share them; a single user has them exclusively.
#[derive(Clone, Default)]
pub struct Networks(Arc<Mutex<Vec<Shared>>>);

/// A network for a board, alive while it is in use.
struct Shared {
    attempt: Attempt,
    game: &'static str,
    size: BoardSize,
    info: ModelInfo,
    maker: Weak<MakeEvaluator>,
}

/// What an [`EvaluatorMaker`] points to.
type MakeEvaluator = dyn Fn() -> Result<Box<dyn Evaluator>, EvalError> + Send + Sync;

impl Networks {
    /// The network of an attempt and the maker of its evaluators: shared if it is in use, else
    /// loaded. All users of `self` have the same settings, so the attempt and the board identify
    /// it.
    ///
    /// # Errors
    /// [`SearchError`] when it cannot be loaded or does not fit the position.
    pub(super) fn open<G: Encode>(
        &self,
        attempt: &Attempt,
        position: &G,
        cache_mib: u32,
    ) -> Result<(ModelInfo, EvaluatorMaker), SearchError> {
        // Concurrent users wait while it is being loaded.
        let mut all = self.0.lock();
        all.retain(|shared| shared.maker.strong_count() > 0);
        let size = position.size();
        let same = |shared: &&Shared| {
            let board = (shared.game, shared.size) == (G::NAME, size);
            board && shared.attempt.is_same(attempt)
        };
        let known = all.iter().find(same);
        let known = known.and_then(|shared| Some((shared.info.clone(), shared.maker.upgrade()?)));
        if let Some(known) = known {
            return Ok(known);
        }
        let factory = attempt.open(position)?;
        let info = factory.info().clone();
        let maker = remembering(factory, cache_mib);
        all.push(Shared {
            attempt: attempt.clone(),
            game: G::NAME,
            size,
            info: info.clone(),
            maker: Arc::downgrade(&maker),
        });
        Ok((info, maker))
    }

    /// Lets the next user load its network again, with an empty cache.
    pub fn forget(&self) {
        self.0.lock().clear();
    }
}

/// Creates evaluators that share one cache: a new game, or a pruned position that is reached again,
/// needs no new evaluation.
fn remembering(factory: EvaluatorFactory, cache_mib: u32) -> EvaluatorMaker {
    if cache_mib == 0 {
        return Arc::new(move || factory.make());
    }
    let cache = Arc::new(EvalCache::new(factory.info(), (cache_mib as usize) << 20));
    Arc::new(move || {
        let cached = CachedEvaluator::new(factory.make()?, Arc::clone(&cache))?;
        Ok(Box::new(cached) as Box<dyn Evaluator>)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::NetworkSetup;
    use crate::engine::fallbacks::fallbacks;
    use crate::engine::testing::network_setup;
    use crate::game::Game;
    use crate::games::go::SmallGo;
    use tengen_nn::eval::BackendKind;

    #[test]
    fn a_network_is_loaded_once_as_long_as_it_is_used() {
        let setup = NetworkSetup {
            backend: Some(BackendKind::Native),
            ..network_setup()
        };
        let networks = Networks::default();
        let attempts = fallbacks(&setup);
        let attempt = attempts.front().expect("there is a network");
        let start = SmallGo::new(BoardSize::square(9)).expect("a usual board");
        let open =
            |networks: &Networks| networks.open(attempt, &start, 1).expect("it is built in").1;
        let first = open(&networks);
        let again = open(&networks.clone());
        assert!(Arc::ptr_eq(&first, &again));
        assert!(!Arc::ptr_eq(&first, &open(&Networks::default())));
        networks.forget();
        let reopened = open(&networks);
        assert!(!Arc::ptr_eq(&first, &reopened));
        let made = Arc::downgrade(&reopened);
        drop(reopened);
        assert!(made.upgrade().is_none(), "it is unused");
    }
}
