import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type ReadyInfo, startService } from "../../service/src/index.ts";
import { Store } from "../../service/src/store/store.ts";
import { freePort } from "./free-port.ts";
import { serviceProgram } from "./service-program.ts";

const CHANNEL = "seeded";
/** Of anvil's own chain. */
const CHAIN_SELECTOR = "7759470850252068959";

/** A real service with a channel that holds many events. */
export type Seeded = {
  readonly channelName: string;
  readonly ready: ReadyInfo;
  /** In the order of their offsets. */
  readonly eventIds: readonly string[];
  close(): Promise<void>;
};

/** One in this process, for tests that do not end it: it starts in a fraction of the time of a process. */
export async function startSeededService(events: number): Promise<Seeded> {
  const { dataDir, eventIds } = await seededFolder(events);
  const service = await startService({ port: 0, dataDir, local: true, strict: true });
  const close = async () => {
    await service.close();
    await remove(dataDir);
  };
  return { channelName: CHANNEL, ready: service.ready, eventIds, close };
}

/** One as a process of its own: it can be killed and comes back on the same port. */
export class SeededService implements Seeded {
  readonly channelName = CHANNEL;
  readonly #dataDir: string;
  readonly #port: number;
  #child: ChildProcess | undefined;
  #ready: ReadyInfo | undefined;
  readonly eventIds: readonly string[];

  private constructor(dataDir: string, eventIds: readonly string[], port: number) {
    this.#dataDir = dataDir;
    this.eventIds = eventIds;
    this.#port = port;
  }

  static async start(events: number): Promise<SeededService> {
    const { dataDir, eventIds } = await seededFolder(events);
    const service = new SeededService(dataDir, eventIds, await freePort());
    await service.launch();
    return service;
  }

  get ready(): ReadyInfo {
    if (this.#ready === undefined) throw new Error("The service has not been launched.");
    return this.#ready;
  }

  async launch(): Promise<void> {
    const child = spawn(
      process.execPath,
      [serviceProgram, "--local", "--strict", "--port", String(this.#port), "--data-dir", this.#dataDir],
      {
        stdio: ["ignore", "pipe", "pipe", "ipc"],
      },
    );
    this.#child = child;
    if (child.stdout === null) throw new Error("The service has no output to read.");
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      // Of a long run, only the end is of interest.
      said = `${said}${chunk}`.slice(-5_000);
    });
    for await (const line of createInterface({ input: child.stdout })) {
      if (!line.startsWith("ready ")) continue;
      this.#ready = JSON.parse(line.slice("ready ".length)) as ReadyInfo;
      return;
    }
    throw new Error(`The service ended before it was ready. It said: ${said}`);
  }

  async kill(): Promise<void> {
    await this.#end("SIGKILL");
  }

  async close(): Promise<void> {
    await this.#end("SIGTERM");
    await remove(this.#dataDir);
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, "exit");
    child.kill(signal);
    await exit;
  }
}

/** Straight into the store: what matters here is how events are read, not how they came to be. */
async function seededFolder(events: number): Promise<{ dataDir: string; eventIds: readonly string[] }> {
  const dataDir = await mkdtemp(join(tmpdir(), "crec-seeded-"));
  const eventIds: string[] = [];
  const store = new Store(dataDir);
  store.events.onAppend(({ eventId }) => eventIds.push(eventId));
  store.transaction(() => {
    const { channel_id: channelId } = store.channels.create({ name: CHANNEL });
    for (let count = 0; count < events; count += 1) {
      const payload = {
        watcher_id: randomUUID(),
        status: "active",
        status_reason: "",
        chain_selector: CHAIN_SELECTOR,
        timestamp: 1_780_000_000 + count,
      };
      store.events.append({ channelId, type: "watcher.status", payload });
    }
  });
  store.close();
  return { dataDir, eventIds };
}

function remove(dataDir: string): Promise<void> {
  return rm(dataDir, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
}
