import { once } from "node:events";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request on its way to the service. `path` is without the query, `at` in milliseconds of a steady clock. */
export type Passing = { method: string; path: string; query: string; at: number };

/** What becomes of a request that is not simply passed on. */
export type Harm =
  | { kind: "stall" }
  | { kind: "answer"; status: number; body: string; type?: string }
  | { kind: "change"; change: (body: string) => string };

/** Stands before the real service: counts what passes, does harm where it is told to, and can be down. */
export class ServiceProxy {
  readonly passed: Passing[] = [];
  /** Asked for each request; without harm it is passed on as it is. */
  harm: (request: Passing) => Harm | undefined = () => undefined;
  readonly #target: URL;
  readonly #listeners = new Set<(passing: Passing) => void>();
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
    const passing: Passing = { method, path: pathname, query: search, at: performance.now() };
    this.passed.push(passing);
    const harm = this.harm(passing);
    for (const listener of [...this.#listeners]) listener(passing);
    if (harm?.kind === "stall") return;
    if (harm?.kind === "answer") {
      response.writeHead(harm.status, { "content-type": harm.type ?? "application/json" }).end(harm.body);
      return;
    }
    const body = Buffer.concat(await request.toArray());
    const answer = await fetch(new URL(pathname + search, this.#target), {
      method,
      headers: headersToPass(request),
      ...(body.length === 0 ? {} : { body }),
    });
    const text = await answer.text();
    response.writeHead(answer.status, { "content-type": answer.headers.get("content-type") ?? "text/plain" });
    response.end(harm?.kind === "change" ? harm.change(text) : text);
  }
}

function headersToPass({ headers }: IncomingMessage): Record<string, string> {
  const passed: Record<string, string> = {};
  for (const name of ["authorization", "content-type", "accept"] as const) {
    const value = headers[name];
    if (value !== undefined) passed[name] = value;
  }
  return passed;
}
