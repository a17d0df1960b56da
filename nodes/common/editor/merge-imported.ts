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
