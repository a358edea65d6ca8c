//! Lines of GTP and of the SAU platform, as they come: nothing may panic or hang, and each GTP
//! command gets exactly one reply that ends in an empty line.
#![no_main]

use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use tengen::clock::{Clock, SystemClock};
use tengen::engine::{Backend, Engine, EngineOptions, registry};
use tengen::game::{BoardSize, UnknownGame};
use tengen::gtp::{Protocol, Line, SessionOptions, SauResources, SauOptions, SauSession, Session};
use tengen::record::ccgc::NgStyle;

fn engine(size: BoardSize) -> Result<Box<dyn Engine>, UnknownGame> {
    let time: Arc<dyn Clock> = Arc::new(SystemClock::new());
    let mut options = EngineOptions {
        backend: Backend::Rollout,
        seed: Some(1),
        ..EngineOptions::default()
    };
    options.spending.visits = Some(1);
    registry::create(&options, size, &time)
}

/// Says all lines to one side of a conversation and hands its answers to `check`.
fn say<C: Protocol>(mut side: C, lines: &[u8], check: impl Fn(&str)) {
    // There will be no more input: an analysis ends at once.
    side.interrupts().close(0);
    for line in lines.split(|&byte| byte == b'\n') {
        let Line::Command(request) = Line::parse(line) else {
            continue;
        };
        // They touch files, or make the next moves slow.
        let name = request.name.as_str();
        if ["loadsgf", "printsgf", "tengen-settings", "kata-set-param"].contains(&name) {
            continue;
        }
        let mut answer = String::new();
        side.interrupts().begin_command();
        side.answer(&request, &mut |text| answer.push_str(text));
        check(&answer);
        if side.is_over() {
            return;
        }
        side.idle();
    }
}

fuzz_target!(|data: &[u8]| {
    let Some((mode, lines)) = data.split_first() else {
        return;
    };
    let size = BoardSize::square(5);
    if mode % 4 == 0 {
        let options = SauOptions {
            name: "Tengen".to_owned(),
            opponent: String::new(),
            ponder: false,
            records: Vec::new(),
            style: NgStyle::default(),
            attended: true,
        };
        let engine = engine(size).expect("a legal size");
        let links = SauResources {
            date: Box::new(String::new),
            tell: Box::new(|line| assert!(!line.contains('\n'))),
        };
        say(SauSession::new(engine, options, links), lines, |answer| {
            assert!(answer.is_empty() || answer.ends_with('\n'));
        });
    } else {
        let session = Session::new(Box::new(engine), size, SessionOptions::default());
        say(session.expect("a legal size"), lines, |answer| {
            assert!(answer.starts_with(['=', '?']), "{answer:?}");
            assert_eq!(answer.find("\n\n"), Some(answer.len() - 2), "{answer:?}");
        });
    }
});
