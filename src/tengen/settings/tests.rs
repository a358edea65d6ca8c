#![allow(unreachable_pub, reason = "the macros are for public types")]

use super::{Choice, Maybe, Switch, Table, above};
use crate::clock::TimeParams;
use crate::engine::EngineOptions;
use crate::search::SearchParams;

crate::choices! {
    /// Words.
    Colour {
        /// One.
        Red = "red",
        /// Another.
        DarkBlue = "dark-blue",
    }
}

crate::settings! {
    /// A part.
    #[derive(Debug, Clone, PartialEq)]
    Part, "Part" {
        part_size: u8 = 3, 1..=5, "Size.";
    }
}

crate::settings! {
    /// A table with one setting of each kind.
    #[derive(Debug, Clone, PartialEq)]
    Example, "Example" {
        share: f32 = 0.5, 0.0..=1.0, "Share.", "a paper";
        long_name: f64 = 2.0, above(0.0), "Number.";
        threads: Option<usize> = None => "all", Maybe(1..), "Threads.";
        colour: Colour = Colour::Red, Choice, "Colour.";
        shown: bool = true, Switch, "Shown.";
    }
    tables {
        /// Its part.
        part: Part,
    }
}

#[test]
fn a_line_is_all_that_a_setting_needs() {
    let lines: Vec<String> = Example::settings()
        .iter()
        .map(|line| {
            format!(
                "{} {}: {} [{}]",
                line.title, line.name, line.allowed, line.default
            )
        })
        .collect();
    assert_eq!(
        lines,
        [
            "Example share: a number from 0 to 1 [0.5]",
            "Example long-name: a number above 0 [2]",
            "Example threads: a whole number from 1 [all]",
            "Example colour: red or dark-blue [red]",
            "Example shown: on or off [on]",
            "Part part-size: a whole number from 1 to 5 [3]",
        ]
    );
    assert_eq!(Example::settings()[0].source, "a paper");
}

#[test]
fn both_spellings_set_it() {
    let mut example = Example::default();
    for (name, value) in [
        ("long-name", "3"),
        ("long_name", "4"),
        ("threads", "2"),
        ("colour", "dark-blue"),
        ("shown", "false"),
        ("part_size", "5"),
    ] {
        example.set(name, value).expect(name);
    }
    let written: Vec<String> = example
        .values()
        .into_iter()
        .map(|(_, value)| value)
        .collect();
    assert_eq!(written, ["0.5", "4", "2", "dark-blue", "off", "5"]);
}

#[track_caller]
fn check_refused(name: &str, value: &str, message: &str) {
    let mut example = Example::default();
    let error = example.set(name, value).expect_err(name).to_string();
    assert_eq!(error, message);
    assert_eq!(example, Example::default());
}

#[test]
fn refusals_say_what_is_allowed() {
    check_refused(
        "share",
        "2",
        "share must be a number from 0 to 1, not \"2\"",
    );
    check_refused(
        "share",
        "nan",
        "share must be a number from 0 to 1, not \"nan\"",
    );
    check_refused(
        "long_name",
        "0",
        "long-name must be a number above 0, not \"0\"",
    );
    check_refused(
        "long-name",
        "inf",
        "long-name must be a number above 0, not \"inf\"",
    );
    check_refused(
        "colour",
        "blue",
        "colour must be red or dark-blue, not \"blue\"",
    );
    check_refused(
        "part-size",
        "6",
        "part-size must be a whole number from 1 to 5, not \"6\"",
    );
    check_refused(
        "part_siz",
        "1",
        "unknown setting \"part_siz\"; did you mean part-size?",
    );
    check_refused("x", "1", "unknown setting \"x\": --help lists all");
}

#[test]
fn values_from_files_are_checked() {
    let mut example = Example::default();
    assert_eq!(example.check(), Ok(()));
    example.part.part_size = 0;
    let error = example.check().expect_err("it is out of range").to_string();
    assert_eq!(
        error,
        "part-size must be a whole number from 1 to 5, not \"0\""
    );
    example.threads = Some(0);
    let error = example.check().expect_err("it is out of range").to_string();
    assert_eq!(error, "threads must be a whole number from 1, not \"0\"");
}

/// Defaults are allowed, have a help text, and survive being written and read.
fn check_table<T: Table + PartialEq + std::fmt::Debug>() {
    let usual = T::default();
    usual.check().expect("the defaults are allowed");
    let mut read = T::default();
    for (name, value) in usual.values() {
        read.set(name, &value).expect(name);
    }
    assert_eq!(read, usual);
    let lines = T::settings();
    assert!(lines.iter().all(|line| !line.help.is_empty()));
    let names: std::collections::HashSet<_> = lines.iter().map(|line| line.name).collect();
    assert_eq!(names.len(), lines.len(), "a name is used twice");
}

#[test]
fn every_table_is_sound() {
    check_table::<Example>();
    check_table::<SearchParams>();
    check_table::<TimeParams>();
    check_table::<EngineOptions>();
}
