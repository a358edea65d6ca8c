//! The page on the screens of phones and tablets, under a finger, and in Chinese.

use serde_json::{Value, json};

use super::driver::Browser;
use super::heard::{hears, listen};
use super::page::{ESCAPE, GO, begin, load, open, status};
use crate::scratch::Scratch;

/// A finger that moves up from an element by a number of pixels; a tap for 0.
fn swipe(browser: &Browser, selector: &str, up: u32) {
    let place = browser.middle(selector);
    let touch = |kind: &str, points: Value| {
        let what = json!({"type": kind, "touchPoints": points});
        let asked = json!({"cmd": "Input.dispatchTouchEvent", "params": what});
        browser.ask("POST", "/goog/cdp/execute", &asked);
    };
    let at = |y: f64| json!([{"x": place[0], "y": y}]);
    let y = place[1].as_f64().expect("a number");
    touch("touchStart", at(y));
    for moved in (0..=up).step_by(15).skip(1) {
        touch("touchMove", at(y - f64::from(moved)));
    }
    touch("touchEnd", json!([]));
}

fn move_is(browser: &Browser, number: u32) {
    browser.wait(&format!(
        "document.getElementById('slider').value === '{number}'"
    ));
}

#[test]
fn a_finger_scrolls_the_page_and_goes_to_a_move_by_a_tap() {
    let folder = Scratch::new("touch-swipe");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    let enabled = json!({"cmd": "Emulation.setTouchEmulationEnabled", "params": {"enabled": true}});
    browser.ask("POST", "/goog/cdp/execute", &enabled);
    browser.size(390, 664);
    load(
        &browser,
        &folder,
        "(;GM[1]SZ[9];B[ee];W[cc];B[gg];W[cg];B[gc])",
    );
    for selector in ["#graph", "#slider"] {
        browser.run("scrollTo(0, 0);");
        browser.click("#last");
        move_is(&browser, 5);
        browser.run("document.querySelector('#graph').scrollIntoView({block: 'end'});");
        swipe(&browser, selector, 150);
        std::thread::sleep(std::time::Duration::from_millis(500));
        assert_eq!(board.state()["current"], 5, "{selector}");
        move_is(&browser, 5);
        browser.run(
            "scrollTo(0, 0); document.querySelector('#graph').scrollIntoView({block: 'end'});",
        );
        swipe(&browser, selector, 0);
        browser.wait("['2', '3'].includes(document.getElementById('slider').value)");
    }
    browser.check();
}

#[test]
fn a_message_leaves_the_buttons_free_and_the_slider_is_long() {
    let folder = Scratch::new("touch-screens");
    let Some((browser, _board)) = open(&folder, &GO) else {
        return;
    };
    for (width, height) in [(390, 664), (640, 360), (844, 390), (1180, 820)] {
        browser.size(width, height);
        browser.wait(&format!("innerWidth === {width}"));
        load(&browser, &folder, "(;GM[1]SZ[9];B[ee];W[cc])");
        let covered = "[...document.querySelectorAll('#frame, #acts button, #walk > *, header button')].filter((one) => {\
                         const own = one.getBoundingClientRect(), box = document.getElementById('toast').getBoundingClientRect();\
                         return own.width && own.left < box.right && own.right > box.left && own.top < box.bottom && own.bottom > box.top; })";
        browser.wait(&format!("{covered}.length === 0"));
        let long = browser.run("return document.getElementById('slider').offsetWidth;");
        assert!(long.as_f64() >= Some(100.0), "{width}x{height}: {long}");
        browser.check();
    }
    // A phone held upright: the other controls give way.
    for (width, least) in [(320, 90.0), (360, 130.0), (390, 145.0)] {
        browser.size(width, 640);
        browser.wait(&format!("innerWidth === {width}"));
        let long = browser.run("return document.getElementById('slider').offsetWidth;");
        assert!(long.as_f64() >= Some(least), "{width}: {long}");
    }
}

#[test]
fn a_page_in_chinese_has_its_notes_marks_and_comments_in_chinese() {
    let folder = Scratch::new("touch-chinese");
    let Some((browser, _board)) = open(&folder, &[&GO[..], &["--visits", "5"]].concat()) else {
        return;
    };
    browser.click("#language");
    load(
        &browser,
        &folder,
        "(;GM[1]SZ[9]RU[Chinese]KM[375]RE[B+3.5];B[ee];W[cc])",
    );
    browser.wait("document.getElementById('panel').innerText.includes('KM[375] 按百分之一子计')");
    browser.click("[data-tab=moves]");
    browser.wait("document.getElementById('panel').innerText.includes('黑方胜，3.5 目')");
    browser.click("#count");
    browser.wait(
        "/估计：.方胜，.* 目 黑方 [0-9]+（子 /.test(document.getElementById('counted').innerText)",
    );
    browser.click("[data-tab=review]");
    browser.click("#start-review");
    browser.click("#save-review");
    browser.wait("performance.getEntriesByType('resource').some(({ name }) => name.endsWith('reviewed.sgf?zh'))");
    browser.check();
}

#[test]
fn nothing_covers_or_cuts_off_what_a_phone_shows() {
    let folder = Scratch::new("page-phone");
    let Some((browser, _board)) = open(&folder, &["--threads", "1"]) else {
        return;
    };
    browser.size(360, 640);
    browser.wait("innerWidth === 360");
    load(&browser, &folder, "(;GM[1]SZ[9];B[ee])");
    let covered = "return [...document.querySelectorAll('button, #slider')].filter((one) => one.getClientRects().length && !one.closest('#toast, #rest') && !one.disabled).filter((one) => {\
                   const box = one.getBoundingClientRect(), top = document.elementFromPoint(box.x + box.width / 4, box.y + box.height / 2); return top && !one.contains(top) && !top.closest('#toast button'); }).map((one) => one.id);";
    assert_eq!(browser.run(covered), json!([]));
    let header = "const box = document.getElementById('new').getBoundingClientRect(), toast = document.getElementById('toast').getBoundingClientRect(); return toast.top > box.bottom;";
    assert_eq!(browser.run(header), true);
    browser.click("#help");
    let wide = browser.run("const dialog = document.getElementById('dialog'); return [dialog.scrollWidth, dialog.clientWidth, dialog.innerText];");
    assert!(wide[0].as_u64() <= wide[1].as_u64(), "{wide}");
    assert!(wide[2].to_string().contains("first touch"), "{wide}");
    browser.press(ESCAPE);
    // With clocks and a level the name is whole, and the first touch says what a second one does.
    browser.run("document.getElementById('language').click();");
    let refused = "return (async () => { const { refusal } = await import(location.pathname + 'words.js'); return ['the game: go is not played on 25x25 here: rectangles of at most 19 columns or rows', 'SGF property GM has the value \"3\": expected 1 (Go, NoGo) or 4 (Gomoku)', 'stones that are set up after move 0 cannot stand together', 'visits are from 1 to 1000000000'].map(refusal); })();";
    let refused = browser.run(refused);
    assert_eq!(
        refused,
        json!([
            "go 不能使用 25x25 棋盘",
            "棋谱属性 GM 的值 3 无效",
            "这些子不能这样摆：有棋子没有气",
            "搜索次数从 1 到 1000000000"
        ])
    );
    let ends = "return (async () => { const { resultText } = await import(location.pathname + 'result.js'); return ['B+T', 'W+Time', 'B+Resign'].map((result) => resultText({ end: { result, why: 'record' } })); })();";
    assert_eq!(
        browser.run(ends),
        json!(["黑方胜，对方超时", "白方胜，对方超时", "黑方胜，对方认输"])
    );
    let shares = browser.run("return (async () => { const { percent } = await import(location.pathname + 'dom.js'); return [-0.0004, -0.0006, 0].map((share) => percent(share)); })();");
    assert_eq!(shares, json!(["0.0%", "-0.1%", "0.0%"]));
}

#[test]
fn a_large_board_on_a_phone_says_that_a_second_touch_plays() {
    let folder = Scratch::new("page-touch");
    let Some((browser, board)) = open(&folder, &["--threads", "1"]) else {
        return;
    };
    browser.size(360, 640);
    let terms = json!({"game": "go", "size": "19", "players": ["human", "engine"], "level": {"strength": 1}, "clock": "byoyomi 600 30 5"});
    begin(&browser, &board, &terms);
    let name = "const name = [...document.querySelectorAll('.player b')].find((one) => one.innerText === 'Tengen'); return name.scrollWidth <= name.clientWidth;";
    assert_eq!(browser.run(name), true);
    let touch = "const board = document.getElementById('board'), box = board.getBoundingClientRect(), at = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2, bubbles: true, pointerType: 'touch' };\
                 board.dispatchEvent(new PointerEvent('click', at));";
    listen(&browser);
    browser.run(touch);
    status(&browser, "touch it again to play");
    hears(&browser, "touch it again to play");
    assert_eq!(board.state()["current"], 0);
    browser.run(touch);
    browser.wait("document.getElementById('slider').max > 0");
}

#[test]
fn names_and_captures_can_be_read_beside_clocks() {
    let folder = Scratch::new("touch-clocks");
    let Some((browser, board)) = open(&folder, &["--threads", "1"]) else {
        return;
    };
    let terms = json!({"game": "go", "size": "19", "players": ["human", "engine"], "level": {"strength": 1}, "clock": "byoyomi 600 30 5"});
    begin(&browser, &board, &terms);
    // Phones on their side, a laptop's window at a large zoom, and a tablet.
    for (width, height) in [(640, 360), (844, 390), (683, 384), (1024, 768)] {
        browser.size(width, height);
        browser.wait(&format!("innerWidth === {width}"));
        let cut = browser.run("return [...document.querySelectorAll('.player :is(b, .taken, .clock, .who)')].filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.innerText);");
        assert_eq!(cut, json!([]), "{width}x{height}");
        browser.check();
    }
    // A long name leaves its rank room.
    load(
        &browser,
        &folder,
        "(;GM[1]SZ[9]PB[The holder of a title that is longer than a line beside the board]BR[9d];B[ee])",
    );
    let rank = "(() => { const rank = document.querySelector('.who .dim'); return rank.innerText === '9d' && rank.scrollWidth <= rank.clientWidth; })()";
    browser.wait(rank);
}

#[test]
fn what_is_chosen_can_be_seen_with_the_systems_colours() {
    let folder = Scratch::new("page-forced");
    let Some((browser, _board)) = open(&folder, &["--threads", "1"]) else {
        return;
    };
    let forced = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"features": [{"name": "forced-colors", "value": "active"}]}});
    browser.ask("POST", "/goog/cdp/execute", &forced);
    browser.wait("matchMedia('(forced-colors: active)').matches");
    for (what, one, other) in [
        (
            "backgroundColor",
            "[data-layer=candidates]",
            "[data-layer=none]",
        ),
        ("backgroundImage", ".player i.B", ".player i.W"),
        ("outlineStyle", ".player.turn", ".player:not(.turn)"),
        ("backgroundColor", "#evalbar", "#evalbar i"),
    ] {
        let differ = format!(
            "const [one, other] = [{one:?}, {other:?}].map((name) => getComputedStyle(document.querySelector(name)).{what}); return one !== other;"
        );
        assert_eq!(browser.run(&differ), true, "{one}: {what}");
    }
}

#[test]
fn every_size_has_the_board_and_its_controls_without_scrolling() {
    let folder = Scratch::new("page-sizes");
    let Some((browser, board)) = open(&folder, &["--game", "go", "--size", "19", "--threads", "1"])
    else {
        return;
    };
    begin(
        &browser,
        &board,
        &json!({"game": "go", "size": "19", "players": ["human", "engine"], "level": {"visits": 1}}),
    );
    for (width, height, least) in [
        (360, 640, 340.0),
        (640, 360, 300.0),
        (880, 640, 540.0),
        (683, 384, 330.0),
        (1366, 768, 730.0),
        (1920, 1080, 1040.0),
        (2560, 1440, 1400.0),
    ] {
        browser.size(width, height);
        browser.wait(&format!("innerWidth === {width}"));
        browser.run("scrollTo(0, 0);");
        std::thread::sleep(std::time::Duration::from_millis(200));
        let boxes = browser.run("return ['board', 'engine', 'pass', 'undo', 'resign', 'back', 'next', 'status'].map((id) => { const box = document.getElementById(id).getBoundingClientRect(); return [id, box.left, box.top, box.right, box.bottom]; });");
        for found in boxes.as_array().into_iter().flatten() {
            let number = |at: usize| found[at].as_f64().expect("a number");
            let inside = number(1) >= -0.5
                && number(2) >= -0.5
                && number(3) <= f64::from(width) + 0.5
                && number(4) <= f64::from(height) + 0.5;
            assert!(inside, "{width}x{height}: {found}");
        }
        let side = boxes[0][3].as_f64().unwrap_or(0.0) - boxes[0][1].as_f64().unwrap_or(0.0);
        assert!(side >= least, "{width}x{height}: a board of {side}");
        // What is beside the controls has room: its own, or that of a page that scrolls.
        let rest = browser.run("return document.getElementById('rest').clientHeight;");
        assert!(rest.as_f64() >= Some(180.0), "{width}x{height}: {rest}");
        browser.check();
    }
}
