//! `tengen-train` as a process: the small end-to-end training run.

#![allow(clippy::unwrap_used, reason = "a test helper fails by panicking")]

mod fuzz;
mod killed;
mod machines;
mod programs;
mod reference;
mod resume;
mod scratch;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use tengen::encode::find;
use tengen::game::{BoardSize, Game};
use tengen::games::nogo::SmallNoGo;
use tengen_nn::eval::{Batch, Evaluator, LibraryPlaces, ModelInfo, Outputs, TractModel};
use tengen_nn::onnx::{Header, with_checksum};
use tengen_train::shards::row::Row;
use tengen_train::shards::shard;

use scratch::Scratch;

/// The folder of the workspace.
const REPOSITORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

fn train(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tengen-train"));
    command.args(arguments).env("RUST_LOG", "warn");
    command
}

/// Runs to the end; shows both outputs when it fails.
fn run(arguments: &[&str]) -> String {
    succeed(&mut train(arguments))
}

fn succeed(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(
        output.status.success(),
        "{command:?}\nstdout: {stdout}\nstderr: {stderr}"
    );
    stdout
}

/// The rows of a folder by game.
fn games(folder: &str) -> BTreeMap<u64, Vec<Row>> {
    let mut games: BTreeMap<u64, Vec<Row>> = BTreeMap::new();
    for path in shard::list(Path::new(folder)).unwrap() {
        for row in shard::read(&path).unwrap().rows {
            games.entry(row.game).or_default().push(row);
        }
    }
    games
}

/// Inspects a network with the name of another encoding, which has more planes.
#[track_caller]
fn refused_like_by_the_engine(net: &str, other: &str) {
    let onnx = std::fs::read(net).unwrap();
    let sealed = Header::read(&onnx).unwrap().checksum.unwrap();
    let mut bytes = onnx[..sealed.covers].to_vec();
    let (name, wrong) = (b"nogo-az", b"nogo-2\0");
    let at = bytes.windows(name.len()).position(|part| part == name);
    let at = at.unwrap();
    bytes[at..at + name.len()].copy_from_slice(wrong);
    std::fs::write(other, with_checksum(bytes)).unwrap();
    let output = train(&["inspect", other]).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        !output.status.success() && said.contains("encoding"),
        "{said}"
    );
}

#[test]
fn a_run_says_at_once_that_a_device_is_missing() {
    let scratch = Scratch::new("no-device");
    let plan = format!("{REPOSITORY}/scripts/cluster/small.toml");
    let out = scratch.path("run");
    let library = "/nowhere/onnxruntime.so";
    let on_card = ["--device", "cuda:0", "--ort-library", library];
    for (command, flags, missing) in [
        (
            &["loop", &plan, "--out", &out],
            &["--fit-device", "cuda:63"][..],
            "libtorch",
        ),
        (&["loop", &plan, "--out", &out], &on_card, library),
        (&["work", "--run", &out, "--threads=1"], &on_card, library),
        (&["loop", &plan, "--out", &out], &on_card[2..], library),
    ] {
        let output = train(&[command, flags].concat()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(missing), "{said}");
        assert!(!Path::new(&out).exists(), "{command:?}");
    }
}

#[test]
fn flags_that_cannot_be_followed_are_named() {
    let scratch = Scratch::new("train-flags");
    let names = ["out", "net.onnx", "data", "fit"];
    let [out, net, data, fitted] = names.map(|name| scratch.path(name));
    let fails = |arguments: &[&str], part: &str| {
        let output = train(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(part), "{said}");
    };
    let games = [
        "--games",
        "3",
        "--playouts",
        "2",
        "--size",
        "4",
        "--out",
        &out,
    ];
    let first = ["selfplay", "rollouts", "--first", "18446744073709551615"];
    fails(&[&first[..], &games].concat(), "games are numbered");
    // Boards that are no square.
    let games_on_it = [&games[..4], &["--size", "5x4", "--out", &data]].concat();
    run(&[&["selfplay", "rollouts"], &games_on_it[..]].concat());
    let fit = ["fit", "--data", &data, "--out", &fitted, "--net", "az-1b8c"];
    run(&[&fit[..], &["--steps", "1", "--batch", "4"]].concat());
    let export = ["export", "--checkpoint", &fitted, "--out"];
    // The second time in the place of the first network.
    for _ in 0..2 {
        run(&[&export[..], &[&*net]].concat());
    }
    let notes = scratch.write("notes", b"mine");
    for write in [&export[..], &["quantize", "--model", &net, "--out"]] {
        fails(&[write, &[&*notes]].concat(), "that is not a network");
    }
    assert!(run(&["inspect", &net]).contains("tengen.board_width: 5"));
    assert!(run(&["inspect", "az-1b8c", "--size", "5x4"]).contains("parameters"));
    fails(
        &["inspect", &net, "--size", "5x4"],
        "--size is for the name",
    );
    fails(&["inspect", "az-1b"], "no network is named so");
    let play = ["selfplay", "network", "--out", &out, "--model"];
    fails(
        &[&play[..], &[net.as_str(), "--set", "foo=1"]].concat(),
        "docs/settings.md",
    );
    let komi = ["selfplay", "rollouts", "--komi", "7,1,0.1,6"];
    fails(&[&komi[..], &games].concat(), "--komi has no effect");
    fails(
        &[&play[..], &[net.as_str(), "--move-noise", "0.1"]].concat(),
        "--move-noise has no effect",
    );
    let katago = scratch.write("katago.bin.gz", b"\x1f\x8b\x08\x00");
    fails(
        &[&play[..], &[katago.as_str()]].concat(),
        "networks of KataGo's only play",
    );
    fails(&["inspect", &katago], "networks of KataGo's only play");
    fails(&["loop", "--out", &out, "--patience", "9"], "--run");
    assert!(!Path::new(&out).exists());
}

#[test]
fn a_network_without_an_int8_form_is_refused_before_the_games() {
    let scratch = Scratch::new("train-int8");
    let (net, out) = (
        format!("{REPOSITORY}/models/nogo-9x9-int8.onnx"),
        scratch.path("out.onnx"),
    );
    let mut quantize = train(&["quantize", "--model", &net, "--out", &out]);
    let output = quantize.env("RUST_LOG", "info").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("is already quantised"), "{said}");
    assert!(!said.contains("plays games"), "{said}");
}

#[test]
fn games_become_a_network_that_the_engine_loads() {
    let scratch = Scratch::new("end-to-end");
    let (data, fitted, net) = (
        scratch.path("data"),
        scratch.path("run"),
        scratch.path("net.onnx"),
    );
    let selfplay = [
        "--size",
        "5",
        "--games",
        "12",
        "--playouts",
        "20",
        "--threads",
        "2",
    ];
    run(&[&["selfplay", "rollouts", "--out", &data], &selfplay[..]].concat());
    let fit = [
        "--net",
        "az-1b8c",
        "--steps",
        "12",
        "--batch",
        "32",
        "--held-out",
        "0.3",
        "--json",
    ];
    let log = run(&[&["fit", "--data", &data, "--out", &fitted], &fit[..]].concat());
    assert!(log.contains("\"untrained\""), "{log}");
    run(&["export", "--checkpoint", &fitted, "--out", &net]);
    for path in [&data, &fitted, &net] {
        assert!(run(&["inspect", path]).lines().count() >= 3);
    }
    folders_above(&scratch, &net, &fitted);
    let later = scratch.path("later.onnx");
    let earlier = ["--earlier-games", "5", "--earlier-steps", "7"];
    let export = ["export", "--checkpoint", &fitted, "--out", &later];
    run(&[&export[..], &earlier].concat());
    let told = run(&["inspect", &later]);
    for line in ["tengen.games: 17", "tengen.steps: 19"] {
        assert!(told.lines().any(|told| told == line), "{told}");
    }

    quantised(&net, &data, &scratch.path("int8.onnx"));
    refused_like_by_the_engine(&net, &scratch.path("other.onnx"));
    taught(
        [&net, &later],
        &["fit", "--data", &data, "--out", &scratch.path("taught")],
        &fit,
    );

    let onnx = std::fs::read(&net).unwrap();
    let mut evaluator = TractModel::load(&net, &onnx, None)
        .unwrap()
        .evaluator()
        .unwrap();
    let position = SmallNoGo::new(BoardSize::square(5)).unwrap();
    let info: ModelInfo = evaluator.info().clone();
    assert_eq!(
        (info.network.as_str(), info.games, info.steps),
        ("az-1b8c", 12, 12)
    );
    assert_eq!(info.encoding, "nogo-az");
    let (mut batch, mut out) = (Batch::new(info.row_len()), Outputs::new());
    find(&info, &position)
        .unwrap()
        .encode(&position, batch.push(1));
    evaluator.evaluate(&batch, &mut out).unwrap();
    assert!(out.policy(0).iter().all(|logit| logit.is_finite()));
    assert!(out.value(0).abs() < 1.0);
}

/// What to give instead of a folder of networks, and of one above that of this fit, is told.
fn folders_above(scratch: &Scratch, net: &str, fitted: &str) {
    std::fs::create_dir(scratch.join("networks")).unwrap();
    std::fs::copy(net, scratch.join("networks/network-0000.onnx")).unwrap();
    let [networks, out] = ["networks", "no.onnx"].map(|name| scratch.path(name));
    let above = scratch.display().to_string();
    for (arguments, named) in [
        (&["inspect", &networks][..], &*networks),
        (&["export", "--checkpoint", &above, "--out", &out], fitted),
    ] {
        let output = train(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let is_told = said.contains("itself; give ") && said.contains(named);
        assert!(!output.status.success() && is_told, "{said}");
    }
}

#[test]
fn a_fit_whose_data_has_grown_says_how_it_goes_on() {
    let scratch = Scratch::new("fit-grown-data");
    let [data, fitted] = ["data", "fit"].map(|name| scratch.path(name));
    let play = |games: &str| {
        let play = ["selfplay", "rollouts", "--out", &data, "--games", games];
        run(&[&play[..], &["--size", "4", "--playouts", "5"]].concat())
    };
    let fit = |more: &[&str]| {
        let fit = ["fit", "--data", &data, "--out", &fitted, "--net", "az-1b8c"];
        let settings = ["--batch", "16", "--epochs", "1"];
        let output = train(&[&fit[..], &settings, more].concat()).output();
        let output = output.unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        (output.status.success(), said)
    };
    play("6");
    assert!(fit(&[]).0);
    play("20");
    let (goes_on, said) = fit(&[]);
    let steps = said.split("--steps ").nth(1);
    let steps = steps.and_then(|rest| rest.split(' ').next());
    assert!(!goes_on && steps.is_some(), "{said}");
    let other = ["fit", "--data", &data, "--out", &fitted, "--net", "az-1b8c"];
    let steps = ["--batch", "16", "--steps", steps.unwrap()];
    run(&[&other[..], &steps].concat());
}

#[test]
fn lines_of_progress_count_what_is_done() {
    let scratch = Scratch::new("progress");
    let [data, fitted] = ["data", "fit"].map(|name| scratch.path(name));
    let said = |command: &[&str], settings: &[&str]| {
        let mut command = train(&[command, settings].concat());
        let output = command.env("RUST_LOG", "info").output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.success(), "{said}");
        said
    };
    let play = ["selfplay", "rollouts", "--out", &data, "--size", "4"];
    let games = |games: &str| said(&play, &["--playouts", "5", "--games", games]);
    games("6");
    let fewer = games("3");
    assert!(
        fewer.contains(" 6/6 games ") && !fewer.contains("/3 games"),
        "{fewer}"
    );
    let fit = ["fit", "--data", &data, "--out", &fitted, "--net", "az-1b8c"];
    let settings = [
        "--batch",
        "16",
        "--steps",
        "4",
        "--score-every",
        "2",
        "--held-out",
        "0.4",
    ];
    let told = said(&fit, &settings);
    for step in ["2/4 steps  step 2: held out", "4/4 steps  step 4: held out"] {
        assert!(told.contains(step), "{step}: {told}");
    }
    assert!(!told.contains(" 0 samples/s"), "{told}");
}

#[test]
fn an_import_says_what_it_has_passed_over() {
    let scratch = Scratch::new("import-told");
    std::fs::create_dir(scratch.join("games")).unwrap();
    scratch.write("games/1.sgf", b"(;GM[1]SZ[5]RE[B+R];B[cc];W[bb];B[dd])");
    scratch.write("games/2.sgf", b"(;GM[1]SZ[9]RE[B+R];B[cc];W[bb];B[dd])");
    scratch.write("games/notes.txt", b"no games");
    let [games, out] = ["games", "out"].map(|name| scratch.path(name));
    let import = ["import", &games, "--out", &out, "--size", "5"];
    let mut command = train(&[&import[..], &["--least-plies", "1"]].concat());
    let output = command.env("RUST_LOG", "info").output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    for part in [
        "1 game of go 5x5, 3 positions",
        "left out: 1 another board (--game and --size",
        "0/0 KiB  ",
        "; files passed over: 1 (",
    ] {
        assert!(said.contains(part), "{said}");
    }
}

/// A fit learns from a network, and goes on with the same file only.
fn taught([net, other]: [&str; 2], command: &[&str], settings: &[&str]) {
    let answers = format!("{net}.answers");
    let with = |share: &'static str| {
        let teacher = ["--teacher", net, "--teacher-share", share];
        let kept = ["--teacher-answers", &answers];
        train(&[command, settings, &teacher, &kept].concat())
    };
    let log = succeed(&mut with("0.5"));
    let kept = std::fs::metadata(&answers).unwrap().len();
    assert!(kept > 1000, "{kept} bytes of answers");
    assert!(log.contains("\"untrained\""), "{log}");
    succeed(&mut with("0.5"));
    // Another file of the same architecture, and other rows.
    for (teacher, window, wanted) in [(other, "2000000", "hashes"), (net, "500", "window")] {
        let flags = [
            "--teacher",
            teacher,
            "--teacher-share",
            "0.5",
            "--window",
            window,
        ];
        let output = train(&[command, settings, &flags].concat())
            .output()
            .unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && message.contains(wanted),
            "{message}"
        );
    }
    for (share, wanted) in [
        ("0.25", "belongs to a run with share of teacher: 0.5"),
        ("0", "--teacher-share 0"),
    ] {
        let output = with(share).output().unwrap();
        let message = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            !output.status.success() && message.contains(wanted),
            "{message}"
        );
    }
}

/// The int8 version of a network is written, compared and named as such.
fn quantised(net: &str, data: &str, out: &str) {
    if LibraryPlaces::usual(None).find().is_err() {
        return;
    }
    let arguments = [
        "quantize",
        "--model",
        net,
        "--data",
        data,
        "--positions",
        "16",
    ];
    // A network trained for twelve steps may lose more than a good one.
    let report = run(&[&arguments[..], &["--out", out, "--force", "--json"]].concat());
    let report: serde_json::Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["difference"]["positions"], 16, "{report}");
    assert!(
        report["difference"]["policy_kl"].as_f64().unwrap() < 0.1,
        "{report}"
    );
    assert!(run(&["inspect", out]).contains("int8"));
    let again = train(&["quantize", "--model", out, "--out", net, "--data", data])
        .output()
        .unwrap();
    let message = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(
        !again.status.success() && message.contains("already quantised"),
        "{message}"
    );
}

#[test]
fn the_plans_in_the_scripts_folder_are_valid() {
    let folder = Path::new(crate::REPOSITORY).join("scripts/plans");
    let mut seen = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap();
        // The lab's own tests read theirs.
        if text.contains("opponent-rules") || text.contains("[[arm]]") {
            continue;
        }
        let parsed = tengen_train::cycle::CyclePlan::parse(&text).map(drop);
        assert!(parsed.is_ok(), "{}: {parsed:?}", path.display());
        seen += 1;
    }
    assert!(seen >= 5);
    let small = folder.parent().unwrap().join("cluster/small.toml");
    let text = std::fs::read_to_string(small).unwrap();
    tengen_train::cycle::CyclePlan::parse(&text).unwrap();
}

#[cfg(unix)]
#[test]
fn a_plan_may_come_from_a_pipe_and_not_from_a_folder() {
    let scratch = Scratch::new("piped-plan");
    let [plan, out] = [scratch.write("plan", b"mine = 1\n"), scratch.path("run")];
    let folder = scratch.display().to_string();
    for (given, wanted) in [
        ("/dev/stdin", "invalid plan"),
        (&*folder, "not a regular file"),
        ("/dev/zero", "larger than 16 MiB"),
    ] {
        let mut command = train(&["loop", given, "--out", &out]);
        let piped = std::fs::File::open(&plan).unwrap();
        let mut pipe = Command::new("cat")
            .stdin(piped)
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let output = command.stdin(pipe.stdout.take().unwrap()).output().unwrap();
        pipe.wait().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let is_told = said.contains(given) && said.contains(wanted);
        assert!(!output.status.success() && is_told, "{said}");
    }
}

/// Packages have no checkout beside them, and no `tengen-lab`.
#[cfg(unix)]
#[test]
fn a_package_has_licences_and_the_plans_that_need_no_other_file() {
    let scratch = Scratch::new("package");
    let script = Path::new(crate::REPOSITORY).join("scripts/package-files.sh");
    let mut script = Command::new(script);
    let made = script.arg(&*scratch).args(["-p", "tengen-train"]).output();
    let made = made.unwrap();
    assert!(made.status.success(), "{made:?}");
    let read = |path: &Path| std::fs::read_to_string(path).unwrap();
    let licences = read(&scratch.join("licences/crates.txt"));
    assert!(read(&scratch.join("LICENSE")).starts_with("MIT"));
    for part in ["the networks", "  burn-core-", "Permission is hereby"] {
        assert!(licences.contains(part), "no {part}");
    }
    let plans = std::fs::read_dir(scratch.join("plans")).unwrap();
    let plans: Vec<_> = plans.map(|plan| plan.unwrap().path()).collect();
    for path in &plans {
        let plan = tengen_train::cycle::CyclePlan::parse(&read(path)).unwrap();
        let alone = plan.warm_up.is_none_or(|warm_up| warm_up.is_by_playouts());
        assert!(alone, "{}", path.display());
    }
    assert!(plans.len() >= 5, "{plans:?}");
}
