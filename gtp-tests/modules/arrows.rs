//! The table of modules, and violations of it.

use std::collections::{BTreeMap, BTreeSet};

use super::resolve::Use;
use super::source::Source;

/// Permitted uses of the modules and programs: `game`, or only a part of it, as `game::board`.
#[derive(Default)]
pub(super) struct Table {
    /// In the order of the table.
    pub(super) modules: Vec<String>,
    rows: BTreeMap<String, Row>,
}

#[derive(Default)]
struct Row {
    everywhere: BTreeSet<String>,
    in_tests: BTreeSet<String>,
}

impl Table {
    /// Reads the tables whose last column is `uses`, of modules (`module`) and of programs. Names in
    /// backticks may be used; those after `tests:`, by tests.
    pub(super) fn read(text: &str) -> Table {
        let mut table = Table::default();
        let mut kind = None;
        for line in text.lines() {
            let Some(row) = line.strip_prefix('|') else {
                kind = None;
                continue;
            };
            let cells: Vec<&str> = row.trim_end().trim_end_matches('|').split('|').collect();
            let (first, last) = (cells[0].trim(), cells[cells.len() - 1].trim());
            if last == "uses" {
                kind = Some(first);
            }
            let name = first.trim_matches('`');
            if kind.is_none() || name == first {
                continue;
            }
            let (everywhere, in_tests) = last.split_once("tests:").unwrap_or((last, ""));
            let row = Row {
                everywhere: in_backticks(everywhere),
                in_tests: in_backticks(in_tests),
            };
            if kind == Some("module") {
                table.modules.push(name.to_owned());
            }
            let twice = table.rows.insert(name.to_owned(), row);
            assert!(twice.is_none(), "{name} has two rows");
        }
        table
    }

    /// Uses that are not listed, listed uses that do not occur, and modules listed above one that
    /// they use.
    pub(super) fn check(&self, source: &Source) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut needed = BTreeSet::new();
        for arrow in source.uses() {
            let (module, other) = (top_module_of(arrow.user), top_module_of(arrow.used));
            if module == other || module == ROOT {
                continue;
            }
            match self.rows.get(module).map(|row| row.allows(&arrow)) {
                Some(Some(listed)) => {
                    needed.insert((module, listed));
                }
                Some(None) => {
                    wrong.push(format!("{arrow}: `{module}` may not use `{other}` there"))
                }
                None => wrong.push(format!("{arrow}: `{module}` is not in the table")),
            }
        }
        for (module, row) in &self.rows {
            for listed in row.everywhere.union(&row.in_tests) {
                if !needed.contains(&(module.as_str(), listed)) {
                    wrong.push(format!(
                        "`{module}` is listed as using `{listed}`, but does not"
                    ));
                }
            }
        }
        wrong.extend(self.upside_down());
        wrong
    }

    fn upside_down(&self) -> Vec<String> {
        let place = |module: &str| self.modules.iter().position(|known| known == module);
        let mut wrong = Vec::new();
        for (below, module) in self.modules.iter().enumerate() {
            for listed in &self.rows[module].everywhere {
                let used = listed.split(':').next().unwrap_or_default();
                if place(used).is_none_or(|above| above >= below) {
                    wrong.push(format!(
                        "`{module}` uses `{listed}`, which is not further up"
                    ));
                }
            }
        }
        wrong
    }
}

impl Row {
    /// The entry that permits this use.
    fn allows(&self, arrow: &Use<'_>) -> Option<&String> {
        let module = module_of(arrow.used);
        let allows = |listed: &&String| {
            let rest = module.strip_prefix(listed.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with("::"))
        };
        let everywhere = self.everywhere.iter().find(allows);
        everywhere.or_else(|| {
            self.in_tests
                .iter()
                .find(allows)
                .filter(|_| arrow.mention.test)
        })
    }
}

fn in_backticks(text: &str) -> BTreeSet<String> {
    let quoted = text.split('`').skip(1).step_by(2);
    quoted.map(str::to_owned).collect()
}

/// The module that only joins the others.
const ROOT: &str = "lib";

/// The module or program that a file belongs to.
fn top_module_of(file: &str) -> &str {
    let below = file.strip_prefix("src/").expect("sources lie in src");
    let below = below.strip_prefix("bin/").unwrap_or(below);
    let module = below.split(['/', '.']).next().unwrap_or(below);
    match module {
        "main" | "cli" => "tengen",
        module => module,
    }
}

/// `game::board` for `src/game/board.rs`.
fn module_of(file: &str) -> String {
    let below = file.strip_prefix("src/").expect("sources lie in src");
    let below = below.strip_suffix(".rs").unwrap_or(below);
    below
        .strip_suffix("/mod")
        .unwrap_or(below)
        .replace('/', "::")
}
