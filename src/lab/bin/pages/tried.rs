//! The page of what did not help.

use std::fmt::Write as _;

use super::records::{Records, Topic};

const HEAD: &str = "\
# What did not help

Ideas that were tried and measured without a gain, so that they are not tried again the same way. Where an interval
contains 50% the idea is undecided, and a longer match is welcome. Made by `tengen-lab pages` from
[`docs/results/tried.toml`](results/tried.toml).
";

/// Ideas without a gain, by topic, newest first.
pub(super) fn page(records: &Records) -> String {
    let mut text = HEAD.to_owned();
    for topic in Topic::ALL {
        let mut of_topic = records
            .tried
            .iter()
            .filter(|tried| tried.topic == topic)
            .peekable();
        if of_topic.peek().is_none() {
            continue;
        }
        // Writing into a string cannot fail.
        let _ = write!(text, "\n## {}\n\n", topic.title());
        for tried in of_topic {
            let _ = writeln!(
                text,
                "- **{}**: {} ({})",
                tried.idea, tried.result, tried.date
            );
        }
    }
    text
}
