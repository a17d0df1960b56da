import should from "should";
import { AbortedError } from "../../src/http/index.ts";
import { Events } from "../../src/resources/events.ts";
import { Channels, Operations, Queries, Wallets, Watchers } from "../../src/resources/index.ts";
import { Networks } from "../../src/resources/networks.ts";
import { JustCreated } from "../../src/resources/requests/just-created.ts";
import { ResourceTransport, type TransportClock } from "../../src/resources/requests/resource-transport.ts";
import { sleep, systemClock } from "../../src/timing/index.ts";
import { errorOf, KEY } from "../http/support.ts";
import {
  ADDRESS,
  type Asked,
  CHAIN,
  conflict,
  ID,
  notFound,
  OTHER_ID,
  page,
  type Reply,
  startFakeService,
} from "./support.ts";

const THIRD_ID = "34fcb3b0-bcb2-4c77-a3ce-6a265c5bcd25";
const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";
const channel = { channel_id: ID, name: "demo", status: "active", created_at: 1 };
const watcher = { watcher_id: OTHER_ID, channel_id: ID, name: "counts", status: "pending", created_at: 1 };
const NEW_WATCHER = { name: "counts", chain_selector: CHAIN, address: ADDRESS, events: ["A"], service: "x" };

/** For up to 30 s after a create the service may answer 404 about what it has created. */
describe("just after a create", () => {
  const open: Array<{ close: () => Promise<void> }> = [];
  afterEach(async () => {
    for (const one of open.splice(0)) await one.close();
  });

  /** A service, and its resources on a clock that every pause sets forward. */
  const serve = async (
    reply: (asked: Asked, seconds: number) => Reply,
    real?: Partial<TransportClock>,
    timeoutMs = 60_000,
  ) => {
    let time = 0;
    const pauses: number[] = [];
    const clock: TransportClock = {
      now: () => 1_800_000_000_000 + time,
      elapsed: () => time,
      sleep: async (ms) => {
        pauses.push(ms);
        time += ms;
      },
      ...real,
    };
    const service = await startFakeService((asked) => reply(asked, time / 1000));
    const transport = new ResourceTransport(
      { baseUrl: service.server.url, apiKey: KEY, maxAttempts: 1, timeoutMs },
      clock,
    );
    open.push(transport, service);
    const events = new Events(transport);
    return {
      ...service,
      transport,
      pauses,
      seconds: () => time / 1000,
      pass: (seconds: number) => {
        time += seconds * 1000;
      },
      channels: new Channels(transport),
      wallets: new Wallets(transport, events),
      watchers: new Watchers(transport, events),
      queries: new Queries(transport, events),
      operations: new Operations(transport, events, new Networks(transport), 5),
    };
  };

  describe("a 404 about what this client created", () => {
    it("is waited out until the service shows it", async () => {
      const { channels, pauses, seconds } = await serve(({ method }, now) => {
        if (method === "POST") return [201, channel];
        return now < 28 ? notFound("CHANNEL_NOT_FOUND") : [200, channel];
      });
      const { channel_id } = await channels.create({ name: "demo" });
      should(await channels.get(channel_id.toUpperCase())).deepEqual(channel);
      should(seconds()).be.aboveOrEqual(28).and.belowOrEqual(30);
      should(Math.min(...pauses)).be.above(0);
      should(Math.max(...pauses)).be.belowOrEqual(2_500);
    });

    it("is thrown 30 s after the create, and immediately from then on", async () => {
      const { channels, asked, seconds } = await serve(({ method }) =>
        method === "POST" ? [201, channel] : notFound("CHANNEL_NOT_FOUND"),
      );
      await channels.create({ name: "demo" });
      should((await errorOf(channels.get(ID))).code).equal("CHANNEL_NOT_FOUND");
      should(seconds()).be.approximately(30, 0.001);
      const before = asked.length;
      should((await errorOf(channels.get(ID))).code).equal("CHANNEL_NOT_FOUND");
      should(asked.length - before).equal(1);
    });

    it("is not waited out for a query of a channel that this client has archived, whatever refuses it", async () => {
      const refusals: Reply[] = [
        notFound("CHANNEL_NOT_FOUND"),
        [400, { type: "VALIDATION_ERROR", message: "" }],
      ];
      const { channels, queries, pauses } = await serve(({ method, path }) => {
        if (path.endsWith("queries")) return refusals.shift() ?? "drop";
        return method === "POST" ? [201, channel] : [200, { ...channel, status: "archived" }];
      });
      await channels.create({ name: "demo" });
      await channels.archive(ID);
      const call = {
        contract_address: ADDRESS,
        call_data: "0x",
        block_selection: { type: "latest" },
      } as const;
      const query = { idempotency_key: "1", chain_selector: CHAIN, params: call };
      should((await errorOf(queries.create(ID, query as never))).code).equal("CHANNEL_NOT_FOUND");
      should((await errorOf(queries.create(ID, query as never))).code).equal("VALIDATION_ERROR");
      should(pauses).eql([]);
    });

    it("is waited out by every call that names it, in path, query or body", async () => {
      let late: Reply[] = [];
      const wallet = { wallet_id: THIRD_ID, address: ADDRESS, status: "deployed" };
      const answers: Array<[RegExp, Reply]> = [
        [/^POST .*operations$/, [201, { operation_id: OTHER_ID, status: "accepted" }]],
        [/operations/, page()],
        [/^GET .*queries/, [200, { query_id: OTHER_ID, status: "sent" }]],
        [/queries/, [202, { query_id: OTHER_ID, status: "accepted" }]],
        [/^GET .*watchers$/, page()],
        [/watchers/, [201, watcher]],
        [/^POST .wallets/, [201, { ...wallet, address: "" }]],
        [/wallets/, [200, wallet]],
        [/channels/, [200, channel]],
      ];
      const served = await serve(({ method, path }) => {
        const answer = answers.find(([pattern]) => pattern.test(`${method} ${path}`))?.[1];
        return late.shift() ?? answer ?? "drop";
      });
      const { channels, watchers, wallets, queries, operations, transport, asked } = served;
      /** Whether the call is made again after such a 404. */
      const repeats = async (code: string, call: () => unknown): Promise<boolean> => {
        const before = asked.length;
        late = [code === "" ? [404, { type: "NOT_FOUND", message: "" }] : notFound(code)];
        await Promise.resolve(call()).catch(() => {});
        return asked.length - before === 2;
      };
      const query = {
        chain_selector: CHAIN,
        params: { contract_address: ADDRESS, call_data: "0x", block_selection: { type: "latest" as const } },
      };
      const newWallet = {
        ...{ name: "payer", chain_selector: CHAIN, wallet_owner_address: ADDRESS },
        wallet_type: "ecdsa" as const,
      };
      await channels.create({ name: "demo" });
      should(await repeats("CHANNEL_NOT_FOUND", () => channels.archive(ID))).be.true();
      should(await repeats("CHANNEL_NOT_FOUND", () => watchers.list(ID))).be.true();
      should(await repeats("CHANNEL_NOT_FOUND", () => watchers.create(ID, NEW_WATCHER))).be.true();
      should(
        await repeats("WATCHER_NOT_FOUND", () => watchers.update(ID, OTHER_ID, { name: "other" })),
      ).be.true();
      const inChannel = { ...newWallet, status_channel_id: ID };
      should(await repeats("CHANNEL_NOT_FOUND", () => wallets.create(inChannel))).be.true();
      const post = {
        method: "POST",
        path: `/channels/${ID}/operations`,
        body: { address: ADDRESS },
      } as const;
      should(await repeats("WALLET_NOT_FOUND", () => transport.request(post))).be.false();
      should(await repeats("WALLET_NOT_FOUND", () => wallets.get(THIRD_ID))).be.true();
      // Now its address is known.
      should(await repeats("WALLET_NOT_FOUND", () => transport.request(post))).be.true();
      should(await repeats("CHANNEL_NOT_FOUND", () => queries.create(ID, query))).be.true();
      should(await repeats("QUERY_NOT_FOUND", () => queries.get(ID, OTHER_ID))).be.true();
      should(await repeats("OPERATION_NOT_FOUND", () => operations.get(ID, OTHER_ID))).be.true();
      const raw = { method: "GET", path: `/channels/${ID.toUpperCase()}/events/?limit=1` } as const;
      should(await repeats("CHANNEL_NOT_FOUND", () => transport.request(raw))).be.true();
      // Without a code it may be about any of what the call names, but not about a path that is none.
      should(await repeats("", () => operations.get(ID, THIRD_ID))).be.true();
      should(await repeats("", () => transport.get(`/channels/${ID}/nothing`))).be.false();
      // Of the others, none is about what was created.
      should(await repeats("OPERATION_NOT_FOUND", () => operations.get(ID, UNKNOWN_ID))).be.false();
      should(await repeats("CHANNEL_NOT_FOUND", () => channels.get(UNKNOWN_ID))).be.false();
      should(
        await repeats("EVENT_NOT_FOUND", () => transport.get(`/channels/${ID}/events/search/${OTHER_ID}`)),
      ).be.false();
    });

    it("keeps no call longer than its own time, and says what it was", async () => {
      const { channels, seconds } = await serve(({ method }) =>
        method === "POST" ? [201, channel] : notFound("CHANNEL_NOT_FOUND"),
      );
      await channels.create({ name: "demo" });
      const error = await errorOf(channels.get(ID, { timeoutMs: 5_000 }));
      should(error.code).equal("CHANNEL_NOT_FOUND");
      should(seconds()).be.below(5);
    });

    it("ends with the caller's signal", async () => {
      const stop = new AbortController();
      const { channels } = await serve(
        ({ method }) => (method === "POST" ? [201, channel] : notFound("CHANNEL_NOT_FOUND")),
        {
          ...systemClock,
          sleep: (ms, ...signals) => {
            stop.abort();
            return sleep(ms * 1_000, ...signals);
          },
        },
      );
      await channels.create({ name: "demo" });
      should(await errorOf(channels.get(ID, { signal: stop.signal }))).be.instanceOf(AbortedError);
    });

    it("is waited out by a wait, for longer than that of a stranger", async () => {
      const { watchers, seconds } = await serve(({ method }, now) => {
        if (method === "POST") return [201, watcher];
        return now < 20 ? notFound("WATCHER_NOT_FOUND") : [200, { ...watcher, status: "active" }];
      });
      await watchers.create(ID, NEW_WATCHER);
      const options = { target: "active", unknownForMs: 1 } as const;
      should((await watchers.waitFor(ID, OTHER_ID, options)).status).equal("active");
      should(seconds()).be.aboveOrEqual(20);
    });
  });

  describe("a wait of a client with a short timeoutMs", () => {
    const options = { target: "active", unknownForMs: 1, pollMs: { min: 1, max: 1 } } as const;
    const shownAfter = (shown: number) =>
      serve(
        ({ method }, now) => {
          if (method === "POST") return [201, watcher];
          return now < shown ? notFound("WATCHER_NOT_FOUND") : [200, { ...watcher, status: "active" }];
        },
        {},
        3_000,
      );

    it("waits out the 404 for 30 s after the create", async () => {
      const { watchers, seconds } = await shownAfter(28);
      await watchers.create(ID, NEW_WATCHER);
      should((await watchers.waitFor(ID, OTHER_ID, options)).status).equal("active");
      should(seconds()).be.within(28, 30);
    });

    it("ends with the 404 after that", async () => {
      const { watchers, seconds } = await shownAfter(60);
      await watchers.create(ID, NEW_WATCHER);
      should((await errorOf(watchers.waitFor(ID, OTHER_ID, options))).code).equal("WATCHER_NOT_FOUND");
      should(seconds()).be.approximately(30, 0.001);
    });
  });

  describe("a 404 about what another client created", () => {
    const tries = async (createdAt: (now: number) => number) => {
      const served = await serve(() => notFound("CHANNEL_NOT_FOUND"));
      const { transport, channels, seconds } = served;
      transport.noteCreated(ID, createdAt(1_800_000_000));
      await errorOf(channels.get(ID.toUpperCase()));
      return seconds();
    };

    it("is waited out for the rest of the 30 s", async () => {
      should(await tries((now) => now - 10)).be.approximately(20, 0.001);
    });

    it("is thrown immediately for an older or impossible time of creation", async () => {
      for (const at of [(now: number) => now - 30, (now: number) => now + 300, () => Number.NaN]) {
        should(await tries(at)).equal(0);
      }
    });

    it("counts from now on where another clock is ahead", async () => {
      should(await tries((now) => now + 50)).be.approximately(30, 0.001);
    });

    it("can be known from the client that created it", async () => {
      const { channels, transport, pass } = await serve(() => [201, channel]);
      should(transport.createdAt(ID)).be.undefined();
      pass(100);
      await channels.create({ name: "demo" });
      pass(12);
      should(transport.createdAt(ID.toUpperCase())).equal(1_800_000_100);
      transport.noteCreated(ID, 1_800_000_112);
      should(transport.createdAt(ID)).equal(1_800_000_100);
      pass(18);
      should(transport.createdAt(ID)).be.undefined();
    });
  });

  describe("a look-up by name", () => {
    const newWallet = {
      ...{ name: "counts", chain_selector: CHAIN, wallet_owner_address: ADDRESS },
      wallet_type: "ecdsa" as const,
    };
    const wallet = { wallet_id: THIRD_ID, name: "counts", status: "pending" };

    it("waits until the list shows what this client created", async () => {
      const all: Record<string, object> = { "/channels": { ...channel, name: "counts" }, "/wallets": wallet };
      const served = await serve(({ method, path }, now) => {
        const one = all[path] ?? watcher;
        if (method === "POST") return [201, one];
        return now % 100 < 15 ? page() : page(one);
      });
      const { channels, wallets, watchers, seconds, pass } = served;
      await channels.create({ name: "counts" });
      should(await channels.findByName("counts")).have.property("channel_id", ID);
      should(seconds()).be.within(15, 18);
      pass(100 - seconds());
      await wallets.create(newWallet);
      should(await wallets.findByName("counts")).have.property("wallet_id", THIRD_ID);
      pass(200 - seconds());
      await watchers.create(ID, NEW_WATCHER);
      should(await watchers.findByName(ID, "counts")).have.property("watcher_id", OTHER_ID);
      should(seconds()).be.within(215, 218);
    });

    it("immediately finds nothing under another name, in another channel, or after a change", async () => {
      const { watchers, seconds } = await serve(({ method }) =>
        method === "POST" ? [201, watcher] : method === "PATCH" ? [200, watcher] : page(),
      );
      await watchers.create(ID, NEW_WATCHER);
      should(await watchers.findByName(ID, "Counts")).be.undefined();
      should(await watchers.findByName(OTHER_ID, "counts")).be.undefined();
      should(seconds()).equal(0);
      should(await watchers.findByName(ID, "counts", { timeoutMs: 10_000 })).be.undefined();
      should(seconds()).be.within(5, 10);
      const before = seconds();
      await watchers.archive(ID, OTHER_ID);
      should(await watchers.findByName(ID, "counts")).be.undefined();
      should(seconds()).equal(before);
    });
  });

  describe("create or find", () => {
    it("waits until the list shows what has the name", async () => {
      const { channels, seconds } = await serve(({ method, query }, now) => {
        if (method === "POST") return conflict("CHANNEL_ALREADY_EXISTS");
        return now < 20 || query.has("status") ? page() : page(channel);
      });
      should(await channels.createOrFind({ name: "demo" })).deepEqual({ channel, found: true });
      should(seconds()).be.within(20, 23);
    });

    it("gives up after 30 s", async () => {
      const { channels, seconds } = await serve(({ method }) =>
        method === "POST" ? conflict("CHANNEL_ALREADY_EXISTS") : page(),
      );
      const error = await errorOf(channels.createOrFind({ name: "demo" }));
      should(error.code).equal("CHANNEL_ALREADY_EXISTS");
      should(seconds()).be.approximately(30, 0.001);
    });

    it("gives up sooner where the call or the client has less time", async () => {
      const taken = ({ method }: Asked) => (method === "POST" ? conflict("CHANNEL_ALREADY_EXISTS") : page());
      const patient = await serve(taken);
      const call = patient.channels.createOrFind({ name: "demo" }, { timeoutMs: 4_000 });
      should((await errorOf(call)).code).equal("CHANNEL_ALREADY_EXISTS");
      should(patient.seconds()).be.approximately(4, 0.001);
      const hasty = await serve(taken, {}, 3_000);
      const error = await errorOf(hasty.channels.createOrFind({ name: "demo" }));
      should(error.code).equal("CHANNEL_ALREADY_EXISTS");
      should(hasty.seconds()).be.approximately(3, 0.001);
    });

    it("does not wait for an archived one, of any kind", async () => {
      const { watchers, wallets, seconds } = await serve(({ method, path, query }) => {
        const kind = path.endsWith("wallets") ? "WALLET" : "WATCHER";
        if (method === "POST") return conflict(`${kind}_ALREADY_EXISTS`);
        if (query.get("status") !== "archived") return page();
        return kind === "WALLET" ? page({ wallet_id: ID, name: "counts" }) : page(watcher);
      });
      const newWallet = {
        ...{ name: "counts", chain_selector: CHAIN, wallet_owner_address: ADDRESS },
        wallet_type: "ecdsa" as const,
      };
      should((await errorOf(watchers.createOrFind(ID, NEW_WATCHER))).code).equal("WATCHER_ALREADY_EXISTS");
      should((await errorOf(wallets.createOrFind(newWallet))).code).equal("WALLET_ALREADY_EXISTS");
      should(seconds()).be.below(1);
    });

    it("waits out a 404 about what it found, where that is new by the service's clock", async () => {
      for (const offS of [0, 600, -600]) {
        const ofService = 1_800_000_000 + offS;
        const young = { ...watcher, ...NEW_WATCHER, created_at: ofService - 1 };
        const { watchers, seconds } = await serve(({ path }, now): Reply => {
          const headers = { date: new Date((ofService + now) * 1000).toUTCString() };
          if (path.endsWith("watchers")) return [200, { data: [young], has_more: false }, headers];
          if (now >= 9) return [200, young, headers];
          return [404, { type: "NOT_FOUND", code: "WATCHER_NOT_FOUND", message: "unknown" }, headers];
        });
        should((await watchers.createOrFind(ID, NEW_WATCHER)).found).be.true();
        should(seconds()).be.within(9, 12);
      }
    });

    it("takes what a lost answer had created for its own", async () => {
      let isMade = false;
      const { channels, transport } = await serve(({ method }) => {
        if (method === "GET") return isMade ? page(channel) : page();
        isMade = true;
        return "drop";
      });
      should(await channels.createOrFind({ name: "demo" })).deepEqual({ channel, found: true });
      should(transport.createdAt(ID)).be.a.Number();
    });
  });

  it("keeps no more than the newest 1,000, each for 30 s", () => {
    let time = 0;
    const created = new JustCreated(() => time);
    for (let n = 0; n <= 1_000; n++) {
      created.note(`id ${n}`);
      time += 1;
    }
    should([created.ageOf("id 0"), created.ageOf("id 1")]).deepEqual([undefined, 1_000]);
    time += 29_000;
    should([created.ageOf("id 1"), created.ageOf("id 2")]).deepEqual([undefined, 29_999]);
    created.note("last");
    should(created.ageOf("id 2")).equal(29_999);
  });
});
