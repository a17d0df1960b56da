import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands before a service and counts the connections made to it. */
export class TcpProxy {
  readonly #target: URL;
  readonly #sockets = new Set<Socket>();
  #mostOpen = 0;
  readonly #server = createServer((socket) => this.#join(socket));

  private constructor(target: URL) {
    this.#target = target;
  }

  static async before(baseUrl: string): Promise<TcpProxy> {
    const proxy = new TcpProxy(new URL(baseUrl));
    proxy.#server.listen(0, "127.0.0.1");
    await once(proxy.#server, "listening");
    return proxy;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${this.#target.pathname}`;
  }

  /** The most connections that stood at once. */
  get mostOpen(): number {
    return this.#mostOpen;
  }

  /** Connections that stand. */
  get open(): number {
    return this.#sockets.size;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    this.#sockets.add(client);
    this.#mostOpen = Math.max(this.#mostOpen, this.#sockets.size);
    const service = connect(Number(this.#target.port), this.#target.hostname);
    client.pipe(service).pipe(client);
    const end = () => {
      this.#sockets.delete(client);
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) socket.on("error", end).on("close", end);
  }
}
