import type { Node } from "node-red";
import type { NodeContext, Translate } from "../context.ts";
import type { FlowNodes } from "../fields/flow-settings.ts";
import { shortText } from "../messages/error-texts.ts";
import { toCodedError } from "../shared/errors.ts";
import { cutAtWord } from "../shared/text.ts";

/** The five looks a node of ours can have; users learn them once. */
export type StatusKind = "waiting" | "working" | "done" | "error" | "stopped";

/** What a status says. */
export type StatusText = {
  /** The same in every language: flows, as behind a status node, and tests compare it. */
  code: string;
  /** For people, in the language of this Node-RED. Never a key: a status node would show it as it is. */
  text: string;
};

const STYLES = {
  waiting: { fill: "yellow", shape: "ring" },
  working: { fill: "blue", shape: "dot" },
  done: { fill: "green", shape: "dot" },
  error: { fill: "red", shape: "ring" },
  stopped: { fill: "grey", shape: "ring" },
} as const;

/** Longer than an error's first sentence with the words that nodes add to it. */
const LONGEST = 72;

/** What such a node still ends must not hide that it is stopped, nor show a status where it is removed. */
const closed = new WeakSet<Node>();

/** A long text is cut at a word. A node that is closed keeps the status that it has. */
export function showStatus(node: Node, kind: StatusKind, said: StatusText): void {
  if (!closed.has(node)) node.status(statusOfKind(kind, said));
}

/** The last status of a node, shown before its close handler returns; without one, it keeps the one that it has. */
export function closeStatus(node: Node, said: StatusText | undefined): void {
  if (said !== undefined) showStatus(node, "stopped", said);
  closed.add(node);
}

export function statusOfKind(kind: StatusKind, { code, text }: StatusText) {
  return { ...STYLES[kind], text: cutAtWord(text, LONGEST), code };
}

/** A text of the catalog. Its code is the last part of the key: "watching" of `alert.status.watching`. */
export function statusText(
  t: Translate,
  key: string,
  values: Record<string, string | number> = {},
): StatusText {
  return { code: key.slice(key.lastIndexOf(".") + 1), text: t(key, values) };
}

/** The first sentence of an error, with its code. */
export function errorStatus(thrown: unknown): StatusText {
  const error = toCodedError(thrown);
  return { code: error.code, text: shortText(error) };
}

const READER = "crec-reader";

type Wired = Node & { wires?: string[][] };

/** Whether the reader before a node has stopped: the node gets nothing, and would look as if nothing happened. */
export function onReader(node: Node, listener: (isStopped: boolean) => void): void {
  (node as NodeJS.EventEmitter).on(READER, listener);
}

/** Shows it as the status of a node that has no other until it gets a message. */
export function showReader({ node, t }: Pick<NodeContext, "node" | "t">): void {
  onReader(node, (isStopped) => {
    if (isStopped) showStatus(node, "waiting", statusText(t, "common.status.reader-stopped"));
    else node.status({});
  });
}

/** Tells all nodes that are wired behind a reader. */
export function tellBehind(nodes: FlowNodes, reader: Node, isStopped: boolean): void {
  const wiresOf = (node: Wired) => (node.wires ?? []).flat();
  const ids = new Set(wiresOf(reader));
  for (const id of ids) {
    const node = nodes.getNode(id) as Wired | null;
    if (!node || node === reader) continue;
    for (const next of wiresOf(node)) ids.add(next);
    (node as NodeJS.EventEmitter).emit(READER, isStopped);
  }
}
