//! A game with its variations: a tree of moves, with evaluations of the positions after them.

use tengen::record::sgf::Branch;
use tengen::record::{Play, RecordedPlay};
use tengen::watch::Eval;

/// Maximum number of moves in all variations of a game.
pub(super) const MOST_NODES: usize = 20_000;

/// A position, and the move that led to it.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    parent: usize,
    /// The main line first.
    children: Vec<usize>,
    /// `None` at the root, and for removed variations.
    pub(super) play: Option<Play>,
    pub(super) comment: String,
    /// Its last evaluation.
    pub(super) eval: Option<Eval>,
}

/// The positions of a game. The root has number 0; numbers are never reused.
#[derive(Debug, Clone)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Tree {
    pub(super) const ROOT: usize = 0;

    /// The beginning of a game.
    pub(super) fn new() -> Tree {
        Tree {
            nodes: vec![Node::default()],
        }
    }

    /// Whether there is a position with this number.
    pub(super) fn has(&self, node: usize) -> bool {
        let found = self.nodes.get(node);
        found.is_some_and(|found| node == Tree::ROOT || found.play.is_some())
    }

    pub(super) fn node(&self, node: usize) -> &Node {
        &self.nodes[node]
    }

    pub(super) fn node_mut(&mut self, node: usize) -> &mut Node {
        &mut self.nodes[node]
    }

    /// The position before; `None` at the root.
    pub(super) fn parent(&self, node: usize) -> Option<usize> {
        (node != Tree::ROOT).then(|| self.nodes[node].parent)
    }

    /// The position after a move, if it is in the tree.
    pub(super) fn child(&self, node: usize, play: Play) -> Option<usize> {
        let mut children = self.nodes[node].children.iter().copied();
        children.find(|&child| self.nodes[child].play == Some(play))
    }

    /// The position after a move, added if it is new; `None` when the tree is full.
    pub(super) fn add(&mut self, node: usize, play: Play) -> Option<usize> {
        if let Some(known) = self.child(node, play) {
            return Some(known);
        }
        if self.nodes.len() > MOST_NODES {
            return None;
        }
        let child = self.nodes.len();
        self.nodes.push(Node {
            parent: node,
            play: Some(play),
            ..Node::default()
        });
        self.nodes[node].children.push(child);
        Some(child)
    }

    /// Removes a position and all following ones.
    pub(super) fn remove(&mut self, node: usize) {
        if let Some(parent) = self.parent(node) {
            self.nodes[parent].children.retain(|&child| child != node);
            let mut todo = vec![node];
            while let Some(next) = todo.pop() {
                todo.append(&mut self.nodes[next].children);
                self.nodes[next].play = None;
            }
        }
    }

    /// Makes the line that leads to a position the main line.
    pub(super) fn promote(&mut self, node: usize) {
        let mut at = node;
        while let Some(parent) = self.parent(at) {
            let children = &mut self.nodes[parent].children;
            if let Some(place) = children.iter().position(|&child| child == at) {
                children[..=place].rotate_right(1);
            }
            at = parent;
        }
    }

    /// The moves that lead to a position.
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
        while let Some(&next) = self.nodes[at].children.first() {
            at = next;
        }
        at
    }

    /// The moves that lead to a position, for a record.
    pub(super) fn plays(&self, node: usize) -> Vec<RecordedPlay> {
        let path = self.path(node).into_iter();
        path.filter_map(|at| self.recorded(at)).collect()
    }

    fn recorded(&self, node: usize) -> Option<RecordedPlay> {
        let node = &self.nodes[node];
        Some(RecordedPlay {
            play: node.play?,
            comment: node.comment.clone(),
        })
    }

    /// All positions except the root, each after its parent and main lines first: its number and
    /// its parent's.
    pub(super) fn in_order(&self) -> Vec<(usize, usize)> {
        let mut order = Vec::new();
        let mut todo = vec![Tree::ROOT];
        while let Some(at) = todo.pop() {
            if let Some(parent) = self.parent(at) {
                order.push((at, parent));
            }
            todo.extend(self.nodes[at].children.iter().rev());
        }
        order
    }

    /// All moves, as records keep them.
    pub(super) fn branches(&self) -> Vec<Branch> {
        let order = self.in_order();
        let mut place = vec![None; self.nodes.len()];
        let mut branches = Vec::new();
        for (at, parent) in order {
            let Some(recorded) = self.recorded(at) else {
                continue;
            };
            place[at] = Some(branches.len());
            branches.push(Branch {
                parent: place[parent],
                recorded,
            });
        }
        branches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tengen::game::{Color, Move};
    use tengen::record::Vertex;

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
        let parents: Vec<_> = tree.branches().iter().map(|found| found.parent).collect();
        assert_eq!(parents, [None, Some(0), Some(1), Some(0)]);
        tree.promote(other);
        assert_eq!(tree.end_of_line(Tree::ROOT), other);
        assert_eq!(tree.in_order().len(), 4);
    }

    #[test]
    fn what_is_removed_is_gone_with_all_that_follows() {
        let (mut tree, [first, second, third, other]) = forked();
        tree.remove(second);
        assert!(!tree.has(second) && !tree.has(third) && tree.has(first));
        assert_eq!(tree.end_of_line(Tree::ROOT), other);
        assert_eq!(tree.branches().len(), 2);
        tree.remove(Tree::ROOT);
        assert!(tree.has(Tree::ROOT) && tree.has(first));
        assert!(!tree.has(99));
    }
}
