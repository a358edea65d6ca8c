//! From what the user writes to a store, and whether it keeps what it promises.

use std::path::PathBuf;
use std::sync::Arc;

use super::folder::FolderBackend;
use super::retrying::{RetryLimits, Store};
use super::{Backend, Creation};
use crate::StoreError;
use tengen::clock::Clock;

/// Opens a folder, `s3://bucket/run`, `gs://bucket/run` or `az://container/run`.
/// Nothing is written.
///
/// # Errors
/// [`StoreError`] when the URL is empty or not understood, or the build has no object stores.
pub fn open(url: &str, clock: Arc<dyn Clock>, limits: RetryLimits) -> Result<Store, StoreError> {
    let folder = folder_of(url)?;
    let url = url.trim_end_matches('/');
    let backend: Arc<dyn Backend> = match folder {
        Some(folder) => Arc::new(FolderBackend::new(&folder)),
        None => cloud(url)?,
    };
    Ok(Store::new(url, backend, clock, limits))
}

/// The folder that a URL names; `None` if it names a bucket.
///
/// # Errors
/// [`StoreError`] when it names neither.
pub fn folder_of(url: &str) -> Result<Option<PathBuf>, StoreError> {
    let refused = |store: String, reason: &str| {
        Err(StoreError {
            store,
            object: "run".to_owned(),
            reason: reason.to_owned(),
        })
    };
    let (scheme, place) = url.split_once("://").unwrap_or(("", url));
    let place = place.trim_end_matches('/');
    if place.trim().is_empty() {
        let reason =
            "it names no folder and no bucket: give such as /shared/run or s3://bucket/run";
        return refused(format!("{url:?}"), reason);
    }
    match scheme {
        "" => Ok(Some(PathBuf::from(place))),
        "s3" | "gs" | "az" => Ok(None),
        _ => {
            let reason = "a run is in a folder, given by its path alone, or in a bucket: s3://, gs:// or az://";
            refused(url.to_owned(), reason)
        }
    }
}

#[cfg(feature = "cluster")]
fn cloud(url: &str) -> Result<Arc<dyn Backend>, StoreError> {
    Ok(Arc::new(super::cloud::CloudBackend::open(url)?))
}

#[cfg(not(feature = "cluster"))]
fn cloud(url: &str) -> Result<Arc<dyn Backend>, StoreError> {
    Err(StoreError {
        store: url.to_owned(),
        object: "run".to_owned(),
        reason:
            "this build has no object stores: build it with -p tengen-train --features cluster, or give a \
                 folder that all machines see"
                .to_owned(),
    })
}

// Whether a store keeps what it promises. Some answer a create-only write with success although
// the object exists (rclone 1.75 `serve s3`, SeaweedFS 4.16): with them a late worker would replace
// results, so they are refused before anything is written.

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
    use tengen::clock::SystemClock;

    #[test]
    fn a_name_without_a_folder_or_a_bucket_is_refused() {
        for empty in ["", " ", "/", "file://", "file:///", "s3://"] {
            let clock = Arc::new(SystemClock::new());
            let refused = open(empty, clock, RetryLimits::default()).err().unwrap();
            let message = refused.to_string();
            assert!(
                message.contains("names no folder") && message.starts_with(&format!("{empty:?}")),
                "{message}"
            );
        }
        for other in ["file:///tmp/run", "http://host/run", "ftp://b/r"] {
            let message = folder_of(other).unwrap_err().to_string();
            assert!(message.starts_with(other), "{message}");
        }
        assert_eq!(folder_of("s3://bucket/run"), Ok(None));
        assert_eq!(folder_of("runs/a/"), Ok(Some("runs/a".into())));
    }

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
