//! Each program on an old processor. Every package tests its own programs.

use std::process::Command;

const PROGRAMS: [Option<&str>; 4] = [
    option_env!("CARGO_BIN_EXE_tengen"),
    option_env!("CARGO_BIN_EXE_tengen-match"),
    option_env!("CARGO_BIN_EXE_tengen-train"),
    option_env!("CARGO_BIN_EXE_tengen-lab"),
];

/// A processor of 2008 has no AVX2, which all code of the usual build may use.
#[test]
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn an_old_processor_gets_a_clear_error() {
    if !cfg!(target_feature = "avx2") {
        return println!("skipped: this build runs on all processors");
    }
    let qemu = |program: &str| {
        let mut command = Command::new("qemu-x86_64");
        command
            .args(["-cpu", "Nehalem", program, "--version"])
            .output()
    };
    for program in PROGRAMS.into_iter().flatten() {
        let Ok(output) = qemu(program) else {
            return println!("skipped: qemu-user is not installed");
        };
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{program}: {output:?}");
        assert!(
            said.contains("AVX2") && said.contains("target-cpu=x86-64"),
            "{program}: {said}"
        );
    }
}
