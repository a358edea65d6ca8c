//! Debian's Chromium, driven by ChromeDriver over the WebDriver protocol (plain HTTP and JSON,
//! <https://www.w3.org/TR/webdriver2/>).

use std::io::Write as _;
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};
use tengen::clock::{Clock as _, SystemClock};

use super::client::request;
use crate::killed::Killed;

pub(super) const HANG_TIMEOUT: Duration = Duration::from_secs(60);

/// A browser with one page. It ends when dropped.
pub(super) struct Browser {
    _driver: Killed,
    port: u16,
    session: String,
}

fn installed(program: &str) -> bool {
    let found = Command::new(program).arg("--version").output();
    found.is_ok_and(|output| output.status.success())
}

impl Browser {
    /// `None`, which is said, if it is not installed.
    pub(super) fn start(folder: &Path) -> Option<Browser> {
        if !installed("chromium") || !installed("chromedriver") {
            // Directly: what a passed test prints is not shown.
            let told =
                "skipped: no chromium and chromedriver here (apt install chromium chromium-driver)";
            let _ = writeln!(std::io::stderr(), "{told}");
            return None;
        }
        let free = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let driver = Command::new("chromedriver")
            .arg(format!("--port={port}"))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .expect("it is installed");
        let mut browser = Browser {
            _driver: Killed(driver),
            port,
            session: String::new(),
        };
        let data = format!("--user-data-dir={}", folder.display());
        let flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-background-networking",
            "--disable-component-update",
            "--disable-sync",
            "--window-size=1280,860",
            "--lang=en-US",
            &data,
        ];
        let wanted = json!({"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": flags},
            "goog:loggingPrefs": {"browser": "ALL"},
        }}});
        let clock = SystemClock::new();
        let begun = loop {
            if let Some(begun) = browser.try_ask("POST", "/session", &wanted) {
                break begun;
            }
            assert!(clock.now() < HANG_TIMEOUT, "ChromeDriver does not answer");
            std::thread::sleep(Duration::from_millis(100));
        };
        let session = begun["sessionId"].as_str();
        browser.session = session.unwrap_or_else(|| panic!("{begun}")).to_owned();
        Some(browser)
    }

    /// `None` while there is no listener.
    fn try_ask(&self, method: &str, path: &str, body: &Value) -> Option<Value> {
        std::net::TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let body = if method == "POST" {
            body.to_string()
        } else {
            String::new()
        };
        let head = format!(
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            self.port,
            body.len()
        );
        let reply = request(self.port, head.as_bytes())?;
        let value: Value = serde_json::from_str(&reply.body).ok()?;
        Some(value["value"].clone())
    }

    #[track_caller]
    pub(super) fn ask(&self, method: &str, path: &str, body: &Value) -> Value {
        let path = format!("/session/{}{path}", self.session);
        let value = self.try_ask(method, &path, body).expect("an answer");
        assert!(value["error"].is_null(), "{method} {path} {body}: {value}");
        value
    }

    /// The result of a script.
    #[track_caller]
    pub(super) fn run(&self, script: &str) -> Value {
        self.ask(
            "POST",
            "/execute/sync",
            &json!({"script": script, "args": []}),
        )
    }

    /// Waits until a script returns something true, and returns it.
    #[track_caller]
    pub(super) fn wait(&self, script: &str) -> Value {
        let clock = SystemClock::new();
        loop {
            // What it asks about may not be there yet.
            let tried = format!("try {{ return {script}; }} catch {{ return false; }}");
            let found = self.run(&tried);
            if !matches!(found, Value::Null | Value::Bool(false)) {
                return found;
            }
            let page = || self.run("return document.body.innerText;");
            assert!(
                clock.now() < HANG_TIMEOUT,
                "{script}: never; the page: {}",
                page()
            );
            std::thread::sleep(Duration::from_millis(40));
        }
    }

    #[track_caller]
    pub(super) fn element(&self, selector: &str) -> String {
        self.wait(&format!("!!document.querySelector({selector:?})"));
        let body = json!({"using": "css selector", "value": selector});
        let found = self.ask("POST", "/element", &body);
        let id = found.as_object().and_then(|found| found.values().next());
        id.and_then(Value::as_str).expect("an element").to_owned()
    }

    #[track_caller]
    pub(super) fn click(&self, selector: &str) {
        // The page may replace an element between the search for it and the click.
        let clock = SystemClock::new();
        loop {
            let element = self.element(selector);
            let path = format!("/session/{}/element/{element}/click", self.session);
            let value = self.try_ask("POST", &path, &json!({})).expect("an answer");
            if value["error"] != "stale element reference" {
                assert!(value["error"].is_null(), "{selector}: {value}");
                return;
            }
            assert!(clock.now() < HANG_TIMEOUT, "{selector}: never at rest");
        }
    }

    /// Clicks a point of the board with the mouse.
    #[track_caller]
    pub(super) fn click_point(&self, at: &str) {
        let place = self.run(&format!(
            "const board = document.getElementById('board'); board.scrollIntoView({{block: 'center'}});\
             const box = board.getBoundingClientRect(), view = board.viewBox.baseVal;\
             const scale = box.width / view.width, rows = Math.round((view.height - 104) / 60) + 1;\
             const x = 'ABCDEFGHJKLMNOPQRSTUVWXYZ'.indexOf('{}'), y = rows - {};\
             return [box.left + (64 + 60 * x) * scale, box.top + (40 + 60 * y) * scale].map(Math.round);",
            &at[..1],
            &at[1..]
        ));
        self.mouse(&json!([
            {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": place[0], "y": place[1]},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerUp", "button": 0},
        ]));
    }

    /// Moves the mouse onto an element.
    #[track_caller]
    pub(super) fn point_at(&self, selector: &str) {
        let place = self.middle(selector);
        self.mouse(&json!([
            {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": 2, "y": 2},
            {"type": "pointerMove", "duration": 100, "origin": "viewport", "x": place[0], "y": place[1]},
        ]));
    }

    /// Clicks where the mouse is.
    #[track_caller]
    pub(super) fn click_here(&self) {
        self.mouse(
            &json!([{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]),
        );
    }

    /// Holds the mouse button on an element for a while, as a person does, and releases it.
    #[track_caller]
    pub(super) fn click_slowly(&self, selector: &str) {
        let place = self.middle(selector);
        self.mouse(&json!([
            {"type": "pointerMove", "duration": 0, "origin": "viewport", "x": place[0], "y": place[1]},
            {"type": "pause", "duration": 300},
            {"type": "pointerDown", "button": 0},
            {"type": "pause", "duration": 700},
            {"type": "pointerUp", "button": 0},
        ]));
    }

    /// The middle of an element.
    #[track_caller]
    pub(super) fn middle(&self, selector: &str) -> Value {
        self.wait(&format!(
            "(() => {{ const box = document.querySelector({selector:?})?.getBoundingClientRect();\
             return box && [box.left + box.width / 2, box.top + box.height / 2].map(Math.round); }})()"
        ))
    }

    #[track_caller]
    fn mouse(&self, steps: &Value) {
        let pointer = json!({"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": steps});
        self.ask("POST", "/actions", &json!({"actions": [pointer]}));
    }

    #[track_caller]
    pub(super) fn press(&self, key: &str) {
        let actions = json!({"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key},
        ]}]});
        self.ask("POST", "/actions", &actions);
    }

    pub(super) fn size(&self, width: u32, height: u32) {
        let metrics = json!({"cmd": "Emulation.setDeviceMetricsOverride", "params": {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600,
        }});
        self.ask("POST", "/goog/cdp/execute", &metrics);
    }

    /// The page fits the width, and the browser has logged no errors.
    #[track_caller]
    pub(super) fn check(&self) {
        let wide = self.run("return [document.documentElement.scrollWidth, innerWidth];");
        assert!(
            wide[0].as_f64() <= wide[1].as_f64(),
            "it is too wide: {wide}"
        );
        let log = self.ask("POST", "/se/log", &json!({"type": "browser"}));
        let severe = |entry: &&Value| {
            entry["level"] == "SEVERE" && !entry["message"].to_string().contains("422")
        };
        let severe: Vec<&Value> = log
            .as_array()
            .into_iter()
            .flatten()
            .filter(severe)
            .collect();
        assert!(severe.is_empty(), "{severe:?}");
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let path = format!("/session/{}", self.session);
        let _ = self.try_ask("DELETE", &path, &Value::Null);
    }
}
