//! From what the user writes to a store.

use std::path::Path;
use std::sync::Arc;

use super::backend::Backend;
use super::folder::FolderBackend;
use super::retrying::{RetryLimits, Store, StoreError};
use crate::clock::Clock;

/// Opens `file:///path`, a plain path, `s3://bucket/run`, `gs://bucket/run` or `az://container/run`.
/// Nothing is written.
///
/// # Errors
/// [`StoreError`] when the URL is not understood, or the build has no object stores.
pub fn open(url: &str, clock: Arc<dyn Clock>, limits: RetryLimits) -> Result<Store, StoreError> {
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
            "this build has no object stores: build it with --features train,cluster, or give a \
                 folder that all machines see"
                .to_owned(),
    })
}
