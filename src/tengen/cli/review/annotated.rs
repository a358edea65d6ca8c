//! A review as SGF: its judgements as comments, better lines as variations, beside all that the file has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use tengen::game::BoardSize;
use tengen::gtp::parse_vertex;
use tengen::record::sgf::{self, SgfNode, read_tree, write_tree};
use tengen::record::{GameRecord, Play, file};

use super::facts::{Class, Position, Review};
use super::pages::{places, write};
use super::text::rules;

/// Start of the comment on a game that was reviewed.
const MARK: &str = "Reviewed by Tengen";

/// The files of a review.
pub(super) struct AnnotatedGames(HashMap<PathBuf, PathBuf>);

impl AnnotatedGames {
    /// Decides where each game goes: a path for one game, a folder for several.
    ///
    /// # Errors
    /// If a file that is not from an earlier review is in the way, unless `force` is set, or the
    /// folder cannot be made.
    pub(super) fn open(
        path: &Path,
        files: &[PathBuf],
        force: bool,
    ) -> anyhow::Result<AnnotatedGames> {
        let (paths, _) = places(path, files, &["sgf"])?;
        for path in paths.values() {
            ensure!(
                force || !path.exists() || is_ours(path),
                "{} is not from an earlier review: choose another place, or replace it with --force",
                path.display()
            );
        }
        Ok(AnnotatedGames(paths))
    }

    /// Writes a game.
    pub(super) fn add(
        &self,
        file: &Path,
        record: &GameRecord,
        review: &Review,
    ) -> anyhow::Result<()> {
        let path = self.0.get(file).context("a file has a place")?;
        let whole = file::read_text(file).unwrap_or_default();
        write(path, &text(record, review, &whole))
    }
}

/// Whether a file is from an earlier review.
fn is_ours(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).contains(MARK)
}

/// The game as SGF, with all that is in `whole`, if that is the text of its file.
pub(in crate::cli) fn text(record: &GameRecord, review: &Review, whole: &str) -> String {
    let (mut nodes, plays) = nodes_of(record, whole).unwrap_or_else(|| bare_nodes(record));
    for (number, &at) in plays.iter().enumerate() {
        let node = &mut nodes[at];
        node.comment = joined(&node.comment, &comment(review, number));
    }
    for position in &review.positions {
        let (Some(&at), Some(judged)) = (plays.get(position.moves), &position.played) else {
            continue;
        };
        add_line(&mut nodes, at, record.size, &judged.better);
    }
    for position in &review.positions {
        let before = position.moves.checked_sub(1);
        let at = before.map_or(Some(0), |last| plays.get(last).copied());
        // A root that has kept nothing of a file gets a beginning of its own.
        let at = at.filter(|&at| at > 0 || !nodes[at].others.is_empty());
        if let (Some(at), Some(share)) = (at, position.winrate) {
            sgf::add_winrate(&mut nodes[at].others, share);
        }
    }
    let about = format!(
        "{MARK} {}: {} a position, {}{}",
        review.settings.version,
        review.settings.search,
        review.settings.network,
        rules(&review.game)
    );
    let annotated = GameRecord {
        comment: joined(&record.comment, &about),
        ..record.clone()
    };
    write_tree(&annotated, &nodes)
}

/// The nodes of a text, and those with the plays of the game; `None` if these are others.
fn nodes_of(record: &GameRecord, whole: &str) -> Option<(Vec<SgfNode>, Vec<usize>)> {
    let nodes = read_tree(whole).ok()?.nodes;
    let mut first_child = vec![None; nodes.len()];
    for (at, node) in nodes.iter().enumerate().skip(1) {
        first_child[node.parent].get_or_insert(at);
    }
    let line = std::iter::successors(Some(0), |&at| first_child[at]);
    let plays: Vec<usize> = line
        .filter(|&at: &usize| nodes[at].play.is_some())
        .collect();
    let found = plays.iter().filter_map(|&at| nodes[at].play);
    let same = found.eq(record.plays.iter().map(|recorded| recorded.play));
    same.then_some((nodes, plays))
}

/// The nodes of a game without a file, and those with its plays.
fn bare_nodes(record: &GameRecord) -> (Vec<SgfNode>, Vec<usize>) {
    let plays = record.plays.iter().enumerate();
    let nodes = plays.map(|(number, recorded)| SgfNode {
        parent: number,
        play: Some(recorded.play),
        comment: recorded.comment.clone(),
        ..SgfNode::default()
    });
    let nodes: Vec<SgfNode> = std::iter::once(SgfNode::default()).chain(nodes).collect();
    let plays = (1..nodes.len()).collect();
    (nodes, plays)
}

/// Two comments, of which either may be empty.
fn joined(one: &str, other: &str) -> String {
    let both = [one, other].into_iter().filter(|text| !text.is_empty());
    both.collect::<Vec<_>>().join("\n\n")
}

/// A better line, as a variation of the node `played`.
fn add_line(nodes: &mut Vec<SgfNode>, played: usize, size: BoardSize, line: &[String]) {
    let Some(mut color) = nodes[played].play.map(|play| play.color) else {
        return;
    };
    let mut parent = nodes[played].parent;
    for at in line {
        let Ok(vertex) = parse_vertex(at, size) else {
            return;
        };
        nodes.push(SgfNode {
            parent,
            play: Some(Play { color, vertex }),
            ..SgfNode::default()
        });
        parent = nodes.len() - 1;
        color = color.opponent();
    }
}

/// What the review says of the move after this many others.
fn comment(review: &Review, number: usize) -> String {
    let at = |moves| review.positions.iter().find(|found| found.moves == moves);
    let mut lines = Vec::new();
    let judged = at(number).and_then(|before| before.played.as_ref());
    if let Some(judged) = judged
        && let Some(class) = judged.class
    {
        let mut line = class.name().to_owned();
        if let (Some(loss), true) = (judged.loss, class != Class::ThrownAway) {
            line += &format!(": loses {:.1}%", 100.0 * loss);
            if let Some(points) = judged.points {
                line += &format!(" and {points:.1} points");
            }
        }
        if !judged.better.is_empty() {
            line += &format!("; better {}", judged.better.join(" "));
        }
        lines.push(line);
    }
    if let Some(after) = at(number + 1) {
        lines.extend(value(after));
    }
    lines.join("\n")
}

/// How a position stands.
fn value(position: &Position) -> Option<String> {
    if let Some(winner) = position.winner {
        return Some(format!("{} wins, proven", winner.capital()));
    }
    let mut text = format!("Black's winrate {:.1}%", 100.0 * position.winrate?);
    if let Some(lead) = position.lead {
        let ahead = if lead < 0.0 { "White" } else { "Black" };
        text += &format!(", {} ahead by {:.1}", ahead, lead.abs());
    }
    Some(text)
}
