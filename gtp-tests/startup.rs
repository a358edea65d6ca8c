//! What was asked for and cannot be had ends the program at once; what fails in a game is replaced,
//! loudly.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use tengen::eval::{FETCH_SCRIPT, ModelInfo};
use tengen::game::BoardSize;

use crate::networks::{Folder, WILD, field, info, network, network_behind, patched, with_field};
use crate::process::folder;

/// Runs `tengen` on `input` to its end.
fn run(args: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary was built for this test");
    let mut to_child = child.stdin.take().expect("it is piped");
    // A program that ends at once reads nothing.
    let _ = std::io::Write::write_all(&mut to_child, input.as_bytes());
    drop(to_child);
    child.wait_with_output().expect("it is our child")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("UTF-8")
}

/// `tengen` with these arguments ends with code 1 and one line that says all of `parts`.
#[track_caller]
fn check_refused(args: &[&str], parts: &[&str]) {
    let output = run(args, "name\ngenmove b\nquit\n");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{args:?}: {said}");
    assert_eq!(text(&output.stdout), "", "{args:?}");
    assert!(
        said.starts_with("tengen: ") && said.trim_end().lines().count() == 1,
        "{args:?}: {said}"
    );
    for part in parts {
        assert!(said.contains(part), "{args:?}: no {part:?} in {said}");
    }
}

fn released() -> String {
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    models.join("nogo-9x9.onnx").display().to_string()
}

/// The move that `tengen gtp` makes with these arguments, and who chose it.
fn player(args: &[&str]) -> String {
    let args = [&["gtp", "--visits", "50"], args].concat();
    let played = run(&args, "genmove b\ntengen-network\nquit\n");
    assert_eq!(played.status.code(), Some(0), "{}", text(&played.stderr));
    let said = text(&played.stdout);
    assert!(said.starts_with("= "), "{args:?}: {said}");
    said
}

/// PowerShell and editors on Windows begin with it.
#[test]
fn a_byte_order_mark_is_no_part_of_what_is_sent() {
    let said = |args: &[&str], input: &str| {
        let output = run(args, &format!("\u{feff}{input}"));
        let error = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {error}");
        text(&output.stdout)
    };
    assert_eq!(said(&["gtp"], "name\nquit\n"), "= Tengen\n\n= \n\n");
    assert_eq!(said(&[], "1 name\r\nquit\r\n"), "=1 Tengen\n\n= \n\n");
    // What is no GTP is told by its first line.
    let platform = said(&[], "name?\nquit\n");
    assert!(platform.starts_with("name Tengen"), "{platform}");
    let query = "{\"id\": \"a\", \"action\": \"query_version\"}\n";
    for args in [&[][..], &["analysis"]] {
        let version = said(args, query);
        assert!(version.contains("\"version\""), "{version}");
    }
    let file = std::env::temp_dir().join(format!("tengen-mark-{}.toml", std::process::id()));
    std::fs::write(&file, "\u{feff}visits = 7\n").expect("the folder is writable");
    let config = file.display().to_string();
    let set = said(&["gtp", "--config", &config], "kata-get-param maxVisits\n");
    assert_eq!(set, "= 7\n\n");
    std::fs::remove_file(&file).expect("it is ours");
}

#[test]
fn boards_have_their_own_network_the_one_named_or_playouts() {
    for (game, size, network) in [
        ("go", "9", true),
        ("go", "19x13", true),
        ("go", "7", false),
        ("gomoku", "8", true),
        ("gomoku", "15", true),
        ("gomoku", "19x11", true),
        ("gomoku", "7", false),
    ] {
        let said = player(&["--game", game, "--size", size]);
        let plays = said.contains("the built-in network by native on cpu: tengen-");
        let playouts = said.contains("random playouts choose the moves");
        assert_eq!(
            (plays, playouts),
            (network, !network),
            "{game} {size}: {said}"
        );
    }
    let models = Path::new(env!("CARGO_MANIFEST_DIR")).join("models");
    let model = models.join("gomoku-8x8.onnx").display().to_string();
    let said = player(&["--game", "gomoku", "--model", &model]);
    assert!(
        said.contains("gomoku-8x8.onnx by native on cpu: tengen-"),
        "{said}"
    );
}

#[test]
fn a_network_that_cannot_be_used_ends_the_program() {
    let folder = Folder::new("networks");
    let model = |path: &str, parts: &[&str]| {
        for subcommand in ["gtp", "sau", "bench"] {
            check_refused(&[subcommand, "--model", path], &[&[path], parts].concat());
        }
    };
    model("/nope.onnx", &["No such file"]);
    model(&folder.path(""), &["it is a folder, not a file"]);
    let text = folder.write("text.onnx", b"version https://git-lfs.github.com/spec/v1\n");
    model(&text, &["not a readable ONNX model"]);
    let go = ModelInfo {
        game: "go".to_owned(),
        ..info(9)
    };
    let go = folder.write("go.onnx", &network(&go, 0.1));
    model(&go, &["the network plays go, not nogo"]);
    let newer = ModelInfo {
        encoding: "nogo-99".to_owned(),
        ..info(9)
    };
    let newer = folder.write("newer.onnx", &network(&newer, 0.1));
    model(&newer, &["encoding \"nogo-99\""]);
    check_refused(
        &["gtp", "--model", &released(), "--size", "13"],
        &["nogo-9x9.onnx", "on 9x9, not on 13x13"],
    );
    check_refused(
        &[
            "sau",
            "--model",
            &folder.write("7.onnx", &network(&info(7), 0.1)),
        ],
        &["on 7x7, not on 9x9"],
    );
}

#[test]
fn damage_is_found_before_the_game() {
    let folder = Folder::new("damage");
    let mut onnx = network(&info(9), 0.1);
    let kernel = 0.1_f32.to_le_bytes();
    let at = onnx.windows(4).position(|bytes| bytes == kernel);
    onnx[at.expect("the weights are in the file")] ^= 1;
    let damaged = folder.write("damaged.onnx", &onnx);
    check_refused(
        &["gtp", "--model", &damaged],
        &[&damaged, "damaged", "crc32:"],
    );
    let short = folder.write("short.onnx", &onnx[..onnx.len() / 2]);
    check_refused(&["gtp", "--model", &short], &["cut short"]);
}

/// A file that a backend would read past: no other network plays under its name.
#[test]
fn an_unsound_network_ends_the_program_on_every_backend() {
    let folder = Folder::new("unsound");
    let sound = network(&info(9), 0.1);
    let far = [
        b"\x10\x01".to_vec(),
        field(8, b"far"),
        field(13, &[field(1, b"location"), field(2, b"far.bin")].concat()),
        b"\x70\x01".to_vec(),
    ];
    let relu = [
        field(1, b"planes"),
        field(2, b"foreign"),
        field(4, b"Relu"),
        field(7, b"com.example"),
    ];
    let not_a_number = patched(&sound, &0.1_f32.to_le_bytes(), &f32::NAN.to_le_bytes());
    for (name, onnx, words) in [
        ("nan", not_a_number, "tensor kernel holds NaN (number 1 of"),
        (
            "external",
            with_field(&sound, 5, &far.concat()),
            "tensor far has its numbers in another file (far.bin)",
        ),
        (
            "half",
            patched(&sound, b"\x08\x01\x12", b"\x08\x0a\x12"),
            "its input planes is float16, not float32",
        ),
        (
            "opset",
            patched(&sound, b"\x42\x04\x0a\0\x10\x11", b"\x42\x04\x0a\0\x10\x63"),
            "of set 99 of ONNX",
        ),
        (
            "domain",
            with_field(&sound, 1, &relu.concat()),
            "com.example",
        ),
    ] {
        let path = folder.write(&format!("{name}.onnx"), &onnx);
        for backend in ["native", "tract", "auto"] {
            let arguments = ["gtp", "--model", &path, "--backend", backend];
            check_refused(&arguments, &[&path, words]);
        }
        for subcommand in ["sau", "gomocup", "analysis", "bench"] {
            let arguments = [subcommand, "--model", &path, "--game", "nogo"];
            check_refused(&arguments, &[&path, words]);
        }
    }
}

/// What one backend does not compute another may, where none is asked for; where one is, it ends the
/// program.
#[test]
fn a_network_that_its_backend_does_not_compute_ends_the_program() {
    let folder = Folder::new("operators");
    let sigmoid = network_behind(&info(9), 0.1, |graph, planes| graph.sigmoid(planes));
    let sigmoid = folder.write("sigmoid.onnx", &sigmoid);
    check_refused(
        &["gtp", "--model", &sigmoid, "--backend", "native"],
        &[&sigmoid, "Sigmoid", "does not know this operator"],
    );
    let said = player(&["--model", &sigmoid]);
    let by_another = ["tract", "ort"].map(|other| format!("{sigmoid} by {other} on cpu: test"));
    assert!(
        by_another.iter().any(|words| said.contains(words)),
        "{said}"
    );
    let unknown = network_behind(&info(9), 0.1, |graph, planes| {
        graph.node("Nonsense", &[planes], vec![])
    });
    let unknown = folder.write("unknown.onnx", &unknown);
    for backend in ["native", "tract", "auto"] {
        let arguments = ["gtp", "--model", &unknown, "--backend", backend];
        check_refused(&arguments, &[&unknown, "Nonsense"]);
    }
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_read() {
    let folder = Folder::new("no-files");
    let fifo = folder.path("fifo.onnx");
    let made = Command::new("mkfifo").arg(&fifo).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo");
    check_refused(&["gtp", "--model", &fifo], &[&fifo, "it is a FIFO"]);
    check_refused(&["gtp", "--config", &fifo], &[&fifo, "not a regular file"]);
    check_refused(
        &["gtp", "--model", "/dev/zero"],
        &["/dev/zero: it is a device"],
    );
    let large = folder.write("large.onnx", b"");
    let file = std::fs::OpenOptions::new().write(true).open(&large);
    // Nothing is written: it has a hole of 50 GiB.
    let grown = file.and_then(|file| file.set_len(50 << 30));
    grown.expect("sparse files are usual");
    check_refused(
        &["gtp", "--model", &large],
        &["it has 50.0 GiB, at most 1.0 GiB"],
    );
}

#[test]
fn a_backend_or_device_that_is_not_here_ends_the_program() {
    for subcommand in ["gtp", "sau", "bench"] {
        check_refused(
            &[subcommand, "--device", "cuda:63"],
            &["no backend computes on cuda:63", "not ort: ", "not tract: "],
        );
    }
    check_refused(
        &["gtp", "--backend", "tract", "--device", "cuda:0"],
        &["tract", "no device cuda:0", "leave --backend out"],
    );
    let missing = ["gtp", "--ort-library", "/nope.so", "--backend", "ort"];
    let parts = ["/nope.so (from --ort-library)", FETCH_SCRIPT];
    check_refused(&missing, &parts);
    check_refused(&missing[..3], &parts);
    let source = folder().join("startup.rs").display().to_string();
    check_refused(
        &["gtp", "--ort-library", &source],
        &["startup.rs: it is not a library for this system"],
    );
}

#[test]
fn a_configuration_that_cannot_be_read_ends_the_program() {
    let folder = Folder::new("configurations");
    check_refused(
        &["gtp", "--config", "/nope.toml"],
        &["/nope.toml", "no such file"],
    );
    let broken = folder.write("broken.toml", b"threads = 1\nvisits = = 1\n");
    check_refused(&["gtp", "--config", &broken], &["line 2: extra `=`"]);
    let missing = folder.write("missing.toml", b"model = \"/nope.onnx\"\n");
    check_refused(&["gtp", "--config", &missing], &["/nope.onnx"]);
}

#[test]
fn numbers_may_be_negative_and_wrong() {
    for flag in ["--visits", "--lag", "--seed", "--threads"] {
        check_refused(&["gtp", flag, "-1"], &["must be", "not \"-1\""]);
    }
}

#[test]
fn the_board_is_the_networks_when_nobody_names_one() {
    let folder = Folder::new("board");
    let five = folder.write("5.onnx", &network(&info(5), 0.1));
    let output = run(
        &["gtp", "--model", &five, "--visits", "10"],
        "gogui-rules_board_size\ngenmove b\nboardsize 6\ngenmove b\ntengen-network\n",
    );
    let (said, replies) = (text(&output.stderr), text(&output.stdout));
    assert!(replies.starts_with("= 5\n\n"), "{replies}");
    // Another board is the controller's wish: a warning, and playouts.
    assert!(said.contains("WARN") && !said.contains("ERROR"), "{said}");
    assert!(said.contains("on 5x5, not on 6x6"), "{said}");
    assert!(
        replies
            .trim_end()
            .ends_with("random playouts choose the moves"),
        "{replies}"
    );
}

/// One file for boards of several sizes: it plays on each, on a rectangle between, and nowhere else.
#[test]
fn a_network_for_several_boards_plays_on_each() {
    let folder = Folder::new("boards");
    let mut info = info(7);
    info.boards = vec![info.size, BoardSize::square(5)];
    let several = folder.write("5-7.onnx", &network(&info, 0.1));
    for backend in ["native", "tract"] {
        let arguments = [
            "gtp",
            "--model",
            &several,
            "--visits",
            "10",
            "--backend",
            backend,
        ];
        let boards = [
            "boardsize 5",
            "boardsize 7",
            "rectangular_boardsize 6 5",
            "boardsize 8",
        ];
        let ask = boards.map(|board| format!("{board}\ngenmove b\ntengen-network\n"));
        let input = format!("gogui-rules_board_size\n{}", ask.concat());
        let output = run(&arguments, &input);
        let (said, replies) = (text(&output.stderr), text(&output.stdout));
        assert!(replies.starts_with("= 7\n\n"), "{replies}");
        let by_network = format!("network {several} by {backend} on cpu: test");
        assert_eq!(replies.matches(&by_network).count(), 3, "{replies}");
        assert!(
            said.contains("on 7x7, 5x5 and boards between, not on 8x8"),
            "{said}"
        );
        assert!(said.contains("WARN") && !said.contains("ERROR"), "{said}");
        let last = replies.trim_end();
        assert!(
            last.ends_with("random playouts choose the moves"),
            "{replies}"
        );
    }
}

#[test]
fn the_built_in_network_takes_over_from_one_that_fails_in_a_game() {
    let folder = Folder::new("fails");
    let wild = folder.write("wild.onnx", &network(&info(9), WILD));
    let output = run(
        &["gtp", "--model", &wild, "--visits", "20", "--threads", "1"],
        "genmove b\nkata-raw-nn 0\ntengen-network\n",
    );
    let (said, replies) = (text(&output.stderr), text(&output.stdout));
    for part in ["ERROR", "wild.onnx", "failed: ", "the built-in network by "] {
        assert!(said.contains(part), "no {part:?} in {said}");
    }
    assert!(!said.contains("playouts"), "{said}");
    assert!(
        replies.starts_with("= ") && replies.contains("the built-in network by "),
        "{replies}"
    );
    assert!(output.status.success());
}

#[test]
fn a_side_without_time_is_told_of() {
    let script = |settings: &str| format!("boardsize 5\n{settings}\ngenmove b\ntengen-clock\n");
    let quick = ["gtp", "--backend", "rollout", "--seed", "1"];
    // Sudden death without any time, as KataGo reads it.
    let output = run(&quick, &script("time_settings 0 0 0"));
    let said = text(&output.stderr);
    assert!(
        said.contains("WARN") && said.contains("black gets only 0 ms"),
        "{said}"
    );
    // The first increment is there at once.
    for settings in ["fischer 0 2", "fischer-capped 0 2 2 -1"] {
        let output = run(&quick, &script(&format!("kata-time_settings {settings}")));
        assert_eq!(text(&output.stderr), "");
        let clocks = text(&output.stdout);
        assert!(clocks.contains("white: 2.00 s"), "{clocks}");
        let visits = clocks
            .split(" visits (")
            .next()
            .and_then(|head| head.rsplit(' ').next());
        let visits: u64 = visits
            .and_then(|text| text.parse().ok())
            .expect("a searched move");
        assert!(visits > 100, "{clocks}");
    }
}

#[test]
fn a_games_name_may_have_capitals_and_a_wrong_one_is_told_all() {
    // No other game has a network for that board.
    let said = player(&["--game", "Gomoku", "--size", "8"]);
    assert!(said.contains("the built-in network"), "{said}");
    check_refused(&["gtp", "--game", "chess"], &["chess", "nogo, go, gomoku"]);
    let output = run(&["solve", "--game", "NoGo", "--size", "3"], "");
    assert!(text(&output.stdout).contains("black wins"), "{output:?}");
    for program in [
        env!("CARGO_BIN_EXE_tengen-match"),
        env!("CARGO_BIN_EXE_tengen"),
    ] {
        let subcommand = if program.ends_with("match") {
            "openings"
        } else {
            "solve"
        };
        let output = Command::new(program)
            .args([subcommand, "--game", "chess", "--size", "9"])
            .output()
            .expect("it was built for this test");
        let said = text(&output.stderr);
        assert!(
            said.contains("chess") && said.contains("nogo, go, gomoku"),
            "{said}"
        );
    }
}

#[test]
fn advice_is_given_where_a_name_is_nearly_right() {
    check_refused(&["gtp", "--set", "foo=1"], &["\"foo\"", "--help lists all"]);
    check_refused(&["gtp", "--set", "visit=1"], &["did you mean visits?"]);
    check_refused(
        &["gtp", "--set", "cpuct_grwth=1"],
        &["did you mean cpuct_growth?"],
    );
    let output = run(&["gtp", "--set", "foo=1"], "");
    assert!(!text(&output.stderr).contains("did you mean"), "{output:?}");
}

#[test]
fn what_nothing_solves_is_said_before_anything_else() {
    let record = folder().join("games").join("go-superko.sgf");
    let finished = std::env::temp_dir().join(format!("tengen-solve-{}.sgf", std::process::id()));
    // Passes and handicap stones are nothing that a solver of NoGo would take.
    std::fs::write(&finished, "(;GM[1]SZ[9]HA[2]AB[cc][gg];W[ee];B[tt];W[tt])")
        .expect("a folder for files");
    for file in [&record, &finished] {
        let file = file.to_str().expect("a plain path");
        check_refused(
            &["solve", "--game", "go", file],
            &["there is no solver for Go", "NoGo and Gomoku"],
        );
    }
    // Files of NoGo may say no more than that they are of Go's board.
    let file = finished.to_str().expect("a plain path");
    check_refused(
        &["solve", file],
        &["there is no solver for go", "game of nogo", "pass"],
    );
    std::fs::remove_file(&finished).expect("it is ours");
}

/// A processor of 2008 has no AVX2, which all code of the usual build may use.
#[test]
#[expect(clippy::print_stdout, reason = "a test that is skipped says so")]
fn an_old_processor_is_told_so() {
    if !cfg!(target_feature = "avx2") {
        return println!("skipped: this build runs on all processors");
    }
    let qemu = |program: &str| {
        let mut command = Command::new("qemu-x86_64");
        command
            .args(["-cpu", "Nehalem", program, "--version"])
            .output()
    };
    let programs = [
        env!("CARGO_BIN_EXE_tengen"),
        env!("CARGO_BIN_EXE_tengen-match"),
        #[cfg(feature = "train")]
        env!("CARGO_BIN_EXE_tengen-train"),
    ];
    for program in programs {
        let Ok(output) = qemu(program) else {
            return println!("skipped: qemu-user is not installed");
        };
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{program}: {output:?}");
        assert!(
            said.contains("AVX2") && said.contains("target-cpu=x86-64"),
            "{program}: {said}"
        );
    }
}

#[test]
fn keys_of_newer_dialects_are_passed_over_and_the_log_says_so_once() {
    let analyze = "kata-analyze b 50 ownershipStdev true movesOwnershipStdev false noResultValue true someDayKey 7 maxmoves 1";
    let sent = format!("{analyze}\n{analyze}\nkata-set-param numSearchThreads 8\nquit\n");
    let output = run(&["gtp", "--backend", "rollout", "--visits", "10"], &sent);
    let said = text(&output.stdout);
    assert!(said.starts_with("=\n") && !said.contains('?'), "{said}");
    let log = text(&output.stderr);
    for key in [
        "ownershipStdev",
        "movesOwnershipStdev",
        "noResultValue",
        "someDayKey",
        "numSearchThreads",
    ] {
        assert_eq!(
            log.matches(&format!("`{key}` is not known here")).count(),
            1,
            "{log}"
        );
    }
}
