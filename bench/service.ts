import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Agent } from "undici";
import { encodeFunctionData } from "viem";
import { artifact } from "../service/src/chain/demo/contracts.ts";
import type { Api } from "../service/test/support.ts";
import { generatePrivateKey, localEcdsaSigner, operationDigest, operationTypedData } from "../src/index.ts";
import type { EventEnvelope, EventPage, Operation, Wallet } from "../src/protocol/index.ts";
import { type Measured, median, perSecond } from "./measured.ts";
import { memoryOf, skippedOffLinux } from "./memory.ts";
import { runService } from "./running-service.ts";
import { sized } from "./sized.ts";

const ROUNDS = sized(5, 1);
const PAGE = 200;
const PAGES = sized(20, 1);
const REQUESTS = sized(400, 4);
const CONNECTIONS = 8;
/** A page is larger, compressed too. */
const LEAST_BYTES = 40_000;
const OPERATIONS = sized(200, 4);
const OPERATION_ROUNDS = sized(3, 1);
const LOGS = sized(2000, 20);
const FEW_EVENTS = sized(1000, 20);
const MANY_EVENTS = sized(100_000, 60);
/** How often memory is looked at, and how long it rests before each time. */
const LOOKS = sized(60, 1);
const LOOK_MS = sized(1000, 50);
/** Transactions handed to the chain in one call, each with one log. */
const BATCH = 500;

/** A service with a channel of its own. */
export class ServiceBench {
  readonly api: Api;
  readonly channelId: string;
  readonly #pid: number;
  readonly #end: () => Promise<void>;
  /** Events of a channel that have been read. */
  #read = 0;

  private constructor(api: Api, channelId: string, pid: number, end: () => Promise<void>) {
    this.api = api;
    this.channelId = channelId;
    this.#pid = pid;
    this.#end = end;
  }

  static async start(): Promise<ServiceBench> {
    const { api, pid, end } = await runService();
    return new ServiceBench(api, await api.channel(), pid, end);
  }

  end(): Promise<void> {
    return this.#end();
  }

  /** Milliseconds from when the service finds so many logs on the chain until each is an event. */
  async takeLogs(logs: number): Promise<number> {
    const { DemoToken = "" } = this.api.ready.contracts;
    const data = encodeFunctionData({
      abi: artifact("DemoToken").abi,
      functionName: "transfer",
      args: ["0x1111111111111111111111111111111111111111", 0n],
    });
    // It sleeps while the chain gets them: what is measured is the service.
    process.kill(this.#pid, "SIGSTOP");
    const [accounts] = await this.#rpc<string[]>([{ method: "eth_accounts" }]);
    const from = accounts?.[1];
    const [first] = await this.#rpc<string>([
      { method: "eth_getTransactionCount", params: [from, "latest"] },
    ]);
    for (let sent = 0; sent < logs; sent += BATCH) {
      const count = Math.min(BATCH, logs - sent);
      const calls = Array.from({ length: count }, (_, index) => {
        // Calls of one batch run side by side, so each must know its place.
        const nonce = `0x${(Number(first) + sent + index).toString(16)}`;
        const transaction = { from, nonce, to: DemoToken, data, gas: "0xea60" };
        return { method: "eth_sendTransaction", params: [transaction] };
      });
      await this.#rpc(calls);
      await this.#rpc([{ method: "evm_mine" }]);
    }
    const start = performance.now();
    process.kill(this.#pid, "SIGCONT");
    await this.readUntil(this.#read + logs);
    return performance.now() - start;
  }

  /** Reads the channel on until so many events have come. */
  async readUntil(count: number): Promise<void> {
    while (this.#read < count) {
      const { events } = await this.page(this.#read + 1);
      this.#read += events.length;
      if (events.length < PAGE && this.#read < count) await sleep(5);
    }
  }

  page(offset: number): Promise<EventPage> {
    return this.api.ok("GET", `/channels/${this.channelId}/events?limit=${PAGE}&offset=${offset}`);
  }

  /** Resident memory in MiB: the least in a minute of rest, in which garbage is given back, and the most so far. */
  async memory(): Promise<{ atRest: number; most: number }> {
    let atRest = Number.POSITIVE_INFINITY;
    for (let look = 0; look < LOOKS; look += 1) {
      await sleep(LOOK_MS);
      atRest = Math.min(atRest, memoryOf(this.#pid, "VmRSS"));
    }
    return { atRest, most: memoryOf(this.#pid, "VmHWM") };
  }

  async #rpc<T>(calls: Array<{ method: string; params?: unknown[] }>): Promise<T[]> {
    const body = calls.map((call, id) => ({ jsonrpc: "2.0", id, params: [], ...call }));
    const headers = { "content-type": "application/json" };
    const response = await fetch(this.api.ready.rpc_url, {
      method: "POST",
      headers,
      body: JSON.stringify(body),
    });
    const answers = (await response.json()) as Array<{ result: T; error?: { message: string } }>;
    const refused = answers.find(({ error }) => error !== undefined);
    if (refused !== undefined) throw new Error(`The chain refuses: ${refused.error?.message}`);
    return answers.map(({ result }) => result);
  }
}

/** Pages of 200 events with proofs, out of the store, against the same sent from memory by `node:http` alone. In turns. */
export async function benchPages(): Promise<Measured[]> {
  const bench = await ServiceBench.start();
  const bare = fork(join(import.meta.dirname, "page-server.ts"));
  const agent = new Agent({ connections: CONNECTIONS });
  try {
    await bench.api.transferWatcher(bench.channelId);
    await bench.takeLogs(PAGE * PAGES);
    const { base_url, api_key } = bench.api.ready;
    const headers = { authorization: `Apikey ${api_key}` };
    const get = async (origin: string, path: string, encoding = "identity") => {
      const asked = { ...headers, "accept-encoding": encoding };
      const { body } = await agent.request({ origin, path, method: "GET", headers: asked });
      return Buffer.from(await body.arrayBuffer());
    };
    const pathOf = (page: number) =>
      `/channels/${bench.channelId}/events?limit=${PAGE}&offset=${1 + (page % PAGES) * PAGE}`;
    const texts: string[] = [];
    for (let page = 0; page < PAGES; page += 1) texts.push((await get(base_url, pathOf(page))).toString());
    bare.send(texts);
    const [bareUrl] = (await once(bare, "message")) as [string];

    const run = async (ask: (page: number) => Promise<Buffer>) => {
      const start = performance.now();
      let next = 0;
      const work = async () => {
        while (next < REQUESTS) {
          const page = next++;
          if ((await ask(page)).length < LEAST_BYTES) throw new Error("A page is too short.");
        }
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      return performance.now() - start;
    };
    const contestants = {
      service: (page: number) => get(base_url, pathOf(page)),
      br: (page: number) => get(base_url, pathOf(page), "br"),
      gzip: (page: number) => get(base_url, pathOf(page), "gzip"),
      text: (page: number) => get(bareUrl, `/text/${page % PAGES}`),
      bytes: (page: number) => get(bareUrl, `/bytes/${page % PAGES}`),
    };
    const names = ["service", "br", "gzip", "text", "bytes"] as const;
    const times = Object.fromEntries(names.map((name) => [name, [] as number[]]));
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const name of names) {
        const ms = await run(contestants[name]);
        // The first round warms up.
        if (round > 0) times[name]?.push(ms);
      }
    }
    const ms = Object.fromEntries(names.map((name) => [name, median(times[name] ?? [])]));
    const { service = Number.NaN, br = Number.NaN, gzip = Number.NaN } = ms;
    const { text = Number.NaN, bytes = Number.NaN } = ms;
    const kib = (page: Buffer | string) => Math.round(page.length / 1024);
    const size = kib(texts[0] ?? "");
    const compressed = async (encoding: string, ms: number) => ({
      what: `  in ${encoding}, ${kib(await get(base_url, pathOf(0), encoding))} KiB`,
      value: `${perSecond(REQUESTS, ms, "pages")}, ${(service / ms).toFixed(2)} of that`,
    });
    return [
      {
        what: `the service, pages of ${PAGE} events, ${size} KiB`,
        value: perSecond(REQUESTS, service, "pages"),
      },
      await compressed("br", br),
      await compressed("gzip", gzip),
      { what: "bare node:http, the same as texts in memory", value: perSecond(REQUESTS, text, "pages") },
      { what: "  the service against that", value: (text / service).toFixed(2) },
      { what: "bare node:http, the same as bytes in memory", value: perSecond(REQUESTS, bytes, "pages") },
      { what: "  the service against that (aim 0.8)", value: (bytes / service).toFixed(2) },
    ];
  } finally {
    await agent.close();
    bare.disconnect();
    await bench.end();
  }
}

/** Signed operations, handed in together, until each is `confirmed_latest`. */
export async function benchOperations(): Promise<Measured[]> {
  const bench = await ServiceBench.start();
  try {
    const { api, channelId } = bench;
    const signer = localEcdsaSigner(generatePrivateKey());
    const { wallet_id } = await api.ok<Wallet>("POST", "/wallets", {
      name: "bench",
      wallet_owner_address: signer.address,
      chain_selector: api.ready.chain_selector,
      wallet_type: "ecdsa",
      allowed_ecdsa_signers: [signer.address],
    });
    const wallet = await api.until<Wallet>(`/wallets/${wallet_id}`, "deployed");
    const times: number[] = [];
    let offset = 1;
    for (let round = 0; round <= OPERATION_ROUNDS; round += 1) {
      const bodies = await Promise.all(
        Array.from({ length: OPERATIONS }, async (_, index) => {
          const id = String(1 + round * OPERATIONS + index);
          const transactions = [{ to: signer.address, value: "0", data: "0x" }];
          const operation = { id, account: wallet.address, deadline: 0, transactions };
          const chainId = api.ready.chain_id;
          const digest = operationDigest(operation, chainId);
          const signature = await signer.sign({ digest, typedData: operationTypedData(operation, chainId) });
          return {
            ...{ chain_selector: api.ready.chain_selector, address: wallet.address },
            ...{ wallet_operation_id: id, deadline: 0, transactions, signature },
          };
        }),
      );
      const start = performance.now();
      await Promise.all(
        bodies.map((body) => api.ok<Operation>("POST", `/channels/${channelId}/operations`, body)),
      );
      for (let confirmed = 0; confirmed < OPERATIONS; ) {
        const { events } = await bench.page(offset);
        const isConfirmed = ({ payload }: EventEnvelope) => payload.status === "confirmed_latest";
        confirmed += events.filter(isConfirmed).length;
        offset += events.length;
        if (events.length < PAGE) await sleep(5);
      }
      if (round > 0) times.push(performance.now() - start);
    }
    const what = `${OPERATIONS} operations to confirmed_latest`;
    return [{ what, value: perSecond(OPERATIONS, median(times), "operations") }];
  } finally {
    await bench.end();
  }
}

/** Logs that one watcher asked for, from the chain into events, each signed by three oracles. */
export async function benchLogs(): Promise<Measured[]> {
  const bench = await ServiceBench.start();
  try {
    await bench.api.transferWatcher(bench.channelId);
    await bench.readUntil(2);
    const times: number[] = [];
    for (let round = 0; round <= ROUNDS; round += 1) {
      const ms = await bench.takeLogs(LOGS);
      if (round > 0) times.push(ms);
    }
    return [{ what: `${LOGS} logs into events`, value: perSecond(LOGS, median(times), "logs") }];
  } finally {
    await bench.end();
  }
}

/** What the process keeps in memory when it has made and served many events, against a few. */
export async function benchMemory(): Promise<Measured[]> {
  const bench = await ServiceBench.start();
  try {
    await bench.api.transferWatcher(bench.channelId);
    await bench.readUntil(2);
    await bench.takeLogs(FEW_EVENTS);
    const few = await bench.memory();
    for (let events = FEW_EVENTS; events < MANY_EVENTS; events += LOGS) await bench.takeLogs(LOGS);
    const many = await bench.memory();
    const mib = (value: number) => skippedOffLinux ?? `${Math.round(value)} MiB`;
    return [
      { what: `at rest after ${FEW_EVENTS.toLocaleString("en")} events`, value: mib(few.atRest) },
      { what: `at rest after ${MANY_EVENTS.toLocaleString("en")} events`, value: mib(many.atRest) },
      { what: "  of that after the few", value: skippedOffLinux ?? (many.atRest / few.atRest).toFixed(2) },
      { what: `at most, while ${LOGS.toLocaleString("en")} logs came at a time`, value: mib(many.most) },
    ];
  } finally {
    await bench.end();
  }
}
