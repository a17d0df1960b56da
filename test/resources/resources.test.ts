import { inspect } from "node:util";
import should from "should";
import { eventFragments, parseAbi } from "../../src/abi/index.ts";
import { type CreateWatcher, CrecClient } from "../../src/resources/index.ts";
import { makeEvent, SimulatedChannel } from "../consumer/simulation.ts";
import { errorOf, KEY } from "../http/support.ts";
import { eventually } from "../support/eventually.ts";
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

type Service = Awaited<ReturnType<typeof startFakeService>>;

/** Of a wait that is to end in vain, but not before the first answer, however busy the machine is. */
const SOON_OVER_MS = 1_500;

describe("resources", () => {
  const open: Service[] = [];
  const serve = async (reply: (asked: Asked) => Reply, options = {}) => {
    const service = await startFakeService(reply, options);
    open.push(service);
    return service;
  };
  afterEach(async () => {
    for (const service of open.splice(0)) await service.close();
  });

  const watcher = (changes = {}) => ({
    watcher_id: OTHER_ID,
    channel_id: ID,
    name: "demo watcher",
    status: "active",
    chain_selector: CHAIN,
    address: ADDRESS.toLowerCase(),
    events: ["Transfer"],
    ...changes,
  });
  const wanted: CreateWatcher = {
    name: "demo watcher",
    chain_selector: CHAIN,
    address: ADDRESS,
    events: ["Transfer"],
    abi: [{ type: "event", name: "Transfer", inputs: [] }],
  };

  describe("lists", () => {
    const reply = ({ query }: Asked): Reply => {
      const offset = Number(query.get("offset"));
      const data = [offset, offset + 1].map((number) => ({ channel_id: `${number}`, name: `c${number}` }));
      return [200, { data, has_more: offset < 4 }];
    };

    it("give one page when awaited and all pages when iterated", async () => {
      const { client, asked } = await serve(reply);
      should((await client.channels.list({ limit: 2, status: ["active", "archived"] })).data).have.length(2);
      should(asked[0]?.query.getAll("status")).deepEqual(["active", "archived"]);
      const names: string[] = [];
      for await (const channel of client.channels.list({ limit: 2 })) names.push(channel.name);
      should(names).deepEqual(["c0", "c1", "c2", "c3", "c4", "c5"]);
    });

    it("end on an empty page that promises more", async () => {
      const { client } = await serve(() => [200, { data: [], has_more: true }]);
      for await (const _ of client.channels.list()) throw new Error("nothing is there");
    });

    it("that fail before anybody looks at them end nothing", async () => {
      const { client } = await serve(() => [503, ""]);
      const unhandled: unknown[] = [];
      const remember = (reason: unknown) => unhandled.push(reason);
      process.on("unhandledRejection", remember);
      try {
        const channels = client.channels.list();
        await errorOf(client.channels.list().then());
        await new Promise((resolve) => setImmediate(resolve));
        should(unhandled).be.empty();
        should((await errorOf(channels)).code).equal("SERVICE_ERROR");
      } finally {
        process.off("unhandledRejection", remember);
      }
    });

    it("that are not events are BAD_RESPONSE", async () => {
      const { client } = await serve(() => [200, {}]);
      should((await errorOf(client.channels.list())).code).equal("BAD_RESPONSE");
      should((await errorOf(client.networks.list())).code).equal("BAD_RESPONSE");
      should((await errorOf(client.events.poll(ID))).code).equal("BAD_RESPONSE");
    });
  });

  describe("odd events on a page", () => {
    const event = (offset: unknown, more: object = {}) => ({
      event_id: `e${offset}`,
      headers: { type: "watcher.status", offset },
      ...more,
    });

    it("without an id are known by their offsets, and do not spoil the page", async () => {
      const events = [event(1), ...[undefined, null, "", 7].map((id, at) => event(at + 2, { event_id: id }))];
      const { client } = await serve(() => [200, { events }]);
      const ids = ["e1", "offset:2", "offset:3", "offset:4", "offset:5"];
      should((await client.events.poll(ID)).events.map(({ event_id }) => event_id)).deepEqual(ids);
      const found = await client.events.search(ID);
      should(found.data.map(({ event_id }) => event_id)).deepEqual(ids);
    });

    it("are read in each form: flat, as data, with id for event_id, with an id in capitals", async () => {
      const proofs = [{ alg: "other" }];
      const inHeaders = event(1, { event_id: OTHER_ID.toUpperCase(), channel_id: ID, created_at: 9 });
      const flat = { id: ID, type: "watcher.status", offset: "2", proofs, channel_id: ID, created_at: 9 };
      const unnamed = { type: "watcher.status", offset: 3, payload: { status: "active" } };
      for (const name of ["data", "events"]) {
        const { client } = await serve(() => [200, { [name]: [inHeaders, flat, unnamed, unnamed] }]);
        for (const events of [(await client.events.poll(ID)).events, (await client.events.search(ID)).data]) {
          should(events).containDeepOrdered([
            { event_id: OTHER_ID, headers: { type: "watcher.status", offset: 1, proofs: [] } },
            { event_id: ID, headers: { type: "watcher.status", offset: 2, proofs }, created_at: 9 },
            { event_id: "offset:3", headers: { offset: 3 }, payload: { status: "active" } },
            { event_id: "offset:3" },
          ]);
        }
      }
    });

    for (const inclusive of [true, false]) {
      for (const direction of ["up", "down"] as const) {
        const how = `${inclusive ? "at" : "beside"} the offset and leads ${direction}`;
        it(`is got by its offset where it has no id, and a page starts ${how}`, async () => {
          const channel = new SimulatedChannel({ inclusive, direction });
          channel.publish(...[3, 4, 7].map((offset) => makeEvent(offset, { id: "" })));
          const pages = new Map<string, unknown>();
          for (let offset = 0; offset < 10; offset += 1)
            pages.set(String(offset), await channel.poll({ offset, limit: 1 }));
          const { client } = await serve(({ query }) => [200, pages.get(query.get("offset") ?? "")]);
          for (const offset of [3, 4, 7]) {
            const found = await client.events.get(ID, `offset:${offset}`);
            should(found).containDeep({ event_id: `offset:${offset}`, headers: { offset } });
          }
          should((await errorOf(client.events.get(ID, "offset:5"))).code).equal("EVENT_NOT_FOUND");
          should((await errorOf(client.events.get(ID, "offset:x"))).code).equal("INVALID_ARGUMENT");
        });
      }
    }

    it("are asked for once at each offset where offset 0 is looked for", async () => {
      const { client, asked } = await serve(() => [200, { events: [], has_more: false }]);
      should((await errorOf(client.events.get(ID, "offset:0"))).code).equal("EVENT_NOT_FOUND");
      should(asked.map(({ query }) => query.get("offset"))).deepEqual(["0", "1"]);
    });

    it("have offsets as numbers or decimal text; anything else is an error", async () => {
      let answer: unknown;
      const { client } = await serve(() => [200, { events: [answer] }]);
      const poll = async (one: unknown) => {
        answer = one;
        return client.events.poll(ID).then(
          ({ events }) => events[0]?.headers.offset,
          ({ code, message }) => `${code}: ${message}`,
        );
      };
      should(await poll(event("12"))).equal(12);
      const beyond = /^BAD_RESPONSE: .*at offset 9007199254740993, which is beyond 2\^53 - 1/;
      should(await poll(event("9007199254740993"))).match(beyond);
      for (const offset of ["", " 5", [], [3], true, {}, 1.5, null])
        should(await poll(event(offset))).match(/^BAD_RESPONSE: .*no offset/);
      for (const [one, said] of [
        [null, "null"],
        [7, "a number"],
        ["text", "a string"],
        [[], "a list"],
      ])
        should(await poll(one)).match(new RegExp(`^BAD_RESPONSE: .*with ${said} where an event should be`));
      should(await poll({ headers: null })).match(/no offset/);
    });
  });

  describe("arguments", () => {
    it("are checked before anything is sent, naming the field", async () => {
      const { client, asked } = await serve(() => [200, {}]);
      const refused = async (promise: Promise<unknown>) => {
        const { code, path } = await errorOf(promise);
        return `${code} ${path}`;
      };
      should(await refused(client.channels.create({ name: "  " }))).equal("INVALID_ARGUMENT name");
      should(await refused(client.channels.create({ name: "x".repeat(256) }))).equal("INVALID_ARGUMENT name");
      should(await refused(client.channels.create({ name: "x", description: "x".repeat(256) }))).equal(
        "INVALID_ARGUMENT description",
      );
      should(await refused(client.channels.update(ID, { description: " " }))).equal(
        "INVALID_ARGUMENT description",
      );
      should(await refused(client.channels.get("../networks"))).equal("INVALID_ARGUMENT channelId");
      should(await refused(client.channels.list({ limit: 51 }))).equal("INVALID_ARGUMENT limit");
      should(await refused(client.events.poll(ID, { offset: -1 }))).equal("INVALID_ARGUMENT offset");
      should(await refused(client.networks.chainIdOf("0x1"))).equal("INVALID_ARGUMENT chain_selector");
      const create = (changes: object) => refused(client.watchers.create(ID, { ...wanted, ...changes }));
      should(await create({ name: " abc " })).equal("INVALID_ARGUMENT name");
      should(await create({ address: "0x12" })).equal("INVALID_ADDRESS address");
      should(await create({ address: ` ${ADDRESS}` })).equal("INVALID_ADDRESS address");
      const mistyped = "0x66e1BB813E19adD1B0EF1e2258f8399E7440457E";
      should(await create({ address: mistyped })).equal("INVALID_ADDRESS address");
      should(await create({ chain_selector: "sepolia" })).equal("INVALID_ARGUMENT chain_selector");
      should(await create({ events: [] })).equal("INVALID_ARGUMENT events");
      should(await create({ abi: undefined })).equal("INVALID_ARGUMENT abi");
      should(await create({ events: ["Transfer", "Mint"] })).equal("EVENT_NOT_IN_ABI events[1]");
      should(asked).be.empty();
    });
  });

  describe("ids in capitals", () => {
    const UPPER = ID.toUpperCase();

    it("are sent in lower case, in paths, filters and bodies; other ids keep their case", async () => {
      const { client, asked } = await serve(({ path }) =>
        path.endsWith("/search") ? [200, { events: [] }] : page(),
      );
      await client.channels.get(UPPER).catch(() => {});
      await client.events.get(UPPER, UPPER).catch(() => {});
      await client.events.search(UPPER, { watcher_id: UPPER, wallet_id: UPPER });
      await client.operations.list(UPPER, { wallet_id: UPPER, signer_subject_id: "org_Ab" });
      const { name, chain_selector } = wanted;
      const wallet = { name, chain_selector, wallet_owner_address: ADDRESS, wallet_type: "ecdsa" } as const;
      await client.wallets.create({ ...wallet, status_channel_id: UPPER }).catch(() => {});
      const sent = asked.map(({ path, query, body }) => `${path} ${query} ${body.status_channel_id ?? ""}`);
      should(sent.join("\n")).not.containEql(UPPER);
      should(sent).have.length(5);
      should(asked[3]?.query.get("signer_subject_id")).equal("org_Ab");
      should(asked[4]?.body.status_channel_id).equal(ID);
    });

    it("are found, whichever way service and caller write them", async () => {
      const { client } = await serve(({ path }) =>
        path.includes("/search/")
          ? [200, { event_id: UPPER, headers: { offset: 1 } }]
          : [200, { channel_id: UPPER, name: "demo" }],
      );
      for (const id of [ID, UPPER]) {
        should(await client.channels.get(id)).have.property("name", "demo");
        should(await client.events.get(id, id)).have.property("event_id", ID);
      }
    });
  });

  describe("networks.chainIdOf", () => {
    it("uses the option chainIds before the service, and refuses what is not a pair", async () => {
      const chainIds = { "42": "7", "18446744073709551615": 31337 };
      const { client, asked } = await serve(() => page(), { chainIds });
      should(await client.networks.chainIdOf("42")).equal("7");
      should(await client.networks.chainIdOf("18446744073709551615")).equal("31337");
      should(asked).be.empty();
      for (const [selector, chainId] of [
        ["0x2a", "7"],
        ["42", "0x7"],
        ["42", ""],
        ["42", 1.5],
      ] as const) {
        const options = { baseUrl: "http://host", apiKey: "k", chainIds: { [selector]: chainId } };
        should(() => new CrecClient(options)).throw(/chainIds/);
      }
      const options = { baseUrl: "http://host", apiKey: "k", chainIds: { "42": 2 ** 60 } };
      should(() => new CrecClient(options)).throw({ path: "chainIds[42]", message: /beyond 2\^53/ });
    });

    it("asks once", async () => {
      const { client, asked } = await serve(() => page({ chain_selector: "42", chain_id: "7" }));
      should(await client.networks.chainIdOf("42")).equal("7");
      should(await client.networks.chainIdOf("42")).equal("7");
      should(asked).have.length(1);
    });

    it("shares a request that is under way, and remembers no failure", async () => {
      const answers: Reply[] = [[500, ""], page({ chain_selector: "42", chain_id: "7" })];
      const { client, asked } = await serve(() => answers.shift() ?? [500, ""]);
      const ask = () => client.networks.chainIdOf("42");
      for (const one of await Promise.all([errorOf(ask()), errorOf(ask())]))
        should(one.code).equal("SERVICE_ERROR");
      should(await Promise.all([ask(), ask(), ask()])).deepEqual(["7", "7", "7"]);
      should(asked).have.length(2);
    });

    it("asks again for the others where the one who asked stops, or has its own time-out", async () => {
      const stop = new AbortController();
      let answered = 0;
      const { client, asked } = await serve(() => {
        if (!stop.signal.aborted) return "silence";
        answered += 1;
        return page({ chain_selector: "42", chain_id: "7" });
      });
      const stopped = errorOf(client.networks.chainIdOf("42", { signal: stop.signal }));
      const others = [client.networks.chainIdOf("42"), client.networks.chainIdOf("42")];
      const late = await errorOf(client.networks.chainIdOf("42", { timeoutMs: 50 }));
      should(late.code).equal("TIMEOUT");
      const joined = new AbortController();
      const left = errorOf(client.networks.chainIdOf("42", { signal: joined.signal }));
      joined.abort();
      should((await left).code).equal("ABORTED");
      const already = errorOf(client.networks.chainIdOf("42", { signal: joined.signal }));
      should((await already).code).equal("ABORTED");
      await eventually("a request that is not answered", () => asked.length > 0);
      stop.abort();
      should((await stopped).code).equal("ABORTED");
      should(await Promise.all(others)).deepEqual(["7", "7"]);
      should(answered).equal(1);
    });

    it("knows well-known networks when the service cannot be asked", async () => {
      const { client } = await serve(() => [503, ""]);
      should(await client.networks.chainIdOf(CHAIN)).equal("31337");
      should((await errorOf(client.networks.chainIdOf("42"))).code).equal("SERVICE_ERROR");
    });

    for (const [what, selector, chainId] of [
      ["another chain id for a well-known network", "16015286601757825753", "1"],
      ["a well-known chain id for another network", "42", "1"],
      ["the same with a zero before it", "42", "01"],
    ] as const) {
      it(`signs for no chain when the service gives ${what}`, async () => {
        const { client } = await serve(() => page({ chain_selector: selector, chain_id: chainId }));
        const error = await errorOf(client.networks.chainIdOf(selector));
        should(error.code).equal("NETWORK_MISMATCH");
      });
    }

    it("lists networks of other families, which have no EVM chain id", async () => {
      const other = { chain_selector: "124615329519749607", chain_id: "5eykt4Us", chain_family: "solana" };
      const { client } = await serve(() => page(other, { chain_selector: "42", chain_id: "7" }));
      should(await client.networks.list()).have.length(2);
      should(await client.networks.chainIdOf("42")).equal("7");
      should((await errorOf(client.networks.chainIdOf(other.chain_selector))).code).equal(
        "NETWORK_NOT_FOUND",
      );
    });

    it("says when there is no such network", async () => {
      const { client } = await serve(() => page());
      should((await errorOf(client.networks.chainIdOf("42"))).code).equal("NETWORK_NOT_FOUND");
    });
  });

  describe("channels.createOrFind", () => {
    it("refuses bad values before anything is sent, and ends its pause when the client is closed", async () => {
      const { client, asked } = await serve(({ method }) => {
        if (method === "GET") return page();
        setTimeout(() => void client.close(), 50);
        return [503, {}, { "retry-after": "9" }];
      });
      const description = "x".repeat(256);
      const refused = client.channels.createOrFind({ name: "demo", description });
      should((await errorOf(refused)).path).equal("description");
      should(asked).be.empty();
      const begun = performance.now();
      should((await errorOf(client.channels.createOrFind({ name: "demo" }))).code).equal("CLIENT_CLOSED");
      should(performance.now() - begun).be.below(8_000);
    });

    const demo = { channel_id: ID, name: "demo" };

    it("finds by exact name over all pages, though the filter is a part without case", async () => {
      const others = ["Demo", "demo 2"].map((name) => ({ channel_id: name, name }));
      const { client, calls } = await serve(({ query }) =>
        query.get("offset") === "0" ? [200, { data: others, has_more: true }] : page(others[1], demo),
      );
      const { channel, found } = await client.channels.createOrFind({ name: "demo" });
      should(channel.channel_id).equal(ID);
      should(found).be.true();
      should(calls()).deepEqual(["GET /channels", "GET /channels"]);
    });

    it("creates what is missing", async () => {
      const { client } = await serve(({ method }) => (method === "GET" ? page() : [201, demo]));
      should(await client.channels.createOrFind({ name: "demo" })).deepEqual({ channel: demo, found: false });
    });

    it("searches again when another client was faster", async () => {
      let made = false;
      const { client, calls } = await serve(({ method }) => {
        if (method === "GET") return made ? page(demo) : page();
        made = true;
        return conflict("CHANNEL_ALREADY_EXISTS");
      });
      should((await client.channels.createOrFind({ name: "demo" })).found).be.true();
      should(calls()).deepEqual(["GET /channels", "POST /channels", "GET /channels"]);
    });

    it("looks before it repeats a create whose answer was lost", async () => {
      let made = 0;
      const { client } = await serve(({ method }) => {
        if (method === "GET") return made ? page(demo) : page();
        made += 1;
        return "drop";
      });
      should((await client.channels.createOrFind({ name: "demo" })).channel).deepEqual(demo);
      should(made).equal(1);
    });

    it("looks before it repeats a create whose answer could not be read", async () => {
      let isMade = false;
      const { client, calls } = await serve(({ method }) => {
        if (method === "GET") return page(...(isMade ? [{ channel_id: ID, name: "alerts" }] : []));
        isMade = true;
        return [201, "<p>a proxy's page"];
      });
      should(await client.channels.createOrFind({ name: "alerts" })).match({
        channel: { channel_id: ID },
        found: true,
      });
      should(calls()).deepEqual(["GET /channels", "POST /channels", "GET /channels"]);
    });

    it("waits as long as the service asks, but not for an hour", async () => {
      const limited = (seconds: string): Reply => [
        429,
        { type: "VALIDATION_ERROR" },
        { "retry-after": seconds },
      ];
      let refusals = 1;
      const soon = await serve(({ method }) => {
        if (method === "GET") return page();
        return refusals-- > 0 ? limited("0") : [201, demo];
      });
      should((await soon.client.channels.createOrFind({ name: "demo" })).found).be.false();
      const late = await serve(({ method }) => (method === "GET" ? page() : limited("3600")));
      const error = await errorOf(late.client.channels.createOrFind({ name: "demo" }));
      should([error.code, error.retryAfterMs]).deepEqual(["RATE_LIMITED", 3_600_000]);
      should(late.calls()).have.length(2);
    });

    it("gives up when the name is that of an archived one", async () => {
      const { client, calls } = await serve(({ method, query }) => {
        if (method === "POST") return conflict("CHANNEL_ALREADY_EXISTS");
        return query.get("status") === "archived" ? page(demo) : page();
      });
      should((await errorOf(client.channels.createOrFind({ name: "demo" }))).code).equal(
        "CHANNEL_ALREADY_EXISTS",
      );
      should(calls()).have.length(5);
    });
  });

  describe("watchers.create", () => {
    const created = async (abi: CreateWatcher["abi"]) => {
      const { client, asked } = await serve(() => [201, watcher()]);
      await client.watchers.create(ID, { ...wanted, abi });
      return asked[0]?.body.abi;
    };

    it("fills in what the service wants of an event, and leaves what is there", async () => {
      const inputs = [
        { name: "from", type: "address", indexed: true },
        {
          name: "note",
          type: "tuple",
          internalType: "struct Note",
          components: [{ name: "at", type: "uint64" }],
        },
        { name: "value", type: "uint256" },
      ];
      should(await created([{ type: "event", name: "Transfer", inputs }])).eql([
        {
          ...{ type: "event", name: "Transfer", anonymous: false },
          inputs: [
            { name: "from", type: "address", internalType: "address", indexed: true },
            { ...inputs[1], indexed: false },
            { name: "value", type: "uint256", internalType: "uint256", indexed: false },
          ],
        },
      ]);
      should(await created([{ type: "event", name: "Transfer", anonymous: true, inputs: [] }])).eql([
        { type: "event", name: "Transfer", anonymous: true, inputs: [] },
      ]);
    });

    it("sends what `eventFragments` makes unchanged", async () => {
      const abi = parseAbi("event Transfer(address indexed from, address indexed to, uint256 value)");
      const fragments = eventFragments(abi, ["Transfer"]);
      should(await created(fragments)).eql(fragments);
    });
  });

  describe("watchers.createOrFind", () => {
    const having = (found: object) =>
      serve(({ path }) =>
        path.endsWith("/watchers") ? page({ ...watcher(), events: undefined }) : [200, found],
      );

    it("finds the same watcher, the address compared without case", async () => {
      const { client } = await having(watcher());
      should(await client.watchers.createOrFind(ID, wanted)).deepEqual({ watcher: watcher(), found: true });
    });

    it("gives one that failed with its status", async () => {
      const { client } = await having(watcher({ status: "failed" }));
      should((await client.watchers.createOrFind(ID, wanted)).watcher.status).equal("failed");
    });

    it("refuses one that watches something else, and says what differs", async () => {
      const { client } = await having(watcher({ address: `0x${"1".repeat(40)}`, events: ["Approval"] }));
      const error = await errorOf(client.watchers.createOrFind(ID, wanted));
      should(error.code).equal("WATCHER_DIFFERS");
      should(error.message).match(/address is 0x1+.*events is Approval, not Transfer/);
    });
  });

  describe("watchers.waitFor", () => {
    const quick = { pollMs: { min: 1, max: 5 } };
    const walking = (...replies: Array<string | Reply>) => {
      let count = 0;
      return serve(({ path }) => {
        if (path.endsWith("/events/search")) {
          const payload = { watcher_id: OTHER_ID, status: "failed", status_reason: "no such contract" };
          return [
            200,
            { events: [{ event_id: "e", headers: { type: "watcher.status", offset: 3 }, payload }] },
          ];
        }
        const reply = replies[Math.min(count++, replies.length - 1)] ?? "drop";
        return typeof reply === "string" && reply !== "drop"
          ? [200, watcher({ status: reply })]
          : (reply as Reply);
      });
    };

    it("reports each change and ends at the target", async () => {
      const { client } = await walking("pending", "pending", "brand_new", "active");
      const seen: string[] = [];
      const options = {
        ...quick,
        target: "active",
        onStatus: ({ status }: { status: string }) => seen.push(status),
      } as const;
      should((await client.watchers.waitFor(ID, OTHER_ID, options)).status).equal("active");
      should(seen).deepEqual(["pending", "brand_new", "active"]);
    });

    it("counts a stronger status as reached", async () => {
      const { client } = await walking("active");
      should((await client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "pending" })).status).equal(
        "active",
      );
    });

    it("continues after failures of the service and while the watcher is unknown", async () => {
      const { client } = await walking(notFound("WATCHER_NOT_FOUND"), "drop", [503, ""], "active");
      should((await client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "active" })).status).equal(
        "active",
      );
    });

    it("ends when the watcher stays unknown", async () => {
      const { client } = await walking(notFound("WATCHER_NOT_FOUND"));
      const options = { ...quick, target: "active", unknownForMs: 20 } as const;
      should((await errorOf(client.watchers.waitFor(ID, OTHER_ID, options))).code).equal("WATCHER_NOT_FOUND");
    });

    it("ends with the reason when the watcher failed", async () => {
      const { client } = await walking("pending", "failed");
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "active" }));
      should(error.code).equal("WATCHER_FAILED");
      should(error.lastStatus).equal("failed");
      should(error.reason).equal("no such contract");
      should(error.message).match(/no such contract/);
    });

    it("ends when the target is behind", async () => {
      const { client } = await walking("archiving");
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "active" }));
      should(error.code).equal("WATCHER_ARCHIVING");
    });

    it("by events, ends with the reason when the archiving failed", async () => {
      const { client } = await serve(({ path }) => {
        // The watcher itself shows it as failed.
        if (!path.endsWith("/search")) return [200, watcher({ status: "failed" })];
        const events = ["archiving", "archive_failed"].map((status, offset) => ({
          event_id: `e${offset}`,
          headers: { type: "watcher.status", offset, proofs: [] },
          payload: { status, status_reason: offset === 1 ? "the chain is down" : "" },
        }));
        return [200, { events, has_more: false }];
      });
      const options = { ...quick, target: "archived", by: "events", timeoutMs: 5_000 } as const;
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, options));
      should(error).match({ code: "WATCHER_ARCHIVE_FAILED", reason: "the chain is down" });
    });

    it("follows an archiving to its end", async () => {
      const { client } = await walking("archiving", "archived");
      const archived = await client.watchers.waitFor(ID, OTHER_ID, { ...quick, target: "archived" });
      should(archived.status).equal("archived");
    });

    it("ends in time, with the last status", async () => {
      const { client } = await walking("pending");
      const options = { ...quick, target: "active", timeoutMs: SOON_OVER_MS } as const;
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, options));
      should(error.code).equal("WAIT_TIMEOUT");
      should(error.lastStatus).equal("pending");
      should(error.resource).match({ watcher_id: OTHER_ID, status: "pending" });
    });

    it("ends with what its callback throws, immediately or later", async () => {
      const { client } = await walking("pending");
      const fail = () => {
        throw new Error("no screen");
      };
      for (const onStatus of [fail, async () => fail()]) {
        const options = { ...quick, target: "active", timeoutMs: 1_000, onStatus } as const;
        await should(client.watchers.waitFor(ID, OTHER_ID, options)).be.rejectedWith("no screen");
      }
    });

    it("has the last failure as its cause", async () => {
      const { client } = await walking([503, ""]);
      const options = { ...quick, target: "active", timeoutMs: SOON_OVER_MS } as const;
      const error = await errorOf(client.watchers.waitFor(ID, OTHER_ID, options));
      should(error).match({ code: "WAIT_TIMEOUT", cause: { code: "SERVICE_ERROR" } });
    });

    it("refuses an invalid target and invalid intervals before anything is sent", async () => {
      const { client, asked } = await walking("pending");
      for (const target of ["activ", "toString", undefined]) {
        const options = { ...quick, target: target as "active" };
        should((await errorOf(client.watchers.waitFor(ID, OTHER_ID, options))).path).equal("target");
      }
      const pollMs = { min: 0, max: Number.NaN };
      const hurried = client.watchers.waitFor(ID, OTHER_ID, { target: "active", pollMs });
      should((await errorOf(hurried)).path).equal("pollMs.min");
      should(asked).be.empty();
    });

    it("by events, takes no failure for an end that others have followed", async () => {
      const statuses = ["active", "archiving", "archive_failed", "archiving", "archived"];
      const { client } = await serve(({ path }) => {
        if (!path.endsWith("/search")) return [200, { watcher_id: OTHER_ID, status: "archived" }];
        const events = statuses.map((status, offset) => ({
          event_id: `e${offset}`,
          headers: { type: "watcher.status", offset, proofs: [] },
          payload: { status },
        }));
        return [200, { events, has_more: false }];
      });
      const seen: string[] = [];
      const options = { ...quick, target: "archived", by: "events" } as const;
      const onStatus = ({ status }: { status: string }) => seen.push(status);
      await client.watchers.waitFor(ID, OTHER_ID, { ...options, onStatus });
      should(seen).deepEqual(statuses);
    });

    it("by events, asks the watcher itself now and then when its last event never comes", async () => {
      let looks = 0;
      let searches = 0;
      const { client } = await serve(({ path }) => {
        if (path.endsWith("/search")) {
          searches += 1;
          const headers = { type: "watcher.status", offset: 1, proofs: [] };
          return [200, { events: [{ event_id: "e", headers, payload: { status: "pending" } }] }];
        }
        looks += 1;
        return [200, watcher({ status: searches > 1 ? "active" : "pending" })];
      });
      const seen: string[] = [];
      const onStatus = ({ status }: { status: string }) => seen.push(status);
      const options = { ...quick, target: "active", by: "events", timeoutMs: 5_000, onStatus } as const;
      should((await client.watchers.waitFor(ID, OTHER_ID, options)).status).equal("active");
      should(seen).deepEqual(["pending", "active"]);
      should(looks).be.below(searches);
    });

    it("asks again no sooner when a service wants an endless wait", async () => {
      const { client, asked } = await walking([503, "", { "retry-after": "9999999999" }]);
      const options = { ...quick, target: "active", timeoutMs: SOON_OVER_MS } as const;
      should((await errorOf(client.watchers.waitFor(ID, OTHER_ID, options))).code).equal("WAIT_TIMEOUT");
      should(asked).have.length(1);
    });

    it("ends immediately when aborted or when the client is closed", async () => {
      const { client } = await walking("pending");
      const controller = new AbortController();
      const pollMs = { min: 60_000, max: 60_000 };
      const onStatus = () => setImmediate(() => controller.abort());
      const aborted = client.watchers.waitFor(ID, OTHER_ID, {
        target: "active",
        pollMs,
        onStatus,
        signal: controller.signal,
      });
      should((await errorOf(aborted)).code).equal("ABORTED");
      const onSeen = () => setImmediate(() => void client.close());
      const closed = client.watchers.waitFor(ID, OTHER_ID, { target: "active", pollMs, onStatus: onSeen });
      should((await errorOf(closed)).code).equal("CLIENT_CLOSED");
    });
  });

  describe("events", () => {
    it("reads the forms of other versions", async () => {
      const { client, asked } = await serve(() => [
        200,
        { data: [{ id: "e1", type: "watcher.event", headers: { offset: 7 } }] },
      ]);
      should((await client.events.poll(ID, { offset: 5, type: "watcher.event" })).events).match([
        { event_id: "e1", headers: { type: "watcher.event", offset: 7, proofs: [] }, payload: {} },
      ]);
      should(asked[0]?.query.toString()).equal("offset=5&type=watcher.event");
    });

    it("reads `events` where a page has `data` too", async () => {
      const events = [{ event_id: "e1", headers: { type: "watcher.event", offset: 7 } }];
      for (const data of [[], null, { x: 1 }]) {
        const { client } = await serve(() => [200, { events, data }]);
        should((await client.events.poll(ID)).events.map(({ event_id }) => event_id)).deepEqual(["e1"]);
      }
    });
  });

  describe("answers that are something else", () => {
    const create = { name: "demo watcher", chain_selector: CHAIN, address: ADDRESS };
    const params = {
      contract_address: ADDRESS,
      call_data: "0x",
      block_selection: { type: "latest" },
    } as const;
    const target = { target: "active", timeoutMs: 5_000 } as const;
    type Client = Service["client"];
    const calls: Record<string, (client: Client) => Promise<unknown>> = {
      "channels.create": (client) => client.channels.create({ name: "demo" }),
      "channels.get": (client) => client.channels.get(ID),
      "channels.update": (client) => client.channels.update(ID, { name: "other" }),
      "channels.archive": (client) => client.channels.archive(ID),
      "wallets.create": (client) =>
        client.wallets.create({ ...create, wallet_owner_address: ADDRESS, wallet_type: "ecdsa" }),
      "wallets.get": (client) => client.wallets.get(ID),
      "wallets.waitFor": (client) => client.wallets.waitFor(ID, { ...target, target: "deployed" }),
      "watchers.create": (client) => client.watchers.create(ID, wanted),
      "watchers.get": (client) => client.watchers.get(ID, ID),
      "watchers.archive": (client) => client.watchers.archive(ID, ID),
      "watchers.waitFor": (client) => client.watchers.waitFor(ID, ID, target),
      "operations.get": (client) => client.operations.get(ID, ID),
      "operations.cancel": (client) => client.operations.cancel(ID, ID, { patienceMs: 1 }),
      "operations.waitFor": (client) => client.operations.waitFor(ID, ID, { ...target, target: "confirmed" }),
      "queries.create": (client) => client.queries.create(ID, { chain_selector: CHAIN, params }),
      "queries.get": (client) => client.queries.get(ID, ID),
      "queries.waitFor": (client) => client.queries.waitFor(ID, ID, { ...target, target: "completed" }),
      "events.get": (client) => client.events.get(ID, ID),
    };
    const lists: typeof calls = {
      "channels.list": (client) => client.channels.list(),
      "channels.findByName": (client) => client.channels.findByName("demo"),
      "networks.list": (client) => client.networks.list(),
      "events.poll": (client) => client.events.poll(ID),
      "events.search": (client) => client.events.search(ID),
    };
    const others: Array<[string, unknown]> = [
      ["null", null],
      ["a text", '"text"'],
      ["a list", []],
      ["an object without an id", {}],
      ["an id that is none", { channel_id: 7, wallet_id: "", watcher_id: null, event_id: {} }],
    ];
    for (const [name, call] of Object.entries(calls)) {
      it(`are BAD_RESPONSE for ${name}`, async () => {
        for (const [what, body] of others) {
          const { client } = await serve(() => [200, body]);
          should((await errorOf(call(client))).code).equal("BAD_RESPONSE", what);
        }
      });
    }
    for (const [name, call] of Object.entries(lists)) {
      it(`are BAD_RESPONSE for ${name}, as the list and inside it`, async () => {
        for (const [what, body] of others) {
          const { client } = await serve(() => [200, { data: [body] }]);
          should((await errorOf(call(client))).code).equal("BAD_RESPONSE", `[${what}]`);
        }
        const { client } = await serve(() => [200, null]);
        should((await errorOf(call(client))).code).equal("BAD_RESPONSE", "null");
      });
    }

    it("are BAD_RESPONSE when they are of another id than was asked for", async () => {
      const ids = ["channel_id", "wallet_id", "watcher_id", "operation_id", "query_id", "event_id"];
      const other = Object.fromEntries(ids.map((field) => [field, OTHER_ID]));
      const { client } = await serve(() => [200, { ...other, status: "completed", headers: { offset: 1 } }]);
      for (const [name, call] of Object.entries(calls)) {
        if (name.endsWith(".create")) continue;
        should((await errorOf(call(client))).code).equal("BAD_RESPONSE", name);
      }
    });

    it("are BAD_RESPONSE immediately when a wait finds no status", async () => {
      const { client } = await serve(() => [200, { watcher_id: ID }]);
      should((await errorOf(client.watchers.waitFor(ID, ID, target))).code).equal("BAD_RESPONSE");
    });

    it("do not keep the other events from coming where one has no id: that is known by its offset", async () => {
      const ids = [
        { event_id: ID },
        { id: OTHER_ID },
        {},
        { event_id: "" },
        { event_id: null },
        { event_id: 7 },
      ];
      const events = ids.map((id, index) => ({ ...id, headers: { offset: index + 1 } }));
      const { client } = await serve(() => [200, { events }]);
      const page = await client.events.poll(ID);
      should(page.events.map(({ event_id }) => event_id)).deepEqual([
        ...[ID, OTHER_ID],
        ...["offset:3", "offset:4", "offset:5", "offset:6"],
      ]);
    });

    it("are BAD_RESPONSE for an event without an offset", async () => {
      for (const headers of [undefined, {}, { offset: null }, { offset: "x" }, { offset: 1.5 }]) {
        const { client } = await serve(() => [200, { events: [{ event_id: ID, headers }] }]);
        should((await errorOf(client.events.poll(ID))).code).equal("BAD_RESPONSE");
      }
    });
  });

  describe("any call", () => {
    it("gives status and data, or the error", async () => {
      const { client } = await serve(({ path }) =>
        path === "/v" ? [202, { a: 1 }] : notFound("QUERY_NOT_FOUND"),
      );
      should(await client.request({ method: "GET", path: "/v" })).deepEqual({ status: 202, data: { a: 1 } });
      should((await errorOf(client.request({ method: "GET", path: "/x" }))).code).equal("QUERY_NOT_FOUND");
    });

    it("gives no key that the answer repeats whole", async () => {
      const echoed = [KEY, Buffer.from(KEY).toString("base64"), `Apikey ${KEY}.`];
      const part = KEY.slice(0, -1);
      const { client } = await serve(() => [200, { echoed, [KEY]: part, count: 12 }]);
      const { data } = await client.request({ method: "GET", path: "/v" });
      should(data).have.properties({ "***": part, count: 12 });
      should(JSON.stringify(data)).not.containEql(KEY);
      should((data as { echoed: string[] }).echoed).deepEqual(["***", "***", "Apikey ***."]);
    });
  });

  it("never show the key", async () => {
    const { client } = await serve(() => [200, {}]);
    should(inspect(client, { depth: 9, showHidden: true })).not.containEql(KEY);
    should(JSON.stringify(client)).not.containEql(KEY);
  });
});
