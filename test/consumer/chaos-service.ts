import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { type ChaosEvent, type ChaosScenario, type Faults, idOf } from "./chaos-scenario.ts";
import { SimulatedChannel } from "./simulation.ts";

/** A faulty service on a real socket: each of its channels has the events of one scenario. */
export class ChaosService {
  readonly #world: ChaosScenario;
  readonly #published: Array<ChaosEvent & { visibleAt: number }> = [];
  readonly #server = createServer((request, response) => {
    // A client that is killed leaves its answers to nobody.
    this.#answer(request, response).catch(() => response.destroy());
  });
  #isCalm = false;
  #droughtUntil = 0;
  /** How often each kind of fault was made. */
  readonly made: Partial<Record<keyof Faults, number>> = {};

  private constructor(world: ChaosScenario) {
    this.#world = world;
  }

  static async start(world: ChaosScenario): Promise<ChaosService> {
    const service = new ChaosService(world);
    service.#server.listen(0, "127.0.0.1");
    await once(service.#server, "listening");
    return service;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Publishes what a life brings, each event at its time. */
  publish(life: number): void {
    const now = performance.now();
    const events = this.#world.events.filter((event) => event.life === life);
    const last = Math.max(...events.filter(({ isOvertaken }) => !isOvertaken).map(offsetOf));
    for (const event of events) {
      const waits = event.isOvertaken === true && offsetOf(event) < last;
      const visibleAt = waits ? Number.POSITIVE_INFINITY : now + event.afterMs + event.lateMs;
      this.#published.push({ ...event, visibleAt });
    }
  }

  /** For a while no page has an event. */
  beginDrought(): void {
    this.#droughtUntil = performance.now() + this.#world.droughtMs;
  }

  /** Resolves when everything that was published is visible, but for what is to be overtaken. */
  async allVisible(): Promise<void> {
    const times = this.#published.map(({ visibleAt }) => visibleAt).filter(Number.isFinite);
    const last = Math.max(0, ...times);
    await sleep(Math.max(0, last - performance.now()));
  }

  /** From now on nothing goes wrong any more. Its habits stay. */
  calm(): void {
    this.#isCalm = true;
    this.#droughtUntil = 0;
  }

  async close(): Promise<void> {
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, "close");
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (this.#happens("fails")) return refuse(response, 500, "INTERNAL_ERROR");
    if (this.#happens("limits")) {
      if (this.#world.random() < 0.2) response.setHeader("retry-after", "1");
      return refuse(response, 429, "RATE_LIMITED");
    }
    const { searchParams } = new URL(request.url ?? "/", "http://localhost");
    const text = JSON.stringify(await this.#page(searchParams));
    const isSmall = this.#happens("gzips") && String(request.headers["accept-encoding"]).includes("gzip");
    const body = isSmall ? gzipSync(text) : Buffer.from(text);
    response.setHeader("content-type", "application/json");
    if (isSmall) response.setHeader("content-encoding", "gzip");
    const half = Math.floor(body.length * this.#world.random());
    if (this.#happens("cuts")) {
      response.setHeader("content-length", body.length);
      response.write(body.subarray(0, half), () => response.destroy());
      return;
    }
    if (this.#happens("slows")) {
      response.write(body.subarray(0, half));
      await sleep(this.#world.slowMs * this.#world.random());
      response.end(body.subarray(half));
    } else response.end(body);
  }

  async #page(query: URLSearchParams) {
    const now = performance.now();
    const isEmpty = now < this.#droughtUntil || this.#happens("empties");
    const until = this.#happens("lags") ? now - this.#world.lagMs * this.#world.random() : now;
    const channel = new SimulatedChannel(this.#world.habits);
    const visible = this.#published.filter(({ visibleAt }) => visibleAt <= until);
    if (!isEmpty) channel.publish(...visible.map(({ event }) => event));
    const [offset, type] = [query.get("offset"), query.get("type")];
    const limit = Number(query.get("limit") ?? 200);
    return channel.poll({
      limit: this.#happens("shorts") ? Math.ceil(limit * this.#world.random()) : limit,
      ...(offset === null ? {} : { offset: Number(offset) }),
      ...(type === null ? {} : { type }),
    });
  }

  /** A consumer has processed an event: earlier ones that waited for that are late now. */
  processed(id: string): void {
    const offset = Math.max(-1, ...this.#published.filter(({ event }) => idOf(event) === id).map(offsetOf));
    const now = performance.now();
    for (const event of this.#published) {
      if (event.visibleAt === Number.POSITIVE_INFINITY && offsetOf(event) < offset)
        event.visibleAt = now + event.lateMs;
    }
  }

  #happens(fault: keyof Faults): boolean {
    const happens = this.#world.random() < this.#world.faults[fault];
    // Compression is not a fault.
    if (!happens || (this.#isCalm && fault !== "gzips")) return false;
    this.made[fault] = (this.made[fault] ?? 0) + 1;
    return true;
  }
}

function offsetOf({ event }: ChaosEvent): number {
  return event.headers.offset;
}

function refuse(response: ServerResponse, status: number, type: string): void {
  response.statusCode = status;
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify({ type, message: "A fault of the scenario." }));
}
