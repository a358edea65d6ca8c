//! A review as SGF: its judgements as comments, better lines as variations, beside all that the file has.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use crate::game::{BoardSize, Color};
use crate::gtp::parse_vertex;
use crate::record::sgf::{self, SgfNode, read_tree, write_tree};
use crate::record::{GameRecord, Play};
use anyhow::Context as _;

use super::facts::{Class, Position, Review};
use super::pages::{check, places, write};
use super::text::rules;

/// Start of the comment on a game that was reviewed.
const MARK: &str = "Reviewed by Tengen";

/// The files of a review.
pub(super) struct AnnotatedGames(HashMap<PathBuf, PathBuf>);

impl AnnotatedGames {
    /// Decides where each game goes: a path for one game, a folder for several.
    ///
    /// # Errors
    /// If a file that is not from an earlier review is in the way, unless `force` is set, or one cannot be written.
    pub(super) fn open(
        path: &Path,
        files: &[PathBuf],
        force: bool,
    ) -> anyhow::Result<AnnotatedGames> {
        let (paths, _) = places(path, files, &["sgf"])?;
        for path in paths.values() {
            check(path, is_ours, force)?;
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
        write(path, &text(record, nodes, &line, review, Language::English))
    }
}

/// Whether a file is from an earlier review.
fn is_ours(path: &Path) -> bool {
    let bytes = std::fs::read(path).unwrap_or_default();
    String::from_utf8_lossy(&bytes).contains(MARK)
}

/// The language of the comments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::cli) enum Language {
    English,
    Chinese,
}

/// A game with all its nodes as SGF; `line` has those of the positions that were reviewed, the first one without a move.
pub(in crate::cli) fn text(
    record: &GameRecord,
    mut nodes: Vec<SgfNode>,
    line: &[usize],
    review: &Review,
    language: Language,
) -> String {
    for (number, &at) in line.iter().skip(1).enumerate() {
        if let Some(node) = nodes.get_mut(at) {
            node.comment = joined(&node.comment, &comment(review, number, language));
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
    let annotated = GameRecord {
        comment: joined(&record.comment, &language.about(review)),
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
fn comment(review: &Review, number: usize, language: Language) -> String {
    let at = |moves| review.positions.iter().find(|found| found.moves == moves);
    let mut lines = Vec::new();
    let judged = at(number).and_then(|before| before.played.as_ref());
    if let Some(judged) = judged
        && let Some(class) = judged.class
    {
        let mut line = language.class(class).to_owned();
        if let (Some(loss), true) = (judged.loss, class != Class::ThrownAway) {
            line += &language.loss(loss, judged.points);
        }
        if !judged.better.is_empty() {
            let better = judged.better.join(" ");
            line += &match language {
                Language::English => format!("; better {better}"),
                Language::Chinese => format!("；更好 {better}"),
            };
        }
        lines.push(line);
    }
    if let Some(after) = at(number + 1) {
        lines.extend(language.value(after));
    }
    lines.join("\n")
}

impl Language {
    /// In the order of their numbers.
    pub(in crate::cli) const ALL: [Language; 2] = [Language::English, Language::Chinese];

    /// How the game was reviewed.
    fn about(self, review: &Review) -> String {
        let (settings, rules) = (&review.settings, rules(&review.game));
        let (version, search, network) = (&settings.version, &settings.search, &settings.network);
        if self == Language::English {
            return format!("{MARK} {version}: {search} a position, {network}{rules}");
        }
        let mut search = search.clone();
        for (word, own) in [
            ("visits", "次搜索"),
            ("visit", "次搜索"),
            ("playouts", "次模拟"),
            ("playout", "次模拟"),
            ("or", "或"),
            ("s", "秒"),
        ] {
            search = search.replace(&format!(" {word}"), &format!(" {own}"));
        }
        let network = match &**network {
            "built in" => "内置网络",
            "no network" => "无网络",
            path => path,
        };
        let rules = rules.replace(", komi", "，贴目").replace(", ", "，");
        format!("由 Tengen {version} 复盘：每个局面 {search}，{network}{rules}")
    }

    fn class(self, class: Class) -> &'static str {
        match (self, class) {
            (Language::English, _) => class.name(),
            (_, Class::Inaccuracy) => "小失误",
            (_, Class::Mistake) => "失误",
            (_, Class::Blunder) => "大恶手",
            (_, Class::ThrownAway) => "葬送胜局",
        }
    }

    /// What a move has cost, after its class.
    fn loss(self, loss: f32, points: Option<f32>) -> String {
        let percent = 100.0 * loss;
        match (self, points) {
            (Language::English, None) => format!(": loses {percent:.1}%"),
            (Language::English, Some(points)) => {
                format!(": loses {percent:.1}% and {points:.1} points")
            }
            (Language::Chinese, None) => format!("：胜率损失 {percent:.1}%"),
            (Language::Chinese, Some(points)) => {
                format!("：胜率损失 {percent:.1}%，损 {points:.1} 目")
            }
        }
    }

    fn side(self, side: Color) -> &'static str {
        match (self, side) {
            (Language::English, _) => side.capital(),
            (Language::Chinese, Color::Black) => "黑方",
            (Language::Chinese, Color::White) => "白方",
        }
    }

    /// How a position stands.
    fn value(self, position: &Position) -> Option<String> {
        if let Some(winner) = position.winner {
            let winner = self.side(winner);
            return Some(match self {
                Language::English => format!("{winner} wins, proven"),
                Language::Chinese => format!("已证明：{winner}胜"),
            });
        }
        let percent = 100.0 * position.winrate?;
        let mut text = match self {
            Language::English => format!("Black's winrate {percent:.1}%"),
            Language::Chinese => format!("黑方胜率 {percent:.1}%"),
        };
        if let Some(lead) = position.lead {
            let ahead = self.side(if lead < 0.0 {
                Color::White
            } else {
                Color::Black
            });
            let points = lead.abs();
            text += &match self {
                Language::English => format!(", {ahead} ahead by {points:.1}"),
                Language::Chinese => format!("，{ahead}领先 {points:.1} 目"),
            };
        }
        Some(text)
    }
}
