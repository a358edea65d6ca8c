//! The scripts as somebody who mistypes uses them: what is wrong is said at once, before anything is
//! built, fetched or written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with programs that only say that they were called.
fn tell_tales() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tell-tales");
    fs::create_dir_all(&folder).expect("a folder of these tests");
    for name in ["cargo", "pip", "debootstrap", "gogui-twogtp"] {
        let path = folder.join(name);
        fs::write(
            &path,
            format!("#!/bin/sh\necho {name} was called\nexit 9\n"),
        )
        .expect("a file");
        let made = Command::new("chmod").arg("+x").arg(&path).status();
        assert!(made.expect("chmod").success());
    }
    folder
}

fn run(script: &str, arguments: &[&str]) -> Output {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts");
    let path = std::env::var("PATH").expect("a path");
    Command::new(scripts.join(script))
        .args(arguments)
        .env("PATH", format!("{}:{path}", tell_tales().display()))
        // Where tengen and tengen-match are.
        .env(
            "BIN",
            Path::new(env!("CARGO_BIN_EXE_tengen"))
                .parent()
                .expect("a folder"),
        )
        .output()
        .expect("scripts are there")
}

/// The script ends with 2 and these words, and has called nothing.
#[track_caller]
fn refused(script: &str, arguments: &[&str], words: &str) {
    let output = run(script, arguments);
    let said = [&output.stdout[..], &output.stderr[..]].concat();
    let said = String::from_utf8_lossy(&said);
    assert_eq!(
        output.status.code(),
        Some(2),
        "{script} {arguments:?}: {said}"
    );
    assert!(said.contains(words), "{script} {arguments:?}: {said}");
    assert!(
        !said.contains("was called"),
        "{script} {arguments:?}: {said}"
    );
}

#[test]
fn scripts_check_their_arguments_before_they_build() {
    let night = "train-overnight.sh";
    refused(
        night,
        &["--hours", "abc"],
        "--hours takes a number above 0, not abc",
    );
    refused(night, &["--hours", "0"], "--hours takes a number above 0");
    refused(
        night,
        &["--plan", "/nope.toml"],
        "there is no plan /nope.toml",
    );
    refused(
        night,
        &["--out", "/dev/null/x"],
        "cannot write to the folder",
    );
    refused(night, &["--hour", "8"], "Usage");
    refused(night, &["--plan"], "Usage");
    refused("release.sh", &["--where"], "Usage");
    refused("release.sh", &["--out"], "Usage");
    refused("release-network.sh", &["runs/night"], "Usage");
    let unknown = ["runs/night", "go-99x99"];
    refused(
        "release-network.sh",
        &unknown,
        "no network is called go-99x99",
    );
    let nothing = ["/nope", "go-sizes"];
    refused(
        "release-network.sh",
        &nothing,
        "/nope holds no finished generation",
    );
    refused("check-release.sh", &[], "Usage");
    refused(
        "check-release.sh",
        &["/nope.tar.xz"],
        "there is no /nope.tar.xz",
    );
    for clocks in ["clock-managers.sh", "clock-trials.sh"] {
        refused(clocks, &["--games"], "Usage");
        refused(
            clocks,
            &["--games", "many"],
            "--games takes a whole number, not \"many\"",
        );
    }
    refused("gpu-trial.sh", &["--device"], "Usage");
    let seconds = "--seconds takes a number, not many";
    refused("gpu-trial.sh", &["--seconds", "many"], seconds);
    let few = ["--games", "0", "a", "b", "c"];
    refused("twogtp-match.sh", &few, "--games takes a number from 1 on");
}

#[test]
fn a_good_command_goes_on_to_build() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("overnight");
    let output = run(
        "train-overnight.sh",
        &["--hours", "0.5", "--out", out.to_str().expect("text")],
    );
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(
        said.contains("10 minutes") && said.contains("cargo was called"),
        "{said}"
    );
}
