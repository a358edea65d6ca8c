//! Files named by a controller: what `loadsgf` and `printsgf` change and what they do not.

use std::path::Path;
use std::process::Command;

use crate::process::Engine;
use crate::scratch::Scratch;

/// A folder with a game and notes in it.
fn filled(name: &str) -> Scratch {
    let folder = Scratch::new(&format!("files-{name}"));
    folder.write("game.sgf", b"(;GM[1]SZ[9]RU[NoGo];B[ee])");
    folder.write("notes.txt", b"remember the milk");
    folder
}

fn read(folder: &Scratch, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(name)).ok()
}

fn engine(args: &[&str]) -> Engine {
    Engine::start(&[&["--backend", "rollout"], args].concat())
}

#[track_caller]
fn refuses(engine: &mut Engine, command: &str, why: &str) {
    let reply = engine.ask(command);
    assert!(
        reply.starts_with("? cannot ") && reply.contains(why),
        "{command}: {reply}"
    );
}

#[test]
fn endless_files_are_refused_by_name() {
    let folder = filled("endless");
    let huge = std::fs::File::create(folder.join("huge.sgf")).expect("writable");
    huge.set_len(17 << 20).expect("a hole takes no room");
    let mut engine = engine(&[]);
    let mut endless = vec![folder.path("")];
    if cfg!(unix) {
        let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
        assert!(made.expect("a usual tool").success());
        endless.extend([folder.path("pipe"), "/dev/zero".to_owned()]);
    }
    for name in endless {
        refuses(
            &mut engine,
            &format!("loadsgf {name}"),
            "not a regular file",
        );
        refuses(
            &mut engine,
            &format!("printsgf {name}"),
            "not a regular file",
        );
    }
    let huge = folder.path("huge.sgf");
    refuses(
        &mut engine,
        &format!("loadsgf {huge}"),
        "larger than 16 MiB",
    );
    refuses(&mut engine, &format!("printsgf {huge}"), "not SGF");
    refuses(
        &mut engine,
        &format!("loadsgf {}", folder.path("none")),
        "no such file",
    );
}

/// Whether users may make symbolic links: on Windows only administrators may.
const HAS_LINKS: bool = cfg!(unix);

/// Makes a symbolic link, if users may.
fn link(to: &str, at: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(to, at).expect("writable");
    #[cfg(not(unix))]
    let _ = (to, at);
}

#[test]
fn a_served_engine_stays_in_its_folder() {
    let folder = filled("served");
    let served = folder.join("served");
    std::fs::create_dir_all(served.join("inner")).expect("writable");
    std::fs::copy(folder.join("game.sgf"), served.join("own.sgf")).expect("writable");
    link("../game.sgf", &served.join("link.sgf"));
    link("..", &served.join("up"));
    link("../new.sgf", &served.join("dangling.sgf"));
    let served = served.display().to_string();
    let mut engine = engine(&["--files", &served]);
    engine.answer("loadsgf own.sgf");
    engine.answer(&format!("loadsgf {served}/own.sgf"));
    // Its real name, which differs on Windows and where a link leads to the folder.
    let real = Path::new(&served).canonicalize().expect("it is there");
    engine.answer(&format!("loadsgf {}", real.join("own.sgf").display()));
    engine.answer("printsgf inner/new.sgf");
    engine.answer("loadsgf inner/new.sgf");
    let game = folder.path("game.sgf");
    let before = read(&folder, "game.sgf");
    let through_links = match HAS_LINKS {
        true => &["link.sgf", "up/game.sgf", "up/new.sgf"][..],
        false => &[],
    };
    for name in [
        "../game.sgf",
        "../nothing.sgf",
        "inner/../../game.sgf",
        &game,
        "/etc/passwd",
        "/nowhere/at/all.sgf",
    ]
    .into_iter()
    .chain(through_links.iter().copied())
    {
        refuses(
            &mut engine,
            &format!("loadsgf {name}"),
            "outside the permitted folder",
        );
        refuses(
            &mut engine,
            &format!("printsgf {name}"),
            "outside the permitted folder",
        );
    }
    assert_eq!(read(&folder, "game.sgf"), before);
    // Writing through a dangling link creates no file.
    engine.ask("printsgf dangling.sgf");
    assert!(!Path::new(&folder.path("new.sgf")).exists());
}

#[cfg_attr(windows, ignore = "there links need a privilege")]
#[test]
fn a_served_folder_may_be_named_by_a_link() {
    let folder = filled("linked");
    std::fs::create_dir(folder.join("real")).expect("writable");
    std::fs::copy(folder.join("game.sgf"), folder.join("real/game.sgf")).expect("writable");
    let served = folder.path("served");
    link("real", Path::new(&served));
    let mut engine = engine(&["--files", &served]);
    engine.answer("loadsgf game.sgf");
    engine.answer(&format!("loadsgf {served}/game.sgf"));
    engine.answer(&format!("loadsgf {}", folder.path("real/game.sgf")));
    refuses(
        &mut engine,
        &format!("loadsgf {served}/../game.sgf"),
        "outside the permitted folder",
    );
}

#[test]
fn games_in_other_encodings_are_read() {
    let folder = filled("encodings");
    // 臸 is C5 5D and 臶 C5 5B in GBK, 功 is A5 5C in Big5: half of them looks like SGF.
    let gbk = b"(;FF[4]CA[GBK]GM[1]SZ[9]RU[NoGo]PB[\xc5\x5d\xc5\x5b\xbf\xc2\xbd\xe0];B[ee])";
    let big5 = b"(;FF[4]GM[1]SZ[9]RU[NoGo]PB[\xa5\x5c\xb3\x5c]CA[Big5];B[ee])";
    let utf16: Vec<u8> = "\u{feff}(;GM[1]SZ[9]RU[NoGo]PB[柯洁];B[ee])"
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    folder.write("gbk.sgf", gbk);
    folder.write("big5.sgf", big5);
    folder.write("utf16.sgf", &utf16);
    let mut engine = engine(&["--files", &folder.path("")]);
    for name in ["gbk", "big5", "utf16"] {
        engine.answer(&format!("loadsgf {name}.sgf"));
        let sgf = engine.answer("printsgf");
        assert!(sgf.contains("B[ee]"), "{name}: {sgf}");
    }
}
