import { EventEmitter, once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { Aedes } from "aedes";

/** A real MQTT broker on a free port, which may go away for a while and come back on the same one. */
export class Broker {
  readonly #published: Array<{ topic: string; payload: unknown }> = [];
  readonly #changed = new EventEmitter();
  readonly #sockets = new Set<Socket>();
  #port = 0;
  #aedes: Aedes | undefined;
  #server: Server | undefined;

  static async start(): Promise<Broker> {
    const broker = new Broker();
    await broker.restart();
    return broker;
  }

  get port(): number {
    return this.#port;
  }

  async restart(): Promise<void> {
    const aedes = await Aedes.createBroker();
    aedes.on("publish", ({ topic, payload }, client) => {
      // The broker's own notices come from no client.
      if (client === null) return;
      this.#published.push({ topic, payload: JSON.parse(payload.toString()) });
      this.#changed.emit("published");
    });
    const server = createServer((socket) => {
      this.#sockets.add(socket.once("close", () => this.#sockets.delete(socket)));
      aedes.handle(socket);
    });
    server.listen(this.#port, "127.0.0.1");
    await once(server, "listening");
    this.#port = (server.address() as AddressInfo).port;
    [this.#aedes, this.#server] = [aedes, server];
  }

  /** What clients have published under a topic, oldest first. */
  published(topic: string): unknown[] {
    return this.#published.filter((one) => one.topic === topic).map(({ payload }) => payload);
  }

  /** Waits for what is published under a topic and `accept` takes. */
  async publishing(topic: string, accept: (payload: unknown) => boolean): Promise<unknown> {
    for (;;) {
      const found = this.published(topic).find(accept);
      if (found !== undefined) return found;
      await once(this.#changed, "published", { signal: AbortSignal.timeout(20_000) });
    }
  }

  /** Goes away, and cuts all connections. */
  async stop(): Promise<void> {
    const [aedes, server] = [this.#aedes, this.#server];
    [this.#aedes, this.#server] = [undefined, undefined];
    if (!aedes || !server) return;
    const closed = once(server, "close");
    server.close();
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => aedes.close(resolve));
    await closed;
  }

  close(): Promise<void> {
    return this.stop();
  }
}
