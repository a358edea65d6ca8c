//! The files of the page, which are part of the program: served one by one, or combined into a
//! single file that needs no server.

use std::borrow::Cow;

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const JS: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

const PAGE: &str = include_str!("page/index.html");
/// The style of the page.
pub const STYLE: &str = include_str!("page/style.css");

/// Modules in both forms of the page, each after those that it uses.
const SHARED: &[(&str, &str)] = &[
    ("dom.js", include_str!("page/dom.js")),
    ("words.js", include_str!("page/words.js")),
    ("names.js", include_str!("page/names.js")),
    ("gametree.js", include_str!("page/gametree.js")),
    ("store.js", include_str!("page/store.js")),
    ("result.js", include_str!("page/result.js")),
    ("heard.js", include_str!("page/heard.js")),
    ("board.js", include_str!("page/board.js")),
    ("graph.js", include_str!("page/graph.js")),
    ("tree.js", include_str!("page/tree.js")),
    ("panels.js", include_str!("page/panels.js")),
    ("book.js", include_str!("page/book.js")),
    ("review.js", include_str!("page/review.js")),
    ("learn.js", include_str!("page/learn.js")),
    ("edit.js", include_str!("page/edit.js")),
    ("picture.js", include_str!("page/picture.js")),
    ("keys.js", include_str!("page/keys.js")),
    ("app.js", include_str!("page/app.js")),
    ("replay.js", include_str!("page/replay.js")),
];

/// Modules of the served page only.
const SERVED: &[(&str, &str)] = &[
    ("live.js", include_str!("page/live.js")),
    ("dialog.js", include_str!("page/dialog.js")),
    ("start.js", include_str!("page/start.js")),
    ("watch.js", include_str!("page/watch.js")),
];

/// Module of the single-file page only.
const LOCAL: (&str, &str) = ("local.js", include_str!("page/local.js"));

/// The module that the page names as its start.
const START: &str = "start.js";

/// Content type and text of a file; the page begins with this module.
pub(super) fn find(name: &str, start: &str) -> Option<(&'static str, Cow<'static, str>)> {
    match name {
        "" => return Some((HTML, PAGE.replace(START, start).into())),
        "style.css" => return Some((CSS, STYLE.into())),
        "icon.svg" => return Some((SVG, include_str!("page/icon.svg").into())),
        _ => {}
    }
    let mut modules = SHARED.iter().chain(SERVED);
    let found = modules.find(|(own, _)| *own == name);
    found.map(|(_, text)| (JS, (*text).into()))
}

/// The body of the page.
pub fn body() -> &'static str {
    let (_, rest) = PAGE.split_once("<body>").unwrap_or_default();
    rest.split_once("</body>").unwrap_or_default().0
}

/// The modules of a single-file page as one script: each becomes a function that returns the
/// module's exports.
pub fn file_script() -> String {
    let modules = SHARED.iter().chain([&LOCAL]);
    modules.map(|(name, text)| wrapped(name, text)).collect()
}

fn wrapped(name: &str, text: &str) -> String {
    let mut body = String::new();
    let mut exports = Vec::new();
    for line in text.lines() {
        let imported = line
            .strip_prefix("import ")
            .and_then(|rest| rest.strip_suffix("\";"))
            .and_then(|rest| rest.split_once(" from \"./"));
        let line = match (imported, line.strip_prefix("export ")) {
            (Some((names, from)), _) => {
                let names = names.strip_prefix("* as ").unwrap_or(names);
                let names = names.replace(" as ", ": ");
                format!("const {names} = {};", variable(from))
            }
            (None, Some(exported)) => {
                exports.extend(declared(exported));
                exported.to_owned()
            }
            (None, None) => line.to_owned(),
        };
        body.push_str(&line);
        body.push('\n');
    }
    let exports = exports.join(", ");
    format!(
        "const {} = (() => {{\n{body}return {{ {exports} }};\n}})();\n",
        variable(name)
    )
}

/// The name declared by a declaration.
fn declared(declaration: &str) -> Option<&str> {
    let mut words = declaration.split(|c: char| !(c.is_alphanumeric() || "_$".contains(c)));
    words.find(|word| !["async", "function", "const", "let"].contains(word))
}

/// The variable for a module's exports.
fn variable(module: &str) -> String {
    format!("module_{}", module.trim_end_matches(".js"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_become_functions() {
        let text = "import { a, b as c } from \"./dom.js\";\nimport * as tree from \"./tree.js\";\n\
                    export const X = a;\nexport async function f(y) {}\nlet z = 1;";
        let expected = "const module_one = (() => {\nconst { a, b: c } = module_dom;\n\
                        const tree = module_tree;\nconst X = a;\nasync function f(y) {}\nlet z = 1;\n\
                        return { X, f };\n})();\n";
        assert_eq!(wrapped("one.js", text), expected);
    }

    /// A module's imports come before it, and nothing is loaded from elsewhere.
    #[test]
    fn everything_that_is_imported_is_there_and_local() {
        let script = file_script();
        assert!(
            !script.contains("import ") && !script.contains("\nexport "),
            "{script}"
        );
        for (name, text) in SHARED.iter().chain(SERVED).chain([&LOCAL]) {
            let imports = text.lines().filter(|line| line.starts_with("import "));
            for line in imports {
                let from = line
                    .split('"')
                    .nth(1)
                    .expect("a path")
                    .trim_start_matches("./");
                let known = SHARED.iter().chain(SERVED).any(|(own, _)| *own == from);
                assert!(known, "{name}: {line}");
                let before = |name| script.find(&format!("const {} = (", variable(name)));
                if SHARED.iter().any(|(own, _)| own == name) {
                    assert!(before(from) < before(name), "{name} stands before {from}");
                }
            }
        }
        for text in [PAGE, STYLE, &script] {
            for far in ["http://", "https://", "//cdn", "@import", "url(http"] {
                let found = text.replace("http://www.w3.org/2000/svg", "");
                assert!(!found.contains(far), "{far}");
            }
        }
        assert!(body().contains("id=\"board\"") && !body().contains("<script"));
    }
}
