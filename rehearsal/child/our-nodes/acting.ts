import type { Node } from "node-red";
import { type CallPreview, previewOf } from "../../../nodes/common/contracts/call-preview.ts";
import { contractRegistry } from "../../../nodes/common/contracts/contract-registry.ts";
import type { TransactionInput } from "../../../src/index.ts";
import { type ChildHost, type RehearsalContext, repliesOf } from "../host.ts";
import { idInFlow } from "../runtime-types.ts";
import { asTask, type NodeTask, type NotTried } from "./not-tried.ts";

type Message = Record<string, unknown>;
type Send = (messages: unknown) => void;
type Done = (error?: unknown) => void;
type Handler = (this: Node, msg: Message, send: Send, done: Done) => void;
type On = (this: Node, event: string, callback: Handler) => unknown;
/** The class that Node-RED makes all nodes of. */
export type NodeClass = { on: On; [WRAPPED]?: RehearsalContext };

const WRAPPED = Symbol("crec-rehearsal");

/**
 * From now on, what our nodes could not send becomes an outcome, and a message that says so: a node ends its work with
 * `NOT_TRIED`, and the flow goes on. Without effect on nodes of others.
 */
export function wrapOurNodes(nodeClass: NodeClass, context: RehearsalContext): void {
  const isWrapped = nodeClass[WRAPPED] !== undefined;
  nodeClass[WRAPPED] = context;
  if (isWrapped) return;
  const { on } = nodeClass;
  nodeClass.on = function (this: Node, event, callback) {
    const current = nodeClass[WRAPPED];
    if (event !== "input" || !this.type.startsWith("crec-") || !current)
      return on.call(this, event, callback);
    return on.call(this, event, wrapped(this, callback, current));
  };
}

function wrapped(node: Node, handler: Handler, context: RehearsalContext): Handler {
  const { host } = context;
  const id = idInFlow(node);
  const reply = repliesOf(host.job, id);
  return function (this: Node, msg, send, done) {
    const task: NodeTask = { node: id, type: node.type, msg, notTried: [], hasLiveAnswer: false };
    const end = host.begin();
    const sendMarked: Send = (messages) => send(task.hasLiveAnswer ? markedAsLive(messages) : messages);
    const finish = async (error: unknown): Promise<void> => {
      const noted = await noteAll(context, task);
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
export async function noteAll(context: RehearsalContext, task: NodeTask): Promise<Message[]> {
  const all: Message[] = [];
  for (const one of task.notTried) {
    const { kind, text, request }: NotTried = await described(context, one, task.msg);
    context.host.note({ kind, node: task.node, text, message: request }, task.msg);
    all.push({ text, ...request });
  }
  return all;
}

function isNotTried(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "NOT_TRIED";
}

/** Nothing proves an answer of today, so nothing may say that it is proven. */
function markedAsLive(messages: unknown): unknown {
  const marked = (msg: unknown) => {
    if (typeof msg !== "object" || msg === null) return msg;
    const { verification, ...crec } = (msg as { crec?: Message }).crec ?? {};
    return { ...msg, crec: { ...crec, today: true } };
  };
  return Array.isArray(messages) ? messages.map(marked) : marked(messages);
}

type Request = Record<string, unknown>;
type Calls = { chainSelector: string; from: string | undefined; calls: TransactionInput[] };

/** The same, with its calls as a person reads them: names of functions, values, and amounts where they are known. */
async function described(context: RehearsalContext, what: NotTried, msg: object): Promise<NotTried> {
  const { RED, host } = context;
  const found = callsOf(host, what.request);
  if (!found) return what;
  const calls = await previewOf(contractRegistry(RED), found.chainSelector, found.calls);
  const today =
    host.job.askQueries && what.kind === "operation"
      ? await liveAnswers(host, channelOf(what, msg), found)
      : undefined;
  return {
    kind: what.kind,
    text: `${what.text}: ${calls.map(words).join("; ")}`,
    request: { ...what.request, calls, ...(today ? { today: true, answers: today } : {}) },
  };
}

/** Of an operation or a query that would be sent. */
function callsOf({ job }: ChildHost, request: Request): Calls | undefined {
  const body = (request.body ?? request) as Request;
  const byChain = job.snapshot.networks.find(({ chain_id }) => String(chain_id) === request.chainId);
  const chainSelector = String(body.chain_selector ?? byChain?.chain_selector ?? "");
  const { transactions, params } = body as { transactions?: TransactionInput[]; params?: Request };
  const from = typeof body.address === "string" ? body.address : undefined;
  if (Array.isArray(transactions)) return { chainSelector, from, calls: transactions };
  if (!params?.contract_address) return undefined;
  const call = { to: String(params.contract_address), data: String(params.call_data ?? "0x"), value: "0" };
  return { chainSelector, from: undefined, calls: [call as TransactionInput] };
}

/** The channel of a request, else that of the message: a node notes it there before it signs. */
function channelOf({ request }: NotTried, { crec }: { crec?: Request }): string {
  const [, ofPath] = /^\/channels\/([^/]+)/.exec(String(request.path ?? "")) ?? [];
  return ofPath ?? String(crec?.channelId ?? "");
}

/** Each call for itself: what one changes, the next does not see. */
function liveAnswers(host: ChildHost, channelId: string, { chainSelector, from, calls }: Calls) {
  return Promise.all(
    calls.map(({ to, data, value }) => {
      const call = { channelId, chainSelector, to, data: String(data ?? "0x"), value: String(value) };
      return host.ask(from === undefined ? call : { ...call, from });
    }),
  );
}

function words({ contract, to, ether, function: signature, args, tokens }: CallPreview): string {
  const values = { ...args, ...tokens };
  const list = Object.entries(values).map(([name, value]) => `${name}: ${plain(value)}`);
  const name = signature?.split("(", 1)[0];
  const paid = ether === undefined ? "" : ` with ${ether} ether`;
  const called = name === undefined ? (contract ?? to) : `${contract ?? to}.${name}(${list.join(", ")})`;
  return `${called}${paid}`;
}

function plain(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
