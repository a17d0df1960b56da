import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { EventEnvelope, Operation, Query, Wallet, Watcher } from "../../src/protocol/index.ts";
import { eventually } from "../../test/support/eventually.ts";
import { serviceProgram } from "../../test/support/service-program.ts";
import { type ReadyInfo, type RunningService, type ServiceOptions, startService } from "../src/index.ts";
import { createLog, type Log } from "../src/log.ts";

export const BLOCK_TIME_MS = 100;

/** A folder of its own for one test file; removed by `dispose`. */
export function temporaryFolder(): { path: string; dispose(): void } {
  const path = mkdtempSync(join(tmpdir(), "crec-service-"));
  return { path, dispose: () => rmSync(path, { recursive: true, force: true }) };
}

/** A log whose messages go to a function. */
export function logTo(tell: (message: string) => void): Log {
  const to = { write: (line: string) => tell((JSON.parse(line) as { msg: string }).msg) };
  return createLog({ format: "json", to });
}

/** A service in this process on a fresh data directory: strict, unless a test says otherwise. */
export async function startTestService(
  options: Partial<ServiceOptions> = {},
): Promise<{ api: Api; service: RunningService; dispose(): Promise<void> }> {
  const folder = temporaryFolder();
  const service = await startService({
    dataDir: folder.path,
    blockTimeMs: BLOCK_TIME_MS,
    local: true,
    strict: true,
    ...options,
  });
  return {
    api: new Api(service.ready),
    service,
    async dispose() {
      await service.close();
      folder.dispose();
    },
  };
}

/** A service in a process of its own: one that can be killed. */
export async function spawnService(
  dataDir: string,
  options: { args?: string[]; env?: Record<string, string> } = {},
): Promise<{
  child: ChildProcess;
  api: Api;
  ready: ReadyInfo;
  exited: Promise<number | null>;
  /** What it wrote to stderr so far. */
  errors: () => string;
}> {
  const { child, exited, errors } = spawnCli(
    [
      ...["--port", "0", "--data-dir", dataDir, "--block-time", String(BLOCK_TIME_MS), "--local", "--strict"],
      ...(options.args ?? []),
    ],
    options.env,
  );
  for await (const line of createInterface({ input: child.stdout ?? process.stdin })) {
    if (!line.startsWith("ready ")) continue;
    const ready = JSON.parse(line.slice("ready ".length)) as ReadyInfo;
    return { child, api: new Api(ready), ready, exited, errors };
  }
  throw new Error(`The service ended before it was ready: ${errors()}`);
}

/** Every status of an operation that is executed and becomes final, in order. */
export const CONFIRMED_PATH = [
  "accepted",
  "sending",
  "sent",
  "broadcasting",
  "confirmed_latest",
  "confirmed_safe",
  "confirmed",
];

/** As `npm run service` starts it. */
const AS_STARTED = "--max-semi-space-size=4";

/** The command line as a process, with an IPC channel as a launcher has. */
export function spawnCli(args: string[], env: Record<string, string> = {}) {
  const child = spawn(process.execPath, [AS_STARTED, serviceProgram, ...args], {
    stdio: ["ignore", "pipe", "pipe", "ipc"],
    env: { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE, ...env },
  });
  let errors = "";
  child.stderr?.on("data", (chunk) => {
    errors += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve));
  return { child, exited, errors: () => errors };
}

export type Answer<T = Record<string, unknown>> = { status: number; headers: Headers; body: T };

/** The service's interface with its key; no retries, no judgement of the answer. */
export class Api {
  readonly ready: ReadyInfo;

  constructor(ready: ReadyInfo) {
    this.ready = ready;
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer<T>> {
    const response = await fetch(this.ready.base_url + path, {
      method,
      headers: {
        authorization: `Apikey ${this.ready.api_key}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: (await response.json()) as T };
  }

  /** The body of an answer that must be 2xx. */
  async ok<T = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<T> {
    const answer = await this.call<T>(method, path, body);
    if (answer.status >= 300)
      throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }

  async channel(name = `channel ${Math.random()}`): Promise<string> {
    return (await this.ok<{ channel_id: string }>("POST", "/channels", { name })).channel_id;
  }

  /** A new wallet of this owner, who also signs for it; not deployed yet. */
  wallet(owner: string, name: string, change: object = {}): Promise<Wallet> {
    return this.ok<Wallet>("POST", "/wallets", {
      name,
      wallet_owner_address: owner,
      chain_selector: this.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [owner],
      ...change,
    });
  }

  /** A watcher on the demo token's transfers, active. */
  async transferWatcher(channelId: string, name = "transfers"): Promise<Watcher> {
    const created = await this.ok<Watcher>("POST", `/channels/${channelId}/watchers`, {
      name,
      chain_selector: this.ready.chain_selector,
      address: this.ready.contracts.DemoToken,
      events: ["Transfer"],
      abi: [TRANSFER],
    });
    return await this.until<Watcher>(`/channels/${channelId}/watchers/${created.watcher_id}`, "active");
  }

  /** The resource once it has one of the statuses. */
  async until<T extends Watcher | Wallet | Operation | Query>(
    path: string,
    ...statuses: string[]
  ): Promise<T> {
    return await eventually(`${path} to be ${statuses.join(" or ")}`, async () => {
      const found = await this.ok<T>("GET", path);
      return statuses.includes(found.status) ? found : undefined;
    });
  }

  /** All events of a channel, oldest first; `all` are those that were read before. */
  async events(channelId: string, all: EventEnvelope[] = []): Promise<EventEnvelope[]> {
    for (;;) {
      const from = (all.at(-1)?.headers.offset ?? 0) + 1;
      const page = await this.ok<{ events: EventEnvelope[]; has_more: boolean }>(
        "GET",
        `/channels/${channelId}/events?offset=${from}`,
      );
      all.push(...page.events);
      if (!page.has_more) return all;
    }
  }

  /** The channel's events once they are such. */
  async eventsUntil(
    channelId: string,
    enough: (events: EventEnvelope[]) => boolean,
  ): Promise<EventEnvelope[]> {
    const read: EventEnvelope[] = [];
    return await eventually("the expected events", async () => {
      const events = await this.events(channelId, read);
      return enough(events) ? events : undefined;
    });
  }
}

/** What the signed text of an event says. */
export function signedText<T>(event: EventEnvelope | undefined): T {
  const text = event?.payload.verifiable_event ?? event?.payload.verifiable_result;
  return JSON.parse(Buffer.from(String(text), "base64").toString("utf8")) as T;
}

export const TRANSFER = {
  type: "event",
  name: "Transfer",
  anonymous: false,
  inputs: [
    { name: "from", type: "address", internalType: "address", indexed: true },
    { name: "to", type: "address", internalType: "address", indexed: true },
    { name: "value", type: "uint256", internalType: "uint256", indexed: false },
  ],
};
