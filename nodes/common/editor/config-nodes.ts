import type { ConfigNode, HistoryEvent } from "./api.ts";

/**
 * An import as a copy gives a config node a new id unless one with its own id is there: so each import of a flow would
 * bring another contract like one that an earlier import has brought. Its users take the one that was there.
 */
export function mergeImported(type: string): void {
  let came: ConfigNode[] = [];
  const merge = (): void => {
    const copies = came;
    came = [];
    const added = addedIn(RED.history.peek());
    for (const copy of copies.filter(({ id }) => added.some((ids) => ids.includes(id)))) {
      // One that is made in a form has no user yet, and is meant.
      const users = [...(copy.users as ConfigNode[])];
      const same = users.length > 0 ? sameAs(copy, copies) : undefined;
      if (same === undefined) continue;
      for (const user of users) choose(user, copy, same);
      RED.nodes.remove(copy.id);
      // Undo and redo are about nodes that are there.
      for (const ids of added) if (ids.includes(copy.id)) ids.splice(ids.indexOf(copy.id), 1);
    }
  };
  RED.events.on("nodes:add", (added) => {
    if (added.type !== type) return;
    // The editor says only afterwards that nodes were imported.
    if (came.length === 0) queueMicrotask(merge);
    came.push(added);
  });
}

/** The lists with the ids of nodes that an event has added. */
function addedIn(event: HistoryEvent | undefined): string[][] {
  if (event?.t === "multi") return (event.events ?? []).flatMap(addedIn);
  return event?.t === "add" && event.nodes ? [event.nodes] : [];
}

/** One that was there before, for the same flows, with the same settings. */
function sameAs(copy: ConfigNode, came: readonly ConfigNode[]): ConfigNode | undefined {
  let found: ConfigNode | undefined;
  RED.nodes.eachConfig((one) => {
    const isOther = one.type === copy.type && !came.some(({ id }) => id === one.id);
    if (isOther && settingsOf(one) === settingsOf(copy)) found ??= one;
  });
  return found;
}

function settingsOf(config: ConfigNode): string {
  const { defaults } = config._def as { defaults: object };
  return JSON.stringify(["z", "d", ...Object.keys(defaults)].map((name) => config[name] || ""));
}

/** A flow may be locked: then only what Node-RED stores can be written to. */
function choose(user: ConfigNode, copy: ConfigNode, same: ConfigNode): void {
  const stored = (user.__node__ ?? user) as ConfigNode;
  const { defaults } = user._def as { defaults: Record<string, { type?: string }> };
  for (const [name, { type }] of Object.entries(defaults)) {
    if (type === copy.type && stored[name] === copy.id) stored[name] = same.id;
  }
  const users = same.users as ConfigNode[];
  if (!users.some(({ id }) => id === user.id)) users.push(user);
  RED.editor.validateNode(user);
}

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
