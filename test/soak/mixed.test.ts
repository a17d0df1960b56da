import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import should from "should";
import { CrecClient, generatePrivateKey, localEcdsaSigner } from "../../src/index.ts";
import { arrivals } from "../support/collector.ts";
import { eventually } from "../support/eventually.ts";
import { NodeRed, UserDir } from "../support/node-red.ts";
import { SeededService } from "../support/seeded-service.ts";
import { mixedFlow } from "./mixed-flow.ts";
import { rise, type Sample } from "./trend.ts";

/** How long the load lasts. */
const MINUTES = Number(process.env.SOAK_MINUTES ?? 60);
/** Then Node-RED is killed and the service restarted, so that the fit begins with what runs until the end. */
const ROUGH_SHARE = 0.2;
/** What a Node-RED that has just started still loads and caches is not in the fit. */
const WARM_MS = 90_000;
const ROUND_MS = 15_000;
/** How much the fitted line may rise from its first sample to its last. */
const MOST_RISE = { heapMb: 12, handles: 8, listeners: 8, openFiles: 8, stateFiles: 12 } as const;

type Vitals = Record<keyof typeof MOST_RISE, number>;

describe(`mixed load for ${MINUTES} minutes, with redeploys, restarts and reorganizations`, function () {
  this.timeout((MINUTES + 15) * 60_000);

  let service: SeededService;
  let userDir: UserDir;
  let nodeRed: NodeRed;
  const samples: Array<{ at: number; vitals: Vitals }> = [];

  before(async () => {
    [service, userDir] = await Promise.all([SeededService.start(1), UserDir.make()]);
  });
  after(async () => {
    await nodeRed?.kill();
    await service?.close();
    await userDir?.remove();
  });

  it("loses nothing, and grows in nothing", async () => {
    const { ready } = service;
    const client = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
    const privateKey = generatePrivateKey();
    const { address } = localEcdsaSigner(privateKey);
    const { channel_id: channel } = await client.channels.create({ name: `mixed-${randomUUID()}` });
    const made = await client.wallets.create({
      ...{ name: "mixed", chain_selector: ready.chain_selector, wallet_type: "ecdsa" },
      ...{ wallet_owner_address: address, allowed_ecdsa_signers: [address] },
    });
    await client.wallets.waitFor(made.wallet_id, { target: "deployed" });
    const file = join(userDir.path, "written.txt");
    const deploy = (round: number) =>
      nodeRed.deploy(mixedFlow({ ready, privateKey, wallet: "mixed", channel, file, round }));
    const start = async () => {
      nodeRed = await NodeRed.start(userDir, {}, { settings: SETTINGS });
    };
    const restartService = async () => {
      await service.kill();
      await service.launch();
    };
    await mkdir(userDir.path, { recursive: true });
    await start();
    await deploy(0);
    const begun = performance.now();
    const elapsed = () => performance.now() - begun;
    const total = MINUTES * 60_000;

    // biome-ignore lint/plugin: the load lasts for some time
    for (let round = 1; elapsed() < total * ROUGH_SHARE; round += 1) {
      await sleep(ROUND_MS);
      if (round % 2 === 0) await restartService();
      await nodeRed.kill();
      await start();
      await reorganize(ready);
    }
    const warmUntil = elapsed() + Math.min(WARM_MS, total * 0.15);
    // biome-ignore lint/plugin: as above
    for (let round = 1; elapsed() < total; round += 1) {
      await sleep(ROUND_MS);
      if (round % 3 === 0) await deploy(round);
      if (round % 4 === 0) await reorganize(ready);
      if (round % 5 === 0) await restartService();
      if (elapsed() > warmUntil) samples.push({ at: elapsed() / 60_000, vitals: await vitalsOf(nodeRed) });
    }

    // Nothing new: what is there has to arrive.
    await nodeRed.deploy(
      mixedFlow({ ready, privateKey, wallet: "mixed", channel, file, round: 0 }).filter(
        ({ type }) => type !== "inject",
      ),
    );
    const wanted = await settled(client, channel);
    const rises = Object.fromEntries(
      Object.keys(MOST_RISE).map((name) => [name, riseOf(name as keyof Vitals)]),
    ) as Vitals;
    const first = samples[0]?.vitals;
    process.stdout.write(
      `${JSON.stringify({ events: wanted.length, samples: samples.length, first, last: samples.at(-1)?.vitals, rises })}\n`,
    );
    const missing = async () => {
      const arrived = new Set((await arrivals(file)).map(({ eventId }) => eventId));
      return wanted.filter((id) => !arrived.has(id));
    };
    await eventually("no event to be missing", missing, ({ length }) => length === 0, {
      withinMs: 300_000,
      pauseMs: 500,
    });
    should(wanted.length).be.above(MINUTES * 5);
    should(samples.length).be.above(3);
    for (const [name, most] of Object.entries(MOST_RISE))
      should(rises[name as keyof Vitals]).be.below(most, `${name}: ${JSON.stringify(samples)}`);
    should(nodeRed.log).not.match(/uncaught|unhandled|INTERNAL_ERROR|MaxListeners|Close timed out/i);
    await client.close();
  });

  function riseOf(name: keyof Vitals): number {
    return rise(samples.map(({ at, vitals }): Sample => ({ at, value: vitals[name] })));
  }
});

const SETTINGS = fileURLToPath(new URL("./mixed-settings.cjs", import.meta.url));

async function vitalsOf(nodeRed: NodeRed): Promise<Vitals> {
  return (await (await nodeRed.fetch("soak/vitals")).json()) as Vitals;
}

/** The newest blocks are replaced. */
async function reorganize({ base_url, api_key }: { base_url: string; api_key: string }): Promise<void> {
  const response = await fetch(`${base_url}/local/reorg`, {
    method: "POST",
    headers: { authorization: `Apikey ${api_key}`, "content-type": "application/json" },
    body: JSON.stringify({ depth: 2 }),
  });
  if (!response.ok) throw new Error(`No reorganization: ${await response.text()}`);
}

/** The ids of all events of the channel, when no more come: the last have become final. */
async function settled(client: CrecClient, channel: string): Promise<string[]> {
  const ids = async () => {
    const all: string[] = [];
    for await (const { event_id } of client.events.search(channel, {})) all.push(event_id);
    return all;
  };
  const { after } = await eventually(
    "a channel without more events",
    async () => {
      const before = (await ids()).length;
      await sleep(ROUND_MS);
      const after = await ids();
      return { before, now: after.length, after };
    },
    ({ before, now }) => before === now,
  );
  return after;
}
