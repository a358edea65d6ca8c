//! The page in a browser, by the steps of people who use it: nothing they make is lost, nothing is done that they did
//! not ask for, and everything can be done on any screen and by keyboard.

use serde_json::{Value, json};
use tengen::clock::{Clock as _, SystemClock};

use super::client::Board;
use super::driver::{Browser, HANG_TIMEOUT};
use super::heard::{hears, listen};
use crate::scratch::Scratch;

pub(super) const PEOPLE: [&str; 2] = ["human", "human"];

/// A browser with a board; `None` where there is no browser.
pub(super) fn open(folder: &Scratch, args: &[&str]) -> Option<(Browser, Board)> {
    let browser = Browser::start(folder)?;
    let board = Board::start(args);
    browser.ask("POST", "/url", &json!({"url": board.address}));
    browser.wait("!!document.querySelector('#stones')");
    Some((browser, board))
}

/// A small board of Go.
pub(super) const GO: [&str; 6] = ["--game", "go", "--size", "9", "--threads", "1"];

fn begin_between_people(browser: &Browser, board: &Board, size: &str) {
    begin(
        browser,
        board,
        &json!({"game": "go", "size": size, "players": PEOPLE}),
    );
}

pub(super) fn begin(browser: &Browser, board: &Board, terms: &Value) {
    board.do_it(&json!({"do": "new", "terms": terms}));
    let what = terms["size"].as_str().expect("a size");
    browser.wait(&format!(
        "document.getElementById('what').innerText.includes('{what}×') && document.getElementById('slider').max === '0'"
    ));
}

pub(super) fn load(browser: &Browser, folder: &Scratch, text: &str) {
    let file = folder.join("loaded.sgf");
    std::fs::write(&file, text).expect("writable");
    let input = browser.element("#file");
    browser.ask(
        "POST",
        &format!("/element/{input}/value"),
        &json!({"text": file.display().to_string()}),
    );
    browser.wait("document.querySelector('#toast').innerText.includes('loaded.sgf')");
}

pub(super) fn status(browser: &Browser, part: &str) {
    browser.wait(&format!(
        "document.querySelector('#status').innerText.includes({part:?})"
    ));
}

/// Presses several keys, such as arrows.
pub(super) fn press_all(browser: &Browser, keys: &str) {
    keys.chars().for_each(|key| browser.press(&key.to_string()));
}

pub(super) const LEFT: &str = "\u{E012}";
pub(super) const RIGHT: &str = "\u{E014}";
pub(super) const UP: &str = "\u{E013}";
pub(super) const ENTER: &str = "\u{E007}";
pub(super) const ESCAPE: &str = "\u{E00C}";

#[test]
fn a_person_resigns_and_keys_do_what_their_buttons_may() {
    let folder = Scratch::new("page-resign");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    let slow = json!({"game": "go", "size": "9", "players": ["human", "engine"], "level": {"seconds": 600}});
    begin(&browser, &board, &slow);
    browser.click_point("E5");
    status(&browser, "thinking");
    // Neither a key nor a click moves for Tengen, and a click gets an answer.
    browser.press("p");
    browser.click_point("C3");
    browser.wait("document.querySelector('#toast').innerText.includes('choosing')");
    assert_eq!(board.state()["current"], 1);
    // Resigning while it thinks, and while an earlier position is shown.
    browser.press(LEFT);
    browser.wait("document.getElementById('slider').value === '0'");
    browser.click("#resign");
    status(&browser, "White wins");
    assert!(board.get("game.sgf").body.contains("RE[W+R]"));
    browser.press("p");
    browser.press(" ");
    std::thread::sleep(std::time::Duration::from_millis(300));
    let state = board.state();
    assert_eq!(
        (&state["end"]["result"], &state["current"]),
        (&json!("W+R"), &json!(1))
    );
    // Another game with colours swapped.
    browser.click("#rematch");
    browser.wait("document.getElementById('slider').max === '0'");
    assert_eq!(
        board.state()["terms"]["players"],
        json!(["engine", "human"])
    );
    browser.check();
}

#[test]
fn evaluations_stay_hidden_while_an_earlier_position_of_the_game_is_shown() {
    let folder = Scratch::new("page-hidden");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    let players =
        json!({"game": "go", "size": "9", "players": ["human", "engine"], "level": {"visits": 20}});
    begin(&browser, &board, &players);
    let shown = |number: &str, evaluated: bool| {
        browser.wait(&format!(
            "document.getElementById('slider').value === '{number}' && document.getElementById('graph').hasAttribute('hidden') !== {evaluated}\
             && document.getElementById('status').innerText.includes('Win rate') === {evaluated} && !!document.getElementById('candidates') === {evaluated}"
        ));
    };
    browser.click_point("E5");
    shown("2", false);
    // Here Tengen has thought, also about the answer to its move.
    browser.press(LEFT);
    shown("1", false);
    browser.click("#evaluation");
    shown("1", true);
    browser.click("#evaluation");
    shown("1", false);
    browser.click("#resign");
    status(&browser, "White wins");
    browser.press(LEFT);
    shown("1", true);
    browser.check();
}

#[test]
fn a_game_is_pasted_as_text_or_as_a_file() {
    let folder = Scratch::new("page-paste");
    let Some((browser, _board)) = open(&folder, &GO) else {
        return;
    };
    for (given, moves) in [
        ("setData('text', '( ;GM[1]SZ[9];B[ee];W[cc])')", 2),
        (
            "items.add(new File(['(;GM[1]SZ[9];B[ee];W[cc];B[gg])'], 'x.sgf'))",
            3,
        ),
    ] {
        browser.run(&format!("const clipboardData = new DataTransfer(); clipboardData.{given}; document.body.dispatchEvent(new ClipboardEvent('paste', {{ clipboardData, bubbles: true }}));"));
        browser.wait(&format!(
            "document.getElementById('slider').max === '{moves}'"
        ));
    }
    // After a click on the slider keys apply to the board.
    browser.click("#slider");
    browser.wait("document.activeElement === document.body");
    // Files may be dropped; text that is moved in a remark is not taken for one.
    let taken = browser.run("return [false, true].map((isFile) => {\
                             const dataTransfer = new DataTransfer(), event = new DragEvent('dragover', { dataTransfer, bubbles: true, cancelable: true });\
                             isFile ? dataTransfer.items.add(new File([''], 'x.sgf')) : dataTransfer.setData('text', 'moved');\
                             const place = isFile ? document.body : document.body.appendChild(document.createElement('textarea'));\
                             return [place.dispatchEvent(event), document.getElementById('drop').hidden]; });");
    assert_eq!(taken, json!([[true, true], [false, false]]));
    browser.check();
}

#[test]
fn nothing_is_lost_by_a_click_or_a_file() {
    let folder = Scratch::new("page-undo");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    let text = "(;FF[4]CA[UTF-8]GM[1]SZ[9]KM[6.5]BR[3d]EV[Cup]GC[about]\n;B[ee]TR[ee]LB[cc:A]BL[3.5]\n(;W[cc]C[one];B[gg])\n(;W[gc]N[two]))\n";
    load(&browser, &folder, text);
    assert_eq!(board.get("game.sgf").body, text);
    browser.press(RIGHT);
    browser.wait("[...document.querySelectorAll('#over text')].some((t) => t.textContent === 'A')");
    browser.wait("document.getElementById('players').innerText.includes('3d')");
    // Variations by the arrow keys.
    press_all(&browser, RIGHT);
    browser.wait("document.getElementById('said').innerText.includes('C7')");
    browser.press(UP);
    browser.wait("document.getElementById('said').innerText.includes('G7')");
    // Deleting and new games are taken back by a button, and by a key.
    browser.click("[data-tab=moves]");
    browser.wait("document.getElementById('panel').innerText.includes('Cup')");
    browser.run("[...document.querySelectorAll('#panel button')].find((b) => b.innerText === 'Delete from here').click();");
    browser.wait("document.getElementById('slider').value === '1'");
    assert!(!board.get("game.sgf").body.contains("two"));
    begin_between_people(&browser, &board, "13");
    browser.click("#takeBack");
    browser.wait("document.getElementById('what').innerText.includes('9×9')");
    let ctrl_z = json!({"actions": [{"type": "key", "id": "keys", "actions": [
        {"type": "keyDown", "value": "\u{E009}"}, {"type": "keyDown", "value": "z"}, {"type": "keyUp", "value": "z"}, {"type": "keyUp", "value": "\u{E009}"},
    ]}]});
    browser.run("document.getElementById('slider').focus();");
    browser.ask("POST", "/actions", &ctrl_z);
    browser.wait("document.getElementById('slider').value === '2'");
    assert_eq!(board.get("game.sgf").body, text);
    // A game that was taken back with moves in it comes again: by the message, and by a button.
    begin_between_people(&browser, &board, "13");
    browser.click_point("C3");
    browser.wait("document.getElementById('slider').max === '1'");
    for again in ["#toast button", "#doAgain"] {
        browser.ask("POST", "/actions", &ctrl_z);
        browser.wait("document.getElementById('what').innerText.includes('9×9')");
        browser.click(again);
        browser.wait("document.getElementById('what').innerText.includes('13×13') && document.querySelectorAll('#stones .stone').length === 1");
    }
    // Behind a dialog nothing is taken back.
    browser.click("#new");
    browser.wait("document.getElementById('dialog').open");
    browser.ask("POST", "/actions", &ctrl_z);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(board.state()["width"], 13);
    browser.press(ESCAPE);
    browser.check();
}

#[test]
fn a_new_game_of_this_run_is_not_offered_as_the_last_one() {
    let folder = Scratch::new("page-second");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    begin_between_people(&browser, &board, "13");
    // Another page of the same board.
    browser.ask("POST", "/url", &json!({"url": board.address}));
    browser.wait("document.getElementById('what').innerText.includes('13×13')");
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert_eq!(
        browser.run("return document.getElementById('toast').hidden;"),
        true
    );
}

#[test]
fn a_problem_is_read_played_against_tengen_and_printed() {
    let folder = Scratch::new("page-problem");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    let text = "(;GM[1]SZ[9]C[Black to live]AB[cc];B[ee]TR[ee];W[ec])(;GM[1]SZ[9]GN[Second]PB[Anna];B[aa])";
    load(&browser, &folder, text);
    browser.wait("document.getElementById('remark').innerText === 'Black to live'");
    // The games of the file are chosen above the board.
    let chosen = |place: &str, name: &str| {
        browser.wait(&format!("document.getElementById('which').value === '{place}' && document.getElementById('which').selectedOptions[0].innerText === '{name}'"));
    };
    chosen("0", "1");
    browser.click("#gameAfter");
    chosen("1", "2: Second");
    browser.wait(
        "document.getElementById('gameAfter').disabled && document.getElementById('remark').hidden",
    );
    browser.click("#gameBefore");
    chosen("0", "1");
    // After a choice by mouse arrows walk through the game.
    browser.run("const box = document.getElementById('which'); box.focus(); for (const name of ['pointerdown', 'pointerup']) box.dispatchEvent(new PointerEvent(name));\
                 box.value = '1'; box.dispatchEvent(new Event('change'));");
    chosen("1", "2: Second");
    browser.press(RIGHT);
    browser.wait("document.getElementById('slider').value === '1' && document.getElementById('which').value === '1'");
    browser.click("#gameBefore");
    chosen("0", "1");
    // Numbers of moves, marks, and paper.
    browser.click("#last");
    browser.wait("document.getElementById('slider').value === '2'");
    browser.click("[data-layer=numbers]");
    browser.wait("[...document.querySelectorAll('#over text')].map((one) => one.textContent).join() === '1,2'");
    browser.click("[data-tab=moves]");
    browser.click("#mark");
    browser.click("[data-mark=label]");
    browser.click_point("A1");
    browser.click_point("B1");
    browser.wait("[...document.querySelectorAll('#over text')].map((one) => one.textContent).join().startsWith('A,B')");
    browser.click("[data-mark=square]");
    browser.click_point("A1");
    browser.wait("document.querySelectorAll('#over rect').length === 1");
    browser.click("#edit-end");
    assert!(board.get("game.sgf").body.contains("W[ec]LB[bi:B]SQ[ai]"));
    let printed = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"media": "print"}});
    browser.ask("POST", "/goog/cdp/execute", &printed);
    browser.run("dispatchEvent(new Event('beforeprint'));");
    browser.wait("document.getElementById('sheet').innerText.includes('1. E5 2. E7')");
    let buttons = browser.run("return [...document.querySelectorAll('button, select, input, textarea')].filter((one) => one.getClientRects().length).length;");
    assert_eq!(buttons, 0);
    let screen = json!({"cmd": "Emulation.setEmulatedMedia", "params": {"media": ""}});
    browser.ask("POST", "/goog/cdp/execute", &screen);
    // From the shown position on Tengen plays White.
    browser.click("#first");
    browser.wait("document.getElementById('slider').value === '0'");
    browser.click(".player .who");
    browser.click("[data-value='[\"human\",\"engine\"]']");
    browser.click("[data-value='\"visits\"']");
    browser.run("const box = document.querySelector('[data-field=visits]'); box.value = '5'; box.dispatchEvent(new Event('input'));");
    browser.click("#start");
    browser.wait("!document.getElementById('dialog').open && document.getElementById('players').innerText.includes('5 visits')");
    browser.click_point("G3");
    browser.wait("document.querySelectorAll('#stones .stone').length === 3");
    let state = board.state();
    assert_eq!(
        (&state["live"], &state["to_move"]),
        (&state["current"], &json!("B"))
    );
    browser.check();
}

#[test]
fn a_count_is_an_estimate_that_people_correct() {
    let folder = Scratch::new("page-count");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    let rows = "(;GM[1]FF[4]SZ[9]RU[Chinese]KM[7]AB[ea][eb][ec][ed][ee][ef][eg][eh][ei]AW[fa][fb][fc][fd][fe][ff][fg][fh][fi][bb];B[hh])";
    load(&browser, &folder, rows);
    browser.press(RIGHT);
    listen(&browser);
    browser.click("#count");
    browser.wait("document.getElementById('counted')?.innerText.includes('Estimate')");
    assert!(board.state()["end"].is_null());
    hears(&browser, "Estimate: Black wins, by ");
    // The stone in the corner is dead, until somebody says that it lives.
    browser.wait("document.querySelectorAll('#stones .dead').length > 0");
    browser.press("b");
    press_all(&browser, &[LEFT; 6].concat());
    press_all(&browser, &[UP; 6].concat());
    hears(&browser, "B8, White, dead");
    browser.press(LEFT);
    hears(&browser, "A8, Black's point");
    browser.press(ESCAPE);
    let before = board.state()["count"].clone();
    browser.click_point("B8");
    let revived = "document.querySelector('#stones .dead') === null || document.getElementById('counted').innerText";
    browser.wait(revived);
    let after = loop {
        let count = board.state()["count"].clone();
        if count != before {
            break count;
        }
    };
    assert_ne!(after["result"], before["result"]);
    // A stone can be played still.
    browser.click_point("C3");
    browser.wait("document.getElementById('slider').value === '2'");
    browser.check();
}

#[test]
fn the_dialog_says_what_is_wrong_in_itself() {
    let folder = Scratch::new("page-dialog");
    let Some((browser, board)) = open(&folder, &["--level", "1"]) else {
        return;
    };
    browser.click("#new");
    // A level of the command line is the level of the dialog.
    browser
        .wait("document.querySelector('[data-value=\\'\"strength\"\\']').ariaChecked === 'true'");
    browser.click("[data-value='\"go\"']");
    let fill = |field: &str, value: &str| {
        browser.element(&format!("[data-field={field}]"));
        browser.run(&format!("const box = document.querySelector('[data-field={field}]'); box.value = '{value}'; box.dispatchEvent(new Event('input'));"));
    };
    let wrong = |part: &str| {
        browser.click("#start");
        browser.wait(&format!("document.getElementById('wrong').innerText.includes({part:?}) && document.getElementById('dialog').open"));
    };
    fill("komi", "401");
    wrong("Komi");
    fill("komi", "abc");
    wrong("Komi");
    fill("komi", "");
    browser.click("[data-value='\"fischer\"']");
    fill("main", "0");
    fill("more", "0");
    wrong("late");
    fill("main", "0,5");
    fill("more", "x");
    wrong("negative");
    fill("more", "1");
    fill("black", "Anna");
    // The hint is not cut off, and Enter begins the game.
    let cut = "const box = document.querySelector('[data-field=komi]'); return box.scrollWidth > box.clientWidth;";
    assert_eq!(browser.run(cut), false);
    browser.run("document.querySelector('[data-field=komi]').focus();");
    fill("komi", "6,5");
    browser.press(ENTER);
    browser.wait("!document.getElementById('dialog').open");
    let state = board.state();
    assert_eq!(
        (&state["komi"], &state["names"][0], &state["terms"]["clock"]),
        (&json!(6.5), &json!("Anna"), &json!("fischer 30 1"))
    );
    browser.check();
}

#[test]
fn another_game_takes_over_no_rules_of_the_one_before() {
    let folder = Scratch::new("page-terms");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    let start = |first: &str| {
        browser.click("#new");
        browser.click(first);
        browser.click("#start");
        browser.wait("!document.getElementById('dialog').open");
    };
    for game in ["a file", "a choice"] {
        browser.click("#new");
        browser.click("[data-value='\"go\"']");
        browser.run("for (const [field, value] of [['select[aria-label=Rules]', 'japanese'], ['select[aria-label=\"Handicap stones\"]', '2'], ['[data-field=komi]', '6.5']]) {\
                     const box = document.querySelector(field); box.value = value; box.dispatchEvent(new Event(box.oninput ? 'input' : 'change')); }");
        browser.click("#start");
        browser.wait("!document.getElementById('dialog').open");
        browser.wait("document.getElementById('what').innerText.includes('Japanese')");
        if game == "a file" {
            load(&browser, &folder, "(;GM[4]SZ[15];B[hh])");
            browser.wait("document.getElementById('what').innerText.includes('Gomoku')");
            start("[data-value='\"15\"']");
        } else {
            start("[data-value='\"gomoku\"']");
        }
        let state = board.state();
        assert_eq!(
            (&state["game"], &state["komi"], &state["current"]),
            (&json!("gomoku"), &json!(null), &json!(0)),
            "{game}"
        );
    }
    browser.check();
}

#[test]
fn a_page_connects_again() {
    let folder = Scratch::new("page-lost");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    begin_between_people(&browser, &board, "9");
    // The next connection is refused, as by a program that is busy; events that are open end.
    browser.run("const Real = EventSource; let refusals = 2; window.EventSource = function (path) { const made = new Real(refusals-- > 0 ? 'nothing' : path); return made; };\
                 Object.defineProperty(document, 'hidden', {value: true, configurable: true}); dispatchEvent(new Event('visibilitychange'));\
                 Object.defineProperty(document, 'hidden', {value: false, configurable: true}); dispatchEvent(new Event('visibilitychange'));");
    browser.wait("document.getElementById('toast').innerText.includes('No connection')");
    board.do_it(&json!({"do": "play", "at": "E5", "node": 0}));
    browser.wait("document.querySelectorAll('#stones .stone').length === 1");
}

#[test]
fn a_page_without_its_program_says_so_and_stays() {
    let folder = Scratch::new("page-ended");
    let Some((browser, board)) = open(&folder, &["--threads", "1"]) else {
        return;
    };
    let address = browser.run("return location.href;");
    let lost = "document.getElementById('toast').innerText.includes('No connection')";
    drop(board);
    browser.wait(lost);
    browser.run("document.getElementById('save').click();");
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(browser.run("return location.href;"), address);
    assert_eq!(browser.run(&format!("return {lost};")), true);
    // Another message does not replace it for good.
    browser.press("m");
    press_all(&browser, "z9");
    browser.press(ENTER);
    browser.wait("document.getElementById('toast').innerText.includes('z9')");
    browser.wait(lost);
}

#[test]
fn a_remark_that_is_being_written_outlives_its_page() {
    let folder = Scratch::new("page-remark");
    let Some((browser, board)) = open(&folder, &["--threads", "1"]) else {
        return;
    };
    browser.click("[data-tab=moves]");
    browser.element("textarea");
    browser.run("document.querySelector('textarea').focus();");
    press_all(&browser, "half a sentence");
    browser.ask("POST", "/url", &json!({"url": "about:blank"}));
    let clock = SystemClock::new();
    while !board.get("game.sgf").body.contains("half a sentence") {
        assert!(clock.now() < HANG_TIMEOUT, "{}", board.get("game.sgf").body);
    }
}
