//! A game with its variations: a tree of nodes, with evaluations of their positions.

use crate::game::{Color, Move};
use crate::record::Play;
use crate::record::sgf::SgfNode;
use crate::watch::Eval;

/// Maximum number of nodes that are shown of a game, and of a line.
pub(super) const MAX_NODES: usize = 200_000;
pub(super) const LONGEST_LINE: usize = 20_000;

/// Where a node is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Shown,
    /// Part of the file, but not of the game: its move cannot be played here.
    Hidden,
    Removed,
}

/// A position that a node sets up.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SetUp {
    pub(super) stones: Vec<(Move, Color)>,
    pub(super) to_move: Color,
}

/// A position, and how it came about: by a move, by stones that are set up, or by neither.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    parent: usize,
    /// The main line first.
    children: Vec<usize>,
    place: Place,
    pub(super) play: Option<Play>,
    pub(super) set_up: Option<Box<SetUp>>,
    pub(super) comment: String,
    /// All other properties of SGF, as text.
    pub(super) others: String,
    /// Its last evaluation.
    pub(super) eval: Option<Box<Eval>>,
    /// The tree's number of changes when it changed last.
    changed: u64,
}

/// The nodes of a game. The root has number 0; numbers are never reused.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    changes: u64,
    /// The change that did more than adding nodes or changing single ones.
    rebuilt: u64,
}

impl Tree {
    pub(super) const ROOT: usize = 0;

    /// The beginning of a game.
    pub(super) fn new() -> Tree {
        Tree {
            nodes: vec![Node::default()],
            changes: 1,
            rebuilt: 1,
        }
    }

    /// Whether there is a position with this number.
    pub(super) fn has(&self, node: usize) -> bool {
        let found = self.nodes.get(node);
        found.is_some_and(|found| found.place == Place::Shown)
    }

    pub(super) fn node(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    pub(super) fn node_mut(&mut self, node: usize) -> &mut Node {
        self.changes += 1;
        let found = &mut self.nodes[node];
        found.changed = self.changes;
        found
    }

    /// The position before; `None` at the root.
    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        (node != Tree::ROOT).then(|| self.nodes[node].parent)
    }

    /// The positions after, the main line first.
    fn children(&self, node: usize) -> impl DoubleEndedIterator<Item = usize> {
        let children = self.nodes[node].children.iter().copied();
        children.filter(|&child| self.has(child))
    }

    /// The position after a move, if it is in the tree.
    pub(super) fn child(&self, node: usize, play: Play) -> Option<usize> {
        self.children(node)
            .find(|&child| self.nodes[child].play == Some(play))
    }

    /// The position after a move, added if it is new; `None` when the tree is full.
    pub(super) fn add(&mut self, node: usize, play: Play) -> Option<usize> {
        let known = self.child(node, play);
        let has_room = self.nodes.len() < MAX_NODES;
        known.or_else(|| {
            let new = SgfNode {
                play: Some(play),
                ..SgfNode::default()
            };
            has_room.then(|| self.take(node, new, None))
        })
    }

    /// The number of the node that is added next.
    pub(super) fn next_number(&self) -> usize {
        self.nodes.len()
    }

    /// Adds a node of a file, with the position that it sets up.
    pub(super) fn take(&mut self, parent: usize, node: SgfNode, set_up: Option<SetUp>) -> usize {
        let child = self.nodes.len();
        self.changes += 1;
        self.nodes.push(Node {
            parent,
            play: node.play,
            set_up: set_up.map(Box::new),
            comment: node.comment,
            others: node.others,
            changed: self.changes,
            ..Node::default()
        });
        self.nodes[parent].children.push(child);
        child
    }

    /// Keeps a node and those that follow out of the game; they remain part of its file.
    pub(super) fn hide(&mut self, node: usize) {
        self.nodes[node].place = Place::Hidden;
    }

    pub(super) fn is_hidden(&self, node: usize) -> bool {
        self.nodes[node].place == Place::Hidden
    }

    /// Removes a position and all following ones; returns its place among its siblings.
    pub(super) fn remove(&mut self, node: usize) -> usize {
        let Some(parent) = self.parent(node) else {
            return 0;
        };
        let siblings = &mut self.nodes[parent].children;
        let place = siblings.iter().position(|&child| child == node);
        let place = place.unwrap_or_default();
        siblings.retain(|&child| child != node);
        self.move_all(node, Place::Shown, Place::Removed);
        place
    }

    /// Puts a removed position back, with all that followed.
    pub(super) fn put_back(&mut self, node: usize, place: usize) {
        let parent = self.nodes[node].parent;
        let siblings = &mut self.nodes[parent].children;
        siblings.insert(place.min(siblings.len()), node);
        self.move_all(node, Place::Removed, Place::Shown);
    }

    fn move_all(&mut self, node: usize, from: Place, to: Place) {
        let mut todo = vec![node];
        while let Some(next) = todo.pop() {
            let next = &mut self.nodes[next];
            if next.place == from {
                next.place = to;
            }
            todo.extend(&next.children);
        }
        self.rebuild();
    }

    fn rebuild(&mut self) {
        self.changes += 1;
        self.rebuilt = self.changes;
    }

    /// Makes the line that leads to a position the main line; returns the nodes on it that were not
    /// first, with their places.
    pub(super) fn promote(&mut self, node: usize) -> Vec<(usize, usize)> {
        let mut moved = Vec::new();
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            let children = &mut self.nodes[parent].children;
            if let Some(place @ 1..) = children.iter().position(|&child| child == at) {
                children[..=place].rotate_right(1);
                moved.push((at, place));
            }
            at = parent;
        }
        self.rebuild();
        moved
    }

    /// Makes the line that leads to a position the main line, and ends it there: by an empty node, where moves follow.
    pub(super) fn end_at(&mut self, node: usize) {
        let end = match self.nodes[node].children.is_empty() {
            true => node,
            false => self.take(node, SgfNode::default(), None),
        };
        self.promote(end);
    }

    /// Takes [`Tree::promote`] back.
    pub(super) fn demote(&mut self, moved: &[(usize, usize)]) {
        for &(node, place) in moved {
            let parent = self.nodes[node].parent;
            if let Some(children) = self.nodes[parent].children.get_mut(..=place) {
                children.rotate_left(1);
            }
        }
        self.rebuild();
    }

    /// The nodes that lead to a position, without the root.
    pub(super) fn path(&self, node: usize) -> Vec<usize> {
        let mut path = Vec::new();
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            path.push(at);
            at = parent;
        }
        path.reverse();
        path
    }

    /// The last position of the line through a position: follows the current variation, then the
    /// first ones.
    pub(super) fn end_of_line(&self, node: usize) -> usize {
        let mut at = node;
        while let Some(next) = self.children(at).next() {
            at = next;
        }
        at
    }

    /// The nodes whose moves lead to a position from where stones were set up last, that node (or the
    /// root) first.
    pub(super) fn since_set_up(&self, node: usize) -> Vec<usize> {
        let mut path = self.path(node);
        let begins = path.iter().rposition(|&at| self.nodes[at].set_up.is_some());
        let first = match begins {
            Some(place) => path.drain(..=place).next_back().unwrap_or(Tree::ROOT),
            None => Tree::ROOT,
        };
        path.retain(|&at| self.nodes[at].play.is_some());
        path.insert(0, first);
        path
    }

    /// All positions except the root, each after its parent and main lines first: its number and
    /// its parent's.
    pub(super) fn in_order(&self) -> Vec<(usize, usize)> {
        self.ordered(|place| place == Place::Shown)
    }

    fn ordered(&self, wanted: impl Fn(Place) -> bool) -> Vec<(usize, usize)> {
        let mut order = Vec::new();
        let mut todo = vec![Tree::ROOT];
        while let Some(at) = todo.pop() {
            if let Some(parent) = self.parent(at) {
                order.push((at, parent));
            }
            let children = self.nodes[at].children.iter().rev();
            todo.extend(children.filter(|&&child| wanted(self.nodes[child].place)));
        }
        order
    }

    /// Its number of changes; and what has changed since one of them: whether all of it, and the nodes to
    /// show, in order.
    pub(super) fn changes(&self) -> u64 {
        self.changes
    }

    pub(super) fn changed_since(&self, seen: u64) -> (bool, Vec<usize>) {
        if seen < self.rebuilt {
            let all = self.in_order().into_iter().map(|(node, _)| node);
            return (true, std::iter::once(Tree::ROOT).chain(all).collect());
        }
        let new = |&node: &usize| self.nodes[node].changed > seen && self.has(node);
        (false, (0..self.nodes.len()).filter(new).collect())
    }

    /// All nodes as a file has them, hidden ones among them, and the place of each by its number; `others` gives the text
    /// of each node's other properties.
    pub(super) fn sgf_nodes(
        &self,
        others: impl Fn(usize, &Node) -> String,
    ) -> (Vec<SgfNode>, Vec<usize>) {
        let mut place = vec![0; self.nodes.len()];
        let root = (Tree::ROOT, Tree::ROOT);
        let order = self.ordered(|place| place != Place::Removed);
        let nodes = std::iter::once(root).chain(order).enumerate();
        let nodes = nodes.map(|(index, (at, parent))| {
            place[at] = index;
            let node = &self.nodes[at];
            SgfNode {
                parent: place[parent],
                play: node.play,
                comment: node.comment.clone(),
                others: others(at, node),
                ..SgfNode::default()
            }
        });
        (nodes.collect(), place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Color, Move};
    use crate::record::Vertex;

    fn play(color: Color, point: u16) -> Play {
        let vertex = Vertex::Point(Move(point));
        Play { color, vertex }
    }

    /// Black 0, then White 1 and Black 2, or White 3.
    fn forked() -> (Tree, [usize; 4]) {
        let mut tree = Tree::new();
        let mut add = |node, color, point| tree.add(node, play(color, point)).expect("room");
        let first = add(Tree::ROOT, Color::Black, 0);
        let second = add(first, Color::White, 1);
        let third = add(second, Color::Black, 2);
        let other = add(first, Color::White, 3);
        (tree, [first, second, third, other])
    }

    #[test]
    fn lines_branch_and_the_first_is_the_main_line() {
        let (mut tree, [first, second, third, other]) = forked();
        assert_eq!(tree.path(third), [first, second, third]);
        assert_eq!(tree.end_of_line(Tree::ROOT), third);
        assert_eq!(tree.add(first, play(Color::White, 3)), Some(other));
        let (nodes, places) = tree.sgf_nodes(|_, node| node.others.clone());
        assert_eq!(places, [0, 1, 2, 3, 4]);
        let parents: Vec<_> = nodes.iter().map(|found| found.parent).collect();
        assert_eq!(parents, [0, 0, 1, 2, 1]);
        let before = tree.in_order();
        let moved = tree.promote(other);
        assert_eq!(tree.end_of_line(Tree::ROOT), other);
        assert_eq!(tree.in_order().len(), 4);
        tree.demote(&moved);
        assert_eq!(tree.in_order(), before);
    }

    #[test]
    fn what_is_removed_is_gone_with_all_that_follows() {
        let (mut tree, [first, second, third, other]) = forked();
        let (before, seen) = (tree.in_order(), tree.changes());
        let place = tree.remove(second);
        assert!(!tree.has(second) && !tree.has(third) && tree.has(first));
        assert_eq!(tree.end_of_line(Tree::ROOT), other);
        assert_eq!(tree.sgf_nodes(|_, _| String::new()).0.len(), 3);
        assert_eq!(tree.changed_since(seen), (true, vec![0, first, other]));
        tree.put_back(second, place);
        assert_eq!(tree.in_order(), before);
        let seen = tree.changes();
        tree.node_mut(third).comment = "x".to_owned();
        assert_eq!(tree.changed_since(seen), (false, vec![third]));
        tree.remove(Tree::ROOT);
        assert!(tree.has(Tree::ROOT) && tree.has(first));
        assert!(!tree.has(99));
    }
}
