import type { Node, NodeAPI } from "node-red";
import type { ChildHost } from "../host.ts";
import { idInFlow } from "../id-in-flow.ts";
import { repliesOf } from "../replies.ts";
import { described } from "./described.ts";
import { asTask, type NodeTask, type NotTried } from "./not-tried.ts";

type Message = Record<string, unknown>;
type Send = (messages: unknown) => void;
type Done = (error?: unknown) => void;
type Handler = (this: Node, msg: Message, send: Send, done: Done) => void;
type On = (this: Node, event: string, callback: Handler) => unknown;
/** The class that Node-RED makes all nodes of. */
export type NodeClass = { on: On; [WRAPPED]?: Rehearsing };
type Rehearsing = { RED: NodeAPI; host: ChildHost };

const WRAPPED = Symbol("crec-rehearsal");

/**
 * From now on, what our nodes could not send becomes an outcome, and a message that says so: a node ends its work with
 * `NOT_TRIED`, and the flow goes on. Without effect on nodes of others.
 */
export function wrapOurNodes(nodeClass: NodeClass, rehearsing: Rehearsing): void {
  const isWrapped = nodeClass[WRAPPED] !== undefined;
  nodeClass[WRAPPED] = rehearsing;
  if (isWrapped) return;
  const { on } = nodeClass;
  nodeClass.on = function (this: Node, event, callback) {
    const current = nodeClass[WRAPPED];
    if (event !== "input" || !this.type.startsWith("crec-") || !current)
      return on.call(this, event, callback);
    return on.call(this, event, wrapped(this, callback, current));
  };
}

function wrapped(node: Node, handler: Handler, { RED, host }: Rehearsing): Handler {
  const id = idInFlow(node);
  const reply = repliesOf(host.job, id);
  return function (this: Node, msg, send, done) {
    const task: NodeTask = { node: id, type: node.type, msg, notTried: [], isToday: false };
    const end = host.begin();
    const sendMarked: Send = (messages) => send(task.isToday ? markedToday(messages) : messages);
    const finish = async (error: unknown): Promise<void> => {
      const noted = await noteAll(RED, host, task);
      if (!isNotTried(error)) return error === undefined ? done() : done(error);
      send(reply(msg) ?? { ...msg, payload: { notTried: true, ...noted.at(-1) } });
      done();
    };
    // What ended the work before, such as an error of a wait, is not lost where describing it fails.
    const finished: Done = (error) => void finish(error).catch(done).finally(end);
    asTask(task, () => handler.call(this, msg, sendMarked, finished));
  };
}

/** Notes what the work of a node has tried. Returns what was noted. */
export async function noteAll(RED: NodeAPI, host: ChildHost, task: NodeTask): Promise<Message[]> {
  const all: Message[] = [];
  for (const one of task.notTried) {
    const { kind, text, request }: NotTried = await described(RED, host, one, task.msg);
    host.note({ kind, node: task.node, text, message: request }, task.msg);
    all.push({ text, ...request });
  }
  return all;
}

function isNotTried(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "NOT_TRIED";
}

/** Nothing proves an answer of today, so nothing may say that it is proven. */
function markedToday(messages: unknown): unknown {
  const marked = (msg: unknown) => {
    if (typeof msg !== "object" || msg === null) return msg;
    const { verification, ...crec } = (msg as { crec?: Message }).crec ?? {};
    return { ...msg, crec: { ...crec, today: true } };
  };
  return Array.isArray(messages) ? messages.map(marked) : marked(messages);
}
