import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that a stand-in received. */
export type Asked = { method: string; path: string; headers: IncomingHttpHeaders; body: Buffer };

export type Answer = { status: number; headers?: Record<string, string>; body: unknown };

/** What becomes of a request: lost on its way there, lost on its way back, never answered, or answered by a proxy. */
export type Fault = "cut before" | "cut after" | "silent" | Answer;

/** An HTTP server on a free port in place of a key service that nobody can run here. */
export class StandIn {
  /** Of the next requests, in their order; `undefined` for none. */
  readonly faults: Array<Fault | undefined> = [];
  readonly asked: Asked[] = [];
  answer: (asked: Asked) => Answer = () => ({ status: 404, body: {} });
  readonly #changed = new EventEmitter();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<StandIn> {
    const server = createServer();
    const standIn = new StandIn(server);
    server.on("request", (request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { method = "", url: path = "", headers } = request;
        const asked = { method, path, headers, body: Buffer.concat(parts) };
        standIn.asked.push(asked);
        const fault = standIn.faults.shift();
        if (fault === undefined) send(response, standIn.answer(asked));
        else if (fault === "cut before") request.socket.destroy();
        else if (fault === "cut after") {
          standIn.answer(asked);
          request.socket.destroy();
        } else if (fault !== "silent") send(response, fault);
        standIn.changed();
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Waits until `found` finds something; it looks again after each request and each change. */
  async until<T>(found: () => T | undefined): Promise<T> {
    for (;;) {
      const result = found();
      if (result !== undefined) return result;
      await once(this.#changed, "changed", { signal: AbortSignal.timeout(60_000) });
    }
  }

  changed(): void {
    this.#changed.emit("changed");
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

function send(response: ServerResponse, { status, headers, body }: Answer): void {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  response.writeHead(status, { "content-type": "application/json", ...headers }).end(text);
}
