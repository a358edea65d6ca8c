//! The scripts with mistyped arguments: errors are reported at once, before anything is built,
//! fetched or written.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder with programs that only report that they were called.
fn fake_programs() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("tell-tales");
    fs::create_dir_all(&folder).expect("a folder of these tests");
    for name in ["cargo", "pip", "debootstrap"] {
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
    let scripts = Path::new(crate::REPOSITORY).join("scripts");
    let path = std::env::var("PATH").expect("a path");
    Command::new(scripts.join(script))
        .args(arguments)
        .env("PATH", format!("{}:{path}", fake_programs().display()))
        // Folder of tengen and tengen-match.
        .env(
            "BIN",
            Path::new(env!("CARGO_BIN_EXE_tengen"))
                .parent()
                .expect("a folder"),
        )
        .output()
        .expect("scripts are there")
}

/// The script exits with 2 and this message, and has called nothing.
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
    refused("release.sh", &["--where"], "Usage");
    refused("release.sh", &["--out"], "Usage");
    refused("release.sh", &["--windows", "--arm"], "Usage");
    for machine in ["windows-tests.sh", "arm-tests.sh"] {
        refused(machine, &["--large"], "Usage");
    }
    refused("release-network.sh", &["runs/night"], "Usage");
    let unknown = ["runs/night", "go-99x99"];
    refused("release-network.sh", &unknown, "unknown network go-99x99");
    let nothing = ["/nope", "go-sizes"];
    refused(
        "release-network.sh",
        &nothing,
        "/nope has no finished generation",
    );
    refused("check-release.sh", &[], "Usage");
    refused(
        "check-release.sh",
        &["/nope.tar.xz"],
        "there is no /nope.tar.xz",
    );
    let clocks = "clock-trials.sh";
    refused(clocks, &["--games"], "Usage");
    refused(
        clocks,
        &["--games", "many"],
        "--games needs a whole number, not \"many\"",
    );
    let cup = "gomocup.sh";
    refused(cup, &["programs.toml"], "Usage");
    let event = ["programs.toml", "/tmp/cup", "--only", "golf"];
    refused(cup, &event, "there is no event \"golf\"");
    let slower = ["programs.toml", "/tmp/cup", "--faster", "some"];
    refused(cup, &slower, "--faster needs a whole number, not \"some\"");
    let endurance = "endurance.sh";
    refused(endurance, &[], "--hours takes a number above 0");
    refused(
        endurance,
        &["--hours", "0"],
        "--hours takes a number above 0, not \"0\"",
    );
    refused(endurance, &["--hours"], "Usage");
    let part = ["--hours", "1", "--only", "gaming"];
    refused(endurance, &part, "there is no part \"gaming\"");
    refused("gpu-trial.sh", &["--device"], "Usage");
    let seconds = "--seconds takes a number, not many";
    refused("gpu-trial.sh", &["--seconds", "many"], seconds);
    refused("gpu-champion.sh", &["--device"], "Usage");
    let minutes = "0 is not a whole number above 0";
    refused("gpu-champion.sh", &["--minutes", "0"], minutes);
    for script in ["cluster/slurm/work.sh", "cluster/slurm/learn.sh"] {
        refused(script, &[], "Usage");
    }
    let plan = ["/nope.toml", "/tmp/run"];
    refused(
        "cluster/slurm/learn.sh",
        &plan,
        "there is no plan /nope.toml",
    );
}

/// Slurm's script starts a failed worker again, but not without end, and not one that must not work.
#[test]
fn a_failed_worker_is_started_again() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("slurm");
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("a folder of these tests");
    let (program, count) = (folder.join("worker"), folder.join("count"));
    let script = |statuses: &str| {
        let _ = fs::remove_file(&count);
        let lines = format!(
            "#!/bin/sh\necho \"$@\" >>'{0}'\nset -- {statuses}\nshift $(($(wc -l <'{0}') - 1))\nexit $1\n",
            count.display()
        );
        fs::write(&program, lines).expect("a file");
        // Nobody waits here.
        let sleep = folder.join("sleep");
        fs::write(&sleep, "#!/bin/sh\n").expect("a file");
        let mut made = Command::new("chmod");
        made.arg("+x").args([&program, &sleep]);
        assert!(made.status().expect("chmod").success());
        let path = std::env::var("PATH").unwrap_or_default();
        let work = Path::new(crate::REPOSITORY).join("scripts/cluster/slurm/work.sh");
        let status = Command::new(work)
            .args(["/run", "--lease", "9"])
            .env("TENGEN_TRAIN", &program)
            .env("PATH", format!("{}:{path}", folder.display()))
            .stderr(std::process::Stdio::null())
            .status()
            .expect("the script is there");
        (
            status.code(),
            fs::read_to_string(&count).expect("it was called"),
        )
    };
    let line = "work --run /run --threads 1 --lease 9\n";
    assert_eq!(script("1 0"), (Some(0), line.repeat(2)));
    assert_eq!(script("78"), (Some(78), line.to_owned()));
    let status = |times: usize| "3 ".repeat(times) + "0";
    assert_eq!(script(&status(11)), (Some(0), line.repeat(12)));
    assert_eq!(script(&status(12)), (Some(3), line.repeat(12)));
}

#[test]
#[expect(clippy::print_stdout, reason = "a skipped test must say so")]
fn rays_driver_passes_its_own_tests() {
    let folder = Path::new(crate::REPOSITORY).join("scripts/cluster/ray");
    let tests = Command::new("python3")
        .args(["-B", "-m", "unittest", "test_drive"])
        .current_dir(folder)
        .output();
    let Ok(tests) = tests else {
        println!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&tests.stderr);
    assert!(tests.status.success() && said.contains("OK"), "{said}");
}
