//! Whether a store keeps what it promises. Some answer a create-only write with success although
//! the object exists (rclone 1.75 `serve s3`, SeaweedFS 4.16): with them a late worker would replace
//! results, so they are refused before anything is written.

use super::backend::Creation;
use super::retrying::Store;
use crate::StoreError;

/// Creates one object twice and lists it; returns the promise that the store breaks, if any.
///
/// # Errors
/// [`StoreError`] of the store.
pub fn probe(store: &Store) -> Result<Option<String>, StoreError> {
    let nonce = || {
        format!(
            "{:016x}",
            getrandom::u64().unwrap_or(std::process::id().into())
        )
    };
    let name = format!("probe/{}", nonce());
    let [first, second] = [nonce(), nonce()];
    store.create(&name, first.as_bytes())?;
    let broken = if store.create(&name, second.as_bytes())? != Creation::Existed {
        "this store ignores conditions: it created an object that exists, so a late worker could \
         replace results; use another store or a newer version (docs/training.md#stores)"
    } else if store.get(&name)?.as_deref() != Some(first.as_bytes()) {
        "it does not return what was written"
    } else if !store.list("probe/")?.contains(&name) {
        "it does not list an object that was just written"
    } else {
        return Ok(None);
    };
    Ok(Some(format!("{}: {broken}", store.name())))
}

#[cfg(test)]
mod tests {
    use super::super::faulty::FaultyBackend;
    use super::*;

    #[test]
    fn a_store_that_ignores_conditions_is_refused() {
        let backend = FaultyBackend::new(1);
        assert_eq!(probe(&backend.store()).unwrap(), None);
        backend.lie();
        let message = probe(&backend.store()).unwrap().unwrap_or_default();
        assert!(
            message.contains("this store ignores conditions"),
            "{message}"
        );
    }

    #[test]
    fn a_store_whose_answers_are_lost_is_not_refused() {
        for seed in 0..200 {
            let backend = FaultyBackend::new(seed);
            backend.fail_randomly(0.3);
            let text = probe(&backend.store()).unwrap().unwrap_or_default();
            // A cut read is the one fault that looks like a broken promise.
            assert!(
                text.is_empty() || text.contains("does not return"),
                "{seed}: {text}"
            );
        }
    }
}
