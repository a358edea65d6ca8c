//! Finds the ONNX Runtime shared library, which the `ort` backend loads, and judges by files whether it is for this
//! system and can find an NVIDIA GPU.

use std::error::Error;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::EvalError;
use crate::files::user_folder;

/// What fetches the library for this system, for messages: a script, which not all packages have, or pip.
pub const FETCH: &str = if cfg!(windows) {
    "fetch-onnxruntime.cmd, or pip install onnxruntime and --ort-library FILE (its capi\\onnxruntime.dll)"
} else if cfg!(target_os = "macos") {
    "pip install onnxruntime and --ort-library FILE (its capi/libonnxruntime.*.dylib)"
} else {
    "fetch-onnxruntime.sh, or pip install onnxruntime and --ort-library FILE (its capi/libonnxruntime.so.*)"
};

/// The same for the build for GPUs, or that there is none.
pub const FETCH_FOR_GPUS: &str = if cfg!(windows) {
    "fetch-onnxruntime.cmd --gpu, or pip install onnxruntime-gpu and --ort-library FILE (its capi\\onnxruntime.dll)"
} else if cfg!(target_os = "macos") {
    "there is no GPU support on macOS; --device cpu"
} else {
    "fetch-onnxruntime.sh --gpu, or pip install onnxruntime-gpu and --ort-library FILE (its capi/libonnxruntime.so.*)"
};

/// What the build for GPUs needs, for messages.
pub const NEEDED_FOR_GPUS: &str = "an NVIDIA driver for CUDA 13, CUDA 13, cuDNN 9, and free memory on the card; else --device cpu";

/// Begins the reason why a GPU is refused that this machine does not have.
pub const NO_SUCH_GPU: &str = "there is no GPU";

/// What else the library needs on this system.
const NEEDS: &str = if cfg!(windows) {
    " (it needs the Visual C++ runtime: https://aka.ms/vs/17/release/vc_redist.x64.exe)"
} else {
    ""
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
/// one would hide a typing mistake. Otherwise the folders are searched in order. The default has no place at all:
/// [`LibraryPlaces::usual`] names the usual ones.
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
    /// `~/.cache`; on Windows `LOCALAPPDATA`), where the script fetch-onnxruntime puts it.
    pub fn usual(option: Option<PathBuf>) -> LibraryPlaces {
        let named = std::env::var_os("ORT_DYLIB_PATH").filter(|value| !value.is_empty());
        let beside = std::env::current_exe().ok();
        let beside = beside.and_then(|exe| exe.parent().map(Path::to_owned));
        let cache = user_folder("XDG_CACHE_HOME", ".cache");
        let cache = cache.map(|folder| folder.join("tengen").join("onnxruntime"));
        LibraryPlaces {
            option,
            variable: named.map(PathBuf::from),
            folders: beside.into_iter().chain(cache).collect(),
        }
    }

    /// Every path to try, in order.
    pub fn candidates(&self) -> Vec<PathBuf> {
        match self.option.as_ref().or(self.variable.as_ref()) {
            Some(named) => vec![named.clone()],
            None => self.folders.iter().map(|f| f.join(LIBRARY_FILE)).collect(),
        }
    }

    /// Whether the user has named the library.
    pub fn is_named(&self) -> bool {
        self.option.is_some() || self.variable.is_some()
    }

    /// The library to load.
    ///
    /// # Errors
    /// [`EvalError::Unavailable`] lists the paths tried and how to get the library, also when the
    /// first file found is not a library for this system or is truncated.
    pub fn find(&self) -> Result<PathBuf, EvalError> {
        let unavailable = |reason| EvalError::unavailable("ort", reason);
        let candidates = self.candidates();
        let source = match (&self.option, &self.variable) {
            (Some(_), _) => " (from --ort-library)",
            (None, Some(_)) => " (from ORT_DYLIB_PATH)",
            (None, None) => "",
        };
        if let Some(found) = candidates.iter().find(|path| path.is_file()) {
            let name = found.display();
            check(found).map_err(|reason| unavailable(format!("{name}{source}: {reason}")))?;
            return std::path::absolute(found).map_err(|error| unavailable(error.to_string()));
        }
        let tried: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
        let tried = match &tried[..] {
            [] => ": no folder was given to look in".to_owned(),
            tried => format!(" at {}{source}", tried.join(" or ")),
        };
        Err(unavailable(format!(
            "no ONNX Runtime library{tried}; get it with {FETCH}"
        )))
    }
}

/// Refuses what certainly is no library for this system, and one that ends early: the system may end the program
/// that loads such a file. All other faults are found when it is loaded.
fn check(path: &Path) -> Result<(), String> {
    let beginning = || -> io::Result<(Vec<u8>, u64)> {
        let (file, mut head) = (File::open(path)?, Vec::new());
        let len = file.metadata()?.len();
        file.take(64).read_to_end(&mut head)?;
        Ok((head, len))
    };
    let (head, len) = beginning().map_err(|error| error.to_string())?;
    if !MAGIC.iter().any(|magic| head.starts_with(magic)) {
        return Err(format!(
            "it is not a library for this system; get it with {FETCH}"
        ));
    }
    match elf_len(&head) {
        Some(whole) if whole > len => Err(format!("it is truncated; fetch it again with {FETCH}")),
        _ => Ok(()),
    }
}

/// First bytes of a library of this system: of Windows (PE), of macOS (Mach-O, for one processor or for several),
/// of others (ELF).
const MAGIC: &[&[u8]] = if cfg!(windows) {
    &[b"MZ"]
} else if cfg!(target_vendor = "apple") {
    &[b"\xcf\xfa\xed\xfe", b"\xca\xfe\xba\xbe"]
} else {
    &[b"\x7fELF"]
};

/// The length of a whole file that begins so: its last part is the table of sections (System V ABI, "ELF Header":
/// `e_shoff`, `e_shentsize`, `e_shnum`). `None` where it is no ELF file of 64 bits.
fn elf_len(head: &[u8]) -> Option<u64> {
    let u16_at = |start: usize| Some(u16::from_le_bytes(*head.get(start..)?.first_chunk()?));
    let sections = u64::from_le_bytes(*head.get(40..)?.first_chunk()?);
    let table = u64::from(u16_at(58)?) * u64::from(u16_at(60)?);
    head.starts_with(b"\x7fELF\x02")
        .then_some(sections.saturating_add(table))
}

/// Why a library that is there is not used: the loader's words, and those of the system, which name another library, or a
/// version of one, that is missing.
pub(super) fn unloaded(told: &dyn fmt::Display, cause: Option<&dyn Error>) -> String {
    let cause = cause.map_or(String::new(), |cause| format!(": {cause}{NEEDS}"));
    format!("{told}{cause}; get a fitting library with {FETCH}")
}

/// ONNX Runtime's CUDA provider; it is next to the library.
const PROVIDER: &str = if cfg!(windows) {
    "onnxruntime_providers_cuda.dll"
} else {
    "libonnxruntime_providers_cuda.so"
};

/// The reason why the GPU of this number certainly cannot be used with this library, if any.
pub(super) fn refused(id: u8, library: &Path) -> Option<String> {
    let real = library.canonicalize().unwrap_or_default();
    let beside = |path: &Path| path.with_file_name(PROVIDER).is_file();
    if !beside(library) && !beside(&real) {
        return Some(format!(
            "{} has no GPU support: {FETCH_FOR_GPUS}",
            library.display()
        ));
    }
    if cfg!(target_os = "linux") {
        return missing_device(id, Path::new("/"));
    }
    None
}

/// WSL 2 has a driver without device numbers.
const UNNUMBERED: &str = "dev/dxg";
const DRIVER: [&str; 2] = ["dev/nvidiactl", "proc/driver/nvidia/version"];

/// Whether an NVIDIA driver is loaded, according to the files of a Linux system under `root`.
pub fn has_driver(root: &Path) -> bool {
    let mut files = DRIVER.iter().chain([&UNNUMBERED]);
    files.any(|file| root.join(file).exists())
}

/// The same for one GPU.
fn missing_device(id: u8, root: &Path) -> Option<String> {
    if !has_driver(root) {
        return Some("no NVIDIA driver is loaded".to_owned());
    }
    if root.join(UNNUMBERED).exists() {
        return None;
    }
    let entries = std::fs::read_dir(root.join("dev")).into_iter().flatten();
    let names = entries.flatten().map(|entry| entry.file_name());
    let gpus = names.filter(|name| {
        let number = name.to_str().and_then(|name| name.strip_prefix("nvidia"));
        number.is_some_and(|number| number.parse::<u16>().is_ok())
    });
    // None at all if the files do not say.
    let count = gpus.count();
    (1..=usize::from(id))
        .contains(&count)
        .then(|| format!("{NO_SUCH_GPU} {id}: this machine has {count}, and the first is cuda:0"))
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
        assert!(text.ends_with(FETCH), "{text}");
        assert!(!text.contains('\n'), "{text}");
        let nowhere = message(&LibraryPlaces::default());
        assert!(
            nowhere.contains("library: no folder was given"),
            "{nowhere}"
        );
    }

    #[test]
    fn a_named_library_is_the_only_one_tried() {
        let mut named = places();
        named.variable = Some("/nowhere/variable.so".into());
        assert!(message(&named).contains("at /nowhere/variable.so (from ORT_DYLIB_PATH);"));
        named.option = Some("/nowhere/option.so".into());
        assert!(message(&named).contains("at /nowhere/option.so (from --ort-library);"));
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
        // As good as a library, before it is loaded.
        let library = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        std::fs::write(second.join(LIBRARY_FILE), &library).unwrap();
        assert_eq!(places.find().unwrap(), second.join(LIBRARY_FILE));
        std::fs::write(first.join(LIBRARY_FILE), &library).unwrap();
        assert_eq!(places.find().unwrap(), first.join(LIBRARY_FILE));
        let damaged = first.join(LIBRARY_FILE);
        if cfg!(target_os = "linux") {
            let file = std::fs::OpenOptions::new().write(true).open(&damaged);
            file.unwrap().set_len(100_000).unwrap();
            assert!(message(&places).contains("it is truncated"));
        }
        std::fs::write(&damaged, [b'x'; 100]).unwrap();
        assert!(message(&places).contains("not a library for this system"));
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_machine_without_the_gpu_is_told_so() {
        let root = std::env::temp_dir().join(format!("tengen-cuda-{}", std::process::id()));
        let dev = root.join("dev");
        std::fs::create_dir_all(&dev).unwrap();
        let reason = |id| missing_device(id, &root).unwrap_or_default();
        assert!(reason(0).contains("no NVIDIA driver"), "{}", reason(0));
        for file in ["nvidiactl", "nvidia0", "nvidia1", "nvidia-uvm"] {
            std::fs::write(dev.join(file), "").unwrap();
        }
        assert_eq!([reason(0), reason(1)], ["", ""]);
        assert!(reason(2).contains("this machine has 2"), "{}", reason(2));
        std::fs::write(dev.join("dxg"), "").unwrap();
        assert_eq!(reason(2), "");
        std::fs::remove_dir_all(&root).unwrap();
    }

    #[test]
    fn a_library_for_processors_is_told_so() {
        let reason = refused(0, Path::new("/nowhere/libonnxruntime.so")).unwrap();
        assert!(reason.ends_with(FETCH_FOR_GPUS), "{reason}");
    }

    #[test]
    fn what_the_system_says_of_a_library_is_told() {
        let cause = io::Error::other("libstdc++.so.6 is missing");
        let text = unloaded(&"dlopen failed", Some(&cause));
        assert!(text.starts_with("dlopen failed: libstdc++.so.6 is missing"));
        let fetch = format!("; get a fitting library with {FETCH}");
        assert!(text.ends_with(&fetch), "{text}");
        assert_eq!(unloaded(&"too old", None), format!("too old{fetch}"));
    }

    #[test]
    fn the_length_of_a_library_of_linux_is_known() {
        let mut head = [0; 64];
        head[..5].copy_from_slice(b"\x7fELF\x02");
        (head[40], head[58], head[60]) = (72, 64, 2);
        assert_eq!(elf_len(&head), Some(200));
        for len in 0..62 {
            assert_eq!(elf_len(&head[..len]), None, "{len}");
        }
        head[40..48].fill(0xff);
        assert_eq!(elf_len(&head), Some(u64::MAX));
        head[4] = 1;
        assert_eq!(elf_len(&head), None, "of 32 bits");
    }
}
