//! From what the user writes to a store.

use std::path::Path;
use std::sync::Arc;

use super::backend::Backend;
use super::folder::FolderBackend;
use super::retrying::{RetryLimits, Store};
use crate::StoreError;
use tengen::clock::Clock;

/// Opens `file:///path`, a plain path, `s3://bucket/run`, `gs://bucket/run` or `az://container/run`.
/// Nothing is written.
///
/// # Errors
/// [`StoreError`] when the URL is empty or not understood, or the build has no object stores.
pub fn open(url: &str, clock: Arc<dyn Clock>, limits: RetryLimits) -> Result<Store, StoreError> {
    let place = url.split_once("://").map_or(url, |(_, place)| place);
    if place.trim().trim_end_matches('/').is_empty() {
        return Err(StoreError {
            store: format!("{url:?}"),
            object: "run".to_owned(),
            reason: "it names no folder and no bucket: give such as /shared/run or s3://bucket/run"
                .to_owned(),
        });
    }
    let url = url.trim_end_matches('/');
    let backend: Arc<dyn Backend> = match url.split_once("://") {
        None => Arc::new(FolderBackend::new(Path::new(url))),
        Some(("file", path)) => Arc::new(FolderBackend::new(Path::new(path))),
        Some(_) => cloud(url)?,
    };
    Ok(Store::new(url, backend, clock, limits))
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

#[cfg(test)]
mod tests {
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
    }
}
