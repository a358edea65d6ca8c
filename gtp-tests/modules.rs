//! The dependencies between modules are those of `modules/uses.md`: every top-level module uses only
//! the modules that its row of the table names, and files do not form cycles.
//!
//! A file *uses* another when a path in it leads to something that is defined there, in a `use`
//! line or anywhere else, across any number of re-exports. Two things do not count: that a file
//! declares its children (`mod child;`), and that it re-exports their names (`pub use
//! child::Name;`). So a `mod.rs` may be above its children or below them, but not both: one that
//! contains what its children share does not call them, and one that calls them contains nothing
//! that they need. Methods are called without a path, so uses through a value are not seen, and
//! `impl` blocks of one type may be in several files. Code for tests may use anything inside its
//! module.

mod arrows;
mod circles;
mod resolve;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use source::Source;

/// The library comes first: the programs use it.
const CRATES: [&str; 4] = [
    "src/lib.rs",
    "src/main.rs",
    "src/bin/tengen-match/main.rs",
    "src/bin/tengen-train/main.rs",
];

fn repository() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

#[test]
fn modules_use_only_what_their_table_allows() {
    let source = Source::read(repository(), &CRATES);
    let table = arrows::Table::read(&text("gtp-tests/modules/uses.md"));
    assert!(table.modules.len() > 15, "{} modules", table.modules.len());
    let wrong = table.check(&source);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_architecture_describes_the_modules_in_their_order() {
    let table = arrows::Table::read(&text("gtp-tests/modules/uses.md"));
    let architecture = text("src/ARCHITECTURE.md");
    let (_, rows) = architecture
        .split_once("| module | contents |")
        .expect("a table");
    let rows = rows.lines().skip(2).take_while(|line| !line.is_empty());
    let described: Vec<&str> = rows.filter_map(|row| row.split('`').nth(1)).collect();
    assert_eq!(described, table.modules);
}

fn text(file: &str) -> String {
    fs::read_to_string(repository().join(file)).expect("text")
}

#[test]
fn files_have_no_cyclic_dependencies() {
    let circles = circles::find(&Source::read(repository(), &CRATES));
    assert!(circles.is_empty(), "\n{}", circles.join("\n\n"));
}

/// Files without a `mod` line are ignored, also by the compiler.
#[test]
fn every_file_belongs_to_a_crate() {
    let mut files = Vec::new();
    crate::portable::rust_files(&repository().join("src"), &mut files);
    let source = Source::read(repository(), &CRATES);
    let read: BTreeSet<&str> = source
        .modules
        .iter()
        .map(|module| module.file.as_str())
        .collect();
    for path in files {
        let name = path.strip_prefix(repository()).expect("it lies below");
        let name = name.display().to_string().replace('\\', "/");
        assert!(read.contains(name.as_str()), "{name} is in no crate");
    }
}

/// A tree of three modules with the cases that must be found, and similar ones that must not.
fn planted() -> Source {
    let files = [
        ("src/lib.rs", "mod ground;\nmod middle;\nmod top;"),
        (
            "src/ground.rs",
            "pub struct Stone;\npub fn lay() -> crate::top::Roof { todo!() }",
        ),
        (
            "src/middle/mod.rs",
            "//! Hands on, and is used: [`crate::top`].\nmod a;\nmod b;\npub use a::{A, a};\npub struct Shared;",
        ),
        (
            "src/middle/a.rs",
            "use super::{Shared, b::B};\npub struct A(B, Shared);\npub fn a() {}",
        ),
        (
            "src/middle/b.rs",
            "use crate::ground::Stone;\npub struct B(Stone);\nfn b() {\n    super::a();\n}\n\
             #[cfg(test)]\nmod tests {\n    use crate::top::Roof;\n}",
        ),
        (
            "src/top.rs",
            "use crate::middle::A;\npub struct Roof(A);\n// crate::ground::Stone\n",
        ),
    ];
    let root = std::env::temp_dir().join(format!("tengen-modules-{}", std::process::id()));
    fs::create_dir_all(root.join("src/middle")).expect("the folder is writable");
    for (name, text) in files {
        fs::write(root.join(name), text).expect("the folder is writable");
    }
    let source = Source::read(&root, &["src/lib.rs"]);
    fs::remove_dir_all(&root).expect("it is ours");
    source
}

const PLANTED_TABLE: &str = "\
| module | contents | uses |
|---|---|---|
| `ground` | stones | `middle` |
| `middle` | walls | `ground`; tests: `top` |
| `top` | a roof | `ground`, `middle::b` |";

#[test]
fn planted_dependencies_and_cycles_are_found() {
    let source = planted();
    assert_eq!(
        arrows::Table::read(PLANTED_TABLE).check(&source),
        [
            "src/ground.rs:2: `crate::top::Roof` leads to src/top.rs: `ground` may not use `top` there",
            "src/top.rs:1: `crate::middle::A` leads to src/middle/a.rs: `top` may not use `middle` there",
            "src/top.rs:2: `A` leads to src/middle/a.rs: `top` may not use `middle` there",
            "`ground` is listed as using `middle`, but does not",
            "`top` is listed as using `ground`, but does not",
            "`top` is listed as using `middle::b`, but does not",
            "`ground` uses `middle`, which is not further up",
        ]
    );
    assert_eq!(
        circles::find(&source),
        ["src/ground.rs:2: `crate::top::Roof` leads to src/top.rs\n\
          src/middle/a.rs:1: `super::b::B` leads to src/middle/b.rs\n\
          src/middle/b.rs:1: `crate::ground::Stone` leads to src/ground.rs\n\
          src/middle/b.rs:4: `super::a` leads to src/middle/a.rs\n\
          src/top.rs:1: `crate::middle::A` leads to src/middle/a.rs"]
    );
}
