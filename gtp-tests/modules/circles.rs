//! Files that use each other, directly or indirectly.

use std::collections::{BTreeMap, BTreeSet};

use super::resolve::Use;
use super::source::Source;

/// Each cycle as the uses that form it, one for each pair of files. Only code that is not for tests
/// alone counts.
pub(super) fn find(source: &Source) -> Vec<String> {
    let mut uses: BTreeMap<(&str, &str), Use<'_>> = BTreeMap::new();
    for arrow in source.uses() {
        if !arrow.mention.test && !arrow.of_a_facade {
            uses.entry((arrow.user, arrow.used)).or_insert(arrow);
        }
    }
    let users: BTreeSet<&str> = uses.keys().map(|(user, _)| *user).collect();
    let reached: BTreeMap<&str, BTreeSet<&str>> = users
        .iter()
        .map(|user| (*user, all_used(user, &uses)))
        .collect();
    let meet = |a: &str, b: &str| {
        reached[a].contains(b) && reached.get(b).is_some_and(|used| used.contains(a))
    };
    let mut circles = Vec::new();
    let mut told: BTreeSet<&str> = BTreeSet::new();
    for first in users {
        if !meet(first, first) || told.contains(first) {
            continue;
        }
        told.extend(reached[first].iter().filter(|other| meet(first, other)));
        let within = uses
            .values()
            .filter(|arrow| meet(first, arrow.user) && meet(first, arrow.used));
        let lines: Vec<String> = within.map(Use::to_string).collect();
        circles.push(lines.join("\n"));
    }
    circles
}

/// Everything that a file uses, directly and indirectly.
fn all_used<'a>(file: &'a str, uses: &BTreeMap<(&'a str, &'a str), Use<'a>>) -> BTreeSet<&'a str> {
    let mut found = BTreeSet::new();
    let mut open = vec![file];
    while let Some(user) = open.pop() {
        for ((_, used), _) in uses
            .range((user, "")..)
            .take_while(|((other, _), _)| *other == user)
        {
            if found.insert(*used) {
                open.push(used);
            }
        }
    }
    found
}
