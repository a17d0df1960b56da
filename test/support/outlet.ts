import { EventEmitter, once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that an outlet received. */
export type Received = { path: string; headers: IncomingHttpHeaders; body: string; answered: number };

/** An HTTP server in place of a chat, a pager or any other receiver of alerts. */
export class Outlet {
  /** The status of the next answers; 0 cuts the connection, and `undefined` never answers. */
  answer: number | undefined = 200;
  readonly #received: Received[] = [];
  readonly #changed = new EventEmitter();
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(): Promise<Outlet> {
    const server = createServer();
    const outlet = new Outlet(server);
    server.on("request", (request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const { answer } = outlet;
        if (answer === 0) request.socket.destroy();
        else if (answer !== undefined) response.writeHead(answer).end("ok");
        const { url: path = "", headers } = request;
        const body = Buffer.concat(parts).toString();
        outlet.#received.push({ path, headers, body, answered: answer ?? -1 });
        outlet.#changed.emit("received");
      });
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return outlet;
  }

  /** What it is reached at, with this path behind. */
  url(path = "/"): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  /** Everything received so far, oldest first; of one path where it is given. */
  received(path?: string): Received[] {
    return this.#received.filter((one) => path === undefined || one.path === path);
  }

  /** Waits until this many requests, or more, have arrived that `accept` takes. */
  async receiving(count: number, accept: (one: Received) => boolean = () => true): Promise<Received[]> {
    for (;;) {
      const found = this.#received.filter(accept);
      if (found.length >= count) return found;
      await once(this.#changed, "received", { signal: AbortSignal.timeout(60_000) });
    }
  }

  async close(): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}
