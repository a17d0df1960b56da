import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";

export type Answer = { status: number; body: string };

/** What becomes of an answer after the service has done everything that was asked of it. */
export type Alteration = (answer: Answer) => Answer | Promise<Answer>;

type Rule = { method: string; path: string; alter: Alteration };

/**
 * Stands before the real service and passes everything on, broken connections and half answers too.
 * Where it is told to, it alters an answer on its way back.
 */
export class AlteringProxy {
  /** `POST /channels/…` for each request that has come, oldest first. */
  readonly passed: string[] = [];
  readonly #target: URL;
  #rules: Rule[] = [];
  readonly #server = createServer((incoming, outgoing) => {
    this.#pass(incoming, outgoing).catch(() => outgoing.destroy());
  });

  private constructor(target: URL) {
    this.#target = target;
  }

  static async before(baseUrl: string): Promise<AlteringProxy> {
    const proxy = new AlteringProxy(new URL(baseUrl));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Alters the answer to the next request of this method whose path holds `path`. */
  alterNext(method: string, path: string, alter: Alteration): void {
    this.#rules.push({ method, path, alter });
  }

  /** How many alterations wait for a request whose path holds `path`. */
  waiting(path: string): number {
    return this.#rules.filter((rule) => rule.path.includes(path)).length;
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async #pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "GET", url = "/", headers } = incoming;
    this.passed.push(`${method} ${url}`);
    const rule = this.#rules.find((one) => one.method === method && url.includes(one.path));
    this.#rules = this.#rules.filter((one) => one !== rule);
    const onward = send(new URL(url, this.#target), { method, headers, agent: false });
    const answered = once(onward, "response") as Promise<[IncomingMessage]>;
    // Either side that breaks breaks the other.
    pipeline(incoming, onward).catch(() => {});
    const [answer] = await answered;
    const status = answer.statusCode ?? 502;
    if (!rule) {
      outgoing.writeHead(status, answer.headers);
      await pipeline(answer, outgoing);
      return;
    }
    const altered = await rule.alter({ status, body: Buffer.concat(await answer.toArray()).toString() });
    outgoing.writeHead(altered.status, { "content-type": "application/json" }).end(altered.body);
  }
}

/** Answers that come to the client only when it does not wait for them any more. */
export function late(ms: number): Alteration {
  return async (answer) => {
    await sleep(ms);
    return answer;
  };
}
