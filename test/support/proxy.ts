import { once } from "node:events";
import {
  Agent,
  request as ask,
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";

/**
 * A request on its way to the service. `path` is without the query, `at` in milliseconds of a steady clock, and `body` as
 * far as it has come.
 */
export type Passing = { method: string; path: string; query: string; at: number; body: string };

/** What becomes of a request that is not simply passed on. */
export type Harm =
  | { kind: "stall" }
  /** It reaches the service later. */
  | { kind: "hold"; until: Promise<void> }
  | { kind: "answer"; status: number; body: string; type?: string }
  | { kind: "change"; change: (body: string) => string };

/** Stands before the real service: counts what passes, does harm where it is told to, and can be down. */
export class ServiceProxy {
  readonly passed: Passing[] = [];
  /** Asked for each request; without harm it is passed on as it is. */
  harm: (request: Passing) => Harm | undefined = () => undefined;
  readonly #target: URL;
  readonly #listeners = new Set<(passing: Passing) => void>();
  readonly #agent = new Agent({ keepAlive: true });
  #server: Server;
  #port = 0;

  private constructor(target: URL) {
    this.#target = target;
    this.#server = this.#newServer();
  }

  static async before(baseUrl: string): Promise<ServiceProxy> {
    const proxy = new ServiceProxy(new URL(baseUrl));
    await proxy.#listen();
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#port}${this.#target.pathname}`;
  }

  /** From now on nothing listens at the address. */
  async goDown(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  async comeBack(): Promise<void> {
    this.#server = this.#newServer();
    await this.#listen();
  }

  async close(): Promise<void> {
    if (this.#server.listening) await this.goDown();
    this.#agent.destroy();
  }

  /** The next `count` requests that `accept` takes, once they have come. */
  next(count: number, accept: (passing: Passing) => boolean = () => true): Promise<Passing[]> {
    const taken: Passing[] = [];
    return new Promise((resolve) => {
      const listener = (passing: Passing) => {
        if (!accept(passing)) return;
        taken.push(passing);
        if (taken.length < count) return;
        this.#listeners.delete(listener);
        resolve(taken);
      };
      this.#listeners.add(listener);
    });
  }

  #newServer(): Server {
    return createServer((request, response) => {
      this.#pass(request, response).catch(() => response.destroy());
    });
  }

  async #listen(): Promise<void> {
    this.#server.listen(this.#port, "127.0.0.1");
    await once(this.#server, "listening");
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url ?? "/", this.#target);
    const method = request.method ?? "GET";
    const passing: Passing = { method, path: pathname, query: search, at: performance.now(), body: "" };
    request.on("data", (part: Buffer) => {
      passing.body += part.toString();
    });
    this.passed.push(passing);
    const harm = this.harm(passing);
    for (const listener of [...this.#listeners]) listener(passing);
    if (harm?.kind === "stall") return;
    if (harm?.kind === "answer") {
      response.writeHead(harm.status, { "content-type": harm.type ?? "application/json" }).end(harm.body);
      return;
    }
    if (harm?.kind === "hold") await harm.until;
    const answer = await this.#ask(request, method, pathname + search, passing);
    const type = answer.headers["content-type"] ?? "text/plain";
    if (harm?.kind === "change") {
      const changed = harm.change(await text(answer));
      response.writeHead(answer.statusCode ?? 502, { "content-type": type }).end(changed);
      return;
    }
    response.writeHead(answer.statusCode ?? 502, { "content-type": type });
    await pipeline(answer, response);
  }

  /** By node:http, and never compressed: a fetch takes three times the processor time. */
  async #ask(
    request: IncomingMessage,
    method: string,
    path: string,
    passing: Passing,
  ): Promise<IncomingMessage> {
    const asking = ask(new URL(path, this.#target), {
      agent: this.#agent,
      method,
      headers: headersToPass(request),
    });
    // One that was held has come as a whole meanwhile.
    if (request.readableEnded) asking.end(passing.body);
    else request.pipe(asking);
    const [answer] = (await once(asking, "response")) as [IncomingMessage];
    return answer;
  }
}

function headersToPass({ headers }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of ["authorization", "content-type", "content-length", "accept"] as const) {
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
