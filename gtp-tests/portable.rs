//! The programs run on Windows as well (`docs/install.md#windows`): features that only some systems have
//! are used in few files, which are listed here. Before adding one, consider the others.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Signs of platform-dependent code.
const SIGNS: [&str; 11] = [
    "std::os::",
    "cfg(unix)",
    "cfg(not(unix))",
    "all(unix",
    "all(not(unix)",
    "cfg(windows)",
    "cfg!(windows)",
    "target_os",
    "target_vendor",
    "libc::",
    "\"/proc",
];

/// The files that may contain them, and why.
const ALLOWED: &[(&str, &str)] = &[
    (
        "src/tengen/bin/tengen-match/record.rs",
        "the name of the processor as Linux tells it; its architecture elsewhere",
    ),
    (
        "src/tengen/cli/board/autosave.rs",
        "the folder for what programs keep of their last run",
    ),
    (
        "src/tengen/cli/board/open.rs",
        "the program that opens an address in the user's browser",
    ),
    (
        "src/tengen/cli/doctor/gpu.rs",
        "the NVIDIA driver as Linux tells it",
    ),
    (
        "src/tengen/cli/doctor/machine.rs",
        "free memory as Linux tells it; not known elsewhere",
    ),
    (
        "src/tengen/clock/cpu.rs",
        "processor time as Linux tells it; not known elsewhere",
    ),
    (
        "src/nn/eval/cuda.rs",
        "the file name of ONNX Runtime's part for CUDA; the NVIDIA driver as Linux tells it",
    ),
    (
        "src/tengen/cli/terminal.rs",
        "the keys that end the input of a person",
    ),
    ("src/nn/eval/binary.rs", "the formats of libraries"),
    (
        "src/nn/eval/library.rs",
        "the file name of ONNX Runtime, and the script that fetches it",
    ),
    ("src/nn/files.rs", "what a FIFO, a socket or a device is"),
    ("src/tengen/referee/command_line.rs", "backslashes in paths"),
    (
        "src/tengen/system/console.rs",
        "the window that Windows makes and closes",
    ),
    (
        "src/tengen/system/files.rs",
        "locks, renaming what is held, a user's own temporary folder",
    ),
    ("src/tengen/system/guard.rs", "groups of processes"),
    (
        "src/tengen/system/interrupt.rs",
        "signals, or events of a console",
    ),
    ("src/tengen/system/processes.rs", "groups of processes"),
    (
        "src/tengen/search/memory.rs",
        "large pages as Linux gives them when asked; the usual ones elsewhere",
    ),
    ("src/train/files_below.rs", "tests: symbolic links"),
    (
        "src/train/shards/import/tests.rs",
        "symbolic links and pipes",
    ),
];

pub(crate) fn rust_files(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of this repository") {
        let path = entry.expect("a readable entry").path();
        if path.is_dir() {
            rust_files(&path, into);
        } else if path.extension().is_some_and(|end| end == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn platform_dependent_code_is_only_in_listed_files() {
    let root = Path::new(crate::REPOSITORY);
    let mut files = Vec::new();
    rust_files(&root.join("src"), &mut files);
    assert!(files.len() > 100, "{} files", files.len());
    let mut found: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for path in files {
        let text = fs::read_to_string(&path).expect("text");
        let name = path.strip_prefix(root).expect("it lies below");
        let name = name.display().to_string().replace('\\', "/");
        for (number, line) in text.lines().enumerate() {
            let code = line.trim_start();
            let sign = SIGNS.iter().any(|sign| code.contains(sign));
            if sign && !code.starts_with("//") {
                let places = found.entry(name.clone()).or_default();
                places.push(format!("{name}:{}: {code}", number + 1));
            }
        }
    }
    for (name, places) in &found {
        assert!(
            ALLOWED.iter().any(|(allowed, _)| allowed == name),
            "not on every system, and not listed in gtp-tests/portable.rs:\n{}",
            places.join("\n")
        );
    }
    for (allowed, reason) in ALLOWED {
        assert!(
            found.contains_key(*allowed) || !root.join(allowed).exists(),
            "{allowed} is listed ({reason}) and needs it no more"
        );
    }
}
