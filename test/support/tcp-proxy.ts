import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands before a service, counts the connections made to it, and can pass nothing on for a while. */
export class TcpProxy {
  readonly #target: URL;
  /** By the socket of the client: that to the service. */
  readonly #sockets = new Map<Socket, Socket>();
  readonly #held: Array<() => void> = [];
  #mostOpen = 0;
  #isHanging = false;
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

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.port}${this.#target.pathname}`;
  }

  /** The most connections that stood at once. */
  get mostOpen(): number {
    return this.#mostOpen;
  }

  /** Connections that stand. */
  get open(): number {
    return this.#sockets.size;
  }

  /** Accepts connections and passes nothing on, in neither direction, until `resume`. */
  hang(): void {
    this.#isHanging = true;
    for (const socket of [...this.#sockets].flat()) socket.pause();
  }

  /** Passes nothing on over the connections that stand; new ones work. */
  stall(): void {
    for (const socket of [...this.#sockets].flat()) socket.pause();
  }

  /** Passes on what came meanwhile, as a network does that was away. */
  resume(): void {
    this.#isHanging = false;
    for (const pass of this.#held.splice(0)) pass();
    for (const socket of [...this.#sockets].flat()) socket.resume();
  }

  async close(): Promise<void> {
    for (const socket of [...this.#sockets].flat()) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }

  #join(client: Socket): void {
    const service = connect(Number(this.#target.port), this.#target.hostname);
    this.#sockets.set(client, service);
    this.#mostOpen = Math.max(this.#mostOpen, this.#sockets.size);
    const pass = () => client.pipe(service).pipe(client);
    if (this.#isHanging) this.#held.push(pass);
    else pass();
    const end = () => {
      this.#sockets.delete(client);
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) socket.on("error", end).on("close", end);
  }
}
