//! Sabaki's own library, `@sabaki/gtp`, plays a game and analyses. It comes from the npm registry,
//! pinned by the lock file beside it; without Node.js the test reports that and does nothing.

use std::path::PathBuf;
use std::process::Command;

use crate::process::folder;

/// The first line that a program prints for `--version`.
fn version(program: &str) -> Option<String> {
    let output = Command::new(program).arg("--version").output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.trim().to_owned())
}

/// A folder outside the sources with the library installed; `None` when the registry cannot be
/// reached, which is an error in CI.
#[expect(clippy::print_stdout, reason = "a skipped test must say so")]
fn install() -> Option<PathBuf> {
    let place = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("sabaki");
    std::fs::create_dir_all(&place).expect("the target folder is writable");
    for file in ["package.json", "package-lock.json", "drive.js"] {
        let from = folder().join("sabaki").join(file);
        std::fs::copy(from, place.join(file)).expect("the file is there");
    }
    let install = Command::new("npm")
        .args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"])
        .current_dir(&place)
        .output()
        .expect("npm was there a moment ago");
    if install.status.success() {
        return Some(place);
    }
    let said = String::from_utf8_lossy(&install.stderr).into_owned();
    assert!(std::env::var_os("CI").is_none(), "{said}");
    println!("skipped: npm cannot install @sabaki/gtp: {said}");
    None
}

#[test]
#[expect(clippy::print_stdout, reason = "a skipped test must say so")]
fn sabakis_library_drives_games_and_analyses() {
    if version("node").is_none() || version("npm").is_none() {
        println!("skipped: there is no Node.js with npm here");
        return;
    }
    let Some(place) = install() else { return };
    let output = Command::new("node")
        .args(["drive.js", env!("CARGO_BIN_EXE_tengen")])
        .current_dir(&place)
        .output()
        .expect("node was there a moment ago");
    let said = [output.stdout, output.stderr].concat();
    let said = String::from_utf8_lossy(&said);
    assert!(output.status.success() && said.contains("passed"), "{said}");
}
