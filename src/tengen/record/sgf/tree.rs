//! A game with its variations as nodes. What has a meaning here is read; everything else is kept as it
//! stands in the text, so that writing loses nothing.

use super::lexer::{self, Property};
use super::node::{Content, NodeReader};
use super::read::read_nodes;
use super::{MAX_NODES, SgfError, at_most};
use crate::game::Color;
use crate::record::{GameRecord, LaterSetup, Play};

/// A node of a game with variations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SgfNode {
    /// The node before it, by its place in the list; the root's own.
    pub parent: usize,
    /// The play, if it has one.
    pub play: Option<Play>,
    /// Stones that are set up, and the side to move if given; not at the root.
    pub setup: Option<Box<LaterSetup>>,
    /// Comment; empty for none. The root's is that of the record.
    pub comment: String,
    /// All other properties, as text: `TR[aa][bb]LB[cc:1]`. Those of the setup are among them; `B`, `W` and `C` only where
    /// `play` and `comment` do not have them, as both are written.
    pub others: String,
    /// Whether it has a play that is not on the board; it is kept in `others`.
    pub is_broken: bool,
}

/// A game with its variations.
#[derive(Debug, Clone, PartialEq)]
pub struct SgfTree<'a> {
    /// The beginning of the game, without plays, and messages about what was skipped.
    pub beginning: GameRecord,
    /// The root, then the others: each after its parent, the main line first.
    pub nodes: Vec<SgfNode>,
    /// The text after the game, in which there may be more games.
    pub rest: &'a str,
}

/// Reads the first game in `text` with its variations. A node with several plays, or with stones that are
/// set up and a play, becomes several nodes.
///
/// # Errors
/// [`SgfError`], if there is no game, its root names no board and game that are known, or it is too large.
pub fn read_tree(text: &str) -> Result<SgfTree<'_>, SgfError> {
    let mut nodes: Vec<SgfNode> = Vec::new();
    // The last of the nodes that each node of the text has become.
    let mut places: Vec<usize> = Vec::new();
    let mut begun: Option<Result<(GameRecord, NodeReader), SgfError>> = None;
    let mut is_given = false;
    let mut added = Ok(());
    let (notes, rest) = lexer::tree(text, &mut |parent, properties| {
        let root = begun.get_or_insert_with(|| begin(&properties));
        if let Ok((_, reader)) = root
            && added.is_ok()
        {
            let parent = parent.map(|parent| places[parent]);
            added = reader.read(&properties).and_then(|content| {
                is_given |= parent.is_none() && content.setup.to_move.is_some();
                add(&mut nodes, parent, content)
            });
            places.push(nodes.len().saturating_sub(1));
        }
    })?;
    let notes = notes?;
    let (mut beginning, _) = begun.unwrap_or(Err(SgfError::NoTree))?;
    added?;
    if !is_given && let Some(mover) = first_mover(&nodes) {
        beginning.to_move = Some(mover);
    }
    beginning.notes.splice(0..0, notes);
    Ok(SgfTree {
        beginning,
        nodes,
        rest,
    })
}

/// The beginning of the game with this root, and what reads its nodes.
fn begin(root: &[Property<'_>]) -> Result<(GameRecord, NodeReader), SgfError> {
    let settings = root.iter();
    let settings = settings.filter(|property| !matches!(&*property.name, "B" | "W"));
    let record = read_nodes(&[settings.cloned().collect()], Vec::new(), usize::MAX)?;
    // The root's messages are those of the record, and those of all variations would be too many.
    let reader = NodeReader::new(record.size, Vec::new());
    Ok((record, reader))
}

/// The side that plays first in the main line.
fn first_mover(nodes: &[SgfNode]) -> Option<Color> {
    let follows = |(at, node): (usize, &SgfNode)| at == 0 || node.parent == at - 1;
    let main = nodes.iter().enumerate().take_while(|&found| follows(found));
    main.map(|(_, node)| node)
        .find_map(|node| Some(node.play?.color))
}

/// Adds the node with this content, or the nodes.
fn add(nodes: &mut Vec<SgfNode>, parent: Option<usize>, content: Content) -> Result<(), SgfError> {
    let mut plays = content.plays.into_iter();
    at_most(nodes.len() + plays.len(), MAX_NODES, "nodes")?;
    let mut node = SgfNode {
        parent: parent.unwrap_or(0),
        others: content.others,
        is_broken: content.broken.is_some(),
        ..SgfNode::default()
    };
    // Setup and comment of the root are the record's.
    if parent.is_some() {
        let setup = Some(content.setup).filter(|setup| *setup != LaterSetup::default());
        node.setup = setup.map(Box::new);
        node.comment = content.comment;
        if node.setup.is_none() {
            node.play = plays.next();
        }
    }
    nodes.push(node);
    for play in plays {
        nodes.push(SgfNode {
            parent: nodes.len() - 1,
            play: Some(play),
            ..SgfNode::default()
        });
    }
    Ok(())
}
