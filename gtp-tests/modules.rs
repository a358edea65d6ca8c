//! A module uses only modules further up in ARCHITECTURE.md's tables, and files do not form cycles.
//! Between packages Cargo keeps the order.
//!
//! A file *uses* another when a path in it leads to something that is defined there, in a `use`
//! line or anywhere else, across any number of re-exports. Two things do not count: that a file
//! declares its children (`mod child;`), and that it re-exports their names (`pub use
//! child::Name;`). So a `mod.rs` may be above its children or below them, but not both: one that
//! contains what its children share does not call them, and one that calls them contains nothing
//! that they need. Methods are called without a path, so uses through a value are not seen, and
//! `impl` blocks of one type may be in several files. Code for tests may use anything.

mod arrows;
mod circles;
mod resolve;
mod source;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use source::Source;

use crate::scratch::Scratch;

const CRATES: [&str; 8] = [
    "src/nn/lib.rs",
    "src/tengen/lib.rs",
    "src/tengen/main.rs",
    "src/tengen/bin/tengen-match/main.rs",
    "src/train/lib.rs",
    "src/train/main.rs",
    "src/lab/lib.rs",
    "src/lab/main.rs",
];

fn repository() -> &'static Path {
    Path::new(crate::REPOSITORY)
}

#[test]
fn modules_use_only_modules_further_up() {
    let order = arrows::order(&text("src/ARCHITECTURE.md"));
    let modules: usize = order.values().map(Vec::len).sum();
    assert!(modules > 35, "{order:?}");
    let wrong = arrows::upward(&Source::read(repository(), &CRATES), &order);
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
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
        ("src/some/lib.rs", "mod ground;\nmod middle;\nmod top;"),
        (
            "src/some/ground.rs",
            "pub struct Stone;\npub fn lay() -> crate::top::Roof { todo!() }",
        ),
        (
            "src/some/middle/mod.rs",
            "//! Hands on, and is used: [`crate::top`].\nmod a;\nmod b;\npub use a::{A, a};\npub struct Shared;",
        ),
        (
            "src/some/middle/a.rs",
            "use super::{Shared, b::B};\npub struct A(B, Shared);\npub fn a() {}",
        ),
        (
            "src/some/middle/b.rs",
            "use crate::ground::Stone;\npub struct B(Stone);\nfn b() {\n    super::a();\n}\n\
             #[cfg(test)]\nmod tests {\n    use crate::top::Roof;\n}",
        ),
        (
            "src/some/top.rs",
            "use crate::middle::A;\npub struct Roof(A);\n// crate::ground::Stone\n",
        ),
    ];
    let root = Scratch::new("modules");
    fs::create_dir_all(root.join("src/some/middle")).expect("the folder is writable");
    for (name, text) in files {
        fs::write(root.join(name), text).expect("the folder is writable");
    }
    Source::read(&root, &["src/some/lib.rs"])
}

#[test]
fn planted_dependencies_and_cycles_are_found() {
    let source = planted();
    let table =
        "| `src/some` | contents |\n|---|---|\n| `ground` | stones |\n| `middle` | walls |\n";
    let order = arrows::order(&format!("{table}| `top` | a roof |\n\n| `other` |"));
    assert_eq!(order["some"], ["ground", "middle", "top"]);
    assert_eq!(
        arrows::upward(&source, &order),
        [
            "src/some/ground.rs:2: `crate::top::Roof` leads to src/some/top.rs, which is further down"
        ]
    );
    assert_eq!(
        arrows::upward(&source, &arrows::order(table)).len(),
        3,
        "`top` is in no table"
    );
    assert_eq!(
        circles::find(&source),
        [
            "src/some/ground.rs:2: `crate::top::Roof` leads to src/some/top.rs\n\
          src/some/middle/a.rs:1: `super::b::B` leads to src/some/middle/b.rs\n\
          src/some/middle/b.rs:1: `crate::ground::Stone` leads to src/some/ground.rs\n\
          src/some/middle/b.rs:4: `super::a` leads to src/some/middle/a.rs\n\
          src/some/top.rs:1: `crate::middle::A` leads to src/some/middle/a.rs"
        ]
    );
}
