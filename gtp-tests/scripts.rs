//! Scripts that start `tengen-train` on clusters.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::scratch::Scratch;

/// Slurm's script starts a failed worker again, but not without end, and not one that must not work.
#[test]
fn a_failed_worker_is_started_again() {
    let folder = Scratch::new("slurm");
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
