import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { RunningService } from "../../../service/src/index.ts";
import { CrecClient, generatePrivateKey, localEcdsaSigner } from "../../../src/index.ts";
import { eventually } from "../../support/eventually.ts";
import { NodeRed, UserDir } from "../../support/node-red.ts";
import { startTestService } from "../../support/service.ts";
import { type Acting, actingFlow, fileOf, type Output } from "./flow.ts";
import { eventsOfOtherChannel, eventsOfOtherOrganization, pay, watchTransfers } from "./foreign-events.ts";
import { type Left, violationsOf } from "./judge.ts";
import { ForgingRelay } from "./relay.ts";
import { type Truth, truthOf } from "./truth.ts";

/** Between two true events. */
const PAUSE_MS = 500;
/** After so many of them, a person moves the cursors back, and all is read again. */
const SEEK_EVERY = 3;
const SETTLED_MS = 120_000;

/** A flow that acts on the events of a real service, with a relay between them that forges. */
export class ForgedWorld {
  readonly relay: ForgingRelay;
  readonly #service: RunningService;
  readonly #direct: CrecClient;
  readonly #userDir: UserDir;
  readonly #nodeRed: NodeRed;
  readonly #acting: Acting;
  readonly #ends: ReadonlyArray<() => Promise<unknown>>;
  #paid = 0;
  /** Up to here all true events have arrived. */
  #offset = 0;
  #followed = 0;

  private constructor(parts: {
    relay: ForgingRelay;
    service: RunningService;
    direct: CrecClient;
    userDir: UserDir;
    nodeRed: NodeRed;
    acting: Acting;
    ends: ReadonlyArray<() => Promise<unknown>>;
  }) {
    this.relay = parts.relay;
    this.#service = parts.service;
    this.#direct = parts.direct;
    this.#userDir = parts.userDir;
    this.#nodeRed = parts.nodeRed;
    this.#acting = parts.acting;
    this.#ends = parts.ends;
  }

  /** Without `verify` the nodes check no proof: what a harness must notice. */
  static async start({ verify }: { verify: boolean }): Promise<ForgedWorld> {
    const dataDir = await mkdtemp(join(tmpdir(), "crec-forged-"));
    const service = await startTestService({ dataDir });
    const { ready } = service;
    const direct = new CrecClient({ baseUrl: ready.base_url, apiKey: ready.api_key });
    const foreign = [
      ...(await eventsOfOtherChannel(direct, ready)),
      ...(await eventsOfOtherOrganization(dataDir)),
    ];
    const [{ channelId: watched, workflow }, operations, privateKey] = [
      await watchTransfers(direct, ready),
      (await direct.channels.create({ name: "operations" })).channel_id,
      generatePrivateKey(),
    ];
    const relay = await ForgingRelay.before(ready.base_url, foreign);
    const userDir = await UserDir.make();
    const nodeRed = await NodeRed.start(userDir);
    const acting: Acting = {
      ...{ ready, baseUrl: relay.proxy.baseUrl, privateKey, watched, operations, workflow, verify },
      wallet: await newWallet(direct, ready.chain_selector, privateKey),
      folder: userDir.path,
    };
    await nodeRed.deploy(actingFlow(acting));
    await nodeRed.status("events", "connected");
    const ends = [
      () => nodeRed.kill(),
      () => userDir.remove(),
      () => relay.proxy.close(),
      () => direct.close(),
      () => service.close(),
      () => rm(dataDir, { recursive: true, force: true, maxRetries: 10 }),
    ];
    return new ForgedWorld({ relay, service, direct, userDir, nodeRed, acting, ends });
  }

  async close(): Promise<void> {
    for (const end of this.#ends) await end();
  }

  get truth(): Promise<Truth> {
    return truthOf(this.#direct, this.#acting);
  }

  /** The relay forges for this long, while true events happen. */
  async lie(forMs: number): Promise<void> {
    this.relay.isHonest = false;
    const until = performance.now() + forMs;
    let turn = 0;
    // biome-ignore lint/plugin: it lies for some time
    while (performance.now() < until) {
      await this.#happen();
      await sleep(PAUSE_MS);
      // A page that contradicts what was read stops a reader, until a person moves its cursor.
      turn += 1;
      if (turn % SEEK_EVERY === 0) await this.#seek();
    }
  }

  /** The relay is honest, and a person moves the cursor back: everything true must arrive, and be acted on once. */
  async tellTruth(): Promise<Truth> {
    this.relay.isHonest = true;
    await eventually(
      "all events to become final",
      () => this.truth,
      ({ final }) => final.size === this.#paid,
      { withinMs: SETTLED_MS, pauseMs: 500 },
    );
    await this.#seek();
    const { truth } = await eventually(
      "every true event to arrive, and to be acted on",
      async () => {
        const [truth, arrived] = [await this.truth, await this.left("verified")];
        const keys = new Set(arrived.map(({ crec }) => crec.dedupeKey));
        const missing = [...truth.final].filter((key) => !keys.has(key));
        return { missing, unexecuted: truth.final.size - new Set(truth.executed).size, truth };
      },
      ({ missing, unexecuted }) => missing.length === 0 && unexecuted <= 0,
      { withinMs: SETTLED_MS, pauseMs: 500 },
    );
    this.#offset = truth.offset;
    this.#followed = truth.followed;
    return truth;
  }

  /** What contradicts the truth so far: empty where the nodes do what they promise. */
  async violations(): Promise<string[]> {
    const left = { verified: await this.left("verified"), statuses: await this.left("statuses") };
    // The truth is read after what left: it holds all that could have.
    return violationsOf({ ...left, reached: await this.left("reached") }, await this.truth);
  }

  async left(output: Output): Promise<Left[]> {
    const text = await readFile(fileOf(this.#userDir.path, output), "utf8").catch(() => "");
    const lines = text.slice(0, text.lastIndexOf("\n") + 1).split("\n");
    return lines.filter(Boolean).map((line) => JSON.parse(line) as Left);
  }

  get log(): string {
    return this.#nodeRed.log;
  }

  async #happen(): Promise<void> {
    this.#paid += 1;
    await pay(this.#service.ready, String(1000 + this.#paid));
  }

  async #seek(): Promise<void> {
    const to = async (reader: string, offset: number) =>
      eventually(`the moved cursor of ${reader}`, async () => {
        const { status } = await this.#nodeRed.fetch(`crec/events-in/${reader}/seek`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ to: String(offset) }),
        });
        return status === 200;
      });
    await Promise.all([to("events", this.#offset), to("follows", this.#followed)]);
  }
}

async function newWallet(client: CrecClient, chain_selector: string, privateKey: string): Promise<string> {
  const { address } = localEcdsaSigner(privateKey);
  const made = await client.wallets.create({
    ...{ name: "acting", chain_selector, wallet_type: "ecdsa" },
    ...{ wallet_owner_address: address, allowed_ecdsa_signers: [address] },
  });
  return (await client.wallets.waitFor(made.wallet_id, { target: "deployed" })).address;
}
