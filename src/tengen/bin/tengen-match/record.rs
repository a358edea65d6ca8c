//! The record that every match leaves in its folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result};
use tengen::program::counted;
use tengen::record::today;
use tengen::referee::{MatchRecord, MatchReport, results};
use tengen::system;

use crate::session::RESULTS;

/// The file in the folder of a match.
const RECORD: &str = "record.toml";

/// Writes `record.toml` into the folder of a match, one table for each pair of engines.
pub(crate) fn keep(out: &Path, reports: &[MatchReport]) -> Result<()> {
    let (terms, _) = results::read(&out.join(RESULTS))?;
    let date = today();
    let several = reports.len() > 1;
    let program = std::env::current_exe().ok();
    let commit = program.and_then(|program| commit(program.parent()?));
    let machine = machine();
    let words: Vec<String> = std::env::args_os()
        .map(|word| quoted(&word.to_string_lossy()))
        .collect();
    let matches = reports.iter().map(|report| MatchRecord {
        id: id(out, &date, several.then_some(report)),
        date: date.clone(),
        commit: commit.clone(),
        machine: machine.clone(),
        command: Some(words.join(" ")),
        ..MatchRecord::new(&terms, report)
    });
    // As in the files of `docs/results/`.
    let matches = BTreeMap::from([("match", matches.collect::<Vec<_>>())]);
    let path = out.join(RECORD);
    let text = toml::to_string_pretty(&matches).context("the record of the match")?;
    fs::write(&path, text).with_context(|| path.display().to_string())
}

/// The folder's name and the date, and the engines if there were several meetings.
fn id(out: &Path, date: &str, meeting: Option<&MatchReport>) -> String {
    let folder = out.file_name().unwrap_or_default().to_string_lossy();
    match meeting {
        Some(report) => format!(
            "{folder}-{}-{}-{date}",
            report.engines[0], report.engines[1]
        ),
        None => format!("{folder}-{date}"),
    }
}

/// The commit of the checkout of Tengen that this folder is in.
fn commit(folder: &Path) -> Option<String> {
    let asked = Command::new("git")
        .current_dir(folder)
        // Another repository has no such folder.
        .args(["rev-parse", "HEAD", "HEAD:src/tengen/bin/tengen-match"])
        .output()
        .ok()?;
    let hashes = String::from_utf8(asked.stdout).ok()?;
    asked
        .status
        .success()
        .then(|| hashes.chars().take(8).collect())
}

/// The processor's name on Linux, its architecture elsewhere, and its number of threads.
fn machine() -> String {
    let threads = counted(system::processors(), "thread");
    let told = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = told
        .lines()
        .find_map(|line| line.strip_prefix("model name"));
    let name = name.map_or(std::env::consts::ARCH, |rest| {
        rest.trim_start_matches([' ', '\t', ':'])
    });
    format!("{name}, {threads}")
}

/// A word of a command line, quoted for a shell, or for the console of Windows.
pub(crate) fn quoted(word: &str) -> String {
    quoted_for(cfg!(windows), word)
}

fn quoted_for(windows: bool, word: &str) -> String {
    let own = if windows { r"\" } else { "%" };
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@".contains(c) || own.contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    if windows {
        // Backslashes quote each other and the mark only before a quotation mark, of which the last follows the word.
        let quotable = word.split('"').map(|part| {
            let last = part.len() - part.trim_end_matches('\\').len();
            format!("{part}{}", r"\".repeat(last))
        });
        let quotable: Vec<String> = quotable.collect();
        return format!("\"{}\"", quotable.join(r#"\""#));
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen_nn::files::scratch::Scratch;

    #[test]
    fn the_commit_of_another_repository_is_not_named() {
        let scratch = Scratch::new("match-commit");
        for words in [
            "init --quiet",
            "-c user.name=a -c user.email=a@b commit --quiet --allow-empty --message=a",
        ] {
            let mut git = Command::new("git");
            let _ = git
                .current_dir(scratch.path())
                .args(words.split(' '))
                .status();
        }
        assert_eq!(commit(scratch.path()), None);
    }

    #[test]
    fn words_are_quoted_where_a_shell_would_split_them() {
        let quoted = |word| quoted_for(false, word);
        assert_eq!(quoted("--games"), "--games");
        assert_eq!(quoted("tengen gtp"), "'tengen gtp'");
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
        let quoted = |word| quoted_for(true, word);
        assert_eq!(quoted(r"runs\sprt"), r"runs\sprt");
        assert_eq!(quoted(r"'C:\a b\c.exe' gtp"), r#""'C:\a b\c.exe' gtp""#);
        assert_eq!(quoted(r#"a "b" c\"#), r#""a \"b\" c\\""#);
        assert_eq!(quoted(r#"C:\a \"b"#), r#""C:\a \\\"b""#);
    }

    #[test]
    fn a_date_is_a_date() {
        let parts: Vec<usize> = today().split('-').map(str::len).collect();
        assert_eq!(parts, [4, 2, 2]);
    }
}
