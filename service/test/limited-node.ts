import { setTimeout as sleep } from "node:timers/promises";
import { forwarded, startRpcServer } from "./rpc-server.ts";

export type Call = { id: number; method: string; params: unknown[] };
/** An answer in place of the node's: its status, headers and body. */
export type Refusal = { status?: number; headers?: Record<string, string>; body: unknown };

/** How providers refuse a batch that is too large. */
export const BATCH_REFUSALS: Readonly<Record<string, (calls: Call[]) => Refusal>> = {
  "one object": () => ({ body: error(null, -32005, "batch limit exceeded") }),
  "one object of odd words": () => ({ status: 400, body: error(null, -32600, "das geht so nicht") }),
  "a list of one error": ([first]) => ({ body: [error(first?.id, -32600, "batch too large")] }),
  "an error for each call": (calls) => ({
    body: calls.map(({ id }) => error(id, -32010, "The batch request was too large")),
  }),
  "the status 413": () => ({ status: 413, body: "Request Entity Too Large" }),
  "a page of HTML": () => ({ status: 400, headers: { "content-type": "text/html" }, body: "<h1>No</h1>" }),
};

export function error(id: unknown, code: number, message: string) {
  return { jsonrpc: "2.0", id, error: { code, message } };
}

/** A way to a node, or to a function that plays one, with the limits of a provider. */
export class LimitedNode {
  readonly url: string;
  readonly close: () => void;
  /** All requests so far, refused or not. */
  readonly asked: Call[][] = [];
  /** Refuses a request; none is until somebody sets it. */
  refuse: (calls: Call[]) => Refusal | undefined = () => undefined;
  /** How many milliseconds the answer to a request takes. */
  delay: (calls: Call[]) => number = () => 0;
  /** Replaces the node's answer to a call. */
  edit: (call: Call, answer: object) => object | Promise<object> = (_, answer) => answer;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.close = close;
  }

  static async start(node: string | ((call: Call) => unknown)): Promise<LimitedNode> {
    const { url, close } = await startRpcServer(async (text, response) => {
      const noNode: Refusal = { status: 502, body: "no node" };
      const { status = 200, headers = {}, body } = await answer(text).catch(() => noNode);
      response.writeHead(status, { "content-type": "application/json", ...headers });
      response.end(typeof body === "string" ? body : JSON.stringify(body));
    });
    const limited = new LimitedNode(url, close);
    const answer = async (text: string): Promise<Refusal> => {
      const body = JSON.parse(text) as Call | Call[];
      const calls = [body].flat();
      limited.asked.push(calls);
      const refusal = limited.refuse(calls);
      if (refusal !== undefined) return refusal;
      await sleep(limited.delay(calls));
      const answers = await Promise.all(
        calls.map(async (call) => limited.edit(call, await answerOf(node, call))),
      );
      return { body: Array.isArray(body) ? answers : answers[0] };
    };
    return limited;
  }

  /** How many calls there were in each request since some moment: `asked.length` then. */
  sizes(since = 0): number[] {
    return this.asked.slice(since).map((calls) => calls.length);
  }
}

async function answerOf(node: string | ((call: Call) => unknown), call: Call): Promise<object> {
  if (typeof node === "string") return await forwarded(node, call);
  return { jsonrpc: "2.0", id: call.id, result: node(call) };
}

/** No more blocks of logs in one go than so many, in these words. */
export function rangeLimit(blocks: number, message: string): Pick<LimitedNode, "refuse"> {
  const isTooLong = ({ method, params }: Call) => {
    if (method !== "eth_getLogs") return false;
    const { fromBlock, toBlock } = params[0] as Record<"fromBlock" | "toBlock", string>;
    return Number(toBlock) - Number(fromBlock) + 1 > blocks;
  };
  return {
    refuse: (calls) => {
      const [call] = calls.filter(isTooLong);
      return call === undefined ? undefined : { body: error(call.id, -32000, message) };
    },
  };
}
