//! What people learn from, in a browser: a review and its board, pictures, and a game that is kept.

use std::time::Duration;

use serde_json::{Value, json};
use tengen::clock::{Clock as _, SystemClock};

use super::client::Board;
use super::driver::{Browser, HANG_TIMEOUT};
use super::heard::{hears, listen};
use super::page::{PEOPLE, RIGHT, begin, load, open};
use crate::book::{SMALL, build};
use crate::scratch::Scratch;

/// Black could have made five at E6 or E1, plays J9 instead, and White makes five.
const THROWN_AWAY: &str =
    "(;GM[4]SZ[9];B[ee];W[aa];B[ef];W[ba];B[eg];W[ca];B[eh];W[da];B[ia];W[ea])";

/// The game in a browser, being reviewed.
fn review(folder: &Scratch) -> Option<(Browser, Board)> {
    let (browser, board) = open(folder, &["--visits", "8", "--threads", "1"])?;
    load(&browser, folder, THROWN_AWAY);
    browser.click("[data-tab=review]");
    listen(&browser);
    browser.click("#start-review");
    Some((browser, board))
}

/// Goes to the position before the game's mistake, once it is reviewed.
fn go_to_the_mistake(browser: &Browser) {
    browser.click("#mistakes tr[data-pick='8'] td:first-child");
    browser.wait("document.getElementById('slider').value === '8'");
}

/// The played move's row among the candidates says that it loses, and that no search has visited it.
fn the_played_move_is_bad(browser: &Browser) {
    browser.click("[data-tab=analysis]");
    let row = browser.wait("(() => { const row = document.querySelector('#candidates tr[data-pick=J9]'); return row && [row.cells[1].innerText, row.querySelector('.key').className]; })()");
    let bad = row[1].as_str().is_some_and(|class| class.contains("bad"));
    assert!(bad && (row[0] == "loses" || row[0] == "0.0%"), "{row}");
    let bubble = browser
        .wait("document.querySelector('#over .candidate[data-at=J9]').getAttribute('class')");
    assert!(bubble.to_string().contains("bad"), "{bubble}");
}

#[test]
fn a_played_move_has_the_value_of_the_position_after_it() {
    let folder = Scratch::new("study-played");
    let Some((browser, _board)) = review(&folder) else {
        return;
    };
    go_to_the_mistake(&browser);
    the_played_move_is_bad(&browser);
    browser.check();
    // The page of `tengen review` is the same without a server.
    let file = folder.join("game.sgf");
    std::fs::write(&file, THROWN_AWAY).expect("writable");
    let page = folder.join("page.html");
    let made = std::process::Command::new(env!("CARGO_BIN_EXE_tengen"))
        .args(["review", "--visits", "8", "--threads", "1", "--html"])
        .args([&page, &file])
        .output()
        .expect("the binary was built for this test");
    assert!(made.status.success(), "{made:?}");
    let address = format!("file://{}", page.display());
    browser.ask("POST", "/url", &json!({"url": address}));
    go_to_the_mistake(&browser);
    the_played_move_is_bad(&browser);
}

#[test]
fn a_review_is_asked_for_until_it_is_heard_and_ends_with_its_game() {
    let folder = Scratch::new("study-late");
    let Some((browser, board)) = open(&folder, &["--visits", "8", "--threads", "1"]) else {
        return;
    };
    load(&browser, &folder, THROWN_AWAY);
    // The program refuses once, and is slow then.
    browser.run(
        "const real = fetch; window.fetch = async (path, ...rest) => {\
         if (path !== 'review') return real(path, ...rest);\
         if (!window.refused) { window.refused = true; return new Response('busy', { status: 503 }); }\
         const answer = await real(path, ...rest);\
         await new Promise((done) => { window.release = done; });\
         return answer; };",
    );
    browser.click("[data-tab=review]");
    browser.click("#start-review");
    browser.wait("window.refused");
    board.do_it(&json!({"do": "go", "node": 1}));
    browser.wait("!!window.release");
    begin(
        &browser,
        &board,
        &json!({"game": "go", "size": "7", "players": PEOPLE}),
    );
    let late = "window.release(); await new Promise((done) => setTimeout(done, 100));\
                const { store } = await import(location.pathname + 'store.js'); return store.review;";
    let shown = browser.run(&format!("return (async () => {{{late}}})();"));
    assert_eq!(shown, Value::Null, "it is of the game before");
}

#[test]
fn what_is_shown_belongs_to_the_shown_position() {
    let folder = Scratch::new("study-shown");
    let Some((browser, _board)) = review(&folder) else {
        return;
    };
    hears(&browser, "Searching position");
    hears(&browser, "The review is done. Mistakes: ");
    go_to_the_mistake(&browser);
    hears(&browser, "throws a proven win away");
    let dots = "document.querySelectorAll('#graph .thrown_away').length";
    browser.wait(&format!("{dots} === 1"));
    // A better line is shown with numbers while the mouse is on it.
    let better = "#mistakes tr[data-pick='8'] td:last-child button";
    browser.point_at(better);
    browser.wait("document.querySelectorAll('#over .stone text').length > 0");
    let first =
        browser.run("return document.querySelector('#over .stone circle').getAttribute('fill');");
    assert_eq!(first, "url(#sB)");
    // After a click another position is shown, in which the line would have other colours.
    browser.click_here();
    browser.wait("document.getElementById('slider').value === '9'");
    std::thread::sleep(Duration::from_millis(300));
    let numbers = browser.run("return document.querySelectorAll('#over .stone text').length;");
    assert_eq!(numbers, 0, "the line stays until the mouse is moved");
    // The variation has no mistakes of the main line in its curve.
    assert_eq!(browser.run(&format!("return {dots};")), 0);
    browser.press(super::page::LEFT);
    browser.wait(&format!(
        "{dots} === 1 && document.getElementById('slider').value === '8'"
    ));
    browser.check();
}

#[test]
fn a_node_without_a_move_has_no_number_in_tree_and_graph() {
    let folder = Scratch::new("study-numbers");
    let Some((browser, _board)) = open(&folder, &["--visits", "8", "--threads", "1"]) else {
        return;
    };
    let told = THROWN_AWAY.replacen(";B[ee]", ";C[Five in a row]\n;B[ee]", 1);
    load(&browser, &folder, &told);
    browser.click("[data-tab=review]");
    browser.click("#start-review");
    browser.wait("document.querySelectorAll('#graph .thrown_away').length === 1");
    browser.click("#mistakes tr[data-pick='8'] td:first-child");
    browser.wait("document.querySelector('#mistakes .sentence').innerText.includes('Move 9')");
    browser.press(RIGHT);
    browser.wait("document.getElementById('slider').ariaValueText === 'Move 9'");
    browser.click("[data-tab=moves]");
    browser.wait("document.querySelector('.tree g:has(.here) text').textContent === '9'");
    browser.check();
}

#[test]
fn a_lesson_hides_the_answer_and_judges_attempts() {
    let folder = Scratch::new("study-lesson");
    let Some((browser, board)) = review(&folder) else {
        return;
    };
    browser.click("[data-learn=B]");
    browser.wait("document.getElementById('slider').value === '8' && document.querySelectorAll('#over .candidate').length === 0 && document.getElementById('graph').hasAttribute('hidden')");
    let panel = browser.run("return document.getElementById('panel').innerText;");
    let panel = panel.as_str().expect("a text");
    assert!(panel.contains("Mistake 1 of") && !panel.contains("E1") && !panel.contains("E6"));
    let judged = |at: &str, verdict: &str| {
        browser.click_point(at);
        browser.wait(&format!("document.getElementById('verdict')?.innerText.startsWith('{at}') && document.getElementById('verdict').dataset.verdict.match({verdict:?})"));
    };
    judged("C3", "no");
    judged("H1", "no");
    judged("E6", "good|best");
    judged("E1", "good|best");
    // Nothing was played, and an illegal attempt changes nothing.
    assert_eq!(board.state()["current"], 8);
    browser.click_point("E5");
    browser.wait("document.getElementById('toast').innerText.includes('occupied') && document.getElementById('verdict')?.innerText.startsWith('E1')");
    browser.click("#show-answer");
    browser
        .wait("document.getElementById('answer').innerText.includes('throws a proven win away')");
    browser.check();
}

/// Losses of points in a decided game, and small ones of winrate.
#[test]
fn the_worst_mistakes_come_first_and_none_is_the_searchs_own_choice() {
    let folder = Scratch::new("study-list");
    let Some((browser, _board)) = open(&folder, &[]) else {
        return;
    };
    let found = browser.run(
        "return (async () => {\
         const { betterLine, cost, isWrong } = await import(location.pathname + 'review.js');\
         const position = (moves, played) => ({ moves, candidates: [{ move: 'A1', pv: ['A1', 'B1'] }], played: { class: null, counts: true, loss: 0, choice: 2, better: [], ...played } });\
         const all = [position(0, { points: 11.4, choice: 1 }), position(1, { points: 30 }), position(2, { class: 'inaccuracy', loss: 0.06, better: ['C1'] }), position(3, { points: 3 })];\
         const review = { game: { moves: [{ at: 'A1' }, { at: 'D1' }, { at: 'D1' }, { at: 'D1' }] } }, wrong = all.filter(isWrong).sort((a, b) => cost(b) - cost(a));\
         return wrong.map((p) => [p.moves, betterLine(review, p)]); })();",
    );
    assert_eq!(found, json!([[1, ["A1", "B1"]], [2, ["C1"]]]));
}

/// An attempt that is proven to lose is not as good as the best move, though a search cannot tell them apart.
#[test]
fn a_lesson_believes_what_is_proven() {
    let folder = Scratch::new("study-proven");
    let Some((browser, _board)) = open(&folder, &[]) else {
        return;
    };
    let found = browser.run(
        "return (async () => {\
         const { judge } = await import(location.pathname + 'learn.js'), { store } = await import(location.pathname + 'store.js');\
         const move = (move, wins) => ({ move, wins, pv: [move] }), judged = (at) => ({ at, winrate: 0.5, proven: null });\
         const position = { moves: 0, to_move: 'black', candidates: [move('A1', true), move('B1', null), move('C1', false), move('D1', false)] };\
         store.review = { game: { moves: [{ at: 'D1' }] } };\
         return ['A1', 'B1', 'C1', 'D1'].map((at) => judge(position, judged(at), judged('A1'), judged('D1'))); })();",
    );
    assert_eq!(found, json!(["best", "good", "no", "played"]));
}

#[test]
fn a_review_of_nogo_tells_its_progress_and_is_stopped() {
    let folder = Scratch::new("study-nogo");
    let Some((browser, board)) = open(&folder, &["--threads", "1"]) else {
        return;
    };
    let game = std::fs::read_to_string("../../gtp-tests/games/9x9.sgf").expect("a game");
    load(&browser, &folder, &game);
    browser.click("[data-tab=review]");
    browser.click("#start-review");
    // The solver works first, on the last positions, and each of them counts.
    let clock = SystemClock::new();
    browser.wait("document.querySelector('#panel progress')?.value >= 3");
    let all = browser.run("return document.querySelector('#panel progress').max;");
    assert!(clock.now() < Duration::from_secs(30), "{:?}", clock.now());
    browser.click("#stop-review");
    let clock = SystemClock::new();
    browser.wait("document.getElementById('panel').innerText.includes('Reviewed from move')");
    assert!(clock.now() < Duration::from_secs(5), "{:?}", clock.now());
    let found: Value = serde_json::from_str(&board.get("review").body).expect("JSON");
    let kept = found["review"]["positions"].as_array().map_or(0, Vec::len);
    assert!(
        kept >= 3 && (kept as f64) < all.as_f64().unwrap_or(0.0),
        "{kept} of {all}"
    );
    browser.check();
}

#[test]
fn the_board_is_saved_as_a_picture() {
    let folder = Scratch::new("study-picture");
    let Some((browser, _board)) = open(&folder, &[]) else {
        return;
    };
    browser.ask(
        "POST",
        "/goog/cdp/execute",
        &json!({"cmd": "Browser.setDownloadBehavior", "params": {"behavior": "allow", "downloadPath": folder.display().to_string()}}),
    );
    load(&browser, &folder, "(;GM[1]SZ[9]KM[7];B[ee];W[cc])");
    browser.press(RIGHT);
    browser.wait("document.querySelectorAll('#stones .stone').length === 1");
    browser.click("[data-tab=moves]");
    browser.click("#picture");
    let file = folder.join("go-1.png");
    let clock = SystemClock::new();
    while std::fs::metadata(&file).map_or(0, |file| file.len()) == 0 {
        assert!(clock.now() < HANG_TIMEOUT, "no picture");
        std::thread::sleep(Duration::from_millis(50));
    }
    // A PNG of the size of the drawing, with wood, a black stone and no transparency.
    let bytes = std::fs::read(&file).expect("readable");
    assert_eq!(&bytes[1..4], b"PNG");
    assert_eq!(
        (&bytes[16..20], &bytes[20..24]),
        (&[0, 0, 2, 72][..], &[0, 0, 2, 72][..])
    );
    let coded: String = bytes.iter().map(|byte| format!("{byte},")).collect();
    let colors = browser.run(&format!(
        "return (async () => {{ const image = await createImageBitmap(new Blob([new Uint8Array([{coded}])], {{type: 'image/png'}})), canvas = new OffscreenCanvas(584, 584), context = canvas.getContext('2d');\
         context.drawImage(image, 0, 0); return [[304, 300], [94, 70]].map(([x, y]) => [...context.getImageData(x, y, 1, 1).data]); }})();"
    ));
    let value = |point: usize, channel: usize| colors[point][channel].as_u64().expect("a colour");
    assert!(
        value(0, 0) < 90 && value(1, 0) > 150 && value(1, 2) < 160,
        "{colors}"
    );
    assert_eq!((value(0, 3), value(1, 3)), (255, 255));
    browser.check();
}

#[test]
fn a_game_survives_its_page_and_its_program() {
    let folder = Scratch::new("study-kept");
    let kept = folder.join("kept.sgf");
    let file = kept.display().to_string();
    let args = [
        "--autosave",
        &file,
        "--game",
        "go",
        "--size",
        "9",
        "--threads",
        "1",
    ];
    let Some((browser, board)) = open(&folder, &args) else {
        return;
    };
    let players = ["human", "engine"];
    board.do_it(&json!({"do": "new", "terms": {"game": "go", "size": "9", "players": players, "level": {"visits": 5}}}));
    browser.wait("document.getElementById('what').innerText.includes('9×9')");
    browser.click_point("E5");
    browser.wait("document.getElementById('slider').max === '2' && document.querySelector('#status').innerText.includes('Black to move')");
    // A closed page.
    browser.ask("POST", "/url", &json!({"url": "about:blank"}));
    browser.ask("POST", "/url", &json!({"url": board.address}));
    browser.wait("document.querySelectorAll('#stones .stone').length === 2");
    let before = board.state();
    let clock = SystemClock::new();
    while std::fs::read_to_string(&kept).map_or(0, |text| text.matches(";W[").count()) == 0 {
        assert!(clock.now() < HANG_TIMEOUT, "nothing is written");
        std::thread::sleep(Duration::from_millis(50));
    }
    // A killed program.
    drop(board);
    let board = Board::start(&args);
    browser.ask("POST", "/url", &json!({"url": board.address}));
    browser.wait("document.getElementById('toast').innerText.includes('kept')");
    assert_eq!(board.state()["current"], 0);
    browser.click("#toast button");
    browser.wait("document.querySelectorAll('#stones .stone').length === 2");
    let after = board.state();
    for what in ["stones", "to_move", "names"] {
        assert_eq!(after[what], before[what], "{what}");
    }
    assert_eq!(
        (
            &after["terms"]["players"],
            &after["terms"]["level"]["visits"]
        ),
        (&json!(players), &json!(5))
    );
    // It goes on.
    browser.click_point("C3");
    browser.wait("document.getElementById('slider').max === '4'");
    browser.check();
}

#[test]
fn the_book_is_explored_and_played_from() {
    let folder = Scratch::new("study-book");
    let book = folder.path("small.book");
    build(&book, "40");
    let Some((browser, board)) = open(&folder, &[SMALL, &["--book", &book]].concat()) else {
        return;
    };
    board.do_it(&json!({"do": "players", "players": ["human", "human"], "level": {}}));
    browser.click("[data-tab=book]");
    browser.wait("document.querySelectorAll('#book tr[data-pick]').length > 2");
    let rows = board.state()["book"].clone();
    let rows = rows.as_array().expect("moves");
    assert_eq!(
        (&rows[0]["known"], &rows[0]["loss"]),
        (&json!(true), &json!(0.0))
    );
    let losses: Vec<_> = rows
        .iter()
        .map(|row| row["loss"].as_f64().expect("a number"))
        .collect();
    assert!(losses.is_sorted(), "{losses:?}");
    // By mouse and by keyboard, also on a small phone.
    browser.size(320, 568);
    browser.wait("innerWidth === 320");
    browser.check();
    browser.click("#book tr[data-pick] button");
    browser.wait("document.getElementById('slider').value === '1'");
    assert_eq!(board.state()["last"], rows[0]["at"]);
    browser.wait("document.querySelectorAll('#book tr[data-pick]').length > 0");
    browser.run("document.querySelector('#book tr[data-pick] button').focus();");
    browser.press("\u{E007}");
    browser.wait("document.getElementById('slider').value === '2'");
    browser.check();
    // Other boards have no book.
    let terms = json!({"game": "nogo", "size": "4", "players": ["human", "human"]});
    board.do_it(&json!({"do": "new", "terms": terms}));
    browser.wait("!document.querySelector('[data-tab=book]')");
    assert_eq!(board.state()["book"], Value::Null);
    browser.check();
}
