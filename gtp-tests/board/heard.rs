//! The page by keyboard, and for those who hear it.

use serde_json::json;

use super::driver::Browser;
use super::page::{ENTER, ESCAPE, GO, LEFT, PEOPLE, RIGHT, UP, begin, load, open, press_all};
use crate::scratch::Scratch;

/// Keeps what is spoken from now on.
pub(super) fn listen(browser: &Browser) {
    browser.run("window.heard = []; const box = document.getElementById('said'); new MutationObserver(() => heard.push(box.textContent)).observe(box, {childList: true});");
}

#[track_caller]
pub(super) fn hears(browser: &Browser, part: &str) {
    browser.wait(&format!("heard.some((text) => text.includes({part:?}))"));
}

/// Gives an element the focus, and presses Enter there.
fn enter(browser: &Browser, selector: &str) {
    browser.element(selector);
    browser.run(&format!("document.querySelector({selector:?}).focus();"));
    browser.press(ENTER);
}

#[test]
fn the_focus_stays_where_a_button_was() {
    let folder = Scratch::new("page-focus");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    listen(&browser);
    load(&browser, &folder, "(;GM[1]SZ[9];B[ee];W[cc];B[gg])");
    let focused = |selector: &str| {
        browser.wait(&format!(
            "document.activeElement.matches({selector:?}) && document.activeElement.getClientRects().length > 0"
        ));
        std::thread::sleep(std::time::Duration::from_millis(150));
        browser.wait(&format!("document.activeElement.matches({selector:?})"));
    };
    let shown = |number: &str| {
        browser.wait(&format!(
            "document.getElementById('slider').value === '{number}'"
        ));
    };
    enter(&browser, "#last");
    shown("3");
    focused("#last");
    // In a group arrows choose, and do not walk through the game.
    browser.run("document.querySelector('[data-layer=candidates]').focus();");
    browser.press(RIGHT);
    focused("[data-layer=policy][aria-checked=true]");
    browser.press(LEFT);
    focused("[data-layer=candidates][aria-checked=true]");
    shown("3");
    assert_eq!(
        browser.run("return document.querySelectorAll('#layers [tabindex=\"0\"], #tabs [tabindex=\"0\"]').length;"),
        2
    );
    browser.press("l");
    hears(&browser, "Policy");
    // A position is set up by keyboard, and told as it will be.
    enter(&browser, "[data-tab=moves]");
    enter(&browser, "#edit");
    focused("[data-tool=B]");
    browser.press("b");
    hears(&browser, "G3, Black, last move");
    browser.press(UP);
    hears(&browser, "G4, empty");
    browser.press(ENTER);
    hears(&browser, "G4, Black");
    browser.press(ESCAPE);
    enter(&browser, "#edit-done");
    focused("#edit");
    assert_eq!(
        board.state()["stones"]
            .as_str()
            .map(|stones| stones.matches('B').count()),
        Some(3)
    );
    // Who resigns goes on with a rematch.
    let players =
        json!({"game": "go", "size": "9", "players": ["human", "engine"], "level": {"visits": 1}});
    begin(&browser, &board, &players);
    enter(&browser, "#resign");
    focused("#rematch");
    browser.check();
}

#[test]
fn what_happens_is_heard() {
    let folder = Scratch::new("page-heard");
    let Some((browser, board)) = open(&folder, &GO) else {
        return;
    };
    load(&browser, &folder, "(;GM[1]SZ[9]AW[dc]AB[cc][ec][db]PL[B])");
    listen(&browser);
    // A capture and Tengen's answer in one redraw.
    browser.run("const draw = requestAnimationFrame; window.requestAnimationFrame = (act) => setTimeout(() => { window.requestAnimationFrame = draw; draw(act); }, 1000);");
    board.do_it(&json!({"do": "players", "players": PEOPLE, "level": {}}));
    board.do_it(&json!({"do": "play", "at": "D6", "node": 0}));
    board.do_it(&json!({"do": "play", "at": "A1", "node": 1}));
    hears(&browser, "Black D6. captured 1. White A1. Black to move.");
    browser.press("a");
    hears(&browser, "Win rate");
    browser.press("a");
    // Points that are not open to both, and time that runs out.
    begin(
        &browser,
        &board,
        &json!({"game": "nogo", "size": "9", "players": PEOPLE, "clock": "absolute 12"}),
    );
    hears(&browser, "Black: 12 seconds left");
    for (node, at) in [(0, "A9"), (1, "B9"), (2, "F5")] {
        board.do_it(&json!({"do": "play", "at": at, "node": node}));
    }
    browser.wait("document.getElementById('slider').value === '3'");
    browser.press("b");
    press_all(&browser, &[LEFT; 5].concat());
    press_all(&browser, &[UP; 3].concat());
    hears(&browser, "A8, empty, only for Black");
    browser.check();
}

#[test]
fn a_game_is_played_and_heard_by_keyboard_alone() {
    let folder = Scratch::new("page-keys");
    let Some((browser, board)) = open(
        &folder,
        &["--game", "gomoku", "--size", "9", "--threads", "1"],
    ) else {
        return;
    };
    begin(
        &browser,
        &board,
        &json!({"game": "gomoku", "size": "9", "players": PEOPLE}),
    );
    let said = |part: &str| {
        browser.wait(&format!(
            "document.getElementById('said').innerText.includes({part:?})"
        ));
    };
    // On the board arrows move a cursor.
    browser.press("b");
    said("E5, empty");
    browser.press(ENTER);
    said("Black E5. White to move.");
    browser.press(UP);
    said("E6, empty");
    browser.press(ENTER);
    said("White E6.");
    browser.press("\u{E00C}");
    // Or moves are typed, with the letters of the board, which has an I.
    for (at, color) in [
        ("F5", "Black"),
        ("F6", "White"),
        ("G5", "Black"),
        ("G6", "White"),
        ("H5", "Black"),
        ("H6", "White"),
    ] {
        browser.press("m");
        press_all(&browser, &at.to_lowercase());
        browser.press(ENTER);
        said(&format!("{color} {at}."));
        browser.press("\u{E00C}");
    }
    browser.press("m");
    press_all(&browser, "z9");
    browser.press(ENTER);
    browser.wait("document.getElementById('toast').innerText.includes('z9')");
    browser.run("document.getElementById('typed').value = '';");
    press_all(&browser, "i5");
    browser.press(ENTER);
    said("Black I5. Black wins, five in a row.");
    browser.wait("document.querySelectorAll('#board .won').length === 5");
    // There is nothing to hint at.
    browser.wait("document.getElementById('hint').disabled");
    browser.check();
}
