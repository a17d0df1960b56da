import { AsyncLocalStorage } from "node:async_hooks";
import { loadLibrary } from "../../../nodes/common/library.ts";
import type { OutcomeKind } from "../../shared/report.ts";

/** What a node would have sent, had it not been a rehearsal. JSON. */
export type NotTried = { kind: OutcomeKind; text: string; request: Record<string, unknown> };

/** The work of a node on one message. */
export type NodeTask = {
  node: string;
  type: string;
  msg: object;
  /** In the order in which they were tried. */
  notTried: NotTried[];
  /** Set where the answer of a call of today is in what the node sends. */
  isToday: boolean;
};

const tasks = new AsyncLocalStorage<NodeTask>();

/** Runs the work of a node: what it asks for belongs to this message. */
export function asTask<T>(task: NodeTask, work: () => T): T {
  return tasks.run(task, work);
}

/** The work that asks now; undefined outside of the work on a message. */
export function currentTask(): NodeTask | undefined {
  return tasks.getStore();
}

/** Notes what would be sent, and gives the error that ends the call. */
export async function notTried(what: NotTried): Promise<Error> {
  currentTask()?.notTried.push(what);
  const { CrecError } = await loadLibrary();
  return new CrecError("NOT_TRIED", `This is a rehearsal, so it was not tried: ${what.text}.`);
}
