//! Opens the user's default browser.

use std::process::{Command, Stdio};

/// Opens an address in it; failures are logged.
pub(super) fn open(address: &str) {
    let (program, first): (_, &[&str]) = if cfg!(windows) {
        ("rundll32", &["url.dll,FileProtocolHandler"])
    } else if cfg!(target_os = "macos") {
        ("open", &[])
    } else {
        ("xdg-open", &[])
    };
    let mut process = Command::new(program);
    process.args(first).arg(address);
    let silent = process.stdin(Stdio::null()).stdout(Stdio::null());
    if let Err(error) = silent.stderr(Stdio::null()).spawn() {
        log::warn!("the browser cannot be opened with {program}: {error}");
    }
}
