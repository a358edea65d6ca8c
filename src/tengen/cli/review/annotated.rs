//! A review as SGF: its judgements as comments, better lines as variations, beside all that the file has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use tengen::game::BoardSize;
use tengen::gtp::parse_vertex;
use tengen::record::sgf::{self, SgfNode, read_tree, write_tree};
use tengen::record::{GameRecord, Play};

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
        whole: &str,
        review: &Review,
    ) -> anyhow::Result<()> {
        let path = self.0.get(file).context("a file has a place")?;
        let (nodes, line) = nodes_of(record, whole).unwrap_or_else(|| bare_nodes(record));
        write(path, &text(record, nodes, &line, review))
    }
}

/// Whether a file is from an earlier review.
fn is_ours(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).contains(MARK)
}

/// A game with all its nodes as SGF; `line` has those of the positions that were reviewed, the first one without a move.
pub(in crate::cli) fn text(
    record: &GameRecord,
    mut nodes: Vec<SgfNode>,
    line: &[usize],
    review: &Review,
) -> String {
    for (number, &at) in line.iter().skip(1).enumerate() {
        if let Some(node) = nodes.get_mut(at) {
            node.comment = joined(&node.comment, &comment(review, number));
        }
    }
    for position in &review.positions {
        if let (Some(&at), Some(judged)) = (line.get(position.moves + 1), &position.played) {
            add_line(&mut nodes, at, record.size, &judged.better);
        }
        let node = line.get(position.moves).and_then(|&at| nodes.get_mut(at));
        // A root that has kept nothing of a file gets a beginning of its own.
        let kept = node.filter(|node| node.play.is_some() || !node.others.is_empty());
        if let (Some(node), Some(share)) = (kept, position.winrate) {
            sgf::add_winrate(&mut node.others, share);
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

/// The nodes of a text, and the beginning and the plays of the game among them; `None` if these are others.
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
    same.then(|| (nodes, std::iter::once(0).chain(plays).collect()))
}

/// The same of a game without a file.
fn bare_nodes(record: &GameRecord) -> (Vec<SgfNode>, Vec<usize>) {
    let plays = record.plays.iter().enumerate();
    let nodes = plays.map(|(number, recorded)| SgfNode {
        parent: number,
        play: Some(recorded.play),
        comment: recorded.comment.clone(),
        ..SgfNode::default()
    });
    let nodes: Vec<SgfNode> = std::iter::once(SgfNode::default()).chain(nodes).collect();
    let line = (0..nodes.len()).collect();
    (nodes, line)
}

/// Two comments, of which either may be empty.
fn joined(one: &str, other: &str) -> String {
    let both = [one, other].into_iter().filter(|text| !text.is_empty());
    both.collect::<Vec<_>>().join("\n\n")
}

/// A better line, as a variation of the node `played`.
fn add_line(nodes: &mut Vec<SgfNode>, played: usize, size: BoardSize, line: &[String]) {
    let Some(node) = nodes.get(played) else {
        return;
    };
    let Some(mut color) = node.play.map(|play| play.color) else {
        return;
    };
    let mut parent = node.parent;
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
