//! Tables of scores by plies, for both kinds of positions.

use serde::Serialize;
use tengen_train::command::print;

/// Writes a report to the standard output, as JSON or as text.
pub(crate) fn print_report<R: Serialize>(
    report: &R,
    json: bool,
    text: impl FnOnce(&R) -> String,
) -> anyhow::Result<()> {
    Ok(print(&match json {
        true => serde_json::to_string(report)?,
        false => text(report),
    })?)
}

/// A score for each group of plies with answers, then a total, for either source of answers.
pub(crate) fn by_plies<A: Copy, S>(
    answers: [(&'static str, &[A]); 2],
    band: usize,
    ply: impl Fn(&A) -> usize,
    score: impl Fn(&'static str, &[A]) -> Option<S>,
) -> Vec<S> {
    let mut scores = Vec::new();
    for (by, answers) in answers {
        let mut bands: Vec<usize> = answers.iter().map(|answer| ply(answer) / band).collect();
        bands.sort_unstable();
        bands.dedup();
        for wanted in bands {
            let inside = answers.iter().filter(|answer| ply(answer) / band == wanted);
            scores.extend(score(by, &inside.copied().collect::<Vec<A>>()));
        }
        scores.extend(score(by, answers));
    }
    scores
}

/// A table as text: title, column titles and rows.
pub(crate) fn table(title: String, heads: &str, rows: impl Iterator<Item = String>) -> String {
    let lines: Vec<String> = [title, heads.to_owned()].into_iter().chain(rows).collect();
    lines.join("\n")
}
