//! The programs run on Windows as well (`docs/install.md#windows`): features that only some systems have
//! are used in few files, which are listed here. Before adding one, consider the others.

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

/// Where they may be: this folder, and files that say why.
const ALLOWED: &[&str] = &[
    "src/nn/eval/library.rs",
    "src/nn/files.rs",
    "src/tengen/bin/tengen-match/record.rs",
    "src/tengen/cli/board/mod.rs",
    "src/tengen/cli/doctor/machine.rs",
    "src/tengen/cli/output.rs",
    "src/tengen/clock/source.rs",
    "src/tengen/record/file.rs",
    "src/tengen/referee/error_stream.rs",
    "src/tengen/referee/gtp_client.rs",
    "src/tengen/referee/process.rs",
    "src/tengen/search/memory.rs",
    "src/tengen/system/",
    "src/train/cli/memory.rs",
    "src/train/durable.rs",
    "src/train/shards/import/tests.rs",
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
    let mut wrong = Vec::new();
    for path in &files {
        let name = path.strip_prefix(root).expect("it lies below");
        let name = name.display().to_string().replace('\\', "/");
        let text = fs::read_to_string(path).expect("text");
        let mut code = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("//"));
        let has_sign = code.any(|line| SIGNS.iter().any(|sign| line.contains(sign)));
        if has_sign && !ALLOWED.iter().any(|place| name.starts_with(place)) {
            wrong.push(name);
        }
    }
    assert!(
        wrong.is_empty(),
        "not on every system, and not listed here: {wrong:?}"
    );
    assert!(files.len() > 100, "{} files", files.len());
}
