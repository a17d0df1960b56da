import should from "should";
import { toMessage } from "../../nodes/common/messages/event-message.ts";
import { EventConsumer, eventFilter, eventSource } from "../../src/consumer/index.ts";
import { CrecError } from "../../src/errors.ts";
import {
  CrecClient,
  createVerifier,
  type Delivery,
  decodeEvent,
  dedupeKey,
  EVENT_TYPES,
  generatePrivateKey,
  localEcdsaSigner,
  parseAbi,
  signedFacts,
  unmetExpectation,
} from "../../src/index.ts";
import type { ChannelEvent } from "../../src/protocol/index.ts";
import { MemoryCursorStore } from "../../src/storage/index.ts";
import { KEY } from "../http/support.ts";
import { ownConfig } from "../proofs/fixtures.ts";
import {
  CONTRACT,
  contractEvent,
  type How,
  KEY_OF_OPERATION,
  lacking,
  OPERATION_ID,
  operationStatus,
  QUESTION,
  querySample,
  queryStatus,
  SAMPLES,
  type Sample,
  SIGNED_ANSWER,
  SIGNED_LOG,
  SIGNED_STATUS,
  WALLET_ADDRESS,
  walletStatus,
  watcherStatus,
} from "./samples.ts";
import { type Asked, CHAIN, ID, type Reply, startFakeService } from "./support.ts";

type Fields = Record<string, unknown>;
type World = Record<keyof typeof SAMPLES | "query" | "event", Fields> & { hasMore: Fields };
type Call = (client: CrecClient) => Promise<unknown>;

const EVENTS: Readonly<Record<string, Sample>> = {
  "watcher.event": contractEvent(),
  "operation.status": operationStatus(),
  "query.status": queryStatus(),
  "watcher.status": watcherStatus(),
  "wallet.status": walletStatus(),
};
const SIGNED: Readonly<Record<string, [Sample, (signed: Fields) => Sample]>> = {
  "watcher.event": [SIGNED_LOG, contractEvent],
  "operation.status": [SIGNED_STATUS, operationStatus],
  "query.status": [SIGNED_ANSWER, queryStatus],
};
const FULL: World = {
  network: SAMPLES.network.full,
  channel: SAMPLES.channel.full,
  wallet: SAMPLES.wallet.full,
  watcher: SAMPLES.watcher.full,
  operation: SAMPLES.operation.full,
  query: querySample().full,
  event: EVENTS["operation.status"]?.full ?? {},
  hasMore: { has_more: false },
};

const verifier = createVerifier(ownConfig);
const signer = localEcdsaSigner(generatePrivateKey());
const wallet = {
  name: "demo",
  chain_selector: CHAIN,
  wallet_owner_address: WALLET_ADDRESS,
  wallet_type: "ecdsa",
} as const;
const watcher = { name: "demo", chain_selector: CHAIN, address: CONTRACT, events: ["Moved"] };
const abi = [{ type: "event" as const, name: "Moved", inputs: [] }];
const operation = {
  ...{ chain_selector: CHAIN, address: WALLET_ADDRESS, deadline: 0 },
  transactions: [{ to: CONTRACT, value: "0", data: "0xd09de08a" }],
};
const question = {
  ...{ chain_selector: CHAIN, address: CONTRACT, function: "increment" },
  abi: parseAbi("function increment() view returns (uint256)"),
};
const soon = { timeoutMs: 5_000 };

/** Every call of the client, by what it reads. */
const CALLS: Readonly<Record<Exclude<keyof World, "hasMore">, Readonly<Record<string, Call>>>> = {
  network: {
    list: ({ networks }) => networks.list(),
    chainIdOf: ({ networks }) => networks.chainIdOf(CHAIN),
  },
  channel: {
    create: ({ channels }) => channels.create({ name: "demo" }),
    get: ({ channels }) => channels.get(ID),
    update: ({ channels }) => channels.update(ID, { name: "demo" }),
    archive: ({ channels }) => channels.archive(ID),
    list: ({ channels }) => channels.list().then(),
    iterate: ({ channels }) => all(channels.list()),
    createOrFind: ({ channels }) => channels.createOrFind({ name: "demo" }),
  },
  wallet: {
    create: ({ wallets }) => wallets.create(wallet),
    get: ({ wallets }) => wallets.get(ID),
    update: ({ wallets }) => wallets.update(ID, { name: "demo" }),
    archive: ({ wallets }) => wallets.archive(ID),
    list: ({ wallets }) => wallets.list().then(),
    createOrFind: ({ wallets }) => wallets.createOrFind(wallet),
    waitFor: ({ wallets }) => wallets.waitFor(ID, { target: "deployed", ...soon }),
  },
  watcher: {
    create: ({ watchers }) => watchers.create(ID, { ...watcher, abi }),
    get: ({ watchers }) => watchers.get(ID, ID),
    update: ({ watchers }) => watchers.update(ID, ID, { name: "demo" }),
    archive: ({ watchers }) => watchers.archive(ID, ID),
    list: ({ watchers }) => watchers.list(ID).then(),
    // What was just created is looked for by its name, which this list may leave out.
    createOrFind: ({ watchers }) => watchers.createOrFind(ID, { ...watcher, abi }, { timeoutMs: 1_000 }),
    waitFor: ({ watchers }) => watchers.waitFor(ID, ID, { target: "active", ...soon }),
  },
  operation: {
    get: ({ operations }) => operations.get(ID, ID),
    cancel: ({ operations }) => operations.cancel(ID, ID),
    list: ({ operations }) => operations.list(ID).then(),
    waitFor: ({ operations }) => operations.waitFor(ID, ID, { target: "confirmed", ...soon }),
    follow: ({ operations }) =>
      all(operations.follow(ID, ID, { ...soon, verify: (event) => verifier.verify(event) })),
    send: ({ operations }) =>
      operations.send(ID, { ...operation, wallet_operation_id: OPERATION_ID }, signer),
    draft: ({ operations }) => operations.draft(ID, { ...operation, wallet_operation_id: OPERATION_ID }),
    "send under a key": ({ operations }) =>
      operations.send(ID, { ...operation, operation_key: KEY_OF_OPERATION }, signer),
    finalize: ({ operations }) => operations.finalize(ID, ID, signer),
  },
  query: {
    create: ({ queries }) => queries.create(ID, { chain_selector: CHAIN, params: QUESTION }),
    get: ({ queries }) => queries.get(ID, ID),
    list: ({ queries }) => queries.list(ID).then(),
    waitFor: ({ queries }) => queries.waitFor(ID, ID, soon),
    call: ({ queries }) => queries.call(ID, question, soon),
    verify: async ({ queries }) => verifier.verifyQuery(await queries.get(ID, ID)),
  },
  event: {
    poll: async ({ events }) => all(told((await events.poll(ID)).events)),
    search: async ({ events }) => all(told(await all(events.search(ID)))),
    get: async ({ events }) => all(told([await events.get(ID, ID)])),
  },
};

/** What a call cannot do without, though the service may leave it out; and the code it says so by. */
const NEEDED: Readonly<Record<string, { fields: readonly string[]; code: string }>> = {
  "operation.send under a key": { fields: ["transactions", "digest"], code: "BAD_RESPONSE" },
  "operation.finalize": { fields: ["transactions"], code: "BAD_RESPONSE" },
  "query.call": { fields: ["verifiable_result"], code: "RESULT_UNREADABLE" },
};

describe("The client before a service that writes null for what is not there", () => {
  let world: World = FULL;
  let service: Awaited<ReturnType<typeof startFakeService>>;
  let client: CrecClient;

  before(async () => {
    service = await startFakeService((asked) => answer(world, asked));
    const { url } = service.server;
    client = new CrecClient({ baseUrl: url, apiKey: KEY, maxAttempts: 1, graphqlUrl: `${url}/graphql` });
  });
  after(async () => {
    await client?.close();
    await service?.close();
  });

  const outcome = async (call: Call, how: How, name: keyof World, full: Fields, paths: readonly string[]) => {
    world = { ...FULL, [name]: lacking(full, paths, how) };
    try {
      return { value: await call(client) };
    } catch (error) {
      // Anything that is not an error of ours fails the test.
      if (error instanceof CrecError) return { code: error.code };
      throw error;
    }
  };

  /** The same calls before both services: with the same results, and refused only for what they cannot do without. */
  const alike = async (name: Exclude<keyof World, "hasMore">, full: Fields, paths: readonly string[]) => {
    for (const [title, call] of Object.entries(CALLS[name])) {
      const what = `${name}.${title} without ${paths.join(", ")}`;
      const nulled = await outcome(call, "null", name, full, paths);
      const leftOut = await outcome(call, "left out", name, full, paths);
      should(nulled).eql(leftOut, what);
      const needed = NEEDED[`${name}.${title}`];
      const isLacking = needed?.fields.every((field) => paths.includes(field)) ?? false;
      should("code" in leftOut ? leftOut.code : undefined).equal(isLacking ? needed?.code : undefined, what);
    }
  };

  const samples = { ...SAMPLES, query: querySample() };
  for (const name of Object.keys(samples) as Array<keyof typeof samples>) {
    const { full, optional } = samples[name];
    it(`reads each optional field of ${name} as absent, alone and all at once`, async () => {
      for (const field of optional) await alike(name, full, [field]);
      await alike(name, full, optional);
    });
  }

  for (const [type, { full, optional }] of Object.entries(EVENTS)) {
    it(`reads each optional field of ${type} as absent, alone and all at once`, async () => {
      for (const field of optional) await alike("event", full, [field]);
      // One of the two places has the type.
      await alike(
        "event",
        full,
        optional.filter((field) => field !== "headers.type"),
      );
    });
  }

  for (const [type, [{ full, optional }, eventOf]] of Object.entries(SIGNED)) {
    it(`verifies and reads ${type} alike, whether the signed text has null or nothing`, async () => {
      for (const fields of [...optional.map((field) => [field]), optional]) {
        const tellOf = async (how: How) => {
          const event = eventOf(lacking(full, fields, how)).full as ChannelEvent;
          const [{ verification, message, facts, unmet } = fail()] = await all(told([event]));
          return { verification, payload: message.payload, facts, unmet };
        };
        const nulled = await tellOf("null");
        should(nulled).eql(await tellOf("left out"), fields.join());
        should(nulled.verification).have.property("verified", true);
      }
    });
  }

  it("takes a null list for an empty one, and has_more for false", async () => {
    const empty = (body: Fields) => {
      world = { ...FULL, hasMore: body };
    };
    const lists: Readonly<Record<string, Call>> = {
      networks: ({ networks }) => networks.list(),
      channels: ({ channels }) => all(channels.list()),
      wallets: ({ wallets }) => all(wallets.list()),
      watchers: ({ watchers }) => all(watchers.list(ID)),
      operations: ({ operations }) => all(operations.list(ID)),
      queries: ({ queries }) => all(queries.list(ID)),
      "events searched": ({ events }) => all(events.search(ID)),
      "events polled": async ({ events }) => (await events.poll(ID)).events,
    };
    for (const [title, call] of Object.entries(lists)) {
      for (const body of [{ data: null, has_more: null }, { data: null, events: null }, { data: null }]) {
        empty(body);
        should(await call(client)).eql([], title);
      }
    }
    empty({ events: null, has_more: null });
    should(await client.events.poll(ID)).eql({ events: [], has_more: false });
  });

  it("leaves null where it belongs to the user: settings of a service, metadata, types it does not know", async () => {
    world = FULL;
    should((await client.watchers.get(ID, ID)).service_config).eql({ limit: null });
    const [call] = (await client.operations.get(ID, ID)).transactions;
    should(call?.preview_snapshot).have.propertyByPath("metadata", "note").equal(null);
    const event = {
      event_id: ID,
      headers: { type: "new.type", offset: 1, proofs: [] },
      payload: { one: null },
    };
    world = { ...FULL, event };
    should((await client.events.get(ID, ID)).payload).eql({ one: null });
  });

  it("answers for health and account whichever way what is missing is written", async () => {
    world = FULL;
    should(await client.health()).eql({ status: "ok" });
    should(await client.account.details()).equal(null);
    should(await client.account.organization()).equal(null);
  });

  it("delivers the same events to a consumer", async () => {
    const { full, optional } = EVENTS["watcher.event"] ?? { full: {}, optional: [] };
    const lost = optional.filter((field) => field !== "headers.type" && field !== "headers.proofs");
    const delivered = async (how: How): Promise<Delivery> => {
      world = { ...FULL, event: lacking(full, lost, how) };
      const { promise, resolve } = Promise.withResolvers<Delivery>();
      const consumer = new EventConsumer({
        source: eventSource(client.events, ID),
        store: new MemoryCursorStore(),
        identity: { consumer: `optional ${how}`, channelId: ID, service: service.server.url },
        start: "beginning",
        verify: (event) => verifier.verify(event, { channelId: ID }),
        deliver: resolve,
      });
      consumer.start();
      const delivery = await promise;
      await consumer.stop();
      return delivery;
    };
    const nulled = await delivered("null");
    should(nulled).eql(await delivered("left out"));
    should(nulled).containDeep({ event: { event_id: "offset:5" }, verification: { verified: true } });
  });
});

function fail(): never {
  throw new Error("Nothing was told of the event.");
}

/** What nodes and proofs make of events. */
async function* told(events: readonly ChannelEvent[]) {
  const library = { decodeEvent, dedupeKey, EVENT_TYPES };
  const isWanted = eventFilter({ addresses: [CONTRACT, WALLET_ADDRESS], watcherIds: [ID] });
  for (const event of events) {
    const verification = await verifier.verify(event, { channelId: ID });
    const delivery = {
      event,
      offset: event.headers.offset,
      redelivered: false,
      late: false,
      restored: false,
      attempt: 1,
    };
    const facts = signedFacts(event);
    yield {
      event,
      verification,
      message: toMessage({ ...delivery, verification }, { channelId: ID, consumer: "one" }, library),
      facts,
      unmet: unmetExpectation(facts, { minConfidence: "latest", maxAge: 60 }, { now: 1_800_000_030 }),
      isWanted: isWanted(event),
    };
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
}

/** Each resource alone, in a list, and as the answer to what creates or changes it. */
function answer(world: World, { method, path }: Asked): Reply {
  const { network, channel, wallet, watcher, operation, query, event, hasMore } = world;
  const last = path.split("/").at(-1) ?? "";
  const page = (name: string, item: Fields): Reply => [200, { [name]: [item], ...hasMore }];
  if (path === "/health-check") return [200, { status: "ok", more: null }];
  if (path === "/graphql") return [200, { data: { getAccountDetails: null }, errors: null }];
  if (path === "/networks") return page("data", network);
  if (last === "events" || last === "search") return page("data" in hasMore ? "data" : "events", event);
  const kinds: Readonly<Record<string, Fields>> = {
    channels: channel,
    wallets: wallet,
    watchers: watcher,
    operations: operation,
    queries: query,
  };
  const listed = kinds[last];
  if (listed) return method === "GET" ? page("data", listed) : [201, listed];
  const one = path.includes("/events/") ? event : kinds[path.split("/").at(-2) ?? ""];
  return one ? [200, one] : [404, { type: "NOT_FOUND", message: path }];
}
