import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse, request as send } from "node:http";
import type { AddressInfo } from "node:net";
import { pipeline } from "node:stream/promises";

export type Answer = { status: number; body: string };

/**
 * What becomes of an answer after the service has done everything that was asked of it. `gone` resolves when the
 * client waits for it no more.
 */
export type Alteration = (answer: Answer, gone: Promise<void>) => Answer | Promise<Answer>;

type Rule = { method: string; path: string } & ({ alter: Alteration } | { held: PromiseWithResolvers<void> });

/**
 * Stands before the real service and passes everything on, broken connections and half answers too.
 * Where it is told to, it alters an answer on its way back.
 */
export class AlteringProxy {
  /** `POST /channels/…` for each request that has come, oldest first. */
  readonly passed: string[] = [];
  readonly #target: URL;
  #rules: Rule[] = [];
  /** Rules by which requests are being held. */
  readonly #holding = new Set<Rule>();
  readonly #passing = new Set<Promise<void>>();
  readonly #server = createServer((incoming, outgoing) => {
    const passing = this.#pass(incoming, outgoing).catch(() => void outgoing.destroy());
    this.#passing.add(passing);
    passing.finally(() => this.#passing.delete(passing));
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

  /**
   * Holds the next request of this method whose path holds `path` until its client has given up, and tried again or
   * the test is over.
   */
  holdNext(method: string, path: string): void {
    this.#rules.push({ method, path, held: Promise.withResolvers() });
  }

  /** Lets go what is still held, and resolves when the service has answered all that came. */
  async settled(): Promise<void> {
    for (const rule of this.#holding) if ("held" in rule) rule.held.resolve();
    await Promise.all(this.#passing);
  }

  /** How many rules wait for a request whose path holds `path`. */
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
    const gone = once(outgoing, "close").then(() => undefined);
    const body = Buffer.concat(await incoming.toArray());
    for (const one of this.#holding) {
      if ("held" in one && one.method === method && url.includes(one.path)) one.held.resolve();
    }
    // What is altered is read first.
    if (rule && "alter" in rule) delete headers["accept-encoding"];
    const isHeld = rule !== undefined && "held" in rule;
    if (isHeld) {
      this.#holding.add(rule);
      await Promise.all([gone, rule.held.promise]);
      this.#holding.delete(rule);
    }
    const onward = send(new URL(url, this.#target), { method, headers, agent: false });
    const answered = once(onward, "response") as Promise<[IncomingMessage]>;
    // A client that leaves breaks the service's connection, too, as without a proxy.
    if (!isHeld) outgoing.once("close", () => outgoing.writableFinished || onward.destroy());
    onward.end(body);
    const [answer] = await answered;
    const status = answer.statusCode ?? 502;
    if (rule === undefined) {
      outgoing.writeHead(status, answer.headers);
      await pipeline(answer, outgoing);
      return;
    }
    const text = Buffer.concat(await answer.toArray()).toString();
    if (!("alter" in rule)) return;
    const altered = await rule.alter({ status, body: text }, gone);
    outgoing.writeHead(altered.status, { "content-type": "application/json" }).end(altered.body);
  }
}

/** An answer that comes only when the client waits for it no more. */
export const late: Alteration = async (answer, gone) => {
  await gone;
  return answer;
};
