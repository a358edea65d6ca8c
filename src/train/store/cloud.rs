//! Object stores of clouds and of programs with their interfaces (crate `object_store`): `s3://`,
//! `gs://`, `az://`. Addresses and credentials come from the environment, as in the providers' own
//! tools (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT`, `GOOGLE_SERVICE_ACCOUNT`, `AZURE_STORAGE_ACCOUNT_NAME`).
//!
//! The library is asynchronous and training is not: [`CloudBackend`] owns the runtime, and its
//! methods block.

use std::time::Duration;

use futures_util::TryStreamExt as _;
use object_store::aws::AmazonS3Builder;
use object_store::azure::MicrosoftAzureBuilder;
use object_store::gcp::GoogleCloudStorageBuilder;
use object_store::path::Path;
use object_store::{
    ClientOptions, Error, ObjectStore, ObjectStoreExt as _, PutMode, PutOptions, RetryConfig,
};
use tokio::runtime::Runtime;

use super::{Backend, Creation, Failure};
use crate::StoreError;
use tengen::program::one_line;

/// Time for one attempt: 100 MB at 2 MB/s.
const REQUEST: Duration = Duration::from_secs(60);

/// Time to connect.
const CONNECT: Duration = Duration::from_secs(5);

/// A bucket, or a folder in it.
#[derive(Debug)]
pub(super) struct CloudBackend {
    store: Box<dyn ObjectStore>,
    /// The folder; without `/` at its ends.
    prefix: String,
    runtime: Runtime,
}

impl CloudBackend {
    /// Opens a URL; nothing is requested.
    pub(super) fn open(url: &str) -> Result<CloudBackend, StoreError> {
        let fails = |reason: String| StoreError {
            store: url.to_owned(),
            object: "run".to_owned(),
            reason,
        };
        // The library's own choice of cryptography has to be built with a C compiler for minutes.
        // It fails if it was done before, which is as well.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let (scheme, rest) = url.split_once("://").unwrap_or_default();
        let (bucket, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        // Repeated by `Store`.
        let retry = RetryConfig {
            max_retries: 0,
            ..RetryConfig::default()
        };
        let client = ClientOptions::new()
            .with_timeout(REQUEST)
            .with_connect_timeout(CONNECT);
        let store: Result<Box<dyn ObjectStore>, Error> = match scheme {
            "s3" => AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retry)
                .with_client_options(client.with_allow_http(allows_http("AWS_ALLOW_HTTP")))
                .build()
                .map(|store| Box::new(store) as Box<dyn ObjectStore>),
            "gs" => GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retry)
                .with_client_options(client)
                .build()
                .map(|store| Box::new(store) as Box<dyn ObjectStore>),
            _ => MicrosoftAzureBuilder::from_env()
                .with_container_name(bucket)
                .with_retry(retry)
                .with_client_options(client.with_allow_http(allows_http("AZURE_ALLOW_HTTP")))
                .build()
                .map(|store| Box::new(store) as Box<dyn ObjectStore>),
        };
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("store")
            .enable_all()
            .build()
            .map_err(|error| fails(error.to_string()))?;
        Ok(CloudBackend {
            store: store.map_err(|error| fails(one_line(&error)))?,
            prefix: prefix.trim_matches('/').to_owned(),
            runtime,
        })
    }

    fn path(&self, name: &str) -> Path {
        match self.prefix.is_empty() {
            true => Path::from(name),
            false => Path::from(format!("{}/{name}", self.prefix)),
        }
    }

    /// The name of an object or folder, without the prefix.
    fn name(&self, path: &Path) -> String {
        let whole = path.as_ref();
        // As the library writes it, which encodes some characters.
        let prefix = String::from(self.path(""));
        let name = whole.strip_prefix(&prefix).unwrap_or(whole);
        name.trim_start_matches('/').to_owned()
    }

    fn write(&self, name: &str, bytes: &[u8], mode: PutMode) -> Result<(), Error> {
        let options = PutOptions::from(mode);
        let payload = bytes.to_vec().into();
        let path = self.path(name);
        let put = self.store.put_opts(&path, payload, options);
        self.runtime.block_on(put).map(drop)
    }
}

/// Whether connections need not be encrypted, as for a server in the same room.
fn allows_http(variable: &str) -> bool {
    std::env::var(variable).is_ok_and(|value| value == "true" || value == "1")
}

impl Backend for CloudBackend {
    fn create(&self, name: &str, bytes: &[u8]) -> Result<Creation, Failure> {
        match self.write(name, bytes, PutMode::Create) {
            Ok(()) => Ok(Creation::Created),
            Err(Error::AlreadyExists { .. } | Error::Precondition { .. }) => Ok(Creation::Existed),
            Err(error) => Err(failure(&error)),
        }
    }

    fn put(&self, name: &str, bytes: &[u8]) -> Result<(), Failure> {
        let put = self.write(name, bytes, PutMode::Overwrite);
        put.map_err(|error| failure(&error))
    }

    fn get(&self, name: &str) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.path(name);
        let read = async { self.store.get(&path).await?.bytes().await };
        match self.runtime.block_on(read) {
            Ok(bytes) => Ok(Some(bytes.to_vec())),
            Err(Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(failure(&error)),
        }
    }

    fn list(&self, folder: &str) -> Result<Vec<String>, Failure> {
        let path = self.path(folder.trim_end_matches('/'));
        let objects = self.store.list(Some(&path)).try_collect::<Vec<_>>();
        let objects = self.runtime.block_on(objects);
        let objects = objects.map_err(|error| failure(&error))?.into_iter();
        let mut names: Vec<String> = objects.map(|meta| self.name(&meta.location)).collect();
        names.sort();
        Ok(names)
    }
}

/// What an error of the library means.
fn failure(error: &Error) -> Failure {
    let text = one_line(error);
    match error {
        // Of a write: there is no such bucket.
        Error::NotFound { .. }
        | Error::InvalidPath { .. }
        | Error::NotSupported { .. }
        | Error::NotImplemented { .. }
        | Error::PermissionDenied { .. }
        | Error::Unauthenticated { .. }
        | Error::UnknownConfigurationKey { .. } => Failure::Permanent(text),
        _ => Failure::Transient(text),
    }
}

#[cfg(test)]
mod tests {
    use object_store::memory::InMemory;

    use super::*;

    #[test]
    fn a_folder_may_have_any_name() {
        for prefix in ["", "run", "\u{68cb}/a~b #1%[c]//run"] {
            let backend = CloudBackend {
                store: Box::new(InMemory::new()),
                prefix: prefix.to_owned(),
                runtime: Runtime::new().unwrap(),
            };
            backend.create("g0000/a.json", b"a").unwrap();
            for folder in ["", "g0000/"] {
                assert_eq!(backend.list(folder).unwrap(), ["g0000/a.json"], "{prefix}");
            }
        }
    }
}
