import { randomUUID } from "node:crypto";
import type { CrecClient } from "../../src/index.ts";
import { COUNTER_ABI, type World } from "./world.ts";

/**
 * What a method does, for one column of the table. Of `read` and `account` each request may be repeated; of `change` the
 * same change may be made twice; `ask` has an idempotency key; `create or find` and `submit` look before they repeat;
 * `create` and `archive` are sent once.
 */
export const METHOD_KINDS = [
  "read",
  "create",
  "create or find",
  "change",
  "archive",
  "ask",
  "submit",
  "finalize, cancel",
  "wait",
  "account",
] as const;
export type MethodKind = (typeof METHOD_KINDS)[number];

/** A method with all that one call of it needs. `prepare` makes what only one call can use, without any fault. */
export type Method = {
  kind: MethodKind;
  prepare: (world: World) => Promise<(client: CrecClient, wait: Wait) => Promise<unknown>>;
  /** Codes with which the call ends where there is no fault, because of what an earlier call did. */
  after?: readonly string[];
};

/** How long methods wait that wait. */
export type Wait = { timeoutMs: number; pollMs: { min: number; max: number }; unknownForMs: number };

const POLLS = { pollMs: { min: 50, max: 100 }, unknownForMs: 500 };
/** While a fault lasts: some attempts. */
export const SHORT_WAIT: Wait = { ...POLLS, timeoutMs: 3_000 };
export const LONG_WAIT: Wait = { ...POLLS, timeoutMs: 60_000 };

const TAKEN = ["CHANNEL_ALREADY_EXISTS", "WATCHER_ALREADY_EXISTS", "WALLET_ALREADY_EXISTS"];

const fresh = () => `faults-${randomUUID()}`;
const read = (call: (client: CrecClient, world: World, wait: Wait) => Promise<unknown>): Method =>
  method("read", call);

function method(
  kind: MethodKind,
  call: (client: CrecClient, world: World, wait: Wait) => Promise<unknown>,
  after?: readonly string[],
): Method {
  const prepare = async (world: World) => (client: CrecClient, wait: Wait) => call(client, world, wait);
  return { kind, prepare, ...(after ? { after } : {}) };
}

async function drained(iterable: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of iterable);
}

/** Of a wallet that exists; its deployment does not matter. */
const ownWallet = async ({ direct, newWallet }: World) =>
  (await direct.wallets.create(newWallet())).wallet_id;
const ownWatcher = async ({ direct, channelId, newWatcher }: World) =>
  (await direct.watchers.create(channelId, newWatcher())).watcher_id;
const ownDraft = async ({ direct, channelId, newOperation }: World) =>
  (await direct.operations.draft(channelId, { ...newOperation(), deadline: 0 })).operation.operation_id;

/** Every method of the client that calls the service, as `<resource>.<method>`. */
export const METHODS: Readonly<Record<string, Method>> = {
  request: read((client) => client.request({ method: "GET", path: "/channels", query: { limit: 1 } })),
  health: read((client) => client.health()),
  "networks.list": read((client) => client.networks.list()),
  // Of a network that is not well known, which the service has to say.
  "networks.chainIdOf": {
    ...read((client) => client.networks.chainIdOf("1234567")),
    after: ["NETWORK_NOT_FOUND"],
  },
  "channels.get": read((client, { channelId }) => client.channels.get(channelId)),
  "channels.list": read((client) => drained(client.channels.list())),
  "channels.findByName": read((client) => client.channels.findByName(fresh())),
  "channels.create": {
    kind: "create",
    prepare: async () => {
      const name = fresh();
      return (client) => client.channels.create({ name });
    },
    after: TAKEN,
  },
  "channels.createOrFind": {
    kind: "create or find",
    prepare: async () => {
      const name = fresh();
      return (client) => client.channels.createOrFind({ name });
    },
  },
  "channels.update": method("change", (client, { channelId }) =>
    client.channels.update(channelId, { description: "the same" }),
  ),
  "channels.archive": {
    kind: "archive",
    prepare: async ({ direct }) => {
      const { channel_id } = await direct.channels.create({ name: fresh() });
      return (client) => client.channels.archive(channel_id);
    },
    after: ["CONFLICT", "CHANNEL_ALREADY_ARCHIVED"],
  },
  "watchers.get": read((client, { channelId, watcherId }) => client.watchers.get(channelId, watcherId)),
  "watchers.familyOf": read((client, { channelId, watcherId }) =>
    client.watchers.familyOf(channelId, watcherId),
  ),
  "watchers.list": read((client, { channelId }) => drained(client.watchers.list(channelId))),
  "watchers.findByName": read((client, { channelId }) => client.watchers.findByName(channelId, fresh())),
  "watchers.create": {
    kind: "create",
    prepare: async ({ channelId, newWatcher }) => {
      const watcher = newWatcher();
      return (client) => client.watchers.create(channelId, watcher);
    },
    after: TAKEN,
  },
  "watchers.createOrFind": {
    kind: "create or find",
    prepare: async ({ channelId, newWatcher }) => {
      const watcher = newWatcher();
      return (client) => client.watchers.createOrFind(channelId, watcher);
    },
  },
  "watchers.update": {
    kind: "change",
    prepare: async (world) => {
      const id = await ownWatcher(world);
      const name = fresh();
      return (client) => client.watchers.update(world.channelId, id, { name });
    },
    after: TAKEN,
  },
  "watchers.archive": {
    kind: "archive",
    prepare: async (world) => {
      const id = await ownWatcher(world);
      await world.direct.watchers.waitFor(world.channelId, id, { target: "active" });
      return (client) => client.watchers.archive(world.channelId, id);
    },
    after: ["CONFLICT", "WATCHER_ALREADY_ARCHIVED"],
  },
  "watchers.waitFor": method("wait", (client, { channelId, watcherId }, wait) =>
    client.watchers.waitFor(channelId, watcherId, { ...wait, target: "active" }),
  ),
  "events.poll": read((client, { channelId }) => client.events.poll(channelId)),
  "events.search": read((client, { channelId }) => drained(client.events.search(channelId, {}))),
  "events.get": read((client, { channelId, eventId }) => client.events.get(channelId, eventId)),
  "wallets.get": read((client, { wallet }) => client.wallets.get(wallet.wallet_id)),
  "wallets.list": read((client) => drained(client.wallets.list())),
  "wallets.findByName": read((client) => client.wallets.findByName(fresh())),
  "wallets.create": {
    kind: "create",
    prepare: async ({ newWallet }) => {
      const wallet = newWallet();
      return (client) => client.wallets.create(wallet);
    },
    after: TAKEN,
  },
  "wallets.createOrFind": {
    kind: "create or find",
    prepare: async ({ newWallet }) => {
      const wallet = newWallet();
      return (client) => client.wallets.createOrFind(wallet);
    },
  },
  "wallets.update": method("change", (client, { wallet }) =>
    client.wallets.update(wallet.wallet_id, { description: "the same" }),
  ),
  "wallets.archive": {
    kind: "archive",
    prepare: async (world) => {
      const id = await ownWallet(world);
      return (client) => client.wallets.archive(id);
    },
    after: ["CONFLICT", "WALLET_ALREADY_ARCHIVED"],
  },
  "wallets.waitFor": method("wait", (client, { wallet }, wait) =>
    client.wallets.waitFor(wallet.wallet_id, { ...wait, target: "deployed" }),
  ),
  "operations.send": {
    kind: "submit",
    prepare: async ({ channelId, newOperation, signer }) => {
      const operation = { ...newOperation(), operation_key: fresh() };
      return (client) => client.operations.send(channelId, operation, signer);
    },
  },
  "operations.draft": {
    kind: "submit",
    prepare: async ({ channelId, newOperation }) => {
      const operation = { ...newOperation(), operation_key: fresh() };
      return (client) => client.operations.draft(channelId, operation);
    },
  },
  "operations.finalize": {
    kind: "finalize, cancel",
    prepare: async (world) => {
      const id = await ownDraft(world);
      return (client) => client.operations.finalize(world.channelId, id, world.signer);
    },
    after: ["OPERATION_NOT_FINALIZABLE"],
  },
  "operations.cancel": {
    kind: "finalize, cancel",
    prepare: async (world) => {
      const id = await ownDraft(world);
      return (client) => client.operations.cancel(world.channelId, id);
    },
    after: ["OPERATION_NOT_CANCELLABLE"],
  },
  "operations.get": read((client, { channelId, operationId }) =>
    client.operations.get(channelId, operationId),
  ),
  "operations.list": read((client, { channelId }) =>
    drained(client.operations.list(channelId, { limit: 100 })),
  ),
  "operations.waitFor": method("wait", (client, { channelId, operationId }, wait) =>
    client.operations.waitFor(channelId, operationId, { ...wait, target: "confirmed_latest" }),
  ),
  "operations.follow": method("wait", (client, { channelId, operationId }, wait) =>
    client.operations.follow(channelId, operationId, wait).next(),
  ),
  "operations.followUntil": {
    kind: "wait",
    prepare: async ({ direct, channelId, operationId }) => {
      const operation = await direct.operations.get(channelId, operationId);
      return (client, wait) =>
        client.operations.followUntil(channelId, operation, { ...wait, target: "confirmed_latest" });
    },
  },
  "queries.create": {
    kind: "ask",
    prepare: async ({ channelId, newQuery }) => {
      const query = { ...newQuery(), idempotency_key: fresh() };
      return (client) => client.queries.create(channelId, query);
    },
  },
  "queries.get": read((client, { channelId, queryId }) => client.queries.get(channelId, queryId)),
  "queries.list": read((client, { channelId }) => client.queries.list(channelId)),
  "queries.run": method("ask", (client, { channelId, newQuery }) =>
    client.queries.run(channelId, newQuery(), LONG_WAIT),
  ),
  "queries.resume": method("wait", (client, { channelId, queryId, newQuery }, wait) =>
    client.queries.resume(channelId, queryId, newQuery(), wait),
  ),
  "queries.call": method("ask", (client, { channelId, newQuery }) => {
    const { chain_selector, params } = newQuery();
    const question = {
      chain_selector,
      address: params.contract_address,
      abi: COUNTER_ABI,
      function: "count",
    };
    return client.queries.call(channelId, question, LONG_WAIT);
  }),
  "queries.waitFor": method("wait", (client, { channelId, queryId }, wait) =>
    client.queries.waitFor(channelId, queryId, wait),
  ),
  "account.details": method("account", (client) => client.account.details()),
  "account.organization": method("account", (client) => client.account.organization()),
  "account.query": method("account", (client) => client.account.query("{ getAccountDetails { memberId } }")),
  "account.queryPartial": method("account", (client) =>
    client.account.queryPartial("{ getAccountDetails { memberId } }"),
  ),
};

/** Methods that send nothing. */
export const SILENT_METHODS: readonly string[] = ["noteCreated", "createdAt", "serviceTime", "close"];

/** All methods of the client, as its code has them. */
export function methodsOfClient(client: CrecClient): string[] {
  const ofClass = (one: object) =>
    Object.getOwnPropertyNames(Object.getPrototypeOf(one)).filter((name) => name !== "constructor");
  const resources = Object.entries(client).filter(([, value]) => typeof value === "object");
  return [
    ...ofClass(client),
    ...resources.flatMap(([name, resource]) => ofClass(resource as object).map((one) => `${name}.${one}`)),
  ];
}
