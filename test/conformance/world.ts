import { randomUUID } from "node:crypto";
import should from "should";
import { ecdsaSigner, freshId, type Signer, TRANSFER } from "./chain.ts";
import { Client, type Json } from "./client.ts";
import type { Target } from "./target.ts";

/** What a row cannot do without. */
export type Need = "local" | "token" | "wallet" | "proofs" | "graphql";

export const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const NOWHERE = "00000000-0000-4000-8000-000000000000";
export const ZERO = `0x${"0".repeat(40)}`;

/** The service as rows see it: calls, and things made once for all rows that look at them. */
export class World extends Client {
  readonly #made = new Map<string, Promise<unknown>>();
  readonly #channels: string[] = [];
  /** The one that rows work on. */
  readonly network: { chain_selector: string; chain_id: string; type: string };
  /** Addresses of the demo contracts, where the service has what testers need. */
  readonly contracts: Record<string, string> | undefined;

  private constructor(target: Target, network: World["network"], contracts: World["contracts"]) {
    super(target);
    this.network = network;
    this.contracts = contracts;
  }

  static async enter(target: Target): Promise<World> {
    const client = new Client(target);
    const networks = await client.get("/networks");
    const { chainSelector } = target;
    const network = (networks.data ?? networks).find(
      (one: Json) => chainSelector === undefined || one.chain_selector === chainSelector,
    );
    should(network).be.an.Object();
    const local = await client.call("GET", "/local/status");
    return new World(target, network, local.status === 200 ? local.body.contracts : undefined);
  }

  /** Whether the service and what we know of it allow for it. */
  has(need: Need): boolean {
    const { target } = this;
    return {
      local: this.contracts !== undefined,
      token: target.token !== undefined || this.contracts !== undefined,
      wallet: target.mayDeploy,
      proofs: target.verification !== undefined,
      graphql: target.graphqlUrl !== undefined,
    }[need];
  }

  get token(): string {
    return this.target.token ?? this.contracts?.DemoToken ?? ZERO;
  }

  /** Made at the first call, the same ever after. */
  once<T>(what: string, make: () => Promise<T>): Promise<T> {
    const made = (this.#made.get(what) as Promise<T> | undefined) ?? make();
    this.#made.set(what, made);
    return made;
  }

  name(what = "conformance"): string {
    return `${what} ${randomUUID()}`;
  }

  async channel(name = this.name()): Promise<string> {
    const { channel_id } = await this.expect(201, "POST", "/channels", { name });
    this.#channels.push(channel_id);
    return channel_id;
  }

  /** A channel that rows share which look at it only. */
  shared(): Promise<string> {
    return this.once("channel", () => this.channel());
  }

  /** Asks until the answer is not undefined. */
  async until<T>(what: string, ask: () => Promise<T | undefined>): Promise<T> {
    const deadline = Date.now() + this.target.patienceMs;
    const pause = this.has("local") ? 20 : 2000;
    // biome-ignore lint/plugin: a public service is asked rarely, from the first time on
    for (;;) {
      const asked = Date.now();
      const answer = await ask();
      if (answer !== undefined) return answer;
      if (Date.now() > deadline) throw new Error(`Waited in vain for ${what}.`);
      // biome-ignore lint/plugin: as above
      await new Promise((resolve) => setTimeout(resolve, Math.max(pause, 3 * (Date.now() - asked))));
    }
  }

  /** The resource once it has one of the statuses. */
  status(path: string, ...statuses: string[]): Promise<Json> {
    return this.until(`${path} to be ${statuses.join(" or ")}`, async () => {
      const found = await this.get(path);
      return statuses.includes(found.status) ? found : undefined;
    });
  }

  /** All events of a channel by offset, read from the first on; whatever order and edges pages have. */
  async events(channelId: string): Promise<Json[]> {
    const events = new Map<string, Json>();
    for (let offset = 0; ; ) {
      const page = await this.get(`/channels/${channelId}/events?offset=${offset}`);
      const before = events.size;
      for (const event of page.events) events.set(event.event_id, event);
      offset = Math.max(offset, ...page.events.map((event: Json) => event.headers.offset));
      if (!page.has_more || events.size === before) break;
    }
    return [...events.values()].sort((one, other) => one.headers.offset - other.headers.offset);
  }

  /** The statuses that events tell of one resource, in their order. */
  async statusEvents(channelId: string, idField: string, id: string): Promise<Json[]> {
    return (await this.events(channelId)).filter(
      ({ headers, payload }) => headers.type.endsWith(".status") && payload[idField] === id,
    );
  }

  newWatcher(change: object = {}): Json {
    return {
      name: this.name("watcher"),
      chain_selector: this.network.chain_selector,
      address: this.token,
      events: ["Transfer"],
      abi: [TRANSFER],
      ...change,
    };
  }

  /** An active watcher of the token's transfers in a channel of its own. */
  watcher(): Promise<{ channel: string; id: string; created: Json; path: string }> {
    return this.once("watcher", async () => {
      const channel = await this.channel();
      const created = await this.expect(201, "POST", `/channels/${channel}/watchers`, this.newWatcher());
      const path = `/channels/${channel}/watchers/${created.watcher_id}`;
      await this.status(path, "active");
      return { channel, id: created.watcher_id, created, path };
    });
  }

  newWallet(signers: string[], change: object = {}): Json {
    return {
      name: this.name("wallet"),
      wallet_owner_address: signers[0] ?? ZERO,
      chain_selector: this.network.chain_selector,
      wallet_type: "ecdsa",
      configuration: { allowed_signers: signers },
      ...change,
    };
  }

  /** A deployed wallet, its signer, and the channel that its status events and its operations go to. */
  wallet(): Promise<{ wallet: Json; created: Json; signer: Signer; channel: string }> {
    return this.once("wallet", async () => {
      const signer = ecdsaSigner();
      const channel = await this.channel();
      const body = this.newWallet([signer.address], { status_channel_id: channel });
      const created = await this.expect(201, "POST", "/wallets", body);
      const wallet = await this.status(`/wallets/${created.wallet_id}`, "deployed");
      return { wallet, created, signer, channel };
    });
  }

  /** An operation's body, a call that changes nothing when nothing else is said. */
  async newOperation(change: object = {}): Promise<Json> {
    const { wallet } = await this.wallet();
    return {
      chain_selector: this.network.chain_selector,
      address: wallet.address,
      wallet_operation_id: freshId(),
      deadline: 0,
      transactions: [{ to: wallet.wallet_owner_address, value: "0", data: "0x" }],
      ...change,
    };
  }

  /** A draft in the wallet's channel, with the body that was sent. */
  async draft(change: object = {}): Promise<{ operation: Json; body: Json; path: string }> {
    const { channel } = await this.wallet();
    const body = await this.newOperation(change);
    const { operation_id } = await this.expect(201, "POST", `/channels/${channel}/operations`, body);
    const path = `/channels/${channel}/operations/${operation_id}`;
    return { operation: await this.get(path), body, path };
  }

  async signed(body: Json): Promise<Json> {
    const { signer } = await this.wallet();
    return { ...body, signature: await signer.sign(body, this.network.chain_id) };
  }

  /** A signed operation, handed in. */
  async submit(change: object = {}): Promise<{ id: string; body: Json; path: string; answer: Json }> {
    const { channel } = await this.wallet();
    const body = await this.signed(await this.newOperation(change));
    const answer = await this.expect(201, "POST", `/channels/${channel}/operations`, body);
    const id = answer.operation_id;
    return { id, body, answer, path: `/channels/${channel}/operations/${id}` };
  }

  newQuery(params: object = {}, change: object = {}): Json {
    return {
      idempotency_key: randomUUID(),
      query_kind: "evm_call",
      chain_selector: this.network.chain_selector,
      params: {
        contract_address: this.token,
        call_data: "0x18160ddd",
        block_selection: { type: "latest" },
        ...params,
      },
      ...change,
    };
  }

  /** A query once it is answered. */
  async ask(channel: string, body: Json): Promise<Json> {
    const { query_id } = await this.expect(202, "POST", `/channels/${channel}/queries`, body);
    return await this.status(`/channels/${channel}/queries/${query_id}`, "completed", "failed", "expired");
  }

  /** Leaves a service that goes on as it was found, as far as it can be. */
  async leave(): Promise<void> {
    if (!this.has("local")) {
      for (const channel of this.#channels) await this.#tidy(`/channels/${channel}`).catch(() => {});
    }
    await this.target.close();
  }

  async #tidy(path: string): Promise<void> {
    const { data } = await this.get(`${path}/watchers?limit=50&status=active&status=failed`);
    for (const { watcher_id } of data) {
      await this.call("PATCH", `${path}/watchers/${watcher_id}`, { status: "archived" });
      await this.status(`${path}/watchers/${watcher_id}`, "archived", "failed");
    }
    await this.call("PATCH", path, { status: "archived" });
  }
}
