//! Scripts that start `tengen-train` on clusters, make releases, check and measure.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::killed::Killed;
use crate::scratch::Scratch;

/// Writes a shell script that can be run.
fn write_script(path: &Path, lines: &str) {
    fs::write(path, format!("#!/bin/sh\n{lines}")).expect("a file");
    let made = Command::new("chmod").arg("+x").arg(path).status();
    assert!(made.expect("chmod").success());
}

/// Slurm's script starts a failed worker or learner again, but not without end, and not one that must not work.
#[test]
fn a_failed_program_is_started_again() {
    let folder = Scratch::new("slurm");
    let (program, count) = (folder.join("worker"), folder.join("count"));
    fs::write(folder.join("plan"), "").expect("a file");
    let [plan, run] = ["plan", "run"].map(|name| folder.path(name));
    fs::create_dir(&run).expect("a folder");
    let run_script = |arguments: &[&str], statuses: &str| {
        let _ = fs::remove_file(&count);
        let lines = format!(
            "echo \"$@\" >>'{0}'\n[ $(wc -l <'{0}') = 1 ] || : >'{run}/plan.toml'\n\
             set -- {statuses}\nshift $(($(wc -l <'{0}') - 1))\nexit $1\n",
            count.display()
        );
        write_script(&program, &lines);
        // The pauses take no time here.
        write_script(&folder.join("sleep"), "");
        let path = std::env::var("PATH").unwrap_or_default();
        let status = Command::new(slurm_script())
            .args(arguments)
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
    let script = |statuses: &str| run_script(&["work", "/run", "--patience", "9"], statuses);
    let line = "work --run /run --threads 1 --patience 9\n";
    assert_eq!(script("1 0"), (Some(0), line.repeat(2)));
    assert_eq!(script("78"), (Some(78), line.to_owned()));
    let status = |times: usize| "3 ".repeat(times) + "0";
    assert_eq!(script(&status(11)), (Some(0), line.repeat(12)));
    assert_eq!(script(&status(12)), (Some(3), line.repeat(12)));
    // A learner begins a run until the run's folder has its plan: later the folder may be gone.
    let _ = fs::remove_file(folder.join("run/plan.toml"));
    let learned = run_script(&["loop", &plan, "s3://b", "--out", &run], "1 1 0");
    let first = format!("loop {plan} --run s3://b --threads 1 --out {run}\n");
    let again = format!("loop --run s3://b --threads 1 --out {run}\n");
    assert_eq!(learned, (Some(0), first.repeat(2) + &again));
}

fn slurm_script() -> PathBuf {
    Path::new(crate::REPOSITORY).join("scripts/cluster/slurm/run.sh")
}

/// Slurm's signal before the time limit, while the program works and in a pause.
#[test]
fn a_job_is_requeued_before_its_time_limit() {
    let folder = Scratch::new("slurm-requeue");
    let asked = folder.join("asked");
    let plan = folder.path("plan");
    fs::write(&plan, "").expect("a file");
    let note = format!("echo \"$@\" >>'{}'\n", asked.display());
    write_script(&folder.join("scontrol"), &note);
    let program = folder.join("program");
    let path = std::env::var("PATH").unwrap_or_default();
    for arguments in [&["work", "/run"][..], &["loop", &plan, "/run"]] {
        for (lines, sleep) in [
            ("exec /bin/sleep 100\n", ""),
            ("exit 1\n", "exec /bin/sleep 100\n"),
        ] {
            let begun = folder.join("begun");
            let _ = (fs::remove_file(&begun), fs::remove_file(&asked));
            let note = format!("echo >'{}'\n", begun.display());
            let (program_notes, sleep_notes) = match sleep {
                "" => (&*note, ""),
                _ => ("", &*note),
            };
            write_script(&program, &format!("{program_notes}{lines}"));
            write_script(&folder.join("sleep"), &format!("{sleep_notes}{sleep}"));
            let job = Command::new(slurm_script())
                .args(arguments)
                .env("TENGEN_TRAIN", &program)
                .env("SLURM_JOB_ID", "7")
                .env("PATH", format!("{}:{path}", folder.display()))
                .stderr(std::process::Stdio::null())
                .spawn();
            let mut job = Killed(job.expect("the script is there"));
            while !begun.exists() {
                assert!(job.0.try_wait().expect("it is our child").is_none());
                std::thread::sleep(Duration::from_millis(5));
            }
            let id = job.0.id().to_string();
            let told = Command::new("kill").args(["-USR1", &id]).status();
            assert!(told.expect("kill").success());
            let status = job.0.wait().expect("it ends").code();
            assert_eq!(status, Some(0), "{arguments:?}");
            let asked = fs::read_to_string(&asked).expect("it was asked");
            assert_eq!(asked, "requeue 7\n", "{arguments:?}");
        }
    }
}

/// Packed in the middle of a generation, a run goes on from the one before.
#[test]
#[cfg(target_os = "linux")]
fn a_packed_run_has_what_its_next_generation_needs() {
    let folder = Scratch::new("gpu-champion");
    let lines = "cd \"$4\" && mkdir networks\nfor n in 5 6 7; do\n    mkdir -p generation-000$n/fit\n    \
                 touch generation-000$n.json generation-000$n/fit/step-1.checkpoint \
                 generation-000$n/fit/step-2.checkpoint networks/network-000$n.onnx\ndone\n";
    write_script(&folder.join("tengen-train"), lines);
    let script = Path::new(crate::REPOSITORY).join("scripts/gpu-champion.sh");
    let packed = Command::new(script)
        .args(["--out", &folder.path("out")])
        .env("TENGEN_BIN", &*folder)
        .current_dir(crate::REPOSITORY)
        .output();
    let packed = packed.expect("the script is there");
    assert!(packed.status.success(), "{packed:?}");
    let archive = folder.join("out/run.tar.0000");
    let listed = Command::new("tar").arg("-tf").arg(archive).output();
    let listed = String::from_utf8(listed.expect("tar").stdout).expect("names");
    let is_large = |name: &&str| name.ends_with(".checkpoint") || name.ends_with(".onnx");
    let mut large: Vec<&str> = listed.lines().filter(is_large).collect();
    large.sort_unstable();
    let wanted = [
        "run/generation-0006/fit/step-2.checkpoint",
        "run/generation-0007/fit/step-2.checkpoint",
        "run/networks/network-0006.onnx",
        "run/networks/network-0007.onnx",
    ];
    assert_eq!(large, wanted);
}

#[test]
fn a_packed_run_stays_until_the_next_one_is_written() {
    let folder = Scratch::new("gpu-champion");
    let [out, part] = ["out", "out/run.tar.0000"].map(|name| folder.path(name));
    write_script(
        &folder.join("tengen-train"),
        "date +%N >\"$4/generation-0000.json\"\n",
    );
    let path = std::env::var("PATH").unwrap_or_default();
    let pack = |more: &[&str]| {
        let output = Command::new(Path::new(crate::REPOSITORY).join("scripts/gpu-champion.sh"))
            .current_dir(crate::REPOSITORY)
            .args([&["--out", &*out], more].concat())
            .env("TENGEN_BIN", &*folder)
            .env("PATH", format!("{}:{path}", folder.display()))
            .output();
        output.expect("the script is there").status.success()
    };
    assert!(pack(&[]));
    let first = fs::read(&part).expect("it was packed");
    // As on a full disk.
    write_script(&folder.join("split"), "exit 1\n");
    assert!(!pack(&["--from", &*out]));
    assert_eq!(fs::read(&part).expect("it stays"), first);
    fs::remove_file(folder.join("split")).expect("it is there");
    assert!(pack(&["--from", &*out]));
    assert_ne!(fs::read(&part).expect("it was packed"), first);
}

/// Runs a script with the programs of a folder; its status and its error output.
fn run_with(folder: &Scratch, script: &str, args: &[&str]) -> (Option<i32>, String) {
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(Path::new(crate::REPOSITORY).join(script))
        .args(args)
        .env("BIN", &**folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .env("WINEPREFIX", folder.join("wine"))
        .output();
    let output = output.expect("the script is there");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.code(), said)
}

#[test]
fn the_name_of_an_event_is_no_pattern() {
    let folder = Scratch::new("gomocup-events");
    for program in ["tengen", "tengen-match"] {
        write_script(&folder.join(program), "");
    }
    let args = ["programs.toml", &folder.path("out"), "--only", "fas."];
    let (status, said) = run_with(&folder, "scripts/gomocup.sh", &args);
    assert_eq!(status, Some(2), "{said}");
    assert!(said.contains("there is no event \"fas.\""), "{said}");
}

#[test]
fn programs_are_taken_from_where_cargo_puts_them() {
    let script = Path::new(crate::REPOSITORY).join("scripts/gomocup.sh");
    let mut command = Command::new(script);
    command.args(["programs.toml", "out"]).env_remove("BIN");
    let output = command.env("CARGO_TARGET_DIR", "/nowhere").output();
    let said = output.expect("the script is there").stderr;
    let said = String::from_utf8_lossy(&said);
    assert!(said.contains("no /nowhere/release/tengen: "), "{said}");
    assert!(said.contains("set BIN"), "{said}");
}

#[test]
fn a_game_lost_on_time_fails_the_clock_trials() {
    let folder = Scratch::new("clock-trials");
    write_script(&folder.join("tengen"), "");
    let out = folder.path("out");
    let all = ["--out", &out, "--real", "0", "--other", "gnugo"];
    for (one, two, args, expected) in [(0, 0, 4, 0), (1, 0, 6, 1), (0, 1, 6, 0)] {
        let line = |name, lost: u32| {
            let lost = tengen::program::counted(lost, "loss");
            format!("echo '{name}: {lost} on time in 2 games'\n")
        };
        let lines = line("one", one) + &line("two", two);
        write_script(&folder.join("tengen-match"), &lines);
        let (status, said) = run_with(&folder, "scripts/clock-trials.sh", &all[..args]);
        assert_eq!(status, Some(expected), "{said}");
    }
}

#[test]
fn a_wine_that_does_not_work_is_none() {
    let folder = Scratch::new("wine-broken");
    write_script(&folder.join("wine64"), "exit 1\n");
    let (status, said) = run_with(&folder, "scripts/wine.sh", &["tengen.exe"]);
    assert_eq!(status, Some(77), "{said}");
}

/// `--out` is relative to where the script is called, also when the script has gone elsewhere.
#[test]
fn a_release_goes_into_a_folder_named_from_here() {
    let folder = Scratch::new("release-out");
    let noted = folder.join("noted");
    for tool in ["python3", "xz"] {
        write_script(&folder.join(tool), "");
    }
    write_script(&folder.join("cargo"), "echo 'tengen#0.1.0'\n");
    // The first file that is put there ends it.
    let note = format!("echo \"$2\" >'{}'\nexit 1\n", noted.display());
    write_script(&folder.join("strip"), &note);
    let path = std::env::var("PATH").unwrap_or_default();
    let output = Command::new(Path::new(crate::REPOSITORY).join("scripts/release.sh"))
        .args(["--out", "packages"])
        .current_dir(&*folder)
        .env("PATH", format!("{}:{path}", folder.display()))
        .output();
    let output = output.expect("the script is there");
    let place = fs::read_to_string(noted).unwrap_or_default();
    let is_there = place.starts_with('/') && place.contains("/packages/");
    assert!(is_there, "{place}, {output:?}");
}

/// `cargo install` takes a name, a name with a whole version, and a name with a range that has an operator.
#[test]
fn the_packagers_of_a_release_can_be_installed() {
    let path = Path::new(crate::REPOSITORY).join(".github/workflows/release.yml");
    let text = fs::read_to_string(path).expect("text");
    let line = text.lines().find(|line| line.contains("cargo install"));
    let words = line.expect("it installs some").split_whitespace();
    for (name, version) in words.filter_map(|word| word.split_once('@')) {
        let is_taken = version.starts_with(['^', '~', '=']) || version.matches('.').count() == 2;
        assert!(is_taken, "{name} {version}");
    }
}

/// A check is not left out because rustup still writes when what was looked for has been found.
#[test]
fn an_installed_component_is_found() {
    let folder = Scratch::new("sanitize");
    let noted = folder.join("noted");
    write_script(&folder.join("rustc"), "echo 'host: here'\n");
    let list = "echo 'miri-here (installed)'\n/bin/sleep 0.3\necho 'others'\n";
    write_script(&folder.join("rustup"), list);
    let note = format!("echo \"$@\" >'{}'\n", noted.display());
    write_script(&folder.join("cargo"), &note);
    let (status, said) = run_with(&folder, "scripts/sanitize.sh", &["miri"]);
    assert_eq!(status, Some(0), "{said}");
    assert!(noted.exists(), "{said}");
}

#[test]
fn a_library_can_be_fetched_without_a_home() {
    let script = Path::new(crate::REPOSITORY).join("scripts/fetch-onnxruntime.sh");
    let output = Command::new(script)
        .args(["--into", "nowhere", "--for", "an-abacus"])
        .env_remove("HOME")
        .env_remove("XDG_CACHE_HOME")
        .output();
    let output = output.expect("the script is there");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("wheel for an-abacus"), "{said}");
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
