//! `tengen board` as a process: access control, robustness, and games by the rules.

mod browser;
mod client;
mod driver;
mod games;
mod heard;
#[cfg(unix)]
mod kept;
mod page;
mod study;
mod touch;
mod watch;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use client::{Board, Events, get, request};
use serde_json::json;
use tengen::clock::{Clock as _, SystemClock};

/// A board whose engine moves at once.
fn quick() -> Board {
    Board::start(&["--backend", "rollout", "--visits", "50", "--seed", "1"])
}

#[test]
fn the_page_is_complete_and_loads_nothing_external() {
    let board = quick();
    let page = board.get("");
    assert_eq!(page.status, 200);
    let policy = page.header("content-security-policy").expect("a policy");
    assert!(
        policy.contains("default-src 'none'") && !policy.contains("unsafe"),
        "{policy}"
    );
    assert_eq!(page.header("referrer-policy"), Some("no-referrer"));
    let mut todo = vec![
        "style.css".to_owned(),
        "icon.svg".to_owned(),
        "start.js".to_owned(),
    ];
    let mut seen = Vec::new();
    let mut bytes = page.body.len();
    while let Some(name) = todo.pop() {
        let file = board.get(&name);
        assert_eq!(file.status, 200, "{name}");
        bytes += file.body.len();
        for line in file.body.lines().filter(|line| line.starts_with("import ")) {
            let from = line
                .split("\"./")
                .nth(1)
                .and_then(|rest| rest.split('"').next());
            let from = from.expect("a module beside it").to_owned();
            if !seen.contains(&from) && !todo.contains(&from) {
                todo.push(from);
            }
        }
        seen.push(name);
    }
    assert!(seen.len() > 10, "{seen:?}");
    assert!(bytes < 170_000, "{bytes} bytes");
    assert_eq!(board.get("no.js").status, 404);
    assert_eq!(board.get("../Cargo.toml").status, 404);
}

#[test]
fn requests_without_the_token_are_refused() {
    let board = quick();
    let (port, token) = (board.port, board.token.clone());
    let own = format!("127.0.0.1:{port}");
    let path = format!("/{token}/");
    let ask = |path: &str, host: &str, more: &[&str]| {
        get(port, path, host, more).map(|reply| reply.status)
    };
    assert_eq!(ask(&path, &own, &[]), Some(200));
    assert_eq!(ask(&path, &format!("localhost:{port}"), &[]), Some(200));
    // Another name for this machine, as given by a hostile name server.
    for host in [
        "evil.example",
        "127.0.0.1",
        "evil.example:80",
        "127.0.0.1:1",
        "",
    ] {
        assert_eq!(ask(&path, host, &[]), Some(421), "{host}");
    }
    let mut wrong = token.clone();
    wrong.replace_range(31.., if token.ends_with('0') { "1" } else { "0" });
    for wrong in [
        "/".to_owned(),
        "/x/".to_owned(),
        format!("/{wrong}/"),
        format!("/{}/", &token[..31]),
        format!("/{token}0/"),
        format!("/{token}"),
        format!("//{token}/"),
    ] {
        let reply = get(port, &wrong, &own, &[]).expect("an answer");
        assert_eq!(reply.status, 404, "{wrong}");
        assert!(!reply.body.contains(&token) && !reply.body.contains("html"));
    }
    // Pages of other origins.
    let events = format!("{path}events");
    for foreign in [
        "Origin: http://evil.example",
        "Origin: null",
        "Origin: http://127.0.0.1:1",
        "Sec-Fetch-Site: cross-site",
        "Sec-Fetch-Site: same-site",
    ] {
        assert_eq!(ask(&events, &own, &[foreign]), Some(403), "{foreign}");
    }
    let origin = format!("Origin: http://{own}");
    assert_eq!(
        ask(&path, &own, &[&origin, "Sec-Fetch-Site: same-origin"]),
        Some(200)
    );
    let elsewhere = TcpStream::connect(("127.0.0.2", port));
    assert!(elsewhere.is_err(), "only on the loopback address");
}

#[test]
fn a_phone_has_an_address_of_its_own() {
    let mut child = Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["board", "--phone", "--autosave", "off"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary was built for this test");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let mut line = || lines.next().and_then(Result::ok);
    let (Some(own), Some(network)) = (line(), line()) else {
        // Directly: what a passed test prints is not shown.
        let _ = writeln!(std::io::stderr(), "skipped: this computer is in no network");
        let _ = child.wait();
        return;
    };
    let code = line().expect("a code");
    assert!(code.starts_with('\u{2588}'), "{code}");
    let board = Board::of(child, &own);
    let (host, path) = network
        .strip_prefix("http://")
        .and_then(|rest| rest.split_once('/'))
        .expect("an address");
    assert_eq!(path.trim_end_matches('/'), board.token);
    let ask = |path: &str, named: &str, more: &str| {
        let mut stream = TcpStream::connect(host).expect("it listens there");
        let head = format!("GET /{path} HTTP/1.1\r\nHost: {named}\r\n{more}\r\n");
        stream.write_all(head.as_bytes()).expect("it takes it");
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        answer
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok())
    };
    assert_eq!(ask(path, host, ""), Some(200));
    assert_eq!(ask("", host, ""), Some(404), "without the token");
    let wrong = path.replace(|digit: char| digit.is_ascii_digit(), "f");
    assert_eq!(ask(&wrong, host, ""), Some(404));
    assert_eq!(ask(path, "evil.example", ""), Some(421));
    let origin = format!("Origin: http://127.0.0.1:{}\r\n", board.port);
    assert_eq!(ask(path, host, &origin), Some(403), "another page");
    assert_eq!(board.get("").status, 200);
}

#[test]
fn commands_are_bounded_json_and_errors_are_reported() {
    let board = quick();
    let status = |path: &str, kind: &str, body: &[u8]| board.post(path, kind, body).status;
    let json_type = "application/json";
    assert_eq!(status("do", "text/plain", b"{\"do\":\"undo\"}"), 415);
    assert_eq!(status("load", "text/plain", b"(;SZ[9])"), 415);
    assert_eq!(status("do", json_type, b"{\"do\":\"shutdown\"}"), 400);
    assert_eq!(status("do", json_type, b"\xff\x00"), 400);
    assert_eq!(status("do", json_type, &[b' '; 300_000]), 413);
    let path = format!("/{}/load", board.token);
    let host = format!("127.0.0.1:{}", board.port);
    let head = |more: &str| format!("POST {path} HTTP/1.1\r\nHost: {host}\r\n{more}\r\n\r\n");
    let refused = |text: &str| request(board.port, text.as_bytes()).map(|reply| reply.status);
    assert_eq!(refused(&head("Content-Length: 99999999")), Some(413));
    assert_eq!(refused(&head("Transfer-Encoding: chunked")), Some(411));
    assert_eq!(refused("\x16\x03\x01 hello\r\n\r\n"), Some(400));
    let long = "x".repeat(40_000);
    assert_eq!(refused(&format!("GET /{long} HTTP/1.1\r\n\r\n")), Some(431));
    assert_eq!(board.get("do").status, 405);
    assert_eq!(status("events", json_type, b"{}"), 405);
    // Commands refused by the game.
    for (command, part) in [
        (json!({"do": "undo"}), "no move to take back"),
        (json!({"do": "play", "at": "Z99", "node": 0}), "Z99"),
        (
            json!({"do": "play", "at": "A1", "node": 5}),
            "the board has changed",
        ),
        (json!({"do": "go", "node": 77}), "no such position"),
        (
            json!({"do": "comment", "node": 0, "serial": 0, "text": "x"}),
            "another game",
        ),
        (
            json!({"do": "new", "terms": {"game": "chess", "size": "8"}}),
            "chess",
        ),
        (
            json!({"do": "new", "terms": {"game": "go", "size": "99"}}),
            "25x25",
        ),
        (
            json!({"do": "new", "terms": {"game": "go", "size": "9", "handicap": 77}}),
            "77",
        ),
        (
            json!({"do": "new", "terms": {"game": "go", "size": "9", "clock": "sand 5"}}),
            "sand",
        ),
        (
            json!({"do": "new", "terms": {"game": "go", "size": "9", "rules": "x"}}),
            "`x`",
        ),
    ] {
        let said = board.refusal(&command);
        assert!(said.contains(part), "{command}: {said}");
    }
    assert_eq!(board.state()["game"], "nogo", "the old game is there still");
}

#[test]
fn slow_or_many_clients_do_not_delay_others() {
    let board = quick();
    // Half a request each, and nothing more.
    let slow: Vec<TcpStream> = (0..30)
        .map(|_| {
            let mut stream = TcpStream::connect(("127.0.0.1", board.port)).expect("it listens");
            stream.write_all(b"GET / HT").expect("it takes it");
            stream
        })
        .collect();
    // A page that never reads its events.
    let deaf = board.open_events();
    let clock = SystemClock::new();
    let requests = std::env::var("TENGEN_REQUESTS")
        .ok()
        .and_then(|text| text.parse().ok());
    for _ in 0..requests.unwrap_or(500) {
        assert_eq!(board.get("icon.svg").status, 200);
    }
    let took = clock.now();
    assert!(took < Duration::from_secs(60), "{took:?}");
    // Idle connections are closed.
    let clock = SystemClock::new();
    for stream in slow {
        client::wait_for_end(stream);
    }
    assert!(clock.now() < Duration::from_secs(10), "{:?}", clock.now());
    drop(deaf);
}

#[test]
fn two_pages_see_the_same_game() {
    let board = quick();
    board.do_it(&json!({"do": "players", "players": ["human", "human"], "level": {}}));
    let (mut one, mut other) = (Events::open(&board), Events::open(&board));
    one.state(|state| state["current"] == 0);
    board.do_it(&json!({"do": "play", "at": "E5", "node": 0}));
    for page in [&mut one, &mut other] {
        let state = page.state(|state| state["last"] == "E5");
        assert_eq!(state["to_move"], "W");
    }
    // The second page's click was meant for an older position.
    let late = json!({"do": "play", "at": "D4", "node": 0});
    assert!(board.refusal(&late).contains("has changed"));
}

#[cfg_attr(
    not(target_os = "linux"),
    ignore = "it reads the program's processor time from /proc"
)]
#[test]
fn nothing_runs_without_an_open_page() {
    let board = Board::start(&["--threads", "1"]);
    board.do_it(&json!({"do": "players", "players": ["human", "human"], "level": {}}));
    board.do_it(&json!({"do": "analyse", "on": true}));
    let mut page = Events::open(&board);
    let first = page.next_of("analysis");
    let later = page.analysis(|found| found["visits"].as_u64() > first["visits"].as_u64());
    assert!(later["candidates"][0]["pv"].is_array());
    // Closed in the middle of the search.
    drop(page);
    std::thread::sleep(Duration::from_secs(6));
    let used = |board: &Board| board.cpu_ticks();
    let before = used(&board);
    std::thread::sleep(Duration::from_secs(2));
    let ticks = used(&board) - before;
    assert!(ticks <= 2, "{ticks} hundredths of a second in two seconds");
    // And it continues when a page comes back.
    let mut page = Events::open(&board);
    let visits = |found: &serde_json::Value| found["visits"].as_u64();
    page.analysis(|found| visits(found) > visits(&later));
}

#[test]
fn a_page_too_many_is_told_so() {
    let board = quick();
    let mut pages: Vec<Events> = (0..64).map(|_| Events::open(&board)).collect();
    for page in &mut pages {
        page.next_of("state");
    }
    assert_eq!(Events::open(&board).next_of("full"), json!(64));
    drop(pages);
}

/// A computer that phones are connected to, such as a hotspot, may have no way to other networks.
#[cfg(target_os = "linux")]
#[test]
fn a_phone_needs_no_way_to_other_networks() {
    let network = "ip link set lo up && ip link add v0 type veth peer name v1 && ip addr add 192.168.43.1/24 dev v0 && ip link set v0 up && ip link set v1 up";
    let board = format!("{network} && exec \"$0\" board --phone --autosave off");
    let child = Command::new("unshare")
        .args(["-rn", "sh", "-c", &board, env!("CARGO_BIN_EXE_tengen")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let skip = |why: &str| {
        // Directly: what a passed test prints is not shown.
        let _ = writeln!(std::io::stderr(), "skipped: no network of its own: {why}");
    };
    let mut child = match child {
        Ok(child) => crate::killed::Killed(child),
        Err(error) => return skip(&error.to_string()),
    };
    let mut lines = BufReader::new(child.0.stdout.take().expect("it is piped")).lines();
    let mut line = || lines.next().and_then(Result::ok);
    let Some(own) = line() else {
        let mut said = String::new();
        let errors = child.0.stderr.take();
        let _ = errors.map(|mut errors| errors.read_to_string(&mut said));
        assert!(!said.contains("in no network"), "{said}");
        return skip(&said);
    };
    assert!(own.starts_with("http://127.0.0.1:"), "{own}");
    let network = line().expect("a second address");
    assert!(network.starts_with("http://192.168.43.1:"), "{network}");
}
