import { forwarded, startRpcServer } from "./rpc-server.ts";

export type RpcCall = { id: number; method: string; params: unknown[] };

/** What happens to a call: nothing special, its answer is lost, or this is the answer and the node never knows. */
export type Fate =
  | undefined
  | "lose answer"
  | { error: { code: number; message: string } }
  | { result: unknown };

/** A way to a node on which answers can be lost or replaced. */
export class RpcProxy {
  readonly url: string;
  readonly close: () => void;
  /** Decides on each call; all are left alone until somebody sets it. */
  fateOf: (call: RpcCall) => Fate | Promise<Fate> = () => undefined;

  private constructor(url: string, close: () => void) {
    this.url = url;
    this.close = close;
  }

  static async start(target: string): Promise<RpcProxy> {
    const { url, close } = await startRpcServer(async (body, response) => {
      response.end(await answer(body));
    });
    const proxy = new RpcProxy(url, close);
    const answer = async (body: string): Promise<string> => {
      const asked = JSON.parse(body) as RpcCall | RpcCall[];
      const calls = [asked].flat();
      const fates = await Promise.all(calls.map((call) => proxy.fateOf(call)));
      const answers = await Promise.all(
        calls.map(async (call, index) => {
          const fate = fates[index];
          if (typeof fate === "object") return { jsonrpc: "2.0", id: call.id, ...fate };
          return await forwarded(target, call);
        }),
      );
      if (fates.includes("lose answer")) throw new Error("lost");
      return JSON.stringify(Array.isArray(asked) ? answers : answers[0]);
    };
    return proxy;
  }
}
