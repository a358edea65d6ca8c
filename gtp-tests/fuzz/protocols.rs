//! Arbitrary lines of GTP, of the SAU platform and of Gomocup managers: nothing may panic or hang,
//! and each GTP command gets exactly one reply that ends in an empty line.
#![cfg_attr(fuzzing, no_main)]

use std::sync::Arc;

use tengen::clock::{Clock, SystemClock};
use tengen::engine::{Backend, Engine, EngineOptions};
use tengen::game::BoardSize;
use tengen::games::UnknownGame;
use tengen::gtp::{
    FileAccess, GomocupOptions, GomocupSession, Input, Perspective, Protocol, Request, SauOptions,
    SauResources, SauSession, Session, SessionOptions,
};
use tengen::record::ccgc::CcgcStyle;
use tengen::registry;

fn engine(game: &str, size: BoardSize) -> Result<Box<dyn Engine>, UnknownGame> {
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let mut options = EngineOptions {
        backend: Backend::Rollout,
        seed: Some(1),
        ..EngineOptions::of(game).expect("a game of ours")
    };
    options.visits = Some(1);
    registry::create(&options, size, &time)
}

/// Commands that access files, make the next moves slow, or think for ten seconds themselves.
const LEFT_OUT: [&str; 8] = [
    "loadsgf",
    "printsgf",
    "tengen-ccgc",
    "tengen-settings",
    "kata-set-param",
    "kata-set-params",
    "tengen-solve",
    "tengen-search",
];

/// Sends all lines to one side of a conversation and passes its answers to `check`.
fn say<C: Protocol>(
    mut side: C,
    lines: &[u8],
    is_left_out: impl Fn(&C::Command) -> bool,
    check: impl Fn(&str),
) {
    // There will be no more input: an analysis ends at once.
    side.interrupts().close(0);
    for line in lines.split(|&byte| byte == b'\n') {
        let Input::Command(command) = C::parse(line) else {
            continue;
        };
        if is_left_out(&command) {
            continue;
        }
        let mut answer = String::new();
        side.interrupts().begin_command();
        side.answer(&command, &mut |text| answer.push_str(text));
        check(&answer);
        if C::ends(&command) {
            return;
        }
        side.idle();
    }
}

#[cfg(fuzzing)]
libfuzzer_sys::fuzz_target!(|data: &[u8]| read(data));

pub(crate) fn read(data: &[u8]) {
    let Some((mode, lines)) = data.split_first() else {
        return;
    };
    let size = BoardSize::square(5);
    let mode = mode % 6;
    if mode == 0 {
        let options = SauOptions {
            name: "Tengen".to_owned(),
            opponent: String::new(),
            ponder: false,
            records: Vec::new(),
            style: CcgcStyle::default(),
            attended: true,
        };
        let engine = engine("nogo", size).expect("a legal size");
        let links = SauResources {
            time: Arc::new(SystemClock::new()),
            date: Box::new(String::new),
            tell: Box::new(|line| assert!(!line.contains('\n'))),
        };
        let session = SauSession::new(engine, options, links);
        say(
            session,
            lines,
            |_| false,
            |answer| {
                assert!(answer.is_empty() || answer.ends_with('\n'));
            },
        );
    } else if mode == 1 {
        let options = GomocupOptions {
            name: "Tengen".to_owned(),
            ponder: false,
            messages: true,
            opening_seed: 1,
        };
        let make = Box::new(|size, _| engine("gomoku", size));
        let session = GomocupSession::new(make, options, Arc::new(SystemClock::new()));
        say(
            session,
            lines,
            |_| false,
            |answer| {
                assert!(answer.is_empty() || answer.ends_with('\n'));
            },
        );
    } else {
        let game = match mode {
            2 => "go",
            3 => "gomoku",
            _ => "nogo",
        };
        let make = Box::new(move |size| engine(game, size));
        let options = SessionOptions {
            name: "Tengen".to_owned(),
            perspective: Perspective::Mover,
            ponder: false,
            live_graphics: false,
            files: FileAccess::default(),
            root_policy_temperature: 1.0,
        };
        let time = Arc::new(SystemClock::new());
        let session = Session::new(make, size, options, time);
        let is_left_out = |request: &Request| LEFT_OUT.contains(&request.name.as_str());
        say(
            session.expect("a legal size"),
            lines,
            is_left_out,
            |answer| {
                assert!(answer.starts_with(['=', '?']), "{answer:?}");
                assert_eq!(answer.find("\n\n"), Some(answer.len() - 2), "{answer:?}");
            },
        );
    }
}
