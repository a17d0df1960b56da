import type { ConfigNode } from "./api.ts";

/**
 * Counts a node as a user of each config node in fields that have no input. Node-RED does so when it loads, copies or
 * imports a node, but not at Done; and its undo then takes another user away. So the undo of these fields is done here.
 */
export function countHiddenUsers(type: string, names: readonly string[]): void {
  if (names.length === 0) return;
  RED.events.on("editor:save", (saved) => {
    const edit = RED.history.peek();
    if (saved.type !== type || edit?.node !== saved || !edit.changes) return;
    const { changes } = edit;
    const changed = names.filter((name) => name in changes);
    if (changed.length === 0) return;
    let others = valuesOf(changes, changed);
    for (const name of changed) delete changes[name];
    count(saved, names, Object.values(others));
    // Called after undo, and after redo.
    edit.callback = () => {
      const before = valuesOf(saved, changed);
      Object.assign(saved, others);
      others = before;
      count(saved, names, Object.values(before));
      RED.editor.validateNode(saved);
    };
  });
}

function valuesOf(
  from: Readonly<Record<string, unknown>>,
  names: readonly string[],
): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, from[name]]));
}

/** Once at each config node that a field names, and at none of those `before`. */
function count(node: ConfigNode, names: readonly string[], before: readonly unknown[]): void {
  const used = new Set(names.map((name) => node[name]));
  for (const id of new Set([...used, ...before])) {
    const config = RED.nodes.node(String(id || ""));
    if (!Array.isArray(config?.users)) continue;
    const users = config.users as ConfigNode[];
    if (users.some((user) => user.id === node.id) === used.has(id)) continue;
    config.users = used.has(id) ? [...users, node] : users.filter((user) => user.id !== node.id);
    RED.events.emit("nodes:change", config);
  }
}
