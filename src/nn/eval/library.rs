//! Finds the ONNX Runtime shared library, which the `ort` backend loads, and judges by files whether it is for this
//! machine and can find an NVIDIA GPU.

use std::path::{Path, PathBuf};

use super::EvalError;
use std::fs::File;
use std::io;
use std::io::Read as _;

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
            "{} has no GPU support: get the GPU build with {FETCH_SCRIPT} --gpu",
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
#[must_use]
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
    match gpus.count() {
        // If the files do not say.
        0 => None,
        count if count > usize::from(id) => None,
        count => Some(format!(
            "there is no GPU {id}: this machine has {count}, and the first is cuda:0"
        )),
    }
}

// Whether a file can be a library for this system and processor, judged by its headers.
//
// Layouts: System V ABI, "ELF Header"; Microsoft, "PE Format"; Apple, `mach-o/loader.h` and `fat.h`.

/// Bytes read from the start of the file; they contain the headers.
const HEAD: u64 = 4096;

/// A fault of a library file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// Not a library, or one for another system or processor.
    Foreign,
    /// The file ends before its own headers or sections do.
    CutShort,
}

/// Checks the headers, which takes microseconds; loading the library takes 5 ms and 5 MiB.
///
/// # Errors
/// Errors of the operating system.
pub(super) fn fault(path: &Path) -> io::Result<Option<Fault>> {
    let file = File::open(path)?;
    let len = file.metadata()?.len();
    let mut head = Vec::new();
    file.take(HEAD).read_to_end(&mut head)?;
    let arch = std::env::consts::ARCH;
    let found = if cfg!(windows) {
        pe(&head, len, arch)
    } else if cfg!(target_vendor = "apple") {
        mach_o(&head, arch)
    } else if cfg!(all(target_os = "linux", target_pointer_width = "64")) {
        elf(&head, len, arch)
    } else {
        return Ok(None);
    };
    Ok(found.unwrap_or(Some(Fault::Foreign)))
}

/// The bytes at an offset; `None` past the end.
fn at<const LEN: usize>(head: &[u8], start: usize) -> Option<[u8; LEN]> {
    head.get(start..)?.first_chunk().copied()
}

fn u16_at(head: &[u8], start: usize) -> Option<u16> {
    at(head, start).map(u16::from_le_bytes)
}

fn u32_at(head: &[u8], start: usize) -> Option<u32> {
    at(head, start).map(u32::from_le_bytes)
}

/// Whether a number is the format's code for a processor; unknown processors pass.
fn is_for<N: PartialEq>(number: N, arch: &str, known: [(&str, N); 2]) -> bool {
    let own = known.into_iter().find(|(name, _)| *name == arch);
    own.is_none_or(|(_, own)| own == number)
}

/// A Linux library (ELF). `None` if its headers are incomplete; the same below.
fn elf(head: &[u8], len: u64, arch: &str) -> Option<Option<Fault>> {
    let fits = is_for(u16_at(head, 18)?, arch, [("x86_64", 62), ("aarch64", 183)]);
    // `ET_DYN`; programs may have it, too.
    let is_shared = u16_at(head, 16)? == 3;
    if !head.starts_with(b"\x7fELF\x02") || !is_shared || !fits {
        return None;
    }
    // The section table is the last part of a file (`e_shoff`, `e_shentsize`, `e_shnum`).
    let sections = u64::from_le_bytes(at(head, 40)?);
    let table = u64::from(u16_at(head, 58)?) * u64::from(u16_at(head, 60)?);
    Some((sections.saturating_add(table) > len).then_some(Fault::CutShort))
}

/// A Windows library (PE).
fn pe(head: &[u8], len: u64, arch: &str) -> Option<Option<Fault>> {
    let start = usize::try_from(u32_at(head, 0x3c)?).ok()?;
    let headers = head.get(start..)?;
    let machine = u16_at(headers, 4)?;
    let fits = is_for(machine, arch, [("x86_64", 0x8664), ("aarch64", 0xaa64)]);
    // `IMAGE_FILE_DLL`; programs do not have it.
    let is_library = u16_at(headers, 22)? & 0x2000 != 0;
    if !head.starts_with(b"MZ") || !headers.starts_with(b"PE\0\0") || !is_library || !fits {
        return None;
    }
    // Sections follow the optional header; each has the offset and size of its data.
    let (count, optional) = (u16_at(headers, 6)?, u16_at(headers, 20)?);
    let table = headers.get(24 + usize::from(optional)..)?;
    let mut end = 0;
    for section in 0..usize::from(count) {
        let section = table.get(40 * section..)?;
        let (size, place) = (u32_at(section, 16)?, u32_at(section, 20)?);
        end = end.max(u64::from(place) + u64::from(size));
    }
    Some((end > len).then_some(Fault::CutShort))
}

/// A macOS library (Mach-O), for one processor or for several.
fn mach_o(head: &[u8], arch: &str) -> Option<Option<Fault>> {
    let known = [("x86_64", 0x0100_0007), ("aarch64", 0x0100_000c)];
    let fits = match at(head, 0)? {
        // `MH_DYLIB`.
        [0xcf, 0xfa, 0xed, 0xfe] => is_for(u32_at(head, 4)?, arch, known) && u32_at(head, 12)? == 6,
        [0xca, 0xfe, 0xba, 0xbe] => {
            let count = u32::from_be_bytes(at(head, 4)?);
            let parts = (0..count.min(20) as usize).map(|part| at(head, 8 + 20 * part));
            let mut processors = parts.flatten().map(u32::from_be_bytes);
            processors.any(|processor| is_for(processor, arch, known))
        }
        _ => false,
    };
    fits.then_some(None)
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
        assert!(
            reason.contains(&format!("{FETCH_SCRIPT} --gpu")),
            "{reason}"
        );
    }

    const FINE: Option<Option<Fault>> = Some(None);
    const SHORT: Option<Option<Fault>> = Some(Some(Fault::CutShort));

    /// A file of Windows with one section of 512 bytes at 1024.
    fn windows(machine: u16) -> Vec<u8> {
        let mut file = vec![0; 1536];
        file[..2].copy_from_slice(b"MZ");
        file[0x3c] = 0x80;
        let headers = &mut file[0x80..];
        headers[..4].copy_from_slice(b"PE\0\0");
        headers[4..6].copy_from_slice(&machine.to_le_bytes());
        (headers[6], headers[20], headers[23]) = (1, 240, 0x20);
        headers[24 + 240 + 16..][..4].copy_from_slice(&512_u32.to_le_bytes());
        headers[24 + 240 + 20..][..4].copy_from_slice(&1024_u32.to_le_bytes());
        file
    }

    #[test]
    fn libraries_of_windows_are_known() {
        let file = windows(0x8664);
        assert_eq!(pe(&file, 1536, "x86_64"), FINE);
        assert_eq!(pe(&file, 1535, "x86_64"), SHORT);
        assert_eq!(pe(&file, 1536, "aarch64"), None);
        assert_eq!(pe(&windows(0xaa64), 1536, "aarch64"), FINE);
        // A 32-bit library.
        assert_eq!(pe(&windows(0x014c), 1536, "x86_64"), None);
        let mut text = file.clone();
        text[0] = b'#';
        assert_eq!(pe(&text, 1536, "x86_64"), None);
        let mut program = file.clone();
        program[0x80 + 23] = 0;
        assert_eq!(pe(&program, 1536, "x86_64"), None);
        // An old DOS program, and a file whose headers are said to be elsewhere.
        let mut dos = file.clone();
        dos[0x80] = 0;
        assert_eq!(pe(&dos, 1536, "x86_64"), None);
        for place in [1500, u32::MAX] {
            let mut wild = file.clone();
            wild[0x3c..0x40].copy_from_slice(&place.to_le_bytes());
            assert_eq!(pe(&wild, 1536, "x86_64"), None);
        }
        for len in 0..400 {
            assert_eq!(pe(&file[..len], len as u64, "x86_64"), None, "{len}");
        }
    }

    #[test]
    fn libraries_of_linux_are_known() {
        let mut file = vec![0; 200];
        file[..5].copy_from_slice(b"\x7fELF\x02");
        (file[16], file[18], file[40], file[58], file[60]) = (3, 62, 72, 64, 2);
        assert_eq!(elf(&file, 200, "x86_64"), FINE);
        assert_eq!(elf(&file, 199, "x86_64"), SHORT);
        assert_eq!(elf(&file, 200, "aarch64"), None);
        assert_eq!(elf(&file, 200, "riscv64"), FINE);
        let mut object = file.clone();
        object[16] = 1;
        assert_eq!(elf(&object, 200, "x86_64"), None);
        for len in 0..62 {
            assert_eq!(elf(&file[..len], 200, "x86_64"), None, "{len}");
        }
        assert_eq!(elf(&windows(0x8664), 1536, "x86_64"), None);
    }

    #[test]
    fn libraries_of_macos_are_known() {
        let mut thin = [0; 16];
        thin[..8].copy_from_slice(&[0xcf, 0xfa, 0xed, 0xfe, 0x0c, 0, 0, 1]);
        // A program.
        thin[12] = 2;
        assert_eq!(mach_o(&thin, "aarch64"), None);
        thin[12] = 6;
        assert_eq!(mach_o(&thin, "aarch64"), FINE);
        assert_eq!(mach_o(&thin, "x86_64"), None);
        let mut both = vec![0; 48];
        both[..8].copy_from_slice(&[0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2]);
        both[8..12].copy_from_slice(&[1, 0, 0, 7]);
        both[28..32].copy_from_slice(&[1, 0, 0, 0x0c]);
        assert_eq!(mach_o(&both, "aarch64"), FINE);
        assert_eq!(mach_o(&both[..28], "aarch64"), None);
        assert_eq!(mach_o(b"#!/bin/sh\n", "aarch64"), None);
        assert_eq!(mach_o(b"", "aarch64"), None);
    }
}
