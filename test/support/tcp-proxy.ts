import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands before a service, counts the connections made to it, and can cut them or pass nothing on for a while. */
export class TcpProxy {
  /** Changes what clients send, such as the text of a statement. The length has to stay the same. */
  alter: ((sent: string) => string) | undefined;
  /** What it stands before. */
  target: URL;
  /** By the socket of the client: that to the service. */
  readonly #sockets = new Map<Socket, Socket>();
  readonly #held: Array<() => void> = [];
  #mostOpen = 0;
  #isHanging = false;
  #isCut = false;
  /** What a client must send next for it to hang, and what is called then. */
  #trigger: { text: string; hangs: () => void } | undefined;
  readonly #server = createServer((socket) => this.#join(socket));

  private constructor(target: URL) {
    this.target = target;
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
    return `http://127.0.0.1:${this.port}${this.target.pathname}`;
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

  /** Resolves when a client sends something with this text. It hangs from then on, and passes this on at `resume`. */
  hangAt(text: string): Promise<void> {
    return new Promise((resolve) => {
      this.#trigger = { text, hangs: resolve };
    });
  }

  /** Passes on what came meanwhile, as a network does that was away. */
  resume(): void {
    this.#isHanging = false;
    for (const pass of this.#held.splice(0)) pass();
    for (const socket of [...this.#sockets].flat()) socket.resume();
  }

  /** Ends all connections, and each new one, until `restore`. */
  cut(): void {
    this.#isCut = true;
    this.#destroyAll();
  }

  restore(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    this.#destroyAll();
    this.#server.close();
    await once(this.#server, "close");
  }

  #destroyAll(): void {
    for (const socket of [...this.#sockets].flat()) socket.destroy();
  }

  #join(client: Socket): void {
    if (this.#isCut) {
      client.on("error", () => {}).destroy();
      return;
    }
    const service = connect(Number(this.target.port), this.target.hostname);
    this.#sockets.set(client, service);
    this.#mostOpen = Math.max(this.#mostOpen, this.#sockets.size);
    const pass = () => {
      client.on("data", (chunk: Buffer) => this.#pass(this.#altered(chunk), service));
      client.on("end", () => service.end());
      service.pipe(client);
    };
    if (this.#isHanging) this.#held.push(pass);
    else pass();
    const end = () => {
      this.#sockets.delete(client);
      client.destroy();
      service.destroy();
    };
    for (const socket of [client, service]) socket.on("error", end).on("close", end);
  }

  #pass(chunk: Buffer, service: Socket): void {
    const trigger = this.#trigger;
    if (trigger !== undefined && chunk.includes(trigger.text)) {
      this.#trigger = undefined;
      this.hang();
      trigger.hangs();
    }
    if (this.#isHanging) this.#held.push(() => service.write(chunk));
    else service.write(chunk);
  }

  #altered(chunk: Buffer): Buffer {
    if (this.alter === undefined) return chunk;
    // Latin 1 keeps each byte.
    const altered = Buffer.from(this.alter(chunk.toString("latin1")), "latin1");
    if (altered.length !== chunk.length) throw new Error("The length of what is sent has to stay the same.");
    return altered;
  }
}
