import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

/** Answers every request with nothing, and remembers which keys came. */
export class KeyListener {
  readonly keys: string[] = [];
  readonly #server: Server;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async open(): Promise<KeyListener> {
    const server = createServer((request, response) => {
      listener.keys.push(String(request.headers.authorization ?? ""));
      response.setHeader("content-type", "application/json").end('{"data": [], "has_more": false}');
    });
    const listener = new KeyListener(server);
    await once(server.listen(0, "127.0.0.1"), "listening");
    return listener;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, "close");
  }
}
