// The tree of a game on the page: nodes by number, and the lines through them. The root is node 0.
export function makeTree(nodes) {
  const tree = { nodes: new Map(), children: new Map(), version: 0, lines: new Map() };
  update(tree, nodes);
  return tree;
}

// Adds nodes, or replaces those of the same number; new ones come after their siblings.
export function update(tree, nodes) {
  for (const node of nodes) {
    if (!tree.nodes.has(node.id) && node.parent != null) {
      if (!tree.children.has(node.parent)) tree.children.set(node.parent, []);
      tree.children.get(node.parent).push(node.id);
    }
    tree.nodes.set(node.id, node);
  }
  tree.version += 1;
  tree.lines.clear();
}

export const childrenOf = (tree, id) => tree.children.get(id) ?? [];

// The nodes that lead to a node, without the root.
export function pathTo(tree, id) {
  const path = [];
  for (let at = tree.nodes.get(id); at && at.id !== 0; at = tree.nodes.get(at.parent)) path.push(at);
  return path.reverse();
}

// The nodes from the root to a node, continued along first variations.
export function lineThrough(tree, id) {
  if (!tree.lines.has(id)) {
    const line = [tree.nodes.get(0) ?? { id: 0 }, ...pathTo(tree, id)];
    for (let next = childrenOf(tree, id)[0]; next != null; next = childrenOf(tree, next)[0]) line.push(tree.nodes.get(next));
    tree.lines.clear();
    tree.lines.set(id, line);
  }
  return tree.lines.get(id);
}

// The next or previous variation of the move that led to a node; the node itself without one.
export function sibling(tree, id, by) {
  const parent = tree.nodes.get(id)?.parent;
  const all = parent == null ? [id] : childrenOf(tree, parent);
  return all[(all.indexOf(id) + by + all.length) % all.length];
}
