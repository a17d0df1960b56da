import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type ReadyInfo, startService } from "../../service/src/index.ts";
import { Store } from "../../service/src/store/store.ts";

const CLI = fileURLToPath(new URL("../../service/src/cli.ts", import.meta.url));

/** The real service as a process of its own, with a channel that holds many events; it can be killed and comes back on the same port. */
export class SeededService {
  readonly channelName = "seeded";
  readonly #dataDir: string;
  readonly #port: number;
  #child: ChildProcess | undefined;
  ready: ReadyInfo;
  /** In the order of their offsets. */
  readonly eventIds: string[] = [];

  private constructor(dataDir: string, port: number, ready: ReadyInfo) {
    this.#dataDir = dataDir;
    this.#port = port;
    this.ready = ready;
  }

  static async start(events: number): Promise<SeededService> {
    const dataDir = await mkdtemp(join(tmpdir(), "crec-seeded-"));
    const first = await startService({ port: 0, dataDir, blockTimeMs: 100 });
    const { base_url, api_key } = first.ready;
    const created = await fetch(`${base_url}/channels`, {
      method: "POST",
      headers: { Authorization: `Apikey ${api_key}`, "Content-Type": "application/json" },
      body: JSON.stringify({ name: "seeded" }),
    });
    const { channel_id } = (await created.json()) as { channel_id: string };
    await first.close();
    const service = new SeededService(dataDir, await freePort(), first.ready);
    service.#seed(channel_id, events);
    await service.launch();
    service.eventIds.push(...(await service.#readIds(channel_id)));
    return service;
  }

  async launch(): Promise<void> {
    const child = spawn(
      process.execPath,
      [CLI, "--local", "--port", String(this.#port), "--data-dir", this.#dataDir],
      {
        stdio: ["ignore", "pipe", "ignore", "ipc"],
      },
    );
    this.#child = child;
    if (child.stdout === null) throw new Error("The service has no output to read.");
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("ready ")) continue;
      this.ready = JSON.parse(line.slice("ready ".length)) as ReadyInfo;
      return;
    }
    throw new Error("The service ended before it was ready.");
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async close(): Promise<void> {
    await this.#end("SIGTERM");
    await rm(this.#dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }

  /** Straight into the store: what matters here is how events are read, not how they came to be. */
  #seed(channelId: string, events: number): void {
    const store = new Store(this.#dataDir);
    store.transaction(() => {
      for (let count = 0; count < events; count += 1) {
        const payload = {
          watcher_id: randomUUID(),
          status: "active",
          status_reason: "",
          chain_selector: this.ready.chain_selector,
          timestamp: 1_780_000_000 + count,
        };
        store.events.append({ channelId, type: "watcher.status", payload });
      }
    });
    store.close();
  }

  async #readIds(channelId: string): Promise<string[]> {
    const ids: string[] = [];
    for (;;) {
      const url = `${this.ready.base_url}/channels/${channelId}/events?offset=${ids.length + 1}&limit=200`;
      const answer = await fetch(url, { headers: { Authorization: `Apikey ${this.ready.api_key}` } });
      const { events } = (await answer.json()) as { events: Array<{ event_id: string }> };
      if (events.length === 0) return ids;
      ids.push(...events.map(({ event_id }) => event_id));
    }
  }
}

/** A port that was free a moment ago: the service must come back on the one it had. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, "close");
  return port;
}
