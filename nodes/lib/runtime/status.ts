import type { Node } from "node-red";
import { cutAtWord } from "../shared/cut-text.ts";

/** The five looks a node of ours can have; users learn them once. */
export type StatusKind = "waiting" | "working" | "done" | "error" | "stopped";

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
export function showStatus(node: Node, kind: StatusKind, text: string): void {
  if (!closed.has(node)) node.status(statusOfKind(kind, text));
}

/** The last status of a node, shown before its close handler returns; without a text, it keeps the one that it has. */
export function closeStatus(node: Node, text: string | undefined): void {
  if (text !== undefined) showStatus(node, "stopped", text);
  closed.add(node);
}

export function statusOfKind(kind: StatusKind, text: string) {
  return { ...STYLES[kind], text: cutAtWord(text, LONGEST) };
}
