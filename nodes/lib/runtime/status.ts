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

/** A long text is cut at a word. */
export function showStatus(node: Node, kind: StatusKind, text: string): void {
  node.status(statusOfKind(kind, text));
}

export function statusOfKind(kind: StatusKind, text: string) {
  return { ...STYLES[kind], text: cutAtWord(text, LONGEST) };
}
