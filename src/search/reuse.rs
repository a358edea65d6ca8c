//! What a search keeps of the tree of earlier ones.

use std::sync::Arc;

use super::node::NodeId;
use super::tree::Tree;
use crate::game::Game;

/// The kept tree or a new one of at most so many bytes, and the position's node in it. A tree that
/// is half full is thinned, unless `go_on` says that there is no time for it.
pub(super) fn root<G: Game>(
    kept: Option<Arc<Tree>>,
    position: &G,
    bytes: usize,
    go_on: impl FnMut() -> bool,
) -> (Arc<Tree>, NodeId) {
    let key = position.key();
    if let Some(tree) = kept
        && !is_bare(&tree, key, position)
    {
        let known = tree.find(key);
        if tree.fullness() < 0.5
            && let Some(root) = known.or_else(|| tree.find_or_add(key))
        {
            return (tree, root);
        }
        if let Some(old) = known {
            if let Some(thinned) = thin(&tree, old, bytes, go_on) {
                return thinned;
            }
            if tree.fullness() < 0.75 {
                return (tree, old);
            }
        }
    }
    let tree = Tree::new(bytes);
    // An empty tree has room for at least a thousand nodes.
    let root = tree.find_or_add(key).unwrap_or_default();
    (Arc::new(tree), root)
}

/// The tree without what `position` cannot reach, where it knows the position and is a quarter full;
/// `None` also when `go_on` said no.
pub(super) fn room<G: Game>(
    tree: &Tree,
    position: &G,
    bytes: usize,
    go_on: impl FnMut() -> bool,
) -> Option<Arc<Tree>> {
    if tree.fullness() < 0.25 {
        return None;
    }
    let (thinned, _) = thin(tree, tree.find(position.key())?, bytes, go_on)?;
    Some(thinned)
}

/// Whether the tree knows nothing but a prober's word of this position: its moves have to be found.
fn is_bare<G: Game>(tree: &Tree, key: u128, position: &G) -> bool {
    tree.find(key).is_some_and(|node| {
        let state = tree.node(node).state();
        state.proof().is_some() && state.edge_count() == 0 && position.outcome().is_none()
    })
}

/// A tree of only what can be reached from `root`, and its root; `None` when `go_on` said no.
fn thin(
    tree: &Tree,
    root: NodeId,
    bytes: usize,
    go_on: impl FnMut() -> bool,
) -> Option<(Arc<Tree>, NodeId)> {
    let thinned = Tree::new(bytes);
    let root = tree.copy_reachable(root, &thinned, go_on)?;
    log::debug!(
        "tree thinned from {} to {} nodes",
        tree.len(),
        thinned.len()
    );
    Some((Arc::new(thinned), root))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::BoardSize;
    use crate::game::nogo::SmallNoGo;

    /// Late in a game positions have few moves, and nodes run out before edges do.
    #[test]
    fn a_tree_full_of_nodes_is_thinned_too() {
        let bytes = 64 << 20;
        let position = SmallNoGo::new(BoardSize::square(5)).unwrap();
        let tree = Arc::new(Tree::new(bytes));
        let known = tree.find_or_add(position.key()).unwrap();
        let kept = || Some(Arc::clone(&tree));
        assert_eq!(root(kept(), &position, bytes, || true).1, known);
        let mut key = 0;
        while tree.find_or_add(key).is_some() {
            key += 1;
        }
        assert!(tree.bytes() < bytes / 4, "{} nodes", tree.len());
        let (thinned, _) = root(kept(), &position, bytes, || true);
        assert_eq!(thinned.len(), 1);
        assert_eq!(room(&tree, &position, bytes, || true).unwrap().len(), 1);
    }
}
