//! The page in a browser. Where Chromium and ChromeDriver are not installed the tests say that they
//! are skipped.

use serde_json::{Value, json};
use tengen::clock::{Clock as _, SystemClock};

use super::client::{Board, Events};
use super::driver::{Browser, HANG_TIMEOUT};
use crate::scratch::Scratch;

/// Begins a game in the dialog: human Black against an engine with few visits.
fn begin(browser: &Browser, game: &str, size: &str) {
    browser.click("#new");
    browser.click(&format!("[data-value='\"{game}\"']"));
    browser.click(&format!("[data-value='\"{size}\"']"));
    browser.click("[data-value='[\"human\",\"engine\"]']");
    browser.click("[data-value='\"visits\"']");
    browser.run("const box = document.querySelector('[data-field=visits]'); box.value = 20; box.dispatchEvent(new Event('input'));");
    browser.click("#start");
    browser.wait("!document.getElementById('dialog').open");
    browser.wait(&format!(
        "document.getElementById('what').innerText.includes('{size}×{size}')"
    ));
}

/// A legal point for Black, from the state; `None` when it has to pass.
fn choice(state: &Value) -> Option<String> {
    let (legal, width) = (state["legal"].as_str()?, state["width"].as_u64()? as usize);
    let height = state["height"].as_u64()? as usize;
    let open = legal
        .bytes()
        .position(|bits| bits == b'1' || bits == b'3')?;
    let column = char::from(b"ABCDEFGHJ"[open % width]);
    Some(format!("{column}{}", height - open / width))
}

/// Plays a game by clicks to its end, and returns its last state.
fn play_to_the_end(browser: &Browser, board: &Board, game: &str) -> Value {
    let mut page = Events::open(board);
    let mut before = Value::Null;
    for turn in 0..200 {
        // One condition: the state after the engine's answer may be the first that is sent.
        let state = page.state(|state| {
            let ready = state["to_move"] == "B" && state["task"].is_null();
            let is_next = state["game"] == game && state["current"] != before;
            is_next && (ready || !state["end"].is_null())
        });
        if !state["end"].is_null() {
            return state;
        }
        // The page has the same position before it.
        browser.wait(&format!(
            "document.getElementById('slider').value === '{}' && document.querySelector('#status').innerText.includes('Black to move')",
            2 * turn
        ));
        match choice(&state) {
            // In Go, a player who fills own eyes never stops.
            Some(at) if game != "go" || state["current"].as_u64() < Some(10) => {
                browser.click_point(&at)
            }
            _ => browser.click("#pass"),
        }
        before = state["current"].clone();
    }
    panic!("the game of {game} does not end");
}

/// Looks at the page on a narrow screen, and goes back to a wide one.
fn fits_a_phone(browser: &Browser) {
    browser.size(390, 844);
    browser.wait("innerWidth === 390");
    browser.check();
    browser.size(1280, 860);
    browser.wait("innerWidth === 1280");
}

#[test]
fn games_are_played_reviewed_saved_and_loaded_in_a_browser() {
    let folder = Scratch::new("board-browser");
    let Some(browser) = Browser::start(&folder) else {
        return;
    };
    let board = Board::start(&["--visits", "12", "--threads", "1", "--seed", "1"]);
    browser.ask("POST", "/url", &json!({"url": board.address}));
    browser.wait("document.querySelector('#stones') && document.querySelector('#status').innerText.includes('to move')");
    for (game, size) in [("nogo", "5"), ("gomoku", "9"), ("go", "9")] {
        begin(&browser, game, size);
        let end = play_to_the_end(&browser, &board, game);
        browser.wait("/wins|Draw/.test(document.querySelector('#status').innerText)");
        assert!(end["end"]["result"].is_string());
        // Pages without a board behind them work the position out.
        let same = "const { position } = await import(location.pathname + 'replay.js');\
                    const { pathTo } = await import(location.pathname + 'gametree.js');\
                    const { store } = await import(location.pathname + 'store.js'), view = store.view;\
                    const own = position({ ...view, setup: [] }, pathTo(store.tree, view.current));\
                    const legal = view.game !== 'nogo' || own.legal === view.legal;\
                    return own.stones === view.stones && String(own.taken) === String(view.taken) && legal;";
        assert_eq!(
            browser.run(&format!("return (async () => {{{same}}})();")),
            true
        );
        browser.check();
    }
    // The game is reviewed, and a line of the review becomes a variation.
    let record = "(;GM[4]SZ[9]PB[one]PW[A player with a long name, 20000 playouts a move, seed 17];B[ee];W[aa];B[ef];W[ba];B[eg];W[ca];B[eh];W[da];B[ia];W[ea])";
    let file = folder.join("game.sgf");
    std::fs::write(&file, record).expect("writable");
    let input = browser.element("#file");
    browser.ask(
        "POST",
        &format!("/element/{input}/value"),
        &json!({"text": file.display().to_string()}),
    );
    browser.wait("document.querySelector('#players').innerText.includes('one')");
    browser.click("[data-tab=review]");
    browser.click("#start-review");
    browser.click("#mistakes tr[data-pick] td:last-child button");
    browser.wait("/five in a row/.test(document.querySelector('#status').innerText)");
    // The figures of players with long names fit a phone.
    assert_eq!(
        browser.run("return !!document.querySelector('.figures');"),
        true
    );
    fits_a_phone(&browser);
    browser.click("[data-tab=moves]");
    browser.element("textarea");
    browser.run("const box = document.querySelector('textarea'); box.value = '五'; box.dispatchEvent(new Event('change'));");
    let sgf = || board.get("game.sgf").body;
    let clock = SystemClock::new();
    while !sgf().contains("C[五]") {
        assert!(clock.now() < HANG_TIMEOUT, "{}", sgf());
    }
    // Saved and loaded again it is the same.
    let saved = sgf();
    assert!(saved.contains("(;B["), "a variation: {saved}");
    std::fs::write(&file, &saved).expect("writable");
    browser.ask(
        "POST",
        &format!("/element/{input}/value"),
        &json!({"text": file.display().to_string()}),
    );
    // A loaded game is shown from its beginning; the tree is as before.
    browser.wait("document.getElementById('slider').value === '0'");
    browser.wait("document.querySelectorAll('.tree g').length > 11");
    // The encoding stands where the file has it.
    let plain = |text: String| text.replacen("CA[UTF-8]", "", 1);
    assert_eq!(plain(sgf()), plain(saved));
    // Keys, the other language, a phone.
    browser.press("\u{E010}");
    browser.wait("document.getElementById('next').disabled");
    browser.press("a");
    browser.wait("document.getElementById('analyse').getAttribute('aria-pressed') === 'true'");
    browser.press("\u{E011}");
    browser.click("[data-tab=analysis]");
    browser.wait("document.querySelectorAll('#candidates tr').length > 2");
    browser.press("a");
    browser.click("#language");
    browser.wait("document.getElementById('new').innerText === '新对局' && document.documentElement.lang === 'zh-CN'");
    browser.check();
    browser.size(390, 844);
    browser.wait("innerWidth === 390");
    browser.check();
    let small = browser.run("return [...document.querySelectorAll('header button, .bar button')].filter((b) => b.offsetParent && b.offsetHeight < 32).map((b) => b.id || b.innerText);");
    assert_eq!(small, json!([]), "too small for a finger");
}

/// The page is redrawn several times a second during an analysis, and a press takes longer.
#[test]
fn a_click_counts_where_the_page_changes_while_the_button_is_held() {
    let folder = Scratch::new("board-presses");
    let Some(browser) = Browser::start(&folder) else {
        return;
    };
    let board = Board::start(&["--threads", "1", "--game", "gomoku", "--size", "9"]);
    board.do_it(&json!({"do": "players", "players": ["human", "human"], "level": {}}));
    browser.ask("POST", "/url", &json!({"url": board.address}));
    let last = |count: usize| {
        browser.wait(&format!(
            "document.getElementById('slider').max === '{count}'"
        ));
    };
    browser.click("#analyse");
    browser.wait("document.querySelectorAll('#candidates tr').length > 2");
    // A candidate on the board, a line of the table, a kind of marks, a tab, and a move of the tree.
    browser.click_slowly("#over .candidate:last-child");
    last(1);
    browser.wait("document.querySelectorAll('#candidates tr').length > 2");
    browser.click_slowly("#candidates tr[data-pick]");
    browser.wait("document.getElementById('slider').max > 1");
    browser.click_slowly("[data-layer=policy]");
    browser.wait("document.querySelector('[data-layer=policy]').ariaChecked === 'true'");
    browser.click_slowly("[data-tab=moves]");
    browser.click_slowly(".tree g[data-id='0']");
    browser.wait("document.getElementById('slider').value === '0'");
    // What is focused and scrolled stays so.
    browser.run("document.querySelector('[data-tab=analysis]').focus();");
    std::thread::sleep(std::time::Duration::from_secs(1));
    assert_eq!(
        browser.run("return document.activeElement.dataset.tab;"),
        "analysis"
    );
    browser.check();
}
