//! A game with its variations as nodes. What has a meaning here is read; everything else is kept as it
//! stands in the text, so that writing loses nothing.

use super::lexer::{self, Property};
use super::read::read_nodes;
use super::values::{Points, SETUP, player, text, vertex};
use super::{MAX_NODES, MAX_SET_UP, SgfError, at_most};
use crate::game::{BoardSize, Color};
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
    let mut begun: Option<Result<GameRecord, SgfError>> = None;
    let mut is_given = false;
    let mut added = Ok(());
    let mut set_up = 0;
    let (notes, rest) = lexer::tree(text, &mut |parent, properties| {
        let root = begun.get_or_insert_with(|| {
            is_given = properties
                .iter()
                .any(|property| property.name == "PL" && player(property.values[0]).is_some());
            let settings = properties.iter().filter(|property| !is_play(property));
            read_nodes(&[settings.cloned().collect()], Vec::new(), usize::MAX)
        });
        if let Ok(root) = root
            && added.is_ok()
        {
            let parent = parent.map(|parent| places[parent]);
            added = add(&mut nodes, parent, &properties, root.size, &mut set_up);
            places.push(nodes.len().saturating_sub(1));
        }
    })?;
    let notes = notes?;
    let mut beginning = begun.unwrap_or(Err(SgfError::NoTree))?;
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

fn is_play(property: &Property<'_>) -> bool {
    matches!(&*property.name, "B" | "W")
}

/// The side that plays first in the main line.
fn first_mover(nodes: &[SgfNode]) -> Option<Color> {
    let follows = |(at, node): (usize, &SgfNode)| at == 0 || node.parent == at - 1;
    let main = nodes.iter().enumerate().take_while(|&found| follows(found));
    main.map(|(_, node)| node)
        .find_map(|node| Some(node.play?.color))
}

/// Adds the node with these properties, or the nodes; counts the points that are set up.
fn add(
    nodes: &mut Vec<SgfNode>,
    parent: Option<usize>,
    properties: &[Property<'_>],
    size: BoardSize,
    set_up: &mut usize,
) -> Result<(), SgfError> {
    let is_root = parent.is_none();
    let mut node = SgfNode {
        parent: parent.unwrap_or(0),
        ..SgfNode::default()
    };
    let mut plays = Vec::new();
    for property in properties {
        let color = match &*property.name {
            "C" => {
                if !is_root {
                    node.comment = property.values.iter().map(|value| text(value)).collect();
                }
                continue;
            }
            "B" => Color::Black,
            "W" => Color::White,
            _ => {
                property.append_to(&mut node.others);
                continue;
            }
        };
        let found = property.values.iter().map(|value| vertex("B", value, size));
        match found.collect::<Result<Vec<_>, _>>() {
            Ok(found) => plays.extend(found.into_iter().map(|vertex| Play { color, vertex })),
            Err(_) => {
                node.is_broken = true;
                property.append_to(&mut node.others);
            }
        }
    }
    at_most(nodes.len() + plays.len(), MAX_NODES, "nodes")?;
    if !is_root {
        node.setup = setup(properties, size, set_up)?.map(Box::new);
        if node.setup.is_none() && !plays.is_empty() {
            node.play = Some(plays.remove(0));
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

/// Stones that a node sets up; counts their points.
fn setup(
    properties: &[Property<'_>],
    size: BoardSize,
    set_up: &mut usize,
) -> Result<Option<LaterSetup>, SgfError> {
    let mut setup = LaterSetup::default();
    for property in properties {
        let Some((name, color)) = SETUP.into_iter().find(|(name, _)| *name == property.name) else {
            continue;
        };
        let mut points = Points::new(size);
        for value in &property.values {
            // What is not on the board.
            let _ = points.add(name, value);
        }
        for point in points.iter() {
            setup.changes.insert(point, color);
            *set_up += 1;
        }
        at_most(*set_up, MAX_SET_UP, "points that are set up")?;
    }
    let turn = properties.iter().find(|property| property.name == "PL");
    setup.to_move = turn.and_then(|property| player(property.values[0]));
    Ok((setup != LaterSetup::default()).then_some(setup))
}
