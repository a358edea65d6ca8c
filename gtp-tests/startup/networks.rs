//! Networks that are named at the start: those that fit are used, and nothing replaces the others.

use tengen::game::BoardSize;
use tengen_nn::eval::ModelInfo;

use super::{player, text};
use crate::networks::{WILD, field, info, network, network_behind, patched, with_field};
use crate::process::{refuses, run_on};
use crate::scratch::Scratch;

#[test]
fn an_unusable_network_ends_the_program() {
    let folder = Scratch::new("networks");
    let model = |path: &str, parts: &[&str]| {
        for subcommand in ["gtp", "sau", "bench"] {
            refuses(&[subcommand, "--model", path], &[&[path], parts].concat());
        }
    };
    let go = ModelInfo {
        game: "go".to_owned(),
        ..info(9)
    };
    let go = folder.write("go.onnx", &network(&go, 0.1));
    model(&go, &["the network plays go, not nogo"]);
    let named = ModelInfo {
        game: "NoGo".to_owned(),
        ..info(9)
    };
    let named = folder.write("named.onnx", &network(&named, 0.1));
    let words = "the network plays NoGo, not nogo (games are nogo";
    refuses(&["gtp", "--model", &named], &[&named, words]);
    let newer = ModelInfo {
        encoding: "nogo-99".to_owned(),
        ..info(9)
    };
    let newer = folder.write("newer.onnx", &network(&newer, 0.1));
    model(&newer, &["encoding \"nogo-99\""]);
    refuses(
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
    let folder = Scratch::new("damage");
    let mut onnx = network(&info(9), 0.1);
    let kernel = 0.1_f32.to_le_bytes();
    let at = onnx.windows(4).position(|bytes| bytes == kernel);
    onnx[at.expect("the weights are in the file")] ^= 1;
    let damaged = folder.write("damaged.onnx", &onnx);
    refuses(
        &["gtp", "--model", &damaged],
        &[&damaged, "damaged", "crc32:"],
    );
    let short = folder.write("short.onnx", &onnx[..onnx.len() / 2]);
    refuses(&["gtp", "--model", &short], &["cut short"]);
}

/// A file that a backend would misread: no other network plays in its place.
#[test]
fn an_unsound_network_ends_the_program_on_every_backend() {
    let folder = Scratch::new("unsound");
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
            refuses(&arguments, &[&path, words]);
        }
        for subcommand in ["sau", "analysis", "bench"] {
            let arguments = [subcommand, "--model", &path, "--game", "nogo"];
            refuses(&arguments, &[&path, words]);
        }
    }
}

/// A network that one backend cannot compute may be computed by another, unless a backend is set;
/// then it ends the program.
#[test]
fn a_network_unsupported_by_its_backend_ends_the_program() {
    let folder = Scratch::new("operators");
    let sigmoid = network_behind(&info(9), 0.1, |graph, planes| graph.sigmoid(planes));
    let sigmoid = folder.write("sigmoid.onnx", &sigmoid);
    refuses(
        &["gtp", "--model", &sigmoid, "--backend", "native"],
        &[&sigmoid, "Sigmoid", "a part of SiLU"],
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
        refuses(&arguments, &[&unknown, "Nonsense"]);
    }
    // Of a set of operators newer than those that tract was tested with: it is refused in one line, too.
    let newer = patched(
        &std::fs::read(&sigmoid).expect("it was just written"),
        b"\x42\x04\x0a\0\x10\x11",
        b"\x42\x04\x0a\0\x10\x14",
    );
    let newer = folder.write("newer.onnx", &newer);
    refuses(
        &["gtp", "--model", &newer, "--backend", "tract"],
        &[&newer, "tract refuses it", "--backend ort"],
    );
    // At this order of axes tract panics.
    let squeezed = network_behind(&info(9), 0.1, |graph, planes| {
        let pooled = graph.node("GlobalAveragePool", &[planes], vec![]);
        let removed = graph.integers("removed", &[2], &[3, 2]);
        let vector = graph.node("Squeeze", &[pooled, removed], vec![]);
        let added = graph.integers("added", &[2], &[2, 3]);
        let pooled = graph.node("Unsqueeze", &[vector, added], vec![]);
        graph.add(planes, pooled)
    });
    let squeezed = folder.write("squeezed.onnx", &squeezed);
    refuses(
        &["gtp", "--model", &squeezed, "--backend", "tract"],
        &[&squeezed, "tract cannot compute it", "--backend ort"],
    );
    // Backends are compared with one that knows the network.
    let compare = [
        "bench",
        "--agreement",
        "--positions",
        "3",
        "--model",
        &sigmoid,
    ];
    let found = text(&run_on(&compare, "").stdout);
    assert!(found.contains("3 positions: policy 0.0"), "{found}");
}

#[test]
fn the_default_board_is_that_of_the_network() {
    let folder = Scratch::new("board");
    let five = folder.write("5.onnx", &network(&info(5), 0.1));
    let output = run_on(
        &["gtp", "--model", &five, "--visits", "10"],
        "gogui-rules_board_size\ngenmove b\nboardsize 6\ngenmove b\ntengen-network\n",
    );
    let (said, replies) = (text(&output.stderr), text(&output.stdout));
    assert!(replies.starts_with("= 5\n\n"), "{replies}");
    // Another board is requested by the controller: a warning, and playouts.
    assert!(said.contains("WARN") && !said.contains("ERROR"), "{said}");
    assert!(said.contains("on 5x5, not on 6x6"), "{said}");
    assert!(
        replies
            .trim_end()
            .ends_with("random playouts choose the moves"),
        "{replies}"
    );
}

/// One file for boards of several sizes: it plays on each, on a rectangle between, and nowhere
/// else.
#[test]
fn a_network_for_several_boards_plays_on_each() {
    let folder = Scratch::new("boards");
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
        let output = run_on(&arguments, &input);
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
    let folder = Scratch::new("fails");
    let wild = folder.write("wild.onnx", &network(&info(9), WILD));
    let output = run_on(
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
