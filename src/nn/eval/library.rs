//! Finds the ONNX Runtime shared library; the `ort` backend loads it.

use std::path::{Path, PathBuf};

use super::EvalError;
use super::binary::{Fault, fault};

/// The script that fetches the library for this system.
pub const FETCH_SCRIPT: &str = if cfg!(windows) {
    "fetch-onnxruntime.cmd"
} else {
    "scripts/fetch-onnxruntime.sh"
};

/// The library's file name on this system.
pub const LIBRARY_FILE: &str = if cfg!(windows) {
    "onnxruntime.dll"
} else if cfg!(target_os = "macos") {
    "libonnxruntime.dylib"
} else {
    "libonnxruntime.so"
};

/// Where to look for the ONNX Runtime library.
///
/// If the user named a library (`option`, then `variable`), only that one is tried: using another
/// one would hide a typing mistake. Otherwise the folders are searched in order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LibraryPlaces {
    /// The command line's `--ort-library`.
    pub option: Option<PathBuf>,
    /// The environment variable `ORT_DYLIB_PATH`.
    pub variable: Option<PathBuf>,
    /// Folders that may contain [`LIBRARY_FILE`].
    pub folders: Vec<PathBuf>,
}

impl LibraryPlaces {
    /// The default places of this process: `option`, the variable `ORT_DYLIB_PATH`, the folder of
    /// the executable, and `tengen/onnxruntime` in the user's cache folder (`XDG_CACHE_HOME` or
    /// `~/.cache`; on Windows `LOCALAPPDATA`), where [`FETCH_SCRIPT`] puts it.
    #[must_use]
    pub fn usual(option: Option<PathBuf>) -> LibraryPlaces {
        let path = |name: &str| {
            let value = std::env::var_os(name).filter(|value| !value.is_empty());
            value.map(PathBuf::from)
        };
        let beside = std::env::current_exe().ok();
        let beside = beside.and_then(|exe| exe.parent().map(Path::to_owned));
        let cache = if cfg!(windows) {
            path("LOCALAPPDATA")
        } else {
            path("XDG_CACHE_HOME").or_else(|| path("HOME").map(|home| home.join(".cache")))
        };
        let cache = cache.map(|folder| folder.join("tengen").join("onnxruntime"));
        LibraryPlaces {
            option,
            variable: path("ORT_DYLIB_PATH"),
            folders: beside.into_iter().chain(cache).collect(),
        }
    }

    /// Every path to try, in order.
    #[must_use]
    pub fn candidates(&self) -> Vec<PathBuf> {
        match self.option.as_ref().or(self.variable.as_ref()) {
            Some(named) => vec![named.clone()],
            None => self.folders.iter().map(|f| f.join(LIBRARY_FILE)).collect(),
        }
    }

    /// Whether the user has named the library.
    #[cfg(feature = "ort")]
    pub(super) fn is_named(&self) -> bool {
        self.option.is_some() || self.variable.is_some()
    }

    /// The library to load.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] lists the paths tried and how to get the library, also when the
    /// first file found is not a library for this system or is truncated.
    pub fn find(&self) -> Result<PathBuf, EvalError> {
        let candidates = self.candidates();
        if let Some(found) = candidates.iter().find(|path| path.is_file()) {
            let name = found.display();
            check(found).map_err(|reason| unavailable(format!("{name}: {reason}")))?;
            return std::path::absolute(found).map_err(|error| unavailable(error.to_string()));
        }
        let tried: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
        let source = if self.option.is_some() {
            " (from --ort-library)"
        } else if self.variable.is_some() {
            " (from ORT_DYLIB_PATH)"
        } else {
            ""
        };
        Err(unavailable(format!(
            "no ONNX Runtime library at {}{source}; get it with {FETCH_SCRIPT}",
            tried.join(" or ")
        )))
    }
}

fn check(path: &Path) -> Result<(), String> {
    match fault(path).map_err(|error| error.to_string())? {
        None => Ok(()),
        Some(Fault::Foreign) => Err(format!(
            "it is not a library for this system; get it with {FETCH_SCRIPT}"
        )),
        Some(Fault::CutShort) => Err(format!(
            "it is truncated; fetch it again with {FETCH_SCRIPT}"
        )),
    }
}

fn unavailable(reason: String) -> EvalError {
    EvalError::Unavailable {
        backend: "ort",
        reason,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> LibraryPlaces {
        LibraryPlaces {
            option: None,
            variable: None,
            folders: vec!["/nowhere/bin".into(), "/nowhere/cache".into()],
        }
    }

    fn message(places: &LibraryPlaces) -> String {
        places.find().unwrap_err().to_string()
    }

    #[test]
    fn a_missing_library_gives_one_line_that_says_what_to_do() {
        let text = message(&places());
        assert!(text.starts_with("backend ort is not available: "), "{text}");
        assert!(text.contains("/nowhere/bin"), "{text}");
        assert!(text.contains("/nowhere/cache"), "{text}");
        assert!(text.contains(FETCH_SCRIPT), "{text}");
        assert!(!text.contains('\n'), "{text}");
    }

    #[test]
    fn a_named_library_is_the_only_one_tried() {
        let mut named = places();
        named.variable = Some("/nowhere/variable.so".into());
        assert!(message(&named).contains("at /nowhere/variable.so (from ORT_DYLIB_PATH);"));
        named.option = Some("/nowhere/option.so".into());
        assert!(message(&named).contains("at /nowhere/option.so (from --ort-library);"));
    }

    /// This test executable, with the mark of a library where a program has another one.
    fn library() -> Vec<u8> {
        let mut bytes = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        if cfg!(windows) {
            // IMAGE_FILE_DLL among the characteristics.
            let header = u32::from_le_bytes(bytes[0x3c..0x40].try_into().unwrap());
            bytes[header as usize + 23] |= 0x20;
        } else if cfg!(target_vendor = "apple") {
            // MH_DYLIB.
            bytes[12] = 6;
        }
        bytes
    }

    #[test]
    fn the_first_folder_that_has_the_library_wins() {
        let root = std::env::temp_dir().join(format!("tengen-library-{}", std::process::id()));
        let (first, second) = (root.join("first"), root.join("second"));
        std::fs::create_dir_all(&first).unwrap();
        std::fs::create_dir_all(&second).unwrap();
        let folders = vec![root.join("absent"), first.clone(), second.clone()];
        let places = LibraryPlaces {
            folders,
            ..places()
        };
        let library = library();
        std::fs::write(second.join(LIBRARY_FILE), &library).unwrap();
        assert_eq!(places.find().unwrap(), second.join(LIBRARY_FILE));
        std::fs::write(first.join(LIBRARY_FILE), &library).unwrap();
        assert_eq!(places.find().unwrap(), first.join(LIBRARY_FILE));
        let damaged = first.join(LIBRARY_FILE);
        // A macOS file does not contain its size.
        if !cfg!(target_vendor = "apple") {
            let file = std::fs::OpenOptions::new().write(true).open(&damaged);
            file.unwrap().set_len(100_000).unwrap();
            assert!(message(&places).contains("it is truncated"));
        }
        std::fs::write(&damaged, [b'x'; 100]).unwrap();
        assert!(message(&places).contains("not a library for this system"));
        std::fs::remove_dir_all(&root).unwrap();
    }
}
