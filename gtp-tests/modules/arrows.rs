//! The order of modules, and uses against it.

use std::collections::BTreeMap;

use super::source::Source;

/// The modules of each package, as in the tables of ARCHITECTURE.md with the package's folder as the heading of
/// their first column. A module may use those above it.
pub(super) fn order(text: &str) -> BTreeMap<String, Vec<String>> {
    let mut tables = BTreeMap::<String, Vec<String>>::new();
    let mut package = None;
    for line in text.lines() {
        let Some(name) = line
            .strip_prefix("| `")
            .and_then(|row| row.split('`').next())
        else {
            if !line.starts_with('|') {
                package = None;
            }
            continue;
        };
        match (&package, name.strip_prefix("src/")) {
            (None, Some(folder)) => package = Some(folder.to_owned()),
            (Some(package), _) => {
                let modules = tables.entry(package.clone()).or_default();
                modules.push(name.to_owned());
            }
            (None, None) => {}
        }
    }
    tables
}

/// Uses of a module further down, or of one that is not in the table; tests may use anything.
pub(super) fn upward(source: &Source, order: &BTreeMap<String, Vec<String>>) -> Vec<String> {
    let mut wrong = Vec::new();
    for arrow in source.uses() {
        let (Some(user), Some(used)) = (module_of(arrow.user), module_of(arrow.used)) else {
            continue;
        };
        if user == used || arrow.mention.test {
            continue;
        }
        let place = |(package, module): (&str, &str)| {
            let modules = order.get(package)?;
            modules.iter().position(|known| known == module)
        };
        match (place(user), place(used)) {
            (Some(user), Some(used)) if used < user => {}
            (Some(_), Some(_)) => wrong.push(format!("{arrow}, which is further down")),
            _ => wrong.push(format!("{arrow}: one of them is not in the table")),
        }
    }
    wrong
}

/// The package and the top module of a file of a library; `None` for `lib.rs` and for programs.
fn module_of(file: &str) -> Option<(&str, &str)> {
    let (package, rest) = file.strip_prefix("src/")?.split_once('/')?;
    let module = rest.split(['/', '.']).next()?;
    (!["lib", "main", "bin", "cli"].contains(&module)).then_some((package, module))
}
