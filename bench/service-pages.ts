import { join } from "node:path";
import { startAnvil } from "../service/src/chain/anvil/anvil.ts";
import { Store } from "../service/src/store/store.ts";
import { spawnService, temporaryFolder } from "../service/test/support.ts";
import { comparePages, getter, PAGE } from "./compare-pages.ts";
import type { Measured } from "./measured.ts";
import { sized } from "./sized.ts";

/** Sizes of an event in bytes. */
const SIZES = [500, 2600, 20_000];
const PAGES = sized(400, 4);
/** Pages that lie ready in the memory of the bare server, which has no room for all. */
const READY = sized(20, 2);
/** What an event has beside its text. */
const FRAME_BYTES = 260;

/** Pages of the service, each asked for once in a round, against `node:http` alone with pages as bytes. In turns. */
export async function benchStoredPages(): Promise<Measured[]> {
  const folder = temporaryFolder();
  const dataDir = join(folder.path, "data");
  const channels = fill(dataDir);
  const chain = await startAnvil(join(folder.path, "node"));
  const args = ["--rpc-url", chain.rpcUrl, "--block-time", "1000"];
  const { api, child, exited } = await spawnService(dataDir, { args });
  const { get, agent } = getter(api.ready.api_key);
  try {
    const measured: Measured[] = [];
    for (const [size, channelId] of channels) {
      const pathOf = (page: number) =>
        `/channels/${channelId}/events?limit=${PAGE}&offset=${1 + page * PAGE}`;
      const asked = { get, service: api.ready.base_url, pathOf, requests: PAGES, ready: READY };
      const { pages, bare } = await comparePages(asked);
      measured.push(
        { what: `pages of ${PAGE} events of ${size / 1000} kB`, value: `${Math.round(pages)} pages/s` },
        { what: "  of bare node:http, the same as bytes (aim 0.8)", value: (pages / bare).toFixed(2) },
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
