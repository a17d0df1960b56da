import { fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { Agent } from "undici";
import { startAnvil } from "../service/src/chain/anvil.ts";
import { Store } from "../service/src/store/store.ts";
import { spawnService, temporaryFolder } from "../service/test/support.ts";
import { type Measured, median } from "./measured.ts";
import { sized } from "./sized.ts";

/** Sizes of an event in bytes. */
const SIZES = [500, 2600, 20_000];
const PAGE = 200;
const PAGES = sized(400, 4);
/** Pages that lie ready in the memory of the bare server, which has no room for all. */
const READY = sized(20, 2);
const CONNECTIONS = 8;
const ROUNDS = sized(3, 1);
/** What an event has beside its text. */
const FRAME_BYTES = 260;

type Get = (origin: string, path: string) => Promise<Buffer>;

/** Pages of the service, each asked for once in a round, against `node:http` alone with pages as bytes. In turns. */
export async function benchStoredPages(): Promise<Measured[]> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const channels = fill(dataDir);
  const chain = await startAnvil(join(folder.path, "node"));
  const args = ["--rpc-url", chain.rpcUrl, "--block-time", "1000"];
  const { api, child, exited } = await spawnService(dataDir, { args });
  const agent = new Agent({ connections: CONNECTIONS });
  try {
    const { base_url, api_key } = api.ready;
    const headers = { authorization: `Apikey ${api_key}`, "accept-encoding": "identity" };
    const get: Get = async (origin, path) => {
      const { body, statusCode } = await agent.request({ origin, path, method: "GET", headers });
      const answer = Buffer.from(await body.arrayBuffer());
      if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${answer}`);
      return answer;
    };
    const measured: Measured[] = [];
    for (const [size, channelId] of channels) {
      const { service, bare } = await compare(get, base_url, channelId);
      measured.push(
        { what: `pages of ${PAGE} events of ${size / 1000} kB`, value: `${Math.round(service)} pages/s` },
        { what: "  of bare node:http, the same as bytes (aim 0.8)", value: (service / bare).toFixed(2) },
      );
    }
    return measured;
  } finally {
    await agent.close();
    child.kill("SIGTERM");
    await exited;
    await chain.stop();
    folder.dispose();
  }
}

/** Pages a second of the service and of the bare server. */
async function compare(
  get: Get,
  base: string,
  channelId: string,
): Promise<{ service: number; bare: number }> {
  const pathOf = (page: number) => `/channels/${channelId}/events?limit=${PAGE}&offset=${1 + page * PAGE}`;
  const texts: string[] = [];
  for (let page = 0; page < READY; page += 1) texts.push((await get(base, pathOf(page))).toString());
  const server = fork(join(import.meta.dirname, "page-server.ts"));
  try {
    server.send(texts);
    const [bareUrl] = (await once(server, "message")) as [string];
    const run = async (ask: (page: number) => Promise<Buffer>) => {
      const start = performance.now();
      let next = 0;
      const work = async () => {
        while (next < PAGES) await ask(next++);
      };
      await Promise.all(Array.from({ length: CONNECTIONS }, work));
      return (PAGES / (performance.now() - start)) * 1000;
    };
    const rates = { service: [] as number[], bare: [] as number[] };
    for (let round = 0; round <= ROUNDS; round += 1) {
      const service = await run((page) => get(base, pathOf(page)));
      const bare = await run((page) => get(bareUrl, `/bytes/${page % READY}`));
      // The first round warms up.
      if (round === 0) continue;
      rates.service.push(service);
      rates.bare.push(bare);
    }
    return { service: median(rates.service), bare: median(rates.bare) };
  } finally {
    server.disconnect();
  }
}

/** A channel for each size of an event. */
function fill(dataDir: string): Map<number, string> {
  const store = new Store(dataDir);
  const channels = new Map<number, string>();
  for (const size of SIZES) {
    const { channel_id: channelId } = store.channels.create({ name: `events of ${size} bytes` });
    channels.set(size, channelId);
    const text = "x".repeat(size - FRAME_BYTES);
    for (let page = 0; page < PAGES; page += 1) {
      store.transaction(() => {
        for (let event = 0; event < PAGE; event += 1)
          store.events.append({ channelId, type: "watcher.event", payload: { verifiable_event: text } });
      });
    }
  }
  store.close();
  return channels;
}
