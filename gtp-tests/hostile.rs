//! Input that no controller should send: every command still gets exactly one reply, and there is
//! no other output.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;

use crate::process::{Engine, QUICK, pipe};

/// Lines of the property test; overridden by `TENGEN_HOSTILE_LINES`.
const LINES: usize = 5_000;

/// Commands and arguments, right and wrong ones. `quit` would end the test, `printsgf` and
/// `loadsgf` with an argument would touch files.
const WORDS: &[&[u8]] = &[
    b"name",
    b"version",
    b"known_command",
    b"list_commands",
    b"boardsize",
    b"clear_board",
    b"komi",
    b"play",
    b"genmove",
    b"undo",
    b"reg_genmove",
    b"showboard",
    b"final_score",
    b"time_settings",
    b"kgs-time_settings",
    b"time_left",
    b"cputime",
    b"rectangular_boardsize",
    b"protocol_version",
    b"kata-analyze",
    b"lz-analyze",
    b"kata-genmove_analyze",
    b"kata-raw-nn",
    b"gogui-setup",
    b"gogui-setup_player",
    b"gogui-play_sequence",
    b"gogui-rules_legal_moves",
    b"gg-undo",
    b"tengen-policy",
    b"tengen-search",
    b"tengen-table",
    b"kgs-game_over",
    b"final_status_list",
    b"avoid",
    b"maxmoves",
    b"b",
    b"w",
    b"BLACK",
    b"White",
    b"A1",
    b"j9",
    b"K10",
    b"I5",
    b"pass",
    b"0",
    b"1",
    b"3",
    b"9",
    b"14",
    b"-7",
    b"6.5",
    b"1e400",
    b"nan",
    b"99999999999999999999",
    b"#",
    b"# interrupt",
    b"byoyomi",
    b"canadian",
    b"none",
    b"absolute",
];

/// A line without its end.
fn line() -> impl Strategy<Value = Vec<u8>> {
    let separator = select(vec![&b" "[..], b" ", b" ", b"\t", b"  ", b"\0", b"\r", b""]);
    let word = prop_oneof![
        8 => select(WORDS.to_vec()).prop_map(<[u8]>::to_vec),
        1 => vec(any::<u8>(), 0..6),
    ];
    vec((word, separator), 0..5).prop_map(|pieces| {
        let mut line: Vec<u8> = Vec::new();
        for (word, separator) in pieces {
            line.extend(word);
            line.extend(separator);
        }
        line.retain(|&byte| byte != b'\n');
        line
    })
}

/// Whether a line contains a command, and its id, according to the standard.
fn expected(line: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(line).replace('\t', " ");
    let text: String = text
        .chars()
        .filter(|character| !character.is_control())
        .collect();
    let text = text.split('#').next().unwrap_or_default();
    let first = text.split(' ').find(|word| !word.is_empty())?;
    let is_id = first.chars().all(|character| character.is_ascii_digit());
    Some(if is_id {
        first.to_owned()
    } else {
        String::new()
    })
}

/// The replies in `output`, which has to consist of nothing else: status, id and text.
fn replies(output: &[u8]) -> Vec<(char, String, String)> {
    let output = std::str::from_utf8(output).expect("UTF-8");
    assert!(
        output.is_empty() || output.ends_with("\n\n"),
        "the last reply is not whole"
    );
    let replies = output.split_terminator("\n\n").map(|reply| {
        let status = reply.chars().next().expect("a status");
        assert!("=?".contains(status), "a stray line: {reply:?}");
        // A blank follows, except in replies that are streams of lines.
        let (id, text) = reply[1..]
            .split_once([' ', '\n'])
            .unwrap_or((&reply[1..], ""));
        assert!(
            id.chars().all(|character| character.is_ascii_digit()),
            "{reply:?}"
        );
        assert!(!text.starts_with('\n') && !text.contains('\r'), "{reply:?}");
        (status, id.to_owned(), text.to_owned())
    });
    replies.collect()
}

#[test]
fn every_line_with_a_command_gets_one_reply() {
    let count = std::env::var("TENGEN_HOSTILE_LINES").ok();
    let count = count.map_or(LINES, |count| count.parse().expect("a number of lines"));
    let mut runner = TestRunner::default();
    let lines = vec(line(), count)
        .new_tree(&mut runner)
        .expect("no filter can fail")
        .current();
    let mut input = Vec::new();
    for line in &lines {
        input.extend(line);
        input.push(b'\n');
    }
    let args = ["--backend", "rollout", "--visits", "2"];
    let output = pipe(&args, &input);
    let ids: Vec<String> = replies(&output).into_iter().map(|(_, id, _)| id).collect();
    let expected: Vec<String> = lines.iter().filter_map(|line| expected(line)).collect();
    let differs = ids
        .iter()
        .zip(&expected)
        .position(|(seen, expected)| seen != expected);
    assert_eq!(differs, None, "ids are not echoed");
    assert_eq!(ids.len(), expected.len());
}

/// Pipes `input` in and compares the replies' status and text.
#[track_caller]
fn check(input: &[u8], expected: &[(char, &str)]) {
    let output = replies(&pipe(QUICK, input));
    let seen: Vec<(char, &str)> = output
        .iter()
        .map(|(status, _, text)| (*status, &**text))
        .collect();
    assert_eq!(
        seen,
        expected,
        "{:?}",
        String::from_utf8_lossy(&input[..input.len().min(80)])
    );
}

#[test]
fn odd_bytes() {
    check(b"name\r\nname\r\n\r\n", &[('=', "Tengen"), ('=', "Tengen")]);
    check(b"\tna\0me \x07\t# name\n", &[('=', "Tengen")]);
    check(
        b"\xff\xfe\nname\n",
        &[('?', "unknown command"), ('=', "Tengen")],
    );
    check(b"\n\n  \n#\n# interrupt\nname", &[('=', "Tengen")]);
    check(b"", &[]);
    check(b"\0\0\0", &[]);
}

#[test]
fn very_long_lines() {
    let mut long = vec![b'x'; 1 << 20];
    long.extend(b"\nname\n");
    check(&long, &[('?', "unknown command"), ('=', "Tengen")]);
    let mut many = b"play b A1 ".repeat(100_000);
    many.extend(b"\nundo\nundo\n");
    check(&many, &[('=', ""), ('=', ""), ('?', "cannot undo")]);
}

#[test]
fn a_line_may_come_byte_by_byte() {
    let mut engine = Engine::start(QUICK);
    for byte in "17 name\n".chars() {
        engine.send(&byte.to_string());
    }
    assert_eq!(engine.reply(), "=17 Tengen");
}

#[test]
fn control_characters_are_ignored() {
    for byte in (0..32)
        .chain([127])
        .filter(|&byte| byte != b'\n' && byte != b'\t')
    {
        let line = [&[byte][..], b"na", &[byte], b"me", &[byte, b'\n']].concat();
        check(&line, &[('=', "Tengen")]);
    }
}

#[test]
fn long_lists_are_read_to_their_end() {
    let mut input = b"kata-analyze b 100000 avoid b ".to_vec();
    input.extend(b"A1,".repeat(400_000));
    input.extend(b"A1 1\ngogui-play_sequence");
    input.extend(b" b A1 w B2".repeat(100_000));
    input.extend(b"\ngogui-setup ");
    input.extend(b" b A1".repeat(200_000));
    input.extend(b"\nundo\n");
    let expected = [
        ('=', ""),
        ('?', "illegal move: the point is occupied"),
        ('?', "illegal move: these stones cannot stand together"),
        ('?', "cannot undo"),
    ];
    check(&input, &expected);
}

#[test]
fn thousands_of_commands_are_answered_in_order() {
    let names = [
        "play b A1",
        "undo",
        "name",
        "gogui-rules_legal_moves",
        "lz-analyze 1",
        "tengen-legal",
    ];
    let count = 20_000;
    let input: String = (1..=count)
        .map(|id| format!("{id} {}\n", names[(id - 1) % names.len()]))
        .collect();
    let output = pipe(QUICK, input.as_bytes());
    let replies = replies(&output);
    assert_eq!(replies.len(), count);
    for (reply, id) in replies.iter().zip(1..) {
        assert_eq!((reply.0, reply.1.parse()), ('=', Ok(id)), "{reply:?}");
    }
}
